"""Files that a command must leave as they are, and rounds that are no longer fresh."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call
from novikoff import cli
from novikoff.saving import storage

ROWS = "".join(f"{'+1' if k % 3 else '-1'} {k % 7 + 1}:1 {k % 5 + 8}:0.5\n" for k in range(400))
TAGGED = "a\tX\nb\tY\n\nb\tY\na\tX\n\n"


@pytest.fixture
def rows(call: Call) -> Path:
    Path("rows.svm").write_text(ROWS)
    return Path("rows.svm")


def test_a_stop_before_the_first_round_leaves_the_model(rows: Path, call: Call) -> None:
    """Standard input that says nothing yet, and Ctrl-C."""
    assert call("learn rows.svm --save m").code == 0
    before = Path("m").read_bytes()
    command = [sys.executable, "-m", "novikoff", "learn", "-", "--format", "svmlight"]
    process = subprocess.Popen(
        [*command, "--save", "m"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert Path("m").read_bytes() == before
    assert process.returncode != 0
    assert "nothing was learned, and m is as it was" in said


def test_no_output_replaces_the_model_that_is_resumed(rows: Path, call: Call) -> None:
    call("learn rows.svm --save m.html")
    before = Path("m.html").read_bytes()
    for output in ("--certify m.html", "--report m.html"):
        found = call(f"learn rows.svm --resume m.html {output} --save n")
        assert (found.code, "got one that is read" in found.err) == (3, True)
    assert Path("m.html").read_bytes() == before
    assert call("learn rows.svm --resume m.html --save m.html").code == 0


@pytest.mark.parametrize(
    "command",
    [
        "tag t.m x*.conll --learn --certify x1.conll",
        "tag t.m x2.conll --learn --held-out dev.conll --certify dev.conll",
        "tag t.m x2*.conll --output x2.conll",
    ],
)
def test_tagging_writes_over_nothing_that_it_reads(command: str, call: Call) -> None:
    names = ("x1.conll", "x2.conll", "dev.conll")
    for name in names:
        Path(name).write_text(TAGGED)
    assert call("tag t.m x1.conll --learn --format conll").code == 0
    found = call(f"{command} --format conll")
    assert (found.code, "got one that is read" in found.err) == (3, True)
    assert {Path(name).read_text() for name in names} == {TAGGED}


def test_a_receipt_replaces_no_better_model_that_nobody_named(rows: Path, call: Call) -> None:
    call("learn rows.svm --passes 5 --save rows.model")
    before = Path("rows.model").read_bytes()
    found = call("learn rows.svm --certify")
    assert "rows.model is another model, and is left as it is" in found.err
    assert Path("rows.model").read_bytes() == before
    Path("rows.model").unlink()
    assert call("learn rows.svm --certify").err == call("learn rows.svm --certify").err


TABLE = "a,b,w,kind,label\n" + "1,0,1,x,p\n0,1,1,y,q\n1,1,1,x,p\n-1,1,1,y,q\n" * 20
WAYS = (
    "--ignore a", "--weight w", "--label kind", "--missing zero", "--categorical a", "--first 40",
    "--labels p,q", "--positive q", "--threshold 0.8", "--cost fp=1,fn=2", "--class-weight p=2",
    "--on-bad skip", "--held-out last:20%",
)  # fmt: skip


def test_a_model_of_the_same_file_that_was_read_otherwise_is_another(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And one that was asked for otherwise; its like takes its place."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    left = "t.model is another model, and is left as it is. Name this one with --save."
    ways = [*((way, "") for way in WAYS), ("", "--max-weight 2"), ("--ignore a", "--ignore b")]
    for first, second in ways:
        Path("t.model").unlink(missing_ok=True)
        for how in (first, first, second):
            before = Path("t.model").read_bytes() if Path("t.model").exists() else b""
            done = call(f"learn t.csv --report page.svg {how}")
            assert done.code == 0, done.err
            assert (left in done.err) == (how != first), (first, second)
            assert how == first or Path("t.model").read_bytes() == before


def test_names_of_outputs_that_are_none_are_refused(
    rows: Path, call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    for option in ("--save", "--report", "--resume"):
        assert cli.main(["learn", "rows.svm", option, ""]) == 2
        assert f"{option}: expected the name of a file" in capsys.readouterr().err


def test_a_pipe_that_nobody_reads_is_waited_for_until_a_stop(rows: Path) -> None:
    os.mkfifo("pipe")
    command = [sys.executable, "-m", "novikoff", "learn", "rows.svm", "--save", "pipe"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, "Traceback" in said) == (130, False)


def test_rounds_that_were_played_before_are_not_fresh(rows: Path, call: Call) -> None:
    """By whatever name the file goes, after an interruption, and on the report's page."""
    call("learn rows.svm --save m")
    for command in (
        "learn ./rows.svm --resume m --save n --json", "learn rows.svm rows.svm --save n --json",
    ):  # fmt: skip
        assert call(command).json["error_bound"] is None
    call("report n rows.svm --output twice.html")
    assert "learned from before" in Path("twice.html").read_text()
    good = rows.read_text()
    rows.write_text(good.replace("\n", "\n1 x\n", 300).replace("\n1 x\n", "\n", 299))
    assert call("learn rows.svm --resume m --save n --save-every 0").code == 3
    rows.write_text(good)
    found = call("learn rows.svm --resume n --save n --json").json
    assert (found["rounds"], found["error_bound"]) == (800, None)
    assert nv.Run.load("n").reading is not None


def test_a_model_that_was_interrupted_in_files_says_how_they_were_read(
    rows: Path, call: Call
) -> None:
    """Whoever signed it: without that nobody can go on."""
    run = nv.play(nv.Perceptron(), nv.read(rows))
    run.save("m")
    kind, metadata, arrays = storage.read("m", ("Run",))
    metadata["unfinished"] = {"input": ["rows.svm"], "rounds": 0}
    storage.write("bad", kind, metadata, arrays, lambda *_: None)
    found = call("learn rows.svm --resume bad --save n")
    assert (found.code, "bad: expected what save wrote" in found.err) == (3, True)
