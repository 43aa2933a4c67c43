"""Comparators for many classes: one w_k for each class, together w (crammer2001).

A round's loss is max(0, 1 − (w_y·x − max_{k ≠ y} w_k·x)); all else is as for two labels.
"""

import numpy as np

from novikoff import _core
from novikoff.comparators.soft_margin import Found, Rows
from novikoff.comparators.solver import BiasWeight
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, FloatArray, IntArray

Blocks = list[tuple[ArrayBlock, AnyArray]]


class ClassRows(Rows):
    """The rounds of one pass, in blocks; a label is the number of its class.

    An update changes two w_k by x, so ‖x‖² counts twice; R² is over the mistakes.
    """

    within = 2e-3  # the time to solve grows with the number of classes

    def __init__(
        self, blocks: Blocks, bias: float | None, classes: int, mistakes: IntArray
    ) -> None:
        self.classes = classes
        super().__init__(blocks, bias)
        self.radius2 = 2 * float(self._over(self.nothing, mistakes).radius_square)

    def zero(self) -> tuple[FloatArray, BiasWeight]:
        """Return w = 0 and bias_weight = 0."""
        return np.zeros((self.columns, self.classes)), np.zeros(self.classes)

    def measured(self, w: FloatArray, bias_weight: BiasWeight) -> Found:
        """Measure any w; unknown features weigh 0."""
        whole = self.zero()[0]
        whole[: len(w)] = w
        m = self._measures(whole, bias_weight)
        assert isinstance(m, _core.ClassMeasures)
        return Found(whole, bias_weight, m.norm2, m.hinge, m.hinge_square, m.margin)

    def over(self, found: Found, rows: IntArray) -> tuple[float, float]:
        """Return (Σ hinge, Σ 2‖x‖²) over these rows, counting repeated rows repeatedly."""
        hinge, energy = super().over(found, rows)
        return hinge, 2 * energy

    def _unmeasured(self, w: FloatArray, bias_weight: BiasWeight) -> _core.ClassMeasures:
        return _core.ClassMeasures(w, np.asarray(bias_weight), self.bias)

    def _solver(self, cost: float, squared: bool) -> _core.ClassMargin:
        return _core.ClassMargin(cost, squared, abs(self.bias), self.classes)


def class_rows(blocks: Blocks, bias: float | None, mistakes: IntArray) -> Rows:
    """Return the rounds of one pass; a single class is compared with nothing, by w·x > 0."""
    classes = max((int(labels.max(initial=0)) + 1 for _, labels in blocks), default=1)
    if classes > 1:
        return ClassRows(blocks, bias, classes, mistakes)
    rows = Rows([(block, np.ones(len(block), np.int8)) for block, _ in blocks], bias)
    rows.radius2 = 0.0  # there are no mistakes
    return rows


def class_weights(found: Found) -> list[list[float]]:
    """Return [class, index, weight] of every weight that is not 0; index −1: the constant's."""
    constant = np.atleast_2d(found.bias_weight).reshape(1, -1)
    w = np.vstack([constant, found.w.reshape(-1, constant.shape[1])])
    j, k = np.nonzero(w)
    triples = zip(k.tolist(), (j - 1).tolist(), w[j, k].tolist(), strict=True)
    return [list(triple) for triple in triples]
