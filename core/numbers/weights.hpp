// w as the exact sum of its updates, a row of columns for each feature. Scoring reads only w
// rounded to doubles.
#pragma once

#include <cmath>
#include <vector>

#include "../blocks/block.hpp"
#include "../saving/state.hpp"
#include "grid_sums.hpp"
#include "sums.hpp"

namespace novikoff {

class Weights : public GridSums {
  public:
    // Columns per feature: 1 for a halfspace, the number of classes otherwise.
    explicit Weights(std::size_t stride = 1) : stride_(stride) { grow(0); }

    // Exactly these weights: a row of columns for the constant feature, and one for each feature.
    Weights(std::size_t stride, std::span<const double> bias_weights,
            std::span<const double> weights)
        : Weights(stride) {
        const std::size_t columns = bias_weights.size();
        sums_.become(Form::kAny);
        grow(weights.size() / columns);
        std::copy(bias_weights.begin(), bias_weights.end(), sums_.high() + slot(kBias));
        for (std::size_t j = 0; j < dimension_; ++j)
            std::copy_n(weights.data() + j * columns, columns,
                        sums_.high() + slot(static_cast<Coordinate>(j)));
    }

    // These sums, each in its slot.
    Weights(std::size_t stride, std::size_t dimension, StoredSums sums, const Grid& grid)
        : GridSums(std::move(sums), grid), stride_(stride), dimension_(dimension) {}

    // Room for `dimension` features; slots before them hold the constant feature. Many weights are
    // floats if floats hold them.
    void grow(std::size_t dimension) {
        if (sums_.size() != 0 && dimension <= dimension_) return;
        const std::size_t size = slot(static_cast<Coordinate>(dimension));
        if (sums_.form() == Form::kDouble && size >= kNarrowFrom && grid_.holds(Form::kFloat))
            sums_.become(Form::kFloat);
        sums_.grow(size);
        dimension_ = dimension;
    }

    std::size_t dimension() const { return dimension_; }
    std::size_t stride() const { return stride_; }

    // One weight, rounded to a double.
    double rounded(Coordinate j, std::size_t column = 0) const {
        return sums_.rounded(slot(j) + column);
    }
    // Is it exactly a double? A yes is certain, a no may be wrong.
    bool is_whole(Coordinate j, std::size_t column = 0) const {
        return sums_.error(slot(j) + column) == 0;
    }
    // Its two leading doubles: the second is the rounding error of the first, rounded.
    Sum leading(Coordinate j) const { return {sums_.rounded(slot(j)), sums_.error(slot(j))}; }

    // Every feature's weights, rounded, in rows of this many columns.
    void copy_rounded(double* out, std::size_t columns = 1) const {
        for (std::size_t j = 0; j < dimension_; ++j)
            for (std::size_t k = 0; k < columns; ++k)
                out[j * columns + k] = rounded(static_cast<Coordinate>(j), k);
    }

    // ‖x‖², ‖x‖_∞ and w·x of the first column, in floats, without the constant feature.
    template <class V>
    Sums survey(const DenseRow<V>& x, double* largest) const {
        const auto& kernel = kernels().dense<V>();
        if (sums_.is_narrow())
            return kernel.measure_and_score_narrow(narrow_features(), x.value, x.size, largest);
        return kernel.measure_and_score(features(), x.value, x.size, largest);
    }
    template <class I, class V>
    Sums survey(const SparseRow<I, V>& x, double* largest) const {
        return with_kernels<I, V>([&](const auto* w, const auto& kernel, bool large) {
            return (large ? kernel.measure_and_score_large : kernel.measure_and_score)(
                w, x.index, x.value, x.size, x.ahead, largest);
        });
    }

    // Passes over rounds with rows that are known to be sound.
    template <class V>
    Ending pass(const DenseBlock<V>& block, const LabelledRange& range,
                const Passing& passing) const {
        const DenseRows<V> rows{block.values, block.stride, block.columns, block.in_memory()};
        const auto& kernel = kernels().dense<V>();
        if (sums_.is_narrow()) return kernel.pass_narrow(narrow_features(), rows, range, passing);
        return kernel.pass(features(), rows, range, passing);
    }
    template <class I, class V>
    Ending pass(const SparseBlock<I, V>& block, const LabelledRange& range,
                const Passing& passing) const {
        const SparseRows<I, V> rows{block.starts, block.indices, block.values,
                                    static_cast<std::size_t>(block.starts[block.rows])};
        return with_kernels<I, V>([&](const auto* w, const auto& kernel, bool large) {
            return (large ? kernel.pass_large : kernel.pass)(w, rows, range, passing);
        });
    }

    // w·x of the first column, in floats, without the constant feature.
    template <class I, class V>
    double score(const SparseRow<I, V>& x) const {
        return with_kernels<I, V>([&](const auto* w, const auto& kernel, bool large) {
            return (large ? kernel.score_large : kernel.score)(w, x.index, x.value, x.size,
                                                               x.ahead);
        });
    }

    // w·x of every column, in floats.
    template <class V>
    void column_scores(const DenseRow<V>& x, double* score) const {
        const auto& kernel = kernels().dense<V>();
        score_bias(x.bias, score);
        if (sums_.is_narrow())
            kernel.class_scores_narrow(narrow_features(), stride_, x.value, x.size, score);
        else
            kernel.class_scores(features(), stride_, x.value, x.size, score);
    }
    template <class I, class V>
    void column_scores(const SparseRow<I, V>& x, double* score) const {
        const auto& kernel = kernels().template sparse<I, V>();
        score_bias(x.bias, score);
        if (sums_.is_narrow())
            kernel.class_scores_narrow(narrow_features(), stride_, x.index, x.value, x.size,
                                       x.ahead, score);
        else
            kernel.class_scores(features(), stride_, x.index, x.value, x.size, x.ahead, score);
    }

    // w ← w + scale · x in one column, for an x that has each feature once.
    template <class Row>
    void add(const Row& x, double scale, std::size_t column = 0) {
        prepare(x, scale);
        add_prepared(x, scale, column);
    }

    // w ← w + x for an x with several parts of one feature. The loops above would lose some: they
    // read four weights before they write one.
    template <class Row>
    void add_parts(const Row& x) {
        prepare(x, 1.0);
        for_each(x, [&](Coordinate j, double part) { sums_.add(slot(j), part); });
    }

    // w ← w + scale · x in one column and w ← w − scale · x in another.
    template <class Row>
    void add_and_subtract(const Row& x, double scale, std::size_t plus, std::size_t minus) {
        prepare(x, scale);
        add_prepared(x, scale, plus);
        add_prepared(x, -scale, minus);
    }

    // acc += sign · w·x, exactly.
    template <class Row>
    void accumulate(Accumulator& acc, const Row& x, double sign, std::size_t column = 0) const {
        for_each(x, [&](Coordinate j, double v) {
            const std::size_t i = slot(j) + column;
            acc.add_product(sums_.rounded(i), sign * v);
            sums_.for_each_below(i, [&](double part) { acc.add_product(part, sign * v); });
        });
    }

    // Sets one weight that is not a sum.
    void set(Coordinate j, double value) { sums_.set(slot(j), value); }

    // The doubles that add up to w_j, largest first.
    std::vector<double> components(Coordinate j) const {
        std::vector<double> parts;
        const double first = rounded(j);
        if (first == 0) return parts;
        parts.push_back(first);
        sums_.for_each_below(slot(j), [&](double part) { parts.push_back(part); });
        return parts;
    }
    bool has_rest(Coordinate j) const { return sums_.has_rest(slot(j)); }

    // The same sums with another number of columns (new classes).
    Weights widened(std::size_t stride) const {
        Weights wide(stride);
        const auto moved = [&](std::size_t i) {
            const std::size_t feature = i / stride_;  // front() is kFront whole features
            return feature * stride + i % stride_;
        };
        wide.sums_ = sums_.rearranged((kFront + dimension_) * stride, moved);
        wide.grid_ = grid_;
        wide.dimension_ = dimension_;
        return wide;
    }

    // f(feature, part) for the rounding errors of weights with one column.
    template <class F>
    void for_each_rest(F&& f) const {
        for_each_part_below([&](std::size_t i, double part) {
            f(static_cast<Coordinate>(i) - static_cast<Coordinate>(kFront), part);
        });
    }

    // What the arrays are called in a saved state.
    struct Names {
        const char *high, *slots, *parts;
    };
    void state(StateWriter& out, const Names& names) const {
        std::vector<std::int64_t> slots;
        std::vector<double> parts;
        for_each_part_below([&](std::size_t i, double part) {
            slots.push_back(static_cast<std::int64_t>(i));
            parts.push_back(part);
        });
        std::vector<double> wide;  // if they are floats
        if (sums_.is_narrow()) wide.assign(sums_.narrow(), sums_.narrow() + sums_.size());
        out.put(names.high, std::span<const double>(sums_.is_narrow() ? wide.data() : sums_.high(),
                                                    sums_.size()));
        out.put(names.slots, std::span<const std::int64_t>(slots));
        out.put(names.parts, std::span<const double>(parts));
    }
    static Weights restored(const StateReader& in, const Names& names, std::size_t stride) {
        const auto high = in.reals(names.high);
        const auto slots = in.array<std::int64_t>(names.slots);
        const auto parts = in.reals(names.parts);
        check(high.size() % stride == 0 && high.size() / stride >= kFront &&
              slots.size() == parts.size());
        Weights w(stride);
        w.sums_.become(Form::kAny);
        w.grow(high.size() / stride - kFront);
        std::copy(high.begin(), high.end(), w.sums_.high());
        for (std::size_t k = 0; k < slots.size(); ++k) {
            check(slots[k] >= 0 && static_cast<std::size_t>(slots[k]) < high.size());
            w.sums_.append(static_cast<std::size_t>(slots[k]), parts[k]);
        }
        w.settle_form();
        return w;
    }

    std::size_t bytes() const { return sums_.bytes(); }

    static constexpr std::size_t kFront = 8;  // a cache line; the last slot is the constant feature

    // The first slot of a feature, and the feature of a slot.
    static std::size_t slot(Coordinate j, std::size_t stride) {
        return static_cast<std::size_t>(j + static_cast<Coordinate>(kFront)) * stride;
    }
    static Coordinate feature(std::size_t slot, std::size_t stride) {
        return static_cast<Coordinate>(slot / stride) - static_cast<Coordinate>(kFront);
    }

  private:
    static constexpr std::size_t kLarge = std::size_t{4} << 20;  // bytes: beyond the second cache

    std::size_t front() const { return kFront * stride_; }
    const double* features() const { return sums_.high() + front(); }
    const float* narrow_features() const { return sums_.narrow() + front(); }

    // f(weights, their kernels, are they large?) for floats or doubles.
    template <class I, class V, class F>
    auto with_kernels(F&& f) const {
        const auto& kernel = kernels().template sparse<I, V>();
        if (sums_.is_narrow())
            return f(narrow_features(), kernel.scores_narrow, dimension_ > kLarge / sizeof(float));
        return f(features(), kernel.scores, dimension_ > kLarge / sizeof(double));
    }

    void score_bias(double bias, double* score) const {
        for (std::size_t k = 0; k < stride_; ++k) score[k] = rounded(kBias, k) * bias;
    }
    std::size_t slot(Coordinate j) const { return slot(j, stride_); }

    // f(slot, part) for every component beyond the high one.
    template <class F>
    void for_each_part_below(F&& f) const {
        for (std::size_t i = 0; sums_.has_low() && i < sums_.size(); ++i)
            sums_.for_each_below(i, [&](double part) { f(i, part); });
    }

    // With many classes the low parts of a row lie far apart, and no scoring has cached them.
    template <class Row>
    void prefetch_low(const Row& x, std::size_t column) const {
        for (std::size_t k = 0; k < x.size; ++k)
            __builtin_prefetch(sums_.low() + slot(coordinate(x, k)) + column, 1);
    }

    // With a scale of ±1, many entries at a time; otherwise one by one.
    template <class Row>
    void add_prepared(const Row& x, double scale, std::size_t column) {
        if (std::fabs(scale) == 1) return add_signed(x, scale, column);
        for_each_part(x, scale,
                      [&](Coordinate j, double part) { sums_.add(slot(j) + column, part); });
    }

    template <class Row>
    void add_signed(const Row& x, double sign, std::size_t column) {
        if (sums_.has_low() && stride_ > 1) prefetch_low(x, column);
        if (x.bias != 0) sums_.add(slot(kBias) + column, sign * x.bias);
        if (sums_.form() != Form::kAny) return add_unchecked(x, sign, column);
        for (std::size_t k = 0; k < x.size;) {
            k += add_fours(x, k, sign, column);
            for (const std::size_t stop = std::min(k + 4, x.size); k < stop; ++k)
                sums_.add(slot(coordinate(x, k)) + column, sign * static_cast<double>(x.value[k]));
        }
    }

    template <class V>
    void add_unchecked(const DenseRow<V>& x, double sign, std::size_t column) {
        const auto& kernel = kernels().dense<V>();
        const std::size_t i = front() + column;
        if (sums_.is_narrow())
            kernel.add_narrow(sums_.narrow() + i, stride_, x.value, sign, x.size);
        else if (sums_.form() == Form::kDouble)
            kernel.add_exact(sums_.high() + i, stride_, x.value, sign, x.size);
        else
            kernel.add_pair(sums_.high() + i, sums_.low() + i, stride_, x.value, sign, x.size);
    }

    template <class I, class V>
    void add_unchecked(const SparseRow<I, V>& x, double sign, std::size_t column) {
        const auto& kernel = kernels().template sparse<I, V>();
        const std::size_t i = front() + column;
        if (sums_.is_narrow())
            kernel.add_narrow(sums_.narrow() + i, stride_, x.index, x.value, sign, x.size);
        else if (sums_.form() == Form::kDouble)
            kernel.add_exact(sums_.high() + i, stride_, x.index, x.value, sign, x.size);
        else
            kernel.add_pair(sums_.high() + i, sums_.low() + i, stride_, x.index, x.value, sign,
                            x.size);
    }

    template <class V>
    std::size_t add_fours(const DenseRow<V>& x, std::size_t k, double sign, std::size_t column) {
        if (sums_.has_rests()) return 0;
        const std::size_t i = slot(static_cast<Coordinate>(k)) + column;
        const auto& kernel = kernels().dense<V>();
        if (!sums_.has_low())
            return kernel.add_high(sums_.high() + i, stride_, x.value + k, sign, x.size - k);
        return kernel.add(sums_.high() + i, sums_.low() + i, stride_, x.value + k, sign,
                          x.size - k);
    }

    template <class I, class V>
    std::size_t add_fours(const SparseRow<I, V>& x, std::size_t k, double sign,
                          std::size_t column) {
        if (sums_.has_rests()) return 0;
        const std::size_t i = front() + column;
        const auto& kernel = kernels().template sparse<I, V>();
        if (!sums_.has_low())
            return kernel.add_high(sums_.high() + i, stride_, x.index + k, x.value + k, sign,
                                   x.size - k);
        return kernel.add(sums_.high() + i, sums_.low() + i, stride_, x.index + k, x.value + k,
                          sign, x.size - k);
    }

    std::size_t stride_;
    std::size_t dimension_ = 0;
};

}  // namespace novikoff
