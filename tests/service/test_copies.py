"""Copies of a log that is being written: drops may happen between the copying of its files."""

import itertools
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from services import LABELS, new_model, running
from test_lost_records import learned, started, unchanged

import novikoff as nv
from novikoff import cli
from novikoff.errors import InputError
from novikoff.saving.storage import digest_of, write_bytes
from novikoff.service import retention
from novikoff.service.receipt_answer import receipt_of
from novikoff.streams.log.beginnings import beginning_of
from novikoff.streams.log.log_stream import records_of, start_of
from novikoff.streams.log.receipt_links import NAME, last_link, links_of, start_path
from novikoff.streams.log.segments import segments_of
from novikoff.streams.log.snapshot_files import model_path, page_path, snapshots_of

RECEIPTS, SNAPSHOTS, SEGMENTS, STARTS = NAME, "snapshot-*", "*.nvlog", "start*.model"
DOCUMENTED = (RECEIPTS, SNAPSHOTS, SEGMENTS, STARTS)
AGAIN = r"copy (the whole folder|it) again"
DROP = 5
"""How many states of a folder there are for each drop."""


def states(folder: Path, size: int, drops: int, made: Path) -> Iterator[Path]:
    """Yield the folder of a service after each step of its drops."""
    made.mkdir()
    kept = list[Path]()

    def keep() -> None:
        kept.append(Path(shutil.copytree(folder, made / str(len(kept)))))

    with running(folder, new_model(made / "m")) as engine, pytest.MonkeyPatch.context() as patch:
        engine.keep_log, engine.log._segment = False, size
        drop_before = engine.log.drop_before

        def writing(path: str, data: bytes) -> None:
            keep()
            write_bytes(path, data)

        def dropping(sequence: int) -> int:
            keep()
            dropped = drop_before(sequence)
            keep()
            return dropped

        patch.setattr(retention, "write_bytes", writing)
        patch.setattr(engine.log, "drop_before", dropping)
        for _ in range(drops + 1):  # the first snapshot has none before it that could go
            learned(engine, 12)
            engine.snapshot()
            learned(engine, 4)
            keep()
        count = len(kept)
    yield from kept[:count]


@pytest.fixture(scope="module", params=[600, 2**26], ids=["segments go", "segments stay"])
def steps(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    made = tmp_path_factory.mktemp("steps")
    return list(states(made / "log", request.param, 4, made / "states"))


def copied(parts: Iterable[tuple[str, Path]], folder: Path) -> Path:
    """Copy each kind of files from a state of the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for kind, state in parts:
        for path in state.glob(kind):
            shutil.copy(path, folder)
    return folder


def helps(error: InputError) -> None:
    """The advice works for a copy; that of readers to move snapshots away does, too."""
    assert re.search(f"{AGAIN}|move its snapshots away", str(error)), error


def numbers(folder: Path) -> list[int] | None:
    """Return which records a reader finds; None if it refuses with advice that works."""
    try:
        return [sequence for sequence, _ in records_of(str(folder))]
    except InputError as error:
        helps(error)
        return None


def begins(folder: Path) -> bool:
    """Say whether the service starts; if not, its refusal has advice that works."""
    try:
        started(folder)
    except InputError as error:
        helps(error)
        return False
    return True


def sound(folder: Path, found: Sequence[int]) -> None:
    """What was read before the start is there after it, and what the receipts say is true."""
    assert numbers(folder) == list(found)
    link, newest = last_link(str(folder)), snapshots_of(str(folder))[-1]
    if link is not None:
        start = nv.Run.load(start_path(str(folder)))
        assert digest_of(start_path(str(folder))) == link.model
        assert (link.rounds, link.mistakes) == (start.ledger.rounds, start.ledger.mistakes)
        assert found[0] == link.sequence + 1
        assert links_of(str(folder))
        rest = start.continued().play(nv.read(folder))
        with running(folder) as engine:
            ledger = engine.replica.run.ledger
            assert ledger.rounds == link.rounds + rest.ledger.rounds
            assert ledger.mistakes == link.mistakes + rest.mistakes
            assert receipt_of(engine).covers.first_sequence == found[0]
    assert found[-1] >= newest


def rising(states: Sequence[Path], count: int) -> Iterator[tuple[Path, ...]]:
    return itertools.combinations_with_replacement(states, count)


def test_a_copy_in_the_documented_order_starts_whenever_one_drop_happens(
    steps: list[Path], tmp_path: Path
) -> None:
    """Readers and the service begin at the same record, also if the drop is half done."""
    assert max(snapshots_of(str(steps[-1]))) > 3 * 12
    for times in rising(steps[-1 - DROP :], 4):
        folder = copied(zip(DOCUMENTED, times, strict=True), tmp_path / "copy")
        found = numbers(folder)
        assert found is not None
        assert Path(str(start_of(str(folder)))).is_file()
        assert begins(folder)
        sound(folder, found)


def test_any_order_starts_or_is_refused_with_advice(steps: list[Path], tmp_path: Path) -> None:
    """Whichever drops happen between any two kinds of files."""
    ends = steps[-1 : -3 * DROP : -DROP][::-1]
    for order in itertools.permutations(DOCUMENTED):
        for times in rising(ends, 4):
            folder = copied(zip(order, times, strict=True), tmp_path / "copy")
            found = numbers(folder)
            if begins(folder) and found is not None:
                assert numbers(folder) == found
            if order == DOCUMENTED:
                assert (found is None) != begins(folder)


def test_the_receipt_of_a_drop_that_overtook_a_copy_is_as_the_service_wrote_it(
    steps: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The receipts are of before one drop, all other files of after it."""
    before, after = steps[-1 - DROP], steps[-1]
    times = zip(DOCUMENTED, (before, after, after, after), strict=True)
    folder = copied(times, tmp_path / "copy")
    begin = beginning_of(str(folder))
    assert begin.overtaken
    assert begin.labels == LABELS
    assert nv.read(folder).declared == LABELS
    assert begins(folder)
    assert (folder / NAME).read_bytes() == (after / NAME).read_bytes()
    model, certificate = str(tmp_path / "now.model"), tmp_path / "c.json"
    with running(folder) as engine:
        engine.replica.run.save(model)
    assert cli.main(["certify", model, str(folder), "--output", str(certificate)]) == 0
    capsys.readouterr()
    start = start_path(str(folder))
    verdict = nv.verify(nv.Certificate.load(certificate), nv.read(folder), start=start)
    assert verdict.verified, verdict.reason


def test_a_start_that_is_lost_is_not_taken_for_a_drop(steps: list[Path], tmp_path: Path) -> None:
    """Nothing in the folder is newer than its last receipt but snapshots."""
    folder = Path(shutil.copytree(steps[-1], tmp_path / "copy"))
    Path(start_path(str(folder))).unlink()
    Path(model_path(str(folder), snapshots_of(str(folder))[0])).unlink()
    unchanged(folder, r"start-\d+\.model: expected the model .*, got no such file.*again")


def test_a_lost_start_is_taken_from_its_snapshot(steps: list[Path], tmp_path: Path) -> None:
    """It has the same bytes, and the receipt says which."""
    folder = Path(shutil.copytree(steps[-1], tmp_path / "copy"))
    start = Path(start_path(str(folder)))
    expected, found = start.read_bytes(), numbers(folder)
    start.unlink()
    assert numbers(folder) == found
    assert begins(folder)
    assert start.read_bytes() == expected


def test_a_damaged_page_is_found_before_anything_is_changed(
    steps: list[Path], tmp_path: Path
) -> None:
    before, after = steps[-1 - DROP], steps[-1]
    times = zip(DOCUMENTED, (before, after, after, after), strict=True)
    folder = copied(times, tmp_path / "copy")
    (folder / "lock").touch()
    page = Path(page_path(str(folder), snapshots_of(str(folder))[0]))
    page.write_bytes(page.read_bytes()[:-3] + b"00\n")
    unchanged(folder, "another SHA-256 than that of its line")


def test_a_page_whose_model_is_missing_is_named(steps: list[Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(steps[-1], tmp_path / "copy"))
    Path(model_path(str(folder), snapshots_of(str(folder))[-1])).unlink()
    unchanged(
        folder,
        r"snapshot-\d+\.json: expected the page of a snapshot .*, got one whose model, "
        r"snapshot-\d+\.model, is not there\. Remove it to start from the snapshot before",
    )
    Path(page_path(str(folder), snapshots_of(str(folder))[-1])).unlink()
    assert begins(folder)
    assert segments_of(str(folder))
