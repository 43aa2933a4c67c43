"""Products of two features."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from novikoff import _core
from novikoff.errors import ParameterError, parameter
from novikoff.quick_records import record
from novikoff.saving.contents import is_text
from novikoff.streams.transforms.transform import Transform
from novikoff.types import Fields

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Numbers of features, as ranges [first, last)."""
GroupLike: TypeAlias = str | int | Iterable[int]
"""A group of features: a name, a number, or numbers."""

_EXPECTED = "a name, a number from 0, or a range of numbers"


@record(frozen=True, init=False)
class Cross(Transform):
    """Adds products of features: one for each pair from two groups, such as user and ad.

    The new features are x_i x_j, for each feature i of one group and j of another; the old ones
    stay. A group is a name if features are named: ``"user"`` has the feature ``user``, those of the
    namespace (``user^ann``) and those of the categorical column (``user=ann``). If features are
    numbered, a group is a number, a range or a list of numbers, counted from 0. Each two of the
    groups are crossed; to cross a group with itself, name it twice. Every pair counts once, also
    if both features are in both groups.

    The product of ``user=ann`` and ``ad=tea`` is the feature ``user=ann^ad=tea``. With ``bits``,
    pairs are hashed into 2^bits features, and the products of pairs that collide are added.

    >>> import novikoff as nv
    >>> learner = nv.Perceptron(transforms=[nv.Cross(0, [1, 2])])
    >>> learner.transformed([(2.0, 3.0, 5.0)])
    [{'0': 2.0, '1': 3.0, '2': 5.0, '0^1': 6.0, '0^2': 10.0}]
    """

    groups: tuple[str | Ranges, ...]
    bits: int | None

    name = "cross"

    def __init__(self, *groups: GroupLike, bits: int | None = None) -> None:
        found = tuple(_group(group) for group in groups)
        if len(found) < 2:
            raise parameter("Cross", "two groups of features or more", groups)
        if len({isinstance(group, str) for group in found}) > 1:
            raise parameter("Cross", "names alone or numbers alone", groups)
        if bits is not None and not (type(bits) is int and 1 <= bits <= 30):
            raise parameter("bits", "None or a whole number from 1 to 30", bits)
        object.__setattr__(self, "groups", found)
        object.__setattr__(self, "bits", bits)

    def __repr__(self) -> str:
        more = "" if self.bits is None else f", bits={self.bits}"
        return f"Cross({', '.join(map(_shown, self.groups))}{more})"

    @property
    def named(self) -> bool:
        """Whether it takes named features; otherwise it takes numbered ones."""
        return isinstance(self.groups[0], str)

    @property
    def pairs(self) -> list[tuple[str | Ranges, str | Ranges]]:
        """The pairs of groups that it crosses."""
        return list(combinations(self.groups, 2))

    @property
    def plain(self) -> Fields:
        """The transform as plain data."""
        groups = [g if isinstance(g, str) else [list(r) for r in g] for g in self.groups]
        return {"name": self.name, "groups": groups, "bits": self.bits}

    @classmethod
    def restored(cls, groups: object, bits: object) -> "Cross":
        """Return the transform of plain data, which anybody may have written."""
        if not (isinstance(groups, list) and (bits is None or type(bits) is int)):
            raise parameter("Cross", "groups and bits", (groups, bits))
        return cls(*(g if isinstance(g, str) else _numbers(g) for g in groups), bits=bits)

    def add_to(self, core: _core.Transforms) -> None:
        """Make it the last step of some transforms in the core."""
        try:
            places = [
                core.add_group(g, []) if isinstance(g, str) else core.add_group("", list(g))
                for g in self.groups
            ]
        except ValueError as error:
            raise ParameterError(f"Cross: expected {error}, got more. Cross fewer.") from None
        core.add_cross(list(combinations(places, 2)), self.bits or 0)


def is_in(group: str | Ranges, number: int, name: str) -> bool:
    """Say whether a feature is in a group; the core says the same (``core/transforms/cross.hpp``).

    >>> is_in("user", 7, "user^ann"), is_in("user", 7, "users"), is_in(((0, 3),), 2, "2")
    (True, False, True)
    """
    if isinstance(group, str):
        return name == group or name.startswith((f"{group}^", f"{group}="))
    return any(first <= number < last for first, last in group)


def _group(group: object) -> str | Ranges:
    """Return a group as it is kept: a name, or ascending ranges of numbers."""
    if isinstance(group, str):
        if not (group and is_text(group)):
            raise parameter("Cross", _EXPECTED, group)
        return group
    numbers = [group] if isinstance(group, (int, np.integer)) else group
    if isinstance(numbers, range) and numbers.step == 1 and numbers:
        return (_range(numbers.start, numbers.stop),)
    if not isinstance(numbers, Iterable):
        raise parameter("Cross", _EXPECTED, group)
    found: list[tuple[int, int]] = []
    for number in sorted({_whole(one) for one in numbers}):
        if found and found[-1][1] == number:
            found[-1] = _range(found[-1][0], number + 1)
        else:
            found.append(_range(number, number + 1))
    if not found:
        raise parameter("Cross", _EXPECTED, group)
    return tuple(found)


def _whole(number: object) -> int:
    if not isinstance(number, (int, np.integer)) or isinstance(number, bool):
        raise parameter("Cross", _EXPECTED, number)
    return int(number)


def _range(first: int, last: int) -> tuple[int, int]:
    if not 0 <= first < last <= _core.MAX_DIMENSION:
        raise parameter("Cross", _EXPECTED, first if first < 0 else last - 1)
    return first, last


def _numbers(ranges: object) -> Iterable[int]:
    """Return the numbers of ranges that were saved."""
    pairs = ranges if isinstance(ranges, Sequence) and ranges else [None]
    found: list[range] = []
    for pair in pairs:
        first, last = pair if isinstance(pair, Sequence) and len(pair) == 2 else (None, None)
        if not (type(first) is int and type(last) is int):
            raise parameter("Cross", "ranges [first, last)", ranges)
        found.append(range(*_range(first, last)))
    return found[0] if len(found) == 1 else [n for one in found for n in one]


def _shown(group: str | Ranges) -> str:
    if isinstance(group, str):
        return repr(group)
    if len(group) == 1:
        first, last = group[0]
        return str(first) if last == first + 1 else f"range({first}, {last})"
    return repr([n for first, last in group for n in range(first, last)])
