// The sign of w·x and the best of many w_k·x, as in real arithmetic.
//
// Step 1: the float score, certain if it exceeds a proved bound on its error,
//         |fl(w·x) − w·x| ≤ γ_{n+2} Σ|w_j x_j| ≤ γ_{n+2} ‖w‖‖x‖   (higham2002, Sec. 3.1),
//         where the extra rounding is that of w itself; or the score is exact, because w and x
//         lie on grids (grid.hpp).
// Step 2: the same with Σ|w_j x_j| computed; or the score is exact, because every product is a
//         multiple of one power of two and no partial sum reaches 2^53 of them.
// Step 3: exact arithmetic.
#pragma once

#include <cmath>
#include <cstdint>

#include "../blocks/row.hpp"
#include "exact.hpp"
#include "weights.hpp"

namespace novikoff {

struct Effort {  // rounds that step 1 left open
    std::int64_t second = 0;
    std::int64_t exact = 0;
};

inline constexpr double kUnit = 0x1p-53;
inline constexpr double kSlack = 1.05;     // covers the rounding of the bounds themselves
inline constexpr double kTiny = 1e-250;    // covers squares lost to underflow, here or in a factor
inline constexpr double kTinier = 1e-280;  // covers products lost to underflow, squared

// An upper bound on (‖w‖‖x‖)², from one on ‖w‖² and from ‖x‖².
inline double product_bound(double norm_bound, double norm2) {
    return (norm_bound + kTiny) * (norm2 + kTiny);
}

// γ_{n+2}, with slack.
inline double error_factor(std::size_t size) {
    return kSlack * kUnit * static_cast<double>(size + 3);
}

// The measures of x, including w·x.
template <class Row>
Extent measure(const Weights& w, const Row& x) {
    double largest;
    const Sums sums = w.survey(x, &largest);
    return with_bias(x, sums, largest, w.rounded(kBias));
}

// Step 2 for one column: true if the float score s has the sign of w·x, or s is exact.
template <class W, class Row>
bool clear(const W& w, const Row& x, double s, std::size_t column, bool& exact) {
    double absolute = 0;
    int grid = kNoBits;
    bool whole = true;
    for_each(x, [&](Coordinate j, double v) {
        const double weight = w.rounded(j, column);
        if (weight == 0) return;  // then it is 0 exactly
        absolute += std::fabs(weight * v);
        grid = std::min(grid, lowest_bit(weight) + lowest_bit(v));
        whole = whole && w.is_whole(j, column);
    });
    exact = whole && sums_exactly(grid, kSlack * absolute);
    return exact || std::fabs(s) > error_factor(x.size) * absolute + std::sqrt(kTinier);
}

template <class Row>
[[gnu::noinline]] int settle_sign(const Weights& w, const Row& x, const Extent& extent,
                                  double bound2, Effort& effort) {
    const double s = extent.score;
    if (w.scores_exactly(x, extent.largest)) return (s > 0) - (s < 0);
    ++effort.second;
    bool exact;
    if (bound2 <= 1e300 && clear(w, x, s, 0, exact)) return (s > 0) - (s < 0);
    ++effort.exact;
    Accumulator acc;
    w.accumulate(acc, x, 1.0);
    return acc.sign();
}

// Step 1: when s surely has the sign of w·x, for norm_bound ≥ ‖w‖² and norm2 ≥ ‖x‖².
inline Certainty certainty(double norm_bound, double norm2) {
    return {kSlack * kUnit, norm_bound + kTiny, norm2 + kTiny, kTinier};
}

// sgn(w·x) ∈ {−1, 0, +1}, for x measured with w and norm_bound ≥ ‖w‖².
template <class Row>
int sign_of_score(const Weights& w, const Row& x, const Extent& extent, double norm_bound,
                  Effort& effort) {
    const double s = extent.score;
    // Arithmetic, not a branch: no branch predictor knows the sign.
    if (s * s > certainty(norm_bound, extent.norm2).beyond(x.size)) [[likely]]
        return 1 - 2 * static_cast<int>(s < 0);
    return settle_sign(w, x, extent, product_bound(norm_bound, extent.norm2), effort);
}

}  // namespace novikoff
