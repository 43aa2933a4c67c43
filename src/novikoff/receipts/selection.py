"""Which pass of a run to keep, judged on held-out data."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from novikoff.errors import InputError, parameter
from novikoff.learners import Hypothesis, Learner
from novikoff.playing.passes import stream_for
from novikoff.playing.run import Run
from novikoff.structures.spans import accuracy

Measure = Callable[[list[Any], list[Any]], float]


@dataclass(frozen=True)
class Selected:
    """The best hypothesis of a run's passes."""

    hypothesis: Any
    """A chain, a tree or weights, depending on the problem."""
    number: int
    """The pass that ended with this hypothesis, from 1."""
    scores: tuple[float, ...]
    """The score on the held-out data after each pass."""
    run: Run


def best_pass(
    learner: Learner,
    stream: object,
    held_out: object,
    *,
    passes: int = 10,
    measure: Measure = accuracy,
) -> Selected:
    """Play up to ``passes`` passes, and keep the hypothesis that does best on ``held_out``.

    A larger ``measure`` of (outputs, predictions) is better; by default it is the share of correct
    parts. A pass without a mistake is the last one; among equal scores the earlier pass wins.

    >>> import novikoff as nv
    >>> rounds = [(["a", "b"], ["A", "B"]), (["b", "a"], ["B", "A"])]
    >>> found = nv.best_pass(nv.StructuredPerceptron(nv.Chains("w[0]")), rounds, rounds)
    >>> found.number, found.scores
    (1, (1.0, 1.0))
    """
    if not (isinstance(learner, Learner) and learner.outputs):
        raise parameter("learner", "a StructuredPerceptron", learner)
    if not isinstance(passes, int) or passes < 1:
        raise parameter("passes", "a whole number of at least 1", passes)
    run, source = Run(learner), stream_for(learner, stream)
    X: list[object] = []
    y: list[object] = []
    for rounds in stream_for(learner, held_out).blocks():
        X += learner.fitting(rounds.rows).rows
        y += rounds.labels
    if not X:
        raise InputError("held_out: expected at least one example, got none. Hold some out.")
    best: Hypothesis | None = None
    number, scores = 0, []
    for _ in range(passes):
        before = run.mistakes
        run.play(source)
        h = run.hypothesis()
        scores.append(measure(y, list(h.predict(X))))
        if best is None or scores[-1] > max(scores[:-1]):
            best, number = h, len(scores)
        if run.mistakes == before:
            break
    assert best is not None
    return Selected(best, number, tuple(scores), run)
