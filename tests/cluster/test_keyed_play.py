"""One run per key: each as if it had been played alone, in archives of many runs."""

import io
import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load

import novikoff as nv
from novikoff import cluster
from novikoff.errors import InputError, ParameterError


def _rows(
    seed: int = 0, rows: int = 600, keys: int = 40
) -> "tuple[np.ndarray, np.ndarray, list[str]]":
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3)).round(3)
    y = np.where(X @ [2.0, -1.0, 0.5] > 0, 1, -1)
    return X, y, [f"sensor {k}" for k in rng.integers(0, keys, rows)]


def _table(path: Path, rows: int = 600) -> "tuple[np.ndarray, list[str], list[str]]":
    X, y, keys = _rows(rows=rows)
    labels = ["up" if sign > 0 else "down" for sign in y]
    lines = [
        ",".join(map(str, [k, *x, label])) for k, x, label in zip(keys, X, labels, strict=True)
    ]
    path.write_text("\n".join(["who,a,b,c,label", *lines, ""]))
    return X, labels, keys


def _contents(folder: Path) -> dict[str, list[object]]:
    """What every archive holds: the header of its bundles lists their parts in any order.

    So the bundles of equal runs may have other digests.
    """
    found: dict[str, list[object]] = {}
    for path in sorted(folder.glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            texts = [archive.read(name) for name in ("keys.json", "summaries.json")]
            bundles = [load(archive.read(name)) for name in names if name.endswith(".runs")]
            plain = [{name: a.tolist() for name, a in bundle.items()} for bundle in bundles]
            found[path.name] = [names, texts, plain]
    return found


@pytest.mark.parametrize("make", [nv.Perceptron, nv.Blend, nv.AveragedPerceptron])
def test_every_run_is_the_one_its_rows_give_alone(make: "type[nv.Perceptron]") -> None:
    X, y, keys = _rows()
    runs = cluster.play_by(keys, make(), nv.stream(X, y))
    assert set(runs) == set(keys)
    assert len(runs) == len(set(keys))
    for key in [*runs][:12]:
        mine = np.array([k == key for k in keys])
        alone, run = nv.play(make(), nv.stream(X[mine], y[mine])), runs[key]
        assert np.array_equal(run.ledger.mistake_rounds, alone.ledger.mistake_rounds)
        assert run.learner.state().keys() == alone.learner.state().keys()
        for name, array in alone.learner.state().items():
            assert np.array_equal(run.learner.state()[name], array), name


def test_sparse_rows_and_dicts_are_played_alike() -> None:
    scipy = pytest.importorskip("scipy.sparse", reason="the sparse rows are SciPy's")
    X, y, keys = _rows()
    X[np.abs(X) < 0.7] = 0
    dicts = [{f"f{j}": v for j, v in enumerate(x) if v} for x in X.tolist()]
    found = [
        [(row.key, row.mistakes) for row in cluster.play_by(keys, nv.Perceptron(), s).summaries()]
        for s in (nv.stream(X, y), nv.stream(scipy.csr_array(X), y), nv.stream(dicts, y))
    ]
    assert found[0] == found[1] == found[2]


def test_a_column_of_a_file_may_hold_the_keys(tmp_path: Path) -> None:
    X, labels, keys = _table(tmp_path / "rows.csv")
    runs = cluster.play_by("who", nv.Blend(), nv.read(tmp_path / "rows.csv"))
    key = keys[0]
    mine = np.array([k == key for k in keys])
    chosen = [label for label, own in zip(labels, mine, strict=True) if own]
    alone = nv.play(
        nv.Run(nv.Blend(), labels=["down", "up"]).learner, nv.stream(X[mine], chosen, positive="up")
    )
    assert runs[key].ledger.loss == alone.ledger.loss
    assert runs[key].predict([[9.0, -9.0, 9.0]]).tolist() == ["up"]
    assert runs[key].learner.dimension == 3  # the key is no feature


def test_partitions_readings_and_workers_do_not_change_a_run(tmp_path: Path) -> None:
    X, y, keys = _rows()
    kept = []
    for partitions, readings in ((1, 1), (5, 1), (5, 3), (5, 9)):
        runs = cluster.play_by(
            keys, nv.Perceptron(), nv.stream(X, y), partitions=partitions, readings=readings,
            folder=tmp_path / f"{partitions}-{readings}",
        )  # fmt: skip
        kept.append(sorted((row.plain.items() for row in runs.summaries()), key=str))
    assert all(found == kept[0] for found in kept)
    assert _contents(tmp_path / "5-1") == _contents(tmp_path / "5-9")


def test_an_interrupted_play_goes_on_with_the_partitions_that_are_missing(tmp_path: Path) -> None:
    X, y, keys = _rows()
    folder = tmp_path / "runs"
    options = {"folder": folder, "partitions": 4}
    cluster.play_by(keys, nv.Perceptron(), nv.stream(X, y), **options)  # type: ignore[arg-type]
    before = _contents(folder)
    (folder / "part-00002.zip").unlink()
    marked = folder / "part-00001.zip"
    time = marked.stat().st_mtime_ns
    again = cluster.play_by(keys, nv.Perceptron(), nv.stream(X, y), **options)  # type: ignore[arg-type]
    assert _contents(folder) == before
    assert marked.stat().st_mtime_ns == time
    assert len(again) == len(set(keys))


def test_other_work_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    X, y, keys = _rows()
    cluster.play_by(keys, nv.Perceptron(), nv.stream(X, y), folder=tmp_path)
    with pytest.raises(InputError, match="Name another folder"):
        cluster.play_by(keys, nv.Perceptron(bias=1.0), nv.stream(X, y), folder=tmp_path)


def test_a_folder_is_read_again_and_a_run_taken_out_is_an_ordinary_one(tmp_path: Path) -> None:
    X, y, keys = _rows()
    folder = tmp_path / "runs"
    runs = cluster.play_by(keys, nv.Perceptron(), nv.stream(X, y), folder=folder)
    again = cluster.KeyedRuns(folder)
    assert [*again.summaries()] == [*runs.summaries()]
    again[keys[0]].save(tmp_path / "one.model")
    one = nv.Run.load(tmp_path / "one.model")
    assert one.mistakes == again[keys[0]].mistakes
    assert one.play(nv.stream(X, y)).ledger.rounds == len(y) + keys.count(keys[0])
    assert keys[0] in again
    assert "nobody" not in again
    with pytest.raises(KeyError):
        again["nobody"]


def test_numbers_and_texts_are_different_keys() -> None:
    X, y, _ = _rows(rows=4)
    runs = cluster.play_by([7, "7", 7, "7"], nv.Perceptron(), nv.stream(X, y))
    assert {row.key: row.rounds for row in runs.summaries()} == {7: 2, "7": 2}


def test_the_worst_the_best_and_the_drifted_are_found() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6000, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    keys = np.repeat(["calm", "noisy", "turns"], 2000)
    y[2000:4000] = rng.choice([-1, 1], 2000)
    y[5000:] *= -1
    asked = cluster.Asked(window=100)
    runs = cluster.play_by(keys.tolist(), nv.Perceptron(), nv.stream(X, y), asked=asked)
    assert runs.best(1)[0].key == "calm"
    assert [row.key for row in runs.drifted()] == ["turns"]
    found = {row.key: row for row in runs.summaries()}
    assert found["turns"].alarm is not None
    assert 1000 < found["turns"].alarm <= 1300
    alone = nv.play(nv.Perceptron(), nv.stream(X[2000:4000], y[2000:4000]))
    assert found["noisy"].error_bound == nv.error_bound(alone.ledger).value
    columns = runs.columns()
    assert columns["key"] == [row.key for row in runs.summaries()]
    assert columns["mistakes"] == [row.mistakes for row in runs.summaries()]


def test_what_cannot_be_played_is_refused_by_name(tmp_path: Path) -> None:
    X, y, keys = _rows(rows=10)
    stream = nv.stream(X, y)
    with pytest.raises(InputError, match="one key per row, got only 9"):
        cluster.play_by(keys[:9], nv.Perceptron(), stream)
    with pytest.raises(InputError, match="more than 10"):
        cluster.play_by([*keys, "a"], nv.Perceptron(), stream)
    with pytest.raises(InputError, match="expected CSV, JSON, Parquet or Arrow files"):
        cluster.play_by("who", nv.Perceptron(), stream)
    with pytest.raises(InputError, match="row 3: expected a text or a number of 64 bits for a key"):
        cluster.play_by(["a", "b", None, *keys[3:]], nv.Perceptron(), stream)
    with pytest.raises(ParameterError, match="partitions"):
        cluster.play_by(keys, nv.Perceptron(), stream, partitions=0)
    bad = X.copy()
    bad[4, 1] = np.nan
    with pytest.raises(InputError, match=f"key '{keys[4]}'.*nan"):
        cluster.play_by(keys, nv.Perceptron(), nv.stream(bad, y))
    (tmp_path / "rows.csv").write_text("who,a,label\nx,1,1\n,2,0\n")
    with pytest.raises(InputError, match=r"rows\.csv:3"):
        cluster.play_by("who", nv.Perceptron(), nv.read(tmp_path / "rows.csv"))


def test_damaged_archives_are_refused(tmp_path: Path) -> None:
    X, y, keys = _rows()
    cluster.play_by(keys, nv.Perceptron(), nv.stream(X, y), folder=tmp_path, partitions=1)
    path = tmp_path / "part-00000.zip"
    whole = path.read_bytes()
    for damaged in (b"", whole[:100], whole[:-30], b"x" * 50):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"part-00000\.zip: expected an archive of runs"):
            len(cluster.KeyedRuns(tmp_path))
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    del parts["seal.json"]  # it would refuse all of these; the first archives had none
    keys = json.loads(parts["keys.json"])
    columns = json.loads(parts["summaries.json"])
    for name, text in (
        ("keys.json", "[]"),
        ("keys.json", "{}"),
        ("keys.json", "[" * 10**5),
        ("keys.json", json.dumps(keys | {"format": "shards/1"})),
        ("keys.json", json.dumps(keys | {"keys": [[]]})),
        ("keys.json", json.dumps(keys | {"keys": keys["keys"][:1] * 2})),
        ("summaries.json", "{}"),
        ("summaries.json", json.dumps(columns | {"rounds": [1]})),
        ("summaries.json", json.dumps(columns | {"rounds": ["a"] * len(keys["keys"])})),
        ("summaries.json", " " * 2**25),
        ("0.runs", parts["0.runs"][:-1]),
        ("0.runs", parts["0.runs"][:500] + b"?" + parts["0.runs"][501:]),
    ):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for part, data in (parts | {name: text}).items():
                archive.writestr(part, data)
        runs = cluster.KeyedRuns(tmp_path)
        with pytest.raises(InputError, match="expected an archive of runs") as caught:
            [*runs.summaries(), *runs.values()]
        assert tempfile.gettempdir() not in str(caught.value).replace(str(path), "")
