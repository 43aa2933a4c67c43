"""Files: safetensors with JSON metadata, never pickle, written whole or not at all."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from novikoff.errors import InputError
from novikoff.types import AnyArray

FORMAT = "novikoff/1"
PathLike = str | os.PathLike[str]


def write(
    path: PathLike, kind: str, metadata: Mapping[str, Any], arrays: Mapping[str, AnyArray]
) -> None:
    """Write arrays and metadata; the file appears complete or stays as it was."""
    header = {"format": FORMAT, "kind": kind, "metadata": json.dumps(metadata, allow_nan=False)}
    data = to_bytes({name: np.ascontiguousarray(array) for name, array in arrays.items()}, header)
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def read(path: PathLike, kinds: tuple[str, ...]) -> tuple[str, dict[str, Any], dict[str, AnyArray]]:
    """Read (kind, metadata, arrays) of a file of one of these kinds."""
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise InputError(f"{path}: expected a saved model, got {error}. Save it again.") from None
    if header.get("format") != FORMAT or header.get("kind") not in kinds:
        raise InputError(
            f"{path}: expected {FORMAT} of kind {' or '.join(kinds)}, got "
            f"{header.get('format')} of kind {header.get('kind')}. Load it with what saved it."
        )
    return header["kind"], json.loads(header["metadata"]), arrays
