"""Addresses: files that are elsewhere, such as s3://bucket/day.svm, opened through fsspec."""

import re
from typing import NoReturn, Protocol

from novikoff.errors import InputError
from novikoff.extras import extra
from novikoff.streams.files.archives import Readable

_FAILED = (OSError, ValueError, RuntimeError)  # what a place raises that cannot give a file
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*://"


class Place(Protocol):
    """A file system of fsspec, as far as it is used here."""

    def glob(self, path: str) -> list[str]:
        """Return the paths that match a pattern."""

    def isdir(self, path: str) -> bool:
        """Say whether a path is a folder."""

    def unstrip_protocol(self, name: str) -> str:
        """Return a path as an address."""

    def open(self, path: str, mode: str) -> Readable:
        """Open a file."""

    def size(self, path: str) -> int | None:
        """Return how many bytes a file has."""


def is_address(name: str) -> bool:
    """Say whether a name is an address, ``scheme://…``, and not a path of this machine."""
    return "://" in name and re.match(_SCHEME, name) is not None


def matching(address: str) -> list[str]:
    """Return the addresses that an address or a pattern names, in the order of their names."""
    folder, path = _found(address)
    if not any(mark in path for mark in "*?["):
        return [address]
    try:
        found = sorted(name for name in folder.glob(path) if not folder.isdir(name))
        names = [folder.unstrip_protocol(name) for name in found]
    except _FAILED as error:
        _refuse(address, error)
    if not names:
        raise InputError(
            f"{address}: expected a pattern that some file matches, got none. Check it."
        )
    return names


def opened(address: str) -> Readable:
    """Open a file to read its bytes."""
    folder, path = _found(address)
    try:
        return folder.open(path, "rb")
    except _FAILED as error:
        _refuse(address, error)


def size_of(address: str) -> int | None:
    """Return how many bytes a file has, if its place says so."""
    folder, path = _found(address)
    try:
        return folder.size(path)
    except _FAILED as error:
        _refuse(address, error)


def _found(address: str) -> tuple[Place, str]:
    """Return the file system of an address, and the path in it."""
    core = extra("fsspec.core", f"the address {address.partition('://')[0]}://")
    try:
        folder, path = core.url_to_fs(address)
        return folder, str(path)
    except (ImportError, *_FAILED) as error:
        _refuse(address, error)


def _refuse(address: str, error: Exception) -> NoReturn:
    lost = isinstance(error, FileNotFoundError)
    reason = "no such file" if lost else (str(error) or type(error).__name__).splitlines()[0][:200]
    raise InputError(
        f"{address}: expected a file, got: {reason}. Check the address, and what its place needs."
    ) from None
