"""Saved files that somebody changed and signed again: every one is refused by name."""

import json
import resource
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from safetensors.numpy import load as arrays_of
from safetensors.numpy import save as to_bytes

import novikoff as nv
from campaigns.models import SPARE
from commands import caller
from novikoff.saving import storage
from novikoff.streams.files import caches
from novikoff.streams.files.file_stream import Options
from novikoff.streams.files.packing import refuse_packed

Change = Callable[[dict[str, Any], dict[str, Any]], Any]


def resign(path: Path, change: Change) -> None:
    """Change metadata and arrays of a saved file, and sign it as ``save`` does."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    about = json.loads(data[8 : 8 + size])["__metadata__"]
    metadata, arrays = json.loads(about["metadata"]), dict(arrays_of(data))
    change(metadata, arrays)
    about["metadata"] = json.dumps(metadata)
    about["sha256"] = storage.seal(about, arrays)
    path.write_bytes(to_bytes(arrays, about))


def put(place: str, value: Any) -> Change:
    """Put a value into the metadata, or an array in place of another."""

    def change(metadata: dict[str, Any], arrays: dict[str, Any]) -> None:
        if place in arrays:
            arrays[place] = value(arrays[place]) if callable(value) else np.asarray(value)
            return
        *above, last = place.split(".")
        holder = metadata
        for key in above:
            holder = holder[key]
        holder[last] = value

    return change


RUNS: dict[str, tuple[Change, str]] = {
    "labels in a list": (put("labels", [["a"], "b"]), "'labels'"),
    "a label twice": (put("labels", [1, 1]), "'labels'"),
    "no label at all": (put("labels", 5), "'labels'"),
    "a positive list": (put("positive", [1]), "'positive'"),
    "passes of text": (put("passes", "many"), "'passes'"),
    "passes below zero": (put("passes", -1), "'passes'"),
    "a fresh number": (put("began_fresh", 2), "'began_fresh'"),
    "a digest of something": (put("digest", "abc"), "'digest'"),
    "weights without labels": (put("class_weights", [1.0]), "'class_weights'"),
    "weights of text": (put("class_weights", [["a", "b"]]), "'class_weights'"),
    "another convergence": (put("converged", "yes"), "'converged'"),
    "a reading of words": (put("reading", "csv"), "'reading'"),
    "a reading without a label": (put("reading", {"format": "csv"}), "'reading'"),
    "an interruption nowhere": (put("unfinished", {"input": 3}), "'unfinished'"),
    "an unknown learner": (put("learner", "Nobody"), "Nobody"),
    "an abstract learner": (put("learner", "CoreLearner"), "abstract"),
    "a learner in a list": (put("learner", []), "'learner'"),
    "parameters in a list": (put("parameters", []), "expected what save wrote"),
    "a strange parameter": (put("parameters.colour", 1), "colour"),
    "a hostile parameter": (put("parameters.hashing", {"bits": 10**30}), "bits"),
    "bytes for weights": (put("weights", lambda a: a.view(np.uint8)), "'weights' of uint8"),
    "halves for weights": (put("weights", lambda a: a.astype(np.float16)), "of float16"),
    "a table of weights": (put("weights", lambda a: a[None]), "with 2 dimensions"),
    "counts of floats": (put("counts", lambda a: a.astype(float)), "'counts' of float64"),
    "three counts": (put("counts", lambda a: np.append(a, 1)), "the counts"),
    "endless rounds": (put("counts", lambda a: a + 2**62), "the counts"),
    "a ledger of floats": (put("ledger.counts", lambda a: a / 2), "'ledger.counts' of float64"),
    "ends of names that fall": (put("name_ends", lambda a: a[::-1].copy()), "out of order"),
    "a name twice": (put("names", lambda a: np.full(len(a), 97, np.uint8)), "a name twice"),
    "neither named nor numbered": (put("named", [-1]), "named or numbered"),
}


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_that_was_signed_again_is_refused(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, expected = RUNS[kind]
    path = tmp_path / "x.model"
    run = nv.Run(nv.Perceptron(), positive="a", class_weights={"a": 2.0})
    run.play([({"x": 1.0, "y": 2.0}, "a"), ({"z": 1.0, "y": 1.0}, "b")]).save(path)
    resign(path, lambda *_: None)
    assert nv.Run.load(path).ledger.rounds == 2
    resign(path, change)
    with pytest.raises(nv.InputError, match=r"x\.model: expected what save wrote") as caught:
        nv.Run.load(path)
    assert expected in str(caught.value)
    data = tmp_path / "x.svm"
    data.write_text("1 1:1\n")
    for verb in (f"inspect {path}", f"predict {path} {data}", f"learn {data} --resume {path}"):
        said = caller(capsys)(verb)
        assert (said.code, "x.model: expected what save wrote" in said.err) == (3, True), said


@pytest.mark.parametrize("dtype", ["BF16", "F8_E4M3", "F8_E5M2"])
def test_types_that_numpy_lacks_are_refused(dtype: str, tmp_path: Path) -> None:
    path = tmp_path / "x.model"
    nv.play(nv.Perceptron(), [([1.0], 1), ([1.0], -1)]).save(path)
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    header["weights"]["dtype"] = dtype
    begin, end = header["weights"]["data_offsets"]
    header["weights"]["shape"] = [(end - begin) // (2 if dtype == "BF16" else 1)]
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size :])
    with pytest.raises(nv.InputError, match=r"x\.model: expected"):
        nv.Run.load(path)


# The parameters or shapes alone ask for gigabytes.
LARGE: dict[str, tuple[Callable[[], Any], Any, Change]] = {
    "experts": (lambda: nv.Hedge(3), nv.RegretLearner, put("parameters.experts", 2**30)),
    "arms": (lambda: nv.Exp3(3), nv.RegretLearner, put("parameters.arms", 2**30)),
    "variables": (lambda: nv.Elimination(3), nv.Learner, put("parameters.d", 2**24)),
    "learners of a pool": (
        lambda: nv.Hedge([nv.Perceptron()]),
        nv.RegretLearner,
        put(
            "parameters.experts",
            [{"learner": "Elimination", "parameters": {"d": 2**24, "monotone": False}}] * 40,
        ),
    ),
    "a grid": (
        lambda: nv.Halving(nv.grid_halfspaces(1, 1.0, 1.0, 1.0)),
        nv.Learner,
        put("parameters.H", {"d": 1, "radius": 1e7, "norm": 1.0, "margin": 0.2}),
    ),
    "a grid without an end": (
        lambda: nv.Halving(nv.grid_halfspaces(1, 1.0, 1.0, 1.0)),
        nv.Learner,
        put("parameters.H.d", 10**12),
    ),
    "tickets without numbers": (
        lambda: nv.Exp3(3), nv.RegretLearner, put("tickets", np.zeros((2**40, 0), np.int64)),
    ),
    "names that overlap": (
        lambda: _named(20_000), nv.Learner, put("name_ends", lambda a: np.where(
            np.arange(len(a)) % 2, 0, a[-1])),
    ),
}  # fmt: skip


def _named(count: int) -> nv.Perceptron:
    learner = nv.Perceptron()
    learner.update({f"n{k}": 1.0 for k in range(count)}, -1)
    return learner


@pytest.mark.parametrize("kind", LARGE)
def test_a_small_file_takes_little_memory(kind: str, tmp_path: Path) -> None:
    make, family, change = LARGE[kind]
    path = tmp_path / "x.model"
    make().save(path)
    resign(path, change)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    allowed = used + 10 * path.stat().st_size + SPARE
    resource.setrlimit(resource.RLIMIT_AS, (allowed, limits[1]))
    try:
        with pytest.raises(nv.InputError, match=r"x\.model: expected what save wrote") as caught:
            family.load(path)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert not isinstance(caught.value.__context__, MemoryError)


HYPOTHESES: dict[str, Change] = {
    "labels of lists": put("labels", [[1], 2]),
    "one label": put("labels", ["a"]),
    "a hashing of its own": put("hashing", {"bits": "x"}),
    "texts for weights": put("w", lambda a: a.view(np.uint8)[None]),
    "no bias weight": put("bias_weight", None),
    "numbers for names": put("hashing", 7),
}


@pytest.mark.parametrize("kind", HYPOTHESES)
def test_a_hypothesis_that_was_signed_again_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x.model"
    rounds = [({"x": 1.0}, "a"), ({"y": 1.0}, "b")]
    nv.Run(nv.Perceptron(), positive="a").play(rounds).hypothesis().save(path)
    resign(path, HYPOTHESES[kind])
    with pytest.raises(nv.InputError):
        nv.Hypothesis.load(path)


def table_of(path: Path) -> Any:
    return pa.ipc.open_file(pa.BufferReader(path.read_bytes())).read_all()


def rewrite(path: Path, table: Any, compression: str | None = None) -> None:
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (
        pa.OSFile(str(path), "wb") as file,
        pa.ipc.new_file(file, table.schema, options=options) as w,
    ):
        w.write_table(table)


def column(name: str, values: Any) -> Callable[[Any], Any]:
    return lambda table: table.set_column(
        table.schema.get_field_index(name), name, values(table.num_rows)
    )


LISTS = pa.list_(pa.int32())
CACHES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "labels of text": (column("label", lambda n: pa.array(["x"] * n)), "column label of string"),
    "labels of bools": (column("label", lambda n: pa.array([True] * n)), "column label of bool"),
    "no label": (column("label", lambda n: pa.array([None] * n, pa.float64())), "without a label"),
    "labels that are none": (column("label", lambda n: pa.array([float("nan")] * n)), "not num"),
    "classes of numbers": (column("class", lambda n: pa.array([1] * n)), "column class of int64"),
    "flat indices": (column("indices", lambda n: pa.array([1] * n, pa.int32())), "of int32"),
    "indices missing": (column("indices", lambda n: pa.array([None] * n, LISTS)), "without"),
    "indices below 0": (column("indices", lambda n: pa.array([[-1, -1, -1]] * n, LISTS)), "neg"),
    "other indices": (column("indices", lambda n: pa.array([[1]] * n, LISTS)), "more values"),
    "flat values": (column("values", lambda n: pa.array([1.0] * n)), "column values of double"),
    "a column less": (lambda table: table.drop_columns(["label"]), "the columns class"),
    "a column more": (lambda t: t.append_column("x", pa.nulls(t.num_rows)), "the columns label"),
    "a column of nothing": (column("class", pa.nulls), "column class of null"),
    "a dictionary": (
        column("class", lambda n: pa.array(["x"] * n).dictionary_encode()), "of dictionary",
    ),
}  # fmt: skip


def some_cache(path: Path) -> None:
    nv.cache([([1.0, 2.0, 3.0], 1), ([3.0, 1.0, 1.0], 0)], path)


@pytest.mark.parametrize("kind", CACHES)
def test_a_cache_with_other_columns_is_refused(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, expected = CACHES[kind]
    path = tmp_path / "x.arrow"
    some_cache(path)
    rewrite(path, table_of(path))
    assert nv.play(nv.Perceptron(), nv.read(path)).ledger.rounds == 2
    rewrite(path, change(table_of(path)))
    with pytest.raises(nv.InputError, match=r"x\.arrow: expected a whole cache, got: ") as caught:
        nv.play(nv.Perceptron(), nv.read(path))
    assert expected in str(caught.value)
    assert caller(capsys)(f"learn {path}").code == 3


DEEP = b"[" * 200_000
ENTRIES: dict[str, tuple[bytes, bytes, str]] = {
    "columns in columns": (b"columns", DEEP, "nested too deeply"),
    "a label in lists": (b"positive", DEEP, "nested too deeply"),
    "half a label": (b"positive", b"[[[", "Expecting value"),
    "a label that is a list": (b"positive", b"[1]", "a positive label that is none"),
    "a label that is no number": (b"positive", b"NaN", "NaN among the metadata"),
    "columns that are numbers": (b"columns", b"[1, 2, 3]", "not texts"),
    "a column twice": (b"columns", b'["a", "b", "a"]', "a column twice"),
    "an entry of a later version": (b"scale", b"2", "an unknown entry of the metadata 'scale'"),
}


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("kind", ENTRIES)
def test_what_a_cache_remembers_is_read_as_it_was_written_or_refused(
    kind: str, place: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Junk for the positive label was ignored, so that the rounds had other labels."""
    name, value, expected = ENTRIES[kind]
    paths = [tmp_path / "one.arrow", tmp_path / "two.arrow"]
    for path in paths:
        some_cache(path)
    table = table_of(paths[place])
    rewrite(paths[place], table.replace_schema_metadata({**table.schema.metadata, name: value}))
    said = rf"{paths[place].name}: expected a whole cache, got: .*Write it again, or update "
    with pytest.raises(nv.InputError, match=said) as caught:
        nv.play(nv.Perceptron(), nv.read(paths))
    assert expected in str(caught.value)
    assert caller(capsys)(f"learn {paths[0]} {paths[1]}").code == 3


def test_a_saved_run_names_every_column_once(tmp_path: Path) -> None:
    """As tables do: of two columns with one name, weights would be shown for one."""
    (tmp_path / "t.csv").write_text("height,weight,y\n1,2,1\n3,1,-1\n")
    run = nv.play(nv.Perceptron(), nv.read(tmp_path / "t.csv", label="y"))
    assert run.columns == ("height", "weight")
    for saved, base in ((run, nv.Run), (run.hypothesis(), nv.Hypothesis)):
        saved.save(tmp_path / "m")
        base.load(tmp_path / "m")
        resign(tmp_path / "m", put("columns", ["height", "height"]))
        with pytest.raises(nv.InputError, match="a column twice"):
            base.load(tmp_path / "m")


def test_the_memory_of_a_cache_is_read_once_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read twice, the label could be that of one file and the columns those of another."""
    some_cache(tmp_path / "x.arrow")
    read, remembered = list[str](), caches._remembered

    def counted(file: str) -> Any:
        read.append(file)
        return remembered(file)

    monkeypatch.setattr(caches, "_remembered", counted)
    caches.CacheStream((str(tmp_path / "x.arrow"),), Options())
    assert read == [str(tmp_path / "x.arrow")]


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("columns", [b"[]", b'["a"]', b'["a", "b"]'])
def test_a_cache_names_every_column(columns: bytes, place: int, tmp_path: Path) -> None:
    """With three names for 36 columns, its run fitted neither the table nor the true cache."""
    paths = [tmp_path / "one.arrow", tmp_path / "two.arrow"]
    for path in paths:
        nv.cache([([1.0, 2.0, 0.0], 1), ([3.0, 1.0, 1.0], 0)], path)
    table = table_of(paths[place])
    about = {**table.schema.metadata, b"columns": b'["a", "b", "c"]'}
    rewrite(paths[place], table.replace_schema_metadata(about))
    assert nv.play(nv.Perceptron(), nv.read(paths[place])).columns == ("a", "b", "c")
    rewrite(paths[place], table.replace_schema_metadata({**about, b"columns": columns}))
    with pytest.raises(nv.InputError, match=paths[place].name) as caught:
        nv.play(nv.Perceptron(), nv.read(paths))
    named = len(json.loads(columns))
    assert f"a value in column 3, with {named} columns named" in str(caught.value)


@pytest.mark.parametrize("names", [["a", "b", "b"], ["a", "a", "b"], ["a", "b", "a"], ["a", "b"]])
def test_a_cache_names_every_feature_once(names: list[str], tmp_path: Path) -> None:
    """The last name twice left an index without a name, which was read out of bounds."""
    path = tmp_path / "x.arrow"
    nv.cache([({"a": 1.0, "b": 2.0, "c": 3.0}, 1)], path)
    change = column("names", lambda _: pa.array([names], pa.list_(pa.utf8())))
    rewrite(path, change(table_of(path)))
    with pytest.raises(nv.InputError, match=r"x\.arrow: expected a whole cache, got: "):
        nv.play(nv.Perceptron(), nv.read(path))


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_a_cache_is_not_unpacked(compression: str, tmp_path: Path) -> None:
    """A few kilobytes may unpack to gigabytes; caches are written plain."""
    path = tmp_path / "x.arrow"
    some_cache(path)
    rewrite(path, table_of(path), compression)
    with pytest.raises(nv.InputError, match="got: compressed columns"):
        nv.play(nv.Perceptron(), nv.read(path))


def test_what_is_no_arrow_file_is_no_plain_one(tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    some_cache(path)
    data = path.read_bytes()
    refuse_packed(str(path))
    for bad in (data[:-1], data[:-10] + struct.pack("<i", 2**30) + data[-6:], b"ARROW1" * 4):
        path.write_bytes(bad)
        with pytest.raises(ValueError, match=r"."):
            refuse_packed(str(path))


class Meddling:
    """A kernel that asks or teaches its learner, once."""

    def __init__(self) -> None:
        self.meddle: Callable[[], Any] | None = None
        self.found: Any = None

    def __call__(self, x: Any, z: Any) -> float:
        meddle, self.meddle = self.meddle, None
        if meddle is not None:
            self.found = meddle()
        return float(np.dot(x, z))


def test_a_kernel_may_ask_its_learner_and_not_teach_it() -> None:
    """The user's own kernel runs inside the learner: to read there was to wait for ever."""
    kernel = Meddling()
    learner = nv.KernelPerceptron(kernel)
    learner.update([1.0, 0.0], -1)
    kernel.meddle = lambda: learner.predict([1.0, 0.0])
    assert (learner.predict([0.5, 0.0]), kernel.found) == (-1, -1)
    for act in (learner.predict, lambda x: learner.update(x, 1)):
        kernel.meddle = lambda: learner.update([0.0, 1.0], -1)
        with pytest.raises(nv.BusyError):
            act([0.5, 0.0])
    assert learner.rounds == 1


def test_a_kernel_learner_takes_no_memory_for_numbers_that_no_row_has() -> None:
    """One feature of a large number took a vector as long, 16 GiB, in every product."""
    far = 2**31 - 2
    rounds = [(([0], [1.0]), "a"), (([1, far], [1.0, 2.0]), "b"), (([far], [1.0]), "a")] * 3
    near = [((np.minimum(i, 2), v), y) for (i, v), y in rounds]
    found, expected = (
        nv.play(nv.OneVsRestKernelPerceptron(nv.polynomial(2)), stream)
        for stream in (rounds, [*near])
    )
    assert found.ledger.mistake_rounds.tolist() == expected.ledger.mistake_rounds.tolist()
    assert found.hypothesis()(rounds[1][0]) == expected.hypothesis()(near[1][0])
