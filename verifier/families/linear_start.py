"""Perceptrons that go on from a saved model: their first weights are other than 0."""

import hashlib
from fractions import Fraction

from verifier.core.certificate import Names, Object, require
from verifier.core.data import Data
from verifier.core.exact import grid, least_float, whole
from verifier.core.learner import LEARNERS
from verifier.core.models import Model
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.perceptron import Perceptron

THEOREMS |= {
    "hinge-resumed": Theorem(
        "M ≤ c + a/2 + √(a²/4 + ac + b) for every w, where the run began with the weights w_1, "
        "c = Σ_t max(0, 1 − y_t w·x_t) − w·w_1, a = R²‖w‖² and b = ‖w‖²‖w_1‖²"
    ),
}
FRONT = 8  # places of saved weights before those of the features; the last is the constant's


class ResumedPerceptron(Perceptron):
    """A run of w ← w + y x on a mistake, from w = 0 or from a state."""

    resumed: Names = ("hinge-resumed", "progressive")

    def __init__(self, data: Data, ties: str = "positive", hashing: Object | None = None) -> None:
        super().__init__(data, ties, hashing)
        self.first: dict[int, int] = {}  # w_1

    def begin(self, model: Model) -> None:
        """Take w_1, whose weights are sums of floats: one in its place, the others by slots."""
        high, low = model.reals("weights"), model.reals("remainder_parts")
        slots = model.counts("remainder_slots")
        sound = len(high) >= FRONT and not any(high[: FRONT - 1]) and len(slots) == len(low)
        sound = sound and all(FRONT - 1 <= slot < len(high) for slot in slots)
        model.expect(sound, "the weights of a perceptron")
        self.data.grid = max(self.data.grid, grid(high), grid(low))
        for slot, v in [*enumerate(whole(high, self.data.grid))][FRONT - 1 :]:
            self.weights[slot - FRONT] += v
        for slot, v in zip(slots, whole(low, self.data.grid), strict=True):
            self.weights[slot - FRONT] += v
        self.first = dict(self.weights)

    def follow(self, before: Perceptron) -> None:
        """Take over the weights of another run, in whole numbers of the finer unit of the two."""
        self.data.grid = max(self.data.grid, before.data.grid)
        finer = self.data.grid - before.data.grid
        for j, v in before.weights.items():
            self.weights[j] = v << finer
        self.first = dict(self.weights)

    def fingerprint(self) -> str:
        """Return SHA-256 over a line "i n e" for each weight n·2^e other than 0, n odd, in hex."""
        self.work.spend(1000 * len(self.weights), "a hash of so many states")
        digest = hashlib.sha256()
        for i, v in sorted((j % (1 << 64), v) for j, v in self.weights.items() if v):
            twos = (v & -v).bit_length() - 1
            digest.update(f"{i} {v >> twos:x} {twos - self.data.grid}\n".encode())
        return digest.hexdigest()

    def bound(self, theorem: str) -> float:
        """Evaluate a theorem, as c + a/2 + √(a²/4 + ac + b) if the run began with w_1."""
        if theorem != "hinge-resumed":
            return super().bound(theorem)
        norm2, first2 = self.norm2(), sum(v * v for v in self.first.values())
        gained = sum(v * self.first.get(j, 0) for j, v in self.w[0].items())  # w·w_1
        c = Fraction(self.hinge - gained, self.unit)
        a, b = (Fraction(norm2 * square, self.unit**2) for square in (self.radius2, first2))
        root = a * a / 4 + a * c + b
        require(root >= 0, "it refutes its theorem")  # which cannot be
        return least_float(c + a / 2, root)


NAMES = ("Perceptron", "AveragedPerceptron", "VotedPerceptron")
LEARNERS |= dict.fromkeys(NAMES, ResumedPerceptron)
