"""Each member of Blend is a learner of its own: the page's bits, and those it has in Blend."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from novikoff import _core
from novikoff.learners import LogisticLearner
from novikoff.streams import as_block
from program_page import program_page

BIAS = 1.0
MEMBERS: dict[int, Callable[[], LogisticLearner]] = {
    0: lambda: nv.CoinBetting(bias=BIAS),
    4: lambda: nv.NormalizedGradient(0.5, bias=BIAS),
    5: lambda: nv.NormalizedGradient(2.0, bias=BIAS),
    6: lambda: nv.Arow(bias=BIAS),
    7: lambda: nv.BaseRate(bias=BIAS),
    8: lambda: nv.BaseRate(0.9375, bias=BIAS),
    9: lambda: nv.OnlineNewton(bias=BIAS),
}
"""By their places in Blend."""
every_member = pytest.mark.parametrize("place", MEMBERS)


def _program(learner: LogisticLearner) -> Any:
    page = program_page()
    return page.Alone(getattr(page, type(learner).__name__)(*learner.constants.values()))


def _row(x: Any) -> dict[int, float]:
    return dict(enumerate(np.asarray(x, np.float64).tolist())) | {-1: BIAS}


def _data(rounds: int = 150, features: int = 9, seed: int = 0) -> tuple[Any, Any]:
    """Columns on scales far apart, half of the values 0, some larger than all before."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, features)) * 10.0 ** rng.integers(-4, 5, features)
    X *= rng.random(X.shape) < 0.5
    X[rng.random(X.shape) < 0.02] *= 10.0 ** rng.integers(1, 9)
    y = np.where(X @ rng.standard_normal(features) + rng.standard_normal(rounds) >= 0, 1, -1)
    return X, y


DATA = {
    "scales": _data(),
    "plain": (
        np.random.default_rng(1).standard_normal((150, 4)),
        np.where(np.random.default_rng(2).random(150) < 0.3, 1, -1),
    ),
    "wide": (
        sp.random_array((60, 300), density=0.2, rng=np.random.default_rng(3)).toarray(),
        np.where(np.random.default_rng(4).random(60) < 0.5, 1, -1),
    ),
    "extreme": (
        10.0 ** np.random.default_rng(5).integers(-300, 300, (60, 3)),
        np.where(np.arange(60) % 3 == 0, 1, -1),
    ),
}
FORMS: dict[str, Callable[[Any], Any]] = {
    "dense": lambda X: X,
    "csr": sp.csr_array,
    "float32": lambda X: X.astype(np.float32),
}


@every_member
@pytest.mark.parametrize("data", DATA)
def test_rounds_have_the_bits_of_the_page(place: int, data: str) -> None:
    X, y = DATA[data]
    run = nv.Run(MEMBERS[place]())
    learner, program = run.learner, _program(run.learner)
    mistakes = []
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True), 1):
        if data == "wide" and place == 9 and t > 2:
            break  # beyond 128 features
        if t > 1:
            assert learner.score(x) == program.member.score(_row(x))
        if program.learn(_row(x), label) != label:
            mistakes.append(t)
        run.learn(x, label)
    assert run.ledger.loss == program.loss + program.loss_rest
    assert run.ledger.mistake_rounds.tolist() == mistakes


@every_member
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("data", ["scales", "plain", "wide"])
def test_alone_it_scores_as_in_blend(place: int, data: str, form: str) -> None:
    """Play blocks of many rows and compare its scores with those it has inside Blend."""
    X, y = DATA[data]
    X = FORMS[form](X)
    if data == "wide" and place == 9:
        X = X[:, :90]  # at most 129 features
    alone, blend = MEMBERS[place](), nv.Blend(bias=BIAS)
    for start in range(0, len(y), 50):
        nv.play(alone, nv.stream(X[start : start + 50], y[start : start + 50]))
        nv.play(blend, nv.stream(X[start : start + 50], y[start : start + 50]))
        found, done = blend.core.member_scores(as_block(X).native)
        assert done == len(y)
        assert np.array_equal(found.reshape(-1, 11)[:, place], alone.hypothesis().scores(X))


@every_member
def test_dicts_in_any_order_score_as_in_blend(place: int) -> None:
    X, y = DATA["scales"]
    rng = np.random.default_rng(1)
    alone, blend = nv.Run(MEMBERS[place]()), nv.Run(nv.Blend(bias=BIAS))
    for x, label in zip(X, y.tolist(), strict=True):
        blend.learn({f"f{j}": float(v) for j, v in enumerate(x)}, label)
        alone.learn({f"f{j}": float(x[j]) for j in rng.permutation(len(x))}, label)
    columns = [int(name[1:]) for name in blend.learner.features.names(X.shape[1])]
    rows = sp.csr_array(X[:, columns])
    found, _ = blend.learner.core.member_scores(as_block(rows).native)
    named = [{f"f{j}": float(v) for j, v in enumerate(x)} for x in X]
    assert found.reshape(-1, 11)[:, place].tolist() == [alone.learner.score(x) for x in named]


@every_member
def test_hypotheses_score_as_their_learners(place: int, tmp_path: Path) -> None:
    X, y = DATA["scales"]
    run = nv.play(MEMBERS[place](), nv.stream(X[:100], y[:100]))
    h = run.hypothesis()
    scores = [run.learner.score(x) for x in X]
    assert isinstance(h, nv.ProgramHypothesis)
    assert h.scores(X).tolist() == scores
    assert h.probabilities(X).tolist() == [run.probability(x) for x in X]
    h.save(tmp_path / "h")
    loaded = nv.ProgramHypothesis.load(tmp_path / "h")
    assert loaded.program == run.learner.program
    assert loaded.scores(X).tolist() == scores
    linear = place not in (7, 8, 9)
    if linear:  # as long as no |x| exceeds what was learned from
        assert h.scores(X[:100]) == pytest.approx(X[:100] @ h.w + h.bias_weight, rel=1e-9)
        assert h.weights() == {j: h.w[j] for j in np.flatnonzero(h.w)}
        assert h.top(2)[0][1] == h.w[np.argmax(np.abs(h.w))]


EXTREMES = [0.0, 5e-324, -1e-300, 1e-10, 1.0, -3.0, 1e10, -1e150, 1.7976931348623157e308]


@every_member
@given(
    rounds=st.lists(
        st.tuples(st.lists(st.sampled_from(EXTREMES), min_size=3, max_size=3), st.booleans()),
        max_size=30,
    )
)
def test_no_values_make_it_non_finite(place: int, rounds: list[tuple[list[float], bool]]) -> None:
    run = nv.Run(MEMBERS[place]())
    program = _program(run.learner)
    for x, up in rounds:
        run.learn(x, 1 if up else -1)
        program.learn(_row(x), 1 if up else -1)
        assert 0 <= run.probability(x) <= 1
    assert run.ledger.loss == program.loss + program.loss_rest
    assert math.isfinite(run.ledger.loss)
    assert math.isfinite(run.learner.weight_norm)
    again = run.learner.fresh()
    again.restore(run.learner.state())
    if rounds:
        assert again.score(rounds[0][0]) == run.learner.score(rounds[0][0])


def test_the_base_rate_is_the_estimate_of_krichevsky_and_trofimov() -> None:
    run = nv.Run(nv.BaseRate(), labels=("no", "yes"))
    for positives, label in enumerate(["yes"] * 6):
        assert run.probability((0,)) == pytest.approx((positives + 0.5) / (positives + 1))
        run.learn((0,), label)


def _wide(count: int) -> dict[str, float]:
    return {f"f{j}": 1.0 for j in range(count)}


def test_online_newton_refuses_a_feature_too_many_and_nothing_changes() -> None:
    """A named, a sparse, a dense row, or a row in the middle of a block; then it goes on."""
    run = nv.Run(nv.OnlineNewton(bias=1.0))
    run.learn(_wide(128), 1)
    before = run.learner.state()
    refused = r"x: expected at most 129 features .*, got more\. OnlineNewton keeps a matrix"
    with pytest.raises(nv.InputError, match=refused):
        run.learn(_wide(129), -1)
    with pytest.raises(nv.InputError, match=refused):
        run.learner.update(_wide(129), -1)
    after = run.learner.state()
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert run.ledger.rounds == 1
    run.learn(_wide(128) | {"new": 0.0}, -1)
    assert run.ledger.rounds == 2


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_online_newton_names_the_round_of_a_block(form: Callable[[Any], Any]) -> None:
    X = np.zeros((10, 200))
    X[:, :5] = 1
    X[6, :130] = 2
    run = nv.Run(nv.OnlineNewton())
    with pytest.raises(nv.InputError, match="round 7: expected at most 129 features"):
        run.play(nv.stream(form(X), [1, -1] * 5))
    assert run.ledger.rounds == 6
    whole = nv.play(nv.OnlineNewton(), nv.stream(form(X[:6]), [1, -1] * 3))
    assert run.learner.score(X[0]) == whole.learner.score(X[0])
    X[6, 129] = 0
    run.play(nv.stream(form(X[6:]), [1, -1] * 2))
    assert run.ledger.rounds == 10


def test_online_newton_names_the_line_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    rows = [(1, 3), (-1, 129), (1, 131)]
    lines = [{"label": label} | {f"w{j}": 1 for j in range(count)} for label, count in rows]
    path.write_text("\n".join(map(json.dumps, lines)))
    run = nv.Run(nv.OnlineNewton())
    with pytest.raises(nv.InputError, match=r"data\.jsonl:3: expected at most 129 features"):
        run.play(nv.read(path))
    assert run.ledger.rounds == 2


def test_parameters_that_no_program_has_are_refused_by_name() -> None:
    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: nv.Arow(2.0), "r: expected 1, the only one"),
        (lambda: nv.Arow(matrix="full"), "matrix: expected 'diagonal', got 'full'"),  # type: ignore[arg-type]
        (lambda: nv.BaseRate(0.0), "keep: expected a number above 0 and at most 1"),
        (lambda: nv.BaseRate(math.nan), "keep: expected a number above 0 and at most 1"),
        (lambda: nv.NormalizedGradient(0), r"rate: expected a number from 2\*\*-20"),
        (lambda: nv.CoinBetting("hinge"), "loss: expected 'logistic'"),  # type: ignore[arg-type]
        (lambda: nv.OnlineNewton("hinge"), "loss: expected 'logistic'"),  # type: ignore[arg-type]
    ]
    for make, message in refused:
        with pytest.raises(nv.ParameterError, match=message):
            make()


def test_a_core_rule_refuses_constants_that_no_learner_has() -> None:
    for keep in (0.0, -1.0, 1.5, math.nan):
        with pytest.raises(ValueError, match="saved state"):
            _core.BaseRate(0.0, keep)
    with pytest.raises(ValueError, match="saved state"):
        _core.NormalizedGradient(0.0, math.inf)


@pytest.mark.parametrize(
    ("place", "name", "values"),
    [
        (0, "cells", [0.0, 1.0, 0.0, 0.0]),
        (0, "cells", [1.0, -1.0, 0.0, 0.0]),
        (0, "cells", [1.0, 1.0, 0.0, -1.0]),
        (0, "cells", [1.0, 1.0, 0.0]),
        (4, "cells", [1.0, 0.0, -1.0]),
        (4, "totals", [1.0]),
        (4, "totals", [1.0, -1.0]),
        (6, "cells", [1.0, 0.0, 2.0]),
        (6, "cells", [1.0, 1e7, 1.0]),
        (6, "cells", [math.nan, 0.0, 1.0]),
        (7, "totals", [1.0, math.inf]),
        (9, "newton_first", [1.0]),
    ],
)
def test_a_state_that_no_run_leaves_is_refused(place: int, name: str, values: list[float]) -> None:
    learner = MEMBERS[place]()
    with pytest.raises(ValueError, match="saved state"):
        learner.restore(learner.state() | {name: np.array(values)})


@every_member
def test_weights_of_rounds_are_those_of_the_page(place: int) -> None:
    """A run divides a weight by the largest one; the page's v scales g and the loss."""
    X, y = DATA["scales"]
    weights = np.random.default_rng(9).choice([0.0, 0.5, 1.0, 3.0, 4.0], len(y))
    run = nv.Run(MEMBERS[place](), max_weight=4.0)
    run.play(nv.stream(X, y, weights=weights))
    program = _program(run.learner)
    for x, label, weight in zip(X, y.tolist(), weights.tolist(), strict=True):
        program.learn(_row(x), label, weight / 4)
    assert run.ledger.loss == 4 * (program.loss + program.loss_rest)
    assert [run.learner.score(x) for x in X] == [program.member.score(_row(x)) for x in X]


@every_member
def test_weights_without_a_largest_one_are_refused_by_name(place: int) -> None:
    with pytest.raises(nv.InputError, match="max_weight"):
        nv.Run(MEMBERS[place]()).learn((1.0,), 1, 2.0)


def test_a_forged_number_of_features_takes_no_memory() -> None:
    """Two members keep no cell per feature, so that a small file may name many of them."""
    rounds = [([1.0], 1), ([2.0], -1)]
    for learner in (nv.BaseRate(), nv.OnlineNewton()):
        found = nv.play(learner, rounds).learner.hypothesis()
        assert isinstance(found, nv.ProgramHypothesis)
        state = found.state | {"dimension": np.array([2**31 - 1])}
        wide = nv.ProgramHypothesis(found.program, found.constants, state)
        assert wide.dimension == 2**31 - 1
