// w_1 = 0; predict sgn(w·x); on a mistake w ← w + y x   (rosenblatt1958; novikoff1962, Thm 1).
#pragma once

#include "linear.hpp"

namespace novikoff {

struct ZeroIsPositive {  // sgn(0) = +1
    static std::int8_t label(int sign) { return static_cast<std::int8_t>(2 * (sign >= 0) - 1); }
};

struct ZeroIsMistake {  // a zero score predicts 0, which is always wrong
    static std::int8_t label(int sign) { return static_cast<std::int8_t>(sign); }
};

template <class Tie>
struct Perceptron : Binary, Linear {
    double energy = 0;  // Σ c²‖x‖² over the updates, c the weight of the round

    using Linear::Linear;

    // Every update c y x was made with y w·x ≤ 0, so ‖w + c y x‖² ≤ ‖w‖² + c²‖x‖².
    double norm_bound() const { return energy; }

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(w, x);
    }

    template <class Row>
    Prediction predict(const Row& x, const Extent& extent, Effort& effort) const {
        return {Tie::label(sign_of_score(w, x, extent, norm_bound(), effort))};
    }

    template <class Row>
    Outcome learn(const Row& x, const Extent& extent, Prediction prediction, Label y,
                  double weight) {
        ++rounds;
        if (prediction.label == y) return {};
        if (weight == 0) return {.mistake = true};
        w.add(x, weight * y);
        energy += scaled_energy(weight, extent.norm2);
        return {.mistake = true, .updated = true};
    }

    // When the score has the sign of w·x for certain, for norm2 ≥ ‖x‖². If that sign is y, learning
    // only counts the round: `pass` does it for so many rounds.
    Certainty certain(double norm2) const { return certainty(norm_bound(), norm2); }
    void pass(std::int64_t count) { rounds += count; }

    void state(StateWriter& out) const {
        Linear::state(out);
        put_one(out, "energy", energy);
    }

    void restore(const StateReader& in) {
        const double found = restored_energy(in);
        Linear::restore(in);
        energy = found;
    }
};

}  // namespace novikoff
