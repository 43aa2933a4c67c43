"""Opening a log: the snapshot, then every record after it, gives the replica as it was."""

import json
import os
import time

from novikoff.errors import InputError
from novikoff.playing.protocol import SAVED
from novikoff.playing.run import Run
from novikoff.saving import storage
from novikoff.saving.versions import LOG
from novikoff.service.append_log import AppendLog
from novikoff.service.limits import Limits
from novikoff.service.replica import Replica, served_label
from novikoff.service.replica_snapshots import page_at, page_of, read_snapshot, write_snapshot
from novikoff.service.retention import complete_drop
from novikoff.service.watch import AlarmTest
from novikoff.streams.log.beginnings import beginning_of, checked_start
from novikoff.streams.log.receipt_links import start_path
from novikoff.streams.log.records import Begin, encoded
from novikoff.streams.log.segments import segments_of


def opened(
    log: AppendLog, model: str | None, limits: Limits, test: AlarmTest | None = None
) -> Replica:
    """Return the replica of a log; a new log begins with the run of a model's file.

    A log that has begun needs no model: its first snapshot is a copy of it. ``test`` is how the
    error is watched; another one than before gives the alarms that it would have given. Nothing
    is changed before all is checked: the snapshot, the receipts, the start, and every record.
    """
    snapshot = read_snapshot(log.folder, limits.keys)
    replica = _begun(model, limits) if snapshot is None else snapshot
    if snapshot is not None or segments_of(log.folder):
        _check_start(log.folder, replica.begin.state)
    replica.watch.begin_test(AlarmTest() if test is None else test)
    for sequence, record in log.recover(replica.sequence):
        replica.apply(sequence, record)
    complete_drop(log.folder)
    if snapshot is None:
        _keep(log, replica, str(model))
    if log.durable == 0:
        log.commit([encoded(replica.begin)])
        replica.apply(1, replica.begin)
    return replica


def _check_start(folder: str, state: str) -> None:
    """Refuse a model to begin from that is damaged, or another: certificates would need it."""
    storage.read(checked_start(folder, state), SAVED)
    if (begin := beginning_of(folder)).overtaken:
        page_at(folder, begin.sequence)  # the receipt will be made from it


def _begun(model: str | None, limits: Limits) -> Replica:
    """Return the replica before the first record."""
    if model is None or not os.path.exists(model):
        raise InputError(
            f"{model}: expected the model that the log begins with, got no such file. Name one "
            "that learn --save wrote, or begin with a new one: --create --labels A,B."
        )
    run = Run.load(model)
    return Replica(run, begin_of(run, storage.digest_of(model)), limits.keys)


def _keep(log: AppendLog, replica: Replica, model: str) -> None:
    """Save the first snapshot of a log; if it begins now, also a copy of its model."""
    if log.durable == 0:
        with open(model, "rb") as file:
            storage.write_bytes(start_path(log.folder), file.read())
    write_snapshot(log.folder, replica.run, page_of(replica))


def begin_of(run: Run, state: str) -> Begin:
    """Return the first record of a log; refuse a run that cannot be served."""
    labels = run.labels.allowed
    if not labels or not run.ledger.judges:
        raise InputError(
            f"model: expected one whose labels are declared, got {run.learner!r}. Learn it with "
            "--labels A,B, or play a whole file."
        )
    spoken = tuple(label for y in labels if (label := served_label(y)) is not None)
    ledger = run.ledger
    text = json.dumps(dict(ledger.parameters), default=lambda value: value.plain)
    plain = json.loads(text)
    return Begin(LOG.newest, ledger.learner, plain, spoken, ledger.rounds, state, time.time())
