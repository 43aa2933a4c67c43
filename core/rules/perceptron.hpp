// w_1 = 0; predict sgn(w·x); on a mistake w ← w + y x   (rosenblatt1958; novikoff1962, Thm 1).
#pragma once

#include <cstdint>

#include "../access.hpp"
#include "../decide.hpp"
#include "../weights.hpp"

namespace novikoff {

struct ZeroIsPositive {  // sgn(0) = +1
    static std::int8_t label(int sign) { return static_cast<std::int8_t>(2 * (sign >= 0) - 1); }
};

struct ZeroIsMistake {  // a zero score predicts 0, which is always wrong
    static std::int8_t label(int sign) { return static_cast<std::int8_t>(sign); }
};

// What every learner of ±1 labels shares.
struct Binary {
    using Label = std::int8_t;
    static std::size_t labels_up_to(Label) { return 2; }
    static std::size_t label_index(Label y) { return y > 0; }
    static std::size_t name_index(Label prediction) {  // of what −1, 0 and +1 are called
        return static_cast<std::size_t>(prediction + 1);
    }
    static bool abstains(Label) { return false; }
    void expect(Label) {}
};

template <class Tie>
struct Perceptron : Binary {
    double bias = 0;
    Weights w;
    Access access;
    double energy = 0;  // Σ‖x_t‖² over the mistakes, at least ‖w‖²
    std::int64_t rounds = 0;

    explicit Perceptron(double bias_value) : bias(bias_value) {}

    void grow(std::size_t dimension) { w.grow(dimension); }
    void begin_round() { ++rounds; }
    static bool sound_stride(std::size_t stride) { return stride == 1; }
    void restored() {}  // w was replaced: forget what belongs to the old one

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(w, x);
    }

    template <class Row>
    Label predict(const Row& x, const Extent& extent, Effort& effort) const {
        return Tie::label(sign_of_score(w, x, extent, energy, effort));
    }

    template <class Row>
    void learn(const Row& x, double norm2, double weight, Label, Label y) {
        w.add(x, weight * y);
        energy += scaled_energy(weight, norm2);
    }
};

}  // namespace novikoff
