"""Experts and bandits: Exp3 beside river's, Hedge beside four lines of NumPy."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from river import bandit

import novikoff as nv
from benchmarks.table import Row
from benchmarks.timing import compare_rates


def _river(arms: int, rounds: int) -> Callable[[], Any]:
    def play() -> None:
        policy: Any = bandit.Exp3(gamma=0.1, seed=1)
        names, rng = list(range(arms)), random.Random(0)
        for _ in range(rounds):
            policy.update(policy.pull(names), float(rng.random() < 0.5))

    return play


def _numpy(losses: Any, rounds: int, eta: float) -> Callable[[], Any]:
    def play() -> float:
        totals, expected = np.zeros(losses.shape[1]), 0.0
        for row in losses[:rounds]:
            weights = np.exp(-eta * (totals - totals.min()))
            expected += weights @ row / weights.sum()
            totals += row
        return expected

    return play


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    for arms, rounds, played, goal in [(10, 2_000_000, 20_000, 100), (1000, 200_000, 500, 1000)]:
        losses = (rng.random((rounds, arms), np.float32) < 0.5).astype(np.uint8)
        learner = nv.Exp3(arms, rounds)

        def ours(learner: nv.Exp3 = learner, losses: Any = losses) -> nv.Run:
            return nv.play(learner.fresh(), losses)

        work = f"Exp3, {arms} arms, {rounds // 1000}k rounds, river"
        yield compare_rates(work, goal, _river(arms, played), ours, played / rounds)
    experts, rounds = 1000, 50_000
    hedge = nv.Hedge(experts, horizon=rounds)
    real = rng.random((rounds, experts))
    binary = (real < 0.5).astype(np.uint8)
    kinds: list[tuple[str, Any, int]] = [
        ("losses in [0, 1]", real, 4),
        ("losses 0 and 1", binary, 14),
    ]
    for name, matrix, goal in kinds:
        peer = _numpy(matrix[:2000].astype(float), 2000, hedge.rate)

        def ours_too(matrix: Any = matrix) -> nv.Run:
            return nv.play(nv.Hedge(experts, horizon=rounds), matrix)

        work = f"Hedge, 1000 experts, {rounds // 1000}k rounds, {name}, NumPy"
        yield compare_rates(work, goal, peer, ours_too, 2000 / rounds)
