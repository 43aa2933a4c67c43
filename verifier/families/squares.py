"""Predictions of numbers: what they lose by squares, against the best fixed weights."""

from fractions import Fraction

from verifier.core.certificate import Json, Object, require
from verifier.core.duals import SquaredDual
from verifier.core.exact import dot, least_float, whole
from verifier.core.predicted import PREDICTION_CLAIMS, Measured, PredictionClaim, Predictions
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.fixed_weights import WHEN, FixedWeights, compared
from verifier.families.regression import RealData

THEOREMS |= {
    "fixed-weights-squared": Theorem(
        "Σ_t (y_t − p_t)² ≤ min_u [Σ_t (y_t − u·x_t)² + ½Σ_i λ_i u_i²] + B, where p_t is the "
        "prediction of row t, y_t its label, a real number, and λ_i = λ·max_t x_{t,i}²",
        assumptions=(WHEN,),
    ),
}


def measure_squared(
    evidence: Object, bound: Json, data: RealData, predictions: Predictions
) -> Measured:
    """Find B = Σ_t (y_t − p_t)² − D, where D is the dual lower bound for c_t = 2(y_t − w·x_t).

    All but the dual is exact: values are whole numbers of units.
    """
    require(predictions.kind == "value", "its predictions are no values")
    fixed = FixedWeights(evidence, data.grid)
    fine = max(fixed.fine + data.grid, data.fine, predictions.grid)  # of labels and scores
    dual, shift = SquaredDual(fine), fine - fixed.fine - data.grid
    own = loss = total = squares = 0
    for (y, (indices, values)), value in zip(data, predictions.numbers(), strict=True):
        x, (label, guess) = (indices, whole(values, data.grid)), whole([y, value], fine)
        fixed.see(x)
        rest = label - (dot(fixed.u, x) << shift)
        dual.take(Fraction(label, 1 << fine), 2 * rest, x)
        own += (label - guess) ** 2
        loss += rest * rest
        total += label
        squares += label * label
    unit = 1 << 2 * fine
    best = Fraction(loss, unit) + fixed.paid()
    mean = Fraction(squares - Fraction(total * total, data.count)) / unit
    return compared(Fraction(own, unit), best, fixed.least(dual), {"baseline": least_float(mean)})


PREDICTION_CLAIMS |= {
    "fixed-weights-squared": PredictionClaim(
        ("predictions", "kind", "penalty", "bias", "w"),
        ("loss", "least", "regret", "baseline"),
        measure_squared,
        reads=RealData,
    ),
}
