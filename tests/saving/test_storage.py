"""Files: what was saved comes back, what was tampered with is refused, nothing crashes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load, save_file

import novikoff as nv
from cases import CASES, Case, labels
from novikoff.saving import storage


def _saved(case: Case, folder: Path) -> tuple[Any, Any]:
    """A run, a learner and a hypothesis of the case, and rows to try them on."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((80, 5)) * 2.0 ** rng.integers(-70, 70, (80, 5))
    X = X[: 16 if case.slow else None]
    y = labels(case, rng, (X if case.floats else np.sign(X)) @ np.ones(5))
    run = nv.play(case.make(), nv.stream(X, y))
    run.save(folder / "run")
    run.learner.save(folder / "learner")
    run.hypothesis().save(folder / "hypothesis")
    return X, y


LOADERS: dict[str, Any] = {"run": nv.Run, "learner": nv.Learner, "hypothesis": nv.Hypothesis}

TAMPERINGS: dict[str, Any] = {
    "shorter": lambda a: a[:-1],
    "empty": lambda a: a[:0],
    "doubled": lambda a: a + a,
    "longer": lambda a: np.concatenate([a, a]),
    "one dimension more": lambda a: a.reshape(1, *a.shape),
    "negative": lambda a: -np.abs(a) - 7,
    "huge": lambda a: np.full_like(a, np.iinfo(a.dtype).max if a.dtype.kind in "iu" else 1e308),
    "not finite": lambda a: np.full_like(a, np.nan) if a.dtype.kind == "f" else a - 2**30,
    "other type": lambda a: a.astype(np.float32 if a.dtype.kind in "iu" else np.int16),
}


@pytest.mark.parametrize("kind", LOADERS)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_tampered_arrays_are_refused_or_harmless(case: Case, kind: str, tmp_path: Path) -> None:
    X, y = _saved(case, tmp_path)
    with safe_open(tmp_path / kind, framework="numpy") as file:
        metadata = file.metadata()
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    refused = 0
    for name, array in arrays.items():
        for tamper in TAMPERINGS.values():
            with np.errstate(all="ignore"):
                changed = arrays | {name: np.ascontiguousarray(tamper(array))}
            save_file(changed, tmp_path / "tampered", metadata)
            try:
                _use(LOADERS[kind].load(tmp_path / "tampered"), X, y)
            except nv.NovikoffError:
                refused += 1
    assert refused > len(arrays)
    for name in arrays:
        save_file({k: a for k, a in arrays.items() if k != name}, tmp_path / "tampered", metadata)
        with pytest.raises(nv.InputError, match="expected what save wrote"):
            LOADERS[kind].load(tmp_path / "tampered")


def _use(loaded: Any, X: Any, y: Any) -> None:
    """Whatever was loaded must work or refuse; it must not crash."""
    if isinstance(loaded, nv.Run):
        loaded.play(nv.stream(X, y))
        loaded.predict(X)
        _ = loaded.ledger.checkpoints, loaded.ledger.recent_error_rate
    elif isinstance(loaded, nv.Learner):
        for x in X[:5]:
            loaded.predict(x)
            loaded.update(x, 0 if loaded.multiclass else 1)
        loaded.hypothesis().scores(X)
    else:
        loaded.predict(X)
        loaded.scores(X)


def test_tampered_metadata_are_refused(tmp_path: Path) -> None:
    _saved(CASES[0], tmp_path)
    with safe_open(tmp_path / "run", framework="numpy") as file:
        header = file.metadata()
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    good = json.loads(header["metadata"])
    for text in (
        "not json",
        "[]",
        "{}",
        json.dumps(good | {"learner": "os.system"}),
        json.dumps(good | {"parameters": {"ties": "never"}}),
        json.dumps(good | {"parameters": {"unknown": 1}}),
        json.dumps(good | {"labels": 5}),
    ):
        save_file(arrays, tmp_path / "tampered", header | {"metadata": text})
        with pytest.raises(nv.NovikoffError):
            nv.Run.load(tmp_path / "tampered")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_saved_twice_has_the_same_bytes(case: Case, tmp_path: Path) -> None:
    """The entries of the header had a random order, so no two files of one run were equal."""
    _saved(case, tmp_path)
    found = {name: (tmp_path / name).read_bytes() for name in LOADERS}
    _saved(case, tmp_path)
    assert found == {name: (tmp_path / name).read_bytes() for name in LOADERS}
    nv.Run.load(tmp_path / "run").save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == found["run"]
    assert nv.Run.load(tmp_path / "again").packed() == found["run"]


def test_arrays_of_every_type_are_aligned_and_read_back(tmp_path: Path) -> None:
    types = ("uint8", "float64", "int32", "float32", "bool", "int64", "uint64", "float16")
    arrays = {f"a{k}": np.ones((k, 3), kind) for k, kind in enumerate(types)}
    arrays["slices"] = np.arange(12).reshape(3, 4)[:, ::2]
    data = storage.packed("Runs", {"é": "ü"}, arrays)
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    for name, array in load(data).items():
        assert np.array_equal(array, arrays[name])
        assert array.dtype == arrays[name].dtype
        assert (8 + size + header[name]["data_offsets"][0]) % array.itemsize == 0


@pytest.mark.parametrize(
    "array", [np.arange(3, dtype=">f8"), np.arange(3, dtype=">u2"), np.arange(6).reshape(2, 3).T]
)
def test_arrays_in_another_order_are_read_back(array: Any, tmp_path: Path) -> None:
    """A learner of somebody else's may have read them from a file of another machine."""
    (tmp_path / "m").write_bytes(storage.packed("X", {}, {"a": array}))
    assert storage.read(tmp_path / "m", ("X",))[2]["a"].tolist() == array.tolist()


@pytest.mark.parametrize("array", [np.array(["ab"]), np.array([1j]), np.array([1], np.longdouble)])
def test_arrays_of_anything_else_are_refused(array: Any) -> None:
    with pytest.raises(nv.InputError, match=r"numbers of at most 8 bytes, got .* for 'a'"):
        storage.packed("X", {}, {"a": array})


def test_a_failed_save_leaves_what_was_there(tmp_path: Path) -> None:
    h = nv.Halfspace([1.0, 2.0])
    h.save(tmp_path / "h")
    with pytest.raises(nv.InputError, match="labels"):
        h.with_labels((("a", object()), "b")).save(tmp_path / "h")
    assert nv.Halfspace.load(tmp_path / "h").w.tolist() == [1.0, 2.0]
    assert [p.name for p in tmp_path.iterdir()] == ["h"]
