"""Runs that go on from a model: the first weights are not 0, and what was learned before counts.

The rounds, the mistakes and the losses are those after the start. Each form is derived here from
the theorem for a new learner, whose citation it keeps, and gives that theorem back if nothing was
learned before. The losses and mistakes of consecutive days add up, and so do their bounds; each day
may have a comparator of its own.
"""

from decimal import Decimal
from fractions import Fraction

from novikoff.theory.theorem import Number, exact, ln, require, root, theorem

Exact = int | float | Fraction


@theorem("hinge-resumed", "mohri2013", families=("perceptron",))
def hinge_resumed(
    radius2: Exact, norm2: Exact, hinge: Exact, start_product: Exact, start_norm2: Exact
) -> Decimal:
    """Proof: Here w is the comparator, and w_t are the learner's weights before round t. A mistake
    adds y x to w_t, so w·w_t grows by y w·x ≥ 1 − max(0, 1 − y w·x). It begins at w·w_1, so at the
    end it is at least w·w_1 + M − L, where L is the sum of the hinge losses. Because y w_t·x ≤ 0 in
    a mistake, ‖w_t‖² grows by at most R² each time, from ‖w_1‖². By Cauchy and Schwarz M − c ≤
    ‖w‖√(‖w_1‖² + MR²) = √(b + aM), with c = L − w·w_1. If M ≥ c, square both sides and solve the
    quadratic for M. If M < c there is nothing to show. With sums over the mistakes alone, L_I of
    the hinge losses and S_I of ‖x_t‖², the same steps give M ≤ L_I − w·w_1 + ‖w‖√(‖w_1‖² + S_I).

    Tight: x = 1 with alternating labels and w = 0: M = L = T. The run begins with w_1 = 0, or with
    the w_1 = −1 that an odd number of such rounds leaves.
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
    """Proof: As for `ftrl-diag`, coordinate by coordinate, but with θ_1 = θ instead of 0. The step
    θ_{t+1} = θ_t − g_t x_t and w_t = θ_t/λ_t give θ_{t+1}²/2λ_t = θ_t²/2λ_t − g_t x_t w_t +
    g_t²x_t²/2λ_t. Because λ never falls from κ at the start to λ at the end, adding up gives Σ_t
    g_t x_t w_t ≤ θ²/2κ − θ_{T+1}²/2λ + Σ_t g_t²x_t²/2λ_t. For a new feature θ is 0, and θ²/2κ
    counts as 0. The comparator has −Σ_t g_t x_t u = u θ_{T+1} − u θ ≤ θ_{T+1}²/2λ + λu²/2 − u θ.
    Add the two; by convexity the left sides together bound how much more the learner loses than u.
    A coordinate that is 0 in all of these rounds adds nothing to either side.

    Tight: not: only in the limit, as for `ftrl-diag`; we measure how near it comes.
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
    """Proof: As for `fixed-share`: q_t(y_t) are the probabilities that one member gives, and π_t is
    its weight. Here it begins with the weight π instead of 1/K. Let t count the rounds before a
    round; the share after that round is 1/(t + 2), so π_{t+1} ≥ (t + 1)/(t + 2)·π_t
    q_t(y_t)/p_t(y_t). Multiply these for t from T₀ to T₀ + T − 2: the fractions in front make (T₀ +
    1)/(T₀ + T). In the last round p_t(y_t) ≥ π_t q_t(y_t). So the mixture's loss is at most the
    member's + ln(1/π) + ln((T₀ + T)/(T₀ + 1)), and ``ftrl-diag-resumed`` bounds the loss of
    AdaptiveGradient(rate).

    Tight: not: as for `fixed-share`; we measure how near it comes.
    """
    require(0 < weight <= 1, "fixed-share-resumed", "a weight above 0, at most 1", weight)
    require(rounds >= 1, "fixed-share-resumed", "one round or more", rounds)
    require(rounds_before >= 0, "fixed-share-resumed", "rounds before", rounds_before)
    least = min(inherited, rounding)
    require(least >= 0, "fixed-share-resumed", "measures of 0 or more", least)
    price = Fraction(rounds_before + rounds, rounds_before + 1) / Fraction(weight)
    return exact(Fraction(inherited) + Fraction(rounding)) + ln(price)
