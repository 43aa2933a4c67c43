"""Snapshots by another process: the same bits as a copy, and nobody waits for them."""

import logging
from pathlib import Path

import pytest
from msgspec.structs import replace
from services import new_model, running, state_of, wishes

from novikoff.errors import InputError
from novikoff.service.replica_snapshots import page_at
from novikoff.service.snapshot_maker import SnapshotMaker, replica_at
from novikoff.service.watch import AlarmTest
from novikoff.streams.log.snapshot_files import snapshots_of


def test_another_process_makes_the_snapshot_that_a_copy_makes(tmp_path: Path) -> None:
    model, said = new_model(tmp_path / "m"), wishes(300)
    pages = []
    for longest in (60.0, -1.0):  # a copy; another process
        folder = tmp_path / f"log{longest}"
        with running(folder, model) as engine:
            engine.longest_copy = longest
            engine.clock.now = lambda: 1e9  # type: ignore[method-assign]
            for number, parts in enumerate(said):
                engine.wish(parts)
                if number in (100, 299):
                    engine.snapshot()
            expected = state_of(engine, tmp_path / "digest")
            page = page_at(str(folder), engine.snapshot_sequence)
            assert page.sequence == engine.replica.sequence
            pages.append(replace(page, begin=replace(page.begin, time=0.0)))
        with running(folder) as engine:
            assert state_of(engine, tmp_path / "digest") == expected
    assert pages[0] == pages[1]


def test_if_the_process_fails_a_copy_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("sys.executable", "/nonexistent")
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        engine.longest_copy = -1.0
        engine.wish(wishes(1)[0])
        with caplog.at_level(logging.ERROR, "novikoff.service"):
            engine.snapshot()
        assert engine.snapshot_sequence == engine.replica.sequence == 2
    assert "a snapshot was made by a copy" in caplog.text


def test_a_stopped_maker_makes_none(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        engine.wish(wishes(1)[0])
        maker = SnapshotMaker(engine.log.folder, 10)
        maker.stop()
        assert maker.make(2, AlarmTest()) is None
        assert snapshots_of(engine.log.folder) == [0]


def test_a_log_that_ends_too_early_is_named(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        folder = engine.log.folder
        with pytest.raises(InputError, match="expected the log to go to record 7, got 1"):
            replica_at(folder, 7, 10, AlarmTest())
        with pytest.raises(InputError, match=r"got: .*expected the log to go to record 7"):
            SnapshotMaker(folder, 10).make(7, AlarmTest())
