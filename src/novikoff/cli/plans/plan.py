"""A plan: what one command line asks for."""

from collections.abc import Mapping
from dataclasses import fields
from typing import ClassVar, Self

from novikoff.cli.parser import UsageError
from novikoff.quick_records import record


@record(frozen=True, kw_only=True)
class Part:
    """Some options that belong together."""

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Self:
        """Take the options that are fields of this class, and the parts that it is made of."""
        found: dict[str, object] = {}
        for field in fields(cls):
            if isinstance(field.type, type) and issubclass(field.type, Part):
                found[field.name] = field.type.of(options)
            elif field.name in options:
                found[field.name] = frozen(options[field.name])
        return cls(**found)

    def changed(self, changes: Mapping[str, object]) -> Self:
        """Return the same with other values for some fields, checked again."""
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        return type(self)(**{**known, **changes})


@record(frozen=True, kw_only=True)
class Plan(Part):
    """What a verb is asked to do. Whoever makes a plan has no options that contradict each other.

    A plan names no open file and holds no data. ``check`` looks at the world around it.
    """

    home: ClassVar[str]
    """The module of the command line that carries the plan out, in a function named as the verb."""

    json: bool = False
    """Whether to print one JSON object."""

    def check(self) -> None:
        """Refuse what will fail whatever the data are: outputs, packages, parameters."""


def frozen(value: object) -> object:
    """Return a tuple for a list."""
    return tuple(value) if isinstance(value, list) else value


def dashed(name: str) -> str:
    """Return an option as it is typed.

    >>> dashed("on_bad")
    '--on-bad'
    """
    return f"--{name.replace('_', '-')}"


def refuse_empty(plan: Part, *names: str) -> None:
    """Refuse an empty text for the name of a file."""
    for name in names:
        if getattr(plan, name) == "":
            raise UsageError(
                f"{dashed(name)}: expected the name of a file, got an empty one. Name one."
            )


def refuse_hashing(format: str) -> None:
    """Refuse --hash-bits for a format whose features are always numbered."""
    if format == "svmlight":
        raise UsageError(
            "--hash-bits: expected none for svmlight, whose features are numbered, got some. "
            "Only names are hashed: drop the option."
        )
