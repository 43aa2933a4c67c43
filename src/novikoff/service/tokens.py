"""Tokens: who may read and who may write. The file holds hashes, one a line: ``write sha256:…``."""

import hashlib
import hmac
import os
import re
import secrets
import threading
from typing import Literal

from novikoff.errors import InputError
from novikoff.saving.storage import write_bytes

Access = Literal["read", "write"]
_LINE = re.compile(r"(?:(read|write)\s+)?(?:sha256:([0-9a-f]{64})|(\S{8,}))")
_HEAD = "# novikoff serve: tokens as SHA-256. Add a line such as: read NEW-TOKEN\n"


class Tokens:
    """The tokens of a file; ``reload`` reads it again.

    Somebody adds a token by writing it into the file, as ``read TOKEN`` or ``write TOKEN``. When
    the file is read, it is replaced by one with hashes, so that no token stays on the disk.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._hashes: tuple[tuple[Access, bytes], ...] = ()
        self._lock = threading.Lock()
        if path is not None:
            self.reload()

    def reload(self) -> None:
        """Read the file again; if it is wrong, the tokens stay as they were."""
        if self.path is None:
            return
        with self._lock, open(self.path, encoding="utf-8") as file:
            lines = file.read().splitlines()
            found, plain = list[tuple[Access, bytes]](), False
            for number, line in enumerate(lines, 1):
                said = line.partition("#")[0].strip()
                if said:
                    access, hashed, new = self._line(said, number)
                    found.append((access, hashed))
                    plain |= new
            if not found:
                raise InputError(f"{self.path}: expected at least one token, got none. Add one.")
            if plain:
                write_hashes(self.path, found)
            self._hashes = tuple(found)

    def _line(self, said: str, number: int) -> tuple[Access, bytes, bool]:
        match = _LINE.fullmatch(said)
        if match is None:
            raise InputError(
                f"{self.path}:{number}: expected read or write and a token of at least 8 "
                "characters, or its hash, got neither. Write: read TOKEN."
            )
        access: Access = "read" if match[1] == "read" else "write"
        hashed = bytes.fromhex(match[2]) if match[2] else hashed_token(match[3].encode())
        return access, hashed, match[3] is not None

    def access(self, token: bytes) -> Access | None:
        """Return what a token allows; the time it takes does not depend on the token."""
        return self.access_of(hashed_token(token))

    def access_of(self, presented: bytes) -> Access | None:
        """Return what the token with this hash allows."""
        best: Access | None = None
        for access, hashed in self._hashes:
            if hmac.compare_digest(presented, hashed) and best != "write":
                best = access
        return best


def hashed_token(token: bytes) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(token).digest()


def write_hashes(path: str, tokens: list[tuple[Access, bytes]]) -> None:
    """Replace the file of tokens; only its owner may read it."""
    lines = [f"{access} sha256:{hashed.hex()}\n" for access, hashed in tokens]
    if not os.path.exists(path):
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    write_bytes(path, (_HEAD + "".join(lines)).encode())


def new_tokens(path: str) -> dict[Access, str]:
    """Write a file with a new token to read and one to write; return them. They are shown once."""
    found: dict[Access, str] = {
        "read": secrets.token_urlsafe(24),
        "write": secrets.token_urlsafe(24),
    }
    write_hashes(path, [(access, hashed_token(token.encode())) for access, token in found.items()])
    return found
