// What rounds did: the counts behind novikoff.Ledger, and the measures that the rule declares.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../blocks/row.hpp"
#include "../numbers/decide.hpp"
#include "access.hpp"
#include "followed.hpp"
#include "rule.hpp"

namespace novikoff {

// A declared measure over the rounds so far. A sum has two floats: `total` is the rounded sum,
// `rest` collects what rounding lost. A largest value has no rest.
struct Measured {
    std::string name;
    Combination combination;
    double total = 0, rest = 0;

    double value() const { return total + rest; }

    void add(double term) {
        if (combination == Combination::kLargest) {
            total = std::max(total, term);
            return;
        }
        const Sum sum = two_sum(total, term);
        total = sum.value;
        rest += sum.error;
    }
};

// Does ‖x‖² neither overflow nor underflow?
inline constexpr double kLeastOrdinary = 1e-280;
inline bool is_ordinary(double norm2) { return norm2 > kLeastOrdinary && norm2 < 1e300; }

struct Tally {
    std::int64_t rounds = 0;
    std::int64_t abstentions = 0;
    std::vector<std::int64_t> mistake_rounds;  // 1-based
    std::vector<std::int64_t> rounds_by_label, mistakes_by_label;
    double radius2 = 0;       // max‖x_t‖² if the square neither overflows nor underflows
    double extreme_norm = 0;  // max‖x_t‖ over the other rows
    double radius_inf = 0;
    double energy = 0;      // S_I = Σ‖x_t‖² over the mistakes
    bool weighted = false;  // was a round's weight other than 1?
    // Decisions: +1 is decided if its probability is at least the threshold; NaN decides nothing.
    double threshold = std::numeric_limits<double>::quiet_NaN();
    std::int64_t false_positives = 0, false_negatives = 0;
    LabelChanges label_changes;
    Calibration calibration;  // of rules that give probabilities
    Confusion confusion;      // of rules with many labels
    Effort effort;
    // The next round at which the ledger records the loss; Python takes that round down.
    std::int64_t checkpoint = std::numeric_limits<std::int64_t>::max();
    std::vector<Measured> measured;  // what the rule declares, in its order
    Access access;

    double radius() const { return std::max(std::sqrt(radius2), extreme_norm); }

    void expect_labels(std::size_t count) {
        if (rounds_by_label.size() >= count) return;
        rounds_by_label.resize(count);
        mistakes_by_label.resize(count);
    }

    template <class Row>
    void begin_round(const Row& x, const Extent& extent, std::size_t label) {
        ++rounds;
        meet(label);
        radius_inf = std::max(radius_inf, extent.largest);
        if (is_ordinary(extent.norm2)) [[likely]]
            radius2 = std::max(radius2, extent.norm2);
        else if (extent.largest > 0)
            extreme_norm = std::max(extreme_norm, careful_norm(x));
    }

    // Counts the label of the round that begins.
    void meet(std::size_t label) {
        ++rounds_by_label[label];
        label_changes.add(label);
    }
    // Counts the labels, −1 and +1, of rounds that begin.
    void meet(const std::int8_t* labels, std::size_t count) {
        if (count == 0) return;
        expect_labels(2);
        const std::int64_t positives = label_changes.add(labels, count);
        rounds_by_label[0] += static_cast<std::int64_t>(count) - positives;
        rounds_by_label[1] += positives;
    }

    void count(const Outcome& outcome, double norm2, std::size_t label) {
        abstentions += outcome.abstained;
        if (outcome.mistake) mistake(norm2, label);
    }

    bool decides() const { return threshold == threshold; }

    void decide(double chance, bool positive) {
        const bool decided = chance >= threshold;
        false_positives += decided && !positive;
        false_negatives += !decided && positive;
    }

    // Makes room for a rule's measures. A ledger has the measures of one rule.
    template <class O, std::size_t N>
    void declare(const std::array<Measure<O>, N>& measures) {
        if (measured.empty())
            for (const auto& m : measures) measured.push_back({m.name, m.combination});
        const auto same = [](const Measured& a, const Measure<O>& b) {
            return a.name == b.name && a.combination == b.combination;
        };
        if (!std::equal(measured.begin(), measured.end(), measures.begin(), measures.end(), same))
            throw std::invalid_argument("the measures of one learner");
        declared_ = measures.data();
    }

    template <class O, std::size_t N>
    void add(const std::array<Measure<O>, N>& measures, const O& outcome) {
        if (declared_ != measures.data()) [[unlikely]]
            declare(measures);
        for (std::size_t k = 0; k < N; ++k) measured[k].add(outcome.*measures[k].value);
    }

    // A round whose y is an output of many parts: it measures Φ(x, y) − Φ(x, ŷ), which is 0 if ŷ is
    // y.
    void structured_round(bool mistaken, double norm2) {
        ++rounds;
        if (!mistaken) return;
        mistake_rounds.push_back(rounds);
        radius2 = std::max(radius2, norm2);
        energy += norm2;
    }

    void mistake(double norm2, std::size_t label) {
        mistake_rounds.push_back(rounds);
        ++mistakes_by_label[label];
        energy += norm2;
    }

  private:
    const void* declared_ = nullptr;  // whose measures these are
};

// Rounds with two labels, within the radius and ordinary, on the way to a tally: what `begin_round`
// counts of them. Their labels are counted at the end, many at a time.
class CertainRounds {
  public:
    CertainRounds(Tally& tally, const std::int8_t* labels)
        : radius2(is_ordinary(tally.radius2) ? tally.radius2 : 0),
          tally_(tally),
          labels_(labels),
          before_(tally.rounds),
          radius_inf_(tally.radius_inf) {}

    const double radius2;

    bool contains(double norm2) const { return (norm2 <= radius2) & (norm2 > kLeastOrdinary); }

    // What the next of them must be to be passed over.
    Passing passing(const Certainty& certainty, double bias, double bias_weight) const {
        return {certainty, kLeastOrdinary, radius2, bias * bias, bias_weight * bias};
    }

    // The next rounds begin, with x no larger than this.
    void begin(std::size_t rounds, double largest) {
        begun_ += rounds;
        radius_inf_ = std::max(radius_inf_, largest);
    }

    // Lets the tally know which round it is.
    void tell_round() const { tally_.rounds = before_ + static_cast<std::int64_t>(begun_); }

    void end() const {
        tell_round();
        tally_.radius_inf = radius_inf_;
        tally_.meet(labels_, begun_);
    }

  private:
    Tally& tally_;
    const std::int8_t* labels_;
    std::int64_t before_;
    double radius_inf_;
    std::size_t begun_ = 0;
};

}  // namespace novikoff
