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

template <class V>
struct DenseBlock {
    using Row = DenseRow<V>;
    const V* values;
    std::size_t rows, columns;
    std::ptrdiff_t stride;  // from one row to the next

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

    // Are the indices of rows [start, stop) already ascending and in bounds?
    bool all_sound(const SparseBlock<I, V>& block, std::size_t start, std::size_t stop) const {
        const auto first = static_cast<std::size_t>(block.starts[start]);
        const auto last = static_cast<std::size_t>(block.starts[stop]);
        const IndexSurvey found = survey(block.indices + first, last - first);
        std::size_t between_rows = 0;
        for (std::size_t t = start + 1; t < stop; ++t) {
            const auto k = static_cast<std::size_t>(block.starts[t]);
            const bool boundary = k > first && k < static_cast<std::size_t>(block.starts[t + 1]);
            between_rows += boundary && block.indices[k] <= block.indices[k - 1];
        }
        return found.descents == between_rows && in_bounds(found, last - first);
    }

    bool sound_indices(SparseRow<I, V>& x) {
        if (survey(x.index, x.size).descents != 0) sort(x);
        const IndexSurvey found = survey(x.index, x.size);
        return found.descents == 0 && in_bounds(found, x.size);  // a descent left: a repeated index
    }

  private:
    static IndexSurvey survey(const I* index, std::size_t size) {
        return kernels().template sparse<I, V>().survey_indices(index, size);
    }

    bool in_bounds(const IndexSurvey& found, std::size_t size) const {
        return size == 0 || found.largest < columns_;
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
