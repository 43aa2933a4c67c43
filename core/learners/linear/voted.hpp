// The perceptron, and every w_k it held with the number c_k of rounds after which it was the
// current one (freund1999, Fig. 1). Each w_k is the one before plus y x, so it keeps only the
// mistaken examples. With a limit it forgets the oldest w_k: `base` is the sum of their updates, to
// which the kept ones add.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "perceptron.hpp"

namespace novikoff {

struct Voters {
    std::vector<std::int64_t> births;  // the round that made w_k
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> indices;  // kBias is the constant feature
    std::vector<double> values;  // y x; a weight may split the value of a feature in two parts

    std::size_t size() const { return births.size(); }

    // Compressed sparse rows within these features?
    bool sound(std::size_t dimension) const {
        const auto last = static_cast<Coordinate>(dimension) - 1;
        return starts.front() == 0 && std::is_sorted(starts.begin(), starts.end()) &&
               static_cast<std::size_t>(starts.back()) == indices.size() &&
               indices.size() == values.size() &&
               std::all_of(indices.begin(), indices.end(),
                           [&](std::int32_t j) { return j >= kBias && j <= last; }) &&
               std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
    }

    void drop_first(std::size_t count) {
        const std::int64_t cut = starts[count];
        births.erase(births.begin(), births.begin() + static_cast<std::ptrdiff_t>(count));
        starts.erase(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(count));
        indices.erase(indices.begin(), indices.begin() + cut);
        values.erase(values.begin(), values.begin() + cut);
        for (auto& start : starts) start -= cut;
    }

    SparseRow<std::int32_t, double> row(std::size_t k) const {
        const auto first = static_cast<std::size_t>(starts[k]);
        const auto size = static_cast<std::size_t>(starts[k + 1]) - first;
        return {indices.data() + first, values.data() + first, size, 0, size};
    }

    std::size_t bytes() const {
        return 16 * births.size() + sizeof(std::int32_t) * indices.size() +
               sizeof(double) * values.size();
    }
};

template <class Tie>
struct Voted : Perceptron<Tie> {
    using typename Binary::Label;
    using typename Binary::Prediction;

    std::size_t limit;  // how many w_k may vote
    Voters voters;
    Weights base;
    std::int64_t forgotten = 0;

    Voted(double bias_value, std::size_t voter_limit)
        : Perceptron<Tie>(bias_value), limit(voter_limit) {}

    // The base first: if memory runs out, w still says that there was no room.
    void grow(std::size_t dimension) {
        base.grow(dimension);
        this->w.grow(dimension);
    }

    std::size_t bytes() const { return this->w.bytes() + voters.bytes() + base.bytes(); }

    template <class Row>
    Outcome learn(const Row& x, const Extent& extent, Prediction prediction, Label y,
                  double weight) {
        const Outcome outcome = Perceptron<Tie>::learn(x, extent, prediction, y, weight);
        if (!outcome.updated) return outcome;
        for_each_part(x, weight * y, [&](Coordinate j, double part) {
            voters.indices.push_back(static_cast<std::int32_t>(j));
            voters.values.push_back(part);
        });
        voters.starts.push_back(static_cast<std::int64_t>(voters.indices.size()));
        voters.births.push_back(this->rounds);
        // Twice the limit, so that forgetting stays linear in the number of mistakes.
        if (voters.size() / 2 >= limit) forget();
        return outcome;
    }

    // Keeps the last `limit` voters.
    void forget() {
        if (voters.size() <= limit) return;
        const std::size_t count = voters.size() - limit;
        for (std::size_t k = 0; k < count; ++k) base.add_parts(voters.row(k));
        forgotten += static_cast<std::int64_t>(count);
        voters.drop_first(count);
    }

    // The voters, each with the round that made it; the base includes the forgotten ones.
    void state(StateWriter& out) const {
        Perceptron<Tie>::state(out);
        out.put("births", std::span<const std::int64_t>(voters.births));
        out.put("starts", std::span<const std::int64_t>(voters.starts));
        out.put("indices", std::span<const std::int32_t>(voters.indices));
        out.put("values", std::span<const double>(voters.values));
        base.state(out, kBaseNames);
        out.put("forgotten", std::span<const std::int64_t>(&forgotten, 1));
    }

    void restore(const StateReader& in) {
        const std::int64_t fewer = in.counts("forgotten", 1)[0];
        const auto copy = [](auto span) { return std::vector(span.begin(), span.end()); };
        Voters found{copy(in.counts("births")), copy(in.counts("starts")),
                     copy(in.array<std::int32_t>("indices")), copy(in.reals("values"))};
        Weights below = Weights::restored(in, kBaseNames, 1);
        check(found.starts.size() == found.births.size() + 1 && found.sound(below.dimension()) &&
              in.array<double>("weights").size() == in.array<double>("base").size());
        Perceptron<Tie>::restore(in);
        voters = std::move(found);
        base = std::move(below);
        forgotten = fewer;
    }

  private:
    static constexpr Weights::Names kBaseNames{"base", "base_slots", "base_parts"};
};

}  // namespace novikoff
