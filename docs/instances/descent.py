"""Instances of the theorems of gradient descent."""

import math

import novikoff as nv
from instances.picture import Picture, allowed, picture
from novikoff.theory.descent_theorems import descent_rounding

POINTS = (16, 32, 64, 128, 256, 512, 1024)


def ogd() -> Picture:
    """x = 1 and y = 1 in every round, with the hinge loss at the rate 2⁻¹¹; u = 0."""

    def play(rounds: int) -> tuple[float, float]:
        run = nv.Run(nv.GradientDescent(2.0**-11, "hinge"))
        for _ in range(rounds):
            run.learn([1.0], 1)
        loss, stability = run.ledger.loss, run.ledger.stability
        return loss, allowed(
            "ogd",
            comparator_loss=rounds,
            penalty=0.0,
            distance=float(run.learner.w[1]) ** 2 * 2**10,
            stability=stability,
            rounding=float(descent_rounding(rounds, loss, stability, 0)) * (1 + 2**-50),
        )

    return picture("rounds T", POINTS, play, "loss")


def ogd_logistic() -> Picture:
    """x = 1 in every round, with the label that is less likely, at the rate 1/16; u = 0."""

    def play(rounds: int) -> tuple[float, float]:
        run = nv.Run(nv.GradientDescent(0.0625))
        for _ in range(rounds):
            run.learn([1.0], -run.learner.predict([1.0]))
        loss, stability = run.ledger.loss, run.ledger.stability
        return loss, allowed(
            "ogd-logistic",
            comparator_loss=math.nextafter(rounds * math.log(2), math.inf),
            penalty=0.0,
            rate=0.0625,
            radius2=1.0,
            rounding=float(descent_rounding(rounds, loss, stability, 0)) * (1 + 2**-50),
        )

    return picture("rounds T", POINTS, play, "loss")


def ogd_resumed() -> Picture:
    """x = 1 and y = 1 in every round, with the hinge loss at the rate 2⁻¹², from w_1 = ½; u = 0."""

    def play(rounds: int) -> tuple[float, float]:
        start = nv.Run(nv.GradientDescent(2.0**-12, "hinge"))
        for _ in range(2**11):
            start.learn([1.0], 1)
        run = start.continued()
        for _ in range(rounds):
            run.learn([1.0], 1)
        loss, stability = run.ledger.loss, run.ledger.stability
        begun, ended = (float(one.learner.w[1]) ** 2 * 2**11 for one in (start, run))
        error = float(descent_rounding(rounds, loss, stability, begun, begun)) * (1 + 2**-50)
        return loss, allowed(
            "ogd-resumed",
            comparator_loss=rounds,
            penalty=begun,
            distance=ended,
            stability=stability,
            rounding=error,
        )

    return picture("rounds T", POINTS, play, "loss")


PICTURES = {"ogd": ogd, "ogd-logistic": ogd_logistic, "ogd-resumed": ogd_resumed}
