"""A folder of shards goes on with its own models, over its own rows, and with no others."""

import errno
import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import cluster
from novikoff.cli import main
from novikoff.streams.files.file_stream import Options

SHARDS = ["--learner", "perceptron", "--cluster", "none", "--shards", "3"]


def written(path: Path, rows: int = 60, seed: int = 0) -> Path:
    """A file of svmlight whose size depends on the number of rows alone."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 10, (rows, 3))
    y = np.where((X[:, 0] > X[:, 1]) ^ (rng.random(rows) < 0.2), "+1", "-1")
    path.write_text("".join(f"{s} 1:{a} 2:{b} 3:{c}\n" for s, (a, b, c) in zip(y, X, strict=True)))
    return path


def played(
    folder: Path, data: object, learner: Any = None, shards: int = 3, epochs: int = 1
) -> Any:
    learner = nv.Perceptron() if learner is None else learner
    return cluster.play(learner, data, shards=shards, epochs=epochs, folder=folder)


def changed_plan(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the one plan in a folder."""
    (path,) = folder.glob("*.json")
    plan = json.loads(path.read_text())
    change(plan)
    path.write_text(json.dumps(plan))


def as_of_the_first_plans(plan: dict[str, Any]) -> None:
    """Plans had no seals, no options, no labels, no hash of rows and no times."""
    for name in ("sealed", "options", "read as", "labels", "rows"):
        plan.pop(name, None)
    if "files" in plan:
        plan["files"] = [state[:2] for state in plan["files"]]


def saved(run: Any, folder: Path) -> None:
    folder.mkdir()
    run.save(folder / "epoch.model")


def halfway(path: Path) -> Any:
    """A run in shards that ended in the middle of an epoch."""
    return nv.play(nv.Perceptron().in_shards([20, 20, 20]), nv.read(path, first=30))


Other = Callable[[Path, Path], object]
OTHERS: dict[str, tuple[Other, str]] = {
    "shards": (
        lambda folder, path: played(folder, str(path), shards=2),
        "expected an epoch of this play, in 3 shards, got one in 2",
    ),
    "averaged": (
        lambda folder, path: played(folder, str(path), nv.AveragedPerceptron()),
        "expected an epoch of this play, MixedPerceptron with averaged False, got True",
    ),
    "bias": (
        lambda folder, path: played(folder, str(path), nv.Perceptron(bias=1.0)),
        r"expected an epoch of this play, MixedPerceptron with bias None, got 1\.0",
    ),
    "classes": (
        lambda folder, path: played(folder, str(path), nv.MulticlassPerceptron()),
        "expected an epoch of this play, MixedPerceptron, got MixedMulticlassPerceptron",
    ),
    "no shards": (
        lambda folder, path: saved(nv.play(nv.Perceptron(), nv.read(path)), folder),
        "expected an epoch of this play, Perceptron in shards, got Perceptron",
    ),
    "half an epoch": (
        lambda folder, path: saved(halfway(path), folder),
        "expected an epoch of this play, with whole epochs of 60 rounds each, got 30 rounds",
    ),
}


def with_epoch_of(other: Other, folder: Path, path: Path) -> None:
    """Put the epoch of another play in the place of a folder's own."""
    home = folder.with_name("other")
    other(home, path)
    shutil.copy(home / "epoch.model", folder)


def as_before(folder: Path) -> None:
    """Make a folder what the first plans made it: nothing in it has a seal."""
    changed_plan(folder, as_of_the_first_plans)
    (folder / "seals.txt").unlink(missing_ok=True)


@pytest.mark.parametrize("old", [False, True], ids=["sealed", "an old plan"])
@pytest.mark.parametrize(("other", "said"), OTHERS.values(), ids=OTHERS)
def test_an_epoch_of_another_play_is_refused(
    other: Other, said: str, old: bool, tmp_path: Path
) -> None:
    path, folder = written(tmp_path / "data.svm"), tmp_path / "mine"
    played(folder, str(path))
    if old:
        as_before(folder)
    with_epoch_of(other, folder, path)
    with pytest.raises(nv.InputError, match=f"epoch.model: {said}") as caught:
        played(folder, str(path), epochs=2)
    assert "Put back the folder's own file, or remove this one" in str(caught.value)


def test_an_epoch_over_other_rows_is_refused(tmp_path: Path) -> None:
    path, folder = written(tmp_path / "data.svm"), tmp_path / "mine"
    more = written(tmp_path / "more.svm", 75)
    played(folder, str(path))
    with_epoch_of(lambda home, _: played(home, str(more)), folder, path)
    with pytest.raises(nv.InputError, match=r"epoch\.model: expected a model that the play"):
        played(folder, str(path), epochs=2)
    as_before(folder)
    with pytest.raises(nv.InputError, match=r"shard 1: expected 25 rows, as when .*, got 20"):
        played(folder, str(path), epochs=2)
    X, y = np.eye(3)[[0, 1, 2] * 4], np.array([1, -1, 1] * 4)
    with_epoch_of(lambda home, _: played(home / "more", nv.stream(X, y)) and shutil.copy(
        home / "more" / "epoch.model", home), folder, path)  # fmt: skip
    played(tmp_path / "rows", nv.stream(X[:9], y[:9]))
    as_before(tmp_path / "rows")
    shutil.copy(folder / "epoch.model", tmp_path / "rows")
    with pytest.raises(nv.InputError, match="with 9 rows, got one with 12"):
        played(tmp_path / "rows", nv.stream(X[:9], y[:9]), epochs=2)


def test_an_epoch_with_another_positive_label_is_refused(tmp_path: Path) -> None:
    X, y = np.eye(3)[[0, 1, 2] * 4], np.array(["a", "b", "a"] * 4)
    played(tmp_path / "mine", nv.stream(X, y, positive="a"))
    as_before(tmp_path / "mine")
    played(tmp_path / "other", nv.stream(X, y, positive="b"))
    shutil.copy(tmp_path / "other" / "epoch.model", tmp_path / "mine")
    with pytest.raises(nv.InputError, match="the positive label 'a', got 'b'"):
        played(tmp_path / "mine", nv.stream(X, y, positive="a"), epochs=2)


def test_an_epoch_without_its_plan_is_refused(tmp_path: Path) -> None:
    """With the plan that is written now, the seal is another one."""
    one, two = written(tmp_path / "one.svm"), written(tmp_path / "two.svm", seed=1)
    played(tmp_path / "mine", str(one))
    (tmp_path / "mine" / "plan.json").unlink()
    with pytest.raises(nv.InputError, match="does not have its seal"):
        played(tmp_path / "mine", str(two), epochs=2)


def test_a_folder_goes_on_with_any_epoch_of_its_own(tmp_path: Path) -> None:
    path, folder = str(written(tmp_path / "data.svm")), tmp_path / "mine"
    played(folder, path)
    shutil.copy(folder / "epoch.model", tmp_path / "first.model")
    whole = played(folder, path, epochs=3)
    shutil.copy(tmp_path / "first.model", folder / "epoch.model")
    again = played(folder, path, epochs=3)
    assert np.array_equal(again.hypothesis().w, whole.hypothesis().w)
    assert again.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()


def test_a_play_that_dies_between_the_seal_and_the_model_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, folder = str(written(tmp_path / "data.svm")), tmp_path / "mine"
    played(folder, path)
    replace = os.replace

    def dying(source: str, target: str) -> None:
        if str(source).endswith(".new"):
            raise RuntimeError("dies here")
        replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", dying)
        with pytest.raises(RuntimeError, match="dies here"):
            played(folder, path, epochs=2)
    with open(folder / "seals.txt", "ab") as file:
        file.write(b"\n0123")  # half a line, if it dies a little earlier
    for epochs in (2, 3, 3):
        run = played(folder, path, epochs=epochs)
    assert run.learner.epochs == 3


def test_a_shards_model_of_another_play_is_refused(tmp_path: Path) -> None:
    """The mixture would be one of other models than the plan says."""
    path, more = str(written(tmp_path / "data.svm")), str(written(tmp_path / "more.svm", seed=1))
    for data in (path, more):
        cluster.play(nv.Blend(), data, shards=2, held_out=0.2, folder=tmp_path / Path(data).stem)
    name = "shard-00001.model"
    shutil.copy(tmp_path / "more" / name, tmp_path / "data" / name)
    with pytest.raises(nv.InputError, match=f"{name}: expected a model that the play of this"):
        cluster.play(nv.Blend(), path, shards=2, held_out=0.2, folder=tmp_path / "data")


@pytest.mark.parametrize("exchange", [False, True])
def test_the_model_of_another_shard_is_refused(exchange: bool, tmp_path: Path) -> None:
    """The mixture would have one shard twice, or call it by another number."""
    path, folder = str(written(tmp_path / "data.svm", 90)), tmp_path / "mine"
    cluster.play(nv.Blend(), path, shards=3, held_out=9, folder=folder)
    zero, one = (folder / f"shard-{k:05d}.model" for k in range(2))
    first = zero.read_bytes()
    shutil.copy(one, zero)
    if exchange:
        one.write_bytes(first)
    with pytest.raises(nv.InputError, match=r"shard-00000\.model: expected a model that the play"):
        cluster.play(nv.Blend(), path, shards=3, held_out=9, folder=folder)
    zero.unlink()
    if exchange:
        one.unlink()
    cluster.play(nv.Blend(), path, shards=3, held_out=9, folder=folder)
    assert zero.read_bytes() == first


ALL: dict[str, Callable[[Path, object], object]] = {
    "mixed": played,
    "blended": lambda folder, data: cluster.play(
        nv.Blend(), data, shards=2, held_out=0.2, folder=folder
    ),
    "keyed": lambda folder, data: cluster.play_by(
        "k", nv.Perceptron(), data, folder=folder, partitions=2
    ),
}


@pytest.mark.parametrize("play", [ALL["mixed"], ALL["blended"]], ids=["mixed", "blended"])
def test_a_file_that_changed_and_kept_its_size_is_named(
    play: Callable[[Path, object], object], tmp_path: Path
) -> None:
    files = [written(tmp_path / f"{k}.svm", seed=k) for k in range(2)]
    for path in files:
        os.utime(path, ns=(0, 1_700_000_000_123_456_789))
    play(tmp_path / "mine", nv.read([*map(str, files)]))
    size = files[1].stat().st_size
    written(files[1], seed=7)
    assert files[1].stat().st_size == size
    os.utime(files[1], ns=(0, 1_700_000_000_123_456_790))
    with pytest.raises(nv.InputError) as caught:
        play(tmp_path / "mine", nv.read([*map(str, files)]))
    assert (
        f"begun with: {files[1]} as it was changed at 2023-11-14 22:13:20.123456789 UTC, got it as "
        "of 2023-11-14 22:13:20.123456790 UTC. Name another folder"
    ) in str(caught.value)
    written(files[0], 61)
    with pytest.raises(nv.InputError, match=r"0\.svm of [0-9]+ bytes, got one of [0-9]+; .*1\.svm"):
        play(tmp_path / "mine", nv.read([*map(str, files)]))


@pytest.mark.parametrize("play", [ALL["mixed"], ALL["blended"]], ids=["mixed", "blended"])
def test_other_files_are_named(play: Callable[[Path, object], object], tmp_path: Path) -> None:
    one, two = (str(written(tmp_path / f"{k}.svm")) for k in range(2))
    play(tmp_path / "mine", one)
    with pytest.raises(nv.InputError, match="begun with: 1 file, got 2"):
        play(tmp_path / "mine", [one, two])
    with pytest.raises(nv.InputError, match=r"begun with: the file .*, got .*/1\.svm\."):
        play(tmp_path / "mine", two)


@pytest.mark.parametrize("play", [ALL["mixed"], ALL["blended"]], ids=["mixed", "blended"])
def test_a_file_at_an_address_has_a_size_alone(
    play: Callable[[Path, object], object], tmp_path: Path
) -> None:
    fsspec = pytest.importorskip("fsspec")
    lines = "1 1:1\n-1 2:1\n" * 20
    for text in (lines, lines, lines + "1 3:1\n"):
        with fsspec.open("memory://shard-folders.svm", "w") as file:
            file.write(text)
        if text == lines:
            play(tmp_path / "mine", "memory://shard-folders.svm")
    with pytest.raises(nv.InputError, match=r"begun with: memory://.*\.svm of 260 bytes, got one"):
        play(tmp_path / "mine", "memory://shard-folders.svm")


def table(path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = [f"{k % 3},{a},{b},{'+1' if a > b else '-1'},{'-1' if a > b else '+1'}\n"
             for k, (a, b) in enumerate(rng.integers(1, 10, (60, 2)))]  # fmt: skip
    path.write_text("".join(["k,a,b,y,z\n", *lines]))
    return path


def kept_back(play: object) -> dict[str, Any]:
    """What is learned from in rows of which a fifth is held out."""
    return {"first": 48} if play is ALL["blended"] else {}


def asked(path: Path, **options: Any) -> Any:
    return nv.read(path, **({"label": "y"} | options))


@pytest.mark.parametrize("play", ALL.values(), ids=ALL)
def test_options_are_plain_data_and_only_those_that_decide(
    play: Callable[[Path, object], object], tmp_path: Path
) -> None:
    path, folder = table(tmp_path / "data.csv"), tmp_path / "mine"
    words = nv.Words(2, (1, 3))
    play(folder, asked(path, threads=2, words=words, ignore=["z"]))
    (plan,) = folder.glob("*.json")
    told = {"words": 2, "characters": [1, 3], "presence": False}
    assert json.loads(plan.read_text())["options"] == {
        "label": "y", "words": told, "ignore": ["z"], **kept_back(play)
    }  # fmt: skip
    play(folder, asked(path, threads=1, words=words, ignore=["z"]))
    with pytest.raises(nv.InputError) as caught:
        play(folder, asked(path, label="z", words=nv.Words(2), ignore=[], missing="zero"))
    for said in ("options.label 'y', got 'z'", "options.words.characters [1, 3], got None",
                 "options.ignore ['z'], got nothing", "options.missing nothing, got 'zero'",
                 "Name another folder"):  # fmt: skip
        assert said in str(caught.value)


@pytest.mark.parametrize("play", [ALL["blended"], ALL["keyed"]], ids=["blended", "keyed"])
def test_options_as_the_first_plans_had_them_are_read(
    play: Callable[[Path, object], object], tmp_path: Path
) -> None:
    path, folder = table(tmp_path / "data.csv"), tmp_path / "mine"
    words = nv.Words(2, (1, 3))
    play(folder, asked(path, words=words))

    def put(text: str) -> None:
        changed_plan(folder, lambda plan: plan.update(options=text))
        for made in (*folder.glob("part-*"), *folder.glob("shard-*")):
            made.unlink()  # their seals are those of the plan before

    put(repr(Options(label="y", words=words, threads=2, **kept_back(play))))
    play(folder, asked(path, words=words))
    play(folder, asked(path, words=words, threads=1))
    with pytest.raises(nv.InputError, match=r"options\.label 'y', got 'z'\. Name"):
        play(folder, asked(path, words=words, label="z"))
    for text in ("", "Options(label=y)", "Options(label={1})", "Options(*a)", "7", "(" * 10**5,
                 "Options(label=" * 500, "-" * 10**4 + "1"):  # fmt: skip
        put(text)
        with pytest.raises(nv.InputError, match="options that this release can compare, got"):
            play(folder, asked(path, words=words))


def test_a_plan_without_options_goes_on_as_before(tmp_path: Path) -> None:
    """The first plans of runs in shards did not name them."""
    path, folder = written(tmp_path / "data.svm"), tmp_path / "mine"
    played(folder, str(path))
    as_before(folder)
    run = played(folder, str(path), epochs=2)
    assert run.learner.epochs == 2
    assert nv.verify(nv.certify(run), nv.read(path)).verified
    assert not (folder / "seals.txt").exists()
    written(path, 61)
    with pytest.raises(nv.InputError, match=r"data\.svm of [0-9]+ bytes, got one of"):
        played(folder, str(path), epochs=3)


def test_the_command_line_refuses_what_is_not_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path("t.svm"))
    learn = ["learn", "t.svm", *SHARDS, "--resume", "F"]
    assert main([*learn, "--threads", "2"]) == 0
    capsys.readouterr()
    assert main([*learn, "--epochs", "2", "--threads", "1"]) == 0
    kept = "F serves to go on with this play: to keep the model, add --save MODEL."
    assert kept in capsys.readouterr().err
    assert main(["learn", "t.svm", "--learner", "perceptron", "--save", "p.model"]) == 0
    capsys.readouterr()
    shutil.copy("p.model", "F/epoch.model")
    assert main([*learn, "--epochs", "3"]) == 3
    said = capsys.readouterr().err
    assert "epoch.model: expected an epoch of this play, Perceptron in shards, got Perc" in said


def test_input_is_checked_without_assertions(tmp_path: Path) -> None:
    path, folder = written(tmp_path / "data.svm"), tmp_path / "mine"
    folder.mkdir()
    nv.play(nv.Perceptron(), nv.read(path)).save(folder / "epoch.model")
    command = ["learn", str(path), *SHARDS, "--resume", str(folder)]
    done = subprocess.run(
        [sys.executable, "-OO", "-m", "novikoff", *command],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert "Perceptron in shards, got Perceptron" in done.stderr
    run = nv.play(nv.Perceptron(), nv.read(path))
    with pytest.raises(nv.ParameterError, match="learner: expected one of shards"):
        cluster.mistakes_by_shard(run)


@pytest.mark.parametrize("play", ALL.values(), ids=ALL)
def test_only_one_process_writes_in_a_folder(
    play: Callable[[Path, object], object], tmp_path: Path
) -> None:
    data, folder = asked(table(tmp_path / "data.csv")), tmp_path / "mine"
    play(folder, data)
    with open(folder / "lock", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(nv.InputError, match="a folder that nobody writes in, got one in use"):
            play(folder, data)
    play(folder, data)


@pytest.mark.parametrize("play", ALL.values(), ids=ALL)
def test_a_folder_that_is_read_only_needs_no_lock(
    play: Callable[[Path, object], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, folder, opened = asked(table(tmp_path / "data.csv")), tmp_path / "mine", os.open
    play(folder, data)

    def read_only(name: object, flags: int, *mode: int, **more: Any) -> int:
        if flags & os.O_CREAT and str(name).startswith(str(folder)):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), name)
        return opened(name, flags, *mode, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", read_only)
    play(folder, data)
