// A row on its way through the transforms of a model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../blocks/row.hpp"
#include "key_table.hpp"

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
    KeyTable stranger_ids;                 // which they would get
    std::vector<Growth> growths;

    void clear() {
        values.clear();
        strangers.clear();
        stranger_ids.clear();
        growths.clear();
    }

    // What the rule sees, valid until the next call. Zeros go: a product or a quotient may be too
    // small for a float.
    SparseRow<std::int32_t, double> row(double bias) {
        indices_.resize(values.size());
        numbers_.resize(values.size());
        std::size_t size = 0;
        for (const Value& v : values) {
            indices_[size] = v.id;
            numbers_[size] = v.x;
            size += v.x != 0;
        }
        return {indices_.data(), numbers_.data(), size, bias, size};
    }

  private:
    std::vector<std::int32_t> indices_;
    std::vector<double> numbers_;
};

}  // namespace novikoff
