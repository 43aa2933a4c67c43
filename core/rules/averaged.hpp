// The perceptron, and w̄ = (1/T) Σ_t w_{t+1}, the mean of the weights after each round
// (freund1999, Sec. 2; collins2002, Sec. 2.3). An update in round s is part of w_{s+1} … w_{T+1},
// so Σ_t w_{t+1} = (T + 1) w − u with u = Σ s y_s x_s over the mistakes: nothing is averaged
// until it is asked for.
#pragma once

#include "perceptron.hpp"

namespace novikoff {

template <class Tie>
struct Averaged : Perceptron<Tie> {
    using typename Binary::Label;

    Buffer u;

    explicit Averaged(double bias_value) : Perceptron<Tie>(bias_value) { grow(0); }

    // u first: should memory run out, w still says that there was no room.
    void grow(std::size_t dimension) {
        u.grow(Weights::kFront + dimension);
        this->w.grow(dimension);
    }

    void restored() {
        u = Buffer();
        grow(this->w.dimension());
    }

    template <class Row>
    void learn(const Row& x, double norm2, double weight, Label prediction, Label y) {
        Perceptron<Tie>::learn(x, norm2, weight, prediction, y);
        const double step = static_cast<double>(this->rounds) * y * weight;
        double* moment = u.data() + Weights::kFront;
        for_each(x, [&](Coordinate j, double v) { moment[j] += step * v; });
    }

    double average(std::size_t slot) const {
        const double rounds = static_cast<double>(this->rounds);
        return rounds == 0 ? 0 : ((rounds + 1) * this->w.slots()[slot] - u[slot]) / rounds;
    }
};

}  // namespace novikoff
