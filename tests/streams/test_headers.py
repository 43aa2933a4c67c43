"""Numeric tables keep the names of their columns; other columns are never taken for them."""

import copy
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import novikoff as nv
from commands import Call
from novikoff.saving import storage
from novikoff.streams.files.lines import CsvStream

ROWS = [(1.0, 2.0, 1), (2.0, -1.0, -1), (-1.0, 3.0, 1), (3.0, 0.5, -1)]


def _csv(path: str, columns: tuple[str, ...], order: tuple[int, ...] = (0, 1, 2)) -> None:
    lines = [",".join(str(row[k]) for k in order) for row in ROWS]
    Path(path).write_text("\n".join([",".join(columns), *lines]) + "\n")


def _table(write: Callable[..., None]) -> Callable[..., None]:
    def made(path: str, columns: tuple[str, ...], order: tuple[int, ...] = (0, 1, 2)) -> None:
        cells = {name: [row[k] for row in ROWS] for name, k in zip(columns, order, strict=True)}
        write(pa.table(cells), path)

    return made


FORMATS = {
    "csv": _csv,
    "parquet": _table(pyarrow.parquet.write_table),
    "arrow": _table(lambda table, path: pyarrow.feather.write_feather(table, path, "uncompressed")),
}
NAMES = ("height", "weight", "y")


@pytest.fixture(params=FORMATS)
def form(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    found: str = request.param
    FORMATS[found](f"t.{found}", NAMES)
    return found


def _names(run: nv.Run) -> set[Any]:
    h: Any = run.hypothesis()
    return set(h.weights())


def test_weights_have_the_names_of_the_columns(form: str) -> None:
    run = nv.play(nv.Perceptron(), nv.read(f"t.{form}", label="y"), digest=True)
    plain = nv.play(
        nv.Perceptron(), nv.stream([r[:2] for r in ROWS], [r[2] for r in ROWS]), digest=True
    )
    assert run.ledger.digest == plain.ledger.digest, "the features are numbered all the same"
    assert run.columns == ("height", "weight")
    run.save("m")
    for one in (run, nv.Run.load("m"), copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
        h: Any = one.hypothesis()
        assert h.weights().keys() == {"height", "weight"}
        assert {name for name, _ in h.top()} == {"height", "weight"}
        h.save("h")
        for other in (nv.Halfspace.load("h"), copy.copy(h), h.with_labels(("no", "yes"))):
            assert other.weights() == h.weights()
    many: Any = nv.play(nv.MulticlassPerceptron(), nv.read(f"t.{form}", label="y")).hypothesis()
    assert many.weights()[1].keys() == {"height", "weight"}


def test_a_cache_keeps_the_names(form: str) -> None:
    nv.cache(nv.read(f"t.{form}", label="y"), "a.cache")
    run = nv.play(nv.Perceptron(), nv.read("a.cache", "arrow"))
    assert _names(run) == {"height", "weight"}
    FORMATS[form](f"b.{form}", ("weight", "height", "y"))
    nv.cache(nv.read(f"b.{form}", label="y"), "b.cache")
    with pytest.raises(nv.InputError, match=r"expected column 'height' as feature 1 of 2"):
        run.play(nv.read("b.cache", "arrow"))
    with pytest.raises(nv.InputError, match=r"b.cache: expected column 'height' as feature 1 of 2"):
        nv.play(nv.Perceptron(), nv.read(["a.cache", "b.cache"], "arrow"))


@pytest.mark.parametrize(
    ("columns", "order", "said"),
    [
        (("height", "depth", "y"), (0, 1, 2), "column 'weight', as learned from, got 'depth'"),
        (("a", "b", "y"), (0, 1, 2), "columns 'height', 'weight', as learned from, got 'a', 'b'"),
        (("id", *NAMES), (0, 0, 1, 2), "the columns learned from, got 'id' too"),
        ((*NAMES, "id"), (0, 1, 2, 0), "the columns learned from, got 'id' too"),
        (("height", "y"), (0, 2), "column 'weight', as learned from, got none"),
    ],
)
def test_other_columns_are_refused_by_name(
    form: str, columns: tuple[str, ...], order: tuple[int, ...], said: str, call: Call
) -> None:
    FORMATS[form](f"b.{form}", columns, order)
    call(f"learn t.{form} --label y --save m")
    nv.Run.load("m").hypothesis().save("h")
    for command in (
        f"predict m b.{form}", f"predict h b.{form} --label y", f"learn b.{form} --resume m",
    ):  # fmt: skip
        told = call(command)
        assert (told.code, told.out) == (3, "")
        assert f"b.{form}: expected {said}" in told.err


def test_columns_in_another_order_are_matched_by_name(form: str, call: Call) -> None:
    FORMATS[form](f"b.{form}", ("y", "weight", "height"), (2, 1, 0))
    FORMATS[form](f"c.{form}", ("weight", "height"), (1, 0))
    call(f"learn t.{form} --label y --save m")
    nv.Run.load("m").hypothesis().save("h")
    scores = call(f"predict m t.{form} --scores").out
    for command in (
        f"predict m b.{form}", f"predict m c.{form}", f"predict h b.{form} --label y",
        f"predict h c.{form}",
    ):  # fmt: skip
        assert call(f"{command} --scores").out == scores
    for file in ("t", "b"):
        assert call(f"learn {file}.{form} --resume m --save {file}.m").code == 0
    first, second = nv.Run.load("t.m"), nv.Run.load("b.m")
    assert second.columns == ("height", "weight")
    assert first.hypothesis().w.tolist() == second.hypothesis().w.tolist()  # type: ignore[attr-defined]
    again = nv.Run.load("m").play(nv.read(f"b.{form}", label="y"))
    assert again.ledger.mistake_rounds.tolist() == first.ledger.mistake_rounds.tolist()


def test_a_certificate_is_about_the_columns_as_learned_from(form: str, call: Call) -> None:
    FORMATS[form](f"b.{form}", ("y", "weight", "height"), (2, 1, 0))
    call(f"learn t.{form} --label y --save m --digest")
    assert call(f"certify m b.{form} --output c.json").code == 0
    assert call(f"verify c.json t.{form} --label y").code == 0
    page = call(f"report m b.{form} --output r.html --certificate c.json")
    assert page.code == 0, page.err
    assert "verifier.py" not in Path("r.html").read_text()


def test_columns_that_are_no_features_may_stand_anywhere(form: str, call: Call) -> None:
    FORMATS[form](f"b.{form}", ("y", "id", "height", "weight"), (2, 0, 0, 1))
    FORMATS[form](f"c.{form}", ("height", "weight"), (0, 1))
    call(f"learn t.{form} --label y --save m")
    expected = call(f"predict m t.{form}").out
    assert call(f"predict m b.{form} --ignore id").out == expected
    assert call(f"predict m c.{form}").out == expected, "without labels"
    assert call(f"learn b.{form} --resume m --ignore id").code == 0


def test_inspect_and_the_report_speak_the_names(form: str, call: Call) -> None:
    call(f"learn t.{form} --label y --save m --report r.html")
    names = {name for name, _ in call("inspect m --json").json["top"]}
    assert names == {"height", "weight"}
    assert {"height", "weight"} <= set(call("inspect m").out.split())
    assert "height" in Path("r.html").read_text()


def test_files_of_one_stream_have_the_same_columns(form: str) -> None:
    FORMATS[form](f"b.{form}", ("weight", "depth", "y"), (1, 0, 2))
    with pytest.raises(nv.InputError, match=rf"b\.{form}.*: expected (the )?column"):
        nv.play(nv.Perceptron(), nv.read([f"t.{form}", f"b.{form}"], label="y"))


def test_files_of_one_stream_may_order_their_columns(form: str) -> None:
    FORMATS[form](f"b.{form}", ("weight", "y", "height"), (1, 2, 0))
    twice = nv.play(nv.Perceptron(), nv.read([f"t.{form}"] * 2, label="y"), digest=True)
    other = nv.play(
        nv.Perceptron(), nv.read([f"t.{form}", f"b.{form}"], label="y"), passes=2, digest=True
    )
    assert other.ledger.digest == twice.ledger.digest
    assert other.columns == ("height", "weight")


def test_models_without_names_have_numbers(form: str, call: Call) -> None:
    """Older models, other formats and files without a header."""
    call(f"learn t.{form} --label y --save m")
    kind, metadata, arrays = storage.read("m", ("Run",))
    del metadata["columns"]
    storage.write("old", kind, metadata, arrays, lambda *_: None)
    old = nv.Run.load("old")
    assert _names(old) == {0, 1}
    assert old.play(nv.read(f"t.{form}", label="y")).columns is None
    Path("bare.csv").write_text("1,2,1\n2,-1,-1\n")
    run = nv.play(nv.Perceptron(), nv.read("bare.csv", label=-1))
    assert run.columns is None
    assert _names(run) <= {0, 1}
    metadata["columns"] = ["height", 3]
    storage.write("bad", kind, metadata, arrays, lambda *_: None)
    with pytest.raises(nv.InputError, match="bad: expected what save wrote"):
        nv.Run.load("bad")


def test_a_hypothesis_matches_dicts_and_frames_by_name(form: str) -> None:
    h: Any = nv.play(nv.Perceptron(), nv.read(f"t.{form}", label="y")).hypothesis()
    expected = h.scores([row[:2] for row in ROWS]).tolist()
    rows = [{"weight": row[1], "height": row[0]} for row in ROWS]
    assert h.scores(rows).tolist() == h.scores(pa.Table.from_pylist(rows)).tolist() == expected
    assert h(rows[0]) == h(ROWS[0][:2])
    for stranger in ({"depth": 1.0}, {"weight": "big"}):
        with pytest.raises(nv.InputError, match="expected the columns learned from, got '"):
            h.predict([rows[0] | stranger])


def _wide(folder: Path, kind: str, count: int) -> tuple[Path, Path]:
    """Write a table of so many columns, and the same with its columns turned around."""
    columns = [f"c{j}" for j in range(count)]
    row = ["1.5" if kind == "number" else f"v{j % 7}" for j in range(count)]
    lines = [",".join([*columns, "y"]), *(",".join([*row, label]) for label in "101")]
    turned = [",".join(reversed(line.split(","))) for line in lines]
    paths = folder / f"wide{count}.csv", folder / f"turned{count}.csv"
    for path, texts in zip(paths, (lines, turned), strict=True):
        path.write_text("\n".join(texts) + "\n")
    return paths


class CountedName(str):
    """The name of a column that counts how often it is compared or hashed."""

    __slots__ = ()
    work = 0

    def __eq__(self, other: object) -> bool:
        CountedName.work += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        CountedName.work += 1
        return str.__hash__(self)


def _steps(paths: tuple[Path, Path]) -> tuple[int, int]:
    """Return how many lines of Python two wide tables take, and how much work on names."""
    lines = 0

    def trace(frame: object, event: str, argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    CountedName.work = 0
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run = nv.play(nv.Perceptron(), nv.read(paths[0], label="y"))
        run.play(nv.read(paths[1], label="y"))
    finally:
        sys.settrace(before)
    assert run.ledger.rounds == 6
    return lines, CountedName.work


@pytest.mark.parametrize("kind", ["number", "text"])
def test_the_work_for_a_table_is_linear_in_its_columns(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice the columns take at most twice the steps, and each name is looked at as often."""
    cells_of = CsvStream._cells

    def counted(*arguments: Any) -> tuple[list[str], int]:
        cells, end = cells_of(*arguments)
        return [CountedName(cell) for cell in cells], end

    monkeypatch.setattr(CsvStream, "_cells", counted)
    small, large = (_steps(_wide(tmp_path, kind, count)) for count in (400, 800))
    assert small[1] >= 400
    assert large[0] <= 2.1 * small[0]
    assert large[1] <= 2.1 * small[1]


@pytest.mark.parametrize("kind", ["number", "text"])
def test_a_table_may_have_many_columns(kind: str, tmp_path: Path) -> None:
    wide, turned = _wide(tmp_path, kind, 50_000)
    run = nv.play(nv.Perceptron(), nv.read(wide, label="y"))
    run.play(nv.read(turned, label="y"))
    run.save(tmp_path / "m")
    assert nv.Run.load(tmp_path / "m").ledger.rounds == 6
