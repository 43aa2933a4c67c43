"""The theorems, each stated once."""

from novikoff.errors import parameter
from novikoff.theory import (
    batch_theorems,
    descent_theorems,
    finite_theorems,
    linear_theorems,
    loss_theorems,
    regression_theorems,
    regret_theorems,
    resumed_theorems,
)
from novikoff.theory.theorem import REGISTRY, Bound, Theorem, named

__all__ = [
    "Bound",
    "Theorem",
    "batch_theorems",
    "descent_theorems",
    "finite_theorems",
    "linear_theorems",
    "loss_theorems",
    "named",
    "regression_theorems",
    "regret_theorems",
    "resumed_theorems",
    "theorems",
    "theorems_about",
]


def theorems() -> list[Theorem]:
    """Return every theorem the library knows, in the order of its chapters.

    >>> import novikoff as nv
    >>> next(theorem.statement for theorem in nv.theorems() if theorem.id == "novikoff")
    'M ≤ R²‖w‖²/γ² where γ = min_t y_t w·x_t > 0'
    """
    chapters = (
        finite_theorems,
        linear_theorems,
        loss_theorems,
        descent_theorems,
        resumed_theorems,
        regression_theorems,
        regret_theorems,
        batch_theorems,
    )
    place = {chapter.__name__: number for number, chapter in enumerate(chapters)}
    return sorted(REGISTRY.values(), key=lambda one: place.get(one.formula.__module__, len(place)))


def theorems_about(family: str) -> list[Theorem]:
    """Return the theorems about a family of learners; refuse a family that has none."""
    found = [theorem for theorem in theorems() if family in theorem.families]
    if not found:
        raise parameter("run", "one whose learner has a theorem", family)
    return found
