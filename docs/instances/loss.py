"""Instances of the theorems of losses."""

import math

import novikoff as nv
from instances.picture import Picture, allowed, picture
from novikoff.learners import ClassBlend
from novikoff.theory.loss_theorems import class_rounding, mixture_rounding, rounding


def ftrl_diag() -> Picture:
    """x = 1 in every round, with the label that is less likely; u = 0."""

    def play(rounds: int) -> tuple[float, float]:
        run = nv.Run(nv.AdaptiveGradient())
        for _ in range(rounds):
            run.learn([1.0], -run.learner.predict([1.0]))
        loss, stability = run.ledger.loss, run.ledger.stability
        compared = math.nextafter(rounds * math.log(2), math.inf)
        error = float(rounding(rounds, loss, stability, 0)) * (1 + 2**-50)
        return loss, allowed(
            "ftrl-diag",
            comparator_loss=compared,
            penalty=0.0,
            stability=stability,
            rounding=error,
        )

    return picture("rounds T", (16, 32, 64, 128, 256, 512, 1024), play, "loss")


def fixed_share() -> Picture:
    """x = 1 in every round, with the label that is less likely; u = 0, through rate ¼."""

    def play(rounds: int) -> tuple[float, float]:
        run = nv.Run(nv.Blend(bias=None))
        for _ in range(rounds):
            run.learn([1.0], -run.learner.predict([1.0]))
        stability = run.ledger.stability_quarter
        compared = math.nextafter(rounds * math.log(2), math.inf)
        error = float(mixture_rounding(rounds, compared, stability, 0)) * (1 + 2**-50)
        return run.ledger.loss, allowed(
            "fixed-share",
            comparator_loss=compared,
            penalty=0.0,
            stability=stability,
            members=11,
            rounds=rounds,
            rounding=error,
        )

    return picture("rounds T", (16, 32, 64, 128, 256, 512, 1024), play, "loss")


def fixed_share_classes() -> Picture:
    """x = 1 in every round, with the least likely of three classes; U = 0."""

    def play(rounds: int) -> tuple[float, float]:
        run = nv.Run(ClassBlend(3, bias=None), labels=[0, 1, 2])
        for _ in range(rounds):
            run.learn([1.0], int(run.learner.probability([1.0]).argmin()))
        ledger = run.ledger
        compared = math.nextafter(rounds * math.log(3), math.inf)
        error = class_rounding(rounds, 3, int(ledger.longest), compared + ledger.stability)
        return ledger.loss, allowed(
            "fixed-share-classes",
            comparator_loss=compared,
            penalty=0.0,
            stability=ledger.stability,
            cuts=ledger.cuts,
            rounds=rounds,
            rounding=float(error) * (1 + 2**-50),
        )

    return picture("rounds T", (16, 32, 64, 128, 256, 512, 1024), play, "loss")


PICTURES = {
    "ftrl-diag": ftrl_diag,
    "fixed-share": fixed_share,
    "fixed-share-classes": fixed_share_classes,
}
