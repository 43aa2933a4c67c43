"""Files that appear whole or stay as they were."""

import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


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
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    try:
        with _replacing(path, check) as file:
            yield file
    except OSError as error:  # named by the file, not by its draft
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


@contextmanager
def _replacing(path: str | os.PathLike[str], check: Callable[[Path], None]) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(path))  # a link stays one
    draft = target.parent / f".{target.name}.{secrets.token_hex(8)}"
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
