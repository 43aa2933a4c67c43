"""The first look works, and what it prints is what the ledgers say."""

from typing import Any

import pytest

import novikoff as nv
from novikoff import demo


def test_the_demo_prints_its_table(monkeypatch: Any, capsys: Any) -> None:
    pytest.importorskip("sklearn", reason="its bundled data are what the demo plays")
    monkeypatch.setattr(demo, "_ROUNDS", 40_000)
    monkeypatch.setenv("COLUMNS", "80")
    demo.main()
    printed = capsys.readouterr().out
    mistakes = nv.play(nv.Perceptron(), demo.GeneratedStream()).mistakes
    assert f"{mistakes:,}" in printed
    assert "40,000" in printed
    assert "…" not in printed  # nothing is cut at 80 columns
    for learner in ("Perceptron", "AveragedPerceptron", "VotedPerceptron", "MulticlassPerceptron"):
        assert learner in printed


def test_the_generated_stream_can_be_played_again(monkeypatch: Any) -> None:
    monkeypatch.setattr(demo, "_ROUNDS", 40_000)
    source = demo.GeneratedStream()
    assert source.rounds == 40_000
    first, second = (nv.play(nv.Perceptron(), source, digest=True).ledger for _ in range(2))
    assert first.digest == second.digest
    assert first.mistake_rounds.tolist() == second.mistake_rounds.tolist()
