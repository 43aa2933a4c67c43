"""The learner that ``learn`` is asked for."""

import inspect
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

from novikoff.cli.parser import LEARNERS, UsageError
from novikoff.cli.plans.plan import Part, dashed

if TYPE_CHECKING:
    from novikoff.learners import Learner

_ARGUMENTS = {"hash_bits": "hashing"}
"""The options that learners call otherwise."""


@dataclass(frozen=True, kw_only=True)
class LearnerPlan(Part):
    """A kind of learner and its parameters; None if the command line does not give one."""

    learner: str | None = None
    bias: float | None = None
    ties: Literal["positive", "mistake"] | None = None
    eta: float | None = None
    rate: float | None = None
    keep: float | None = None
    sigma: float | None = None
    max_voters: int | None = None
    seed: int | None = None
    dimension: int | None = None
    hash_bits: int | None = None

    @property
    def given(self) -> dict[str, object]:
        """What the command line gives, by the name of its option."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in found.items() if value is not None}

    def made(self) -> "Learner":
        """Return the learner; refuse parameters that it does not take or cannot do without."""
        from novikoff.learners import Learner
        from novikoff.streams import Hashing

        name = self.learner or "perceptron"
        kind = Learner.kinds[LEARNERS[name]]
        taken = inspect.signature(kind).parameters
        given = {option: value for option, value in self.given.items() if option != "learner"}
        for option in given:
            if _ARGUMENTS.get(option, option) not in taken:
                raise UsageError(
                    f"{dashed(option)}: expected no such option with --learner {name}."
                )
        for option, about in taken.items():
            if about.default is about.empty and option not in given:
                raise UsageError(
                    f"{dashed(option)}: expected a value for --learner {name}, got none."
                )
        if self.hash_bits is not None:
            given["hashing"] = Hashing(self.hash_bits)
            del given["hash_bits"]
        return kind(**given)
