"""The theorems, each stated once."""

from novikoff.registry import batch, finite, linear, regret
from novikoff.registry.theorem import REGISTRY, Bound, Theorem, named

__all__ = ["Bound", "Theorem", "batch", "finite", "linear", "named", "regret", "theorems"]


def theorems() -> list[Theorem]:
    """Return every theorem the library knows, in the order of its chapters."""
    order = [chapter.__name__ for chapter in (finite, linear, regret, batch)]
    return sorted(REGISTRY.values(), key=lambda found: order.index(found.formula.__module__))
