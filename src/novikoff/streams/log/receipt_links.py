"""Receipt links: what was played in parts of a log that were dropped, one line of JSON for each.

Each link says how far the log had come, in what state its model was, and the SHA-256 of the line
before. The log still covers the records after the last link.
"""

import hashlib
import os
import re

import msgspec

from novikoff.errors import InputError
from novikoff.streams.log.records import UNREADABLE, ServedLabel, reason

NAME = "receipts.jsonl"
_START = re.compile(r"start-(\d{20})\.model")


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The receipt of a log up to a record, after which its records are still there."""

    sequence: int
    """The last record that may be gone."""
    rounds: int
    mistakes: int
    loss: float | None
    model: str
    """The SHA-256 of the model then: the rounds that are still there begin from it."""
    labels: tuple[ServedLabel, ...]
    before: str | None
    """The SHA-256 of the link before; None if there was none."""


def links_of(folder: str) -> list[Link]:
    """Return the links of a log; refuse a chain that is broken."""
    found, before = list[Link](), None
    for number, line in enumerate(_lines(folder), 1):
        where = f"{os.path.join(folder, NAME)}:{number}"
        try:
            link = msgspec.json.decode(line, type=Link)
        except UNREADABLE as error:
            raise InputError(
                f"{where}: expected the receipt of a dropped part, got another line: "
                f"{reason(error)}. Restore the file from a backup."
            ) from None
        behind = found and link.sequence <= found[-1].sequence
        if link.before != before or behind:
            raise InputError(
                f"{where}: expected a receipt that chains to the one before, {before}, got "
                f"{link.before}. Restore the file from a backup."
            )
        found.append(link)
        before = hashlib.sha256(line).hexdigest()
    return found


def last_link(folder: str) -> Link | None:
    """Return the link after which a log begins; None if it has all its records."""
    found = links_of(folder)
    return found[-1] if found else None


def start_path(folder: str) -> str:
    """Return where the model is that the log begins from; certificates need it."""
    link = last_link(folder)
    return os.path.join(folder, start_name(0 if link is None else link.sequence))


def start_name(sequence: int) -> str:
    """Return the name of the model that a log begins from after a record."""
    return f"start-{sequence:020d}.model" if sequence else "start.model"


def starts_of(folder: str) -> list[int]:
    """Return after which records the models of drops that are there begin, in order."""
    return sorted(int(m[1]) for name in os.listdir(folder) if (m := _START.fullmatch(name)))


def chained(folder: str) -> str | None:
    """Return the SHA-256 of the last link, to which the receipt of now chains."""
    lines = _lines(folder)
    return hashlib.sha256(lines[-1]).hexdigest() if lines else None


def with_link(folder: str, link: Link) -> bytes:
    """Return the file with one more link."""
    lines = [*_lines(folder), msgspec.json.encode(link)]
    return b"".join(line + b"\n" for line in lines)


def _lines(folder: str) -> list[bytes]:
    try:
        with open(os.path.join(folder, NAME), "rb") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []
