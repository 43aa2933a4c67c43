"""Closed streams, narrow encodings, odd file names, early interrupts, outputs with no place."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call
from novikoff.saving.whole_files import drafted, probe

NOVIKOFF = [sys.executable, "-m", "novikoff"]
LATIN = {"PYTHONIOENCODING": "latin-1"}
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def shell(line: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of bash in which ``novikoff`` is the command; its exit code is the line's."""
    alone = line.replace("novikoff ", f"{' '.join(NOVIKOFF)} ")
    return subprocess.run(
        ["bash", "-c", alone], capture_output=True, check=False, env=os.environ | more
    )


def assert_said(done: subprocess.CompletedProcess[bytes], code: int) -> None:
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False), done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.parametrize("labels", ["'a\rb,c'", "'a\nb,c'", ",", "nan,1", "1e400,1"])
def test_labels_that_are_none_are_an_error_of_their_option(call: Call, labels: str) -> None:
    done = shell(f"novikoff learn a.svm --labels {labels}")
    assert_said(done, 2)
    assert done.stderr.startswith(b"novikoff: --labels: expected ")
    assert call("learn a.svm --positive nan").err.startswith("novikoff: --positive: expected ")


@pytest.mark.parametrize("encoding", [LATIN, ASCII], ids=["latin-1", "ascii"])
def test_what_an_encoding_lacks_is_escaped(call: Call, encoding: dict[str, str]) -> None:
    """As in JSON, so that JSON stays JSON."""
    call("learn a.svm --certify c.json --save m")
    done = shell("novikoff verify c.json a.svm", **encoding)
    assert_said(done, 0)
    assert rb" \u2264 " in done.stdout
    name = "\u2264\U0001f600"
    done = shell(f"novikoff cache a.svm --output '{name}.arrow' --json", **encoding)
    assert_said(done, 0)
    found = json.loads(done.stdout)["output"]
    assert os.path.exists(f"{name}.arrow")
    if encoding is LATIN:
        assert found == f"{name}.arrow"


def test_a_name_that_is_not_utf8_or_has_a_line_break_stays_on_its_line(call: Call) -> None:
    text = Path("a.svm").read_bytes()
    for name, shown in ((b"\xff.svm", rb"\udcff.svm"), (b"a\nb.svm", rb"a\nb.svm")):
        with open(name, "wb") as file:
            file.write(text)
        quoted = "".join(f"\\x{byte:02x}" for byte in name)
        line = f"novikoff learn $'{quoted}' --certify $'{quoted}.json' --save $'{quoted}.m'"
        done = shell(line, PYTHONIOENCODING="utf-8")
        assert_said(done, 0)
        lines = done.stdout.splitlines()
        assert lines[1].startswith(b"Blend on " + shown + b" (svmlight)")
        assert lines[-2:] == [
            b"model: " + shown + b".m",
            b"certificate: " + shown + b".json (read the data twice)",
        ]
        assert nv.Run.load(os.fsdecode(name) + ".m").ledger.rounds == 300, "and it loads"


EVERY = [
    "learn a.svm", "predict m a.svm", "certify m a.svm --output d.json", "verify c.json a.svm",
    "margin a.svm", "simulate --seeds 2 --rounds 20", "theorems", "inspect m", "game thresholds:4",
    "report m a.svm --output r.html", "cache a.svm --output o.arrow",
    "export a.svm --output o.svm", "completion bash", "tag t t.conll", "--version",
]  # fmt: skip


@pytest.mark.parametrize("commands", [EVERY[:5], EVERY[5:10], EVERY[10:]])
def test_every_verb_prints_to_nowhere_where_a_stream_is_closed(
    call: Call, commands: list[str]
) -> None:
    """Closed or full: no traceback, and what is said on stderr is not lost."""
    Path("t.conll").write_text("a X\nb Y\n\nb Y\n\n")
    call("tag t t.conll --learn")
    call("learn a.svm --certify c.json --save m")
    for command in commands:
        assert_said(shell(f"novikoff {command} >&-"), 0)
        done = shell(f"novikoff {command} >/dev/full")
        assert_said(done, 3)
        said = b"novikoff: standard output: No space left on device"
        assert done.stderr.splitlines()[-1].startswith(said), command
    assert_said(shell(f"novikoff {commands[0]} >&- 2>&-"), 0)  # stderr is the same for every verb


def test_what_is_said_on_a_closed_stderr_is_not_said_on_stdout(call: Call) -> None:
    call("learn a.svm --save m")
    done = shell("novikoff predict m a.svm 2>&-")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 300)


def test_a_reader_that_goes_away_does_not_stop_the_work(call: Call) -> None:
    """All the files are written, and the exit code is that of the work."""
    leave = "; exit ${PIPESTATUS[0]}"
    line = f"novikoff learn a.svm --certify c.json --save q --report r.html | true{leave}"
    assert_said(shell(line, PYTHONUNBUFFERED="1"), 0)
    for file in ("c.json", "q", "r.html"):
        assert Path(file).stat().st_size, file
    Path("wrong.svm").write_text("1 1:1\n-1 1:2\n")
    line = f"novikoff verify c.json wrong.svm | true{leave}"
    assert_said(shell(line, PYTHONUNBUFFERED="1"), 1)


def test_an_output_into_a_pipe_that_breaks_is_an_error(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was to be saved was not: that is more than a screen that nobody reads."""

    def saved(*_: object) -> None:
        with drafted("/dev/null") as file:
            file.write(b"1")
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(nv.Run, "save", saved)
    found = call("learn a.svm --save /dev/null")
    assert (found.code, found.err) == (3, "novikoff: /dev/null: Broken pipe\n")


# Stops at the import of a module, and sends SIGINT there.
_STOPPED = """
import os, runpy, signal, sys
class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Stop())
sys.modules.pop({module!r}, None)
sys.argv = ["novikoff", "learn", "a.svm"]
from novikoff.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("module", ["argparse", "novikoff.cli.parser", "novikoff.errors", "numpy"])
def test_an_interrupt_while_modules_are_imported_is_quiet(call: Call, module: str) -> None:
    program = _STOPPED.format(module=module)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode in (130, -signal.SIGINT)
    assert b"Traceback" not in done.stderr


def test_an_interrupt_while_options_are_parsed_is_quiet(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("novikoff.cli.build", interrupted)
    before = signal.getsignal(signal.SIGINT)
    assert (call("learn a.svm").code, signal.getsignal(signal.SIGINT)) == (130, before)


@pytest.mark.parametrize(
    "place", ["/proc/m", "/nowhere/m", "x" * 245], ids=["proc", "nowhere", "long"]
)
@pytest.mark.parametrize(
    "command",
    ["learn a.svm --save", "learn a.svm --certify", "predict m a.svm --output",
     "certify m a.svm --output", "export a.svm --output", "check novikoff:Perceptron --save"],
)  # fmt: skip
def test_an_output_without_a_place_is_refused_before_the_work(
    call: Call, monkeypatch: pytest.MonkeyPatch, command: str, place: str
) -> None:
    call("learn a.svm --save m --digest")

    def played(*_: object, **__: object) -> None:
        raise AssertionError("worked before it looked")

    monkeypatch.setattr(nv.Run, "play", played)
    monkeypatch.setattr("novikoff.cli.certifying.certified", played)
    monkeypatch.setattr("novikoff.conformance.check", played)
    before = set(os.listdir())
    found = call(f"{command} {place}")
    assert found.code == 3
    assert found.err.startswith(f"novikoff: {place}: expected a ")
    assert set(os.listdir()) == before


def test_a_report_of_an_unknown_kind_is_refused_before_the_work(call: Call) -> None:
    found = call("learn a.svm --save m --report x.pdf")
    assert (found.code, Path("m").exists()) == (2, False)
    assert found.err.startswith("novikoff: --report: expected a file that ends in .html")
    call("learn a.svm --save m")
    assert "--output: expected a file that" in call("report m a.svm --output x.pdf").err


def test_a_disk_that_is_full_is_named_by_the_file(call: Call) -> None:
    found = call("learn a.svm --save /dev/full")
    assert (found.code, found.err) == (
        3,
        "novikoff: /dev/full: No space left on device. Free some space, or write elsewhere.\n",
    )


def test_a_probe_leaves_everything_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"before")
    for file in ("there", "new"):
        probe(tmp_path / file)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("there", b"before")]
    with pytest.raises(nv.InputError, match="expected a place to write, got: File name too long"):
        probe(tmp_path / ("x" * 245))


def test_a_pattern_matches_no_folder(call: Call) -> None:
    Path("d/e").mkdir(parents=True)
    Path("d/e/a.svm").write_bytes(Path("a.svm").read_bytes())
    assert call("learn d/**").code == 0
    assert nv.read("d/**").files == ("d/e/a.svm",)
    assert "expected a pattern that some file matches" in call("learn d/?").err


@pytest.mark.parametrize("name", ["\u2264.arrow", "\udcff.arrow"], ids=["unicode", "no UTF-8"])
def test_caches_and_tables_may_have_any_name(call: Call, name: str) -> None:
    """Also where names of files are bytes that no text of the locale has."""
    call("cache a.svm --output a.arrow")
    os.rename("a.arrow", os.fsencode(name))
    for verb in ("learn", "learn --format arrow --label label"):
        done = subprocess.run(
            [*NOVIKOFF, *verb.split(), os.fsencode(name)], capture_output=True, check=False,
            env=os.environ | ASCII,
        )  # fmt: skip
        assert b"Traceback" not in done.stderr, done.stderr
        assert (done.returncode == 0) == (verb == "learn"), done.stderr
