"""Instances of the theorems from online to batch, where the error of a hypothesis is known."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import novikoff as nv
from instances.picture import Picture, allowed, picture
from novikoff.receipts.conversion import controlled_testing as tested


def _errors(run: Any, rounds: int, points: int) -> Any:
    """Return err(h_1), …, err(h_T) on e_1, …, e_n, equally likely, labelled −1.

    The perceptron errs on those of them on which it has not yet made its mistake.
    """
    wrong = np.isin(np.arange(1, rounds + 1), run.ledger.mistake_rounds)
    return 1 - (np.cumsum(wrong) - wrong) / points


def _every_stream(rounds: int) -> tuple[float, float]:
    """Return E[M] and the mean of E[err(h_t)] over all streams of e_1 and e_2."""
    made, errors = 0.0, 0.0
    for points in itertools.product(range(2), repeat=rounds):
        run = nv.play(nv.Perceptron(), nv.stream(np.eye(2)[list(points)], -np.ones(rounds)))
        made += run.mistakes
        errors += _errors(run, rounds, 2).mean()
    return made / 2**rounds, errors / 2**rounds


def random_stopping() -> Picture:
    """Two points, equally likely: B = 2, and E[err] over every stream."""

    def play(rounds: int) -> tuple[float, float]:
        _, error = _every_stream(rounds)
        return error, allowed("random-stopping", mistake_bound=2, sample=rounds)

    return picture("rounds m", range(2, 9), play, "expected error")


def leave_one_out() -> Picture:
    """Two points, equally likely: E[M] and E[err] over every stream."""

    def play(rounds: int) -> tuple[float, float]:
        made, error = _every_stream(rounds)
        return error, allowed("leave-one-out", rounds=rounds, expected_mistakes=made)

    return picture("rounds m + 1", range(1, 8), play, "expected error")


def controlled_testing() -> Picture:
    """Five points of chance 0.06 to be learned among others; the quantile 1 − δ of the error."""
    chances, labels, delta = np.array([0.06] * 5 + [0.7]), np.array([-1] * 5 + [1]), 0.2

    def error(seed: int, epsilon: float) -> float:
        k = np.random.default_rng(seed).choice(6, 1500, p=chances)
        stream = nv.stream(np.eye(6)[k], labels[k])
        h = tested(nv.Perceptron(), stream, epsilon=epsilon, delta=delta).hypothesis
        return float(chances[h.predict(np.eye(6)) != labels].sum())

    def play(epsilon: float) -> tuple[float, float]:
        errors = [error(seed, epsilon) for seed in range(40)]
        value = allowed("controlled-testing", epsilon=epsilon, delta=delta)
        return float(np.quantile(errors, 1 - delta)), value

    return picture("ε, δ = 0.2", (0.05, 0.1, 0.15, 0.2, 0.25, 0.3), play, "80% quantile of error")


def _mean_errors(theorem: str) -> Picture:
    def play(rounds: int) -> tuple[float, float]:
        k = np.random.default_rng(0).integers(0, 20, rounds)
        run = nv.play(nv.Perceptron(), nv.stream(np.eye(20)[k], -np.ones(rounds)))
        evidence = {"rounds": rounds, "mistakes": run.mistakes}
        value = allowed(theorem, delta=0.05, **evidence)
        return float(_errors(run, rounds, 20).mean()), value

    return picture("rounds T, δ = 0.05", (50, 100, 200, 400, 800), play, "mean error")


def progressive() -> Picture:
    """Twenty points, equally likely; one run."""
    return _mean_errors("progressive")


def progressive_mixture() -> Picture:
    """Twenty points, equally likely; one run."""
    return _mean_errors("progressive-mixture")


def clopper_pearson() -> Picture:
    """A frozen model that errs on a tenth of all rows, and of n fresh ones."""

    def play(rows: int) -> tuple[float, float]:
        return 0.1, allowed("clopper-pearson", rows=rows, errors=rows // 10, delta=0.05)

    return picture("rows n, δ = 0.05", (10, 20, 40, 80, 160, 320), play, "error")


def betting_mean() -> Picture:
    """A frozen model that gives each label 80 %, and 80 % of n fresh rows are right; ε = 0.01."""

    def play(rows: int) -> tuple[float, float]:
        losses = [-math.log(0.8)] * (rows * 4 // 5) + [-math.log(0.2)] * (rows // 5)
        value = allowed("betting-mean", losses=losses, clip=0.01, delta=0.05)
        return math.fsum(losses) / rows, value

    return picture("rows n, δ = 0.05", (20, 40, 80, 160, 320), play, "mean log loss")


def jensen() -> Picture:
    """Two points, equally likely, labelled −1: the mean of the scores, over every stream."""
    points = np.eye(2)

    def play(rounds: int) -> tuple[float, float]:
        risk = loss = 0.0
        for chosen in itertools.product(range(2), repeat=rounds):
            run, scores = nv.Run(nv.AdaptiveGradient()), np.zeros(2)
            for k in chosen:
                h = run.learner.hypothesis() if run.ledger.rounds else None
                scores += np.zeros(2) if h is None else [*map(float, h.scores(points))]
                run.learn(points[k], -1)
            risk += float(np.logaddexp(0, scores / rounds).mean()) / 2**rounds
            loss += run.ledger.loss / 2**rounds
        return risk, allowed("jensen", rounds=rounds, expected_loss=loss)

    return picture("rounds T", range(1, 7), play, "expected loss")


PICTURES: dict[str, Callable[[], Picture]] = {
    "random-stopping": random_stopping,
    "controlled-testing": controlled_testing,
    "progressive": progressive,
    "progressive-mixture": progressive_mixture,
    "leave-one-out": leave_one_out,
    "clopper-pearson": clopper_pearson,
    "betting-mean": betting_mean,
    "jensen": jensen,
}
