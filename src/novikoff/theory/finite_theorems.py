"""Finite classes H: some h in H is always right, unless the theorem says otherwise."""

from decimal import Decimal

from novikoff.theory.theorem import ln, require, theorem


@theorem("consistent", "littlestone1988", families=("consistent",))
def consistent(size: int) -> int:
    """Proof: A mistake shows that the h used to predict is wrong, and removes it. The last h left
    is always right.

    Tight: singletons, the points 1, 2, …, n − 1 in turn, all labelled −1: each rules out the h in
    use.
    """
    require(size >= 1, "consistent", "a class of at least one hypothesis", size)
    return size - 1


@theorem("halving", "littlestone1988", families=("halving",))
def halving(size: int) -> int:
    """Proof: In a mistake at least half of the consistent h were wrong, and leave V: |V| falls from
    |H| to at most |H|/2^M, and is never below 1.

    Tight: all 2^n functions on n points: every point splits the version space in half, and the
    adversary contradicts the majority.
    """
    require(size >= 1, "halving", "a class of at least one hypothesis", size)
    return int(size).bit_length() - 1


@theorem("littlestone", "littlestone1988", families=("standard-optimal",))
def littlestone(littlestone_dimension: int) -> int:
    """Proof: The learner predicts the label whose part of V has the larger dimension, so a mistake
    leaves the other part. Its dimension is smaller by at least one: if both parts had Ldim(V), a
    root above their trees would give V one more. For the lower bound, the adversary walks from the
    root of a tree of depth Ldim(H) and always contradicts the prediction: every branch has an h
    that agrees.

    Tight: every class: the Littlestone adversary forces it.
    """
    require(littlestone_dimension >= 0, "littlestone", "a class that is not empty", "an empty one")
    return littlestone_dimension


@theorem("iterated-halving", "littlestone1994", families=("iterated-halving",))
def iterated_halving(size: int, best_mistakes: int) -> int:
    """Proof: Between two restarts each h errs at least once, even the best one, so there are at
    most m* restarts. Each stretch has at most ⌊lg |H|⌋ mistakes, plus the one that empties V.

    Tight: all 2^n functions on n points, each point labelled −1, then one of them +1, and so on:
    every stretch has n + 1 mistakes, and the h that is −1 everywhere makes one.
    """
    require(size >= 1, "iterated-halving", "a class of at least one hypothesis", size)
    depth = int(size).bit_length() - 1
    return (depth + 1) * best_mistakes + depth


@theorem("elimination", "littlestone1988", families=("elimination",))
def elimination(dimension: int, monotone: bool) -> int:
    """Proof: No literal of the target is ever dropped. A mistake is a negative example on which
    some remaining literal is true, so it drops at least one. With negations the first mistake drops
    d of the 2d, one of each pair.

    Tight: e_1, …, e_d, all labelled −1; with negations, the point 0 comes before them.
    """
    return dimension if monotone else dimension + 1


@theorem("grid-halving", "maass1994", families=("halving",))
def grid_halving(dimension: int, grid_steps: int) -> Decimal:
    """Proof: Rounding each weight of w* to the grid moves w·x by at most ‖x‖₁γ/(4Rd) < γ, so a
    grid point agrees with every label; the rest is halving over (2K + 1)^d members.

    Tight: not: the grid counts weights that give the same labels; we measure how near it comes.
    """
    require(grid_steps >= 1, "grid-halving", "a grid of at least one step", grid_steps)
    return dimension * ln(2 * grid_steps + 1) / ln(2)


@theorem("ellipsoid", "maass1994", families=("ellipsoid",))
def ellipsoid(dimension: int, relative_margin: float) -> Decimal:
    """Proof: The ellipsoid holds every w of the unit ball that is right so far, and a cut through
    its centre lowers the logarithm of its volume by at least 1/(2(d + 1)). The correct w include a
    ball of radius ρ/(1 + ρ) around one of them, so the volume cannot fall below that of the ball.

    Tight: not: we measure how near it comes (docs/halfspaces.md).
    """
    require(0 < relative_margin <= 1, "ellipsoid", "a margin 0 < ρ ≤ 1", relative_margin)
    return 2 * dimension * (dimension + 1) * ln(1 + 1 / Decimal(relative_margin))


@theorem(
    "centroid",
    "grunbaum1960",
    families=("centroid",),
)
def centroid(dimension: int, relative_margin: float) -> Decimal:
    """Proof: A halfspace through the centroid of a convex body leaves at most a share 1 − 1/e of
    its volume (Grünbaum). The correct w include a ball of radius ρ/(1 + ρ), so the volume cannot
    fall below that of the ball.

    Tight: not: we measure how near it comes (docs/halfspaces.md).
    """
    require(0 < relative_margin <= 1, "centroid", "a margin 0 < ρ ≤ 1", relative_margin)
    e = Decimal(1).exp()
    return dimension * ln(1 + 1 / Decimal(relative_margin)) / ln(e / (e - 1))
