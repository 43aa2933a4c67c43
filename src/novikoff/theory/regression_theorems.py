"""Labels y_t are real numbers, and the loss of a prediction is its squared distance from the label.

The theorems are about real numbers, and the learner is a float program. A rounding term covers the
difference: docs/programs_regression.md proves it, and ``regression_rounding`` computes it.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from novikoff.theory.theorem import exact, ln, require, theorem

Exact = int | float | Fraction
MOST_ROUNDS = 2**26


def regression_rounding(rounds: int, drift: Exact, loss: Exact, stability: Exact = 0) -> Fraction:
    """Return (1 + 2⁻²⁰) drift + 2⁻⁴⁹ (loss + stability), which covers the rounding of floats."""
    require(rounds <= MOST_ROUNDS, "rounding", "at most 2**26 rounds", rounds)
    sums = Fraction(loss) + Fraction(stability)
    return Fraction(drift) * (1 + Fraction(1, 2**20)) + sums / 2**49


@theorem("vaw-tight", "cesabianchi2006", families=("forward-regression",), of="loss")
def vaw_tight(
    comparator_loss: Exact, penalty: Exact, stability: Exact, rounding: Exact
) -> Fraction:
    """Proof: Let b_t = Σ_{s≤t} y_s x_s and q_t = x_t·A_t⁻¹x_t, which is below 1, because A_{t−1} is
    positive definite. The least value over all u of Σ_{s≤t} (y_s − u·x_s)² + λ‖u‖² is m_t = Σ_{s≤t}
    y_s² − b_t·A_t⁻¹b_t, and m_0 = 0. Insert b_t = b_{t−1} + y_t x_t: b_t·A_t⁻¹b_t =
    b_{t−1}·A_t⁻¹b_{t−1} + 2 y_t ŷ_t + q_t y_t². By the formula of Sherman and Morrison
    b_{t−1}·A_{t−1}⁻¹b_{t−1} = b_{t−1}·A_t⁻¹b_{t−1} + ŷ_t²/(1 − q_t). So m_t − m_{t−1} = (y_t −
    ŷ_t)² − q_t y_t² + ŷ_t² q_t/(1 − q_t). Add up the rounds, and leave out the last terms, which
    are not negative: Σ (y_t − ŷ_t)² ≤ m_T + Σ q_t y_t². No u makes the first two terms of the bound
    less than m_T. This form is derived here, on the way to ``vaw``.

    Tight: each unit vector once, with any labels. Every prediction is 0, and the u that makes the
    bound least has u_i = y_i/(1 + λ); with it the three terms add up to Σ y_t².
    """
    parts = (comparator_loss, penalty, stability, rounding)
    require(min(parts) >= 0, "vaw-tight", "measures of 0 or more", min(parts))
    return sum((Fraction(part) for part in parts), Fraction(0))


@theorem("vaw", "cesabianchi2006", families=("forward-regression",), of="loss")
def vaw(
    comparator_loss: Exact,
    penalty: Exact,
    largest_label: Exact,
    ridge: Exact,
    energies: Sequence[Exact],
    rounding: Exact,
) -> Decimal:
    """Proof: Begin with ``vaw-tight``, in which q_t y_t² ≤ q_t Y². The determinant of A_{t−1} = A_t
    − x_t x_tᵀ is (1 − q_t) det A_t, so q_t = 1 − det A_{t−1}/det A_t ≤ ln(det A_t/det A_{t−1}), by
    1 − 1/z ≤ ln z. These logarithms add up to ln det(A_T/λ), because A_0 = λI. By Hadamard's
    inequality that determinant is at most the product of the diagonal, Π (1 + Σ_t x_{t,i}²/λ).

    Tight: not: only in the limit: each unit vector once with the label Y costs Y² per round, and
    with u = 0 the theorem allows Y² (1 + ln(1 + 1/λ)) per round; the share goes to 1 as λ grows.
    """
    parts = (comparator_loss, penalty, rounding, *energies)
    require(min(parts) >= 0, "vaw", "measures of 0 or more", min(parts))
    require(ridge > 0, "vaw", "a ridge above 0", ridge)
    compared = Fraction(comparator_loss) + Fraction(penalty) + Fraction(rounding)
    logs = sum((ln(1 + Fraction(energy) / Fraction(ridge)) for energy in energies), Decimal(0))
    return exact(compared) + exact(Fraction(largest_label) ** 2) * logs
