"""Messages in the log: wherever it ends, each message has counted once or comes again."""

import random
import shutil
import threading
from pathlib import Path

import pytest
from services import LABELS, new_model, running, state_of

import novikoff as nv
from kafka_brokers import example
from novikoff.errors import InputError, NovikoffError
from novikoff.saving.storage import digest_of
from novikoff.service.limits import Limits
from novikoff.service.refusals import Conflict, Refusal
from novikoff.service.replica_snapshots import page_at
from novikoff.service.service_engine import Engine
from novikoff.service.wishes import Answer, Example, Message, Messages, Question, Rejected
from novikoff.streams.log.log_stream import records_of
from novikoff.streams.log.records import Consumed, Learn, Passed, Record, encoded
from novikoff.streams.log.segments import Framed, read_segment, segments_of
from novikoff.streams.log.snapshot_files import snapshots_of

TOPIC = "kafka:c/mails"


def message(offset: int, partition: int = 0, key: str | None = None) -> Message:
    said = example(4 * offset + partition)
    return Message(partition, offset, Example(said["features"], said["label"], key=key))


def bad(offset: int, text: str = "nonsense", partition: int = 0) -> Message:
    return Message(partition, offset, Refusal(text))


def consume(engine: Engine, messages: list[Message], skip: bool = True) -> None:
    """Have messages learned, as a consumer does."""
    while messages:
        engine.wish([Messages(TOPIC, messages, skip)])
        offsets = engine.replica.intake.offsets(TOPIC)
        messages = [one for one in messages if one.offset >= offsets.get(one.partition, 0)]


def seen(folder: Path) -> list[str]:
    """Return the messages that the rounds of a log are of."""
    rounds = [one for _, one in records_of(str(folder)) if isinstance(one, Learn)]
    return [name for one in rounds for name in one.features if name.startswith("n")]


def test_offsets_stand_before_their_records_in_one_commit(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        before = engine.commits
        consume(engine, [message(0), message(1), message(5), message(0, 2), bad(6), message(7)])
        assert engine.commits == before + 1
        assert engine.replica.intake.offsets(TOPIC) == {0: 8, 2: 1}
    found = [one for _, one in records_of(str(tmp_path / "log"))][1:]
    assert found[0] == Consumed(TOPIC, ((0, 0, 2), (0, 5, 1), (2, 0, 1)))
    assert found[5] == Passed(TOPIC, 0, 6, "bad", "nonsense")
    assert found[6] == Consumed(TOPIC, ((0, 7, 1),))
    assert [type(one) for one in found[1:5]] == [Learn] * 4


def test_the_log_may_end_anywhere(tmp_path: Path) -> None:
    """Cut at any byte of the last group: what is sent again counts once."""
    said = [message(0), bad(1), message(2), message(3), message(0, 1), message(4, key="k")]
    twin = nv.Run(nv.Blend(), labels=LABELS)
    for one in said:
        if isinstance(one.content, Example):
            twin.learn(one.content.features, one.content.label)
    twin.learn({"w": 1.0}, "ham")
    twin.save(tmp_path / "twin")
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        size = engine.log.size
        consume(engine, said)
        full = engine.log.size
        shutil.copytree(tmp_path / "log", tmp_path / "copy")
    ((_, path),) = segments_of(str(tmp_path / "copy"))
    data = Path(path).read_bytes()
    for end in range(size, full + 1, 23):
        folder = tmp_path / "cut"
        shutil.copytree(tmp_path / "copy", folder)
        ((_, path),) = segments_of(str(folder))
        Path(path).write_bytes(data[:end])
        with running(folder) as engine:
            counted = engine.replica.intake.offsets(TOPIC)
            assert len(seen(folder)) == sum(
                one.offset < counted.get(one.partition, 0)
                for one in said
                if isinstance(one.content, Example)
            )
            if end % 2:
                consume(engine, said)
                engine.wish([Example({"w": 1.0}, "ham")])
                engine.replica.run.save(tmp_path / "digest")
                assert digest_of(tmp_path / "digest") == digest_of(tmp_path / "twin")
            else:  # another client comes first; its example is not taken for a message
                engine.wish([Example({"w": 1.0}, "ham")])
                assert engine.replica.intake.offsets(TOPIC) == counted
                consume(engine, said)
            state = engine.replica.intake.sources[TOPIC]
            assert (state.offsets, state.learned, state.bad) == ({0: 5, 1: 1}, 5, 1)
            expected = state_of(engine, tmp_path / "digest")
        with running(folder) as engine:
            assert state_of(engine, tmp_path / "digest") == expected
        assert sorted(seen(folder)) == ["n0", "n1", "n12", "n16", "n8"]
        shutil.rmtree(folder)


@pytest.mark.parametrize("snapshots", [True, False])
def test_a_restart_goes_on_where_the_log_says(tmp_path: Path, snapshots: bool) -> None:
    rng, offsets = random.Random(7), [0] * 3
    sent = list[Message]()
    for _ in range(300):
        partition = rng.randrange(3)
        offsets[partition] += rng.choice([1, 1, 1, 4])  # compacted topics have gaps
        one = message(offsets[partition], partition)
        sent.append(one if rng.random() > 0.1 else bad(one.offset, partition=partition))
    with running(tmp_path / "twin", new_model(tmp_path / "m")) as twin:
        for place in range(0, 300, 10):
            consume(twin, sent[place : place + 10])
        expected = state_of(twin, tmp_path / "digest")
    for place in range(0, 300, 50):
        with running(tmp_path / "log", str(tmp_path / "m")) as engine:
            for part in range(place, place + 50, 10):
                repeated = sent[max(0, part - 20) : part + 10]  # a broker may send twice
                consume(engine, repeated)
        if not snapshots:
            for path in (tmp_path / "log").glob("snapshot-*"):
                if "0" * 20 not in path.name:
                    path.unlink()
    with running(tmp_path / "log") as engine:
        assert state_of(engine, tmp_path / "digest") == expected
    last = snapshots_of(str(tmp_path / "log"))[-1]
    assert page_at(str(tmp_path / "log"), last).version == 2


def test_a_snapshot_may_lie_between_messages(tmp_path: Path) -> None:
    """A follower may take one there: it applies records as they come."""
    with running(tmp_path / "leader", new_model(tmp_path / "m")) as leader:
        consume(leader, [message(0), message(1), message(2)])
        expected = state_of(leader, tmp_path / "digest")
    records = [encoded(one) for _, one in records_of(str(tmp_path / "leader"))][1:]
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        engine.follow(records[:2])
        engine.snapshot()
    with running(tmp_path / "log") as engine:
        assert engine.replica.intake.offsets(TOPIC) == {0: 1}
        engine.follow(records[2:])
        assert state_of(engine, tmp_path / "digest") == expected


def test_a_key_that_was_used_counts_once(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m"), Limits(keys=1)) as engine:
        first = message(0, key="a")
        assert isinstance(first.content, Example)
        again = Message(0, 1, first.content)
        other = Message(0, 2, Example({"w": 9.0}, "ham", key="a"))
        consume(engine, [first, again, other, message(3, key="b"), message(4)])
        state = engine.replica.intake.sources[TOPIC]
        assert (state.learned, state.repeated, state.bad) == (3, 1, 1)
        assert "key: expected a new key" in state.latest[0].error
        consume(engine, [first, again])  # forgotten as a key, remembered as offsets
        assert engine.replica.run.ledger.rounds == 3


def test_bad_messages_are_told_from_good_ones(tmp_path: Path) -> None:
    limits = Limits(names=10, features=5)
    with running(tmp_path / "log", new_model(tmp_path / "m"), limits) as engine:
        wrong = [
            Message(0, 0, Example({"w": 1.0}, "eggs")),
            Message(0, 1, Example({"w": float("inf")}, "ham")),
            Message(0, 2, Example({"w": 1.0}, "ham", weight=-1.0)),
            Message(0, 3, Example({str(i): 1.0 for i in range(6)}, "ham")),
        ]
        with pytest.raises(Rejected, match="partition 0, offset 0: label: expected one of"):
            consume(engine, wrong, skip=False)
        assert engine.replica.sequence == 1
        with pytest.raises(Rejected, match="partition 1, offset 1: nonsense"):
            consume(engine, [message(0, 1), bad(1, partition=1), message(2, 1)], skip=False)
        assert engine.replica.intake.offsets(TOPIC) == {1: 1}
        consume(engine, [*wrong, message(4), message(5), message(6), message(7)])
        state = engine.replica.intake.sources[TOPIC]
        assert engine.replica.names <= 10
        assert state.learned + state.bad == 9
        assert state.learned == engine.replica.run.ledger.rounds > 4
        assert "names in all" in state.latest[-1].error or state.bad == 4


def test_two_topics_keep_their_own_offsets(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        for source in (TOPIC, "kafka:c/other", "kafka:d/mails", TOPIC):
            engine.wish([Messages(source, [message(0), message(1)], True)])
        assert engine.replica.run.ledger.rounds == 6
    with running(tmp_path / "log") as engine:
        assert {name: one.offsets for name, one in engine.replica.intake.sources.items()} == {
            TOPIC: {0: 2}, "kafka:c/other": {0: 2}, "kafka:d/mails": {0: 2}
        }  # fmt: skip


def test_the_same_wish_twice_counts_once(tmp_path: Path) -> None:
    """A consumer that got no answer in time sends it again, while the first still waits."""
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        wish = Messages(TOPIC, [message(0), message(1)], True)
        with engine.replica.lock:  # nothing is planned yet
            for _ in range(5):
                with pytest.raises(NovikoffError, match="in time"):
                    engine.wish([wish], timeout=0.01)
        engine.wish([wish])
        assert engine.replica.run.ledger.rounds == 2


def test_lost_messages_are_counted_from_where_we_are(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        consume(engine, [message(0)])
        engine.wish([Passed(TOPIC, 0, 1, "lost", "gone", 9)])
        with pytest.raises(Conflict, match="expected 10, which comes next, got 1"):
            engine.wish([Passed(TOPIC, 0, 1, "lost", "gone", 9)])
        state = engine.replica.intake.sources[TOPIC]
        assert (state.offsets, state.lost) == ({0: 10}, 9)


FORGED: dict[str, list[Record]] = {
    "backwards": [Consumed(TOPIC, ((0, 2, 1),)), Learn({"w": 1.0}, "ham"), Passed(
        TOPIC, 0, 1, "bad", "forged")],
    "twice": [Consumed(TOPIC, ((0, 0, 2), (0, 1, 1)))],
    "again": [Passed(TOPIC, 0, 4, "lost", "", 5), Consumed(TOPIC, ((0, 8, 1),))],
    "more than there can be": [Consumed(TOPIC, ((0, 0, 10**12),))],
    "none": [Consumed(TOPIC, ((0, 0, 0),))],
    "negative": [Passed(TOPIC, 0, 3, "lost", "", -2)],
    "negative offset": [Consumed(TOPIC, ((0, -1, 1),))],
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_a_log_whose_offsets_do_not_rise_is_refused(tmp_path: Path, name: str) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        engine.log.commit([encoded(one) for one in FORGED[name]])
        engine.crashed = True  # no snapshot
    with (
        pytest.raises(InputError, match=r"expected messages from offset .*\. Restore"),
        running(tmp_path / "log"),
    ):
        pass


def test_readers_pass_over_offsets(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        engine.keep_log = False
        engine.log._segment = 2000
        for start in range(0, 60, 3):
            consume(engine, [message(start), bad(start + 1), message(start + 2)])
        mistakes = engine.replica.run.mistakes
        run = nv.play(nv.Blend(), nv.read(tmp_path / "log"))
        assert (run.ledger.rounds, run.mistakes) == (40, mistakes)
        for _ in range(3):
            engine.snapshot()
            engine.wish([Example({"w": 1.0}, "ham")])
        assert engine.log.first > 1
        expected = state_of(engine, tmp_path / "digest")
    with running(tmp_path / "log") as engine:
        assert state_of(engine, tmp_path / "digest") == expected
        assert engine.replica.intake.offsets(TOPIC) == {0: 60}
    ((first, path), *_) = segments_of(str(tmp_path / "log"))
    assert all(isinstance(one, Framed) for one in read_segment(path, first, False))


def test_clients_and_messages_at_once_are_told_apart(tmp_path: Path) -> None:
    """Whatever shares a commit with messages: only their own records count them."""
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:

        def send(number: int) -> None:
            for place in range(60):
                engine.wish([Example({f"h{number}": 1.0}, "spam")] * (1 + place % 3))
                engine.wish([Question({f"h{number}": 1.0}, f"{number}.{place}")])
                engine.wish([Answer(f"{number}.{place}", "ham")])

        senders = [threading.Thread(target=send, args=(number,)) for number in range(3)]
        for sender in senders:
            sender.start()
        for start in range(0, 300, 10):
            consume(engine, [message(start + place) for place in range(10)])
        for sender in senders:
            sender.join()
        state = engine.replica.intake.sources[TOPIC]
        assert (state.learned, state.offsets) == (300, {0: 300})
        expected = state_of(engine, tmp_path / "digest")
        engine.crashed = True  # no snapshot
    found = seen(tmp_path / "log")
    assert found == [f"n{4 * number}" for number in range(300)]
    with running(tmp_path / "log") as engine:
        assert state_of(engine, tmp_path / "digest") == expected


def test_a_follower_that_becomes_the_leader_between_messages(tmp_path: Path) -> None:
    """What it had not copied was not counted; what clients send is not taken for it."""
    said = [message(0), message(1), message(2)]
    with running(tmp_path / "leader", new_model(tmp_path / "m")) as leader:
        consume(leader, said)
    records = [encoded(one) for _, one in records_of(str(tmp_path / "leader"))][1:]
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        engine.follow(records[:2])
        engine.wish([Example({"w": 1.0}, "ham")])
        assert engine.replica.intake.offsets(TOPIC) == {0: 1}
        consume(engine, said)
        assert engine.replica.intake.offsets(TOPIC) == {0: 3}
    assert seen(tmp_path / "log") == ["n0", "n4", "n8"]
    assert nv.play(nv.Blend(), nv.read(tmp_path / "log")).ledger.rounds == 4
