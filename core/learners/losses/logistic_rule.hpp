// The rule of a learner for the logistic loss that is one score s: it predicts its sign, and +1
// with the probability 1/(1 + e^−s). A member says what the score is and how it learns.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "adaptive_gradient.hpp"

namespace novikoff {

// A round whose label is known: the score that was played, the derivative g of the loss times the
// weight v, and the probabilities of +1 and −1.
struct Played {
    double score, g, p, r;
    Binary::Label y;
    double v;
};

template <class Member>
class LogisticRule : public Binary {
  public:
    struct Prediction {
        Label label;
        double score;
        typename Member::Work* work;
    };
    static constexpr bool kScalesLoss = true;
    static constexpr std::array<Measure<Outcome>, 1> kMeasures{{
        {"loss", Combination::kSum, &Outcome::loss},
    }};

    const double bias;
    std::int64_t rounds = 0;
    Access access;

    template <class... Options>
    explicit LogisticRule(double bias_value, Options... options)
        : bias(bias_value), member_(options...) {}

    std::size_t dimension() const { return member_.dimension(); }
    std::size_t bytes() const { return member_.bytes(); }
    void grow(std::size_t dimension) { member_.grow(dimension); }
    bool saturated() const { return false; }

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(x);
    }

    // Whether the member can learn from x.
    template <class Row>
    bool takes(const Row& x) const
        requires requires(const Member& member) { member.takes(x); }
    {
        return member_.takes(x);
    }

    template <class Row>
    double score(const Row& x) const {
        typename Member::Work work;
        return member_.score(x, work);
    }

    template <class Row>
    Prediction predict(const Row& x, const Extent&, Effort&) const {
        thread_local typename Member::Work work;
        const double s = member_.score(x, work);
        return {static_cast<Label>(s >= 0 ? 1 : -1), s, &work};
    }

    static double chance(const Prediction& played) {
        return AdaptiveGradient::positive_chance(played.score);
    }

    // Learns from the row that was predicted last.
    template <class Row>
    Outcome learn(const Row& x, const Extent&, const Prediction& played, Label y, double v) {
        ++rounds;
        const double s = played.score;
        const Chances chances(s);
        const double p = s >= 0 ? chances.likely : chances.unlikely;
        const double r = s >= 0 ? chances.unlikely : chances.likely;
        Outcome outcome;
        outcome.mistake = played.label != y;
        outcome.updated = true;
        const double tail = floats::log1p(chances.e);
        outcome.loss = v * (outcome.mistake ? std::fabs(s) + tail : tail);
        if (v != 0) member_.step(x, *played.work, {s, (y > 0 ? -r : p) * v, p, r, y, v});
        return outcome;
    }

    // For people: what the score gains per unit of a feature, or the largest float.
    double weight(Coordinate j) const { return std::clamp(member_.weight(j), -kLargest, kLargest); }

    double norm() const {
        double largest = 0, sum = 0;
        const auto end = static_cast<Coordinate>(dimension());
        for (Coordinate j = kBias; j < end; ++j) largest = std::max(largest, std::fabs(weight(j)));
        if (largest == 0) return 0;
        for (Coordinate j = kBias; j < end; ++j) {
            const double share = weight(j) / largest;
            sum += share * share;
        }
        return std::min(std::sqrt(sum) * largest, kLargest);
    }

    void state(StateWriter& out) const {
        member_.state(out);
        out.put("counts", std::span<const std::int64_t>(&rounds, 1));
    }

    void restore(const StateReader& in) {
        const auto counts = in.counts("counts", 1);
        member_.restore(in);
        rounds = counts[0];
    }

  private:
    static constexpr double kLargest = std::numeric_limits<double>::max();

    Member member_;
};

}  // namespace novikoff
