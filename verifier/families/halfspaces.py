"""Texts of theorems about halfspaces that have no certificate."""

from verifier.core.theorem import THEOREMS, Theorem

SEPARATED = "if y_t w*·x_t ≥ γ > 0 and ‖x_t‖ ≤ R for every t"
UNROUNDED = "arithmetic without rounding"
THEOREMS |= {
    "modified-perceptron": Theorem(
        "the number of updates is at most 2·ln(1/(w*·w_0))/−ln(1 − σ²) from a unit w_0 with "
        "w*·w_0 > 0, for a unit w* that is right on every row",
        assumptions=("some w* is right on every row", UNROUNDED),
    ),
    "grid-halving": Theorem(
        "M ≤ d·lg(2K + 1) for halving over the weights {mγ/(2Rd) : |m| ≤ K} with "
        f"K = ⌈2R‖w*‖d/γ⌉, {SEPARATED}, and R, ‖w*‖ and γ are known beforehand"
    ),
    "ellipsoid": Theorem(
        "M ≤ 2d(d + 1)·ln(1 + 1/ρ) with ρ = γ/(R‖w*‖) for cuts through the centre of an "
        f"ellipsoid, {SEPARATED}",
        assumptions=(UNROUNDED,),
    ),
    "centroid": Theorem(
        "M ≤ d·ln(1 + 1/ρ)/ln(e/(e − 1)) with ρ = γ/(R‖w*‖) for predictions with the centroid, "
        + SEPARATED,
        assumptions=(UNROUNDED, "the centroid is exact; sampled, the bound is approximate"),
    ),
}
