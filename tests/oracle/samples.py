"""True certificates of every family, on a few rows, made with the library."""

import copy
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import novikoff as nv
from novikoff.receipts.certificates import certificate_about_data, certificate_of
from oracle.loss_samples import bets, blends, class_blends, descents, losses, regressions
from oracle.sample import MIXED, SEPARABLE, SIGNS, WORDS, Sample, W, rows_of, sample

PERCEPTRON = ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run")


def perceptrons() -> Iterator[Sample]:
    """The perceptron and its relatives, with every theorem."""
    stream, rows = nv.stream(SEPARABLE, SIGNS), rows_of(SEPARABLE, SIGNS)
    learners: list[Any] = [
        nv.Perceptron(bias=0.5),
        nv.Perceptron(ties="mistake"),
        nv.AveragedPerceptron(bias=-0.1, ties="mistake"),
        nv.VotedPerceptron(max_voters=3),
    ]
    for k, learner in enumerate(learners):
        run = nv.play(learner, stream, passes=1 + k % 3)
        for theorem in PERCEPTRON:
            name = f"{run.ledger.learner.lower()}-{k}-{theorem}"
            yield sample(name, certificate_of(run, stream, theorem, {"w": W}), rows)
        run = nv.play(learner.fresh(), stream)
        found = certificate_of(run, stream, "progressive", {"delta": 0.05})
        yield sample(f"{run.ledger.learner.lower()}-{k}-progressive", found, rows)
    words = nv.stream(MIXED, WORDS, positive="spam")
    run = nv.play(nv.Perceptron(), words, passes=2)
    for theorem in PERCEPTRON[1:]:
        evidence = {"w": [[0, 0.25], [2, -0.5]]}
        found = certificate_of(run, words, theorem, evidence)
        yield sample(f"perceptron-words-{theorem}", found, rows_of(MIXED, WORDS))


def classes() -> Iterator[Sample]:
    """The multiclass perceptron; labels of words and numbers."""
    labels = ["a", 1, "b", "a", 1]
    stream, rows = nv.stream(SEPARABLE, labels), rows_of(SEPARABLE, labels)
    w = [[0, 0, 1.0], [0, 1, 1.0], [1, 1, -1.0], [2, 0, -2.0]]
    for bias in (None, 1.0):
        run = nv.play(nv.MulticlassPerceptron(bias=bias), stream, passes=2)
        for theorem in PERCEPTRON[1:]:
            found = certificate_of(run, stream, theorem, {"w": w})
            yield sample(f"multiclass-{bias}-{theorem}", found, rows)
    stream, rows = nv.stream(SEPARABLE[:3], labels[:3]), rows_of(SEPARABLE[:3], labels[:3])
    run = nv.play(nv.MulticlassPerceptron(), stream)
    yield sample("multiclass-novikoff", certificate_of(run, stream, "novikoff", {"w": w}), rows)
    found = certificate_of(run, stream, "progressive", {"delta": 0.25})
    yield sample("multiclass-progressive", found, rows)


def minnows() -> Iterator[Sample]:
    """Minnow and its balanced form."""
    X = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.25], [1.0, 1.0, 0.0], [0.5, 0.1, 1.0]])
    y = [1, 1, 1, 1]
    stream, rows = nv.stream(X, y), rows_of(X, y)
    for learner in (nv.Minnow(0.3), nv.Minnow(0.3, bias=0.5), nv.BalancedMinnow(0.25)):
        name = type(learner).__name__.lower() + ("-bias" if learner.bias else "")
        run = nv.play(learner, stream)
        evidence = {"w": [[0, 1.0], [1, 1.0], [2, 0.5]], "gamma": 1.0}
        yield sample(f"{name}-minnow", certificate_of(run, stream, "minnow", evidence), rows)
    stream, rows = nv.stream(SEPARABLE, SIGNS), rows_of(SEPARABLE, SIGNS)
    for learner in (nv.Minnow(0.1), nv.BalancedMinnow(0.1, bias=1.0)):
        name = type(learner).__name__.lower()
        run = nv.play(learner, stream, passes=2)
        evidence = {"w": [[0, 0.5], [1, 0.25]], "gamma": 2.0}
        found = certificate_of(run, stream, "minnow-hinge", evidence)
        yield sample(f"{name}-hinge", found, rows)
        empty = certificate_of(run, stream, "minnow-hinge", {"w": [], "gamma": 0.5})
        yield sample(f"{name}-hinge-empty", empty, rows)
        run = nv.play(learner.fresh(), stream)
        found = certificate_of(run, stream, "progressive", {"delta": 0.5})
        yield sample(f"{name}-progressive", found, rows)


def kernels() -> Iterator[Sample]:
    """The kernel perceptron with each kernel."""
    stream, rows = nv.stream(SEPARABLE, SIGNS), rows_of(SEPARABLE, SIGNS)
    a = [[1, 0.5], [2, -0.25], [3, -0.5]]
    made: dict[str, Any] = {
        "linear": nv.KernelPerceptron(nv.linear, bias=0.5),
        "polynomial": nv.KernelPerceptron(nv.polynomial(2, 0.5), ties="mistake"),
        "rbf": nv.KernelPerceptron(nv.rbf(0.25)),
    }
    for name, learner in made.items():
        run = nv.play(learner, stream, passes=2)
        for theorem in PERCEPTRON[1:]:
            found = certificate_of(run, stream, theorem, {"a": a})
            yield sample(f"kernel-{name}-{theorem}", found, rows)
        run = nv.play(learner.fresh(), stream)
        found = certificate_of(run, stream, "progressive", {"delta": 0.125})
        yield sample(f"kernel-{name}-progressive", found, rows)
    run = nv.play(nv.KernelPerceptron(nv.rbf(2.0)), stream)
    each = {"a": [[t, float(y)] for t, y in enumerate(SIGNS, 1)]}
    yield sample("kernel-rbf-novikoff", certificate_of(run, stream, "novikoff", each), rows)


def finite_classes() -> Iterator[Sample]:
    """Consistent, Halving, StandardOptimal, IteratedHalving and Elimination."""
    H = nv.thresholds(4)
    points, labels = [0, 3, 2, 1], [-1, 1, 1, -1]
    rows = rows_of(np.eye(4)[points], labels)
    rounds = list(zip(points, labels, strict=True))
    for learner, theorem in (
        (nv.Consistent(H), "consistent"),
        (nv.Halving(H), "halving"),
        (nv.StandardOptimal(H), "littlestone"),
        (nv.IteratedHalving(H), "iterated-halving"),
    ):
        run: nv.Run = nv.play(learner, rounds, passes=2)
        stream = nv.stream(np.eye(4)[points], labels)
        yield sample(theorem, certificate_of(run, stream, theorem, {}), rows)
        run = nv.play(type(learner)(H), rounds)
        found = certificate_of(run, stream, "progressive", {"delta": 0.05})
        yield sample(f"{theorem}-progressive", found, rows)
    again = [*labels, 1]
    X = np.eye(4)[[*points, 0]]
    run = nv.play(nv.IteratedHalving(H), list(zip([*points, 0], again, strict=True)))
    found = certificate_of(run, nv.stream(X, again), "iterated-halving", {})
    yield sample("iterated-halving-restart", found, rows_of(X, again))
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]), [1, -1, -1, 1]
    run = nv.play(nv.Halving(nv.disjunctions(2, monotone=True)), nv.stream(X, y))
    yield sample("halving-cube", certificate_of(run, nv.stream(X, y), "halving", {}), rows_of(X, y))
    for monotone in (True, False):
        run = nv.play(nv.Elimination(2, monotone=monotone), nv.stream(X, y), passes=2)
        found = certificate_of(run, nv.stream(X, y), "elimination", {})
        yield sample(f"elimination-{monotone}", found, rows_of(X, y))
    run = nv.play(nv.Elimination(2), nv.stream(X, y))
    found = certificate_of(run, nv.stream(X, y), "progressive", {"delta": 0.05})
    yield sample("elimination-progressive", found, rows_of(X, y))


def experts() -> Iterator[Sample]:
    """Experts and arms, on losses and on advice."""
    losses = np.array([[0.0, 0.5, 1.0], [1.0, 0.25, 0.0], [0.0, 1.0, 0.5], [0.125, 0.1, 0.0]])
    rows = rows_of(losses, [1] * 4, zeros=True)
    made: dict[str, Any] = {
        "hedge-eta": nv.Hedge(3, eta=0.3),
        "hedge-horizon": nv.Hedge(3, horizon=7),
        "hedge-anytime": nv.Hedge(3, seed=2**64 - 1),
        "randomized": nv.RandomizedWeightedMajority(3, 0.7, seed=3),
        "exp3": nv.Exp3(3),
        "exp3-horizon": nv.Exp3(3, horizon=5),
        "exp3ix": nv.Exp3IX(3),
        "exp3ix-horizon": nv.Exp3IX(3, horizon=4),
        "exp3p": nv.Exp3P(3, delta=0.1),
        "exp3p-horizon": nv.Exp3P(3, delta=0.1, horizon=9),
    }
    for name, learner in made.items():
        yield sample(name, nv.certify(nv.play(learner, losses)), rows)
    advice = np.array([[1.0, -1.0, 1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, 1.0], [1.0, -1.0, -1.0]])
    outcomes = ["up", "down", "up", "up"]
    stream = nv.stream(advice, outcomes, positive="up")
    voters: dict[str, Any] = {
        "majority": nv.WeightedMajority(3, 0.5),
        "majority-odd": nv.WeightedMajority(3, 0.3),
        "randomized-advice": nv.RandomizedWeightedMajority(3, 0.5),
        "hedge-advice": nv.Hedge(3, eta=1.0),
    }
    for name, learner in voters.items():
        yield sample(name, nv.certify(nv.play(learner, stream)), rows_of(advice, outcomes))


def chains() -> Iterator[Sample]:
    """The structured perceptron on short sentences."""
    rounds = [([["a", "b", "a"], ["c"]], ["X", "Y"]), ([["b"], ["c"]], ["Y", "Y"])]
    rows: list[Any] = [
        ("sentence 1", ["X", "Y"], [[(0, 2), (1, 1)], [(2, 1)]]),
        ("sentence 2", ["Y", "Y"], [[(1, 1)], [(2, 1)]]),
    ]
    problem = nv.Chains()
    run = nv.play(nv.StructuredPerceptron(problem), rounds, until_clean=True)
    for theorem in ("structured", *PERCEPTRON[1:]):
        yield sample(f"chain-{theorem}", nv.certify(run, theorem=theorem), rows)
    learner = nv.StructuredPerceptron(nv.Chains(tags=["Y", "X", "Z"]), averaged=False)
    run = nv.play(learner, rounds)
    yield sample("chain-progressive", nv.certify(run, theorem="progressive"), rows)
    yield sample("chain-tags", nv.certify(run, theorem="hinge"), rows)


def data_alone() -> Iterator[Sample]:
    """That data are separable, or not."""
    stream, rows = nv.stream(SEPARABLE, SIGNS), rows_of(SEPARABLE, SIGNS)
    for bias in (None, 1.0):
        evidence: dict[str, Any] = {"w": W, "bias": bias}
        yield sample(
            f"separable-{bias}", certificate_about_data(stream, "separable", evidence), rows
        )
    X = np.array([[1.0, 2.0], [2.0, 4.0], [0.5, 0.0], [-1.0, -2.0]])
    y: list[Any] = ["n", "p", "p", "n"]
    evidence = {"rows": [1, 2], "weights": [2, 1], "bias": None}
    stream, rows = nv.stream(X, y), rows_of(X, y)
    found = certificate_about_data(stream, "not separable", evidence, "p")
    yield sample("not-separable", found, rows)
    X, y = np.array([[1.0], [2.0], [3.0], [2.0]]), [1, -1, 1, -1]
    evidence = {"rows": [1, 2, 3, 4], "weights": [1, 1, 1, 1], "bias": 0.5}
    found = certificate_about_data(nv.stream(X, y), "not separable", evidence)
    yield sample("not-separable-bias", found, rows_of(X, y))


FAMILIES = (
    perceptrons, classes, minnows, kernels, finite_classes, experts, chains, losses, data_alone,
    blends, bets, descents, regressions, class_blends,
)  # fmt: skip


@cache
def _made() -> list[Sample]:
    return [found for family in FAMILIES for found in family()]


def samples() -> list[Sample]:
    """Return all of them, which are made once; each caller may change its own."""
    return copy.deepcopy(_made())
