"""Model seals: which models the plays in a folder have written, so that another one is noticed.

Each line of ``seals.txt`` is SHA-256(SHA-256 of the plan ‖ SHA-256 of a model's file ‖ the file's
name). It is written before its model replaces an earlier one, so whoever dies between the two
leaves a seal too many, and never a model without one.
"""

import json
import os
from collections.abc import Callable
from hashlib import file_digest, sha256

from novikoff.cluster.plans import SEALED
from novikoff.errors import InputError
from novikoff.saving.whole_files import require_regular, sync_folder
from novikoff.types import Fields


class ModelSeals:
    """The seals in a folder; none are needed if its plan is from before there were any."""

    def __init__(self, folder: str, plan: Fields) -> None:
        self.path = os.path.join(folder, "seals.txt")
        self.needed = plan.get(SEALED) is True
        self._plan = sha256(json.dumps(plan, sort_keys=True).encode()).digest()

    def save(self, path: str, save: Callable[[str], None]) -> None:
        """Seal what ``save`` writes, then put it in its place."""
        if not self.needed:
            save(path)
            return
        draft = f"{path}.new"
        save(draft)
        self._add(self._seal_of(draft, path))
        os.replace(draft, path)
        sync_folder(os.path.dirname(path))

    def check(self, path: str) -> None:
        """Refuse a model that no play in this folder has written."""
        require_regular(path, "a saved model")
        if self.needed and self._seal_of(path, path) not in self._known():
            raise InputError(
                where=path,
                expected="a model that the play of this folder wrote",
                got=f"another one, or a changed one: {self.path} does not have its seal",
                remedy="Put back the folder's own file, or remove this one to play it again.",
            )

    def _add(self, seal: bytes) -> None:
        """Add a line. Its newline comes first, so that half a line before it does no harm."""
        if os.path.exists(self.path):
            require_regular(self.path, "seals")
        with open(self.path, "ab") as file:
            file.write(b"\n" + seal)
            file.flush()
            os.fsync(file.fileno())

    def _known(self) -> list[bytes]:
        if not os.path.exists(self.path):
            return []
        require_regular(self.path, "seals")
        with open(self.path, "rb") as file:
            return file.read().split()

    def _seal_of(self, file: str, path: str) -> bytes:
        """Return the seal of what a file holds, under the name that it has, or will have."""
        with open(file, "rb") as opened:
            own = file_digest(opened, "sha256").digest()
        name = os.path.basename(path).encode()
        return sha256(self._plan + own + name).hexdigest().encode()
