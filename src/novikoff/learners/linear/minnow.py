"""Minnow, the normalised Winnow, and its balanced form."""

import math
from collections.abc import Iterable
from typing import Any, ClassVar, Self

from novikoff import _core
from novikoff.errors import as_float, parameter
from novikoff.learners.learner import Parameters
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.streams import Hashing, Transform


class Minnow(CoreLearner):
    """Multiplies weights where the perceptron adds: for many features of which few matter.

    w_j ← w_j e^{η y x_j}/Z on a mistake, from w_j = 1/d   (littlestone1988; kivinen1997).

    Predicts sgn(w·x). The weights stay positive and add up to 1, so the target must be a w* ≥ 0;
    ``BalancedMinnow`` learns targets of either sign. The mistakes grow with ln d, not with d. The
    learner keeps θ = Σ y x over the mistakes, exactly: w_j is proportional to e^{ηθ_j}, so nothing
    overflows, and enclosures settle near ties (``core/learners/linear/minnow.hpp``).

    >>> import novikoff as nv
    >>> run = nv.play(nv.Minnow(eta=0.5), [((1, -1), -1), ((1, -1), -1), ((-1, 0.5), 1)])
    >>> run.mistakes, run.hypothesis().w.round(4).tolist()
    (1, [0.2689, 0.7311])
    """

    unmixed: ClassVar[str] = "whose weights are multiplied, so that a mean of them has no bound"
    family: ClassVar[str] = "minnow"
    balanced: ClassVar[bool] = False
    """Whether its target may have weights of either sign."""
    _former_arrays: ClassVar[frozenset[str]] = frozenset({"energy"})
    core: _core.Minnow | _core.BalancedMinnow

    def __init__(
        self,
        eta: float,
        bias: float | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        if not 0 < as_float(eta) <= 1e300:
            raise parameter("eta", "a positive number", eta, "for_margin finds the best one.")
        self.eta: float = float(eta)
        self.core = self._new_core()

    @classmethod
    def for_margin(
        cls, margin: float, radius: float = 1.0, norm: float = 1.0, **others: Any
    ) -> Self:
        """Return the learner with the best η, artanh(g)/R with g = γ/(‖w*‖₁R).

        ``margin`` is γ, with y w*·x ≥ γ in every round; ``radius`` R is at least every |x_j|, and
        ``norm`` is ‖w*‖₁. The other arguments are those of the class.
        """
        for name, value in (("margin", margin), ("radius", radius), ("norm", norm)):
            if not 0 < as_float(value) < math.inf:
                raise parameter(name, "a positive number", value)
        margin, radius, norm = float(margin), float(radius), float(norm)
        if not margin < norm * radius:
            raise parameter(
                "margin", f"less than norm · radius = {norm * radius:g}", margin, "Or pass eta."
            )
        return cls(eta=math.atanh(margin / (norm * radius)) / radius, **others)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"eta": self.eta, **self.named_parameters}

    @property
    def weight_norm(self) -> float:
        """The length of the weights, ‖w‖, with the constant feature's."""
        return self.hypothesis().norm

    def hypothesis(self) -> Halfspace:
        """Return w; a weight below the smallest float64 is 0."""
        self.require_finite()
        weights = self.core.normalized()
        found = Halfspace(weights[1:], self.bias, weights[0], features=self.known_features)
        return self.carrying(found)

    def _new_core(self) -> _core.Minnow | _core.BalancedMinnow:
        return _core.Minnow(self.bias or 0.0, self.eta)


class BalancedMinnow(Minnow):
    """Minnow for targets of either sign: it also sees every feature negated.

    It plays ``Minnow`` on (x, −x)   (kivinen1997, EG±).

    The two weights of a feature make one, w⁺_j − w⁻_j, proportional to e^{ηθ_j} − e^{−ηθ_j}: the
    first round is an exact tie, and d counts twice in the bound.

    >>> import novikoff as nv
    >>> run = nv.play(nv.BalancedMinnow(eta=0.5), [((1, -1), -1), ((-1, 1), 1), ((1, 0), -1)])
    >>> run.mistakes, run.hypothesis().w.round(3).tolist()
    (1, [-0.231, 0.231])
    """

    balanced: ClassVar[bool] = True

    def _new_core(self) -> _core.BalancedMinnow:
        return _core.BalancedMinnow(self.bias or 0.0, self.eta)
