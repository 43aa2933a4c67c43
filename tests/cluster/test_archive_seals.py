"""An archive belongs to its partition, its plan and its keys; another one is refused by name.

A refusal says what to do: remove the file and play again with the same folder.
"""

import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import novikoff as nv
from novikoff import cluster
from novikoff.cli import main
from novikoff.cluster.key_partitions import partition_of
from novikoff.cluster.run_bundles import bundled, unbundled

Parts = dict[str, bytes]
KEYS = [f"c{t % 20}" for t in range(600)]
_rng = np.random.default_rng(0)
X = _rng.normal(size=(600, 2)).round(3)
Y = np.where(X[:, 0] > 0, 1, -1)
ZERO, ONE = "part-00000.zip", "part-00001.zip"
ADVICE = (
    "Put back the folder's own copy, or remove this file and play again with the same folder: only "
    "the keys of this file are then played"
)


def played(folder: Path, rows: int = 600, learner: nv.Learner | None = None) -> cluster.KeyedRuns:
    stream = nv.stream(X[:rows], Y[:rows])
    return cluster.play_by(
        KEYS[:rows], learner or nv.Perceptron(), stream, folder=folder, partitions=2
    )


def parts_of(path: Path) -> Parts:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path: Path, parts: Parts) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def without_seals(folder: Path) -> None:
    """Make the folder as it was before there were seals."""
    plan = json.loads((folder / "runs.json").read_text())
    assert plan.pop("sealed") is True
    (folder / "runs.json").write_text(json.dumps(plan))
    for path in folder.glob("part-*.zip"):
        write(path, {name: data for name, data in parts_of(path).items() if name != "seal.json"})


def swap(folder: Path) -> None:
    (folder / ZERO).rename(folder / "x")
    (folder / ONE).rename(folder / ZERO)
    (folder / "x").rename(folder / ONE)


def copy(folder: Path) -> None:
    shutil.copy(folder / ZERO, folder / ONE)


def edited(change: Callable[[Parts], object]) -> Callable[[Path], None]:
    """Return what changes the entries of the first archive."""

    def damage(folder: Path) -> None:
        parts = parts_of(folder / ZERO)
        change(parts)
        write(folder / ZERO, parts)

    return damage


def renamed(parts: Parts) -> None:
    """Swap two keys, so that each gets the run of the other."""
    found = json.loads(parts["keys.json"])
    found["keys"][:2] = reversed(found["keys"][:2])
    parts["keys.json"] = json.dumps(found).encode()


def without_mistakes(parts: Parts) -> None:
    found = json.loads(parts["summaries.json"])
    found["mistakes"] = [0] * len(found["mistakes"])
    parts["summaries.json"] = json.dumps(found).encode()


def flipped(parts: Parts) -> None:
    data = bytearray(parts["0.runs"])
    data[-9] ^= 1
    parts["0.runs"] = bytes(data)


def summed_again(folder: Path) -> list[cluster.KeySummary]:
    return [*cluster.KeyedRuns(folder).summaries()]


def all_read(folder: Path) -> None:
    runs = cluster.KeyedRuns(folder)
    [*runs.summaries(), *runs.values()]


DAMAGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "a copy": (copy, ONE, "runs of partition 1 of 2 .*got those of partition 0 of 2"),
    "swapped": (swap, ZERO, "runs of partition 0 of 2 .*got those of partition 1 of 2"),
    "keys": (edited(renamed), ZERO, "keys.json that has changed since it was sealed"),
    "mistakes": (edited(without_mistakes), ZERO, "summaries.json that has changed since"),
    "gone": (edited(lambda parts: parts.pop("0.runs")), ZERO, "no entry 0.runs"),
    "zeroed": (
        edited(lambda parts: parts.update({"0.runs": bytes(len(parts["0.runs"]))})),
        ZERO,
        "0.runs that has changed since",
    ),
    "flipped": (edited(flipped), ZERO, "0.runs that has changed since"),
    "one more": (
        edited(lambda parts: parts.update({"1.runs": b""})), ZERO, "1.runs that is not sealed"
    ),
    "no seal": (edited(lambda parts: parts.pop("seal.json")), ZERO, r"no entry seal\.json"),
    "no seal of it": (
        edited(lambda parts: parts.update({"seal.json": b"[]"})), ZERO, "expected an object"
    ),
}  # fmt: skip


def fewer(parts: Parts) -> None:
    """Leave the last run out of its bundle."""
    count = len(json.loads(parts["keys.json"])["keys"])
    bundle = unbundled(parts["0.runs"], "0.runs")
    parts["0.runs"] = bundled(bundle.run(number) for number in range(count - 1))


OLD = {
    "a copy": (copy, ONE, "the key 'c.+' of partition 0, here in partition 1"),
    "swapped": (swap, ZERO, "the key 'c.+' of partition 1, here in partition 0"),
    "keys": (edited(renamed), ZERO, "the key 'c.+' out of order"),
    "mistakes": (edited(without_mistakes), ZERO, "mistakes / rounds for each error_rate"),
    "gone": (DAMAGES["gone"][0], ZERO, "no entry 0.runs"),
    "zeroed": (DAMAGES["zeroed"][0], ZERO, "got another file"),
    "flipped": (DAMAGES["flipped"][0], ZERO, "got another file"),
    "fewer": (edited(fewer), ZERO, "another file"),
    "one more": (DAMAGES["one more"][0], ZERO, "4 entries; .* keys have 3"),
}


def check(folder: Path, damage: Callable[[Path], None], name: str, said: str) -> None:
    """Every reader refuses it, and what a refusal advises mends it."""
    before = summed_again(folder)
    damage(folder)
    damaged = (folder / name).read_bytes()
    for reader in (all_read, played):
        with pytest.raises(nv.InputError, match=rf"{name}: .*{said}") as caught:
            reader(folder)
        assert ADVICE in str(caught.value)
        assert (folder / name).read_bytes() == damaged, "nothing is changed"
    while name:  # two archives that were swapped are two wrong files
        (folder / name).unlink()
        try:
            played(folder)
            name = ""
        except nv.InputError as error:
            name = Path(error.where).name
    all_read(folder)
    assert summed_again(folder) == before


@pytest.mark.parametrize("what", DAMAGES)
def test_another_archive_is_refused_and_playing_again_mends_it(what: str, tmp_path: Path) -> None:
    played(tmp_path)
    check(tmp_path, *DAMAGES[what])


@pytest.mark.parametrize("what", OLD)
def test_archives_without_seals_are_checked_by_what_they_hold(what: str, tmp_path: Path) -> None:
    played(tmp_path)
    without_seals(tmp_path)
    check(tmp_path, *OLD[what])


def test_a_play_goes_on_beside_archives_without_seals(tmp_path: Path) -> None:
    before = [*played(tmp_path).summaries()]
    without_seals(tmp_path)
    (tmp_path / ONE).unlink()
    assert [*played(tmp_path).summaries()] == before
    assert "seal.json" not in parts_of(tmp_path / ZERO)
    assert "seal.json" in parts_of(tmp_path / ONE)


@pytest.mark.parametrize(("rows", "learner"), [(400, nv.Perceptron()), (600, nv.Blend())])
def test_the_archive_of_another_play_is_refused(
    rows: int, learner: nv.Learner, tmp_path: Path
) -> None:
    played(tmp_path / "other", rows, learner)
    played(tmp_path / "runs")

    def mix(folder: Path) -> None:
        shutil.copy(tmp_path / "other" / ZERO, folder)

    check(tmp_path / "runs", mix, ZERO, "the play that runs.json describes, got those of another")


@pytest.mark.parametrize("seals", [True, False])
def test_a_plan_with_other_partitions_is_not_that_of_the_archives(
    seals: bool, tmp_path: Path
) -> None:
    played(tmp_path)
    if not seals:
        without_seals(tmp_path)
    plan = json.loads((tmp_path / "runs.json").read_text())
    for partitions in (1, 3, 10**18):
        (tmp_path / "runs.json").write_text(json.dumps(plan | {"partitions": partitions}))
        with pytest.raises(nv.InputError, match="partition"):
            all_read(tmp_path)


def test_any_other_plan_is_not_that_of_the_archives(tmp_path: Path) -> None:
    played(tmp_path)
    plan = json.loads((tmp_path / "runs.json").read_text())
    (tmp_path / "runs.json").write_text(json.dumps(plan, sort_keys=True))
    all_read(tmp_path)
    plan["asked"]["delta"] = 0.5
    (tmp_path / "runs.json").write_text(json.dumps(plan))
    with pytest.raises(nv.InputError, match=r"If somebody changed runs\.json, put that back\."):
        all_read(tmp_path)


@pytest.mark.parametrize("depth", [500, 3000, 9000, 10**5])
def test_a_plan_that_is_nested_deeply_is_refused(depth: int, tmp_path: Path) -> None:
    """How much Python reads, and then writes again, depends on its version."""
    played(tmp_path)
    text = (tmp_path / "runs.json").read_text()
    deep = "[" * depth + "]" * depth
    (tmp_path / "runs.json").write_text(text.replace('"positive": null', f'"positive": {deep}'))
    with pytest.raises(nv.InputError, match=r"runs\.json: expected a plan|those of another play"):
        all_read(tmp_path)


def test_a_single_run_needs_no_other_bundle(tmp_path: Path) -> None:
    """Only the entries that a run is in are compared with the seal."""
    keys = [f"c{t}" for t in range(600)]
    cluster.play_by(keys, nv.Perceptron(), nv.stream(X, Y), folder=tmp_path, partitions=1)
    last = max(keys)
    edited(flipped)(tmp_path)
    assert cluster.KeyedRuns(tmp_path)[last].ledger.rounds == 1
    with pytest.raises(nv.InputError, match=r"an entry 0\.runs that has changed"):
        cluster.KeyedRuns(tmp_path)[min(keys)]


@pytest.mark.parametrize("kind", ["a pipe", "a folder"])
def test_what_is_no_regular_file_is_refused(kind: str, tmp_path: Path) -> None:
    played(tmp_path)
    path = tmp_path / ZERO
    path.unlink()
    if kind == "a pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    for reader in (all_read, played):
        with pytest.raises(nv.InputError, match=rf"regular file with runs, got {kind}\. {ADVICE}"):
            reader(tmp_path)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    lines = (f"{key},{a},{b},{y}" for key, (a, b), y in zip(KEYS, X.tolist(), Y, strict=True))
    Path("d.csv").write_text("\n".join(["customer,a,b,y", *lines, ""]))
    return [
        "learn", "d.csv", "--by", "customer", "--label", "y", "--save", "runs", "--partitions", "2"
    ]  # fmt: skip


@pytest.mark.parametrize("what", ["a copy", "swapped", "gone", "flipped"])
def test_the_command_line_says_so_too(
    what: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    predict = ["predict", "runs", "d.csv", "--by", "customer"]
    damage, name, _ = DAMAGES[what]
    assert main([*command, "--table", "t.csv"]) == 0
    table = Path("t.csv").read_text()
    capsys.readouterr()
    assert main(predict) == 0
    shown = capsys.readouterr().out
    shutil.copytree("runs", "kept")
    damage(Path("runs"))
    for one in (predict, [*command, "--table", "false.csv"]):
        assert main(one) == 3
        assert f"runs/{name}: " in capsys.readouterr().err
    assert not Path("false.csv").exists()
    for path in Path("runs").glob("part-*.zip"):
        if path.read_bytes() != Path("kept", path.name).read_bytes():
            path.unlink()
    assert main([*command, "--table", "t.csv"]) == 0
    assert Path("t.csv").read_text() == table
    capsys.readouterr()
    assert main(predict) == 0
    assert capsys.readouterr().out == shown


def test_keys_are_in_both_partitions() -> None:
    """The tests above need that."""
    assert {partition_of(key, 2) for key in KEYS} == {0, 1}
