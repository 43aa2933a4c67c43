"""Transforms: what a model makes of a raw row before its learner sees it.

docs/transforms.md defines them. They are computed in floats, bit for bit: `× /` and `√` round to
nearest, `ldexp` is exact unless it underflows, and `fsum` is the rounded exact sum. The digest of
data is that of the raw rows.
"""

import hashlib
import sys
from collections.abc import Iterator
from itertools import combinations, pairwise
from math import frexp, fsum, isfinite, ldexp, sqrt

from verifier.core.certificate import BadData, Json, Object, Refused, TooLarge, fields, require
from verifier.core.models import Model

Feature = int | tuple[int, ...]  # a raw feature, a pair of them, or the place of hashed pairs
Made = dict[Feature, float]
Range = tuple[int, int]
NONE = -2000  # in a saved scale: the exponent of a feature that has not appeared
MOST_PRODUCTS = 10**9  # in one reading; rows of data alone do not bound them
MOST_IN_ROW = 10**6  # products of one row, which are all in memory


def check_floats() -> None:
    """Say if this Python's floats are not those of IEEE 754: subnormal, rounded to nearest."""
    info = sys.float_info
    if not (info.mant_dig == 53 and 0 < info.min / 2 < info.min):
        raise BadData("this Python: expected floats that keep subnormal numbers, got others")
    if not (1.0 + info.epsilon / 2 == 1.0 and -1.0 - info.epsilon / 2 == -1.0):
        raise BadData("this Python: expected floats that are rounded to nearest, got others")


def exponent(x: float) -> int:
    """Return the e with 2^(e−1) < |x| ≤ 2^e, for x other than 0."""
    fraction, e = frexp(x)
    return e - 1 if abs(fraction) == 0.5 else e


class Scale:
    """x_i · 2^−e_i with 2^(e_i − 1) < max |x_i| ≤ 2^e_i, over the rounds so far and this one."""

    running = True

    def __init__(self) -> None:
        self.exponents: dict[Feature, int] = {}

    def apply(self, row: Made) -> Made:
        """Return the row with its values scaled."""
        for i, x in row.items():
            if x:
                e = exponent(x)
                self.exponents[i] = e = max(e, self.exponents.get(i, e))
                row[i] = ldexp(x, -e)
        return row


class Normalize:
    """x/‖x‖, as u/√Σu² with u = x · 2^−e and 2^(e−1) < max |x_i| ≤ 2^e."""

    running = False

    def apply(self, row: Made) -> Made:
        """Return the row divided by its norm; zeros stay as they are."""
        largest = max(map(abs, row.values()), default=0.0)
        if not largest:
            return row
        e = exponent(largest)
        scaled = {i: ldexp(x, -e) for i, x in row.items()}
        norm = sqrt(fsum(u * u for u in scaled.values()))
        return {i: u / norm for i, u in scaled.items()}


class Presence:
    """1 for every value other than 0."""

    running = False

    def apply(self, row: Made) -> Made:
        """Return the row with every value other than 0 made 1."""
        return {i: 1.0 if x else 0.0 for i, x in row.items()}


class Cross:
    """x_i x_j for each raw feature i of one group and j of another, every pair once."""

    running = False

    def __init__(self, groups: list[list[Range]], bits: int | None) -> None:
        self.groups, self.bits = groups, bits
        self.memberships: dict[int, list[int]] = {}
        self.products = 0

    def groups_of(self, i: int) -> list[int]:
        """Return the groups that a raw feature is in."""
        if i not in self.memberships:
            self.memberships[i] = [
                k for k, group in enumerate(self.groups) if any(a <= i < b for a, b in group)
            ]
        return self.memberships[i]

    def pairs(self, row: Made) -> list[tuple[int, int]]:
        """Return the pairs of a row, ascending, the smaller feature first."""
        members: list[list[int]] = [[] for _ in self.groups]
        for i in [i for i in row if isinstance(i, int)]:
            for k in self.groups_of(i):
                members[k].append(i)
        crossed = [*combinations(members, 2)]
        products = sum(len(a) * len(b) for a, b in crossed)
        if products > MOST_IN_ROW:
            raise TooLarge(f"the certificate: its cross takes more than {MOST_IN_ROW} in a row")
        self.products += products
        if self.products > MOST_PRODUCTS:
            raise TooLarge(f"the certificate: its cross takes more than {MOST_PRODUCTS} products")
        return sorted({(min(i, j), max(i, j)) for a, b in crossed for i in a for j in b})

    def apply(self, row: Made) -> Made:
        """Return the row with the products behind it."""
        for i, j in self.pairs(row):
            product = row[i] * row[j]
            place: Feature = (i, j) if self.bits is None else (murmur3(i, j) % (1 << self.bits),)
            if product and (self.bits is not None or place not in row):
                row[place] = row.get(place, 0.0) + product
        require(all(map(isfinite, row.values())), "a product of its cross is beyond every float")
        return row


Step = Scale | Normalize | Presence | Cross
PLAIN: dict[str, type[Scale | Normalize | Presence]] = {
    "scale": Scale, "normalize": Normalize, "presence": Presence,
}  # fmt: skip


class Transforms:
    """Steps from a raw row to what a learner sees.

    If they cross features, a feature gets the next number when it first has a value other than 0:
    in a row first the raw ones, then the pairs, both ascending. Otherwise it keeps its number.
    """

    def __init__(self, stated: Json) -> None:
        if not (isinstance(stated, list) and stated):
            raise Refused("its transforms are no list of transforms")
        check_floats()
        self.stated = stated
        self.first: list[dict[Feature, int]] = []  # the exponents of each scale at the start
        self.begin()

    def begin(self) -> None:
        """Forget all rows but those before the start."""
        self.steps = [step(one) for one in self.stated]
        for scale, exponents in zip(self.scales, self.first, strict=False):
            scale.exponents = dict(exponents)
        self.numbers: dict[Feature, int] = {}
        self.crossing = any(isinstance(one, Cross) for one in self.steps)

    @property
    def scales(self) -> list[Scale]:
        """The steps that remember rows, if features are not crossed."""
        return [one for one in self.steps if isinstance(one, Scale)]

    def begin_from(self, model: Model) -> None:
        """Go on from the state of a saved model."""
        require(not self.crossing, "its cross began from a state too")
        if not self.scales:
            return
        exponents, ends = model.counts("scale_exponents", NONE), model.counts("scale_ends")
        sound = (
            len(ends) == len(self.scales) and ends == sorted(ends) and ends[-1] == len(exponents)
        )
        sound = sound and all(e == NONE or -1074 <= e <= 1024 for e in exponents)
        model.expect(sound, "the exponents of its scales")
        self.first = [
            {i: e for i, e in enumerate(exponents[a:b]) if e != NONE}
            for a, b in pairwise([0, *ends])
        ]
        self.begin()

    def follow(self, before: "Transforms") -> None:
        """Go on from the state in which others ended."""
        require(not self.crossing, "its cross began from a state too")
        self.first = [dict(one.exponents) for one in before.scales]
        self.begin()

    def fingerprint(self, own: str) -> str:
        """Return the hash of a learner's state and of what is remembered: own, if nothing is."""
        if self.crossing or not self.scales:
            return own
        digest = hashlib.sha256(own.encode())
        for one in self.scales:
            digest.update(b"scale\n")
            for i, e in sorted((i, e) for i, e in one.exponents.items() if isinstance(i, int)):
                digest.update(f"{i} {e}\n".encode())
        return digest.hexdigest()

    @property
    def running(self) -> bool:
        """Whether a second pass sees other rows than the first."""
        return any(one.running for one in self.steps)

    def made(self, indices: list[int], values: list[float]) -> tuple[list[int], list[float]]:
        """Return what a learner sees of a raw row, ascending and without zeros."""
        row: Made = dict(zip(indices, values, strict=True))
        self.number(row)
        for one in self.steps:
            row = one.apply(row)
            self.number(row)
        kept = sorted((self.numbers[i], x) for i, x in row.items() if x) if self.crossing else [
            (i, x) for i, x in row.items() if x and isinstance(i, int)
        ]  # fmt: skip
        return [i for i, _ in kept], [x for _, x in kept]

    def number(self, row: Made) -> None:
        """Give a number to every new feature, if features get numbers of their own."""
        for i in row if self.crossing else ():
            self.numbers.setdefault(i, len(self.numbers))


def step(stated: Json) -> Step:
    """Return a transform before its first row."""
    name = stated.get("name") if isinstance(stated, dict) else None
    if isinstance(name, str) and name in PLAIN:
        fields(stated, ("name",), name)
        return PLAIN[name]()
    require(name == "cross", "one of its transforms is not one of those verified here")
    return cross(fields(stated, ("name", "groups", "bits"), "cross"))


def cross(stated: Object) -> Cross:
    """Return a cross of groups of raw features, each given by ranges of their numbers."""
    groups, bits = stated["groups"], stated["bits"]
    if not (isinstance(groups, list) and 1 < len(groups) < 32):
        raise Refused("its cross has no groups")
    if not (bits is None or (type(bits) is int and 1 <= bits <= 30)):
        raise Refused("the bits of its cross are no number from 1 to 30")
    return Cross([[*ranges(group)] for group in groups], bits)


def ranges(group: Json) -> Iterator[Range]:
    """Yield the ranges of a group, which must ascend without touching."""
    last = -1
    for pair in group if isinstance(group, list) else [None]:
        first, end = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        if not (type(first) is int and type(end) is int and last < first < end):
            raise Refused("a group of its cross is no list of ascending ranges")
        last = end
        yield first, end


def murmur3(i: int, j: int) -> int:
    """Return MurmurHash3 (32 bits, seed 0) of two numbers of 4 bytes each, little-endian."""
    h, low = 0, (1 << 32) - 1

    def turned(k: int, by: int) -> int:
        return (k << by | k >> (32 - by)) & low

    for k in (i, j):
        h ^= turned(k * 0xCC9E2D51 & low, 15) * 0x1B873593 & low
        h = turned(h, 13) * 5 + 0xE6546B64 & low
    h ^= 8
    h = (h ^ h >> 16) * 0x85EBCA6B & low
    h = (h ^ h >> 13) * 0xC2B2AE35 & low
    return h ^ h >> 16
