"""Named features: rows that are dicts of name to value, and the ids of their names."""

from collections.abc import Mapping
from dataclasses import asdict
from numbers import Real

import numpy as np

from novikoff import _core
from novikoff.errors import parameter, shown
from novikoff.quick_records import record
from novikoff.saving.contents import is_text, texts_of
from novikoff.streams.blocks.block import UNSCALABLE, Block, SparseBlock
from novikoff.types import EXACT, AnyArray, Fields

_BITS = range(1, 31)


@record(frozen=True, init=False)
class Hashing:
    """Hashes names into 2^bits features by MurmurHash3, as scikit-learn's ``FeatureHasher`` does.

    Names that collide in one feature share its weight, and their values in one row are added, in
    an order that does not depend on the dict's. With ``signed`` the hash also chooses the sign of
    a value, so that collisions cancel on average.

    >>> import novikoff as nv
    >>> learner = nv.Perceptron(hashing=nv.Hashing(bits=10))
    >>> run = nv.play(learner, nv.stream([{"free": 1}, {"dinner": 1}], [1, -1]))
    >>> run.mistakes, run.predict_one({"dinner": 1})
    (1, -1)
    """

    bits: int
    signed: bool

    def __init__(self, bits: int = 20, signed: bool = True) -> None:
        whole = isinstance(bits, (int, np.integer)) and not isinstance(bits, bool)
        if not whole or bits not in _BITS:
            raise parameter("bits", "a whole number from 1 to 30", bits)
        if not isinstance(signed, (bool, np.bool_)):
            raise parameter("signed", "True or False", signed)
        object.__setattr__(self, "bits", int(bits))
        object.__setattr__(self, "signed", bool(signed))

    @property
    def plain(self) -> Fields:
        """The same as plain data."""
        return asdict(self)


def as_hashing(value: object) -> Hashing | None:
    """Take a Hashing, its plain data, or None: an exact dictionary."""
    if value is None or isinstance(value, Hashing):
        return value
    if isinstance(value, dict) and value.keys() == {"bits", "signed"}:
        return Hashing(**value)
    raise parameter("hashing", "None or nv.Hashing(bits, signed)", value)


def new_features(hashing: Hashing | None) -> _core.Features:
    """Return an empty dictionary of names, or a hashing one."""
    if hashing is None:
        return _core.Features()
    return _core.Features(int(hashing.bits), bool(hashing.signed))


NAMES = ("names", "name_ends")
"""The arrays of ``names_state``."""


def names_state(features: _core.Features, count: int) -> dict[str, AnyArray]:
    """Return the first names as arrays: their UTF-8 bytes, joined, and where each name ends."""
    if features.bits:
        return {}
    texts = [name.encode("utf-8", "surrogatepass") for name in features.names(count)]
    return {
        "names": np.frombuffer(b"".join(texts), np.uint8).copy(),
        "name_ends": np.cumsum([len(text) for text in texts], dtype=np.int64),
    }


def restore_names(features: _core.Features, state: dict[str, AnyArray]) -> None:
    """Take over what ``names_state`` returned."""
    if features.bits:
        return
    texts = texts_of(state["names"], state["name_ends"])
    features.restore([text.decode("utf-8", "surrogatepass") for text in texts])


class NamedBlock(Block):
    """Rows of named features, as the user's own dicts."""

    dense = False
    named = True
    columns = 0

    framed = False
    """Whether it is from a frame, whose rows all have the same columns."""

    def __init__(self, rows: list[dict[str, object]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def values_per_row(self) -> int:
        """How many values the first row holds, as an estimate for all."""
        first = self.rows[0] if self.rows else {}
        return len(first) if isinstance(first, dict) else 1

    def part(self, start: int, stop: int) -> "NamedBlock":
        """Return rows [start, stop)."""
        found = NamedBlock(self.rows[start:stop])
        found.framed = self.framed
        return found

    def row(self, t: int) -> dict[str, object]:
        """Return a copy of row t."""
        return dict(self.rows[t])

    def numbered(
        self, features: _core.Features, start: int, stop: int, *, adopt: bool
    ) -> SparseBlock:
        """Return rows [start, stop) by the ids of their names, up to the first invalid row.

        With ``adopt``, unknown names are added to the features; without it, they get ids beyond.
        """
        starts, indices, values = features.encode(self.rows, start, stop, adopt)
        columns = max(int(indices.max(initial=-1)) + 1, len(features))
        return SparseBlock(starts, indices, values, columns)

    def played(self, t: int, features: _core.Features) -> tuple[_core.Block, int] | None:
        """Return (rows in the core, which of them row t is); None if row t is refused."""
        row = self.numbered(features, t, t + 1, adopt=True)
        return (row.native, 0) if len(row) else None

    def digest_bytes(
        self, features: _core.Features, codes: AnyArray, start: int, stop: int
    ) -> bytes:
        """Return the bytes of these rounds that the digest covers."""
        rows = self.numbered(features, start, stop, adopt=True)
        return rows.native.encode(codes[start:stop], 0, stop - start)

    def fault(self, t: int) -> str:
        """Name the feature that is invalid."""
        row = self.rows[t]
        absent = [name for name in row if row[name] is None] if self.framed else []
        if not absent:
            return named_fault(row, self.otherwise)
        return (
            f"expected a value in column {absent[0]!r}, got none (NaN or null). Fill it in, as "
            "frame.fillna(0) of pandas does, or drop the row."
        )


def as_dict(x: Mapping[str, object]) -> dict[str, object]:
    """Take any mapping as a dict, a dict as it is."""
    return x if isinstance(x, dict) else dict(x)


def named_fault(x: object, otherwise: str = UNSCALABLE) -> str:
    """Say why a row of named features is refused, or something else if it has no fault."""
    if not isinstance(x, dict):
        return f"expected a dict of features, got {type(x).__name__}. Pass rows of one kind."
    seen: dict[str, str] = {}
    for name, value in x.items():
        if not isinstance(name, str):
            return (
                f"expected strings as names of features, got {name!r} ({type(name).__name__}). "
                f"Name it, for example {str(name)!r}."
            )
        if isinstance(value, str):
            feature = f"{name}={value}"
            shown = f"the value {value!r} of {name!r}"
        else:
            reason = _number_fault(name, value)
            if reason:
                return reason
            feature, shown = str.__str__(name), f"the name {name!r}"
        if feature in seen:
            return (
                f"expected every feature once, got {feature!r} from {seen[feature]} and from "
                f"{shown}. Rename one of them."
            )
        seen[feature] = shown
    for feature in seen:
        if not is_text(feature):
            return (
                f"expected names that UTF-8 can hold, got {feature!r}. Decode the text it comes "
                "from."
            )
    return otherwise


def _number_fault(name: str, value: object) -> str | None:
    odd = isinstance(value, (np.longdouble, np.timedelta64))
    if odd or not isinstance(value, (Real, np.bool_)):
        return (
            f"expected a number or a string for feature {name!r}, got {value!r} "
            f"({type(value).__name__}). Leave out what is missing; convert the rest."
        )
    if isinstance(value, (int, np.integer)) and abs(int(value)) > EXACT:
        return (
            f"expected integers within ±2^53, which float64 holds exactly, got {shown(value)} for "
            f"feature {name!r}. Rescale the feature."
        )
    if isinstance(value, (float, np.floating)) and not np.isfinite(value):
        return (
            f"expected a finite value for feature {name!r}, got {value}. "
            "Drop the row or fill the value in before learning."
        )
    known = type(value).__module__ in ("builtins", "numpy") or isinstance(value, (int, float))
    if known and isinstance(value, (int, float, np.integer, np.floating, np.bool_)):
        return None
    return (
        f"expected a float, an int, a bool or a string for feature {name!r}, got "
        f"{type(value).__name__}. Convert it with float()."
    )
