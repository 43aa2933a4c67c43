"""Simulation: a learner in an environment, many seeds at once."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from novikoff.errors import as_float, parameter
from novikoff.learners import RegretLearner
from novikoff.learners.experts.regret_learner import is_whole
from novikoff.playing.run import Run
from novikoff.receipts.regret_family import DELTA, bound_line, regret_bounds
from novikoff.receipts.remarks import shown
from novikoff.streams.environments import Environment, as_environment
from novikoff.theory import Bound, named
from novikoff.types import FloatArray, IntArray

EXPECTATION = "expectation"
BOUNDS_ON = {
    "expected": EXPECTATION,
    "probable": "each run with probability 1 − δ",
    "always": "each run",
}
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)


@dataclass(frozen=True, repr=False)
class Simulation:
    """What ``simulate`` found: what a learner did in an environment, one run per seed."""

    learner: str
    environment: str
    bound: Bound
    """What the theorem allows; the largest over the runs if it depends on the losses."""
    rounds: IntArray
    """The checkpoints."""
    regrets: FloatArray
    """The learner's loss minus the best one's: a row per seed, a column per checkpoint."""
    pseudo_regrets: FloatArray
    """The same with expected losses."""
    bounds: FloatArray
    """The bound at each checkpoint, the largest over the runs."""

    def __repr__(self) -> str:
        return (
            f"Simulation({self.learner}, {self.environment}: {len(self.regrets)} seeds, "
            f"mean regret {self.expected_regret:.4g}, bound {shown(self.bound.value, 4)} on "
            f"{self.bounds_on})"
        )

    @property
    def bounds_on(self) -> str:
        """What the theorem bounds: the expectation, each run, or each with a probability."""
        return BOUNDS_ON[named(self.bound.theorem).kind]

    @property
    def measure(self) -> str:
        """The quantity that is bounded: ``regret`` or ``pseudo-regret``."""
        of = named(self.bound.theorem).of
        return of if of == "pseudo-regret" else "regret"

    @property
    def compared(self) -> float:
        """What is compared with the bound: the mean over seeds, or the worst run."""
        if self.bounds_on != EXPECTATION:
            return float(self.regret.max())
        return self.pseudo_regret if self.measure == "pseudo-regret" else self.expected_regret

    @property
    def runs_above(self) -> int:
        """How many seeds have a regret above the bound; a bound on the expectation allows some."""
        return int(np.count_nonzero(self.regret > self.bounds[-1]))

    @property
    def regret(self) -> FloatArray:
        """The regret of each seed at the end."""
        found: FloatArray = self.regrets[:, -1]
        return found

    @property
    def expected_regret(self) -> float:
        """The mean over seeds, which estimates it."""
        return float(self.regret.mean())

    @property
    def pseudo_regret(self) -> float:
        """The mean over seeds, which estimates it."""
        return float(self.pseudo_regrets[:, -1].mean())

    def quantiles(self, levels: Sequence[float] = QUANTILES) -> FloatArray:
        """Return quantiles over the seeds of the regret at the end."""
        found: FloatArray = np.quantile(self.regret, levels)
        return found


def simulate(
    learner: RegretLearner,
    environment: object,
    *,
    seeds: int = 200,
    threads: int | None = None,
    delta: float = DELTA,
) -> Simulation:
    """Play a learner of experts or arms many times, to see its mean and its worst regret.

    The seeds are 0, 1, …, and ``threads`` share them. Seed s makes the learner's draws, and the
    environment's if it draws. The bound beside the regrets is that of the learner's theorem, with
    ``delta`` unless the learner has its own. It bounds what ``bounds_on`` says: a bound on the
    expectation is compared with the mean over seeds and says nothing about the worst seed; one with
    a probability is about each run.

    >>> import novikoff as nv
    >>> coins = nv.Stochastic([0.5, 0.4, 0.5], rounds=2000)
    >>> found = nv.simulate(nv.Exp3(arms=3, horizon=2000), coins, seeds=20)
    >>> found.pseudo_regret < found.bound.value
    True
    >>> found.bounds_on, found.measure
    ('expectation', 'pseudo-regret')
    """
    source = as_environment(environment)
    if not isinstance(learner, RegretLearner):
        raise parameter("learner", "one with experts or arms", learner)
    if not isinstance(source, Environment):
        raise parameter("environment", "an environment or a matrix of losses", environment)
    if not is_whole(seeds, 1, 2**63):
        raise parameter("seeds", "a whole number of at least 1", seeds)
    if threads is not None and not is_whole(threads, 1, 2**16):
        raise parameter("threads", "None or a whole number of at least 1", threads)
    if not 0 < as_float(delta) < 1:
        raise parameter("delta", "a number between 0 and 1", delta)

    def play(seed: int) -> Run:
        return Run(learner.fresh_with(seed)).play(source.seeded(seed))

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        runs = list(pool.map(play, range(int(seeds))))
    lines = [np.array(bound_line(run, delta)) for run in runs[: _lines(runs[0])]]
    worst = max((regret_bounds(run, delta)[0] for run in runs), key=lambda bound: bound.value)
    points = [run.ledger.checkpoints for run in runs]
    return Simulation(
        type(learner).__name__,
        source.name,
        worst,
        points[0].rounds,
        np.array([p.regret for p in points]),
        np.array([p.pseudo_regret for p in points]),
        np.max(lines, axis=0),
    )


def _lines(run: Run) -> int | None:
    """Return how many runs need their own bound: one, unless it depends on the losses."""
    theorem = regret_bounds(run)[0].theorem
    return None if "best_mistakes" in named(theorem).needs else 1
