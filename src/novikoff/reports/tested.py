"""What a report takes from a test of the saved model on rows that it had not seen."""

from collections.abc import Sequence
from dataclasses import dataclass

from novikoff.errors import parameter
from novikoff.reports.measured import CalibrationBin


@dataclass(frozen=True)
class TestedModel:
    """A frozen model on fresh rows: its errors, and what is promised about rows to come."""

    __test__ = False  # pytest would take the name for a test
    rows: int
    errors: int
    error_bound: float
    """With probability at least 1 − δ, the chance of an error is at most this."""
    delta: float
    mean_loss: float | None = None
    """The mean log loss, for models with probabilities."""
    loss_bound: float | None = None
    bins: Sequence[CalibrationBin] = ()
    """Its calibration, with intervals."""


def checked_test(found: object) -> TestedModel | None:
    """Refuse what is not the test of a model."""
    if found is None or isinstance(found, TestedModel):
        return found
    raise parameter("tested", "what a test of the model found", found)
