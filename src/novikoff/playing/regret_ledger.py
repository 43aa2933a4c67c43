"""The ledger of learners with experts or arms: what they lost, and what the best would have."""

from typing import Any, NamedTuple

import numpy as np

from novikoff import _core
from novikoff.saving import contents
from novikoff.types import AnyArray, FloatArray, IntArray

GRID = 1.1  # the ratio of one checkpoint's round to the one before


class Checkpoints(NamedTuple):
    """The run at some of its rounds, one row each, on a geometric grid."""

    rounds: IntArray
    loss: FloatArray
    regret: FloatArray
    expected_regret: FloatArray
    """NaN for bandits, whose run does not know it."""
    pseudo_regret: FloatArray
    probabilities: FloatArray
    """Of the next draw, a column for each expert or arm."""


class RegretLedger:
    """What a run did, append-only and small. Sums are counted in units of the losses' span.

    ``regret`` is own loss less that of the best in hindsight. ``expected_regret`` has Σ p_t·l_t
    in place of the own loss: its expectation over the learner's draws. Bandits' probabilities
    depend on their draws, so one run does not know it: ``simulate`` takes the mean over many.
    ``pseudo_regret`` has means in place of losses: Σ of the means of what was chosen less the
    least of the sums of means. Where losses are not drawn, they are their means.
    """

    def __init__(
        self, learner: str, parameters: dict[str, Any], size: int, began_fresh: bool, full: bool
    ) -> None:
        self.learner, self.parameters = learner, parameters
        self.size = size
        """How many experts or arms there were in the first round: the regret is against these."""
        self.began_fresh = began_fresh
        self.full_information = full
        """Whether all losses are shown to the learner."""
        self.losses: FloatArray = np.zeros(size)
        """The sum of each one's losses."""
        self.mean_losses: FloatArray = np.zeros(size)
        """The sum of each one's mean losses."""
        self.tally = _core.RegretTally()
        self._checkpoints: list[tuple[int, float, float, float, float]] = []
        self._probabilities: list[FloatArray] = []

    def __repr__(self) -> str:
        return (
            f"RegretLedger({self.learner}: {self.rounds} rounds, loss {self.loss:g}, "
            f"best {self.best_loss:g}, regret {self.regret:g})"
        )

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return int(self.tally.rounds)

    @property
    def loss(self) -> float:
        """The sum of the own losses."""
        return float(self.tally.loss)

    @property
    def mistakes(self) -> int:
        """How many predictions were wrong, of a learner that predicts."""
        return len(self.tally.mistake_rounds)

    @property
    def mistake_rounds(self) -> IntArray:
        """The rounds of these, counted from 1."""
        return self.tally.mistake_rounds

    @property
    def expected_loss(self) -> float | None:
        """Σ p_t·l_t; None for bandits."""
        return float(self.tally.expected) if self.full_information else None

    @property
    def best(self) -> int:
        """The number of the best in hindsight."""
        return int(np.argmin(self.losses))

    @property
    def best_loss(self) -> float:
        """Its losses."""
        return float(self.losses.min())

    @property
    def regret(self) -> float:
        """Own loss less the best one's."""
        return self.loss - self.best_loss

    @property
    def expected_regret(self) -> float | None:
        """Σ p_t·l_t less the best one's loss; None for bandits."""
        return None if self.expected_loss is None else self.expected_loss - self.best_loss

    @property
    def pseudo_regret(self) -> float:
        """Σ of the means of what was chosen, less the least sum of means."""
        return float(self.tally.pseudo - self.mean_losses.min())

    @property
    def checkpoints(self) -> Checkpoints:
        """The run on a geometric grid of rounds that ends with the last round played."""
        columns = np.array(self._checkpoints, np.float64).reshape(-1, 5).T
        width = max((len(p) for p in self._probabilities), default=self.size)
        padded = [np.pad(p, (0, width - len(p))) for p in self._probabilities]
        shares = np.array(padded, np.float64).reshape(-1, width)
        return Checkpoints(
            columns[0].astype(np.int64), columns[1], columns[2], columns[3], columns[4], shares
        )

    def next_checkpoint(self) -> int:
        """Return the round of the checkpoint to come."""
        points = [0, 0, *(c[0] for c in self._checkpoints[-2:])][-2:]
        last = points[1] if points[1] >= _after(points[0]) else points[0]
        return max(self.rounds + 1, _after(last))

    def add(self, losses: FloatArray, means: FloatArray | None) -> None:
        """Take down what everybody lost in some rounds, and their means where they differ."""
        self.losses = self.losses + losses[: self.size]
        self.mean_losses = self.mean_losses + (losses if means is None else means)[: self.size]

    def check(self, probabilities: FloatArray) -> None:
        """Make a checkpoint of the round just played, in place of one on the way to it."""
        last = [c[0] for c in self._checkpoints[-2:]]
        if len(last) == 2 and last[1] < _after(last[0]):
            self._checkpoints.pop()
            self._probabilities.pop()
        expected = self.expected_regret
        self._checkpoints.append(
            (
                self.rounds,
                self.loss,
                self.regret,
                float("nan") if expected is None else expected,
                self.pseudo_regret,
            )
        )
        self._probabilities.append(probabilities)

    def __getstate__(self) -> Any:
        given = (self.learner, self.parameters, self.size, self.began_fresh, self.full_information)
        return given, self.state()

    def __setstate__(self, state: Any) -> None:
        given, known = state
        self.__init__(*given)  # type: ignore[misc]
        self.restore(*known)

    def state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Return all of it as plain data and arrays."""
        tally, checkpoints = self.tally, self.checkpoints
        metadata = {
            "learner": self.learner,
            "parameters": self.parameters,
            "began_fresh": self.began_fresh,
            "size": self.size,
        }
        arrays = {
            "ledger.losses": self.losses,
            "ledger.mean_losses": self.mean_losses,
            "ledger.sums": np.array([tally.loss, tally.expected, tally.pseudo]),
            "ledger.arm_losses": tally.losses,
            "ledger.mistake_rounds": tally.mistake_rounds,
            "ledger.rounds": np.array([tally.rounds], np.int64),
            "ledger.checkpoints": np.array(self._checkpoints).reshape(-1, 5),
            "ledger.probabilities": checkpoints.probabilities,
        }
        return metadata, arrays

    def restore(self, metadata: dict[str, Any], arrays: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned, if it is that."""
        contents.check_arrays(arrays, self.state()[1])
        if metadata["size"] != self.size:
            raise ValueError("as many experts or arms as in the first round")
        _check_sums(self.size, arrays)
        self.began_fresh = metadata["began_fresh"]
        self.losses = arrays["ledger.losses"]
        self.mean_losses = arrays["ledger.mean_losses"]
        self.tally.restore(
            arrays["ledger.sums"],
            arrays["ledger.arm_losses"],
            arrays["ledger.mistake_rounds"],
            int(arrays["ledger.rounds"][0]),
        )
        rows = arrays["ledger.checkpoints"].tolist()
        self._checkpoints = [(int(row[0]), *row[1:]) for row in rows]
        self._probabilities = list(arrays["ledger.probabilities"])


def _check_sums(size: int, arrays: dict[str, AnyArray]) -> None:
    """Refuse sums that are not of so many, or no numbers, and checkpoints out of order."""
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


def _after(point: int) -> int:
    """Return the round of the grid after one of its rounds."""
    return max(point + 1, int(point * GRID))
