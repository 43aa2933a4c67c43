// The float program gradient-descent/1 (docs/programs.md): w ← w − rate·g·x in every round, with g
// the derivative of the loss at the score that was played (`ogd`). A weight v of a round, from 0 to
// 1, multiplies g and the round's loss. Every line here has its twin on that page; the order of
// operations is the program.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../../numbers/buffer.hpp"
#include "../../numbers/floats.hpp"
#include "adaptive_gradient.hpp"

namespace novikoff {

// A loss at a score, and its derivative there.
struct Cost {
    double loss, slope;
};

// ln(1 + e^{−ys}), for y = ±1.
struct LogisticLoss {
    static Cost cost(double s, double y) {
        const Chances chances(s);
        const bool right = (s >= 0) == (y > 0);
        const double slope = right ? chances.unlikely : chances.likely;
        const double tail = floats::log1p(chances.e);
        return {right ? tail : std::fabs(s) + tail, y > 0 ? -slope : slope};
    }
    static double chance(double s) { return AdaptiveGradient::positive_chance(s); }
};

// max(0, 1 − ys), for y = ±1.
struct HingeLoss {
    static Cost cost(double s, double y) {
        return y * s < 1.0 ? Cost{1.0 - y * s, -y} : Cost{0.0, 0.0};
    }
};

// (y − s)², for any y.
struct SquaredLoss {
    static Cost cost(double s, double y) { return {(s - y) * (s - y), 2.0 * (s - y)}; }
};

// |y − s|, for any y.
struct AbsoluteLoss {
    static Cost cost(double s, double y) {
        return {std::fabs(s - y), static_cast<double>(s > y) - static_cast<double>(s < y)};
    }
};

// The losses see y as a number; Labels says which labels there are.
template <class Loss, class Labels = Binary>
class GradientDescent : public Labels {
  public:
    using Label = typename Labels::Label;
    struct Prediction {
        Label label;
        double score;
    };
    static constexpr std::array<Measure<LossOutcome>, 2> kMeasures{{
        {"loss", Combination::kSum, &LossOutcome::loss},
        {"stability", Combination::kSum, &LossOutcome::stability},
    }};

    static constexpr bool kScalesLoss = true;

    const double bias, rate;
    std::int64_t rounds = 0;
    Access access;

    GradientDescent(double bias_value, double rate_value) : bias(bias_value), rate(rate_value) {
        grow(0);
    }

    std::size_t dimension() const { return w_.size() - 1; }
    std::size_t bytes() const { return w_.size() * sizeof(double); }
    void grow(std::size_t dimension) { w_.grow(dimension + 1); }

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(x);
    }

    template <class Row>
    Prediction predict(const Row& x, const Extent&, Effort&) const {
        const double s = score(x);
        return {static_cast<Label>(s >= 0 ? 1 : -1), s};
    }

    template <class Row>
    double score(const Row& x) const {
        const double* w = w_.data() + 1;
        return floats::rounded_sum([&](auto&& take) {
            for_each(x, [&](Coordinate j, double value) { take(cut(w[j] * value)); });
        });
    }

    double chance(const Prediction& prediction) const
        requires requires { Loss::chance(0.0); }
    {
        return Loss::chance(prediction.score);
    }

    template <class Row>
    LossOutcome learn(const Row& x, const Extent&, Prediction prediction, Label y, double v) {
        ++rounds;
        const Cost cost = Loss::cost(prediction.score, static_cast<double>(y));
        LossOutcome outcome;
        outcome.mistake = prediction.label != y;
        outcome.updated = true;
        outcome.loss = cut(cost.loss) * v;
        const double a = rate * (cost.slope * v);
        double* w = w_.data() + 1;
        squares_.clear();
        for_each(x, [&](Coordinate j, double value) {
            const double step = cut(a * value);
            w[j] -= step;
            squares_.push_back(cut(step * step));
        });
        outcome.stability = floats::rounded_sum([&](auto&& take) {
                                for (const double square : squares_) take(square);
                            }) /
                            (2.0 * rate);
        return outcome;
    }

    double weight(Coordinate j) const { return w_.data()[j + 1]; }
    bool saturated() const { return false; }

    // ‖w‖, or the largest float if that is beyond it.
    double norm() const {
        double largest = 0, sum = 0;
        for (std::size_t k = 0; k < w_.size(); ++k)
            largest = std::max(largest, std::fabs(w_.data()[k]));
        if (largest == 0) return 0;
        for (std::size_t k = 0; k < w_.size(); ++k) {
            const double share = w_.data()[k] / largest;
            sum += share * share;
        }
        return std::min(std::sqrt(sum) * largest, std::numeric_limits<double>::max());
    }

    void state(StateWriter& out) const {
        out.put("w", std::span<const double>(w_.data(), w_.size()));
        out.put("counts", std::span<const std::int64_t>(&rounds, 1));
    }

    void restore(const StateReader& in) {
        const auto w = in.reals("w");
        const auto counts = in.counts("counts", 1);
        check(!w.empty());
        for (const double weight : w) check(std::fabs(weight) <= kMostWeight);
        w_ = Buffer(w.size());
        std::copy(w.begin(), w.end(), w_.data());
        rounds = counts[0];
    }

  private:
    static constexpr double kHuge = 0x1p900;
    static constexpr double kMostWeight = 0x1p963;  // 2⁶³ steps

    static double cut(double value) { return std::clamp(value, -kHuge, kHuge); }

    Buffer w_;                     // of the constant feature, then of the others
    std::vector<double> squares_;  // of the steps of the round that is being learned
};

}  // namespace novikoff
