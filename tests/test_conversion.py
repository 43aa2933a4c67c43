"""From online to batch: the promises hold, are computed upward, and are refused where not made."""

import itertools
import math
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import novikoff as nv
from novikoff import conversion
from novikoff.conversion import (
    controlled_testing,
    error_bound,
    hoeffding_bound,
    leave_one_out,
    progressive_bound,
    random_stopping,
)

NEVER = 1e-6  # what is less likely than this does not happen; seeds are fixed, so it cannot flake
shares = st.floats(1e-6, 0.999)


class World(NamedTuple):
    """A finite distribution, so that the error of every hypothesis is known exactly."""

    points: Any
    chances: Any
    positive: Any  # P(y = +1) at each point

    def draw(self, rng: np.random.Generator, count: int) -> tuple[Any, Any]:
        k = rng.choice(len(self.chances), count, p=self.chances)
        return self.points[k], np.where(rng.random(count) < self.positive[k], 1, -1)

    def errors(self, predictions: Any) -> Any:
        """The error of hypotheses, given what each predicts at every point."""
        wrong = np.where(np.asarray(predictions) > 0, 1 - self.positive, self.positive)
        return wrong @ self.chances

    def errors_along(self, ledger: nv.Ledger, X: Any, y: Any) -> Any:
        """err(h_1), …, err(h_T), err(h_{T+1}) of a perceptron."""
        at = ledger.mistake_rounds - 1
        w = np.vstack([np.zeros(X.shape[1]), np.cumsum(y[at, None] * X[at], axis=0)])
        errors = self.errors(np.where(w @ self.points.T >= 0, 1, -1))
        return errors[np.searchsorted(ledger.mistake_rounds, np.arange(1, len(X) + 2))]


_corner = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
WORLDS = {
    "coin": World(np.zeros((1, 2)), np.ones(1), np.array([0.93])),  # nothing is ever learned
    "fair coin": World(np.zeros((1, 2)), np.ones(1), np.array([0.5])),
    "separable": World(_corner, np.full(8, 1 / 8), (_corner[:, 0] > 0) * 1.0),
    "noisy": World(_corner, np.arange(1, 9) / 36, np.where(_corner.sum(axis=1) > 0, 0.95, 0.05)),
    "very noisy": World(_corner, np.arange(8, 0, -1) / 36, np.linspace(0.1, 0.9, 8)),
}


def not_more_often(failures: int, runs: int, delta: float) -> bool:
    """Could so many of the runs have failed if each does with probability delta at most?"""
    return bool(stats.binom.sf(failures - 1, runs, delta) > NEVER)


def exact_progressive(mistakes: int, rounds: int, delta: float) -> Decimal:
    """The formula of THEORY.md, section 7, to 50 digits and some more."""
    with localcontext() as context:
        context.prec = 80
        mass = (34 / Decimal(delta)).ln()
        rates = [Decimal(2) ** (3 - Decimal(j) / 2) for j in range(34)]
        values = [
            (1 - (-(rate * mistakes + mass) / rounds).exp()) / (1 - (-rate).exp()) for rate in rates
        ]
        return min(Decimal(1), *values)


def exact_test_size(i: int, epsilon: float, delta: float) -> int:
    with localcontext() as context:
        context.prec = 120
        return math.ceil(((i + 2) ** 2 / Decimal(delta)).ln() / Decimal(epsilon))


def ledger_of(mistakes: int, rounds: int) -> nv.Ledger:
    """A ledger of so many mistakes, the first rounds: x = 0 is never learned."""
    y = np.where(np.arange(rounds) < mistakes, -1, 1)
    return nv.play(nv.Perceptron(), nv.stream(np.zeros((rounds, 1)), y)).ledger


counts = st.one_of(st.integers(1, 300), st.integers(1, 10**12)).flatmap(
    lambda rounds: st.tuples(st.integers(0, rounds), st.just(rounds))
)


@given(counts, st.one_of(shares, st.floats(5e-324, 1e-300)))
def test_the_bound_is_the_formula_rounded_upward(pair: tuple[int, int], delta: float) -> None:
    value = progressive_bound(*pair, delta)
    exact = exact_progressive(*pair, delta)
    assert math.nextafter(value, 0) < exact <= value <= 1
    assert value >= pair[0] / pair[1]  # a bound on the error below the errors seen would be absurd


@given(counts, shares, shares)
def test_the_bound_is_monotonic(pair: tuple[int, int], delta: float, other: float) -> None:
    mistakes, rounds = pair
    low, high = sorted((delta, other))
    assert progressive_bound(mistakes, rounds, high) <= progressive_bound(mistakes, rounds, low)
    value = progressive_bound(mistakes, rounds, delta)
    assert progressive_bound(mistakes, rounds + 1, delta) <= value
    assert progressive_bound(mistakes + 1, rounds + 1, delta) >= value
    if mistakes < rounds:
        assert progressive_bound(mistakes + 1, rounds, delta) >= value


@given(counts, shares)
def test_hoeffdings_form_is_rounded_upward(pair: tuple[int, int], delta: float) -> None:
    mistakes, rounds = pair
    with localcontext() as context:
        context.prec = 80
        root = (-Decimal(delta).ln() / (2 * rounds)).sqrt()
        exact = min(Decimal(1), Decimal(mistakes) / rounds + root)
    value = hoeffding_bound(mistakes, rounds, delta)
    assert math.nextafter(value, 0) < exact <= value <= 1


@pytest.mark.parametrize(
    ("delta", "rounds", "last"),
    [
        (0.05, 100, 5),
        (0.05, 1000, 107),
        (0.05, 10**4, 1214),
        (0.05, 10**5, 12870),
        (0.05, 10**6, 131349),
        (0.01, 1000, 139),
        (0.01, 10**6, 169544),
    ],
)
def test_below_the_crossover_ours_is_tighter(delta: float, rounds: int, last: int) -> None:
    def ours(mistakes: int) -> bool:
        return progressive_bound(mistakes, rounds, delta) < hoeffding_bound(mistakes, rounds, delta)

    assert ours(last)
    assert not ours(last + 1)
    assert all(ours(m) for m in np.linspace(0, last, 20).astype(int).tolist())
    beyond = np.linspace(last + 1, rounds // 2, 20).astype(int).tolist()
    assert not any(ours(m) for m in beyond)
    assert f"{100 * last / rounds:.1f}".removesuffix(".0") in (hoeffding_bound.__doc__ or "")


def test_the_errors_computed_here_are_those_of_the_learner() -> None:
    world = WORLDS["very noisy"]
    X, y = world.draw(np.random.default_rng(5), 60)
    run = nv.Run(nv.Perceptron())
    found = [world.errors([run.learner.predict(point) for point in world.points])]
    for x, label in zip(X, y, strict=True):
        run.learn(x, label)
        found.append(world.errors([run.learner.predict(point) for point in world.points]))
    assert world.errors_along(run.ledger, X, y) == pytest.approx(found, abs=1e-15)


@cache
def bound_table(rounds: int, delta: float) -> Any:
    """The bound after t rounds and m mistakes, for m up to a half of them."""
    table = np.ones((rounds, rounds + 1))
    for t, m in itertools.product(range(1, rounds + 1), range(rounds // 2 + 1)):
        if m <= t:
            table[t - 1, m] = progressive_bound(m, t, delta)
    return table


@pytest.mark.parametrize("name", WORLDS)
def test_the_bound_fails_no_more_often_than_delta_at_all_rounds_at_once(name: str) -> None:
    world, delta, rounds, runs = WORLDS[name], 0.3, 100, 2000
    table, failures, naive = bound_table(rounds, delta), 0, 0
    for seed in range(runs):
        X, y = world.draw(np.random.default_rng(seed), rounds)
        ledger = nv.play(nv.Perceptron(), nv.stream(X, y)).ledger
        t = np.arange(1, rounds + 1)
        mistakes = np.searchsorted(ledger.mistake_rounds, t, side="right")
        means = np.cumsum(world.errors_along(ledger, X, y)[:-1]) / t
        failures += bool((means > table[t - 1, mistakes]).any())
        naive += bool((means > mistakes / t).any())
    assert not_more_often(failures, runs, delta)
    # The test can see a bound that fails: the error rate itself is none.
    assert not not_more_often(naive, runs, delta)


@pytest.mark.parametrize("name", ["noisy", "separable", "fair coin"])
def test_all_checkpoints_of_a_ledger_hold_at_once(name: str) -> None:
    world, delta, rounds, runs = WORLDS[name], 0.2, 300, 60
    failures = 0
    for seed in range(runs):
        X, y = world.draw(np.random.default_rng(seed), rounds)
        ledger = nv.play(nv.Perceptron(), nv.stream(X, y)).ledger
        found = error_bound(ledger, delta)
        means = np.cumsum(world.errors_along(ledger, X, y)[:-1]) / np.arange(1, rounds + 1)
        assert found.along[-1] == (300, ledger.mistakes, found.value)
        assert found.assumes == ("the examples are independent draws from one distribution",)
        assert found.value < 0.7 if name == "fair coin" else found.value < 0.3
        failures += any(means[t - 1] > value for t, _, value in found.along)
    assert not_more_often(failures, runs, delta)


def test_error_bound_is_the_formula_at_every_checkpoint() -> None:
    ledger = ledger_of(7, 1000)
    found = error_bound(ledger, 0.01)
    assert (found.delta, found.rounds, found.mistakes) == (0.01, 1000, 7)
    assert found.value == progressive_bound(7, 1000, 0.01)
    assert found.vote == 2 * found.value
    rounds, mistakes = ledger.checkpoints
    assert [a[:2] for a in found.along] == list(zip(rounds, mistakes, strict=True))
    assert all(value == progressive_bound(m, t, 0.01) for t, m, value in found.along)
    assert error_bound(ledger) == error_bound(ledger, 0.05)
    assert error_bound(ledger_of(3, 3)).vote == 1


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from(sorted(WORLDS)))
def test_votes_err_at_most_twice_as_often(seed: int, rounds: int, name: str) -> None:
    world = WORLDS[name]
    X, y = world.draw(np.random.default_rng(seed), rounds)
    run = nv.play(nv.VotedPerceptron(), nv.stream(X, y))
    errors = world.errors_along(run.ledger, X, y)
    vote = world.errors(run.hypothesis().predict(world.points))
    assert vote <= 2 * errors[1:].mean() + 1e-12  # h_2..h_{T+1}, as documented
    assert vote <= 2 * (errors[:-1].mean() + 1 / rounds) + 1e-12


def test_a_used_learner_is_fine_and_says_what_it_assumes() -> None:
    learner = nv.play(nv.Perceptron(), [((1.0, 0.0), -1)]).learner
    run = nv.play(learner, [((1.0, 0.0), -1)] * 50)
    found = error_bound(run.ledger)
    assert found.value == progressive_bound(0, 50)
    assert found.assumes[1:] == ("the learner had learned from none of them before",)
    assert error_bound(nv.play(Hesitant(0), [((1.0,), 1)]).ledger).assumes == found.assumes


class Hesitant:
    """Somebody else's learner: abstains in its first rounds, then gives one answer."""

    def __init__(self, rounds: int, multiclass: bool = False, answer: int = 1) -> None:
        self.left = rounds
        self.multiclass = multiclass
        self.answer = answer

    def predict(self, _: Any) -> int | None:
        return None if self.left > 0 else self.answer

    def update(self, _x: Any, _y: Any) -> None:
        self.left -= 1


def test_abstentions_count_as_mistakes_as_early_as_they_may_be() -> None:
    rounds = [((1.0,), 1)] * 40 + [((1.0,), -1)] * 2 + [((1.0,), 1)] * 58
    ledger = nv.play(Hesitant(5), rounds).ledger
    assert (ledger.mistakes, ledger.abstentions) == (2, 5)
    found = error_bound(ledger)
    assert (found.mistakes, found.value) == (7, progressive_bound(7, 100))
    assert [m for t, m, _ in found.along if t <= 4] == [1, 2, 3, 4]
    assert {m for t, m, _ in found.along if 5 <= t <= 40} == {5}
    assert leave_one_out(ledger).value == 0.07


def test_the_first_round_of_many_classes_counts_as_a_mistake() -> None:
    rounds = [((1.0, 0.0), "a"), ((0.0, 1.0), "b"), ((1.0, 1.0), "c")] * 20
    run = nv.play(nv.MulticlassPerceptron(), rounds)
    assert 1 not in run.ledger.mistake_rounds
    assert error_bound(run.ledger).mistakes == run.mistakes + 1
    assert error_bound(run.ledger).along[0][:2] == (1, 1)
    again = nv.Run(run.learner, labels=run.ledger.labels).play(rounds)  # its classes are known
    assert error_bound(again.ledger).mistakes == again.mistakes
    right = nv.play(Hesitant(0, multiclass=True, answer=0), rounds).ledger
    assert error_bound(right).mistakes == right.mistakes + 1 == 41
    wrong = nv.play(Hesitant(0, multiclass=True, answer=1), rounds).ledger  # counted once
    assert error_bound(wrong).mistakes == wrong.mistakes == 40


def test_weights_of_rounds_change_nothing() -> None:
    X, y = WORLDS["noisy"].draw(np.random.default_rng(0), 80)
    ledger = nv.play(nv.Perceptron(), nv.stream(X, y, weights=np.full(80, 2.0))).ledger
    assert error_bound(ledger).value == progressive_bound(ledger.mistakes, 80)


@pytest.mark.parametrize("bound", [error_bound, leave_one_out])
def test_what_is_not_one_fresh_pass_is_refused(bound: Any) -> None:
    rounds = [((1.0, 0.0), 1), ((0.0, 1.0), -1)]
    with pytest.raises(nv.HypothesisError, match=r"expected one pass, whose examples.*got 3"):
        bound(nv.play(nv.Perceptron(), rounds, passes=3).ledger)
    with pytest.raises(nv.HypothesisError, match="expected at least one round, got none"):
        bound(nv.Run(nv.Perceptron()).ledger)
    with pytest.raises(nv.HypothesisError, match=r"in its round, got ModifiedPerceptron"):
        bound(nv.play(nv.ModifiedPerceptron(0.1), rounds).ledger)
    with pytest.raises(nv.ParameterError, match=r"ledger: expected the ledger of a run"):
        bound(nv.play(nv.Perceptron(), rounds))


@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5, math.nan, "0.05", None])
def test_delta_and_epsilon_are_checked(delta: Any) -> None:
    for call in (
        lambda: error_bound(ledger_of(0, 5), delta),
        lambda: hoeffding_bound(0, 5, delta),
        lambda: controlled_testing(nv.Perceptron(), [], epsilon=0.1, delta=delta),
    ):
        with pytest.raises(nv.ParameterError, match="delta: expected a number between 0 and 1"):
            call()
    message = "epsilon: expected a number between 0 and 1"
    with pytest.raises(nv.ParameterError, match=message):
        controlled_testing(nv.Perceptron(), [], epsilon=delta, delta=0.1)
    with pytest.raises(nv.ParameterError, match=message):
        random_stopping(nv.Perceptron(), [], epsilon=delta, mistake_bound=1, seed=0)


@pytest.mark.parametrize("pair", [(1, 0), (0, 0), (-1, 5), (6, 5), (1.5, 5), (1, 5.0)])
def test_counts_are_checked(pair: Any) -> None:
    for bound in (progressive_bound, hoeffding_bound):
        with pytest.raises(nv.ParameterError, match="mistakes: expected from 0 to the rounds"):
            bound(*pair)
    assert progressive_bound(*np.array([1, 5])) == progressive_bound(1, 5)


# A world that can be enumerated: each point has its own feature, so it is mistaken once at most.
ONE_EACH = (((1, 0, 0), -1), ((0, 1, 0), -1), ((0, 0, 1), 1))
CHANCES = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))


def all_streams(length: int) -> Iterator[tuple[list[Any], Fraction]]:
    for chosen in itertools.product(range(3), repeat=length):
        yield (
            [ONE_EACH[k] for k in chosen],
            math.prod((CHANCES[k] for k in chosen), start=Fraction(1)),
        )


def exact_error(predict: Any) -> Fraction:
    wrong = (p for (x, y), p in zip(ONE_EACH, CHANCES, strict=True) if predict(x) != y)
    return sum(wrong, start=Fraction(0))


def test_leave_one_out_holds_exactly() -> None:
    expected_error = expected_mistakes = expected_vote = Fraction(0)
    for rounds, chance in all_streams(4):  # m = 3
        run, errors = nv.Run(nv.VotedPerceptron()), []
        for x, y in rounds:
            errors.append(exact_error(run.learner.predict))
            if len(errors) == 4:
                expected_vote += chance * exact_error(run.learner.hypothesis())
            run.learn(x, y)
        expected_error += chance * sum(errors) / 4
        expected_mistakes += chance * run.mistakes
        found = leave_one_out(run.ledger)
        assert (found.value, found.vote) == (run.mistakes / 4, run.mistakes / 2)
        assert (found.rounds, found.mistakes, found.estimated) == (4, run.mistakes, True)
    assert expected_error == expected_mistakes / 4
    assert expected_vote <= 2 * expected_mistakes / 3  # the vote of h_2..h_{m+1}, as documented


def test_leave_one_out_with_a_mistake_bound() -> None:
    ledger = ledger_of(2, 1000)
    found = leave_one_out(ledger, mistake_bound=3)
    assert (found.value, found.vote, found.estimated) == (0.003, 0.006, False)
    assert leave_one_out(ledger, mistake_bound=10**6).value == 1
    third = leave_one_out(ledger_of(1, 3)).value
    assert third > Fraction(1, 3) > Fraction(math.nextafter(third, 0))  # upward
    with pytest.raises(nv.ParameterError, match="mistake_bound: expected a number of at least 2"):
        leave_one_out(ledger, mistake_bound=1)


def test_leave_one_out_refuses_what_is_no_vote() -> None:
    rounds = [((1.0,), 1), ((1.0,), -1)]
    averaged = nv.play(nv.AveragedPerceptron(), rounds).ledger
    with pytest.raises(nv.HypothesisError, match="averaged weights of AveragedPerceptron"):
        leave_one_out(averaged)
    with pytest.raises(nv.HypothesisError, match="VotedPerceptron with max_voters"):
        leave_one_out(nv.play(nv.VotedPerceptron(max_voters=3), rounds).ledger)
    assert error_bound(averaged).mistakes == averaged.mistakes  # of its h_t, and these are fine


def seeds_by_stop(size: int) -> dict[int, int]:
    """A seed for every stopping time."""
    found: dict[int, int] = {}
    for seed in range(30 * size):
        found.setdefault(stopped(seed, size).ledger.rounds, seed)
    return found


def stopped(seed: int, size: int) -> conversion.Stopped:
    rounds = [((1.0,), 1)] * size
    return random_stopping(nv.Perceptron(), rounds, epsilon=0.5, mistake_bound=size / 2, seed=seed)


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


def test_random_stopping_over_many_streams() -> None:
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


X, Y = WORLDS["separable"].draw(np.random.default_rng(1), 600)
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
def test_every_form_of_example_and_label(form: str, make: Any) -> None:
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
