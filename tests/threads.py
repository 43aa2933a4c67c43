"""Threads that read together, or get in each other's way."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import novikoff as nv


def together(read: Callable[[], Any], count: int = 8) -> list[Any]:
    """What each of many threads got that read at once."""
    barrier = threading.Barrier(count)

    def one(_: int) -> Any:
        barrier.wait()
        return read()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def refusals(work: Callable[[], Any], *asks: Callable[[], Any]) -> list[nv.BusyError]:
    """How each was refused that asked again and again while another thread worked.

    On a busy machine the two may not meet at once, so the work is done again, up to 100 times,
    until all were refused.
    """
    met = threading.Event()

    def work_until_met() -> None:
        for _ in range(100):
            work()
            if met.is_set():
                break

    thread = threading.Thread(target=work_until_met)
    thread.start()
    found = []
    for ask in asks:
        while thread.is_alive():
            try:
                ask()
            except nv.BusyError as error:
                found.append(error)
                break
    met.set()
    thread.join()
    return found
