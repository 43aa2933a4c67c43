"""The learners again, as a reader would write them: ten lines each, in exact fractions."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

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


class Multiclass:
    """w_y ← w_y + x, w_ŷ ← w_ŷ − x on a mistake; ties to the first class seen."""

    def __init__(self) -> None:
        self.w: dict[int, Vector] = defaultdict(dict)

    def predict(self, x: Vector) -> int:
        seen = sorted(self.w)
        return max(seen, key=lambda k: (dot(self.w[k], x), -k)) if seen else 0

    def learn(self, x: Vector, y: int) -> bool:
        _ = self.w[y]
        prediction = self.predict(x)
        if prediction != y:
            add(self.w[y], x, 1)
            add(self.w[prediction], x, -1)
        return prediction != y


def mistake_rounds(
    twin: Perceptron | Multiclass, rows: Iterable[Vector], labels: Iterable[int]
) -> list[int]:
    """Play every round; the rounds of the mistakes, from 1."""
    return [
        t for t, (x, y) in enumerate(zip(rows, labels, strict=True), 1) if twin.learn(x, int(y))
    ]
