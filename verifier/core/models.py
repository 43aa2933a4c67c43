"""Saved models, from which a run may go on: arrays in a file that need no trust.

The file is in the format safetensors: the length of a header as u64, the header as JSON, which
says of each array its type, its shape and where its bytes are, and the bytes. Everything is
little-endian. What a run takes from it is hashed, and the certificate states the hash.
"""

import json
import math
import os
import struct
from collections.abc import Callable
from typing import NamedTuple

from verifier.core.certificate import BadData, Json, Refused, expect, fields

MOST_BYTES = 1 << 33  # of a file; all of it is in memory


class Start(NamedTuple):
    """What a certificate says of the state that its run began from."""

    state: str


def stated_start(value: Json) -> Start | None:
    """Return where a run began: None for a new learner, or the hash of a state."""
    if value is None:
        return None
    state = fields(value, ("state",), "start")["state"] if isinstance(value, dict) else None
    if not (isinstance(state, str) and len(state) == 64):
        raise Refused("its start is neither null nor the hash of a state")
    return Start(state)


class Model:
    """The arrays of a saved model by name, each a list of numbers in the order of its rows."""

    def __init__(self, numbers: Callable[[str], list[float] | list[int]], name: str) -> None:
        self.numbers, self.name = numbers, name

    def reals(self, array: str) -> list[float]:
        """Return an array of finite floats."""
        found = [x for x in self.numbers(array) if isinstance(x, float) and math.isfinite(x)]
        self.expect(len(found) == len(self.numbers(array)), f"finite floats for {array!r}")
        return found

    def counts(self, array: str, least: int = 0) -> list[int]:
        """Return an array of whole numbers, none below the least."""
        found = [n for n in self.numbers(array) if type(n) is int and n >= least]
        self.expect(len(found) == len(self.numbers(array)), f"whole numbers for {array!r}")
        return found

    def expect(self, condition: object, what: str) -> None:
        """Say if the file is not what it should be."""
        expect(condition, self.name, what, "others")


def read_model(path: str) -> Model:
    """Read the file of a model; its arrays are looked at when somebody asks for them."""
    expect(os.path.isfile(path), path, "the file of a model", "none")
    expect(os.path.getsize(path) <= MOST_BYTES, path, f"at most {MOST_BYTES} bytes", "more")
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<Q", data)[0] if len(data) >= 8 else len(data)
    expect(length <= len(data) - 8, path, "a header within the file", "a longer one")
    try:
        header: Json = json.loads(data[8 : 8 + length])
    except (RecursionError, ValueError):
        header = None
    if not isinstance(header, dict):
        raise BadData(f"{path}: expected a header that is an object, got something else")
    about, body = header, memoryview(data)[8 + length :]
    known: dict[str, list[float] | list[int]] = {}

    def numbers(name: str) -> list[float] | list[int]:
        if name not in known:
            known[name] = numbers_of(about.get(name), body, f"{path}: array {name!r}")
        return known[name]

    return Model(numbers, path)


def numbers_of(about: Json, body: memoryview, where: str) -> list[float] | list[int]:
    """Return the numbers of an array, f64, i64 or i32, from its bytes in the file."""
    kind, place = (about.get("dtype"), about.get("data_offsets")) if isinstance(about, dict) else (
        None, None
    )  # fmt: skip
    first, end = place if isinstance(place, list) and len(place) == 2 else (None, None)
    if not (type(first) is int and type(end) is int and 0 <= first <= end <= len(body)):
        raise BadData(f"{where}: expected its bytes in the file, got none")
    letter = {"F64": "d", "I64": "q", "I32": "i"}.get(kind if isinstance(kind, str) else "")
    size, rest = divmod(end - first, 4 if letter == "i" else 8)
    if letter is None or rest:
        raise BadData(f"{where}: expected whole numbers or floats, got another type")
    return list(struct.unpack(f"<{size}{letter}", body[first:end]))
