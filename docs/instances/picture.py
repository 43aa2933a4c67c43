"""What is drawn of a theorem: what it allows, and what was observed, over one number."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from novikoff.theory import named


class Picture(NamedTuple):
    """Observed and allowed, point by point."""

    axis: str
    """What x counts."""
    xs: list[float]
    observed: list[float]
    bound: list[float]
    counted: str = "mistakes"
    """What is observed."""

    @property
    def share(self) -> float:
        """How much of the bound is reached at the last point."""
        return self.observed[-1] / self.bound[-1]


def picture(
    axis: str,
    xs: Iterable[float],
    play: Callable[..., tuple[float, float]],
    counted: str = "mistakes",
) -> Picture:
    """Return the picture of ``play``, which gives observed and allowed at x."""
    xs = list(xs)
    points = [play(x) for x in xs]
    return Picture(axis, xs, [o for o, _ in points], [b for _, b in points], counted)


def allowed(theorem: str, **evidence: float | list[float]) -> float:
    """Return what the theorem allows."""
    return named(theorem).evaluate(evidence).value
