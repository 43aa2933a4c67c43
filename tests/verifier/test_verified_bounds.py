"""Bounds: the verifier's are the registry's, which computes them another way, to the last bit."""

import math
from decimal import Context, Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from claims import pairs_of
from novikoff import verifier
from novikoff.receipts.certificates import certificate_of, verify
from novikoff.streams import as_stream
from novikoff.theory import named


def test_novikoffs_bound_is_the_theorems() -> None:
    rows = [([0.5, 0.25], 1), ([-0.75, 1.5], -1), ([1.25, -0.125], 1)]
    run = nv.play(nv.Perceptron(), rows)
    w = [Fraction(3, 8), Fraction(-1, 4)]
    exact = [([Fraction(v) for v in x], y) for x, y in rows]
    evidence = {
        "radius2": max(x[0] ** 2 + x[1] ** 2 for x, _ in exact),
        "norm2": w[0] ** 2 + w[1] ** 2,
        "margin": min(y * (w[0] * x[0] + w[1] * x[1]) for x, y in exact),
    }
    certificate = certificate_of(run, as_stream(rows), "novikoff", {"w": pairs_of(w)})
    assert certificate.bound == named("novikoff").evaluate(evidence).value


@pytest.mark.parametrize(
    ("w", "gamma", "eta"), [(5e24, 3.4e5, 3e-20), (1e28, 1e6, 1e-20), (5e21, 1e4, 1.3e-18)]
)
def test_minnows_bound_survives_cancellation(w: float, gamma: float, eta: float) -> None:
    rows = [([1.0, 0.0], 1), ([0.0, 1.0], 1)]
    run = nv.play(nv.Minnow(eta), rows)
    context = Context(prec=400)
    up = context.exp(Decimal(eta))
    down = context.divide(Decimal(1), up)
    ln_cosh = context.ln(context.divide(context.add(up, down), Decimal(2)))
    room = context.subtract(
        context.multiply(Decimal(eta), Decimal(gamma)), context.multiply(2 * Decimal(w), ln_cosh)
    )
    evidence = {"w": [[0, w], [1, w]], "gamma": gamma}
    if room <= 0:
        with pytest.raises(nv.HypothesisError, match="ηγ is not above"):
            certificate_of(run, as_stream(rows), "minnow", evidence)
        return
    exact = context.divide(context.multiply(2 * Decimal(w), context.ln(Decimal(2))), room)
    certificate = certificate_of(run, as_stream(rows), "minnow", evidence)
    assert certificate.bound is not None
    assert certificate.bound >= exact > Decimal(math.nextafter(certificate.bound, 0))


MINNOWS: dict[str, tuple[Any, Any, Any]] = {
    "plain": (lambda: nv.Minnow(0.125), [[0, 2.0], [1, 0.0], [2, 0.5]], 3.0),
    "balanced": (lambda: nv.BalancedMinnow(0.125), [[0, 2.0], [1, -0.25]], 3.0),
    "plain with bias": (lambda: nv.Minnow(0.0625, bias=2.0), [[0, 1.0], [-1, 0.5]], 2.0),
    "balanced with bias": (
        lambda: nv.BalancedMinnow(0.0625, bias=-2.0),
        [[0, 1.0], [-1, -0.5]],
        2.0,
    ),
    "no comparator": (lambda: nv.Minnow(0.125), [], 3.0),
    "a slow learner": (lambda: nv.Minnow(1e-5), [[0, 1.0]], 4e-5),
    "a fast learner": (lambda: nv.Minnow(50.0), [[0, 1.0]], 2.0),
}


@pytest.mark.parametrize("name", MINNOWS)
@pytest.mark.parametrize("scale", [1.0, 0.125])
def test_minnows_bound_is_the_theorems(name: str, scale: float) -> None:
    """The verifier's arithmetic and the registry's give the same float."""
    make, pairs, gamma = MINNOWS[name]
    learner = make()
    rows = [([1.0, -0.5, 0.25], 1), ([0.5, 2.0, 0.0], -1), ([2.0, 0.0, -1.0], 1)]
    rows = [([scale * v for v in x], y) for x, y in rows]
    run = nv.play(learner, rows)
    w, bias = {j: Fraction(v) for j, v in pairs}, learner.bias or 0.0
    exact = [({-1: bias} | dict(enumerate(x)), y) for x, y in rows]
    margins = [y * sum(v * Fraction(x.get(j, 0.0)) for j, v in w.items()) for x, y in exact]
    evidence = {
        "norm1": sum(map(abs, w.values())),
        "dimension": (3 + (bias != 0)) * (2 if "balanced" in name else 1),
        "eta": learner.eta,
        "gamma": gamma,
        "radius_inf": max(2.0 * scale, abs(bias)),
        "gamma_hinge": sum(max(Fraction(0), Fraction(gamma) - m) for m in margins),
    }
    certificate = certificate_of(run, as_stream(rows), "minnow-hinge", {"w": pairs, "gamma": gamma})
    assert certificate.bound == named("minnow-hinge").evaluate(evidence).value
    assert verify(certificate, rows).verified


@pytest.mark.parametrize("name", ["hinge", "hinge-tight", "freund-schapire", "run"])
@pytest.mark.parametrize("passes", [3, 6])
def test_the_bounds_of_several_passes_are_the_theorems(name: str, passes: int) -> None:
    """Every pass has mistakes: the labels contradict each other."""
    rows = [
        ([1.0, 0.5], -1),
        ([0.25, -1.0], 1),
        ([2.0, 1.0], 1),
        ([-1.0, 0.5], 1),
        ([0.5, 3.0], -1),
    ]
    run = nv.play(nv.Perceptron(), rows, passes=passes)
    rounds = run.ledger.mistake_rounds.tolist()
    assert {(t - 1) // 5 for t in rounds} == set(range(passes))
    w = [Fraction(1, 4), Fraction(-1, 2)]
    exact = [([Fraction(v) for v in x], y) for x, y in rows]
    hinges = [max(Fraction(0), 1 - y * (w[0] * x[0] + w[1] * x[1])) for x, y in exact]
    squares = [x[0] ** 2 + x[1] ** 2 for x, _ in exact]
    evidence = {
        "radius2": max(squares),
        "norm2": w[0] ** 2 + w[1] ** 2,
        "hinge": passes * sum(hinges),
        "hinge2": passes * sum(h * h for h in hinges),
        "mistake_hinge": sum(hinges[(t - 1) % 5] for t in rounds),
        "mistake_energy": sum(squares[(t - 1) % 5] for t in rounds),
    }
    certificate = certificate_of(run, as_stream(rows), name, {"w": pairs_of(w)})
    assert named(name).evaluate(evidence).value == pytest.approx(certificate.bound, rel=1e-15)
    assert verify(certificate, rows).verified


def test_minnow_of_one_feature_has_no_logarithm() -> None:
    rows = [([1.0], 1), ([1.0], -1)]
    run = nv.play(nv.Minnow(0.5), rows)
    evidence = {"norm1": 1, "dimension": 1, "eta": 0.5, "gamma": 1, "radius_inf": 1}
    certificate = certificate_of(
        run, as_stream(rows), "minnow-hinge", {"w": [[0, 1.0]], "gamma": 1.0}
    )
    stated = named("minnow-hinge").evaluate(evidence | {"gamma_hinge": 2})
    assert certificate.bound == stated.value


def test_minnow_of_one_feature_has_no_bound_without_room() -> None:
    """As ln 1 = 0 the bound is 0 or none, and ηγ beside ‖w‖₁ ln cosh η takes 33 digits to tell."""
    rows = [([1.0], 1)]
    run = nv.play(nv.Minnow(1.0), rows)

    def bound(w: float, gamma: float) -> float | None:  # γ/w is a convergent of ln cosh 1
        return certificate_of(run, as_stream(rows), "minnow", {"w": [[0, w]], "gamma": gamma}).bound

    assert bound(5508307014293792.0, 2389397991215845.0) == 0
    with pytest.raises(nv.HypothesisError, match="ηγ is not above"):
        bound(3913948807211117.0, 1697795964060092.0)


def test_a_small_weight_of_a_large_value_is_not_lost() -> None:
    """1e250·e^{−500} is 1e33, and the score +."""
    rows = [([0.0, 500.0], -1), ([-1.0, 1e250], 1)]
    run = nv.play(nv.Minnow(1.0), rows)
    assert run.ledger.mistake_rounds.tolist() == [1]
    certificate = certificate_of(run, as_stream(rows), "minnow-hinge", {"w": [], "gamma": 1.0})
    assert verify(certificate, rows).observed == 1


@pytest.mark.parametrize("learner", [nv.Minnow, nv.BalancedMinnow])
@pytest.mark.parametrize("eta", [0.5, 1e-60, 700.0])
def test_minnows_near_ties_are_played_as_they_were(learner: Any, eta: float) -> None:
    """e^η beside 1 takes 121 digits to see where η = 1e-60, and is beyond floats where 700."""
    rng = np.random.default_rng(1)
    X = rng.integers(-2, 3, (60, 3)) * [1.0, 1.0, 1e250]
    stream = nv.stream(X, rng.choice([-1, 1], 60))
    run = nv.play(learner(eta), stream)
    assert 10 < run.mistakes < 50
    certificate = certificate_of(run, stream, "minnow-hinge", {"w": [], "gamma": 1.0})
    assert certificate.bound == 60
    assert verify(certificate, stream).verified


@pytest.mark.parametrize(
    ("mistakes", "rounds", "delta"),
    [
        (0, 10**9, 0.05),
        (3, 200, 0.1),
        (10**6, 3 * 10**6, 0.5),
        (10**12, 3 * 10**12, 0.9),
        (5, 5, 0.1),
    ],
)
def test_the_progressive_bound_is_the_theorems(mistakes: int, rounds: int, delta: float) -> None:
    evidence = {"mistakes": mistakes, "rounds": rounds, "delta": delta}
    data: Any = SimpleNamespace(count=rounds, many=False)
    found = verifier.progressive_bound(data, mistakes, delta)
    assert found == named("progressive").evaluate(evidence).value
    data.many = True  # the first round's class is known when it is judged
    assert verifier.progressive_bound(data, max(0, mistakes - 1), delta) >= found


@pytest.mark.parametrize("name", ["hinge", "hinge-tight", "freund-schapire", "run"])
@pytest.mark.parametrize("labels", [["a", "b", "a", "c", "b"], ["a"] * 5])
def test_the_bounds_of_classes_are_the_theorems(name: str, labels: list[str]) -> None:
    X = [[1.0, 0.5], [-0.25, 1.0], [0.5, -2.0], [3.0, 1.0], [-0.5, 0.25]]
    stream = nv.stream(X, labels)
    run = nv.play(nv.MulticlassPerceptron(), stream)
    classes = list(dict.fromkeys(labels))
    w = {(k, j): Fraction(1 + k - 2 * j, 8) for k in range(len(classes)) for j in range(2)}
    hinges, squares = [], []
    for x, label in zip(X, labels, strict=True):
        scores = [sum(w[k, j] * Fraction(v) for j, v in enumerate(x)) for k in range(len(classes))]
        own = scores.pop(classes.index(label))
        hinges.append(max(Fraction(0), 1 - own + max(scores, default=Fraction(0))))
        squares.append(2 * sum(Fraction(v) ** 2 for v in x))
    wrong = [t - 1 for t in run.ledger.mistake_rounds.tolist()]
    evidence = {
        "radius2": max((squares[t] for t in wrong), default=Fraction(0)),
        "norm2": sum(v * v for v in w.values()),
        "hinge": sum(hinges),
        "hinge2": sum(h * h for h in hinges),
        "mistake_hinge": sum((hinges[t] for t in wrong), Fraction(0)),
        "mistake_energy": sum((squares[t] for t in wrong), Fraction(0)),
    }
    triples = [[k, j, float(v)] for (k, j), v in w.items()]
    found = certificate_of(run, stream, name, {"w": triples}).bound
    assert found is not None
    assert named(name).evaluate(evidence).value == pytest.approx(found, rel=1e-15)
