"""Rounds that are read again for every pass, never kept, and hashed every time."""

import hashlib
import math
import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import count, pairwise
from typing import Any, Generic, TypeVar

from verifier.core.certificate import Json, Object, Refused, expect, fields, require
from verifier.core.exact import Vector, grid, whole
from verifier.core.files import Entries, Label, Rows
from verifier.core.transforms import Transforms

X = TypeVar("X")
Y = TypeVar("Y")


class Rounds(Generic[Y, X]):
    """Rounds (y, x) of some form. Every reading is hashed, and must give the digest of the first.

    A form of data says how it is made from rows and labels, what a round of it is, and which key
    `data.labels` has.
    """

    count = nonzeros = dimension = 0
    width = 0  # one more than the largest index that is named, with a value of 0 too
    digest: str | None = None  # of the first reading
    many = False  # there may be more than two labels
    remark = ""
    rows: Rows
    labels: Json
    rounds: Callable[[], Iterator[tuple[Y, X]]]  # yields them

    def __iter__(self) -> Iterator[tuple[Y, X]]:
        return self.rounds()

    def counted(self, indices: list[int]) -> None:
        """Count the values of a row of the first reading."""
        self.nonzeros += len(indices)
        if indices and indices[-1] >= self.dimension:
            self.dimension = indices[-1] + 1
            self.width = max(self.width, self.dimension)

    def read(self) -> None:
        """Read all rounds, if that was left to the run that plays them."""

    def same(self, digest: str) -> None:
        """Take the digest of the first reading; that of every other must be the same."""
        if self.digest is None:
            self.digest = digest
        whole = digest == self.digest
        expect(whole, "the data", "the same rows in every reading", "others the second time")

    @property
    def about(self) -> Object:
        """What a certificate says of data, but for the passes."""
        return {
            "digest": self.digest, "rows": self.count, "nonzeros": self.nonzeros,
            "dimension": self.dimension, "labels": self.labels,
        }  # fmt: skip


AnyRounds = Rounds[Any, Any]


class FeatureRows(Rounds[Y, X]):
    """Rows of features, each with a label of some form.

    What is counted and hashed are the raw rows; a learner sees what the transforms make of them.
    """

    packed: str  # how a label and the number of values are hashed
    code: Callable[[str, Label], Y]  # what a learner calls a label, which stands at some place
    transforms: Transforms | None
    bias: float

    def given(self) -> Iterator[tuple[Y, list[int], list[float]]]:
        """Yield y, the indices and the values of each row that a learner sees, ascending."""
        first = self.digest is None
        if self.transforms:
            self.transforms.begin()
        digest = hashlib.sha256()
        for where, label, items in self.rows():
            plain = items if isinstance(items, Entries) else self.entries(where, items)
            indices, values = plain.indices, plain.values
            y = self.code(where, label)
            digest.update(struct.pack(self.packed, y, len(indices)) + plain.packed)
            if first:
                self.counted(indices)
            made = self.transforms.made(indices, values) if self.transforms else (indices, values)
            yield y, *made
        self.same(digest.hexdigest())

    def entries(self, where: str, items: Iterable[tuple[int, float]]) -> Entries:
        """Return the values of a row other than 0, of which every feature has at most one."""
        pairs = sorted(items)
        places = [j for j, _ in pairs]
        odd = [j for j, k in pairwise([-1, *places, 1 << 63]) if j >= k]
        expect(not odd, where, "every feature once, counted from the first", places)
        self.width = max([self.width, *(j + 1 for j in places[-1:])])
        kept = [(j, float(v)) for j, v in pairs if v != 0]
        values = [v for _, v in kept]
        infinite = [v for v in values if not math.isfinite(v)]
        expect(not infinite, where, "finite values", infinite)
        return Entries([j for j, _ in kept], values)


KINDS = ["positive", "classes"]  # of labels, each the key of `data.labels`; families add theirs


def stated_labels(labels: Json, *kinds: str) -> tuple[str, Json]:
    """Return which of these kinds labels are, the one field that they have, and its value."""
    found = [kind for kind in kinds if isinstance(labels, dict) and kind in labels]
    require(len(found) == 1, "its labels are not named")
    return found[0], fields(labels, (found[0],), "labels")[found[0]]


def checked_bias(bias: Json) -> float:
    """Return the value of the constant feature, 0 if there is none."""
    if not (bias is None or isinstance(bias, float)):
        raise Refused("its bias is no number")
    return bias or 0.0


class Data(FeatureRows[int, Vector]):
    """Rows as (y, x), with values in whole numbers of 2^−grid; the constant feature at index −1."""

    def __init__(
        self, rows: Rows, labels: Json, bias: Json, transforms: Transforms | None = None
    ) -> None:
        kind, value = stated_labels(labels, "positive", "classes")
        self.bias, self.biased = checked_bias(bias), bias is not None
        self.many = kind == "classes"
        self.packed = "<II" if self.many else "<bI"  # the number of a class, or −1 and +1
        stated = value if self.many else [value]
        names = [n for n in stated if isinstance(n, Label)] if isinstance(stated, list) else []
        require(names == stated, "its labels are none")
        self.codes = self.coded(names)
        self.names, self.positives = names, 0
        self.rows, self.labels, self.transforms = rows, labels, transforms
        self.features = 0  # that a learner sees
        self.grid, self.largest = grid([self.bias]), 0.0
        self.begin()

    def begin(self) -> None:
        """Read all rows once, for what a run has to know of them before its first round."""
        for _, indices, values in self.first():
            self.features = max([self.features, *(j + 1 for j in indices[-1:])])
            self.largest = max(self.largest, abs(self.bias), *map(abs, values))
            self.grid = max(self.grid, grid(values))

    def first(self) -> Iterator[tuple[int, list[int], list[float]]]:
        """Yield what ``given`` yields, in the first reading, and count it."""
        for y, indices, values in self.given():
            self.count += 1
            self.positives += y > 0
            yield y, indices, values
        require(not self.many or self.names == [*self.codes], "the classes are others")
        seen = self.many or self.positives
        self.remark = "" if seen else f"; no row has the label {self.names[0]!r:.40}"

    def code(self, where: str, label: Label) -> int:
        """Return −1, +1 or the number of a class."""
        return self.codes[label]

    def coded(self, names: list[Label]) -> dict[Label, int]:
        """Return the number of each label: +1 and −1, or that of a class, as they appear."""
        if self.many:
            return defaultdict(count().__next__)
        return defaultdict(lambda: -1, {names[0]: 1})

    def rounds(self) -> Iterator[tuple[int, Vector]]:
        """Yield y and x of each row, x with the constant feature."""
        places, constant = ([-1], whole([self.bias], self.grid)) if self.bias else ([], [])
        for y, indices, values in self.given():
            yield y, (places + indices, constant + whole(values, self.grid))


class FloatRows(Data):
    """Rows that are first read when a run plays them, unless transforms have to see them before."""

    def begin(self) -> None:
        """Read all rows once, for their transforms."""
        if self.transforms:
            super().begin()

    def floats(self) -> Iterator[tuple[int, list[int], list[float]]]:
        """Yield y, the indices and the values of each row that a learner sees, ascending."""
        return self.first() if self.digest is None else self.given()

    def read(self) -> None:
        """Read all rows from the first, if no reading has come to its end."""
        if self.digest is None:
            self.count = self.nonzeros = self.dimension = self.width = self.positives = 0
            for _ in self.first():
                pass
