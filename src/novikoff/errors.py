"""The one tree of errors. Each says where, what was expected, what was got, and what to do."""

from numbers import Integral


class NovikoffError(Exception):
    """Anything this library refuses."""


class InputError(NovikoffError, ValueError):
    """An example, a label or a file that cannot be what it is meant to be."""

    row: int | None = None
    """Where in a block of rows it is, counted from 0, when that is known."""


class ParameterError(NovikoffError, ValueError):
    """A parameter outside its allowed values."""


class UnrealizableError(NovikoffError):
    """No hypothesis of the class agrees with the labels so far."""


class BusyError(NovikoffError, RuntimeError):
    """A learner that another thread is playing."""


class HypothesisError(NovikoffError):
    """A theorem or a definition whose hypotheses do not hold here."""


class MeasureError(NovikoffError, AttributeError):
    """A measure that a run does not have: only some learners have a loss, or a radius."""


class VerificationError(NovikoffError):
    """A certificate that is not one."""


def parameter(name: str, expected: str, got: object, remedy: str = "") -> ParameterError:
    """``name: expected …, got …``, the form every parameter error has."""
    return ParameterError(f"{name}: expected {expected}, got {got!r}. {remedy}".rstrip())


def whole(name: str, value: object, least: int, most: int | None = None, remedy: str = "") -> int:
    """Return a whole number within its limits as an int; True and 2.0 are none."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if least <= number and (most is None or number <= most):
            return number
    limits = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise parameter(name, f"a whole number {limits}", value, remedy)
