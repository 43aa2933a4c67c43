"""Keys that are odd, folders that two processes write, and processes that are killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import novikoff as nv
from novikoff import cluster
from novikoff.cluster.keyed_rounds import as_key
from novikoff.errors import InputError


def rows(count: int) -> "tuple[np.ndarray, np.ndarray]":
    rng = np.random.default_rng(0)
    X = rng.normal(size=(count, 2)).round(2)
    return X, np.where(X[:, 0] > 0, 1, -1)


ODD: list[str | int | float] = [
    "", " ", "/", "../../etc/passwd", "a/b\\c", "\n\r\t\0", '"', "'", "é", "e\u0301", "日本語",
    "🦜", "x" * 10_000, "null", "nan", "7", "7.0", "007", "True", "-0", "\u202e", "part-00000.zip",
    7, -7, 0, 7.5, 2**63, 2**64 - 1, -(2**63), 5e-324,
]  # fmt: skip


def test_any_text_and_any_number_is_a_key_of_its_own(tmp_path: Path) -> None:
    X, y = rows(3 * len(ODD))
    runs = cluster.play_by(ODD * 3, nv.Perceptron(), nv.stream(X, y), folder=tmp_path / "runs")
    assert {row.key: row.rounds for row in runs.summaries()} == dict.fromkeys(ODD, 3)
    for k, key in enumerate(ODD):
        alone = nv.play(nv.Perceptron(), nv.stream(X[k :: len(ODD)], y[k :: len(ODD)]))
        assert runs[key].mistakes == alone.mistakes
        assert key in runs
    runs.to_csv(tmp_path / "t.csv")
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="the extra novikoff[files] is not installed"
    )
    runs.to_parquet(tmp_path / "t.parquet")
    assert parquet.read_table(tmp_path / "t.parquet").num_rows == len(ODD)
    assert {path.name[:4] for path in (tmp_path / "runs").iterdir()} == {"part", "runs", "lock"}


def test_numbers_that_are_equal_are_one_key() -> None:
    X, y = rows(6)
    keys = [1, 1.0, True, np.int8(1), np.float32(1), np.bool_(True)]
    runs = cluster.play_by(keys, nv.Perceptron(), nv.stream(X, y))
    assert [(row.key, row.rounds) for row in runs.summaries()] == [(1, 6)]
    assert runs[1.0].mistakes == runs[True].mistakes == runs[1].mistakes
    assert 1.0 in runs
    assert "1" not in runs


NO_KEYS = [
    None,
    float("nan"),
    float("inf"),
    2**64,
    -(2**63) - 1,
    10**5000,
    b"x",
    (1,),
    "\ud800",
    1j,
]


@pytest.mark.parametrize("key", NO_KEYS, ids=map(str, range(len(NO_KEYS))))
def test_what_is_no_key_is_refused_with_its_row(key: object) -> None:
    X, y = rows(3)
    assert as_key(key) is None
    with pytest.raises(InputError, match="row 2: expected a text or a number of 64 bits for a key"):
        cluster.play_by(["a", key, "b"], nv.Perceptron(), nv.stream(X, y))
    runs = cluster.play_by(["a", "b", "b"], nv.Perceptron(), nv.stream(X, y))
    assert key not in runs


def test_cells_of_csv_are_texts_as_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    keys = ["7", "007", "7.0", " 7", "0x7", "9007199254740993", "9007199254740992", "a=b", "who"]
    quoted = ['"a,b"', '"say ""x"""', '"two\nlines"']
    meant = ["a,b", 'say "x"', "two\nlines"]
    path.write_text(
        "".join(["who,a,label\n", *(f"{k},{t},{t % 2}\n" for t, k in enumerate(keys + quoted))])
    )
    runs = cluster.play_by("who", nv.Perceptron(), nv.read(path))
    assert {row.key for row in runs.summaries()} == {*keys, *meant}
    path.write_text("who,a,label\nx,1,1\n,2,0\n")
    with pytest.raises(InputError, match=r"rows\.csv:3: expected a text or a number"):
        cluster.play_by("who", nv.Perceptron(), nv.read(path))


def test_other_rows_with_the_same_keys_are_other_work(tmp_path: Path) -> None:
    X, y = rows(20)
    keys = ["a", "b"] * 10
    cluster.play_by(keys, nv.Perceptron(), nv.stream(X, y), folder=tmp_path)
    for other in (nv.stream(X + 1, y), nv.stream(X, -y), nv.stream(X, y, weights=np.full(20, 2.0))):
        with pytest.raises(InputError, match="Name another folder"):
            cluster.play_by(keys, nv.Perceptron(), other, folder=tmp_path)


def test_a_file_that_was_read_otherwise_is_other_work(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("who,a,b,label\n" + "".join(f"k{t % 3},{t},{-t},{t % 2}\n" for t in range(30)))
    cluster.play_by("who", nv.Perceptron(), nv.read(path), folder=tmp_path / "runs")
    with pytest.raises(InputError, match="Name another folder"):
        cluster.play_by(
            "who", nv.Perceptron(), nv.read(path, ignore=["b"]), folder=tmp_path / "runs"
        )
    text = path.read_text()
    path.write_text(text.replace("k0", "k9"))
    with pytest.raises(InputError, match="Name another folder"):
        cluster.play_by("who", nv.Perceptron(), nv.read(path), folder=tmp_path / "runs")


SLOW = """
import os, sys, time
import numpy as np
import novikoff as nv
from novikoff import cluster
from novikoff.cluster import run_archives

write = run_archives.write_runs
def slowly(place, runs):
    if place.number == 2:
        open(sys.argv[1] + ".reached", "w").close()
        time.sleep(60)
    write(place, runs)

import novikoff.cluster.keyed_play as play
play.write_runs = slowly
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 2)).round(2)
y = np.where(X[:, 0] > 0, 1, -1)
cluster.play_by([f"k{t % 40}" for t in range(200)], nv.Perceptron(), nv.stream(X, y),
                folder=sys.argv[1], partitions=4)
"""


def test_only_one_process_writes_a_folder_and_whoever_is_killed_leaves_it_sound(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "runs"
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    X, y = rows(200)
    keys = [f"k{t % 40}" for t in range(200)]
    other = subprocess.Popen([sys.executable, str(script), str(folder)])
    try:
        while not (tmp_path / "runs.reached").exists():
            assert other.poll() is None
            time.sleep(0.01)
        with pytest.raises(InputError, match="got one in use"):
            cluster.play_by(keys, nv.Perceptron(), nv.stream(X, y), folder=folder, partitions=4)
        other.send_signal(signal.SIGKILL)
        other.wait()
    finally:
        other.kill()
        other.wait()
    assert sorted(p.name for p in folder.glob("*.zip")) == ["part-00000.zip", "part-00001.zip"]
    with pytest.raises(InputError, match="play again with the same folder"):
        len(cluster.KeyedRuns(folder))
    before = os.stat(folder / "part-00000.zip").st_mtime_ns
    runs = cluster.play_by(keys, nv.Perceptron(), nv.stream(X, y), folder=folder, partitions=4)
    assert os.stat(folder / "part-00000.zip").st_mtime_ns == before
    undisturbed = cluster.play_by(keys, nv.Perceptron(), nv.stream(X, y), partitions=4)
    assert [*runs.summaries()] == [*undisturbed.summaries()]
