// sgn(w·x) for a w that its owner found; 0 predicts +1. It never learns. Its owner handles the
// rounds that it would get wrong: `play` stops before such a round, the owner finds another w, and
// `concede` counts the mistake of this one.
#pragma once

#include "perceptron.hpp"

namespace novikoff {

struct FixedHalfspace : Binary, Linear {
    explicit FixedHalfspace(double bias_value, Weights weights = Weights())
        : Linear(bias_value, std::move(weights)), norm2_(bound_of(w)) {}

    // ‖w‖² itself, slightly above the computed value.
    double norm_bound() const { return norm2_; }

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(w, x);
    }

    template <class Row>
    Prediction predict(const Row& x, const Extent& extent, Effort& effort) const {
        return {ZeroIsPositive::label(sign_of_score(w, x, extent, norm_bound(), effort))};
    }

    bool declines(Prediction prediction, Label y) const {
        return prediction.label != y && !conceding_;
    }

    template <class Row>
    Outcome learn(const Row&, const Extent&, Prediction prediction, Label y, double) {
        ++rounds;
        return {.mistake = prediction.label != y};
    }

    void restore(const StateReader& in) {
        Linear::restore(in);
        norm2_ = bound_of(w);
    }

  private:
    friend class Conceding;
    double norm2_;
    bool conceding_ = false;
};

// While one exists, the rule plays even the rounds that it gets wrong.
class Conceding {
  public:
    explicit Conceding(FixedHalfspace& rule) : rule_(rule) { rule_.conceding_ = true; }
    ~Conceding() { rule_.conceding_ = false; }
    Conceding(const Conceding&) = delete;
    Conceding& operator=(const Conceding&) = delete;

  private:
    FixedHalfspace& rule_;
};

}  // namespace novikoff
