"""Kinds of outputs: a file that is there gives way only to one of its own kind."""

import codecs
import os
import re
from collections.abc import Callable

from novikoff.cli.parser import UsageError

_LOOKED_AT = 1024
_CERTIFICATE = rb'\s*\{\s*"assumptions"\s*:\s*\['


def head_of(path: str) -> bytes:
    """Return the first bytes of a file; none if it cannot be read, which others say better."""
    try:
        with open(path, "rb") as file:
            return file.read(_LOOKED_AT)
    except OSError:
        return b""


def is_certificate(head: bytes) -> bool:
    """Say whether a file begins like a certificate of ours."""
    return re.match(_CERTIFICATE, head) is not None


def is_cache(head: bytes) -> bool:
    """Say whether a file begins like Arrow."""
    return head.startswith(b"ARROW1")


def check_certificate(option: str, path: str | None, advice: str = "") -> None:
    """Refuse a certificate whose name is not that of a JSON file, or that replaces another file.

    If the value of the option may be left out, it can take an input for it; ``advice`` says how to
    avoid that.
    """
    if not path or (os.path.exists(path) and not os.path.isfile(path)):  # a device has any name
        return
    remedy = f"{advice or 'Write'} {option} NAME.json."
    if not path.endswith(".json"):
        raise UsageError(f"{option}: expected a name that ends in .json, got {path}. {remedy}")
    replaces(option, path, "a certificate", is_certificate, remedy)


def about_replaced(path: str, text: bytes) -> list[str]:
    """Return a remark if a certificate with another text is about to be replaced."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return []
    with open(path, "rb") as file:
        if file.read() == text:
            return []
    return [f"{path} was another certificate, and is replaced."]


def check_optional_certificate(path: str | None) -> None:
    """Refuse a certificate as above, if ``--certify`` may stand without a name."""
    check_certificate("--certify", path, "Put --certify after the files, or write")


def check_model(option: str, path: str | None) -> None:
    """Refuse a model that replaces a file which is not one."""
    from novikoff.streams.files.formats import is_model

    if path:
        replaces(option, path, "a model", is_model, "Name another file.")


def replaces(
    option: str, path: str, what: str, is_one: Callable[[bytes], bool], remedy: str
) -> None:
    """Refuse to replace a file that is not of the kind to be written; an empty one may be."""
    if os.path.isfile(path) and os.path.getsize(path) and not is_one(head_of(path)):
        raise UsageError(
            f"{option}: expected a new file, or {what} to replace, got {path}, which is another "
            f"file. {remedy}"
        )


def keeps_others(option: str, path: str | None) -> None:
    """Refuse text that replaces anything but text, or a table that replaces no table."""
    if not path or not os.path.isfile(path):
        return
    what = _another(path, head_of(path))
    if what:
        raise UsageError(
            f"{option}: expected a file that may be replaced, got {path}, which is {what}. Name "
            "another file."
        )


def _another(path: str, head: bytes) -> str:
    """Say what a file is, if it is nothing that is written under such a name."""
    from novikoff.streams.files.formats import is_model

    if is_model(head):
        return "a model"
    if is_certificate(head):
        return "a certificate"
    if path.endswith(".parquet"):
        return "" if not head or head.startswith(b"PAR1") else "no Parquet file"
    return "" if _is_text(head) else "not text"


def _is_text(head: bytes) -> bool:
    """Say whether bytes, the last of which may be a part of a character, are UTF-8 without NUL."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return "\0" not in text
