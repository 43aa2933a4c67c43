// Weights of many columns of which few are not 0: the same exact sums as in weights.hpp, but only
// those that some update has touched. Memory follows them, not features × columns.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "../saving/state.hpp"
#include "lists.hpp"
#include "weights.hpp"

namespace novikoff {

// A sum that is not 0, and where it is.
struct ListedSum {
    Coordinate feature;
    std::uint32_t column, place;
};

class ListedWeights : public GridSums {
  public:
    ListedWeights(std::size_t stride, std::size_t dimension)
        : stride_(stride), dimension_(dimension) {}

    // The same sums as w.
    explicit ListedWeights(const Weights& w) : ListedWeights(w.stride(), w.dimension()) {
        std::vector<std::size_t> slots;
        for (std::size_t i = 0; i < w.sums().size(); ++i) {
            if (w.sums().rounded(i) == 0) continue;  // then it is 0 exactly
            lists_.place(Weights::feature(i, stride_), i % stride_);
            slots.push_back(i);
        }
        sums_ = w.sums().picked(slots);
        grid_ = w.grid();
    }

    // The same sums, side by side.
    Weights spread() const {
        std::vector<std::size_t> slots(sums_.size());
        lists_.for_each([&](Coordinate j, std::size_t column, std::size_t place) {
            slots[place] = Weights::slot(j, stride_) + column;
        });
        return Weights(stride_, dimension_,
                       sums_.rearranged(size(), [&](std::size_t i) { return slots[i]; }), grid_);
    }

    void grow(std::size_t dimension) { dimension_ = std::max(dimension_, dimension); }
    void widen_to(std::size_t stride) { stride_ = stride; }

    std::size_t dimension() const { return dimension_; }
    std::size_t stride() const { return stride_; }
    std::size_t bytes() const { return sums_.bytes() + lists_.bytes(); }
    // How many weights there would be side by side, and how many of them are listed.
    std::size_t size() const { return Weights::slot(static_cast<Coordinate>(dimension_), stride_); }
    std::size_t listed() const { return lists_.size(); }

    // The place of one sum, among those that are listed: a new one if it has none.
    std::size_t place(Coordinate j, std::size_t column) {
        sums_.grow(lists_.size() + 1);  // first: if memory runs out, nothing has changed
        return lists_.place(j, column);
    }
    std::size_t find(Coordinate j, std::size_t column) const { return lists_.find(j, column); }
    template <class F>
    void for_each_place(F&& f) const {
        lists_.for_each(f);
    }

    // ‖w‖, summed in the order of weights side by side.
    double norm() const {
        std::vector<ListedSum> order = in_order();
        std::stable_sort(order.begin(), order.end(), [](const ListedSum& a, const ListedSum& b) {
            return a.feature < b.feature;
        });
        std::vector<double> values;
        for (const ListedSum& sum : order) values.push_back(sums_.rounded(sum.place));
        return careful_norm(DenseRow<double>{values.data(), values.size(), 0});
    }

    double rounded(Coordinate j, std::size_t column) const {
        const std::size_t place = lists_.find(j, column);
        return place == Lists::kNowhere ? 0 : sums_.rounded(place);
    }
    bool is_whole(Coordinate j, std::size_t column) const {
        const std::size_t place = lists_.find(j, column);
        return place == Lists::kNowhere || sums_.error(place) == 0;
    }

    // w·x of every column, in floats: the same terms in the same order as side by side.
    template <class Row>
    void column_scores(const Row& x, double* score) const {
        std::fill_n(score, stride_, 0.0);
        for_each(x, [&](Coordinate j, double v) {
            lists_.for_each(j, [&](std::size_t column, std::size_t place) {
                score[column] += sums_.rounded(place) * v;
            });
        });
    }

    // The columns, in order, that have a sum for a feature of x; w·x of every other is 0 exactly.
    template <class Row>
    std::vector<std::size_t> columns_of(const Row& x) const {
        std::vector<std::size_t> columns;
        for_each(x, [&](Coordinate j, double) {
            lists_.for_each(j, [&](std::size_t k, std::size_t) { columns.push_back(k); });
        });
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        return columns;
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
    void accumulate(Accumulator& acc, const Row& x, double sign, std::size_t column) const {
        for_each(x, [&](Coordinate j, double v) {
            const std::size_t place = lists_.find(j, column);
            if (place == Lists::kNowhere) return;
            acc.add_product(sums_.rounded(place), sign * v);
            sums_.for_each_below(place, [&](double part) { acc.add_product(part, sign * v); });
        });
    }

    // The sums that are not 0, column by column, each in the order of the features.
    std::vector<ListedSum> in_order() const {
        std::vector<ListedSum> found;
        found.reserve(lists_.size());
        lists_.for_each([&](Coordinate j, std::uint32_t column, std::uint32_t place) {
            if (sums_.rounded(place) != 0) found.push_back({j, column, place});
        });
        std::sort(found.begin(), found.end(), [](const ListedSum& a, const ListedSum& b) {
            return std::tie(a.column, a.feature) < std::tie(b.column, b.feature);
        });
        return found;
    }

    // What in_order() finds, rounded, as arrays: where each column ends, and its features, −1 the
    // constant one, with their weights.
    struct Columns {
        std::vector<std::int64_t> ends, features;
        std::vector<double> values;
    };
    Columns columns(const std::vector<ListedSum>& order, std::size_t count) const {
        Columns found{std::vector<std::int64_t>(count), {}, {}};
        found.features.reserve(order.size());
        found.values.reserve(order.size());
        for (const ListedSum& sum : order) {
            ++found.ends[sum.column];
            found.features.push_back(sum.feature);
            found.values.push_back(sums_.rounded(sum.place));
        }
        for (std::size_t k = 1; k < count; ++k) found.ends[k] += found.ends[k - 1];
        return found;
    }

    // These weights, by columns; anybody may have written them.
    ListedWeights(std::size_t stride, std::size_t dimension, std::span<const std::int64_t> ends,
                  std::span<const std::int64_t> features, std::span<const double> values)
        : ListedWeights(stride, dimension) {
        check(ends.size() <= stride && features.size() == values.size() &&
              dimension <= kMaxDimension && stride <= kMaxDimension);
        check(std::is_sorted(ends.begin(), ends.end()) && (ends.empty() || ends[0] >= 0) &&
              static_cast<std::size_t>(ends.empty() ? 0 : ends.back()) == values.size());
        sums_.become(Form::kAny);
        sums_.grow(values.size());
        std::size_t i = 0;
        for (std::size_t k = 0; k < ends.size(); ++k) {
            std::int64_t before = kBias - 1;
            for (; i < static_cast<std::size_t>(ends[k]); ++i) {
                check(features[i] > before && features[i] < static_cast<std::int64_t>(dimension));
                check(std::isfinite(values[i]) && values[i] != 0);
                before = features[i];
                sums_.set(lists_.place(static_cast<Coordinate>(before), k), values[i]);
            }
        }
    }

    // A saved state has no weights side by side, which no older reader accepts. The slots of
    // remainders are places among the listed weights.
    void state(StateWriter& out, const Weights::Names& names) const {
        const std::vector<ListedSum> order = in_order();
        const Columns found = columns(order, stride_);
        std::vector<std::int64_t> slots;
        std::vector<double> parts;
        for (std::size_t i = 0; i < order.size(); ++i)
            sums_.for_each_below(order[i].place, [&](double part) {
                slots.push_back(static_cast<std::int64_t>(i));
                parts.push_back(part);
            });
        const auto dimension = static_cast<std::int64_t>(dimension_);
        out.put(names.high, std::span<const double>());
        out.put(names.slots, std::span<const std::int64_t>(slots));
        out.put(names.parts, std::span<const double>(parts));
        out.put("listed_dimension", std::span<const std::int64_t>(&dimension, 1));
        out.put("listed_ends", std::span<const std::int64_t>(found.ends));
        out.put("listed_features", std::span<const std::int64_t>(found.features));
        out.put("listed_weights", std::span<const double>(found.values));
    }

    static ListedWeights restored(const StateReader& in, const Weights::Names& names,
                                  std::size_t stride) {
        const auto slots = in.array<std::int64_t>(names.slots);
        const auto parts = in.reals(names.parts);
        const auto ends = in.counts("listed_ends", stride);
        check(in.array<double>(names.high).empty() && slots.size() == parts.size());
        ListedWeights w(stride, static_cast<std::size_t>(in.counts("listed_dimension", 1)[0]), ends,
                        in.array<std::int64_t>("listed_features"),
                        in.array<double>("listed_weights"));
        for (std::size_t k = 0; k < slots.size(); ++k) {
            check(slots[k] >= 0 && static_cast<std::size_t>(slots[k]) < w.listed());
            w.sums_.append(static_cast<std::size_t>(slots[k]), parts[k]);
        }
        w.settle_form();
        return w;
    }

  private:
    template <class Row>
    void add_prepared(const Row& x, double scale, std::size_t column) {
        for_each_part(x, scale,
                      [&](Coordinate j, double part) { sums_.add(place(j, column), part); });
    }

    std::size_t stride_;
    std::size_t dimension_;
    Lists lists_;
};

}  // namespace novikoff
