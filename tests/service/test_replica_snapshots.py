"""Snapshots on the disk: whatever is changed in one is found, and named."""

import hashlib
import shutil
from pathlib import Path

import msgspec
import pytest
from services import new_model, running, state_of, wishes

from novikoff.errors import InputError
from novikoff.service.replica_snapshots import page_at, read_snapshot, unsealed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("snapshots")
    with running(made / "log", new_model(made / "m")) as engine:
        for parts in wishes(40):
            engine.wish(parts)
    return made / "log"


def latest(folder: Path, suffix: str) -> Path:
    return max(folder.glob(f"snapshot-*{suffix}"))


def test_a_flipped_bit_of_the_page_is_found(folder: Path) -> None:
    """Were it not, a restart could count rounds twice, or lose an ask."""
    data = latest(folder, ".json").read_bytes()
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << place % 8
        with pytest.raises(InputError, match=r"page: expected (the page of a snapshot|page/1 or)"):
            unsealed("page", bytes(changed))
    for size in range(len(data)):
        with pytest.raises(InputError, match=r"page: expected (the page of a snapshot|page/1 or)"):
            unsealed("page", data[:size])


def test_the_page_of_another_record_is_refused(folder: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(folder, tmp_path / "log")
    pages = sorted(copied.glob("snapshot-*.json"))
    shutil.copy(pages[0], pages[1])
    with pytest.raises(InputError, match=f"{pages[1].name}: expected .*, got that of record 0"):
        read_snapshot(str(copied), 10)


@pytest.mark.parametrize("size", [0, 7, 100, -1])
def test_a_model_that_was_cut_is_named(folder: Path, tmp_path: Path, size: int) -> None:
    copied = shutil.copytree(folder, tmp_path / "log")
    model = latest(copied, ".model")
    model.write_bytes(model.read_bytes()[:size])
    with pytest.raises(InputError, match=model.name):
        read_snapshot(str(copied), 10)


def test_a_page_of_version_1_is_read(folder: Path, tmp_path: Path) -> None:
    """It had no SHA-256."""
    copied = shutil.copytree(folder, tmp_path / "log")
    path = latest(copied, ".json")
    page = page_at(str(copied), int(path.stem.partition("-")[2]))
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(page, version=1)))
    with running(folder) as engine:
        expected = state_of(engine, tmp_path / "digest")
    with running(copied) as engine:
        assert state_of(engine, tmp_path / "digest") == expected


def test_a_page_of_a_later_version_is_refused(folder: Path) -> None:
    line = latest(folder, ".json").read_bytes().partition(b"\n")[0]
    later = line.replace(b'"version":2', b'"version":3')
    seal = hashlib.sha256(later).hexdigest().encode()
    with pytest.raises(InputError, match=r"page/2, got page/3, a later version\. Update"):
        unsealed("page", later + b"\n" + seal + b"\n")


@pytest.mark.parametrize("version", [0, -1, 10**19, 10**60])
def test_a_page_of_a_version_that_never_was_is_damaged(folder: Path, version: int) -> None:
    """Nobody names a page, so nobody can name another one."""
    line = latest(folder, ".json").read_bytes().partition(b"\n")[0]
    other = line.replace(b'"version":2', f'"version":{version}'.encode())
    with pytest.raises(InputError, match=r"got page/.*\. Remove it to start from the") as caught:
        unsealed("page", other)
    assert len(str(caught.value)) < 300


def test_a_long_name_in_a_page_is_cut(folder: Path) -> None:
    line = latest(folder, ".json").read_bytes().partition(b"\n")[0]
    other = line.replace(b'"version":2', b'"version":2,"%b":1' % (b"x" * 100_000))
    with pytest.raises(InputError, match="unknown field `xxx") as caught:
        unsealed("page", other)
    assert len(str(caught.value)) < 600
