"""Pools: what carries out the tasks of shards, here or elsewhere."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeVar

from novikoff.errors import parameter

Task = TypeVar("Task")
Result = TypeVar("Result")
Shared = TypeVar("Shared")
Told = Callable[[Result], None]


class Pool(Protocol):
    """Carries out the same work for every shard."""

    def map(
        self,
        work: Callable[[Task, Shared], Result],
        tasks: Sequence[Task],
        shared: Shared,
        told: Callable[[Result], None],
    ) -> list[Result]:
        """Return work(task, shared) for every task in their order; ``told`` hears as they end."""
        ...


class OneProcess:
    """Carries out one task after another."""

    def map(
        self,
        work: Callable[[Task, Shared], Result],
        tasks: Sequence[Task],
        shared: Shared,
        told: Callable[[Result], None],
    ) -> list[Result]:
        """Return what the work makes of each task."""
        found = []
        for task in tasks:
            found.append(work(task, shared))
            told(found[-1])
        return found


@contextmanager
def _one_process() -> Iterator[OneProcess]:
    yield OneProcess()


def pool_at(address: str | None, workers: int | None) -> AbstractContextManager[Pool]:
    """Return the pool at an address: this process if None, Ray on this machine if "local"."""
    if workers is not None and not (type(workers) is int and workers >= 1):
        raise parameter("workers", "None or a whole number of at least 1", workers)
    if address is None:
        if workers is not None:
            raise parameter("workers", "None without an address", workers)
        return _one_process()
    if not isinstance(address, str):
        raise parameter("address", "None, 'local' or the address of a Ray cluster", address)
    from novikoff.cluster.ray_pool import ray_pool

    return ray_pool(address, workers)
