"""Finite classes H: some h in H is always right, unless the theorem says otherwise."""

from decimal import Decimal

from novikoff.registry.theorem import ln, require, theorem

_REALIZABLE = ("some h in H agrees with every label",)
_UNROUNDED = "arithmetic without rounding"


@theorem("consistent", "littlestone1988", learners=("Consistent",), assumes=_REALIZABLE)
def consistent(size: int) -> int:
    """M ≤ |H| − 1 for the learner that predicts with any h consistent so far."""
    require(size >= 1, "consistent", "a class of at least one hypothesis", size)
    return size - 1


@theorem("halving", "littlestone1988", learners=("Halving",), assumes=_REALIZABLE)
def halving(size: int) -> int:
    """M ≤ ⌊lg |H|⌋ for the learner that predicts with the majority of the consistent h."""
    require(size >= 1, "halving", "a class of at least one hypothesis", size)
    return int(size).bit_length() - 1


@theorem("littlestone", "littlestone1988", learners=("StandardOptimal",), assumes=_REALIZABLE)
def littlestone(littlestone_dimension: int) -> int:
    """M ≤ Ldim(H) for the standard optimal algorithm; no deterministic learner does better."""
    require(littlestone_dimension >= 0, "littlestone", "a class that is not empty", "an empty one")
    return littlestone_dimension


@theorem("iterated-halving", "littlestone1994", learners=("IteratedHalving",))
def iterated_halving(size: int, best_mistakes: int) -> int:
    """M ≤ (⌊lg |H|⌋ + 1)·m* + ⌊lg |H|⌋ for halving that restarts from all of H when no h is left,
    m* being the mistakes of the best h.
    """
    require(size >= 1, "iterated-halving", "a class of at least one hypothesis", size)
    depth = int(size).bit_length() - 1
    return (depth + 1) * best_mistakes + depth


@theorem("elimination", "littlestone1988", learners=("Elimination",), assumes=_REALIZABLE)
def elimination(dimension: int, monotone: bool) -> int:
    """M ≤ d for monotone disjunctions of d variables, M ≤ d + 1 with negations."""
    return dimension if monotone else dimension + 1


@theorem("grid-halving", "maass1994", learners=("Halving",), assumes=_REALIZABLE)
def grid_halving(dimension: int, grid_steps: int) -> Decimal:
    """M ≤ d·lg(2K + 1) for halving over the weights {mγ/(2Rd) : |m| ≤ K}, K = ⌈2R‖w*‖d/γ⌉."""
    require(grid_steps >= 1, "grid-halving", "a grid of at least one step", grid_steps)
    return dimension * ln(2 * grid_steps + 1) / ln(2)


@theorem("ellipsoid", "maass1994", learners=("EllipsoidHalving",), assumes=(_UNROUNDED,))
def ellipsoid(dimension: int, relative_margin: float) -> Decimal:
    """M ≤ 2d(d + 1)·ln(1 + 1/ρ) with ρ = γ/(R‖w*‖), for cuts through the centre of an ellipsoid."""
    require(0 < relative_margin <= 1, "ellipsoid", "a margin 0 < ρ ≤ 1", relative_margin)
    return 2 * dimension * (dimension + 1) * ln(1 + 1 / Decimal(relative_margin))


@theorem(
    "centroid",
    "grunbaum1960",
    learners=("CentroidHalving",),
    assumes=(_UNROUNDED, "the centroid is exact; sampled, the bound is approximate"),
)
def centroid(dimension: int, relative_margin: float) -> Decimal:
    """M ≤ d·ln(1 + 1/ρ)/ln(e/(e − 1)) with ρ = γ/(R‖w*‖), for predictions of the centroid."""
    require(0 < relative_margin <= 1, "centroid", "a margin 0 < ρ ≤ 1", relative_margin)
    e = Decimal(1).exp()
    return dimension * ln(1 + 1 / Decimal(relative_margin)) / ln(e / (e - 1))
