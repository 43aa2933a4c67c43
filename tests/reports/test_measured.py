"""What the figures show, recounted round by round."""

import math

import numpy as np
import pytest

import novikoff as nv
from novikoff.reports.measured import errors_over_time, played_bins


@pytest.mark.parametrize("rounds", [1, 2, 90, 100, 5000])
def test_errors_over_time_are_those_so_far_and_of_the_window(rounds: int) -> None:
    rng = np.random.default_rng(rounds)
    X = rng.standard_normal((rounds, 3))
    y = np.where(X[:, 0] + rng.standard_normal(rounds) > 0, 1, -1)
    run = nv.play(nv.Perceptron(), nv.stream(X, y))
    wrong = {*run.ledger.mistake_rounds.tolist()}
    found = errors_over_time(run.ledger)
    assert found.rounds[-1] == rounds
    assert len(found.rounds) <= 240
    assert found.window == min(rounds, max(100, rounds // 20))
    for t, so_far, recent in zip(found.rounds, found.so_far, found.recent, strict=True):
        assert so_far == sum(s <= t for s in wrong) / t
        first = max(0, t - found.window)
        assert recent == sum(first < s <= t for s in wrong) / (t - first)


def test_intervals_hold_the_chances_of_a_run_that_knows_them() -> None:
    """With δ = 0.2 and 100 runs, more than 36 failures have a probability below 1e-4."""
    missed = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((300, 2))
        chances = 1 / (1 + np.exp(-2 * X[:, 0]))
        y = np.where(rng.random(300) < chances, 1, -1)
        run, places, given = nv.Run(nv.AdaptiveGradient(), labels=(-1, 1)), [], []
        for x, label in zip(X, y, strict=True):
            p = run.probability(x)
            assert isinstance(p, float)
            places.append(min(int(20 * p), 19))
            given.append(p)
            run.learn(x, int(label))
        bins = played_bins(run.ledger, 0.2)
        assert sum(one.rows for one in bins) == 300
        ok = True
        for one in bins:
            chosen = np.array(places) == round(20 * one.low)
            assert chosen.sum() == one.rows
            assert one.mean == pytest.approx(np.array(given)[chosen].mean())
            assert one.interval[0] <= one.happened / one.rows <= one.interval[1]
            ok &= one.interval[0] <= chances[chosen].mean() <= one.interval[1]
        missed += not ok
    assert missed <= 36


def test_intervals_shrink_like_the_root_of_the_rounds() -> None:
    X, y = np.ones((4000, 1)), np.tile([1, -1], 2000)
    widths = []
    for rounds in (40, 4000):
        run = nv.play(nv.AdaptiveGradient(), nv.stream(X[:rounds], y[:rounds]))
        most = max(played_bins(run.ledger, 0.05), key=lambda one: one.rows)
        widths.append((most.interval[1] - most.interval[0]) * math.sqrt(most.rows))
    assert widths[1] < 2 * widths[0]
