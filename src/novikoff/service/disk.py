"""The disk: the few calls that the log makes, so that a test can let any of them fail."""

import errno
import os

from novikoff.errors import NovikoffError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class DiskError(NovikoffError):
    """A disk that did not take what was written; nothing of it was acknowledged."""

    full = False
    """Whether there is no room, as opposed to a disk that fails."""


def disk_error(error: OSError, folder: str) -> DiskError:
    """Return the error of a write that failed, as the service tells it."""
    found = DiskError(
        where=folder,
        expected="to write the log",
        got=error.strerror or str(error),
        remedy="Nothing was learned. Make room or mend the disk; predictions go on.",
    )
    found.full = error.errno in _FULL
    return found


class Disk:
    """Files that are written at their end, and folders."""

    def create(self, path: str) -> int:
        """Open an empty file for writing."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)

    def extend(self, path: str, size: int) -> int:
        """Open a file for writing after its first bytes; cut off the rest."""
        file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        self.cut(file, size)
        return file

    def write(self, file: int, data: bytes) -> None:
        """Write all of it."""
        view = memoryview(data)
        while view:
            view = view[os.write(file, view) :]

    def sync(self, file: int) -> None:
        """Return when everything written is on the disk."""
        os.fdatasync(file)

    def cut(self, file: int, size: int) -> None:
        """Keep only the first bytes, and write after them from now on."""
        os.ftruncate(file, size)
        os.lseek(file, size, os.SEEK_SET)

    def move(self, file: int, place: int) -> None:
        """Write from this place on."""
        os.lseek(file, place, os.SEEK_SET)

    def close(self, file: int) -> None:
        """Close a file."""
        os.close(file)

    def remove(self, path: str) -> None:
        """Remove a file."""
        os.unlink(path)

    def sync_folder(self, folder: str) -> None:
        """Return when the names in a folder are on the disk."""
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
