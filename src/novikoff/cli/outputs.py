"""Files that a verb writes: checked before the work, and named if the work fails later."""

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

from novikoff.cli.outlets import product
from novikoff.errors import InputError
from novikoff.saving.whole_files import drafted, probe


def check_outputs(inputs: Iterable[str], *files: str | None) -> None:
    """Refuse, before any work, a file that could not be written after it, or that is read."""
    read = [file for file in inputs if os.path.isfile(file)]
    for file in filter(None, files):
        folder = os.path.dirname(file) or "."
        if not os.path.isdir(folder):
            raise InputError(f"{file}: expected a folder that exists, got {folder}. Make it first.")
        if os.path.isdir(file):
            raise InputError(f"{file}: expected a file to write, got a folder. Name a file in it.")
        if os.path.isfile(file) and any(os.path.samefile(file, one) for one in read):
            raise InputError(f"{file}: expected a file to write, got one that is read.")
    named = [os.path.realpath(file) for file in files if file]
    twice = [file for file in named if os.path.isfile(file) or not os.path.exists(file)]
    if len(set(twice)) < len(twice):
        raise InputError(f"{twice[0]}: expected a file of its own for each output, got one twice.")
    for file in filter(None, files):
        probe(file)


@contextmanager
def writing(path: str | None) -> Iterator[TextIO]:
    """Yield what lines are written to: a file that appears whole, or standard output."""
    if path is None:
        yield product()
        return
    with drafted(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
        finally:
            text.detach()


class Written:
    """The files that were written so far; whatever goes wrong in its block names them."""

    def __init__(self) -> None:
        self.files: list[str] = []

    def add(self, path: str) -> None:
        """Take note of a file."""
        if path not in self.files:
            self.files.append(path)

    def __enter__(self) -> "Written":
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and self.files:
            error.add_note(f"Written before: {', '.join(self.files)}.")
