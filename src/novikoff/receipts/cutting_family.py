"""The families of cutting learners: halving for halfspaces, by ellipsoids and by centroids."""

import math

from novikoff.comparators.histogram import margins_of
from novikoff.comparators.scaling import near_one
from novikoff.comparators.soft_margin import Rows, pairs
from novikoff.learners import CuttingLearner
from novikoff.receipts.family import Family, Question, register
from novikoff.receipts.perceptron_family import bound_of
from novikoff.receipts.reread_rounds import coded
from novikoff.receipts.separation import OwnWeights, widest_margin
from novikoff.theory import Bound, theorems_about

_FLOATS = "whose centre is computed in floats"


def _bounds(question: Question) -> list[Bound]:
    """Evaluate the theorem at the largest margin found."""
    run, learner = question.run, question.run.learner
    assert isinstance(learner, CuttingLearner)
    scaled = near_one(coded(run, question.stream), learner.bias)
    rows = Rows(scaled.blocks, scaled.bias)
    best = widest_margin(OwnWeights(run, scaled.shift), rows, question.watch)
    if best is None:
        return []
    length = math.sqrt(rows.radius2) * math.sqrt(best.norm2)
    relative = best.margin / length * (1 - 2**-50)  # below γ/(R‖w*‖), whatever was rounded
    evidence = {"dimension": learner.size, "relative_margin": min(relative, 1.0)}
    comparator, margins = {"w": pairs(best)}, margins_of(rows, best)
    return [
        bound_of(run, theorem.id, theorem.evaluate(evidence).value, None, comparator, margins)
        for theorem in theorems_about(learner.family)
    ]


register(
    Family("ellipsoid", _bounds, inexact=_FLOATS),
    Family("centroid", _bounds, inexact=_FLOATS),
)
