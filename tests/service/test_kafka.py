"""The consumer of a topic, on librdkafka's own brokers: each message counts exactly once."""

import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from services import LABELS, new_model, running
from test_append_log import FailingDisk
from test_intake import seen

import novikoff as nv
from kafka_brokers import Brokers, example, until
from novikoff.saving.storage import digest_of
from novikoff.service.kafka_address import KafkaAddress, address_of
from novikoff.service.kafka_consuming import Consuming
from novikoff.service.service_engine import Engine
from processes import READ, Server


@pytest.fixture(scope="module")
def brokers() -> Brokers:
    return Brokers()


@contextmanager
def consuming(engine: Engine, address: KafkaAddress) -> Iterator[Consuming]:
    found = Consuming(engine, address)
    found.start()
    try:
        yield found
    finally:
        found.stop()


def rounds(engine: Engine) -> int:
    return engine.replica.run.ledger.rounds


def twin_of(folder: Path, numbers: range) -> str:
    """Return the digest of a run that nobody interrupts."""
    run = nv.Run(nv.Blend(), labels=LABELS)
    for number in numbers:
        one = example(number)
        run.learn(one["features"], one["label"])
    run.save(folder / "twin")
    return digest_of(folder / "twin")


def test_messages_are_learned_in_order_and_only_once(brokers: Brokers, tmp_path: Path) -> None:
    """From the log and from the snapshot alike: two starts, and messages between them."""
    brokers.send(map(example, range(250)), "once")
    address = address_of(brokers.url("once"))
    for more, snapshot in ((250, False), (400, True), (400, False)):
        brokers.send(map(example, range(250, more)) if snapshot else (), "once")
        with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
            with consuming(engine, address) as found:
                until(lambda engine=engine, more=more: rounds(engine) == more)  # type: ignore[misc]
                until(lambda found=found: found.status.lag.get(0) == 0)  # type: ignore[misc]
                time.sleep(0.3)  # nothing comes twice
                assert found.status.connected
            assert rounds(engine) == more
            engine.replica.run.save(tmp_path / "digest")
            assert digest_of(tmp_path / "digest") == twin_of(tmp_path, range(more))
            engine.crashed = not snapshot
        (tmp_path / "m").unlink()
    assert seen(tmp_path / "log") == [f"n{number}" for number in range(400)]


def test_bad_messages_stop_or_are_passed_over(
    brokers: Brokers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wrong: list[object] = [
        b"{", b"\xff", b"[]", None, example(3, label="eggs"), b"[" * 5000,
        {"features": {"a": "b", "a=b": 1}, "label": "ham"}, {"examples": []},
        b'{"features": {"\\ud800": 1.0}, "label": "ham"}', b'{"features": {}, "label": "\\udfff"}',
        b'{"features": {"a": 1e999}, "label": "ham"}', b'{"features": {"a": NaN}, "label": "ham"}',
    ]  # fmt: skip
    brokers.send([example(0), *wrong, example(1)], "bad")
    model = new_model(tmp_path / "m")
    with running(tmp_path / "log", model) as engine:
        with consuming(engine, address_of(brokers.url("bad"))) as found:
            until(lambda: found.status.stopped is not None)
            assert found.status.stopped is not None
            assert "partition 0, offset 1: body: expected" in found.status.stopped
            assert "--on-bad-message skip" in found.status.stopped
        assert rounds(engine) == 1
    assert "no more messages are read" in caplog.messages
    skipping = KafkaAddress(brokers.server, "bad", skip_bad=True)
    with running(tmp_path / "log") as engine:
        with consuming(engine, skipping) as found:
            until(lambda: rounds(engine) == 2)
            assert found.status.stopped is None
        (state,) = engine.replica.intake.sources.values()
        assert (state.bad, state.offsets) == (12, {0: 14})
        assert [one.offset for one in state.latest] == list(range(1, 13))
        texts = " ".join(one.error for one in state.latest)
        assert "got no value" in texts
        assert "one of the labels 'ham', 'spam', got 'eggs'" in texts
        said = [one for one in caplog.records if one.message == "a bad message was passed over"]
        assert [vars(one)["offset"] for one in said] == list(range(1, 13))


def test_a_missing_topic_is_named_and_read_when_it_comes(brokers: Brokers, tmp_path: Path) -> None:
    with (
        running(tmp_path / "log", new_model(tmp_path / "m")) as engine,
        consuming(engine, address_of(brokers.url("later"))) as found,
    ):
        until(lambda: "expected a topic that can be read" in found.status.trouble)
        assert "Unknown topic" in found.status.trouble
        assert not found.status.connected
        brokers.send([example(0)], "later")
        until(lambda: rounds(engine) == 1)
        assert found.status.connected
        assert not found.status.trouble


def test_a_full_disk_delays_and_loses_nothing(brokers: Brokers, tmp_path: Path) -> None:
    full = threading.Event()
    disk = FailingDisk(lambda name, call: 28 if full.is_set() else 0)
    brokers.send(map(example, range(10)), "full")
    with (
        running(tmp_path / "log", new_model(tmp_path / "m"), disk=disk) as engine,
        consuming(engine, address_of(brokers.url("full"))),
    ):
        until(lambda: rounds(engine) == 10)
        full.set()
        brokers.send(map(example, range(10, 20)), "full")
        until(lambda: engine.failure is not None)
        assert rounds(engine) == 10
        full.clear()
        until(lambda: rounds(engine) == 20)
    assert seen(tmp_path / "log") == [f"n{number}" for number in range(20)]


def test_messages_that_the_topic_dropped_are_not_passed_over_in_silence(
    brokers: Brokers, tmp_path: Path
) -> None:
    """The brokers keep five megabytes of a partition."""
    brokers.send(map(example, range(3)), "short")
    address = address_of(brokers.url("short"))
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        with consuming(engine, address):
            until(lambda: rounds(engine) == 3)
        pad = "x" * 900_000
        brokers.send(({**example(n), "pad": pad} for n in range(3, 12)), "short")
        brokers.send([example(12)], "short")
        with consuming(engine, address) as found:
            until(lambda: found.status.stopped is not None)
            assert found.status.stopped is not None
            assert "expected offset 3, which comes next, got" in found.status.stopped
            assert "--on-lost-messages skip" in found.status.stopped
        assert rounds(engine) == 3
        both = KafkaAddress(brokers.server, "short", skip_bad=True, skip_lost=True)
        with consuming(engine, both):
            until(lambda: rounds(engine) == 4)
        (state,) = engine.replica.intake.sources.values()
        assert state.lost > 0
        assert state.lost + state.bad == 9
        assert state.offsets == {0: 13}


def test_a_topic_that_was_set_back_is_refused(brokers: Brokers, tmp_path: Path) -> None:
    brokers.send(map(example, range(5)), "back")
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        address = address_of(brokers.url("back"))
        with consuming(engine, address) as found:
            until(lambda: rounds(engine) == 5)
            name = found.status.name
        engine.replica.intake.sources[name].offsets[0] = 99
        with consuming(engine, address) as found:
            until(lambda: found.status.stopped is not None)
            assert "expected offset 99, which comes next, got a partition" in str(
                found.status.stopped
            )
        engine.replica.intake.sources[name].offsets[7] = 1
        with consuming(engine, address) as found:
            until(lambda: found.status.stopped is not None)
            assert "got none of [7]" in str(found.status.stopped)


def test_brokers_are_told_of_a_group_and_never_asked(brokers: Brokers, tmp_path: Path) -> None:
    from confluent_kafka import Consumer, TopicPartition

    brokers.send(map(example, range(7)), "group")
    watcher = Consumer({"bootstrap.servers": brokers.server, "group.id": "watched"})
    places = [TopicPartition("group", 0, 5)]  # as if all but two had been read
    watcher.commit(offsets=places, asynchronous=False)
    try:
        with (
            running(tmp_path / "log", new_model(tmp_path / "m")) as engine,
            consuming(engine, address_of(brokers.url("group", "?group=watched"))),
        ):
            until(lambda: rounds(engine) == 7)
            until(lambda: watcher.committed(places)[0].offset == 7)
    finally:
        watcher.close()


def test_kills_under_load_lose_nothing_and_count_nothing_twice(
    brokers: Brokers, tmp_path: Path
) -> None:
    """A process that is killed three times while messages come; campaigns kill more often."""
    rng, total = random.Random(3), 4000
    brokers.send([example(0)], "kills")
    said = map(example, range(1, total))
    sender = threading.Thread(target=brokers.send, args=(said, "kills"))
    options = ("--from", brokers.url("kills"), "--snapshot-every", "700")
    for life in range(3):
        server = Server(tmp_path, *options)
        if life == 0:
            sender.start()
        time.sleep(0.1 + rng.random() * 0.2)
        server.kill()
    sender.join()
    server = Server(tmp_path, *options)
    try:
        until(lambda: server.call("GET", "/v1/receipt").json["rounds"] >= total, 40)
        _check_all_was_read(server, total)
        (tmp_path / "served").write_bytes(server.call("GET", "/v1/model").body)
        assert server.stop() == 0
    finally:
        server.process.kill()
        server.process.wait()
    assert seen(server.log) == [f"n{number}" for number in range(total)]
    assert digest_of(tmp_path / "served") == twin_of(tmp_path, range(total))


def _check_all_was_read(server: Server, total: int) -> None:
    def metrics() -> str:
        return server.call("GET", "/metrics", token=READ).body.decode()

    until(lambda: 'novikoff_source_lag{partition="0"} 0.0' in metrics())
    assert f"novikoff_messages_learned_total {total}.0" in metrics()
    assert "novikoff_source_connected 1.0" in metrics()
    ready = server.call("GET", "/readyz", token=None).json
    assert ready["source"]["connected"]
    assert ready["source"]["lag"]["0"] == 0
    receipt = server.call("GET", "/v1/receipt").json
    (source,) = receipt["sources"]
    assert receipt["rounds"] == total
    assert (source["offsets"], source["learned"]) == ({"0": total}, total)


def test_a_service_whose_messages_stop_is_not_ready(brokers: Brokers, tmp_path: Path) -> None:
    """It goes on answering, and says why; the receipt and a follower have what was passed over."""
    brokers.send([example(0), b"{", example(1)], "unready")
    server = Server(tmp_path / "a", "--from", brokers.url("unready"))
    try:
        until(lambda: server.call("GET", "/readyz", token=None).status == 503)
        ready = server.call("GET", "/readyz", token=None).json
        assert ready["status"] == "stopped"
        assert "partition 0, offset 1" in ready["reason"]
        body = json.dumps({"features": {"w": 1.0}, "label": "ham"}).encode()
        assert server.call("POST", "/v1/learn", body).status == 200
        assert "novikoff_source_stopped 1.0" in server.call("GET", "/metrics").body.decode()
    finally:
        assert server.stop() == 0
    assert any(one["event"] == "no more messages are read" for one in server.events)
    server = Server(tmp_path / "a", "--from", brokers.url("unready"), "--on-bad-message", "skip")
    follower = Server.following(tmp_path / "b", server)
    try:
        until(lambda: follower.call("GET", "/v1/receipt").json["rounds"] == 3)
        receipt = follower.call("GET", "/v1/receipt").json
        assert receipt["sources"] == server.call("GET", "/v1/receipt").json["sources"]
        assert receipt["sources"][0]["latest_bad"][0]["offset"] == 1
        assert "1 bad messages were passed over" in receipt["remarks"][-1] + receipt["remarks"][0]
    finally:
        assert follower.stop() == 0
        assert server.stop() == 0
    promoted = Server(tmp_path / "b", "--from", brokers.url("unready"))
    try:
        brokers.send([example(2)], "unready")
        until(lambda: promoted.call("GET", "/v1/receipt").json["rounds"] == 4)
    finally:
        assert promoted.stop() == 0
