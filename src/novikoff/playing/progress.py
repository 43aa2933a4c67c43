"""Progress: reported to a function, or drawn as a bar."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from novikoff.errors import parameter

if TYPE_CHECKING:
    from rich.console import Console

_UNITS = ("B", "kB", "MB", "GB", "TB")
_BETWEEN = 0.05  # least number of seconds between two drawings of the bar


class Progress(NamedTuple):
    """How far a run has come: what a function that you pass as ``progress`` gets."""

    rounds: int
    mistakes: int
    total: int | None
    """How many rounds there will be, if that is known."""
    bytes: tuple[int, int | None] | None = None
    """(bytes read in this pass, bytes there are), if the rounds come from files."""
    abstentions: int = 0
    """How many rounds got no prediction; these are not mistakes."""

    @property
    def error_rate(self) -> float:
        """Mistakes per round so far, counting abstentions as rounds."""
        return self.mistakes / self.rounds if self.rounds else 0.0


Report = Callable[[Progress], None]
_UNREPORTED = nullcontext()


def as_progress(progress: bool | Report | None) -> AbstractContextManager[Report | None]:
    """Return the function to report to: the user's, a bar's, or none."""
    if progress is None:
        return _UNREPORTED
    if progress is True:
        return _bar()
    if progress and not callable(progress):
        raise parameter("progress", "True, or a function of a Progress", progress)
    return nullcontext(progress or None)


class _Bar:
    """A bar on stderr: of bytes if they are known, of rounds otherwise."""

    def __init__(self, console: "Console | None" = None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Shown

        self.shown = Shown(
            BarColumn(None),
            TaskProgressColumn(),
            TextColumn("{task.fields[read]}{task.fields[rounds]}"),
            TextColumn("error {task.fields[error]:.4f}{task.fields[abstained]}"),
            TimeRemainingColumn(),
            console=console or Console(stderr=True),
            transient=True,
            expand=True,
        )
        empty: dict[str, Any] = {"read": "", "rounds": "", "error": 0.0, "abstained": ""}
        self.task = self.shown.add_task("", total=None, **empty)
        self.first: tuple[float, int] | None = None
        self.last = -math.inf

    def __call__(self, progress: Progress) -> None:
        """Show how far the run is, a few times a second."""
        now = time.monotonic()
        self.first = self.first or (now, progress.rounds)
        if now - self.last < _BETWEEN:
            return
        self.last = now
        began, before = self.first
        speed = (progress.rounds - before) / (now - began) if now > began else 0.0
        read, total = progress.bytes or (None, None)
        amounts = "" if read is None else f"{_size(read, total)}  "
        self.shown.update(
            self.task,
            completed=progress.rounds if total is None else min(read or 0, total),
            total=progress.total if total is None else total,
            read=amounts,
            rounds=f"{progress.rounds:,} rounds  {speed:,.0f}/s ",
            error=progress.error_rate,
            abstained=f"  {progress.abstentions:,} abstentions" * bool(progress.abstentions),
        )


def _size(read: int, total: int | None) -> str:
    """Return two sizes in one unit, such as 0.4/1.2 GB."""
    power = min((len(str(read if total is None else total)) - 1) // 3, len(_UNITS) - 1)
    shown = [f"{n / 1000**power:.{min(power, 1)}f}" for n in (read, total) if n is not None]
    return f"{'/'.join(shown)} {_UNITS[power]}"


@contextmanager
def _bar() -> Iterator[Report]:
    from novikoff.playing.notebook_progress import NotebookBar, in_notebook

    if in_notebook():
        from IPython.display import display  # a notebook has it

        shown = NotebookBar(display)
        try:
            yield shown
        finally:
            shown.end()
        return
    bar = _Bar()
    with bar.shown:
        yield bar
