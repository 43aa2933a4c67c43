// Bandits: the learner sees only the chosen arm's loss. One loop, two rules.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../../numbers/elementary.hpp"
#include "../../playing/access.hpp"
#include "experts.hpp"

namespace novikoff {

// p ∝ e^{−ηL̂}, L̂ the sum of l/(p + γ) over the pulls of an arm: Exp3 with γ = 0 (bubeck2012,
// Sec. 3.1), Exp3-IX with γ = η/2 (neu2015, Alg. 1).
class Exp3 {
  public:
    Exp3(std::size_t arms, double eta, bool anytime, double share, std::uint64_t seed)
        : estimates(arms), rate_{eta, anytime}, share_(share), seed_(seed) {
        renew();
    }

    std::size_t choose(std::uint64_t draws) const {
        const double unit = draw_unit(seed_, 0, draws);
        return rate_.anytime ? flat_.draw(unit) : tree_.draw(unit);
    }
    double probability(std::size_t arm) const {
        return rate_.anytime ? flat_.probability(arm) : tree_.at(arm) / tree_.total();
    }
    void learn(std::size_t arm, double probability, double loss) {
        const double amount = loss / (probability + share_ * rate_.at(rounds + 1));
        estimates[arm] += amount;
        ++rounds;
        if (rate_.anytime) return flat_.soften(estimates, size(), rate_.at(rounds + 1));
        if (amount == 0) return;
        tree_.set(arm, decayed(-rate_.eta * (estimates[arm] - base)));
        if (tree_.total() < kLeast) renew();
    }
    void join(double estimate) {
        estimates.push_back(estimate);
        renew();
    }
    void restore(const std::vector<double>& losses, double origin, std::int64_t count) {
        estimates = losses, rounds = count;
        renew();
        if (rate_.anytime || origin >= base) return;
        grow(origin);
        if (!(tree_.total() >= kLeast)) renew();  // no learner leaves it like this
    }
    std::size_t size() const { return estimates.size(); }

    std::vector<double> estimates;
    double base = 0;  // the tree's exponents are relative to it
    std::int64_t rounds = 0;
    Access access;

  private:
    // Exponents relative to the least estimate, whose weight is then 1.
    void renew() {
        if (rate_.anytime) return flat_.soften(estimates, size(), rate_.at(rounds + 1));
        grow(*std::min_element(estimates.begin(), estimates.end()));
    }
    void grow(double origin) {
        base = origin;
        std::vector<double> leaves(size());
        for (std::size_t k = 0; k < size(); ++k)
            leaves[k] = decayed(-rate_.eta * (estimates[k] - base));
        tree_.assign(leaves);
    }

    static constexpr double kLeast = 0x1p-100;
    Rate rate_;
    double share_;  // γ/η
    std::uint64_t seed_;
    SumTree tree_;
    FlatWeights flat_;
};

// Gains g = 1 − l: g̃_i = (g·1[I = i] + β)/p_i, p = (1 − γ)·softmax(ηG̃) + γ/K (bubeck2012,
// Sec. 3.2). Without a horizon it starts over at rounds 1, 2, 4, … with δ_r = δ/((r + 1)(r + 2)).
class Exp3P {
  public:
    Exp3P(std::size_t arms, double delta, std::int64_t horizon, std::uint64_t seed)
        : estimates(arms), delta_(delta), horizon_(horizon), seed_(seed) {
        begin_epoch();
    }

    std::size_t choose(std::uint64_t draws) const {
        const double unit = draw_unit(seed_, 0, draws), other = draw_unit(seed_, 1, draws);
        if (other < gamma_)
            return std::min(static_cast<std::size_t>(unit * static_cast<double>(size())),
                            size() - 1);
        return flat_.draw(unit);
    }
    double probability(std::size_t arm) const {
        return (1 - gamma_) * flat_.probability(arm) + gamma_ / static_cast<double>(size());
    }
    void learn(std::size_t arm, double probability, double loss) {
        const double scale = (1 - gamma_) / flat_.total();
        const double floor = gamma_ / static_cast<double>(size());
        for (std::size_t k = 0; k < size(); ++k)
            estimates[k] -= beta_ / (scale * flat_.weights[k] + floor);
        estimates[arm] -= (1 - loss) / probability;
        ++rounds;
        if (horizon_ == 0 && std::has_single_bit(static_cast<std::uint64_t>(rounds + 1)))
            std::fill(estimates.begin(), estimates.end(), 0.0);
        begin_epoch();
    }
    void join(double estimate) {
        estimates.push_back(estimate);
        begin_epoch();
    }
    void restore(const std::vector<double>& losses, double, std::int64_t count) {
        estimates = losses, rounds = count;
        begin_epoch();
    }
    std::size_t size() const { return estimates.size(); }

    std::vector<double> estimates;  // −G̃
    double base = 0;
    std::int64_t rounds = 0;
    Access access;

  private:
    void begin_epoch() {
        const auto t = static_cast<std::uint64_t>(rounds + 1);
        const auto epoch = static_cast<double>(std::bit_width(t) - 1);
        const double T =
            static_cast<double>(horizon_ > 0 ? horizon_ : std::int64_t(std::bit_floor(t)));
        const double delta = horizon_ > 0 ? delta_ : delta_ / ((epoch + 1) * (epoch + 2));
        const double K = static_cast<double>(size()), log = logarithm(K);
        beta_ = std::sqrt(logarithm(K / delta) / (T * K));
        gamma_ = std::min(1.0, 1.05 * std::sqrt(K * log / T));
        flat_.soften(estimates, size(), 0.95 * std::sqrt(log / (T * K)));
    }

    double delta_;
    std::int64_t horizon_;
    std::uint64_t seed_;
    double beta_ = 0, gamma_ = 0;
    FlatWeights flat_;
};

// The only loop of bandits: rounds [start, stop); returns the first one refused, or stop.
template <class Rule, class Environment>
std::size_t play_bandit(Rule& rule, const Environment& losses, std::size_t start, std::size_t stop,
                        RegretTally& tally) {
    const auto& kernel = kernels().experts.of<typename Environment::Loss>();
    tally.losses.resize(rule.size());
    for (std::size_t t = start; t < stop; ++t) {
        const auto* row = losses.row(t);
        if (!losses.sound(row)) return t;
        const std::size_t arm = rule.choose(static_cast<std::uint64_t>(rule.rounds));
        const double loss = static_cast<double>(row[arm]);
        rule.learn(arm, rule.probability(arm), loss);
        ++tally.rounds;
        tally.loss += loss;
        tally.pseudo += losses.mean(t, arm);
        kernel.add(tally.losses.data(), row, rule.size());
    }
    return stop;
}

}  // namespace novikoff
