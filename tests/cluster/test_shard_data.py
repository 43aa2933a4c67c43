"""Where the rows of shards come from: addresses, patterns of Parquet files, datasets of Ray."""

import gzip
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from test_mixed_play import assert_same, noisy

import novikoff as nv
from novikoff import cluster
from novikoff.cli import main

fsspec = pytest.importorskip("fsspec", reason="the extra novikoff[cluster] is not installed")


def lines(start: int, stop: int) -> bytes:
    X, y = noisy()
    rows = [
        f"{label} " + " ".join(f"{j}:{v!r}" for j, v in enumerate(x, 1) if v)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    return ("\n".join(rows[start:stop]) + "\n").encode()


@pytest.fixture
def memory() -> Any:
    folder = fsspec.filesystem("memory")
    for k in range(3):
        folder.pipe(f"/shards/{k}.svm", lines(40 * k, 40 * k + 40))
    folder.pipe("/shards/packed.svm.gz", gzip.compress(lines(0, 120)))
    yield folder
    folder.rm("/shards", recursive=True)


def test_files_at_an_address_are_those_of_a_folder(memory: Any, tmp_path: Path) -> None:
    for k in range(3):
        (tmp_path / f"{k}.svm").write_bytes(memory.cat(f"/shards/{k}.svm"))
    here = cluster.play(nv.Perceptron(), str(tmp_path / "*.svm"), shards=3, epochs=2)
    for address in ("memory://shards/?.svm", f"file://{tmp_path}/*.svm"):
        found = cluster.play(nv.Perceptron(), address, shards=3, epochs=2)
        assert_same(found, here)
        assert nv.verify(nv.certify(found), nv.read(address)).verified
    packed = nv.play(nv.Perceptron(), nv.read("memory://shards/packed.svm.gz"))
    plain = nv.play(nv.Perceptron(), nv.read(str(tmp_path / "*.svm")))
    assert packed.ledger.mistake_rounds.tolist() == plain.ledger.mistake_rounds.tolist()


def test_an_epoch_is_committed_for_files_at_an_address(memory: Any, tmp_path: Path) -> None:
    address = "memory://shards/?.svm"
    cluster.play(nv.Perceptron(), address, shards=3, folder=tmp_path)
    memory.pipe("/shards/2.svm", lines(80, 119))
    with pytest.raises(nv.InputError, match="Name another folder"):
        cluster.play(nv.Perceptron(), address, shards=3, epochs=2, folder=tmp_path)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("memory://none.svm", "got: no such file"),
        ("memory://none*.svm", "a pattern that some file matches"),
        ("nosuch://none.svm", "Protocol not known"),
    ],
)
def test_addresses_without_a_file_are_refused_by_name(address: str, said: str) -> None:
    with pytest.raises(nv.InputError, match=said):
        nv.play(nv.Perceptron(), nv.read(address))


def tables(folder: Path, count: int = 3) -> Any:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra novikoff[files] is not installed")
    parquet = importlib.import_module("pyarrow.parquet")
    X, y = noisy()
    whole = pyarrow.table({**{f"f{j}": X[:, j] for j in range(5)}, "label": y})
    size = len(y) // count
    for k in range(count):
        parquet.write_table(whole.slice(k * size, size), folder / f"{k}.parquet")
    return whole


def test_a_pattern_of_parquet_files_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the model is written here
    tables(tmp_path)
    pattern, certificate = str(tmp_path / "*.parquet"), str(tmp_path / "it.json")
    shards = ["--cluster", "none", "--shards", "3", "--epochs", "2"]
    command = ["learn", pattern, "--learner", "perceptron", *shards, "--certify", certificate]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    here = cluster.play(nv.Perceptron(), nv.read(pattern), shards=3, epochs=2)
    assert (told["mistakes"], told["passes"]) == (here.mistakes, 2)
    assert main(["verify", certificate, pattern]) == 0
    addressed = ["learn", f"file://{pattern}", "--learner", "perceptron", *shards, "--json"]
    assert main(addressed) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["mistakes"] == here.mistakes


def test_ctrl_c_on_the_command_line_keeps_the_last_epoch(tmp_path: Path) -> None:
    tables(tmp_path)
    folder = tmp_path / "epochs"
    shards = ["--cluster", "none", "--shards", "3", "--epochs", "1000000", "--resume", str(folder)]
    command = ["learn", str(tmp_path / "*.parquet"), "--learner", "perceptron", *shards]
    started = subprocess.Popen(
        [sys.executable, "-m", "novikoff", *command], stderr=subprocess.PIPE, text=True
    )
    while not (folder / "epoch.model").exists():
        assert started.poll() is None
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "go on with the same folder" in said
    run = nv.Run.load(folder / "epoch.model")
    epochs = run.learner.epochs
    assert f"after {epochs} epoch" in said
    again = cluster.play(
        nv.Perceptron(), nv.read(str(tmp_path / "*.parquet")), shards=3, epochs=epochs
    )
    assert_same(run, again)


@pytest.mark.cluster
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")  # of its own settings
def test_a_dataset_of_ray_is_played_in_its_order(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="the extra novikoff[cluster] is not installed")
    whole = tables(tmp_path)
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    ray.init(
        address="local", num_cpus=2, include_dashboard=False, log_to_driver=False,
        logging_level="error",
    )  # fmt: skip
    try:
        data = importlib.import_module("ray.data")
        parts = [whole.slice(a, b - a) for a, b in ((0, 20), (20, 25), (25, 120))]
        dataset = data.from_arrow(parts)
        frame = nv.stream(whole, "label")
        for shards in (1, 4, 7):
            run = cluster.play(nv.Perceptron(), dataset, shards=shards, epochs=2, address="local")
            assert_same(run, cluster.play(nv.Perceptron(), frame, shards=shards, epochs=2))
            assert nv.verify(nv.certify(run), frame).verified
        renamed = dataset.map_batches(
            lambda rows: {("y" if name == "label" else name): v for name, v in rows.items()}
        )
        stream = cluster.DatasetStream(renamed, label="y", positive=1)
        assert stream.rounds == 120
        assert_same(
            cluster.play(nv.Perceptron(), stream, shards=4, epochs=2),
            cluster.play(nv.Perceptron(), frame, shards=4, epochs=2),
        )
    finally:
        ray.shutdown()
