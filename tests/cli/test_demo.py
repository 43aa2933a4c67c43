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


def test_the_demo_ends_with_its_page(tmp_path: Path, capsys: Any) -> None:
    """It learns, certifies, verifies and draws, and names the page to open."""
    folder = tmp_path / "story"
    assert main(["demo", "--folder", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "verified: " in printed
    assert printed.strip().splitlines()[-1].startswith(f"Open {folder / 'report.html'}")
    assert (folder / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert '{"verified": true' in printed, "said by the stand-alone verifier"


def test_the_demo_does_without_what_draws(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It promises no page that is not there."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["demo", "--folder", str(tmp_path)]) == 0
    assert "pip install matplotlib" in capsys.readouterr().out
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
