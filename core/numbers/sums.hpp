// Sums and products of doubles without loss: what rounding takes away is a double too.
#pragma once

#include <cmath>
#include <limits>

#include "../blocks/row.hpp"

namespace novikoff {

struct Sum {
    double value;  // rounded
    double error;  // what rounding lost: value + error is exact (knuth1997, 4.2.2 Thm B)
};

inline Sum two_sum(double a, double b) {
    const double s = a + b;
    const double t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

// Can x be scaled by the weight without losing a bit? Two doubles hold each product, if none
// overflows and no part is below the smallest double.
template <class Row>
bool scales_exactly(const Row& x, double weight) {
    if (weight == 1 || weight == 0) [[likely]]
        return true;
    bool exact = true;
    for_each(x, [&](Coordinate, double v) {
        const double product = std::fabs(weight * v);
        exact = exact && product >= 0x1p-960 && product <= std::numeric_limits<double>::max();
    });
    return exact;
}

// f(coordinate, part) so that the parts of each coordinate add up to scale · x exactly.
template <class Row, class F>
void for_each_part(const Row& x, double scale, F&& f) {
    for_each(x, [&](Coordinate j, double v) {
        const double product = scale * v;
        const double error = std::fma(scale, v, -product);
        f(j, product);
        if (error != 0) f(j, error);
    });
}

// A bound on weight²‖x‖² that holds even if squares underflow.
inline double scaled_energy(double weight, double norm2) {
    return weight == 1 ? norm2 : weight * (norm2 + 1e-250) * weight;
}

}  // namespace novikoff
