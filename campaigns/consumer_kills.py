"""Services that read a topic and are killed: each message counts exactly once.

A topic of four partitions has good messages, bad ones, and some that were sent twice with a key.
Each life of a service is a process that is killed by SIGKILL at a random moment while it reads.
After each death the log must have every message before its offsets once, and none after them; what
a restart finds must equal, in the digest of ledger and model, a twin that nobody interrupted.
"""

import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import novikoff as nv
from kafka_brokers import Brokers, example, until
from novikoff.saving.storage import digest_of
from novikoff.service.append_log import AppendLog
from novikoff.service.limits import Limits
from novikoff.service.opening_log import opened
from novikoff.streams.log.log_stream import records_of
from novikoff.streams.log.records import Learn

SMALL = 3
_PER_LIFE = 1500  # messages
_LONGEST = 0.6  # seconds of reading before a kill
_PARTITIONS = 4


class Topic:
    """Messages, and what is to become of them."""

    def __init__(self, rng: random.Random, brokers: Brokers) -> None:
        self._rng, self._brokers, self._sent = rng, brokers, 0
        self.good: list[list[tuple[int, str]]] = [[] for _ in range(_PARTITIONS)]
        """Of each partition the offsets of messages to learn, with their names."""
        self.counts = Counter[str]()
        self._ends = [0] * _PARTITIONS

    def send(self, size: int) -> None:
        """Send messages, a tenth of them bad or repeated."""
        for _ in range(size):
            partition, number = self._rng.randrange(_PARTITIONS), self._sent
            self._sent += 1
            kind = self._rng.random()
            values: list[object] = [example(number)]
            if kind < 0.05:
                values = [self._rng.choice([b"{", b"", example(number, label="eggs")])]
                self.counts["bad"] += 1
            elif kind < 0.1:
                values = [example(number, key=f"k{number}")] * 2
                self.counts["repeated"] += 1
            if kind >= 0.05:
                self.good[partition].append((self._ends[partition], f"n{number}"))
            self._ends[partition] += len(values)
            self._brokers.send(values, partition=partition)

    @property
    def learned(self) -> int:
        """How many messages are to be learned so far."""
        return sum(map(len, self.good))


def campaign(size: int, seed: int) -> dict[str, int]:
    """Kill a service so many times."""
    rng, brokers = random.Random(seed), Brokers()
    topic, counts = Topic(rng, brokers), Counter[str]()
    topic.send(20)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        nv.Run(nv.Blend(), labels=("ham", "spam")).save(folder / "model")
        twin = Twin(folder, topic)
        for life in range(size):
            reader = Reader(folder, brokers.url())
            sender = threading.Thread(target=topic.send, args=(_PER_LIFE,))
            sender.start()
            time.sleep(rng.random() * _LONGEST)
            reader.end(signal.SIGKILL)
            sender.join()
            counts["reading"] += twin.follow(f"seed {seed}, kill {life}") > 0
        reader = Reader(folder, brokers.url())
        try:
            until(lambda: len(rounds_of(folder)) >= topic.learned, 300)
        finally:
            assert reader.end(signal.SIGTERM) == 0
        twin.follow(f"seed {seed}, end")
        twin.end()
        counts["kills"], counts["learned"] = size, topic.learned
    return dict(counts + topic.counts)


class Reader:
    """A process that serves a folder and reads the topic."""

    def __init__(self, folder: Path, url: str) -> None:
        words = ["serve", str(folder / "model"), "--log", str(folder / "log"), "--port", "0"]
        words += ["--token-file", str(folder / "tokens"), "--snapshot-every", "500"]
        words += ["--from", url, "--on-bad-message", "skip"]
        with open(folder / "events", "w") as events:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "novikoff", *words], stdout=events, stderr=events
            )
        until(lambda: "reading messages" in (folder / "events").read_text(), 60)

    def end(self, number: int) -> int:
        """Send it a signal, and wait for its end."""
        self._process.send_signal(number)
        return self._process.wait(60)


def rounds_of(folder: Path) -> list[tuple[int, Learn]]:
    """Return the rounds of a log, with the numbers of their records."""
    found = records_of(str(folder / "log"))
    return [(sequence, one) for sequence, one in found if isinstance(one, Learn)]


class Twin:
    """A run that nobody interrupts: it plays each record of the log once."""

    def __init__(self, folder: Path, topic: Topic) -> None:
        self._folder, self._topic = folder, topic
        self._run: nv.Run[nv.Blend] = nv.Run(nv.Blend(), labels=("ham", "spam"))
        self._sequence, self._seen = 0, list[str]()
        self._offsets: dict[int, int] = {}

    def follow(self, where: str) -> int:
        """Play what is new, compare with what a restart finds, and return how many were new."""
        before = len(self._seen)
        log = AppendLog(str(self._folder / "log"))
        try:
            replica = opened(log, None, Limits())
        finally:
            log.close()
        for sequence, record in rounds_of(self._folder):
            if sequence > self._sequence:
                self._seen += [one for one in record.features if one.startswith("n")]
                self._run.learn(record.features, record.label)
            self._sequence = max(self._sequence, sequence)
        for state in replica.intake.sources.values():
            self._offsets = dict(state.offsets)
        self._check(where)
        replica.run.save(self._folder / "restarted")
        self._run.save(self._folder / "twin")
        same = digest_of(self._folder / "restarted") == digest_of(self._folder / "twin")
        assert same, f"{where}: a restart differs from the twin"
        return len(self._seen) - before

    def _check(self, where: str) -> None:
        """Every message before the offsets counts once, in the order of its partition."""
        places = {name: place for place, name in enumerate(self._seen)}
        assert len(places) == len(self._seen), f"{where}: a message counted twice"
        expected = 0
        for partition, good in enumerate(self._topic.good):
            end = self._offsets.get(partition, 0)
            due = [name for offset, name in good if offset < end]
            lost = [name for name in due if name not in places]
            assert not lost, f"{where}: partition {partition} lost {lost}"
            order = [places[name] for name in due]
            assert order == sorted(order), f"{where}: partition {partition} is out of order"
            expected += len(due)
        assert expected == len(self._seen), f"{where}: messages counted that were not yet due"

    def end(self) -> None:
        """When all was read, all counted."""
        assert len(self._seen) == self._topic.learned
