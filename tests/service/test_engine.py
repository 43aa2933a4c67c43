"""The engine: one writer, whose log gives the same replica again, to the last bit."""

import copy
import errno
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from services import LABELS, features, new_model, running, state_of, wishes
from test_append_log import FailingDisk

import novikoff as nv
from novikoff.errors import InputError, NovikoffError
from novikoff.saving.storage import digest_of
from novikoff.service.disk import DiskError
from novikoff.service.limits import Limits
from novikoff.service.refusals import Conflict, Refusal, TooLarge, TooMany, Unavailable, Unknown
from novikoff.service.replica import KeptLearned, KeptServed, Served
from novikoff.service.wishes import Answer, Dropped, Example, Question
from novikoff.streams.log.snapshot_files import snapshots_of


def test_a_run_behind_the_engine_is_the_run_itself(tmp_path: Path) -> None:
    twin = nv.Run(nv.Blend(), labels=LABELS)
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        for parts in wishes(300):
            (answer,), (part,) = engine.wish(parts), parts
            if isinstance(part, Example):
                assert answer == KeptLearned(
                    twin.ledger.rounds + 1, twin.learn(part.features, part.label)
                )
            elif isinstance(part, Question):
                ask = twin.ask(part.features, part.id)
                assert answer == KeptServed(part.id or 0, ask.prediction, ask.probability)  # type: ignore[arg-type]
            elif isinstance(part, Answer):
                twin.tell(part.id, part.label)
        twin.save(tmp_path / "twin")
        engine.replica.run.save(tmp_path / "served")
    assert digest_of(tmp_path / "twin") == digest_of(tmp_path / "served")


def test_a_model_of_texts_takes_texts(tmp_path: Path) -> None:
    """The log holds their words, so that a restart and a certificate learn from the same rows."""
    (tmp_path / "sms.txt").write_text("ham\tsee you\nspam\tfree prize\nham\tat home\n" * 5)
    run = nv.play(nv.Blend(), nv.read(tmp_path / "sms.txt", words=nv.Words(2)))
    run.save(tmp_path / "m")
    text, words = {"text": "a free prize"}, nv.Words(2).features("a free prize")
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        (answer,) = engine.wish([Question({**text}, "q")])
        assert isinstance(answer, Served)
        assert answer.probability == run.probability(words)
        engine.wish([Answer("q", "spam")])
        engine.wish([Example({**text}, "spam")])
        with pytest.raises(InputError, match="features: expected a text"):
            engine.wish([Example({"body": "a free prize"}, "spam")])
        expected = state_of(engine, tmp_path / "digest")
    (rounds,) = nv.read(tmp_path / "log").blocks()
    assert [rounds.rows.row(t) for t in range(2)] == [words, words]
    with running(tmp_path / "log") as engine:
        assert state_of(engine, tmp_path / "digest") == expected


@pytest.mark.parametrize("snapshots", [True, False])
def test_a_restart_equals_an_uninterrupted_twin(tmp_path: Path, snapshots: bool) -> None:
    """After every restart, with snapshots or from the log alone."""
    said, model = wishes(400), new_model(tmp_path / "m")
    with running(tmp_path / "twin", model) as twin:
        for parts in said:
            twin.wish(parts)
        expected = state_of(twin, tmp_path / "digest")
    for start in range(0, 400, 100):
        with running(tmp_path / "log", model) as engine:
            for parts in said[start : start + 100]:
                engine.wish(parts)
        if not snapshots:
            for path in (tmp_path / "log").glob("snapshot-*"):
                if "0" * 20 not in path.name:
                    path.unlink()
    with running(tmp_path / "log") as engine:
        assert state_of(engine, tmp_path / "digest") == expected


def test_a_copy_of_the_log_at_any_moment_restarts(tmp_path: Path) -> None:
    """As after kill -9: the files as they are while the engine runs."""
    model = new_model(tmp_path / "m")
    with running(tmp_path / "log", model) as engine:
        for number, parts in enumerate(wishes(60)):
            engine.wish(parts)
            if number % 7 == 0:
                copied = tmp_path / f"copy{number}"
                shutil.copytree(tmp_path / "log", copied)
                expected = state_of(engine, tmp_path / "digest")
                with running(copied) as again:
                    assert state_of(again, tmp_path / "digest") == expected


def test_requests_at_once_share_a_sync(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        before = engine.commits
        with engine.replica.lock:  # the owner waits before it plans the first group
            threads = [
                threading.Thread(target=engine.wish, args=([Example({"w": 1.0}, "spam")],))
                for _ in range(64)
            ]
            for thread in threads:
                thread.start()
            while engine.owner._tasks.qsize() < 40:  # type: ignore[attr-defined]
                pass
        for thread in threads:
            thread.join()
        assert engine.replica.run.ledger.rounds == 64
        assert engine.commits - before < 30


def test_a_key_counts_once_also_after_a_restart(tmp_path: Path) -> None:
    example = Example({"w": 1.0}, "spam", key="mail 7")
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        first = engine.wish([example])
        assert engine.wish([example]) == first
        engine.wish([Question({"w": 2.0}, "q")])
        told = engine.wish([Answer("q", "ham", key="tell 1")])
        assert engine.wish([Answer("q", "ham", key="tell 1")]) == told
    with running(tmp_path / "log") as engine:
        assert engine.wish([example]) == first
        assert engine.wish([Answer("q", "ham", key="tell 1")]) == told
        assert engine.replica.run.ledger.rounds == 2
        with pytest.raises(Conflict, match="key: expected a new key"):
            engine.wish([Example({"w": 1.0}, "ham", key="mail 7")])


def test_the_oldest_keys_are_forgotten_first(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m"), Limits(keys=2)) as engine:
        for key in ("a", "b", "c"):
            engine.wish([Example({"w": 1.0}, "spam", key=key)])
        assert list(engine.replica.keys) == ["b", "c"]


REFUSED: dict[str, tuple[list[Example | Question | Answer | Dropped], type[Exception], str]] = {
    "label": ([Example({"w": 1.0}, "eggs")], Refusal, "label: expected one of"),
    "type of label": ([Example({"w": 1.0}, True)], Refusal, "label: expected one of"),
    "weight": ([Example({"w": 1.0}, "ham", 2.0)], Refusal, "weight: expected 1, got 2.0"),
    "clash": ([Example({"a": "b", "a=b": 1.0}, "ham")], InputError, "every feature once"),
    "infinite": ([Example({"a": float("inf")}, "ham")], InputError, "finite"),
    "features": ([Example({str(i): 1.0 for i in range(9)}, "ham")], TooLarge, "at most 8"),
    "name": ([Example({"a" * 100: 1.0}, "ham")], TooLarge, "at most 99 characters"),
    "key": ([Example({"a": 1.0}, "ham", key="a" * 100)], TooLarge, "at most 99 characters"),
    "names": ([Example({f"n{i}": 1.0 for i in range(6)}, "ham")], TooLarge, "6 new ones after 6"),
    "unknown": ([Answer("nobody", "ham")], Unknown, "id: expected the id of a pending ask"),
    "forgotten": ([Dropped("nobody")], Unknown, "id: expected the id of a pending ask"),
    "asked twice": ([Question({"w": 1.0}, "q")], Conflict, "that no pending ask has, got 'q'"),
    "too many asks": ([Question({"w": 1.0})] * 3, TooMany, "at most 3 without a label"),
    "second of two": (
        [Example({"w": 1.0}, "ham"), Example({"w": 1.0}, "eggs")],
        Refusal,
        r"examples\[1\].label: expected",
    ),
    "key twice": (
        [Example({"w": 1.0}, "ham", key="k"), Example({"w": 1.0}, "ham", key="k")],
        Conflict,
        r"examples\[1\].key",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_changes_nothing(tmp_path: Path, name: str) -> None:
    limits = Limits(features=8, name=99, names=10, pending=3)
    parts, kind, text = REFUSED[name]
    with running(tmp_path / "log", new_model(tmp_path / "m"), limits) as engine:
        engine.wish([Example({f"w{i}": 1.0 for i in range(6)}, "ham")])
        engine.wish([Question({"w": 1.0}, "q")])
        before = copy.deepcopy(state_of(engine, tmp_path / "digest"))
        size = engine.log.size
        with pytest.raises(kind, match=text):
            engine.wish(list(parts))
        assert state_of(engine, tmp_path / "digest") == before
        assert engine.log.size == size


def test_asks_expire_and_are_counted(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m"), Limits(expiry=1000)) as engine:
        engine.wish([Question({"w": 1.0}, "old")])
        engine.clock._start += 999
        engine.wish([Question({"w": 1.0}, "new")])
        assert list(engine.replica.waiting) == ["old", "new"]
        engine.clock._start += 2
        engine.wish([Example({"w": 1.0}, "ham")])
        engine.wish([Example({"w": 1.0}, "ham")])
        assert list(engine.replica.waiting) == ["new"]
        assert list(engine.replica.run.pending) == ["new"]
        with pytest.raises(Unknown, match="expired"):
            engine.wish([Answer("old", "ham")])
        latest = engine.clock.now()
        engine.wish([Question({"w": 1.0}, "later")])
    with running(tmp_path / "log", None, Limits(expiry=1000)) as engine:
        assert engine.replica.counts.expired == 1
        assert engine.clock.now() >= latest, "the clock does not run backwards after a restart"


def test_a_full_disk_refuses_writes_and_goes_on_predicting(tmp_path: Path) -> None:
    full = threading.Event()
    disk = FailingDisk(lambda name, call: errno.ENOSPC if full.is_set() else 0)
    with running(tmp_path / "log", new_model(tmp_path / "m"), disk=disk) as engine:
        engine.wish([Example({"w": 1.0}, "spam")])
        before = state_of(engine, tmp_path / "digest")
        full.set()
        for _ in range(3):
            with pytest.raises(DiskError, match="No space left"):
                engine.wish([Example({"w": 1.0}, "spam")])
        assert engine.failure is not None
        assert engine.failure.full
        assert engine.replica.predict([{"w": 1.0}])[0].prediction == "spam"
        assert state_of(engine, tmp_path / "digest") == before
        full.clear()
        engine.wish([Example({"w": 1.0}, "ham")])
        assert engine.failure is None
        expected = state_of(engine, tmp_path / "digest")
    with running(tmp_path / "log") as engine:
        assert state_of(engine, tmp_path / "digest") == expected


def test_old_segments_go_and_the_log_still_restarts(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        engine.keep_log = False
        engine.log._segment = 400
        for parts in wishes(50):
            engine.wish(parts)
        for _ in range(3):
            engine.snapshot()
            engine.wish([Example({"w": 1.0}, "ham")])
        assert engine.log.first > 1
        assert len(snapshots_of(engine.log.folder)) == 2
        expected = state_of(engine, tmp_path / "digest")
    with running(tmp_path / "log") as engine:
        assert state_of(engine, tmp_path / "digest") == expected


def test_another_model_is_not_needed_and_a_missing_one_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=r"m: expected the model that the log begins with"),
        running(tmp_path / "log", str(tmp_path / "m")),
    ):
        pass


def test_a_model_without_declared_labels_is_refused(tmp_path: Path) -> None:
    run = nv.Run(nv.MulticlassPerceptron())
    run.learn({"w": 1.0}, "spam")
    run.save(tmp_path / "m")
    with (
        pytest.raises(InputError, match="whose labels are declared"),
        running(tmp_path / "log", str(tmp_path / "m")),
    ):
        pass


def test_a_stopped_engine_refuses(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        pass
    with pytest.raises(Unavailable):
        engine.wish([Example({"w": 1.0}, "spam")])


def test_a_fault_of_ours_stops_the_writer_and_nobody_waits_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        monkeypatch.setattr(engine.replica, "apply", lambda *_: 1 / 0)
        with pytest.raises(Unavailable, match="fault of ours"):
            engine.wish([Example({"w": 1.0}, "spam")])
        assert engine.crashed
    with running(tmp_path / "log") as engine:
        assert engine.replica.run.ledger.rounds == 1


def test_damaged_snapshots_are_named(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        engine.wish([Example(features(__import__("random").Random(1)), "spam")])
    page = max((tmp_path / "log").glob("snapshot-*.json"))
    page.write_bytes(page.read_bytes()[: os.path.getsize(page) // 2])
    with (
        pytest.raises(NovikoffError, match=r"snapshot-0+2\.json: expected"),
        running(tmp_path / "log"),
    ):
        pass


def test_a_program_that_forgets_to_stop_its_engine_ends_without_leaks(tmp_path: Path) -> None:
    """Threads that go on for ever would keep the run, and nanobind would say so."""
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
from services import *
log = AppendLog({str(tmp_path / "log")!r})
engine = Engine(log, opened(log, {new_model(tmp_path / "m")!r}, Limits()), Limits())
engine.start()
engine.wish([Example({{"w": 1.0}}, "spam")])
"""
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")
    with running(tmp_path / "log") as engine:
        assert engine.replica.run.ledger.rounds == 1


def test_texts_that_would_take_far_more_memory_are_refused(tmp_path: Path) -> None:
    """A model that counts 24 kinds of runs makes 24 features of a character, or more."""
    (tmp_path / "sms.txt").write_text("ham\tsee you\nspam\tfree prize\n" * 5)
    words = nv.Words(8, characters=(1, 16))
    run = nv.play(nv.Blend(), nv.read(tmp_path / "sms.txt", words=words))
    run.save(tmp_path / "m")
    most = 2 * Limits().body // 24
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        long, short = ("a" * (most * k // 2) for k in (3, 1))
        for parts in ([Question({"text": long})], [Example({"text": short}, "spam")] * 3):
            with pytest.raises(TooLarge, match="features: expected texts of at most 87,381 char"):
                engine.wish([*parts])
        with pytest.raises(InputError, match=r"examples\[1\].features: expected a text"):
            engine.wish([Example({"text": "free"}, "spam"), Example({"body": "a b"}, "spam")])
        assert engine.wish([Example({"text": "see you " * 100}, "ham")])
