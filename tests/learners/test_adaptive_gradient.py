"""AdaptiveGradient is the float program of docs/programs.md, to the last bit, on every path."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from cpu_levels import said_on_each_level
from program_page import FORMS, Played, cells_of, program_data, program_page

TINY, HUGE = 5e-324, 1.7976931348623157e308


def _assert_played(run: nv.Run, expected: Played, columns: list[int] | None = None) -> None:
    """Compare bit for bit; ``columns[i]`` is the feature that the run has at place i."""
    cells = {
        i if i < 0 or columns is None else columns[i]: c for i, c in cells_of(run.learner).items()
    }
    assert cells == expected.program.cells
    assert (run.ledger.loss, run.ledger.stability) == expected.measures
    assert run.ledger.mistake_rounds.tolist() == expected.mistakes


@pytest.mark.parametrize("bias", [None, 1.0, -0.25])
@pytest.mark.parametrize("form", FORMS)
def test_blocks_of_every_form_have_the_bits_of_the_page(form: str, bias: float | None) -> None:
    X, y = program_data()
    expected = Played(0.8, X, y, bias)
    run = nv.play(nv.AdaptiveGradient(0.8, bias=bias), nv.stream(FORMS[form](X), y))
    _assert_played(run, expected)


def test_rows_have_the_bits_of_the_page_and_their_scores() -> None:
    X, y = program_data()
    expected = Played(2.0, X, y, 1.0)
    run = nv.Run(nv.AdaptiveGradient(2.0, bias=1.0))
    chance = program_page()
    for x, label, score in zip(X, y, expected.scores, strict=True):
        if run.ledger.rounds:
            assert run.learner.score(x) == score
            e = chance.exp(-abs(score))
            likely, unlikely = 1.0 / (1.0 + e), e / (1.0 + e)
            assert run.probability(x) == (likely if score >= 0 else unlikely)
            assert run.predict_one(x) == (1 if score >= 0 else -1)
        run.learn(x, label)
    _assert_played(run, expected)


def test_dicts_in_any_order_have_the_bits_of_the_page() -> None:
    X, y = program_data()
    expected, rng = Played(1.0, X, y), np.random.default_rng(1)
    run = nv.Run(nv.AdaptiveGradient())
    for x, label, score in zip(X, y, expected.scores, strict=True):
        named = {f"f{j}": float(x[j]) for j in rng.permutation(len(x))}
        if run.ledger.rounds:
            assert run.learner.score(named) == score
        run.learn(named, label)
    _assert_played(run, expected, [int(name[1:]) for name in run.learner.features.names(9)])


def test_permuted_columns_have_the_same_bits() -> None:
    X, y = program_data()
    order = np.random.default_rng(2).permutation(X.shape[1])
    run = nv.play(nv.AdaptiveGradient(1.0, bias=3.0), nv.stream(X[:, order], y))
    _assert_played(run, Played(1.0, X, y, 3.0), order.tolist())


def test_float32_is_the_same_numbers_in_float64() -> None:
    X, y = program_data()
    narrow = X.astype(np.float32)
    run = nv.play(nv.AdaptiveGradient(), nv.stream(narrow, y))
    _assert_played(run, Played(1.0, narrow.astype(np.float64), y))


def test_a_resumed_run_has_the_bits_of_an_uninterrupted_one(tmp_path: Path) -> None:
    X, y = program_data()
    run = nv.play(nv.AdaptiveGradient(0.5), nv.stream(X[:77], y[:77]))
    run.save(tmp_path / "run")
    _assert_played(nv.Run.load(tmp_path / "run").play(nv.stream(X[77:], y[77:])), Played(0.5, X, y))


def test_hashed_names_are_played_as_their_numbers() -> None:
    X, y = program_data()
    rows = [{f"f{j}": float(v) for j, v in enumerate(x)} for x in X]
    run = nv.play(
        nv.AdaptiveGradient(hashing=nv.Hashing(bits=6)), zip(rows, y.tolist(), strict=True)
    )
    single = nv.Run(nv.AdaptiveGradient(hashing=nv.Hashing(bits=6)))
    for row, label in zip(rows, y.tolist(), strict=True):
        single.learn(dict(reversed(row.items())), label)
    assert cells_of(single.learner) == cells_of(run.learner)
    for name in ("loss", "stability", "radius", "radius_inf", "mistake_energy"):
        assert getattr(single.ledger, name) == getattr(run.ledger, name)


PROGRAM = """
import sys
import numpy as np
import novikoff as nv
from novikoff import _core
X = np.load(sys.argv[1])
run = nv.play(nv.AdaptiveGradient(0.8, bias=1.0), nv.stream(X[:, :-1], X[:, -1]))
state = run.learner.state()["cells"].tobytes().hex()
print(_core.cpu(), state, run.ledger.loss, run.ledger.stability)
"""


def test_every_cpu_level_has_the_same_bits(tmp_path: Path) -> None:
    X, y = program_data()
    np.save(tmp_path / "X.npy", np.column_stack([X, y]))
    said = said_on_each_level(PROGRAM, str(tmp_path / "X.npy"))
    names, bits = zip(*(line.split(maxsplit=1) for line in said), strict=True)
    assert names[0] == "baseline"
    assert len(set(bits)) == 1


def test_a_width_creates_no_feature() -> None:
    wide = np.zeros((3, 50))
    wide[:, 4] = [1.0, 2.0, -3.0]
    run = nv.play(nv.AdaptiveGradient(), nv.stream(wide, [1, -1, 1]))
    assert list(cells_of(run.learner)) == [4]
    assert _learned(run).weights().keys() == {4}


def test_scaling_a_column_divides_its_weight() -> None:
    """By a power of two to the bit; by another number up to rounding."""
    X, y = program_data()
    scales = 2.0 ** np.random.default_rng(3).integers(-60, 60, X.shape[1])
    w = _learned(nv.play(nv.AdaptiveGradient(), nv.stream(X, y))).w
    run = nv.play(nv.AdaptiveGradient(), nv.stream(X * scales, y))
    assert np.array_equal(_learned(run).w, w / scales)
    thirds = _learned(nv.play(nv.AdaptiveGradient(), nv.stream(X * (scales / 3), y))).w
    assert thirds == pytest.approx(w / scales * 3, rel=1e-9)


def test_hypotheses_give_probabilities_and_predict_the_likelier_label(tmp_path: Path) -> None:
    X, y = program_data()
    named = nv.stream(X, np.where(y > 0, "spam", "ham"), positive="spam")
    run = nv.play(nv.AdaptiveGradient(bias=1.0), named)
    h = _learned(run)
    chances = h.probabilities(X)
    assert chances == pytest.approx(1 / (1 + np.exp(-h.scores(X))), rel=1e-12)
    assert h.predict(X).tolist() == np.where(chances >= 0.5, "spam", "ham").tolist()
    assert h.scores(X) == pytest.approx(X @ h.w + h.bias_weight, rel=1e-9, abs=1e-9)
    order = np.random.default_rng(4).permutation(X.shape[1])
    cells = h.cells[np.concatenate([[0], order + 1])]
    permuted = nv.LogisticHypothesis(cells, h.rate, h.bias)
    assert np.array_equal(permuted.scores(X[:, order]), h.scores(X))
    h.save(tmp_path / "h")
    assert np.array_equal(nv.LogisticHypothesis.load(tmp_path / "h").probabilities(X), chances)
    for x, chance in zip(X, chances.tolist(), strict=True):
        assert run.probability(x) == chance


def test_the_hypothesis_is_the_learner_on_values_of_any_size() -> None:
    """What is promised of the rounds to come is about what is handed out."""
    X, y = program_data()
    run = nv.play(nv.AdaptiveGradient(bias=1.0), nv.stream(X, y))
    h, Z = _learned(run), 100 * np.random.default_rng(5).standard_normal((300, X.shape[1]))
    assert h.predict(Z).tolist() == [run.predict_one(z) for z in Z]
    assert h.probabilities(Z).tolist() == [run.probability(z) for z in Z]
    assert (np.abs(h.scores(Z) - (Z @ h.w + h.bias_weight)) > 0.1).any()
    unknown = sp.csr_array(([1e9], ([0], [X.shape[1] + 5])), shape=(1, X.shape[1] + 6))
    assert h.scores(unknown).tolist() == [h.bias_weight]


def _learned(run: nv.Run) -> nv.LogisticHypothesis:
    found = run.hypothesis()
    assert isinstance(found, nv.LogisticHypothesis)
    return found


def _largest(run: nv.Run) -> Any:
    return run.learner.state()["cells"].reshape(-1, 3)[1:, 0]


EXTREMES = [0.0, 1.0, -1.0, TINY, -TINY, 1e-308, 1e-160, 1e160, HUGE, -HUGE, 1e300, -1e-300]
extreme = st.sampled_from(EXTREMES)


@given(
    st.lists(st.tuples(st.lists(extreme, min_size=3, max_size=3), st.sampled_from([-1, 1]))),
    st.sampled_from([2.0**-20, 1.0, 2.0**20]),
)
def test_extreme_values_stay_finite(rounds: Any, rate: float) -> None:
    run = nv.Run(nv.AdaptiveGradient(rate, bias=HUGE))
    X, y = [x for x, _ in rounds], [label for _, label in rounds]
    for x, label in rounds:
        run.learn(x, label)
        assert 0 <= run.probability(x) <= 1
    _assert_played(run, Played(rate, X, y, HUGE))
    assert math.isfinite(run.ledger.loss)
    assert math.isfinite(run.ledger.stability)
    assert np.isfinite(run.learner.state()["cells"]).all()
    assert math.isfinite(run.learner.weight_norm)
    if rounds:
        h, grid = _learned(run), np.array([[a, b, a] for a in EXTREMES for b in EXTREMES])
        assert np.isfinite(h.w).all()
        assert np.isfinite(h.scores(grid)).all()
        assert ((h.probabilities(grid) >= 0) & (h.probabilities(grid) <= 1)).all()


def test_jumps_of_scale_are_followed() -> None:
    """A column that grows by 10³⁰⁰ forgets what it learned in the small, and learns again."""
    run = nv.Run(nv.AdaptiveGradient())
    for t in range(200):
        run.learn([1e-150 * (-1) ** t], (-1) ** t)
    assert run.probability([1e-150]) > 0.99
    assert run.probability([1e150]) == 0.5
    for t in range(200):
        run.learn([1e150 * (-1) ** t], -((-1) ** t))
    assert run.probability([1e150]) < 0.01


@pytest.mark.parametrize("rate", [0, -1, 2.0**-21, 2.0**21, math.nan, math.inf, "fast", None])
def test_a_bad_rate_is_refused_by_name(rate: Any) -> None:
    with pytest.raises(
        nv.ParameterError, match=r"rate: expected a number from 2\*\*-20 to 2\*\*20"
    ):
        nv.AdaptiveGradient(rate)


def test_other_losses_are_refused_by_name() -> None:
    with pytest.raises(nv.ParameterError, match="loss: expected 'logistic', got 'hinge'"):
        nv.AdaptiveGradient(loss="hinge")  # type: ignore[arg-type]


def test_learners_without_probabilities_say_so() -> None:
    run = nv.play(nv.Perceptron(), [((1.0,), 1)])
    with pytest.raises(nv.ParameterError, match="learner: expected one that gives probabilities"):
        run.probability((1.0,))


@pytest.mark.parametrize(
    "cells",
    [
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [-1.0, 0.0, 0.0],
        [1.0, 0.0, -1.0],
        [1.0, math.nan, 0.0],
        [1.0, 1e300, 0.0],
        [math.inf, 0.0, 0.0],
        [1.0, 0.0],
        [],
    ],
)
def test_a_state_that_no_run_leaves_is_refused(cells: list[float]) -> None:
    learner = nv.AdaptiveGradient()
    state = learner.state()
    with pytest.raises(ValueError, match="saved state"):
        learner.restore(state | {"cells": np.array(cells)})
