"""Archives of several streams: whatever is no whole stream is refused."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import novikoff as nv

FIRST, SECOND = b"1 1:2\n-1 1:-3\n", b"1 1:5\n"
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "bz2": bz2.compress,
    "gz": gzip.compress,
    "xz": lzma.compress,
}


def _zstd(data: bytes) -> bytes:
    pa: Any = pytest.importorskip("pyarrow", reason="zstd is read through pyarrow")
    found: bytes = pa.compress(data, "zstd", asbytes=True)
    return found


PACKED["zst"] = _zstd


@pytest.fixture(params=PACKED)
def ending(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def _labels(path: Path, data: bytes) -> list[Any]:
    path.write_bytes(data)
    return [y for rounds in nv.read(path).blocks() for y in rounds.labels]


def test_streams_in_a_row_are_one_file(ending: str, tmp_path: Path) -> None:
    pack = PACKED[ending]
    data = pack(FIRST) + pack(b"") + pack(SECOND)
    assert _labels(tmp_path / f"a.svm.{ending}", data) == [1, -1, 1]


def test_a_later_stream_with_another_beginning_is_refused(ending: str, tmp_path: Path) -> None:
    pack = PACKED[ending]
    for place in range(3):
        later = bytearray(pack(SECOND))
        later[place] ^= 1
        with pytest.raises(nv.InputError, match=r"expected a whole \w+ file, got: "):
            _labels(tmp_path / f"a.svm.{ending}", pack(FIRST) + bytes(later))


@pytest.mark.parametrize(
    "rest", [b"x", b"garbage behind the end", b"\0\0\0\0x", b"\xfd7zXZ", b"BZ"]
)
def test_what_is_no_stream_is_refused_behind_the_last(
    ending: str, rest: bytes, tmp_path: Path
) -> None:
    with pytest.raises(nv.InputError, match=r"expected a whole \w+ file, got: "):
        _labels(tmp_path / f"a.svm.{ending}", PACKED[ending](FIRST) + rest)


def test_every_cut_is_refused(ending: str, tmp_path: Path) -> None:
    whole, later = PACKED[ending](FIRST), PACKED[ending](SECOND)
    for size in range(1, len(later)):
        with pytest.raises(nv.InputError, match=r"expected a whole \w+ file, got: "):
            _labels(tmp_path / f"a.svm.{ending}", whole + later[:size])


def test_a_cut_inside_a_record_of_several_lines_is_no_bad_line(ending: str, tmp_path: Path) -> None:
    """The record begins before the last line, but it is the archive that is broken."""
    rows = b"".join(b'1,"a %d\nb\nc %d"\n' % (t**5 % 7919, t) for t in range(2000))
    data = PACKED[ending](b"label,text\n" + rows)
    for cut in range(len(data) // 2, len(data) // 2 + 20):
        with pytest.raises(nv.InputError, match=r"expected a whole \w+ file, got: "):
            _labels(tmp_path / f"a.csv.{ending}", data[:cut])


def test_xz_may_be_filled_up_with_zeros_by_fours(tmp_path: Path) -> None:
    first, later = lzma.compress(FIRST), lzma.compress(SECOND)
    data = first + b"\0" * 4 + later + b"\0" * 2**17
    assert _labels(tmp_path / "a.svm.xz", data) == [1, -1, 1]
    for count in (1, 3, 5):
        with pytest.raises(nv.InputError, match="zeros after a stream, not a multiple of 4"):
            _labels(tmp_path / "a.svm.xz", first + b"\0" * count + later)


def test_zeros_behind_bzip2_are_refused(tmp_path: Path) -> None:
    with pytest.raises(nv.InputError, match="expected a whole bzip2 file"):
        _labels(tmp_path / "a.svm.bz2", bz2.compress(FIRST) + b"\0" * 4)
