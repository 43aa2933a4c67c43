"""The guide from Vowpal Wabbit: its command lines, tried with the real one and with ours."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import Call

vw: Any = pytest.importorskip("vowpal_wabbit_next", reason="a peer")

GUIDE = (Path(__file__).parents[1] / "docs" / "from_vowpal_wabbit.md").read_text()
LINES = [
    f"{1 if (t * 7) % 11 < 5 else -1} |user u{t % 4} |ad a{t * 7 % 11} |about age:{18 + t % 50}\n"
    for t in range(300)
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("train", LINES[:200]), ("test", LINES[200:]), ("more", LINES[200:])):
        Path(f"{name}.vw").write_text("".join(lines))
    Path("clicks.vw").write_text("".join(LINES))


def rows() -> list[list[str]]:
    """Return the rows of the page's table: what is quoted on either side."""
    lines = [line.replace("\\|", "") for line in GUIDE.splitlines() if line.startswith("| ")]
    return [re.findall("`([^`]+)`", line) for line in lines[1:]]


def is_whole(command: str) -> bool:
    """Say whether it is a command that names a file of this test."""
    return (
        command.split(maxsplit=1)[0] in ("vw", "novikoff")
        and re.search(r"\b\w+\.vw\b|model", command) is not None
    )


def test_every_command_of_the_table_runs_on_either_side(files: None, call: Call) -> None:
    """VW reads the file that is named, which it does not if -i comes just before it."""
    counts = {"vw": 0, "novikoff": 0}
    for row in rows():
        for command in sorted(filter(is_whole, row), key=lambda one: not one.startswith("vw ")):
            words, _, output = command.partition(" > ")
            program = words.split()[0]
            counts[program] += 1
            if program == "vw":
                said, warned = vw.run_cli_driver(words.split()[1:])
                assert re.search("number of examples = [1-9]", said), command
                assert not [line for line in warned if "gnoring" in line], command
            else:
                found = call(words.removeprefix("novikoff "))
                assert found.code == 0, (command, found.err)
                if output:
                    Path(output).write_text(found.out)
    assert counts["vw"] >= 5
    assert counts["novikoff"] >= 8


def test_predictions_have_the_form_that_the_page_says(files: None, call: Call) -> None:
    vw.run_cli_driver(["train.vw", "-f", "model.vw"])
    call("learn train.vw --save model")
    vw.run_cli_driver(["test.vw", "-t", "-i", "model.vw", "-p", "scores.txt"])
    vw.run_cli_driver(["test.vw", "-t", "-i", "model.vw", "--binary", "-p", "labels.txt"])
    theirs = [Path(name).read_text().split() for name in ("scores.txt", "labels.txt")]
    ours = [call(f"predict model test.vw{option}").out.split() for option in (" --scores", "")]
    assert {len(column) for column in (*theirs, *ours)} == {100}
    for scores, labels in (theirs, ours):
        assert set(labels) == {"-1", "1"}
        assert all(
            (float(score) > 0) == (label == "1")
            for score, label in zip(scores, labels, strict=True)
        )


def test_every_option_of_the_table_is_one_of_vw() -> None:
    asked = 'import vowpal_wabbit_next as vw; vw.run_cli_driver(["--help"])'  # which ends a process
    said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    known = said.stdout + said.stderr
    options = {
        option
        for row in rows()
        if row and not row[0].startswith(("novikoff", "vw"))
        for option in re.findall(r"--[A-Za-z_0-9]+", row[0])
    }
    assert len(options) > 20
    assert sorted(option for option in options if option not in known) == []


def test_a_tenth_of_the_examples_is_held_out_with_several_passes(files: None) -> None:
    said, _ = vw.run_cli_driver(["train.vw", "--passes", "3", "-c"])
    assert "number of examples per pass = 180" in said


def test_words_as_values_are_features_of_their_own_there_too(files: None) -> None:
    Path("words.vw").write_text("-1 |a b:c d\n")
    vw.run_cli_driver(["words.vw", "--invert_hash", "words.txt"])
    names = {line.split(":")[0] for line in Path("words.txt").read_text().splitlines()}
    assert {"a^b^c", "a^d"} <= names
