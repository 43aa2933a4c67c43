"""Progress: told to a function, or drawn as a bar."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from novikoff.errors import parameter


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is."""

    rounds: int
    mistakes: int
    total: int | None
    """How many rounds there will be, where that is known."""
    bytes: tuple[int, int | None] | None = None
    """(bytes read in this pass, bytes there are), where the rounds come from files."""

    @property
    def error_rate(self) -> float:
        """Mistakes per round so far."""
        return self.mistakes / self.rounds if self.rounds else 0.0


Report = Callable[[Progress], None]


def as_progress(progress: bool | Report | None) -> AbstractContextManager[Report | None]:
    """Give a function to report to: the user's own, a bar's, or none."""
    if progress is True:
        return _bar()
    if progress and not callable(progress):
        raise parameter("progress", "True, or a function of a Progress", progress)
    return nullcontext(progress or None)


@contextmanager
def _bar() -> Iterator[Report]:
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("error {task.fields[error]:.4f}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, transient=True) as bar:
        task = bar.add_task("rounds", total=None, error=0.0)
        yield lambda p: bar.update(task, completed=p.rounds, total=p.total, error=p.error_rate)
