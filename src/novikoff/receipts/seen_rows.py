"""Seen rows: those that a model has learned from, on which no test can promise anything."""

import os

from novikoff.playing.run import Run
from novikoff.streams import FileStream
from novikoff.streams.skipping import Skipping
from novikoff.streams.stream import Stream


def learned_from(model: object, source: Stream) -> tuple[str, ...]:
    """Return the files of a stream, or its name, that the model is known to have learned from."""
    if not isinstance(model, Run) or isinstance(source, Skipping):
        return ()
    if not isinstance(source, FileStream):
        same = model.stream is not None and model.stream.origin is source.origin
        return (source.name,) if same else ()
    known = {os.path.realpath(file) for file in _files(model)}
    return tuple(file for file in source.files if os.path.realpath(file) in known and file != "-")


def _files(run: Run) -> list[str]:
    """Return the files that a run has learned from: those that it remembers, and the last ones."""
    before: list[str] = (run.reading or {}).get("input", [])
    return [*before, *run.stream.files] if isinstance(run.stream, FileStream) else before


def about_learned(names: tuple[str, ...], source: Stream) -> list[str]:
    """Return a remark if the model has learned from rows that it is judged on."""
    if not names:
        return []
    if not isinstance(source, FileStream):
        return [
            f"the model has learned from these rows ({', '.join(names)}). They are not new to it, "
            "and the bounds say nothing. Test on other rows."
        ]
    return [
        f"the model has learned from {', '.join(names)}. Unless the file has changed, its rows are "
        "not new to the model, and the bounds say nothing. Test on other rows."
    ]
