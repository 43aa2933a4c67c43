"""Rounds that are read again for every pass, never kept, and hashed every time."""

import hashlib
import math
import struct
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import chain, count, pairwise
from typing import Any, Generic, TypeVar

from verifier.core.certificate import Json, Object, Refused, expect, require
from verifier.core.exact import Vector, grid, whole
from verifier.core.files import Label, Rows
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
        self.dimension = max([self.dimension, *(j + 1 for j in indices[-1:])])

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
            entries = sorted(items)
            places = [j for j, _ in entries]
            odd = [j for j, k in pairwise([-1, *places, 1 << 63]) if j >= k]
            expect(not odd, where, "every feature once, counted from the first", places)
            self.width = max([self.width, *(j + 1 for j in places[-1:])])
            kept = [(j, float(v)) for j, v in entries if v != 0]
            indices, values = [j for j, _ in kept], [v for _, v in kept]
            infinite = [v for v in values if not math.isfinite(v)]
            expect(not infinite, where, "finite values", infinite)
            y = self.code(where, label)
            flat = chain.from_iterable(kept)
            digest.update(struct.pack(self.packed + "Qd" * len(kept), y, len(kept), *flat))
            if first:
                self.counted(indices)
            made = self.transforms.made(indices, values) if self.transforms else (indices, values)
            yield y, *made
        self.same(digest.hexdigest())


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
        if not (isinstance(labels, dict) and labels.keys() in ({"positive"}, {"classes"})):
            raise Refused("its labels are not named")
        self.bias, self.biased, self.many = (
            checked_bias(bias),
            bias is not None,
            "classes" in labels,
        )
        self.packed = "<II" if self.many else "<bI"  # the number of a class, or −1 and +1
        stated = labels["classes"] if self.many else [labels["positive"]]
        names = [n for n in stated if isinstance(n, Label)] if isinstance(stated, list) else []
        require(names == stated, "its labels are none")
        self.codes: dict[Label, int] = defaultdict(count().__next__)  # classes, as they appear
        if not self.many:
            self.codes = defaultdict(lambda: -1, {names[0]: 1})
        self.rows, self.labels, self.transforms = rows, labels, transforms
        self.features = 0  # that a learner sees
        self.grid, self.largest, positives = grid([self.bias]), 0.0, 0
        for y, indices, values in self.given():
            self.features = max([self.features, *(j + 1 for j in indices[-1:])])
            self.count += 1
            self.largest = max(self.largest, abs(self.bias), *map(abs, values))
            self.grid = max(self.grid, grid(values))
            positives += y > 0
        require(not self.many or names == list(self.codes), "the classes are others")
        self.remark = "" if self.many or positives else f"; no row has the label {names[0]!r:.40}"

    def code(self, where: str, label: Label) -> int:
        """Return −1, +1 or the number of a class."""
        return self.codes[label]

    def rounds(self) -> Iterator[tuple[int, Vector]]:
        """Yield y and x of each row, x with the constant feature."""
        places, constant = ([-1], whole([self.bias], self.grid)) if self.bias else ([], [])
        for y, indices, values in self.given():
            yield y, (places + indices, constant + whole(values, self.grid))
