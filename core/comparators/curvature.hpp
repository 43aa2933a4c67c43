// What Newton's method needs of the rows of a block: x_t·v, Σ_t a_t x_t, Σ_t a_t x_ti² and
// Σ_t a_t (x_t·v) x_t, all in plain floats. Vectors have the constant feature first.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "products.hpp"

namespace novikoff::curvature {

template <class Block, class F>
void for_readable(const Block& block, double bias, F&& f) {
    for (std::size_t t = 0; t < block.rows; ++t) {
        if (!readable(block, t)) throw std::invalid_argument("rows that lie within the arrays");
        f(t, block.row(t, bias));
    }
}

template <class Block>
void products(const Block& block, double bias, const double* v, double* found) {
    for_readable(block, bias,
                 [&](std::size_t t, const auto& x) { found[t] = product(v + 1, x) + v[0] * bias; });
}

template <class Block>
void add_pull(const Block& block, const double* a, double bias, double* sums) {
    for_readable(block, bias, [&](std::size_t t, const auto& x) {
        add_scaled(sums + 1, x, a[t]);
        sums[0] += a[t] * bias;
    });
}

template <class Block>
void add_squares(const Block& block, const double* a, double bias, double* sums) {
    for_readable(block, bias, [&](std::size_t t, const auto& x) {
        for_each(x, [&](Coordinate j, double v) { sums[j + 1] += a[t] * v * v; });
    });
}

template <class Block>
void add_product(const Block& block, const double* a, double bias, const double* v, double* sums) {
    for_readable(block, bias, [&](std::size_t t, const auto& x) {
        const double by = a[t] * (product(v + 1, x) + v[0] * bias);
        add_scaled(sums + 1, x, by);
        sums[0] += by * bias;
    });
}

}  // namespace novikoff::curvature
