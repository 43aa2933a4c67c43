"""The demo tells the whole story, and its stream can be played again."""

import sys
from pathlib import Path
from typing import Any

import pytest

import novikoff as nv
from novikoff import demo
from novikoff.cli import main


@pytest.fixture(autouse=True)
def _shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_ROUNDS", 40_000)


def test_the_demo_begins_with_real_data_and_ends_with_its_page(tmp_path: Path, capsys: Any) -> None:
    """It learns, certifies, verifies and draws, and names the page to open.

    The default learner, without an option about it, errs less than a guess and a perceptron.
    """
    folder = tmp_path / "story"
    assert main(["demo", "--folder", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "verified: " in printed
    assert printed.strip().splitlines()[-1].startswith(f"Open {folder / 'report.html'}")
    assert (folder / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert '{"verified": true' in printed, "said by the stand-alone verifier"
    first, *commands = [step.splitlines()[0] for step in printed.split("\n$ novikoff ")[1:]]
    assert first.startswith(f"learn {folder / 'breast_cancer.csv'} --label diagnosis")
    assert not any("--learner" in command for command in [first, *commands])
    stream = nv.read(folder / "breast_cancer.csv", label="diagnosis", positive="malignant")
    blend, perceptron = (nv.play(learner, stream) for learner in (nv.Blend(), nv.Perceptron()))
    guessing = blend.ledger.rounds_by_label["malignant"]
    assert 3 * blend.mistakes < perceptron.mistakes < guessing
    assert nv.Run.load(folder / "breast_cancer.model").mistakes == blend.mistakes


def test_the_tumours_are_those_of_scikit_learn(tmp_path: Path) -> None:
    """Every row once, with its numbers as they are and the names of its columns."""
    from sklearn.datasets import load_breast_cancer

    learned, unseen = (path.read_text().splitlines() for path in demo.write_cells(tmp_path))
    data = load_breast_cancer()
    names = ",".join(data.feature_names)
    assert (learned[0], unseen[0]) == (f"{names},diagnosis", names)
    rows = [line.split(",") for line in learned[1:] + unseen[1:]]
    assert [[float(cell) for cell in row[:30]] for row in rows] == data.data.tolist()
    labels = data.target_names[data.target].tolist()
    assert [row[30] for row in rows if len(row) > 30] == labels[:-3]


def test_the_demo_does_without_the_real_data_and_without_what_draws(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says how to get them, tells the rest, and promises no page that is not there."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["demo", "--folder", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "pip install scikit-learn" in printed.splitlines()[0]
    assert "verified: " in printed
    assert not (tmp_path / "breast_cancer.csv").exists()
    assert "pip install matplotlib" in printed
    assert not (tmp_path / "report.html").exists()


def test_the_mail_is_the_same_every_time() -> None:
    """Made up, but not at random; both kinds are there."""
    lines = list(demo.mail(200))
    assert lines == list(demo.mail(200))
    assert {line.split("\t")[0] for line in lines} == {"spam", "ham"}


def test_the_generated_stream_can_be_played_again() -> None:
    """Two passes give the same rounds."""
    source = demo.GeneratedStream()
    assert source.rounds == 40_000
    first, second = (nv.play(nv.Perceptron(), source, digest=True).ledger for _ in range(2))
    assert first.digest == second.digest
    assert first.mistake_rounds.tolist() == second.mistake_rounds.tolist()
