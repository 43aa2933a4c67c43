"""The learner that ``learn`` is asked for."""

import inspect
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

from novikoff.cli.parser import DEFAULT_LEARNER, LEARNERS, UsageError
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
        name = self.learner or DEFAULT_LEARNER
        for option in self._parameters:
            if option not in _taken(name):
                raise UsageError(
                    f"{dashed(option)}: expected no such option with --learner {name}."
                )
        return self._made(name)

    def several(self, names: tuple[str, ...]) -> "dict[str, Learner]":
        """Return learners to compare, each with the parameters that it takes."""
        for option in self._parameters:
            if not any(option in _taken(name) for name in names):
                raise UsageError(
                    f"{dashed(option)}: expected no such option with --compare {','.join(names)}."
                )
        return {name: self._made(name) for name in names}

    @property
    def _parameters(self) -> dict[str, object]:
        return {option: value for option, value in self.given.items() if option != "learner"}

    def _made(self, name: str) -> "Learner":
        from novikoff.learners import Learner
        from novikoff.streams import Hashing

        taken = _taken(name)
        given = {option: value for option, value in self._parameters.items() if option in taken}
        for option, needed in taken.items():
            if needed and option not in given:
                raise UsageError(
                    f"{dashed(option)}: expected a value for --learner {name}, got none."
                )
        if given.pop("hash_bits", None) is not None and self.hash_bits is not None:
            given["hashing"] = Hashing(self.hash_bits)
        return Learner.kinds[LEARNERS[name]](**given)


def _taken(name: str) -> dict[str, bool]:
    """Return the options that a learner takes, and whether it needs each of them."""
    from novikoff.learners import Learner

    parameters = inspect.signature(Learner.kinds[LEARNERS[name]]).parameters
    options = {argument: option for option, argument in _ARGUMENTS.items()}
    return {
        options.get(argument, argument): about.default is about.empty
        for argument, about in parameters.items()
    }
