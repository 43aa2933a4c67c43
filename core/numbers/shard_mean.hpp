// The mean of the weights of several shards, each rounded once.
//
// A sum of floats is kept in three, value + error + rest, by Knuth's error-free addition: nothing
// is lost unless a fourth were needed, and then the weight is in doubt. Let s = value be the
// largest part, q = s/P rounded, and r = s − qP, which a float holds exactly (the remainder of a
// division). The true mean is q + (r + error + rest)/P. Its distance from q decides between q and
// the next float q′ on that side: with d = |q′ − q|·P, exact because |q′ − q| is a power of two, it
// is
//     2|r + error + rest| < d: q;   > d: q′;   = d: the even one of them.
// The sum on the left is h + l, h rounded to nearest and l its error. Rounding is monotone and d is
// a float, so 2|h| < d or 2|h| > d decide; if 2|h| = d, the sign of l does. The sum is 0, and the
// mean exact, only if h is.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace novikoff {

// The weights at the end of a shard: sums of floats, mostly of one. Further parts belong to slots,
// which ascend; a slot may have several.
struct ShardWeights {
    std::span<const double> weights;
    std::span<const std::int64_t> slots;
    std::span<const double> parts;
};

class ShardMean {
  public:
    explicit ShardMean(const std::vector<ShardWeights>& shards)
        : shards_(shards), next_(shards.size()), count_(static_cast<double>(shards.size())) {}

    // Writes the means of slots [first, last) and whether they were rounded; returns the slots that
    // are in doubt, whose mean is still to be found.
    std::vector<std::int64_t> write(double* mean, bool* rounded, std::size_t first,
                                    std::size_t last) {
        std::vector<std::int64_t> doubtful;
        for (std::size_t p = 0; p < shards_.size(); ++p) {
            const auto& slots = shards_[p].slots;
            const auto at =
                std::lower_bound(slots.begin(), slots.end(), static_cast<std::int64_t>(first));
            next_[p] = static_cast<std::size_t>(at - slots.begin());
        }
        for (std::size_t start = first; start < last; start += kTogether) {
            const std::size_t stop = std::min(start + kTogether, last);
            add_up(start, stop);
            divide(stop - start);
            std::copy_n(mean_.data(), stop - start, mean + start);
            for (std::size_t k = start; k < stop; ++k) {
                rounded[k] = rounded_[k - start] != 0;
                if (doubt_[k - start] != 0) doubtful.push_back(static_cast<std::int64_t>(k));
            }
        }
        return doubtful;
    }

  private:
    static constexpr std::size_t kTogether = 1024;  // weights in the nearest cache at once
    static constexpr double kFar = 0x1p900, kNear = 0x1p-900, kSplit = 0x1p27 + 1;

    struct Two {
        double sum, error;
    };
    static Two two_sum(double a, double b) {  // knuth1997
        const double sum = a + b, second = sum - a;
        return {sum, (a - (sum - second)) + (b - second)};
    }

    void add(std::size_t k, double term) {
        const Two first = two_sum(value_[k], term);
        const Two second = two_sum(error_[k], first.error);
        const Two third = two_sum(rest_[k], second.error);
        value_[k] = first.sum, error_[k] = second.sum, rest_[k] = third.sum;
        lost_[k] += std::fabs(third.error);
    }

    void add_up(std::size_t start, std::size_t stop) {
        value_.fill(0), error_.fill(0), rest_.fill(0), lost_.fill(0);
        for (const ShardWeights& shard : shards_) {
            if (start >= shard.weights.size()) continue;
            const double* const weight = shard.weights.data() + start;
            const std::size_t here = std::min(stop, shard.weights.size()) - start;
            for (std::size_t k = 0; k < here; ++k) add(k, weight[k]);
        }
        for (std::size_t p = 0; p < shards_.size(); ++p) {
            const ShardWeights& shard = shards_[p];
            std::size_t& at = next_[p];
            for (; at < shard.slots.size(); ++at) {
                const auto slot = static_cast<std::size_t>(shard.slots[at]);
                if (slot >= stop) break;
                add(slot - start, shard.parts[at]);
            }
        }
    }

    // In doubt are sums of which parts were lost, means beyond the next float, and sizes so extreme
    // that products overflow or lose their last bits. Without branches, so that lanes do it.
    void divide(std::size_t size) {
        const double count = count_;
        for (std::size_t k = 0; k < size; ++k) {
            const Two upper = two_sum(value_[k], error_[k]), lower = two_sum(upper.error, rest_[k]);
            const double value = upper.sum, q = value / count;
            const double scaled = kSplit * q, high = scaled - (scaled - q), product = q * count;
            const double below = (high * count - product) + (q - high) * count;
            const Two h = two_sum((value - product) - below, lower.sum);
            const Two l = two_sum(h.error, lower.error), all = two_sum(h.sum, l.sum);
            const auto bits = std::bit_cast<std::int64_t>(q);
            const std::int64_t away = (q > 0) == (all.sum > 0) ? 1 : -1;
            const double further = std::bit_cast<double>(bits + away);
            const double apart = std::fabs(further - q) * count, twice = 2 * std::fabs(all.sum);
            const double more = all.sum > 0 ? all.error : -all.error;
            const bool even = (more > 0) | ((more == 0) & ((bits & 1) != 0));
            const bool none = (value == 0) & (lower.sum == 0) & (lost_[k] == 0);
            const bool usual = (std::fabs(value) < kFar) & (std::fabs(value) > kNear) &
                               (lost_[k] == 0) & (l.error == 0) & (twice <= 2 * apart);
            mean_[k] = none ? 0.0 : ((twice > apart) | ((twice == apart) & even)) ? further : q;
            rounded_[k] = ((all.sum != 0) & !none) ? 1 : 0;
            doubt_[k] = (none | usual) ? 0 : 1;
        }
    }

    const std::vector<ShardWeights>& shards_;
    std::vector<std::size_t> next_;  // the first part that was not added yet
    double count_;
    std::array<double, kTogether> value_, error_, rest_, lost_, mean_;
    std::array<std::int64_t, kTogether> rounded_, doubt_;  // as wide as the floats, for lanes
};

}  // namespace novikoff
