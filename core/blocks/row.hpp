// One x, as a view of memory that others own, with the constant feature (bias)
// folded in as coordinate kBias.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../cpu/kernels.hpp"

namespace novikoff {

using Coordinate = std::ptrdiff_t;
inline constexpr Coordinate kBias = -1;
inline constexpr std::int64_t kMaxDimension = INT32_MAX;

template <class V>
struct DenseRow {
    const V* value;
    std::size_t size;
    double bias;
};

template <class I, class V>
struct SparseRow {
    const I* index;
    const V* value;
    std::size_t size;
    double bias;
    std::size_t ahead;  // entries readable from here to the end of the block
};

struct Extent {
    double norm2;    // ‖x‖²
    double largest;  // ‖x‖_∞
    double score;    // w·x, if measured with w
};

// The measures of x with its constant feature, from those without.
template <class Row>
Extent with_bias(const Row& x, const Sums& sums, double largest, double bias_weight) {
    if (x.bias == 0) return {sums.norm2, largest, sums.score};
    return {sums.norm2 + x.bias * x.bias, std::max(largest, std::fabs(x.bias)),
            sums.score + bias_weight * x.bias};
}

// f(coordinate, value) for the constant feature and every stored value that is not zero.
template <class V, class F>
void for_each(const DenseRow<V>& x, F&& f) {
    if (x.bias != 0) f(kBias, x.bias);
    for (std::size_t k = 0; k < x.size; ++k)
        if (x.value[k] != 0) f(static_cast<Coordinate>(k), static_cast<double>(x.value[k]));
}

template <class I, class V, class F>
void for_each(const SparseRow<I, V>& x, F&& f) {
    if (x.bias != 0) f(kBias, x.bias);
    for (std::size_t k = 0; k < x.size; ++k)
        if (x.value[k] != 0)
            f(static_cast<Coordinate>(x.index[k]), static_cast<double>(x.value[k]));
}

template <class Row>
Extent measure(const Row& x) {
    using V = std::remove_cvref_t<decltype(*x.value)>;
    double largest;
    const Sums sums = kernels().template dense<V>().measure(x.value, x.size, &largest);
    return with_bias(x, sums, largest, 0);
}

template <class V>
Coordinate coordinate(const DenseRow<V>&, std::size_t k) {
    return static_cast<Coordinate>(k);
}

template <class I, class V>
Coordinate coordinate(const SparseRow<I, V>& x, std::size_t k) {
    return static_cast<Coordinate>(x.index[k]);
}

// ‖x‖, without the overflow or underflow that ‖x‖² may suffer.
template <class Row>
double careful_norm(const Row& x) {
    double largest = 0;
    for_each(x, [&](Coordinate, double v) { largest = std::max(largest, std::fabs(v)); });
    if (largest == 0) return 0;
    const int exponent = std::ilogb(largest);
    double sum = 0;
    for_each(x, [&](Coordinate, double v) {
        const double scaled = std::scalbn(v, -exponent);
        sum += scaled * scaled;
    });
    return std::scalbn(std::sqrt(sum), exponent);
}

}  // namespace novikoff
