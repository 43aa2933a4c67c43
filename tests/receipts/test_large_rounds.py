"""Receipts of files that are not kept: the same bits, few readings, flat memory."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import cluster, verifier
from novikoff.cli import main
from novikoff.errors import HypothesisError
from novikoff.receipts import large_rounds
from novikoff.receipts.certificates import sealed
from novikoff.receipts.exact_sums import added_up
from novikoff.streams import FileStream


def written(folder: Path, count: int = 5, each: int = 120, seed: int = 0) -> str:
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(30)
    for k in range(count):
        lines = []
        for _ in range(each):
            j = np.unique(rng.integers(0, 30, 8))
            v = rng.integers(1, 31, len(j)) / 10
            label = 1 if w[j] @ v + rng.standard_normal() > 0 else -1
            pairs = zip(j.tolist(), v.tolist(), strict=True)
            lines.append(f"{label} " + " ".join(f"{a + 1}:{b!r}" for a, b in pairs))
        (folder / f"part-{k}.svm").write_text("\n".join(lines) + "\n")
    return str(folder / "part-*.svm")


@pytest.mark.parametrize("bias", [None, 1.0], ids=["no constant", "constant"])
@pytest.mark.parametrize(("shards", "epochs"), [(5, 1), (3, 2), (4, 3)])
def test_a_sample_of_all_rows_gives_the_certificate_of_rows_in_memory(
    shards: int, epochs: int, bias: float | None, tmp_path: Path, monkeypatch: Any
) -> None:
    files = written(tmp_path)
    run = cluster.play(nv.Perceptron(bias=bias), files, shards=shards, epochs=epochs)
    kept = nv.certify(run)
    monkeypatch.setattr(large_rounds, "LARGE", 1)
    assert nv.certify(run).content == kept.content
    assert large_rounds.large_rounds(run, nv.read(files)) is not None


def test_files_are_read_once_for_each_epoch_and_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = written(tmp_path)
    run = cluster.play(nv.Perceptron(), files, shards=4, epochs=2)
    monkeypatch.setattr(large_rounds, "LARGE", 1)
    readings = []
    blocks = FileStream.blocks

    def counted(self: FileStream) -> Any:
        readings.append(self)
        return blocks(self)

    monkeypatch.setattr(FileStream, "blocks", counted)
    certificate = nv.certify(run)
    assert len(readings) == 3
    found = nv.bounds(run)  # what was replayed is known
    again = nv.certify(run, found=found)
    assert len(readings) == 3
    assert again.content == certificate.content


def test_a_small_sample_gives_a_true_certificate_that_verifies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = written(tmp_path)
    monkeypatch.setattr(large_rounds, "LARGE", 1)
    monkeypatch.setattr(large_rounds, "SAMPLE", 150)
    run = cluster.play(nv.AveragedPerceptron(), files, shards=3, epochs=2)
    certificate = nv.certify(run)
    assert nv.verify(certificate, nv.read(files)).verified
    assert certificate.bound is not None
    assert run.mistakes <= certificate.bound
    for bound in (certificate.bound * 0.99, np.nextafter(certificate.bound, 0)):
        forged = sealed({**certificate.content, "bound": float(bound)})
        assert not nv.verify(forged, nv.read(files)).verified


def test_changed_files_are_replayed_and_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = written(tmp_path)
    monkeypatch.setattr(large_rounds, "LARGE", 1)
    run = cluster.play(nv.Perceptron(), files, shards=3, epochs=2)
    nv.certify(run)
    first = tmp_path / "part-0.svm"
    lines = first.read_text().splitlines()
    first.write_text("\n".join(lines[::-1]) + "\n")
    os.utime(first, ns=(1, 1))
    with pytest.raises(HypothesisError, match="the rounds that were played"):
        nv.certify(run)


def test_files_that_change_between_two_readings_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = written(tmp_path)
    monkeypatch.setattr(large_rounds, "LARGE", 1)
    run = cluster.play(nv.Perceptron(), files, shards=3)

    def late(*given: Any) -> Any:
        os.utime(tmp_path / "part-0.svm", ns=(1, 1))
        return added_up(*given)

    monkeypatch.setattr("novikoff.receipts.large_rounds.added_up", late)
    with pytest.raises(HypothesisError, match="files have changed"):
        nv.certify(run)


def test_the_command_line_certifies_without_keeping_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = written(tmp_path)
    monkeypatch.chdir(tmp_path)
    learn = ["learn", files, "--learner", "perceptron", "--cluster", "none", "--shards", "3",
             "--epochs", "2", "--certify"]  # fmt: skip
    assert main([*learn, "kept.json"]) == 0
    monkeypatch.setattr(large_rounds, "LARGE", 1)
    monkeypatch.setattr("novikoff.receipts.reread_rounds.Kept.blocks", _refused)
    assert main([*learn, "large.json"]) == 0
    assert Path("large.json").read_bytes() == Path("kept.json").read_bytes()


def _refused(self: object) -> None:
    raise AssertionError("rows are kept")


CERTIFY = """
import sys
import novikoff as nv
from novikoff import cluster
from novikoff.receipts import large_rounds
large_rounds.LARGE = 1
run = cluster.play(nv.Perceptron(), sys.argv[1], shards=2, epochs=1)
nv.certify(run).save(sys.argv[2])
status = open("/proc/self/status").read()
print(1024 * int(status.split("VmHWM:")[1].split()[0]))
"""
VERIFY = """
import runpy, sys
sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    assert end.code == 0, end.code
status = open("/proc/self/status").read()
print(1024 * int(status.split("VmHWM:")[1].split()[0]))
"""


def _peak(code: str, *arguments: str) -> int:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])


linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory it was")


@linux
def test_memory_grows_less_than_the_data(tmp_path: Path) -> None:
    """Twenty-four megabytes more of text would be some sixty more of numbers, if they were kept."""
    rows = Path(written(tmp_path, 1, 2000)).parent / "part-0.svm"
    text = rows.read_bytes()
    rows.unlink()
    peaks = []
    for size in (200, 440):
        folder = tmp_path / str(size)
        folder.mkdir()
        for k in range(2):
            (folder / f"part-{k}.svm").write_bytes(text * (size // 2))
        peaks.append(_peak(CERTIFY, str(folder / "part-*.svm"), str(folder / "it.json")))
    grown = 240 * len(text)
    assert grown > 2e7
    assert peaks[1] - peaks[0] < grown / 2


@linux
def test_the_stand_alone_verifier_needs_no_more_memory_for_more_rows(tmp_path: Path) -> None:
    rows = Path(written(tmp_path, 1, 2000)).parent / "part-0.svm"
    text = rows.read_bytes()
    peaks = []
    for size in (4, 24):
        data = tmp_path / f"{size}.svm"
        data.write_bytes(text * size)
        run = cluster.play(nv.Perceptron(), str(data), shards=2)
        nv.certify(run).save(tmp_path / "it.json")
        assert json.loads((tmp_path / "it.json").read_text())["data"]["rows"] == 2000 * size
        peaks.append(_peak(VERIFY, verifier.__file__, str(tmp_path / "it.json"), str(data)))
    assert peaks[1] - peaks[0] < 20 * len(text)
