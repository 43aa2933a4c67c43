// Experts: the learner sees every expert's loss after each round. One loop, two rules.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../../numbers/draw.hpp"
#include "../../numbers/natural.hpp"
#include "../../playing/access.hpp"
#include "environments.hpp"
#include "softmax.hpp"

namespace novikoff {

// What a run with experts or arms did.
struct RegretTally {
    std::int64_t rounds = 0;
    double loss = 0;             // of what was drawn or predicted
    double expected = 0;         // Σ p_t·l_t; the loss of the prediction if nothing is drawn
    double pseudo = 0;           // Σ of the means of what was drawn
    std::vector<double> losses;  // of every arm, if the learner does not keep them
    std::vector<std::int64_t> mistake_rounds;  // of those that predict
    Access access;
};

struct Charge {
    double loss, expected, pseudo;
};

// p ∝ e^{−ηL}, L the cumulative losses (freund1997, Fig. 1; cesabianchi2006, Sec. 2.2). With a
// fixed rate w ← w e^{−ηl}; now and then, at rounds that η determines, w = e^{−η(L − min L)} is
// computed again; with η_t in every round.
class Hedge {
  public:
    Hedge(std::size_t experts, double eta, bool anytime, std::uint64_t seed)
        : rate_{eta, anytime}, seed_(seed), size_(experts), losses_((experts + 3) / 4 * 4) {
        period_ =
            std::clamp<std::int64_t>(static_cast<std::int64_t>(300 / std::max(eta, 1e-9)), 1, 4096);
        begin_round();
    }

    std::size_t draw() const {
        return weights_.draw(draw_unit(seed_, 0, static_cast<std::uint64_t>(rounds_)));
    }
    template <class Environment>
    Charge round(const Environment& losses, std::size_t t, const typename Environment::Loss* row) {
        const double all = weights_.total();
        const std::size_t drawn =
            weights_.draw_at(all * draw_unit(seed_, 0, static_cast<std::uint64_t>(rounds_)));
        const double pseudo = losses.mean(t, drawn), loss = static_cast<double>(row[drawn]);
        return {loss, learn(row) / all, pseudo};
    }
    // Returns Σ w·l with the weights before the update.
    template <class V>
    double learn(const V* row) {
        const auto& kernel = kernels().experts.of<V>();
        double charged;
        if (rate_.anytime) {
            charged = kernel.dot(weights_.weights.data(), row, size_);
            kernel.add(losses_.data(), row, size_);
        } else {
            charged = kernel.decay(weights_.weights.data(), losses_.data(), row, size_, rate_.eta,
                                   weights_.sums.data());
        }
        ++rounds_;
        begin_round();
        return charged;
    }
    void join(double loss) {
        losses_.resize(size_);
        losses_.push_back(loss);
        restore(losses_, {}, rounds_);
    }
    // Without weights, takes those that the losses give.
    void restore(const std::vector<double>& losses, const std::vector<double>& weights,
                 std::int64_t rounds) {
        size_ = losses.size(), rounds_ = rounds, losses_ = losses;
        losses_.resize((size_ + 3) / 4 * 4);
        if (weights.empty())
            weights_.soften(losses_, size_, rate_.at(rounds_ + 1));
        else
            weights_.assign(weights);
    }

    std::size_t size() const { return size_; }
    std::int64_t rounds() const { return rounds_; }
    const std::vector<double>& losses() const { return losses_; }
    const std::vector<double>& weights() const { return weights_.weights; }
    Access access;

  private:
    void begin_round() {
        if (rate_.anytime || rounds_ % period_ == 0)
            weights_.soften(losses_, size_, rate_.at(rounds_ + 1));
    }

    Rate rate_;
    std::uint64_t seed_;
    std::size_t size_;
    std::vector<double> losses_;
    FlatWeights weights_;
    std::int64_t rounds_ = 0, period_ = 1;
};

// sgn Σ c_k β^{e_k}, e ascending, for whole c with Σ|c| ≤ most and 0 < β = odd · 2^−bits < 1. A =
// Σ_{j ≤ k} c_j β^{e_j − e_k} has the sum's sign as soon as |A| β^{−gap} > most; we keep it as the
// whole number A · odd^{e_k − e_first}.
class PowerSum {
  public:
    PowerSum(double beta, std::size_t most) : most_(most) {
        int exponent;
        auto odd = static_cast<std::uint64_t>(std::ldexp(std::frexp(beta, &exponent), 53));
        bits_ = 53 - exponent;
        while (odd % 2 == 0) odd /= 2, --bits_;
        odd_ = {static_cast<std::uint32_t>(odd), static_cast<std::uint32_t>(odd >> 32)};
        trim(odd_);
    }
    void add(std::int64_t exponent, std::int64_t coefficient) {
        if (decided_ || coefficient == 0) return;
        if (sign_ == 0) unit_ = {1};
        for (std::int64_t gap = sign_ == 0 ? 0 : exponent - last_; gap > 0 && !decided_; --gap) {
            sum_ = shifted(sum_, bits_);
            unit_ = product(unit_, odd_);
            const auto most = static_cast<std::uint64_t>(most_);
            const Natural limit = product(
                unit_, {static_cast<std::uint32_t>(most), static_cast<std::uint32_t>(most >> 32)});
            decided_ = compare(sum_, limit) > 0;
        }
        last_ = exponent;
        if (decided_) return;
        const auto size = static_cast<std::uint64_t>(std::abs(coefficient));
        Natural term = product(
            unit_, {static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(size >> 32)});
        const int added = coefficient > 0 ? 1 : -1;
        if (sign_ == 0 || sign_ == added) {
            novikoff::add(sum_, term);
            sign_ = added;
        } else if (const int order = compare(sum_, term); order >= 0) {
            subtract(sum_, term);
            sign_ = order == 0 ? 0 : sign_;
        } else {
            subtract(term, sum_);
            sum_ = std::move(term), sign_ = added;
        }
    }
    int sign() const { return sign_; }

  private:
    std::size_t most_;
    Natural odd_, sum_, unit_;
    std::int64_t bits_ = 0, last_ = 0;
    int sign_ = 0;
    bool decided_ = false;
};

// Weights β^{m_i}, m_i the mistakes of expert i; predicts with the weighted majority of their
// advice, +1 at a tie (littlestone1994, Alg. WM).
class Majority {
  public:
    Majority(std::size_t experts, double beta) : beta_(beta), mistakes_(experts) {
        for (double power = 1; power > 0x1p-100 && powers_.size() < kPowers; power *= beta)
            powers_.push_back(power);
    }

    // Step 1: Σ ±β^{m − least} in floats. A power is off by one rounding per factor, or by less
    // than the last power if it lies beyond that; a sum is off by one rounding per term.
    int predict(const std::int8_t* advice) const {
        const std::int64_t least = *std::min_element(mistakes_.begin(), mistakes_.end());
        double score = 0, all = 0;
        for (std::size_t k = 0; k < mistakes_.size(); ++k) {
            const auto behind = static_cast<std::size_t>(mistakes_[k] - least);
            const double power = behind < powers_.size() ? powers_[behind] : 0;
            score += advice[k] * power;
            all += power;
        }
        const double size = static_cast<double>(mistakes_.size());
        const double error = all * (size + kPowers) * 0x1p-52 + size * powers_.back();
        if (std::abs(score) > error) return score > 0 ? 1 : -1;
        return exact(advice, least) >= 0 ? 1 : -1;
    }
    void learn(const std::int8_t* advice, int outcome) {
        for (std::size_t k = 0; k < mistakes_.size(); ++k) mistakes_[k] += advice[k] != outcome;
        ++rounds;
    }
    void join(std::int64_t mistakes) { mistakes_.push_back(mistakes); }
    void restore(const std::vector<std::int64_t>& mistakes, std::int64_t count) {
        mistakes_ = mistakes, rounds = count;
    }

    std::size_t size() const { return mistakes_.size(); }
    const std::vector<std::int64_t>& mistakes() const { return mistakes_; }
    std::int64_t rounds = 0;
    Access access;

  private:
    // Step 2: count the advice of equally good experts, and sum the counts exactly.
    int exact(const std::int8_t* advice, std::int64_t least) const {
        std::vector<std::pair<std::int64_t, std::int64_t>> votes;
        for (std::size_t k = 0; k < mistakes_.size(); ++k)
            votes.emplace_back(mistakes_[k] - least, advice[k]);
        std::sort(votes.begin(), votes.end());
        PowerSum sum(beta_, votes.size());
        for (std::size_t k = 0; k < votes.size();) {
            std::int64_t count = 0;
            const std::int64_t behind = votes[k].first;
            for (; k < votes.size() && votes[k].first == behind; ++k) count += votes[k].second;
            sum.add(behind, count);
        }
        return sum.sign();
    }

    static constexpr std::size_t kPowers = 1 << 16;
    double beta_;
    std::vector<std::int64_t> mistakes_;
    std::vector<double> powers_;  // 1, β, β², …
};

// Advice ±1 of every expert, and the outcome.
struct Advice {
    const std::int8_t* advice;
    const std::int8_t* outcomes;
    std::size_t columns;
    using Loss = std::int8_t;
    const std::int8_t* row(std::size_t t) const { return advice + t * columns; }
    bool sound(const std::int8_t* row) const {
        return std::all_of(row, row + columns, [](int a) { return a == 1 || a == -1; });
    }
};

inline Charge play_round(Majority& rule, const Advice& rounds, std::size_t t,
                         const std::int8_t* row, RegretTally& tally) {
    const double loss = rule.predict(row) != rounds.outcomes[t];
    rule.learn(row, rounds.outcomes[t]);
    if (loss > 0) tally.mistake_rounds.push_back(tally.rounds + 1);
    return {loss, loss, loss};
}

template <class Environment>
Charge play_round(Hedge& rule, const Environment& losses, std::size_t t,
                  const typename Environment::Loss* row, RegretTally&) {
    return rule.round(losses, t, row);
}

// The only loop of experts: rounds [start, stop); returns the first one refused, or stop.
template <class Rule, class Environment>
std::size_t play_experts(Rule& rule, const Environment& rounds, std::size_t start, std::size_t stop,
                         RegretTally& tally) {
    for (std::size_t t = start; t < stop; ++t) {
        const auto* row = rounds.row(t);
        if (!rounds.sound(row)) return t;
        const Charge charge = play_round(rule, rounds, t, row, tally);
        ++tally.rounds;
        tally.loss += charge.loss;
        tally.expected += charge.expected;
        tally.pseudo += charge.pseudo;
    }
    return stop;
}

}  // namespace novikoff
