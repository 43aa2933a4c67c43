"""Instances of the theorems of runs that go on from a model."""

import math
from typing import Any

import novikoff as nv
from instances.picture import Picture, allowed, picture
from novikoff.theory.loss_theorems import rounding
from novikoff.theory.resumed_theorems import resumed_mixture_rounding

BEFORE = 63
LENGTHS = (16, 32, 64, 128, 256, 512, 1024)


def _against(run: nv.Run[Any], rounds: int) -> nv.Run[Any]:
    """Play x = 1 with the label that is not predicted."""
    for _ in range(rounds):
        run.learn([1.0], -run.learner.predict([1.0]))
    return run


def hinge_resumed() -> Picture:
    """x = 1 with labels alternating, after 63 such rounds, which leave w_1 = −1; w = 0."""

    def play(rounds: int) -> tuple[float, float]:
        start = _against(nv.Run(nv.Perceptron()), BEFORE)
        run = _against(start.continued(), rounds)
        first = start.ledger.weight_norm**2
        return run.mistakes, allowed(
            "hinge-resumed",
            radius2=1,
            norm2=0,
            hinge=rounds,
            start_product=0,
            start_norm2=first,
        )

    return picture("rounds T", LENGTHS, play)


def ftrl_diag_resumed() -> Picture:
    """x = 1 in every round, with the label that is less likely, after 63 such rounds; u = 0."""

    def play(rounds: int) -> tuple[float, float]:
        start = _against(nv.Run(nv.AdaptiveGradient()), BEFORE)
        run = _against(start.continued(), rounds)
        loss, stability = run.ledger.loss, run.ledger.stability
        _, theta, S = start.learner.cells[1].tolist()
        potential = theta**2 / (2 * math.sqrt(S + 1)) * (1 + 2**-50)
        error = float(rounding(rounds, loss, stability, potential)) * (1 + 2**-50)
        return loss, allowed(
            "ftrl-diag-resumed",
            comparator_loss=math.nextafter(rounds * math.log(2), math.inf),
            penalty=0.0,
            start_product=0.0,
            potential=potential,
            stability=stability,
            rounding=error,
        )

    return picture("rounds T", LENGTHS, play, "loss")


def fixed_share_resumed() -> Picture:
    """x = 1 in every round, with the label that is less likely, after 63 such; u = 0, rate ¼."""

    def play(rounds: int) -> tuple[float, float]:
        start = _against(nv.Run(nv.Blend(bias=None)), BEFORE)
        run = _against(start.continued(), rounds)
        before = start.learner.core.state()
        cell = before["cells"].reshape(-1, 16)[1].tolist()
        potential = 0.25 * cell[1] ** 2 / (2 * math.sqrt(cell[5] + 1)) * (1 + 2**-50)
        compared = math.nextafter(rounds * math.log(2), math.inf)
        own = (compared + potential + run.ledger.stability_quarter) * (1 + 2**-50)
        error = float(resumed_mixture_rounding(rounds, own)) * (1 + 2**-50)
        return run.ledger.loss, allowed(
            "fixed-share-resumed",
            inherited=own,
            weight=before["weights"].tolist()[1],
            rounds_before=BEFORE,
            rounds=rounds,
            rounding=error,
        )

    return picture("rounds T", LENGTHS, play, "loss")


PICTURES = {
    "hinge-resumed": hinge_resumed,
    "ftrl-diag-resumed": ftrl_diag_resumed,
    "fixed-share-resumed": fixed_share_resumed,
}
