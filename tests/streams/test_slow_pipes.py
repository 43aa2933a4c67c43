"""Pipes and addresses that make a reader wait: nothing else may wait with it."""

import bz2
import gzip
import lzma
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import novikoff as nv
from novikoff.streams.files import addresses, opening
from novikoff.streams.files.opening import Source

ROWS = b"1 1:1\n-1 2:1\n" * 2**17  # more than a chunk
REST = b"".join(b"1 1:%d\n" % (k**7 % 10**9 + 7) for k in range(8000))  # hard to compress
PATIENCE = 20.0


def _zstd(data: bytes) -> bytes:
    pa: Any = pytest.importorskip("pyarrow", reason="zstd is read through pyarrow")
    found: bytes = pa.compress(data, "zstd", asbytes=True)
    return found


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": _zstd,
}  # fmt: skip


class Writer:
    """The other end of a pipe. It closes when a reader has waited for far too long."""

    def __init__(self, sent: bytes = b"") -> None:
        self.read_end, self.write_end = os.pipe()
        self.path = f"/dev/fd/{self.read_end}"
        self.waits = True
        self._guard = threading.Timer(PATIENCE, self.close)
        self._guard.start()
        self.send(sent)

    def send(self, data: bytes) -> None:
        if data:
            assert os.write(self.write_end, data) == len(data)

    def close(self) -> None:
        if self.waits:
            self.waits = False
            os.close(self.write_end)


@contextmanager
def waiting(sent: bytes = b"") -> Iterator[Writer]:
    """Yield a writer that sends no more by itself, and that is still there afterwards."""
    writer = Writer(sent)
    try:
        yield writer
        assert writer.waits, "nothing happened until the writer closed"
    finally:
        writer._guard.cancel()
        writer._guard.join()
        writer.close()
        os.close(writer.read_end)


def _begun(kind: str) -> bytes:
    """Return an archive of the rows, and most of another one."""
    pack = PACKED[kind]
    return pack(ROWS) + pack(REST)[:-10]


@pytest.mark.parametrize("kind", PACKED)
def test_rounds_of_an_archive_that_is_still_written_are_enough(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that uncompresses stops, though it waits for the writer."""
    monkeypatch.setattr(opening, "_GRACE", 2 * PATIENCE)
    before = threading.active_count()
    with waiting(_begun(kind)) as writer:
        run = nv.play(nv.Perceptron(), nv.read(writer.path, "svmlight", first=5))
        assert run.ledger.rounds == 5
        assert threading.active_count() == before + 1, "only the writer's guard is left"


@pytest.mark.parametrize("kind", ["gzip", "xz", "bzip2"])
def test_a_bad_line_of_an_archive_that_is_still_written_is_named(kind: str) -> None:
    """Only a last line may have been cut off by a broken archive."""
    with waiting(PACKED[kind](b"1 1:1\n1 1:x\n") + _begun(kind)) as writer:
        run = nv.Run(nv.Perceptron())
        with pytest.raises(nv.InputError, match=":2: expected a finite value for feature 1"):
            run.play(nv.read(writer.path, "svmlight"))
        assert run.ledger.rounds == 1


_FORKED = """
import multiprocessing, sys, time
import novikoff as nv

blocks = nv.read(sys.argv[1]).blocks()
rows = len(next(blocks).rows)
worker = multiprocessing.get_context("fork").Process(target=time.sleep, args=(20,))
worker.start()
rows += sum(len(rounds.rows) for rounds in blocks)
print(rows, worker.is_alive())
worker.kill()
"""


def test_a_worker_that_lives_on_does_not_keep_an_archive_open(tmp_path: Path) -> None:
    """It is forked while a thread of this process writes into a pipe that it gets, too."""
    path = tmp_path / "d.svm.gz"
    path.write_bytes(gzip.compress(ROWS * 2))
    done = subprocess.run(
        [sys.executable, "-c", _FORKED, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{2**19} True\n"


def test_ctrl_c_stops_the_wait_for_an_archive() -> None:
    with waiting(_begun("gzip")) as writer:
        signals = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
        run = nv.Run(nv.Perceptron())
        signals.start()
        with pytest.raises(KeyboardInterrupt):
            run.play(nv.read(writer.path, "svmlight"))
        signals.join()


def test_a_stop_saves_what_was_learned_from_an_archive(tmp_path: Path) -> None:
    """As gzip gets it from a log that is still written."""
    model = tmp_path / "m"
    command = [sys.executable, "-m", "novikoff", "learn", "-", "--format", "svmlight"]
    command += ["--learner", "perceptron", "--save", str(model), "--save-every", "0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        guard = threading.Timer(PATIENCE, process.kill)
        guard.start()
        process.stdin.write(_begun("gzip"))
        process.stdin.flush()
        while not model.exists() and guard.is_alive():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 130
        guard.cancel()
        said = process.stderr.read().decode()
    rounds = nv.Run.load(model).ledger.rounds
    assert rounds > 0
    assert f"interrupted after {rounds:,} rounds; go on with --resume" in said


END = """
import os, sys
import novikoff as nv
read, write = os.pipe()
os.write(write, bytes.fromhex(sys.argv[1]))
blocks = nv.read(f"/dev/fd/{read}", "svmlight").blocks()
print(len(next(blocks).labels) > 0)
"""


@pytest.mark.parametrize("kind", PACKED)
def test_a_program_ends_in_the_middle_of_an_archive(kind: str) -> None:
    """It aborted: the thread had a lock that the end of the interpreter takes."""
    command = [sys.executable, "-c", END, _begun(kind).hex()]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"True\n", b"")


class Elsewhere:
    """A file at an address: what it has, and then a wait or an error."""

    def __init__(self, data: bytes, then: Callable[[], bytes]) -> None:
        self.data, self.then = data, then
        self.closed = threading.Event()

    def read(self, size: int, /) -> bytes:
        found, self.data = self.data[:size], self.data[size:]
        return found or self.then()

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Callable[[Elsewhere], str]:
    def placed(file: Elsewhere) -> str:
        monkeypatch.setattr(addresses, "matching", lambda address: [address])
        monkeypatch.setattr(addresses, "size_of", lambda address: None)
        monkeypatch.setattr(addresses, "opened", lambda address: file)
        return "far://away/rows.svm"

    return placed


@pytest.mark.parametrize("data", [b"1 1:1\n", _begun("gzip")], ids=["plain", "gzip"])
def test_an_address_that_does_not_answer_is_left_behind(
    data: bytes, elsewhere: Callable[[Elsewhere], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can interrupt such a read; the file is closed once it comes back."""
    monkeypatch.setattr(opening, "_GRACE", 0.01)
    asked, answered = threading.Event(), threading.Event()

    def late() -> bytes:
        asked.set()
        answered.wait(PATIENCE)
        return b""

    file = Elsewhere(data, late)
    blocks = nv.read(elsewhere(file), "svmlight").blocks()
    assert len(next(blocks).rows) > 0
    assert asked.wait(PATIENCE)
    del blocks
    assert not file.closed.is_set(), "the read came back by itself"
    answered.set()
    assert file.closed.wait(PATIENCE)


def test_a_connection_that_breaks_is_not_the_end(elsewhere: Callable[[Elsewhere], str]) -> None:
    """It is the same error as that of a pipe that nobody reads."""

    def broken() -> bytes:
        raise BrokenPipeError("connection lost")

    file = Elsewhere(ROWS, broken)
    with pytest.raises(nv.InputError, match="expected a file, got: connection lost"):
        nv.play(nv.Perceptron(), nv.read(elsewhere(file), "svmlight"))
    assert file.closed.is_set()


@pytest.mark.parametrize(
    ("kind", "sent", "pack"),
    [
        ("svmlight", b"1 1:1\n-1 2:1\n", bytes),
        ("jsonl", b'{"label": 1, "a": 1}\n{"label": -1, "b": 1}\n', bytes),
        ("svmlight", b"1 1:1\n-1 2:1\n", gzip.compress),
    ],
    ids=["svmlight", "jsonl", "gzip"],
)
def test_a_descriptor_that_does_not_wait_is_waited_for(
    kind: str, sent: bytes, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard input may not block: another program can have set it so."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    with open(read) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        feeder = threading.Thread(target=_feed, args=(write, pack(sent), 0.05))
        feeder.start()
        run = nv.play(nv.Perceptron(), nv.read("-", kind, labels=(-1, 1)))
        feeder.join()
    assert run.ledger.rounds == 2


def _feed(write: int, data: bytes, pause: float) -> None:
    """Write the first byte, the second and the rest, each after a pause."""
    with open(write, "wb", buffering=0) as pipe:
        for piece in (data[:1], data[1:2], data[2:]):
            time.sleep(pause)
            pipe.write(piece)


@pytest.mark.parametrize(
    ("kind", "line"), [("svmlight", b"1 1:1\n"), ("vw", b"1 |\n"), ("text", b"1\ta\n")]
)
def test_a_short_line_does_not_wait_for_the_next(kind: str, line: bytes) -> None:
    """Its first bytes are no compression, so nothing else has to come."""
    with waiting(line) as writer:
        rounds = nv.read(writer.path, kind).blocks()
        assert next(rounds).labels[0] == 1
        writer.send(line)
        assert next(rounds).labels[0] == 1


@pytest.mark.parametrize("kind", ["utf-8", *PACKED])
def test_marks_may_come_in_pieces(kind: str) -> None:
    row = b"1 1:1\n"
    packed = PACKED[kind](row) if kind in PACKED else b"\xef\xbb\xbf" + row
    read, write = os.pipe()
    feeder = threading.Thread(target=_feed, args=(write, packed, 0.02))
    feeder.start()
    run = nv.play(nv.Perceptron(), nv.read(f"/dev/fd/{read}", "svmlight"))
    feeder.join()
    os.close(read)
    assert run.ledger.rounds == 1


def test_a_long_header_is_looked_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In pieces of 64 bytes it took two minutes, when each made all before be searched again."""
    file = tmp_path / "wide.csv"
    file.write_bytes(b"label," + b"w" * 2**23 + b"\n1,2\n")
    whole, began = Source.read, time.process_time()

    def little(self: Source, size: int) -> bytes:
        assert time.process_time() - began < PATIENCE, "the header is looked at again and again"
        return whole(self, min(size, 64))

    monkeypatch.setattr(Source, "read", little)
    rounds = next(nv.read(file, "csv").blocks())
    assert len(rounds.rows) == 1
