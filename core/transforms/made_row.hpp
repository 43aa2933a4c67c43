// A row on its way through the transforms of a model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "../blocks/row.hpp"

namespace novikoff {

struct Value {
    std::int32_t id;   // the feature, as the rule numbers it
    std::int32_t raw;  // the feature of the raw row, or kMade
    double x;
};
inline constexpr std::int32_t kMade = -1;

// What a row would change in the transforms: a running exponent, with the one before it.
struct Growth {
    std::size_t step;
    std::int32_t id, before, after;
};

struct MadeRow {
    std::vector<Value> values;
    std::vector<std::uint64_t> strangers;  // the keys of features without an id yet
    std::unordered_map<std::uint64_t, std::int32_t> stranger_ids;  // which they would get
    std::vector<Growth> growths;

    void clear() {
        values.clear();
        strangers.clear();
        if (!stranger_ids.empty()) stranger_ids.clear();
        growths.clear();
    }

    // Zeros go: a product or a quotient may be too small for a float.
    void finish() {
        std::erase_if(values, [](const Value& v) { return v.x == 0; });
        std::sort(values.begin(), values.end(),
                  [](const Value& a, const Value& b) { return a.id < b.id; });
        indices_.clear();
        numbers_.clear();
        for (const Value& v : values) {
            indices_.push_back(v.id);
            numbers_.push_back(v.x);
        }
    }

    // What the rule sees, valid until the next call.
    SparseRow<std::int32_t, double> row(double bias) const {
        return {indices_.data(), numbers_.data(), indices_.size(), bias, indices_.size()};
    }

  private:
    std::vector<std::int32_t> indices_;
    std::vector<double> numbers_;
};

}  // namespace novikoff
