"""Abstentions are no mistakes, and no headline is silent about them."""

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import novikoff as nv
from commands import Call
from novikoff.playing.ledger import in_words
from novikoff.playing.progress import Progress, _Bar

SAID = "1 mistake in 200 rounds (0.50%), 199 abstentions: 1 mistake in 1 prediction (100.00%)"


def _shy(rounds: int = 200) -> nv.Run:
    """A run that predicts once, wrongly, and abstains from then on."""

    class Shy:
        def __init__(self) -> None:
            self.met = 0

        def predict(self, x: object) -> int | None:
            return 1 if self.met == 0 else None

        def update(self, x: object, y: object) -> None:
            self.met += 1

    X = np.ones((rounds, 2))
    return nv.play(Shy(), nv.stream(X, np.resize([-1, 1], rounds)))


def test_a_ledger_tells_mistakes_per_round_from_mistakes_per_prediction() -> None:
    ledger = _shy().ledger
    assert (ledger.error_rate, ledger.prediction_error_rate) == (0.005, 1.0)
    assert (ledger.predictions, ledger.abstentions) == (1, 199)
    assert "199 abstentions, 1.0000 without them" in repr(ledger)
    assert ledger.headline == SAID
    plain = nv.play(nv.Perceptron(), nv.stream([[1.0], [-1.0]], [1, -1])).ledger
    assert plain.prediction_error_rate == plain.error_rate
    assert "abstention" not in repr(plain) + plain.headline


def test_a_run_without_a_prediction_divides_by_nothing() -> None:
    assert in_words(3, 0, 3).endswith("3 abstentions: no prediction at all")
    assert nv.Run(nv.Perceptron()).ledger.prediction_error_rate == 0.0


@pytest.fixture
def modified(call: Call) -> nv.Run:
    """A saved run of the learner that abstains near its boundary."""
    assert call("learn a.svm --learner modified --sigma 0.1 --save m").code == 0
    run: nv.Run = nv.Run.load("m")
    assert run.ledger.abstentions > 0
    return run


def test_learn_and_inspect_show_abstentions(call: Call, modified: nv.Run) -> None:
    ledger = modified.ledger
    for command in ("learn a.svm --learner modified --sigma 0.1", "inspect m"):
        assert ledger.headline in call(command).out
        found = call(f"{command} --json").json
        assert found["abstentions"] == ledger.abstentions
        assert found["error_rate"] == ledger.error_rate
        assert found["prediction_error_rate"] == ledger.prediction_error_rate


def test_the_report_shows_abstentions_in_title_numbers_and_figure(tmp_path: Path) -> None:
    run = _shy()
    nv.report(run, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "<title>1 mistake in 200 rounds, 199 abstentions</title>" in page
    page = page.replace("\u00a0%", " %")
    assert "<li>wrong on <strong>0.5 %</strong> of 200 rounds, silent on 99.5 %</li>" in page
    assert "<dt>abstentions</dt><dd>199</dd>" in page
    assert "<dt>error per prediction</dt><dd>100 %</dd>" in page
    assert "199 rounds without a prediction: 1 mistake in 1 prediction" in page
    assert "the bound on the error to come counts an abstention as an error." in page
    described = (
        "wrong on 0.5 % of all rounds, on 0 % of the last 100, silent on 99.5 % of all rounds"
    )
    assert f'aria-label="{described}"' in page


def test_progress_counts_abstentions_and_the_bar_shows_them() -> None:
    seen: list[Progress] = []

    class Never:
        def predict(self, x: object) -> None:
            return None

        def update(self, x: object, y: object) -> None:
            pass

    nv.play(Never(), nv.stream(np.ones((9, 1)), [1] * 9), progress=seen.append)
    assert (seen[-1].rounds, seen[-1].mistakes, seen[-1].abstentions) == (9, 0, 9)
    shown = io.StringIO()
    bar = _Bar(Console(file=shown, width=200, force_terminal=True))
    with bar.shown:
        bar(seen[-1])
        bar.shown.refresh()
    assert "9 abstentions" in shown.getvalue()
