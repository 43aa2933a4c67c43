"""The perceptron with two labels, and what measures a run by a comparator."""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from operator import mul

from verifier.core.certificate import Json, Names, Object, Refused, require
from verifier.core.data import AnyRounds, Data, X, Y
from verifier.core.exact import MOST, Vector, above_0, dot, grid, least_float, whole
from verifier.core.learner import (
    BOOLS,
    LEARNERS,
    PARAMETERS,
    Domains,
    Learner,
    Work,
    integers,
    is_integer,
    numbers,
    one_of,
    optional,
    record,
    remark,
)
from verifier.core.theorem import THEOREMS, Theorem

Weights = dict[int, dict[int, int]]  # {class: {index: weight}}, class 0 alone for two labels

THEOREMS |= {
    "novikoff": Theorem("M ≤ R²‖w‖²/γ² where γ = min_t y_t w·x_t > 0"),
    "hinge": Theorem("M ≤ R²‖w‖² + 2L where L = Σ_t max(0, 1 − y_t w·x_t)"),
    "hinge-tight": Theorem("M ≤ ((R‖w‖ + √(R²‖w‖² + 4L))/2)² where L = Σ_t max(0, 1 − y_t w·x_t)"),
    "freund-schapire": Theorem("M ≤ (R‖w‖ + √Q)² where Q = Σ_t max(0, 1 − y_t w·x_t)²"),
    "run": Theorem(
        "M ≤ L_I + ‖w‖√S_I where L_I = Σ_{t∈I} max(0, 1 − y_t w·x_t), S_I = Σ_{t∈I} ‖x_t‖²"
    ),
}


def comparator(entries: Json, many: bool, finest: int = 0) -> tuple[int, Weights]:
    """Return g ≥ finest and the weights of a comparator times 2^g, which are whole."""
    if not isinstance(entries, list):
        raise Refused("its w is no list of weights, each once")
    w: dict[tuple[int, int], float] = {}
    for entry in entries:
        parts = entry if isinstance(entry, list) else []
        parts = parts if many else [0, *parts]
        k, j, v = parts if len(parts) == 3 else (None, None, None)
        if is_integer(k) and is_integer(j) and isinstance(v, float) and k >= 0 and j >= -1:
            w[k, j] = v
    require(len(w) == len(entries), "its w is no list of weights, each once")
    g, columns = max(grid(w.values()), finest), defaultdict[int, dict[int, int]](dict)
    for (k, j), v in zip(w, whole(w.values(), g), strict=True):
        columns[k][j] = v
    return g, columns


class Compared(Learner[Y, X]):
    """A run measured by a comparator, all in whole numbers."""

    evidence: Names = ("w",)
    separated = "novikoff"  # the theorem that takes a margin
    hinge = hinge2 = mistake_hinge = energy = radius2 = 0
    least: int | None = None  # of the margins; None if every margin is infinite
    margin: Callable[[Y, X], int | None]  # y w·x of the comparator; None if it is infinite
    square: Callable[[X], int]  # the square of what an update adds
    unit: int
    w: Weights

    def norm2(self) -> int:
        """Return ‖w‖² of the comparator."""
        return sum(v * v for column in self.w.values() for v in column.values())

    def measure(self, y: Y, x: X, mistaken: bool, times: int) -> None:
        """Add a round to the sums."""
        self.compare(self.margin(y, x), mistaken, times)
        self.widen(self.square(x), mistaken)

    def compare(self, margin: int | None, mistaken: bool, times: int) -> None:
        """Add the comparator's margin in a round to the sums."""
        loss = 0 if margin is None or margin >= self.unit else self.unit - margin
        if times:
            self.hinge += times * loss
            self.hinge2 += times * loss * loss
            if margin is not None:
                self.least = margin if self.least is None else min(self.least, margin)
        if mistaken:
            self.mistake_hinge += loss

    def widen(self, square: int, mistaken: bool) -> None:
        """Add the square of what an update adds, or would add, in a round."""
        if mistaken:
            self.energy += square
        if mistaken or not self.many:
            self.radius2 = max(self.radius2, square)

    def bound(self, theorem: str) -> float:
        """Evaluate a theorem as value + √root, with a = R²‖w‖²."""
        norm2 = self.norm2()
        if theorem == self.separated:
            if self.least is None or self.least <= 0:
                raise Refused("its w does not separate the data")
            return least_float(Fraction(self.radius2 * norm2, self.least**2))
        a, loss = Fraction(self.radius2 * norm2, self.unit**2), Fraction(self.hinge, self.unit)
        squares, energy = (Fraction(s, self.unit**2) for s in (self.hinge2, norm2 * self.energy))
        value, root = {
            "hinge": (a + 2 * loss, Fraction(0)),
            "hinge-tight": (a / 2 + loss, a * a / 4 + a * loss),
            "freund-schapire": (a + squares, 4 * a * squares),
            "run": (Fraction(self.mistake_hinge, self.unit), energy),
        }[theorem]
        return least_float(value, root)


def check_hashing(data: AnyRounds, hashing: Object | None) -> None:
    """Require that hashed rows have no more features than there are hashes."""
    bits = hashing["bits"] if hashing else None
    most = 1 << bits if is_integer(bits) else data.dimension
    require(data.dimension <= most, f"it is not hashed to {most} features")


class Perceptron(Compared[int, Vector]):
    """A run of w ← w + y x on a mistake."""

    theorems: Names = ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run", "progressive")
    step = 1  # the square of an update, over ‖x‖²
    transforms = True
    data: Data

    def __init__(self, data: Data, ties: str = "positive", hashing: Object | None = None) -> None:
        check_hashing(data, hashing)
        self.data, self.strict, self.work = data, ties == "mistake", Work()
        self.weights: dict[int, int] = defaultdict(int)

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round, and learn from a mistake; a score of 0 is + unless it is always wrong."""
        score = self.score(x) * y
        if score > 0 or (score == 0 and y > 0 and not self.strict):
            return False
        self.learn(y, x)
        return True

    def score(self, x: Vector) -> int:
        """Return w·x, or its sign."""
        return dot(self.weights, x)

    def learn(self, y: int, x: Vector) -> None:
        """Add y x to w."""
        for j, v in zip(*x, strict=True):
            self.weights[j] += y * v

    def take(self, evidence: Object) -> None:
        """Take the comparator, and the margin asked of it."""
        target = float(above_0(evidence.get("gamma", 1.0), "gamma"))
        finest = grid([target]) - self.data.grid
        self.fine, self.w = comparator(evidence.get("w", []), self.many, finest)
        self.unit = whole([target], self.data.grid + self.fine)[0]

    def margin(self, y: int, x: Vector) -> int:
        """Return y w·x of the comparator."""
        return y * dot(self.w[0], x)

    def square(self, x: Vector) -> int:
        """Return the square of what an update adds."""
        squares: int = sum(map(mul, x[1], x[1]))
        return self.step * squares


LINEAR: Domains = {
    "bias": remark(optional(numbers(-MOST, MOST))),  # it is in the data
    "hashing": optional(record(bits=integers(1, 30), signed=BOOLS)),
}
TIES: Domains = {"ties": one_of("positive", "mistake")}
VOTERS: Domains = {"max_voters": remark(optional(integers(1, (1 << 62) - 1)))}
LEARNERS |= dict.fromkeys(("Perceptron", "AveragedPerceptron", "VotedPerceptron"), Perceptron)
PARAMETERS |= {
    "Perceptron": TIES | LINEAR,
    "AveragedPerceptron": TIES | LINEAR,
    "VotedPerceptron": TIES | LINEAR | VOTERS,
}
