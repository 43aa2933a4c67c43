"""Storage in files: safetensors with JSON metadata, never pickle, written whole or not at all."""

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from safetensors import SafetensorError, safe_open

from novikoff import _core
from novikoff.errors import InputError
from novikoff.saving.contents import check_known, no_number, parsed
from novikoff.saving.versions import LIBRARY, MODEL, later_writer, wrote
from novikoff.saving.whole_files import drafted, require_regular
from novikoff.types import AnyArray, Arrays, Fields, Label

PathLike = str | os.PathLike[str]
_PIECE = 2**20  # bytes that are hashed at once
_HEADER = ("format", "kind", "metadata", "writer", "sha256")


Restore = Callable[[Fields, Arrays], object]


def write(
    path: PathLike,
    kind: str,
    metadata: Mapping[str, object],
    arrays: Mapping[str, AnyArray],
    restore: Restore,
) -> None:
    """Write arrays and metadata; the file appears complete or stays as it was.

    The new file is read back and passed to ``restore`` before it replaces the old one.
    """
    pieces = _pieces(kind, metadata, arrays)

    def check(draft: str) -> None:
        _, found, again = read(draft, (kind,))
        with intact(draft):
            restore(found, again)

    try:
        with drafted(path, check) as file:
            file.writelines(pieces)
    except InputError as error:
        raise InputError(
            f"{path}: expected to read back what was written, got an error. The file is as it "
            f"was: {error}"
        ) from error


def packed(kind: str, metadata: Mapping[str, object], arrays: Mapping[str, AnyArray]) -> bytes:
    """Return the bytes of the file that ``write`` writes."""
    return b"".join(_pieces(kind, metadata, arrays))


def _pieces(
    kind: str, metadata: Mapping[str, object], arrays: Mapping[str, AnyArray]
) -> Sequence[bytes | memoryview]:
    """Return the file in pieces: its head, then each array without a copy of it."""
    try:
        text = json.dumps(metadata, allow_nan=False, default=plain_value)
    except TypeError as error:
        raise InputError(
            f"save: expected parameters that are plain data, got others: {error}. Give functions "
            "by name, or as text if the parameter takes text."
        ) from None
    kept = {name: _plain_array(name, array) for name, array in arrays.items()}
    header = {"format": str(MODEL), "kind": kind, "metadata": text, "writer": LIBRARY}
    # The widest numbers come first, as safetensors puts them, so that each array is aligned.
    order = sorted(kept, key=lambda name: (-kept[name].itemsize, name))
    kept = {name: kept[name] for name in order}
    return [_head(header | {"sha256": seal(header, kept)}, kept), *map(_flat, kept.values())]


def _plain_array(name: str, array: AnyArray) -> AnyArray:
    """Return an array as it is written: row by row, each number with its lowest byte first."""
    if array.dtype.kind not in "biuf" or array.itemsize > 8:
        raise InputError(
            f"save: expected arrays of bools or of numbers of at most 8 bytes, got {array.dtype} "
            f"for {name!r}. Put texts into the parameters."
        )
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def _head(header: Mapping[str, str], arrays: Mapping[str, AnyArray]) -> bytes:
    """Return the head of a safetensors file: the length of some JSON in 8 bytes, then the JSON.

    The same texts and arrays always get the same bytes; the writer of safetensors itself would put
    the texts in a random order.
    """
    about: dict[str, object] = {"__metadata__": dict(sorted(header.items()))}
    end = 0
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        offsets = [begin, end]
        about[name] = {"dtype": _type(array), "shape": array.shape, "data_offsets": offsets}
    text = json.dumps(about, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _type(array: AnyArray) -> str:
    """Return what safetensors calls the type of an array's numbers: F64, I32, U8, BOOL."""
    kind = array.dtype.kind
    return "BOOL" if kind == "b" else f"{kind.upper()}{8 * array.itemsize}"


def _flat(array: AnyArray) -> memoryview:
    """Return the bytes of an array."""
    return array.reshape(-1).view(np.uint8).data


def seal(header: Mapping[str, str], arrays: Mapping[str, AnyArray]) -> str:
    """Return the SHA-256 of what a file holds, so that a flipped bit is found."""
    found = _core.Digest()
    found.update(_hashed(header).encode())
    for name in sorted(arrays):
        found.update(name.encode())
        flat = _flat(arrays[name])
        for start in range(0, len(flat), _PIECE):
            found.update(bytes(flat[start : start + _PIECE]))
    return found.hexdigest()


def _hashed(header: Mapping[str, str]) -> str:
    """Return what a seal covers besides arrays: the metadata, and from novikoff/2 on all else."""
    if header["format"] == MODEL.read[0]:
        return header["metadata"]
    return json.dumps([header[name] for name in ("format", "kind", "writer", "metadata")])


def plain_value(value: object) -> object:
    """Return the plain data of a parameter that is an object, such as a finite class."""
    if not hasattr(value, "plain"):
        raise TypeError(f"{type(value).__name__} is no plain data")
    return value.plain


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a file that appears complete or stays as it was."""
    with drafted(path) as file:
        file.write(data)


def plain_labels(labels: tuple[Label, ...]) -> list[bool | int | float | str]:
    """Return labels as JSON holds them; refuse all but numbers, strings and bools."""
    found = []
    for label in labels:
        finite = not isinstance(label, float) or math.isfinite(label)
        if not (isinstance(label, (bool, int, float, str)) and finite):
            raise InputError(
                f"labels: expected numbers, strings or bools to save, got {label!r}. "
                "Name the classes by strings."
            )
        found.append(label)
    return found


@contextmanager
def intact(path: PathLike) -> Iterator[None]:
    """Turn any error in here into one that says the file is damaged.

    It is the file's fault: anybody may have written it, with a correct digest.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"{path}: expected what save wrote, got something else ({error}). "
            f"{_advice(_header(path).get('writer'))}"
        ) from None


def _advice(writer: str | None) -> str:
    """Say what to do with a file that cannot be read, by the version that wrote it."""
    if writer is None:
        return "Take another copy of the file. If it is from before 0.2.0, play its rounds again."
    return later_writer(writer) or (
        f"{wrote(writer)}Take another copy of the file, or save it again."
    )


def claimed_kind(path: PathLike) -> str | None:
    """Return the kind that a file says it is of; None if it is no file of ours."""
    return _header(path).get("kind")


def digest_of(path: PathLike) -> str:
    """Return the SHA-256 that a saved run states: of its learner and its ledger."""
    try:
        with safe_open(path, framework="numpy") as file:
            return str((file.metadata() or {}).get("sha256"))
    except SafetensorError as error:
        raise InputError(
            f"{os.fspath(path)}: expected a saved run, got {error}. Take it from a backup."
        ) from None


def _header(path: PathLike) -> Mapping[str, str]:
    """Return what a file says of itself; nothing if it is no file of ours."""
    if not os.path.isfile(path):
        return {}
    try:
        with safe_open(path, framework="numpy") as file:
            return file.metadata() or {}
    except Exception:  # ``read`` says what is wrong with it
        return {}


def read(path: PathLike, kinds: tuple[str, ...]) -> tuple[str, Fields, Arrays]:
    """Read (kind, metadata, arrays) of a file of one of these kinds."""
    require_regular(path, "a saved model")
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (FileNotFoundError, PermissionError):
        raise
    except Exception as error:  # also for types and shapes that NumPy does not know
        raise InputError(
            f"{path}: expected a saved model, got another file, or a damaged one ({error}). Pass "
            "what save wrote."
        ) from None
    MODEL.check(header.get("format"), str(path), header.get("writer"))
    if header.get("kind") not in kinds:
        advice = later_writer(header.get("writer")) or "Load it with the class that saved it."
        raise InputError(
            f"{path}: expected a file of kind {' or '.join(kinds)}, got one of kind "
            f"{header.get('kind')}. {advice}"
        )
    with intact(path):
        _check_head(path)
        check_known("entry of the header", header, _HEADER)  # the seal does not cover others
        stated = header.get("sha256")
        unhashed = stated is None and header["format"] == MODEL.read[0]  # the first files of all
        if not unhashed and seal(header, arrays) != stated:
            raise ValueError("another SHA-256")
        _check_shapes(arrays, os.path.getsize(path))
        metadata = parsed(header["metadata"], no_number)
        if not isinstance(metadata, dict):
            raise ValueError("metadata that are not an object")
        return header["kind"], metadata, arrays


def _check_head(path: PathLike) -> None:
    """Refuse a head with a key twice, of which safetensors reads the last one."""
    with open(path, "rb") as file:
        parsed(file.read(int.from_bytes(file.read(8), "little")))


def _check_shapes(arrays: Mapping[str, AnyArray], size: int) -> None:
    """Refuse an empty array whose shape claims more rows than the file has bytes."""
    for name, array in arrays.items():
        if max(array.shape, default=0) > size:
            raise ValueError(f"an array {name!r} of shape {array.shape}")
