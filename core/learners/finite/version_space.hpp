// The hypotheses that are still consistent, one bit each. A round costs one pass over the words
// that hold any: the pass clears what the last label ruled out while it counts the votes at the
// next point, and never looks at empty blocks again.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../../cpu/kernels.hpp"

namespace novikoff {

class VersionSpace {
  public:
    explicit VersionSpace(std::size_t size) : size_(size), words_((size + 63) / 64) { reset(); }

    std::size_t size() const { return size_; }
    std::size_t words() const { return words_.size(); }
    std::uint64_t count() const { return count_; }

    // All hypotheses are consistent again.
    void reset() {
        words_.assign(words_.size(), ~std::uint64_t{0});
        if (size_ % 64 != 0) words_.back() = (std::uint64_t{1} << size_ % 64) - 1;
        take_all(size_);
    }

    bool has_counted(const std::uint64_t* column) const { return column == counted_; }

    // How many of V are +1 in a column; also does the pending pruning.
    std::uint64_t positives(const std::uint64_t* column) {
        if (column == counted_) return positives_;
        const Counted found = kernels().prune_and_count(words_.data(), pending_, flip_, column,
                                                        blocks_.data(), blocks_.size(), words());
        blocks_.resize(found.blocks);
        pending_ = nullptr;
        counted_ = column;
        return positives_ = found.positives;
    }

    // Keeps the members of V with this sign in a column, which must not change until the next call.
    void prune(const std::uint64_t* column, bool positive) {
        const std::uint64_t plus = positives(column);
        const std::uint64_t left = positive ? plus : count_ - plus;
        if (left != count_) {
            pending_ = column;
            flip_ = positive ? 0 : ~std::uint64_t{0};
        }
        count_ = left;
        positives_ = positive ? left : 0;
    }

    // Does the pending pruning.
    void settle() {
        if (pending_ == nullptr) return;
        const std::uint64_t* column = pending_;
        counted_ = nullptr;
        positives(column);
    }

    // The first member of V; size() if V is empty.
    std::size_t first() const {
        for (const std::uint32_t block : blocks_)
            for (std::size_t k = block * kWordsPerBlock;
                 k < std::min(words(), (block + 1) * kWordsPerBlock); ++k)
                if (words_[k] != 0) return 64 * k + std::countr_zero(words_[k]);
        return size_;
    }

    const std::vector<std::uint64_t>& settled() const { return words_; }

    // Takes over words; false if they hold a bit beyond the last hypothesis.
    bool restore(const std::uint64_t* words) {
        if (size_ % 64 != 0 && words[words_.size() - 1] >> size_ % 64 != 0) return false;
        words_.assign(words, words + words_.size());
        std::uint64_t count = 0;
        for (const std::uint64_t word : words_) count += std::popcount(word);
        take_all(count);
        return true;
    }

  private:
    void take_all(std::uint64_t count) {
        blocks_.resize((words() + kWordsPerBlock - 1) / kWordsPerBlock);
        std::iota(blocks_.begin(), blocks_.end(), 0);
        count_ = count;
        pending_ = counted_ = nullptr;
    }

    std::size_t size_;
    std::vector<std::uint64_t> words_;
    std::vector<std::uint32_t> blocks_;  // those with a bit set, ascending
    std::uint64_t count_ = 0, positives_ = 0, flip_ = 0;
    const std::uint64_t* pending_ = nullptr;  // the column to prune by
    const std::uint64_t* counted_ = nullptr;  // the column that `positives_` is about
};

}  // namespace novikoff
