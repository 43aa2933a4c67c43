// Sums of floats laid out as the weights of many classes are: side by side, or one for each listed
// weight. Both add the same numbers in the same order.
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "../../numbers/buffer.hpp"
#include "../../numbers/listed_weights.hpp"

namespace novikoff {

// A number of one feature and class.
struct Cell {
    Coordinate feature;
    std::uint32_t column;
    double value;
};

// Class by class, each in the order of the features.
inline void sort_cells(std::vector<Cell>& cells) {
    std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
        return std::tie(a.column, a.feature) < std::tie(b.column, b.feature);
    });
}

class Moments {
  public:
    Moments() = default;
    Moments(std::span<const double> given, std::size_t stride)
        : side_(given.size()), stride_(stride) {
        std::copy(given.begin(), given.end(), side_.data());
    }

    std::size_t bytes() const { return (side_.size() + places_.capacity()) * sizeof(double); }

    // Side by side.
    void grow(std::size_t dimension, std::size_t stride) {
        stride_ = stride;
        side_.grow(Weights::slot(static_cast<Coordinate>(dimension), stride));
    }
    void widen(std::size_t dimension, std::size_t stride) {
        if (stride == stride_) return;
        const std::size_t features = Weights::kFront + dimension;
        Buffer wide(features * stride);
        for (std::size_t j = 0; j < features; ++j)
            std::copy_n(side_.data() + j * stride_, stride_, wide.data() + j * stride);
        side_ = std::move(wide);
        stride_ = stride;
    }
    double& at(Coordinate j, std::size_t column) {
        return side_.data()[Weights::slot(j, stride_) + column];
    }
    double at(Coordinate j, std::size_t column) const {
        return side_.data()[Weights::slot(j, stride_) + column];
    }
    void state(StateWriter& out) const {
        out.put("moments", std::span<const double>(side_.data(), side_.size()));
    }

    // Listed: at the places of the weights. A weight of 0 is listed if its moment is not 0.
    double& listed(ListedWeights& weights, Coordinate j, std::size_t column) {
        const std::size_t place = weights.place(j, column);
        if (place >= places_.size()) places_.resize(weights.listed());
        return places_[place];
    }
    double listed(const ListedWeights& weights, Coordinate j, std::size_t column) const {
        const std::size_t place = weights.find(j, column);
        return place < places_.size() ? places_[place] : 0;
    }

    // From one form to the other, if they are not in it yet.
    void list(ListedWeights& weights) {
        if (side_.size() == 0) return;
        for (const Cell& cell : cells(nullptr))
            listed(weights, cell.feature, cell.column) = cell.value;
        side_ = Buffer();
    }
    void spread(const ListedWeights& weights) {
        Moments wide;
        wide.grow(weights.dimension(), weights.stride());
        for (const Cell& cell : cells(&weights)) wide.at(cell.feature, cell.column) = cell.value;
        *this = std::move(wide);
    }

    // Those that are not 0, in order; the weights, if they are listed.
    std::vector<Cell> cells(const ListedWeights* weights) const {
        std::vector<Cell> found;
        if (weights) found.reserve(places_.size());
        if (weights)
            weights->for_each_place([&](Coordinate j, std::uint32_t column, std::size_t place) {
                if (place < places_.size() && places_[place] != 0)
                    found.push_back({j, column, places_[place]});
            });
        else
            for (std::size_t i = 0; i < side_.size(); ++i)
                if (side_.data()[i] != 0)
                    found.push_back({Weights::feature(i, stride_),
                                     static_cast<std::uint32_t>(i % stride_), side_.data()[i]});
        sort_cells(found);
        return found;
    }

  private:
    Buffer side_;
    std::size_t stride_ = 0;
    std::vector<double> places_;
};

// As arrays: where each column ends, its features with −1 for the constant one, and the numbers.
// They are made one at a time, because there may be millions.
inline std::vector<std::int64_t> ends_of(const std::vector<Cell>& cells, std::size_t columns) {
    std::vector<std::int64_t> ends(columns);
    for (const Cell& cell : cells) ++ends[cell.column];
    for (std::size_t k = 1; k < columns; ++k) ends[k] += ends[k - 1];
    return ends;
}
inline std::vector<std::int64_t> features_of(const std::vector<Cell>& cells) {
    std::vector<std::int64_t> features(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) features[i] = cells[i].feature;
    return features;
}
inline std::vector<double> values_of(const std::vector<Cell>& cells) {
    std::vector<double> values(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) values[i] = cells[i].value;
    return values;
}

inline void write_cells(StateWriter& out, const std::vector<Cell>& cells, std::size_t columns) {
    const auto put = [&](const char* name, const auto& values) {
        out.put(name, std::span(values));
    };
    put("moments", values_of(cells));
    put("moment_ends", ends_of(cells, columns));
    put("moment_features", features_of(cells));
}

// f(cell) for each that write_cells wrote, and somebody may have changed.
template <class F>
void for_each_cell(const StateReader& in, F&& f) {
    const auto values = in.array<double>("moments");
    const auto ends = in.counts("moment_ends", static_cast<std::size_t>(in.counts("counts", 2)[1]));
    const auto features = in.array<std::int64_t>("moment_features");
    const std::int64_t dimension = in.counts("listed_dimension", 1)[0];
    check(std::is_sorted(ends.begin(), ends.end()) && features.size() == values.size() &&
          static_cast<std::size_t>(ends.empty() ? 0 : ends.back()) == values.size());
    for (std::size_t k = 0, i = 0; k < ends.size(); ++k) {
        std::int64_t before = kBias - 1;
        for (; i < static_cast<std::size_t>(ends[k]); ++i) {
            check(features[i] > before && features[i] < dimension && values[i] != 0);
            before = features[i];
            f(Cell{before, static_cast<std::uint32_t>(k), values[i]});
        }
    }
}

}  // namespace novikoff
