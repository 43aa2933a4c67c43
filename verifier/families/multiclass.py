"""The perceptron with many classes."""

from collections import defaultdict

from verifier.core.certificate import Object
from verifier.core.data import Data
from verifier.core.exact import Vector, dot
from verifier.core.learner import LEARNERS, PARAMETERS
from verifier.families.perceptron import LINEAR, Perceptron


class MulticlassPerceptron(Perceptron):
    """w_y ← w_y + x, w_ŷ ← w_ŷ − x on a mistake; ties to the class seen first."""

    many = True
    step = 2

    def __init__(self, data: Data, hashing: Object | None = None) -> None:
        super().__init__(data, hashing=hashing)
        self.columns: list[dict[int, int]] = []

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge the first best of the classes seen, this round's among them, against y."""
        if y == len(self.columns):
            self.columns.append(defaultdict(int))
        scores = [dot(w, x) for w in self.columns]
        best = scores.index(max(scores))
        for j, v in zip(*x, strict=True) if best != y else ():
            self.columns[y][j] += v
            self.columns[best][j] -= v
        return best != y

    def margin(self, y: int, x: Vector) -> int:
        """Return by how much the right class scores above every other."""
        scores = [dot(self.w[k], x) for k in range(len(self.data.codes))]
        return scores.pop(y) - max(scores, default=0)


LEARNERS |= {"MulticlassPerceptron": MulticlassPerceptron}
PARAMETERS |= {"MulticlassPerceptron": LINEAR}
