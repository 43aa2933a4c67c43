"""One model per shard, and a mixture of them over rounds that were held out."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from novikoff.cluster.archive_places import PLAN
from novikoff.cluster.model_seals import ModelSeals
from novikoff.cluster.plan_rounds import plan_rounds
from novikoff.cluster.plans import SEALED, read_plan
from novikoff.cluster.pools import Pool, pool_at
from novikoff.cluster.run_folders import locked_folder
from novikoff.cluster.shard_sources import (
    Part,
    ShardSource,
    as_whole,
    checked_count,
    divided,
    layout_of,
)
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Learner
from novikoff.learners.losses.frozen_class_mixture import FrozenClassMixture
from novikoff.learners.losses.frozen_mixture import FrozenMixture
from novikoff.learners.protocols import is_probable
from novikoff.playing.progress import Report
from novikoff.playing.run import Run
from novikoff.saving.versions import SHARDS
from novikoff.streams import FileStream, Stream
from novikoff.streams.arrays import ArrayStream
from novikoff.streams.files.reading import stream_of
from novikoff.streams.labels.declared import Declared
from novikoff.streams.labels.found_labels import every_label, found_labels
from novikoff.types import Label


class Divided(NamedTuple):
    """What shards learn from, and what was kept back."""

    learned: Stream
    held: Stream


@dataclass(frozen=True)
class _Work:
    """What every worker knows."""

    learner: Learner
    positive: Label | None
    labels: Declared


@dataclass(frozen=True)
class _Task:
    """One shard, by its number."""

    number: int
    source: ShardSource


class _Learned(NamedTuple):
    """What one shard has learned."""

    number: int
    model: Hypothesis


def play_blended(  # noqa: PLR0913 — the options of ``play``
    learner: Learner,
    data: object,
    held_out: object,
    *,
    shards: int,
    address: str | None = None,
    workers: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: bool | Report | None = None,
) -> "Run[FrozenMixture | FrozenClassMixture]":
    """Learn one model per shard, then play a mixture of them over the rounds kept back.

    ``held_out`` is the share of the last rows (0.1), their number, or data of their own. The run is
    about these rounds: its log loss is at most that of the best shard's model plus ln P
    (``mixture``). Every model that is done is written to ``folder``; called again with the same
    folder, only the missing shards are played.
    """
    checked = checked_blendable(learner)
    parts = kept_back(checked, as_whole(checked, data), held_out)
    count = checked_count(shards)
    if not any(len(rounds[0]) for rounds in islice(parts.held.blocks(), 1)):
        raise InputError("held_out: expected rows, got none. Name data that have some.")
    work = _Work(checked, parts.learned.positive, _labels(parts.learned))
    home = None if folder is None else os.fspath(folder)
    plan = _plan(work, parts, count) if home is not None else {}
    with nullcontext() if home is None else locked_folder(home, SHARDS, plan):
        kept = None if home is None else _Models(home, "shard")
        sources = divided(parts.learned, count)
        with pool_at(address, workers) as pool:
            models = _learned(pool, sources, work, kept)
            if _disagree(models, work):  # rare: nothing in the first rows told of other labels
                work = replace(work, labels=every_label(parts.learned))
                kept = None if kept is None else _Models(kept.folder, "labelled-shard")
                models = _learned(pool, sources, work, kept)
    start = Run(
        _mixture(models),
        positive=work.positive,
        labels=work.labels,
    )
    run = start.fresh()  # with the same members, of which there is one copy
    run.start = start
    return run.play(parts.held, progress=progress)


def _learned(
    pool: Pool, sources: tuple[ShardSource, ...], work: _Work, kept: "_Models | None"
) -> list[Hypothesis]:
    """Return the model of each shard; those that are kept already are not learned again."""
    found = kept.found(len(sources)) if kept else {}
    tasks = [_Task(k, source) for k, source in enumerate(sources) if k not in found]
    done = pool.map(play_shard_alone, tasks, work, kept.told if kept else lambda _: None)
    models = found | {one.number: one.model for one in done}
    return [models[k] for k in range(len(sources))]


def _disagree(models: list[Hypothesis], work: _Work) -> bool:
    """Say whether shards have met labels of which others knew nothing."""
    known = work.positive is not None or work.labels
    return not known and (models[0].multiclass or len({h.labels for h in models}) > 1)


def checked_blendable(learner: object) -> Learner:
    """Return a learner whose models can be mixed: it gives probabilities, and has learned nothing.

    The mixture is then about their log loss. Of ``Blend`` it has certificates.
    """
    ours = learner if isinstance(learner, Learner) else None
    if ours is None or not is_probable(learner):
        raise HypothesisError(
            "held_out: expected a learner that gives probabilities, such as Blend, whose models "
            f"are mixed over the rows held out, got {type(learner).__name__}. Leave held_out out."
        )
    if ours.rounds:
        raise parameter("learner", "one that has learned nothing", learner, "Pass learner.fresh().")
    return ours


def play_shard_alone(task: _Task, work: _Work) -> _Learned:
    """Play one shard from nothing, and freeze what it has learned."""
    run = Run(work.learner.fresh(), positive=work.positive, labels=work.labels)
    run.play(task.source.stream())
    if not run.ledger.rounds:
        raise InputError(f"shard {task.number + 1}: expected rows, got none. Use fewer shards.")
    return _Learned(task.number, run.hypothesis())


def _labels(stream: Stream) -> Declared:
    """Return the labels of all shards, so that each of them calls the same one +1."""
    if stream.declared or stream.positive is not None:
        return stream.declared
    return found_labels(stream)


def _mixture(models: list[Hypothesis]) -> FrozenMixture | FrozenClassMixture:
    """Return the mixture of models of two labels, or of more."""
    return FrozenClassMixture(models) if models[0].multiclass else FrozenMixture(models)


def kept_back(learner: Learner, whole: Stream, held_out: object) -> Divided:
    """Divide data into what is learned from and what is kept back: the last rows, or others."""
    if type(held_out) not in (float, int):
        held = as_whole(learner, held_out)
        layout = layout_of(whole)
        held.read_like(layout.table)
        held.number_like(layout.names)
        return Divided(whole, held)
    rows = whole.rounds
    if rows is None:
        rows = sum(len(rounds[0]) for rounds in whole.blocks())
    last = round(rows * held_out) if isinstance(held_out, float) else int(str(held_out))
    if not 0 < last < rows:
        raise InputError(
            f"held_out: expected a share between 0 and 1, or a number of rows below {rows}, got "
            f"{held_out}. Keep some rows back, and some to learn from."
        )
    first = rows - last
    if isinstance(whole, ArrayStream):
        return Divided(whole.part(0, first), whole.part(first, rows))
    if isinstance(whole, FileStream) and whole.options.first is None:
        some = stream_of(whole.files, whole.format, replace(whole.options, first=first))
        some.positive, some.declared = whole.positive, whole.declared
        return Divided(some, Part(whole, first, rows))
    return Divided(Part(whole, 0, first), Part(whole, first, rows))


class _Models:
    """The models of shards that are done, each in a file of a folder."""

    def __init__(self, folder: str, name: str) -> None:
        self.folder, self.name = folder, name
        self._seals = ModelSeals(folder, read_plan(os.path.join(folder, PLAN), SHARDS))

    def _path(self, number: int) -> str:
        return os.path.join(self.folder, f"{self.name}-{number:05d}.model")

    def found(self, count: int) -> dict[int, Hypothesis]:
        """Return the models that are there."""
        there = [k for k in range(count) if os.path.exists(self._path(k))]
        for k in there:
            self._seals.check(self._path(k))
        return {k: Hypothesis.load(self._path(k)) for k in there}

    @property
    def told(self) -> Callable[[_Learned], None]:
        """What hears of every shard that is done."""
        return lambda one: self._seals.save(self._path(one.number), one.model.save)


def _plan(work: _Work, parts: Divided, shards: int) -> dict[str, object]:
    """Return what must not change from one play in a folder to the next."""
    found: dict[str, object] = {
        SEALED: True, "learner": type(work.learner).__name__, "parameters": work.learner.parameters,
        "shards": shards, "positive": work.positive, "labels": [*work.labels],
    }  # fmt: skip
    return found | plan_rounds(parts.learned)
