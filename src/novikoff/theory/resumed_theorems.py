"""Runs that go on from a model: the first weights are not 0, and what was learned before counts.

The rounds, the mistakes and the losses are those after the start. Each form is derived here from
the theorem for a new learner, whose citation it keeps, and gives that theorem back if nothing was
learned before. Losses and mistakes of consecutive runs add up, and so do their bounds: each day has
a comparator of its own.
"""

from decimal import Decimal
from fractions import Fraction

from novikoff.theory.theorem import Number, exact, ln, require, root, theorem

Exact = int | float | Fraction


@theorem("hinge-resumed", "mohri2013", families=("perceptron",))
def hinge_resumed(
    radius2: Exact, norm2: Exact, hinge: Exact, start_product: Exact, start_norm2: Exact
) -> Decimal:
    """Proof: A mistake adds y x to the weights, so w·w_t grows by y w·x ≥ 1 − hinge, from w·w_1: at
    the end it is at least w·w_1 + M − L. Because y w_t·x ≤ 0 in a mistake, ‖w_t‖² grows by at most
    R², from ‖w_1‖². By Cauchy and Schwarz M − c ≤ ‖w‖√(‖w_1‖² + MR²) = √(b + aM) with
    c = L − w·w_1. Solve the quadratic for M. If M < c there is nothing to show. Summed over the
    mistakes alone the same says M ≤ L_I − w·w_1 + ‖w‖√(‖w_1‖² + S_I).

    Tight: x = 1 with labels alternating, from w_1 = 0 or from the w_1 = −1 that an odd number of
    them leaves, and w = 0: M = L = T.
    """
    require(min(radius2, norm2, hinge, start_norm2) >= 0, "hinge-resumed", "squares", "less than 0")
    c = exact(hinge) - exact(start_product)
    a, b = exact(radius2) * exact(norm2), exact(start_norm2) * exact(norm2)
    square = a * a / 4 + a * c + b
    require(square >= 0, "hinge-resumed", "a run from these weights", "what none can do")
    return c + a / 2 + root(square)


@theorem("ftrl-diag-resumed", "mcmahan2017", families=("adaptive-gradient",), of="loss")
def ftrl_diag_resumed(
    comparator_loss: Exact,
    penalty: Exact,
    start_product: Exact,
    potential: Exact,
    stability: Exact,
    rounding: Exact,
) -> Number:
    """Proof: As for `ftrl-diag`, per coordinate, with θ_1 = θ instead of 0: θ_{t+1}²/2λ_t =
    θ_t²/2λ_t − g_t x_t w_t + g_t²x_t²/2λ_t and λ never falls, so Σ_t g_t x_t w_t ≤ θ²/2κ −
    θ_{T+1}²/2λ + Σ_t g_t²x_t²/2λ_t. And −Σ_t g_t x_t u = u θ_{T+1} − u θ ≤ θ_{T+1}²/2λ + λu²/2 − u
    θ. A coordinate that is 0 in all of these rounds adds nothing to either side.

    Tight: not: in the limit alone, as for `ftrl-diag`; we measure how near it comes.
    """
    parts = (comparator_loss, penalty, potential, stability, rounding)
    require(min(parts) >= 0, "ftrl-diag-resumed", "measures of 0 or more", min(parts))
    return sum((Fraction(part) for part in parts), -Fraction(start_product))


def resumed_mixture_rounding(rounds: int, *terms: Exact) -> Fraction:
    """Return 2⁻⁴² T + 2⁻⁴⁹ T (T + 5 (L(u) + stability + penalty + potential))."""
    total = sum((Fraction(term) for term in terms), Fraction(0))
    return Fraction(rounds, 2**42) + Fraction(rounds, 2**49) * (rounds + 5 * total)


@theorem("fixed-share-resumed", "herbster1998", families=("blend",), of="loss")
def fixed_share_resumed(
    inherited: Exact, weight: Exact, rounds_before: int, rounds: int, rounding: Exact
) -> Decimal:
    """Proof: As for `fixed-share`, but the member begins with the weight π instead of 1/K, and the
    share after the round that t others precede is 1/(t + 2): π_{t+1} ≥ (t + 1)/(t + 2)·π_t
    q_t(y_t)/p_t(y_t). Multiply these for t from T₀ to T₀ + T − 2: the product of the factors is
    (T₀ + 1)/(T₀ + T). So the mixture's loss is at most the member's + ln(1/π) +
    ln((T₀ + T)/(T₀ + 1)), and ``ftrl-diag-resumed`` bounds the loss of AdaptiveGradient(rate).

    Tight: not: as for `fixed-share`; we measure how near it comes.
    """
    require(0 < weight <= 1, "fixed-share-resumed", "a weight above 0, at most 1", weight)
    require(rounds >= 1, "fixed-share-resumed", "one round or more", rounds)
    require(rounds_before >= 0, "fixed-share-resumed", "rounds before", rounds_before)
    least = min(inherited, rounding)
    require(least >= 0, "fixed-share-resumed", "measures of 0 or more", least)
    price = Fraction(rounds_before + rounds, rounds_before + 1) / Fraction(weight)
    return exact(Fraction(inherited) + Fraction(rounding)) + ln(price)
