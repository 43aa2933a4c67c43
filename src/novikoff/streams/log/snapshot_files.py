"""The files of a snapshot: a model and a page, named by the last record that was applied."""

import os
import re

_NAME = re.compile(r"snapshot-(\d{20})\.json")


def model_path(folder: str, sequence: int) -> str:
    """Return where the run of a snapshot is."""
    return os.path.join(folder, f"snapshot-{sequence:020d}.model")


def page_path(folder: str, sequence: int) -> str:
    """Return where the page of a snapshot is."""
    return os.path.join(folder, f"snapshot-{sequence:020d}.json")


def snapshots_of(folder: str) -> list[int]:
    """Return the sequence numbers of the snapshots in a folder, in order."""
    return sorted(int(m[1]) for name in os.listdir(folder) if (m := _NAME.fullmatch(name)))


def latest_snapshot(folder: str) -> int:
    """Return the record to which a log must go: a snapshot is taken of what is on the disk."""
    return max(snapshots_of(folder), default=0)
