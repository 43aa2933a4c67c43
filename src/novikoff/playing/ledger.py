"""The ledger: what a run did."""

from collections.abc import Callable
from itertools import chain, repeat
from typing import Any

import numpy as np

from novikoff import _core
from novikoff.saving import contents
from novikoff.types import AnyArray, IntArray, Label

_RECENT = 1000
_GRID = 1.1  # the ratio of one checkpoint's round to the one before


def in_words(rounds: int, mistakes: int, abstentions: int = 0) -> str:
    """Return what a run did in one line; abstentions are no mistakes, and never left unsaid.

    >>> in_words(4000, 156)
    '156 mistakes in 4,000 rounds (3.90%)'
    >>> in_words(18159, 1, 18158)
    '1 mistake in 18,159 rounds (0.01%), 18,158 abstentions: 1 mistake in 1 prediction (100.00%)'
    """
    made = counted(mistakes, "mistake")
    shown = f"{made} in {counted(rounds, 'round')} ({mistakes / max(rounds, 1):.2%})"
    if not abstentions:
        return shown
    shown += f", {counted(abstentions, 'abstention')}: "
    if abstentions == rounds:
        return shown + "no prediction at all"
    predictions = rounds - abstentions
    return shown + f"{made} in {counted(predictions, 'prediction')} ({mistakes / predictions:.2%})"


def counted(count: int, word: str) -> str:
    """Return a number of things: 1 line, 2 lines."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


class Ledger:
    """What a run did, append-only and small: counts, measures, and the rounds of the mistakes.

    Radius and energy are floats with a relative error below 1e-12.
    """

    def __init__(
        self,
        learner: str,
        parameters: dict[str, Any],
        began_fresh: bool | None,
        weight_norm: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.learner = learner
        self.parameters = parameters
        self.began_fresh = began_fresh
        """Whether the learner had seen nothing before; None where nobody can know."""
        self.passes = 0
        """The most passes made over any one stream."""
        self.labels: tuple[Label, ...] = ()
        """The user's labels, (that of −1, that of +1), or one a class."""
        self.digest: str | None = None
        """SHA-256 of the data, where it was asked for: per round the label (int8 −1/+1, or u32
        class id), the number of nonzeros (u32), and each (u64 index, f64 value) ascending,
        little-endian, the constant feature left out."""
        self._tally = _core.Tally()
        self._weight_norm = weight_norm

    def __repr__(self) -> str:
        shown = f"{self.rounds} rounds, {self.mistakes} mistakes, error rate {self.error_rate:.4f}"
        if self.abstentions:
            shown += (
                f", {self.abstentions} abstentions, {self.prediction_error_rate:.4f} without them"
            )
        return f"Ledger({self.learner}: {shown})"

    @property
    def headline(self) -> str:
        """What it did in one line, for people."""
        return in_words(self.rounds, self.mistakes, self.abstentions)

    @property
    def tally(self) -> _core.Tally:
        """The counts in the core, to which the round loop adds."""
        return self._tally

    @property
    def rounds(self) -> int:
        """How many rounds were played, over all passes."""
        return self._tally.rounds

    @property
    def mistakes(self) -> int:
        """M, how many of them were mistakes."""
        return self._tally.mistakes

    @property
    def abstentions(self) -> int:
        """How many rounds got no prediction; these are no mistakes."""
        return self._tally.abstentions

    @property
    def weighted(self) -> bool:
        """Whether a round's update was scaled by a weight other than 1."""
        return self._tally.weighted

    @property
    def mistake_rounds(self) -> IntArray:
        """The rounds of the mistakes, counted from 1."""
        return self._tally.mistake_rounds

    @property
    def error_rate(self) -> float:
        """Mistakes per round, abstentions among the rounds; 0 before the first."""
        return self.mistakes / self.rounds if self.rounds else 0.0

    @property
    def predictions(self) -> int:
        """How many rounds got a prediction: all but the abstentions."""
        return self.rounds - self.abstentions

    @property
    def prediction_error_rate(self) -> float:
        """Mistakes per prediction: abstentions are left out; 0 before the first."""
        return self.mistakes / self.predictions if self.predictions else 0.0

    @property
    def recent_error_rate(self) -> float:
        """Mistakes per round over the last 1,000 rounds."""
        recent = min(self.rounds, _RECENT)
        since = int(np.searchsorted(self.mistake_rounds, self.rounds - recent, side="right"))
        return (self.mistakes - since) / recent if recent else 0.0

    @property
    def rounds_by_label(self) -> dict[Label, int]:
        """How many rounds had each label."""
        return self._by_label(self._tally.rounds_by_label)

    @property
    def mistakes_by_label(self) -> dict[Label, int]:
        """How many mistakes were made on each label."""
        return self._by_label(self._tally.mistakes_by_label)

    @property
    def radius(self) -> float:
        """R = max‖x_t‖, the constant feature included."""
        return self._tally.radius

    @property
    def radius_inf(self) -> float:
        """max‖x_t‖_∞, the constant feature included."""
        return self._tally.radius_inf

    @property
    def mistake_energy(self) -> float:
        """S_I = Σ‖x_t‖² over the mistakes."""
        return self._tally.energy

    @property
    def weight_norm(self) -> float | None:
        """‖w‖ of the learner as it is now; None for a learner that is not ours."""
        return self._weight_norm()

    @property
    def second_steps(self) -> int:
        """Rounds whose float score was too close to a tie to trust at once."""
        return self._tally.second_steps

    @property
    def exact_steps(self) -> int:
        """Rounds among them that only exact arithmetic could decide."""
        return self._tally.exact_steps

    @property
    def checkpoints(self) -> tuple[IntArray, IntArray]:
        """(rounds, mistakes up to each) on a geometric grid that ends with the last round."""
        if self.rounds == 0:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        powers = _GRID ** np.arange(int(np.log(self.rounds) / np.log(_GRID)) + 1)
        rounds = np.unique(np.append(powers.astype(np.int64), self.rounds))
        return rounds, np.searchsorted(self.mistake_rounds, rounds, side="right").astype(np.int64)

    def state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Return all of it as plain data and arrays."""
        metadata = {
            "learner": self.learner,
            "parameters": self.parameters,
            "began_fresh": self.began_fresh,
            "passes": self.passes,
            "labels": list(self.labels),
            "digest": self.digest,
        }
        return metadata, {f"ledger.{name}": a for name, a in self._tally.state().items()}

    def restore(self, metadata: dict[str, Any], arrays: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned, if it is that."""
        contents.check_arrays(arrays, self.state()[1])
        self.began_fresh, self.passes = metadata["began_fresh"], metadata["passes"]
        self.labels, self.digest = tuple(metadata["labels"]), metadata["digest"]
        self._tally.restore({name: arrays[f"ledger.{name}"] for name in self._tally.state()})

    def _by_label(self, counts: IntArray) -> dict[Label, int]:
        """Labels that were given and never met count nothing."""
        return dict(zip(self.labels, chain(counts.tolist(), repeat(0)), strict=False))
