"""Files that appear whole or stay as they were."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from novikoff.errors import InputError
from novikoff.interrupts import listening


@contextmanager
def drafted(
    path: str | os.PathLike[str], check: Callable[[str], None] = lambda draft: None
) -> Iterator[BinaryIO]:
    """Yield a file to write, which replaces ``path`` when it is whole.

    ``check`` reads the draft again and raises if it is wrong; then ``path`` stays as it was. A
    device or a pipe is written directly. If the process is killed, its draft stays behind, as
    ``.name.`` and sixteen hexadecimal digits; nothing reads it.
    """
    special = _is_special(path)
    try:
        with _into(path) if special else _replacing(path, check) as file:
            yield file
    except OSError as error:  # the error names the file, not its draft
        named = OSError(error.errno, error.strerror or str(error), os.fspath(path))
        if not special:
            named.add_note("The file is as it was.")
        raise named from None


def require_regular(path: str | os.PathLike[str], what: str) -> None:
    """Refuse a path of anything but a regular file by name: a pipe would wait for its writer.

    If nothing is there, the error is Python's, and names the path.
    """
    mode = os.stat(path).st_mode
    if stat.S_ISREG(mode):
        return
    known = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    found = next((name for is_one, name in known if is_one(mode)), "a device")
    raise InputError(
        where=os.fspath(path),
        expected=f"a regular file with {what}",
        got=found,
        remedy="Name the file itself; write to one first what comes from elsewhere.",
    )


def probe(path: str | os.PathLike[str]) -> None:
    """Refuse a path that we cannot write, before any work is done."""
    try:
        if not _is_special(path):
            draft = _draft_of(os.path.realpath(path))
            open(draft, "xb").close()
            os.unlink(draft)
        elif not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise InputError(
            f"{os.fspath(path)}: expected a place to write, got: {error.strerror}. Name another "
            "file, with a shorter name or in a folder that you may write to."
        ) from None


def _is_special(path: str | os.PathLike[str]) -> bool:
    """Say whether a path is something like a device or a pipe."""
    return os.path.exists(path) and not os.path.isfile(path)


def _into(path: str | os.PathLike[str]) -> BinaryIO:
    with listening():  # opening a pipe waits for its reader
        return open(path, "wb")


def _draft_of(target: str) -> str:
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name}.{os.urandom(8).hex()}")


@contextmanager
def _replacing(path: str | os.PathLike[str], check: Callable[[str], None]) -> Iterator[BinaryIO]:
    target = os.path.realpath(path)  # a link stays one
    draft = _draft_of(target)
    try:
        with open(draft, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        check(draft)
        if os.path.exists(target):
            os.chmod(draft, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(draft, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(draft)
        raise
    sync_folder(os.path.dirname(target))


def sync_folder(folder: str) -> None:
    """Write the new name to the disk too; some systems cannot open a folder."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
