"""``novikoff tag --learn``: learning a model from tagged sentences."""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypedDict

from novikoff.cli.answers import answer
from novikoff.cli.escapes import visible
from novikoff.cli.outputs import Written
from novikoff.cli.plans.tag_plan import TagPlan
from novikoff.cli.status_line import CERTIFYING, doing
from novikoff.cli.tagging import (
    Sentence,
    Tags,
    check_tags,
    columns_opened,
    problem_of,
    tagged_sentences,
)
from novikoff.errors import InputError
from novikoff.interrupts import stoppable
from novikoff.learners import StructuredPerceptron
from novikoff.playing.ledger import counted, in_words
from novikoff.playing.play import play
from novikoff.playing.run import Run
from novikoff.receipts.certificates import check_certifiable, with_reading
from novikoff.receipts.receipt import certify
from novikoff.receipts.remarks import about_run, about_stream
from novikoff.receipts.selection import Selected, best_pass
from novikoff.streams import FileStream
from novikoff.streams.files.columns import sentences_of
from novikoff.structures import span_scores
from novikoff.structures.spans import accuracy
from novikoff.types import Label

Rounds = list[tuple[Sentence, Tags]]


class TagAnswer(TypedDict):
    """What ``tag --learn`` answers."""

    rounds: int
    mistakes: int
    error_rate: float
    abstentions: int
    prediction_error_rate: float
    dimension: int
    radius: float
    seconds: float
    labels: list[Label]
    learner: str
    passes: int
    held_out: list[float]
    measure: str
    best_pass: int
    format: str
    skipped: int
    model: str
    certificate: str | None


def learn_tags(plan: TagPlan) -> int:
    """Learn a model from the sentences of files."""
    stream = columns_opened(plan.input, plan, plan.token_columns)
    began = time.perf_counter()
    found = _in_shards(plan, stream) if plan.cluster else _learned(plan, stream)
    seconds = time.perf_counter() - began
    with Written() as written:
        found.hypothesis.save(plan.model)
        written.add(plan.model)
        if plan.certify:
            with doing(CERTIFYING):
                with_reading(certify(found.run), stream).save(plan.certify)
    said = _said(plan, found, stream, seconds)
    remarks = [*about_run(found.run), *about_stream(stream)]
    answer(plan.json, said, lambda: _show(said, stream.name), remarks)
    return 0


def _in_shards(plan: TagPlan, stream: FileStream) -> Selected:
    from novikoff.cli.tag_shards import shards_played

    check_tags(stream)
    return shards_played(plan, stream)


def _learned(plan: TagPlan, stream: FileStream) -> Selected:
    """Learn from all sentences, in memory."""
    X, y = tagged_sentences(stream)
    if not X:
        raise InputError(f"{stream.name}: expected sentences to learn from, got none.")
    learner = StructuredPerceptron(problem_of(plan.templates, X), averaged=not plan.last)
    if plan.certify:
        check_certifiable(Run(learner))
    with _left_at_a_stop(plan, learner):
        return _selected(plan, learner, list(zip(X, y, strict=True)), are_spans(y))


@contextmanager
def _left_at_a_stop(plan: TagPlan, learner: StructuredPerceptron) -> Iterator[None]:
    """Say what Ctrl-C or SIGTERM stopped; the model is written only at the end."""
    try:
        with stoppable():
            yield
    except KeyboardInterrupt:
        after = f"after {counted(learner.rounds, 'round')}"
        there = os.path.exists(plan.model)
        left = f"{plan.model} is as it was" if there else "no model was written"
        raise KeyboardInterrupt(f"{after}; {left}.") from None


def _selected(
    plan: TagPlan, learner: StructuredPerceptron, rounds: Rounds, spans: bool
) -> Selected:
    """Keep the pass that does best on held-out data, or the last one if there are none."""
    if not plan.held_out:
        run = play(learner, rounds, until_clean=True, max_passes=plan.most_passes)
        return Selected(run.hypothesis(), run.ledger.passes, (), run)
    held_out = sentences_of(columns_opened(plan.held_out, plan, plan.token_columns))
    judge = list(zip(*held_out, strict=True))
    measure = _f1 if spans else accuracy
    return best_pass(learner, rounds, judge, passes=plan.most_passes, measure=measure)


def _f1(gold: Sequence[Tags], found: Sequence[Tags]) -> float:
    return span_scores(gold, found).f1


def are_spans(y: Iterable[Sequence[str]]) -> bool:
    """Say whether tags name spans: B-… and I-…."""
    return any(tag.startswith(("B-", "I-")) for tags in y for tag in tags)


def _said(plan: TagPlan, found: Selected, stream: FileStream, seconds: float) -> TagAnswer:
    ledger = found.run.ledger
    measure = "f1" if are_spans([[*map(str, found.hypothesis.labels)]]) else "accuracy"
    return {
        "rounds": ledger.rounds, "mistakes": ledger.mistakes, "error_rate": ledger.error_rate,
        "abstentions": ledger.abstentions, "prediction_error_rate": ledger.prediction_error_rate,
        "dimension": found.run.learner.dimension, "radius": ledger.radius, "seconds": seconds,
        "labels": list(found.hypothesis.labels), "learner": ledger.learner,
        "passes": ledger.passes, "held_out": list(found.scores),
        "measure": measure, "best_pass": found.number,
        "format": stream.format, "skipped": stream.skipped, "model": plan.model,
        "certificate": plan.certify,
    }  # fmt: skip


def _show(said: TagAnswer, name: str) -> None:
    print(
        f"{said['learner']} on {visible(name)} ({said['format']}): "
        f"{in_words(said['rounds'], said['mistakes'], said['abstentions'])}, "
        f"{counted(said['dimension'], 'feature')}, "
        f"{len(said['labels'])} tags, {said['seconds']:.2f} s"
    )
    if said["held_out"]:
        best = said["best_pass"]
        print(f"{said['measure']} on held-out data after pass {best}: {max(said['held_out']):.4f}")
    print(f"model: {visible(said['model'])}")
    if said["certificate"]:
        print(f"certificate: {visible(said['certificate'])}")
