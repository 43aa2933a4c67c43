// Products of two features: groups of features, and the pairs of a row.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../blocks/hash.hpp"
#include "made_row.hpp"

namespace novikoff {

using Groups = std::uint32_t;  // a bit for each group that a feature is in

// A group of features: by their numbers, in ranges [first, last), or by name. The group `a` has the
// feature `a`, those of the namespace (`a^…`) and those of the categorical column (`a=…`).
struct Group {
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    std::string name;
    bool placed = false;  // the name is that of columns, whose numbers are known

    bool has(std::int64_t feature) const {
        return std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
            return range.first <= feature && feature < range.second;
        });
    }
    bool has(std::string_view feature) const {
        if (!feature.starts_with(name)) return false;
        return feature.size() == name.size() || feature[name.size()] == '^' ||
               feature[name.size()] == '=';
    }
};

template <class Feature>
Groups groups_of(const std::vector<Group>& groups, const Feature& feature) {
    Groups found = 0;
    for (std::size_t g = 0; g < groups.size(); ++g)
        found |= static_cast<Groups>(groups[g].has(feature)) << g;
    return found;
}

// The key of a feature among those that transforms have made: a raw feature, a pair of them, or the
// place of a hashed pair.
inline constexpr std::uint64_t kRawKey = std::uint64_t{1} << 63, kPlaceKey = std::uint64_t{1} << 62;

inline std::uint64_t raw_key(std::int32_t raw) { return kRawKey | static_cast<std::uint32_t>(raw); }
inline std::uint64_t pair_key(std::int32_t low, std::int32_t high) {
    return static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint32_t>(high);
}
// The last bits of the hash of both numbers, 4 bytes each, little-endian.
inline std::uint64_t place_key(std::uint64_t pair, int bits) {
    char bytes[8];
    for (int k = 0; k < 4; ++k) {
        bytes[k] = static_cast<char>(pair >> (32 + 8 * k) & 255);
        bytes[4 + k] = static_cast<char>(pair >> (8 * k) & 255);
    }
    return kPlaceKey | (murmur3(bytes, 8) & ((std::uint64_t{1} << bits) - 1));
}

// x_i x_j, rounded, for every i of one group and j of another, i ≤ j, every pair once.
struct Cross {
    struct Pair {
        std::uint64_t key;
        double product;
    };
    std::vector<std::pair<int, int>> groups;  // each pair of groups, by their numbers
    int bits = 0;                             // 0: every pair is a feature of its own

    // The pairs of a row whose products are not 0, ascending; `mine[k]` are the groups of value k.
    // Values come ascending by their raw features.
    std::vector<Pair> pairs(const std::vector<Value>& values,
                            const std::vector<Groups>& mine) const {
        std::vector<Pair> found;
        for (const auto& [a, b] : groups) {
            const Groups both = Groups{1} << a | Groups{1} << b;
            const std::vector<std::size_t> first = members(mine, a), second = members(mine, b);
            for (const std::size_t i : first)
                for (const std::size_t j : second) {
                    const bool twice = (mine[i] & mine[j] & both) == both;  // also as (j, i)
                    const double product = values[i].x * values[j].x;
                    if (product == 0 || (twice && j < i)) continue;
                    const auto [low, high] = std::minmax(values[i].raw, values[j].raw);
                    found.push_back({pair_key(low, high), product});
                }
        }
        const auto before = [](const Pair& p, const Pair& q) { return p.key < q.key; };
        if (!std::is_sorted(found.begin(), found.end(), before))
            std::sort(found.begin(), found.end(), before);
        const auto same = [](const Pair& p, const Pair& q) { return p.key == q.key; };
        found.erase(std::unique(found.begin(), found.end(), same), found.end());
        return found;
    }

  private:
    static std::vector<std::size_t> members(const std::vector<Groups>& mine, int group) {
        std::vector<std::size_t> found;
        for (std::size_t k = 0; k < mine.size(); ++k)
            if (mine[k] >> group & 1) found.push_back(k);
        return found;
    }
};

}  // namespace novikoff
