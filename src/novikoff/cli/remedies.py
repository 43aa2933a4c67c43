"""Remedies: what the library's errors advise, as the command line writes it."""

import errno
import os

from novikoff.errors import Named, NovikoffError

OPTIONS: dict[str, str | None] = {
    "categorical": "--categorical COLUMN",
    "clip": "--clip E",
    "dimension": "--dimension D",
    "first": "--first N",
    "ignore": "--ignore COLUMN",
    "kind": None,
    "label": "--label COLUMN",
    "labels": "--labels A,B",
    "max_weight": "--max-weight W",
    "missing": "--missing WAY",
    "on_bad": "--on-bad skip",
    "positive": "--positive LABEL",
    "start": "--start MODEL",
    "tags": None,
}
"""The option for each argument that an error of the library names; None if there is no such option.

The text is then what Python says, because the way out is in Python.
"""
COMMANDS = {
    "bounds": "learn --bounds",
    "each_ignore": "--ignore A --ignore B",
    "go_on": "play the rest first: novikoff learn FILE --resume MODEL",
    "format": "--format",
    "multiclass": "--learner multiclass",
    "named_rows": "named features",
    "numbered_rows": "numbered features",
    "rows_by_name": "files like those learned from",
    "spool": "Spool it first: novikoff cache - --output FILE",
}
"""What else errors name: calls and learners."""
_VALUES = {
    ("kind", "score"): "--scores",
    ("label", -1): "--label -1",
    ("missing", "feature"): "--missing feature",
    ("missing", "zero"): "--missing zero",
    ("labels", "open"): "--labels open, or skip such lines with --on-bad skip",
    ("on_bad", "skip"): "--on-bad skip",
}


_PLACES = {
    errno.ENOSPC: "Free some space, or write elsewhere.",
    errno.EACCES: "Change its permissions, or name another place.",
    errno.EROFS: "Name a place that may be written to.",
}
"""What to do about a file that the system refuses."""


def about_file(error: OSError) -> str:
    """Return what is wrong with the file that an error of the system names, and what to do."""
    if not error.filename:
        return str(error)
    if isinstance(error, FileNotFoundError):
        found = f"{error.filename}: expected a file, got: {error.strerror}. Check the name"
        return f"{found}{_looked_up(error.filename)}."
    advice = _PLACES.get(error.errno or 0)
    return f"{error.filename}: {error.strerror}" + (f". {advice}" if advice else "")


def _looked_up(name: object) -> str:
    """Say from which folder a name is looked up, if it is a relative one."""
    try:
        return "" if os.path.isabs(str(name)) else f"; it is looked up in {os.getcwd()}"
    except FileNotFoundError:  # somebody has deleted the folder
        return "; the folder in which it is looked up is gone"


def in_options(error: NovikoffError) -> str:
    """Return an error's text with options for the arguments that it names."""
    return error.text.written(_option)


def _option(named: Named) -> str:
    if named.value is not None:
        return _VALUES[named.name, named.value]
    return COMMANDS.get(named.name) or OPTIONS[named.name] or named.python
