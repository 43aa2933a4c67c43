"""Parameter mixing: shards that play every epoch from the mean of their weights."""

from collections import defaultdict
from fractions import Fraction

from verifier.core.certificate import Json, Names, Object, require
from verifier.core.data import Data, X, Y
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
from verifier.families.chains import CHAINS, Chain, Positions, Problem, Sentences
from verifier.families.multiclass import MulticlassPerceptron
from verifier.families.perceptron import LINEAR, TIES, Compared, Perceptron

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


class Journal(defaultdict[int, int]):
    """Weights that remember what they were before they changed."""

    def __init__(self, weights: dict[int, int] | None = None) -> None:
        super().__init__(int, weights or {})
        self.before: dict[int, int] = {}

    def __setitem__(self, j: int, v: int) -> None:
        self.before.setdefault(j, self.get(j, 0))
        super().__setitem__(j, v)

    def taken_back(self) -> dict[int, int]:
        """Return what was added to each weight, and be as before."""
        before, self.before = self.before, {}
        added = {j: self[j] - v for j, v in before.items()}
        self.update(before)  # writes nothing down
        return added


class Mixing(Compared[Y, X]):
    """A run of shards, one after another: rows [0, n_1), [n_1, n_1 + n_2), … of every pass.

    Only what a shard adds to its weights is kept, so that many shards cost no more than few.
    """

    theorems: Names = ("parameter-mixing", "progressive")
    transforms = False
    shards: list[int]
    fine: int  # a comparator's weights are whole numbers of 2^−fine

    def divide(self, shards: list[int], classes: int) -> None:
        """Take the number of rows of each shard."""
        require(sum(shards) == self.data.count, "its shards do not hold its rows")
        self.shards, self.shard, self.row = shards, 0, 0
        self.mixed_weights = [Journal() for _ in range(classes)]  # by class; one for two labels
        self.added = defaultdict[tuple[int, int], int](int)  # by all shards of this epoch
        self.moved = defaultdict[tuple[int, int], Fraction](Fraction)  # Δ
        self.grown = Fraction(0)  # E

    def judged(self, mistaken: bool) -> bool:
        """Count a row; after the last of a shard the next begins where this one did."""
        self.row += 1
        if self.row == self.shards[self.shard]:
            for k, weights in enumerate(self.mixed_weights):
                for j, v in weights.taken_back().items():
                    self.added[k, j] += v
            self.shard, self.row = self.shard + 1, 0
            if self.shard == len(self.shards):
                self.mix()
                self.shard, self.added = 0, defaultdict(int)
        return mistaken

    def mix(self) -> None:
        """Go on from the mean of the shards' weights, each rounded once."""
        raise NotImplementedError

    def move(self, at: tuple[int, int], true: Fraction, found: Fraction) -> None:
        """Write down that a mean was rounded."""
        self.moved[at] += found - true
        self.grown += found * found - true * true

    def bound(self, theorem: str) -> float:
        """Evaluate the theorem: P·(c + a/2) + √(P² max(0, a²/4 + ac + b))."""
        shards, norm2 = len(self.shards), self.norm2()
        gained = sum(d * self.w[k].get(j, 0) for (k, j), d in self.moved.items())  # w·Δ·2^fine
        c = Fraction(self.hinge, self.unit * shards) - Fraction(gained) / (1 << self.fine)
        a = Fraction(self.radius2 * norm2, self.unit**2)
        b = norm2 * self.grown / (1 << 2 * self.fine)
        root = max(Fraction(0), a * a / 4 + a * c + b)
        return least_float(shards * (c + a / 2), shards**2 * root)


class LinearMixing(Mixing[int, Vector], Perceptron):
    """Shards of a perceptron.

    Weights are whole numbers of 2^−(grid + finer): a mean has finer digits than the rows.
    """

    finer = 0

    def seen(self, x: Vector) -> Vector:
        """Return x in the unit of the weights."""
        return (x[0], [v << self.finer for v in x[1]]) if self.finer else x

    def mix(self) -> None:
        """Go on from the means; each is the float nearest to it."""
        unit, shards = 1 << self.data.grid + self.finer, len(self.shards)
        means = {(k, j): v / unit for k, w in enumerate(self.mixed_weights) for j, v in w.items()}
        for (k, j), added in self.added.items():
            true = Fraction(self.mixed_weights[k][j] * shards + added, unit * shards)
            means[k, j] = nearest(true.numerator, true.denominator)
            if true != means[k, j]:
                self.move((k, j), true, Fraction(means[k, j]))
        self.finer = max(0, grid(means.values()) - self.data.grid)
        columns: list[dict[int, int]] = [{} for _ in self.mixed_weights]
        values = whole(means.values(), self.data.grid + self.finer)
        for (k, j), v in zip(means, values, strict=True):
            columns[k][j] = v
        self.mixed_weights = [Journal(column) for column in columns]
        self.go_on()

    def go_on(self) -> None:
        """Play with the mixed weights."""
        raise NotImplementedError


class MixedPerceptron(LinearMixing):
    """Shards of the perceptron with two labels."""

    def __init__(
        self,
        data: Data,
        shards: list[int],
        ties: str = "positive",
        hashing: Object | None = None,
    ) -> None:
        super().__init__(data, ties, hashing)
        self.divide(shards, 1)
        self.go_on()

    def go_on(self) -> None:
        """Play with the mixed weights."""
        self.weights = self.mixed_weights[0]

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round of the shard whose turn it is."""
        return self.judged(super().mistaken(y, self.seen(x)))


class MixedMulticlassPerceptron(LinearMixing, MulticlassPerceptron):
    """Shards of the perceptron with many classes, all of which a shard knows from its first row."""

    def __init__(
        self, data: Data, shards: list[int], classes: int, hashing: Object | None = None
    ) -> None:
        MulticlassPerceptron.__init__(self, data, hashing)
        require(classes == len(data.codes), "its classes are not those of the data")
        self.divide(shards, classes)
        self.go_on()

    def go_on(self) -> None:
        """Play with the mixed weights of each class."""
        self.columns = [*self.mixed_weights]

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round of the shard whose turn it is."""
        return self.judged(super().mistaken(y, self.seen(x)))


class MixedStructuredPerceptron(Mixing[list[int], Positions], Chain):
    """Shards of chains, whose weights and means are whole numbers of 1/4096."""

    grain = 4096

    def __init__(self, data: Sentences, shards: list[int], problem: Problem) -> None:
        require(problem["tags"] is not None, "its tags are not known from the first row")
        Chain.__init__(self, data, problem)
        self.divide(shards, self.all)
        self.columns = dict(enumerate(self.mixed_weights))

    def mistaken(self, y: list[int], x: Positions) -> bool:
        """Judge a round of the shard whose turn it is."""
        return self.judged(super().mistaken(y, x))

    def mix(self) -> None:
        """Go on from the means; each is the nearest multiple of 1/4096, the even one of two."""
        shards, unit = len(self.shards), self.grain * len(self.shards)
        for (k, j), added in self.added.items():
            total = self.mixed_weights[k][j] * shards + added
            mean = round(Fraction(total, shards))
            if mean * shards != total:
                self.move((k, j), Fraction(total, unit), Fraction(mean, self.grain))
            self.mixed_weights[k].update({j: mean})  # writes nothing down


def sizes(value: Json) -> bool:
    """Say whether a value is a list of numbers of rows."""
    return isinstance(value, list) and value != [] and all(is_integer(n) and n > 0 for n in value)


def has_tags(value: Json) -> bool:
    """Say whether a value describes chains whose tags are stated, which all shards know."""
    return CHAINS.has(value) and isinstance(value, dict) and value["tags"] is not None


TAGGED = Domain(f"{CHAINS.words}, with tags", has_tags)
SHARDS: Domains = {"shards": Domain("a list of whole numbers above 0", sizes)}
CLASSES: Domains = {"classes": integers(1, 1 << 20)}
AVERAGED: Domains = {"averaged": remark(BOOLS)}
LEARNERS |= {
    "MixedPerceptron": MixedPerceptron,
    "MixedMulticlassPerceptron": MixedMulticlassPerceptron,
    "MixedStructuredPerceptron": MixedStructuredPerceptron,
}
PARAMETERS |= {
    "MixedPerceptron": SHARDS | TIES | LINEAR | AVERAGED,
    "MixedMulticlassPerceptron": SHARDS | CLASSES | LINEAR | AVERAGED,
    "MixedStructuredPerceptron": SHARDS | {"problem": TAGGED} | AVERAGED,
}
