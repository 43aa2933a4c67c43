"""Ray and Ctrl-C: the last epoch is kept, nobody is left behind, a program's own Ray goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_mixed_play import noisy

import novikoff as nv
from novikoff import cluster
from novikoff.cluster.commits import Commits

pytest.importorskip("ray", reason="the extra novikoff[cluster] is not installed")
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists processes in /proc"),
]


def written(folder: Path) -> str:
    X, y = noisy()
    for k in range(4):
        part = slice(k * len(y) // 4, (k + 1) * len(y) // 4)
        lines = (
            f"{s} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x))
            for x, s in zip(X[part].tolist(), y[part].tolist(), strict=True)
        )
        (folder / f"{k}.svm").write_text("\n".join(lines) + "\n")
    return str(folder / "*.svm")


def _alive(session: int) -> list[str]:
    """Return the names of the processes of a session."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = place.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        state, _, _, own, *_ = rest.split()
        if int(own) == session and state != "Z":
            found.append(name)
    return found


def test_ctrl_c_keeps_the_last_epoch_and_leaves_no_process(tmp_path: Path) -> None:
    files, kept = written(tmp_path), tmp_path / "epochs"
    command = [
        sys.executable, "-m", "novikoff", "learn", files, "--learner", "perceptron",
        "--cluster", "local", "--shards", "4", "--epochs", "1000000", "--resume", str(kept),
    ]  # fmt: skip
    started = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        began = time.monotonic()
        while not (kept / "epoch.model").exists():
            assert time.monotonic() - began < 60
            assert started.poll() is None
            time.sleep(0.1)
        os.killpg(started.pid, signal.SIGINT)  # as a terminal does
        said = started.communicate(timeout=30)[1]
        began = time.monotonic()
        while _alive(started.pid) and time.monotonic() - began < 10:
            time.sleep(0.1)
        assert _alive(started.pid) == []
    finally:
        if _alive(started.pid):
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
    assert started.returncode == 130
    assert "go on with the same folder" in said
    epochs = Commits(kept, nv.Perceptron(), nv.read(files), 4).last()
    assert epochs is not None
    assert f"after {epochs.learner.epochs} epoch" in said
    once = cluster.play(nv.Perceptron(), files, shards=4, epochs=epochs.learner.epochs)
    assert epochs.ledger.mistakes == once.mistakes


OWN = """
import json, os, sys
os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
import ray
import novikoff as nv
from novikoff import cluster
ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
own = ray.put([1, 2, 3])
said = []
try:
    bad = nv.read(sys.argv[1] + "/*.bad", "svmlight")
    cluster.play(nv.Perceptron(), bad, shards=2, address="local")
except nv.InputError as error:
    said.append(str(error))
run = cluster.play(nv.Perceptron(), sys.argv[1] + "/*.svm", shards=4, epochs=2, address="local")
said.append(run.mistakes)
said.append(ray.is_initialized() and sum(ray.get(ray.remote(lambda x: x).remote(own))))
ray.shutdown()
print(json.dumps(said))
"""


def test_a_program_that_has_joined_ray_keeps_it(tmp_path: Path) -> None:
    files = written(tmp_path)
    for k in range(2):
        (tmp_path / f"{k}.bad").write_text("1 1:2\n-1 1:x\n")
    command = [sys.executable, "-c", OWN, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100)
    error, mistakes, own = json.loads(done.stdout.splitlines()[-1])
    assert ".bad:2: expected" in error
    assert mistakes == cluster.play(nv.Perceptron(), files, shards=4, epochs=2).mistakes
    assert own == 6
