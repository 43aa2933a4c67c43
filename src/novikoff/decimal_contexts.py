"""The only place that makes decimal contexts: no number depends on the context of the caller.

``Context(prec=50)`` takes every field that it is not given from ``decimal.DefaultContext``, which
anybody can change. Operators, ``abs`` and a unary minus round in the current context of the thread,
and a float raises there if ``FloatOperation`` is trapped. So every field is given here, and
functions and constants that compute with decimals do so ``within`` such a context.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import (
    ROUND_HALF_EVEN,
    Context,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)

USUAL = 999_999
"""The largest exponent of decimals unless more is needed: ``Fraction`` can hold such numbers."""
HUGE = 10**17
"""An exponent that nothing reaches; such a number must not become a ``Fraction``."""


def decimals(digits: int, rounding: str = ROUND_HALF_EVEN, *, exponent: int = USUAL) -> Context:
    """Return a context with this many digits and exponents up to ± ``exponent``.

    A division by 0, what is not a number and an overflow are errors; nothing else is.
    """
    return Context(
        prec=digits,
        rounding=rounding,
        Emin=-exponent,
        Emax=exponent,
        capitals=1,
        clamp=0,
        flags=[],
        traps=[DivisionByZero, InvalidOperation, Overflow],
    )


@contextmanager
def within(context: Context) -> Iterator[None]:
    """Compute in this context: in a ``with`` statement, or as the decorator of a function."""
    with localcontext(context):
        yield
