"""Tables and figure of experts.md: ``python docs/experts.py`` prints the tables and draws it.

With the folder of real datasets in NOVIKOFF_DATA it also prints the table of elec2.
"""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv
from novikoff.reports.regret_figures import draw
from novikoff.types import AnyArray

ROUNDS = 10_000
ARMS = 10
SEEDS = 200
TAIL_SEEDS = 1000
LEVELS = (0.05, 0.5, 0.95, 0.99, 1.0)


def drifting(rounds: int = ROUNDS, arms: int = ARMS) -> AnyArray:
    """Return losses of 0 and 1 to replay, whose means are waves, shifted from arm to arm."""
    t, k = np.arange(rounds)[:, None] / rounds, np.arange(arms) / arms
    means = 0.5 + 0.2 * np.sin(2 * np.pi * (3 * t + k)) + 0.1 * (k - 0.5)
    found: AnyArray = (np.random.default_rng(7).random((rounds, arms)) < means).astype(np.uint8)
    return found


def environments() -> list[nv.Environment]:
    """Return the four environments of the figure."""
    stochastic = nv.Stochastic([0.5] * (ARMS - 1) + [0.4], ROUNDS)
    others = nv.switching(ARMS, ROUNDS), nv.lower_bound(ARMS, ROUNDS)
    return [stochastic, *others, nv.Replay(drifting())]


def learners() -> list[nv.RegretLearner]:
    """Return every learner, for a known number of rounds."""
    return [
        nv.WeightedMajority(ARMS, 0.9),
        nv.RandomizedWeightedMajority(ARMS, 0.9),
        nv.Hedge(ARMS, horizon=ROUNDS),
        nv.Exp3(ARMS, ROUNDS),
        nv.Exp3P(ARMS, 0.05, ROUNDS),
        nv.Exp3IX(ARMS, ROUNDS),
    ]


def tail(learner: nv.RegretLearner, seeds: int = TAIL_SEEDS) -> str:
    """Return a line of the table of quantiles, in the switching environment."""
    found = nv.simulate(learner, nv.switching(ARMS, ROUNDS), seeds=seeds)
    numbers = [*found.quantiles(LEVELS), found.expected_regret, found.bound.value]
    return f"| {found.learner} | " + " | ".join(f"{number:.0f}" for number in numbers) + " |"


class Repeat:
    """Predict the previous round's label."""

    last = -1

    def predict(self, x: Any) -> int:
        """Return the last label."""
        return self.last

    def update(self, x: Any, y: int) -> None:
        """Remember the label."""
        self.last = y


def elec2(folder: Path) -> list[str]:
    """Return the lines of the table of model selection on the stream of electricity prices."""
    stream = nv.read(folder / "elec2" / "elec2.csv.gz", label="class", positive="UP")
    experts = {
        "perceptron, bias 1": nv.Perceptron(bias=1.0),
        "perceptron": nv.Perceptron(),
        "balanced minnow, η = 0.1": nv.BalancedMinnow(0.1, bias=1.0),
        "balanced minnow, η = 1": nv.BalancedMinnow(1.0, bias=1.0),
        "the label of the round before": Repeat(),
    }
    run = nv.play(nv.Hedge(list(experts.values()), seed=1), stream)
    ledger, rounds = run.ledger, run.ledger.rounds
    lines = [
        f"| {name} | {loss:.0f} | {loss / rounds:.1%} |"
        for name, loss in zip(experts, ledger.losses, strict=True)
    ]
    lines.append(
        f"| **Hedge over all five** | **{ledger.loss:.0f}** | {ledger.loss / rounds:.1%} |"
    )
    (bound,) = nv.bounds(run)
    assert bound.observed is not None
    lines.append(f"expected regret {bound.observed:.1f}, bound {bound.value:.1f}")
    return lines


def main() -> None:
    """Print the tables and draw the figure."""
    for learner in learners()[3:]:
        print(tail(learner))
    if "NOVIKOFF_DATA" in os.environ:
        print("\n".join(elec2(Path(os.environ["NOVIKOFF_DATA"]))))
    if "--tables" not in sys.argv:
        found = [
            nv.simulate(learner, environment, seeds=SEEDS)
            for environment in environments()
            for learner in learners()
        ]
        draw(found, Path(__file__).with_name("experts.png"))


if __name__ == "__main__":
    main()
