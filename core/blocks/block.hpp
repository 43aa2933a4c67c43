// A run of rounds in memory, dense or in compressed sparse rows, and the check that every row
// passes before a learner sees it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "row.hpp"

namespace novikoff {

inline constexpr std::size_t kCached = std::size_t{1} << 24;  // bytes that caches hold

template <class V>
struct DenseBlock {
    using Row = DenseRow<V>;
    const V* values;
    std::size_t rows, columns;
    std::ptrdiff_t stride;  // from one row to the next

    // Do its rows come from memory, because no cache holds them all?
    bool in_memory() const { return rows * columns * sizeof(V) > kCached; }
    bool sound_rows(std::size_t, std::size_t stop) const { return stop <= rows; }

    Row row(std::size_t t, double bias) const {
        return {values + static_cast<std::ptrdiff_t>(t) * stride, columns, bias};
    }
};

template <class I, class V>
struct SparseBlock {
    using Row = SparseRow<I, V>;
    const I* starts;
    const I* indices;
    const V* values;
    std::size_t rows, columns, stored;

    // Do rows [start, stop) lie within the stored arrays? They belong to the user, who may have
    // changed them since the block was made.
    bool sound_rows(std::size_t start, std::size_t stop) const {
        if (stop > rows) return false;
        int falls = starts[start] < 0;
        for (std::size_t t = start; t < stop; ++t) falls |= starts[t + 1] < starts[t];
        return !falls && static_cast<std::size_t>(starts[stop]) <= stored &&
               static_cast<std::size_t>(starts[rows]) <= stored;
    }

    Row row(std::size_t t, double bias) const {
        const auto first = static_cast<std::size_t>(starts[t]);
        const auto last = static_cast<std::size_t>(starts[t + 1]);
        const auto end = static_cast<std::size_t>(starts[rows]);
        return {indices + first, values + first, last - first, bias, end - first};
    }
};

// Refuses what is not an x: first by its indices, so that nothing is read out of bounds, then by
// its values. It checks the indices of many rows at once, and row by row only if something is odd;
// it sorts indices that are out of order in a copy.
template <class Row>
class Gate;

template <class V>
class Gate<DenseRow<V>> {
  public:
    static constexpr std::size_t kRowsAtOnce = std::numeric_limits<std::size_t>::max();

    explicit Gate(std::size_t) {}
    bool all_sound(const DenseBlock<V>&, std::size_t, std::size_t) { return true; }
    bool sound_indices(DenseRow<V>&) { return true; }
};

template <class I, class V>
class Gate<SparseRow<I, V>> {
  public:
    static constexpr std::size_t kRowsAtOnce = 16;

    explicit Gate(std::size_t columns) : columns_(columns) {}

    // Are the indices of rows [start, stop) already ascending and in bounds? Each row has as many
    // ascents as indices less one, and others lie between rows; so its ends bound its indices.
    bool all_sound(const SparseBlock<I, V>& block, std::size_t start, std::size_t stop) const {
        const I* index = block.indices;
        const auto first = static_cast<std::size_t>(block.starts[start]);
        std::size_t expected = 0, last = first;
        bool bounded = true;
        for (std::size_t t = start; t < stop; ++t) {
            const std::size_t begin = last;
            last = static_cast<std::size_t>(block.starts[t + 1]);
            if (begin == last) continue;
            expected += last - begin - 1;
            expected += begin > first && index[begin] > index[begin - 1];
            bounded &= in_bounds(index[begin], index[last - 1]);
        }
        return bounded && ascents(index + first, last - first) == expected;
    }

    bool sound_indices(SparseRow<I, V>& x) {
        if (x.size == 0) return true;
        if (ascents(x.index, x.size) + 1 != x.size) sort(x);
        // An ascent that is missing now: a repeated index.
        return ascents(x.index, x.size) + 1 == x.size && in_bounds(x.index[0], x.index[x.size - 1]);
    }

  private:
    static std::size_t ascents(const I* index, std::size_t size) {
        return kernels().template sparse<I, V>().ascents(index, size);
    }

    bool in_bounds(I first, I last) const {
        return first >= 0 && static_cast<std::uint64_t>(last) < columns_;
    }

    void sort(SparseRow<I, V>& x) {
        std::vector<std::size_t> order(x.size);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return x.index[a] < x.index[b]; });
        indices_.clear();
        values_.clear();
        for (const std::size_t k : order) {
            indices_.push_back(x.index[k]);
            values_.push_back(x.value[k]);
        }
        x.index = indices_.data();
        x.value = values_.data();
        x.ahead = x.size;
    }

    std::size_t columns_;
    std::vector<I> indices_;
    std::vector<V> values_;
};

// ‖x‖² is finite only if every value is; if it overflowed, look at them.
template <class Row>
bool sound_values(const Row& x, const Extent& extent) {
    if (extent.norm2 <= std::numeric_limits<double>::max()) [[likely]]
        return true;
    return std::all_of(x.value, x.value + x.size, [](auto v) { return std::isfinite(v); });
}

// f(t, x, its measures) for each row of a block; the first row refused, or the number of rows.
template <class Block, class Measure, class F>
std::size_t for_rows(const Block& block, double bias, const Measure& measured, F&& f) {
    Gate<typename Block::Row> gate(block.columns);
    for (std::size_t t = 0; t < block.rows; ++t) {
        auto x = block.row(t, bias);
        if (!gate.sound_indices(x)) return t;
        const Extent extent = measured(x);
        if (!sound_values(x, extent)) return t;
        f(t, x, extent);
    }
    return block.rows;
}

}  // namespace novikoff
