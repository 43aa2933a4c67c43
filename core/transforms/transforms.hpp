// The transforms of a model, between the gate and the rule: from a raw row to what the rule sees.
//
// Without a Cross the features keep their numbers. With one, every feature gets the next number
// when it first has a value other than 0; within a row, raw features come first, ascending, then
// pairs, ascending.
#pragma once

#include <new>
#include <optional>
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
    std::size_t bytes() const {
        std::size_t scaled = 0;
        for (const Step& step : steps)
            if (const auto* scale = std::get_if<Scale>(&step)) scaled += scale->exponents.size();
        return 4 * scaled + 8 * keys_.size() + ids_.bytes();
    }

    // Finds a group by the numbers of its features from now on: their names are those of columns.
    void place(std::size_t group, std::vector<std::pair<std::int64_t, std::int64_t>> ranges) {
        groups.at(group).ranges = std::move(ranges);
        groups[group].placed = true;
    }
    bool placed() const {
        return std::any_of(groups.begin(), groups.end(), [](const Group& g) { return g.placed; });
    }

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
        return true;
    }

    // Takes over what a row changes; all of it or, if memory runs out, nothing.
    void adopt(const MadeRow& row) {
        const std::size_t known = keys_.size();
        try {
            for (const std::uint64_t key : row.strangers) add_key(key);
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
        for (const Growth& g : row.growths) exponent(g) = g.before;
        for (Step& step : steps)
            if (auto* scale = std::get_if<Scale>(&step)) scale->trim();
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
        std::vector<std::int64_t> places;
        for (std::size_t g = 0; g < groups.size(); ++g)
            for (const auto& [first, last] : groups[g].ranges)
                if (groups[g].placed)
                    places.insert(places.end(), {static_cast<std::int64_t>(g), first, last});
        out.put("group_places", std::span<const std::int64_t>(places));
    }

    void restore(const StateReader& in) {
        const auto columns = in.counts("raw_features", 1);
        check(columns[0] <= kMaxDimension);
        Transforms found;
        found.steps = steps, found.raw_columns_ = static_cast<std::size_t>(columns[0]);
        found.groups = restored_groups(in);
        for (const std::int64_t key : in.array<std::int64_t>("made_features")) {
            check(crosses());
            check_key(static_cast<std::uint64_t>(key));
            check(found.ids_.find(static_cast<std::uint64_t>(key)) == KeyTable::kNone);
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
        groups = std::move(found.groups);
        keys_ = std::move(found.keys_);
        ids_ = std::move(found.ids_);
        raw_columns_ = found.raw_columns_;
        ++access.restored;
    }

  private:
    // The number of a feature; a stranger gets the next one, as if the row were adopted.
    std::int32_t id_of(std::uint64_t key, MadeRow& row) const {
        const std::int32_t known = ids_.find(key);
        if (known != KeyTable::kNone) [[likely]]
            return known;
        const std::int32_t stranger = row.stranger_ids.find(key);
        if (stranger != KeyTable::kNone) return stranger;
        const auto next = static_cast<std::int32_t>(keys_.size() + row.strangers.size());
        row.stranger_ids.add(key, next);
        row.strangers.push_back(key);
        return next;
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
        KeyTable made;  // the places of earlier pairs, and of hashed ones, by their ids
        for (std::size_t k = 0; k < row.values.size(); ++k)
            if (row.values[k].raw == kMade) note(made, row.values[k].id, k);
        const bool distinct = made.size() == 0 && step.bits == 0;
        for (const auto& pair : step.pairs(raw, mine)) {
            const std::uint64_t key = step.bits ? place_key(pair.key, step.bits) : pair.key;
            const std::int32_t id = id_of(key, row);
            const std::int32_t place = distinct ? KeyTable::kNone : made.find(index_of(id));
            if (place == KeyTable::kNone) {
                if (!distinct) note(made, id, row.values.size());
                row.values.push_back({id, kMade, pair.product});
            } else if (step.bits != 0) {
                row.values[static_cast<std::size_t>(place)].x += pair.product;
            }
        }
        return std::all_of(row.values.begin(), row.values.end(),
                           [](const Value& v) { return std::isfinite(v.x); });
    }

    static std::uint64_t index_of(std::int32_t id) { return static_cast<std::uint64_t>(id); }
    static void note(KeyTable& made, std::int32_t id, std::size_t place) {
        made.add(index_of(id), static_cast<std::int32_t>(place));
    }

    std::vector<Group> restored_groups(const StateReader& in) const {
        const auto places = in.counts("group_places");
        check(places.size() % 3 == 0);
        std::vector<Group> found = groups;
        for (Group& group : found)
            if (!group.name.empty()) group.ranges.clear(), group.placed = !places.empty();
        for (std::size_t k = 0; k < places.size(); k += 3) {
            const auto group = static_cast<std::size_t>(places[k]);
            check(group < found.size() && found[group].placed);
            check(places[k + 1] < places[k + 2] && places[k + 2] <= kMaxDimension);
            found[group].ranges.emplace_back(places[k + 1], places[k + 2]);
        }
        return found;
    }

    void reserve(const Growth& g) {
        auto& exponents = std::get<Scale>(steps[g.step]).exponents;
        const auto size = static_cast<std::size_t>(g.id) + 1;
        if (exponents.size() < size) exponents.resize(size, kNoExponent);
    }
    std::int32_t& exponent(const Growth& g) {
        return std::get<Scale>(steps[g.step]).exponents[static_cast<std::size_t>(g.id)];
    }

    static void check_key(std::uint64_t key) {
        const std::uint64_t rest = key & ~(kRawKey | kPlaceKey);
        const std::uint64_t low = rest >> 32, high = rest & 0xffffffff;
        const bool raw = key & kRawKey, place = key & kPlaceKey;
        check(!(raw && place) && (!raw || rest < kMaxDimension) && (!place || rest < 1U << 30));
        check(raw || place || (low <= high && high < kMaxDimension));
    }

    void add_key(std::uint64_t key) {
        if (keys_.size() >= static_cast<std::size_t>(kMaxDimension)) throw std::bad_alloc();
        keys_.push_back(key);
        ids_.add(key, static_cast<std::int32_t>(keys_.size() - 1));
    }

    void truncate(std::size_t known) {
        if (keys_.size() == known && ids_.size() == known) return;
        keys_.resize(known);
        ids_.clear();
        for (std::size_t k = 0; k < known; ++k) ids_.add(keys_[k], static_cast<std::int32_t>(k));
    }

    std::vector<std::uint64_t> keys_;  // of the features made, by their numbers
    KeyTable ids_;
    std::size_t raw_columns_ = 0;
};

}  // namespace novikoff
