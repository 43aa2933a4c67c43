"""Random stopping and controlled testing keep their promises, or refuse to make them."""

import itertools
import math
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import novikoff as nv
from novikoff.receipts import conversion
from novikoff.receipts.conversion import (
    controlled_testing,
    random_stopping,
)
from worlds import NEVER, Hesitant, World, X, Y, all_streams, exact_error, not_more_often, shares


def exact_test_size(i: int, epsilon: float, delta: float) -> int:
    with localcontext() as context:
        context.prec = 120
        return math.ceil(((i + 2) ** 2 / Decimal(delta)).ln() / Decimal(epsilon))


def seeds_by_stop(size: int) -> dict[int, int]:
    """A seed for every stopping time."""
    found: dict[int, int] = {}
    for seed in range(30 * size):
        found.setdefault(stopped(seed, size).ledger.rounds, seed)
    return found


def stopped(seed: int, size: int) -> conversion.Stopped:
    rounds = [((1.0,), 1)] * size
    return random_stopping(nv.Perceptron(), rounds, epsilon=0.5, mistake_bound=size / 2, seed=seed)


@pytest.mark.shows("holds", "random-stopping")
@pytest.mark.shows("tight", "random-stopping")
def test_random_stopping_keeps_its_promise_exactly() -> None:
    seeds = seeds_by_stop(4)
    assert sorted(seeds) == [0, 1, 2, 3]
    expected_error = expected_mistakes = Fraction(0)
    for rounds, chance in all_streams(4):
        expected_mistakes += chance * nv.play(nv.Perceptron(), rounds).mistakes
        for stop, seed in seeds.items():
            learner = nv.Perceptron()
            found = random_stopping(learner, rounds, epsilon=0.5, mistake_bound=2, seed=seed)
            assert (found.sample, found.ledger.rounds, learner.rounds) == (4, stop, stop)
            assert found.promise == "E[err] ≤ 0.5"
            expected_error += chance / 4 * exact_error(found.hypothesis)
    assert expected_error == expected_mistakes / 4 <= Fraction(1, 2)


def test_stopping_times_are_uniform_and_a_function_of_the_seed() -> None:
    size, runs = 7, 3500
    stops = [stopped(seed, size).ledger.rounds for seed in range(runs)]
    assert stats.chisquare(np.bincount(stops, minlength=size)).pvalue > NEVER
    assert stops[:100] == [stopped(seed, size).ledger.rounds for seed in range(100)]
    assert max(stops) == size - 1
    drawn = [conversion._drawn(seed, 3 * 2**61) for seed in range(2000)]  # many are rejected
    assert stats.kstest(np.array(drawn) / (3 * 2**61), "uniform").pvalue > NEVER


def test_the_mean_error_over_many_streams_is_the_exact_one() -> None:
    # One feature each of ten points, all negative: E[err(h_t)] = Σ p_k (1 − p_k)^{t−1}.
    chances = np.arange(1, 11) / 55
    world = World(np.eye(10), chances, np.zeros(10))
    errors = []
    for seed in range(600):
        X, y = world.draw(np.random.default_rng(seed), 50)
        found = random_stopping(
            nv.Perceptron(), nv.stream(X, y), epsilon=0.2, mistake_bound=10, seed=seed
        )
        errors.append(world.errors(found.hypothesis.predict(world.points)))
    exact = np.mean([(chances * (1 - chances) ** t).sum() for t in range(50)])
    assert exact <= 0.2
    assert abs(np.mean(errors) - exact) < 5 * np.std(errors) / math.sqrt(600)


@given(st.floats(0, 1e6), st.floats(1e-3, 0.99))
def test_the_sample_is_never_too_small(bound: float, epsilon: float) -> None:
    with pytest.raises(nv.InputError, match="are missing") as refused:
        random_stopping(
            nv.Perceptron(),
            nv.stream(np.zeros((0, 1)), []),
            epsilon=epsilon,
            mistake_bound=bound,
            seed=0,
        )
    sample = int(str(refused.value).split("expected ")[1].split()[0])
    assert sample >= 1
    assert Fraction(bound) / sample <= Fraction(epsilon)
    assert sample == 1 or Fraction(bound) / (sample - 1) > Fraction(epsilon)


def test_a_stream_too_short_is_refused_whatever_the_seed() -> None:
    rounds = [((1.0,), 1)] * 9
    for seed in range(20):
        for stream, name in ((rounds, "iterable"), (iter(rounds), "iterable")):
            message = f"{name}: expected 10 examples, got 9: 1 are missing, and nothing is promised"
            with pytest.raises(nv.InputError, match=message):
                random_stopping(nv.Perceptron(), stream, epsilon=0.1, mistake_bound=1, seed=seed)
    learner = nv.Perceptron()
    with pytest.raises(nv.InputError, match="arrays: expected 10 examples, got 9"):
        random_stopping(
            learner, nv.stream(np.ones((9, 1)), np.ones(9)), epsilon=0.1, mistake_bound=1, seed=3
        )
    assert learner.rounds == 0


@pytest.mark.shows("refuses", "random-stopping")
def test_random_stopping_refuses_what_it_cannot_promise() -> None:
    def stop(learner: Any, **changed: Any) -> None:
        given = {"epsilon": 0.1, "mistake_bound": 1, "seed": 0} | changed
        random_stopping(learner, itertools.cycle([((1.0,), 1), ((1.0,), -1)]), **given)

    for learner in (
        nv.AveragedPerceptron(),
        nv.VotedPerceptron(),
        nv.ModifiedPerceptron(0.1),
        Hesitant(0),
    ):
        with pytest.raises(nv.ParameterError, match=r"learner: expected one of this library's"):
            stop(learner)
    with pytest.raises(nv.ParameterError, match="learner: expected one that has seen nothing"):
        stop(nv.play(nv.Perceptron(), [((1.0,), 1)]).learner)
    for bound in (-1, math.inf, math.nan, "1"):
        with pytest.raises(nv.ParameterError, match="mistake_bound: expected a number of at least"):
            stop(nv.Perceptron(), mistake_bound=bound)
    for seed in (-1, 2**64, 1.0):
        with pytest.raises(nv.ParameterError, match="seed: expected a whole number"):
            stop(nv.Perceptron(), seed=seed)
    with pytest.raises(nv.ParameterError, match="epsilon: expected a larger one"):
        stop(nv.Perceptron(), mistake_bound=1e300)
    with pytest.raises(nv.ParameterError, match="at least 8, the mistakes made, got 1"):
        # The labels contradict each other, so that B = 1 is no mistake bound.
        stop(nv.Perceptron(), seed=seeds_by_stop(10)[9])


def test_no_mistakes_need_one_example() -> None:
    found = random_stopping(nv.Perceptron(), [((1.0,), 1)], epsilon=0.1, mistake_bound=0, seed=0)
    assert (found.sample, found.ledger.rounds) == (1, 0)
    assert found.hypothesis.predict([[1.0]]).tolist() == [1]


def schedule(failures: int) -> Iterator[Any]:
    """Examples on which so many hypotheses of the perceptron fail at once, and no other does."""
    for k in range(failures):
        yield ([k], [1.0]), -1
    yield from itertools.repeat((([failures], [1.0]), 1))


@given(st.integers(0, 8), st.floats(0.02, 0.99), shares)
def test_the_tests_have_the_sizes_of_the_schedule(i: int, epsilon: float, delta: float) -> None:
    found = controlled_testing(
        nv.Perceptron(), schedule(i), epsilon=epsilon, delta=delta, mistake_bound=i
    )
    sizes = [exact_test_size(j, epsilon, delta) for j in range(i + 1)]
    assert (found.index, found.examples) == (i, i + sizes[i])
    assert found.allowed == sum(sizes) >= found.examples
    assert not found.exceeded
    assert found.promise == f"with probability at least 1 − {delta}: err ≤ {epsilon}"


@given(st.integers(0, 1000), shares, st.integers(1, 10**6))
def test_sizes_are_exact_at_the_boundary_of_whole_numbers(i: int, delta: float, n: int) -> None:
    near = math.log((i + 2) ** 2 / delta) / n  # with this ε the size is n, or n + 1, within a hair
    for epsilon in (math.nextafter(near, 0), near, math.nextafter(near, 1)):
        if 0 < epsilon < 1:
            size = conversion._test_size(i, epsilon, delta)
            assert size == exact_test_size(i, epsilon, delta)
            with localcontext() as context:
                context.prec = 60
                tail = (-Decimal(epsilon) * size).exp()
                assert tail <= Decimal(delta) / (i + 2) ** 2


@pytest.mark.shows("holds", "controlled-testing")
@pytest.mark.shows("measured", "controlled-testing")
def test_controlled_testing_fails_no_more_often_than_delta() -> None:
    # Negative points of chance 0.06 each among positive ones: h_i errs with 0.06 (5 − i), and
    # all but the last two are worse than ε.
    epsilon, delta, runs = 0.1, 0.2, 1500
    world = World(np.eye(6), np.array([0.06] * 5 + [0.7]), np.array([0.0] * 5 + [1.0]))
    failures = 0
    for seed in range(runs):
        X, y = world.draw(np.random.default_rng(seed), 400)
        found = controlled_testing(
            nv.Perceptron(), nv.stream(X, y), epsilon=epsilon, delta=delta, mistake_bound=5
        )
        assert found.allowed is not None
        assert found.examples <= found.allowed
        failures += world.errors(found.hypothesis.predict(world.points)) > epsilon
    assert failures > 0
    assert not_more_often(failures, runs, delta)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 6), st.floats(0.05, 0.9), st.floats(0.01, 0.9))
def test_a_learner_of_few_mistakes_needs_no_more_than_allowed(
    seed: int, points: int, epsilon: float, delta: float
) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.choice([-1, 1], points)  # one feature a point: B is the number of negative ones
    chosen = (int(k) for k in iter(lambda: rng.integers(points), None))
    sampler = ((np.eye(points)[k], labels[k]) for k in chosen)
    bound = int((labels < 0).sum())
    found = controlled_testing(
        nv.Perceptron(), sampler, epsilon=epsilon, delta=delta, mistake_bound=bound
    )
    assert found.allowed is not None
    assert found.examples <= found.allowed
    assert found.index <= bound
    assert not found.exceeded


def test_more_failures_than_the_mistake_bound_are_reported() -> None:
    found = controlled_testing(
        nv.Perceptron(), schedule(3), epsilon=0.2, delta=0.1, mistake_bound=2.9
    )
    assert found.exceeded
    assert found.allowed == sum(exact_test_size(i, 0.2, 0.1) for i in range(3))
    free = controlled_testing(nv.Perceptron(), schedule(3), epsilon=0.2, delta=0.1)
    assert (free.allowed, free.exceeded) == (None, False)
    for bound in (-1, math.nan, "2"):
        with pytest.raises(nv.ParameterError, match="mistake_bound: expected"):
            controlled_testing(
                nv.Perceptron(),
                schedule(0),
                epsilon=0.2,
                delta=0.1,
                mistake_bound=bound,  # type: ignore[arg-type]
            )


def test_a_sampler_that_ends_early_promises_nothing() -> None:
    size = exact_test_size(2, 0.1, 0.05)
    for left in (0, 1, size - 1):
        sampler = itertools.islice(schedule(2), 2 + left)
        message = f"expected {2 + size} examples, got {2 + left}: {size - left} are missing"
        with pytest.raises(nv.InputError, match=message):
            controlled_testing(nv.Perceptron(), sampler, epsilon=0.1, delta=0.05)
    enough = itertools.islice(schedule(2), 2 + size)
    assert controlled_testing(nv.Perceptron(), enough, epsilon=0.1, delta=0.05).index == 2


@pytest.mark.shows("refuses", "controlled-testing")
def test_controlled_testing_refuses_what_it_cannot_test() -> None:
    for learner in (nv.AveragedPerceptron(), nv.VotedPerceptron(), nv.ModifiedPerceptron(0.1)):
        with pytest.raises(nv.ParameterError, match=type(learner).__name__):
            controlled_testing(learner, schedule(0), epsilon=0.1, delta=0.1)
    used = nv.play(nv.MulticlassPerceptron(), [((1.0,), "a")]).learner
    with pytest.raises(nv.ParameterError, match="labels"):
        controlled_testing(used, schedule(0), epsilon=0.1, delta=0.1)
    bad = [((1.0,), 1)] * 3 + [((math.nan,), 1)]
    with pytest.raises(nv.InputError, match=r"example 4: .*finite value for feature 0, got nan"):
        controlled_testing(nv.Perceptron(), bad, epsilon=0.1, delta=0.1)
    with pytest.raises(nv.InputError, match="round 2: expected labels"):
        controlled_testing(nv.Perceptron(), [((1.0,), 1), ((1.0,), "b")], epsilon=0.1, delta=0.1)


def test_a_used_learner_may_be_tested() -> None:
    learner = nv.play(nv.Perceptron(), [((1.0, 0.0), -1)]).learner
    found = controlled_testing(learner, itertools.repeat(((1.0, 0.0), -1)), epsilon=0.1, delta=0.1)
    assert (found.index, found.examples) == (0, exact_test_size(0, 0.1, 0.1))


NAMES = np.array(["no", "yes"])[(Y > 0).astype(int)]

FORMS: dict[str, Any] = {
    "dense": lambda: nv.stream(X, NAMES, positive="yes"),
    "sparse": lambda: nv.stream(sp.csr_array(X), NAMES, positive="yes"),
    "dicts": lambda: nv.stream(
        [dict(zip("abc", row, strict=True)) for row in X.tolist()], NAMES, positive="yes"
    ),
    "weighted": lambda: nv.stream(X, NAMES, positive="yes", weights=np.ones(600)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", [nv.Perceptron, lambda: nv.Minnow(0.5), nv.MulticlassPerceptron])
def test_every_form_of_example_and_label_is_taken(form: str, make: Any) -> None:
    rows = FORMS[form]()
    if make().multiclass:
        rows.positive = None
    known = list(itertools.islice(conversion._examples(rows), 600))
    asked = [x for x, *_ in known[:1]]
    for seed in range(6):
        learner = make()
        found = random_stopping(learner, rows, epsilon=0.9, mistake_bound=2, seed=seed)
        assert found.ledger.rounds == learner.rounds <= found.sample + learner.multiclass
        assert {found.hypothesis(x) for x in asked} <= {"no", "yes"}
    if make is nv.Perceptron or make().multiclass:
        tested = controlled_testing(make(), rows, epsilon=0.1, delta=0.05)
        assert all(tested.hypothesis(x) == y for x, y, *_ in known)


def test_many_classes_are_fed_one_example_first() -> None:
    rounds = [((1.0, 0.0), "a"), ((0.0, 1.0), "b")]
    tested = controlled_testing(
        nv.MulticlassPerceptron(), itertools.cycle(rounds), epsilon=0.2, delta=0.1, mistake_bound=1
    )
    sizes = [exact_test_size(i, 0.2, 0.1) for i in range(2)]
    assert (tested.index, tested.examples) == (1, 2 + sizes[1])  # "a" fed, "b" an error
    assert tested.allowed == 1 + sum(sizes)
    assert tested.hypothesis.predict([[1.0, 0.0], [0.0, 1.0]]).tolist() == ["a", "b"]
    for seed in range(8):
        found = random_stopping(
            nv.MulticlassPerceptron(), rounds * 3, epsilon=0.5, mistake_bound=2, seed=seed
        )
        assert found.sample == 5
        assert 1 <= found.ledger.rounds <= 4
        assert found.hypothesis.predict([[1.0, 0.0]]).tolist() == ["a"]


def test_labels_not_yet_met_are_named() -> None:
    rounds = [((1.0,), 1)] * 3 + [((-1.0,), 0)]
    found = random_stopping(
        nv.Perceptron(), rounds, epsilon=0.5, mistake_bound=2, seed=seeds_by_stop(4)[0]
    )
    assert found.ledger.rounds == 0
    assert found.hypothesis.labels == (0, 1)
