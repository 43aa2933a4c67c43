"""The command line: ``novikoff VERB``. Exit 0 fine, 1 refused, 2 usage, 3 bad input.

A command line is parsed (``parser``), becomes a frozen plan that is checked as a whole (``plans``),
and is then carried out by a function named as the verb, which takes the plan.
"""

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from novikoff.cli.beginning import heard
from novikoff.cli.escapes import visible
from novikoff.cli.outlets import UnreadError, outlets
from novikoff.cli.parser import UsageError, build, parsed

if TYPE_CHECKING:
    from novikoff.cli.plans.plan import Plan
    from novikoff.errors import InputError

FINE, REFUSED, USAGE, BAD_INPUT, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb."""
    alone = arguments is None  # the process is for this verb only
    if alone:
        gc.disable()  # until all is imported, because imports leave no garbage
        # Threads of NumPy's BLAS spin for a tenth of a second after its import, on a core that
        # reading files needs. 2^14 cycles are enough for those who multiply again at once.
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "14")
    try:
        with heard(), outlets() as both:
            code = _flushed(arguments)
    except UnreadError:  # nobody reads on, as with head
        return FINE
    except KeyboardInterrupt:  # before a verb began, or after it ended
        return INTERRUPTED
    # An exception, be it handled, leaves garbage that holds objects of the core.
    if alone and code == FINE and not any(outlet.abandoned for outlet in both):
        gc.freeze()  # the process ends, and nobody has to look for garbage in it
    return code


def _flushed(arguments: Sequence[str] | None) -> int:
    """Run one verb, and print all that it says, even if argparse exits."""
    try:
        try:
            code = _parsed(arguments)
        finally:
            sys.stdout.flush()
    except OSError as error:  # of standard output only
        text, code = _outcome(error)
        print("novikoff:", text, file=sys.stderr)
    return code


def _parsed(arguments: Sequence[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    parser = build(words)
    options = vars(parsed(parser, words))
    if options["version"]:
        from novikoff import __version__

        if not (options["verbose"] or options["version_json"]):
            print(__version__)
            return FINE
        from novikoff.cli.bug_facts import tell_version

        tell_version(bool(options["verbose"]), bool(options["version_json"]))
        return FINE
    if options["verbose"] or options["version_json"]:
        parser.error("--verbose and --json before a verb belong to --version; give them after it")
    if options["verb"] is None:
        parser.print_help()
        return USAGE
    return _guarded(options)


def _guarded(options: Mapping[str, object]) -> int:
    """Plan and carry out a verb; a refusal is one line on stderr."""
    from novikoff.errors import KeptNote, NovikoffError

    try:
        return _carried_out(options)
    except (
        UsageError, NovikoffError, ImportError, OSError, MemoryError, KeyboardInterrupt,
    ) as error:  # fmt: skip
        text, code = _outcome(error)
        notes = getattr(error, "__notes__", ())
        for note in (note for note in notes if not isinstance(note, KeptNote)):
            text = f"{text.removesuffix('.')}. {visible(note)}"
        print("novikoff:", text, file=sys.stderr)
    return code


def _carried_out(options: Mapping[str, object]) -> int:
    from novikoff.errors import InputError
    from novikoff.interrupts import waiting

    with waiting():  # Ctrl-C in the middle of an import looks like a broken package
        from novikoff.cli.plans import plan_of

        plan = plan_of(options)
        module = import_module(f"novikoff.cli.{plan.home}")
    if not gc.isenabled():
        gc.freeze()  # modules stay
        gc.enable()
    plan.check()
    try:
        code: int = getattr(module, str(options["verb"]))(plan)
    except InputError as error:
        raise _placed(error, plan) from None
    return code


def _placed(error: "InputError", plan: "Plan") -> "InputError":
    """Return an error about rows in memory as one about the files that they were read from."""
    reading = getattr(plan, "reading", None)
    files = [] if reading is None else list(reading.input)
    if not files or not error.text.startswith(("X: ", "x: ", "y: ")):
        return error
    return error.moved(files[0] if len(files) == 1 else f"{files[0]} and others")


def _outcome(error: BaseException) -> tuple[str, int]:
    """Return in one line what is wrong, with options for the arguments it names, and a code.

    An ImportError is an extra that is not installed, and says so.
    """
    from novikoff.cli.remedies import about_file, in_options
    from novikoff.errors import HypothesisError, NovikoffError, ParameterError, VerificationError

    if isinstance(error, KeyboardInterrupt):
        return visible(" ".join(["interrupted", *map(str, error.args)])), INTERRUPTED
    if isinstance(error, MemoryError):
        return "memory: expected enough, got too little. Use fewer features or classes.", BAD_INPUT
    text = in_options(error) if isinstance(error, NovikoffError) else str(error)
    if isinstance(error, OSError):
        text = about_file(error)
    text = visible(" ".join(text.split("\n")))
    if isinstance(error, (UsageError, ParameterError)):  # every parameter is an option here
        return text, USAGE
    return text, REFUSED if isinstance(error, (HypothesisError, VerificationError)) else BAD_INPUT
