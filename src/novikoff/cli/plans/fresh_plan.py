"""The plan of ``novikoff test``."""

from dataclasses import dataclass
from typing import ClassVar

from novikoff.cli.plans.plan import Plan
from novikoff.cli.plans.reading_plan import ReadingPlan
from novikoff.cli.plans.run_plan import DecisionPlan


@dataclass(frozen=True, kw_only=True)
class FreshPlan(Plan):
    """Test a model on rows that it has not learned from."""

    home: ClassVar[str] = "testing"
    model: str
    reading: ReadingPlan
    decision: DecisionPlan
    delta: float = 0.05
    clip: float = 1e-6

    def check(self) -> None:
        """Refuse files that cannot be read as the options say."""
        self.reading.check()
