"""Reading ahead: another process turns the text of a large file into rows.

They come in the order of the file. A row means the same wherever it was read, and what is hashed
are the rows, not the text.
"""

import gc
import marshal
import os
from collections.abc import Iterator
from itertools import islice
from multiprocessing import Pipe, current_process, get_all_start_methods, get_context
from multiprocessing.connection import Connection
from signal import SIG_IGN, SIGINT, signal
from threading import active_count
from warnings import catch_warnings, simplefilter

from verifier.core.certificate import BadData
from verifier.core.files import Entries, Row, Rows

LARGE = 1 << 24  # bytes, below which starting a process takes longer than it saves
TOGETHER = 256  # rows that are sent at once
UNSHARED = 2  # the format of marshal without references, which rows seldom have


def ahead(rows: Rows, path: str) -> Rows:
    """Return what reads the rows of a file, in another process if the file is large.

    The process is a fork of this one. Other threads would make that unsafe, and a process of a
    pool may have no children.
    """
    worthwhile = os.path.getsize(path) >= LARGE and (os.cpu_count() or 1) > 1
    alone = active_count() == 1 and not current_process().daemon
    safe = alone and "fork" in get_all_start_methods()
    return (lambda: received(rows)) if worthwhile and safe else rows


def received(rows: Rows) -> Iterator[Row]:
    """Yield the rows that another process reads."""
    receiver, sender = Pipe(duplex=False)
    reader = get_context("fork").Process(target=send, args=(rows, receiver, sender), daemon=True)
    collecting = gc.isenabled()
    gc.disable()  # there for good: what others left here might wait for threads that are not there
    try:
        with catch_warnings():  # of threads of libraries, which look after themselves in a fork
            simplefilter("ignore", DeprecationWarning)
            reader.start()
    finally:
        if collecting:
            gc.enable()
    sender.close()
    begun, died = False, False
    try:
        while sent := marshal.loads(receiver.recv_bytes()):
            begun = True
            if isinstance(sent, str):
                raise BadData(sent)
            for where, label, items in sent:
                yield where, label, Entries.of(items) if isinstance(items, bytes) else items
    except EOFError:
        died = True
    finally:
        receiver.close()
        reader.kill()  # whatever this process does with signals, the other one does, too
        reader.join()
    if died and begun:
        raise BadData("the data: expected a process to read them, got none that did")
    if died:  # some libraries let no fork of a process that has used them live
        yield from rows()


def send(rows: Rows, receiver: Connection, sender: Connection) -> None:
    """Send rows, many at once and at last none; or what is wrong with the data."""
    receiver.close()  # so that sending fails if the other process has ended
    signal(SIGINT, SIG_IGN)  # the other process hears Ctrl-C, and ends this one
    try:
        source = iter(rows())
        while sent := [plain(row) for row in islice(source, TOGETHER)]:
            sender.send_bytes(marshal.dumps(sent, UNSHARED))
        sender.send_bytes(marshal.dumps([], UNSHARED))
    except (BadData, OSError) as error:
        sender.send_bytes(marshal.dumps(str(error), UNSHARED))


def plain(row: Row) -> Row:
    """Return a row that is made of lists, texts and numbers, or of bytes that hold them."""
    where, label, items = row
    return where, label, items.packed if isinstance(items, Entries) else items
