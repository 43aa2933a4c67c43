"""Parameter mixing: the theorem, its certificates, and means that are rounded once."""

import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
import twins
from novikoff import verifier
from novikoff.learners import MixedPerceptron
from novikoff.learners.linear.shard_means import Ended, mean_of
from novikoff.receipts import certificates
from novikoff.receipts.certificates import sealed
from novikoff.theory import named

tenths = st.integers(-30, 30).map(lambda n: n / 10)
rows = st.lists(st.lists(tenths, min_size=3, max_size=3), min_size=1, max_size=8)
signs = st.sampled_from([-1, 1])


def allowed(shards: int, w: twins.Vector, data: Any, epochs: int, twin: Any) -> float:
    """P·(c + a/2 + √(a²/4 + ac + b)), from THEORY.md 11 and the twin's exact Δ and E."""
    a = max(twins.dot(x, x) for x, _ in data) * twins.dot(w, w)
    losses = sum(max(Fraction(0), 1 - y * twins.dot(w, x)) for x, y in data)
    c = epochs * losses / shards - twins.dot(w, twin.moved)
    b = twins.dot(w, w) * twin.grown
    root = max(Fraction(0), a * a / 4 + a * c + b)
    return float(shards * (c + a / 2)) + shards * math.sqrt(root)


@pytest.mark.shows("holds", "parameter-mixing")
@given(st.lists(rows, min_size=1, max_size=4), st.lists(tenths, min_size=3, max_size=3), st.data())
def test_mixing_holds_for_any_shards_and_any_comparator(parts: Any, w: Any, data: Any) -> None:
    """Labels are noise, means are rounded, and ten epochs are played, all in fractions."""
    sizes = [len(part) for part in parts]
    X = [twins.vector(x) for part in parts for x in part]
    y = data.draw(st.lists(signs, min_size=len(X), max_size=len(X)))
    twin, u = twins.MixedPerceptron(sizes), twins.vector(w)
    found = len(twins.mistake_rounds(twin, X * 10, y * 10))
    pairs = [*zip(X, y, strict=True)]
    bound = allowed(len(parts), u, pairs, 10, twin)
    assert found <= bound * (1 + 1e-12) + 1e-12
    evidence = {
        "radius2": max(twins.dot(x, x) for x in X),
        "norm2": twins.dot(u, u),
        "hinge": 10 * sum(max(Fraction(0), 1 - s * twins.dot(u, x)) for x, s in pairs),
        "shards": len(parts),
        "rounding_product": twins.dot(u, twin.moved),
        "rounding_norm2": twin.grown,
    }
    value = named("parameter-mixing").evaluate(evidence).value
    assert value == pytest.approx(bound, rel=1e-9, abs=1e-9)


def noisy(seed: int, count: int = 60) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-30, 31, (count, 4)) / 10
    return X, np.where((X[:, 0] > X[:, 1]) ^ (rng.random(count) < 0.1), 1, -1)


@pytest.mark.parametrize("shards", [[60], [30, 30], [7, 33, 20], [12] * 5])
@pytest.mark.parametrize(
    "options", [{}, {"ties": "mistake", "bias": 0.3, "averaged": True}], ids=["plain", "biased"]
)
def test_certificates_verify_and_state_the_exact_bound(shards: Any, options: Any) -> None:
    X, y = noisy(len(shards))
    rounds = nv.stream(X, y)
    run = nv.play(MixedPerceptron(shards, **options), rounds, passes=4)
    (bound,) = nv.bounds(run)
    certificate = nv.certify(run)
    verdict = nv.verify(certificate, rounds)
    assert verdict.verified, verdict.reason
    assert (verdict.observed, verdict.bound) == (run.mistakes, certificate.bound)
    assert certificate.bound == pytest.approx(bound.value, rel=1e-12)
    w = {int(j): Fraction(v) for j, v in certificate.content["evidence"]["w"]}
    rows = [twins.vector(x, options.get("bias")) for x in X]
    twin = twins.MixedPerceptron(shards, options.get("ties", "positive"))
    assert len(twins.mistake_rounds(twin, rows * 4, [*y] * 4)) == run.mistakes
    exact = allowed(len(shards), w, [*zip(rows, y.tolist(), strict=True)], 4, twin)
    assert certificate.bound == pytest.approx(exact, rel=1e-12)


def test_one_shard_has_the_perceptrons_own_bound() -> None:
    X, y = noisy(1)
    rounds = nv.stream(X, y)
    mixed = nv.bounds(nv.play(MixedPerceptron([len(X)]), rounds))[0]
    plain = nv.play(nv.Perceptron(), rounds)
    tight = next(b for b in nv.bounds(plain) if b.theorem == "hinge-tight")
    assert mixed.observed == plain.mistakes
    assert mixed.value == pytest.approx(tight.value, rel=1e-3)


def test_the_stand_alone_verifier_agrees(tmp_path: Path) -> None:
    X, y = noisy(2)
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x) if v)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    data = tmp_path / "data.svm"
    data.write_text("\n".join(lines) + "\n")
    run = nv.play(MixedPerceptron([20, 25, 15]), nv.read(data), passes=3)
    nv.certify(run).save(tmp_path / "it.json")
    command = [sys.executable, "-I", verifier.__file__, str(tmp_path / "it.json"), str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["verified"]


FORGERIES: dict[str, Any] = {
    "another partition": {"shards": [25, 20, 15]},
    "fewer rows": {"shards": [20, 25]},
    "an empty shard": {"shards": [20, 25, 15, 0]},
    "one shard": {"shards": [60]},
    "no list": {"shards": 60},
    "other ties": {"ties": "mistake"},
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_a_run_that_was_played_otherwise_is_refused(change: Any) -> None:
    X, y = noisy(3)
    y[0], X[0] = 1, [0.1, 0, 0, 0]  # a first tie, which is right only if ties are positive
    rounds = nv.stream(X, y)
    content = nv.certify(nv.play(MixedPerceptron([20, 25, 15]), rounds, passes=3)).content
    learner = content["learner"]
    forged = {**learner, "parameters": learner["parameters"] | change}
    assert not nv.verify(sealed(content | {"learner": forged}), rounds).verified


def test_a_bound_that_forgets_the_rounding_is_refused() -> None:
    """Epochs of thirds: the rounding moves the bound, and the verifier knows by how much."""
    X, y = np.full((6, 1), 1e-3), np.array([1, -1, -1, 1, -1, -1])
    rounds = nv.stream(X, y)
    run = nv.play(MixedPerceptron([1, 2, 3]), rounds, passes=40)
    certificate = nv.certify(run)
    exact = certificate.bound
    assert exact is not None
    assert nv.verify(certificate, rounds).verified
    for other in (math.nextafter(exact, 0), math.nextafter(exact, math.inf)):
        assert not nv.verify(sealed(certificate.content | {"bound": other}), rounds).verified


def test_an_unfinished_epoch_has_no_certificate() -> None:
    X, y = noisy(4)
    run = nv.play(MixedPerceptron([20, 41]), nv.stream(X, y))
    with pytest.raises(nv.HypothesisError, match="its shards do not hold its rows"):
        nv.certify(run)


def test_other_theorems_refuse_mixed_runs() -> None:
    X, y = noisy(5)
    run = nv.play(MixedPerceptron([20, 40]), nv.stream(X, y))
    with pytest.raises(nv.HypothesisError, match="a theorem about MixedPerceptron"):
        nv.certify(run, theorem="novikoff")
    assert nv.verify(nv.certify(run, theorem="progressive"), nv.stream(X, y)).verified


floats = st.floats(allow_nan=False, allow_infinity=False)
ordinary = st.floats(-1e6, 1e6)


@given(st.integers(1, 7), st.data(), st.sampled_from([floats, ordinary]))
def test_a_mean_is_the_float_nearest_to_the_exact_mean(shards: int, data: Any, kind: Any) -> None:
    ends, true = [], [Fraction(0)] * 4
    for _ in range(shards):
        weights = data.draw(st.lists(kind, min_size=4, max_size=4))
        slots = data.draw(st.lists(st.integers(0, 3), max_size=5))
        parts = [math.ulp(weights[slot]) / 2**k for k, slot in enumerate(sorted(slots), 1)]
        ends.append(Ended(np.array(weights), np.array(sorted(slots), np.int64), np.array(parts)))
        for j, v in [*enumerate(weights), *zip(sorted(slots), parts, strict=True)]:
            true[j] += Fraction(v) / shards
    expected = [twins.nearest(v) for v in true]
    found = mean_of(ends)
    assert found.weights.tolist() == expected
    exact = [Fraction(v) == t for v, t in zip(expected, true, strict=True)]
    assert all(rounded or same for rounded, same in zip(found.rounded, exact, strict=True))


MOVES: dict[str, Any] = {
    "to the next shard": lambda rounds, at: [*rounds[:-1], rounds[-1] + 1],
    "to the next epoch": lambda rounds, at: sorted({*rounds[1:], rounds[0] + 60} | {at}),
    "one is left out": lambda rounds, at: rounds[1:],
    "one more": lambda rounds, at: sorted({*rounds, at}),
    "in another order": lambda rounds, at: [t % 180 + 1 for t in rounds],
}


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
def test_mistakes_that_were_made_elsewhere_are_refused(move: Any) -> None:
    X, y = noisy(3)
    data = nv.stream(X, y)
    run = nv.play(MixedPerceptron([20, 25, 15]), data, passes=3)
    content, rounds = nv.certify(run).content, run.ledger.mistake_rounds.tolist()
    right = min({*range(1, 181)} - {*rounds})
    moved = sorted({*move(rounds, right)})
    assert moved != rounds
    transcript = {"count": len(moved), "rounds": certificates.transcript(np.array(moved))}
    forged = sealed(content | {"mistakes": transcript})
    assert not nv.verify(forged, data).verified


def test_rows_that_changed_their_shard_are_refused() -> None:
    X, y = noisy(3)
    order = [*range(20, 60), *range(20)]
    run = nv.play(MixedPerceptron([20, 40]), nv.stream(X, y), passes=3)
    assert not nv.verify(nv.certify(run), nv.stream(X[order], y[order])).verified


VALUES: list[Any] = [
    -1, 0, 1, 2**70, 10**400, 1e308, 5e-324, "", None, [], {}, True, [[0, 0, 1.0]], [[0, 1e300]],
    [1] * 1000, [2**63], [-1, 61], [60, 60, 0], [10**400], [[]], [[1, 2, 3], [1, 2, 3]],
]  # fmt: skip
HARMLESS = {"averaged", "positive", "bias"}  # they change no mistake, or True is 1 in Python


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    if isinstance(value, dict):
        for name, part in value.items():
            yield (*path, name)
            yield from _paths(part, (*path, name))
    elif isinstance(value, list):
        for k, part in enumerate(value[:2]):
            yield (*path, k)
            yield from _paths(part, (*path, k))


@pytest.mark.parametrize("many", [False, True])
def test_nonsense_in_any_field_is_refused_and_never_a_crash(many: bool) -> None:
    X, y = noisy(4)
    labels = np.array(["c", "a", "b"])[X[:, :3].argmax(axis=1)] if many else y
    learner = nv.MulticlassPerceptron() if many else nv.Perceptron(bias=0.5)
    data = nv.stream(X, labels)
    run = nv.play(learner.in_shards([20, 25, 15], 3), data, passes=2)
    text = nv.certify(run).text
    tried = 0
    for path in [*_paths({k: v for k, v in json.loads(text).items() if k != "sha256"})]:
        for value in VALUES:
            content = json.loads(text)
            part = content
            for step in path[:-1]:
                part = part[step]
            if part[path[-1]] == value:
                continue
            part[path[-1]] = value
            try:
                accepted = nv.verify(sealed(content), data).verified
            except nv.NovikoffError:
                accepted = False
            assert not accepted or path[-1] in HARMLESS, (path, value)
            tried += 1
    assert tried > 400


def test_weights_take_back_what_a_shard_added() -> None:
    """So that many shards cost no more than few: no shard has a copy of the weights."""
    weights = verifier.Journal({1: 5, 2: 7})
    weights[1] += 3
    weights[1] -= 1
    weights[9] += 4
    assert weights.taken_back() == {1: 2, 9: 4}
    assert dict(weights) == {1: 5, 2: 7, 9: 0}
    assert weights.taken_back() == {}
