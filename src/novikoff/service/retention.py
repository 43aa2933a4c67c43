"""Retention: segments older than the snapshots go, and a receipt of what they held stays.

The order makes every moment safe. The model that the rest of the log begins from is copied first,
then the link is written, which says where the log begins now; then segments go, and at last the
model of the link before. A crash in between leaves files that the next drop removes. A copy that
was made in between is completed at its start.
"""

import os
from contextlib import suppress

from novikoff.playing.run import Run
from novikoff.saving.storage import digest_of, write_bytes
from novikoff.service.append_log import AppendLog
from novikoff.service.replica_snapshots import page_at
from novikoff.streams.log.beginnings import beginning_of
from novikoff.streams.log.receipt_links import (
    NAME,
    Link,
    chained,
    last_link,
    start_name,
    starts_of,
    with_link,
)
from novikoff.streams.log.snapshot_files import model_path, snapshots_of


def drop_old(log: AppendLog) -> int:
    """Drop what is older than the oldest snapshot; return how many segments went."""
    folder = log.folder
    sequence, link = snapshots_of(folder)[0], last_link(folder)
    if sequence > (0 if link is None else link.sequence):
        _begin_after(folder, sequence)
    dropped = log.drop_before(sequence + 1)
    for start in starts_of(folder):
        if start < sequence:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, start_name(start)))
    return dropped


def complete_drop(folder: str) -> None:
    """Complete what a copy has of a drop: the model that its log begins from, and the receipt."""
    begin = beginning_of(folder)
    if begin.overtaken:
        _begin_after(folder, begin.sequence)
    elif begin.path == model_path(folder, begin.sequence):
        _keep_model(folder, begin.sequence)


def _begin_after(folder: str, sequence: int) -> None:
    """Let the log begin after a snapshot: keep its model, and write the receipt up to it."""
    model = _keep_model(folder, sequence)
    ledger = Run.load(model).ledger
    link = Link(
        sequence=sequence,
        rounds=ledger.rounds,
        mistakes=ledger.mistakes,
        loss=getattr(ledger, "loss", None),
        model=digest_of(model),
        labels=page_at(folder, sequence).begin.labels,
        before=chained(folder),
    )
    write_bytes(os.path.join(folder, NAME), with_link(folder, link))


def _keep_model(folder: str, sequence: int) -> str:
    """Keep the model of a snapshot for as long as the log begins after it; return where."""
    path = os.path.join(folder, start_name(sequence))
    with open(model_path(folder, sequence), "rb") as file:
        write_bytes(path, file.read())
    return path
