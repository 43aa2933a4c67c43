"""Measures: what some runs have besides the counts that all have, each declared by name."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, Protocol

from novikoff import _core
from novikoff.errors import MeasureError
from novikoff.other_names import OF_LEDGER
from novikoff.playing.saved_run import SavedRun
from novikoff.types import Arrays, IntArray

Combination = Literal["sum", "largest", "last"]
"""How the measures of two parts combine into that of both: the sum, the larger, the later one."""


class Measure(NamedTuple):
    """A measure, as a run declares it."""

    name: str
    kind: type
    combination: Combination


class Sheet(Protocol):
    """The counts of a run and its measures, to which the native loop adds."""

    @property
    def tally(self) -> _core.Tally | _core.RegretTally:
        """The counts in the core."""
        ...

    @property
    def fixed(self) -> SavedRun:
        """The values that never change, as plain data."""
        ...

    @property
    def blank(self) -> "Callable[[], Sheet]":
        """What makes an empty sheet with the same measures; it can be pickled."""
        ...

    @property
    def declared(self) -> Mapping[str, Measure]:
        """Which measures there are, by name."""
        ...

    def value(self, name: str) -> object:
        """Return the current value of a declared measure."""
        ...

    @property
    def judges(self) -> bool:
        """Whether a prediction is right or wrong; False if labels are real numbers."""
        ...

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        ...

    @property
    def abstentions(self) -> int:
        """How many rounds got no prediction."""
        ...

    @property
    def mistakes(self) -> int:
        """How many predictions were wrong."""
        ...

    @property
    def mistake_rounds(self) -> IntArray:
        """The rounds of the mistakes, counted from 1."""
        ...

    @property
    def words(self) -> str:
        """What the run did, for ``repr``."""
        ...

    def state(self) -> Arrays:
        """Return all of it as plain arrays."""
        ...

    def restore(self, arrays: Arrays) -> None:
        """Take over what ``state`` returned; refuse anything else."""
        ...


def by_name(*measures: Measure) -> dict[str, Measure]:
    """Return measures by their names."""
    return {measure.name: measure for measure in measures}


def missing(name: str, learner: str, declared: Mapping[str, Measure]) -> MeasureError:
    """Return the error for a measure that a run does not have."""
    if name in OF_LEDGER:
        remedy = f"Use {OF_LEDGER[name]}."
        return MeasureError(where=name, expected="a measure", got="another name", remedy=remedy)
    remedy = f'Ask for one of these, or ask first: hasattr(ledger, "{name}").'
    return MeasureError(
        where=name,
        expected=f"a measure of a run of {learner}, which has {', '.join(sorted(declared))}",
        got="another",
        remedy=remedy,
    )
