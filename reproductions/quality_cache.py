"""What the neighbours predicted, kept in files: they do not change when our learners do.

A file is named after everything that decides its content: the set, the neighbour, its version,
every row and label in order, and where the held-out part begins. It holds the same words again,
and they are compared when it is read, so rows never get the predictions for other rows.
"""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import safe_open
from safetensors.numpy import save_file

from reproductions.quality_measures import Guesses
from reproductions.quality_peers import Peer, Played
from reproductions.quality_sets import Rounds

PARTS = ("progressive", "held_out")


class Cache:
    """A folder of predictions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def played(self, about: tuple[str, str], peer: Peer, rounds: Rounds, cut: int) -> Played:
        """Return what the peer predicts; ``about`` names the set and the peer."""
        key = json.dumps([*about, peer.version, rounds.digest(), cut])
        path = self.folder / f"{hashlib.sha256(key.encode()).hexdigest()}.safetensors"
        found = read(path, key)
        if found is None:
            found = peer.play(rounds, cut)
            write(path, key, found)
        return found


def read(path: Path, key: str) -> Played | None:
    """Return the predictions in a file if it is about this key."""
    if not path.is_file():
        return None
    with safe_open(path, "numpy") as file:
        if file.metadata() != {"key": key}:
            return None
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    progressive, held_out = (
        Guesses(arrays[part], arrays.get(f"{part} probabilities")) if part in arrays else None
        for part in PARTS
    )
    return None if held_out is None else Played(progressive, held_out)


def write(path: Path, key: str, played: Played) -> None:
    """Write the predictions whole or not at all."""
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for part, guesses in zip(PARTS, played, strict=True):
        if guesses is not None:
            arrays[part] = guesses.labels
            if guesses.probabilities is not None:
                arrays[f"{part} probabilities"] = guesses.probabilities
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    save_file(arrays, partial, {"key": key})
    partial.replace(path)
