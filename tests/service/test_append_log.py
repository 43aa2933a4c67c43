"""The append log: what is acknowledged is there again, whatever happens to the process or disk."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from novikoff.errors import InputError
from novikoff.service.append_log import AppendLog
from novikoff.service.disk import Disk, DiskError
from novikoff.streams.log.log_stream import records_of
from novikoff.streams.log.records import Forget, Learn, encoded
from novikoff.streams.log.segments import HEADER, OVERHEAD, framed, segments_of


def payload(number: int) -> bytes:
    return encoded(Learn({"w": float(number)}, "spam"))


def numbers(folder: Path, segment: int = 2**20) -> list[float]:
    """Return what is in a log, as a start would find it."""
    log = AppendLog(str(folder), segment=segment)
    try:
        found = list(log.recover())
        assert [one.sequence for one in found] == list(range(1, len(found) + 1))
        values = []
        for one in found:
            assert isinstance(one.record, Learn)
            value = one.record.features["w"]
            assert isinstance(value, float)
            values.append(value)
        return values
    finally:
        log.close()


def written(folder: Path, groups: list[list[int]], segment: int = 2**20) -> None:
    log = AppendLog(str(folder), segment=segment)
    assert not list(log.recover())
    for group in groups:
        log.commit([payload(number) for number in group])
    log.close()


def test_committed_records_are_there_again(tmp_path: Path) -> None:
    written(tmp_path, [[1, 2], [3], [4, 5, 6]])
    assert numbers(tmp_path) == [1, 2, 3, 4, 5, 6]


def test_a_record_is_what_the_page_says(tmp_path: Path) -> None:
    """CRC-32C, length, sequence and durable, little-endian, by a bitwise CRC."""
    data = framed(7, 5, b"{}")
    assert data[4:] == bytes([2, 0, 0, 0, 7, *[0] * 7, 5, *[0] * 7]) + b"{}"
    assert int.from_bytes(data[:4], "little") == bitwise_crc(data[4:])
    assert bitwise_crc(b"123456789") == 0xE3069283  # the check value of CRC-32C (RFC 3720, B.4)


def bitwise_crc(data: bytes) -> int:
    rest = 0xFFFFFFFF
    for byte in data:
        rest ^= byte
        for _ in range(8):
            rest = rest >> 1 ^ (0x82F63B78 if rest & 1 else 0)
    return rest ^ 0xFFFFFFFF


def test_a_log_cut_at_any_byte_keeps_its_whole_records_and_goes_on(tmp_path: Path) -> None:
    source = tmp_path / "whole"
    written(source, [[1], [2, 3], [4]])
    (_, path), *_ = segments_of(str(source))
    data = Path(path).read_bytes()
    ends = [HEADER]
    for number in (1, 2, 3, 4):
        ends.append(ends[-1] + OVERHEAD + len(payload(number)))
    assert ends[-1] == len(data)
    for size in range(len(data)):
        folder = tmp_path / f"cut{size}"
        folder.mkdir()
        (folder / os.path.basename(path)).write_bytes(data[:size])
        whole = sum(end <= size for end in ends[1:])
        log = AppendLog(str(folder))
        assert len(list(log.recover())) == whole
        log.commit([payload(9)])
        log.close()
        assert numbers(folder) == [*map(float, range(1, whole + 1)), 9]


def test_any_damaged_byte_before_the_last_group_stops_the_start(tmp_path: Path) -> None:
    """A bad byte in what was acknowledged is never cut off."""
    source = tmp_path / "whole"
    written(source, [[1], [2, 3], [4]])
    (_, path), *_ = segments_of(str(source))
    data = Path(path).read_bytes()
    last = len(data) - OVERHEAD - len(payload(4))
    folder = tmp_path / "damaged"
    for place in range(len(data)):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        file = folder / os.path.basename(path)
        file.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        if place < last:
            with pytest.raises(InputError, match=r"\.nvlog(, offset \d+)?: expected"):
                numbers(folder)
            assert len(file.read_bytes()) == len(data), "nothing is changed"
        else:
            assert numbers(folder) == [1, 2, 3]


def test_a_hole_in_a_group_that_was_never_acknowledged_is_cut_off(tmp_path: Path) -> None:
    """After a power failure pages of one write may be missing before others that are there."""
    written(tmp_path, [[1], [2, 3, 4]])
    (_, path), *_ = segments_of(str(tmp_path))
    data = bytearray(Path(path).read_bytes())
    start = HEADER + OVERHEAD + len(payload(1))
    data[start : start + 30] = bytes(30)
    Path(path).write_bytes(data)
    assert numbers(tmp_path) == [1]


def test_damage_in_an_earlier_segment_stops_the_start(tmp_path: Path) -> None:
    written(tmp_path, [[1], [2], [3]], segment=HEADER + 1)
    paths = [path for _, path in segments_of(str(tmp_path))]
    assert len(paths) == 3
    data = Path(paths[1]).read_bytes()
    Path(paths[1]).write_bytes(data[:-1])
    with pytest.raises(InputError, match="offset 20: expected record 2"):
        numbers(tmp_path)
    Path(paths[1]).unlink()
    with pytest.raises(InputError, match="expected the log to go on"):
        numbers(tmp_path)


def test_another_version_is_refused_by_its_number(tmp_path: Path) -> None:
    written(tmp_path, [[1]])
    (_, path), *_ = segments_of(str(tmp_path))
    data = bytearray(Path(path).read_bytes())
    data[7] = 2
    Path(path).write_bytes(data)
    with pytest.raises(InputError, match=r"expected log/1, got log/2, a later version\. Update"):
        numbers(tmp_path)


def test_a_log_in_use_is_refused(tmp_path: Path) -> None:
    log = AppendLog(str(tmp_path))
    with pytest.raises(InputError, match="in use"):
        AppendLog(str(tmp_path))
    log.close()


def test_old_segments_are_dropped_whole(tmp_path: Path) -> None:
    written(tmp_path, [[1], [2], [3]], segment=HEADER + 1)
    log = AppendLog(str(tmp_path))
    assert log.drop_before(2) == 1
    assert [one.sequence for one in log.recover(1)] == [2, 3]
    assert log.first == 2
    log.close()
    again = AppendLog(str(tmp_path))
    with pytest.raises(InputError, match="expected record 1, got 2"):
        list(again.recover(0))
    again.close()


class FailingDisk(Disk):
    """A disk on which some calls fail, after having done a part of their work."""

    def __init__(self, fails: Callable[[str, int], int]) -> None:
        self.fails, self.calls = fails, 0

    def _call(self, name: str) -> int:
        self.calls += 1
        return self.fails(name, self.calls)

    def write(self, file: int, data: bytes) -> None:
        if code := self._call("write"):
            super().write(file, data[: len(data) // 2])
            raise OSError(code, os.strerror(code))
        super().write(file, data)

    def sync(self, file: int) -> None:
        if code := self._call("sync"):
            raise OSError(code, os.strerror(code))
        super().sync(file)

    def cut(self, file: int, size: int) -> None:
        if code := self._call("cut"):
            raise OSError(code, os.strerror(code))
        super().cut(file, size)

    def create(self, path: str) -> int:
        if code := self._call("create"):
            raise OSError(code, os.strerror(code))
        return super().create(path)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("burst", [1, 3])
def test_the_nth_call_fails_and_what_was_acknowledged_is_all_there(
    tmp_path: Path, code: int, burst: int
) -> None:
    calls = 40
    for n in range(1, calls):
        folder = tmp_path / str(n)
        disk = FailingDisk(lambda name, call, n=n: code if n <= call < n + burst else 0)  # type: ignore[misc]
        log = AppendLog(str(folder), disk, segment=HEADER + 150)
        assert not list(log.recover())
        kept, full = [], set[bool]()
        for number in range(12):
            try:
                log.commit([payload(number)])
                kept.append(float(number))
            except DiskError as error:
                full.add(error.full)
        assert full <= {code == errno.ENOSPC}
        assert len(kept) >= 12 - burst
        log.close()
        assert numbers(folder) == kept


def test_records_of_every_kind_survive_their_json() -> None:
    from novikoff.streams.log.records import Asked, Begin, Tell, decoded

    for record in (
        Begin(1, "Blend", {"bias": 1.0, "members": None}, ("ham", 1, 2.5, True), 3, "ab", 1.5),
        Learn({"a": 0.1, "b": "x", "c": True, "d": 5e-324}, "spam", 0.3, "k"),
        Asked("id", {"é\n": 1.7976931348623157e308}, 1e9 + 0.1),
        Tell(7, {}, 1, 2.0),
        Forget((1, "b"), True),
    ):
        assert decoded(encoded(record), "here") == record


def test_zeros_are_written_ahead_and_say_nothing(tmp_path: Path) -> None:
    """A killed service leaves zeros after its records; a log that was closed has none."""
    log = AppendLog(str(tmp_path / "log"))
    assert not list(log.recover())
    log.commit([payload(1)])
    (_, path), room = segments_of(log.folder)[0], os.path.getsize(segments_of(log.folder)[0][1])
    log.commit([payload(2)])
    assert os.path.getsize(path) == room  # it was written over zeros
    shutil.copytree(tmp_path / "log", tmp_path / "killed")
    log.close()
    assert os.path.getsize(path) < room
    killed = AppendLog(str(tmp_path / "killed"))
    assert len(list(killed.recover())) == 2
    assert killed.torn == 0
    killed.commit([payload(3)])
    killed.close()
    assert numbers(tmp_path / "killed") == [1, 2, 3]


def test_zeros_after_a_segment_that_is_not_the_last_are_no_damage(tmp_path: Path) -> None:
    """A crash can come between a new segment and the end of the one before."""
    written(tmp_path, [[1], [2], [3]], segment=HEADER + 150)
    first, second = (path for _, path in segments_of(str(tmp_path))[:2])
    with open(first, "ab") as file:
        file.write(bytes(1000))
    assert numbers(tmp_path) == [1, 2, 3]
    assert [sequence for sequence, _ in records_of(str(tmp_path))] == [1, 2, 3]
    with open(first, "r+b") as file:  # zeros instead of its records are damage
        file.seek(HEADER)
        file.write(bytes(os.path.getsize(first) - HEADER))
    with pytest.raises(InputError, match="expected the log to go on to record"):
        numbers(tmp_path)
    with pytest.raises(InputError, match="expected record 1 as the first, got 2") as error:
        list(records_of(str(tmp_path)))
    assert second in str(error.value)


def test_records_fit_where_zeros_do_not(tmp_path: Path) -> None:
    """A disk with little room takes records until it is full."""

    class Small(Disk):
        def write(self, file: int, data: bytes) -> None:
            if len(data) > 1000:
                os.write(file, data[:700])
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            super().write(file, data)

    log = AppendLog(str(tmp_path), Small())
    assert not list(log.recover())
    for number in range(20):
        log.commit([payload(number)])
    log.close()
    assert numbers(tmp_path) == list(map(float, range(20)))
