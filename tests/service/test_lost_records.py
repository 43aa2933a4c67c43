"""A log that has lost records is refused by all who open it, and nothing in it is changed."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from services import LABELS, features, new_model, running

import novikoff as nv
from novikoff import cli
from novikoff.errors import InputError
from novikoff.saving import storage
from novikoff.saving.storage import digest_of
from novikoff.service.append_log import AppendLog
from novikoff.service.limits import Limits
from novikoff.service.opening_log import opened
from novikoff.service.service_engine import Engine
from novikoff.service.wishes import Example
from novikoff.streams.log import log_stream
from novikoff.streams.log.log_stream import records_of, start_of
from novikoff.streams.log.receipt_links import NAME
from novikoff.streams.log.records import Begin
from novikoff.streams.log.segments import HEADER, segments_of

Damage = Callable[[Path], None]
ROUNDS = 30


def learned(engine: Engine, rounds: int, seed: int = 3) -> None:
    rng = random.Random(seed)
    for _ in range(rounds):
        engine.wish([Example(features(rng), rng.choice(LABELS))])


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def started(folder: Path, model: str | None = None) -> int:
    """Open a log as the service does; return how many rounds it has."""
    log = AppendLog(str(folder))
    try:
        return opened(log, model, Limits()).run.ledger.rounds
    finally:
        log.close()


def unchanged(folder: Path, match: str, model: str | None = None) -> None:
    """The service refuses a log and leaves every file as it was."""
    before = contents(folder)
    with pytest.raises(InputError, match=match):
        started(folder, model)
    assert contents(folder) == before


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that was closed: its snapshot is of its last record, 31."""
    made = tmp_path_factory.mktemp("whole")
    with running(made / "log", new_model(made / "m")) as engine:
        learned(engine, ROUNDS)
    return made / "log"


@pytest.fixture(scope="module")
def torn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log whose service died while it wrote: its only snapshot is of no record."""
    made = tmp_path_factory.mktemp("torn")
    with running(made / "log", new_model(made / "m")) as engine:
        learned(engine, ROUNDS)
        shutil.copytree(made / "log", made / "torn")
    segment = last_segment(made / "torn")
    segment.write_bytes(segment.read_bytes().rstrip(b"\0") + b"the begin of a record")
    return made / "torn"


def last_segment(folder: Path) -> Path:
    return Path(segments_of(str(folder))[-1][1])


def flip_the_last(folder: Path) -> None:
    segment = last_segment(folder)
    data = bytearray(segment.read_bytes())
    data[-5] ^= 1
    segment.write_bytes(data)


def cut_within_a_record(folder: Path) -> None:
    segment = last_segment(folder)
    segment.write_bytes(segment.read_bytes()[:-200])


def cut_all(folder: Path) -> None:
    last_segment(folder).write_bytes(b"")


def cut_all_records(folder: Path) -> None:
    segment = last_segment(folder)
    segment.write_bytes(segment.read_bytes()[:HEADER])


DAMAGES = [flip_the_last, cut_within_a_record, cut_all, cut_all_records]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_log_that_ends_before_its_snapshot_is_not_cut(
    whole: Path, tmp_path: Path, damage: Damage
) -> None:
    """Its last record looks torn, but the snapshot says that it was acknowledged."""
    folder = Path(shutil.copytree(whole, tmp_path / "log"))
    damage(folder)
    unchanged(folder, r"go on to record 31, got \d+\. Restore the folder .* nothing was changed\.")


@pytest.mark.parametrize("damage", DAMAGES)
def test_readers_refuse_a_log_that_ends_before_its_snapshot(
    whole: Path, tmp_path: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "log"))
    damage(folder)
    said = r"\.nvlog: expected the log to go on to record 31, as .*, got \d+\. .*move its snapshots"
    with pytest.raises(InputError, match=said):
        list(records_of(str(folder)))
    with pytest.raises(InputError, match=said):
        nv.play(nv.Perceptron(), nv.read(folder))
    for ending in (".jsonl", ".svm"):
        export = tmp_path / f"day{ending}"
        assert cli.main(["log", "export", str(folder), str(export)]) == 3
        assert "Restore the folder from a backup" in capsys.readouterr().err
        assert not export.exists()


def test_what_is_left_is_read_without_its_snapshots(whole: Path, tmp_path: Path) -> None:
    """As the refusal says; the service then starts from the model that the log began with."""
    folder = Path(shutil.copytree(whole, tmp_path / "log"))
    flip_the_last(folder)
    for path in folder.glob("snapshot-*"):
        path.unlink()
    assert [sequence for sequence, _ in records_of(str(folder))] == list(range(1, ROUNDS + 1))
    unchanged(folder, "expected the model that the log begins with, got no such file")
    assert started(folder, str(whole.parent / "m")) == ROUNDS - 1
    assert started(folder) == ROUNDS - 1


def test_the_model_of_another_log_changes_nothing(whole: Path, tmp_path: Path) -> None:
    """Without snapshots, a log must not begin anew from whatever model is named."""
    folder = Path(shutil.copytree(whole, tmp_path / "log"))
    for path in folder.glob("snapshot-*"):
        path.unlink()
    nv.Run(nv.Perceptron(), labels=LABELS).save(tmp_path / "other")
    unchanged(folder, r"start\.model: expected the model .*, got", str(tmp_path / "other"))
    shutil.copy(tmp_path / "other", folder / "start.model")
    unchanged(folder, "Name the model that the log began with", str(tmp_path / "other"))


def replace_start(folder: Path) -> None:
    run = nv.Run(nv.Blend(), labels=LABELS)
    run.learn({"w": 1.0}, "spam")
    run.save(folder / "start.model")


def empty_start(folder: Path) -> None:
    (folder / "start.model").write_bytes(b"")


def flip_in_start(folder: Path) -> None:
    data = bytearray((folder / "start.model").read_bytes())
    data[-1] ^= 1
    (folder / "start.model").write_bytes(data)


def remove_start(folder: Path) -> None:
    (folder / "start.model").unlink()


def break_receipts(folder: Path) -> None:
    (folder / NAME).write_text("nonsense\n")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (replace_start, r"start\.model: expected the model .*, got .*\. Restore it"),
        (empty_start, r"start\.model: expected a saved run"),
        (flip_in_start, r"start\.model: .*another SHA-256"),
        (remove_start, r"start\.model: expected the model .*, got no such file\. Restore it"),
        (break_receipts, r"receipts\.jsonl:1: expected the receipt"),
    ],
)
def test_all_is_checked_before_a_torn_end_is_cut_off(
    torn: Path, tmp_path: Path, damage: Damage, said: str
) -> None:
    folder = Path(shutil.copytree(torn, tmp_path / "log"))
    damage(folder)
    unchanged(folder, said)


def test_a_torn_end_that_no_snapshot_covers_is_cut_off(torn: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(torn, tmp_path / "log"))
    assert len(list(records_of(str(folder)))) == ROUNDS + 1
    assert started(folder) == ROUNDS
    assert not last_segment(folder).read_bytes().endswith(b"record")


def test_readers_refuse_a_log_without_its_first_segment(tmp_path: Path) -> None:
    """The service does not need it any more, but the rounds in it are gone."""
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        engine.log._segment = 600
        learned(engine, ROUNDS)
    Path(segments_of(str(tmp_path / "log"))[0][1]).unlink()
    with pytest.raises(InputError, match="expected record 1 as the first, got"):
        list(records_of(str(tmp_path / "log")))
    assert started(tmp_path / "log") == ROUNDS


def test_a_reader_beside_a_service_that_takes_snapshots_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A snapshot that comes after the reader has begun is of records that it need not see."""
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        engine.log._segment = 600
        learned(engine, ROUNDS)
        engine.snapshot()
        found = records_of(str(tmp_path / "log"))
        next(found)

        def meanwhile(folder: str) -> list[tuple[int, str]]:
            segments = segments_of(folder)
            learned(engine, ROUNDS)
            engine.snapshot()
            return segments

        monkeypatch.setattr(log_stream, "segments_of", meanwhile)
        again = list(records_of(str(tmp_path / "log")))
        assert len(list(found)) >= ROUNDS
        assert len(again) >= ROUNDS + 1


def test_a_reader_begins_where_a_drop_of_that_moment_lets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its looks at the receipts and at the segments, old ones are dropped."""
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        engine.keep_log, engine.log._segment = False, 600
        learned(engine, ROUNDS)
        dropped = list[int]()

        def meanwhile(folder: str) -> list[tuple[int, str]]:
            if not dropped:
                for _ in range(2):
                    learned(engine, ROUNDS)
                    engine.snapshot()
                dropped.append(segments_of(folder)[0][0])
            return segments_of(folder)

        monkeypatch.setattr(log_stream, "segments_of", meanwhile)
        numbers = [sequence for sequence, _ in records_of(str(tmp_path / "log"))]
    assert dropped[0] > 1
    assert numbers == list(range(numbers[0], 3 * ROUNDS + 2))
    assert numbers[0] == 2 * ROUNDS + 2


def test_a_log_keeps_the_model_it_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit, also one of an earlier version; so its first record tells it from others."""
    run = nv.Run(nv.Blend(), labels=LABELS)
    run.learn({"w": 1.0}, "spam")
    with monkeypatch.context() as patch:
        patch.setattr(storage, "LIBRARY", "0.1.9")
        run.save(tmp_path / "m")
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        learned(engine, ROUNDS)
    start = tmp_path / "log" / "start.model"
    assert start.read_bytes() == (tmp_path / "m").read_bytes()
    _, first = next(records_of(str(tmp_path / "log")))
    assert isinstance(first, Begin)
    assert first.state == digest_of(start)
    assert start_of(str(tmp_path / "log")) == str(start)
    assert started(tmp_path / "log") == ROUNDS + 1
    replace_start(tmp_path / "log")
    with pytest.raises(InputError, match="Restore it from a backup"):
        start_of(str(tmp_path / "log"))
