// The perceptron, and every w_k it held with the number c_k of rounds after which it was the
// current one (freund1999, Fig. 1). Each w_k is the one before plus y x, so the mistaken
// examples are all that is kept. With a limit, the oldest w_k are forgotten: `base` is the sum
// of their updates, on which the kept ones stand.
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
    std::vector<double> values;         // y x

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

    std::size_t limit;  // how many w_k may vote
    Voters voters;
    Weights base;
    std::int64_t forgotten = 0;

    Voted(double bias_value, std::size_t voter_limit)
        : Perceptron<Tie>(bias_value), limit(voter_limit) {}

    // The base first: should memory run out, w still says that there was no room.
    void grow(std::size_t dimension) {
        base.grow(dimension);
        this->w.grow(dimension);
    }

    void restored() {
        voters = Voters();
        base = Weights();
        base.grow(this->w.dimension());
        forgotten = 0;
    }

    template <class Row>
    void learn(const Row& x, double norm2, double weight, Label prediction, Label y) {
        Perceptron<Tie>::learn(x, norm2, weight, prediction, y);
        for_each_part(x, weight * y, [&](Coordinate j, double part) {
            voters.indices.push_back(static_cast<std::int32_t>(j));
            voters.values.push_back(part);
        });
        voters.starts.push_back(static_cast<std::int64_t>(voters.indices.size()));
        voters.births.push_back(this->rounds);
        // Twice the limit, so that forgetting stays linear in the number of mistakes.
        if (voters.size() / 2 >= limit) forget();
    }

    // Keeps the last `limit` voters.
    void forget() {
        if (voters.size() <= limit) return;
        const std::size_t count = voters.size() - limit;
        for (std::size_t k = 0; k < count; ++k) base.add(voters.row(k), 1.0);
        forgotten += static_cast<std::int64_t>(count);
        voters.drop_first(count);
    }
};

}  // namespace novikoff
