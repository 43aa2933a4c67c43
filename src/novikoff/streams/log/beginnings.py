"""Beginnings of logs: the last receipt, or a snapshot in a copy that a drop overtook.

A drop keeps a model, writes the receipt, removes segments, then the model of the receipt before.
Who copies a folder meanwhile may get the receipt of before, and the models or segments of after.
A model that is newer than the last receipt tells such a copy from a log that lost its files: it
begins after its oldest snapshot, as if the drop had been of all that came before that.
"""

import os
from typing import NamedTuple

import msgspec

from novikoff.errors import InputError
from novikoff.saving.storage import digest_of
from novikoff.streams.log.receipt_links import Link, last_link, start_name, starts_of
from novikoff.streams.log.records import UNREADABLE, Begin, ServedLabel, reason
from novikoff.streams.log.segments import segments_of
from novikoff.streams.log.snapshot_files import model_path, page_path, snapshots_of


class Beginning(NamedTuple):
    """After which record a log begins, and from which model."""

    sequence: int
    path: str
    """Where the model is."""
    model: str | None
    """The SHA-256 that it must have; None if the first record says it."""
    labels: tuple[ServedLabel, ...]
    """None of them if the first record says them."""
    overtaken: bool
    """Whether the receipt up to here is missing: a drop overtook the copy."""


class _About(msgspec.Struct, frozen=True):
    """What the page of a snapshot says of its model."""

    model: str
    begin: Begin


def beginning_of(folder: str) -> Beginning:
    """Return where a log begins, also one that is being written."""
    link = last_link(folder)
    while True:
        found = _overtaken(folder, link) or _stated(folder, link)
        if (now := last_link(folder)) == link:
            return found
        link = now  # parts were dropped meanwhile


def checked_start(folder: str, state: str) -> str:
    """Return where the model is that the log begins from; refuse another one.

    ``state`` is what its first record says of it. After a drop, a receipt or a snapshot says it.
    """
    begin = beginning_of(folder)
    expected = state if begin.model is None else begin.model
    if not os.path.isfile(begin.path):
        got = "no such file"
    elif (found := digest_of(begin.path)) != expected:
        got = f"{found[:12]}…"
    else:
        return begin.path
    raise InputError(
        f"{begin.path}: expected the model {expected[:12]}…, from which the log begins, got {got}. "
        "Restore it from a backup; if the folder is one, copy the whole folder again."
    )


def _stated(folder: str, link: Link | None) -> Beginning:
    """Return where the last receipt says that a log begins."""
    if link is None:
        return Beginning(0, os.path.join(folder, start_name(0)), None, (), False)
    path = _model_after(folder, link.sequence)
    return Beginning(link.sequence, path, link.model, link.labels, False)


def _overtaken(folder: str, link: Link | None) -> Beginning | None:
    """Return where a log begins of which a drop is not in the receipts; None if there is none."""
    sequence, segments = 0 if link is None else link.sequence, segments_of(folder)
    first = segments[0][0] if segments else 0
    whole = os.path.isfile(_model_after(folder, sequence)) and first <= sequence + 1
    if whole or max(starts_of(folder), default=0) <= sequence:
        return None
    for later in snapshots_of(folder):
        if later > sequence and first <= later + 1 and os.path.isfile(model_path(folder, later)):
            page, path = _page(page_path(folder, later)), model_path(folder, later)
            return Beginning(later, path, page.model, page.begin.labels, True)
    return None


def _model_after(folder: str, sequence: int) -> str:
    """Return where the model after a record is: that of its snapshot has the same bytes."""
    start, snapshot = os.path.join(folder, start_name(sequence)), model_path(folder, sequence)
    kept = os.path.isfile(start) or not (sequence and os.path.isfile(snapshot))
    return start if kept else snapshot


def _page(path: str) -> _About:
    with open(path, "rb") as file:
        line = file.readline()
    try:
        return msgspec.json.decode(line, type=_About)
    except UNREADABLE as error:
        raise InputError(
            f"{path}: expected the page of a snapshot, got {reason(error)}. Restore it from a "
            "backup; if the folder is one, copy the whole folder again."
        ) from None
