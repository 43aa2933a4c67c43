"""The engine: one writer thread that owns the replica, and commits what waits with one sync."""

import copy
import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from novikoff.errors import NovikoffError
from novikoff.service.append_log import AppendLog
from novikoff.service.clock import Clock
from novikoff.service.disk import DiskError
from novikoff.service.limits import Limits
from novikoff.service.refusals import TooMany, Unavailable
from novikoff.service.replica import Applied, Learned, Replica
from novikoff.service.snapshots import page_of, snapshots_of, write_snapshot
from novikoff.service.wishes import Again, Dropped, Group, Part, Planned, Planner
from novikoff.streams.log.records import encoded

_log = logging.getLogger("novikoff.service")
_GROUP = 4096  # records that share a sync
_TICK = 1.0  # seconds between looks at expired asks
_EXPIRED_AT_ONCE = 1000

Outcome = list[Applied] | NovikoffError
"""What became of a wish: an answer for each of its parts, or why all of it was refused."""
Deliver = Callable[[list[tuple["Wish", Outcome]]], None]


@dataclass(eq=False, slots=True)
class Wish:
    """What one request asks for, and whom to tell."""

    parts: list[Part]
    done: Callable[[Outcome], None]
    planned: list[Planned] | None = None


class Engine:
    """Takes wishes from any thread and answers each when it is on the disk and applied.

    ``deliver`` is called by the writer thread with the outcomes of a whole group, once.
    """

    def __init__(
        self, log: AppendLog, replica: Replica, limits: Limits, deliver: Deliver | None = None
    ) -> None:
        self.log, self.replica, self.limits = log, replica, limits
        self.clock = Clock(replica.counts.time)
        self.commits = 0
        self.failure: DiskError | None = None
        """Why the last commit failed; None if it did not."""
        self.snapshot_sequence = max(snapshots_of(log.folder), default=0)
        self.snapshot_rounds = 100_000
        """A snapshot is taken after so many records."""
        self.keep_log = True
        """Whether segments older than the snapshots stay."""
        self.deliver = deliver or _deliver
        self.planner = Planner(replica, limits)
        self._waiting: deque[Wish] = deque()
        self._wake = threading.Condition()
        self._stopping = False
        self._planned: list[Wish] = []
        self.crashed = False
        """Whether the writer found a fault of ours; only a restart helps."""
        self._snapshotting: threading.Thread | None = None
        self._thread = threading.Thread(target=self._write, name="writer", daemon=True)

    def start(self) -> None:
        """Begin to take wishes."""
        self._thread.start()

    def submit(self, wish: Wish) -> None:
        """Let a wish wait for the writer; refuse it if too many wait or the service stops."""
        if len(self._waiting) >= self.limits.waiting:
            raise TooMany(
                where="service",
                expected=f"at most {self.limits.waiting:,} requests that wait for the disk",
                got="one more",
                remedy="Try again later.",
            )
        with self._wake:
            if self._stopping:
                raise Unavailable("service: expected it to run, got one that stops. Try again.")
            self._waiting.append(wish)
            self._wake.notify()

    def wish(self, parts: list[Part], timeout: float | None = None) -> list[Applied]:
        """Submit a wish and wait for its answers."""
        told, outcome = threading.Event(), list[Outcome]()

        def done(found: Outcome) -> None:
            outcome.append(found)
            told.set()

        self.submit(Wish(parts, done))
        if not told.wait(timeout):
            raise Unavailable("service: expected an answer in time, got none. Try again.")
        if isinstance(outcome[0], NovikoffError):
            raise outcome[0]
        return outcome[0]

    @property
    def backlog(self) -> int:
        """How many wishes wait."""
        return len(self._waiting)

    def stop(self) -> None:
        """Do what waits, take a snapshot, and close the log."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        if self._thread.ident is not None:
            self._thread.join()
        try:
            if not self.crashed:
                self.snapshot()
        finally:
            self.log.close()

    def _write(self) -> None:
        """Work until the engine stops and nothing waits, or until it finds a fault of ours."""
        try:
            self._work()
        except BaseException as error:
            _log.critical("the writer has stopped", exc_info=error)
            with self._wake:
                self._stopping = self.crashed = True
                left = [*self._planned, *self._waiting]
                self._waiting.clear()
            gone = Unavailable("service: expected its writer, got a fault of ours. Restart it.")
            self.deliver([(wish, gone) for wish in left])

    def _work(self) -> None:
        while True:
            with self._wake:
                if not self._waiting and not self._stopping:
                    self._wake.wait(_TICK)
                if self._stopping and not self._waiting:
                    return
            self._expire()
            if self._waiting:
                self.deliver(self._group())
                self._planned = []
            if self.replica.sequence - self.snapshot_sequence >= self.snapshot_rounds:
                self.snapshot_soon()

    def _group(self) -> list[tuple[Wish, Outcome]]:
        """Plan, write and apply what waits; return what became of it."""
        group, refused = Group(), list[tuple[Wish, Outcome]]()
        wishes = self._planned
        now = self.clock.now()
        while self._waiting and len(group.records) < _GROUP:
            wish = self._waiting.popleft()
            try:
                wish.planned = self.planner.plan(wish.parts, group, now)
            except Again:
                self._waiting.appendleft(wish)
                break
            except NovikoffError as error:
                refused.append((wish, error))
                continue
            group.records += [one for one in wish.planned if not isinstance(one, Learned)]
            wishes.append(wish)
        if group.records:
            try:
                first = self._commit(group)
            except DiskError as error:
                return refused + [(wish, error) for wish in wishes]
        else:
            first = self.replica.sequence
        return refused + self._applied(wishes, first)

    def _commit(self, group: Group) -> int:
        """Write a group; return the sequence number before it."""
        try:
            last = self.log.commit([encoded(record) for record in group.records])
        except DiskError as error:
            if self.failure is None:
                _log.error("the log cannot be written", extra={"error": str(error)})
            self.failure = error
            raise
        if self.failure is not None:
            _log.info("the log can be written again")
        self.failure = None
        self.commits += 1
        return last - len(group.records)

    def _applied(self, wishes: list[Wish], sequence: int) -> list[tuple[Wish, Outcome]]:
        found: list[tuple[Wish, Outcome]] = []
        apply = self.replica.apply
        for wish in wishes:
            outcome: list[Applied] = []
            for one in wish.planned or ():
                if isinstance(one, Learned):
                    outcome.append(one)
                else:
                    sequence += 1
                    outcome.append(apply(sequence, one))
            refused = next((one for one in outcome if isinstance(one, NovikoffError)), None)
            found.append((wish, outcome if refused is None else refused))
        return found

    def _expire(self) -> None:
        """Forget asks whose labels have not come in time."""
        before = self.clock.now() - self.limits.expiry
        expired: list[Part] = []
        for id, waiting in self.replica.waiting.items():
            if waiting.asked.time > before or len(expired) >= _EXPIRED_AT_ONCE:
                break
            expired.append(Dropped(id, expired=True))
        if expired and self.failure is None:
            self._waiting.append(Wish(expired, lambda outcome: None))

    def snapshot_soon(self) -> None:
        """Take a snapshot in a thread of its own, unless one is being taken."""
        running = self._snapshotting
        if running is None or not running.is_alive():
            self._snapshotting = threading.Thread(target=self._snapshot_or_say, name="snapshot")
            self._snapshotting.start()

    def _snapshot_or_say(self) -> None:
        try:
            self.snapshot()
        except (OSError, NovikoffError) as error:
            _log.error("no snapshot was taken", extra={"error": str(error)})

    def snapshot(self) -> str | None:
        """Write a snapshot if anything is new; learning waits only for a copy in memory.

        Return the digest of its run, or None if nothing is new.
        """
        running = self._snapshotting
        if running is not None and running is not threading.current_thread():
            running.join()
        with self.replica.lock:
            if self.replica.sequence == self.snapshot_sequence:
                return None
            run, page = copy.copy(self.replica.run), page_of(self.replica)
        digest = write_snapshot(self.log.folder, run, page)
        self.snapshot_sequence = page.sequence
        if not self.keep_log:
            self.log.drop_before(snapshots_of(self.log.folder)[0])
        _log.info("snapshot", extra={"sequence": page.sequence, "digest": digest})
        return digest


def _deliver(outcomes: list[tuple[Wish, Outcome]]) -> None:
    for wish, outcome in outcomes:
        wish.done(outcome)
