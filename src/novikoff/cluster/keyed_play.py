"""``play_by``: one run for every key, such as a customer, a sensor or a campaign."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple
from weakref import finalize

from novikoff.cluster.archive_places import MOST_PARTITIONS, ArchivePlace, archive_places
from novikoff.cluster.gathered_rows import GatheredRows, Streams
from novikoff.cluster.key_summary import Asked, summary_of
from novikoff.cluster.keyed_rounds import Keyed, as_keyed, keyed_rounds, shown
from novikoff.cluster.keyed_runs import KeyedRuns
from novikoff.cluster.pools import pool_at
from novikoff.cluster.run_archives import (
    Summed,
    archived,
    check_archive,
    remove_drafts,
    write_archive,
    write_runs,
)
from novikoff.cluster.run_folders import KeyedPlan, locked_folder
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.learners.learner import Learner
from novikoff.learners.protocols import fits_labels
from novikoff.playing.run import Run
from novikoff.playing.saved_run import Reading
from novikoff.saving.versions import RUNS
from novikoff.streams import Stream
from novikoff.streams.files.headers import Table
from novikoff.streams.labels.declared import Declared, plain
from novikoff.streams.labels.found_labels import found_labels


class _Columns(NamedTuple):
    """How the rows of a table are numbered, which every run remembers."""

    names: tuple[str, ...] | None
    table: Table | None
    reading: Reading | None


@dataclass(frozen=True)
class _Work:
    """What every worker knows."""

    source: Keyed
    fresh: Run
    places: tuple[ArchivePlace, ...]
    asked: Asked
    writes: bool
    """Whether the workers write archives; if not, the driver does."""
    reading: Reading | None


class _Made(NamedTuple):
    """The archives of some partitions that the driver has to write."""

    archives: list[tuple[int, bytes]]


def play_by(  # noqa: PLR0913 — one function for every cluster, each option by its name
    key: object,
    learner: Learner,
    data: object,
    *,
    folder: str | os.PathLike[str] | None = None,
    partitions: int = 16,
    readings: int | None = None,
    address: str | None = None,
    workers: int | None = None,
    asked: Asked | None = None,
    reading: Reading | None = None,
) -> KeyedRuns:
    """Play one run per key, each with a learner, a ledger and an error bound of its own.

    ``key`` names a column of ``data``, which are files (a path, or ``nv.read(…)``); it is not a
    feature. Or it has one key per row, and ``data`` is any stream that can be read again. Each run
    plays its own rows in their order, as it would alone.

    The runs are written to ``folder``, in one archive per partition of the keys; a partition that
    is there already is not played again, so an interrupted play goes on where it was. Without a
    folder they live as long as the result. The data are read ``readings`` times, and each time the
    rows of that share of the partitions are in memory: more readings need less memory. ``address``
    and ``workers`` are those of ``cluster.play``. There every reading is a task of its own, so
    there are as many as workers if you do not say. ``reading`` is what the command line remembers
    of how files are read.

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
    groups = _checked("readings", _readings(readings, address, workers, partitions))
    fresh, asked = _fresh(learner, source), asked or Asked()
    where = tempfile.mkdtemp(prefix="novikoff-runs-") if folder is None else os.fspath(folder)
    here = address in (None, "local")
    plan = KeyedPlan(source, fresh, partitions, asked).plain(folder is not None)
    with locked_folder(where, RUNS, plan):
        remove_drafts(where)
        places = archive_places(where)
        left = _left(places)
        anywhere = archive_places(os.path.abspath(where))  # a worker's folder may be another
        work = _Work(source, fresh, anywhere, asked, here, reading)
        tasks = [part for g in range(groups) if (part := left[g::groups])]

        def told(made: _Made) -> None:
            for number, archive in made.archives:
                write_archive(places[number], archive)

        with pool_at(address, workers) as pool:
            pool.map(_play_partitions, tasks, work, told)
    runs = KeyedRuns(where)
    if folder is None:
        finalize(runs, shutil.rmtree, where, ignore_errors=True)
    return runs


def _left(places: tuple[ArchivePlace, ...]) -> list[int]:
    """Return the partitions that are left to play; the archives of the others have to be whole."""
    left = []
    for place in places:
        if os.path.exists(place.path):
            check_archive(place)
        else:
            left.append(place.number)
    return left


def _checked(name: str, count: int) -> int:
    if not (type(count) is int and 1 <= count <= MOST_PARTITIONS):
        raise parameter(name, "a whole number from 1 to 100,000", count)
    return count


def _readings(given: int | None, address: str | None, workers: int | None, most: int) -> int:
    """Return how often the data are read: once here, and once by every worker elsewhere."""
    if given is not None or address is None:
        return 1 if given is None else given
    return min(workers or os.cpu_count() or 1, most) if address == "local" else most


def _fresh(learner: Learner, source: Keyed) -> Run:
    """Return a run that has played nothing, and that knows the labels of all keys."""
    stream = source.stream()
    declared, positive = stream.declared, stream.positive
    if not declared and positive is None:
        declared = _labels(stream, fits_labels(learner) or learner.multiclass)
    found = Run(learner.fresh(), positive=positive, labels=declared)
    if not found.ledger.judges:
        raise HypothesisError(
            f"learner: expected one that predicts labels, got {type(learner).__name__}, which "
            "predicts numbers and makes no mistakes to sum up. Play it key by key."
        )
    return found


def _labels(stream: Stream, all_of_them: bool) -> Declared:
    """Return the labels of all keys, so that a key that has only one of them knows the other."""
    found = found_labels(stream) if all_of_them else ()
    if found:
        return found
    first = next(iter(islice(stream.blocks(), 1)), None)
    met = {plain(label) for label in first.labels} if first is not None else set()
    pair = next((pair for pair in ((-1, 1), (0, 1)) if met == {*pair}), ())
    return tuple(label for one in pair for label in met if label == one)


def _play_partitions(chosen: list[int], work: _Work) -> _Made:
    """Play the keys of some partitions, reading the data once."""
    gathered = GatheredRows(chosen, len(work.places))
    stream = work.source.stream()
    for keys, rounds in keyed_rounds(work.source, stream):
        gathered.add(keys, rounds)
    columns = _Columns(stream.feature_names, stream.table, work.reading)
    archives = []
    for p, streams in gathered.streams():
        runs = _played(streams, work, columns)
        if work.writes:
            write_runs(work.places[p], runs)
        else:
            archives.append((p, archived(work.places[p], runs)))
    return _Made(archives)


def _played(streams: Streams, work: _Work, columns: _Columns) -> Iterator[Summed]:
    """Play the rows of one key after another."""
    for key, stream in streams:
        run = work.fresh.fresh()
        try:
            run.play(stream)
        except InputError as error:
            raise InputError(f"key {shown(key)}: {error}") from None
        run.columns, run.table, run.reading = columns
        yield summary_of(key, run, work.asked), run
