// Where the sums of a few of many columns are kept: for each feature a list of the columns that
// have a sum, in order. A feature or a column without a sum takes no memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <unordered_map>
#include <vector>

#include "../blocks/row.hpp"

namespace novikoff {

class Lists {
    struct Entry {
        std::uint32_t column, place;
    };
    using List = std::vector<Entry>;

    template <class Some>
    static auto lower(Some& list, std::size_t column) {
        return std::lower_bound(list.begin(), list.end(), column,
                                [](const Entry& e, std::size_t c) { return e.column < c; });
    }

  public:
    static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

    // How many sums there are: their places are 0, 1, … in the order in which they came.
    std::size_t size() const { return size_; }

    // The place of one sum; kNowhere if it has none, because it is 0.
    std::size_t find(Coordinate j, std::size_t column) const {
        const auto found = lists_.find(j);
        if (found == lists_.end()) return kNowhere;
        const auto entry = lower(found->second, column);
        return entry == found->second.end() || entry->column != column ? kNowhere : entry->place;
    }

    // The place of one sum, a new one if it has none.
    std::size_t place(Coordinate j, std::size_t column) {
        List& list = lists_[j];
        const auto entry = lower(list, column);
        if (entry != list.end() && entry->column == column) return entry->place;
        if (size_ == std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
        list.insert(entry, {static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(size_)});
        return size_++;
    }

    // f(column, place) for the sums of one feature, in the order of the columns.
    template <class F>
    void for_each(Coordinate j, F&& f) const {
        const auto found = lists_.find(j);
        if (found == lists_.end()) return;
        for (const Entry& entry : found->second) f(std::size_t{entry.column}, entry.place);
    }

    // f(feature, column, place) for every sum, in no order.
    template <class F>
    void for_each(F&& f) const {
        for (const auto& [j, list] : lists_)
            for (const Entry& entry : list) f(j, entry.column, entry.place);
    }

    std::size_t bytes() const {
        constexpr std::size_t node = sizeof(std::pair<Coordinate, List>) + 2 * sizeof(void*);
        std::size_t total = lists_.size() * node + lists_.bucket_count() * sizeof(void*);
        for (const auto& item : lists_) total += item.second.capacity() * sizeof(Entry);
        return total;
    }

  private:
    std::unordered_map<Coordinate, List> lists_;
    std::size_t size_ = 0;
};

// From how many weights on, and from how many columns on, weights are listed unless most of them
// are there: fewer columns are scored faster side by side. Tests lower both.
struct Listing {
    std::size_t weights = std::size_t{1} << 22;
    std::size_t columns = 256;
};
inline Listing& listing() {
    static Listing limits;
    return limits;
}

}  // namespace novikoff
