"""The snapshot maker: a snapshot from the one before and the log, in a process of its own.

To copy a large model takes longer than a request should wait: 80 ms for 100,000 names. Another
process reads the snapshot before, applies the records after it, and has the same replica, because
equal logs make equal replicas. The service goes on meanwhile and waits for nothing.
"""

import json
import os
import subprocess
import sys
from contextlib import suppress
from threading import Lock

from novikoff.errors import InputError, NovikoffError
from novikoff.service.replica import Replica
from novikoff.service.replica_snapshots import page_of, read_snapshot, write_snapshot
from novikoff.service.watch import AlarmTest
from novikoff.streams.log.log_stream import records_after

_NICE = 10  # requests come first
_PROGRAM = f"import sys; from {__name__} import main; sys.exit(main(sys.argv[1:]))"


class SnapshotMaker:
    """Starts the process and waits for it; ``stop`` ends it, from any thread."""

    def __init__(self, folder: str, keys: int) -> None:
        self._folder, self._keys = folder, keys
        self._lock, self._stopped = Lock(), False
        self._process: subprocess.Popen[str] | None = None

    def make(self, through: int, test: AlarmTest) -> str | None:
        """Write the snapshot after a record; return the digest of its run, None if stopped."""
        words = [self._folder, through, self._keys, test.window, test.delta, os.getpid()]
        with self._lock:
            if self._stopped:
                return None
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, *map(str, words)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, start_new_session=True,
            )  # fmt: skip
        said, wrong = self._process.communicate()
        if self._stopped:
            return None
        if self._process.returncode:
            raise InputError(
                f"{self._folder}: expected a snapshot by another process, got: {wrong[-500:]}"
            )
        return str(json.loads(said)["digest"])

    def stop(self) -> None:
        """End the process, if there is one: the service stops."""
        with self._lock:
            self._stopped = True
            if self._process is not None and self._process.poll() is None:
                self._process.kill()


def replica_at(folder: str, through: int, keys: int, test: AlarmTest) -> Replica:
    """Return the replica as it was after a record, from the snapshots and the log."""
    replica = read_snapshot(folder, keys)
    if replica is None:
        raise InputError(f"{folder}: expected a snapshot to begin with, got none.")
    replica.watch.begin_test(test)
    for sequence, record in records_after(folder, replica.sequence):
        if sequence > through:
            break
        replica.apply(sequence, record)
    if replica.sequence != through:
        raise InputError(
            f"{folder}: expected the log to go to record {through}, got {replica.sequence}."
        )
    return replica


def main(words: list[str]) -> int:
    """Make a snapshot, as ``SnapshotMaker`` says in words."""
    folder, through, keys, window, delta, parent = words
    with suppress(OSError):  # some containers allow no priorities
        os.nice(_NICE)
    try:
        replica = replica_at(folder, int(through), int(keys), AlarmTest(int(window), float(delta)))
        if os.getppid() != int(parent):  # another service may have the log now
            return 1
        print(json.dumps({"digest": write_snapshot(folder, replica.run, page_of(replica))}))
        replica.close()
    except (NovikoffError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0
