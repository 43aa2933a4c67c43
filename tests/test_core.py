"""The native parts on their own."""

import ctypes
import json
import platform
import sys
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import novikoff as nv
from cpu_levels import said_on_each_level
from novikoff import _core

finite = st.floats(allow_nan=False, allow_infinity=False)


def _nearest(exact: Fraction) -> float:
    try:
        return float(exact)  # correctly rounded, ties to even
    except OverflowError:
        return sys.float_info.max if exact > 0 else -sys.float_info.max


@given(st.lists(st.tuples(finite, finite), max_size=30))
def test_exact_dot_is_the_dot_product_rounded_once(pairs: list[tuple[float, float]]) -> None:
    a = np.array([p for p, _ in pairs])
    b = np.array([q for _, q in pairs])
    exact = sum((Fraction(p) * Fraction(q) for p, q in pairs), Fraction(0))
    assert _core.exact_dot(a, b) == _nearest(exact)


@given(st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=40), st.integers(-1070, 900))
def test_exact_dot_rounds_ties_to_even(numbers: list[int], power: int) -> None:
    halves = [float(n % 2**53) for n in numbers] + [0.5, 2.0**53]
    scale = np.full(len(halves), 2.0**power)
    exact = sum((Fraction(v) * Fraction(2) ** power for v in halves), Fraction(0))
    assert _core.exact_dot(np.array(halves), scale) == _nearest(exact)


def test_exact_dot_survives_many_cancelling_terms() -> None:
    rng = np.random.default_rng(0)
    a = rng.standard_normal(10_000) * 2.0 ** rng.integers(-500, 500, 10_000)
    zero = np.concatenate([a, -a])
    assert _core.exact_dot(zero, np.ones(20_000)) == 0.0
    zero[17] = np.nextafter(zero[17], np.inf)
    assert _core.exact_dot(zero, np.ones(20_000)) == zero[17] - a[17]


PROGRAM = """
import json, sys
import numpy as np, scipy.sparse as sp
import novikoff as nv
from novikoff import _core
rng = np.random.default_rng(0)
dense = rng.integers(-9, 10, (400, 37)) / 10
wide = np.where(rng.random((400, 90)) < 0.3, rng.standard_normal((400, 90)), 0)
out = {"cpu": _core.cpu()}
forms = {"d": dense, "f": dense.astype(np.float32), "w": wide, "s": sp.csr_array(wide)}
for name, X in forms.items():
    score = X @ np.ones(X.shape[1])
    for learner in (nv.Perceptron(), nv.AveragedPerceptron(bias=1.0), nv.VotedPerceptron()):
        run = nv.play(learner, nv.stream(X, np.where(score > 0.1, 1, -1)))
        h = run.hypothesis()
        out[name + type(learner).__name__] = [
            run.ledger.mistake_rounds.tolist(), run.ledger.radius.hex(),
            run.ledger.radius_inf.hex(), run.ledger.mistake_energy.hex(),
            [float(s).hex() for s in h.scores(X)]]
    run = nv.play(nv.MulticlassPerceptron(), nv.stream(X, np.floor(score).astype(int)))
    out[name + "m"] = [run.ledger.mistake_rounds.tolist(),
                       [float(v).hex() for v in run.hypothesis().scores(X).ravel()]]
json.dump(out, sys.stdout)
"""


def test_every_cpu_level_gives_the_same_bits() -> None:
    baseline, *others = map(json.loads, said_on_each_level(PROGRAM))
    assert baseline.pop("cpu") == "baseline"
    for other in others:
        other.pop("cpu")
        assert other == baseline


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_rows_that_no_cache_holds_are_played_like_others(kind: type[np.floating[Any]]) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((24_000, 190)).astype(kind)  # 18 or 36 MB
    y = np.where(X[:, :9].sum(axis=1) + rng.standard_normal(24_000) >= 0, 1, -1)
    whole, pieces = nv.play(nv.Perceptron(), nv.stream(X, y)), nv.Run(nv.Perceptron())
    for start in range(0, len(X), 1000):
        pieces.play(nv.stream(X[start : start + 1000], y[start : start + 1000]))
    for ledger in (whole.ledger, pieces.ledger):
        assert 0 < ledger.mistakes < ledger.rounds == len(X)
    assert whole.ledger.mistake_rounds.tolist() == pieces.ledger.mistake_rounds.tolist()
    assert whole.ledger.radius == pieces.ledger.radius
    assert whole.ledger.mistake_energy == pieces.ledger.mistake_energy


CONTROLS = {  # by architecture: the word of glibc's fenv_t, its control bits, IEEE's default
    "x86_64": (7, 0xFFC0, 0x1F80),  # MXCSR
    "aarch64": (0, 0x03C09F07, 0),  # FPCR
}
FLUSHING, UPWARD = {"x86_64": (0x9FC0, 0x5F80), "aarch64": (1 << 24, 1 << 22)}.get(
    platform.machine(), (0, 0)
)


def _set_float_control(bits: int) -> int:
    """Set the control bits of this thread's arithmetic; return those before."""
    word, control, _ = CONTROLS[platform.machine()]
    libm, environment = ctypes.CDLL("libm.so.6"), (ctypes.c_uint32 * 8)()
    libm.fegetenv(environment)
    before = environment[word] & control
    environment[word] = environment[word] & ~control | bits
    libm.fesetenv(environment)
    return before


def _delicate_sources(folder: Path) -> dict[str, Any]:
    """Rows of subnormal numbers in every form that rows have, and one whose sums are rounded."""
    counts = np.random.default_rng(3).integers(-9, 10, (120, 6))
    X = np.ldexp(counts.astype(float), -1070)
    y = np.where(counts[:, 0] + counts[:, 1] > counts[:, 2], 1, -1)
    lines = [
        f"{label:+d} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row))
        for label, row in zip(y.tolist(), X.tolist(), strict=True)
    ]
    (folder / "tiny.svm").write_text("\n".join(lines) + "\n")
    return {
        "rounded": nv.stream(counts / 10, y),
        "dense": nv.stream(X, y),
        "sparse": nv.stream(sp.csr_array(X), y),
        "named": nv.stream([{f"f{j}": v for j, v in enumerate(row)} for row in X.tolist()], y),
        "file": nv.read(str(folder / "tiny.svm")),
    }


def _played(sources: dict[str, Any]) -> dict[str, Any]:
    """Everything that the core computed, to the last bit."""
    found = {}
    for name, source in sources.items():
        for learner in (nv.Perceptron(), nv.AveragedPerceptron(), nv.BalancedMinnow(0.5)):
            ledger = nv.play(learner, source, digest=True).ledger
            assert isinstance(ledger.tally, _core.Tally)
            arrays = {**learner.state(), **ledger.tally.state()}
            kept = {key: array.tobytes() for key, array in arrays.items()}
            found[f"{name} {type(learner).__name__}"] = (ledger.digest, kept)
    return found


@pytest.mark.skipif(platform.machine() not in CONTROLS, reason="which register it sets is unknown")
@pytest.mark.parametrize("control", [FLUSHING, UPWARD], ids=["subnormals are zero", "upward"])
def test_the_callers_float_control_changes_nothing_and_comes_back(
    control: int, tmp_path: Path
) -> None:
    sources = _delicate_sources(tmp_path)
    expected = _played(sources)
    before = _set_float_control(control)
    try:
        found = _played(sources)
    finally:
        after = _set_float_control(before)
    assert before == CONTROLS[platform.machine()][2]
    assert after == control
    assert found == expected


def test_a_sum_beyond_float64_stays_exact_and_is_not_handed_out() -> None:
    most = sys.float_info.max
    learner = nv.Perceptron()
    learner.update((most, most), -1)
    learner.update((most, -most), -1)  # a tie: w = (−2·max, 0), exactly
    assert learner.predict((1.0, 0.0)) == -1
    assert learner.predict((0.0, 1.0)) == 1
    with pytest.raises(nv.HypothesisError, match="expected sums within the range of float64"):
        learner.hypothesis()
    learner.update((-most, 0.0), -1)
    assert learner.hypothesis().w.tolist() == [-most, 0.0]
    learner.update((-most, 5.0), -1)
    assert learner.hypothesis().w.tolist() == [0.0, -5.0]


def test_a_block_checks_its_arrays() -> None:
    starts = np.array([0, 2, 1], np.int64)
    with pytest.raises(ValueError, match="within the arrays"):
        _core.Block.sparse(starts, np.zeros(2, np.int64), np.zeros(2), 4)
    block = _core.Block.dense(np.zeros((3, 2)))
    labels = np.ones(3, np.int8)
    with pytest.raises(ValueError, match="rounds inside"):
        _core.Perceptron(0.0).play(block, labels, 0, 4, _core.Tally(), None)


def test_elementary_functions_are_within_their_error() -> None:
    rng = np.random.default_rng(0)
    context = Context(prec=60)
    for a in [*rng.uniform(-700, 700, 2000), *rng.uniform(-1e-6, 1e-6, 200), 0.0, -708.0, 709.0]:
        exact = Decimal(float(a)).exp(context)
        assert abs(Decimal(_core.exponential(a)) / exact - 1) < Decimal(2) ** -49
    for v in [*np.exp(rng.uniform(-700, 700, 2000)), *rng.uniform(0.99, 1.01, 200), 5e-324, 1e308]:
        exact = context.ln(Decimal(float(v)))
        assert abs(Decimal(_core.logarithm(v)) - exact) <= abs(exact) * Decimal(2) ** -49
    for a in [*rng.uniform(-0.5, 0.5, 2000), 1e-300]:
        x = Decimal(float(a))
        difference = context.subtract(context.exp(x), context.exp(-x))
        exact = difference / 2 if abs(a) > 1e-20 else x
        assert abs(Decimal(_core.small_sinh(a)) / exact - 1) < Decimal(2) ** -49
    assert [_core.exponential(a) for a in (-1e308, -800.0, 1e308)] == [0.0, 0.0, np.inf]
    assert np.isnan(_core.exponential(np.nan))


def test_philox_is_numpys() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        counter, key = rng.integers(0, 2**63, 4).tolist(), rng.integers(0, 2**63, 2).tolist()
        peer = np.random.Philox(counter=counter, key=key)
        # NumPy counts up before it draws.
        assert _core.philox([counter[0] + 1, *counter[1:]], key) == peer.random_raw(4).tolist()


def test_normal_draws_are_normal() -> None:
    drawn = np.array([_core.draw_normal(3, 0, place) for place in range(20_000)])
    assert stats.kstest(drawn, "norm").pvalue > 0.01  # a fixed seed: it cannot flake
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.02
    assert _core.draw_normal(3, 0, 5) == drawn[5] != _core.draw_normal(3, 1, 5)


def test_signs_of_exponential_sums_are_exact() -> None:
    sign = _core.sign_of_exponential_sum
    assert sign([], [], 1.0) == 0
    assert sign([1.0, -1.0], [[3.0], [3.0]], 0.1) == 0
    assert sign([0.1, 0.2, -0.3], [[], [], []], 1.0) == 1  # as doubles, 0.1 + 0.2 > 0.3
    for gap in (2.0**-60, 2.0**-1000, 5e-324):
        assert sign([1.0, -1.0], [[gap], []], 1.0) == 1
        assert sign([-1.0, 1.0], [[gap], []], 1.0) == -1
        # 1 − 2e^a + e^2a = (1 − e^a)², of second order in a
        assert sign([1.0, -2.0, 1.0], [[], [gap], [2 * gap]], 1.0) == 1
    assert sign([1e-300, -1e300], [[2.0], [-1.9e7]], 700.0) == 1
    assert sign([1e308, -1e308, -5e-324], [[1e300], [1e300], [-1e300]], 1e300) == -1


def _trained(learner: Any) -> Any:
    rng = np.random.default_rng(5)
    X = rng.integers(-9, 10, (200, 5)) / 10
    y = np.abs(X[:, 0] * 4).astype(int) if learner.multiclass else np.where(X[:, 0] > 0, 1, -1)
    nv.play(learner, nv.stream(X, y))
    return learner.core


EVERY_RULE: dict[str, Any] = {
    "perceptron": nv.Perceptron,
    "averaged": nv.AveragedPerceptron,
    "voted": lambda: nv.VotedPerceptron(max_voters=3),
    "multiclass": nv.MulticlassPerceptron,
    "minnow": lambda: nv.Minnow(0.5),
    "modified": lambda: nv.ModifiedPerceptron(0.1),
}


@pytest.mark.parametrize("name", EVERY_RULE)
def test_a_rule_takes_back_its_state_by_name(name: str) -> None:
    rule, other = _trained(EVERY_RULE[name]()), EVERY_RULE[name]().core
    state = rule.state()
    other.restore(state)
    assert {k: a.tolist() for k, a in other.state().items()} == {
        k: a.tolist() for k, a in state.items()
    }
    for key, array in state.items():
        with pytest.raises(ValueError, match=f"an array '{key}' in a saved state"):
            other.restore({k: a for k, a in state.items() if k != key})
        with pytest.raises(ValueError, match="saved state"):
            other.restore(state | {key: array.astype(np.float32)})
    with pytest.raises(ValueError, match="no array 'others' in a saved state"):
        other.restore(state | {"others": np.zeros(1)})
    assert {k: a.tolist() for k, a in other.state().items()} == {
        k: a.tolist() for k, a in state.items()
    }


def test_a_tally_takes_back_its_state_by_name() -> None:
    tally, other = nv.play(nv.Perceptron(), [((3, 4), -1), ((1, 0), 1)]).ledger.tally, _core.Tally()
    assert isinstance(tally, _core.Tally)
    assert tally.measures() == {"radius": 5.0, "radius_inf": 4.0, "energy": 26.0}
    other.restore(tally.state())
    assert other.measures() == tally.measures()
    assert other.mistake_rounds.tolist() == tally.mistake_rounds.tolist() == [1, 2]
    with pytest.raises(ValueError, match="no array 'loss' in a saved state"):
        other.restore(tally.state() | {"loss": np.zeros(2)})
    with pytest.raises(ValueError, match="an array 'calibration_came' in a saved state"):
        other.restore({"measures": np.zeros(4)})
    assert other.rounds == 2


def test_a_fixed_halfspace_stops_before_a_mistake_and_concedes_it_when_told() -> None:
    rule, tally = _core.halfspace(0.0, 0.0, np.array([1.0, 0.0])), _core.Tally()
    block = _core.Block.dense(np.array([[1.0, 2.0], [-1.0, 0.0], [2.0, 0.0], [0.0, 3.0]]))
    labels = np.array([1, -1, -1, 1], np.int8)
    assert rule.play(block, labels, 0, 4, tally, None) == 2
    assert (tally.rounds, tally.mistakes) == (2, 0)
    assert rule.concede(block, labels, 2, tally)
    assert (tally.rounds, tally.mistake_rounds.tolist()) == (3, [3])
    assert rule.play(block, labels, 3, 4, tally, None) == 4
    assert rule.predict(block)[0].tolist() == [1, -1, 1, 1]
    assert (tally.rounds, tally.exact_steps) == (4, 0)


def test_the_first_class_is_predicted_before_any_label_is_seen() -> None:
    run = nv.Run(nv.MulticlassPerceptron())
    assert run.learner.predict((1.0, 0.0)) == 0
    assert run.learn((1.0, 0.0), "first") == "first"
    assert run.learn((0.0, 1.0), "second") == "first"
    assert run.ledger.mistake_rounds.tolist() == [2]
