"""Brokers of Kafka for the tests: librdkafka's own, within this process."""

import json
import time
from collections.abc import Callable, Iterable
from typing import Any

from confluent_kafka import Producer


class Brokers:
    """A cluster of one broker whose topics have four partitions, made when they are written."""

    def __init__(self) -> None:
        self._producer = Producer(
            {
                "bootstrap.servers": "none",
                "test.mock.num.brokers": 1,
                "linger.ms": 0,
                "log_level": 0,
            }
        )
        (broker,) = self._producer.list_topics(timeout=10).brokers.values()
        self.server = f"{broker.host}:{broker.port}"

    def url(self, topic: str = "mails", more: str = "") -> str:
        return f"kafka://{self.server}/{topic}{more}"

    def send(
        self, values: Iterable[object], topic: str = "mails", partition: int | None = 0
    ) -> None:
        """Send values as JSON, bytes as they are; without a partition, to each in turn."""
        for number, value in enumerate(values):
            place = number % 4 if partition is None else partition
            raw = value if isinstance(value, bytes | None) else json.dumps(value).encode()
            self._producer.produce(topic, raw, partition=place)
            if number % 1000 == 999:
                self._producer.flush(30)
        assert self._producer.flush(30) == 0


def example(number: int, label: str | None = None, **more: object) -> dict[str, Any]:
    """Return a message that can be told from all others."""
    said = label or ("spam" if number % 3 == 0 else "ham")
    word = "free" if said == "spam" else "home"
    return {"features": {f"n{number}": 1.0, word: 0.5, "the": 1.0}, "label": said, **more}


def until(true: Callable[[], bool], seconds: float = 20) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)
