"""The kernel perceptron; the sign of sums of exponentials is Minnow's."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from operator import mul
from typing import TypedDict

from verifier.core.certificate import Object, Refused, require
from verifier.core.data import Data
from verifier.core.enclosures import Precision
from verifier.core.exact import BELOW_1E100, LEAST, Vector, dot, grid, whole
from verifier.core.learner import (
    LEARNERS,
    PARAMETERS,
    Domain,
    integers,
    is_integer,
    numbers,
    one_of,
    record,
    remark,
)
from verifier.families.minnow import sign_of_exponentials
from verifier.families.perceptron import LINEAR, TIES, Perceptron


class Kernel(TypedDict, total=False):
    """A kernel: rbf with its gamma, or polynomial with its degree and c."""

    name: str
    gamma: float
    degree: int
    c: float


Point = tuple[dict[int, int], int]  # {index: value}, and ‖x‖²
KEPT = 100_000  # exponentials that are remembered


def point_of(x: Vector) -> Point:
    """Return x as a dict, and ‖x‖²."""
    return dict(zip(*x, strict=True)), sum(map(mul, x[1], x[1]))


class KernelPerceptron(Perceptron):
    """w ← w + y φ(x) on a mistake, with φ(x)·φ(z) = (x·z + c)^degree or e^{−gamma‖x − z‖²}.

    Polynomials are whole numbers of units. Exponentials lie between two neighbouring ones, and
    what a comparator makes of the rounds is rounded outward.
    """

    evidence = ("a",)
    transforms = False
    small = 200  # the unit of an exponential is 2^−200

    def __init__(
        self, data: Data, ties: str, kernel: Kernel, hashing: Object | None = None
    ) -> None:
        super().__init__(data, ties, hashing)
        self.supports: dict[tuple[tuple[int, ...], ...], tuple[Point, int]] = {}
        self.exponentials: dict[int, tuple[int, int]] = {}  # by distance
        self.radial = kernel["name"] == "rbf"
        require(not (self.radial and data.biased), "its bias is not null, with rbf")
        if self.radial:
            self.rate, self.bits = Fraction(kernel["gamma"]) / (1 << 2 * data.grid), self.small
        else:
            self.degree, c = kernel["degree"], kernel["c"]
            self.fine = max(2 * data.grid, grid([c]))
            self.shift, self.bits = whole([c], self.fine)[0], self.fine * self.degree

    def enclosed(self, z: Point, x: Vector) -> tuple[int, int]:
        """Return whole numbers of units 2^−bits between which K(z, x) lies."""
        if not self.radial:
            base = (dot(z[0], x) << (self.fine - 2 * self.data.grid)) + self.shift
            return base**self.degree, base**self.degree
        distance = self.distance(z, x)
        if distance == 0:
            return 1 << self.small, 1 << self.small
        if distance not in self.exponentials:
            if len(self.exponentials) >= KEPT:
                self.exponentials.clear()
            found = Precision(100).of(-distance * self.rate).exp() * (1 << self.small)
            self.exponentials[distance] = max(0, int(found.low)), int(found.high) + 1
        return self.exponentials[distance]

    def distance(self, z: Point, x: Vector) -> int:
        """Return ‖z − x‖²."""
        square: int = sum(map(mul, x[1], x[1]))
        return z[1] + square - 2 * dot(z[0], x)

    def total(self, terms: Iterable[tuple[int, Point]], x: Vector) -> int:
        """Return at most Σ a K(z, x), and just that if K is a whole number."""
        pairs = [(a, self.enclosed(z, x)) for a, z in terms]
        return sum(a * (low if a > 0 else high) for a, (low, high) in pairs)

    def learn(self, y: int, x: Vector) -> None:
        """Add y φ(x) to w."""
        key = (tuple(x[0]), tuple(x[1]))
        point, a = self.supports.get(key, (point_of(x), 0))
        self.supports[key] = point, a + y

    def score(self, x: Vector) -> int:
        """Return Σ a K(z, x), or its sign: if distances differ it is not 0, as in Minnow."""
        terms = [(a, z) for z, a in self.supports.values() if a]
        if not self.radial:
            return self.total(terms, x)
        sums: dict[int, int] = defaultdict(int)
        for a, z in terms:
            sums[self.distance(z, x)] += a
        return sign_of_exponentials({-d * self.rate: a for d, a in sums.items() if a}, self.work)

    def take(self, evidence: Object) -> None:
        """Take the comparator Σ a φ(x), its rows counted from 1."""
        entries, rows = evidence.get("a", []), dict[int, float]()
        if not isinstance(entries, list):
            raise Refused("its a is no list of weights, each once")
        for entry in entries:
            t, a = entry if isinstance(entry, list) and len(entry) == 2 else (None, None)
            if is_integer(t) and isinstance(a, float):
                rows[t] = a
        require(len(rows) == len(entries), "its a is no list of weights, each once")
        found = {t: point_of(x) for t, (_, x) in enumerate(self.data, 1) if t in rows}
        require(len(found) == len(rows), "its a has rows that are none")
        g, ordered = grid(rows.values()), sorted(rows)
        weights = whole([rows[t] for t in ordered], g)
        self.terms = [(a, found[t]) for t, a in zip(ordered, weights, strict=True)]
        self.unit = 1 << (g + self.bits)

    def margin(self, y: int, x: Vector) -> int:
        """Return at most y w·φ(x) of the comparator."""
        return self.total([(y * a, z) for a, z in self.terms], x)

    def square(self, x: Vector) -> int:
        """Return K(x, x)."""
        return self.enclosed(point_of(x), x)[1]

    def norm2(self) -> int:
        """Return at least Σ a b K(z, x) of the comparator."""
        points = [(list(z[0]), list(z[0].values())) for _, z in self.terms]
        parts = zip(self.terms, points, strict=True)
        return -sum(self.total([(-a * b, z) for b, z in self.terms], x) for (a, _), x in parts)


POLYNOMIAL = record(name=one_of("polynomial"), degree=integers(1, 100), c=numbers(0.0, BELOW_1E100))
RADIAL = record(name=one_of("rbf"), gamma=numbers(LEAST, BELOW_1E100))
KERNELS = Domain(
    "polynomial with a degree and c, or rbf with a gamma above 0",
    lambda value: POLYNOMIAL.has(value) or RADIAL.has(value),
)
LEARNERS |= {"KernelPerceptron": KernelPerceptron}
PARAMETERS |= {
    "KernelPerceptron": TIES | LINEAR | {"kernel": KERNELS, "budget": remark(one_of(None))}
}
