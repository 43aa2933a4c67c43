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
    """How each was refused that asked again and again while another thread worked."""
    thread = threading.Thread(target=work)
    thread.start()
    found = []
    for ask in asks:
        while thread.is_alive():
            try:
                ask()
            except nv.BusyError as error:
                found.append(error)
                break
    thread.join()
    return found
