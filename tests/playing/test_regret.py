"""Theorems of experts and bandits: each holds, is reached in part, refuses."""

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff.theory import named

losses = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
matrices = st.lists(st.lists(losses, min_size=4, max_size=4), min_size=1, max_size=60)
bits = st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=1, max_size=60)


@pytest.mark.shows("holds", "hedge", "hedge-anytime")
@given(matrices, st.sampled_from([None, 0.05, 0.7, 3.0]), st.booleans())
def test_hedge_holds_for_any_losses(given: Any, eta: float | None, known: bool) -> None:
    """Always: the expected regret is a number, whatever is drawn."""
    horizon = len(given) if known and eta is None else None
    run = nv.play(nv.Hedge(4, eta=eta, horizon=horizon), np.array(given))
    (bound,) = nv.bounds(run)
    assert bound.observed == run.ledger.expected_regret
    assert bound.observed is not None
    assert bound.observed <= bound.value + 1e-9
    assert bound.theorem == ("hedge" if eta or known else "hedge-anytime")


@pytest.mark.shows("holds", "weighted-majority", "randomized-weighted-majority")
@given(bits, st.sampled_from([0.2, 0.5, 0.9]))
def test_the_majorities_hold_for_any_mistakes(given: Any, beta: float) -> None:
    matrix = np.array(given, np.uint8)
    (bound,) = nv.bounds(nv.play(nv.WeightedMajority(4, beta), matrix))
    assert bound.holds
    run = nv.play(nv.RandomizedWeightedMajority(4, beta), matrix)
    (bound,) = nv.bounds(run)
    assert bound.theorem == "randomized-weighted-majority"
    assert bound.observed == run.ledger.expected_loss
    assert bound.observed is not None
    assert bound.observed <= bound.value + 1e-9


@pytest.mark.shows("tight", "weighted-majority")
@pytest.mark.shows("measured", "weighted-majority")
def test_weighted_majority_reaches_its_bound_as_beta_falls() -> None:
    """Every round one half of the best experts errs, outcome −1: each halving is a mistake."""
    n = 64
    matrix = np.array([[k >> j & 1 for k in range(n)] for j in range(6)], np.uint8)
    run = nv.play(nv.WeightedMajority(n, 1e-6), matrix)
    (bound,) = nv.bounds(run)
    assert run.ledger.mistakes == 6
    assert 6 / bound.value > 0.99  # lg N = 6 as β → 0: the halving algorithm
    assert math.floor(bound.value) == 6
    fair = nv.play(
        nv.WeightedMajority(2, 0.5), np.tile(np.array([[1, 0], [0, 1]], np.uint8), (50, 1))
    )
    assert fair.ledger.mistakes / nv.bounds(fair)[0].value > 0.35


@pytest.mark.shows("measured", "hedge")
def test_hedge_reaches_its_share_on_fair_coins() -> None:
    """Fair coins force about √(T ln N/2) on anybody (cesabianchi2006, Thm 3.7)."""
    learner = nv.Hedge(1000, horizon=2000)
    shares = []
    for seed in range(8):
        coins = nv.Stochastic(np.full(1000, 0.5), 2000, seed)
        run = nv.play(learner.fresh_with(seed), coins)
        assert run.ledger.expected_regret is not None
        shares.append(run.ledger.expected_regret / nv.bounds(run)[0].value)
    assert 0.75 < np.mean(shares) < 1


def _tail(failures: int, n: int, p: float) -> float:
    """P[at least so many of n fail], each with probability p."""
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(failures, n + 1))


BANDITS: dict[str, Any] = {
    "exp3": lambda T: nv.Exp3(5, T),
    "exp3p": lambda T: nv.Exp3P(5, 0.05, T),
    "exp3ix": lambda T: nv.Exp3IX(5, T),
}


@pytest.mark.shows("holds", "exp3", "exp3p", "exp3ix")
@pytest.mark.parametrize("horizon", [None, 2000])
@pytest.mark.parametrize("name", BANDITS)
def test_the_bandits_theorems_hold_in_every_environment(name: str, horizon: int | None) -> None:
    for environment in (
        nv.Stochastic([0.5, 0.4, 0.5, 0.6, 0.3], 2000),
        nv.switching(5, 2000),
        nv.lower_bound(5, 2000),
        np.random.default_rng(0).random((2000, 5)),
    ):
        found = nv.simulate(BANDITS[name](horizon), environment, seeds=40)
        assert found.bound.theorem == name
        if name == "exp3":  # about the mean alone
            assert found.pseudo_regret < found.bound.value
        else:
            failures = int((found.regret > found.bound.value).sum())
            assert _tail(failures, 40, 0.05) > 1e-3


@pytest.mark.shows("measured", "exp3", "exp3p", "exp3ix")
def test_the_hard_instance_costs_every_bandit_its_share() -> None:
    """No learner is below √(TK)/20 in expectation (bubeck2012, Thm 3.5)."""
    for make in BANDITS.values():
        found = nv.simulate(make(4000), nv.lower_bound(5, 4000), seeds=40)
        assert found.pseudo_regret > math.sqrt(4000 * 5) / 20
        print(f"{found.learner}: {found.pseudo_regret / found.bound.value:.3f} of its bound")


@pytest.mark.shows("refuses", "hedge", "hedge-anytime", "exp3", "exp3p", "exp3ix")
def test_theorems_refuse_what_they_do_not_speak_of() -> None:
    run = nv.play(nv.Exp3(2, horizon=10), np.zeros((11, 2)))
    with pytest.raises(nv.HypothesisError, match="at most the 10 rounds of the horizon"):
        nv.bounds(run)
    with pytest.raises(nv.HypothesisError, match="at least one round"):
        nv.bounds(nv.Run(nv.Hedge(2)))
    used = nv.Exp3IX(2)
    used.update(used.choose(), 0.0)
    with pytest.raises(nv.HypothesisError, match="from the learner's first round"):
        nv.bounds(nv.Run(used).play(np.zeros((5, 2))))
    late = nv.play(nv.Exp3(2, horizon=10), np.zeros((5, 2)))
    first, second = late.learner.ticket(), late.learner.ticket()
    late.learner.update(second, 0.0)
    late.learner.update(first, 0.0)
    with pytest.raises(nv.HypothesisError, match="each loss before the next draw"):
        nv.bounds(late)
    changes: list[tuple[str, dict[str, Any]]] = [
        ("exp3p", {"delta": 0.0}),
        ("exp3ix", {"delta": 1.0}),
        ("hedge", {"eta": -1}),
    ]
    evidence: dict[str, Any] = {"arms": 3, "experts": 3, "rounds": 10, "delta": 0.1, "eta": 1}
    for name, bad in changes:
        with pytest.raises(nv.HypothesisError, match=name):
            named(name).evaluate(evidence | {"anytime": True} | bad)


def test_theorems_refuse_rounds_that_the_run_did_not_see() -> None:
    run = nv.play(nv.Hedge(2, eta=0.5), np.tile([0.0, 1.0], (50, 1)))
    run.learner.update([1, 1], [0.0, 1.0])
    with pytest.raises(nv.HypothesisError, match="outside its run"):
        nv.bounds(run)


def test_what_cannot_be_simulated_or_drawn_is_refused_by_name(tmp_path: Path) -> None:
    changes: list[dict[str, Any]] = [
        {"seeds": True}, {"threads": 0}, {"threads": "a"}, {"delta": "a"}, {"delta": 1},
    ]  # fmt: skip
    for change in changes:
        with pytest.raises(nv.ParameterError, match=next(iter(change))):
            nv.simulate(nv.Exp3(2), np.zeros((3, 2)), **({"seeds": 1} | change))
    with pytest.raises(nv.ParameterError, match="rounds"):
        nv.switching(3, "a")  # type: ignore[arg-type]
    with pytest.raises(nv.InputError, match="at least one round"):
        nv.report(nv.Run(nv.Exp3(2)), tmp_path / "x.svg")


@pytest.mark.parametrize("drawn", [False, True])
def test_a_pickled_run_is_the_same_run(drawn: bool) -> None:
    run = nv.play(nv.Exp3(3), nv.switching(3, 300) if drawn else np.eye(3))
    copied = pickle.loads(pickle.dumps(run))
    assert nv.bounds(copied) == nv.bounds(run)
    assert nv.certify(copied).text == nv.certify(run).text
    assert np.array_equal(copied.ledger.checkpoints.regret, run.ledger.checkpoints.regret)


def test_exp3p_begun_anew_sums_the_bounds_of_its_epochs() -> None:
    evidence = {"arms": 3, "rounds": 7, "delta": 0.1, "anytime": True}
    parts = [math.sqrt(2**r * 3 * math.log(3 * (r + 1) * (r + 2) / 0.1)) for r in range(3)]
    assert named("exp3p").evaluate(evidence).value == pytest.approx(5.15 * sum(parts))


@given(bits)
@settings(max_examples=30)
def test_pseudo_regret_is_regret_where_nothing_is_drawn(given: Any) -> None:
    ledger = nv.play(nv.Exp3(4), np.array(given)).ledger
    assert ledger.pseudo_regret == pytest.approx(ledger.regret)
    with pytest.raises(nv.MeasureError, match="expected_regret: expected a measure of a run of E"):
        _ = ledger.expected_regret


def test_the_three_regrets_are_told_apart() -> None:
    environment = nv.Stochastic([[0.2, 0.7], [0.9, 0.1]], 100, period=10, cyclic=True)
    ledger = nv.play(nv.Hedge(2, horizon=100, seed=5), environment).ledger
    assert ledger.mean_losses == pytest.approx([55.0, 40.0])
    drawn = environment.losses(0, 100)
    assert ledger.losses.tolist() == drawn.sum(axis=0).tolist()
    assert ledger.regret == ledger.loss - drawn.sum(axis=0).min()
    assert len({ledger.regret, ledger.expected_regret, ledger.pseudo_regret}) == 3
    points = ledger.checkpoints
    assert points.rounds[-1] == 100
    assert points.regret[-1] == ledger.regret
    assert points.probabilities.sum(axis=1) == pytest.approx(1)


def test_checkpoints_do_not_depend_on_the_pieces_played() -> None:
    matrix = np.random.default_rng(0).random((500, 3))
    whole = nv.play(nv.Hedge(3), matrix).ledger.checkpoints
    run = nv.Run(nv.Hedge(3))
    for start in range(0, 500, 7):
        run.play(matrix[start : start + 7])
    pieces = run.ledger.checkpoints
    assert np.array_equal(pieces.rounds, whole.rounds)
    assert run.ledger.expected_regret == nv.play(nv.Hedge(3), matrix).ledger.expected_regret


def test_seeds_are_played_across_threads_alike() -> None:
    environment = nv.switching(4, 1500)
    one = nv.simulate(nv.Exp3IX(4), environment, seeds=6, threads=1)
    two = nv.simulate(nv.Exp3IX(4), environment, seeds=6, threads=3)
    assert np.array_equal(one.regrets, two.regrets)
    assert one.bounds[-1] == one.bound.value
    assert two.quantiles([0.0, 1.0]).tolist() == [two.regret.min(), two.regret.max()]
