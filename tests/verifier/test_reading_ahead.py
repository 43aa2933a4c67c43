"""A second process reads the same rows, and says what is wrong with them in the same words."""

import gc
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from novikoff import verifier
from oracle.limits import little_time


def shown(rows: Any) -> list[Any]:
    return [(where, label, list(items)) for where, label, items in rows]


@pytest.fixture
def always_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "LARGE", 0)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(verifier, "active_count", lambda: 1)


@pytest.mark.usefixtures("always_ahead")
def test_threads_of_libraries_are_no_reason_to_warn(tmp_path: Path) -> None:
    """From Python 3.12 on a fork beside any thread warns; from 3.15 on an error stops it."""
    path, done = tmp_path / "data", threading.Event()
    path.write_text("1 1:1\n-1 2:1\n")
    waits = threading.Thread(target=done.wait)
    waits.start()
    try:
        assert len([*verifier.ahead(partial(verifier.read_svmlight, str(path)), str(path))()]) == 2
    finally:
        done.set()
        waits.join()


@pytest.mark.usefixtures("always_ahead")
def test_rows_are_the_same_and_in_order(tmp_path: Path) -> None:
    """Plain lines, and lines that are looked at more closely: 0, comments, indices out of order."""
    path = tmp_path / "d.svm"
    odd = ["-1 3:1 2:0.5", "1 1:0 # zero", "spam 7:1e-3", "1", ""]
    path.write_text("\n".join(f"1 {t + 1}:0.{t + 1}\n{odd[t % 5]}" for t in range(700)))
    rows = partial(verifier.read_svmlight, str(path))
    ahead = verifier.ahead(rows, str(path))
    assert ahead is not rows
    assert shown(ahead()) == shown(rows()) != []
    assert shown(ahead()) == shown(rows())  # as often as one likes


@pytest.mark.usefixtures("always_ahead")
def test_what_is_wrong_is_said_in_the_same_words(tmp_path: Path) -> None:
    path = tmp_path / "d.svm"
    path.write_text("1 1:1\n" * 600 + "1 2:x\n")
    rows = partial(verifier.read_svmlight, str(path))
    said = []
    for read in (rows, verifier.ahead(rows, str(path))):
        with pytest.raises(verifier.BadData) as error:
            list(read())
        said.append(str(error.value))
    assert said[0] == said[1]
    assert "d.svm:601: expected index:value" in said[0]


@pytest.mark.usefixtures("always_ahead")
def test_beside_other_threads_it_reads_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "d.svm"
    path.write_text("1 1:1\n")
    rows = partial(verifier.read_svmlight, str(path))
    monkeypatch.setattr(verifier, "active_count", lambda: 2)
    assert verifier.ahead(rows, str(path)) is rows


_POOL = """
import multiprocessing, os, sys
from functools import partial
from novikoff import verifier

verifier.LARGE, os.cpu_count, path = 0, lambda: 2, sys.argv[1]

def is_alone(path):
    rows = partial(verifier.read_svmlight, path)
    return verifier.ahead(rows, path) is rows

with multiprocessing.get_context("fork").Pool(1) as pool:
    print(is_alone(path), pool.apply(is_alone, (path,)))
"""


def test_in_a_pool_it_reads_alone(tmp_path: Path) -> None:
    """A process of a pool may have no children; the pool's own threads count, too."""
    path = tmp_path / "d.svm"
    path.write_text("1 1:1\n")
    done = subprocess.run(
        [sys.executable, "-c", _POOL, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "True True\n"


class _Foreign:
    """An object of another library: it must not be collected in a fork of the process it is of."""

    def __init__(self) -> None:
        self.process, self.itself = os.getpid(), self

    def __del__(self) -> None:
        if os.getpid() != self.process:
            os._exit(7)  # a library with threads would wait for one of them for ever


@pytest.mark.usefixtures("always_ahead")
def test_the_other_process_collects_nothing_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier, "TOGETHER", 20000)  # so many rows that a collection is due
    path = tmp_path / "d.svm"
    path.write_text("1 1:1 2:1\n" * 20000)
    before = gc.get_threshold()
    gc.disable()
    try:
        _Foreign()
        gc.set_threshold(5000, 1, 1)  # more than what begins the other process makes
        gc.enable()
        rows = partial(verifier.read_svmlight, str(path))
        assert sum(1 for _ in verifier.ahead(rows, str(path))()) == 20000
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)
        gc.enable()


@pytest.mark.usefixtures("always_ahead")
def test_a_program_that_goes_on_after_sigterm_does_not_wait_for_the_other_process(
    tmp_path: Path,
) -> None:
    """The reader is left in the middle: data that are not those of a certificate, say."""
    path = tmp_path / "d.svm"
    path.write_text("1 1:1 2:1\n" * 20000)  # more than a pipe holds
    rows = partial(verifier.read_svmlight, str(path))
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with little_time():
            reading = iter(verifier.ahead(rows, str(path))())
            next(reading)
            reading.close()  # type: ignore[attr-defined]
    finally:
        signal.signal(signal.SIGTERM, before)


_DIES = """
import os
from novikoff import verifier

def dies():
    for t in range(verifier.TOGETHER + 1):
        yield f"line {t}", 1, [(0, 1.0)]
    os._exit(7)

try:
    list(verifier.received(dies))
except verifier.BadData as error:
    print(error)
"""


def test_a_reader_that_dies_gives_no_verdict() -> None:
    done = subprocess.run([sys.executable, "-c", _DIES], capture_output=True, text=True, check=True)
    assert "expected a process to read them" in done.stdout


def test_if_the_other_process_dies_at_once_this_one_reads() -> None:
    """As forks do in which some version of Ray has been used."""
    here = os.getpid()

    def rows() -> Any:
        if os.getpid() != here:
            os._exit(7)
        yield "here", 1, [(0, 1.0)]

    assert list(verifier.received(rows)) == [("here", 1, [(0, 1.0)])]
