"""A certificate notes how its file was read; the report's commands work as they are printed."""

import gzip
import hashlib
import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from commands import Call
from novikoff import cli, verifier
from novikoff.receipts.certificates import sealed
from novikoff.streams.files.recorded import as_options, checked_reading, in_shell, recorded


def _commands(page: str) -> list[str]:
    """Return the lines that a page says to type."""
    (found,) = re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)
    return html.unescape(found).splitlines()


def _typed(command: str) -> int:
    program, *words = shlex.split(command)
    if program == "novikoff":
        return cli.main(words)
    assert program == "python"
    shutil.copy(verifier.__file__, "verifier.py")
    alone = [sys.executable, "-I", *words]
    return subprocess.run(alone, check=False, capture_output=True).returncode


def _table(file: str, comma: str = ",") -> None:
    rng = np.random.default_rng(1)
    points = [(t, *rng.normal(size=2).round(2).tolist()) for t in range(60)]
    rows = [(*x, "yes" if x[1] > 0 else "no") for x in points if abs(x[1]) > 0.5]
    lines = [["id", "a", "b", "is it"], *rows]
    Path(file).write_text("".join(comma.join(map(str, row)) + "\n" for row in lines))


def _sets() -> None:
    _table("my table.csv")
    _table("semi;colon.csv", ";")
    Path("zero.svm").write_text("1 0:1 3:2\n-1 0:-1 2:1\n1 3:1\n" * 5)
    Path("words.csv").write_text("spam\tfree money now\nham\tsee you at home\n" * 9)
    Path("-dash.svm").write_text("1 1:1\n-1 2:1\n" * 4)
    Path("bare.csv").write_text("1,0.5,1\n0,-0.5,2\n" * 5)
    Path("kinds.csv").write_text("a,b,label\n" + "1,red,1\n-1,blue,0\n" * 5)
    Path("bad lines.svm").write_text("1 1:2\n1x 1:1\n-1 1:-2\n")
    with gzip.open("packed.svm.gz", "wt") as file:
        file.write("1 1:1\n-1 2:1\n" * 4)
    lines = [json.dumps({"y": b, "body": t}) for b, t in (("p", "to be"), ("q", "or not"))]
    Path("mail.jsonl").write_text("\n".join(lines * 9) + "\n")


PLAIN = {
    "a.svm": "",
    "a.csv": "",
    "my table.csv": "--label|is it|--positive|yes",
    "./-dash.svm": "",
}
OTHER = {
    "semi;colon.csv": "--label|is it|--positive|yes|--ignore|id|--delimiter|;",
    "zero.svm": "--zero-based",
    "words.csv": "--format|text|--positive|spam|--words|2|--characters|2-3|--presence",
    "bare.csv": "--label=-1|--positive|1",
    "kinds.csv": "--categorical|a",
    "bad lines.svm": "--on-bad|skip",
    "packed.svm.gz": "",
    "mail.jsonl": "--label|y|--positive|p|--text|body",
}


@pytest.mark.parametrize(("file", "options"), [*PLAIN.items(), *OTHER.items()])
def test_the_commands_on_the_page_work_as_they_are_printed(
    call: Call, file: str, options: str
) -> None:
    _sets()
    words = [word for word in options.split("|") if word]
    asked = ["--save", "m", "--certify", "the certificate.json", "--report", "page.html"]
    assert cli.main(["learn", file, *words, *asked]) == 0
    verify, *alone = _commands(Path("page.html").read_text())
    assert verify.startswith("novikoff verify 'the certificate.json' ")
    assert len(shlex.split(verify)) == 4, "the certificate knows the rest"
    assert _typed(verify) == 0
    assert len(alone) == (1 if file in PLAIN else 2)
    assert [_typed(command) for command in alone] == [0] * len(alone)
    assert cli.main(["report", "m", file, "--output", "page.html", *words,
                     "--certificate", "the certificate.json"]) == 0  # fmt: skip
    assert _commands(Path("page.html").read_text()) == [verify, *alone]


def test_names_that_are_hashed_and_several_files_have_commands_too(call: Call) -> None:
    _sets()
    command = "learn words.csv words.csv --format text --positive spam --hash-bits 8"
    assert call(f"{command} --certify c.json --report page.html").code == 0
    commands = _commands(Path("page.html").read_text())
    assert len(commands) == 3
    assert [_typed(command) for command in commands] == [0, 0, 0]


def test_a_certificate_without_the_note_gets_the_options(call: Call, tmp_path: Path) -> None:
    """As one made of the rows in memory, or by another version."""
    _sets()
    run = nv.play(nv.Perceptron(), nv.read("my table.csv", label="is it", positive="yes"))
    noted = nv.certify(run)
    bare = sealed({k: v for k, v in noted.content.items() if k != "remarks"})
    bare.save("bare.json")
    nv.report(run, "page.html", certificate=bare)
    verify, alone = _commands(Path("page.html").read_text())
    assert verify == "novikoff verify bare.json 'my table.csv' --label 'is it'"
    assert alone == "python verifier.py bare.json 'my table.csv' 'is it'"
    assert [_typed(verify), _typed(alone)] == [0, 0]
    other = sealed(noted.content | {"remarks": {"reading": {"label": "b"}}})
    other.save("other.json")
    nv.report(run, "page.html", certificate=other)
    assert _typed(_commands(Path("page.html").read_text())[0]) == 0


def test_data_that_were_no_file_are_verified_from_python(tmp_path: Path) -> None:
    stream = nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [1, -1] * 3)
    run = nv.play(nv.Perceptron(), stream)
    certificate = nv.certify(run)
    assert "remarks" not in certificate.content
    for path in (None, tmp_path / "c.json"):
        if path:
            certificate.save(path)
        nv.report(run, tmp_path / "page.html", certificate=certificate)
        page = (tmp_path / "page.html").read_text()
        (line,) = _commands(page)
        assert ("Save it first" in page) == (path is None)
        assert "novikoff verify" not in page
    assert eval(line, {"nv": nv, "stream": stream}).verified


def test_a_loaded_run_s_page_names_the_file_that_the_certificate_names(call: Call) -> None:
    call("learn a.svm --save m --certify c.json")
    nv.report(nv.Run.load("m"), "page.html", certificate=nv.Certificate.load("c.json"))
    (command,) = _commands(Path("page.html").read_text())
    assert command == "novikoff verify c.json a.svm"
    assert _typed(command) == 0


def test_verify_says_how_it_reads_and_options_win(call: Call) -> None:
    _table("t.csv")
    Path("t.csv").write_text(Path("t.csv").read_text().replace("is it", "kind"))
    call("learn t.csv --label kind --positive yes --ignore id --certify c.json")
    said = "read as the certificate says: --label kind --ignore id"
    found = call("verify c.json t.csv")
    assert (found.code, found.err) == (0, f"remark: {said}\n")
    found = call("verify c.json t.csv --json")
    assert (found.json["reading"], found.json["remarks"]) == (
        {"label": "kind", "ignore": ["id"]}, [said],
    )  # fmt: skip
    explicit = call("verify c.json t.csv --label kind --ignore id --json").json
    assert (explicit["reading"], explicit["remarks"]) == (None, [])
    wrong = call("verify c.json t.csv --label kind")
    assert (wrong.code, wrong.out) == (1, "refused: these are not its data\n")
    assert "made on: t.csv --label kind --ignore id" in wrong.err
    call("export t.csv --label kind --ignore id --output rows.svm")
    assert call("verify c.json rows.svm").err == "", "these have no columns"
    Path("other.csv").write_text("a,b,label\n1,2,1\n")
    other = call("verify c.json other.csv")
    assert (other.code, said in other.err) == (3, True)


def test_sentences_and_margins_are_noted_too(call: Call) -> None:
    Path("t.conll").write_text("a X u\nb Y v\n\nb Y v\na X u\n\n")
    call("tag m t.conll --learn --columns 0 --label 2 --certify c.json")
    found = call("verify c.json t.conll")
    said = "read as the certificate says: --label 2 --columns 0"
    assert (found.code, said in found.err) == (0, True)
    call("margin a.csv --label label --certify c.json")
    assert call("verify c.json a.csv --json").json["reading"] == {"label": "label"}


def test_labels_that_decide_which_rows_are_skipped_are_noted(call: Call) -> None:
    Path("l.svm").write_text("spam 1:1\nham 2:1\nsapm 1:1\nham 3:1\n")
    call("learn l.svm --positive spam --labels ham,spam --on-bad skip --certify c.json")
    noted = nv.Certificate.load("c.json").reading
    assert noted == {"files": ["l.svm"], "on_bad": "skip", "labels": ["ham", "spam"]}
    assert call("verify c.json l.svm").code == 0
    assert as_options(noted) == ["--on-bad", "skip", "--labels", "ham,spam"]


def test_what_is_noted_is_what_differs_from_the_defaults(call: Call) -> None:
    _sets()
    assert recorded(nv.read("a.svm")) == {"files": ["a.svm"]}
    noted = recorded(nv.read("words.csv", "text", words=nv.Words(2, (2, 3), presence=True)))
    assert noted == {
        "files": ["words.csv"], "format": "text", "words": 2, "characters": [2, 3],
        "presence": True,
    }  # fmt: skip
    assert recorded(nv.cache(nv.read("a.svm"), "a.arrow")) == {"files": ["a.arrow"]}
    number = recorded(nv.read("a.csv", label=-1))
    assert as_options(checked_reading(number)) == ["--label=-1"]


HOSTILE: list[Any] = [
    {"label": {"a": 1}}, {"label": True}, {"label": 10**4000},
    {"label": "\ud800"}, {"files": ["/etc/passwd"]}, {"files": ["../up.svm"]}, {"files": []},
    {"files": ["-"]}, {"files": "a.svm"}, {"format": "evil"}, {"format": ["svmlight"]},
    {"words": 10**9}, {"words": True}, {"characters": [1]}, {"characters": ["a", "b"]},
    {"characters": [0, 99]}, {"presence": 1}, {"delimiter": "\n"}, {"delimiter": ""},
    {"categorical": "a"}, {"ignore": [1]}, {"ignore": [[]]}, {"columns": [None]},
    {"zero_based": "yes"}, {"on_bad": "eat"}, {"threads": 10**9}, {"path": "/etc/passwd"},
    {"positive": 1}, {"\x1b[2J": 1},
]  # fmt: skip


@pytest.mark.parametrize("reading", [None, [], "label", 7])
def test_a_note_that_is_no_object_is_refused(call: Call, reading: Any) -> None:
    content = nv.certify(nv.play(nv.Perceptron(), nv.read("a.svm"))).content
    bare = {k: v for k, v in content.items() if k != "sha256"} | {"remarks": {"reading": reading}}
    digest = hashlib.sha256(verifier.canonical(bare)).hexdigest()
    Path("c.json").write_bytes(verifier.canonical(bare | {"sha256": digest}))
    found = call("verify c.json a.svm")
    assert (found.code, found.out) == (1, "refused: its remarks are others\n")


@pytest.mark.parametrize("reading", HOSTILE, ids=lambda reading: repr(reading)[:30])
def test_a_note_that_makes_no_sense_is_left_aside(call: Call, reading: Any) -> None:
    """It is said so; what is verified is what would be without it, and nothing else is opened."""
    certificate = nv.certify(nv.play(nv.Perceptron(), nv.read("a.svm")))
    sealed(certificate.content | {"remarks": {"reading": reading}}).save("c.json")
    found = call("verify c.json a.svm")
    assert (found.code, found.out.startswith("verified: ")) == (0, True)
    assert found.err.startswith("remark: the certificate's note of how its file was read cannot be")
    assert "\x1b" not in found.out + found.err
    assert nv.Certificate.load("c.json").reading is None


@pytest.mark.parametrize("reading", [{"files": ["/etc/passwd"]}, {"\x1b[2J": 1}], ids=repr)
def test_a_page_does_without_a_note_that_makes_no_sense(call: Call, reading: Any) -> None:
    """Every such note is None to it."""
    run = nv.play(nv.Perceptron(), nv.read("a.svm"))
    certificate = sealed(nv.certify(run).content | {"remarks": {"reading": reading}})
    certificate.save("c.json")
    nv.report(run, "page.html", certificate=certificate)
    commands = _commands(Path("page.html").read_text())
    assert [_typed(command) for command in commands] == [0, 0]


@pytest.mark.parametrize(
    "reading",
    [
        {"label": "a"}, {"label": 0}, {"ignore": ["a"]}, {"ignore": ["nowhere"]}, {"weight": "b"},
        {"delimiter": ";"}, {"format": "svmlight"}, {"format": "jsonl", "label": 3},
        {"format": "conll"}, {"format": "parquet"}, {"categorical": ["a", "b"]},
        {"label": "\x1b[2Jx"}, {"format": "text", "words": 8}, {"label": 10**6},
        {"files": ["other.csv"], "label": "b"},
    ],
    ids=str,
)  # fmt: skip
def test_a_note_that_lies_is_shown_and_verifies_nothing(call: Call, reading: Any) -> None:
    """Never a traceback, never in silence: whoever reads the output sees how the file was read."""
    certificate = nv.certify(nv.play(nv.Perceptron(), nv.read("a.csv")))
    sealed(certificate.content | {"remarks": {"reading": reading}}).save("c.json")
    found = call("verify c.json a.csv")
    assert found.code in (1, 3)
    assert "read as the certificate says: --" in found.err
    assert "\x1b" not in found.out + found.err
    assert call("verify c.json a.csv --label label").code == 0


def test_words_are_quoted_for_the_shell_and_safe_to_show() -> None:
    assert in_shell(["--label", "is it; rm -rf $HOME", "a'b"]) == (
        "--label 'is it; rm -rf $HOME' 'a'\"'\"'b'"
    )
    for word in ("\x1b[2J", "é\n'", os.fsdecode(b"\xff.svm")):
        shown = in_shell([word])
        assert shown.isprintable()
        echoed = subprocess.run(
            ["bash", "-c", f"printf %s {shown}"], capture_output=True, check=True
        )
        assert echoed.stdout == os.fsencode(word)


def test_the_commands_of_a_page_about_the_first_rows_read_only_these(call: Call) -> None:
    done = call("learn a.svm --held-out last:20% --certify c.json --report r.html")
    assert done.code == 0
    page = Path("r.html").read_text()
    assert "the model as saved: at most <strong>" in page
    commands = _commands(page)
    assert commands[0].startswith("novikoff verify c.json a.svm")
    assert [_typed(command) for command in commands] == [0] * len(commands)
