"""Instances of the theorems of losses."""

import math
from fractions import Fraction

import novikoff as nv
from instances.picture import Picture, allowed, picture
from novikoff.learners import ClassBlend
from novikoff.learners.losses.mixture import Mixture
from novikoff.theory.loss_theorems import (
    betting_rounding,
    class_rounding,
    members_rounding,
    mixture_rounding,
    rounding,
)


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


class Sure:
    """A member that gives the label 1 the same probability in every round."""

    refuses = False

    def __init__(self, p: float) -> None:
        self.p = p

    def probability(self, x: object) -> float:
        """Return it."""
        return self.p

    def update(self, x: object, y: int) -> None:
        """Learn nothing."""


def mixture() -> Picture:
    """One member knows the label of the only round, and the others are sure of the other one."""

    def play(members: int) -> tuple[float, float]:
        sure = [Sure(1.0), *(Sure(0.0) for _ in range(members - 1))]
        learner = Mixture(sure, switching=False)
        run = nv.play(learner, nv.stream([[1.0]], [1]))
        best = math.nextafter(min(learner.losses.values()), math.inf)
        return run.ledger.loss, allowed(
            "mixture",
            member_loss=best,
            members=members,
            rounds=1,
            switching=False,
            rounding=float(members_rounding(1, members, best)) * (1 + 2**-50),
        )

    return picture("members K", (2, 4, 8, 16, 32, 64), play, "loss")


def betting() -> Picture:
    """x = 1 in every round, with the label that is less likely; u = 0."""

    def play(rounds: int) -> tuple[float, float]:
        learner = nv.CoinBetting()
        run = nv.Run(learner)
        for _ in range(rounds):
            run.learn([1.0], -learner.predict([1.0]))
        loss, (_, (_, wealth, *_)) = run.ledger.loss, learner.cells
        return loss, allowed(
            "betting",
            comparator_loss=math.nextafter(rounds * math.log(2), math.inf),
            bets=math.nextafter(1 - wealth, math.inf),
            rounding=float(betting_rounding(rounds, 1, loss, 0)) * (1 + 2**-50),
        )

    return picture("rounds T", (16, 32, 64, 128, 256, 512, 1024), play, "loss")


def betting_share() -> Picture:
    """x = 1 in every round, with the label that is less likely; u = 0."""

    def play(rounds: int) -> tuple[float, float]:
        learner = nv.Blend(bias=None)
        run = nv.Run(learner)
        for _ in range(rounds):
            run.learn([1.0], -learner.predict([1.0]))
        wealth = float(learner.core.state()["cells"].reshape(-1, 16)[1, 11])
        compared = math.nextafter(rounds * math.log(2), math.inf)
        bets = max(0.0, math.nextafter(1 - wealth, math.inf))
        error = betting_rounding(rounds, 1, Fraction(compared) + Fraction(bets), 0)
        return run.ledger.loss, allowed(
            "betting-share",
            comparator_loss=compared,
            bets=bets,
            members=11,
            rounds=rounds,
            rounding=float(error + Fraction(rounds, 2**43)) * (1 + 2**-50),
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
    "mixture": mixture,
    "betting": betting,
    "betting-share": betting_share,
    "fixed-share-classes": fixed_share_classes,
}
