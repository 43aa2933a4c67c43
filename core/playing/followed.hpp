// What a tally follows besides what theorems need: how labels follow one another, how often what
// was given a probability came true, and which label was taken for which.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace novikoff {

// How often a round's label differs from the label before it.
struct LabelChanges {
    std::int64_t rounds = 0;  // followed; fewer than were played if an old file holds the others
    std::int64_t changes = 0;
    std::int64_t last = -1;  // none yet

    void add(std::size_t label) {
        const auto now = static_cast<std::int64_t>(label);
        changes += now != last && last >= 0;
        last = now;
        ++rounds;
    }

    // The same for many labels, −1 and +1, at least one of them; returns how many are +1.
    std::int64_t add(const std::int8_t* labels, std::size_t count) {
        add(static_cast<std::size_t>(labels[0] > 0));
        std::int64_t positives = last;
        constexpr std::size_t at_once = 128;  // so that a byte counts them, and a vector many bytes
        for (std::size_t t = 1; t < count; t += at_once) {
            const std::size_t stop = std::min(t + at_once, count);
            std::uint8_t more = 0, others = 0;
            for (std::size_t k = t; k < stop; ++k) {
                more = static_cast<std::uint8_t>(more + (labels[k] > 0));
                others = static_cast<std::uint8_t>(others + (labels[k] != labels[k - 1]));
            }
            positives += more;
            changes += others;
        }
        last = labels[count - 1] > 0;
        rounds += static_cast<std::int64_t>(count - 1);
        return positives;
    }
};

// Rounds in bins of equal width, by a probability that was given before y was known.
struct Calibration {
    static constexpr std::size_t kBins = 20;
    std::vector<std::int64_t> rounds, came;  // empty before the first round
    std::vector<double> sums;                // Σ p

    void add(double p, bool happened) {
        if (!(p >= 0 && p <= 1)) return;
        if (rounds.empty()) [[unlikely]] {
            rounds.resize(kBins), came.resize(kBins), sums.resize(kBins);
        }
        const std::size_t bin = std::min(static_cast<std::size_t>(p * kBins), kBins - 1);
        ++rounds[bin];
        came[bin] += happened;
        sums[bin] += p;
    }

    std::int64_t total() const {
        return std::accumulate(rounds.begin(), rounds.end(), std::int64_t{0});
    }
};

// The mistakes by label and prediction, if every label is among the first kLabels.
struct Confusion {
    static constexpr std::size_t kLabels = 64;
    std::vector<std::int64_t> counts;  // [label][prediction]; empty before the first mistake

    void add(std::size_t label, std::size_t predicted) {
        if (label >= kLabels || predicted >= kLabels) return;
        if (counts.empty()) [[unlikely]]
            counts.resize(kLabels * kLabels);
        ++counts[label * kLabels + predicted];
    }

    std::int64_t total() const {
        return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    }
};

}  // namespace novikoff
