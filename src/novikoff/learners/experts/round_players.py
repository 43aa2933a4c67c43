"""Round players: each plays some rounds of experts or arms, and says which round it refuses."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np

from novikoff import _core
from novikoff.errors import InputError
from novikoff.learners.experts.pool import Pool
from novikoff.streams import Block
from novikoff.streams.blocks.block import DenseBlock
from novikoff.types import AnyArray

Play = Callable[[int, int, _core.RegretTally], int]
"""(start, stop, tally): plays rounds [start, stop); returns the first one refused, or stop."""


class RoundPlayer(Protocol):
    """Some rounds, ready to be played in pieces."""

    @property
    def rounds(self) -> int:
        """How many there are."""
        ...

    def play(self, start: int, stop: int, tally: _core.RegretTally, /) -> int:
        """Play rounds [start, stop); return the first one refused, or stop."""
        ...

    def refuse(self, t: int, number: int) -> None:
        """Raise the reason why round t, the run's round ``number``, was refused."""
        ...


@runtime_checkable
class LabelTaker(Protocol):
    """A learner with experts that accepts an outcome in place of the losses."""

    def label_player(self, rows: Block, codes: AnyArray) -> RoundPlayer:
        """Return the player for rows with outcomes −1 and +1."""
        ...

    def predict(self, advice: object) -> int:
        """Return the prediction for the next round; changes nothing."""
        ...


class LossRounds:
    """Rounds whose losses are known beforehand."""

    def __init__(self, rounds: int, play: Play, refuse: Callable[[int, int], None]) -> None:
        self.rounds, self.play, self.refuse = rounds, play, refuse


class PoolRounds:
    """Rows that the learners of a pool play first, never further than the run itself."""

    def __init__(
        self,
        pool: Pool,
        rows: Block,
        codes: AnyArray,
        play_of: Callable[[AnyArray, AnyArray], Play],
    ) -> None:
        self.rounds = len(codes)
        self._pool, self._rows, self._codes, self._play_of = pool, rows, codes, play_of
        self._refusal: Exception | None = None

    def play(self, start: int, stop: int, tally: _core.RegretTally) -> int:
        """Play rounds [start, stop); return the first one refused, or stop."""
        codes = self._codes[start:stop]
        losses, self._refusal = self._pool.losses(self._rows.part(start, stop), codes)
        return start + self._play_of(losses, codes[: len(losses)])(0, len(losses), tally)

    def refuse(self, t: int, number: int) -> None:
        """Raise the reason that one of the learners gave for the round."""
        if isinstance(self._refusal, InputError):
            raise InputError(f"round {number}, {self._refusal}")
        if self._refusal is not None:
            raise self._refusal


def advice_rows(rows: Block, size: int) -> AnyArray:
    """Return the experts' predictions, −1 or +1, one row for each round."""
    good = isinstance(rows, DenseBlock) and rows.columns == size
    values = np.asarray(rows.values) if isinstance(rows, DenseBlock) else np.zeros((0, 0))
    if not (good and np.isin(values, (-1, 1)).all()):
        raise InputError(
            f"advice: expected dense rows of −1 and +1, one for each of {size} experts, got "
            "others. Pass losses as a matrix, or a list of learners as experts."
        )
    return values.astype(np.int8)


def losses_as_advice(losses: AnyArray) -> AnyArray:
    """Return advice for the outcome −1: an expert that loses said +1, and a tie is a mistake."""
    if not np.isin(losses, (0, 1)).all():
        raise InputError(
            "losses: expected 0 and 1 for a vote, got others. Play advice with outcomes, or Hedge."
        )
    return np.ascontiguousarray(np.where(losses == 1, 1, -1), np.int8)
