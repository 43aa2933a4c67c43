"""Files that are read in Python, JSON lines and sentences, are played as they arrive."""

import bz2
import fcntl
import gzip
import lzma
import os
import termios
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import novikoff as nv
from novikoff.streams.files import opening, pieces
from novikoff.streams.files.opening import Source

_PATIENCE = 20  # seconds, only so that a failure ends


class Format(NamedTuple):
    """Two rounds of a format, then a third."""

    two: bytes
    one: bytes

    @property
    def texts(self) -> list[bytes]:
        """Two rounds; one, and a part of the next; the rest of it."""
        return [self.two, self.one + self.one[:5], self.one[5:]]


_TOKEN = b"1\tdogs\tdog\tNOUN\tN\t_\t0\troot\t_\t_\n"
FORMATS = {
    "jsonl": Format(b'{"label": 1, "a": 1}\n{"label": -1, "b": 1}\n', b'{"label": 1, "a": 2}\n'),
    "texts": Format(
        b'{"label": 1, "t": "a b"}\n{"label": -1, "t": "b"}\n',
        b'{"label": 1, "t": "a"}\n',
    ),
    "conll": Format(b"the\tD\ndog\tN\n\nruns\tV\n\n", b"dogs\tN\n\n"),
    "conllu": Format(b"# a sentence\n" + _TOKEN + b"\n" + _TOKEN + b"\n", _TOKEN + b"\n"),
}


def opened(path: Path, format: str) -> Any:
    """Return the stream of a file of one of the formats above."""
    if format == "texts":
        return nv.read(path, "jsonl", text="t")
    return nv.read(path, format)


@contextmanager
def fed(tmp_path: Path, feed: Callable[[Any], None]) -> Iterator[Path]:
    """Yield a pipe that a thread feeds."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def work() -> None:
        with open(pipe, "wb", buffering=0) as file:
            feed(file)

    feeder = threading.Thread(target=work)
    feeder.start()
    yield pipe
    feeder.join(_PATIENCE)
    assert not feeder.is_alive()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_line_from_a_pipe_is_played_before_the_next_is_waited_for(
    format: str, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """Nothing more is written before what has come is handed on; a part of a line can wait."""
    handed_on = threading.Semaphore(0)
    in_time: list[bool] = []

    def feed(file: Any) -> None:
        for text in FORMATS[format].texts:
            file.write(pack(text))
            in_time.append(handed_on.acquire(timeout=_PATIENCE if all(in_time) else 0))

    seen: list[int] = []
    with fed(tmp_path, feed) as pipe:
        for rounds in opened(pipe, format).blocks():
            seen.append(len(rounds.rows))
            handed_on.release()
    assert all(in_time)
    assert seen == [2, 1, 1]


@pytest.mark.parametrize("format", FORMATS)
def test_what_came_before_a_stop_is_kept(
    format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes while the pipe is empty: the rounds before it were handed on."""
    seen: list[int] = []
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDWR)  # the pipe does not end
    os.write(held, FORMATS[format].two)
    read = Source.read

    def interrupted(source: Source, size: int) -> bytes:
        if not int.from_bytes(fcntl.ioctl(held, termios.FIONREAD, bytes(4)), "little"):
            raise KeyboardInterrupt
        return read(source, size)

    monkeypatch.setattr(Source, "read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        seen.extend(len(rounds.rows) for rounds in opened(pipe, format).blocks())
    os.close(held)
    assert seen == [2]


@pytest.mark.parametrize("format", FORMATS)
def test_a_pipe_is_forgotten_as_it_is_played(format: str, tmp_path: Path) -> None:
    """Nobody keeps the rounds of a pipe, which may never end."""
    handed_on = threading.Semaphore(0)

    def feed(file: Any) -> None:
        for text in FORMATS[format].texts:
            file.write(text)
            handed_on.acquire(timeout=_PATIENCE)

    kept = []
    with fed(tmp_path, feed) as pipe:
        for rounds in opened(pipe, format).blocks():
            kept.append(weakref.ref(rounds.rows))
            handed_on.release()
            alive = sum(one() is not None for one in kept)
            assert alive <= 2  # this one, and the last while this one was read
    assert len(kept) == 3


@pytest.mark.parametrize("size", [1, 3, 40, 2**16])
@pytest.mark.parametrize("format", FORMATS)
def test_pieces_change_no_round(
    format: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe that is read a few bytes at a time gives the rounds, places and faults of the file."""
    two, one = FORMATS[format]
    content = b"\xef\xbb\xbf" + two + b"\r\n" + b"x\n\n" + 3 * one + two.rstrip()
    plain = tmp_path / "plain"
    plain.write_bytes(content)

    def found(path: Path) -> list[Any]:
        stream = opened(path, format)
        stream.on_bad, stream.name = "skip", "it"
        rounds: list[Any] = []
        for one in stream.blocks():
            places = [one.place(t).rpartition(":")[2] for t in range(len(one.rows))]
            rows = [one.rows.row(t) for t in range(len(one.rows))]
            rounds += zip(rows, one.labels, places, strict=True)
        return [rounds, stream.skipped, [fault.rpartition(":")[2] for fault in stream.faults]]

    expected = found(plain)
    monkeypatch.setattr(opening, "HEAD", size)
    monkeypatch.setattr(pieces, "_PIECE", size)
    with fed(tmp_path, lambda file: file.write(content)) as pipe:
        assert found(pipe) == expected
    assert len(expected[0]) == 7
    assert expected[1] == 1


@pytest.mark.parametrize("size", [1, 100, 2**16])
def test_blocks_of_any_size_make_the_same_mistakes(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        b'{"label": "%s", "f%d": %d, "weight": %d}\n'
        % (b"ab"[t % 3 == 0 :][:1], t % 7, t % 5, t % 2 + 1)
        for t in range(300)
    ]
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(b"".join(lines))

    def played(path: Path) -> tuple[int, str | None, bytes]:
        stream = nv.read(path, "jsonl", weight="weight", labels=("a", "b"))
        run: Any = nv.Run(nv.Blend(), digest=True, max_weight=2).play(stream)
        scores = run.hypothesis().probabilities([{"f1": 1.0}])
        return run.mistakes, run.ledger.digest, scores.tobytes()

    expected = played(plain)
    monkeypatch.setattr(opening, "HEAD", size)
    monkeypatch.setattr(pieces, "_PIECE", size)
    with fed(tmp_path, lambda file: file.write(plain.read_bytes())) as pipe:
        assert played(pipe) == expected


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(("format", "most"), [("jsonl", 1024), ("conll", 4096)])
def test_blocks_of_files_are_large(
    format: str,
    most: int,
    pack: Callable[[bytes], bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only a pipe is worth small blocks. A look at the first one must not depend on timing."""
    monkeypatch.setattr(pieces, "_PIECE", 1000)
    monkeypatch.setattr(opening, "HEAD", 1000)
    path = tmp_path / "file"
    path.write_bytes(pack(2 * most * FORMATS[format].one + FORMATS[format].two))
    assert [len(rounds.rows) for rounds in opened(path, format).blocks()] == [most, most, 2]


@pytest.mark.parametrize("format", FORMATS)
def test_the_rounds_before_a_broken_end_are_played(format: str, tmp_path: Path) -> None:
    """An archive breaks off after whole lines: those come before its error."""
    two, one = FORMATS[format]
    seen: list[int] = []
    path = tmp_path / "file"
    path.write_bytes(bz2.compress(two + one) + bz2.compress(one)[:20])
    with pytest.raises(nv.InputError, match="expected a whole bzip2 file"):
        seen.extend(len(rounds.rows) for rounds in opened(path, format).blocks())
    assert seen == [3]


def test_sentences_tell_how_far_they_are(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(10_000 * FORMATS["conll"].one)
    stream = opened(path, "conll")
    read = [stream.progress[0] for _ in stream.blocks()]
    assert all(before <= after for before, after in pairwise(read))
    assert read[0] > 0
    assert stream.progress == (path.stat().st_size,) * 2


class Counted(bytes):
    """Bytes that count how many of them are split or joined."""

    handled = 0

    def split(self, *given: Any) -> Any:
        """Split them."""
        Counted.handled += len(self)
        return [Counted(part) for part in super().split(*given)]

    def __add__(self, other: Any) -> Any:
        Counted.handled += len(self) + len(other)
        return Counted(super().__add__(other))

    def __radd__(self, other: Any) -> Any:
        Counted.handled += len(self)
        if isinstance(other, bytearray):  # which can grow in place
            return NotImplemented
        Counted.handled += len(other)
        return Counted(bytes(other) + bytes(self))


def test_a_long_line_costs_what_its_bytes_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every byte is looked at once, in however many pieces the line comes."""
    size, left = 100, [Counted(b"x" * 100)] * 500 + [Counted(b"\ny\n")]

    class Slow:
        """A pipe that gives little at a time."""

        head = left[0]

        def read(self, _: int) -> bytes:
            """Return what is there."""
            return left.pop(0) if left else b""

    monkeypatch.setattr(Counted, "handled", 0)
    slow: Any = Slow()
    found = [len(line) for _, lines in pieces.pieces_of(slow) for _, line in lines]
    assert found == [501 * size, 1]
    assert Counted.handled <= 2 * 502 * size
