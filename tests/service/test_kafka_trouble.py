"""Troubles of a consumer: errors between messages, partitions that come, brokers that go."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError
from services import new_model, running
from test_intake import seen
from test_kafka import consuming, rounds

from kafka_brokers import Brokers, example, until
from novikoff.service import kafka_consuming
from novikoff.service.kafka_address import address_of
from novikoff.service.kafka_consuming import Consuming


@pytest.fixture(scope="module")
def brokers() -> Brokers:
    return Brokers()


def test_new_partitions_are_read_from_their_beginning(
    brokers: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that sees two partitions at first."""
    brokers.send(map(example, range(40)), "grows", partition=None)
    monkeypatch.setattr(kafka_consuming, "_LOOK", 0.3)
    shown = [2]
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        found = Consuming(engine, address_of(brokers.url("grows")))
        listed = found._client.list_topics

        class Client:
            def __getattr__(self, name: str) -> Any:
                return getattr(client, name)

            def list_topics(self, topic: str, timeout: float) -> Any:
                answer = listed(topic, timeout)
                for partition in list(answer.topics[topic].partitions)[shown[0] :]:
                    del answer.topics[topic].partitions[partition]
                return answer

        client, found._client = found._client, Client()  # type: ignore[assignment]
        found.start()
        try:
            until(lambda: rounds(engine) == 20)
            shown[0] = 4
            until(lambda: rounds(engine) == 40)
            assert sorted(found.status.lag) == [0, 1, 2, 3] or not found.status.lag.get(3)
        finally:
            found.stop()
    assert sorted(seen(tmp_path / "log")) == sorted(f"n{number}" for number in range(40))


def test_an_error_between_messages_loses_none_of_them(brokers: Brokers, tmp_path: Path) -> None:
    """The client hands out an error in the middle of messages: those after it come again."""
    brokers.send(map(example, range(30)), "middle")
    broken = threading.Event()

    class Failed:
        def error(self) -> KafkaError:
            return KafkaError(KafkaError._TRANSPORT, "somewhere")

    class Client:
        def __getattr__(self, name: str) -> Any:
            return getattr(client, name)

        def consume(self, count: int, timeout: float) -> list[Any]:
            found: list[Any] = client.consume(count, timeout)
            if len(found) > 3 and not broken.is_set():
                broken.set()
                found.insert(2, Failed())
            return found

    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        found = Consuming(engine, address_of(brokers.url("middle")))
        client, found._client = found._client, Client()  # type: ignore[assignment]
        found.start()
        try:
            until(lambda: rounds(engine) == 30)
            assert broken.is_set()
        finally:
            found.stop()
    assert seen(tmp_path / "log") == [f"n{number}" for number in range(30)]


def test_a_cluster_may_not_change_under_us(brokers: Brokers, tmp_path: Path) -> None:
    brokers.send(map(example, range(3)), "moved")
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        found = Consuming(engine, address_of(brokers.url("moved")))
        found.status.name = "kafka:another/moved"
        found.start()
        try:
            until(lambda: found.status.stopped is not None)
            assert "expected the cluster of kafka:another/moved" in str(found.status.stopped)
        finally:
            found.stop()
        assert rounds(engine) == 0


BROKERS = """
import sys
sys.path[:0] = sys.argv[1:]
from kafka_brokers import Brokers, example
brokers = Brokers()
print(brokers.server, flush=True)
sent = 0
for line in sys.stdin:
    brokers.send(map(example, range(sent, sent := sent + int(line))), "far")
    print(sent, flush=True)
"""


def test_brokers_that_go_away_are_said_and_awaited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Brokers in a process of their own, which stops and goes on."""
    monkeypatch.setattr(kafka_consuming, "_LOOK", 0.5)
    here = str(Path(__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", BROKERS, here],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        url = f"kafka://{process.stdout.readline().strip()}/far"
        process.stdin.write("5\n")
        process.stdin.flush()
        assert process.stdout.readline() == "5\n"
        with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
            with consuming(engine, address_of(url)) as found:
                until(lambda: rounds(engine) == 5)
                os.kill(process.pid, signal.SIGSTOP)
                until(lambda: not found.status.connected)
                assert found.status.trouble
                os.kill(process.pid, signal.SIGCONT)
                process.stdin.write("5\n")
                process.stdin.flush()
                until(lambda: rounds(engine) == 10)
                until(lambda: found.status.connected and found.status.lag.get(0) == 0)
                process.kill()
                until(lambda: not found.status.connected)
            assert found.status.answer().lag["0"] == 0
    finally:
        process.kill()
        process.communicate()
