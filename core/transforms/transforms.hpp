// The transforms of a model, between the gate and the rule: from a raw row to what the rule sees.
//
// Without a Cross the features keep their numbers. With one, every feature gets the next number
// when it first has a value other than 0; within a row, raw features come first, ascending, then
// pairs, ascending.
#pragma once

#include <new>
#include <optional>
#include <unordered_map>
#include <variant>

#include "../playing/access.hpp"
#include "../saving/state.hpp"
#include "cross.hpp"
#include "made_row.hpp"
#include "scale.hpp"

namespace novikoff {

class Transforms {
  public:
    using Step = std::variant<Scale, Normalize, Presence, Cross>;

    std::vector<Step> steps;
    std::vector<Group> groups;
    Access access;
    MadeRow scratch;  // the row of the round that is being played

    bool crosses() const {
        return std::any_of(steps.begin(), steps.end(),
                           [](const Step& s) { return std::holds_alternative<Cross>(s); });
    }

    // How many raw features there are: those below this number have been seen or declared.
    std::size_t raw_columns() const { return raw_columns_; }
    // How many features the rule has seen.
    std::size_t columns() const { return crosses() ? keys_.size() : raw_columns_; }
    // The same once it has met this row, of so many raw features.
    std::size_t columns(const MadeRow& row, std::size_t raw) const {
        return crosses() ? keys_.size() + row.strangers.size() : std::max(raw, raw_columns_);
    }
    const std::vector<std::uint64_t>& keys() const { return keys_; }
    std::size_t bytes() const { return keys_.size() * 48; }

    // Makes room for raw features.
    void widen(std::size_t columns) { raw_columns_ = std::max(raw_columns_, columns); }

    // The row of a sound x, into `row`; `groups_of(feature)` are the groups of a raw feature.
    // False if a product is beyond the range of floats. Changes nothing but `row`.
    template <class Row, class GroupsOf>
    bool make(const Row& x, MadeRow& row, GroupsOf&& groups_of) const {
        row.clear();
        for_each(x, [&](Coordinate j, double v) {
            const auto raw = static_cast<std::int32_t>(j);
            if (j != kBias) row.values.push_back({raw, raw, v});
        });
        const bool crossing = crosses();
        if (crossing) {
            std::sort(row.values.begin(), row.values.end(),
                      [](const Value& a, const Value& b) { return a.raw < b.raw; });
            for (Value& v : row.values) v.id = id_of(raw_key(v.raw), row);
        }
        for (std::size_t k = 0; k < steps.size(); ++k) {
            const bool sound = std::visit(
                [&](const auto& step) {
                    if constexpr (std::is_same_v<std::decay_t<decltype(step)>, Cross>)
                        return cross(step, row, groups_of);
                    else
                        return step.apply(row, k);
                },
                steps[k]);
            if (!sound) return false;
        }
        row.finish();
        return true;
    }

    // Takes over what a row changes; all of it or, if memory runs out, nothing.
    void adopt(const MadeRow& row) {
        const std::size_t known = keys_.size();
        if (known + row.strangers.size() > static_cast<std::size_t>(kMaxDimension))
            throw std::bad_alloc();
        try {
            for (const std::uint64_t key : row.strangers) {
                ids_.emplace(key, static_cast<std::int32_t>(keys_.size()));
                keys_.push_back(key);
            }
            for (const Growth& g : row.growths) reserve(g);
        } catch (...) {
            truncate(known);
            throw;
        }
        for (const Growth& g : row.growths) exponent(g) = g.after;
    }

    // Takes back what the last row adopted has changed.
    void undo(const MadeRow& row) {
        truncate(keys_.size() - row.strangers.size());
        for (auto g = row.growths.rbegin(); g != row.growths.rend(); ++g) exponent(*g) = g->before;
    }

    void state(StateWriter& out) const {
        const std::vector<std::int64_t> keys(keys_.begin(), keys_.end());
        const auto columns = static_cast<std::int64_t>(raw_columns_);
        std::vector<std::int32_t> exponents;
        std::vector<std::int64_t> ends;
        for (const Step& step : steps)
            if (const auto* scale = std::get_if<Scale>(&step)) {
                exponents.insert(exponents.end(), scale->exponents.begin(), scale->exponents.end());
                ends.push_back(static_cast<std::int64_t>(exponents.size()));
            }
        out.put("made_features", std::span<const std::int64_t>(keys));
        out.put("raw_features", std::span<const std::int64_t>(&columns, 1));
        out.put("scale_exponents", std::span<const std::int32_t>(exponents));
        out.put("scale_ends", std::span<const std::int64_t>(ends));
    }

    void restore(const StateReader& in) {
        const auto columns = in.counts("raw_features", 1);
        check(columns[0] <= kMaxDimension);
        Transforms found;
        found.steps = steps, found.raw_columns_ = static_cast<std::size_t>(columns[0]);
        for (const std::int64_t key : in.array<std::int64_t>("made_features")) {
            check(crosses());
            found.add_key(static_cast<std::uint64_t>(key));
        }
        const auto exponents = in.array<std::int32_t>("scale_exponents");
        std::size_t begin = 0, scale = 0;
        const auto ends = in.counts("scale_ends");
        for (Step& step : found.steps)
            if (auto* one = std::get_if<Scale>(&step)) {
                check(scale < ends.size());
                const auto end = static_cast<std::size_t>(ends[scale++]);
                check(begin <= end && end <= exponents.size());
                one->exponents.assign(exponents.begin() + static_cast<std::ptrdiff_t>(begin),
                                      exponents.begin() + static_cast<std::ptrdiff_t>(end));
                for (const std::int32_t e : one->exponents)
                    check(e == kNoExponent || (e >= -1074 && e <= 1024));
                begin = end;
            }
        check(scale == ends.size() && begin == exponents.size());
        steps = std::move(found.steps);
        keys_ = std::move(found.keys_);
        ids_ = std::move(found.ids_);
        raw_columns_ = found.raw_columns_;
        ++access.restored;
    }

  private:
    // The number of a feature; a stranger gets the next one, as if the row were adopted.
    std::int32_t id_of(std::uint64_t key, MadeRow& row) const {
        const auto known = ids_.find(key);
        if (known != ids_.end()) return known->second;
        const auto next = static_cast<std::int32_t>(keys_.size() + row.strangers.size());
        const auto [stranger, fresh] = row.stranger_ids.emplace(key, next);
        if (fresh) row.strangers.push_back(key);
        return stranger->second;
    }

    template <class GroupsOf>
    bool cross(const Cross& step, MadeRow& row, GroupsOf&& groups_of) const {
        std::vector<Value> raw;
        std::vector<Groups> mine;
        for (const Value& v : row.values)
            if (v.raw != kMade) {
                raw.push_back(v);
                mine.push_back(groups_of(v.raw));
            }
        std::unordered_map<std::int32_t, std::size_t> made;  // the places of pairs by their ids
        for (std::size_t k = 0; k < row.values.size(); ++k)
            if (row.values[k].raw == kMade) made.emplace(row.values[k].id, k);
        for (const auto& pair : step.pairs(raw, mine)) {
            const std::uint64_t key = step.bits ? place_key(pair.key, step.bits) : pair.key;
            const std::int32_t id = id_of(key, row);
            const auto [found, fresh] = made.emplace(id, row.values.size());
            if (fresh)
                row.values.push_back({id, kMade, pair.product});
            else if (step.bits != 0)
                row.values[found->second].x += pair.product;
        }
        return std::all_of(row.values.begin(), row.values.end(),
                           [](const Value& v) { return std::isfinite(v.x); });
    }

    void reserve(const Growth& g) {
        auto& exponents = std::get<Scale>(steps[g.step]).exponents;
        const auto size = static_cast<std::size_t>(g.id) + 1;
        if (exponents.size() < size) exponents.resize(size, kNoExponent);
    }
    std::int32_t& exponent(const Growth& g) {
        return std::get<Scale>(steps[g.step]).exponents[static_cast<std::size_t>(g.id)];
    }

    void add_key(std::uint64_t key) {
        const std::uint64_t rest = key & ~(kRawKey | kPlaceKey);
        const bool raw = key & kRawKey, place = key & kPlaceKey;
        check(!(raw && place) && (!raw || rest < kMaxDimension) && (!place || rest < 1u << 30));
        check(raw || place ||
              (rest >> 32 <= (rest & 0xffffffff) && (rest & 0xffffffff) < kMaxDimension));
        check(keys_.size() < static_cast<std::size_t>(kMaxDimension));
        check(ids_.emplace(key, static_cast<std::int32_t>(keys_.size())).second);
        keys_.push_back(key);
    }

    void truncate(std::size_t known) {
        for (; keys_.size() > known; keys_.pop_back()) ids_.erase(keys_.back());
    }

    std::vector<std::uint64_t> keys_;  // of the features made, by their numbers
    std::unordered_map<std::uint64_t, std::int32_t> ids_;
    std::size_t raw_columns_ = 0;
};

}  // namespace novikoff
