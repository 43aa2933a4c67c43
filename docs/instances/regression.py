"""Instances of the theorems of regression."""

import novikoff as nv
from instances.picture import Picture, allowed, picture
from novikoff.theory.regression_theorems import regression_rounding

RIDGE = 16.0


def vaw() -> Picture:
    """Every unit vector once with the label 1, ridge 16; u = 0."""

    def play(rounds: int) -> tuple[float, float]:
        run = nv.Run(nv.ForwardRegression(RIDGE))
        for j in range(rounds):
            run.learn(([j], [1.0]), 1.0)
        loss, drift = run.ledger.loss, run.ledger.drift
        return loss, allowed(
            "vaw",
            comparator_loss=rounds,
            penalty=0.0,
            largest_label=1.0,
            ridge=RIDGE,
            energies=[1.0] * rounds,
            rounding=float(regression_rounding(rounds, drift, loss)) * (1 + 2**-50),
        )

    return picture("rounds T", (1, 2, 4, 8, 16, 32), play, "loss")


def vaw_tight() -> Picture:
    """Every unit vector once with the label 1, ridge 1; u = (½, …, ½)."""

    def play(rounds: int) -> tuple[float, float]:
        run = nv.Run(nv.ForwardRegression(1.0))
        for j in range(rounds):
            run.learn(([j], [1.0]), 1.0)
        return run.ledger.loss, allowed(
            "vaw-tight",
            comparator_loss=rounds / 4,
            penalty=rounds / 4,
            stability=rounds / 2,
            rounding=0.0,
        )

    return picture("rounds T", (1, 2, 4, 8, 16, 32), play, "loss")


PICTURES = {"vaw-tight": vaw_tight, "vaw": vaw}
