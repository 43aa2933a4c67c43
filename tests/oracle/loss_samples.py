"""True certificates of float programs: learners for losses."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from oracle.sample import MIXED, SEPARABLE, SIGNS, WORDS, Sample, W, rows_of

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
