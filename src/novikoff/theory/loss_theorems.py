"""ℓ_t(s) = ln(1 + e^{−y_t s}) is the logistic loss, L(u) = Σ_t ℓ_t(u·x_t) that of a fixed u, and
g_t the derivative of ℓ_t at the score that was played. Any u gives a bound; a good one makes it
tight.

The theorems are about real numbers, and the learners are float programs. A rounding term covers the
difference: docs/programs.md proves it, and ``rounding`` computes it.
"""

from fractions import Fraction

from novikoff.theory.theorem import require, theorem

Exact = int | float | Fraction
MOST_ROUNDS = 2**40


def rounding(rounds: int, loss: Exact, stability: Exact, penalty: Exact) -> Fraction:
    """Return 2⁻⁴⁹ T (T + 5 (loss + stability + penalty)), which covers the rounding of floats."""
    require(rounds <= MOST_ROUNDS, "ftrl-diag", "at most 2**40 rounds", rounds)
    terms = Fraction(loss) + Fraction(stability) + Fraction(penalty)
    return Fraction(rounds, 2**49) * (rounds + 5 * terms)


@theorem("ftrl-diag", "mcmahan2017", families=("adaptive-gradient",), of="loss")
def ftrl_diag(
    comparator_loss: Exact, penalty: Exact, stability: Exact, rounding: Exact
) -> Fraction:
    """Proof: Per coordinate let θ_t = −Σ_{s<t} g_s x_s. Then w_t = θ_t/λ_t gives θ_{t+1}²/2λ_t =
    θ_t²/2λ_t − g_t x_t w_t + g_t² x_t²/2λ_t. Since λ never falls, θ²/2λ is at the end at most the
    sum of the last two terms over all rounds; and θu ≤ θ²/2λ + λu²/2. So Σ_t g_t x_t (w_t − u) ≤
    λu²/2 + Σ_t g_t² x_t²/2λ_t. Add up the coordinates: ℓ_t is convex, so ℓ_t(w_t·x_t) − ℓ_t(u·x_t)
    ≤ g_t (w_t − u)·x_t.

    Tight: not: in the limit alone: x = 1 with labels against the prediction costs T ln 2 at least,
    and with u = 0 at most T ln 2 + 2 rate √(T + 1) is allowed; the share is measured.
    """
    parts = (comparator_loss, penalty, stability, rounding)
    require(min(parts) >= 0, "ftrl-diag", "measures of 0 or more", min(parts))
    return sum((Fraction(part) for part in parts), Fraction(0))
