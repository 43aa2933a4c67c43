"""Odd input: wide tables, halves of characters, endless lines, values and labels that run code."""

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from commands import caller
from novikoff.streams.files import opening
from novikoff.streams.files.file_stream import refuse_twins

COLUMNS = 100_000


class Counted(str):
    """A text that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_names_are_compared_at_most_once_each() -> None:
    names = [Counted(f"column {k}") for k in range(2000)]
    Counted.compared = 0
    refuse_twins("a table", names)
    assert Counted.compared <= len(names)
    with pytest.raises(nv.InputError, match="a table: expected every column once, got 'x' twice"):
        refuse_twins("a table", ["x", "y", "x"])


@pytest.mark.parametrize("cell", ["1.5", "word"])
def test_a_table_may_have_a_hundred_thousand_columns(cell: str, tmp_path: Path) -> None:
    """Seven minutes where every name is looked for among all others."""
    path = tmp_path / "wide.csv"
    names = [f"c{k}" for k in range(COLUMNS)]
    rows = (",".join([cell] * COLUMNS + [y]) for y in ("0", "1", "0"))
    path.write_text("\n".join([",".join([*names, "label"]), *rows]))
    run = nv.play(nv.Perceptron(), nv.read(path))
    assert (run.ledger.rounds, run.learner.dimension) == (3, COLUMNS)
    half = nv.play(nv.Perceptron(), nv.read(path, ignore=names[::2]))
    assert half.learner.dimension == COLUMNS // 2
    texts = nv.play(nv.Perceptron(), nv.read(path, categorical=names[1::2]))
    assert texts.learner.named


LONE = {
    "a name": rb'{"label": 1, "a\ud800": 1}',
    "a string": rb'{"label": 1, "a": "b\uDfff"}',
    "a label": rb'{"label": "\udc00", "a": 1}',
    "an object inside": rb'{"label": 1, "a": {"b\ud800": 1}}',
    "pairs the wrong way": rb'{"label": 1, "\udc00\ud800": 1}',
}


@pytest.mark.parametrize("kind", LONE)
def test_half_a_surrogate_pair_is_refused_by_its_line(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"label": 0, "a": 1}\n' + LONE[kind] + b'\n{"label": 1, "b": 1}\n')
    expected = "x.jsonl:2: expected text that UTF-8 can hold, got half a surrogate pair"
    for use in (lambda s: nv.play(nv.Perceptron(), s), lambda s: nv.cache(s, tmp_path / "x.arrow")):
        with pytest.raises(nv.InputError, match=expected):
            use(nv.read(path))
    for command in (f"cache {path} --output {tmp_path}/y", f"export {path} --output {tmp_path}/z"):
        said = caller(capsys)(command)
        assert (said.code, expected in said.err) == (3, True), said
    skipping = nv.read(path, on_bad="skip")
    assert nv.play(nv.Perceptron(), skipping).ledger.rounds == 2
    assert skipping.skipped == 1


def test_a_whole_surrogate_pair_is_a_character(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(rb'{"label": 0, "a\ud83d\ude00": 1}' + b"\n" + rb'{"label": 1, "\\ud800": 1}')
    run = nv.play(nv.Perceptron(), nv.read(path))
    assert run.learner.features.names(2) == ["a\U0001f600", "\\ud800"]


def test_text_of_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(rb'{"label": 0, "t": "a b \ud800"}')
    with pytest.raises(nv.InputError, match=r"x\.jsonl:1: expected text that UTF-8 can hold"):
        nv.play(nv.Perceptron(), nv.read(path, text="t"))


LINES = {
    "svmlight": ("1 1:1\n", "1 2:"),
    "csv": ("label,a\n1,2\n", "1,"),
    "vw": ("1 | a\n", "1 | "),
    "jsonl": ('{"label": 1}\n', "{"),
    "conll": ("a b\n", "a "),
}


@pytest.mark.parametrize("pack", [gzip.compress, bytes], ids=["gzip", "plain"])
@pytest.mark.parametrize("format", LINES)
def test_an_overlong_line_is_blamed_and_not_the_archive(
    format: str, pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "LONGEST_LINE", 2**20)
    before, line = LINES[format]
    number = before.count("\n") + 1
    path = tmp_path / f"x.{format}"
    path.write_bytes(pack((before + line + "7" * 2**21).encode()))
    learner: Any = nv.Perceptron()
    if format == "conll":
        learner = nv.StructuredPerceptron(nv.Chains("w[0]", columns=("w",)))
    message = rf"x\.{format}:{number}: expected a line of at most 1,048,576 bytes, got a longer"
    with pytest.raises(nv.InputError, match=message):
        nv.play(learner, nv.read(path, format))


def test_a_bad_line_before_an_overlong_one_is_named_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "LONGEST_LINE", 2**20)
    path = tmp_path / "x.svm"
    path.write_text("1 1:1\n1 oops\n1 1:" + "7" * 2**21)
    with pytest.raises(nv.InputError, match=r"x\.svm:2: "):
        nv.play(nv.Perceptron(), nv.read(path))
    with pytest.raises(nv.InputError, match=r"x\.svm:3: expected a line of at most"):
        nv.play(nv.Perceptron(), nv.read(path, on_bad="skip"))


# Each ends the process, or never ends, where the core runs the user's code at a bad moment.
RUNS_CODE = {
    "an index that grows the dict": """
def grow(self):
    x.update((f"n{k}", 1.0) for k in range(5000))
    return 1
x = {"a": 1.0, "b": type("numpy.evil", (), {"__index__": grow})(), "c": 2.0}
attempt(lambda: run.learn(x, 0), nv.InputError)
attempt(lambda: run.predict_one(x), nv.InputError)
attempt(lambda: nv.play(nv.Perceptron(), [(x, 1)]), nv.InputError)
""",
    "an index that learns": """
x = {"a": 1.0, "b": type("numpy.evil", (), {"__index__": lambda self: run.learn({"z": 1.0}, 1)})()}
attempt(lambda: run.learn(x, 0), nv.InputError)
""",
    "a float that grows the dict": """
def grow(self):
    x.update((f"n{k}", 1.0) for k in range(5000))
    return 1.0
x = {"a": 1.0, "b": type("numpy.float32", (), {"__float__": grow})(), "c": 2.0}
attempt(lambda: run.learn(x, 0), nv.InputError)
""",
    "a label whose hash plays": """
class Label(str):
    def __hash__(self):
        run.play([({"a": 1.0}, "no"), ({"b": 1.0}, "yes")])
        return str.__hash__(self)
attempt(lambda: run.learn({"a": 1.0}, Label("yes")), nv.BusyError)
attempt(lambda: run.play([({"a": 1.0}, Label("yes"))]), nv.BusyError)
""",
    "a label whose equality plays": """
class Label(str):
    armed = False
    __hash__ = str.__hash__
    def __eq__(self, other):
        if Label.armed:
            Label.armed = False
            run.learn({"a": 1.0}, "no")
        return str.__eq__(self, other)
for _ in range(3):
    run.learn({"a": 1.0}, Label("yes"))
    run.learn({"a": 1.0}, "no")
Label.armed = True
attempt(lambda: run.learn({"a": 1.0}, "yes"), nv.BusyError, type(None))
attempt(lambda: run.learn({"a": 1.0}, Label("yes")), nv.BusyError, type(None))
""",
    "a class weight whose equality plays": """
class Label(str):
    armed = False
    __hash__ = str.__hash__
    def __eq__(self, other):
        if Label.armed:
            Label.armed = False
            run.play([({"a": 1.0}, "no")])
        return str.__eq__(self, other)
run = nv.Run(nv.MulticlassPerceptron(), class_weights={Label("yes"): 2.0})
for _ in range(3):
    run.learn({"a": 1.0}, "yes")
    run.learn({"a": 1.0}, "no")
Label.armed = True
attempt(lambda: run.learn({"a": 1.0}, "yes"), nv.BusyError, type(None))
""",
    "tags that shrink the sentences": """
class Tags(list):
    def __getitem__(self, k):
        sentences.clear()
        return list.__getitem__(self, k)
    def __len__(self):
        return list.__len__(self)
    def __iter__(self):
        sentences.clear()
        return list.__iter__(self)
sentences = [["a"]] * 500
names = _core.ChainNames("w[0]", ["w"], [], True)
names.encode(sentences, Tags([["t"]] * 500), _core.Sentences())
""",
}
PRELUDE = """
import faulthandler
faulthandler.dump_traceback_later(20, exit=True)
import novikoff as nv
from novikoff import _core
run = nv.Run(nv.MulticlassPerceptron())
for _ in range(3):
    run.learn({"a": 1.0}, "yes")
    run.learn({"b": 1.0}, "no")
def attempt(act, *expected):
    try:
        act()
    except Exception as error:
        found = type(error)
    else:
        found = type(None)
    assert found in expected, found
"""


@pytest.mark.parametrize("kind", RUNS_CODE)
def test_no_code_of_the_user_runs_inside_the_core(kind: str) -> None:
    program = [sys.executable, "-c", PRELUDE + RUNS_CODE[kind]]
    found = subprocess.run(program, check=False, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    "label", [1, 1.5, True, "a", np.int64(1), np.str_("a"), np.float64(2), np.bool_(True)]
)
def test_plain_labels_take_the_quick_way(label: Any) -> None:
    run = nv.Run(nv.MulticlassPerceptron())
    run.learn({"a": 1.0}, label)
    assert run.is_quick
    assert run.learn({"a": 1.0}, label) == label


class Word(str):
    __slots__ = ()


def test_a_label_with_a_class_of_its_own_is_learned_all_the_same() -> None:
    run = nv.Run(nv.MulticlassPerceptron())
    for _ in range(3):
        run.learn({"a": 1.0}, Word("yes"))
        run.learn({"b": 1.0}, "no")
    assert run.ledger.labels == ("yes", "no")
    assert run.predict_one({"b": 1.0}) == "no"
