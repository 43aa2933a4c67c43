"""Services that are killed under load: nothing that was acknowledged is lost, nothing counts twice.

Each life of a service is a process that is killed by SIGKILL at a random moment, while four clients
send examples over HTTP; some are killed before they are ready. After each death the log must hold
every acknowledged example once, and what a restart finds must equal, in the digest of ledger and
model, a twin that nobody interrupted. A client sends an example again until it is acknowledged,
with its key, in a later life if need be. In one life of four, another process makes the snapshots.
"""

import http.client
import json
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import novikoff as nv
from novikoff.saving.storage import digest_of
from novikoff.service.append_log import AppendLog
from novikoff.service.limits import Limits
from novikoff.service.opening_log import opened
from novikoff.service.server import Settings, serve
from novikoff.service.service_engine import Engine
from novikoff.streams.log.log_stream import records_after
from novikoff.streams.log.records import Asked, Learn, Tell

SMALL = 24
_CLIENTS = 4
_LONGEST = 0.2  # seconds of load before a kill
_EARLY = 0.1  # of the lives end before they are ready
_APART = 0.25  # of the lives have their snapshots made by another process
_TOKEN = "token-of-the-campaign"
_LABELS = ("ham", "spam")


class Life:
    """One process that serves a folder."""

    def __init__(self, folder: Path, apart: bool) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.pid = os.fork()
        if self.pid == 0:
            try:
                sys.stderr = open(folder / "events", "a")  # noqa: SIM115 — until it is killed
                Engine.longest_copy = -1.0 if apart else 60.0
                serve(
                    Settings(
                        model=str(folder / "model"),
                        log=str(folder / "log"),
                        token_file=str(folder / "tokens"),
                        port=self.port,
                        snapshot_every=97,
                    )
                )
            finally:
                os._exit(1)

    def kill(self) -> None:
        """Stop it in the middle of whatever it does."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


class Sender(threading.Thread):
    """A client that sends examples, some of them as asks, until its service dies."""

    def __init__(self, port: int, name: str, seed: int, unsure: "list[Sent]") -> None:
        super().__init__()
        self._port, self._label, self._rng = port, name, random.Random(seed)
        self.acknowledged: list[str] = []
        self._unsure, self.left = unsure, list[Sent]()
        self.fault = ""

    def run(self) -> None:
        """Send one example after the other."""
        with closing(http.client.HTTPConnection("127.0.0.1", self._port)) as connection:
            self._send(connection)

    def _send(self, connection: http.client.HTTPConnection) -> None:
        number = 0
        while True:
            number += 1
            sent = self._unsure.pop() if self._unsure else self._next(number)
            try:
                connection.request("POST", sent[1], sent[2], {"Authorization": f"Bearer {_TOKEN}"})
                reply = connection.getresponse()
                body = reply.read()
            except (OSError, http.client.HTTPException):
                self.left = [sent, *self._unsure]
                return
            if reply.status != 200:
                self.fault = f"{sent}: {reply.status} {body!r}"
                return
            self.acknowledged.append(sent[0])

    def _next(self, number: int) -> "Sent":
        name = f"{self._label}.{number}"
        features = {f"w{self._rng.randrange(40)}": self._rng.choice([1.0, 0.5]) for _ in range(4)}
        example = {"features": features, "label": self._rng.choice(_LABELS), "key": name}
        return name, "/v1/learn", json.dumps(example).encode()


Sent = tuple[str, str, bytes]


def campaign(size: int, seed: int) -> dict[str, int]:
    """Kill a service so many times."""
    rng, counts = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        nv.Run(nv.Blend(), labels=_LABELS).save(folder / "model")
        (folder / "tokens").write_text(f"write {_TOKEN}\n")
        twin, unsure = Twin(folder), list[Sent]()
        for life in range(size):
            early = life > 0 and rng.random() < _EARLY
            if early:
                _born(folder, rng)
            else:
                done, unsure = _lived(folder, rng, f"{life}", unsure)
                twin.acknowledged.update(done)
                counts["acknowledged"] += len(done)
                counts["unsure"] += len(unsure)
            counts["early"] += early
            twin.follow(f"seed {seed}, kill {life}")
        counts["kills"], counts["records"] = size, twin.sequence
    return dict(counts)


def _born(folder: Path, rng: random.Random) -> None:
    """Kill a service while it starts."""
    life = Life(folder, rng.random() < _APART)
    time.sleep(rng.random() * _LONGEST / 2)
    life.kill()


def _lived(
    folder: Path, rng: random.Random, name: str, unsure: list[Sent]
) -> tuple[list[str], list[Sent]]:
    """Run a service under load for a moment, kill it, and return what was acknowledged."""
    life = Life(folder, rng.random() < _APART)
    ready = time.monotonic() + 60
    while time.monotonic() < ready:
        try:
            socket.create_connection(("127.0.0.1", life.port)).close()
            break
        except OSError:
            assert os.waitpid(life.pid, os.WNOHANG) == (0, 0), (folder / "events").read_text()
            time.sleep(0.005)
    parts = [unsure[place::_CLIENTS] for place in range(_CLIENTS)]
    senders = [
        Sender(life.port, f"{name}.{place}", rng.randrange(2**32), part)
        for place, part in enumerate(parts)
    ]
    for sender in senders:
        sender.start()
    time.sleep(rng.random() * _LONGEST)
    life.kill()
    for sender in senders:
        sender.join()
    faults = [sender.fault for sender in senders if sender.fault]
    assert not faults, faults
    done = [one for sender in senders for one in sender.acknowledged]
    return done, [one for sender in senders for one in sender.left]


class Twin:
    """A run that nobody interrupts: it plays each record of the log once."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._run = folder, nv.Run.load(folder / "model")
        self.sequence, self._keys = 0, set[str]()
        self.acknowledged = set[str]()
        """What the service has called durable."""

    def follow(self, where: str) -> None:
        """Play what is new, and compare with what a restart finds."""
        folder = str(self._folder / "log")
        log = AppendLog(folder)
        try:
            replica = opened(log, None, Limits())
        finally:
            log.close()
        for sequence, record in records_after(folder, self.sequence):
            assert sequence == self.sequence + 1, f"{where}: {self.sequence}, then {sequence}"
            self.sequence = sequence
            if isinstance(record, Learn):
                assert record.key is not None
                assert record.key not in self._keys, f"{where}: {record.key} counted twice"
                self._keys.add(record.key)
                self._run.learn(record.features, record.label)
            assert not isinstance(record, (Asked, Tell))
        lost = self.acknowledged - self._keys
        assert not lost, f"{where}: lost {lost}"
        assert replica.sequence == self.sequence, where
        replica.run.save(self._folder / "restarted")
        self._run.save(self._folder / "twin")
        same = digest_of(self._folder / "restarted") == digest_of(self._folder / "twin")
        assert same, f"{where}: a restart differs from the twin"
