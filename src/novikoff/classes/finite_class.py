"""Finite classes: a table of signs, hypotheses × points, packed to bits."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from novikoff.errors import InputError, ParameterError, parameter, whole
from novikoff.saving.storage import PathLike
from novikoff.streams.blocks.block import is_pair
from novikoff.types import AnyArray, Fields, FloatArray

Words = npt.NDArray[np.uint64]
Name = str | int
"""What a point or a hypothesis is called: its name, or its number if it has none."""
X = TypeVar("X")
Functions = Mapping[str, Callable[[X], object]] | Iterable[Callable[[X], object]]
_WRITTEN = 2**28  # the most signs that are written down


class FiniteClass:
    """A finite class of hypotheses: a table of signs, a row per hypothesis, a column per point.

    ``points`` and ``hypotheses`` name them, by strings; without names they are numbered from 0.
    Equal rows are one hypothesis: ``merged`` says which rows were left out, and for which.
    ``cube`` is d if the points are all of {0,1}^d, and x_j of point i is bit j of i; then you may
    also give an x as a vector.

    >>> H = FiniteClass([[1, -1], [1, 1], [1, -1]], hypotheses=["a", "b", "c"])
    >>> len(H), H("b", 1), H.merged
    (2, 1, {'c': 'a'})
    """

    def __init__(
        self,
        table: npt.ArrayLike,
        points: Sequence[str] | None = None,
        hypotheses: Sequence[str] | None = None,
        *,
        cube: int | None = None,
        title: str = "",
    ) -> None:
        signs = _signs(table)
        names = _names("hypotheses", hypotheses, signs.shape[0])
        self.points: Sequence[Name] = _names("points", points, signs.shape[1])
        if cube is not None and not (
            type(cube) is int and 0 <= cube < 63 and signs.shape[1] == 1 << cube
        ):
            raise parameter("cube", f"None or d with 2^d = {signs.shape[1]} points", cube)
        self.cube = cube
        self.title = str(title)
        kept, twins = _distinct(np.packbits(signs, axis=1, bitorder="little"))
        self.merged: dict[Name, Name] = {names[i]: names[j] for i, j in twins}
        """{left out: kept} for equal rows, by their names, or by their rows in the table."""
        self.hypotheses: Sequence[Name] = (
            tuple(range(len(kept))) if hypotheses is None else tuple(names[i] for i in kept)
        )
        self.size = len(kept)
        self._columns = packed(signs[kept].T)

    @classmethod
    def from_columns(cls, columns: Words, size: int, title: str = "") -> Self:
        """Return the class of packed columns, one per point: bit h of column x is H(h, x) = +1.

        This is for tables too large to unpack: nothing is copied, and the hypotheses must differ.
        """
        words, size = np.asarray(columns), whole("size", size, 1)
        sound = words.ndim == 2 and words.dtype == np.uint64 and words.flags.c_contiguous
        if not sound or words.shape[1] != (size + 63) // 64:
            raise parameter("columns", f"uint64, one row of {(size + 63) // 64} per point", columns)
        if size % 64 and (words[:, -1] >> np.uint64(size % 64)).any():
            raise parameter("columns", f"no bits beyond those of {size} hypotheses", columns)
        self = cls.__new__(cls)
        self.points, self.hypotheses = range(words.shape[0]), range(size)
        self.cube, self.title, self.merged, self.size = None, str(title), {}, size
        self._columns = words
        return self

    @classmethod
    def of(cls, functions: Functions[X], domain: Iterable[X]) -> Self:
        """Return the class of Python functions on the points of a domain.

        A function returns −1 or +1, or False or True. A dict names the functions. Later you give a
        point by its place in the domain, or by its text, ``str(x)``, if all texts differ.
        """
        for name, given in (("functions", functions), ("domain", domain)):
            if not isinstance(given, Iterable):
                raise parameter(name, "a list or another iterable", given)
        domain = list(domain)
        names = [str(name) for name in functions] if isinstance(functions, Mapping) else None
        found = list(functions.values() if isinstance(functions, Mapping) else functions)
        if not all(map(callable, found)):
            raise parameter("functions", "Python functions", found)
        table = [[_sign(f(x), x) for x in domain] for f in found]
        texts = [str(x) for x in domain]
        points = texts if len(set(texts)) == len(texts) else None
        return cls(np.array(table, np.int8).reshape(len(found), len(domain)), points, names)

    @classmethod
    def from_csv(cls, path: PathLike) -> Self:
        """Read a table of ±1; a first row or column without signs holds names."""
        rows = _cells(path)
        header = None if any(cell in _SIGNS for cell in rows[0][1]) else rows.pop(0)
        if not rows:
            raise InputError(
                f"{path}: expected rows of ±1, got none. Write one row per hypothesis."
            )
        named = not any(cells[0] in _SIGNS for _, cells in rows)
        width = len(rows[0][1])
        for line, cells in rows:
            odd = [cell for cell in cells[named:] if cell not in _SIGNS]
            if odd or len(cells) != width or width == named:
                got = repr(odd[0]) if odd else f"{len(cells)} cells"
                raise InputError(
                    f"{path}:{line}: expected {max(width, 1 + named)} cells of −1 or +1"
                    f"{', the first a name' * named}, got {got}. Write one row per hypothesis."
                )
        if header is not None and len(header[1]) not in (width, width - named):
            raise InputError(
                f"{path}:{header[0]}: expected {width - named} names of points, got "
                f"{len(header[1])} cells. Write one per column."
            )
        points = None if header is None else header[1][len(header[1]) - (width - named) :]
        table = [[_SIGNS[cell] for cell in cells[named:]] for _, cells in rows]
        try:
            return cls(table, points, [cells[0] for _, cells in rows] if named else None)
        except ParameterError as error:  # names that are not distinct
            raise InputError(f"{path}: {error}") from None

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Name]:
        return iter(self.hypotheses)

    def __call__(self, h: object, x: object) -> int:
        """Return the sign of a hypothesis, by its name or number, at a point."""
        return self.sign(self.member(h), self.column(x))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        title = f"{self.title}: " if self.title else ""
        return f"FiniteClass({title}{self.size} hypotheses on {len(self.points)} points)"

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (type(self), self.__dict__ | {"_columns": self._columns})

    @cached_property
    def _identity(self) -> tuple[object, ...]:
        return (
            self.size, tuple(self.points), tuple(self.hypotheses), self.cube,
            self._columns.tobytes(),
        )  # fmt: skip

    @property
    def table(self) -> npt.NDArray[np.int8]:
        """The signs, hypotheses × points."""
        bits = np.unpackbits(self._columns.view(np.uint8), axis=1, bitorder="little")
        return (2 * bits[:, : self.size].T.astype(np.int8) - 1).astype(np.int8)

    @cached_property
    def bitsets(self) -> list[int]:
        """Each column as a whole number: bit h is set if hypothesis h is +1."""
        return [int.from_bytes(column.tobytes(), "little") for column in self._columns]

    def column(self, x: object) -> Words:
        """Return which hypotheses are +1 at a point, one bit each."""
        found: Words = self._columns[self.locate(x)]
        return found

    def sign(self, h: int, column: Words) -> int:
        """Return the sign of hypothesis number h in a column."""
        return 1 if int(column[h >> 6]) >> (h & 63) & 1 else -1

    def member(self, h: object) -> int:
        """Return the number of a hypothesis, given its name or number."""
        if isinstance(h, (int, np.integer)) and 0 <= h < self.size:
            return int(h)
        if isinstance(h, str) and h in self._members:
            return self._members[h]
        raise InputError(
            f"h: expected one of {self.size} hypotheses, got {h!r}. Pass its name or number."
        )

    def locate(self, x: object) -> int:
        """Return the number of a point, given as its number, its name, or its vector on a cube."""
        if isinstance(x, (int, np.integer)) and not isinstance(x, bool):
            if 0 <= x < len(self.points):
                return int(x)
        elif isinstance(x, str):
            if x in self._places:
                return self._places[x]
        elif self.cube is not None:
            return int(zeros_and_ones(x, self.cube) @ (1 << np.arange(self.cube)))
        else:
            found = _marked(x)
            if found is not None and 0 <= found < len(self.points):
                return found
        raise InputError(f"x: expected {self._expected}, got {_shown(x)}. Pass one of them.")

    def example(self, point: int) -> int | FloatArray:
        """Return a point in a form that a learner takes: its vector on a cube, else its number."""
        return point if self.cube is None else cube_vector(point, self.cube)

    @property
    def plain(self) -> Fields:
        """The class as plain data, from which ``as_class`` makes it again."""
        if self.size * len(self.points) > _WRITTEN:
            raise ParameterError(
                f"H: expected a class of at most 2^28 signs to write down, got {self!r}. "
                "Build it again when you need it."
            )
        marks = np.where(self.table > 0, "+", "-")
        return {
            "table": ["".join(row) for row in marks],
            "points": list(self.points) if self._places else None,
            "hypotheses": list(self.hypotheses) if self._members else None,
            "cube": self.cube,
            "title": self.title,
        }

    @property
    def _expected(self) -> str:
        vector = "" if self.cube is None else f", or a vector of {self.cube} zeros and ones"
        named = " or its name" if self._places else ""
        return f"a point from 0 to {len(self.points) - 1}{named}{vector}"

    @cached_property
    def _places(self) -> dict[str, int]:
        return {x: i for i, x in enumerate(self.points) if isinstance(x, str)}

    @cached_property
    def _members(self) -> dict[str, int]:
        return {h: i for i, h in enumerate(self.hypotheses) if isinstance(h, str)}


PLAIN = ("table", "points", "hypotheses", "cube", "title")
_SIGNS = {"1": 1, "+1": 1, "-1": -1, "−1": -1, "1.0": 1, "-1.0": -1, "+": 1, "-": -1}


def from_plain(value: Mapping[str, Any]) -> FiniteClass:
    """Return the class of these plain data."""
    marks = np.array([np.frombuffer(row.encode(), np.uint8) for row in value["table"]])
    if not np.isin(marks, (ord("+"), ord("-"))).all():
        raise parameter("table", "rows of + and −", value["table"])
    signs = (marks == ord("+")).astype(np.int8) * np.int8(2) - np.int8(1)
    return FiniteClass(signs, **{k: value[k] for k in PLAIN if k != "table"})


def _cells(path: PathLike) -> list[tuple[int, list[str]]]:
    """Return the cells of every row of a CSV file, with its line; blank rows are left out."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            given = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: expected CSV in UTF-8, got {error}. Save it as UTF-8.") from None
    rows = [(line, cells) for line, cells in given if any(cells)]
    if not rows:
        raise InputError(f"{path}: expected rows of ±1, got none. Write one row per hypothesis.")
    return rows


def packed(rows: AnyArray) -> Words:
    """Return rows of bits as words, the first bit lowest."""
    count, size = rows.shape
    words = np.zeros((count, (size + 63) // 64), np.uint64)
    octets = np.packbits(rows > 0, axis=1, bitorder="little")
    words.view(np.uint8)[:, : octets.shape[1]] = octets
    return words


def cube_vector(point: int, d: int) -> FloatArray:
    """Return the vector of a point of {0,1}^d."""
    return ((point >> np.arange(d)) & 1).astype(np.float64)


def vector_of(x: object, d: int) -> AnyArray | None:
    """Return a vector of d numbers, given whole or as (indices, values); None if it is not one."""
    vector = np.zeros(d)
    try:
        if is_pair(x):
            places = np.asarray(x[0], np.int64)
            if (places < 0).any():
                return None
            vector[places] = np.asarray(x[1])
        else:
            vector = np.asarray(x, np.float64)
    except (IndexError, TypeError, ValueError):
        return None
    return vector if vector.shape == (d,) else None


def zeros_and_ones(x: object, d: int) -> AnyArray:
    """Return a vector of {0,1}^d, given whole or as (indices, values)."""
    vector = vector_of(x, d)
    if vector is None or not ((vector == 0) | (vector == 1)).all():
        raise InputError(
            f"x: expected a vector of {d} zeros and ones, got {_shown(x)}. Pass a point of it."
        )
    return vector


def _marked(x: object) -> int | None:
    """Return the one index of a sparse row that holds a single 1."""
    if not (isinstance(x, tuple) and len(x) == 2 and np.ndim(x[0]) == 1 and len(x[0]) == 1):
        return None
    index, value = np.asarray(x[0])[0], np.asarray(x[1]).reshape(-1)
    sound = isinstance(index, np.integer) and len(value) == 1 and value[0] == 1
    return int(index) if sound else None


def _shown(x: object) -> str:
    text = repr(x.tolist() if isinstance(x, np.ndarray) else x)
    return text if len(text) <= 60 else text[:57] + "…"


def _signs(table: object) -> npt.NDArray[np.bool_]:
    try:
        signs = np.asarray(table)
    except ValueError as error:
        raise InputError(
            f"table: expected rows of ±1, got {error}. Make them equally long."
        ) from None
    if signs.ndim != 2 or 0 in signs.shape or signs.dtype.kind not in "biuf":
        raise InputError(
            f"table: expected two dimensions, hypotheses and points, got {signs.dtype} of shape "
            f"{signs.shape}. Pass a list of rows of ±1."
        )
    if np.ma.isMaskedArray(table):
        raise InputError("table: expected a sign in every cell, got a masked array. Fill it in.")
    odd = (signs != 1) & (signs != -1)
    if signs.dtype.kind == "b" or odd.any():
        where = tuple(int(i) for i in np.argwhere(odd)[0]) if odd.any() else (0, 0)
        raise InputError(
            f"table: expected −1 or +1, got {signs[where]} for hypothesis {where[0]} at point "
            f"{where[1]}. Write 2·b − 1 for bits."
        )
    return np.asarray(signs > 0)


def _sign(value: object, x: object) -> int:
    if isinstance(value, (bool, np.bool_)):
        return 1 if value else -1
    if np.asarray(value).ndim == 0 and value in (-1, 1):
        return 1 if value == 1 else -1
    raise InputError(
        f"of: expected −1, +1, False or True, got {value!r} at {x!r}. Mend the function."
    )


def _names(what: str, names: Sequence[str] | None, count: int) -> tuple[Name, ...]:
    if names is None:
        return tuple(range(count))
    found = tuple(names) if isinstance(names, Iterable) else ()
    if not all(type(n) is str for n in found) or len(found) != count or len(set(found)) != count:
        raise parameter(what, f"{count} different strings", names)
    return found


def _distinct(rows: AnyArray) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the first of all equal rows, and (another one, the first) for the others."""
    first: dict[bytes, int] = {}
    twins = []
    for i, row in enumerate(rows):
        j = first.setdefault(row.tobytes(), i)
        if j != i:
            twins.append((i, j))
    return list(first.values()), twins


def _unpickled(cls: type[FiniteClass], members: dict[str, object]) -> FiniteClass:
    self = cls.__new__(cls)
    self.__dict__.update(members)
    return self
