"""Error bounds from one pass: they hold, are rounded upward, and are refused where not made."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff.receipts.conversion import (
    controlled_testing,
    error_bound,
    leave_one_out,
    random_stopping,
)
from novikoff.receipts.error_bounds import hoeffding_bound, mixture_bound, progressive_bound
from worlds import WORLDS, Hesitant, all_streams, exact_error, not_more_often, shares


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


def reaches(p: float, mistakes: int, rounds: int, delta: float) -> bool:
    """Whether (1/34) Σ_λ e^{−λM}(1 − (1 − e^{−λ})p)^{−T} is at least 1/δ, to eighty digits."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 80, 10**17, -(10**17)
        rates = [Decimal(2) ** (3 - Decimal(j) / 2) for j in range(34)]
        kept = [1 - (1 - (-rate).exp()) * Decimal(p) for rate in rates]
        terms = [
            (-rate * mistakes - one.ln() * rounds).exp()
            for rate, one in zip(rates, kept, strict=True)
        ]
        return sum(terms) / 34 >= 1 / Decimal(delta)


@given(counts, st.one_of(shares, st.floats(5e-324, 1e-300)))
def test_the_mixture_is_the_root_rounded_upward(pair: tuple[int, int], delta: float) -> None:
    value = mixture_bound(*pair, delta)
    assert pair[0] / pair[1] <= value <= 1
    assert value == 1 or reaches(value, *pair, delta)
    assert not reaches(math.nextafter(value, 0), *pair, delta)
    assert value <= progressive_bound(*pair, delta), "a mixture is never above its grid"


@pytest.mark.parametrize("bound", [progressive_bound, mixture_bound])
@given(counts, shares, shares)
def test_the_bound_is_monotonic(
    bound: Any, pair: tuple[int, int], delta: float, other: float
) -> None:
    mistakes, rounds = pair
    low, high = sorted((delta, other))
    assert bound(mistakes, rounds, high) <= bound(mistakes, rounds, low)
    value = bound(mistakes, rounds, delta)
    assert bound(mistakes, rounds + 1, delta) <= value
    assert bound(mistakes + 1, rounds + 1, delta) >= value
    if mistakes < rounds:
        assert bound(mistakes + 1, rounds, delta) >= value


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
        (0.05, 100, 8),
        (0.05, 1000, 134),
        (0.05, 10**4, 1510),
        (0.05, 10**5, 15603),
        (0.05, 10**6, 157561),
        (0.01, 1000, 162),
        (0.01, 10**6, 191335),
    ],
)
def test_below_the_crossover_ours_is_tighter(delta: float, rounds: int, last: int) -> None:
    def ours(mistakes: int) -> bool:
        return mixture_bound(mistakes, rounds, delta) < hoeffding_bound(mistakes, rounds, delta)

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
    """The bound after t rounds and m mistakes, for m up to a half of them.

    It is never above that of `progressive`, which therefore holds if this one does.
    """
    table = np.ones((rounds, rounds + 1))
    for t, m in itertools.product(range(1, rounds + 1), range(rounds // 2 + 1)):
        if m <= t:
            table[t - 1, m] = mixture_bound(m, t, delta)
    return table


@pytest.mark.shows("measured", "progressive", "progressive-mixture")
@pytest.mark.shows("holds", "progressive", "progressive-mixture")
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
        assert found.assumes == (
            "the examples are independent draws from one distribution",
            "learner, parameters and δ were chosen before they were seen",
        )
        assert found.value < 0.7 if name == "fair coin" else found.value < 0.3
        failures += any(means[t - 1] > value for t, _, value in found.along)
    assert not_more_often(failures, runs, delta)


def test_error_bound_is_the_formula_at_every_checkpoint() -> None:
    ledger = ledger_of(7, 1000)
    found = error_bound(ledger, 0.01)
    assert (found.delta, found.rounds, found.mistakes) == (0.01, 1000, 7)
    assert found.value == mixture_bound(7, 1000, 0.01)
    assert found.vote == 2 * found.value
    rounds, mistakes = ledger.checkpoints
    assert [a[:2] for a in found.along] == list(zip(rounds, mistakes, strict=True))
    assert all(value == mixture_bound(m, t, 0.01) for t, m, value in found.along)
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
    assert found.value == mixture_bound(0, 50)
    assert found.assumes[2:] == ("the learner had learned from none of them before",)
    assert error_bound(nv.play(Hesitant(0), [((1.0,), 1)]).ledger).assumes == found.assumes


def test_abstentions_count_as_mistakes_as_early_as_they_may_be() -> None:
    rounds = [((1.0,), 1)] * 40 + [((1.0,), -1)] * 2 + [((1.0,), 1)] * 58
    ledger = nv.play(Hesitant(5), rounds).ledger
    assert (ledger.mistakes, ledger.abstentions) == (2, 5)
    found = error_bound(ledger)
    assert (found.mistakes, found.value) == (7, mixture_bound(7, 100))
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
    assert error_bound(ledger).value == mixture_bound(ledger.mistakes, 80)


@pytest.mark.shows("refuses", "progressive", "progressive-mixture", "leave-one-out")
@pytest.mark.parametrize("bound", [error_bound, leave_one_out])
def test_what_is_not_one_fresh_pass_is_refused(bound: Any) -> None:
    rounds = [((1.0, 0.0), 1), ((0.0, 1.0), -1)]
    with pytest.raises(nv.HypothesisError, match=r"expected one pass, whose examples.*got 3"):
        bound(nv.play(nv.Perceptron(), rounds, passes=3).ledger)
    with pytest.raises(nv.HypothesisError, match="expected at least one round, got none"):
        bound(nv.Run(nv.Perceptron()).ledger)
    with pytest.raises(nv.HypothesisError, match=r"in its round, got ModifiedPerceptron"):
        bound(nv.play(nv.ModifiedPerceptron(0.1), rounds).ledger)
    with pytest.raises(nv.ParameterError, match=r"ledger: expected a run or its ledger"):
        bound(rounds)


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
    for bound in (progressive_bound, mixture_bound, hoeffding_bound):
        with pytest.raises(nv.ParameterError, match="mistakes: expected from 0 to the rounds"):
            bound(*pair)
    assert progressive_bound(*np.array([1, 5])) == progressive_bound(1, 5)
    assert mixture_bound(*np.array([1, 5])) == mixture_bound(1, 5)


@pytest.mark.shows("holds", "leave-one-out")
@pytest.mark.shows("tight", "leave-one-out")
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


def test_leave_one_out_takes_a_mistake_bound_for_the_mistakes() -> None:
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


def test_the_mean_of_snapshots_has_the_expected_loss_of_the_run() -> None:
    """A million to one: the mean over seeds of risk − L/T, whose expectation is at most 0."""
    world, gaps = WORLDS["noisy"], []
    for seed in range(40):
        X, y = world.draw(np.random.default_rng(seed), 60)
        run = nv.play(nv.Blend(freeze="snapshots", seed=seed), nv.stream(X, y))
        found = nv.expected_loss(run.ledger)
        assert (found.value, found.rounds) == (run.ledger.loss / 60, 60)
        h: Any = run.hypothesis()
        p = h.probabilities(world.points)
        risk = -(world.positive * np.log(p) + (1 - world.positive) * np.log(1 - p)) @ world.chances
        gaps.append(risk - found.value)
    assert np.mean(gaps) <= 5 * np.std(gaps) / 40**0.5


def test_a_last_state_weights_and_learners_without_a_loss_have_no_expected_loss() -> None:
    rounds = [((1.0, 0.0), 1), ((0.0, 1.0), -1)] * 5
    weighted = [(*one, 2.0) for one in rounds]
    snapshots = nv.Blend(freeze="snapshots")
    for ledger, expected in (
        (nv.play(nv.Blend(), rounds).ledger, "a mean of hypotheses"),
        (nv.play(nv.Perceptron(), rounds).ledger, "a learner with a loss"),
        (nv.play(snapshots.fresh(), rounds, passes=2).ledger, "one pass"),
        (nv.Run(snapshots.fresh(), max_weight=2.0).play(weighted).ledger, "weigh the same"),
    ):
        with pytest.raises(nv.HypothesisError, match=f"jensen: expected .*{expected}"):
            nv.expected_loss(ledger)
