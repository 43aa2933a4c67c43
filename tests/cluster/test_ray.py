"""Ray: workers, machines and drivers die, and the bits stay the same."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from test_mixed_play import EPOCHS, SHARDS, assert_same, dies, noisy

import novikoff as nv
from campaigns.shards import Deadly, Machines
from novikoff import cluster
from novikoff.cluster import ray_pool

ray = pytest.importorskip("ray", reason="the extra novikoff[cluster] is not installed")
pytestmark = pytest.mark.cluster


def undisturbed() -> nv.Run:
    return cluster.play(nv.Perceptron(), nv.stream(*noisy()), shards=SHARDS, epochs=EPOCHS)


def on_ray(stream: Any, **options: Any) -> nv.Run:
    return cluster.play(
        nv.Perceptron(), stream, shards=SHARDS, epochs=EPOCHS, address="local", **options
    )


@pytest.mark.parametrize("workers", [1, 2])
def test_the_number_of_workers_changes_nothing(workers: int) -> None:
    assert_same(on_ray(nv.stream(*noisy()), workers=workers), undisturbed())


def test_a_bad_row_is_named_as_without_ray(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 1:1\n-1 1:-1\n")
    (tmp_path / "b.svm").write_text("1 1:1\n-1 1:nan\n")
    with pytest.raises(nv.InputError, match=r"b\.svm:2: expected a finite value"):
        cluster.play(nv.Perceptron(), str(tmp_path / "*.svm"), shards=2, address="local", workers=1)


def test_a_killed_worker_changes_nothing(tmp_path: Path) -> None:
    deadly = Deadly(nv.stream(*noisy()), str(tmp_path), SHARDS + 1, machine=False)
    assert_same(on_ray(deadly, workers=2), undisturbed())
    assert len([*tmp_path.iterdir()]) > (EPOCHS + 1) * SHARDS  # one was read again


def test_a_killed_machine_changes_nothing(tmp_path: Path) -> None:
    """Two machines with a worker each, and a third that only drives."""
    machines = Machines()
    try:
        machines.repair()
        deadly = Deadly(nv.stream(*noisy()), str(tmp_path), 2 * SHARDS, machine=True)
        assert_same(on_ray(deadly), undisturbed())
        assert machines.lost()
    finally:
        machines.end()


def test_a_killed_driver_goes_on_from_its_last_epoch(tmp_path: Path) -> None:
    dies(tmp_path, 300, address="local")
    run = on_ray(nv.stream(*noisy()), workers=1, folder=tmp_path)
    assert_same(run, undisturbed())


def test_a_worker_that_dies_is_not_heard_of() -> None:
    """Ray tells of it on standard output, where ``--json`` has its answer."""
    script = "import random; from campaigns.shards import kill_worker as k; k(0, random.Random(0))"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, cwd=root, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize(("room", "store"), [(10**8, 320_000_000), (10**9, 800_000_000)])
def test_a_local_cluster_keeps_to_itself(
    monkeypatch: pytest.MonkeyPatch, room: int, store: int
) -> None:
    """No dashboard, no token in the home directory, no statistics, and a store that fits."""
    asked: dict[str, Any] = {}
    monkeypatch.setattr(ray, "init", lambda **options: asked.update(options))
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    for name in [*ray_pool.QUIET, "RAY_AUTH_MODE", "RAY_OBJECT_STORE_ALLOW_SLOW_STORAGE"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(room, 0, room))
    with ray_pool.ray_pool("local", 2):
        assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
        assert os.environ["RAY_AUTH_MODE"] == "disabled"
        slow = "RAY_OBJECT_STORE_ALLOW_SLOW_STORAGE" in os.environ
        assert slow == (room < 320_000_000)
    expected = {"address": "local", "num_cpus": 2, "include_dashboard": False}
    expected |= {"object_store_memory": store, "log_to_driver": False, "logging_level": "error"}
    assert asked == expected


def test_a_cluster_that_is_not_there_is_named() -> None:
    with pytest.raises(nv.InputError, match="workers: expected None with a cluster at"):
        cluster.play(nv.Perceptron(), nv.stream(*noisy()), shards=2, address="nowhere:1", workers=2)
