"""Twins in fractions of learners whose rounds have weights, and what an opponent aims at."""

import math
import random
from fractions import Fraction
from operator import mul

from twins import Minnow, Vector, add, dot


class Halfspace:
    """w ← w + c y x on a mistake, for a round of weight c."""

    def __init__(self, ties: str = "positive") -> None:
        self.ties = ties
        self.w: Vector = {}
        self.voters: list[tuple[Vector, int]] = [({}, 0)]  # each with the round that made it

    def predict(self, x: Vector) -> int:
        score = dot(self.w, x)
        return 0 if score == 0 and self.ties == "mistake" else 1 if score >= 0 else -1

    def learn(self, x: Vector, y: int, weight: Fraction, t: int) -> bool:
        mistaken = self.predict(x) != y
        if mistaken and weight:
            add(self.w, {j: weight * v for j, v in x.items()}, y)
            self.voters.append((dict(self.w), t))
        return mistaken

    def vote(self, x: Vector, most: int, rounds: int) -> int:
        """Return the vote of the last weights, each for the rounds that it survived."""
        births = [t - 1 for _, t in self.voters[1:]] + [rounds]
        spans = [
            last - max(first - 1, 0) for (_, first), last in zip(self.voters, births, strict=True)
        ]
        signs = [1 if dot(w, x) >= 0 else -1 for w, _ in self.voters]
        return sum(map(mul, spans[-most:], signs[-most:]))

    def contested(self, draw: random.Random) -> Vector:
        """Return the weights whose score the opponent brings close to 0."""
        return self.w

    def label(self, draw: random.Random, x: Vector) -> int:
        return draw.choice((-1, 1, -self.predict(x) or 1))


class Classes:
    """w_y ← w_y + c x, w_ŷ ← w_ŷ − c x on a mistake; ties to the first class seen."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.w: dict[int, Vector] = {}

    def predict(self, x: Vector) -> int:
        return max(self.w, key=lambda k: (dot(self.w[k], x), -k)) if self.w else 0

    def learn(self, x: Vector, y: int, weight: Fraction, t: int) -> bool:
        found = self.predict(x)
        self.w.setdefault(y, {})
        if found != y and weight:
            add(self.w[y], {j: weight * v for j, v in x.items()}, 1)
            add(self.w[found], {j: weight * v for j, v in x.items()}, -1)
        return found != y

    def contested(self, draw: random.Random) -> Vector:
        if len(self.w) < 2:
            return {}
        first, second = draw.sample(sorted(self.w), 2)
        difference = dict(self.w[first])
        add(difference, self.w[second], -1)
        return difference

    def label(self, draw: random.Random, x: Vector) -> int:
        return draw.randint(0, min(len(self.w), self.most - 1))


class Exponential(Minnow):
    """The twin of Minnow with weights of rounds."""

    def learn(self, x: Vector, y: int, weight: Fraction = Fraction(1), t: int = 0) -> bool:
        mistaken = self.predict(x) != y
        if mistaken:
            add(self.theta, {j: weight * v for j, v in x.items()}, y)
        return mistaken

    def contested(self, draw: random.Random) -> Vector:
        of = math.sinh if self.balanced else math.exp
        sizes = {j: self.eta * v for j, v in self.theta.items()}
        return {j: Fraction(of(a)) for j, a in sizes.items() if abs(a) < 300}

    def label(self, draw: random.Random, x: Vector) -> int:
        return draw.choice((-1, 1, -self.predict(x)))


Twin = Halfspace | Classes | Exponential
