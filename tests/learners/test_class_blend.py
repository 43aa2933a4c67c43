"""The mixture for many classes is the program of docs/programs_classes.md, to the last bit."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from class_page import CLASSES, Played, assert_played, class_data, class_run, class_state, learned
from cpu_levels import said_on_each_level
from novikoff import _core
from novikoff.learners import ClassBlend, ClassBlendHypothesis
from novikoff.streams import one_row
from program_page import FORMS

TINY, HUGE = 5e-324, 1.7976931348623157e308


@pytest.mark.parametrize("bias", [None, 1.0, -0.25])
@pytest.mark.parametrize("form", FORMS)
def test_blocks_of_every_form_have_the_bits_of_the_page(form: str, bias: float | None) -> None:
    X, y = class_data()
    run = class_run(bias).play(nv.stream(FORMS[form](X), y))
    assert_played(run, Played(X, y, bias))


@pytest.mark.parametrize("classes", [2, 3, 4, 9])
def test_any_number_of_classes_has_the_bits_of_the_page(classes: int) -> None:
    X, y = class_data(60)
    y = y % classes
    assert_played(class_run(1.0, classes).play(nv.stream(X, y)), Played(X, y, classes=classes))


def test_rows_have_the_bits_of_the_page_and_their_probabilities() -> None:
    X, y = class_data()
    expected, run = Played(X, y), class_run()
    for x, label, chances in zip(X, y, expected.chances, strict=True):
        assert run.learner.probability(x).tolist() == chances
        best = chances.index(max(chances))
        if run.ledger.rounds:
            assert run.predict_one(x) == best
        run.learn(x, int(label))
    assert_played(run, expected)


def test_dicts_in_any_order_have_the_bits_of_the_page() -> None:
    X, y = class_data()
    expected, rng, run = Played(X, y, None), np.random.default_rng(1), class_run(None)
    for x, label, chances in zip(X, y, expected.chances, strict=True):
        named = {f"f{j}": float(x[j]) for j in rng.permutation(len(x))}
        if run.ledger.rounds:
            assert run.learner.probability(named).tolist() == chances
        run.learn(named, int(label))
    assert_played(run, expected, [int(name[1:]) for name in run.learner.features.names(7)])


def test_permuted_columns_have_the_same_bits() -> None:
    X, y = class_data()
    order = np.random.default_rng(2).permutation(X.shape[1])
    run = class_run(3.0).play(nv.stream(X[:, order], y))
    assert_played(run, Played(X, y, 3.0), order.tolist())


def test_float32_is_the_same_numbers_in_float64() -> None:
    X, y = class_data()
    narrow = X.astype(np.float32)
    assert_played(class_run().play(nv.stream(narrow, y)), Played(narrow.astype(np.float64), y))


def test_weights_from_0_to_1_have_the_bits_of_the_page() -> None:
    X, y = class_data()
    weights = np.random.default_rng(3).choice([0.0, 0.25, 0.7, 1.0], len(y))
    run = nv.Run(ClassBlend(CLASSES), labels=list(range(CLASSES)), max_weight=1.0)
    run.play(nv.stream(X, y, weights=weights))
    assert_played(run, Played(X, y, weights=weights))
    with pytest.raises(nv.InputError, match=r"from 0 to 1, got 1\.5"):
        run.learner.update(X[0], 1, 1.5)


def test_a_resumed_learner_has_the_bits_of_an_uninterrupted_one() -> None:
    X, y = class_data()
    run = class_run().play(nv.stream(X[:77], y[:77]))
    learner = ClassBlend(CLASSES)
    learner.restore(run.learner.state())
    for x, label in zip(X[77:], y[77:], strict=True):
        learner.update(x, int(label))
    assert class_state(learner) == Played(X, y).state()


PROGRAM = """
import sys
import numpy as np
import novikoff as nv
from novikoff import _core
from novikoff.learners.losses.class_blend import ClassBlend
X = np.load(sys.argv[1])
run = nv.Run(ClassBlend(5), labels=list(range(5))).play(nv.stream(X[:, :-1], X[:, -1].astype(int)))
bits = [array.tobytes().hex() for array in run.learner.core.state().values()]
print(_core.cpu(), *[b or "-" for b in bits], run.ledger.loss)
"""


def test_every_cpu_level_has_the_same_bits(tmp_path: Path) -> None:
    X, y = class_data()
    np.save(tmp_path / "X.npy", np.column_stack([X, y]))
    said = said_on_each_level(PROGRAM, str(tmp_path / "X.npy"))
    names, bits = zip(*(line.split(maxsplit=1) for line in said), strict=True)
    assert names[0] == "baseline"
    assert len(set(bits)) == 1


def test_the_softmax_has_the_bits_of_exp_and_log1p_for_a_million_scores() -> None:
    rng = np.random.default_rng(4)
    scores = rng.standard_normal((50_000, 21)) * 10.0 ** rng.integers(-8, 3, (50_000, 1))
    chances, logs = (part.reshape(scores.shape) for part in _core.program_softmax(scores))
    gaps = np.maximum(scores - scores.max(1, keepdims=True), -300.0)
    powers = _core.program_exp(gaps.ravel()).reshape(gaps.shape)
    lanes = np.zeros((len(scores), 4))
    for k in range(21):
        lanes[:, k % 4] += powers[:, k]
    total = (lanes[:, 0] + lanes[:, 1]) + (lanes[:, 2] + lanes[:, 3])
    assert np.array_equal(chances, powers / total[:, None])
    assert np.array_equal(logs, gaps - _core.program_log1p(total - 1.0)[:, None])


def test_a_width_creates_no_feature() -> None:
    wide = np.zeros((3, 50))
    wide[:, 4] = [1.0, 2.0, -3.0]
    run = class_run(None, 3).play(nv.stream(wide, [1, 0, 2]))
    assert list(class_state(run.learner)["cells"]) == [4]


def test_scaling_columns_by_powers_of_two_changes_no_probability() -> None:
    X, y = class_data()
    scales = 2.0 ** np.random.default_rng(5).integers(-60, 60, X.shape[1])
    h, scaled = (learned(class_run().play(nv.stream(Z, y))) for Z in (X, X * scales))
    assert np.array_equal(h.probabilities(X), scaled.probabilities(X * scales))


def test_the_newton_member_ends_with_the_258th_feature() -> None:
    """It learns up to 257 features, the constant one included, and then predicts 1/C."""
    rng = np.random.default_rng(6)
    rows = np.zeros((9, 300))
    for t, stop in enumerate([100, 200, 256, 256, 256, 257, 257, 300, 300]):
        rows[t, rng.permutation(stop)[:60]] = rng.standard_normal(60)
        rows[t, max(stop - 110, 0) : stop] = rng.standard_normal(min(110, stop))
    y = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    run = class_run(1.0, 3)
    run.play(nv.stream(sp.csr_array(rows[:5]), y[:5]))
    assert len(class_state(run.learner)["w"]) == 257
    assert_played(run, Played(rows[:5], y[:5], classes=3))
    run.play(nv.stream(sp.csr_array(rows[5:]), y[5:]))
    assert not class_state(run.learner)["few"]
    assert_played(run, Played(rows, y, classes=3))


@pytest.mark.parametrize(
    "P", [{(0, 0): 0.5, (0, 1): -1.0, (1, 1): 0.5}, {(0, 0): 0.01, (0, 1): 1.0, (1, 1): 1.0}]
)
def test_a_matrix_that_is_not_positive_starts_again(P: dict[tuple[int, int], float]) -> None:
    """UᵀPu is negative, or a diagonal entry would be: rounding alone hardly ever gets there."""
    X, y = np.array([[1.0, 1.0], [-0.5, 1.0], [0.0, 1.0], [0.0, -0.5]]), [0, 1, 2, 1]
    expected = Played(X[:2], y[:2], None, classes=3)
    expected.program.newton.P = {(i, j): P[min(i, j), max(i, j)] for i in (0, 1) for j in (0, 1)}
    learner = ClassBlend(3, None)
    for x, label in zip(X[:2], y[:2], strict=True):
        learner.update(x, label)
    matrix = np.array([P[0, 0], P[0, 1], P[1, 1]])
    learner.restore(learner.state() | {"newton_matrix": matrix})
    step = [1.0, 1.0] if P[0, 0] == 0.5 else [0.0, 1.0]
    for x, label in zip([step, X[3]], y[2:], strict=True):
        assert learner.probability(x).tolist() == expected.probabilities(x)
        learner.update(x, label)
        expected.program.learn(expected.row(x), label)
        assert class_state(learner) == expected.state()
    assert 0.9 < class_state(learner)["P"][0, 0] <= 1


EXTREMES = [0.0, 1.0, -1.0, TINY, -TINY, 1e-308, 1e-160, 1e160, HUGE, -HUGE, 1e300, -1e-300]
extreme = st.sampled_from(EXTREMES)
rows_and_labels = st.lists(
    st.tuples(st.lists(extreme, min_size=3, max_size=3), st.integers(0, 2)), max_size=12
)


@settings(max_examples=40)
@given(rows_and_labels)
def test_extreme_values_stay_finite_and_have_the_bits_of_the_page(rounds: Any) -> None:
    X, y = [x for x, _ in rounds], [label for _, label in rounds]
    run = class_run(HUGE, 3)
    for x, label in rounds:
        run.learn(x, label)
        chances = run.learner.probability(x)
        assert (chances >= 0).all()
        assert chances.sum() == pytest.approx(1)
    assert_played(run, Played(X, y, HUGE, classes=3))
    assert math.isfinite(run.ledger.loss)
    assert all(np.isfinite(array).all() for array in run.learner.core.state().values())


def test_hypotheses_give_the_probabilities_of_the_page(tmp_path: Path) -> None:
    X, y = class_data()
    run = class_run().play(nv.stream(X, y))
    expected = Played(X, y)
    program = expected.program
    program.shares, program.rates = program.mean_shares, (program.rates[0], program.rates[0])
    h = learned(run)
    assert h.probabilities(X).tolist() == [expected.probabilities(x) for x in X]
    assert h.predict(X).tolist() == h.probabilities(X).argmax(1).tolist()
    assert np.array_equal(h.probabilities(sp.csr_array(X)), h.probabilities(X))
    h.save(tmp_path / "h")
    loaded = nv.Hypothesis.load(tmp_path / "h")
    assert isinstance(loaded, ClassBlendHypothesis)
    assert np.array_equal(loaded.probabilities(X), h.probabilities(X))
    assert repr(loaded) == "ClassBlendHypothesis(7 features, 5 classes)"


def test_blend_becomes_it_for_more_than_two_labels(tmp_path: Path) -> None:
    X, y = class_data()
    names = np.array(["eel", "dog", "cat", "bee", "ant"])[y]
    run = nv.play(nv.Blend(), nv.stream(X, names))
    expected = Played(X, 4 - y)  # labels in order
    assert_played(run, expected)
    chances = zip(sorted(set(names.tolist())), expected.probabilities(X[0]), strict=True)
    found: object = run.probability(X[0])
    assert found == dict(chances)
    run.save(tmp_path / "run")
    loaded = nv.Run.load(tmp_path / "run")
    loaded.play(nv.stream(X, names))
    _assert_state_goes_on(loaded, expected, X, 4 - y)


def _assert_state_goes_on(run: nv.Run, expected: Played, X: Any, y: Any) -> None:
    for x, label in zip(X, y, strict=True):
        expected.program.learn(expected.row(x), int(label))
    assert class_state(run.learner) == expected.state()


def test_hypotheses_speak_the_users_labels_and_leave_out_unknown_features() -> None:
    X, y = class_data()
    names = np.array(["ant", "bee", "cat", "dog", "eel"])
    labels = names.tolist()
    run = nv.Run(ClassBlend(CLASSES), labels=labels).play(nv.stream(X, names[y]))
    h = learned(run)
    assert h.labels == tuple(labels)
    assert h.predict(X).tolist() == [labels[k] for k in h.probabilities(X).argmax(1)]
    unknown = sp.csr_array(np.column_stack([X, np.full(len(X), 1e9)]))
    assert np.array_equal(h.probabilities(unknown), h.probabilities(X))


def test_other_classes_are_refused_by_name() -> None:
    with pytest.raises(nv.InputError, match="expected a class id from 0 to 2, got 3"):
        ClassBlend(3).update([1.0], 3)
    with pytest.raises(nv.ParameterError, match="classes: expected a whole number from 2"):
        ClassBlend(1)
    with pytest.raises(nv.ParameterError, match="labels: expected all 3 of them before the first"):
        nv.Run(ClassBlend(3), labels=["a", "b"])
    learner = ClassBlend(3, None)
    assert learner.core.learn_row(one_row([1.0]).native, 3, _core.Tally(), 1.0) is None
    assert learner.rounds == 0


FORGERIES: dict[str, list[list[Any]]] = {
    "counts": [[-1, 8, 5, 1], [8, 9, 5, 1], [8, 8, 4, 1], [8, 8, 5, 2], [8, 8, 5]],
    "squares": [[-1.0], [math.nan], [0.0], []],
    "base_rate": [[-1.0] * 6, [math.inf] * 6, [1.0] * 5],
    "recent_rate": [[-1.0] * 6, [1.0] * 7],
    "shares": [[0.0, *[1 / 7] * 7], [0.5] * 8, [1 / 7] * 7, [math.nan] * 8],
    "mean_shares": [[0.0, *[1 / 7] * 7], [0.5] * 8],
    "stack_weights": [[math.inf] * 7, [0.0] * 6, [1e300] * 7],
    "stack_matrix": [[0.0] * 49, [math.nan] * 49, [3.0] * 49, [3.0] * 48],
    "features": [
        [0.0] * 6,
        [math.nan] * 48,
        [1.0, 1.0, -1.0, 0.0, 0.0, 1.0] * 8,
        [1.0, 2.0, 0.0, 0.0, 0.0, 1.0] * 8,
        [1.0, 1.0, 0.0, 0.0, 0.0, 2.0] * 8,
        [1.0] * 47,
    ],
    "weights": [[math.nan] * 160, [1e300] * 160, [1.0] * 159],
    "newton_features": [[0] * 8, list(range(8)), [-1, 0]],
    "newton_matrix": [[0.0] * 36, [2.0] * 36, [math.nan] * 36, [1.0] * 35],
    "newton_weights": [[math.nan] * 40, [0.0] * 39],
}


@pytest.mark.parametrize(
    ("name", "values"), [(name, values) for name, all_ in FORGERIES.items() for values in all_]
)
def test_a_state_that_no_run_leaves_is_refused(name: str, values: list[Any]) -> None:
    X, y = class_data(8)
    learner = class_run().play(nv.stream(X + 1, y)).learner
    state = learner.state()
    kind = np.int64 if name in ("counts", "newton_features") else np.float64
    before = class_state(learner)
    with pytest.raises(ValueError, match="saved state"):
        learner.restore(state | {name: np.array(values, kind)})
    assert class_state(learner) == before
