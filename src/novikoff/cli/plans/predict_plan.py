"""The plan of ``novikoff predict``."""

import os
from typing import ClassVar

from novikoff.cli.output_kinds import keeps_others
from novikoff.cli.outputs import check_outputs
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.plan import Plan, refuse_empty
from novikoff.cli.plans.reading_plan import ReadingPlan
from novikoff.cli.plans.run_plan import DecisionPlan
from novikoff.quick_records import record


@record(frozen=True, kw_only=True)
class PredictPlan(Plan):
    """Predict the labels of files with a model."""

    home: ClassVar[str] = "predicting"
    model: str
    reading: ReadingPlan
    decision: DecisionPlan
    by: str | None = None
    scores: bool = False
    probabilities: bool = False
    output: str | None = None
    delta: float = 0.05

    def __post_init__(self) -> None:
        refuse_empty(self, "by")
        if self.scores and self.probabilities:
            raise UsageError("--scores: expected none with --probabilities, got both. Drop one.")

    def check(self) -> None:
        """Refuse an output that cannot be written or that is read."""
        self.reading.check()
        if self.by is None and os.path.isdir(self.model):
            raise UsageError(
                f"--by: expected the column of keys for the runs in {self.model}, got none."
            )
        check_outputs((*self.reading.files(), self.model), self.output)
        keeps_others("--output", self.output)
