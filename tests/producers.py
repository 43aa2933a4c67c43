"""Arrow streams made by hand: sound or broken on purpose, with every release counted."""

import ctypes
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa


class Struct(ctypes.Structure):
    """Any of Arrow's; callbacks are plain addresses, so that they can be put aside."""

    n_children: int
    children: Any
    dictionary: Any
    release: int | None

    def family(self) -> Iterator["Struct"]:
        """The struct, and all below it."""
        yield self
        for k in range(self.n_children):
            yield from self.children[k].contents.family()
        if self.dictionary:
            yield from self.dictionary.contents.family()

    def memory(self) -> Iterator[tuple[int, bytes]]:
        """Where things are that may be spoiled, and the bytes there; first the struct itself."""
        for part in self.family():
            yield ctypes.addressof(part), bytes(part)
            if part.n_children:
                first = ctypes.addressof(part.children.contents)
                yield (
                    first,
                    ctypes.string_at(first, part.n_children * ctypes.sizeof(ctypes.c_void_p)),
                )


class Schema(Struct):
    """ArrowSchema."""


class Array(Struct):
    """ArrowArray."""

    length: int
    null_count: int
    offset: int
    n_buffers: int
    buffers: Any


class Stream(ctypes.Structure):
    """ArrowArrayStream."""

    release: int | None


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset")),
    *((name, ctypes.c_int64) for name in ("n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
CALLBACKS = ("get_schema", "get_next", "get_last_error", "release", "private_data")
Stream._fields_ = [(name, ctypes.c_void_p) for name in CALLBACKS]

RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
GET = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
CAPSULE_NAME = b"arrow_array_stream"

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Producer:
    """Batches as a stream. `spoil` and `spoil_schema` break what is handed out."""

    def __init__(
        self,
        batches: Sequence[pa.RecordBatch],
        spoil: Callable[[Any], object] | None = None,
        spoil_schema: Callable[[Any], object] | None = None,
        errors: Sequence[int] = (0, 0),
        message: bytes | None = None,
    ) -> None:
        self.schema = batches[0].schema
        self.batches = list(batches)
        self.spoil = {Array: spoil, Schema: spoil_schema}
        self.schema_error, self.batch_error = errors
        self.message = None if message is None else ctypes.create_string_buffer(message)
        self.made: Counter[str] = Counter()
        self.released: Counter[str] = Counter()
        self.callbacks: list[Any] = []
        self.stream = Stream(
            self.keep(GET(self.get_schema)),
            self.keep(GET(self.get_next)),
            self.keep(LAST_ERROR(self.last_error)),
            self.keep(RELEASE(self.release_stream)),
        )

    def capsule(self) -> object:
        """What __arrow_c_stream__() would return."""
        self.made["stream"] += 1
        return new_capsule(ctypes.addressof(self.stream), CAPSULE_NAME, None)

    def keep(self, callback: Any) -> int | None:
        self.callbacks.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value

    def get_schema(self, _: int, out: int) -> int:
        self.schema._export_to_c(out)
        return self.hand_out(Schema.from_address(out), self.schema_error)

    def get_next(self, _: int, out: int) -> int:
        if not self.batches:
            Array.from_address(out).release = None
            return 0
        self.batches.pop(0)._export_to_c(out)
        return self.hand_out(Array.from_address(out), self.batch_error)

    def last_error(self, _: int) -> int | None:
        return None if self.message is None else ctypes.addressof(self.message)

    def release_stream(self, stream: int) -> None:
        self.released["stream"] += 1
        Stream.from_address(stream).release = None

    def hand_out(self, base: Struct, error: int) -> int:
        """Spoil the struct, until its release: that one sees it as it was made."""
        kind = type(base)
        (_, whole), *parts = base.memory()
        original = RELEASE(base.release or 0)

        def release(address: int) -> None:
            self.released[kind.__name__] += 1
            for where, saved in [(address, whole), *parts]:
                ctypes.memmove(where, saved, len(saved))
            original(address)

        if error:  # what is left there is rubbish, which nobody may release
            original(ctypes.addressof(base))
            base.release = 1
            return error
        self.made[kind.__name__] += 1
        base.release = self.keep(RELEASE(release))
        spoil = self.spoil[kind]
        if spoil is not None:
            spoil(base)
        return 0
