"""``learn --held-out``: the model is tested on rows that it has not learned from, in one run."""

import contextlib
import os
import threading
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call, assert_same_run


@pytest.mark.parametrize(("part", "kept"), [("last:20%", 60), ("last:100", 100), ("last:0.5%", 2)])
def test_it_is_learning_from_the_first_rows_and_testing_on_the_others(
    call: Call, part: str, kept: int
) -> None:
    lines = Path("a.svm").read_text().splitlines(keepends=True)
    Path("first.svm").write_text("".join(lines[:-kept]))
    Path("last.svm").write_text("".join(lines[-kept:]))
    found = call(f"learn a.svm --held-out {part} --save m --json --digest").json
    other = call("learn first.svm --save n --json --digest").json
    assert (found["rounds"], found["digest"]) == (300 - kept, other["digest"])
    tested = call("test n last.svm --json").json
    assert found["held_out"] == {name: tested[name] for name in found["held_out"]}
    assert other["held_out"] is None
    mine, its = nv.Run.load("m"), nv.Run.load("n")
    mine.reading = its.reading
    mine.save("m")
    assert_same_run("m", "n")


def test_the_first_line_is_about_the_model_as_saved(call: Call) -> None:
    said = call("learn a.svm --held-out last:20% --save m")
    assert said.out.startswith("the model as saved is wrong on ")
    assert "of 60 new rows" in said.out.splitlines()[0]
    assert "remark: the model has learned from the first 240 rows only" in said.err
    assert nv.Run.load("m").ledger.rounds == 240


def test_the_certificate_is_about_the_rows_that_were_learned(call: Call) -> None:
    call("learn a.svm --learner perceptron --held-out last:20% --certify c.json")
    certificate = nv.Certificate.load("c.json")
    assert certificate.content["data"]["rows"] == 240
    assert certificate.content["remarks"]["reading"] == {"files": ["a.svm"], "first": 240}
    said = call("verify c.json a.svm")
    assert (said.code, said.err) == (0, "remark: read as the certificate says: --first 240\n")
    assert call("verify c.json a.svm --first 240").code == 0
    assert call("verify c.json a.svm --first 239").code == 1
    assert call("export a.svm --first 240 --output rows.svm").code == 0
    assert call("verify c.json rows.svm --format svmlight").code == 0


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.csv", ""), ("many.csv", "--label kind"), ("mail.txt", "--positive spam"),
        ("mail.jsonl", "--positive spam --text text"), ("mail.vw", ""),
    ],
)  # fmt: skip
def test_every_format_has_first_rows(call: Call, name: str, options: str) -> None:
    whole = call(f"learn {name} {options} --json").json
    found = call(f"learn {name} {options} --held-out last:25% --json").json
    assert found["rounds"] + found["held_out"]["rows"] == whole["rounds"]
    assert (
        call(f"learn {name} {options} --first {found['rounds']} --json").json["mistakes"]
        == (found["mistakes"])
    )


def test_rows_of_several_files_are_one_stream(call: Call) -> None:
    found = call("learn a.svm a.svm --held-out last:10% --json").json
    assert (found["rounds"], found["held_out"]["rows"]) == (540, 60)
    stream = nv.read(["a.svm", "a.svm"], first=301)
    assert sum(len(rounds.rows) for rounds in stream.blocks()) == 301
    assert sum(len(rounds.rows) for rounds in nv.read("a.svm", first=999).blocks()) == 300


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--held-out last:0%", 2, "expected last:20% or last:5000"),
        ("--held-out last:100%", 2, "expected last:20% or last:5000"),
        ("--held-out 20%", 2, "expected last:20% or last:5000"),
        ("--held-out last:300", 3, "of which --held-out keeps 300"),
        ("--held-out last:0.1%", 3, "of which --held-out keeps 0"),
        ("--held-out last:20% --first 5", 2, "--first: expected none with --held-out"),
        ("--held-out last:20% --resume m", 2, "--resume: expected none with --held-out"),
        ("--held-out last:20% --compare perceptron,blend", 2, "--held-out: expected none with"),
        ("--first 0", 2, "expected a whole number of at least 1"),
    ],
)
def test_parts_that_are_none_are_refused(call: Call, options: str, code: int, said: str) -> None:
    found = call(f"learn a.svm {options}")
    assert (found.code, said in found.err) == (code, True), found.err


def test_standard_input_has_no_last_rows(call: Call) -> None:
    found = call("learn - --format svmlight --held-out last:20%")
    assert found.code == 3
    assert "standard input: expected a file" in found.err


def test_a_first_that_is_no_number_is_refused() -> None:
    for first in (0, -1, 1.5, True):
        with pytest.raises(nv.ParameterError, match="first: expected None or a whole number"):
            nv.read("a.svm", "svmlight", first=first)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "command",
    [
        "learn pipe --format svmlight --held-out last:20%",
        "learn pipe --format svmlight --held-out last:2",
        "test m pipe --format svmlight --certify c.json",
        "learn a.svm pipe --format svmlight --bounds",
    ],
)
def test_a_pipe_is_not_read_twice(call: Call, command: str) -> None:
    """It is refused before anything is read: a pipe whose writer has gone would be waited for."""
    call("learn a.svm --save m")
    os.mkfifo("pipe")
    over = threading.Event()

    def feed() -> None:
        while not over.is_set():
            with contextlib.suppress(BrokenPipeError):
                Path("pipe").write_bytes(Path("a.svm").read_bytes())

    feeder = threading.Thread(target=feed)
    feeder.start()
    done = call(command)
    over.set()
    while feeder.is_alive():  # it waits for a reader
        os.close(os.open("pipe", os.O_RDONLY | os.O_NONBLOCK))
        feeder.join(0.05)
    assert done.code == 3
    assert "pipe: expected a file for a receipt, which reads it again" in done.err
    assert "novikoff cache pipe --output FILE" in done.err
