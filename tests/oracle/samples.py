"""True certificates of every family, on a few rows, made with the library."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import novikoff as nv
from novikoff.receipts.certificates import Certificate, certificate_about_data, certificate_of

PERCEPTRON = ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run")


@dataclass(frozen=True)
class Sample:
    """A true certificate with its data."""

    name: str
    content: dict[str, Any]
    rows: list[Any]


def sample(name: str, certificate: Certificate, rows: Sequence[Any]) -> Sample:
    """Return a certificate's content with its rows."""
    content = {key: value for key, value in certificate.content.items() if key != "sha256"}
    return Sample(name, content, list(rows))


def rows_of(X: Any, y: Sequence[Any], zeros: bool = False) -> list[Any]:
    """Return rows as the verifier reads them; with ``zeros`` those are named too."""
    return [
        (f"row {t}", label, [(j, float(v)) for j, v in enumerate(x) if v or zeros])
        for t, (x, label) in enumerate(zip(X, y, strict=True), 1)
    ]


SEPARABLE = np.array([[1.0, 2.0], [0.5, -1.0], [-2.0, 0.25], [1.5, 0.0], [-0.1, -0.7]])
SIGNS = [1, -1, -1, 1, -1]
MIXED = np.array([[1.0, 0.1, 0.0], [0.3, -1.0, 2.0], [1.0, 0.1, 0.0], [-0.7, 0.0, 0.2]])
WORDS = ["spam", "ham", "ham", "spam"]
W = [[0, 1.0], [1, 2.0]]


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


PLAIN: dict[str, Any] = {"loss": "logistic", "bias": None, "hashing": None}
JUMPS = np.array([[1e-300, 1.0], [1e300, -1e-10], [0.0, 3e8], [5e-324, 2.0]])
GRADIENTS: dict[str, tuple[Any, list[Any], dict[str, Any], list[list[float]]]] = {
    "plain": (SEPARABLE, SIGNS, {"rate": 0.5}, W),
    "bias": (SEPARABLE, SIGNS, {"rate": 0.125, "bias": -0.5}, [*W, [-1, 0.25]]),
    "words": (MIXED, WORDS, {"rate": 1.0}, [[0, 0.25], [2, -0.5]]),
    "jumps": (JUMPS, [1, -1, -1, 1], {"rate": 2.0**20, "bias": 1.0}, [[1, -1e-9]]),
    "empty": (MIXED, WORDS, {"rate": 2.0**-20}, []),
}
"""Rows, labels, parameters and a comparator."""


BLENDS: dict[str, tuple[Any, list[Any], float | None, float, list[list[float]]]] = {
    "plain": (SEPARABLE, SIGNS, 1.0, 0.25, W),
    "bare": (SEPARABLE, SIGNS, None, 1.0, W),
    "words": (MIXED, WORDS, -0.5, 4.0, [[0, 0.25], [2, -0.5], [-1, 0.125]]),
    "jumps": (JUMPS, [1, -1, -1, 1], 1.0, 1.0, [[1, -1e-9]]),
    "wide": (np.eye(3, 130) + np.ones((3, 130)), [1, -1, 1], 1.0, 0.25, [[7, 0.5]]),
}
"""Rows, labels, the constant feature, the rate of a member and a comparator."""


STEEP = np.array([[1e-60, 1.0], [1e30, -1e-10], [0.0, 3e8], [5e-324, 2.0]])
DESCENTS: dict[str, tuple[Any, list[Any], dict[str, Any], list[list[float]]]] = {
    "plain": (SEPARABLE, SIGNS, {"rate": 0.125}, W),
    "bias": (SEPARABLE, SIGNS, {"rate": 0.5, "bias": -0.5}, [*W, [-1, 0.25]]),
    "hinge": (MIXED, WORDS, {"rate": 0.25, "loss": "hinge"}, [[0, 0.25], [2, -0.5]]),
    "squared": (MIXED, WORDS, {"rate": 0.03125, "loss": "squared", "bias": 1.0}, [[0, 0.25]]),
    "absolute": (SEPARABLE, SIGNS, {"rate": 1.0, "loss": "absolute"}, W),
    "steep": (STEEP, [1, -1, -1, 1], {"rate": 2.0**20, "bias": 1.0}, [[1, -1e-9], [7, 0.5]]),
    "exploding": (MIXED, WORDS, {"rate": 4.0, "loss": "squared"}, [[0, 1e-60]]),
    "empty": (MIXED, WORDS, {"rate": 2.0**-20, "loss": "hinge"}, []),
}
"""Rows, labels, parameters and a comparator."""


def losses() -> Iterator[Sample]:
    """Float programs, without the library: the page's programs are played."""
    for name, (X, y, parameters, w) in GRADIENTS.items():
        for passes in (1, 3):
            evidence: dict[str, Any] = {"w": w, "loss": 0.0}
            learner = {"name": "AdaptiveGradient", "parameters": PLAIN | parameters}
            yield _played(f"adaptive-gradient-{name}", rows_of(X, y), learner, evidence, passes)
    for passes, name in enumerate(("plain", "bias", "jumps"), 1):
        X, y, parameters, w = GRADIENTS[name]
        evidence = {"w": w, "loss": 0.0, "least": 0.0}
        learner = {"name": "AdaptiveGradient", "parameters": PLAIN | parameters}
        yield _played(f"adaptive-gradient-least-{name}", rows_of(X, y), learner, evidence, passes)
    X, y, parameters, _ = GRADIENTS["words"]
    learner = {"name": "AdaptiveGradient", "parameters": PLAIN | parameters}
    yield _played("adaptive-gradient-progressive", rows_of(X, y), learner, {"delta": 0.05}, 1)


def bets() -> Iterator[Sample]:
    """`coin-betting/1` alone, and `blend/1` through it."""
    for name, (X, y, parameters, w) in GRADIENTS.items():
        own = {"loss": "logistic", "bias": None, "hashing": None} | parameters
        learner = {"name": "CoinBetting", "parameters": {k: own[k] for k in own if k != "rate"}}
        for passes in (1, 3):
            evidence: dict[str, Any] = {"w": w, "rate": 4.0, "loss": 0.0}
            yield _played(f"coin-betting-{name}", rows_of(X, y), learner, evidence, passes)
    yield _played("coin-betting-progressive", rows_of(X, y), learner, {"delta": 0.05}, 1)
    for name, (X, y, bias, rate, w) in BLENDS.items():
        learner = {"name": "Blend", "parameters": {"bias": bias, "hashing": None}}
        evidence = {"w": w, "rate": rate, "loss": 0.0}
        yield _played(f"blend-bets-{name}", rows_of(X, y), learner, evidence, 1, "betting-share")


def blends() -> Iterator[Sample]:
    """`blend/1`, through each of the members that have a theorem; once OnlineNewton leaves."""
    for name, (X, y, bias, rate, w) in BLENDS.items():
        learner = {"name": "Blend", "parameters": {"bias": bias, "hashing": None}}
        for passes in (1,) if name == "wide" else (1, 3):
            evidence: dict[str, Any] = {"w": w, "rate": rate, "loss": 0.0}
            yield _played(f"blend-{name}", rows_of(X, y), learner, evidence, passes)
    for passes, name in enumerate(("plain", "words"), 1):
        X, y, bias, rate, w = BLENDS[name]
        learner = {"name": "Blend", "parameters": {"bias": bias, "hashing": None}}
        evidence = {"w": w, "rate": rate, "loss": 0.0, "least": 0.0}
        yield _played(f"blend-least-{name}", rows_of(X, y), learner, evidence, passes)
    learner = {"name": "Blend", "parameters": {"bias": 1.0, "hashing": None}}
    yield _played("blend-progressive", rows_of(MIXED, WORDS), learner, {"delta": 0.05}, 1)


def descents() -> Iterator[Sample]:
    """`gradient-descent/1` with each of its losses; `ogd-logistic` at a rate that is small."""
    for name, (X, y, parameters, w) in DESCENTS.items():
        learner = {"name": "GradientDescent", "parameters": PLAIN | parameters}
        for passes in (1, 3):
            evidence: dict[str, Any] = {"w": w, "loss": 0.0}
            yield _played(f"gradient-descent-{name}", rows_of(X, y), learner, evidence, passes)
    X, y, parameters, w = DESCENTS["plain"]
    learner = {"name": "GradientDescent", "parameters": PLAIN | parameters}
    evidence = {"w": w, "loss": 0.0}
    for passes in (1, 3):
        yield _played(
            "gradient-descent-short", rows_of(X, y), learner, evidence, passes, "ogd-logistic"
        )
    learner = {"name": "GradientDescent", "parameters": PLAIN | DESCENTS["hinge"][2]}
    yield _played("gradient-descent-progressive", rows_of(X, y), learner, {"delta": 0.05}, 1)


PRICES = [2.5, -1.0, 0.1, 3.0, -0.5]
REGRESSIONS: dict[str, tuple[Any, list[Any], dict[str, Any], list[list[float]]]] = {
    "plain": (SEPARABLE, PRICES, {"ridge": 0.5}, W),
    "bias": (SEPARABLE, PRICES, {"ridge": 1.0, "bias": -0.5}, [*W, [-1, 0.25]]),
    "scales": (SEPARABLE * 1e5, [1e-3, 0.0, -1e4, 7, 2.5], {"ridge": 2.0**-10, "bias": 1.0}, W),
    "empty": (MIXED, [1.0, 1.0, -2.0, 0.5], {"ridge": 2.0**40}, []),
}
"""Rows, labels, parameters and a comparator."""


def regressions() -> Iterator[Sample]:
    """`forward-regression/1`, without the library: the page's program is played."""
    for name, (X, y, parameters, w) in REGRESSIONS.items():
        learner = {
            "name": "ForwardRegression",
            "parameters": {"bias": None, "hashing": None} | parameters,
        }
        for passes in (1, 3):
            evidence: dict[str, Any] = {"w": w, "loss": 0.0}
            rows = rows_of(X, y)
            yield _played(f"forward-regression-{name}", rows, learner, evidence, passes)
    X, y, _, w = REGRESSIONS["plain"]
    learner = {
        "name": "ForwardRegression",
        "parameters": {"ridge": 0.5, "bias": 1.0, "hashing": None},
    }
    evidence = {"w": w, "loss": 0.0}
    yield _played("forward-regression-vaw", rows_of(X, y), learner, evidence, 1, "vaw")


CLASS_BLENDS: dict[str, tuple[Any, list[Any], list[Any], float | None, list[list[float]]]] = {
    "plain": (SEPARABLE, [2, 0, 1, 2, 0], [0, 1, 2], 1.0, [[0, 0, 0.5], [2, 1, -0.25]]),
    "unseen": (MIXED, WORDS, ["ham", "eggs", "spam"], -0.5, [[1, 0, 0.25], [2, -1, 0.125]]),
    "jumps": (JUMPS, [0, 1, 2, 3], [3, 2, 1, 0, -1], None, [[4, 1, -1e-9]]),
    "wide": (np.eye(3, 260) + np.ones((3, 260)), [5, 6, 5], [5, 6], 1.0, [[1, 7, 0.5]]),
}
"""Rows, their classes, all classes, the constant feature and a comparator."""


def class_blends() -> Iterator[Sample]:
    """`blend-classes/1`, also with classes that never come; once its Newton member ends."""
    for name, (X, y, classes, bias, w) in CLASS_BLENDS.items():
        own = {"classes": len(classes), "bias": bias, "hashing": None}
        learner, labels = {"name": "ClassBlend", "parameters": own}, {"classes": classes}
        for passes in (1,) if name == "wide" else (1, 2):
            evidence: dict[str, Any] = {"w": w, "loss": 0.0}
            rows = rows_of(X, y)
            yield _played(f"class-blend-{name}", rows, learner, evidence, passes, None, labels)
    for passes, name in enumerate(("plain", "unseen", "jumps"), 1):
        X, y, classes, bias, w = CLASS_BLENDS[name]
        own = {"classes": len(classes), "bias": bias, "hashing": None}
        learner, labels = {"name": "ClassBlend", "parameters": own}, {"classes": classes}
        evidence = {"w": w, "loss": 0.0, "least": 0.0}
        rows = rows_of(X, y)
        yield _played(f"class-blend-least-{name}", rows, learner, evidence, passes, None, labels)
    X, y, classes, bias, _ = CLASS_BLENDS["unseen"]
    own = {"classes": len(classes), "bias": bias, "hashing": None}
    learner, labels = {"name": "ClassBlend", "parameters": own}, {"classes": classes}
    delta = {"delta": 0.05}
    yield _played("class-blend-progressive", rows_of(X, y), learner, delta, 1, None, labels)


def _played(
    name: str,
    rows: list[Any],
    learner: dict[str, Any],
    evidence: dict[str, Any],
    passes: int,
    theorem: str | None = None,
    labels: dict[str, Any] | None = None,
) -> Sample:
    from oracle.judging import PROGRAMS, THEOREMS
    from oracle.variations import recompute, recount, restate

    positive = "spam" if rows[0][1] == "spam" else 1
    real = learner["name"] == "ForwardRegression"
    labels = labels or ({"real": True} if real else {"positive": positive})
    content: dict[str, Any] = {
        "format": "novikoff-certificate/2", "bound": None, "mistakes": None, "evidence": evidence,
        "theorem": theorem or (THEOREMS[learner["name"]][0] if "w" in evidence else "progressive"),
        "program": PROGRAMS[learner["name"]], "start": None, "states": [], "learner": learner,
        "data": {"labels": labels, "passes": passes},
    }  # fmt: skip
    restate(content)
    assert recount(content, rows)
    assert recompute(content, rows)
    return Sample(f"{name}-{passes}", copy.deepcopy(content), rows)


FAMILIES = (
    perceptrons, classes, minnows, kernels, finite_classes, experts, chains, losses, data_alone,
    blends, bets, descents, regressions, class_blends,
)  # fmt: skip


def samples() -> list[Sample]:
    """Return all of them."""
    return [found for family in FAMILIES for found in family()]
