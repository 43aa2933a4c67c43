"""The engine: plans what clients wish, commits all that waits with one sync, and applies it.

    owner    wishes ─► plan ─► a group of records ┐            ┌─► apply ─► answers
    writer                                        └─► commit ──┘

The owner's thread has the replica; the writer thread has the log. While a group is being written,
the owner goes on reading requests and predicting, and the next group gathers.
"""

import copy
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from novikoff.errors import NovikoffError
from novikoff.playing.run import Run
from novikoff.service.append_log import AppendLog
from novikoff.service.clock import Clock
from novikoff.service.disk import DiskError
from novikoff.service.leaders import Leader
from novikoff.service.limits import Limits
from novikoff.service.owners import Owner, ThreadOwner
from novikoff.service.refusals import ReadOnly, TooMany, Unavailable
from novikoff.service.replica import Applied, Learned, Replica
from novikoff.service.replica_snapshots import Page, page_of, write_snapshot
from novikoff.service.retention import drop_old
from novikoff.service.snapshot_maker import SnapshotMaker
from novikoff.service.source_status import SourceStatus
from novikoff.service.watch import announced
from novikoff.service.wishes import Again, Dropped, Group, Part, Planned, Planner
from novikoff.streams.log.records import decoded, encoded
from novikoff.streams.log.snapshot_files import snapshots_of

_log = logging.getLogger("novikoff.service")
_GROUP = 4096  # records that share a sync
_TICK = 1.0  # seconds between looks at expired asks
_EXPIRED_AT_ONCE = 1000

Outcome = list[Applied] | NovikoffError
"""What became of a wish: an answer for each of its parts, or why all of it was refused."""


@dataclass(eq=False, slots=True)
class Wish:
    """What one request asks for, and whom to tell."""

    parts: list[Part]
    done: Callable[[Outcome], None]
    planned: list[Planned] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class _Sealed:
    """A group that is being written."""

    wishes: list[Wish]
    payloads: list[bytes]
    error: DiskError | None = None
    told: threading.Event | None = None
    """Whom to tell when it is done, besides those who wished."""

    def settle(self) -> None:
        """Tell that it is done."""
        if self.told is not None:
            self.told.set()


class Engine:
    """Takes wishes and answers each when it is on the disk and applied."""

    longest_copy = 0.01
    """Seconds; if a copy of the run takes longer, another process makes the snapshots."""

    def __init__(
        self, log: AppendLog, replica: Replica, limits: Limits, owner: Owner | None = None
    ) -> None:
        self.log, self.replica, self.limits = log, replica, limits
        self.owner = owner or ThreadOwner()
        self.clock, self.planner = Clock(replica.counts.time), Planner(replica, limits)
        self.commits = 0
        self.failure: DiskError | None = None
        """Why the last commit failed; None if it did not."""
        self.crashed = False
        """Whether we found a fault of ours; only a restart helps."""
        self.snapshot_sequence = max(snapshots_of(log.folder), default=0)
        self.snapshot_every = 100_000
        """A snapshot is taken after so many records."""
        self.keep_log = True
        """Whether segments older than the snapshots stay."""
        self.leader: Leader | None = None
        """Whom it follows; None if it takes wishes itself."""
        self.source: SourceStatus | None = None
        """Whose messages it learns from; None if it has only clients."""
        self.leaving = False
        """Whether the server is about to stop: long answers end now."""
        self.held = False
        """Whether they stay for now, because somebody reads them."""
        self._waiting: deque[Wish] = deque()
        self._sealed: queue.SimpleQueue[_Sealed | None] = queue.SimpleQueue()
        self._busy = self._stopping = False
        self._drained = threading.Event()
        self._snapshot_lock, self._copied = threading.Lock(), 0.0  # how long the last copy took
        self._maker = SnapshotMaker(log.folder, limits.keys)
        self._alarms = replica.watch.count
        self._writer = threading.Thread(target=self._write, name="writer")

    def start(self) -> None:
        """Begin to take wishes; a copy is made first, to know how long one takes."""
        self._copy()
        self._writer.start()

    @property
    def backlog(self) -> int:
        """How many wishes wait."""
        return len(self._waiting)

    def submit(self, wish: Wish) -> None:
        """Let a wish wait for its group. Only the owner's thread may call this."""
        self._refuse_late()
        if self.leader is not None:
            raise ReadOnly(
                where="service",
                expected="the leader, to write",
                got="a follower, which only reads",
                remedy=f"Send it to {self.leader.url}.",
            )
        if len(self._waiting) >= self.limits.waiting:
            raise TooMany(
                where="service",
                expected=f"at most {self.limits.waiting:,} requests that wait for the disk",
                got="one more",
                remedy="Try again later.",
            )
        self._waiting.append(wish)
        if not self._busy:
            self._busy = True
            self.owner.call(self._gather)

    def wish(self, parts: list[Part], timeout: float | None = 60) -> list[Applied]:
        """Have a wish done, from any thread but the owner's, and wait for its answers."""
        self._refuse_late()
        told, outcome = threading.Event(), list[Outcome]()

        def done(found: Outcome) -> None:
            outcome.append(found)
            told.set()

        def submit() -> None:
            try:
                self.submit(Wish(parts, done))
            except NovikoffError as error:
                done(error)

        self.owner.call(submit)
        if not told.wait(timeout):
            raise Unavailable("service: expected an answer in time, got none. Try again.")
        if isinstance(outcome[0], NovikoffError):
            raise outcome[0]
        return outcome[0]

    def follow(self, payloads: list[bytes], timeout: float = 60) -> None:
        """Write and apply records of the leader, which follow ours. Any thread but the owner's."""
        told = threading.Event()
        records: list[Planned] = [
            decoded(payload, f"leader, record {sequence}")
            for sequence, payload in enumerate(payloads, self.log.durable + 1)
        ]
        sealed = _Sealed([Wish([], lambda _: None, records)], payloads)
        sealed.told = told
        self.owner.call(partial(self._begin_group, sealed))
        if not told.wait(timeout):
            raise Unavailable("service: expected records to be applied in time, got none.")
        if sealed.error is not None:
            raise sealed.error

    def _begin_group(self, sealed: _Sealed) -> None:
        if self._stopping:
            sealed.error = DiskError("service: expected it to run, got one that stops.")
            sealed.settle()
            return
        self._busy = True
        self._sealed.put(sealed)

    def _refuse_late(self) -> None:
        if self._stopping:
            raise Unavailable("service: expected it to run, got one that stops. Try again.")

    def stop(self) -> None:
        """Do what waits, take a snapshot, and close the log. Any thread but the owner's."""
        self._maker.stop()
        self.owner.call(self._begin_stop)
        self._drained.wait()
        self._sealed.put(None)
        if self._writer.ident is not None:
            self._writer.join()
        self.owner.close()
        try:
            if not self.crashed:
                self.snapshot()
        finally:
            self.log.close()

    def _begin_stop(self) -> None:
        self._stopping = True
        if not self._busy:
            self._drained.set()

    def _gather(self) -> None:
        """Plan what waits, and hand it to the writer as one group."""
        sealed = _Sealed([], [])
        try:
            self._plan(sealed)
        except BaseException as error:
            self._crash(error, sealed)
            return
        if sealed.payloads:
            self._sealed.put(sealed)
        else:
            self._finish(sealed)

    def _plan(self, sealed: _Sealed) -> None:
        group, now = Group(), self.clock.now()
        if (ending := self.replica.intake.ending) is not None:
            sealed.wishes.append(Wish([], lambda _: None, [ending]))
            sealed.payloads.append(encoded(ending))
        while self._waiting and len(sealed.payloads) < _GROUP:
            wish = self._waiting.popleft()
            try:
                wish.planned = self.planner.plan(wish.parts, group, now)
            except Again:
                self._waiting.appendleft(wish)
                break
            except NovikoffError as error:
                wish.done(error)
                continue
            sealed.wishes.append(wish)
            for one in wish.planned:
                if not isinstance(one, Learned):
                    sealed.payloads.append(encoded(one))

    def _write(self) -> None:
        """Commit one group after the other, until None comes; the writer thread does only this.

        It also ends with the program, of which it would otherwise keep the run alive to the end.
        """
        while True:
            try:
                sealed = self._sealed.get(timeout=_TICK)
            except queue.Empty:
                if not threading.main_thread().is_alive():
                    return
                self.owner.call(self._expire)
                continue
            if sealed is None:
                return
            try:
                self.log.commit(sealed.payloads)
            except DiskError as error:
                sealed.error = error
            except BaseException as error:
                self.owner.call(partial(self._crash, error, sealed))
                return
            self.owner.call(partial(self._finish, sealed))

    def _finish(self, sealed: _Sealed) -> None:
        """Apply a group that is on the disk, answer its wishes, and go on with what waits."""
        try:
            if sealed.payloads:
                self._note(sealed.error)
            if sealed.error is not None:
                for wish in sealed.wishes:
                    wish.done(sealed.error)
            else:
                self._apply(sealed.wishes)
                self._alarms = announced(self.replica.watch, self._alarms)
        except BaseException as error:
            self._crash(error, sealed)
            return
        sealed.settle()
        if self.replica.sequence - self.snapshot_sequence >= self.snapshot_every:
            self.snapshot_soon()
        self._expire()
        if self._waiting:
            self._gather()
        else:
            self._busy = False
            if self._stopping:
                self._drained.set()

    def _note(self, error: DiskError | None) -> None:
        """Remember and say whether the disk takes what is written."""
        self.commits += error is None
        if error is not None and self.failure is None:
            _log.error("the log cannot be written", extra={"error": str(error)})
        if error is None and self.failure is not None:
            _log.info("the log can be written again")
        self.failure = error

    def _apply(self, wishes: list[Wish]) -> None:
        apply, sequence = self.replica.apply, self.replica.sequence
        for wish in wishes:
            outcome: list[Applied] = []
            refused: NovikoffError | None = None
            for one in wish.planned:
                found: Applied = one if isinstance(one, Learned) else None
                if found is None and not isinstance(one, Learned):
                    sequence += 1
                    found = apply(sequence, one)
                if isinstance(found, NovikoffError):
                    refused = refused or found
                outcome.append(found)
            wish.done(outcome if refused is None else refused)

    def _crash(self, error: BaseException, sealed: _Sealed) -> None:
        """Answer everybody, and take no more wishes: what is in the log is safe."""
        _log.critical("the engine has stopped", exc_info=error)
        self._stopping = self.crashed = True
        gone = Unavailable("service: expected an engine, got a fault of ours. Restart it.")
        for wish in (*sealed.wishes, *self._waiting):
            wish.done(gone)
        self._waiting.clear()
        sealed.settle()
        self._drained.set()

    def _expire(self) -> None:
        """Forget asks whose labels have not come in time; a follower leaves that to its leader."""
        if self.leader is not None:
            return
        before = self.clock.now() - self.limits.expiry
        expired: list[Part] = []
        for id, waiting in self.replica.waiting.items():
            if waiting.asked.time > before or len(expired) >= _EXPIRED_AT_ONCE:
                break
            expired.append(Dropped(id, expired=True))
        if expired and self.failure is None and not self._stopping:
            self.submit(Wish(expired, lambda outcome: None))

    def snapshot_soon(self) -> None:
        """Take a snapshot in a thread of its own, unless one is being taken."""
        if not self._snapshot_lock.locked():
            threading.Thread(target=self._snapshot_or_say, name="snapshot").start()

    def _snapshot_or_say(self) -> None:
        try:
            self.snapshot()
        except (OSError, NovikoffError) as error:
            _log.error("no snapshot was taken", extra={"error": str(error)})

    def snapshot(self) -> None:
        """Write a snapshot if anything is new; learning waits at most for a short copy."""
        with self._snapshot_lock:
            sequence = self.replica.sequence
            if sequence == self.snapshot_sequence:
                return
            digest = None
            if self._copied > self.longest_copy and not self._stopping:
                digest = self._made_apart(sequence)
            if digest is None:
                run, page = self._copy()
                digest, sequence = write_snapshot(self.log.folder, run, page), page.sequence
            self.snapshot_sequence = sequence
            if not (self.keep_log or self.held):
                drop_old(self.log)
        _log.info("snapshot", extra={"sequence": sequence, "digest": digest})

    def _copy(self) -> tuple[Run, Page]:
        """Return the replica as it is; its owner waits meanwhile."""
        with self.replica.lock:
            began = time.monotonic()
            run, page = copy.copy(self.replica.run), page_of(self.replica)
            self._copied = time.monotonic() - began
        return run, page

    def _made_apart(self, sequence: int) -> str | None:
        """Have another process write the snapshot; return its digest, None if it did not."""
        try:
            return self._maker.make(sequence, self.replica.watch.test)
        except (OSError, NovikoffError) as error:
            _log.error("a snapshot was made by a copy", extra={"error": str(error)})
            return None
