"""``novikoff game``: dimensions, worst cases, and play by hand."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from novikoff.cli import main

EXPECTED = {
    "conjunctions:3": (28, 4, 3),
    "disjunctions:4:monotone": (16, 4, 4),
    "thresholds:16": (17, 4, 1),
    "halfspaces:2": (14, 3, 3),
    "singletons:8": (8, 1, 1),
    "parities:3": (8, 3, 3),
    "decision_lists:2": (14, 3, 3),
}


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("learner", ["halving", "consistent", "soa"])
def test_games_have_their_numbers(name: str, learner: str, capsys: Any) -> None:
    assert main(["game", name, "--learner", learner, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    keys = ("size", "littlestone_dimension", "vc_dimension")
    assert tuple(found[key] for key in keys) == EXPECTED[name]
    least, most = found["littlestone_dimension"], found["size"] - 1
    assert least <= found["worst_case"] <= most
    if learner == "soa":
        assert found["worst_case"] == least


def test_a_class_may_be_a_table_in_a_file(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "t.csv").write_text("h,sun,rain\na,1,-1\nb,1,1\nc,1,1\n")
    assert main(["game", str(tmp_path / "t.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["size"], found["merged"], found["worst_case"]) == (2, 1, 1)
    assert main(["game", str(tmp_path / "t.csv")]) == 0
    assert "1 mistake in the worst case" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["nothing:3", "thresholds", "thresholds:x", "thresholds:4:monotone", "missing.csv"]
)
def test_what_is_no_class_is_usage(name: str, capsys: Any) -> None:
    assert main(["game", name]) == 2
    assert "CLASS: expected" in capsys.readouterr().err


def _typed(monkeypatch: Any, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_a_person_plays_the_adversary(monkeypatch: Any, capsys: Any) -> None:
    _typed(monkeypatch, "1\n-\nnowhere\n0\n+\n2\n-\nq\n")
    assert main(["game", "thresholds:3", "--play", "adversary"]) == 0
    said = capsys.readouterr().out
    assert "halving predicts +1" in said
    assert "2 of 4 left: x ≥ 2, x ≥ 3" in said
    assert "expected one of 0, 1, 2, or q to end" in said
    assert "no hypothesis left says +1 there" in said
    assert "2 mistakes; the theorem halving allows 2" in said


def test_a_person_plays_the_learner(monkeypatch: Any, capsys: Any) -> None:
    _typed(monkeypatch, "+\n-\n")
    assert main(["game", "thresholds:3", "--play", "learner"]) == 0
    said = capsys.readouterr().out
    assert "2 mistakes, of 2 that nobody can be sure to avoid; x ≥ 2 has every label" in said
    _typed(monkeypatch, "")
    assert main(["game", "thresholds:3", "--play", "learner"]) == 0
    assert "0 mistakes, of 2" in capsys.readouterr().out


def test_the_tree_is_drawn(tmp_path: Path) -> None:
    assert main(["game", "thresholds:3", "--tree", str(tmp_path / "tree.svg")]) == 0
    assert "x ≥ 2" in (tmp_path / "tree.svg").read_text()


@pytest.mark.parametrize(
    "options", [["--json"], ["--tree", "t.svg"], ["--learner", "soa"]], ids=lambda o: o[0]
)
def test_options_that_do_not_go_with_play_are_refused(options: list[str], capsys: Any) -> None:
    assert main(["game", "thresholds:3", "--play", "learner", *options]) == 2
    assert "expected" in capsys.readouterr().err
