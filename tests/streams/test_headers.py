"""Numeric tables keep the names of their columns; other columns are never taken for them."""

import copy
import pickle
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
    with pytest.raises(nv.InputError, match=r"expected column 'height' as feature 1 of 2"):
        run.play(nv.read(f"b.{form}", label="y"))
    nv.cache(nv.read(f"b.{form}", label="y"), "b.cache")
    with pytest.raises(nv.InputError, match=r"b.cache: expected column 'height' as feature 1 of 2"):
        nv.play(nv.Perceptron(), nv.read(["a.cache", "b.cache"], "arrow"))


@pytest.mark.parametrize(
    ("columns", "order", "said"),
    [
        (("weight", "height", "y"), (1, 0, 2), ("'height' as feature 1", "'weight'")),
        (("height", "depth", "y"), (0, 1, 2), ("'weight' as feature 2", "'depth'")),
        (("id", *NAMES), (0, 0, 1, 2), ("'height' as feature 1", "'id'")),
        ((*NAMES, "id"), (0, 1, 2, 0), ("none as feature 3", "'id'")),
        (("height", "y"), (0, 2), ("'weight' as feature 2", "none")),
    ],
)  # fmt: skip
def test_other_columns_are_refused_by_name(
    form: str, columns: tuple[str, ...], order: tuple[int, ...], said: tuple[str, str], call: Call
) -> None:
    FORMATS[form](f"b.{form}", columns, order)
    call(f"learn t.{form} --label y --save m")
    nv.Run.load("m").hypothesis().save("h")
    for command in (
        f"predict m b.{form}", f"predict h b.{form} --label y", f"learn b.{form} --resume m",
    ):  # fmt: skip
        told = call(command)
        assert (told.code, told.out) == (3, "")
        expected = f"b.{form}: expected column {said[0]} of 2, as learned from, got {said[1]}"
        assert expected in told.err


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
    FORMATS[form](f"b.{form}", ("weight", "height", "y"), (1, 0, 2))
    with pytest.raises(nv.InputError, match=rf"b\.{form}.*: expected (the )?column"):
        nv.play(nv.Perceptron(), nv.read([f"t.{form}", f"b.{form}"], label="y"))


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
