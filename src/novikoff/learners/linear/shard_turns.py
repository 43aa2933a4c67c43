"""Whose turn it is among shards that one learner plays one after another."""

from collections.abc import Callable, Iterable

import numpy as np

from novikoff.errors import parameter
from novikoff.learners.learner import Slice
from novikoff.learners.linear.shard_means import MOST_SHARDS


def checked_shards(shards: Iterable[int]) -> tuple[int, ...]:
    """Return the sizes of shards, if they are some."""
    try:
        found = tuple(shards)
    except TypeError:
        found = ()
    whole = all(type(n) is int or isinstance(n, np.integer) for n in found)
    whole = whole and all(n > 0 for n in found)
    if not (whole and 0 < len(found) <= MOST_SHARDS):
        raise parameter("shards", "the number of rows of each shard, all above 0", shards)
    return tuple(map(int, found))


def rounds_before(shards: tuple[int, ...], epochs: int, ended: int) -> int:
    """Return the rounds of the epochs that have ended, and of the shards that have in this one."""
    return epochs * sum(shards) + sum(shards[:ended])


def played_in_turns(
    rows: Slice, play: Callable[[Slice], int], left: Callable[[], int], turn: Callable[[], None]
) -> int:
    """Play some rows of a block, each in its shard; return the first refused, or the stop.

    ``left`` says how many rows the shard has left, and ``turn`` lets the next one begin if it is
    over.
    """
    done = rows.start
    while done < rows.stop:
        stop = min(rows.stop, done + left())
        done = play(rows._replace(start=done, stop=stop))
        turn()
        if done < stop:
            return done
    return done
