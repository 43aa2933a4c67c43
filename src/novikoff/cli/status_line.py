"""What takes its time: a status line on a terminal says it, and the first Ctrl-C ends it."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

BOUNDING = "looking for the smallest bounds"
CERTIFYING = "certifying: replaying the run exactly"
VERIFYING = "verifying: replaying the run exactly"


def on_terminal() -> bool:
    """Say whether somebody at a terminal reads standard error."""
    return sys.stderr is not None and sys.stderr.isatty()


class _StoppedError(BaseException):
    """Ctrl-C, as an exception that no search for a comparator takes for its own end."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise _StoppedError


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let the first Ctrl-C end the command.

    In Python it ends only the search for a comparator, which goes on with the best one so far. Who
    presses it at a command that certifies for minutes wants the command to end.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _stop)
    try:
        yield
    except _StoppedError:
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Say on a terminal what is being done, and for how long; then take the line away.

    Standard error that is not a terminal gets nothing: a log needs no such line.
    """
    with _stoppable(), _shown(what):
        yield


@contextmanager
def _shown(what: str) -> Iterator[None]:
    if not on_terminal():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(what, total=None)
        yield
