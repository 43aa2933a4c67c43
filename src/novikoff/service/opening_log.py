"""Opening a log: the snapshot, then every record after it, gives the replica as it was."""

import json
import os
import time

from novikoff.errors import InputError
from novikoff.playing.run import Run
from novikoff.saving.versions import LOG
from novikoff.service.append_log import AppendLog
from novikoff.service.limits import Limits
from novikoff.service.replica import Replica, served_label
from novikoff.service.replica_snapshots import (
    digest_of,
    page_of,
    read_snapshot,
    write_snapshot,
)
from novikoff.service.watch import AlarmTest
from novikoff.streams.log.receipt_links import start_path
from novikoff.streams.log.records import Begin, encoded


def opened(
    log: AppendLog, model: str | None, limits: Limits, test: AlarmTest | None = None
) -> Replica:
    """Return the replica of a log; a new log begins with the run of a model's file.

    A log that has begun needs no model: its first snapshot is a copy of it. ``test`` is how the
    error is watched; another one than before gives the alarms that it would have given.
    """
    replica = read_snapshot(log.folder, limits.keys)
    if replica is None:
        replica = _begun(log, model, limits)
    replica.watch.begin_test(AlarmTest() if test is None else test)
    for sequence, record in log.recover(replica.sequence):
        replica.apply(sequence, record)
    if log.durable == 0:
        log.commit([encoded(replica.begin)])
        replica.apply(1, replica.begin)
    return replica


def _begun(log: AppendLog, model: str | None, limits: Limits) -> Replica:
    """Return the replica before the first record, and save it."""
    if model is None or not os.path.exists(model):
        raise InputError(
            f"{model}: expected the model that the log begins with, got no such file. Name one "
            "that learn --save wrote, or begin with a new one: --create --labels A,B."
        )
    replica = Replica(run := Run.load(model), begin_of(run, digest_of(model)), limits.keys)
    run.save(start_path(log.folder))
    write_snapshot(log.folder, run, page_of(replica))
    return replica


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
