"""What a saved run holds besides its arrays."""

from collections.abc import Mapping
from typing import Any, TypeAlias, TypedDict, TypeGuard

from novikoff.learners.learner import Parameters
from novikoff.saving import contents
from novikoff.types import Label, Plain

_LABELLED = {"positive", "closed", "label_set", "met", "others", "class_weights", "max_weight",
             "threshold", "asks", "digesting"}  # fmt: skip
_REGRET = {"size", "full_information", "streams"}
_OPTIONAL = ("converged", "unfinished", "reading")  # missing in some files of experts and arms

Reading: TypeAlias = dict[str, Any]
"""How the command line read files, and where a play was interrupted, as plain data."""


class SavedRun(TypedDict, total=False):
    """The metadata of a run: about its ledger, its labels and its streams."""

    learner: str
    parameters: Parameters
    began_fresh: bool | None
    passes: int
    labels: list[Label]
    digest: str | None
    digesting: str
    size: int
    full_information: bool
    positive: Label | None
    closed: bool | None
    label_set: list[Label]
    met: int
    others: list[Label]
    class_weights: list[tuple[Label, float]]
    max_weight: float
    threshold: float
    asks: Mapping[str, Plain]
    columns: list[str] | None
    table: Mapping[str, object] | None
    converged: bool | None
    unfinished: Reading | None
    reading: Reading | None
    streams: int


_FIELDS = {
    "Run": SavedRun.__annotations__.keys() - _REGRET,
    "RegretRun": SavedRun.__annotations__.keys() - _LABELLED,
}


def is_of_ledger(array: str) -> bool:
    """Say whether an array of this name is the ledger's; the others are the learner's."""
    return array.startswith("ledger.")


def is_saved(metadata: Mapping[str, object], kind: str) -> TypeGuard[SavedRun]:
    """Check that runs of this kind save these fields and no others; refuse the first exception."""
    contents.check_known("field", metadata, _FIELDS[kind])
    contents.check_fields(metadata, contents.RUN if kind == "Run" else contents.REGRET_RUN)
    contents.check_fields(metadata, {n: contents.RUN[n] for n in _OPTIONAL if n in metadata})
    return True
