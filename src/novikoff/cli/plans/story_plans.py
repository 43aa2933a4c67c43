"""The plans of the verbs that tell a story: ``demo`` and ``bench``."""

from dataclasses import dataclass
from typing import ClassVar

from novikoff.cli.plans.plan import Plan


@dataclass(frozen=True, kw_only=True)
class DemoPlan(Plan):
    """Tell the whole story on data that comes along."""

    home: ClassVar[str] = "stories"
    folder: str = "novikoff-demo"


@dataclass(frozen=True, kw_only=True)
class BenchPlan(Plan):
    """Measure this machine."""

    home: ClassVar[str] = "stories"
