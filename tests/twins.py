"""The learners again, as a reader would write them: ten lines each, in exact fractions."""

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from novikoff import _core
from program_page import program_page

Vector = dict[int, Fraction]
BIAS = -1


def vector(row: Iterable[float], bias: float | None = None) -> Vector:
    """A dense row as exact numbers, the constant feature at index −1."""
    x = {j: Fraction(float(v)) for j, v in enumerate(row) if v != 0}
    return x if bias is None else x | {BIAS: Fraction(bias)}


def dot(w: Vector, x: Vector) -> Fraction:
    return sum((w[j] * v for j, v in x.items() if j in w), Fraction(0))


def add(w: Vector, x: Vector, sign: int) -> None:
    for j, v in x.items():
        w[j] = w.get(j, Fraction(0)) + sign * v


def nearest(z: Fraction) -> float:
    """The finite float that is nearest."""
    try:
        return float(z)
    except OverflowError:
        return sys.float_info.max if z > 0 else -sys.float_info.max


def sgn(z: Fraction) -> int:
    return 1 if z >= 0 else -1


def label(score: Fraction, ties: str) -> int:
    return 0 if score == 0 and ties == "mistake" else sgn(score)


class Perceptron:
    """w ← w + y x on a mistake."""

    def __init__(self, ties: str = "positive") -> None:
        self.ties = ties
        self.w: Vector = {}
        self.sum: Vector = {}  # Σ_t w_{t+1}
        self.voters: list[tuple[Vector, int]] = [({}, 0)]
        self.rounds = 0

    def predict(self, x: Vector) -> int:
        return label(dot(self.w, x), self.ties)

    def learn(self, x: Vector, y: int) -> bool:
        mistaken = self.predict(x) != y
        self.rounds += 1
        if mistaken:
            add(self.w, x, y)
            self.voters.append((dict(self.w), 0))
        add(self.sum, self.w, 1)
        w, count = self.voters[-1]
        self.voters[-1] = (w, count + 1)
        return mistaken

    def average(self) -> Vector:
        return {j: v / self.rounds for j, v in self.sum.items()}

    def vote(self, x: Vector) -> int:
        return sum(count * sgn(dot(w, x)) for w, count in self.voters)


class MixedPerceptron(Perceptron):
    """Each epoch every shard starts from the mean of their weights, each rounded to a float."""

    def __init__(self, shards: list[int], ties: str = "positive") -> None:
        super().__init__(ties)
        self.shards, self.start, self.row = shards, Vector(), 0
        self.ends: list[Vector] = []
        self.moved: Vector = {}  # Σ (rounded mean − mean)
        self.grown = Fraction(0)  # Σ (‖rounded mean‖² − ‖mean‖²)

    def learn(self, x: Vector, y: int) -> bool:
        mistaken = super().learn(x, y)
        self.row += 1
        if self.row == self.shards[len(self.ends)]:
            self.ends.append(self.w)
            self.row = 0
            if len(self.ends) == len(self.shards):
                self.mix()
            self.w = dict(self.start)
        return mistaken

    def mix(self) -> None:
        mean: Vector = {}
        for w in self.ends:
            add(mean, {j: v / len(self.ends) for j, v in w.items()}, 1)
        self.start = {j: Fraction(nearest(v)) for j, v in mean.items()}
        add(self.moved, self.start, 1)
        add(self.moved, mean, -1)
        self.grown += dot(self.start, self.start) - dot(mean, mean)
        self.ends = []


class Multiclass:
    """w_y ← w_y + x, w_ŷ ← w_ŷ − x on a mistake; ties to the first class seen."""

    def __init__(self) -> None:
        self.w: dict[int, Vector] = defaultdict(dict)
        self.sum: dict[int, Vector] = defaultdict(dict)  # Σ_t w_{k,t+1}
        self.rounds = 0

    def predict(self, x: Vector) -> int:
        seen = sorted(self.w)
        return max(seen, key=lambda k: (dot(self.w[k], x), -k)) if seen else 0

    def learn(self, x: Vector, y: int) -> bool:
        _ = self.w[y]
        prediction = self.predict(x)
        if prediction != y:
            add(self.w[y], x, 1)
            add(self.w[prediction], x, -1)
        self.rounds += 1
        for k, w in self.w.items():
            add(self.sum[k], w, 1)
        return prediction != y

    def average(self, k: int) -> Vector:
        return {j: v / self.rounds for j, v in self.sum[k].items()}


class MixedMulticlass(Multiclass):
    """Each epoch every shard starts from the mean of their weights, each rounded to a float."""

    def __init__(self, shards: list[int], classes: int) -> None:
        super().__init__()
        self.shards, self.classes, self.row = shards, classes, 0
        self.start: dict[int, Vector] = {k: {} for k in range(classes)}
        self.ends: list[dict[int, Vector]] = []
        self.begin()

    def begin(self) -> None:
        self.w = defaultdict(dict, {k: dict(w) for k, w in self.start.items()})

    def learn(self, x: Vector, y: int) -> bool:
        mistaken = super().learn(x, y)
        self.row += 1
        if self.row == self.shards[len(self.ends)]:
            self.ends.append(self.w)
            self.row = 0
            if len(self.ends) == len(self.shards):
                self.start = {k: self.mean(k) for k in range(self.classes)}
                self.ends = []
            self.begin()
        return mistaken

    def mean(self, k: int) -> Vector:
        total: Vector = {}
        for w in self.ends:
            add(total, w[k], 1)
        return {j: Fraction(nearest(v / len(self.ends))) for j, v in total.items()}


class Minnow:
    """w_j ∝ e^{ηθ_j} with θ ← θ + y x on a mistake; balanced, e^{ηθ_j} − e^{−ηθ_j}."""

    def __init__(self, eta: float, balanced: bool = False) -> None:
        self.eta, self.balanced = Fraction(eta), balanced
        self.theta: Vector = {}

    def predict(self, x: Vector) -> int:
        terms: Vector = defaultdict(Fraction)  # by exponent
        for j, v in x.items():
            exponent = self.eta * self.theta.get(j, Fraction(0))
            terms[exponent] += v  # type: ignore[index]
            if self.balanced:
                terms[-exponent] -= v  # type: ignore[index]
        return 1 if sign_of_exponentials(terms) >= 0 else -1

    def learn(self, x: Vector, y: int) -> bool:
        mistaken = self.predict(x) != y
        if mistaken:
            add(self.theta, x, y)
        return mistaken


def sign_of_exponentials(terms: Any) -> int:
    """The sign of Σ c e^a; by Lindemann and Weierstrass 0 only if every c is."""
    left = {a: c for a, c in terms.items() if c != 0}
    if not left:
        return 0
    top = max(left)
    digits = 30
    while True:
        context = Context(prec=digits, Emax=10**17, Emin=-(10**17), traps=[])
        with localcontext(context):
            exact = [(_decimal(a - top).exp(), _decimal(c)) for a, c in left.items()]
            total = sum((e * c for e, c in exact), Decimal(0))
            size = sum((e * abs(c) for e, c in exact), Decimal(0))
            # e^a carries the error of a: at most |a| units for the terms that count.
            if abs(total) > size * Decimal(10) ** (20 - digits):
                return 1 if total > 0 else -1
        digits *= 2


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


Kernel = Any
"""Of two vectors: a number, or the exponent of one."""


def polynomial(degree: int, c: float) -> Kernel:
    return lambda x, z: (dot(x, z) + Fraction(c)) ** degree


def radial(gamma: float) -> Kernel:
    def exponent(x: Vector, z: Vector) -> Fraction:
        return -Fraction(gamma) * (dot(x, x) + dot(z, z) - 2 * dot(x, z))

    return exponent


class KernelSum:
    """Σ a K(x_i, ·), a list of steps."""

    def __init__(self, kernel: Kernel, exponential: bool = False) -> None:
        self.kernel, self.exponential = kernel, exponential
        self.steps: list[tuple[Vector, int]] = []

    def sign(self, x: Vector, less: "KernelSum | None" = None) -> int:
        """The sign of the sum at x, less another."""
        steps = self.steps + [(z, -a) for z, a in (less.steps if less else [])]
        terms: Any = defaultdict(Fraction)
        for z, a in steps:
            value = self.kernel(z, x)
            if self.exponential:
                terms[value] += a
            else:
                terms[0] += a * value
        if self.exponential:
            return sign_of_exponentials(terms)
        return int(terms[0] > 0) - int(terms[0] < 0)


class KernelPerceptron:
    """w ← w + y φ(x) on a mistake; with a budget the oldest support gives way."""

    def __init__(self, w: KernelSum, ties: str = "positive", budget: int | None = None) -> None:
        self.w, self.ties, self.budget = w, ties, budget

    def predict(self, x: Vector) -> int:
        return label(Fraction(self.w.sign(x)), self.ties)

    def learn(self, x: Vector, y: int) -> bool:
        if self.predict(x) == y:
            return False
        oldest: list[Vector] = []
        for z, _ in self.w.steps:
            if z not in oldest:
                oldest.append(z)
        if self.budget is not None and x not in oldest and len(oldest) >= self.budget:
            self.w.steps = [(z, a) for z, a in self.w.steps if z != oldest[0]]
        self.w.steps.append((x, y))
        return True


class KernelClasses:
    """One sum a class; ultraconservative, or each class against the rest."""

    def __init__(self, make: Any, one_vs_rest: bool = False) -> None:
        self.make, self.one_vs_rest = make, one_vs_rest
        self.w: list[KernelSum] = []

    def predict(self, x: Vector) -> int:
        best = 0
        for k in range(1, len(self.w)):
            if self.w[k].sign(x, self.w[best]) > 0:
                best = k
        return best

    def learn(self, x: Vector, y: int) -> bool:
        found = self.predict(x)
        if y == len(self.w):
            self.w.append(self.make())
        if self.one_vs_rest:
            signs = [1 if w.sign(x) >= 0 else -1 for w in self.w]
            for k, (w, sign) in enumerate(zip(self.w, signs, strict=True)):
                wanted = 1 if k == y else -1
                if sign != wanted:
                    w.steps.append((x, wanted))
        elif found != y:
            self.w[y].steps.append((x, 1))
            self.w[found].steps.append((x, -1))
        return found != y


class Modified:
    """w ← w − (w·x̂)x̂ on a mistake with |cos| ≥ σ; rounded to floats after each update."""

    def __init__(self, sigma: float, seed: int) -> None:
        self.sigma, self.seed = sigma, seed
        self.dimension = 0  # without the constant feature
        self.bias = False
        self.draws = 0

    def draw(self) -> None:
        places = range(BIAS if self.bias else 0, self.dimension)
        self.w = {j: Fraction(_core.draw_normal(self.seed, self.draws, j + 1)) for j in places}
        self.draws += 1
        self.updates = 0

    def predict(self, x: Vector) -> int:
        score, norms = dot(self.w, x), dot(self.w, self.w) * dot(x, x)
        if norms == 0 or score * score < Fraction(self.sigma) ** 2 * norms:
            return 0
        return sgn(score)

    def learn(self, x: Vector, y: int) -> bool:
        if self.draws == 0:
            self.draw()
        prediction = self.predict(x)
        if prediction in (0, y):
            return False
        if self.updates >= int(math.log(len(self.w)) / self.sigma**2):
            self.draw()
            return True
        self.updates += 1
        scale = Fraction(2) ** -math.frexp(max(abs(float(v)) for v in x.values()))[1]
        near = {j: v * scale for j, v in x.items()}
        step = float(dot(self.w, near)) / float(dot(near, near))
        for j, v in near.items():
            self.w[j] = Fraction(float(self.w[j]) - step * float(v))
        if not any(self.w.values()):
            self.draw()
        return True


class AdaptiveGradient:
    """The float program of docs/programs.md, as it stands there."""

    def __init__(self, rate: float) -> None:
        self.program = program_page().AdaptiveGradient(rate)

    def learn(self, x: Vector, y: int) -> bool:
        found: int = self.program.learn({j: float(v) for j, v in x.items()}, y)
        return found != y


class GradientDescent:
    """The float program of docs/programs.md, as it stands there."""

    def __init__(self, rate: float, loss: str) -> None:
        self.program = program_page().GradientDescent(rate, loss)

    def learn(self, x: Vector, y: int) -> bool:
        found: int = self.program.learn({j: float(v) for j, v in x.items()}, y)
        return found != y


class Alone:
    """A member of Blend as a learner of its own, as docs/programs.md has it."""

    def __init__(self, name: str, *constants: float) -> None:
        page = program_page()
        self.program = page.Alone(getattr(page, name)(*constants))

    def learn(self, x: Vector, y: int) -> bool:
        found: int = self.program.learn({j: float(v) for j, v in x.items()}, y)
        return found != y


class Blend:
    """The float program of docs/programs.md, as it stands there."""

    def __init__(self) -> None:
        self.program = program_page().Blend()

    def learn(self, x: Vector, y: int) -> bool:
        found: int = self.program.learn({j: float(v) for j, v in x.items()}, y)
        return found != y


class ClassBlend:
    """The float program of docs/programs_classes.md, as it stands there."""

    def __init__(self, classes: int) -> None:
        self.program = program_page().ClassBlend(classes)

    def learn(self, x: Vector, y: int) -> bool:
        found: int = self.program.learn({j: float(v) for j, v in x.items()}, y)
        return found != y


def mistake_rounds(twin: Any, rows: Iterable[Vector], labels: Iterable[int]) -> list[int]:
    """Play every round; the rounds of the mistakes, from 1."""
    return [
        t for t, (x, y) in enumerate(zip(rows, labels, strict=True), 1) if twin.learn(x, int(y))
    ]


class Ellipsoid:
    """{w : (w − c)ᵀ P⁻¹ (w − c) ≤ 1} with its matrix P, in sixty digits, from the unit ball."""

    def __init__(self, d: int) -> None:
        self.c = [Decimal(0)] * d
        self.P = [[Decimal(int(i == j)) for j in range(d)] for i in range(d)]

    def learn(self, x: Vector, y: int) -> bool:
        with localcontext(Context(prec=60)):
            d = len(self.c)
            places = [BIAS, *range(d)] if BIAS in x else range(d)
            a = [_decimal(x.get(j, Fraction(0))) * y for j in list(places)[:d]]
            score = sum((u * v for u, v in zip(self.c, a, strict=True)), Decimal(0))
            if (1 if score * y >= 0 else -1) == y:
                return False
            Pa = [sum((p * v for p, v in zip(row, a, strict=True)), Decimal(0)) for row in self.P]
            width = sum((u * v for u, v in zip(a, Pa, strict=True)), Decimal(0)).sqrt()
            if width == 0:
                return True
            depth, b = -score / width, [v / width for v in Pa]
            self.c = [u + (1 + d * depth) / (d + 1) * v for u, v in zip(self.c, b, strict=True)]
            if d == 1:
                self.P[0][0] *= ((1 - depth) / 2) ** 2
                return True
            shrink = 2 * (1 + d * depth) / ((d + 1) * (1 + depth))
            grow = Decimal(d * d) / (d * d - 1) * (1 - depth * depth)
            self.P = [
                [grow * (self.P[i][j] - shrink * b[i] * b[j]) for j in range(d)] for i in range(d)
            ]
            return True


class Chain:
    """w ← w + Φ(x, y) − Φ(x, ŷ); x is a list of lists of features, y of tags.

    Of the best outputs the one whose tags, read from the last to the first, were seen first.
    """

    def __init__(self) -> None:
        self.w: Counter[Any] = Counter()
        self.sum: Counter[Any] = Counter()  # Σ_t w_{t+1}
        self.tags: list[str] = []
        self.updates: list[int] = []  # ‖Φ(x, y) − Φ(x, ŷ)‖²

    @staticmethod
    def phi(x: Any, y: Any) -> Counter[Any]:
        emissions = Counter((f, tag) for fs, tag in zip(x, y, strict=True) for f in fs)
        return emissions + Counter(("move", *pair) for pair in pairwise([None, *y]))

    def score(self, x: Any, z: Any) -> int:
        return sum(self.w[key] * count for key, count in self.phi(x, z).items())

    def ranked(self, x: Any) -> list[tuple[int, list[str]]]:
        """Every output with its score, best first: by brute force."""
        ids = range(len(self.tags))
        named = [[self.tags[k] for k in z] for z in product(ids, repeat=len(x))]
        order = lambda z: (-self.score(x, z), [self.tags.index(tag) for tag in reversed(z)])  # noqa: E731
        return [(self.score(x, z), z) for z in sorted(named, key=order)]

    def predict(self, x: Any) -> list[str]:
        """By Viterbi's algorithm: (−score, ids from the last to the first) of the best so far."""
        best: list[tuple[int, list[int]]] = [(0, [])]
        for fs in x:
            best = [
                min(
                    (cost - self._step(fs, ids, k), [k, *ids])
                    for cost, ids in best
                )
                for k in range(len(self.tags))
            ]  # fmt: skip
        return [self.tags[k] for k in reversed(min(best)[1])]

    def _step(self, fs: Any, ids: list[int], k: int) -> int:
        before = self.tags[ids[0]] if ids else None
        return self.w["move", before, self.tags[k]] + sum(self.w[f, self.tags[k]] for f in fs)

    def learn(self, x: Any, y: Any) -> bool:
        self.tags += [tag for tag in dict.fromkeys(y) if tag not in self.tags]
        z = self.predict(x)
        if z != list(y):
            step = self.phi(x, y)
            step.subtract(self.phi(x, z))
            self.w.update(step)
            self.updates.append(sum(v * v for v in step.values()))
        self.sum.update(self.w)
        return z != list(y)
