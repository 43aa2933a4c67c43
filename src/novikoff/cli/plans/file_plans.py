"""The plans of ``novikoff cache`` and ``export``."""

from typing import ClassVar

from novikoff.cli.output_kinds import is_cache, keeps_others, replaces
from novikoff.cli.outputs import check_outputs
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.plan import Plan, refuse_hashing
from novikoff.cli.plans.reading_plan import ReadingPlan
from novikoff.quick_records import record

_SENTENCES = ("conll", "conllu")


@record(frozen=True, kw_only=True)
class CachePlan(Plan):
    """Write files as a cache."""

    home: ClassVar[str] = "caching"
    reading: ReadingPlan
    output: str

    def check(self) -> None:
        """Refuse an output that cannot be written or that is read."""
        self.reading.check()
        check_outputs(self.reading.files(), self.output)
        self._check_replaced()

    def _check_replaced(self) -> None:
        """Refuse to replace a file of another kind."""
        replaces("--output", self.output, "an Arrow file", is_cache, "Name another file.")


@record(frozen=True, kw_only=True)
class ExportPlan(CachePlan):
    """Write files as svmlight, or their sentences, for the stand-alone verifier."""

    hash_bits: int | None = None
    templates: str | None = None

    def __post_init__(self) -> None:
        if self.reading.format != "auto":
            self.check_format(self.reading.format)

    def _check_replaced(self) -> None:
        """Refuse to replace what is no text; one text looks like another."""
        keeps_others("--output", self.output)

    def check_format(self, format: str) -> None:
        """Refuse options that rows do not have, or sentences."""
        if format in _SENTENCES and self.hash_bits is not None:
            raise UsageError("--hash-bits: expected none for sentences, whose names are kept.")
        if self.hash_bits is not None:
            refuse_hashing(format)
        if format not in _SENTENCES and (self.templates or self.reading.columns):
            raise UsageError(f"--templates, --columns: expected sentences, got {format}.")
