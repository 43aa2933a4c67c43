"""The measures of runs with experts or arms: the losses, and those of the best in hindsight."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from novikoff import _core
from novikoff.playing.checkpoints import RegretCheckpoints, next_on_grid, on_grid
from novikoff.playing.measures import Measure, by_name
from novikoff.playing.saved_run import SavedRun
from novikoff.types import Arrays, FloatArray, IntArray

_SHARED = by_name(
    Measure("loss", float, "sum"),
    Measure("mean_loss", float, "last"),
    Measure("losses", np.ndarray, "sum"),
    Measure("mean_losses", np.ndarray, "sum"),
    Measure("size", int, "last"),
    Measure("full_information", bool, "last"),
    Measure("best", int, "last"),
    Measure("best_loss", float, "last"),
    Measure("regret", float, "last"),
    Measure("pseudo_regret", float, "last"),
    Measure("checkpoints", RegretCheckpoints, "last"),
)
_FULL = _SHARED | by_name(
    Measure("expected_loss", float, "sum"), Measure("expected_regret", float, "last")
)


class _Point(NamedTuple):
    """A run at one round."""

    round: int
    loss: float
    regret: float
    expected_regret: float
    pseudo_regret: float


class RegretMeasures:
    """Losses, those of the best in hindsight, and their differences, in units of their span."""

    abstentions = 0
    judges = True

    def __init__(self, size: int, full_information: bool) -> None:
        self.size = size
        """The number of experts or arms in the first round: the regret compares with these."""
        self.full_information = full_information
        """Whether the learner sees all losses."""
        self.losses: FloatArray = np.zeros(size)
        """The sum of each one's losses."""
        self.mean_losses: FloatArray = np.zeros(size)
        """The sum of each one's mean losses."""
        self.tally = _core.RegretTally()
        """The counts in the core, to which the loops of experts and of arms add."""
        self._points: list[_Point] = []
        self._probabilities: list[FloatArray] = []

    @property
    def fixed(self) -> SavedRun:
        """The values that never change, as plain data."""
        return {"size": self.size, "full_information": self.full_information}

    @property
    def blank(self) -> Callable[[], "RegretMeasures"]:
        """What makes an empty sheet with the same measures."""
        return partial(RegretMeasures, self.size, self.full_information)

    @property
    def declared(self) -> Mapping[str, Measure]:
        """Which measures there are, by name."""
        return _FULL if self.full_information else _SHARED

    def value(self, name: str) -> object:
        """Return the current value of a declared measure."""
        found: object = getattr(self, name)
        return found

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return self.tally.rounds

    @property
    def mistakes(self) -> int:
        """How many predictions were wrong, if the learner predicts."""
        return len(self.tally.mistake_rounds)

    @property
    def mistake_rounds(self) -> IntArray:
        """The rounds of the mistakes, counted from 1."""
        return self.tally.mistake_rounds

    @property
    def loss(self) -> float:
        """The sum of the learner's own losses."""
        return self.tally.loss

    @property
    def mean_loss(self) -> float:
        """The learner's own loss per round; 0 before the first."""
        return self.tally.loss / max(self.rounds, 1)

    @property
    def expected_loss(self) -> float:
        """Σ p_t·l_t."""
        return self.tally.expected

    @property
    def best(self) -> int:
        """The number of the best in hindsight."""
        return int(self.losses.argmin())

    @property
    def best_loss(self) -> float:
        """The losses of the best in hindsight."""
        return float(self.losses[self.losses.argmin()])

    @property
    def regret(self) -> float:
        """The learner's own loss minus that of the best in hindsight."""
        return self.tally.loss - self.best_loss

    @property
    def expected_regret(self) -> float:
        """Σ p_t·l_t minus the loss of the best in hindsight."""
        return self.tally.expected - self.best_loss

    @property
    def pseudo_regret(self) -> float:
        """The sum of the means of what was chosen, minus the least sum of means."""
        return self.tally.pseudo - float(self.mean_losses[self.mean_losses.argmin()])

    @property
    def words(self) -> str:
        """What the run did, for ``repr``."""
        return (
            f"{self.rounds} rounds, loss {self.loss:g}, best {self.best_loss:g}, "
            f"regret {self.regret:g}"
        )

    @property
    def checkpoints(self) -> RegretCheckpoints:
        """The run at the rounds of the grid, and at the last round played."""
        columns = np.array(self._points, np.float64).reshape(-1, 5).T
        width = max((len(p) for p in self._probabilities), default=self.size)
        padded = [np.pad(p, (0, width - len(p))) for p in self._probabilities]
        shares = np.array(padded, np.float64).reshape(-1, width)
        return RegretCheckpoints(
            columns[0].astype(np.int64), columns[1], columns[2], columns[3], columns[4], shares
        )

    def left_to_checkpoint(self) -> int:
        """Return how many rounds are left until the next checkpoint."""
        rounds = self.tally.rounds
        return next_on_grid(rounds) - rounds

    def add(self, losses: FloatArray, means: FloatArray | None, probabilities: FloatArray) -> None:
        """Record all losses of some rounds, their means, and the probabilities of the next draw.

        The round just played becomes a checkpoint; it replaces the last one if that is not on the
        grid.
        """
        size, tally = self.size, self.tally
        self.losses = self.losses + losses[:size]
        self.mean_losses = self.mean_losses + (losses if means is None else means)[:size]
        if self._points and not on_grid(self._points[-1].round):
            self._points.pop()
            self._probabilities.pop()
        best = float(self.losses[self.losses.argmin()])
        least = float(self.mean_losses[self.mean_losses.argmin()])
        expected = tally.expected - best if self.full_information else float("nan")
        loss = tally.loss
        self._points.append(_Point(tally.rounds, loss, loss - best, expected, tally.pseudo - least))
        self._probabilities.append(probabilities)

    def state(self) -> Arrays:
        """Return all of it as plain arrays."""
        tally = self.tally
        return {
            "ledger.losses": self.losses,
            "ledger.mean_losses": self.mean_losses,
            "ledger.sums": np.array([tally.loss, tally.expected, tally.pseudo]),
            "ledger.arm_losses": tally.losses,
            "ledger.mistake_rounds": tally.mistake_rounds,
            "ledger.rounds": np.array([tally.rounds], np.int64),
            "ledger.checkpoints": np.array(self._points, np.float64).reshape(-1, 5),
            "ledger.probabilities": self.checkpoints.probabilities,
        }

    def restore(self, arrays: Arrays) -> None:
        """Take over what ``state`` returned; refuse anything else."""
        _check_sums(self.size, arrays)
        self.losses = arrays["ledger.losses"]
        self.mean_losses = arrays["ledger.mean_losses"]
        self.tally.restore(
            arrays["ledger.sums"],
            arrays["ledger.arm_losses"],
            arrays["ledger.mistake_rounds"],
            int(arrays["ledger.rounds"][0]),
        )
        rows = arrays["ledger.checkpoints"].tolist()
        self._points = [_Point(int(row[0]), *row[1:]) for row in rows]
        self._probabilities = list(arrays["ledger.probabilities"])


def _check_sums(size: int, arrays: Arrays) -> None:
    """Refuse sums of the wrong size or not finite, and checkpoints out of order."""
    sums = [arrays[f"ledger.{name}"] for name in ("losses", "mean_losses")]
    other = [arrays[f"ledger.{name}"] for name in ("sums", "arm_losses", "probabilities")]
    if any(array.shape != (size,) for array in sums) or len(arrays["ledger.rounds"]) != 1:
        raise ValueError("a sum for each expert or arm")
    if not all(np.isfinite(array).all() for array in sums + other):
        raise ValueError("sums that are finite")
    points, shares = arrays["ledger.checkpoints"], arrays["ledger.probabilities"]
    rounds = points[:, 0] if points.shape[1:] == (5,) else points
    if len(points) != len(shares) or rounds.ndim != 1 or not np.isfinite(points[:, :3]).all():
        raise ValueError("checkpoints with their probabilities")
    if (np.diff(rounds, prepend=0, append=arrays["ledger.rounds"][0]) < 0).any():
        raise ValueError("checkpoints in the order of their rounds")
