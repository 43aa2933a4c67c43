"""Parameter mixing: shards that play every epoch from the mean of their weights."""

from collections import defaultdict
from fractions import Fraction

from verifier.core.certificate import Json, Names, Object, require
from verifier.core.data import Data
from verifier.core.exact import MOST, Vector, grid, least_float, whole
from verifier.core.learner import (
    BOOLS,
    LEARNERS,
    PARAMETERS,
    Domain,
    Domains,
    integers,
    is_integer,
    remark,
)
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.multiclass import MulticlassPerceptron
from verifier.families.perceptron import LINEAR, TIES, Perceptron

THEOREMS |= {
    "parameter-mixing": Theorem(
        "M ≤ P·(c + a/2 + √max(0, a²/4 + ac + b)) for the mistakes M of P shards in all epochs, if "
        "every shard starts each epoch from the mean of the shards' weights, of which each is "
        "rounded once, where a = R²‖w‖², c = L/P − w·Δ, b = ‖w‖²E, L is the sum of "
        "max(0, 1 − y w·x) over all shards and epochs, Δ the sum of (the rounded mean − the mean) "
        "over the epochs, and E that of (‖the rounded mean‖² − ‖the mean‖²)"
    )
}


def nearest(total: int, unit: int) -> float:
    """Return the finite float that is nearest to total/unit."""
    try:
        return total / unit  # rounded once
    except OverflowError:
        return MOST if total > 0 else -MOST


Columns = list[dict[int, int]]  # weights by class; one class for two labels


class Mixing(Perceptron):
    """A run of shards, one after another: rows [0, n_1), [n_1, n_1 + n_2), … of every pass.

    Weights are whole numbers of 2^−(grid + finer): a mean has finer digits than the rows.
    """

    theorems: Names = ("parameter-mixing", "progressive")
    transforms = False
    shards: list[int]
    finer = 0

    def divide(self, shards: list[int]) -> None:
        """Take the number of rows of each shard."""
        require(sum(shards) == self.data.count, "its shards do not hold its rows")
        self.shards, self.shard, self.row = shards, 0, 0
        self.begun, self.ends = [dict(w) for w in self.columns_now()], list[Columns]()
        self.moved = defaultdict[tuple[int, int], Fraction](Fraction)  # Δ
        self.grown = Fraction(0)  # E

    def columns_now(self) -> Columns:
        """Return the weights."""
        return [self.weights]

    def start_from(self, columns: Columns) -> None:
        """Go on from these weights."""
        self.weights = columns[0]

    def judged(self, mistaken: bool) -> bool:
        """Count a row; after the last of a shard the next begins where this one did."""
        self.row += 1
        if self.row == self.shards[self.shard]:
            self.ends.append(self.columns_now())
            self.shard, self.row = self.shard + 1, 0
            if self.shard == len(self.shards):
                self.begun, self.shard, self.ends = self.mixed(), 0, []
            self.start_from([defaultdict(int, column) for column in self.begun])
        return mistaken

    def seen(self, x: Vector) -> Vector:
        """Return x in the unit of the weights."""
        return (x[0], [v << self.finer for v in x[1]]) if self.finer else x

    def mixed(self) -> Columns:
        """Return the mean of the shards' weights; each is the float nearest to it."""
        unit = len(self.shards) << self.data.grid + self.finer
        sums = defaultdict[tuple[int, int], int](int)
        for columns in self.ends:
            for k, column in enumerate(columns):
                for j, v in column.items():
                    sums[k, j] += v
        means = {at: nearest(total, unit) for at, total in sums.items() if total}
        for at, mean in means.items():
            true, found = Fraction(sums[at], unit), Fraction(mean)
            if found != true:
                self.moved[at] += found - true
                self.grown += found * found - true * true
        self.finer = max(0, grid(means.values()) - self.data.grid)
        found_columns: Columns = [{} for _ in self.begun]
        values = whole(means.values(), self.data.grid + self.finer)
        for (k, j), v in zip(means, values, strict=True):
            found_columns[k][j] = v
        return found_columns

    def bound(self, theorem: str) -> float:
        """Evaluate the theorem: P·(c + a/2) + √(P² max(0, a²/4 + ac + b))."""
        shards, norm2 = len(self.shards), self.norm2()
        gained = sum(d * self.w[k].get(j, 0) for (k, j), d in self.moved.items())  # w·Δ·2^fine
        c = Fraction(self.hinge, self.unit * shards) - Fraction(gained) / (1 << self.fine)
        a = Fraction(self.radius2 * norm2, self.unit**2)
        b = norm2 * self.grown / (1 << 2 * self.fine)
        root = max(Fraction(0), a * a / 4 + a * c + b)
        return least_float(shards * (c + a / 2), shards**2 * root)


class MixedPerceptron(Mixing):
    """Shards of the perceptron."""

    def __init__(
        self,
        data: Data,
        shards: list[int],
        ties: str = "positive",
        hashing: Object | None = None,
    ) -> None:
        super().__init__(data, ties, hashing)
        self.divide(shards)

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round of the shard whose turn it is."""
        return self.judged(super().mistaken(y, self.seen(x)))


class MixedMulticlassPerceptron(Mixing, MulticlassPerceptron):
    """Shards of the perceptron with many classes, all of which a shard knows from its first row."""

    def __init__(
        self, data: Data, shards: list[int], classes: int, hashing: Object | None = None
    ) -> None:
        MulticlassPerceptron.__init__(self, data, hashing)
        require(classes == len(data.codes), "its classes are not those of the data")
        self.columns = [defaultdict(int) for _ in data.codes]
        self.divide(shards)

    def columns_now(self) -> Columns:
        """Return the weights of each class."""
        return self.columns

    def start_from(self, columns: Columns) -> None:
        """Go on from these weights of the classes."""
        self.columns = columns

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round of the shard whose turn it is."""
        return self.judged(super().mistaken(y, self.seen(x)))


def sizes(value: Json) -> bool:
    """Say whether a value is a list of numbers of rows."""
    return isinstance(value, list) and value != [] and all(is_integer(n) and n > 0 for n in value)


SHARDS: Domains = {"shards": Domain("a list of whole numbers above 0", sizes)}
CLASSES: Domains = {"classes": integers(1, 1 << 20)}
AVERAGED: Domains = {"averaged": remark(BOOLS)}
LEARNERS |= {
    "MixedPerceptron": MixedPerceptron,
    "MixedMulticlassPerceptron": MixedMulticlassPerceptron,
}
PARAMETERS |= {
    "MixedPerceptron": SHARDS | TIES | LINEAR | AVERAGED,
    "MixedMulticlassPerceptron": SHARDS | CLASSES | LINEAR | AVERAGED,
}
