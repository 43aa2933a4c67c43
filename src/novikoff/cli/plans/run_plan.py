"""What ``learn`` is asked about its run: weights of classes and rounds, and its threshold."""

import math
from dataclasses import fields
from typing import TYPE_CHECKING

from novikoff.cli.parser import UsageError
from novikoff.cli.plans.plan import Part
from novikoff.cli.plans.reading_plan import label_given
from novikoff.quick_records import record

if TYPE_CHECKING:  # these need NumPy
    from novikoff.types import Label

_COSTS = ("fp", "fn")


@record(frozen=True, kw_only=True)
class DecisionPlan(Part):
    """When the positive label is given out: from a probability on, or by the costs of errors."""

    threshold: float | None = None
    cost: str | None = None

    def __post_init__(self) -> None:
        if self.threshold is not None and self.cost is not None:
            raise UsageError("--cost: expected no --threshold with it, because it sets one.")
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise UsageError(
                f"--threshold: expected a probability from 0 to 1, got {self.threshold}."
            )
        if self.cost is not None:
            _costs(self.cost)

    @property
    def at(self) -> float | None:
        """The threshold: the one given, or the one at which both decisions cost the same."""
        if self.cost is None:
            return self.threshold
        from novikoff.playing.decision_thresholds import threshold_of

        return threshold_of(*_costs(self.cost))


@record(frozen=True, kw_only=True)
class RunPlan(Part):
    """The options of a run."""

    decision: DecisionPlan
    class_weight: tuple[str, ...] = ()
    max_weight: float | None = None

    def __post_init__(self) -> None:
        if len({text.rpartition("=")[0] for text in self.class_weight}) < len(self.class_weight):
            raise UsageError("--class-weight: expected every label once, got one twice.")
        for text in self.class_weight:
            _weight(text)

    @property
    def given(self) -> list[str]:
        """The options that the command line gives."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        said |= {field.name: getattr(self.decision, field.name) for field in fields(self.decision)}
        return [name for name, value in said.items() if value not in (None, (), self.decision)]

    def class_weights(self) -> "dict[Label, float] | None":
        """Return the weights of classes by their labels, as files have them."""
        found = [(text.rpartition("=")[0], _weight(text)) for text in self.class_weight]
        return {label_given(label, "--class-weight"): weight for label, weight in found} or None


def _weight(text: str) -> float:
    label, _, weight = text.rpartition("=")
    found = _number(weight)
    if not label or found is None:
        raise UsageError(f"--class-weight: expected LABEL=W, as in spam=5, got {text!r}.")
    return found


def _costs(text: str) -> tuple[float, float]:
    """Return what a false positive and a false negative cost."""
    parts = dict(part.strip().partition("=")[::2] for part in text.split(","))
    found = [_number(parts.get(name, "")) for name in _COSTS]
    positive, negative = found
    if parts.keys() != set(_COSTS) or positive is None or negative is None:
        raise UsageError(f"--cost: expected fp=A,fn=B with numbers A and B, got {text!r}.")
    if positive == negative == 0:
        raise UsageError(f"--cost: expected a cost above 0 for one of the errors, got {text!r}.")
    return positive, negative


def _number(text: str) -> float | None:
    """Return a number that is finite and not below 0; None for anything else."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if 0 <= found < math.inf else None
