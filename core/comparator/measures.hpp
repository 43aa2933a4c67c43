// What a comparator w is worth on given rows. Every number is a proved bound: sums and squares are
// no smaller, the margin is no larger, than real arithmetic would have them.
//
// Take a row of size m, n = m + 1 products with the constant feature's, u = 2^−53, and let s, a be
// the floats computed for w·x and A = Σ|w_j x_j|. A product rounds to w_j x_j (1 + δ) + ε with
// |δ| ≤ u, |ε| ≤ 2^−1075; a sum rounds to (p + q)(1 + δ); no term passes more than n + 1 sums that
// round. So, in any order of summation (higham2002, Sec. 3.1 and 2.1 on underflow),
//     |s − w·x| ≤ γ A + n 2^−1074  and  A ≤ (a + n 2^−1074) / (1 − γ),  γ = γ_{n+2} = γ_{m+3},
// γ_k = ku/(1 − ku), as long as nothing overflows. For m < 2^32 it follows that
//     |s − w·x| ≤ e = 1.05 u (m + 4) a + n 2^−1073,
// where 1.05, the 4 and the last factor 2 leave more than the rounding of e itself takes. The same
// with x for w: ‖x‖² ≤ q + 1.05 u (m + 4) q + n 2^−1073, q being the float sum of squares.
// Where a overflows, w·x is summed exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../decide.hpp"
#include "products.hpp"

namespace novikoff {

inline double next_up(double v) {
    return std::nextafter(v, std::numeric_limits<double>::infinity());
}

// a + b, rounded upward: the error of the rounded sum is known exactly (knuth1997, 4.2.2 Thm B).
inline double add_up(double a, double b) {
    const double sum = a + b, part = sum - a;
    const double error = (a - (sum - part)) + (b - part);
    return error > 0 ? next_up(sum) : sum;
}
inline double subtract_down(double a, double b) { return -add_up(-a, b); }

// e of the proof, for the float sum of the absolute values of a row's products.
template <class Row>
double error_above(const Row& x, double absolute) {
    const auto m = static_cast<double>(x.size);
    return kSlack * kUnit * (m + 4) * absolute + (m + 1) * 0x1p-1073;
}

template <class Row>
double norm2_above(const Row& x) {
    const auto square = [&](std::size_t k) {
        const auto v = static_cast<double>(x.value[k]);
        return v * v;
    };
    const double sum = sum_lanes(x.size, square) + x.bias * x.bias;
    return add_up(sum, error_above(x, sum));
}

struct Measures {
    double hinge = 0, hinge_square = 0;                       // Σ ξ and Σ ξ², ξ = max(0, 1 − y w·x)
    double margin = std::numeric_limits<double>::infinity();  // min y w·x
    double radius_square = 0, energy = 0;                     // max ‖x‖² and Σ‖x‖²

    template <class Row>
    void include(const Row& x, double y, const std::vector<double>& w, double bias_weight) {
        const double low = margin_below(x, y, w.data(), bias_weight);
        const double slack = std::max(0.0, add_up(1, -low));
        const double norm2 = norm2_above(x);
        margin = std::min(margin, low);
        radius_square = std::max(radius_square, norm2);
        energy = add_up(energy, norm2);
        if (slack == 0) return;
        hinge = add_up(hinge, slack);
        hinge_square = add_up(hinge_square, next_up(slack * slack));
    }

  private:
    template <class Row>
    static double margin_below(const Row& x, double y, const double* w, double bias_weight) {
        const auto absolute = [&](std::size_t k) {
            return std::fabs(w[coordinate(x, k)] * static_cast<double>(x.value[k]));
        };
        const double constant = bias_weight * x.bias;
        const double a = sum_lanes(x.size, absolute) + std::fabs(constant);
        if (a <= std::numeric_limits<double>::max())
            return subtract_down(y * (product(w, x) + constant), error_above(x, a));
        Accumulator exact;
        for_each(x, [&](Coordinate j, double v) {
            exact.add_product(j == kBias ? bias_weight : w[j], v);
        });
        return -next_up(-y * exact.rounded());  // rounded once, to nearest
    }
};

}  // namespace novikoff
