"""What holds for every learner: one test a contract, one run a learner."""

import copy
import pickle
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from cases import CASES, EXACT, FINITE_LEARNERS, Case, labels
from threads import refusals, together

every_learner = pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)


def _data(case: Case, rounds: int = 300, features: int = 8, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (rounds, features)) / 10
    return X, labels(case, rng, X @ rng.standard_normal(features))


def _same_state(one: nv.Learner, other: nv.Learner) -> bool:
    a, b = one.state(), other.state()
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


def _same_predictions(one: Any, other: Any, X: Any) -> bool:
    return np.array_equal(one.predict(X), other.predict(X)) and np.array_equal(
        one.scores(X), other.scores(X)
    )


BEYOND_FLOATS = (10**400, -(10**400), Fraction(10**400, 3), 10**5000)


@every_learner
def test_a_number_beyond_float64_is_refused_by_name(case: Case) -> None:
    made = case.make()
    given = {name: value for name, value in made.parameters.items() if name != "hashing"}
    numbers = [name for name, value in given.items() if isinstance(value, float)]
    for name in {*numbers, "bias"}:
        for value in BEYOND_FLOATS:
            with pytest.raises(nv.ParameterError, match=f"^{name}: expected"):
                type(made)(**{**given, name: value})


@pytest.mark.parametrize("value", BEYOND_FLOATS[:3], ids=["large", "low", "fraction"])
def test_a_number_beyond_float64_is_refused_wherever_one_is_asked_for(value: Any) -> None:
    tiny: Any = abs(1 / Fraction(value))
    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: nv.Minnow.for_margin(0.1, radius=value), "radius"),
        (lambda: nv.Minnow.for_margin(value), "margin"),
        (lambda: nv.Hedge(3, eta=value), "eta"),
        (lambda: nv.Hedge(3, eta=tiny), "eta"),  # 0 as a float
        (lambda: nv.Hedge(3, span=(0, value)), "span"),
        (lambda: nv.Exp3P(3, value), "delta"),
        (lambda: nv.WeightedMajority(3, value), "beta"),
        (lambda: nv.polynomial(2, value), "c"),
        (lambda: nv.rbf(value), "gamma"),
        (lambda: nv.grid_halfspaces(2, value, 1, 0.5), "radius"),
        (lambda: nv.Stochastic([value], 3), "means"),
        (lambda: nv.Run(nv.Perceptron(), class_weights={1: value}), r"class_weights\[1\]"),
    ]
    for make, name in refused:
        with pytest.raises(nv.ParameterError, match=f"^{name}: expected"):
            make()
    with pytest.raises(nv.InputError, match=r"^w: expected numbers"):
        nv.Halfspace([value])


@every_learner
def test_a_vector_is_predicted_alike_in_every_form(case: Case) -> None:
    """An array of float64 goes straight to the core; other forms become a block first."""
    X, y = _data(case)
    learner = nv.play(case.make(), nv.stream(X, y)).learner
    scales = np.array([1.0, -1.0, 0.0, 1e-300, 5e-324, 2.0**40, 2.0**-40])
    for x in [*X[:40], *(scale * X[3] for scale in scales)]:
        found = learner.predict(x)
        assert type(found) is type(learner.predict(x.tolist()))
        strided = np.column_stack([x, x])[:, 0]
        for form in (x.tolist(), tuple(x.tolist()), strided, x.astype(">f8"), (np.arange(8), x)):
            assert learner.predict(form) == found
    for wrong in (np.nan, np.inf):
        x = X[0].copy()
        x[3] = wrong
        with pytest.raises(nv.InputError, match="feature 3"):
            learner.predict(x)
    with pytest.raises(nv.InputError, match="expected 8 features, got 7"):
        learner.predict(X[0][:7])


def test_every_public_learner_has_a_case() -> None:
    tested = {kind.__name__ for case in CASES for kind in type(case.make()).__mro__}
    kinds = nv.Learner.kinds.items()  # other tests may have added some of their own
    ours = {name for name, kind in kinds if kind.__module__.startswith("novikoff.")}
    bases = {
        "CuttingLearner",
        "CoreLearner",
        "FeatureLearner",
        "KernelLearner",
        "_ClassLearner",
        "FiniteLearner",
        "LogisticLearner",
        "NativeLearner",
        "RealLearner",
    }
    elsewhere = FINITE_LEARNERS | {
        "StructuredPerceptron",
        "Mixture",
        "FrozenClassMixture",
        "FrozenMixture",
        "MixedStructuredPerceptron",
        "ForwardRegression",
    }  # tests of their own
    missing = ours - tested - elsewhere - bases
    assert not missing, f"add a row to tests/cases.py for: {', '.join(sorted(missing))}"


@every_learner
def test_predict_is_pure(case: Case) -> None:
    X, y = _data(case)
    learner = case.make()
    nv.play(learner, nv.stream(X, y))
    before = learner.fresh()
    before.restore(learner.state())
    first = [learner.predict(x) for x in X]
    assert first == [learner.predict(x) for x in X]
    assert _same_state(learner, before)


@every_learner
def test_inputs_are_never_written(case: Case) -> None:
    X, y = _data(case)
    copies = X.copy(), y.copy()
    X.flags.writeable = y.flags.writeable = False
    run = nv.play(case.make(), nv.stream(X, y))
    run.predict(X)
    for x, label in zip(X, y, strict=True):
        run.learn(x, label)
    assert np.array_equal(X, copies[0])
    assert np.array_equal(y, copies[1])


@every_learner
def test_blocks_are_the_same_as_one_by_one_to_the_bit(case: Case) -> None:
    X, y = _data(case)
    whole, single = case.make(), nv.Run(case.make())
    nv.play(whole, nv.stream(X, y))
    chunked = nv.Run(case.make())
    for part in np.array_split(np.arange(len(X)), 7):
        chunked.play(nv.stream(X[part], y[part]))
    for x, label in zip(X, y, strict=True):
        single.learn(x, label)
    assert _same_state(whole, single.learner)
    assert _same_state(whole, chunked.learner)
    assert chunked.ledger.mistake_rounds.tolist() == single.ledger.mistake_rounds.tolist()


@every_learner
def test_save_and_resume_is_uninterrupted(case: Case, tmp_path: Any) -> None:
    X, y = _data(case)
    whole = nv.play(case.make(), nv.stream(X, y))
    half = nv.play(case.make(), nv.stream(X[:150], y[:150]))
    half.save(tmp_path / "run")
    half.learner.save(tmp_path / "learner")
    resumed = nv.Run.load(tmp_path / "run")
    assert resumed.ledger.mistake_rounds.tolist() == half.ledger.mistake_rounds.tolist()
    resumed.play(nv.stream(X[150:], y[150:]))
    assert _same_state(resumed.learner, whole.learner)
    for name in ("rounds", "mistakes", "radius", "radius_inf", "mistake_energy", "labels"):
        assert getattr(resumed.ledger, name) == getattr(whole.ledger, name)
    assert resumed.ledger.mistakes_by_label == whole.ledger.mistakes_by_label
    learner = nv.Learner.load(tmp_path / "learner")
    assert type(learner) is type(whole.learner)
    assert learner.parameters == whole.learner.parameters
    nv.Run(learner, labels=half.ledger.labels).play(nv.stream(X[150:], y[150:]))
    assert _same_state(learner, whole.learner)


@every_learner
def test_copies_and_pickles_are_the_same_and_apart(case: Case) -> None:
    X, y = _data(case)
    run = nv.play(case.make(), nv.stream(X[:150], y[:150]))
    for twin in (copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
        twin.play(nv.stream(X[150:], y[150:]))
        assert run.ledger.rounds == 150
        whole = nv.play(case.make(), nv.stream(X, y))
        assert _same_state(twin.learner, whole.learner)
        assert twin.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()
    assert _same_state(copy.deepcopy(run.learner), run.learner)
    h = run.hypothesis()
    assert _same_predictions(pickle.loads(pickle.dumps(h)), h, X)
    assert pickle.loads(pickle.dumps(h)).labels == h.labels


@every_learner
def test_a_second_thread_is_refused(case: Case) -> None:
    rounds, passes = (2000, 3) if case.slow else (20_000, 30)
    X, y = _data(case, rounds=rounds)
    run = nv.Run(case.make())
    # state() takes the interpreter lock and keeps it: it never blocks play
    (refused,) = refusals(lambda: run.play(nv.stream(X, y), passes=passes), run.learner.state)
    assert "expected one thread at a time" in str(refused)
    assert run.ledger.rounds % (rounds * passes) == 0


@every_learner
def test_hypotheses_are_frozen_and_saved(case: Case, tmp_path: Any) -> None:
    X, y = _data(case)
    run = nv.play(case.make(), nv.stream(X[:100], y[:100]))
    h = run.hypothesis()
    before = h.predict(X), h.scores(X)
    run.play(nv.stream(X[100:], y[100:]))
    assert np.array_equal(h.predict(X), before[0])
    h.save(tmp_path / "h")
    assert _same_predictions(nv.Hypothesis.load(tmp_path / "h"), h, X)
    assert type(h).load(tmp_path / "h").labels == h.labels
    assert [h(x) for x in X] == h.predict(X).tolist()
    for array in vars(h).values():
        if isinstance(array, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


@every_learner
def test_hypotheses_agree_on_every_form_of_input(case: Case) -> None:
    X, y = _data(case)
    h = nv.play(case.make(), nv.stream(X, y)).hypothesis()
    for form in (sp.csr_array(X), sp.csr_matrix(X), np.asfortranarray(X), X[:, ::-1][:, ::-1]):
        assert _same_predictions(h, _Fixed(h, form), X)
    narrow = X.astype(np.float32)
    assert np.array_equal(h.predict(narrow), h.predict(narrow.astype(np.float64)))
    assert h.predict(X[:0]).shape == (0,)


class _Fixed:
    """A hypothesis that answers for one form of X."""

    def __init__(self, h: Any, form: Any) -> None:
        self.h, self.form = h, form

    def predict(self, _: Any) -> Any:
        return self.h.predict(self.form)

    def scores(self, _: Any) -> Any:
        return self.h.scores(self.form)


@every_learner
def test_fresh_has_the_parameters_and_no_past(case: Case) -> None:
    X, y = _data(case)
    learner = case.make()
    nv.play(learner, nv.stream(X, y))
    fresh = learner.fresh()
    assert fresh.parameters == learner.parameters == case.make().parameters
    assert fresh.rounds == 0
    assert _same_state(fresh, case.make())


BAD_ROWS: dict[str, Callable[[Any], Any]] = {
    "nan": lambda x: np.where(np.arange(len(x)) == 3, np.nan, x),
    "inf": lambda x: np.where(np.arange(len(x)) == 3, np.inf, x),
    "negative index": lambda x: (np.array([-1, 2]), x[:2]),
    "index twice": lambda x: (np.array([1, 4, 1]), x[:3]),
    "index too large": lambda x: (np.array([1, 99]), x[:2]),
    "lengths differ": lambda x: (np.array([1, 2, 3]), x[:2]),
    "float index": lambda x: (np.array([0.5]), x[:1]),
    "wrong length": lambda x: x[:-1],
    "two dimensions": lambda x: x.reshape(2, -1),
    "strings": lambda x: np.array(["a"] * len(x)),
    "nan in a pair": lambda x: (np.array([1, 2]), np.array([1.0, np.nan])),
    "complex": lambda x: x + 1j,
    "dict": lambda x: {"word": 1.0},
}


@every_learner
@pytest.mark.parametrize("bad", BAD_ROWS)
def test_a_refused_example_changes_nothing(case: Case, bad: str) -> None:
    X, y = _data(case)
    run = nv.play(case.make(), nv.stream(X[:50], y[:50]))
    before = run.learner.fresh()
    before.restore(run.learner.state())
    ledger = run.ledger.state()[1]
    x = BAD_ROWS[bad](X[60])
    for attempt in (run.learn, run.learner.update):
        with pytest.raises(nv.InputError, match=r"expected .+, got .+\. .+"):
            attempt(x, int(y[60]))
    assert _same_state(run.learner, before)
    assert all(np.array_equal(a, ledger[name]) for name, a in run.ledger.state()[1].items())
    with pytest.raises(nv.InputError):
        run.learner.predict(x)
    run.play(nv.stream(X[50:], y[50:]))
    assert _same_state(run.learner, nv.play(case.make(), nv.stream(X, y)).learner)


@every_learner
def test_rounds_before_a_refused_row_stay_and_the_error_names_it(case: Case) -> None:
    X, y = _data(case)
    X[70, 2] = np.nan
    run = nv.Run(case.make())
    with pytest.raises(nv.InputError, match="round 71: expected a finite value for feature 2"):
        run.play(nv.stream(X, y))
    assert run.ledger.rounds == run.learner.rounds == 70
    assert _same_state(run.learner, nv.play(case.make(), nv.stream(X[:70], y[:70])).learner)
    run.play(nv.stream(X[71:], y[71:]))
    assert run.ledger.rounds == len(X) - 1


@every_learner
def test_many_threads_read_one_hypothesis(case: Case) -> None:
    X, y = _data(case, rounds=2000)
    h = nv.play(case.make(), nv.stream(X, y)).hypothesis()
    expected = h.predict(X)
    assert all(np.array_equal(found, expected) for found in together(lambda: h.predict(X)))


@every_learner
def test_learners_in_threads_do_as_they_do_alone(case: Case) -> None:
    X, y = _data(case, rounds=600 if case.slow else 3000)
    alone = nv.play(case.make(), nv.stream(X, y)).learner
    learners = [case.make() for _ in range(4)]
    threads = [
        threading.Thread(target=nv.play, args=(learner, nv.stream(X, y))) for learner in learners
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(_same_state(learner, alone) for learner in learners)


@every_learner
def test_no_columns_and_no_rows_are_answered(case: Case) -> None:
    empty = nv.play(case.make(), nv.stream(np.zeros((0, 4)), np.zeros(0)))
    assert (empty.ledger.rounds, empty.mistakes, empty.ledger.error_rate) == (0, 0, 0.0)
    run = nv.play(case.make(), [])
    assert run.ledger.rounds == 0
    y = np.arange(4) if case.multiclass else np.array([1, -1, 1, -1])
    y = np.full(4, -1) if case.floats else y  # nothing but a constant can tell the rows apart
    blank = nv.play(case.make(), nv.stream(np.zeros((4, 0)), y))
    assert blank.ledger.rounds == 4
    if not case.random:  # that one draws a direction among the features
        zeros = nv.play(case.make(), nv.stream(np.zeros((4, 1)), y))
        assert blank.mistakes == zeros.mistakes


@pytest.mark.parametrize("case", EXACT, ids=lambda c: c.name)
def test_the_dimension_may_grow_until_a_dense_row_fixes_it(case: Case) -> None:
    run: nv.Run = nv.Run(case.make())
    for width in (2, 5, 3):
        run.learn((np.arange(width), np.ones(width)), 1)
    assert run.learner.dimension == 5
    run.learn(np.ones(6), 1)
    with pytest.raises(nv.InputError, match="expected indices below 6, got 6"):
        run.learn((np.array([6]), np.array([1.0])), 1)
    run.learn((np.array([5]), np.array([1.0])), 1)
