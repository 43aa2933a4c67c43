"""Learners with arms: the twins, the simplex, tickets, ten million rounds, a peer's defects."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
import regret_twins as twins
from threads import refusals

MAKES: dict[str, Any] = {
    "exp3": lambda horizon: nv.Exp3(4, horizon, seed=7),
    "exp3ix": lambda horizon: nv.Exp3IX(4, horizon, seed=7),
    "exp3p": lambda horizon: nv.Exp3P(4, 0.1, horizon, seed=7),
}
TWINS: dict[str, Any] = {
    "exp3": lambda horizon: twins.Exp3(4, 7, horizon),
    "exp3ix": lambda horizon: twins.Exp3IX(4, 7, horizon),
    "exp3p": lambda horizon: twins.Exp3P(4, 7, horizon, 0.1),
}
CASES = [(name, horizon) for name in MAKES for horizon in (None, 200)]


@pytest.mark.parametrize(("name", "horizon"), CASES)
def test_every_bandit_is_its_twin(name: str, horizon: int | None) -> None:
    matrix = np.random.default_rng(3).random((200, 4))
    twin, learner, arms = TWINS[name](horizon), MAKES[name](horizon), []
    for row in matrix:
        arms.append(twin.choose())
        assert learner.choose() == arms[-1]
        twin.learn(arms[-1], row[arms[-1]])
        learner.update(arms[-1], row[arms[-1]])
    p = twin.mixed() if name == "exp3p" else twin.probabilities()
    assert learner.probabilities() == pytest.approx(np.array([float(v) for v in p]), rel=1e-10)
    run = nv.play(MAKES[name](horizon), matrix)
    assert run.ledger.loss == pytest.approx(matrix[np.arange(200), arms].sum())
    assert run.ledger.losses == pytest.approx(matrix.sum(axis=0))
    assert np.array_equal(run.learner.probabilities(), learner.probabilities())


@given(
    st.sampled_from(sorted(MAKES)),
    st.sampled_from([None, 1, 60]),
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
)
@settings(max_examples=60)
def test_probabilities_stay_on_the_simplex(name: str, horizon: int | None, losses: Any) -> None:
    learner = MAKES[name](horizon)
    for loss in losses:
        arm = learner.choose()
        assert learner.choose() == arm  # pure
        learner.update(arm, loss)
        p = learner.probabilities()
        assert np.isfinite(p).all()
        assert (p >= 0).all()
        assert p.sum() == pytest.approx(1, abs=1e-12)


def test_ten_million_rounds_with_one_perfect_arm_converge() -> None:
    means = np.full(10, 0.5)
    means[6] = 0.0
    run = nv.play(nv.Exp3(10, 10**7, seed=1), nv.Stochastic(means, 10**7))
    assert run.ledger.rounds == 10**7
    assert run.learner.probabilities()[6] > 0.99
    assert np.isfinite(run.learner.core.estimates).all()
    assert 0 < run.ledger.regret < nv.bounds(run)[0].value


@pytest.mark.parametrize(
    "make", [lambda: nv.Exp3(3, 10), lambda: nv.Exp3IX(3), lambda: nv.Hedge(3)]
)
def test_a_million_rounds_of_full_losses_leave_all_finite(make: Any) -> None:
    run = nv.play(make(), nv.Stochastic([1.0, 1.0, 1.0], 10**6))
    p = run.learner.probabilities()
    assert p.sum() == pytest.approx(1)
    assert run.ledger.regret == 0


def test_one_large_loss_zeroes_nothing_for_ever() -> None:
    """A peer's weights are all zero after one large loss, and stay so."""
    learner = nv.Hedge(3, eta=1e5)
    learner.update(None, [1.0, 1.0, 1.0])
    assert learner.probabilities() == pytest.approx([1 / 3] * 3)
    learner.update(None, [1.0, 0.0, 1.0])
    learner.update(None, [0.0, 1.0, 1.0])
    assert learner.probabilities() == pytest.approx([0.5, 0.5, 0.0])


def test_before_the_first_update_the_prediction_is_one_experts() -> None:
    """A peer predicts the sum of its experts before it has learned anything."""
    learner = nv.Hedge(4)
    assert learner.predict([1, 1, 1, 1]) == 1
    assert learner.probabilities() == pytest.approx([0.25] * 4)


def test_exp3_learns_without_uniform_exploration_and_past_fourteen_thousand_rounds() -> None:
    """A peer never learns with γ = 0, and its weights overflow after some 14,200 rounds."""
    run = nv.play(nv.Exp3(2, 50_000, seed=2, rewards=True), np.tile([1.0, 0.0], (50_000, 1)))
    assert run.learner.probabilities()[0] > 0.99
    assert np.isfinite(run.learner.core.estimates).all()


def test_rewards_are_scaled_in_the_update_too() -> None:
    """A peer scales rewards where they are shown, and not where it learns."""
    rewards = np.random.default_rng(0).random((400, 3))
    plain = nv.play(nv.Exp3(3, 400, rewards=True), rewards)
    scaled = nv.play(nv.Exp3(3, 400, rewards=True, span=(-50, 150)), 200 * rewards - 50)
    assert scaled.learner.probabilities() == pytest.approx(plain.learner.probabilities())
    assert scaled.ledger.loss == pytest.approx(plain.ledger.loss)


def test_late_answers_by_ticket_come_in_any_order_and_no_theorem_speaks() -> None:
    learner = nv.Exp3(3, 100, seed=4)
    run = nv.Run(learner)
    tickets = [learner.ticket() for _ in range(5)]
    assert [t.number for t in tickets] == [1, 2, 3, 4, 5]
    with pytest.raises(nv.InputError, match="open tickets first"):
        learner.update(learner.choose(), 0.5)
    with pytest.raises(nv.InputError, match="open tickets first"):
        run.play(np.zeros((3, 3)))
    for ticket in (tickets[3], tickets[0]):
        learner.update(ticket, 1.0)
    with pytest.raises(nv.InputError, match="Answer each ticket once"):
        learner.update(tickets[0], 1.0)
    assert learner.tickets == (tickets[1], tickets[2], tickets[4])
    for ticket in learner.tickets:
        learner.update(ticket, 0.0)
    assert learner.rounds == 5
    assert learner.delayed
    late = nv.Run(nv.Exp3(3, 100))
    late.learner.ticket()
    late.learner.update(late.learner.tickets[0], 0.0)
    assert not late.learner.delayed  # answered before the next draw


def test_tickets_answered_at_once_are_the_plain_protocol() -> None:
    plain, by_ticket = nv.Exp3IX(3, seed=9), nv.Exp3IX(3, seed=9)
    for t in range(50):
        arm = plain.choose()
        plain.update(arm, t % 3 / 2)
        ticket = by_ticket.ticket()
        assert ticket.arm == arm
        by_ticket.update(ticket, t % 3 / 2)
    assert np.array_equal(plain.probabilities(), by_ticket.probabilities())
    assert not by_ticket.delayed


@pytest.mark.parametrize(("name", "horizon"), CASES)
def test_resuming_is_going_on_with_open_tickets_too(
    name: str, horizon: int | None, tmp_path: Path
) -> None:
    matrix = np.random.default_rng(8).random((120, 4))
    whole = nv.play(MAKES[name](horizon), matrix)
    first = nv.play(MAKES[name](horizon), matrix[:50])
    first.save(tmp_path / "run")
    second = nv.Run.load(tmp_path / "run").play(matrix[50:])
    assert second.ledger.loss == whole.ledger.loss
    assert np.array_equal(second.learner.probabilities(), whole.learner.probabilities())
    assert second.ledger.checkpoints.rounds[-1] == 120
    ticket = first.learner.ticket()
    first.learner.save(tmp_path / "learner")
    again: Any = nv.RegretLearner.load(tmp_path / "learner")
    assert again.tickets == (ticket,)
    for learner in (first.learner, again):
        learner.update(learner.ticket(), 0.25)
        learner.update(ticket, 0.75)
    assert again.delayed
    assert np.array_equal(again.probabilities(), first.learner.probabilities())


def test_arms_join_with_the_estimate_stated() -> None:
    learner = nv.Exp3(2, 100)
    learner.update(learner.choose(), 1.0)
    assert learner.join(loss=0.0) == 2
    p = learner.probabilities()
    assert p[2] == pytest.approx(p.max())
    with pytest.raises(nv.ParameterError, match="loss: expected a number"):
        learner.join(loss=float("nan"))


@pytest.mark.parametrize("bad", [-0.5, 1.01, float("nan"), None, "1"])
def test_other_losses_and_other_arms_are_refused(bad: Any) -> None:
    learner = nv.Exp3P(3, delta=0.1)
    with pytest.raises(nv.InputError, match=r"loss: expected a loss in \[0, 1\]"):
        learner.update(learner.choose(), bad)
    with pytest.raises(nv.InputError, match="the one chosen for this round"):
        learner.update((learner.choose() + 1) % 3, 0.5)
    assert learner.rounds == 0
    with pytest.raises(nv.ParameterError, match="delta"):
        nv.Exp3P(3, delta=1.0)
    with pytest.raises(nv.InputError, match="expected losses for a bandit"):
        nv.play(nv.Exp3(2), nv.stream([[1.0, -1.0]], [1]))


def test_many_arms_are_drawn_in_proportion() -> None:
    """The tree of sums over 300 arms: the draws of many seeds follow the probabilities."""
    matrix = np.random.default_rng(1).random((3000, 300))
    made = nv.play(nv.Exp3(300, 3000), matrix).learner
    counts = np.zeros(300)
    for seed in range(6000):
        other = nv.Exp3(300, 3000, seed=seed)
        other.restore(made.state())
        counts[other.choose()] += 1
    p = made.probabilities()
    chi2 = ((counts - 6000 * p) ** 2 / (6000 * p)).sum()
    assert chi2 < 299 + 5 * np.sqrt(2 * 299)


@pytest.mark.parametrize("loss", [10**400, float("nan"), float("inf"), "0.5", None], ids=str)
def test_a_number_that_is_no_loss_is_refused_by_name(loss: Any) -> None:
    learner = nv.Exp3(3)
    with pytest.raises(nv.InputError, match="expected a loss in"):
        learner.update(learner.choose(), loss)
    with pytest.raises(nv.ParameterError, match="loss"):
        learner.join(loss)
    assert (learner.rounds, learner.size) == (0, 3)


def test_an_arm_is_a_whole_number() -> None:
    learner = nv.Exp3(3)
    for arm in (np.array([0, 1]), np.array([learner.choose()]), float(learner.choose()), (0,)):
        with pytest.raises(nv.InputError, match="the one chosen"):
            learner.update(arm, 0.5)  # type: ignore[arg-type]


def test_none_joins_a_learner_whose_rate_is_zero() -> None:
    for learner in (nv.Exp3(1), nv.Hedge(1)):
        with pytest.raises(nv.InputError, match="rate is 0"):
            learner.join(0.0)


@pytest.mark.parametrize("base", [-1e300, 0.0])
def test_no_saved_state_makes_probabilities_that_are_none(base: float) -> None:
    learner = nv.Exp3(3, 100)
    state = learner.state() | {"estimates": np.array([-5e5, -4e5, 7.0]), "base": np.array([base])}
    learner.restore(state)
    assert learner.probabilities().tolist() == [1.0, 0.0, 0.0]
    assert learner.choose() == 0


@pytest.mark.parametrize("kind", ["exp3", "exp3p", "hedge"])
def test_a_second_thread_is_refused(kind: str) -> None:
    learner: Any = nv.Hedge(50) if kind == "hedge" else MAKES[kind](None).fresh()
    losses = np.zeros((5_000_000 // learner.size, learner.size))
    drawn = learner.followed if kind == "hedge" else learner.choose
    size, asks = learner.size, (drawn, learner.probabilities, learner.state)
    assert len(refusals(lambda: nv.play(learner, losses), *asks)) == len(asks)
    assert (learner.rounds % len(losses), learner.size) == (0, size)
