"""Reports: what a run did and what the theorems say about it, on one page or in one picture."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Unpack

from novikoff.errors import parameter
from novikoff.playing.run import Run
from novikoff.receipts.certificates import Certificate
from novikoff.receipts.conversion import ErrorBound
from novikoff.reports import figures
from novikoff.reports.canvas import WIDE, png, svg
from novikoff.reports.facts import Shown, gathered
from novikoff.reports.regret_figures import draw_run
from novikoff.reports.report_page import page
from novikoff.saving.storage import PathLike, write_bytes
from novikoff.theory import Bound

__all__ = ["report"]


def drawable(path: PathLike, name: str = "path") -> str:
    """Return the ending of a file name, if reports can have that format."""
    if not isinstance(path, (str, os.PathLike)):
        raise parameter(name, "the path of a file", path)
    kind = Path(path).suffix.lower()
    if kind not in (".html", ".svg", ".png"):
        raise parameter(name, "a file that ends in .html, .svg or .png", os.fspath(path))
    return kind


def report(
    run: Run,
    path: PathLike,
    bounds: Iterable[Bound] | None = None,
    certificate: Certificate | None = None,
    title: str | None = None,
    delta: float | ErrorBound | None = 0.05,
    **shown: Unpack[Shown],
) -> None:
    """Write a page about a run (.html), or only its main figure (.svg, .png).

    The page begins with how good the run was, compared with what, and how sure that is. Remarks
    follow: a baseline that is not beaten, rows that look sorted by label, bounds that say nothing,
    skipped lines. Then come errors and losses over time, calibration, errors by label, the features
    that weigh most, and what is assumed. It is one file that loads nothing, and the same input
    gives the same bytes. No round is read again. Needs matplotlib.

    What you do not pass is left out:

    - ``bounds`` are drawn beside the errors and explained; ``certificate`` is shown with how to
      check it.
    - ``delta``: the bound on new rows holds with probability 1 − ``delta``. It may also be the
      result of ``error_bound``, or None.
    - ``tested``, the result of ``test``, lets the headline speak of the model as saved.
    - ``remarks`` are sentences of your own.

    For a run with experts or arms there is only a figure: its regrets and their bound, and the
    probabilities over time.

    >>> import pathlib, tempfile, novikoff as nv
    >>> run = nv.play(nv.Blend(), nv.stream([[1.0, 100], [1, -300], [2, 200]] * 9, [1, -1, 1] * 9))
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "out.html"
    >>> nv.report(run, file, bounds=nv.bounds(run), certificate=nv.certify(run))
    >>> file.read_text()[:15]
    '<!DOCTYPE html>'
    """
    kind = drawable(path)
    if isinstance(run, Run) and run.protocol != "labelled":
        if kind == ".html":
            raise parameter("path", "a file that ends in .svg or .png, of regret", os.fspath(path))
        draw_run(run, path)
        return
    facts = gathered(run, bounds, certificate, title, delta, shown)
    if kind == ".html":
        data = page(facts).encode()
    elif kind == ".svg":
        data = svg(figures.mistakes(facts), WIDE, facts.title).encode()
    else:
        data = png(figures.mistakes(facts), WIDE, facts.title)
    write_bytes(path, data)
