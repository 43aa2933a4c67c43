// From keys of features to their numbers: open addressing, with linear probing.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace novikoff {

class KeyTable {
  public:
    static constexpr std::int32_t kNone = -1;

    std::size_t size() const { return size_; }
    std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

    void clear() {
        if (size_ == 0) return;
        slots_.clear();
        size_ = 0;
    }

    // The number of a key, or kNone.
    std::int32_t find(std::uint64_t key) const {
        if (slots_.empty()) return kNone;
        for (std::size_t i = place(key);; i = (i + 1) & (slots_.size() - 1)) {
            if (slots_[i].number == kNone || slots_[i].key == key) return slots_[i].number;
        }
    }

    // Adds a key that is not there yet.
    void add(std::uint64_t key, std::int32_t number) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        put({key, number});
        ++size_;
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::int32_t number = kNone;
    };

    std::size_t place(std::uint64_t key) const {
        const int bits = std::countr_zero(slots_.size());
        return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15U >> (64 - bits));
    }

    void put(const Slot& slot) {
        std::size_t i = place(slot.key);
        while (slots_[i].number != kNone) i = (i + 1) & (slots_.size() - 1);
        slots_[i] = slot;
    }

    void grow() {
        std::vector<Slot> before(slots_.empty() ? 64 : 2 * slots_.size());
        std::swap(before, slots_);
        for (const Slot& slot : before)
            if (slot.number != kNone) put(slot);
    }

    std::vector<Slot> slots_;  // a power of two, or none
    std::size_t size_ = 0;
};

}  // namespace novikoff
