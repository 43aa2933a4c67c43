// What Blend does with the scores of its members (docs/programs.md): the stack, a Newton step on
// them, and the Bayes mixture of all with a share 1/(t + 2).
#pragma once

#include <algorithm>
#include <array>

#include "newton.hpp"

namespace novikoff {

using Lanes = std::array<double, kLanes>;

// Predicts from the members' scores z, clipped to ±10.
class Stack {
  public:
    Stack() {
        std::fill_n(w_.begin(), kSize, 1.0 / static_cast<double>(kSize));
        restart();
    }

    const Lanes& weights() const { return w_; }

    double score(const Lanes& z) const {
        double s = 0;
        for (std::size_t i = 0; i < kSize; ++i) s += w_[i] * z[i];
        return s;
    }

    void step(const Lanes& z, double g, double p, double r, double v) {
        alignas(32) Lanes k{};
        double q = 0;
        for (std::size_t j = 0; j < kSize; ++j)
            for (std::size_t i = 0; i < kLanes; ++i) k[i] += P_[j * kLanes + i] * z[j];
        for (std::size_t i = 0; i < kSize; ++i) q += z[i] * k[i];
        const NewtonStep by(g, p, r, q, v, P_.data(), kLanes + 1, kSize, k.data());
        if (!by.positive) return restart();
        for (std::size_t i = 0; i < kSize; ++i) w_[i] -= by.a * k[i];
        kernels().blend.lower(P_.data(), kLanes, kSize, by.b, k.data());
    }

    void state(StateWriter& out) const {
        out.put("stack_weights", std::span<const double>(w_.data(), kSize));
        out.put("stack_matrix", std::span<const double>(P_));
    }

    void restore(const StateReader& in) {
        const auto w = in.reals("stack_weights"), P = in.reals("stack_matrix");
        check(w.size() == kSize && P.size() == P_.size());
        for (const double x : w) check(std::fabs(x) <= 0x1p80);
        for (std::size_t i = 0; i < kSize; ++i)
            for (std::size_t j = 0; j < kLanes; ++j) {
                const double entry = P[i * kLanes + j];
                check(std::fabs(entry) <= 0x1p54 && (j < kSize || entry == 0));
                check(j >= kSize || entry == P[j * kLanes + i]);
                check(i != j || (entry > 0 && entry <= 1));
            }
        std::copy(w.begin(), w.end(), w_.begin());
        std::copy(P.begin(), P.end(), P_.begin());
    }

  private:
    static constexpr std::size_t kSize = kStack;  // the members before it

    void restart() {
        P_.fill(0);
        for (std::size_t i = 0; i < kSize; ++i) P_[i * kLanes + i] = 1.0 / 3.0;
    }

    alignas(32) Lanes w_{};
    alignas(32) std::array<double, kSize * kLanes> P_{};
};

// Weights of the members and of the stack.
class Mixture {
  public:
    bool left = false;  // has OnlineNewton left?

    Mixture() {
        std::fill_n(weight_.begin(), kMembers, 1.0 / static_cast<double>(kMembers));
        mean_ = weight_;
    }

    struct Chances {
        double positive, negative;  // up to a common factor near 1
    };

    const Lanes& weights() const { return weight_; }
    const Lanes& mean() const { return mean_; }
    void set_weights(const Lanes& weight) { weight_ = weight; }

    // The probabilities of the labels, from the members'.
    Chances mixed(const Lanes& p, const Lanes& r) const {
        Chances found{0, 0};
        for (std::size_t k = 0; k < kMembers; ++k) {
            found.positive += weight_[k] * p[k];
            found.negative += weight_[k] * r[k];
        }
        return found;
    }

    // Takes the round number t, from 0, into the mean; p are the probabilities of its label, r
    // those of the other one.
    void learn(const Lanes& p, const Lanes& r, std::int64_t t, double v) {
        const double rounds = static_cast<double>(t + 2);
        const double part = 2.0 / rounds, share = 1.0 / rounds;
        const double spread = share / (left ? kMembers - 1 : kMembers);
        double total = 0;
        Lanes found{};
        for (std::size_t k = 0; k < kMembers; ++k) {
            mean_[k] += (weight_[k] - mean_[k]) * part;
            const double likelihood = v == 1 ? p[k] : tempered(p[k], r[k], v);
            found[k] = weight_[k] * likelihood;
            total += found[k];
        }
        for (std::size_t k = 0; k < kMembers; ++k)
            weight_[k] = (1.0 - share) * (found[k] / total) + spread;
        if (left) weight_[kNewton] = 0;
    }

    // OnlineNewton leaves: the others divide its weight.
    void leave() {
        left = true;
        weight_ = without(weight_), mean_ = without(mean_);
    }

    void state(StateWriter& out) const {
        out.put("weights", std::span<const double>(weight_.data(), kMembers));
        out.put("mean_weights", std::span<const double>(mean_.data(), kMembers));
    }

    void restore(const StateReader& in, bool has_left) {
        left = has_left;
        weight_ = restored(in.reals("weights")), mean_ = restored(in.reals("mean_weights"));
    }

  private:
    static double tempered(double p, double r, double v) {  // p^v
        return floats::exp(-(v * floats::log1p(r / p)));
    }

    static Lanes without(const Lanes& weights) {
        double rest = 0;
        for (std::size_t k = 0; k < kMembers; ++k) rest += k == kNewton ? 0.0 : weights[k];
        Lanes found{};
        for (std::size_t k = 0; k < kMembers; ++k)
            found[k] = k == kNewton ? 0.0 : weights[k] / rest;
        return found;
    }

    Lanes restored(std::span<const double> weights) const {
        check(weights.size() == kMembers);
        double total = 0;
        for (const double w : weights) check(w >= 0 && w <= 1), total += w;
        check(std::fabs(total - 1) < 1e-6 && (!left || weights[kNewton] == 0));
        for (std::size_t k = 0; k < kMembers; ++k) check(weights[k] > 0 || k == kNewton);
        Lanes found{};
        std::copy(weights.begin(), weights.end(), found.begin());
        return found;
    }

    Lanes weight_{}, mean_{};
};

}  // namespace novikoff
