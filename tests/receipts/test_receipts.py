"""Receipts: bounds that hold, comparators worth their name, certificates that verify."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff.receipts.certificates import sealed

LINEAR = {"hinge", "hinge-tight", "freund-schapire", "run"}


def _noisy(rounds: int = 400, d: int = 8, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, d))
    return X, np.where(X @ rng.standard_normal(d) + rng.standard_normal(rounds) >= 0, 1, -1)


def _separable(rounds: int = 300, d: int = 6, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(d)
    X = rng.standard_normal((rounds, d))
    X = X[np.abs(X @ w) > 0.5]
    return X, np.where(X @ w >= 0, 1, -1)


@pytest.mark.parametrize(
    "make",
    [
        nv.Perceptron, nv.AveragedPerceptron, nv.VotedPerceptron,
        lambda: nv.Perceptron(ties="mistake", bias=-0.7), lambda: nv.VotedPerceptron(bias=2.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("passes", [1, 3])
def test_every_bound_holds_and_every_certificate_verifies(make: Any, passes: int) -> None:
    X, y = _noisy()
    stream = nv.stream(X, y)
    run = nv.play(make(), stream, passes=passes)
    found = nv.bounds(run)
    assert {bound.theorem for bound in found} == LINEAR
    assert [b.value for b in found] == sorted(b.value for b in found)
    for bound in found:
        assert bound.holds
        certificate = nv.certify(run, theorem=bound.theorem)
        assert certificate.bound is not None
        assert certificate.bound <= bound.value <= certificate.bound * (1 + 1e-9)
        assert nv.verify(certificate, stream).verified
    best = nv.certify(run)
    assert best.theorem == next(b.theorem for b in found if b.theorem != "run")


def test_hinge_is_the_soft_margin_machine() -> None:
    """min_w R²‖w‖² + 2L = 2R² · (the soft-margin problem at C = 1/R²), by another's solver."""
    svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is the peer compared with")
    X, y = _noisy()
    run = nv.play(nv.Perceptron(), nv.stream(X, y))
    found = next(bound for bound in nv.bounds(run) if bound.theorem == "hinge")
    r2 = float((X * X).sum(axis=1).max())
    peer = svm.LinearSVC(
        loss="hinge", C=1 / r2, fit_intercept=False, tol=1e-8, max_iter=1_000_000, random_state=0
    ).fit(X, y)
    w = peer.coef_[0]
    best = r2 * w @ w + 2 * np.maximum(0, 1 - y * (X @ w)).sum()
    assert found.value == pytest.approx(best, rel=2e-3)
    assert found.gap is not None
    assert found.value - found.gap <= best * (1 + 1e-9)


def test_tighter_theorems_are_tighter() -> None:
    X, y = _noisy(seed=3)
    values = {b.theorem: b.value for b in nv.bounds(nv.play(nv.Perceptron(), nv.stream(X, y)))}
    assert values["hinge-tight"] <= values["hinge"] * (1 + 1e-9)
    assert values["run"] < values["hinge-tight"]


def test_separable_rounds_have_a_margin() -> None:
    X, y = _separable()
    stream = nv.stream(X, y)
    run = nv.play(nv.Perceptron(), stream, until_clean=True)
    found = {bound.theorem: bound for bound in nv.bounds(run)}
    assert found["novikoff"].holds
    w = np.zeros(X.shape[1])
    for j, v in found["novikoff"].comparator["w"]:
        w[j] = v
    margin = (y * (X @ w)).min() / np.linalg.norm(w)
    assert found["novikoff"].value == pytest.approx((np.linalg.norm(X, axis=1).max() / margin) ** 2)
    certificate = nv.certify(run, theorem="novikoff")
    assert nv.verify(certificate, stream).verified


@pytest.mark.parametrize("d", [1, 2, 10, 49, 289])  # in plain floats 2 and 10 come out less
def test_on_unit_vectors_the_bound_is_the_number_of_mistakes(d: int) -> None:
    rounds = [(([j], [1.0]), -1) for j in range(d)]
    run = nv.play(nv.Perceptron(), rounds)
    assert run.mistakes == d
    least = nv.bounds(run)[0]
    assert math.floor(least.value) == d
    certificate = nv.certify(run)
    assert certificate.bound is not None
    assert math.floor(certificate.bound) == d


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0]), min_size=2, max_size=2),
            st.sampled_from([-1, 1]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_bounds_hold_for_any_rounds(rounds: Any) -> None:
    run = nv.play(nv.Perceptron(), rounds)
    for bound in nv.bounds(run):
        assert bound.holds, bound


def test_forms_of_the_data_give_the_same_receipt() -> None:
    X, y = _noisy(150)
    X = np.where(np.abs(X) < 0.6, 0.0, X)
    named = [
        ({f"f{j}": v for j, v in enumerate(x) if v}, int(t)) for x, t in zip(X, y, strict=True)
    ]
    values = []
    for stream in (nv.stream(X, y), nv.stream(sp.csr_array(X), y), named):
        run = nv.play(nv.Perceptron(), stream)
        values.append({b.theorem: b.value for b in nv.bounds(run)})
        assert nv.verify(nv.certify(run), stream).verified
    for other in values[1:]:
        for theorem in ("hinge", "hinge-tight", "freund-schapire"):
            assert other[theorem] == pytest.approx(values[0][theorem], rel=5e-3)


def test_multiclass_and_minnow_have_receipts() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5))
    stream = nv.stream(X, np.array(["red", "green", "blue"])[np.argmax(X[:, :3], axis=1)])
    run: nv.Run = nv.play(nv.MulticlassPerceptron(bias=0.5), stream)
    found = nv.bounds(run)
    assert {b.theorem for b in found} >= LINEAR
    assert all(b.holds for b in found)
    assert nv.verify(nv.certify(run), stream).verified
    X, y = _separable()
    for learner in (nv.BalancedMinnow(0.02), nv.BalancedMinnow(0.02, bias=1.0)):
        stream = nv.stream(X, y)
        run = nv.play(learner, stream)
        found = nv.bounds(run)
        assert found
        assert all(b.holds for b in found)
        assert nv.verify(nv.certify(run), stream).verified


def test_what_cannot_be_bounded_says_why() -> None:
    X, y = _noisy()
    stream = nv.stream(X, y)
    with pytest.raises(nv.HypothesisError, match="ModifiedPerceptron"):
        nv.bounds(nv.play(nv.ModifiedPerceptron(0.1), stream))
    with pytest.raises(nv.HypothesisError, match="weighted"):
        nv.bounds(nv.play(nv.Perceptron(), nv.stream(X, y, weights=np.full(len(y), 2.0))))
    run = nv.Run(nv.Perceptron())
    for x, t in zip(X, y, strict=True):
        run.learn(x, t)
    with pytest.raises(nv.InputError, match=r"bounds\(run, stream\)"):
        nv.bounds(run)
    assert nv.bounds(run, stream)
    with pytest.raises(nv.HypothesisError, match="of the run's 400 rounds"):
        nv.bounds(run, nv.stream(X[:399], y[:399]))
    once = nv.play(nv.Perceptron(), zip(X, y, strict=True))
    with pytest.raises(nv.InputError, match="used up by its first pass"):
        nv.bounds(once)
    with pytest.raises(nv.HypothesisError, match="novikoff to apply"):
        nv.certify(run, stream, theorem="novikoff")
    with pytest.raises(nv.ParameterError, match="theorem: expected one of"):
        nv.certify(run, stream, theorem="nonsense")


def test_other_rounds_than_those_played_are_found_out() -> None:
    X, y = _noisy()
    run = nv.play(nv.Perceptron(), nv.stream(X, y))
    flipped = y.copy()
    flipped[100] *= -1
    for ask in (nv.certify, nv.bounds):
        with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
            ask(run, nv.stream(X, flipped))


def test_progress_is_told_and_may_stop_the_search() -> None:
    X, y = _noisy()
    run = nv.play(nv.Perceptron(), nv.stream(X, y))
    told: list[float] = []
    nv.bounds(run, progress=told.append)
    assert told == sorted(told)
    assert told

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    early = nv.bounds(run, progress=stop)
    assert {bound.theorem for bound in early} == LINEAR
    assert all(bound.holds for bound in early)


@pytest.mark.parametrize("bias", [None, 1.5])
def test_margins_are_certified(bias: float | None) -> None:
    pytest.importorskip("highspy", reason="the extra margin is not installed")
    X, y = _separable()
    found = nv.margin(X, y, bias=bias)
    assert found.separable
    certificate = nv.certify(found, nv.stream(X, y))
    assert certificate.theorem == "separable"
    assert nv.verify(certificate, nv.stream(X, y)).verified
    words = np.where(y > 0, "up", "down")
    named = nv.margin(X, words, positive="up", bias=bias)
    stream = nv.stream(X, words, positive="up")
    assert nv.verify(nv.certify(named, stream), stream).verified
    rows = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    stream = nv.stream(rows, [1, 1, -1, -1])
    neither = nv.margin(rows, [1, 1, -1, -1], bias=bias)
    assert neither.separable is False
    certificate = nv.certify(neither, stream)
    assert certificate.theorem == "not separable"
    assert nv.verify(certificate, stream).verified
    assert not nv.verify(certificate, nv.stream(rows, [1, 1, 1, -1])).verified


def test_novikoffs_comparator_is_the_widest() -> None:
    pytest.importorskip("highspy", reason="the extra margin is not installed")
    X, y = _separable(seed=5)
    run = nv.play(nv.Perceptron(), nv.stream(X, y), until_clean=True)
    found = {bound.theorem: bound.value for bound in nv.bounds(run)}
    assert found["novikoff"] == pytest.approx(nv.margin(X, y).bound, rel=1e-6)


@pytest.mark.parametrize("bits", [1, 2, 10])
def test_hashed_names_are_bounded_as_they_were_played(bits: int) -> None:
    rows = [({name: 1.0}, y) for name, y in zip("abcd" * 3, [1, -1] * 6, strict=True)]
    run = nv.play(nv.Perceptron(hashing=nv.Hashing(bits)), rows)
    assert all(bound.holds for bound in nv.bounds(run))
    certificate = nv.certify(run)
    assert nv.verify(certificate, rows).verified
    plain = nv.play(nv.Perceptron(), rows)
    forged = nv.certify(plain).content | {"learner": certificate.content["learner"]}
    if plain.mistakes != run.mistakes:
        assert not nv.verify(sealed(forged), rows).verified


def test_rows_of_zeros_and_large_rates_are_answered() -> None:
    for learner in (nv.Minnow(0.1), nv.BalancedMinnow(0.1), nv.MulticlassPerceptron()):
        run = nv.play(learner, nv.stream(np.zeros((3, 2)), [0, 1, 0]))
        assert all(bound.holds for bound in nv.bounds(run))
    run = nv.play(nv.Minnow(1.0), nv.stream([[800.0, -800.0], [800.0, 0.0]], [1, 1]))
    assert [(bound.theorem, bound.value) for bound in nv.bounds(run)] == [("minnow-hinge", 2.0)]
    huge = nv.play(nv.Perceptron(), nv.stream([[1e100, 0.0], [0.0, 1.0]], [1, -1]))
    assert nv.bounds(huge)[0].value <= 4


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (nv.bounds, "run: expected a Run, got 3."),
        (nv.certify, "run: expected a Run or a Margin, got 3."),
        (
            lambda x: nv.verify(x, []),
            "certificate: expected a Certificate, got 3. Load it: Certificate.load.",
        ),
    ],
    ids=["bounds", "certify", "verify"],
)
def test_what_is_no_run_is_refused_by_name(ask: Any, said: str) -> None:
    with pytest.raises(nv.ParameterError) as error:
        ask(3)
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("scale", "form"),
    [(scale, np.asarray) for scale in (1e20, 1e100, 1e-100, 1e300, 1e-300, 2.0**-1060)]
    + [(scale, sp.csr_array) for scale in (1e300, 2.0**-1060)],
)
def test_the_scale_of_the_features_changes_no_bound(scale: float, form: Any) -> None:
    for X, y in (_noisy(200), _separable(200)):
        plain = nv.play(nv.Perceptron(bias=0.5), nv.stream(form(X), y))
        stream = nv.stream(form(X * scale), y)
        run = nv.play(nv.Perceptron(bias=0.5 * scale), stream)
        expected = {bound.theorem: bound for bound in nv.bounds(plain)}
        found = {bound.theorem: bound for bound in nv.bounds(run)}
        assert set(found) == set(expected)
        for theorem, bound in found.items():
            assert bound.holds
            if scale > 1e-305:  # where neither x is rounded nor w beyond every float
                assert bound.value == pytest.approx(expected[theorem].value, rel=5e-3)
                assert (bound.gap or 0.0) <= 0.01 * bound.value
            certificate = nv.certify(run, theorem=theorem)
            assert nv.verify(certificate, stream).verified
            assert certificate.bound is not None
            assert certificate.bound <= bound.value <= certificate.bound * (1 + 1e-9)


@pytest.mark.parametrize(("large", "small"), [(1e100, 1e-300), (1e40, 1e-320), (1e200, 1e-200)])
def test_scales_that_no_power_of_two_brings_together_are_bounded(
    large: float, small: float
) -> None:
    for X, y in (_noisy(60), _separable(60)):
        X[:, 0::2] *= large
        X[:, 1::2] *= small
        stream = nv.stream(X, y)
        run = nv.play(nv.Perceptron(), stream)
        found = nv.bounds(run)
        assert {bound.theorem for bound in found} >= LINEAR
        assert all(bound.holds for bound in found)
        assert nv.verify(nv.certify(run), stream).verified


def test_a_stream_of_fewer_features_is_not_the_one_played() -> None:
    run = nv.play(nv.Perceptron(), nv.stream(np.array([[0.0, 1.0], [0.0, 1.0]]), [1, -1]))
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(run, nv.stream(np.array([[1.0], [1.0]]), [1, -1]))


@pytest.mark.parametrize("bias", [None, -2.5, 1e-100])
@pytest.mark.parametrize("X", [[[-2e-100, 0.0], [2e-100, 1e-100]], [[0.0, -1e150], [2e-300, 0.0]]])
def test_rows_at_the_ends_of_the_floats_are_bounded(bias: float | None, X: Any) -> None:
    stream = nv.stream(np.array(X), [-1, 1])
    for learner in (nv.Perceptron(bias=bias), nv.Minnow(0.5, bias=bias)):
        run = nv.play(learner, stream)
        assert all(bound.holds for bound in nv.bounds(run))
        assert nv.verify(nv.certify(run), stream).verified


def test_a_separable_stream_is_found_so_after_one_pass() -> None:
    """Also where neither the learner nor the best comparators of the other theorems separate it."""
    rng = np.random.default_rng(4)
    X = (rng.random((600, 30)) < 0.2).astype(float)
    w = rng.standard_normal(30)
    X = X[np.abs(X @ w) > 0.4]
    y = np.where(X @ w > 0, 1, -1)
    run = nv.play(nv.Perceptron(), nv.stream(X, y))
    assert (run.hypothesis().predict(X) != y).any()
    assert "novikoff" in {bound.theorem for bound in nv.bounds(run)}
