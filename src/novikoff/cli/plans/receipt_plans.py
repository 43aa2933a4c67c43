"""The plans of ``novikoff certify``, ``verify``, ``margin`` and ``report``."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from novikoff.cli.output_kinds import check_certificate, is_certificate, replaces
from novikoff.cli.outputs import check_outputs
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.plan import Part, Plan, refuse_empty
from novikoff.cli.plans.reading_plan import ReadingPlan
from novikoff.extras import require_extra
from novikoff.quick_records import record
from novikoff.saving.whole_files import require_regular

if TYPE_CHECKING:  # it needs NumPy
    from novikoff.receipts.prediction_sources import PredictionFile


@record(frozen=True, kw_only=True)
class PredictionsPlan(Part):
    """Predictions that another program made, and what they are."""

    predictions: str | None = None
    predictions_column: str | None = None
    loss: Literal["logistic", "squared"] | None = None
    scores: bool = False
    clip: float | None = None
    penalty: float | None = None

    def __post_init__(self) -> None:
        refuse_empty(self, "predictions", "predictions_column")
        said = (self.predictions_column, self.loss, self.clip, self.penalty, self.scores or None)
        if self.predictions is None and said != (None,) * 5:
            raise UsageError(
                "--predictions: expected the file that the other options are about, got none. "
                "Name it, or drop them."
            )

        if self.loss == "squared" and (self.scores or self.clip is not None):
            raise UsageError(
                "--loss squared: expected numbers, got --scores or --clip, which are about "
                "probabilities. Drop them."
            )

    def check(self) -> None:
        """Refuse predictions in what is no regular file, which is read more than once."""
        for file in self.files():
            require_regular(file, "predictions")

    def files(self) -> tuple[str, ...]:
        """Return the file of predictions, if there is one."""
        return () if self.predictions is None else (self.predictions,)

    @property
    def named(self) -> "PredictionFile | None":
        """The predictions to read, if there are some."""
        from novikoff.receipts.prediction_sources import PredictionFile

        if self.predictions is None:
            return None
        return PredictionFile(self.predictions, self.predictions_column or "")


@record(frozen=True, kw_only=True)
class CertifyPlan(Plan):
    """Write the certificate of a saved run on its data, or of predictions."""

    home: ClassVar[str] = "certifying"
    model: str | None = None
    reading: ReadingPlan
    predicted: PredictionsPlan
    theorem: str | None = None
    output: str | None = None
    start: str | None = None
    chain: bool = False

    def __post_init__(self) -> None:
        if self.predicted.predictions is not None and self.theorem is not None:
            raise UsageError(
                "--theorem: expected none with --predictions, got one. Predictions have a theorem "
                "of their own."
            )

    @property
    def certificate(self) -> str:
        """The file to write."""
        return self.output or self.reading.beside(".certificate.json")

    def check(self) -> None:
        """Refuse a theorem that nobody knows, and a file that cannot be written or is read."""
        from novikoff.theory import named

        self.reading.check()
        self.predicted.check()
        if self.theorem is not None:
            named(self.theorem)
        read = (*self.reading.files(), *self.predicted.files(), *filter(None, [self.model]))
        check_outputs(read, self.certificate)
        replaces("--output", self.certificate, "a certificate", is_certificate, "Name another.")


@record(frozen=True, kw_only=True)
class VerifyPlan(Plan):
    """Verify a certificate on its data."""

    home: ClassVar[str] = "verifying"
    certificate: str
    reading: ReadingPlan
    predicted: PredictionsPlan
    start: str | None = None
    chain: bool = False
    data: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        refuse_empty(self, "start")
        if self.data and not self.chain:
            raise UsageError("--data: expected --chain with it, got none. Name the data as INPUT.")
        if self.data and len(self.data) != len(self.certificates):
            raise UsageError(
                f"--data: expected a file for each of the {len(self.certificates)} certificates, "
                f"got {len(self.data)}."
            )
        if self.chain and self.start and not self.data:
            raise UsageError("--start: expected --data with it in a chain, got none.")

    @property
    def certificates(self) -> tuple[str, ...]:
        """The certificates of a chain, in their order."""
        return (self.certificate, *self.reading.input)

    def check(self) -> None:
        """Refuse files that cannot be read as the options say."""
        self.predicted.check()
        if not self.chain:
            self.reading.check()


@record(frozen=True, kw_only=True)
class MarginPlan(Plan):
    """Say whether the rows of files are separable."""

    home: ClassVar[str] = "certifying"
    reading: ReadingPlan
    bias: float | None = None
    certify: str | None = None

    def check(self) -> None:
        """Refuse a certificate that cannot be written or that is read."""
        self.reading.check()
        check_outputs(self.reading.files(), self.certify)
        check_certificate("--certify", self.certify)


@record(frozen=True, kw_only=True)
class ReportPlan(Plan):
    """Draw the report of a saved run on its data."""

    home: ClassVar[str] = "certifying"
    model: str
    reading: ReadingPlan
    certificate: str | None = None
    output: str | None = None

    @property
    def page(self) -> str:
        """The file to write."""
        return self.output or f"{Path(self.model).stem}.html"

    def check(self) -> None:
        """Refuse a page of an unknown kind, and one that cannot be drawn or written."""
        from novikoff.reports import drawable

        require_extra("matplotlib", "report")
        drawable(self.page, "--output")
        self.reading.check()
        check_outputs((*self.reading.files(), self.model), self.page)
