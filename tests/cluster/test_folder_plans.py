"""The plan of a folder says what was begun in it; a play with another one is refused by name."""

import hashlib
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
from novikoff.cluster.plans import begin_or_go_on
from novikoff.cluster.run_bundles import bundled, unbundled
from novikoff.cluster.run_folders import KeyedPlan
from novikoff.saving import storage
from novikoff.saving.versions import RUNS, SHARDS

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
        (b"[1]", "got one without a format"),
        (b"{}", "got one without a format"),
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
    with pytest.raises(nv.InputError, match="begun with: partitions 1, got 2"):
        keyed(tmp_path, partitions=2)
    said = r"learner 'Perceptron', got 'Minnow'; parameters\.eta nothing, got 0\.5; "
    with pytest.raises(nv.InputError, match=said):
        keyed(tmp_path, nv.Minnow(0.5))
    plan = json.loads((tmp_path / "runs.json").read_text())
    (tmp_path / "runs.json").write_text(json.dumps(plan | {"later": 1}))
    with pytest.raises(nv.InputError, match="later 1, got nothing"):
        keyed(tmp_path)


def test_a_release_with_one_more_parameter_reads_the_runs_and_does_not_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/formats.md says."""
    plain = KeyedPlan.plain

    def before(plan: KeyedPlan, kept: bool) -> dict[str, object]:
        found = plain(plan, kept)
        parameters = dict(plan.fresh.ledger.parameters)
        parameters.popitem()  # as the release before had one less
        return found | {"parameters": parameters}

    with monkeypatch.context() as release:
        release.setattr(KeyedPlan, "plain", before)
        keyed(tmp_path)
    with pytest.raises(nv.InputError, match=r"parameters\.hashing nothing, got None\."):
        keyed(tmp_path)
    assert cluster.KeyedRuns(tmp_path)["a"].ledger.rounds == 20


@pytest.mark.parametrize(("play", "name", "format"), PLANS, ids=NAMES)
def test_a_field_without_a_value_is_a_field(
    play: Play, name: str, format: str, tmp_path: Path
) -> None:
    play(tmp_path)
    plan = json.loads((tmp_path / name).read_text())
    (tmp_path / name).write_text(json.dumps(plan | {"decision": None}))
    with pytest.raises(nv.InputError, match="decision None, got nothing"):
        play(tmp_path)
    for field, value in plan.items():
        if value is None:
            without = {one: plan[one] for one in plan if one != field}
            (tmp_path / name).write_text(json.dumps(without))
            with pytest.raises(nv.InputError, match=f"{field} nothing, got None"):
                play(tmp_path)


@pytest.mark.parametrize(
    ("one", "other"),
    [([False, True], [0, 1]), (1, 1.0), (True, 1), (None, False), ({"a": 1}, {"a": 1.0}), ("1", 1)],
)
def test_values_of_other_types_are_other_values(one: object, other: object, tmp_path: Path) -> None:
    """Runs with the labels false and true are not runs with 0 and 1."""
    path = str(tmp_path / "plan.json")
    begin_or_go_on(path, SHARDS, {"labels": one})
    begin_or_go_on(path, SHARDS, {"labels": one})
    with pytest.raises(nv.InputError, match=r"begun with: labels"):
        begin_or_go_on(path, SHARDS, {"labels": other})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"b": 1, "a": 2}, [(1, 2)]])
def test_a_value_is_its_own_equal(value: object, tmp_path: Path) -> None:
    path = str(tmp_path / "plan.json")
    begin_or_go_on(path, SHARDS, {"value": value})
    begin_or_go_on(path, SHARDS, {"value": value})


def test_what_a_hostile_plan_says_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    long = "x" * 100_000
    for plan, said in (
        ({"format": long}, "expected a plan"),
        ({"format": ["x"] * 100_000}, "expected a plan"),
        ({"format": "keyed-runs/1"} | {f"{k}{long}": 1 for k in range(20)}, "and 17 more"),
        ({"format": "keyed-runs/1", "partitions": long}, "partitions 'xxx"),
    ):
        path.write_text(json.dumps(plan))
        with pytest.raises(nv.InputError, match=said) as caught:
            begin_or_go_on(str(path), RUNS, {"partitions": 1, "learner": "Perceptron"})
        assert len(str(caught.value)) < 700
        with pytest.raises(nv.InputError) as caught:
            cluster.KeyedRuns(tmp_path)
        assert len(str(caught.value)) < 500
    path.write_text('{"format": "keyed-runs/1", "partitions": ' + "[" * 500 + "]" * 500 + "}")
    with pytest.raises(nv.InputError, match="expected a number of partitions, got"):
        cluster.KeyedRuns(tmp_path)


def test_runs_by_key_read_the_plan_as_a_play_does(tmp_path: Path) -> None:
    keyed(tmp_path)
    path = tmp_path / "runs.json"
    plan = json.loads(path.read_text())
    for changed, said in (
        ({}, "expected a plan"),
        (plan | {"format": "keyed-runs/2"}, "a later version"),
        (plan | {"partitions": True}, "expected a number of partitions, got True"),
        (plan | {"partitions": 0}, "expected a number of partitions, got 0"),
        (plan | {"decision": 1}, r"an unknown field 'decision'\. Update novikoff"),
        (plan | {"decision": None}, "an unknown field 'decision'"),
        (plan | {"asked": plan["asked"] | {"decision": 1}}, "an unknown field 'decision'"),
    ):
        path.write_text(json.dumps(changed))
        with pytest.raises(nv.InputError, match=said):
            cluster.KeyedRuns(tmp_path)


def changed_archive(folder: Path, change: Callable[[dict[str, bytes]], object]) -> None:
    """Play by key, and change the archive, as a version might that seals what it writes."""
    keyed(folder)
    path = folder / "part-00000.zip"
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    seal = json.loads(parts.pop("seal.json"))
    seal["sha256"] = {name: hashlib.sha256(data).hexdigest() for name, data in parts.items()}
    parts["seal.json"] = json.dumps(seal).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def put(name: str, **fields: object) -> Callable[[dict[str, bytes]], object]:
    """Put fields into one of the files of an archive."""
    return lambda parts: parts.update({name: json.dumps(json.loads(parts[name]) | fields).encode()})


def summaries(folder: Path) -> object:
    return list(cluster.KeyedRuns(folder).summaries())


def test_an_archive_of_a_later_version_is_refused(tmp_path: Path) -> None:
    changed_archive(tmp_path, put("keys.json", format="keyed-runs/2"))
    with pytest.raises(nv.InputError, match=r"keyed-runs/1, got keyed-runs/2, a later version\."):
        len(cluster.KeyedRuns(tmp_path))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("keys.json", decision=1), "an unknown field 'decision'"),
        (put("keys.json", decision=None), "an unknown field 'decision'"),
        (put("summaries.json", decision=[1, 2]), "an unknown column 'decision'"),
        (put("seal.json", decision=1), "an unknown field 'decision'"),
        (
            lambda parts: parts.update({"later.json": b"{}"}),
            "an unknown entry 'later.json'",
        ),
    ],
)
def test_what_we_do_not_know_in_an_archive_is_named(
    change: Callable[[dict[str, bytes]], object], said: str, tmp_path: Path
) -> None:
    changed_archive(tmp_path, change)
    with pytest.raises(nv.InputError, match=rf"part-00000.zip: .*{said}.* update novikoff, which"):
        summaries(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        put("keys.json", format="x" * 100_000),
        put("keys.json", **{"x" * 100_000: 1}),
        put("summaries.json", **{"x" * 100_000: 1}),
        put("seal.json", **{"x" * 100_000: 1}),
        put("seal.json", plan="x" * 100_000),
        lambda parts: parts.update({"x" * 60_000: b"{}"}),
    ],
    ids=["format", "field", "column", "field of the seal", "plan", "entry"],
)
def test_what_a_hostile_archive_says_is_cut(
    change: Callable[[dict[str, bytes]], object], tmp_path: Path
) -> None:
    changed_archive(tmp_path, change)
    with pytest.raises(nv.InputError, match="expected an archive") as caught:
        summaries(tmp_path)
    assert len(str(caught.value)) < 700


def test_an_archive_with_two_names_for_an_entry_is_cut(tmp_path: Path) -> None:
    """Its directory says keys.json, and its entry another name, of any length."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("keys.json" + "x" * 50_000, b"{}")
    keyed(tmp_path)
    whole, size = data.getvalue(), len("keys.json") + 50_000
    place = whole.index(b"PK\x01\x02")
    short = whole[place : place + 28] + len("keys.json").to_bytes(2, "little")
    short += whole[place + 30 : place + 46] + b"keys.json"
    end = bytearray(whole[place + 46 + size :])
    end[12:16] = len(short).to_bytes(4, "little")
    (tmp_path / "part-00000.zip").write_bytes(whole[:place] + short + end)
    with pytest.raises(nv.InputError, match="expected an archive") as caught:
        summaries(tmp_path)
    assert len(str(caught.value)) < 700


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


def test_keyed_plays_at_an_address_know_its_size(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="the extra novikoff[cluster] is not installed")
    lines = "who,a,y\n" + "ann,1,1\nben,2,-1\n" * 20
    for text in (lines, lines, lines + "ann,3,1\n"):
        with fsspec.open("memory://keyed-plans.csv", "w") as file:
            file.write(text)
        stream = nv.read("memory://keyed-plans.csv", label="y")
        if text == lines:
            assert len(cluster.play_by("who", nv.Perceptron(), stream, folder=tmp_path)) == 2
    with pytest.raises(nv.InputError, match=r"begun with: memory://.*\.csv of 348 bytes, got one"):
        cluster.play_by("who", nv.Perceptron(), stream, folder=tmp_path)
