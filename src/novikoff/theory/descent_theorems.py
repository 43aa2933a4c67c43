"""ℓ_t(s) is a convex loss of a score s: logistic, hinge, squared or absolute. L(u) = Σ_t ℓ_t(u·x_t)
is that of a fixed u, and g_t the derivative of ℓ_t at the score that was played. Any u gives a
bound; a good one makes it tight.

The theorems are about real numbers, and the learner is a float program. A rounding term covers the
difference: docs/programs.md proves it, and ``descent_rounding`` computes it.
"""

import math
from fractions import Fraction

from novikoff.theory.loss_theorems import MOST_ROUNDS, Exact
from novikoff.theory.theorem import require, theorem

FAR = 2.0**300
"""The largest value of a feature, and the largest stability, for which the rounding is proved."""
SHARE = Fraction(203633, 10**6)
"""c = ½ max g²/−ln(1 − g) over 0 < g < 1, which is 0.2036321…, rounded up."""


def descent_rounding(
    rounds: int, loss: Exact, stability: Exact, penalty: Exact, start: Exact = 0
) -> Fraction:
    """Return 2⁻⁴⁷ T (T + loss + stability + penalty + start), which covers the rounding of floats.

    The penalty is ‖u − w₁‖²/2rate, and ``start`` is ‖w₁‖²/2rate: 0 for a fresh learner.
    """
    require(rounds <= MOST_ROUNDS, "ogd", "at most 2**40 rounds", rounds)
    require(stability <= FAR, "ogd", "steps whose sum is at most 2**300", stability)
    sums = (float(loss), float(penalty), float(start))
    require(all(map(math.isfinite, sums)), "ogd", "sums within float64", sums)
    terms = Fraction(loss) + Fraction(stability) + Fraction(penalty) + Fraction(start)
    return Fraction(rounds, 2**47) * (rounds + terms)


@theorem("ogd", "zinkevich2003", families=("gradient-descent",), of="loss")
def ogd(
    comparator_loss: Exact, penalty: Exact, distance: Exact, stability: Exact, rounding: Exact
) -> Fraction:
    """Proof: Let η be the rate. A step w_{t+1} = w_t − η g_t x_t gives ‖w_{t+1} − u‖² = ‖w_t − u‖²
    − 2η g_t x_t·(w_t − u) + η² g_t²‖x_t‖². Add this up over the rounds and divide by 2η; because
    w_1 = 0, ‖w_1 − u‖² is ‖u‖². So Σ_t g_t x_t·(w_t − u) = ‖u‖²/2η − ‖w_{T+1} − u‖²/2η + (η/2) Σ_t
    g_t²‖x_t‖². The losses are convex: ℓ_t(w_t·x_t) − ℓ_t(u·x_t) ≤ g_t (w_t − u)·x_t. So the learner
    loses at most this sum more than u.

    Tight: not: only the rounding term is in the way. If x = 1 and y = 1 in every round, the loss is
    the hinge or the absolute one and rate·T ≤ 1, then the losses are linear, and without that term
    both sides are equal for every u ≤ 1.
    """
    parts = (comparator_loss, penalty, distance, stability, rounding)
    require(min(parts) >= 0, "ogd", "measures of 0 or more", min(parts))
    allowed, taken = (comparator_loss, penalty, stability, rounding), Fraction(distance)
    return sum((Fraction(part) for part in allowed), -taken)


@theorem("ogd-logistic", "zinkevich2003", families=("gradient-descent",), of="loss")
def ogd_logistic(
    comparator_loss: Exact, penalty: Exact, rate: Exact, radius2: Exact, rounding: Exact
) -> Fraction:
    """Proof: This is derived here from `ogd`, without its distance; η is the rate again. A label
    that was given the probability 1 − |g| costs the logistic loss ℓ = −ln(1 − |g|). So g² ≤ 2cℓ,
    where 2c is the maximum of (1 − e^{−ℓ})²/ℓ. The derivative of that has the sign of 1 + 2ℓ − e^ℓ,
    which is concave in ℓ and is 0 at ℓ = 0 and at ℓ* = 1.25643…. So the maximum is at ℓ*, and c =
    e^{−ℓ*}(1 − e^{−ℓ*}) = 0.2036321…. Hence (η/2) Σ_t g_t²‖x_t‖² ≤ cηR² Σ_t ℓ_t. Bring this to the
    left side, and divide by 1 − cηR², which is above 0.

    Tight: not: if x = 1 and every label goes against the prediction, T rounds cost at least T ln 2,
    and with u = 0 the theorem allows T ln 2/(1 − c·rate); we measure how near it comes.
    """
    parts = (comparator_loss, penalty, radius2, rounding)
    require(min(parts) >= 0, "ogd-logistic", "measures of 0 or more", min(parts))
    share = SHARE * Fraction(rate) * Fraction(radius2)
    require(share < 1, "ogd-logistic", "0.203633·rate·R² below 1", f"{float(share):.6g}")
    allowed = Fraction(comparator_loss) + Fraction(penalty) + Fraction(rounding)
    return allowed / (1 - share)


@theorem("ogd-resumed", "zinkevich2003", families=("gradient-descent",), of="loss")
def ogd_resumed(
    comparator_loss: Exact, penalty: Exact, distance: Exact, stability: Exact, rounding: Exact
) -> Fraction:
    """Proof: As for `ogd`, but the first weights are the w_1 of a model instead of 0, so ‖w_1 − u‖²
    stays as it is. The weight of a feature that is 0 in all of these rounds does not change, so it
    adds the same to ‖w_1 − u‖² and to ‖w_{T+1} − u‖².

    Tight: not: only the rounding term is in the way, as for `ogd`: take x = 1 and y = 1 with the
    hinge or the absolute loss, from w_1 = ½.
    """
    parts = (comparator_loss, penalty, distance, stability, rounding)
    require(min(parts) >= 0, "ogd-resumed", "measures of 0 or more", min(parts))
    allowed, taken = (comparator_loss, penalty, stability, rounding), Fraction(distance)
    return sum((Fraction(part) for part in allowed), -taken)
