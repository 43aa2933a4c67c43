"""Labels y_t are real numbers, and the loss of a prediction is its squared distance from the label.

The theorem is about real numbers, and the learner is a float program. A rounding term covers the
difference: docs/programs_regression.md proves it, and ``regression_rounding`` computes it.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from novikoff.theory.theorem import exact, ln, require, theorem

Exact = int | float | Fraction
MOST_ROUNDS = 2**26


def regression_rounding(rounds: int, drift: Exact, loss: Exact) -> Fraction:
    """Return (1 + 2⁻²⁰) drift + 2⁻⁴⁹ loss, which covers the rounding of floats."""
    require(rounds <= MOST_ROUNDS, "rounding", "at most 2**26 rounds", rounds)
    return Fraction(drift) * (1 + Fraction(1, 2**20)) + Fraction(loss) / 2**49


@theorem("vaw", "cesabianchi2006", families=("forward-regression",), of="loss")
def vaw(
    comparator_loss: Exact,
    penalty: Exact,
    largest_label: Exact,
    ridge: Exact,
    energies: Sequence[Exact],
    rounding: Exact,
) -> Decimal:
    """Proof: Let A_t = λI + Σ_{s≤t} x_s x_sᵀ, b_t = Σ_{s≤t} y_s x_s and q = x_t·A_t⁻¹x_t. The least
    value of Σ_{s≤t} (y_s − u·x_s)² + λ‖u‖² is m_t = Σ_{s≤t} y_s² − b_t·A_t⁻¹b_t. By the formula of
    Sherman and Morrison b_{t−1}·A_{t−1}⁻¹b_{t−1} = b_{t−1}·A_t⁻¹b_{t−1} + ŷ_t²/(1 − q), so
    m_t − m_{t−1} = (y_t − ŷ_t)² − q y_t² + ŷ_t² q/(1 − q). Add up the rounds, and leave out the
    last terms, which are not negative: Σ (y_t − ŷ_t)² ≤ m_T + Y² Σ q. Now
    q = 1 − det A_{t−1}/det A_t ≤ ln(det A_t/det A_{t−1}), so Σ q ≤ ln det(A_T/λ); and by
    Hadamard's inequality the determinant is at most the product of the diagonal,
    Π (1 + Σ_t x_{t,i}²/λ).

    Tight: not: in the limit alone: each unit vector once with label Y costs Y² per round, and with
    u = 0 at most Y² (1 + ln(1 + 1/λ)) is allowed; the share goes to 1 as λ grows.
    """
    parts = (comparator_loss, penalty, rounding, *energies)
    require(min(parts) >= 0, "vaw", "measures of 0 or more", min(parts))
    require(ridge > 0, "vaw", "a ridge above 0", ridge)
    compared = Fraction(comparator_loss) + Fraction(penalty) + Fraction(rounding)
    logs = sum((ln(1 + Fraction(energy) / Fraction(ridge)) for energy in energies), Decimal(0))
    return exact(compared) + exact(Fraction(largest_label) ** 2) * logs
