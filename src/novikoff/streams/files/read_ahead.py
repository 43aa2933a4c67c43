"""Reading ahead: a thread makes the next block while the one before is played."""

import queue
import threading
from collections.abc import Generator, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def one_ahead(items: Generator[Item, None, None]) -> Iterator[Item]:
    """Yield the same items in the same order, and whatever they raise.

    A thread works on the item after the one that was yielded. It has ended once this generator has,
    also if the caller stops early.
    """
    wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
    made: queue.SimpleQueue[Item | _Ended] = queue.SimpleQueue()

    def work() -> None:
        while wanted.get():
            try:
                made.put(next(items))
            except StopIteration:
                made.put(_Ended(None))
            except BaseException as error:  # the caller's to handle, not this thread's
                made.put(_Ended(error))

    thread = threading.Thread(target=work, name="read-ahead", daemon=True)
    thread.start()
    try:
        wanted.put(True)
        while not isinstance(item := made.get(), _Ended):
            wanted.put(True)
            yield item
        if item.error is not None:
            raise item.error
    finally:
        wanted.put(False)
        thread.join()
        items.close()


class _Ended:
    """No further item, because there is none or because of an error."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error
