"""Finite classes: halving and its relatives, and disjunctions by elimination."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from typing import TypedDict, TypeGuard

from verifier.core.certificate import Json, Names, TooLarge, require
from verifier.core.data import Data, X
from verifier.core.learner import (
    BOOLS,
    LEARNERS,
    PARAMETERS,
    Domain,
    Learner,
    integers,
    is_integer,
)
from verifier.core.theorem import THEOREMS, Theorem

AGREES = "if some h in H agrees with every label"
THEOREMS |= {
    "consistent": Theorem(
        "M ≤ |H| − 1 for the learner that predicts with any h that is consistent so far, " + AGREES,
        earlier=("378364bbc83cfabbbe0edc5306a3f7be88561e42d1fc0a461630851f95a6ac91",),
    ),
    "halving": Theorem(
        "M ≤ ⌊lg |H|⌋ for the learner that predicts with the majority of the consistent h, "
        + AGREES,
        earlier=("dcd59c781ec0220f24dd99b7dbeff29ce3da95c4dd3bac9b15e87faa84eaeb4a",),
    ),
    "littlestone": Theorem(
        f"M ≤ Ldim(H) for the standard optimal algorithm, {AGREES}; no deterministic learner has "
        "a smaller worst case",
        earlier=("f850a84dcebca3816c6f8d6a1fa9c724468fbc78addec757699e652480229a84",),
    ),
    "iterated-halving": Theorem(
        "M ≤ (⌊lg |H|⌋ + 1)·m* + ⌊lg |H|⌋ for halving that restarts from all of H when no h is "
        "left, where m* is the number of mistakes of the best h",
        earlier=("43bcae6ea9bc585a3a7cedc90f3851751d15b4ee04305827131f9db9845e1b90",),
    ),
    "elimination": Theorem(
        "M ≤ d for monotone disjunctions of d variables and M ≤ d + 1 with negations, if some "
        "such disjunction agrees with every label",
        earlier=("61633d08b627972e3fff7443892400f4adbd1c9078a51248c23238a48ffee5a8",),
    ),
}


class Class(TypedDict):
    """A finite class: a table of signs, one text a hypothesis, and what its points are."""

    table: list[str]
    points: list[str] | None
    cube: int | None


def texts(value: Json) -> TypeGuard[list[str]]:
    """Say whether a value is a list of texts, each once and at least one."""
    if not (isinstance(value, list) and all(isinstance(text, str) for text in value)):
        return False
    return len({*map(str, value)}) == len(value) > 0


def is_class(value: Json) -> bool:
    """Say whether a value is a table of signs, each row once, and what its points are called."""
    if not (isinstance(value, dict) and value.keys() == {"cube", "points", "table"}):
        return False
    table, cube, names = value["table"], value["cube"], value["points"]
    if not (texts(table) and len({*map(len, table)}) == 1 and not "".join(table).strip("+-")):
        return False
    width = len(table[0])
    cubic = cube is None or (is_integer(cube) and 0 <= cube < 64 and width == 1 << cube)
    return width > 0 and cubic and (names is None or (texts(names) and len(names) == width))


class Points(Learner[int, X]):
    """A learner on points, which are rows of zeros and ones."""

    data: Data

    def ones(self) -> Iterator[tuple[int, list[int]]]:
        """Yield the label of each row, and where its ones are."""
        for y, (indices, values) in self.data:
            require(all(v == 1 << self.data.grid for v in values), "a row is no point")
            yield y, indices


class Halving(Points[int]):
    """Keeps of H what is consistent with every label, one bit a hypothesis; predicts as most do.

    A row is a point by its vector, on a cube, or by where its single 1 is.
    """

    theorems: Names = ("halving", "progressive")
    again = False  # it begins with H again when nothing is left

    def __init__(self, data: Data, H: Class) -> None:
        table, cube = H["table"], H["cube"]
        self.data = data
        self.cube, self.width = cube, len(table[0])
        require(data.dimension <= (self.width if cube is None else cube), "a row is no point")
        signs = ("".join(column)[::-1] for column in zip(*table, strict=True))
        self.columns = [int(s.replace("+", "1").replace("-", "0"), 2) for s in signs]
        self.size, self.all = len(table), (1 << len(table)) - 1
        self.left = self.all
        self.counts: dict[tuple[int, int], int] = defaultdict(int)  # of rounds

    def rounds(self) -> Iterator[tuple[int, int]]:
        """Yield the label and the point of each row."""
        for y, indices in self.ones():
            require(self.cube is not None or len(indices) == 1, "a row is no point")
            yield y, indices[0] if self.cube is None else sum(1 << j for j in indices)

    def mistaken(self, y: int, x: int) -> bool:
        """Judge a round, and keep what agrees with it."""
        plus = self.left & self.columns[x]
        mistaken = self.positive(plus, self.left ^ plus) != (y > 0)
        self.left = plus if y > 0 else self.left ^ plus
        require(self.left or self.again, "no hypothesis has every label")
        self.left = self.left or self.all
        return mistaken

    def positive(self, plus: int, minus: int) -> bool:
        """Predict from what is +1 and what is −1."""
        return plus.bit_count() >= minus.bit_count()

    def measure(self, y: int, x: int, mistaken: bool, times: int) -> None:
        """Count a round."""
        self.counts[x, y] += times

    def bound(self, theorem: str) -> float:
        """Return (⌊lg |H|⌋ + 1)·m + ⌊lg |H|⌋, m the mistakes of the best h, else 0."""
        wrong = [0] * self.size
        for (x, y), n in self.counts.items() if self.again else ():
            right = "1" if y > 0 else "0"
            for h, sign in enumerate(reversed(f"{self.columns[x]:0{self.size}b}")):
                wrong[h] += 0 if sign == right else n
        depth = self.size.bit_length() - 1
        return float((depth + 1) * min(wrong) + depth)


class IteratedHalving(Halving):
    """Halving, again and again."""

    theorems = ("iterated-halving", "progressive")
    again = True


class Consistent(Halving):
    """Predicts as the first hypothesis that is left."""

    theorems = ("consistent", "progressive")

    def positive(self, plus: int, minus: int) -> bool:
        """Predict by the lowest bit."""
        return plus != 0 and (minus == 0 or plus & -plus < minus & -minus)

    def bound(self, theorem: str) -> float:
        """Return |H| − 1."""
        return float(self.size - 1)


class StandardOptimal(Halving):
    """Predicts the label whose part of what is left has the larger Ldim."""

    theorems = ("littlestone", "progressive")
    most = 10**7  # splits that are looked at

    def __init__(self, data: Data, H: Class) -> None:
        super().__init__(data, H)
        self.reached: dict[tuple[int, int], bool] = {}
        self.splits = 0

    def positive(self, plus: int, minus: int) -> bool:
        """Predict by Ldim."""
        return self.dimension(plus) >= self.dimension(minus)

    def dimension(self, V: int) -> int:
        """Return Ldim(V) = max over x splitting V of 1 + min(Ldim(V_x^+), Ldim(V_x^−))."""
        return next(k for k in count(-1) if not self.reaches(V, k + 1))

    def reaches(self, V: int, k: int) -> bool:
        """Say whether Ldim(V) ≥ k: some point leaves two parts that reach k − 1."""
        if k <= 1 or V.bit_count() >> k == 0:  # of fewer than 2^k members, none reaches k
            return V.bit_count() > k and k <= 1
        if (V, k) not in self.reached:
            self.splits += len(self.columns) * (1 + self.size // 1000)
            if self.splits > self.most:
                raise TooLarge(f"the certificate: Ldim(H) takes more than {self.most} splits")
            parts = {min(V & column, V & ~column) for column in self.columns}
            least = {part: min(part.bit_count(), (V ^ part).bit_count()) for part in parts}
            self.reached[V, k] = any(
                self.reaches(part, k - 1) and self.reaches(V ^ part, k - 1)
                for part in sorted(least, key=least.__getitem__, reverse=True)
                if least[part] >> (k - 1)
            )
        return self.reached[V, k]

    def bound(self, theorem: str) -> float:
        """Return Ldim(H)."""
        return float(self.dimension(self.all))


class Elimination(Points[frozenset[int]]):
    """Drops the literals that are true in a negative row; predicts whether a true one is left."""

    theorems = ("elimination", "progressive")

    def __init__(self, data: Data, d: int, monotone: bool) -> None:
        require(data.dimension <= d, f"a row has more than {d} features")
        self.data = data
        self.d, self.monotone = d, monotone
        self.dropped: set[int] = set()  # x_j that are no literals any more
        self.negated: frozenset[int] | None = None  # the ¬x_j that are still some; None for all
        self.positives: set[frozenset[int]] = set()

    def rounds(self) -> Iterator[tuple[int, frozenset[int]]]:
        """Yield the label of each row, and where its ones are."""
        yield from ((y, frozenset(indices)) for y, indices in self.ones())

    def true(self, x: frozenset[int]) -> bool:
        """Say whether a literal that is left is true at x."""
        negations = self.d if self.negated is None else len(self.negated)
        false = len(x) if self.negated is None else len(x & self.negated)
        return not x <= self.dropped or (not self.monotone and false < negations)

    def mistaken(self, y: int, x: frozenset[int]) -> bool:
        """Judge a round, and learn from it."""
        found = self.true(x)
        if y < 0:
            self.dropped |= x
            self.negated = x if self.negated is None else self.negated & x
        else:
            self.positives.add(x)
        return found != (y > 0)

    def bound(self, theorem: str) -> float:
        """Return d, or d + 1 with negations; what is left must be true at every positive row."""
        require(all(map(self.true, self.positives)), "no disjunction has every label")
        return float(self.d + (not self.monotone))


LEARNERS |= {
    "Consistent": Consistent, "Halving": Halving, "StandardOptimal": StandardOptimal,
    "IteratedHalving": IteratedHalving, "Elimination": Elimination,
}  # fmt: skip
PARAMETERS |= {
    name: {"H": Domain("an object of cube, points, table, of signs, each row once", is_class)}
    for name in ("Consistent", "Halving", "StandardOptimal", "IteratedHalving")
}
PARAMETERS |= {"Elimination": {"d": integers(1, 1 << 24), "monotone": BOOLS}}
