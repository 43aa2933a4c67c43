// Sums over one row for solvers that visit rows many times: w·x, w ← w + a x, and the prefetch of a
// row that comes next. The source fixes the lanes, so every CPU gets the same bits.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../blocks/block.hpp"

namespace novikoff {

// Σ f(k) over k < size, in four lanes.
template <class F>
double sum_lanes(std::size_t size, F&& f) {
    double a = 0, b = 0, c = 0, d = 0;
    std::size_t k = 0;
    for (; k + 4 <= size; k += 4) a += f(k), b += f(k + 1), c += f(k + 2), d += f(k + 3);
    for (; k < size; ++k) a += f(k);
    return (a + b) + (c + d);
}

// w·x without the constant feature.
template <class Row>
double product(const double* w, const Row& x) {
    return sum_lanes(x.size, [&](std::size_t k) {
        return w[coordinate(x, k)] * static_cast<double>(x.value[k]);
    });
}

// w ← w + scale · x without the constant feature.
template <class V>
void add_scaled(double* __restrict w, const DenseRow<V>& x, double scale) {
    const V* __restrict value = x.value;
    for (std::size_t k = 0; k < x.size; ++k) w[k] += scale * static_cast<double>(value[k]);
}
template <class I, class V>
void add_scaled(double* __restrict w, const SparseRow<I, V>& x, double scale) {
    for (std::size_t k = 0; k < x.size; ++k)
        w[x.index[k]] += scale * static_cast<double>(x.value[k]);
}

// May row t be read? The arrays belong to the user, who may have changed them since we took them.
template <class V>
bool readable(const DenseBlock<V>& block, std::size_t t) {
    return t < block.rows;
}
template <class I, class V>
bool readable(const SparseBlock<I, V>& block, std::size_t t) {
    if (!block.sound_rows(t, t + 1)) return false;
    const auto x = block.row(t, 0);
    const auto& kernel = kernels().template sparse<I, V>();
    return x.size == 0 || kernel.largest_index(x.index, x.size) < block.columns;
}

// Prefetches memory; longer runs are left to the hardware.
inline void request(const void* memory, std::size_t bytes) {
    constexpr std::size_t line = 64, most = 4096;
    const char* p = static_cast<const char*>(memory);
    for (std::size_t k = 0; k < std::min(bytes, most); k += line) __builtin_prefetch(p + k);
}

template <class V>
void request_start(const DenseBlock<V>&, std::size_t) {}
template <class I, class V>
void request_start(const SparseBlock<I, V>& block, std::size_t t) {
    __builtin_prefetch(block.starts + t);
}

template <class V>
void request_row(const DenseBlock<V>& block, std::size_t t) {
    request(block.row(t, 0).value, block.columns * sizeof(V));
}
template <class I, class V>
void request_row(const SparseBlock<I, V>& block, std::size_t t) {
    if (!block.sound_rows(t, t + 1)) return;
    const auto x = block.row(t, 0);
    request(x.index, x.size * sizeof(I));
    request(x.value, x.size * sizeof(V));
}

}  // namespace novikoff
