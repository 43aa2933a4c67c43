"""Snapshots: the replica on disk, so that a start need not apply the log from its beginning.

A snapshot is two files: the run as any model is saved, and a page about the rest: a line of JSON,
and a line with its SHA-256. The page is written last and names the digest of the model, so a
snapshot is there whole or not at all, and a flipped bit is found.
"""

import hashlib
import os
from contextlib import suppress

import msgspec

from novikoff.errors import InputError
from novikoff.playing.run import Run
from novikoff.saving.storage import digest_of, write_bytes
from novikoff.saving.versions import PAGE
from novikoff.service.intake import IntakeState
from novikoff.service.replica import Counts, Kept, KeptServed, Replica, Waiting
from novikoff.service.watch import WatchState
from novikoff.streams.log.records import UNREADABLE, Asked, Begin, reason
from novikoff.streams.log.snapshot_files import model_path, page_path, snapshots_of

_UNSEALED = 1  # the version of pages without a SHA-256
KEPT = 2
"""How many snapshots are kept; the log goes back to the oldest of them."""
_SHOWN = 40  # letters of a version


class _Claim(msgspec.Struct, frozen=True):
    """What a page of any version says of itself."""

    version: int


class Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a snapshot holds besides its run."""

    version: int
    sequence: int
    """The last record that was applied."""
    model: str
    """The SHA-256 of the run."""
    begin: Begin
    counts: Counts
    keys: list[tuple[str, Kept]]
    waiting: list[tuple[Asked, KeptServed]]
    watch: WatchState | None = None
    intake: IntakeState | None = None


def page_of(replica: Replica) -> Page:
    """Return what there is to save of a replica now, besides its run; nothing writes it."""
    return Page(
        version=PAGE.newest,
        sequence=replica.sequence,
        model="",
        begin=replica.begin,
        counts=msgspec.structs.replace(replica.counts),
        keys=list(replica.keys.items()),
        waiting=list(replica.waiting.values()),
        watch=replica.watch.state,
        intake=replica.intake.state,
    )


def write_snapshot(folder: str, run: Run, page: Page) -> str:
    """Write a snapshot, drop the older ones, and return the digest of its run."""
    path = model_path(folder, page.sequence)
    run.save(path)
    digest = digest_of(path)
    whole = msgspec.structs.replace(page, model=digest)
    write_bytes(page_path(folder, page.sequence), sealed(whole))
    for sequence in snapshots_of(folder)[:-KEPT]:
        for old in (page_path(folder, sequence), model_path(folder, sequence)):
            with suppress(FileNotFoundError):
                os.unlink(old)
    return digest


def sealed(page: Page) -> bytes:
    """Return the file of a page."""
    line = msgspec.json.encode(page)
    return b"%b\n%b\n" % (line, hashlib.sha256(line).hexdigest().encode())


def unsealed(where: str, data: bytes) -> Page:
    """Return the page of a file; refuse one that was changed."""
    line, _, seal = data.partition(b"\n")
    try:
        claimed = f"{PAGE.name}/{msgspec.json.decode(line, type=_Claim).version}"
        if PAGE.is_later(claimed):
            raise PAGE.later(where, claimed)
        if claimed not in PAGE.read:
            raise _damaged(where, claimed[:_SHOWN])
        page = msgspec.json.decode(line, type=Page)
    except UNREADABLE as error:
        raise _damaged(where, reason(error)) from None
    if page.version != _UNSEALED and seal != hashlib.sha256(line).hexdigest().encode() + b"\n":
        raise _damaged(where, "another SHA-256 than that of its line")
    return page


def _damaged(where: str, got: str) -> InputError:
    return InputError(
        f"{where}: expected the page of a snapshot ({PAGE}), got {got}. Remove it to "
        "start from the snapshot before, if the log still goes back to it."
    )


def page_at(folder: str, sequence: int) -> Page:
    """Return the page of a snapshot."""
    path = page_path(folder, sequence)
    with open(path, "rb") as file:
        page = unsealed(path, file.read())
    if page.sequence != sequence:
        raise _damaged(path, f"that of record {page.sequence}")
    return page


def packed_snapshot(folder: str) -> bytes:
    """Return the latest snapshot as bytes: the length of its page as u64, page, and model.

    It is read again if a newer one has replaced it meanwhile.
    """
    while True:
        sequence = snapshots_of(folder)[-1]
        try:
            with open(page_path(folder, sequence), "rb") as file:
                page = file.read()
            with open(model_path(folder, sequence), "rb") as file:
                return len(page).to_bytes(8, "little") + page + file.read()
        except FileNotFoundError:
            continue


def read_snapshot(folder: str, keys: int) -> Replica | None:
    """Return the replica of the latest snapshot; None if there is none."""
    found = snapshots_of(folder)
    if not found:
        return None
    page = page_at(folder, found[-1])
    path, model = page_path(folder, found[-1]), model_path(folder, found[-1])
    if not os.path.isfile(model):
        raise _damaged(path, f"one whose model, {os.path.basename(model)}, is not there")
    if page.model != (got := digest_of(model)):
        raise InputError(
            f"{path}: expected the snapshot of {model}, got one of {page.model[:12]}… and not "
            f"{got[:12]}…. Remove both to start from the snapshot before."
        )
    replica = Replica(Run.load(model), page.begin, keys)
    replica.sequence, replica.counts = page.sequence, page.counts
    replica.keys = dict(page.keys)
    replica.waiting = {asked.id: Waiting(asked, served) for asked, served in page.waiting}
    if page.watch is not None:
        replica.watch.restore(page.watch)
    if page.intake is not None:
        replica.intake.restore(page.intake)
    return replica
