"""Our learners in the quality table, by name, and how they play its rounds."""

from collections.abc import Callable, Iterator
from typing import Protocol, runtime_checkable

import numpy as np

import novikoff as nv
from novikoff.learners.protocols import ProbabilisticLearner
from reproductions.quality_measures import Floats, Guesses
from reproductions.quality_peers import Played
from reproductions.quality_sets import Rounds

Factory = Callable[[], nv.Learner]


@runtime_checkable
class Probable(Protocol):
    """A hypothesis that gives probabilities: those of +1, or one column per class."""

    def probabilities(self, X: object) -> Floats:
        """Return the probabilities for every row."""
        ...


TWO: dict[str, Factory] = {
    "adaptive-gradient": lambda: nv.AdaptiveGradient(bias=1.0),
    "perceptron": lambda: nv.Perceptron(bias=1.0),
    "averaged": lambda: nv.AveragedPerceptron(bias=1.0),
}
MANY: dict[str, Factory] = {"perceptron": nv.MulticlassPerceptron}
USUAL = ["adaptive-gradient", "perceptron"]
if hasattr(nv, "Blend"):
    TWO = {"blend": nv.Blend} | TWO
    MANY = {"blend": nv.Blend} | MANY
    USUAL = ["blend", "perceptron"]


def play(make: Factory, rounds: Rounds, cut: int, *, many: bool) -> Played:
    """Play the rounds before ``cut``, freeze, predict the others; two classes then play on."""
    X, y, _ = rounds
    labels = list(range(int(y.max()) + 1)) if many else [-1, 1]
    run = nv.Run(make(), labels=labels).play(nv.stream(X[:cut], y[:cut]))
    h = run.hypothesis()
    p = h.probabilities(X[cut:]) if isinstance(h, Probable) else None
    held_out = Guesses(h.predict(X[cut:]).astype(np.int64), p)
    if many:
        return Played(None, held_out)
    if isinstance(run.learner, ProbabilisticLearner):
        return Played(round_by_round(make, rounds), held_out)
    run.play(nv.stream(X[cut:], y[cut:]))
    wrong = np.zeros(len(y), bool)
    wrong[np.array(run.ledger.mistake_rounds, np.intp) - 1] = True
    return Played(Guesses(np.where(wrong, -y, y)), held_out)


def round_by_round(make: Factory, rounds: Rounds) -> Guesses:
    """Ask for a probability before each round, then learn from it."""
    run = nv.Run(make(), labels=[-1, 1])
    p, labels = np.empty(len(rounds.y)), np.empty(len(rounds.y), np.int64)
    for t, (x, label) in enumerate(zip(named(rounds), rounds.y.tolist(), strict=True)):
        found = run.probability(x)
        assert isinstance(found, float)
        p[t] = found
        labels[t] = run.learn(x, label)
    return Guesses(labels, p)


def named(rounds: Rounds) -> Iterator[dict[str, float]]:
    """Yield every row as a dict of its values other than 0."""
    X = rounds.X
    names = np.array([str(j) for j in range(X.shape[1])], object)
    for t in range(X.shape[0]):
        part = slice(X.indptr[t], X.indptr[t + 1])
        yield dict(zip(names[X.indices[part]].tolist(), X.data[part].tolist(), strict=True))
