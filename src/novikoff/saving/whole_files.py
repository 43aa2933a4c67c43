"""Files that appear whole or stay as they were."""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from novikoff.errors import InputError
from novikoff.interrupts import listening


@contextmanager
def drafted(
    path: str | os.PathLike[str], check: Callable[[Path], None] = lambda draft: None
) -> Iterator[BinaryIO]:
    """Yield a file to write, which takes the place of ``path`` when it is whole.

    ``check`` reads the draft again, and raises where it is not what was meant: then ``path`` stays
    as it was. What is no plain file, such as a device or a pipe, is written into. A process that is
    killed meanwhile leaves its draft, ``.name.`` and sixteen hexadecimal digits, which nothing
    reads.
    """
    try:
        with _into(path) if _is_special(path) else _replacing(path, check) as file:
            yield file
    except OSError as error:  # named by the file, not by its draft
        raise OSError(error.errno, error.strerror or str(error), os.fspath(path)) from None


def probe(path: str | os.PathLike[str]) -> None:
    """Refuse, before any work, a path that a draft could not take the place of."""
    try:
        if not _is_special(path):
            draft = _draft_of(Path(os.path.realpath(path)))
            open(draft, "xb").close()
            draft.unlink()
        elif not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise InputError(
            f"{os.fspath(path)}: expected a place to write, got: {error.strerror}. Name another "
            "file, with a shorter name or in a folder that you may write to."
        ) from None


def _is_special(path: str | os.PathLike[str]) -> bool:
    """Say whether a path is a device, a pipe or the like."""
    return os.path.exists(path) and not os.path.isfile(path)


def _into(path: str | os.PathLike[str]) -> BinaryIO:
    with listening():  # a pipe is opened when somebody reads it
        return open(path, "wb")


def _draft_of(target: Path) -> Path:
    return target.parent / f".{target.name}.{secrets.token_hex(8)}"


@contextmanager
def _replacing(path: str | os.PathLike[str], check: Callable[[Path], None]) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(path))  # a link stays one
    draft = _draft_of(target)
    try:
        with open(draft, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        check(draft)
        if target.exists():
            draft.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Have the new name on the disk, too; some systems cannot open a folder."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
