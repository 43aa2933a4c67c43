"""Following: a thread that copies the records of a leader into our log and applies them.

The follower's log has the same records with the same numbers, so it can be read, certified and
started as any other: without ``--follow`` it becomes a leader itself.
"""

import http.client
import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

from novikoff.errors import InputError, NovikoffError
from novikoff.playing.run import Run
from novikoff.saving.storage import write_bytes
from novikoff.service.append_log import AppendLog
from novikoff.service.leaders import Leader
from novikoff.service.replica_snapshots import sealed, unsealed
from novikoff.service.service_address import connected, response_of
from novikoff.service.service_engine import Engine
from novikoff.streams.log.receipt_links import NAME, Link, start_name, with_link
from novikoff.streams.log.segments import HEADER, Framed, frame_at, segments_of
from novikoff.streams.log.snapshot_files import model_path, page_path, snapshots_of

_log = logging.getLogger("novikoff.service")
_WAIT = 5  # seconds for which a reply of the leader stays open
_TIMEOUT = 20.0
_PAUSES = (0.1, 5.0)  # seconds before trying again: at first, and at most
_GROUP = 4096


class LeaderConnection:
    """Requests to a leader, with a read token."""

    def __init__(self, url: str, token: str) -> None:
        self._connection, self._prefix = connected(url, "--follow", _TIMEOUT)
        self._headers = {"Authorization": f"Bearer {token}"}
        self.url = url

    def get(self, path: str) -> http.client.HTTPResponse:
        """Return a good answer; refuse any other."""
        self._connection.request("GET", self._prefix + path, headers=self._headers)
        found = response_of(self._connection)
        if found.status != 200:
            text = found.read(2000).decode(errors="replace")
            raise InputError(f"{self.url}{path}: expected status 200, got {found.status}: {text}")
        return found

    def frames(self, after: int) -> Iterator[list[Framed]]:
        """Yield the records after one as they come; the last frame has no payload."""
        answer = self.get(f"/v1/log?after={after}&wait={_WAIT}")
        rest = b""
        while piece := answer.read1(2**18):
            data, found, end = memoryview(rest + piece), list[Framed](), 0
            while (frame := frame_at(data, end)) is not None:
                found.append(frame)
                end = frame.end
            rest = bytes(data[end:])
            if found:
                yield found
        if rest:
            raise ConnectionError("the answer ended within a record")

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        self._connection.close()


def begin_copy(log: AppendLog, leader: LeaderConnection) -> None:
    """If a log is empty, begin it with the latest snapshot of a leader."""
    folder = log.folder
    if snapshots_of(folder):
        return
    segments = [path for _, path in segments_of(folder)]
    for path in segments:
        if os.path.getsize(path) > HEADER:
            raise InputError(
                f"{folder}: expected an empty folder, or one that was begun by following, got "
                "records without a snapshot. Name another."
            )
    try:
        answer = leader.get("/v1/snapshot")
        size = int.from_bytes(answer.read(8), "little")
        page = unsealed(f"{leader.url}/v1/snapshot", answer.read(size))
        model = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise InputError(
            f"{leader.url}: expected a leader that answers, got {error}. Start it first; a "
            "follower that has begun also starts without it."
        ) from None
    for path in (*segments, os.path.join(folder, NAME)):  # an earlier attempt ended there
        with suppress(FileNotFoundError):
            os.unlink(path)
    write_bytes(model_path(folder, page.sequence), model)
    write_bytes(os.path.join(folder, start_name(page.sequence)), model)
    ledger = Run.load(model_path(folder, page.sequence)).ledger
    link = Link(
        sequence=page.sequence,
        rounds=ledger.rounds,
        mistakes=ledger.mistakes,
        loss=getattr(ledger, "loss", None),
        model=page.model,
        labels=page.begin.labels,
        before=None,
    )
    write_bytes(os.path.join(folder, NAME), with_link(folder, link))
    log.begin_after(page.sequence)
    write_bytes(page_path(folder, page.sequence), sealed(page))  # now it is whole


class Following:
    """Copies what a leader does, until it is stopped; a lost connection is made again."""

    def __init__(self, engine: Engine, leader: LeaderConnection) -> None:
        self._engine, self._connection = engine, leader
        self._state = engine.leader = Leader(leader.url)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="following", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """Follow no more. Nothing is applied when this returns."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        pause, said = _PAUSES[0], ""
        while not self._stopped.is_set():
            try:
                self._follow()
                pause, said = _PAUSES[0], ""
                continue
            except (OSError, http.client.HTTPException, NovikoffError) as error:
                if str(error) != said:
                    said = str(error)
                    _log.warning("the leader does not answer as it should", extra={"error": said})
            self._state.connected = False
            self._connection.close()
            self._stopped.wait(pause)
            pause = min(2 * pause, _PAUSES[1])

    def _follow(self) -> None:
        """Apply what one answer of the leader holds."""
        engine, state = self._engine, self._state
        for frames in self._connection.frames(engine.log.durable):
            if not state.connected:
                _log.info("following", extra={"leader": state.url})
            state.connected = True
            self._apply([one for one in frames if len(one.payload)])
            state.sequence = max(state.sequence, frames[-1].sequence, frames[-1].durable)
            if not len(frames[-1].payload) and frames[-1].sequence < engine.log.durable:
                raise InputError(
                    f"{state.url}: expected a leader with record {engine.log.durable:,}, got one "
                    f"that ends with {frames[-1].sequence:,}. It was set back: follow it with an "
                    "empty folder."
                )
            if engine.log.durable >= state.sequence:
                state.current = time.monotonic()
            if self._stopped.is_set():
                self._connection.close()
                return

    def _apply(self, frames: list[Framed]) -> None:
        engine = self._engine
        for place in range(0, len(frames), _GROUP):
            group = frames[place : place + _GROUP]
            expected = engine.log.durable + 1
            if group[0].sequence != expected:
                raise InputError(
                    f"{self._state.url}: expected record {expected:,}, got "
                    f"{group[0].sequence:,}. Follow it with an empty folder."
                )
            engine.follow([bytes(one.payload) for one in group])
