"""The plan of a folder says what was begun in it; a play with another one is refused by name."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

import novikoff as nv
from novikoff import cluster
from novikoff.cluster.run_bundles import bundled, unbundled
from novikoff.saving import storage

X = np.array([[1.0, 0.5], [-1.0, 2.0], [0.5, -2.0], [-0.5, 1.0]] * 10)
Y = np.array([1, -1, 1, -1] * 10)
KEYS = ["a", "b"] * 20
Play = Callable[[Path], object]


def keyed(folder: Path, learner: nv.Learner | None = None, partitions: int = 1) -> object:
    rows = nv.stream(X, Y)
    return cluster.play_by(
        KEYS, learner or nv.Perceptron(), rows, folder=folder, partitions=partitions
    )


def mixed(folder: Path) -> object:
    return cluster.play(nv.Perceptron(), nv.stream(X, Y), shards=2, folder=folder)


def blended(folder: Path) -> object:
    rows = nv.stream(X, Y)
    return cluster.play(nv.Blend(), rows, shards=2, held_out=0.25, folder=folder)


PLANS: list[tuple[Play, str, str]] = [
    (keyed, "runs.json", "keyed-runs/1"),
    (mixed, "plan.json", "shards/1"),
    (blended, "runs.json", "shards/1"),
]
NAMES = ["keyed", "mixed", "blended"]


@pytest.mark.parametrize(("play", "name", "format"), PLANS, ids=NAMES)
def test_a_plan_says_its_version_and_may_be_written_otherwise(
    play: Play, name: str, format: str, tmp_path: Path
) -> None:
    play(tmp_path)
    plan = json.loads((tmp_path / name).read_text())
    assert plan["format"] == format
    (tmp_path / name).write_text(json.dumps(dict(reversed(plan.items())), sort_keys=True))
    play(tmp_path)


@pytest.mark.parametrize(("play", "name", "format"), PLANS, ids=NAMES)
def test_a_damaged_or_later_plan_is_refused(
    play: Play, name: str, format: str, tmp_path: Path
) -> None:
    play(tmp_path)
    path = tmp_path / name
    text = path.read_text()
    later = format.replace("/1", "/2")
    for changed, said in (
        (b"", f"expected a plan .{format}., got another file"),
        (b"[" * 10**5, "nested too deeply"),
        (b"\xff" * 10, f"expected a plan .{format}., got another file"),
        (b"[1]", "got nothing of this name"),
        (b"{}", "got nothing of this name"),
        (text.replace(format, "novikoff/1").encode(), "got 'novikoff/1'"),
        (text.replace(format, later).encode(), rf"{format}, got {later}, a later version\. Update"),
    ):
        path.write_bytes(changed)
        with pytest.raises(nv.InputError, match=f"{name}: .*{said}"):
            play(tmp_path)
        assert path.read_bytes() == changed, "nothing is changed"
    path.unlink()
    path.mkdir()
    with pytest.raises(nv.InputError, match="expected a regular file with a plan, got a folder"):
        play(tmp_path)


def test_what_differs_is_named(tmp_path: Path) -> None:
    keyed(tmp_path)
    with pytest.raises(nv.InputError, match="got another 'partitions'"):
        keyed(tmp_path, partitions=2)
    with pytest.raises(nv.InputError, match="got another 'learner' and another 'parameters'"):
        keyed(tmp_path, nv.Minnow(0.5))
    plan = json.loads((tmp_path / "runs.json").read_text())
    (tmp_path / "runs.json").write_text(json.dumps(plan | {"later": 1}))
    with pytest.raises(nv.InputError, match="got another 'later'"):
        keyed(tmp_path)


def test_runs_by_key_read_the_plan_as_a_play_does(tmp_path: Path) -> None:
    keyed(tmp_path)
    path = tmp_path / "runs.json"
    plan = json.loads(path.read_text())
    for changed, said in (
        ({}, "expected a plan"),
        (plan | {"format": "keyed-runs/2"}, "a later version"),
        (plan | {"partitions": True}, "expected a number of partitions, got True"),
        (plan | {"partitions": 0}, "expected a number of partitions, got 0"),
    ):
        path.write_text(json.dumps(changed))
        with pytest.raises(nv.InputError, match=said):
            cluster.KeyedRuns(tmp_path)


def test_an_archive_of_a_later_version_is_refused(tmp_path: Path) -> None:
    keyed(tmp_path)
    path = tmp_path / "part-00000.zip"
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["keys.json"] = parts["keys.json"].replace(b"keyed-runs/1", b"keyed-runs/2")
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(nv.InputError, match=r"keyed-runs/1, got keyed-runs/2, a later version\."):
        len(cluster.KeyedRuns(tmp_path))


@pytest.mark.parametrize(
    ("field", "array", "said"),
    [
        ({"later": 1}, {}, "an unknown field 'later'"),
        ({}, {"later": np.zeros(2)}, "an unknown array 'later'"),
    ],
)
def test_what_we_do_not_know_in_a_bundle_is_named(
    field: dict[str, object], array: dict[str, np.ndarray], said: str, tmp_path: Path
) -> None:
    runs = [nv.play(nv.Perceptron(), nv.stream(X, Y)) for _ in range(2)]
    data = bundled(runs)
    assert unbundled(data, "0.runs").run(1).mistakes == runs[1].mistakes
    (tmp_path / "0.runs").write_bytes(data)
    with safe_open(tmp_path / "0.runs", framework="numpy") as file:
        metadata = json.loads(file.metadata()["metadata"])
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    with pytest.raises(nv.InputError, match=said):
        unbundled(storage.packed("Runs", metadata | field, arrays | array), "0.runs")
