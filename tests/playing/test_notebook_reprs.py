"""What runs, ledgers, bounds, certificates and verdicts show in a notebook."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol
from xml.etree import ElementTree

import numpy as np
import pytest

import novikoff as nv
from novikoff.playing.notebook_progress import Html, NotebookBar, in_notebook
from novikoff.playing.progress import Progress, as_progress


class Shown(Protocol):
    def _repr_html_(self) -> str: ...


LABELS = ("<b>ham</b>", "spam & eggs")


def _run() -> nv.Run:
    X = np.eye(4)
    return nv.play(nv.Blend(), nv.stream(np.vstack([X, X]), [LABELS[t % 2] for t in range(8)]))


def _cells(shown: Shown) -> list[str]:
    """Return the texts of the table, which must be well formed."""
    table = ElementTree.fromstring(shown._repr_html_())
    assert table.tag == "table"
    return [cell.text or "" for cell in table.iter() if cell.tag in ("td", "b")]


def test_a_run_shows_its_counts_and_escapes_labels() -> None:
    run = _run()
    cells = _cells(run)
    assert f"Run: {run.ledger.headline}" in cells
    assert ", ".join(LABELS) in cells
    assert "<b>ham" not in run._repr_html_()
    assert _cells(run.ledger)[0].startswith("Ledger of Blend")


def test_bounds_show_what_was_observed_and_what_is_allowed() -> None:
    bounds = nv.bounds(_run())
    cells = _cells(bounds)
    for bound in bounds:
        assert bound.theorem in cells
        assert f"{bound.value:,.4g}" in cells
        assert _cells(bound)[0] == f"Bound of {bound.theorem}"
    assert bounds == list(bounds)


def test_a_certificate_says_how_to_check_it_and_a_verdict_what_came_out() -> None:
    run = _run()
    certificate = nv.certify(run)
    cells = _cells(certificate)
    assert cells[0] == f"Certificate of {certificate.theorem}"
    assert str(certificate.content["data"]["digest"]) in cells
    assert "novikoff verify CERTIFICATE DATA" in cells
    other = nv.verify(certificate, nv.stream(np.eye(4), [*LABELS, *LABELS]))
    assert _cells(other) == ["Refused: betting-share", "observed", "–", "allowed", "–", "reason",
                             "these are not its data"]  # fmt: skip


def test_experts_show_their_regret() -> None:
    run = nv.play(nv.Hedge(2), np.array([[0.0, 1.0], [1.0, 0.0]] * 5))
    assert "regret" in _cells(run.ledger)


def test_a_plot_names_every_bound_beside_the_curve(tmp_path: Path) -> None:
    X = np.eye(5)
    run = nv.play(nv.Perceptron(), nv.stream(X, -np.ones(5)))
    bounds = nv.bounds(run)
    plot = run.plot(bounds)
    (axes,) = plot.figure.axes
    drawn: Any = axes.get_lines()
    curve, *lines = drawn
    assert curve.get_ydata()[-1] == 5
    assert [line.get_label().split(":")[0] for line in lines] == [b.theorem for b in bounds[:4]]
    assert all(line.get_ydata()[0] >= 5 for line in lines)
    assert ElementTree.fromstring(plot._repr_svg_()).tag.endswith("svg")
    plot.save(tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes()[1:4] == b"PNG"
    with pytest.raises(nv.ParameterError, match=r"ends in .svg, .png or .pdf"):
        plot.save(tmp_path / "run.txt")


def test_a_plot_of_losses_has_a_panel_for_each_measure() -> None:
    run = _run()
    plot = run.plot(nv.bounds(run))
    assert [axes.get_ylabel() for axes in plot.figure.axes] == ["mistakes so far", "loss so far"]
    assert [len(axes.get_lines()) for axes in plot.figure.axes] == [1, 3]


def test_nothing_is_drawn_of_a_run_without_rounds() -> None:
    with pytest.raises(nv.ParameterError, match="a run that has played a round"):
        nv.Run(nv.Perceptron()).plot()


class _Handle:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def update(self, shown: object) -> None:
        assert isinstance(shown, Html)
        self.seen.append(shown._repr_html_())


def test_a_bar_in_a_notebook_is_html_and_goes_at_the_end() -> None:
    handle = _Handle()
    bar = NotebookBar(lambda shown, display_id: handle)
    bar(Progress(500, 20, 2000))
    bar.end()
    assert re.findall('value="(.*?)" max="(.*?)"', handle.seen[0]) == [("500", "2000")]
    assert "500 rounds, error 0.0400" in handle.seen[0]
    assert handle.seen[-1] == ""


def test_progress_in_a_notebook_draws_with_the_notebooks_display(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not in_notebook()
    handle = _Handle()
    shell = SimpleNamespace(kernel=object())
    display = SimpleNamespace(display=lambda shown, display_id: handle)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with as_progress(True) as report:
        assert isinstance(report, NotebookBar)
        report(Progress(1, 0, None))
    assert len(handle.seen) == 2
