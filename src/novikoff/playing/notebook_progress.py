"""Progress in a notebook: a bar of HTML that needs no widgets."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from novikoff.playing.progress import Progress

_BETWEEN = 0.2  # least number of seconds between two drawings of the bar


class Handle(Protocol):
    """What shows HTML in the output of a cell, and replaces it later."""

    def update(self, shown: object) -> object:
        """Show this instead."""


class Html:
    """A piece of HTML for a notebook."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return "a bar of progress"

    def _repr_html_(self) -> str:
        return self.text


def in_notebook() -> bool:
    """Whether this runs in a notebook's kernel: Jupyter, VS Code or Colab, but not a terminal."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and getattr(shell, "kernel", None) is not None


class NotebookBar:
    """A bar in the output of a cell, redrawn a few times a second; it goes when the run ends."""

    def __init__(self, display: Callable[..., Handle]) -> None:
        self.handle = display(Html(""), display_id=True)
        self.last = -1.0

    def __call__(self, progress: "Progress") -> None:
        """Show how far the run is."""
        now = time.monotonic()
        if 0 <= self.last > now - _BETWEEN:
            return
        self.last = now
        done, total = progress.rounds, progress.total
        if progress.bytes is not None and progress.bytes[1] is not None:
            done, total = progress.bytes[0], progress.bytes[1]
        self.handle.update(Html(_bar(done, total, progress)))

    def end(self) -> None:
        """Take the bar away."""
        self.handle.update(Html(""))


def _bar(done: int, total: int | None, progress: "Progress") -> str:
    """Return the bar: of what is done, or one that only moves if nobody knows how much there is."""
    value = "" if total is None else f' value="{min(done, total)}" max="{max(total, 1)}"'
    said = f"{progress.rounds:,} rounds, error {progress.error_rate:.4f}"
    if progress.abstentions:
        said += f", {progress.abstentions:,} abstentions"
    return f'<progress style="width:20em"{value}></progress> {said}'
