// The perceptron, and w̄ = (1/T) Σ_t w_{t+1}, the mean of the weights after each round (freund1999,
// Sec. 2; collins2002, Sec. 2.3). An update in round s is part of w_{s+1} … w_{T+1}, so Σ_t w_{t+1}
// = (T + 1) w − u with u = Σ s y_s x_s over the mistakes: it computes no average until somebody
// asks.
#pragma once

#include "perceptron.hpp"

namespace novikoff {

template <class Tie>
struct Averaged : Perceptron<Tie> {
    using typename Binary::Label;
    using typename Binary::Prediction;

    Buffer u;

    explicit Averaged(double bias_value) : Perceptron<Tie>(bias_value) { grow(0); }

    // u first: if memory runs out, w still says that there was no room.
    void grow(std::size_t dimension) {
        u.grow(Weights::kFront + dimension);
        this->w.grow(dimension);
    }

    std::size_t bytes() const { return this->w.bytes() + u.size() * sizeof(double); }

    template <class Row>
    Outcome learn(const Row& x, const Extent& extent, Prediction prediction, Label y,
                  double weight) {
        const Outcome outcome = Perceptron<Tie>::learn(x, extent, prediction, y, weight);
        if (!outcome.updated) return outcome;
        const double step = static_cast<double>(this->rounds) * y * weight;
        double* moment = u.data() + Weights::kFront;
        for_each(x, [&](Coordinate j, double v) { moment[j] += step * v; });
        return outcome;
    }

    double average(Coordinate j) const {
        const double rounds = static_cast<double>(this->rounds);
        const double moment = u.data()[j + static_cast<Coordinate>(Weights::kFront)];
        return rounds == 0 ? 0 : ((rounds + 1) * this->w.rounded(j) - moment) / rounds;
    }

    void state(StateWriter& out) const {
        Perceptron<Tie>::state(out);
        out.put("moments", std::span(u.data(), Weights::kFront + this->dimension()));
    }

    // Sums of moments may have overflowed.
    void restore(const StateReader& in) {
        const auto moments = in.array<double>("moments");
        check(moments.size() == in.array<double>("weights").size());
        Perceptron<Tie>::restore(in);
        u = Buffer(moments.size());
        std::copy(moments.begin(), moments.end(), u.data());
    }
};

}  // namespace novikoff
