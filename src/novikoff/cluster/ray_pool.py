"""Ray as a pool: it finds workers, carries data to them, and starts again what died with them."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from novikoff.cluster.pools import Pool, Result, Shared, Task
from novikoff.errors import InputError, NovikoffError
from novikoff.extras import extra

_LEAST_STORE = 80_000_000  # bytes; Ray takes no less
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # or a worker that dies is told on stdout, in all detail
}
"""What keeps Ray out of the terminal; it reads this when it is imported."""


class _Failed:
    """An error of ours, on its way from a worker."""

    def __init__(self, error: NovikoffError) -> None:
        self.error = error


def _carried_out(
    work: Callable[[Task, Shared], Result], task: Task, shared: Shared
) -> Result | _Failed:
    """Do the work of one shard in a worker; errors of ours come back as they are."""
    try:
        return work(task, shared)
    except NovikoffError as error:
        return _Failed(error)


class RayPool:
    """Carries out tasks on a Ray cluster.

    A task whose worker or machine dies is started again, as often as it takes: it reads its rows,
    writes nothing, and gives the same bits every time.
    """

    def __init__(self, ray: Any) -> None:  # a third party's module has no type of ours
        self._ray = ray
        self._remote = ray.remote(_carried_out).options(max_retries=-1)
        self._stored: dict[int, tuple[object, object]] = {}  # tasks and their places, by identity

    def map(
        self,
        work: Callable[[Task, Shared], Result],
        tasks: Sequence[Task],
        shared: Shared,
        told: Callable[[Result], None],
    ) -> list[Result]:
        """Return work(task, shared) for every task; what is shared is sent to a machine once.

        After an error the tasks that still run are left to end by themselves, or with the cluster:
        `ray.cancel` of a task that ends at the same moment aborts the process (Ray 2.60).
        """
        ray = self._ray
        given = ray.put(shared)
        places = [self._remote.remote(work, self._place(task), given) for task in tasks]
        waiting, found = [*places], {}
        while waiting:
            (done,), waiting = ray.wait(waiting, num_returns=1)
            found[done] = self._got(done)
            told(found[done])
        return [found[place] for place in places]

    def _place(self, task: object) -> object:
        """Return where a task is; one that comes again in the next epoch is sent only once."""
        if id(task) not in self._stored:
            self._stored[id(task)] = (task, self._ray.put(task))
        return self._stored[id(task)][1]

    def _got(self, place: object) -> Any:
        found = self._ray.get(place)
        if isinstance(found, _Failed):
            raise found.error
        return found


@contextmanager
def ray_pool(address: str, workers: int | None) -> Iterator[Pool]:
    """Join the cluster at an address, or start one on this machine ("local") and end it after."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    ray = extra("ray", f"address={address!r}")
    if ray.is_initialized():  # the program has joined one
        yield RayPool(ray)
        return
    options: dict[str, object] = {"log_to_driver": False, "logging_level": "error"}
    if address == "local":
        options |= _local(workers)
    elif workers is not None:
        raise InputError(f"workers: expected None with a cluster at {address}, got {workers}.")
    try:
        ray.init(address=address, **options)
    except ConnectionError as error:
        raise InputError(
            f"address: expected a Ray cluster at {address}, got none. Start one: ray start --head "
            f"({error})."
        ) from None
    try:
        yield RayPool(ray)
    finally:
        ray.shutdown()


def _local(workers: int | None) -> dict[str, object]:
    """Return how a cluster on this machine is started.

    It talks to itself alone, so it needs no token in the home directory. Its object store lies in
    /dev/shm as far as there is room; what is beyond goes to the disk.
    """
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")
    found: dict[str, object] = {"include_dashboard": False}
    if workers is not None:
        found["num_cpus"] = workers
    room = shutil.disk_usage("/dev/shm").free if os.path.isdir("/dev/shm") else 0
    if room < 4 * _LEAST_STORE:
        os.environ.setdefault("RAY_OBJECT_STORE_ALLOW_SLOW_STORAGE", "1")
        found["object_store_memory"] = 4 * _LEAST_STORE
    else:
        found["object_store_memory"] = int(0.8 * min(room, 8 << 30))
    return found
