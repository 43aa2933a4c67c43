"""Deprecations: names that still work, warn when they are used, and say until when they stay."""

import warnings
from typing import NamedTuple


class Deprecated(NamedTuple):
    """A public name that goes."""

    instead: str
    """The public name to use."""
    since: str
    until: str
    """The first version without it."""


NAMES = {
    "RegretLedger": Deprecated("Ledger", "0.2.0", "0.4.0"),
    "RegretRun": Deprecated("Run", "0.2.0", "0.4.0"),
}


def replaced(name: str) -> str | None:
    """Return the name to use instead of a deprecated one, and warn; None if it is not deprecated.

    The warning is about the line that asks the package for the name.
    """
    found = NAMES.get(name)
    if found is None:
        return None
    warnings.warn(
        f"novikoff.{name} is deprecated since {found.since} and goes in {found.until}. "
        f"Use novikoff.{found.instead}.",
        DeprecationWarning,
        stacklevel=3,
    )
    return found.instead
