"""Gradient descent that goes on from the weights of a saved model."""

from fractions import Fraction

from verifier.core.certificate import Json, Names, Object, require
from verifier.core.data import Data
from verifier.core.exact import least_float
from verifier.core.learner import LEARNERS
from verifier.core.models import Model
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.descent import GradientDescent, apart

THEOREMS |= {
    "ogd-resumed": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ L(u) + ‖u − w_1‖²/2rate − ‖w_{T+1} − u‖²/2rate + "
        "(rate/2)Σ_t g_t²‖x_t‖² + rounding for every u, where w_1 are the weights before the first "
        "of these rounds, ℓ_t(s) is the loss of a score s, logistic ln(1 + e^{−y_t s}), hinge "
        "max(0, 1 − y_t s), squared (y_t − s)² or absolute |y_t − s|, g_t its derivative at the "
        "score that was played, and L(u) = Σ_t ℓ_t(u·x_t)"
    ),
}


class ResumedGradientDescent(GradientDescent):
    """A run of `gradient-descent/1` from nothing or from the weights of a model."""

    resumed: Names = ("ogd-resumed", "progressive")

    def __init__(self, data: Data, rate: float, loss: str, hashing: Object | None = None) -> None:
        super().__init__(data, rate, loss, hashing)
        self.first: dict[int, float] = {}  # the weights that it began with

    @staticmethod
    def stated(mistakes: Object, evidence: Object) -> Json:
        """Return the loss, or the mistakes if they are what the theorem is about."""
        return evidence.get("loss", mistakes["count"])

    def begin(self, model: Model) -> None:
        """Take the weight of every feature, the constant one first."""
        self.weights = {i: w for i, w in enumerate(model.reals("w"), -1) if w}
        self.first = dict(self.weights)

    def follow(self, before: GradientDescent) -> None:
        """Take over the weights of another run."""
        self.weights = dict(before.weights)
        self.first = dict(self.weights)

    def bound(self, theorem: str) -> float:
        """Evaluate `ogd-resumed` with rounding = 2⁻⁴⁷T(T + loss + stability + penalty + start)."""
        if theorem != "ogd-resumed":
            return super().bound(theorem)
        rate, start2 = Fraction(self.rate), apart(self.first, 0, {})
        require(start2 <= 1 << 400, "the weights that it began with are beyond 2^200")
        penalty = apart(self.first, self.fine, self.u) / (2 * rate)
        return least_float(self.penalised(penalty, start2 / (2 * rate)) + self.moved())


LEARNERS |= {"GradientDescent": ResumedGradientDescent}
