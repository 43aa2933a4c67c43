"""The theorems, each stated once."""

from novikoff.errors import parameter
from novikoff.theory import (
    batch_theorems,
    finite_theorems,
    linear_theorems,
    loss_theorems,
    regret_theorems,
)
from novikoff.theory.theorem import REGISTRY, Bound, Theorem, named

__all__ = [
    "Bound",
    "Theorem",
    "batch_theorems",
    "finite_theorems",
    "linear_theorems",
    "loss_theorems",
    "named",
    "regret_theorems",
    "theorems",
    "theorems_about",
]


def theorems() -> list[Theorem]:
    """Return every theorem the library knows, in the order of its chapters."""
    chapters = (finite_theorems, linear_theorems, loss_theorems, regret_theorems, batch_theorems)
    order = [chapter.__name__ for chapter in chapters]
    return sorted(REGISTRY.values(), key=lambda found: order.index(found.formula.__module__))


def theorems_about(learner: str) -> list[Theorem]:
    """Return the theorems that speak of a learner; refuse one of which none does."""
    found = [theorem for theorem in theorems() if learner in theorem.learners]
    if not found:
        raise parameter("run", "one whose learner a theorem speaks of", learner)
    return found
