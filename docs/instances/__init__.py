"""One instance a theorem: the one that reaches its bound where there is one, else a typical one."""

from collections.abc import Callable
from functools import partial

from instances import batch, finite, linear, loss, regression, regret
from instances.picture import Picture

PICTURES: dict[str, Callable[[], Picture]] = (
    finite.PICTURES
    | linear.PICTURES
    | loss.PICTURES
    | regression.PICTURES
    | regret.PICTURES
    | batch.PICTURES
)


def caption(theorem: str) -> str:
    """Return what the instance of a theorem is, in a few words."""
    made = PICTURES[theorem]
    told = (made.func if isinstance(made, partial) else made).__doc__ or ""
    return " ".join(told.split())
