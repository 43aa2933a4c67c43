// When sums need no check. Say that every w_j is a multiple of 2^g and |w_j| ≤ B, before and after
// we add v, itself a multiple of 2^g with |v| ≤ B. Then w_j + v is a multiple of 2^g too, and
//
//   float   B ≤ 2^(g+24): a float holds every multiple of 2^g up to 2^(g+24), so w is a float.
//   double  B ≤ 2^(g+51): a double holds them up to 2^(g+53), so w is a double and w_j + v is
//   exact. pair    B ≤ 2^(g+103): w_j = h + l with h = fl(w_j), so |l| ≤ 2^−53 β for the least
//   power of
//           two β ≥ B. The sum h + v is s + e with |h + v| ≤ 2β, so |e| ≤ 2^−52 β (knuth1997,
//           4.2.2 Thm B). Both l and e are multiples of 2^g, because the bits that rounding drops
//           are. So is l + e, and |l + e| < 2^−51 β ≤ 2^(g+52): a double holds it. The rest of
//           joldes2017, Algorithm 5 never rounds, so w stays h + l exactly.
//   any     otherwise: each sum is checked, and two doubles and a table hold it.
//
// Most real data lie on a coarse grid: ones, counts, pixels, prices. Their weights stay floats or
// doubles. Random doubles stay pairs. Grids finer than 2^−1000 and weights beyond 2^103 are `any`,
// so nothing below overflows or underflows.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "../blocks/row.hpp"
#include "exact.hpp"

namespace novikoff {

// How sums are stored, from narrow to wide.
enum class Form { kFloat, kDouble, kPair, kAny };

// 2^exponent, for −1022 ≤ exponent ≤ 1023.
inline double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// The measures of x's values, with the constant feature.
template <class Row>
Span span_of(const Row& x) {
    using V = std::remove_cvref_t<decltype(*x.value)>;
    Span span = kernels().template dense<V>().span(x.value, x.size);
    const double bias = std::fabs(x.bias);
    span.largest = std::max(span.largest, bias);
    if (bias != 0) span.least = std::min(span.least, bias);
    return span;
}

template <class Row>
Steps steps_of(const Row& x, double steps_per_unit) {
    using V = std::remove_cvref_t<decltype(*x.value)>;
    Steps steps = kernels().template dense<V>().steps(x.value, x.size, steps_per_unit);
    const double bias = x.bias * steps_per_unit;
    steps.whole &= std::rint(bias) == bias;
    steps.largest = std::max(steps.largest, std::fabs(x.bias));
    return steps;
}

// The largest g with every value of x a multiple of 2^g; kNoBits if all are 0.
template <class Row>
int lowest_bit_of(const Row& x) {
    int lowest = kNoBits;
    for_each(x, [&](Coordinate, double v) { lowest = std::min(lowest, lowest_bit(v)); });
    return lowest;
}

class Grid {
  public:
    // The grid of weights that are all 0.
    Grid() = default;
    // A grid for weights that are multiples of 2^step, the largest of them `largest`.
    Grid(int step, double largest) : step_(std::min(step, 0)), bound_(largest) {}

    double bound() const { return bound_; }
    // After somebody looked at all weights.
    void bound_by(double largest) { bound_ = largest; }

    // Takes in what an update by scale · x does to w, for weights of this form: a pair looks only
    // at how small the values are, because a double is a multiple of 2^(e−52) if it is at least
    // 2^e.
    template <class Row>
    void extend(const Row& x, double scale, Form form) {
        if (form == Form::kPair) return extend_pairs(x, scale);
        const Steps steps = steps_of(x, power_of_two(-step_));
        if (steps.largest == 0) return;
        raise(scale, steps.largest);
        if (std::fabs(scale) != 1 || !holds(Form::kDouble) || !steps.whole)
            refine(lowest_bit_of(x) + lowest_bit(scale));
    }

    bool holds(Form form) const { return holds(form, bound_); }
    bool holds(Form form, double bound) const {
        switch (form) {
            case Form::kFloat:
                return step_ >= -100 && bound <= power_of_two(step_ + 24);
            case Form::kDouble:
                return step_ >= -1000 && bound <= power_of_two(step_ + 51);
            case Form::kPair:
                return step_ >= -1000 && bound <= power_of_two(step_ + 103);
            case Form::kAny:
                return true;
        }
        return true;
    }

    // Is the float sum Σ w_j x_j exact in any order, for weights that are doubles? Every product is
    // a multiple of 2^(g+h) if x's values are multiples of 2^h, and Σ|w_j x_j| ≤ B n ‖x‖_∞.
    template <class Row>
    bool scores_exactly(const Row& x, double largest) const {
        if (!holds(Form::kDouble)) return false;
        const int row_step = largest <= 0x1p51 && steps_of(x, 1.0).whole ? 0 : lowest_bit_of(x);
        const double terms = static_cast<double>(x.size + 1);
        return row_step == kNoBits ||
               sums_exactly(step_ + row_step, 1.05 * bound_ * largest * terms);
    }

  private:
    void refine(int step) { step_ = std::min(step_, std::max(step, -1074)); }

    // An update by `largest` times the scale.
    void raise(double scale, double largest) {
        bound_ = (bound_ + std::fabs(scale) * largest) * (1 + 0x1p-50);
    }

    template <class Row>
    void extend_pairs(const Row& x, double scale) {
        const Span span = span_of(x);
        if (span.largest == 0) return;
        raise(scale, span.largest);
        if (std::fabs(scale) != 1 || !(span.least >= power_of_two(step_ + 52)))
            refine(std::ilogb(span.least) - 52 + lowest_bit(scale));
    }

    int step_ = 0;      // g, at most 0
    double bound_ = 0;  // B
};

}  // namespace novikoff
