"""The folder of the runs of many keys: what it was begun with, and who is writing in it."""

import errno
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import blake2b

import numpy as np

from novikoff.cluster.archive_places import PLAN
from novikoff.cluster.key_summary import Asked
from novikoff.cluster.keyed_rounds import Keyed, KeyedFiles, KeyedRows
from novikoff.cluster.plan_options import plan_options
from novikoff.cluster.plan_rounds import file_state
from novikoff.cluster.plans import SEALED, begin_or_go_on
from novikoff.errors import InputError
from novikoff.playing.run import Run
from novikoff.saving.versions import Format
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.streams.stream import Rounds

_LOCK = "lock"


@dataclass(frozen=True)
class KeyedPlan:
    """What must not change from one play in a folder to the next."""

    source: Keyed
    fresh: Run
    partitions: int
    asked: Asked

    def plain(self, kept: bool) -> dict[str, object]:
        """Return it as plain data. Rows in memory are hashed if the folder is kept."""
        run, source = self.fresh, self.source
        found: dict[str, object] = {
            SEALED: True, "partitions": self.partitions, "learner": run.ledger.learner,
            "parameters": run.ledger.parameters, "positive": run.labels.positive,
            "labels": run.labels.allowed, "asked": asdict(self.asked),
        }  # fmt: skip
        if isinstance(source, KeyedFiles):
            found |= {"key": source.key, "options": plan_options(source.options)}
            found["files"] = [file_state(path) for path in source.files]
        elif kept:
            found["rows"] = _hash_of(source)
        return found


@contextmanager
def locked_folder(folder: str, format: Format, plan: Mapping[str, object]) -> Iterator[None]:
    """Begin a folder, or go on in one that was begun with the same plan.

    Only one process at a time may write in it. A process that dies lets go of it.
    """
    with locked(folder):
        begin_or_go_on(os.path.join(folder, PLAN), format, plan)
        yield


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """Let nobody else write in a folder; in one that is read-only, nobody does."""
    os.makedirs(folder, exist_ok=True)
    lock = _opened(os.path.join(folder, _LOCK))
    try:
        if lock is not None:
            _take(lock, folder)
        yield
    finally:
        if lock is not None:
            os.close(lock)


def _opened(path: str) -> int | None:
    """Open a lock; return None where we may not write."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in (errno.EROFS, errno.EACCES):
            return None
        raise


def _take(lock: int, folder: str) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InputError(
            f"{folder}: expected a folder that nobody writes in, got one in use. Wait for the "
            "other process, or name another folder."
        ) from None


def _hash_of(source: KeyedRows) -> str:
    """Return a hash of keys and rows in memory."""
    found = blake2b(digest_size=32)
    for keys in source.keys():  # noqa: SIM118 — it yields lists of keys
        found.update(json.dumps(keys).encode())
    for one in source.stream().blocks():
        rounds = Rounds(*one)
        rows, labels = rounds.rows, np.asarray(rounds.labels)
        for array in (labels, rounds.weights):
            plain = None if array is None else np.asarray(array).tolist()
            found.update(json.dumps(plain, default=str).encode())
        if isinstance(rows, DenseBlock):
            found.update(rows.values.tobytes())
        elif isinstance(rows, SparseBlock):
            for part in (rows.starts, rows.indices, rows.values):
                found.update(part.tobytes())
        else:
            for t in range(len(rows)):
                found.update(repr(rows.row(t)).encode())
    return found.hexdigest()
