// The measures of a comparator w on given rows. Every number is a proved bound: sums and squares
// are at least, the margin is at most, what real arithmetic would give.
//
// Take a row of size m, n = m + 1 products with the constant feature's, u = 2^−53, and let s, a be
// the floats computed for w·x and A = Σ|w_j x_j|. A product rounds to w_j x_j (1 + δ) + ε with
// |δ| ≤ u, |ε| ≤ 2^−1075; a sum rounds to (p + q)(1 + δ); no term passes more than n + 1 sums that
// round. So, in any order of summation (higham2002, Sec. 3.1),
//     |s − w·x| ≤ γ A + n 2^−1074  and  A ≤ (a + n 2^−1074) / (1 − γ),  γ = γ_{n+2} = γ_{m+3},
// γ_k = ku/(1 − ku), as long as nothing overflows. For m < 2^32 it follows that
//     |s − w·x| ≤ e = 1.05 u (m + 4) a + n 2^−1073,
// where 1.05, the 4 and the last factor 2 leave more room than the rounding of e itself needs. The
// same with x for w: ‖x‖² ≤ q + 1.05 u (m + 4) q + n 2^−1073, where q is the float sum of squares.
// If a overflows, w·x is summed exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../numbers/decide.hpp"
#include "products.hpp"

namespace novikoff {

inline double next_up(double v) {
    return std::nextafter(v, std::numeric_limits<double>::infinity());
}

// a + b = sum + error exactly, barring overflow (knuth1997, 4.2.2 Thm B).
inline double sum_error(double a, double b, double sum) {
    const double part = sum - a;
    return (a - (sum - part)) + (b - part);
}

// a + b rounded upward, a − b rounded downward. An error that is not a number comes from overflow.
inline double add_up(double a, double b) {
    const double sum = a + b;
    return sum_error(a, b, sum) <= 0 ? sum : next_up(sum);
}
inline double subtract_down(double a, double b) { return -add_up(-a, b); }

// A sum of many numbers ≥ 0, rounded upward once at the end, or little more.
class UpwardSum {
  public:
    void add(double v) {
        const double sum = high_ + v, error = sum_error(high_, v, sum);
        low_ = std::isfinite(error) ? add_up(low_, error) : 0;
        high_ = std::isfinite(error) ? sum : std::numeric_limits<double>::infinity();
    }
    double value() const { return add_up(high_, low_); }

  private:
    double high_ = 0, low_ = 0;
};

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
    UpwardSum hinge, hinge_square;                            // Σ ξ and Σ ξ², ξ = max(0, 1 − y w·x)
    UpwardSum energy;                                         // Σ‖x‖²
    double radius_square = 0;                                 // max ‖x‖²
    double margin = std::numeric_limits<double>::infinity();  // min y w·x

    template <class Row>
    void include(const Row& x, double y, const std::vector<double>& w, double bias_weight) {
        count(margin_below(x, y, w.data(), bias_weight), norm2_above(x));
    }

    // A round with y w·x ≥ low.
    void count(double low, double norm2) {
        const double slack = std::max(0.0, add_up(1, -low));
        margin = std::min(margin, low);
        radius_square = std::max(radius_square, norm2);
        energy.add(norm2);
        if (slack == 0) return;
        hinge.add(slack);
        hinge_square.add(next_up(slack * slack));
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
