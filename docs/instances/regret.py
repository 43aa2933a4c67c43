"""Instances of the theorems of experts and bandits."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import novikoff as nv
from instances.picture import Picture, picture

BETA = 1e-6
LENGTHS = (125, 250, 500, 1000, 2000)
ARMS, DELTA, SEEDS = 5, 0.05, 40


def _bound(run: Any) -> tuple[float, float]:
    (bound,) = nv.bounds(run)
    return bound.observed or 0.0, bound.value


def weighted_majority() -> Picture:
    """N = 2^k experts; in every round one half of those who never erred errs."""

    def play(n: int) -> tuple[float, float]:
        halves = [[k >> j & 1 for k in range(n)] for j in range(n.bit_length() - 1)]
        return _bound(nv.play(nv.WeightedMajority(n, BETA), np.array(halves, np.uint8)))

    return picture(f"experts N, β = {BETA:g}", (2, 4, 8, 16, 32, 64), play)


def randomized_weighted_majority() -> Picture:
    """N experts who err one after the other, all but the last: E[M] = 1/N + … + 1/2 as β → 0."""

    def play(n: int) -> tuple[float, float]:
        losses = np.eye(n, dtype=np.uint8)[:-1]
        return _bound(nv.play(nv.RandomizedWeightedMajority(n, BETA), losses))

    return picture(f"experts N, β = {BETA:g}", (2, 8, 32, 128, 512), play, "expected mistakes")


def _hedge(known: bool) -> Picture:
    """500 experts that are fair coins; the mean of five seeds."""

    def play(rounds: int) -> tuple[float, float]:
        learner = nv.Hedge(500, horizon=rounds if known else None)
        runs = [
            nv.play(learner.fresh_with(s), nv.Stochastic(np.full(500, 0.5), rounds, s))
            for s in range(5)
        ]
        observed, values = zip(*map(_bound, runs), strict=True)
        return float(np.mean(observed)), values[0]

    return picture("rounds T, 500 experts", LENGTHS, play, "expected regret")


def _bandit(make: Callable[[int], Any], pseudo: bool) -> Picture:
    """Fair coins and one better by √(K/T)/4; the mean of 40 seeds, or their quantile 1 − δ."""

    def play(rounds: int) -> tuple[float, float]:
        environment = nv.lower_bound(ARMS, rounds)
        found = nv.simulate(make(rounds), environment, seeds=SEEDS, delta=DELTA)
        observed = found.pseudo_regret if pseudo else found.quantiles([1 - DELTA])[0]
        return float(observed), found.bound.value

    counted = "pseudo-regret" if pseudo else f"{1 - DELTA:.0%} quantile of regret"
    return picture(f"rounds T, {ARMS} arms", LENGTHS, play, counted)


PICTURES: dict[str, Callable[[], Picture]] = {
    "weighted-majority": weighted_majority,
    "randomized-weighted-majority": randomized_weighted_majority,
    "hedge": partial(_hedge, known=True),
    "hedge-anytime": partial(_hedge, known=False),
    "exp3": partial(_bandit, lambda rounds: nv.Exp3(ARMS, rounds), pseudo=True),
    "exp3p": partial(_bandit, lambda rounds: nv.Exp3P(ARMS, DELTA, rounds), pseudo=False),
    "exp3ix": partial(_bandit, lambda rounds: nv.Exp3IX(ARMS, rounds), pseudo=False),
}
