// Chains: score(x, z) = Σ_i (Σ_{f ∈ x_i} emissions[f][z_i] + moves[z_{i−1}][z_i]), in whole
// numbers. Among the best outputs it takes the one whose tags, read from the last to the first,
// have the lowest ids: no score is rounded, and chance decides no tie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "../../cpu/kernels.hpp"
#include "sentences.hpp"

namespace novikoff {

inline constexpr std::size_t kChainLanes = 8;
using TagPath = std::vector<std::int32_t>;

// A row of `stride` lanes for each feature that an update has touched. The others share row 0,
// which is 0: most features are never touched, and take no room and no cache. In the moves, row 0
// belongs to the start and row 1 + k to tag k.
template <class W>
struct ChainWeights {
    std::size_t tags = 0, stride = 0, features = 0;
    std::vector<W> moves, emissions;
    std::vector<std::int32_t> slots;  // the row of each feature

    W& move(std::int32_t from, std::int32_t to) {
        return moves[static_cast<std::size_t>(from + 1) * stride + static_cast<std::size_t>(to)];
    }
    W move(std::int32_t from, std::int32_t to) const {
        return moves[static_cast<std::size_t>(from + 1) * stride + static_cast<std::size_t>(to)];
    }
    const W* row(std::size_t feature) const {
        return emissions.data() + static_cast<std::size_t>(slots[feature]) * stride;
    }
    // The row of a feature, to be changed before the next call.
    W* touch(std::size_t feature) {
        if (slots[feature] == 0) {
            slots[feature] = static_cast<std::int32_t>(emissions.size() / stride);
            emissions.resize(emissions.size() + stride);
        }
        return emissions.data() + static_cast<std::size_t>(slots[feature]) * stride;
    }
    ChainTable<W> table() const {
        return {moves.data(), emissions.data(), slots.data(), tags, stride};
    }

    void grow(std::size_t new_tags, std::size_t new_features) {
        if (new_tags > stride) widen((new_tags + kChainLanes - 1) / kChainLanes * kChainLanes);
        tags = std::max(tags, new_tags);
        features = std::max(features, new_features);
        slots.resize(features);
        if (emissions.empty()) emissions.resize(stride);
    }

    std::int64_t score(const Sentence& x, const std::int32_t* path) const {
        std::int64_t total = 0;
        for (std::size_t i = 0; i < x.positions; ++i) {
            total += move(i == 0 ? -1 : path[i - 1], path[i]);
            x.for_each(i, [&](std::size_t f) { total += row(f)[path[i]]; });
        }
        return total;
    }

  private:
    void widen(std::size_t lanes) {
        const auto spread = [&](std::vector<W>& values, std::size_t rows, std::size_t kept) {
            std::vector<W> wide(rows * lanes);
            for (std::size_t r = 0; r < kept; ++r)
                std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(r * stride), stride,
                            wide.begin() + static_cast<std::ptrdiff_t>(r * lanes));
            values.swap(wide);
        };
        spread(moves, lanes + 1, stride == 0 ? 0 : stride + 1);
        const std::size_t rows = stride == 0 ? 1 : emissions.size() / stride;
        spread(emissions, rows, stride == 0 ? 0 : rows);
        stride = lanes;
    }
};

// The best output, by scores that never leave the range of S.
template <class S>
class Viterbi {
  public:
    void find(const ChainWeights<S>& w, const Sentence& x, TagPath& path) {
        path.resize(x.positions);
        if (x.positions == 0) return;
        const std::size_t stride = w.stride, last = (x.positions - 1) * stride;
        if (into_.size() < last + stride) into_.resize(last + stride), alpha_.resize(last + stride);
        forward(w.table(), x);
        std::size_t tag = 0;
        for (std::size_t k = 1; k < w.tags; ++k)
            if (alpha_[last + k] > alpha_[last + tag]) tag = k;
        for (std::size_t i = x.positions; i-- > 0;) {
            path[i] = static_cast<std::int32_t>(tag);
            if (i == 0) return;
            const S reached = into_[i * stride + tag];
            const S* const before = alpha_.data() + (i - 1) * stride;
            std::size_t k = 0;
            while (before[k] + w.moves[(k + 1) * stride + tag] != reached) ++k;
            tag = k;
        }
    }

  private:
    void forward(const ChainTable<S>& table, const Sentence& x) {
        const Kernels& k = kernels();
        if constexpr (sizeof(S) == 4)
            k.chain32(table, x.cells, x.ids, x.positions, into_.data(), alpha_.data());
        else
            k.chain64(table, x.cells, x.ids, x.positions, into_.data(), alpha_.data());
    }

    std::vector<S> into_, alpha_;
};

struct ScoredPath {
    std::int64_t score;
    TagPath path;
};

// The `count` best outputs, best first, whatever the size of the scores. Ties go to the lower last
// tag, then to the lower one before it, and so on.
template <class W>
class BestPaths {
  public:
    std::vector<ScoredPath> find(const ChainWeights<W>& w, const Sentence& x, std::size_t count) {
        if (x.positions == 0) return {{0, {}}};
        if (w.tags == 0) return {};
        kept_ = std::min(count, outputs(w.tags, x.positions));
        places_.resize(x.positions * w.tags);
        if (kept_ > kMostEntries / places_.size()) throw std::bad_alloc();
        entries_.resize(places_.size() * kept_);
        std::vector<std::int64_t> emission(w.tags);
        for (std::size_t i = 0; i < x.positions; ++i) {
            std::fill(emission.begin(), emission.end(), 0);
            x.for_each(i, [&](std::size_t f) {
                for (std::size_t k = 0; k < w.tags; ++k) emission[k] += w.row(f)[k];
            });
            for (std::size_t tag = 0; tag < w.tags; ++tag) reach(w, i, tag, emission[tag]);
        }
        return collected(w.tags, x.positions);
    }

  private:
    struct Entry {
        std::int64_t score;
        std::int32_t before, rank;
    };

    static constexpr std::size_t kMostEntries = std::size_t{1} << 28;

    // How many there are, or kMostEntries if there are more.
    static std::size_t outputs(std::size_t tags, std::size_t positions) {
        std::size_t found = 1;
        for (std::size_t i = 0; tags > 1 && i < positions && found < kMostEntries; ++i)
            found *= tags;
        return std::min(found, kMostEntries);
    }

    // Keeps the best; among equal ones, the first offered.
    std::size_t offer(Entry* list, std::size_t size, const Entry& entry) const {
        if (size == kept_ && list[size - 1].score >= entry.score) return size;
        std::size_t at = size < kept_ ? size++ : size - 1;
        for (; at > 0 && list[at - 1].score < entry.score; --at) list[at] = list[at - 1];
        list[at] = entry;
        return size;
    }

    void reach(const ChainWeights<W>& w, std::size_t i, std::size_t tag, std::int64_t emission) {
        Entry* const list = entries_.data() + (i * w.tags + tag) * kept_;
        std::size_t size = 0;
        const auto to = static_cast<std::int32_t>(tag);
        if (i == 0) size = offer(list, size, {w.move(-1, to) + emission, -1, 0});
        for (std::int32_t k = 0; i > 0 && k < static_cast<std::int32_t>(w.tags); ++k) {
            const std::size_t place = (i - 1) * w.tags + static_cast<std::size_t>(k);
            for (std::size_t r = 0; r < places_[place]; ++r)
                size = offer(list, size,
                             {entries_[place * kept_ + r].score + w.move(k, to) + emission, k,
                              static_cast<std::int32_t>(r)});
        }
        places_[i * w.tags + tag] = size;
    }

    std::vector<ScoredPath> collected(std::size_t tags, std::size_t positions) const {
        std::vector<Entry> ends(kept_);
        std::size_t size = 0;
        for (std::size_t tag = 0; tag < tags; ++tag) {
            const std::size_t place = (positions - 1) * tags + tag;
            for (std::size_t r = 0; r < places_[place]; ++r)
                size = offer(ends.data(), size,
                             {entries_[place * kept_ + r].score, static_cast<std::int32_t>(tag),
                              static_cast<std::int32_t>(r)});
        }
        std::vector<ScoredPath> found;
        for (std::size_t e = 0; e < size; ++e) {
            ScoredPath one{ends[e].score, TagPath(positions)};
            std::int32_t tag = ends[e].before, rank = ends[e].rank;
            for (std::size_t i = positions; i-- > 0;) {
                one.path[i] = tag;
                const std::size_t place = i * tags + static_cast<std::size_t>(tag);
                const Entry& entry = entries_[place * kept_ + static_cast<std::size_t>(rank)];
                tag = entry.before, rank = entry.rank;
            }
            found.push_back(std::move(one));
        }
        return found;
    }

    std::size_t kept_ = 1;
    std::vector<std::size_t> places_;  // entries kept at each position and tag
    std::vector<Entry> entries_;
};

inline constexpr std::int64_t kNoOther = std::numeric_limits<std::int64_t>::max();

// score(x, y) − max_{z ≠ y} score(x, z); kNoOther if there is no other output. An unknown tag
// (negative or too large) weighs 0 everywhere.
template <class W>
std::int64_t chain_margin(const ChainWeights<W>& w, const Sentence& x, BestPaths<W>& best) {
    const TagPath y(x.tags, x.tags + x.positions);
    const std::vector<ScoredPath> found = best.find(w, x, 2);
    for (const ScoredPath& one : found)
        if (one.path != y) return w.score(x, y.data()) - one.score;
    return kNoOther;
}

}  // namespace novikoff
