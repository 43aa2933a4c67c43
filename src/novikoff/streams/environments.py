"""Environments: where the losses of experts and arms come from."""

import math
import os
from abc import abstractmethod
from collections.abc import Iterator
from numbers import Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.streams.blocks.forms import as_block
from novikoff.streams.iterables import as_stream
from novikoff.streams.stream import Rounds, Stream
from novikoff.types import AnyArray, FloatArray

_ROWS = 4096


class Environment(Stream):
    """The losses of experts or arms, round by round, whatever is chosen.

    Losses lie in [0, 1]. As a stream, which certificates are verified on, every row has the label
    1.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Hedge(experts=2), nv.Stochastic([0.5, 0.1], rounds=1000))
    >>> run.ledger.best, run.regret < 100
    (1, True)
    """

    name: str = "environment"
    columns: int
    rounds: int = 0
    replayable: bool = True
    random: bool = False
    """Whether losses are drawn; ``seeded`` then gives others."""

    @property
    @abstractmethod
    def native(self) -> Any:
        """What the core plays: a matrix, or what draws its rows."""

    @abstractmethod
    def losses(self, start: int, stop: int) -> AnyArray:
        """Return the losses of rounds [start, stop), counted from 0."""

    @abstractmethod
    def mean_losses(self, start: int, stop: int) -> FloatArray:
        """Return the sum of each one's mean losses over rounds [start, stop)."""

    @abstractmethod
    def seeded(self, seed: int) -> "Environment":
        """Return the environment with other draws; itself if there are none."""

    def blocks(self) -> Iterator[Rounds]:
        """Yield the losses as rows, each with the label 1."""
        for start in range(0, self.rounds, _ROWS):
            losses = self.losses(start, min(start + _ROWS, self.rounds)).astype(np.float64)
            yield Rounds(as_block(losses), np.ones(len(losses), np.int64))


class Replay(Environment):
    """The losses of a matrix, or of a CSV or ``.npy`` file: a row per round.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Hedge(experts=2), nv.Replay([[0.0, 1.0], [0.5, 0.0], [0.0, 1.0]]))
    >>> run.ledger.losses.tolist()
    [0.5, 2.0]
    """

    name = "replay"

    def __init__(self, losses: object) -> None:
        if isinstance(losses, (str, os.PathLike)):
            losses = _read(losses)
        try:
            self.matrix: AnyArray = np.asarray(losses)
        except ValueError:
            raise InputError(
                "losses: expected a matrix of numbers, one row a round, got rows of different "
                "lengths. Pass one loss for each expert or arm."
            ) from None
        if self.matrix.ndim != 2 or self.matrix.dtype.kind not in "biuf":
            raise InputError(
                f"losses: expected a matrix of numbers, one row a round, got an array of shape "
                f"{self.matrix.shape} and type {self.matrix.dtype}. Pass rows of losses."
            )
        self.rounds, self.columns = self.matrix.shape

    @property
    def native(self) -> Any:
        """The matrix itself; the learner checks and rescales it."""
        return self.matrix

    def losses(self, start: int, stop: int) -> AnyArray:
        """Return the losses of rounds [start, stop), counted from 0."""
        return self.matrix[start:stop]

    def mean_losses(self, start: int, stop: int) -> FloatArray:
        """Return the sums of the losses themselves: nothing is drawn."""
        found: FloatArray = self.losses(start, stop).sum(axis=0, dtype=np.float64)
        return found

    def seeded(self, seed: int) -> Self:
        """Return itself: nothing is drawn."""
        return self


class Stochastic(Environment):
    """Random losses of 0 or 1, each drawn independently with its own mean.

    ``means`` is one mean for each, or a matrix whose rows follow each other every ``period``
    rounds: once, the last one lasting, or again and again if ``cyclic``.

    >>> import novikoff as nv
    >>> coins = nv.Stochastic([0.5, 0.1], rounds=1000)
    >>> nv.play(nv.Exp3IX(arms=2, horizon=1000), coins).ledger.best
    1
    """

    name = "stochastic"
    random = True

    def __init__(
        self,
        means: npt.ArrayLike,
        rounds: int,
        seed: int = 0,
        period: int | None = None,
        cyclic: bool = False,
    ) -> None:
        try:
            self.means: FloatArray = np.ascontiguousarray(np.atleast_2d(means), np.float64)
        except (TypeError, ValueError, OverflowError):
            raise parameter("means", "numbers from 0 to 1", means) from None
        good = self.means.ndim == 2 and self.means.size > 0
        if not (good and np.all((self.means >= 0) & (self.means <= 1))):
            raise parameter("means", "numbers from 0 to 1, one for each expert or arm", means)
        self.rounds = _whole("rounds", rounds)
        self.period = self.rounds if period is None else _whole("period", period)
        if not (isinstance(seed, (int, np.integer)) and 0 <= seed < 2**64):
            raise parameter("seed", "a whole number from 0 to 2^64 − 1", seed)
        self.seed, self.cyclic = int(seed), bool(cyclic)
        self.columns = self.means.shape[1]
        self.native_losses = _core.Bernoulli(self.means, self.period, self.cyclic, self.seed)

    @property
    def native(self) -> Any:
        """What draws the rows."""
        return self.native_losses

    def losses(self, start: int, stop: int) -> AnyArray:
        """Return the losses of rounds [start, stop), counted from 0."""
        stop = min(stop, self.rounds)
        return self.native_losses.rows(start, stop).reshape(-1, self.columns)

    def mean_losses(self, start: int, stop: int) -> FloatArray:
        """Return the sum of each one's mean losses over rounds [start, stop)."""
        numbers = np.arange(start // self.period, (max(stop, 1) - 1) // self.period + 1)
        starts = np.maximum(numbers * self.period, start)
        lengths = np.minimum((numbers + 1) * self.period, stop) - starts
        last = len(self.means) - 1
        phases = numbers % len(self.means) if self.cyclic else np.minimum(numbers, last)
        exact = np.floor(self.means * 2**32 + 0.5) / 2**32  # what the core draws with
        found: FloatArray = lengths.astype(np.float64) @ exact[phases]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.means, self.rounds, self.seed, self.period, self.cyclic)
        return Stochastic, given, {"name": self.name}

    def seeded(self, seed: int) -> "Stochastic":
        """Return the environment with other draws."""
        found = Stochastic(self.means, self.rounds, seed, self.period, self.cyclic)
        found.name = self.name
        return found


def switching(arms: int, rounds: int, seed: int = 0) -> Stochastic:
    """Return an environment in which the best arm turns bad after a third of the rounds.

    Arm 0 has mean loss 0.1 and the others 0.5 for a third of the rounds; then arm 0 has 0.9 and
    the last arm 0. A learner that has all but given up the last arm finds it late.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Hedge(experts=3, horizon=900), nv.switching(3, 900))
    >>> run.ledger.best
    2
    """
    means, rounds = np.full((2, _whole("arms", arms)), 0.5), _whole("rounds", rounds)
    means[0, 0], means[1, 0] = 0.1, 0.9
    means[1, -1] = 0.0
    found = Stochastic(np.vstack([means, means[1:]]), rounds, seed, max(1, -(-rounds // 3)))
    found.name = "switching"
    return found


def lower_bound(arms: int, rounds: int, seed: int = 0) -> Stochastic:
    """Return an environment that is hard for every bandit: fair coins, and one slightly better.

    That one is better by ε = √(K/T)/4: in T rounds no learner can tell it from the others in time
    (bubeck2012, Thm 3.5).
    """
    means = np.full(_whole("arms", arms), 0.5)
    means[-1] -= min(0.25, math.sqrt(arms / _whole("rounds", rounds)) / 4)
    found = Stochastic(means, rounds, seed)
    found.name = "lower-bound"
    return found


def as_environment(source: object) -> Environment | Stream:
    """Return an environment or a labelled stream; a matrix of losses is replayed."""
    if isinstance(source, Environment):
        return source
    if isinstance(source, np.ndarray) and source.ndim == 2:
        return Replay(source)
    if isinstance(source, list) and source and all(_are_numbers(row) for row in source):
        return Replay(source)
    return as_stream(source)


def _are_numbers(row: object) -> bool:
    return isinstance(row, (list, tuple)) and all(isinstance(v, Real) for v in row)


def _whole(name: str, count: object) -> int:
    if isinstance(count, (int, np.integer)) and count is not True and 1 <= count < 2**53:
        return int(count)
    raise parameter(name, "a whole number of at least 1", count)


def _read(path: str | os.PathLike[str]) -> AnyArray:
    """Read a matrix of losses; a CSV file may have a header."""
    try:
        if os.fspath(path).endswith(".npy"):
            found: AnyArray = np.load(path, allow_pickle=False)
            return found
        with open(path, encoding="utf-8-sig") as file:
            lines = [line for line in file if line.strip()]
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: expected a file of losses, got: {error}.") from None
    rows = [line.split(",") for line in lines]
    skip = 0 if rows and all(_is_number(cell) for cell in rows[0]) else 1
    try:
        return np.array([[float(cell) for cell in row] for row in rows[skip:]], np.float64)
    except ValueError as error:
        raise InputError(
            f"{path}: expected rows of numbers, as many in each, got: {error}."
        ) from None


def _is_number(cell: str) -> bool:
    try:
        return isinstance(float(cell), Real)
    except ValueError:
        return False
