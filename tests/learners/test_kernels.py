"""Kernel perceptrons: what is theirs alone. Contracts and twins are those of every learner."""

import itertools
import math
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
import twins
from novikoff.kernels import Points, Supports
from novikoff.kernels.kernel import Custom, as_kernel


def _circles(rounds: int = 200, seed: int = 0) -> tuple[Any, Any]:
    """Whole numbers, inside and outside a circle, with some noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (rounds, 3)).astype(float)
    return X, np.where((X * X).sum(axis=1) + 4 * rng.standard_normal(rounds) > 25, 1, -1)


def _rounds(run: nv.Run) -> list[int]:
    return [int(t) for t in run.ledger.mistake_rounds]


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_a_polynomial_is_the_perceptron_on_its_features(degree: int) -> None:
    """(x·z + c²)^d is the product of all d-fold products of (x, c), which are whole numbers."""
    X, y = _circles()
    base = np.column_stack([X, np.full(len(X), 2.0)])
    factors = itertools.product(range(base.shape[1]), repeat=degree)
    features = np.column_stack([base[:, list(f)].prod(axis=1) for f in factors])
    explicit = nv.play(nv.Perceptron(), nv.stream(features, y), passes=3)
    kernel = nv.play(nv.KernelPerceptron(nv.polynomial(degree, 4.0)), nv.stream(X, y), passes=3)
    assert _rounds(kernel) == _rounds(explicit)
    assert kernel.ledger.radius == pytest.approx(explicit.ledger.radius)
    assert kernel.ledger.mistake_energy == pytest.approx(explicit.ledger.mistake_energy)
    assert kernel.ledger.weight_norm == pytest.approx(explicit.ledger.weight_norm)
    classes = [str(c) for c in (X[:, 0] > 0) + (y > 0) * 1]
    many = nv.play(nv.MulticlassPerceptron(), nv.stream(features, classes))
    ours = nv.MulticlassKernelPerceptron(nv.polynomial(degree, 4.0))
    assert _rounds(nv.play(ours, nv.stream(X, classes))) == _rounds(many)


@pytest.mark.parametrize("kernel", [nv.polynomial(2), nv.rbf(0.1)], ids=["polynomial", "rbf"])
def test_scores_kept_between_passes_change_nothing(kernel: Any) -> None:
    X, y = _circles(700)
    kept = nv.play(nv.KernelPerceptron(kernel), nv.stream(X, y), passes=4)
    anew = nv.Run(nv.KernelPerceptron(kernel))
    for _ in range(4):
        anew.play(nv.stream(X.copy(), y))
    single = nv.Run(nv.KernelPerceptron(kernel))
    for x, label in itertools.chain.from_iterable(zip(X, y, strict=True) for _ in range(4)):
        single.learn(x, label)
    assert _rounds(kept) == _rounds(anew) == _rounds(single)
    assert kept.learner.log.tolist() == single.learner.log.tolist()
    assert len(kept.learner.supports) < kept.mistakes  # a support again adds to its coefficient


def test_rows_written_to_between_passes_are_noticed() -> None:
    X, y = _circles(300)
    stream, run = nv.stream(X, y), nv.Run(nv.KernelPerceptron(nv.polynomial(2)))
    run.play(stream)
    X[::3] = X[::-3]
    run.play(stream)
    other = nv.play(nv.KernelPerceptron(nv.polynomial(2)), nv.stream(*_circles(300)))
    other.play(nv.stream(X.copy(), y))
    assert _rounds(run) == _rounds(other)


def test_the_average_and_the_vote_are_those_of_the_twin() -> None:
    X, y = _circles(80)
    run = nv.play(nv.KernelPerceptron(nv.linear), nv.stream(X, y), passes=2)
    twin = twins.Perceptron()
    rows = [twins.vector(x) for x in X]
    for x, label in [*zip(rows, y, strict=True)] * 2:
        twin.learn(x, int(label))
    average, vote = run.learner.average(), run.learner.vote()
    expected = [float(twins.dot(twin.average(), x)) for x in rows]
    assert average.scores(X) == pytest.approx(expected, abs=1e-12)
    assert vote.scores(X).tolist() == [twin.vote(x) for x in rows]
    assert average.predict(X).tolist() == [twins.sgn(twins.dot(twin.average(), x)) for x in rows]


def test_votes_are_saved_and_speak_labels(tmp_path: Path) -> None:
    X, y = _circles()
    digits = np.where(y > 0, "out", "in")
    run = nv.play(nv.OneVsRestKernelPerceptron(nv.rbf(0.05)), nv.stream(X, digits))
    for h in (run.learner.vote(), run.learner.average()):
        named = h.with_labels(run.labels.known)
        named.save(tmp_path / "h")
        loaded = nv.Hypothesis.load(tmp_path / "h")
        assert loaded.predict(X).tolist() == named.predict(X).tolist()
        assert set(loaded.predict(X)) == {"in", "out"}
        assert pickle.loads(pickle.dumps(named)).scores(X).tolist() == h.scores(X).tolist()


def test_one_against_the_rest_is_a_perceptron_a_class() -> None:
    X, _ = _circles(300)
    classes = (np.abs(X).max(axis=1) // 2).astype(int)
    run = nv.play(nv.OneVsRestKernelPerceptron(nv.polynomial(2)), nv.stream(X, classes))
    for k, label in enumerate(run.labels.known):
        first = int(np.flatnonzero(classes == label)[0])
        alone = nv.KernelPerceptron(nv.polynomial(2))
        own = nv.play(alone, nv.stream(X[first:], np.where(classes[first:] == label, 1, -1)))
        assert run.learner.class_mistakes[k] == own.mistakes


def test_new_classes_take_no_more_room_than_they_need() -> None:
    run = nv.Run(nv.MulticlassKernelPerceptron(nv.linear))
    for k in range(60):
        run.learn([1.0 + k % 3], f"class {k}")
    assert run.learner.nbytes < 100_000


def test_wide_sparse_rows_agree_with_the_perceptron() -> None:
    rng = np.random.default_rng(3)
    X = sp.random_array((120, 40_000), density=0.001, format="csr", rng=rng)
    X.data = np.round(X.data * 8)
    y = np.where(rng.random(120) < 0.5, 1, -1)
    for kernel, bias in ((nv.linear, None), (nv.linear, 2.0)):
        ours = nv.play(nv.KernelPerceptron(kernel, bias=bias), nv.stream(X, y), passes=3)
        assert _rounds(ours) == _rounds(
            nv.play(nv.Perceptron(bias=bias), nv.stream(X, y), passes=3)
        )
    radial = nv.play(nv.KernelPerceptron(nv.rbf(0.001)), nv.stream(X, y), passes=2)
    used = np.unique(X.indices)
    narrow = nv.stream(sp.csr_array(sp.csc_array(X)[:, used]), y)
    assert _rounds(radial) == _rounds(nv.play(nv.KernelPerceptron(nv.rbf(0.001)), narrow, passes=2))
    assert radial.predict(X).tolist() == [radial.hypothesis()(X[[t]]) for t in range(120)]


def test_any_callable_is_a_kernel() -> None:
    X, y = _circles()
    own = nv.KernelPerceptron(lambda x, z: (float(x @ z) + 1) ** 2)
    run = nv.play(own, nv.stream(X, y))
    assert _rounds(run) == _rounds(nv.play(nv.KernelPerceptron(nv.polynomial(2)), nv.stream(X, y)))
    assert run.ledger.radius == pytest.approx(math.sqrt(((X * X).sum(axis=1).max() + 1) ** 2))
    assert nv.bounds(run)[0].holds
    with pytest.raises(nv.HypothesisError, match="expected linear, polynomial or rbf"):
        nv.certify(run)
    with pytest.raises(nv.ParameterError, match="kernel: expected linear, polynomial or rbf to"):
        run.hypothesis().save("nowhere")
    bad = nv.Run(nv.KernelPerceptron(lambda x, z: math.nan))
    with pytest.raises(nv.InputError, match="kernel: expected a finite number, got nan"):
        bad.learn(X[0], -1)
    assert bad.ledger.rounds == 0
    assert len(bad.learner.supports) == 0


def test_near_ties_of_a_callable_are_those_of_its_floats() -> None:
    """1e16 + 1 − 1e16 is 1, whatever the order in which floats would be added."""
    values = {1.0: 1e16, 2.0: 1.0, 3.0: -1e16}
    run = nv.Run(nv.KernelPerceptron(lambda x, z: values.get(x[0], 0.0) if z[0] == 9 else -1.0))
    for x in (1.0, 2.0, 3.0):
        run.learn([x], -1)
    assert run.mistakes == 3
    assert run.learner.predict([9.0]) == -1


@pytest.mark.parametrize("overflow", ["stop", "oldest", "random"])
def test_a_budget_is_kept_and_says_what_it_costs(overflow: Any) -> None:
    X, y = _circles(400)
    budget = nv.Budget(10, overflow, seed=5)
    run = nv.play(nv.KernelPerceptron(nv.polynomial(2), budget=budget), nv.stream(X, y))
    free = nv.play(nv.KernelPerceptron(nv.polynomial(2)), nv.stream(X, y))
    assert len(run.learner.supports) == 10 < len(free.learner.supports)
    full = int(free.learner.log[:, 3][np.unique(free.learner.log[:, 0], return_index=True)[1][9]])
    before = [t for t in _rounds(free) if t <= full]
    assert _rounds(run)[: len(before)] == before
    again = nv.Run(nv.KernelPerceptron(nv.polynomial(2), budget=budget))
    for x, label in zip(X, y, strict=True):
        again.learn(x, label)
    assert _rounds(again) == _rounds(run)
    assert "theorems hold" in run.learner.guarantee
    with pytest.raises(nv.HypothesisError, match="without a budget"):
        nv.bounds(run)
    if overflow != "stop":
        with pytest.raises(nv.HypothesisError, match="expected a learner that keeps its supports"):
            run.learner.average()


def test_a_full_budget_that_stops_stays_as_it_is() -> None:
    X, y = _circles(300)
    run: nv.Run = nv.play(nv.KernelPerceptron(nv.rbf(0.1), budget=7), nv.stream(X, y))
    scores = run.hypothesis().scores(X)
    run.play(nv.stream(X[::-1], y[::-1]))
    again = run.learner.hypothesis()
    assert len(again) == 7
    # Only the coefficients of the seven may have changed, by mistakes on them again.
    assert scores.shape == again.scores(X).shape
    assert {tuple(z) for z in again.supports.dense()[0]} <= {tuple(x) for x in X}


ILLEGAL: dict[str, tuple[Any, int, float]] = {
    "negative square": (lambda x, z: -float(x @ z), 1, -4.0),
    "too large apart": (lambda x, z: 1.0 if x[0] == z[0] else 2.0, 2, -1.0),
    "sigmoid": (lambda x, z: math.tanh(float(x @ z) - 1), 1, math.tanh(-0.75)),
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_illegal_kernels_are_refused_with_the_points(name: str) -> None:
    kernel, count, eigenvalue = ILLEGAL[name]
    points = [[2.0], [0.5], [3.0]] if name != "negative square" else [[2.0]]
    with pytest.raises(nv.IllegalKernelError, match="expected a positive semidefinite") as caught:
        nv.check_kernel(kernel, points)
    error = caught.value
    assert len(error.points) == count
    gram = np.array([[kernel(x, z) for z in error.points] for x in error.points])
    assert np.linalg.eigvalsh(gram)[0] == pytest.approx(error.eigenvalue)
    assert error.eigenvalue == pytest.approx(eigenvalue)
    assert str(error.points[0].tolist()) in str(error)


def test_lopsided_kernels_are_refused_and_legal_ones_pass() -> None:
    points = np.random.default_rng(0).standard_normal((20, 3))
    with pytest.raises(nv.IllegalKernelError, match=r"expected K\(x, z\) = K\(z, x\)"):
        nv.check_kernel(lambda x, z: float(x[0]), points)
    for kernel in (nv.linear, nv.polynomial(3, 0.5), nv.rbf(2.0), lambda x, z: 1.0):
        assert nv.check_kernel(kernel, points) > -1e-9
    with pytest.raises(nv.InputError, match="expected at least one"):
        nv.check_kernel(nv.linear, [])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nv.polynomial(0), "degree: expected a whole number from 1"),
        (lambda: nv.polynomial(2, -1.0), "c: expected a number of at least 0"),
        (lambda: nv.rbf(0), "gamma: expected a positive number"),
        (lambda: nv.KernelPerceptron("rbf"), "kernel: expected nv.linear"),
        (lambda: nv.KernelPerceptron(nv.rbf(1.0), bias=1.0), "bias: expected None unless"),
        (lambda: nv.KernelPerceptron(nv.linear, budget=0), "budget: expected a whole number"),
        (lambda: nv.Budget(3, "newest"), "overflow: expected 'stop'"),  # type: ignore[arg-type]
        (lambda: nv.KernelPerceptron(nv.linear, device="abacus"), "device: expected"),
    ],
)
def test_parameters_are_checked(make: Any, message: str) -> None:
    with pytest.raises(nv.ParameterError, match=message):
        make()


def test_plain_data_make_the_same_kernel() -> None:
    for kernel in (nv.linear, nv.polynomial(3, 0.5), nv.rbf(2.0)):
        assert as_kernel(kernel.plain) == kernel
    assert isinstance(as_kernel(math.dist), Custom)
    assert nv.polynomial(2)([1, 2], [3, 4]) == 144
    assert nv.rbf(0.5)([1, 2], [1, 4]) == pytest.approx(math.exp(-2))


def test_a_linear_kernel_has_the_bounds_of_the_perceptron() -> None:
    X, y = _circles(120)
    kernel = nv.bounds(nv.play(nv.KernelPerceptron(nv.linear, bias=1.0), nv.stream(X, y)))
    linear = nv.bounds(nv.play(nv.Perceptron(bias=1.0), nv.stream(X, y)))
    found = {bound.theorem: bound.value for bound in kernel}
    for bound in linear:
        assert found[bound.theorem] == pytest.approx(bound.value, rel=5e-3)


@pytest.mark.shows("holds", "novikoff", "hinge", "hinge-tight", "freund-schapire", "run")
@pytest.mark.parametrize("kernel", [nv.polynomial(2), nv.rbf(0.5)], ids=["polynomial", "rbf"])
def test_bounds_in_feature_space_are_certified(kernel: Any) -> None:
    X, _ = _circles(60)
    y = np.where((X * X).sum(axis=1) > 20.5, 1, -1)  # separable by either kernel
    run = nv.play(nv.KernelPerceptron(kernel), nv.stream(X, y), passes=3)
    found = nv.bounds(run)
    expected = {"hinge", "hinge-tight", "freund-schapire", "run"}
    assert expected <= {bound.theorem for bound in found} <= {*expected, "novikoff"}
    assert found[-1].theorem == "novikoff" or kernel != nv.rbf(0.5)
    for bound in found:
        certificate = nv.certify(run, theorem=bound.theorem, found=found)
        assert bound.holds
        assert certificate.bound is not None
        assert certificate.bound <= bound.value <= certificate.bound * (1 + 1e-7)
        assert nv.verify(certificate, nv.stream(X, y)).verified


def test_bounds_of_kernels_are_exact_fractions() -> None:
    """The verifier's hinge bound is R²‖w‖² + 2L of the comparator, computed again in fractions."""
    X, y = _circles(50)
    run = nv.play(nv.KernelPerceptron(nv.polynomial(2)), nv.stream(X, y))
    certificate = nv.certify(run, theorem="hinge")
    a = [(t - 1, Fraction(v)) for t, v in certificate.content["evidence"]["a"]]
    rows = [twins.vector(x) for x in X]
    K = twins.polynomial(2, 1.0)
    norm2 = sum((p * q * K(rows[s], rows[t]) for s, p in a for t, q in a), Fraction(0))
    scores = [sum((p * K(rows[s], x) for s, p in a), Fraction(0)) for x in rows]
    losses = [max(Fraction(0), 1 - int(label) * s) for label, s in zip(y, scores, strict=True)]
    value = max(K(x, x) for x in rows) * norm2 + 2 * sum(losses, Fraction(0))
    assert certificate.bound is not None
    assert Fraction(math.nextafter(certificate.bound, 0)) < value <= Fraction(certificate.bound)


def test_too_many_rows_for_a_gram_matrix_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("novikoff.comparators.feature_space.LIMIT", 50)
    run = nv.play(nv.KernelPerceptron(nv.linear), nv.stream(*_circles(60)))
    with pytest.raises(nv.HypothesisError, match="expected at most 50 rows"):
        nv.bounds(run)


class Elsewhere:
    """A device that is NumPy: it shows how often it is asked."""

    def __init__(self) -> None:
        self.grams = 0

    def weighted(self, supports: Supports, x: Points, slots: Any, a: Any) -> Any:
        return supports.tiled(x, slots, a)

    def gram(self, supports: Supports, x: Points) -> Any:
        self.grams += 1
        return np.ascontiguousarray(supports.matrix(x, x))


ODD = {
    "plain": lambda rng: rng.normal(size=(300, 4)),
    "ties": lambda rng: rng.integers(-1, 2, (300, 4)).astype(float),
    "huge": lambda rng: rng.normal(size=(60, 4)) * 1e90,
    "tiny": lambda rng: rng.normal(size=(60, 4)) * 1e-160,
    "mixed": lambda rng: rng.normal(size=(90, 4)) * 10.0 ** rng.integers(-60, 60, (90, 1)),
    "single": lambda rng: rng.normal(size=(300, 4)).astype(np.float32),
}


@pytest.mark.parametrize("device", [None, Elsewhere()])
@pytest.mark.parametrize("budget", [None, 20])
@pytest.mark.parametrize(
    "kind", [nv.KernelPerceptron, nv.MulticlassKernelPerceptron, nv.OneVsRestKernelPerceptron]
)
@pytest.mark.parametrize("name", ODD)
def test_a_chunk_of_rows_is_one_round_after_another(
    name: str, kind: Any, budget: Any, device: Any
) -> None:
    rng = np.random.default_rng(3)
    X = ODD[name](rng)
    y = rng.integers(0, 2 if kind is nv.KernelPerceptron else 4, len(X))
    whole, single = (kind(nv.polynomial(3, 0.5), budget=budget) for _ in range(2))
    whole.supports.device = device
    run, rounds = nv.play(whole, nv.stream(X, y), passes=2), nv.Run(single)
    for _ in range(2):
        for x, label in zip(X, y.tolist(), strict=True):
            rounds.learn(x, label)
    assert whole.log.tolist() == single.log.tolist()
    assert run.ledger.mistake_rounds.tolist() == rounds.ledger.mistake_rounds.tolist()
    assert device is None or device.grams > 0


def test_another_device_has_the_same_supports() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    X, y = _circles(600)
    for kernel in (nv.polynomial(3), nv.rbf(0.1)):
        here = nv.play(nv.KernelPerceptron(kernel), nv.stream(X, y), passes=3)
        there = nv.play(nv.KernelPerceptron(kernel, device="torch"), nv.stream(X, y), passes=3)
        assert there.learner.log.tolist() == here.learner.log.tolist()
        assert there.learner.fresh().device == "torch"


def test_banana_needs_a_kernel(data: Path) -> None:
    if not (data / "banana").is_dir():
        pytest.skip("no banana among the real datasets")
    stream = nv.read(data / "banana" / "banana.gz", format="svmlight")
    radial = nv.play(nv.KernelPerceptron(nv.rbf(1.0)), stream).ledger.error_rate
    straight = nv.play(nv.Perceptron(bias=1.0), stream).ledger.error_rate
    assert radial < 0.16
    assert straight > 0.4


def test_the_experiment_on_digits_runs(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (data / "mnist").is_dir():
        pytest.skip("no mnist among the real datasets")
    monkeypatch.setenv("NOVIKOFF_DATA", str(data))
    from reproductions.freund_schapire import experiment

    half, whole = experiment(2, [0.5, 1], 600, 200, "cpu")
    assert half.mistakes < whole.mistakes
    assert half.supports < whole.supports <= 600
    assert max(whole.averaged, whole.voted) < 0.25
