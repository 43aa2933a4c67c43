"""Kernel learners after an exception or a file: they agree with their ledgers, and go on."""

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff.errors import InputError, ParameterError
from novikoff.kernels import Supports

RNG = np.random.default_rng(5)
X = RNG.normal(size=(70, 3))
Y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
CLASSES = np.array(["a", "b", "c", "d"])[(Y + 1) // 2 + 2 * (X[:, 2] > 0)]
LEARNERS: dict[str, Any] = {
    "two labels": lambda: nv.KernelPerceptron(nv.polynomial(2)),
    "classes": lambda: nv.MulticlassKernelPerceptron(nv.polynomial(2)),
    "one against the rest": lambda: nv.OneVsRestKernelPerceptron(nv.polynomial(2)),
    "oldest": lambda: nv.KernelPerceptron(nv.polynomial(2), budget=nv.Budget(8, "oldest")),
    "random": lambda: nv.KernelPerceptron(nv.polynomial(2), budget=nv.Budget(8, "random")),
}
METHODS = ["put", "absorb", "columns", "_reserve", "matrix", "scores", "grow"]


def interrupted(monkeypatch: Any, method: Any, call: Any) -> None:
    """Let this call of a method of the supports end in Ctrl-C, after its work is done."""
    real, calls = getattr(Supports, method), iter(range(1, 10**9))

    def replaced(self: Any, *arguments: Any) -> Any:
        found = real(self, *arguments)
        if next(calls) == call:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Supports, method, replaced)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", LEARNERS)
def test_an_interrupted_run_goes_on_as_if_it_had_not_been(
    monkeypatch: Any, name: Any, method: Any
) -> None:
    labels = CLASSES if LEARNERS[name]().multiclass else Y
    whole = nv.play(LEARNERS[name](), nv.stream(X, labels), passes=2)
    for call in (1, 2, 9):
        run, stream = nv.Run(LEARNERS[name]()), nv.stream(X, labels)
        with monkeypatch.context() as patch:
            interrupted(patch, method, call)
            with contextlib.suppress(KeyboardInterrupt):
                run.play(stream, passes=2)
        done = run.ledger.rounds
        assert run.learner.rounds == done
        rest = np.arange(done, 2 * len(X)) % len(X)
        if len(rest):
            run.play(nv.stream(X[rest], labels[rest]))
        assert run.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()
        assert run.learner.coefficients.tolist() == whole.learner.coefficients.tolist()


def test_a_norm_beyond_floats_is_infinite() -> None:
    one = nv.play(nv.KernelPerceptron(nv.linear), nv.stream([[1e200]], [-1]))
    assert one.learner.weight_norm == np.inf


@pytest.mark.parametrize("value", [10**400, np.complex128(1), float("nan"), None, 1j])
def test_a_kernel_returns_a_finite_number(value: Any) -> None:
    with pytest.raises(InputError, match="kernel: expected a finite number"):
        nv.play(nv.KernelPerceptron(lambda x, z: value), nv.stream([[1.0]], [-1]))


def test_numbers_no_float_can_hold_are_refused() -> None:
    with pytest.raises(ParameterError, match="c: expected"):
        nv.polynomial(2, 10**400)
    with pytest.raises(ParameterError, match="gamma: expected"):
        nv.rbf(10**400)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (5, "vectors of numbers"),
        ([["a"]], "vectors of numbers"),
        ([[1], [1, 2]], "vectors of one length"),
        ([[[1.0]]], "vectors of one length"),
        ([[float("nan")]], "finite numbers"),
        ([[1e200]], "within float64"),
    ],
    ids=["number", "texts", "lengths", "matrix", "nan", "huge"],
)
def test_a_kernel_is_checked_on_vectors_of_finite_numbers(points: Any, message: Any) -> None:
    with pytest.raises(InputError, match=message):
        nv.check_kernel(nv.polynomial(2), points)


@pytest.mark.parametrize(("column", "value"), [(0, 9), (1, 1), (2, 5), (3, -1), (3, 999)])
def test_steps_that_do_not_make_the_coefficients_are_refused(column: int, value: int) -> None:
    learner = nv.play(nv.KernelPerceptron(nv.linear), nv.stream([[1.0], [-1.0]], [-1, 1])).learner
    state = learner.state()
    learner.fresh().restore(state)
    state["log"][0, column] = value
    with pytest.raises(ValueError, match="steps"):
        learner.fresh().restore(state)


@pytest.mark.parametrize("labels", [(), ("no", "yes")])
def test_a_saved_vote_of_two_labels_is_the_same(tmp_path: Path, labels: Any) -> None:
    run = nv.play(nv.KernelPerceptron(nv.polynomial(2)), nv.stream(X, Y))
    vote = run.learner.vote().with_labels(labels)
    vote.save(tmp_path / "vote")
    assert type(vote).load(tmp_path / "vote").predict(X).tolist() == vote.predict(X).tolist()
    assert len(set(vote.predict(X).tolist())) == 2


def test_a_saved_vote_of_many_classes_is_the_same(tmp_path: Path) -> None:
    run = nv.play(nv.OneVsRestKernelPerceptron(nv.polynomial(2)), nv.stream(X, CLASSES))
    vote = run.learner.vote()
    vote.save(tmp_path / "vote")
    assert type(vote).load(tmp_path / "vote").predict(X).tolist() == vote.predict(X).tolist()
