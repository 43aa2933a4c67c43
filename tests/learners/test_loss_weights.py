"""Weights of rounds scale the losses of AdaptiveGradient, to the last bit of docs/programs.md."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from program_page import FORMS, Played, cells_of, program_data


def test_weights_of_rounds_need_a_largest_one() -> None:
    X, y = program_data(4)
    for weights in ([1.0, 2.0, 1.0, 1.0], [1.0, 0.5, 1.0, 1.0]):
        with pytest.raises(nv.InputError, match="weights: expected a largest weight, declared"):
            nv.Run(nv.AdaptiveGradient()).learn(X[0], 1, weights[1])
        found = nv.play(nv.AdaptiveGradient(), nv.stream(X, y, weights=weights))
        assert found.max_weight == max(weights), "a stream that can be read again is looked through"
    with pytest.raises(nv.InputError, match="Declare it with max_weight=…"):
        nv.Run(nv.AdaptiveGradient()).learn(X[0], 1, 2.0)
    run = nv.Run(nv.AdaptiveGradient(), max_weight=2)
    with pytest.raises(nv.InputError, match=r"round 3: expected a weight of at most 2, got 2\.5"):
        run.play(nv.stream(X, y, weights=[1.0, 2.0, 2.5, 1.0]))
    assert run.ledger.rounds == 2
    with pytest.raises(nv.InputError, match=r"round 3: expected a weight of at most 2, got 3\."):
        run.learn(X[2], 1, 3)
    with pytest.raises(nv.InputError, match="weights: expected parts of the largest one"):
        nv.AdaptiveGradient().update(X[0], 1, 1.5)
    for bad in (0, -1, math.inf, math.nan, True, "2"):
        with pytest.raises(nv.ParameterError, match="max_weight: expected None or a number from"):
            nv.Run(nv.AdaptiveGradient(), max_weight=bad)  # type: ignore[arg-type]
    with pytest.raises(nv.ParameterError, match="max_weight: expected None, because any weight"):
        nv.Run(nv.Perceptron(), max_weight=2)
    with pytest.raises(nv.ParameterError, match="max_weight: expected None with Hedge"):
        nv.Run(nv.Hedge(2), max_weight=2)


def _weighted() -> tuple[Any, Any, Any, Any]:
    """Return rows, labels, weights of rounds up to 3 (some 0), and what the program gets."""
    X, y = program_data()
    weights = np.random.default_rng(2).choice([0.0, 0.1, 1.0, 2.7, 3.0], len(y))
    return X, y, weights, weights / 3.0


@pytest.mark.parametrize("form", FORMS)
def test_weighted_blocks_have_the_bits_of_the_page(form: str) -> None:
    """The program gets v = w/max_weight; the ledger's loss is Σ w·loss."""
    X, y, weights, parts = _weighted()
    expected = Played(0.8, X, y, 1.0, parts)
    run = nv.Run(nv.AdaptiveGradient(0.8, bias=1.0), max_weight=3)
    run.play(nv.stream(FORMS[form](X), y, weights=weights))
    assert cells_of(run.learner) == expected.program.cells
    assert (run.ledger.loss, run.ledger.stability) == tuple(3.0 * m for m in expected.measures)
    assert run.ledger.mistake_rounds.tolist() == expected.mistakes
    assert run.ledger.mean_loss == run.ledger.loss / len(y)
    assert run.ledger.checkpoints.loss[-1] == run.ledger.loss
    losses = np.log1p(np.exp(-y * np.array(expected.scores)))
    assert run.ledger.loss == pytest.approx(float(weights @ losses), rel=1e-12)


@pytest.mark.parametrize("max_weight", [None, 8.0])
def test_weights_of_classes_are_weights_of_rounds(max_weight: float | None, tmp_path: Path) -> None:
    """Blocks, rows, dicts (which go straight to the core) and a resumed run agree to the bit."""
    X, y = program_data()
    most = max_weight or 3.0
    expected = Played(1.0, X, y, None, np.where(y > 0, 3.0, 0.5) / most)
    blocks = nv.Run(nv.AdaptiveGradient(), class_weights={1: 3, -1: 0.5}, max_weight=max_weight)
    blocks.play(nv.stream(X, y))
    dicts = nv.Run(nv.AdaptiveGradient(), class_weights={1: 3, -1: 0.5}, max_weight=max_weight)
    rows = nv.Run(nv.AdaptiveGradient(), max_weight=most)
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        dicts.learn({str(j): v for j, v in enumerate(x.tolist())}, label)
        rows.learn(x, label, 3.0 if label > 0 else 0.5)
        if t == 77:
            dicts.save(tmp_path / "m")
            dicts = nv.Run.load(tmp_path / "m")
    assert dicts.is_quick
    for run in (blocks, rows, dicts):
        assert run.max_weight == most
        assert run.ledger.weighted
        assert sorted(cells_of(run.learner).values()) == sorted(expected.program.cells.values())
        assert (run.ledger.loss, run.ledger.stability) == tuple(most * m for m in expected.measures)


def test_rows_too_small_to_scale_take_any_weight() -> None:
    """The weight scales the loss, not x, so no product has to be exact."""
    X, y = np.full((4, 1), 5e-324), [1, -1, 1, -1]
    run = nv.Run(nv.AdaptiveGradient(), max_weight=3)
    run.play(nv.stream(X, y, weights=[1, 2, 3, 0.1]))
    named = nv.Run(nv.AdaptiveGradient(), max_weight=3)
    named.play([({"a": 5e-324}, label, w) for label, w in zip(y, [1, 2, 3, 0.1], strict=True)])
    assert run.ledger.rounds == named.ledger.rounds == 4
    assert run.ledger.loss == named.ledger.loss


def test_a_largest_weight_makes_a_weighted_run() -> None:
    """Certificates replay the program without weights, so such a run is refused."""
    X, y = program_data(40)
    for weights in (None, np.full(40, 2.0)):
        run = nv.Run(nv.AdaptiveGradient(), max_weight=2).play(nv.stream(X, y, weights=weights))
        assert run.ledger.weighted
        with pytest.raises(nv.HypothesisError, match="expected updates of weight 1"):
            nv.certify(run)
    plain = nv.Run(nv.AdaptiveGradient(), max_weight=1).play(nv.stream(X, y))
    assert nv.verify(nv.certify(plain), nv.stream(X, y)).verified
