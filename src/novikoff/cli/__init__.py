"""The command line: ``novikoff VERB``. Exit 0 fine, 1 refused, 2 usage, 3 bad input."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from novikoff.cli.parser import build

FINE, REFUSED, USAGE, BAD_INPUT = 0, 1, 2, 3

# Where each verb lives: a function of its name, which takes the options and returns an exit code.
_HOMES = {
    "learn": "learning",
    "predict": "predicting",
    "certify": "receipts",
    "verify": "receipts",
    "margin": "receipts",
    "theorems": "listings",
    "check": "listings",
    "inspect": "listings",
    "report": "receipts",
    "cache": "files",
    "export": "files",
    "demo": "stories",
    "bench": "stories",
    "completion": "completion",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb."""
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
    from novikoff.errors import HypothesisError, NovikoffError, VerificationError

    verb = vars(options)["verb"]
    try:
        code: int = getattr(import_module(f"novikoff.cli.{_HOMES[verb]}"), verb)(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # nobody reads on, as with head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except (HypothesisError, VerificationError) as error:
        return _said(error, REFUSED)
    except (NovikoffError, OSError) as error:
        return _said(error, BAD_INPUT)
    except KeyboardInterrupt:
        return _said("interrupted", 130)


def _said(error: object, code: int) -> int:
    print("novikoff:", " ".join(str(error).split("\n")), file=sys.stderr)
    return code
