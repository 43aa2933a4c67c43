"""``novikoff cache`` and ``export``."""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from novikoff import verifier
from novikoff.cli.options import check_folders, hashing, opened, print_json, tell_skipped
from novikoff.errors import InputError
from novikoff.rereading import Rereading
from novikoff.streams import FileStream
from novikoff.streams import cache as cached


def cache(options: argparse.Namespace) -> int:
    """Write a file as a cache."""
    stream = opened(options)
    check_folders(options.output)
    cached(stream, options.output)
    return _said(options, stream)


def export(options: argparse.Namespace) -> int:
    """Write a file as svmlight, features by the ids a learner gives them."""
    stream = opened(options)
    check_folders(options.output)
    target = Path(options.output)
    if target.exists() and any(map(target.samefile, filter(os.path.exists, stream.files))):
        raise InputError(f"{target}: expected another file than the one that is read, got it.")
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with open(draft, "w", encoding="utf-8") as file:
            file.writelines(_lines(Rereading(stream, hashing(options))))
        draft.replace(target)
    except verifier.BadData as error:
        raise InputError(f"{error}.") from None
    finally:
        draft.unlink(missing_ok=True)
    return _said(options, stream)


def _lines(rows: Rereading) -> Iterator[str]:
    for _, label, items in rows():
        if isinstance(label, str) and (not label or set(label) & set(" \t\n\r#:")):
            raise InputError(
                f"export: expected labels that svmlight can hold, got {label!r}. Rename the class."
            )
        features = " ".join(f"{j + 1}:{v!r}" for j, v in sorted(items))
        yield f"{label} {features}\n"


def _said(options: argparse.Namespace, stream: FileStream) -> int:
    size = os.path.getsize(options.output)
    found = {"output": options.output, "bytes": size, "skipped": stream.skipped}
    print_json(found) if options.json else print(f"{options.output}: {size:,} bytes")
    tell_skipped(stream)
    return 0
