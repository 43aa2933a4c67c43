"""The one tree of errors. Each says what is wrong where, what was expected, and what to do.

Advice names arguments of the library: ``on_bad='skip'``. A command line has other names for the
same things, so advice is a ``Phrase``: a text for Python that remembers what it names. Whatever
shows an error elsewhere writes these names in its own way (``Phrase.written``).
"""

import copy
import math
from collections.abc import Callable
from itertools import chain
from numbers import Integral, Real
from typing import NamedTuple, Self

_DIGITS = 40  # of a number in an error


class Named(NamedTuple):
    """Something of the library that a text names, and how Python writes it."""

    name: str
    """What it is called wherever it is looked up: an argument's name, as a rule."""
    python: str
    value: str | int | None = None
    """The value that an argument is given here; None if the user has to choose one."""


def argument(name: str, value: str | int | None = None, of: str = "") -> Named:
    """Return an argument as Python writes it: ``labels=…``, ``on_bad='skip'``, ``C(tags=…)``."""
    written = f"{name}=…" if value is None else f"{name}={value!r}"
    return Named(name, f"{of}({written})" if of else written, value)


class Phrase(str):
    """A text for Python that remembers what it names.

    >>> advice = Phrase("Skip such lines with ", argument("on_bad", "skip"), ".")
    >>> advice
    "Skip such lines with on_bad='skip'."
    >>> advice.written(lambda named: f"--{named.name.replace('_', '-')} {named.value}")
    'Skip such lines with --on-bad skip.'
    """

    __slots__ = ("parts",)
    parts: tuple[str | Named, ...]

    def __new__(cls, *parts: "str | Named") -> Self:
        """Join texts, phrases and names."""
        flat: list[str | Named] = []
        for part in chain.from_iterable(map(_parts, parts)):
            if flat and isinstance(part, str) and isinstance(flat[-1], str):
                flat[-1] += part
            else:
                flat.append(part)
        found = super().__new__(cls, "".join(map(_in_python, flat)))
        found.parts = tuple(flat)
        return found

    def __reduce__(self) -> tuple[type[Self], tuple[str | Named, ...]]:
        return type(self), self.parts

    def written(self, form: Callable[[Named], str]) -> str:
        """Return the text with every name in another form."""
        return "".join(form(part) if isinstance(part, Named) else part for part in self.parts)


def _parts(part: str | Named) -> tuple[str | Named, ...]:
    return part.parts if isinstance(part, Phrase) else (part,)


def _in_python(part: str | Named) -> str:
    return part.python if isinstance(part, Named) else part


class NovikoffError(Exception):
    """The base of all errors of this library: anything it refuses.

    It is raised with a text, or with the parts of one: ``where: expected …, got …. Do this.``
    """

    where: str = ""
    """What is refused, or where it is: a parameter, ``train.svm:812``, a round."""
    expected: str = ""
    got: str = ""
    remedy: str = ""
    """What to do: sentences. They are empty if the error was raised with a text of its own."""

    def __init__(
        self,
        text: str = "",
        *,
        where: str = "",
        expected: str = "",
        got: str = "",
        remedy: str = "",
    ) -> None:
        if where:
            self.where, self.expected, self.got = where, expected, got
            text = Phrase(where, ": expected ", expected, ", got ", got, ".")
        if remedy:
            self.remedy = remedy
            text = Phrase(text, " ", remedy)
        super().__init__(text)

    @property
    def text(self) -> Phrase:
        """The whole text, with what it names."""
        return Phrase(self.args[0] if self.args else "")

    def moved(self, where: str) -> Self:
        """Return the same error about another place."""
        first, *others = self.text.parts or ("",)
        rest = _in_python(first)
        rest = rest.removeprefix(f"{self.where}: ") if self.where else rest.partition(": ")[2]
        found = copy.copy(self)
        found.args = (Phrase(where, ": ", rest, *others),)
        found.where = where if self.where else ""
        return found

    def with_advice(self, sentence: str) -> Self:
        """Return the same error with one more sentence of advice."""
        found = copy.copy(self)
        end = " " if self.text.endswith(".") else ". "
        found.args = (Phrase(self.text, end, sentence),)
        found.remedy = Phrase(self.remedy, " ", sentence) if self.remedy else sentence
        return found

    def advising(self, remedy: str) -> Self:
        """Return the same error with other advice."""
        found, said = copy.copy(self), str(self.text).removesuffix(self.remedy).rstrip()
        found.args, found.remedy = (Phrase(said, " ", remedy),), remedy
        return found


class KeptNote(str):
    """A note on an error that a run in hand keeps rounds; the command line keeps no such run."""

    __slots__ = ()


class InputError(NovikoffError, ValueError):
    """Raised for an example, a label or a file that is not what it should be."""

    row: int | None = None
    """Where in a block of rows it is, counted from 0, when that is known."""


class ParameterError(NovikoffError, ValueError):
    """Raised for a parameter outside its allowed values."""


class UnrealizableError(NovikoffError):
    """Raised if no hypothesis of a finite class agrees with the labels so far."""


class BusyError(NovikoffError, RuntimeError):
    """Raised if a second thread uses a learner that another one is playing."""


class HypothesisError(NovikoffError):
    """Raised if a theorem or a definition does not apply, because its hypotheses do not hold."""


class MeasureError(NovikoffError, AttributeError):
    """Raised if a run does not have the measure that you ask for: a perceptron has no loss."""


class VerificationError(NovikoffError):
    """Raised for a file or a text that is not a certificate."""


def parameter(name: str, expected: str, got: object, remedy: str = "") -> ParameterError:
    """``name: expected …, got …``, the form every parameter error has."""
    return ParameterError(where=name, expected=expected, got=shown(got), remedy=remedy)


def shown(value: object) -> str:
    """Return a value as Python writes it, unless it is a number that nobody wants to read.

    >>> shown(7), shown(10**400)
    ('7', '10000000… (401 digits)')
    """
    try:
        text = repr(value)
    except ValueError:  # Python does not write a number of more than 4300 digits
        return f"a {type(value).__name__} too long to show"
    if isinstance(value, int) and len(text) > _DIGITS:
        return f"{text[:8]}… ({len(text.lstrip('-'))} digits)"
    return text


def as_float(value: object) -> float:
    """Return a real number as a float, or NaN if it is not a real number or beyond float64.

    NaN lies in no range, so that a comparison refuses it.

    >>> as_float(2), as_float(10**400), as_float("2")
    (2.0, nan, nan)
    """
    try:
        return float(value) if isinstance(value, Real) else math.nan
    except OverflowError:
        return math.nan


def whole(name: str, value: object, least: int, most: int | None = None, remedy: str = "") -> int:
    """Return a whole number within its limits as an int; True and 2.0 do not count as whole."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if least <= number and (most is None or number <= most):
            return number
    limits = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise parameter(name, f"a whole number {limits}", value, remedy)
