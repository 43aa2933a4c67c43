"""``play_by``: one run for every key, such as a customer, a sensor or a campaign."""

import json
import os
import shutil
import tempfile
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import NamedTuple
from weakref import finalize

from novikoff.cluster.gathered_rows import GatheredRows
from novikoff.cluster.key_summary import Asked, KeySummary, summary_of
from novikoff.cluster.keyed_rounds import Key, Keyed, KeyedFiles, as_keyed, keyed_rounds
from novikoff.cluster.keyed_runs import PLAN, KeyedRuns
from novikoff.cluster.pools import pool_at
from novikoff.cluster.run_archives import FORMAT, ArchivePlace, archived, write_archive
from novikoff.errors import InputError, parameter
from novikoff.learners.learner import Learner
from novikoff.learners.protocols import fits_labels
from novikoff.playing.run import Run
from novikoff.saving.storage import write_bytes
from novikoff.streams import Stream
from novikoff.streams.labels.found_labels import found_labels


@dataclass(frozen=True)
class _Work:
    """What every worker knows."""

    source: Keyed
    fresh: Run
    partitions: int
    asked: Asked


class _Made(NamedTuple):
    """The archives of some partitions."""

    archives: list[tuple[int, bytes]]


def play_by(  # noqa: PLR0913 — one function for every cluster, each option by its name
    key: object,
    learner: Learner,
    data: object,
    *,
    folder: str | os.PathLike[str] | None = None,
    partitions: int = 16,
    readings: int = 1,
    address: str | None = None,
    workers: int | None = None,
    asked: Asked | None = None,
) -> KeyedRuns:
    """Play one run per key, each with a learner, a ledger and an error bound of its own.

    ``key`` names a column of ``data``, which are files (a path, or ``nv.read(…)``); it is not a
    feature. Or it has one key per row, and ``data`` is any stream that can be read again. Each run
    plays its own rows in their order, as it would alone.

    The runs are written to ``folder``, in one archive per partition of the keys; a partition that
    is there already is not played again, so an interrupted play goes on where it was. Without a
    folder they live as long as the result. The data are read ``readings`` times, and each time the
    runs of that share of the partitions are in memory: more readings need less memory. ``address``
    and ``workers`` are those of ``cluster.play``; every worker reads the data for its partitions.

    >>> import novikoff as nv
    >>> from novikoff import cluster
    >>> X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 1.0]] * 50
    >>> y = [1, -1, 1, -1] * 50
    >>> runs = cluster.play_by(["anna", "ben"] * 100, nv.Perceptron(), nv.stream(X, y))
    >>> [(row.key, row.rounds, row.mistakes) for row in runs.summaries()]
    [('ben', 100, 1), ('anna', 100, 0)]
    >>> runs["ben"].predict([[0.0, 1.0]]).tolist()
    [-1]
    """
    source = as_keyed(key, data)
    partitions = _checked("partitions", partitions)
    groups = _checked("readings", readings)
    where = tempfile.mkdtemp(prefix="novikoff-runs-") if folder is None else os.fspath(folder)
    work = _Work(source, _fresh(learner, source), partitions, asked or Asked())
    _begin(where, work)
    left = [p for p in range(partitions) if not os.path.exists(ArchivePlace(where, p).path)]
    tasks = [part for g in range(groups) if (part := left[g::groups])]
    with pool_at(address, workers) as pool:

        def told(made: _Made) -> None:
            for number, archive in made.archives:
                write_archive(ArchivePlace(where, number), archive)

        pool.map(_play_partitions, tasks, work, told)
    runs = KeyedRuns(where)
    if folder is None:
        finalize(runs, shutil.rmtree, where, ignore_errors=True)
    return runs


def _checked(name: str, count: int) -> int:
    if not (type(count) is int and 1 <= count <= 10**5):
        raise parameter(name, "a whole number from 1 to 100,000", count)
    return count


def _fresh(learner: Learner, source: Keyed) -> Run:
    """Return a run that has played nothing, and that knows the labels of all keys."""
    stream = source.stream()
    declared, positive = stream.declared, stream.positive
    if not declared and positive is None and (fits_labels(learner) or learner.multiclass):
        declared = found_labels(stream)
    return Run(learner.fresh(), positive=positive, labels=declared)


def _begin(folder: str, work: _Work) -> None:
    """Begin a folder of archives, or check that it was begun with the same work."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, PLAN)
    plan = json.dumps(_plan(work), indent=1, default=str)
    if not os.path.exists(path):
        write_bytes(path, plan.encode())
    with open(path, encoding="utf-8") as file:
        if file.read() != plan:
            raise InputError(
                f"{path}: expected the learner, data and partitions that are played now, got "
                "others. Name another folder, or play what it was begun with."
            )


def _plan(work: _Work) -> dict[str, object]:
    """Return what must not change from one play to the next, as plain data."""
    source, run = work.source, work.fresh
    found: dict[str, object] = {
        "format": FORMAT, "partitions": work.partitions, "learner": run.ledger.learner,
        "parameters": run.ledger.parameters, "labels": run.labels.allowed,
        "asked": asdict(work.asked),
    }  # fmt: skip
    if isinstance(source, KeyedFiles):
        sizes = [[os.path.abspath(file), os.path.getsize(file)] for file in source.files]
        return found | {"key": source.key, "files": sizes}
    return found | {"keys": blake2b(json.dumps([*source.keys()]).encode()).hexdigest()}


def _play_partitions(chosen: list[int], work: _Work) -> _Made:
    """Play the keys of some partitions, reading the data once."""
    gathered = GatheredRows(chosen, work.partitions)
    for keys, rounds in keyed_rounds(work.source):
        gathered.add(keys, rounds)
    archives = []
    for p, streams in gathered.streams():
        runs = (_played(key, stream, work) for key, stream in streams)
        archives.append((p, archived(runs)))
    return _Made(archives)


def _played(key: Key, stream: Stream, work: _Work) -> tuple[KeySummary, Run]:
    """Play the rows of one key."""
    run = work.fresh.fresh()
    try:
        run.play(stream)
    except InputError as error:
        raise InputError(f"key {key!r}: {error}") from None
    return summary_of(key, run, work.asked), run
