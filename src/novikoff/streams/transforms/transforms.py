"""The transforms of a model, in their order, with what they remember of the rounds."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.streams.blocks.block import Block, SparseBlock
from novikoff.streams.blocks.named import NamedBlock, new_features
from novikoff.streams.transforms.cross import Cross, Ranges, is_in
from novikoff.streams.transforms.transform import Normalize, Presence, Scale, Transform
from novikoff.types import AnyArray, Fields

_PLAIN: dict[str, type[Scale | Normalize | Presence]] = {
    kind.name: kind for kind in (Scale, Normalize, Presence)
}
_RAW, _HASHED = -1, -2  # instead of the second half of a pair
_NO_EXPONENT = -2000  # of a feature that has not appeared


class Transforms:
    """Steps between a raw row and the learner, and their state. They are part of the model.

    ``docs/transforms.md`` defines them. A row that the learner refuses changes nothing here.
    """

    def __init__(self, steps: Iterable[Transform]) -> None:
        self.steps = tuple(steps)
        self.core = _core.Transforms()
        for step in self.steps:
            step.add_to(self.core)
        named = {step.named for step in self.steps if isinstance(step, Cross)}
        if len(named) > 1:
            raise parameter("transforms", "crosses of names or of numbers", list(self.steps))
        self.named: bool | None = named.pop() if named else None
        """Whether features must be named, or must be numbered; None if both will do."""

    def __repr__(self) -> str:
        return repr(list(self.steps))

    @property
    def plain(self) -> list[Fields]:
        """The steps as plain data."""
        return [step.plain for step in self.steps]

    @property
    def running(self) -> bool:
        """Whether a row comes out differently in another round: a second pass sees other rows."""
        return any(isinstance(step, Scale) for step in self.steps)

    @property
    def crosses(self) -> bool:
        """Whether there are features that the raw rows do not have."""
        return self.core.crosses

    @property
    def width(self) -> int:
        """The number of raw features seen so far."""
        return self.core.raw_columns

    def fresh(self) -> "Transforms":
        """Return the same steps before the first round."""
        return Transforms(self.steps)

    def frozen(self) -> "Transforms":
        """Return a copy that later rounds do not change."""
        found = self.fresh()
        found.core.restore(self.core.state())
        return found

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as rounds are played, as plain arrays."""
        return self.core.state()

    def state_hash(self, own: str) -> str:
        """Return SHA-256 over the hash of a learner's state and what scales remember.

        For each scale that is a line "scale", and a line "i e" for the exponent of every feature
        that has appeared, ascending. It is the learner's hash itself if they remember nothing, or
        if they cross features.
        """
        if not self.running or self.crosses:
            return own
        digest, state, first = _core.Digest(), self.state(), 0
        digest.update(own.encode())
        for end in state["scale_ends"].tolist():
            digest.update(b"scale\n")
            for i, e in enumerate(state["scale_exponents"][first:end].tolist()):
                digest.update(b"" if e == _NO_EXPONENT else f"{i} {e}\n".encode())
            first = end
        return digest.hexdigest()

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        self.core.restore({name: state[name] for name in self.core.state()})

    def name_columns(self, names: Sequence[str]) -> None:
        """Find groups of names among the columns of a table, whose features are numbered."""
        if not self.named or self.core.placed:
            return
        for place, group in enumerate(self._groups()):
            ids = [j for j, name in enumerate(names) if is_in(group, j, name)]
            if not ids:
                raise InputError(
                    f"{self}: expected columns of {group!r}, got none among {', '.join(names)}. "
                    "Cross columns that are there."
                )
            self.core.place(place, [(first, last) for first, last in _ranges(ids)])

    def _groups(self) -> list[str | Ranges]:
        return [group for step in self.steps if isinstance(step, Cross) for group in step.groups]

    def check_form(self, block: Block) -> None:
        """Refuse rows that a cross cannot find its groups in."""
        named = False if self.core.placed else self.named
        if named not in (None, block.named):
            forms = ("numbered features", "named features")
            raise InputError(
                f"x: expected {forms[named]} for {self}, got {forms[block.named]}. "
                "Cross names if features are named, and numbers if they are numbered."
            )

    def made_rows(self, block: Block, features: _core.Features | None) -> SparseBlock:
        """Return the rows as the learner would see them now; changes nothing."""
        if isinstance(block, NamedBlock) and features is not None:
            if self.crosses:
                return self._whole(block, self.core.made_named(features, block.rows))
            block = _all(block, block.numbered(features, 0, len(block), adopt=False))
        return self._whole(block, self.core.made(block.native))

    def learned_rows(self, block: Block, features: _core.Features) -> SparseBlock:
        """Return the rows as the learner saw them when it played them, one after the other."""
        if isinstance(block, NamedBlock):
            if self.crosses:
                return self._whole(block, self.core.learned_named(features, block.rows))
            block = _all(block, block.numbered(features, 0, len(block), adopt=True))
        return self._whole(block, self.core.learned(block.native))

    def shown(self, block: Block, features: _core.Features | None) -> list[dict[str | int, float]]:
        """Return rows as the learner would see them next, one after the other, as dicts."""
        self.check_form(block)
        later, known = self.frozen(), new_features(None)
        if features is not None and features.bits:
            known = features
        elif features is not None:
            known.restore(features.names(len(features)))
        rows = later.learned_rows(block, known)
        raw: list[str | int] = []
        raw += [] if known.bits or not block.named else known.names(len(known))
        names = later.names(raw) or range(rows.columns)
        found = []
        for t in range(len(rows)):
            indices, values = rows.row(t)
            called = [names[j] for j in indices.tolist()]
            found.append(dict(zip(called, values.tolist(), strict=True)))
        return found

    def names(self, raw: Sequence[str | int]) -> list[str | int]:
        """Return what the features that the learner sees are called, from the names of raw ones."""
        if not self.crosses:
            return list(raw)
        first, second = (part.tolist() for part in self.core.origins())
        names = {j: str(name) for j, name in enumerate(raw)}
        found: list[str | int] = []
        for i, j in zip(first, second, strict=True):
            if j in (_RAW, _HASHED):
                found.append(names.get(i, str(i)) if j == _RAW else f"cross {i}")
            else:
                both = (i, names.get(i, str(i))), (j, names.get(j, str(j)))
                found.append("^".join(self._ordered(*both)))
        return found

    def _ordered(self, one: tuple[int, str], other: tuple[int, str]) -> tuple[str, str]:
        """Return the names of two features that were crossed, in the order of their groups."""
        for step in self.steps:
            for a, b in step.pairs if isinstance(step, Cross) else ():
                if is_in(a, *one) and is_in(b, *other):
                    return one[1], other[1]
                if is_in(a, *other) and is_in(b, *one):
                    return other[1], one[1]
        return one[1], other[1]

    def missing(self, features: _core.Features | None) -> list[str]:
        """Return the groups of names that no feature so far is in."""
        if features is None or self.core.placed:
            return []
        named = enumerate(self._groups())
        return [g for k, g in named if isinstance(g, str) and not self.core.members(features, k)]

    def stated(self, features: _core.Features | None) -> list[Fields]:
        """Return the steps as a certificate states them: groups of names by their numbers."""
        place, found = 0, []
        for step in self.steps:
            plain = step.plain
            if isinstance(step, Cross):
                places = range(place, place := place + len(step.groups))
                if step.named and features is not None:
                    members = [self.core.members(features, k) for k in places]
                    plain = plain | {"groups": [_ranges(ids) for ids in members]}
                elif step.named:
                    ranges = [[list(one) for one in self.core.ranges(k)] for k in places]
                    plain = plain | {"groups": ranges}
            found.append(plain)
        return found

    def _whole(self, block: Block, arrays: tuple[AnyArray, AnyArray, AnyArray]) -> SparseBlock:
        starts, indices, values = arrays
        columns = max(int(indices.max(initial=-1)) + 1, self.core.columns)
        return _all(block, SparseBlock(starts, indices, values, columns))


def _all(block: Block, rows: SparseBlock) -> SparseBlock:
    """Return all rows of a block, or say which one is refused and why."""
    if len(rows) < len(block):
        raise InputError(f"row {len(rows) + 1}: {block.fault(len(rows))}")
    return rows


def _ranges(numbers: Sequence[int]) -> list[list[int]]:
    """Return ascending numbers as ranges [first, last)."""
    ids = np.asarray(numbers, np.int64)
    cuts = np.flatnonzero(np.diff(ids) != 1) + 1
    return [[int(part[0]), int(part[-1]) + 1] for part in np.split(ids, cuts) if len(part)]


def as_transforms(value: object) -> Transforms | None:
    """Take transforms, or their plain data; None if there are none."""
    if value is None:
        return None
    if isinstance(value, Transforms):
        return value.fresh() if value.steps else None
    if isinstance(value, (str, bytes, dict)) or not isinstance(value, Iterable):
        raise parameter("transforms", "a list such as [nv.Scale()]", value)
    steps = [_step(one) for one in value]
    return Transforms(steps) if steps else None


def readable(parameters: Mapping[str, object]) -> Mapping[str, object]:
    """Return a learner's parameters with its transforms as they are written in Python."""
    if "transforms" not in parameters:
        return parameters
    return {**parameters, "transforms": as_transforms(parameters["transforms"])}


def _step(one: object) -> Transform:
    if isinstance(one, Transform):
        return one
    if isinstance(one, dict):
        name = one.get("name")
        if isinstance(name, str) and name in _PLAIN and len(one) == 1:
            return _PLAIN[name]()
        if name == Cross.name and one.keys() == {"name", "groups", "bits"}:
            return Cross.restored(one["groups"], one["bits"])
    expected = "nv.Scale(), nv.Normalize(), nv.Presence() or nv.Cross(…)"
    raise parameter("transforms", expected, one)
