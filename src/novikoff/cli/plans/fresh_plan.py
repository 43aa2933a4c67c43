"""The plan of ``novikoff test``."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, NamedTuple, Self

from novikoff.cli.output_kinds import check_optional_certificate, keeps_others
from novikoff.cli.outputs import check_outputs
from novikoff.cli.plans.plan import Plan, refuse_empty
from novikoff.cli.plans.reading_plan import ReadingPlan, used_up
from novikoff.cli.plans.run_plan import DecisionPlan
from novikoff.extras import require_extra
from novikoff.quick_records import record


class TestFiles(NamedTuple):
    """The files that certificates of a test are written to."""

    error: str
    loss: str
    predictions: str


@record(frozen=True, kw_only=True)
class FreshPlan(Plan):
    """Test a model on rows that it has not learned from."""

    home: ClassVar[str] = "testing"
    model: str
    reading: ReadingPlan
    decision: DecisionPlan
    delta: float = 0.05
    clip: float = 1e-6
    certify: str | None = None
    report: str | None = None

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Self:
        """Name certificates after the input if they have no name of their own."""
        plan = super().of(options)
        if plan.certify == "":
            plan = replace(plan, certify=plan.reading.beside(".test.json"))
        return plan

    def __post_init__(self) -> None:
        refuse_empty(self, "report")
        if self.certify is not None and "-" in self.reading.input:
            raise used_up()

    @property
    def outputs(self) -> "TestFiles | None":
        """The files to write: certificates of the error and of the loss, and the predictions."""
        if self.certify is None:
            return None
        stem = self.certify.removesuffix(".json")
        return TestFiles(self.certify, f"{stem}.loss.json", f"{stem}.predictions")

    def check(self) -> None:
        """Refuse files that cannot be read as the options say, or that cannot be written."""
        self.reading.check()
        if self.report is not None:
            from novikoff.reports import drawable

            drawable(self.report, "--report")
            require_extra("matplotlib", "--report")
        check_outputs((*self.reading.files(), self.model), self.report, *(self.outputs or ()))
        if self.outputs is not None:
            check_optional_certificate(self.outputs.error)
            check_optional_certificate(self.outputs.loss)
            keeps_others("--certify", self.outputs.predictions)
