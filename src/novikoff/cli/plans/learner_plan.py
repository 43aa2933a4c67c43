"""The learner that ``learn`` is asked for."""

import inspect
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Literal

from novikoff.cli.parser import DEFAULT_LEARNER, LEARNERS, UsageError
from novikoff.cli.plans.plan import Part, dashed
from novikoff.cli.plans.transform_options import TRANSFORMS, transforms_of
from novikoff.quick_records import record

if TYPE_CHECKING:
    from novikoff.learners import Learner

_ARGUMENTS = {"hash_bits": "hashing"} | dict.fromkeys(TRANSFORMS, "transforms")
"""The options that learners call otherwise."""
_CALLED = frozenset(_ARGUMENTS.values())


@record(frozen=True, kw_only=True)
class LearnerPlan(Part):
    """A kind of learner and its parameters; None if the command line does not give one."""

    learner: str | None = None
    bias: float | Literal["auto"] | None = None
    ties: Literal["positive", "mistake"] | None = None
    averaged: bool | None = None
    eta: float | None = None
    rate: float | None = None
    loss: Literal["logistic", "hinge", "squared", "absolute"] | None = None
    ridge: float | None = None
    keep: float | None = None
    freeze: Literal["last", "snapshots"] | None = None
    sigma: float | None = None
    max_voters: int | None = None
    seed: int | None = None
    dimension: int | None = None
    hash_bits: int | None = None
    scale: bool | None = None
    cross: tuple[str, ...] | None = None
    cross_bits: int | None = None
    normalize: bool | None = None

    @property
    def given(self) -> dict[str, object]:
        """What the command line gives, by the name of its option."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in found.items() if value is not None}

    def made(self, presence: bool = False) -> "Learner":
        """Return the learner; refuse parameters that it does not take or cannot do without.

        ``presence`` makes every value other than 0 a 1: the option --presence, except for text.
        """
        name, given = self.learner or DEFAULT_LEARNER, self._parameters(presence)
        for option in given:
            if option not in _taken(name):
                raise UsageError(
                    f"{dashed(option)}: expected no such option with --learner {name}."
                )
        return self._made(name, given)

    def several(self, names: tuple[str, ...], presence: bool = False) -> "dict[str, Learner]":
        """Return learners to compare, each with the parameters that it takes."""
        given = self._parameters(presence)
        for option in given:
            if not any(option in _taken(name) for name in names):
                raise UsageError(
                    f"{dashed(option)}: expected no such option with --compare {','.join(names)}."
                )
        return {name: self._made(name, given) for name in names}

    def _parameters(self, presence: bool) -> dict[str, object]:
        found = {option: value for option, value in self.given.items() if option != "learner"}
        return found | ({"presence": True} if presence else {})

    def _made(self, name: str, parameters: Mapping[str, object]) -> "Learner":
        """Return a learner with those of the parameters that it takes."""
        from novikoff.learners import Learner
        from novikoff.streams import Hashing

        taken = _taken(name)
        given = {option: value for option, value in parameters.items() if option in taken}
        for option, needed in taken.items():
            if needed and option not in given:
                raise UsageError(
                    f"{dashed(option)}: expected a value for --learner {name}, got none."
                )
        arguments = {name: value for name, value in given.items() if name not in _ARGUMENTS}
        if self.bias == "auto":
            arguments["bias"] = 1.0  # any will do until the data choose one
        if "hash_bits" in given and self.hash_bits is not None:
            arguments["hashing"] = Hashing(self.hash_bits)
        if steps := transforms_of(given):
            arguments["transforms"] = steps
        return Learner.kinds[LEARNERS[name]](**arguments)


def _taken(name: str) -> dict[str, bool]:
    """Return the options that a learner takes, and whether it needs each of them."""
    from novikoff.learners import Learner

    parameters = inspect.signature(Learner.kinds[LEARNERS[name]]).parameters
    found = {name: about.default is about.empty for name, about in parameters.items()}
    called = {option: found[name] for option, name in _ARGUMENTS.items() if name in found}
    return {name: needed for name, needed in found.items() if name not in _CALLED} | called
