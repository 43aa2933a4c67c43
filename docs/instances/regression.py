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


PICTURES = {"vaw": vaw}
