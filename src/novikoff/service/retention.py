"""Retention: segments older than the snapshots go, and a receipt of what they held stays.

The order makes every moment safe. The model that the rest of the log begins from is copied first,
then the link is written, which says where the log begins now; then segments go, and at last the
model of the link before. A crash in between leaves files that the next drop removes.
"""

import os
import re
import shutil
from contextlib import suppress

from novikoff.playing.run import Run
from novikoff.saving.storage import digest_of, write_bytes
from novikoff.service.append_log import AppendLog
from novikoff.service.replica_snapshots import page_at
from novikoff.streams.log.receipt_links import NAME, Link, chained, last_link, start_name, with_link
from novikoff.streams.log.snapshot_files import model_path, snapshots_of

_START = re.compile(r"start-(\d{20})\.model")


def drop_old(log: AppendLog) -> int:
    """Drop what is older than the oldest snapshot; return how many segments went."""
    folder = log.folder
    sequence, link = snapshots_of(folder)[0], last_link(folder)
    if sequence > (0 if link is None else link.sequence):
        _begin_after(folder, sequence)
    dropped = log.drop_before(sequence + 1)
    for name in os.listdir(folder):
        match = _START.fullmatch(name)
        if match is not None and int(match[1]) < sequence:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))
    return dropped


def _begin_after(folder: str, sequence: int) -> None:
    """Let the log begin after a snapshot: keep its model, and write the receipt up to it."""
    model = os.path.join(folder, start_name(sequence))
    shutil.copyfile(model_path(folder, sequence), model + ".draft")
    os.replace(model + ".draft", model)
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
