"""The command line: ``novikoff VERB``. Exit 0 fine, 1 refused, 2 usage, 3 bad input."""

import sys
from collections.abc import Sequence
from importlib import import_module

from novikoff.cli.beginning import heard
from novikoff.cli.escapes import visible
from novikoff.cli.outlets import UnreadError, outlets
from novikoff.cli.parser import UsageError, build

FINE, REFUSED, USAGE, BAD_INPUT, INTERRUPTED = 0, 1, 2, 3, 130

# Where each verb lives: a function of its name, which takes the options and returns an exit code.
_HOMES = {
    "learn": "learning",
    "predict": "predicting",
    "tag": "tagging",
    "certify": "certifying",
    "verify": "certifying",
    "margin": "certifying",
    "simulate": "simulating",
    "theorems": "listings",
    "check": "listings",
    "inspect": "listings",
    "game": "gaming",
    "report": "certifying",
    "cache": "caching",
    "export": "caching",
    "demo": "stories",
    "bench": "stories",
    "completion": "completion",
}
# What the library's errors recommend, as the command line has it.
_OPTIONS = {
    "with positive=…, or use a multiclass learner": (
        "with --positive LABEL, or use --learner multiclass"
    ),
    "declare it with labels=…, or let new labels in with labels='open'": (
        "declare it with --labels, let new labels in with --labels open, or skip such lines with "
        "--on-bad skip"
    ),
    "leave out others with ignore=…": "leave out others with --ignore COLUMN",
    "on_bad='skip'": "--on-bad skip",
    "categorical=…": "--categorical COLUMN",
    "name another with label=…": "name another with --label MEMBER",
    "Name it with label=…; of a file without a header label=-1 is the last one": (
        "Name it with --label COLUMN; of a file without a header --label -1 is the last one"
    ),
    "Pass EllipsoidHalving(…, dimension=…)": "Pass --dimension D",
    "Pass CentroidHalving(…, dimension=…)": "Pass --dimension D",
    "bounds(run) lists those that do": "learn --bounds lists those that do",
    "Put the rounds in a list or arrays, or spool them: nv.cache": (
        "Spool it first: novikoff cache - --output FILE"
    ),
    "Put the rounds in a list or arrays": "Spool it first: novikoff cache - --output FILE",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb."""
    try:
        with heard(), outlets():
            return _flushed(arguments)
    except KeyboardInterrupt:  # before a verb began, or after it ended
        return INTERRUPTED


def _flushed(arguments: Sequence[str] | None) -> int:
    """Run one verb, and print all that it says, also where argparse leaves."""
    try:
        try:
            code = _parsed(arguments)
        finally:
            sys.stdout.flush()
    except OSError as error:  # of standard output alone
        text, code = _outcome(error)
        print("novikoff:", text, file=sys.stderr)
    return code


def _parsed(arguments: Sequence[str] | None) -> int:
    parser = build()
    options = parser.parse_args(arguments)
    if options.version:
        from novikoff import __version__

        print(__version__)
        return FINE
    if options.verb is None:
        parser.print_help()
        return USAGE
    return _guarded(options)


def _guarded(options: object) -> int:
    """Run a verb; what it cannot take is one line on stderr."""
    from novikoff.errors import NovikoffError
    from novikoff.interrupts import waiting

    verb = vars(options)["verb"]
    written: list[str] = []
    vars(options)["written"] = written
    try:
        with waiting():  # Ctrl-C in the middle of an import looks like a broken package
            module = import_module(f"novikoff.cli.{_HOMES[verb]}")
        code: int = getattr(module, verb)(options)
    except UnreadError:  # nobody reads on, as with head
        return FINE
    except (
        UsageError, NovikoffError, ImportError, OSError, MemoryError, KeyboardInterrupt,
    ) as error:  # fmt: skip
        text, code = _outcome(error)
        if written:
            text = f"{text.removesuffix('.')}. Written before: {visible(', '.join(written))}."
        print("novikoff:", text, file=sys.stderr)
    return code


def _outcome(error: BaseException) -> tuple[str, int]:
    """Return what is wrong in one line, with options for what the library recommends, and a code.

    An ImportError is an extra that is not installed, and says so.
    """
    from novikoff.errors import HypothesisError, ParameterError, VerificationError

    if isinstance(error, KeyboardInterrupt):
        return visible(" ".join(["interrupted", *map(str, error.args)])), INTERRUPTED
    if isinstance(error, MemoryError):
        return "memory: expected enough, got too little. Take fewer features or classes.", BAD_INPUT
    text = " ".join(str(error).split("\n"))
    if isinstance(error, OSError) and error.filename:
        text = f"{error.filename}: {error.strerror}"
    text = visible(text)
    for theirs, ours in _OPTIONS.items():
        text = text.replace(theirs, ours)
    if isinstance(error, (UsageError, ParameterError)):  # every parameter is an option here
        return text, USAGE
    return text, REFUSED if isinstance(error, (HypothesisError, VerificationError)) else BAD_INPUT
