"""A run without a mistake answers like any other: its hypothesis is a function, if only zero."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from cases import CASES, Case

BLOCK = np.array([[1.0, 2.0], [3.0, -4.0], [0.0, 0.0]])
WIDE = sp.csr_array(([1.0, 2.0, 3.0], ([0, 1, 1], [2**15, 5, 2**15])), shape=(3, 2**15 + 1))
NAMED = [{"a": 1.0, "b": 2.0}, {"a": 3.0}, {"b": -4.0}]
# A mixture of shards names no class before it has seen all of them.
ALONE = [case for case in CASES if not case.name.startswith("mixed-classes")]


def _after_a_right_round(case: Case) -> nv.Run:
    """The first round, which is right unless ties count as mistakes."""
    learner: Any = case.make()
    fixed = case.multiclass and learner.classes == case.classes
    run: nv.Run = nv.Run(learner, labels=tuple(range(case.classes)) if fixed else ())
    guess = run.predict_one(BLOCK[0])
    run.learn(BLOCK[0], 0 if case.multiclass else guess or 1)
    assert run.mistakes == 0 or (guess is None and not case.multiclass)
    return run


@pytest.mark.parametrize("case", ALONE, ids=lambda c: c.name)
def test_a_run_without_a_mistake_predicts_and_is_saved(case: Case, tmp_path: Path) -> None:
    run = _after_a_right_round(case)
    h = run.hypothesis()
    run.save(tmp_path / "run")
    h.save(tmp_path / "h")
    resumed, loaded = nv.Run.load(tmp_path / "run"), nv.Hypothesis.load(tmp_path / "h")
    for rows in (BLOCK, BLOCK[:1], BLOCK[:0], sp.csr_array(BLOCK)):
        expected: Any = run.predict(rows)
        assert len(expected) == rows.shape[0]
        assert set(expected.tolist()) <= ({0} if case.multiclass else {-1, 1})
        for other in (h, loaded, resumed):
            assert other.predict(rows).tolist() == expected.tolist()
        assert h.scores(rows).shape[0] == rows.shape[0]
        assert h.scores(rows).tolist() == loaded.scores(rows).tolist()


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_hypothesis_before_the_first_round_is_a_function(case: Case) -> None:
    h = case.make().hypothesis()
    rows = sp.csr_array(BLOCK)
    assert set(h.predict(rows).tolist()) <= ({0} if case.multiclass else {-1, 1})
    assert h.scores(rows).shape[0] == len(BLOCK)


KERNELS: dict[str, tuple[Any, int | str]] = {
    "two labels": (nv.KernelPerceptron, 1),
    "many classes": (nv.MulticlassKernelPerceptron, "a"),
    "one against the rest": (nv.OneVsRestKernelPerceptron, "a"),
}
every_kernel = pytest.mark.parametrize("name", KERNELS)


@every_kernel
@pytest.mark.parametrize("budget", [None, 1, nv.Budget(2, "oldest")])
@pytest.mark.parametrize("kernel", [nv.linear, nv.rbf(0.5), lambda x, z: float(x @ z)])
@pytest.mark.parametrize("rows", [BLOCK, sp.csr_array(BLOCK), WIDE, NAMED])
def test_no_support_is_the_zero_function(name: str, budget: Any, kernel: Any, rows: Any) -> None:
    kind, label = KERNELS[name]
    first = rows[0] if isinstance(rows, list) else rows[[0]]
    first = first if rows is not BLOCK else BLOCK[0]
    run: nv.Run = nv.Run(kind(kernel, budget=budget))
    run.learn(first, label)
    assert (run.mistakes, len(run.learner.supports), run.learner.weight_norm) == (0, 0, 0.0)
    zeros = [0.0] * 3 if kind is nv.KernelPerceptron else [[0.0]] * 3
    assert run.predict(rows).tolist() == [label] * 3
    assert run.predict(rows[:1]).tolist() == [label]
    assert run.hypothesis()(first) == run.predict_one(first) == label
    assert run.hypothesis().scores(rows).tolist() == zeros
    assert nv.test(run, nv.stream(rows, [label] * 3)).errors == 0
    if not isinstance(rows, list):
        assert run.predict(rows[:0]).tolist() == []
    if not run.learner._expansion.forgets:
        average = run.learner.average()
        assert average.scores(rows).tolist() == zeros
        assert set(average.predict(rows).tolist()) == {label if label == 1 else 0}


@every_kernel
@pytest.mark.parametrize("rounds", [0, 1])
def test_averages_and_votes_without_a_support_are_saved(
    name: str, rounds: int, tmp_path: Path
) -> None:
    kind, label = KERNELS[name]
    run: nv.Run = nv.Run(kind(nv.rbf(0.5)))
    for _ in range(rounds):
        run.learn(sp.csr_array(BLOCK[:1]), label)
    learner, rows = run.learner, sp.csr_array(BLOCK)
    votes = [] if kind is nv.MulticlassKernelPerceptron else [learner.vote()]
    for h in (learner.hypothesis(), learner.average(), *votes):
        h.save(tmp_path / "h")
        loaded = nv.Hypothesis.load(tmp_path / "h")
        assert h.predict(rows).tolist() == [1 if label == 1 else 0] * 3
        assert loaded.predict(rows).tolist() == h.predict(rows).tolist()
        assert loaded.scores(rows).tolist() == h.scores(rows).tolist()


def test_coefficients_that_cancel_leave_the_zero_function() -> None:
    run: nv.Run = nv.Run(nv.KernelPerceptron(nv.linear))
    run.learn(BLOCK[0], -1)
    run.learn(BLOCK[0], 1)
    assert run.mistakes == 2
    assert not run.learner.coefficients.any()
    assert run.predict(BLOCK).tolist() == [1, 1, 1]


def test_an_expansion_without_classes_predicts_the_first() -> None:
    none = np.zeros((0, 2))
    for h in (
        nv.KernelExpansion(nv.linear, none, np.zeros((0, 0))),
        nv.KernelVote(nv.linear, none, ([], [], [])),
    ):
        assert h.predict(BLOCK).tolist() == [0, 0, 0]
        assert h.scores(BLOCK).shape == (3, 0)


def test_a_run_without_a_support_has_bounds_and_certificates() -> None:
    stream = nv.stream(BLOCK, [1, 1, 1])
    run = nv.play(nv.KernelPerceptron(nv.rbf(0.5)), stream)
    found = nv.bounds(run)
    assert found
    assert nv.error_bound(run)
    for bound in found:
        certificate = nv.certify(run, theorem=bound.theorem, found=found)
        assert bound.holds
        assert nv.verify(certificate, stream).verified
