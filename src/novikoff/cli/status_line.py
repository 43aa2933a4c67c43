"""A status line: what takes its time just now, on a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

BOUNDING = "looking for the smallest bounds"
CERTIFYING = "certifying: replaying the run exactly"
VERIFYING = "verifying: replaying the run exactly"


def on_terminal() -> bool:
    """Say whether somebody at a terminal reads standard error."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Say on a terminal what is being done, and for how long; then take the line away.

    Standard error that is not a terminal gets nothing: a log needs no such line.
    """
    if not on_terminal():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(what, total=None)
        yield
