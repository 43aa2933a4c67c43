"""The plans of the listing verbs: ``theorems``, ``check``, ``inspect`` and ``completion``."""

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar, Literal

from novikoff.cli.outputs import check_outputs
from novikoff.cli.plans.plan import Plan
from novikoff.quick_records import record


@record(frozen=True, kw_only=True)
class TheoremsPlan(Plan):
    """List the theorems."""

    home: ClassVar[str] = "listings"


@record(frozen=True, kw_only=True)
class CheckPlan(Plan):
    """Check a learner against contracts and theorems."""

    home: ClassVar[str] = "listings"
    target: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    seed: int = 0
    save: str | None = None

    def check(self) -> None:
        """Refuse a folder that cannot be written."""
        check_outputs((), self.save)


@record(frozen=True, kw_only=True)
class InspectPlan(Plan):
    """Show what a model has learned."""

    home: ClassVar[str] = "listings"
    model: str
    top: int = 20


@record(frozen=True, kw_only=True)
class CompletionPlan(Plan):
    """Print what makes a shell complete words."""

    home: ClassVar[str] = "completion"
    shell: Literal["bash", "zsh", "fish"]
