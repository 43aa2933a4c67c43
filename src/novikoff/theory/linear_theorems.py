"""The mistakes of the perceptron and of Minnow. The comparator w may be any vector."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from novikoff.theory.theorem import Number, exact, ln, ln_cosh, require, root, theorem

Exact = int | float | Fraction
_PERCEPTRONS = (
    "perceptron",
    "multiclass-perceptron",
    "kernel-perceptron",
    "structured-perceptron",
)
_MINNOWS = ("minnow",)
_MIXINGS = (
    "parameter-mixing",
    "multiclass-parameter-mixing",
    "structured-parameter-mixing",
)


@theorem("novikoff", "novikoff1962", families=_PERCEPTRONS[:-1])
def novikoff(radius2: Any, norm2: Any, margin: Any) -> Fraction:
    """Proof: A mistake adds y x to the weights, so w*·w grows by at least γ, to Mγ. Because y w·x ≤
    0 in a mistake, ‖w‖² grows by at most ‖x‖² ≤ R², to MR². By Cauchy and Schwarz Mγ ≤ ‖w*‖√M R.

    Tight: e_1, …, e_d, all labelled −1: d mistakes, R = 1, γ = 1, ‖w‖² = d.
    """
    require(margin > 0, "novikoff", "a comparator with a margin above 0", f"a margin of {margin}")
    return Fraction(radius2) * Fraction(norm2) / Fraction(margin) ** 2


@theorem("hinge", "shalevshwartz2012", families=_PERCEPTRONS)
def hinge(radius2: Any, norm2: Any, hinge: Any) -> Fraction:
    """Proof: As for `novikoff`, with y w*·x ≥ 1 − hinge: M − L ≤ ‖w*‖√M R ≤ (M + R²‖w*‖²)/2.

    Tight: e_1, …, e_d, where w has no losses and the bound is that of `novikoff`. On x = 1 with
    labels alternating from −1, where every w has losses, it is twice too large: M = T, and with w =
    0 it says 2T.
    """
    return Fraction(radius2) * Fraction(norm2) + 2 * Fraction(hinge)


@theorem("hinge-tight", "mohri2013", families=_PERCEPTRONS)
def hinge_tight(radius2: Any, norm2: Any, hinge: Any) -> Decimal:
    """Proof: M − L ≤ R‖w*‖√M as for `hinge`, solved for √M instead of split.

    Tight: e_1, …, e_d, all labelled −1, with w = −c(1, …, 1) for every 0 ≤ c ≤ 1: M = d, R‖w‖ =
    c√d, L = (1 − c)d. If no w separates: x = 1 with labels alternating from −1, and w = 0: M = L.
    """
    a = exact(radius2) * exact(norm2)
    return ((root(a) + root(a + 4 * exact(hinge))) / 2) ** 2


@theorem("freund-schapire", "freund1999, Thm 2", families=_PERCEPTRONS)
def freund_schapire(radius2: Any, norm2: Any, hinge2: Any) -> Decimal:
    """Proof: Give each round a coordinate of its own, of value Δ, that w* uses to pay its hinge;
    in the larger space w* separates. Apply Novikoff's theorem there, with the best Δ.

    Tight: e_1, …, e_d, all labelled −1, with w = −c(1, …, 1) for every 0 ≤ c ≤ 1: M = d, R‖w‖ =
    c√d, Q = (1 − c)²d. If no w separates: x = 1 with labels alternating from −1, and w = 0: M = Q.
    """
    return (root(exact(radius2) * exact(norm2)) + root(hinge2)) ** 2


@theorem("run", "mohri2013", families=_PERCEPTRONS)
def run(norm2: Any, mistake_hinge: Any, mistake_energy: Any) -> Decimal:
    """Proof: Summed over the mistakes alone, y w*·x ≥ 1 − hinge gives M − L_I ≤ w*·w ≤ ‖w*‖‖w‖,
    and ‖w‖² ≤ S_I.

    Tight: every run, with w = 0: it then says M ≤ M, so nobody minimises it.
    """
    return exact(mistake_hinge) + root(exact(norm2) * exact(mistake_energy))


@theorem("structured", "collins2002, Thm 1", families=("structured-perceptron",))
def structured(radius2: Any, norm2: Any, margin: Any) -> Fraction:
    """Proof: The perceptron's proof, with Φ(x, y) − Φ(x, ŷ) in place of y x: an update gains at
    least δ along w, and happens only if the learner's own weights score it at most 0.

    Tight: e_1, …, e_d as a problem of two outputs.
    """
    require(margin > 0, "structured", "a comparator with a margin above 0", f"one of {margin}")
    return Fraction(radius2) * Fraction(norm2) / Fraction(margin) ** 2


@theorem(
    "modified-perceptron",
    "blum1998",
    families=("modified-perceptron",),
)
def modified_perceptron(sigma: float, start_cosine: float) -> Decimal:
    """Proof: Removing x̂'s part from w does not lower w*·w, because w was on the wrong side, and
    shrinks ‖w‖² by a factor of at most 1 − σ². Because w*·w ≤ ‖w‖, that cannot go on.

    Tight: rows nearly at a right angle to w*, each at the cosine σ to the w before it: an update
    then gains nothing along w* and shrinks ‖w‖² by only 1 − σ². The mistakes reach the whole part
    of the bound.
    """
    require(0 < sigma < 1, "modified-perceptron", "0 < σ < 1", sigma)
    require(0 < start_cosine <= 1, "modified-perceptron", "w*·w_0 above 0", start_cosine)
    return -2 * ln(start_cosine) / -ln(1 - Fraction(sigma) ** 2)


@theorem("parameter-mixing", "mcdonald2010, Thm 3", families=_MIXINGS)
def parameter_mixing(
    radius2: Exact,
    norm2: Exact,
    hinge: Exact,
    shards: int,
    rounding_product: Exact,
    rounding_norm2: Exact,
) -> Number:
    """Proof: In an epoch a shard's w·w_t gains its mistakes less its losses, and its ‖w_t‖² at most
    R² per mistake, as for `hinge-resumed`. The mean gains the mean of these, and its square is at
    most the mean of the squares. Rounding the mean adds what Δ and E count. So after all epochs
    K = M/P has K − c ≤ √(b + aK). Solve the quadratic for K; if K < c there is nothing to show.
    With exact means and a margin y w·x ≥ 1 in every row it says M ≤ P·R²‖w‖².

    Tight: P shards that all hold e_1, …, e_d, labelled −1: each errs d times, M = Pd. Dealt out to
    the shards, the rows cost d mistakes in all.
    """
    least = min(radius2, norm2, hinge)
    require(least >= 0, "parameter-mixing", "squares and losses of 0 or more", least)
    require(shards >= 1, "parameter-mixing", "one shard or more", shards)
    if hinge == rounding_product == rounding_norm2 == 0:  # without a root it is an exact fraction
        return shards * Fraction(radius2) * Fraction(norm2)
    c = exact(hinge) / shards - exact(rounding_product)
    a, b = exact(radius2) * exact(norm2), exact(rounding_norm2) * exact(norm2)
    return shards * (c + a / 2 + root(max(a * a / 4 + a * c + b, Decimal(0))))


@theorem("minnow", "grove2001", families=_MINNOWS)
def minnow(norm1: Any, dimension: int, eta: float, gamma: Any, radius_inf: Any) -> Number:
    """Proof: The relative entropy between w*/‖w*‖₁ and w starts at most at ln d and never falls
    below 0. A mistake lowers it by at least ηγ/‖w*‖₁ − ln Z, and Z ≤ cosh(ηR∞), because y w·x ≤ 0
    and e^z is convex.

    Tight: not: we measure how near it comes (docs/minnow.md).
    """
    return _minnows("minnow", norm1, dimension, eta, gamma, radius_inf, 0)


@theorem("minnow-hinge", "gentile1998", families=_MINNOWS)
def minnow_hinge(
    norm1: Any, dimension: int, eta: float, gamma: Any, radius_inf: Any, gamma_hinge: Any
) -> Number:
    """Proof: As for `minnow`, but a mistake lowers the entropy by at least η(γ − its loss)/‖w*‖₁ −
    ln cosh(ηR∞).

    Tight: the balanced form on x = 1 with labels alternating from −1, and w = 0, for which it says
    M ≤ T: M = L/γ = T.
    """
    return _minnows("minnow-hinge", norm1, dimension, eta, gamma, radius_inf, gamma_hinge)


def _minnows(
    theorem: str, norm1: Any, dimension: int, eta: float, gamma: Any, radius_inf: Any, loss: Any
) -> Number:
    if norm1 == 0 and gamma > 0:  # without a logarithm it is an exact fraction
        return Fraction(loss) / Fraction(gamma)
    rate = exact(eta)
    room = rate * exact(gamma) - exact(norm1) * ln_cosh(rate * exact(radius_inf))
    require(room > 0, theorem, "ηγ above ‖w‖₁ ln cosh(ηR∞)", f"{float(-room):.3g} less")
    return (exact(norm1) * ln(dimension) + rate * exact(loss)) / room
