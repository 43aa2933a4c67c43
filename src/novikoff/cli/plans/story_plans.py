"""The plans of the verbs that tell a story: ``demo`` and ``bench``."""

from typing import ClassVar

from novikoff.cli.plans.plan import Plan
from novikoff.quick_records import record


@record(frozen=True, kw_only=True)
class DemoPlan(Plan):
    """Tell the whole story on data that comes along."""

    home: ClassVar[str] = "stories"
    folder: str = "novikoff-demo"


@record(frozen=True, kw_only=True)
class BenchPlan(Plan):
    """Measure this machine."""

    home: ClassVar[str] = "stories"
