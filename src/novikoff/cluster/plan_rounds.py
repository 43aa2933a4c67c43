"""Plan rounds: what tells the rounds of a play from others, as its plan has it."""

import os

from novikoff.cluster.plan_options import plan_options
from novikoff.cluster.row_hashes import hash_of_rows
from novikoff.streams import FileStream, Stream
from novikoff.streams.files.addresses import is_address
from novikoff.streams.files.opening import size_of


def plan_rounds(stream: Stream) -> dict[str, object]:
    """Return the state of files and how they are read; rows in memory are hashed."""
    if isinstance(stream, FileStream):
        files = [file_state(file) for file in stream.files]
        return {"files": files, "read as": stream.format, "options": plan_options(stream.options)}
    hashed = hash_of_rows(stream)
    return {"rounds": stream.rounds} | ({} if hashed is None else {"rows": hashed})


def file_state(file: str) -> list[object]:
    """Return where a file is, its bytes, and when it changed, which an address does not tell."""
    if is_address(file) and not os.path.exists(file):
        return [file, size_of(file), None]
    return [os.path.abspath(file), size_of(file), os.stat(file).st_mtime_ns]
