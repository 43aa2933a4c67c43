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

ELSEWHERE = {
    "Model": "nv.Run, a learner with its ledger; run.hypothesis() is what it has learned, frozen",
    "fit": "nv.play(learner, stream)",
    "learn": "nv.play(learner, stream), or run.learn(x, y) for one round",
    "load": "nv.Run.load(path) for a run, nv.Hypothesis.load(path) for a hypothesis, and "
    "nv.read(path) for a file of rows",
    "load_model": "nv.Run.load(path)",
    "predict": "run.predict(X), or run.predict_one(x) for one row",
    "read_csv": "nv.read(path, label=COLUMN)",
    "save": "run.save(path)",
    "train": "nv.play(learner, stream)",
}
"""What people look for by another name, and what it is called here."""


def elsewhere(name: str) -> str:
    """Say what to use instead of a name that never was, or nothing if nobody looks for it."""
    return f". Use {ELSEWHERE[name]}." if name in ELSEWHERE else ""


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
