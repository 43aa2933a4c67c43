"""Snapshots: states of a learner, drawn uniformly over its rounds."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from novikoff import _core
from novikoff.learners.learner import Slice
from novikoff.types import AnyArray, Arrays

SNAPSHOTS = 16
_SERIES = 0  # of the draws
_PREFIX = "snapshots."
_LENGTHS = "snapshot_lengths"


class Reservoir:
    """The states before sixteen rounds; after t rounds all sets of sixteen are equally likely.

    The state before round t ≤ 16 takes place t − 1. After that, with u uniform in [0, 1), it takes
    place ⌊u t⌋ if that is one of the sixteen (vitter1985, Alg. R). The number u is a function of
    (seed, t), so blocks and single rounds keep the same states.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.states: list[Arrays] = []

    def places(self, first: int, count: int) -> dict[int, int]:
        """Return {t: place} for those of the rounds first, …, first + count − 1 that are kept."""
        rounds = np.arange(first, first + count, dtype=np.float64)
        drawn = _core.draw_uniforms(self.seed, _SERIES, first, count) * rounds
        found = np.where(rounds <= SNAPSHOTS, rounds - 1, np.floor(drawn))
        kept = np.flatnonzero(found < SNAPSHOTS)
        return {first + k: int(found[k]) for k in kept.tolist()}

    def keep(self, place: int, state: Arrays) -> None:
        """Put a state in its place."""
        self.states[place : place + 1] = [state]

    def play_rows(
        self,
        rows: Slice,
        rounds: int,
        play: Callable[[Slice], int],
        state: Callable[[], Arrays],
    ) -> int:
        """Play rows after so many rounds, and keep the states before the rounds that are drawn.

        Return the first row refused, or where they stop. A refused round is not a round.
        """
        at = rows.start
        for t, place in self.places(rounds + 1, rows.stop - rows.start).items():
            due = rows.start + t - rounds - 1
            if at < due:
                at = play(rows._replace(start=at, stop=due))
                if at < due:
                    return at
            before = state()
            at = play(rows._replace(start=due, stop=due + 1))
            if at == due:
                return at
            self.keep(place, before)
        return play(rows._replace(start=at)) if at < rows.stop else at

    @property
    def nbytes(self) -> int:
        """The memory that the states hold."""
        return sum(array.nbytes for state in self.states for array in state.values())

    def state(self, like: Arrays) -> Arrays:
        """Return all of them as plain arrays; each has the arrays of ``like``."""
        return packed(self.states, like)

    def restore(self, arrays: Mapping[str, AnyArray], like: Arrays, rounds: int) -> None:
        """Take over what ``state`` returned, after so many rounds."""
        found = unpacked(arrays, like)
        if len(found) != min(rounds, SNAPSHOTS):
            raise ValueError("as many snapshots as rounds, up to sixteen")
        self.states = found


def packed(states: Sequence[Arrays], like: Arrays) -> Arrays:
    """Return states as one array for each array that a state has, and their lengths."""
    lengths = [[len(state[name]) for name in like] for state in states]
    joined = {
        _PREFIX + name: np.concatenate([pattern[:0], *(state[name] for state in states)])
        for name, pattern in like.items()
    }
    return {_LENGTHS: np.array(lengths, np.int64).reshape(-1, len(like)), **joined}


def unpacked(arrays: Mapping[str, AnyArray], like: Arrays) -> list[Arrays]:
    """Return the states that ``packed`` packed; anybody may have written the arrays."""
    lengths = arrays[_LENGTHS]
    if lengths.dtype != np.int64 or lengths.ndim != 2 or lengths.shape[1] != len(like):
        raise ValueError("the lengths of snapshots")
    states: list[Arrays] = [{} for _ in lengths]
    for k, (name, pattern) in enumerate(like.items()):
        joined, ends = arrays[_PREFIX + name], np.cumsum(lengths[:, k])
        whole = int(ends[-1]) if len(ends) else 0
        sound = joined.dtype == pattern.dtype and joined.ndim == 1 and len(joined) == whole
        if not sound or (lengths[:, k] < 0).any() or (ends < 0).any():
            raise ValueError(f"snapshots of {name}")
        for state, part in zip(
            states, np.split(joined, ends[:-1]) if len(ends) else [], strict=True
        ):
            state[name] = part
    return states
