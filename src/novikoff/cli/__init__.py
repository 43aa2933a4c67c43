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
    from novikoff.cli.remedies import in_options
    from novikoff.errors import HypothesisError, NovikoffError, ParameterError, VerificationError

    if isinstance(error, KeyboardInterrupt):
        return visible(" ".join(["interrupted", *map(str, error.args)])), INTERRUPTED
    if isinstance(error, MemoryError):
        return "memory: expected enough, got too little. Take fewer features or classes.", BAD_INPUT
    text = in_options(error) if isinstance(error, NovikoffError) else str(error)
    if isinstance(error, OSError) and error.filename:
        text = f"{error.filename}: {error.strerror}"
    text = visible(" ".join(text.split("\n")))
    if isinstance(error, (UsageError, ParameterError)):  # every parameter is an option here
        return text, USAGE
    return text, REFUSED if isinstance(error, (HypothesisError, VerificationError)) else BAD_INPUT
