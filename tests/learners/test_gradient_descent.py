"""GradientDescent is the float program of docs/programs.md, to the last bit, on every path."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff.learners.protocols import ProbabilisticHypothesis, is_probable
from program_page import FORMS, program_data, program_page

TINY, HUGE = 5e-324, 1.7976931348623157e308
LOSSES = ("logistic", "hinge", "squared", "absolute")
every_loss = pytest.mark.parametrize("loss", LOSSES)


class Played:
    """What the page's program does with the rows, the constant feature at −1."""

    def __init__(self, learner: nv.GradientDescent, X: Any, y: Any, weights: Any = None) -> None:
        self.program = program_page().GradientDescent(learner.rate, learner.loss)
        self.scores, self.mistakes = [], []
        constant = {} if learner.bias is None else {-1: learner.bias}
        parts = np.ones(len(y)) if weights is None else weights
        for t, (x, label, v) in enumerate(zip(X, y, parts, strict=True), 1):
            row = dict(enumerate(np.asarray(x, np.float64).tolist())) | constant
            self.scores.append(self.program.score(row))
            if self.program.learn(row, int(label), float(v)) != label:
                self.mistakes.append(t)

    def check(self, run: nv.Run, columns: list[int] | None = None) -> None:
        """Compare bit for bit; ``columns[i]`` is the feature that the run has at place i."""
        w = enumerate(run.learner.state()["w"].tolist(), -1)
        found = {i if i < 0 or columns is None else columns[i]: v for i, v in w if v != 0}
        p = self.program
        assert found == {i: v for i, v in p.w.items() if v != 0}
        assert run.ledger.loss == p.loss + p.loss_rest
        assert run.ledger.stability == p.stability + p.stability_rest
        assert run.ledger.mistake_rounds.tolist() == self.mistakes


def _data() -> tuple[Any, Any]:
    X, y = program_data()
    return X / np.abs(X).max(axis=0), y


@every_loss
@pytest.mark.parametrize("bias", [None, -0.25])
@pytest.mark.parametrize("form", FORMS)
def test_blocks_of_every_form_have_the_bits_of_the_page(
    form: str, bias: float | None, loss: Any
) -> None:
    X, y = _data()
    run = nv.play(nv.GradientDescent(0.3, loss, bias), nv.stream(FORMS[form](X), y))
    Played(run.learner, X, y).check(run)


@every_loss
def test_dicts_in_any_order_have_the_bits_of_the_page(loss: Any) -> None:
    X, y = _data()
    run, rng = nv.Run(nv.GradientDescent(0.5, loss)), np.random.default_rng(1)
    expected = Played(run.learner, X, y)
    for x, label, score in zip(X, y, expected.scores, strict=True):
        named = {f"f{j}": float(x[j]) for j in rng.permutation(len(x))}
        if run.ledger.rounds:
            assert run.learner.score(named) == score
            assert run.learner.predict(named) == (1 if score >= 0 else -1)
        run.learn(named, label)
    expected.check(run, [int(name[1:]) for name in run.learner.features.names(9)])


@every_loss
def test_a_resumed_run_has_the_bits_of_an_uninterrupted_one(tmp_path: Path, loss: Any) -> None:
    X, y = _data()
    run = nv.play(nv.GradientDescent(0.5, loss, bias=1.0), nv.stream(X[:77], y[:77]))
    run.save(tmp_path / "run")
    again = nv.Run.load(tmp_path / "run").play(nv.stream(X[77:], y[77:]))
    Played(run.learner, X, y).check(again)


@every_loss
def test_weights_scale_losses_and_slopes(loss: Any) -> None:
    X, y = _data()
    weights = np.random.default_rng(2).random(len(y))
    run = nv.Run(nv.GradientDescent(0.5, loss), max_weight=1).play(nv.stream(X, y, weights=weights))
    Played(run.learner, X, y, weights).check(run)


def test_only_the_logistic_loss_gives_probabilities() -> None:
    X, y = _data()
    for loss in LOSSES:
        run = nv.play(nv.GradientDescent(0.5, loss), nv.stream(X, y))  # type: ignore[arg-type]
        h = run.hypothesis()
        assert is_probable(run.learner) == (loss == "logistic")
        assert isinstance(h, ProbabilisticHypothesis) == (loss == "logistic")
        assert h.predict(X).tolist() == [run.predict_one(x) for x in X]
        if isinstance(h, ProbabilisticHypothesis):
            assert h.probabilities(X).tolist() == [run.probability(x) for x in X]
            assert h.probabilities(X) == pytest.approx(1 / (1 + np.exp(-h.scores(X))), rel=1e-12)
        else:
            with pytest.raises(nv.ParameterError, match="expected one that gives probabilities"):
                run.probability(X[0])
            with pytest.raises(nv.ParameterError, match="a learner that gives probabilities"):
                nv.Run(nv.GradientDescent(0.5, loss), threshold=0.3)  # type: ignore[arg-type]


def test_a_mixture_takes_the_logistic_loss_alone() -> None:
    X, y = _data()
    members = [nv.GradientDescent(0.1), nv.GradientDescent(1.0), nv.BaseRate()]
    run = nv.play(nv.Blend(members=members), nv.stream(X, y))
    assert run.ledger.loss < len(y) * math.log(2)
    with pytest.raises(nv.ParameterError, match=r"members\[1\]: expected a learner of two labels"):
        nv.Blend(members=[nv.BaseRate(), nv.GradientDescent(0.1, "hinge")])


@every_loss
def test_a_hypothesis_is_saved_and_loaded(tmp_path: Path, loss: Any) -> None:
    X, y = _data()
    named = nv.stream(X, np.where(y > 0, "spam", "ham"), positive="spam")
    h = nv.play(nv.GradientDescent(0.5, loss, bias=1.0), named).hypothesis()
    assert isinstance(h, nv.DescentHypothesis)
    h.save(tmp_path / "h")
    again = nv.Hypothesis.load(tmp_path / "h")
    assert type(again) is type(h)
    assert again.predict(X).tolist() == h.predict(X).tolist()
    assert again.scores(X).tolist() == h.scores(X).tolist()
    assert h.scores(X) == pytest.approx(X @ h.w + h.bias_weight, rel=1e-9, abs=1e-9)


EXTREMES = [0.0, 1.0, -1.0, TINY, -TINY, 1e-308, 1e-160, 1e160, HUGE, -HUGE, 1e300, -1e-300]
extreme = st.sampled_from(EXTREMES)
rows = st.lists(st.tuples(st.lists(extreme, min_size=2, max_size=2), st.sampled_from([-1, 1])))


@settings(max_examples=60)
@given(rows, st.sampled_from([2.0**-20, 1.0, 2.0**20]), st.sampled_from(LOSSES))
def test_extreme_values_stay_finite(rounds: Any, rate: float, loss: Any) -> None:
    run = nv.Run(nv.GradientDescent(rate, loss, bias=HUGE))
    for x, label in rounds:
        run.learn(x, label)
    Played(run.learner, [x for x, _ in rounds], [label for _, label in rounds]).check(run)
    assert math.isfinite(run.ledger.loss)
    assert math.isfinite(run.ledger.stability)
    assert math.isfinite(run.learner.weight_norm)
    assert np.isfinite(run.learner.w).all()
    if rounds:
        grid = np.array([[a, b] for a in EXTREMES for b in EXTREMES])
        assert np.isfinite(run.hypothesis().scores(grid)).all()


def test_a_rate_that_is_too_large_for_the_squared_loss_explodes_and_stays_finite() -> None:
    run = nv.Run(nv.GradientDescent(2.0**20, "squared"))
    for _ in range(500):
        run.learn([1e3], 1)
    assert 1e200 < run.ledger.loss < math.inf
    assert 1e200 < abs(run.learner.w[1]) < math.inf


@pytest.mark.parametrize("rate", [0, -1, 2.0**-21, 2.0**21, math.nan, math.inf, "fast", None])
def test_a_bad_rate_is_refused_by_name(rate: Any) -> None:
    with pytest.raises(nv.ParameterError, match=r"rate: expected a number from 2\*\*-20 to"):
        nv.GradientDescent(rate)


def test_other_losses_are_refused_by_name() -> None:
    with pytest.raises(nv.ParameterError, match="loss: expected one of logistic, hinge, squared"):
        nv.GradientDescent(1.0, "log")  # type: ignore[arg-type]


@pytest.mark.parametrize("w", [[], [math.nan, 0.0], [math.inf], [2.0**964]])
def test_a_state_that_no_run_leaves_is_refused(w: list[float]) -> None:
    learner = nv.GradientDescent(1.0)
    with pytest.raises(ValueError, match="saved state"):
        learner.restore(learner.state() | {"w": np.array(w)})
