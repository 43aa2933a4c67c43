// w as the exact sum of its updates. The high part is w rounded once; scoring reads only that. The
// low part is the rounding error, and a coordinate whose sum needs more than two doubles keeps the
// rest in a small table.
#pragma once

#include <cmath>
#include <unordered_map>
#include <vector>

#include "../blocks/row.hpp"
#include "../saving/state.hpp"
#include "buffer.hpp"
#include "exact.hpp"

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

class Weights {
  public:
    // Columns per feature: 1 for a halfspace, the number of classes otherwise.
    explicit Weights(std::size_t stride = 1) : stride_(stride) { grow(0); }

    // Exactly these weights: a row of columns for the constant feature, and one for each feature.
    Weights(std::size_t stride, std::span<const double> bias_weights,
            std::span<const double> weights)
        : Weights(stride) {
        const std::size_t columns = bias_weights.size();
        std::copy(bias_weights.begin(), bias_weights.end(), high_.data() + slot(kBias));
        grow(weights.size() / columns);
        for (std::size_t j = 0; j < dimension_; ++j)
            std::copy_n(weights.data() + j * columns, columns,
                        high_.data() + slot(static_cast<Coordinate>(j)));
    }

    // Room for `dimension` features; slots before them hold the constant feature.
    void grow(std::size_t dimension) {
        if (high_.size() != 0 && dimension <= dimension_) return;
        high_.grow(slot(static_cast<Coordinate>(dimension)));
        if (has_low_) low_.grow(high_.size());
        dimension_ = dimension;
    }

    std::size_t dimension() const { return dimension_; }
    std::size_t stride() const { return stride_; }

    // One weight, rounded to a double.
    double rounded(Coordinate j, std::size_t column = 0) const { return high_[slot(j) + column]; }
    // Is it exactly a double? A yes is certain, a no may be wrong.
    bool is_whole(Coordinate j, std::size_t column = 0) const {
        return !has_low_ || low_[slot(j) + column] == 0;
    }
    // Its two leading doubles: the second is the rounding error of the first, rounded.
    Sum leading(Coordinate j) const { return {high_[slot(j)], has_low_ ? low_[slot(j)] : 0}; }

    // Every feature's weights, rounded, in rows of this many columns.
    void copy_rounded(double* out, std::size_t columns = 1) const {
        for (std::size_t j = 0; j < dimension_; ++j)
            std::copy_n(high_.data() + slot(static_cast<Coordinate>(j)), columns,
                        out + j * columns);
    }

    // ‖x‖², ‖x‖_∞ and w·x of the first column, in floats, without the constant feature.
    template <class V>
    Sums survey(const DenseRow<V>& x, double* largest) const {
        return kernels().dense<V>().measure_and_score(features(), x.value, x.size, largest);
    }
    template <class I, class V>
    Sums survey(const SparseRow<I, V>& x, double* largest) const {
        constexpr std::size_t large = (std::size_t{4} << 20) / sizeof(double);
        const auto& kernel = kernels().template sparse<I, V>();
        const auto survey =
            dimension_ > large ? kernel.measure_and_score_large : kernel.measure_and_score;
        return survey(features(), x.index, x.value, x.size, x.ahead, largest);
    }

    // w·x of every column, in floats.
    template <class V>
    void column_scores(const DenseRow<V>& x, double* score) const {
        score_bias(x.bias, score);
        kernels().dense<V>().class_scores(features(), stride_, x.value, x.size, score);
    }
    template <class I, class V>
    void column_scores(const SparseRow<I, V>& x, double* score) const {
        score_bias(x.bias, score);
        kernels().template sparse<I, V>().class_scores(features(), stride_, x.index, x.value,
                                                       x.size, x.ahead, score);
    }

    // w ← w + scale · x in one column. With a scale of ±1, four entries at a time while that is
    // exact; otherwise one by one.
    template <class Row>
    void add(const Row& x, double scale, std::size_t column = 0) {
        if (std::fabs(scale) == 1) return add_signed(x, scale, column);
        for_each_part(x, scale, [&](Coordinate j, double part) { add_at(slot(j) + column, part); });
    }

    // acc += sign · w·x, exactly.
    template <class Row>
    void accumulate(Accumulator& acc, const Row& x, double sign, std::size_t column = 0) const {
        for_each(x, [&](Coordinate j, double v) {
            const std::size_t i = slot(j) + column;
            acc.add_product(high_[i], sign * v);
            if (!has_low_) return;
            acc.add_product(low_[i], sign * v);
            if (const auto it = rest_.find(i); it != rest_.end())
                for (const double part : it->second) acc.add_product(part, sign * v);
        });
    }

    // Sets one weight that is not a sum.
    void set(Coordinate j, double value) { high_[slot(j)] = value; }

    // The doubles that add up to w_j, largest first.
    std::vector<double> components(Coordinate j) const {
        std::vector<double> parts;
        const Sum first = leading(j);
        if (first.value == 0) return parts;
        parts.push_back(first.value);
        if (first.error != 0) parts.push_back(first.error);
        if (const auto it = rest_.find(slot(j)); it != rest_.end())
            parts.insert(parts.end(), it->second.begin(), it->second.end());
        return parts;
    }
    bool has_rest(Coordinate j) const { return !rest_.empty() && rest_.contains(slot(j)); }

    double norm() const { return careful_norm(DenseRow<double>{high_.data(), high_.size(), 0}); }

    // Is a sum too large for a double? Then its high part is the largest double, and something
    // remains.
    bool saturated() const {
        for (std::size_t i = 0; has_low_ && i < high_.size(); ++i)
            if (std::fabs(high_[i]) == std::numeric_limits<double>::max() && high_[i] * low_[i] > 0)
                return true;
        return false;
    }

    // The same sums with another number of columns (new classes).
    Weights widened(std::size_t stride) const {
        Weights wide(stride);
        wide.grow(dimension_);
        wide.has_low_ = has_low_;
        if (has_low_) wide.low_.grow(wide.high_.size());
        const auto moved = [&](std::size_t i) {
            const std::size_t feature = i / stride_;  // front() is kFront whole features
            return feature * stride + i % stride_;
        };
        for (std::size_t i = 0; i < high_.size(); ++i) {
            wide.high_[moved(i)] = high_[i];
            if (has_low_) wide.low_[moved(i)] = low_[i];
        }
        for (const auto& [i, parts] : rest_) wide.rest_[moved(i)] = parts;
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
        out.put(names.high, std::span<const double>(high_.data(), high_.size()));
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
        w.grow(high.size() / stride - kFront);
        std::copy(high.begin(), high.end(), w.high_.data());
        for (std::size_t k = 0; k < slots.size(); ++k) {
            check(slots[k] >= 0 && static_cast<std::size_t>(slots[k]) < high.size());
            w.keep_low();
            const auto i = static_cast<std::size_t>(slots[k]);
            if (w.low_[i] == 0)
                w.low_[i] = parts[k];
            else
                w.rest_[i].push_back(parts[k]);
        }
        return w;
    }

    std::size_t bytes() const { return (high_.size() + low_.size()) * sizeof(double); }

    static constexpr std::size_t kFront = 8;  // a cache line; the last slot is the constant feature

  private:
    std::size_t front() const { return kFront * stride_; }
    const double* features() const { return high_.data() + front(); }
    void score_bias(double bias, double* score) const {
        for (std::size_t k = 0; k < stride_; ++k) score[k] = rounded(kBias, k) * bias;
    }
    std::size_t slot(Coordinate j) const {
        return static_cast<std::size_t>(j + static_cast<Coordinate>(kFront)) * stride_;
    }

    // f(slot, part) for every component beyond the high one.
    template <class F>
    void for_each_part_below(F&& f) const {
        for (std::size_t i = 0; has_low_ && i < low_.size(); ++i) {
            if (low_[i] != 0) f(i, low_[i]);
            if (const auto it = rest_.find(i); it != rest_.end())
                for (const double part : it->second) f(i, part);
        }
    }

    void keep_low() {
        if (has_low_) return;
        low_.grow(high_.size());
        has_low_ = true;
    }

    // With many classes the low parts of a row lie far apart, and no scoring has cached them.
    template <class Row>
    void prefetch_low(const Row& x, std::size_t column) const {
        for (std::size_t k = 0; k < x.size; ++k)
            __builtin_prefetch(low_.data() + slot(coordinate(x, k)) + column, 1);
    }

    template <class Row>
    void add_signed(const Row& x, double sign, std::size_t column) {
        if (has_low_ && stride_ > 1) prefetch_low(x, column);
        if (x.bias != 0) add_at(slot(kBias) + column, sign * x.bias);
        for (std::size_t k = 0; k < x.size;) {
            k += add_fours(x, k, sign, column);
            for (const std::size_t stop = std::min(k + 4, x.size); k < stop; ++k)
                add_at(slot(coordinate(x, k)) + column, sign * static_cast<double>(x.value[k]));
        }
    }

    template <class V>
    std::size_t add_fours(const DenseRow<V>& x, std::size_t k, double sign, std::size_t column) {
        if (!rest_.empty()) return 0;
        const std::size_t i = slot(static_cast<Coordinate>(k)) + column;
        const auto& kernel = kernels().dense<V>();
        if (!has_low_)
            return kernel.add_high(high_.data() + i, stride_, x.value + k, sign, x.size - k);
        return kernel.add(high_.data() + i, low_.data() + i, stride_, x.value + k, sign,
                          x.size - k);
    }

    template <class I, class V>
    std::size_t add_fours(const SparseRow<I, V>& x, std::size_t k, double sign,
                          std::size_t column) {
        if (!rest_.empty()) return 0;
        const std::size_t i = front() + column;
        const auto& kernel = kernels().template sparse<I, V>();
        if (!has_low_)
            return kernel.add_high(high_.data() + i, stride_, x.index + k, x.value + k, sign,
                                   x.size - k);
        return kernel.add(high_.data() + i, low_.data() + i, stride_, x.index + k, x.value + k,
                          sign, x.size - k);
    }

    void add_at(std::size_t i, double v) {
        const Sum s = two_sum(high_[i], v);
        if (s.error == 0 && !has_low_) {
            high_[i] = s.value;
            return;
        }
        keep_low();
        const Sum low = two_sum(low_[i], s.error);
        const Sum normal = two_sum(s.value, low.value);
        const bool exact = low.error == 0 && std::isfinite(normal.value);
        if (!exact || rest_.contains(i)) return add_exactly(i, v);
        high_[i] = normal.value;
        low_[i] = normal.error;
    }

    void add_exactly(std::size_t i, double v) {
        Accumulator acc;
        acc.add(high_[i]);
        acc.add(low_[i]);
        for (const double part : rest_[i]) acc.add(part);
        acc.add(v);
        const std::vector<double> parts = acc.components();
        high_[i] = parts.empty() ? 0 : parts[0];
        low_[i] = parts.size() < 2 ? 0 : parts[1];
        if (parts.size() <= 2)
            rest_.erase(i);
        else
            rest_[i].assign(parts.begin() + 2, parts.end());
    }

    std::size_t stride_;
    std::size_t dimension_ = 0;
    Buffer high_;
    Buffer low_;
    bool has_low_ = false;
    std::unordered_map<std::size_t, std::vector<double>> rest_;
};

}  // namespace novikoff
