"""The command line as a process: pipes, signals, imports; runs that are interrupted; the bar."""

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import novikoff as nv
from cases import FINITE_LEARNERS
from commands import Call, assert_same_run, write_files
from novikoff.playing.progress import Progress, _Bar

NOVIKOFF = [sys.executable, "-m", "novikoff"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_files()
    return tmp_path


def ran(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*NOVIKOFF, *words], capture_output=True, text=True, check=False, **options
    )


@pytest.mark.parametrize("words", ["--version", "--help", "learn --help", ""])
def test_help_imports_neither_numpy_nor_the_core(words: str) -> None:
    program = (
        "import sys\nfrom novikoff.cli import main\n"
        f"try: main({words.split()!r})\nexcept SystemExit: pass\n"
        "print([m for m in ('numpy', 'rich', 'novikoff._core') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_installed_command_exits_as_its_verb_does(here: Path) -> None:
    """The script is there, and its exit code is the verb's."""
    script = Path(sys.executable).with_name("novikoff")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{nv.__version__}\n"
    done = subprocess.run([script, "learn", "bad.svm"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("novikoff: bad.svm:2: ")


def test_standard_input_is_learned_from_and_read_once(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """- is standard input, whose format is to be named, and which nobody reads twice."""
    with open("a.svm") as file:
        done = ran("learn", "-", "--format", "svmlight", "--save", "m", stdin=file)
    assert "\nBlend on standard input (svmlight): " in done.stdout
    assert nv.Run.load("m").ledger.rounds == 300
    assert call("learn -").code == 2, "which format?"
    for words in ("--certify", "--report p.html", "--bounds", "--passes 2"):
        found = call(f"learn - --format svmlight {words}")
        assert (found.code, found.out) == (3, "")
        assert "novikoff cache - --output FILE" in found.err
    with open("a.svm") as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert call("cache - --format svmlight --output c.arrow").code == 0
    assert call("learn c.arrow --bounds").code == 0
    call("learn mail.txt --positive spam --save mail")
    Path("new.txt").write_text("free\nhome\n")
    with open("new.txt") as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert call("predict mail - --format text").out == "spam\nham\n"


def test_a_reader_that_goes_away_is_no_error(here: Path) -> None:
    """``novikoff predict … | head -1`` is quiet."""
    Path("long.svm").write_text(Path("a.svm").read_text() * 400)
    ran("learn", "a.svm", "--save", "m")
    command = f"{' '.join(NOVIKOFF)} predict m long.svm | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout in ("1\n", "-1\n")


def test_a_reader_that_never_came_is_no_error_either(here: Path) -> None:
    command = f"{' '.join(NOVIKOFF)} learn a.svm --save m | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_says_one_line_and_keeps_what_was_saved(here: Path) -> None:
    """One line and 130; what was saved on the way stays, and is gone on with."""
    os.mkfifo("pipe")
    command = ["learn", "pipe", "--format", "svmlight", "--save", "m", "--save-every", "0"]
    process = subprocess.Popen([*NOVIKOFF, *command], stderr=subprocess.PIPE, text=True)
    text = Path("a.svm").read_text() * 60  # enough for a block
    with open("pipe", "w") as pipe:
        pipe.write(text)
        pipe.flush()
        until = time.monotonic() + 60
        while not Path("m").exists() and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.fullmatch(
        r"novikoff: interrupted after [\d,]+ rounds?; go on with --resume m and the rows that "
        r"follow\.\n",
        said,
    )
    assert 0 < nv.Run.load("m").ledger.rounds <= 60 * 300


EVERY = {
    "a.svm": "perceptron --bias 1",
    "a.csv": "averaged",
    "mail.txt --positive spam --words 2": "voted --hash-bits 12",
    "many.csv --label kind": "multiclass",
    "mail.jsonl --text text --positive spam": "balanced-minnow --eta 0.1",
    "mail.vw": "minnow --eta 0.05",
}


@pytest.mark.parametrize("reading", EVERY)
def test_a_run_that_was_interrupted_goes_on(
    call: Call, monkeypatch: pytest.MonkeyPatch, reading: str
) -> None:
    """From whatever was saved on the way, the end is that of a run nobody interrupted."""
    from novikoff.playing import slices

    monkeypatch.setattr(slices, "_FIRST", 40)  # values: a few rows a slice
    monkeypatch.setattr(slices, "_SECONDS", 0)
    monkeypatch.setattr(os, "fsync", lambda _: None)
    kept: list[Path] = []
    save = nv.Run.save

    def saved(run: nv.Run, path: Any) -> None:
        save(run, path)
        kept.append(Path(f"kept{len(kept)}"))
        shutil.copy(path, kept[-1])

    monkeypatch.setattr(nv.Run, "save", saved)
    call(f"learn {reading} --learner {EVERY[reading]} --save m --save-every 0")
    monkeypatch.setattr(nv.Run, "save", save)
    whole = nv.Run.load("m")
    assert (len(kept) > 5, whole.unfinished) == (True, None)
    for path in {*kept[:2], *kept[:-1:7], kept[-2]}:
        assert "interrupted: go on with" in call(f"inspect {path}").out
        found = call(f"learn {reading} --resume {path} --save n --json").json
        assert found["mistakes"] == whole.mistakes
        assert_same_run("n", "m")
    before = call("inspect m --json").json["rounds"]
    call(f"learn {reading} --resume m --save n")
    assert call("inspect n --json").json["rounds"] == 2 * before, "more data, for a finished run"


def test_what_was_interrupted_goes_on_only_as_it_began(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the same files, read in the same way, once."""

    def stopped(run: nv.Run, path: Any) -> None:
        save(run, path)
        if run.ledger.rounds == 60:
            raise StopIteration

    save = nv.Run.save
    monkeypatch.setattr(nv.Run, "save", stopped)
    with pytest.raises(StopIteration):
        call("learn mail.txt --positive spam --words 2 --save m --save-every 0")
    monkeypatch.setattr(nv.Run, "save", save)
    good = "learn mail.txt --positive spam --words 2 --resume m"
    assert call(good).code == 0
    assert "expected mail.txt, in which" in call(good.replace("mail.txt", "mail.jsonl")).err
    assert "--words: expected 2" in call(good.replace("--words 2", "--words 3")).err
    assert "positive: expected 'spam'" in call(good.replace("spam", "ham")).err
    found = call(f"{good} --passes 2")
    assert (found.code, "expected --passes 1 or none, to finish" in found.err) == (2, True)
    Path("mail.txt").write_text("spam\tfree money now\n")
    found = call(good)
    assert found.code == 3
    assert "expected the 60 rounds that were played before, got 1" in found.err


def test_the_bar_of_a_file_counts_bytes_and_rounds() -> None:
    """Bytes, rounds, rounds a second and the error so far; of rounds where there is no file."""
    bar = _Bar(Console(file=io.StringIO(), width=80))

    def shown() -> str:
        console = Console(file=io.StringIO(), width=80)
        console.print(bar.shown.get_renderable())
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    bar(Progress(1000, 100, None, (2_000_000, 8_000_000)))
    time.sleep(0.06)
    bar(Progress(3000, 150, None, (4_000_000, 8_000_000)))
    text = shown()
    assert re.search(r" 50% 4.0/8.0 MB  3,000 rounds  [\d,]+/s", text), text
    assert "error 0.0500" in text
    time.sleep(0.06)
    bar(Progress(3500, 150, 7000, None))
    assert re.search(r" 50% 3,500 rounds ", shown())
    time.sleep(0.06)
    bar(Progress(3500, 150, None, (5_000, None)))
    assert "5.0 kB  3,500 rounds" in shown()


def test_progress_is_drawn_on_stderr(here: Path) -> None:
    """So that stdout stays what the next program reads."""
    program = (
        "import sys\nfrom novikoff.playing.progress import _Bar\n"
        "assert _Bar().shown.console.file is sys.stderr"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    done = ran("learn", "a.svm", "--progress", "--json")
    assert done.returncode == 0
    assert done.stdout.startswith("{")


def test_an_extra_that_is_missing_is_named(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what to install."""
    monkeypatch.setitem(sys.modules, "highspy", None)
    monkeypatch.setitem(sys.modules, "piqp", None)
    found = call("margin a.svm")
    assert (found.code, "pip install highspy piqp scipy" in found.err) == (3, True)
    assert call("learn a.svm --bounds").code == 0, "which can do without"


def test_a_report_that_cannot_be_drawn_is_refused_before_the_work(
    here: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is learned, and nothing written, before it is known."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = call("learn a.svm --save new.model --report page.html")
    assert (found.code, "pip install matplotlib" in found.err) == (3, True)
    assert not (here / "new.model").exists()


def test_learning_takes_the_words_of_the_parser() -> None:
    """Every learner's parameters have an option."""
    import dataclasses
    import inspect

    from novikoff.cli.parser import LEARNERS
    from novikoff.cli.plans.learner_plan import _ARGUMENTS, LearnerPlan

    ours = set(nv.Learner.kinds) & set(nv.__all__) - FINITE_LEARNERS
    kernels = {name for name in ours if "Kernel" in name}
    options = {field.name for field in dataclasses.fields(LearnerPlan)}
    options |= {argument for option, argument in _ARGUMENTS.items() if option in options}
    other = {"StructuredPerceptron", "ClassBlend", "Mixture"}  # `tag` has one; Blend becomes others
    other |= {"FrozenMixture", "FrozenClassMixture"}  # `--cluster` with `--held-out` makes them
    assert set(LEARNERS.values()) == ours - kernels - other
    for name in LEARNERS.values():
        taken = set(inspect.signature(nv.Learner.kinds[name]).parameters)
        fixed = {"loss", "r", "matrix"} if name == "Arow" else {"loss"}  # one value so far
        alone = {"samples", "members", "switching"}  # objects, and what is about them
        assert taken <= {*options, *fixed, *alone}, name
    for only in ({"r": 2.0}, {"matrix": "full"}):
        with pytest.raises(nv.ParameterError):
            nv.Learner.kinds["Arow"](**only)


def test_numbers_in_json_are_numbers(call: Call) -> None:
    """JSON has no infinity: what is infinite is null."""
    from novikoff.cli.answers import _finite

    assert _finite({"a": [float("inf"), 1.0, (np.inf,)], "b": float("nan")}) == {
        "a": [None, 1.0, [None]],
        "b": None,
    }


@pytest.mark.parametrize(
    "own",
    [
        "class Own(nv.Perceptron):\n    def predict(self, x): return 1\nlearner = Own()",
        "class Own(nv.Problem):\n    def features(self, x, y): return {(x, y): 1}\n"
        "    def best(self, w, x): return 1\nlearner = nv.Perceptron()",
    ],
    ids=["learner", "problem"],
)
def test_a_program_with_a_class_of_its_own_ends_in_silence(own: str) -> None:
    """Registries hold no class alive, nor the run that its module keeps: no leak is reported."""
    program = f"import novikoff as nv\n{own}\nrun = nv.play(learner, [([1.0], -1)] * 3)\n"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("command", "code"), [("learn - --format svmlight <&-", 3), ("learn a.svm >&-", 0)]
)
def test_a_closed_stream_is_no_traceback(here: Path, command: str, code: int) -> None:
    line = f"{' '.join(NOVIKOFF)} {command}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


def test_too_little_memory_is_said_in_one_line(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(nv.Run, "play", exhausted)
    found = call("learn a.svm")
    assert (found.code, found.err.startswith("novikoff: memory: expected enough")) == (3, True)
