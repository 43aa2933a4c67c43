// Rounds that a loop passes over. Most rounds lie within the radius so far, floats are certain of
// their sign, and that sign is right: such a round changes nothing but counts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace novikoff {

// A float score surely has the sign of w·x if its square exceeds this, for x with `size` values
// (numbers/decide.hpp says why).
struct Certainty {
    double unit, weights, rows, least;

    // First what does not depend on x, because the rest is on every round's critical path.
    [[gnu::always_inline]] double beyond(std::size_t size) const {
        const double factor = unit * static_cast<double>(size + 3);
        const double limit = factor * factor * weights;
        return limit * rows + least;
    }
};

// What a round must be to be passed over: certain, with `least_norm2` < ‖x‖² ≤ `radius2`, and
// right.
struct Passing {
    Certainty certainty;
    double least_norm2, radius2;
    double bias2, bias_score;  // what the constant feature adds to ‖x‖² and w·x
};

// Rounds [first, stop), with labels −1 and +1.
struct LabelledRange {
    const std::int8_t* labels;
    std::size_t first, stop;
};

// Where passing ended: at `stop`, or at a round of another kind, whose x it has measured.
struct Ending {
    std::size_t round;
    double norm2, score, largest;
    double largest_passed;  // max ‖x‖_∞ over the rounds passed, without the constant feature
};

template <class V>
struct DenseRows {
    const V* values;
    std::ptrdiff_t stride;
    std::size_t columns;
    bool in_memory;  // and not in a cache
};

template <class I, class V>
struct SparseRows {
    const I* starts;
    const I* indices;
    const V* values;
    std::size_t end;  // of what may be read ahead
};

template <class W, class Rows>
using PassRounds = Ending (*)(const W* weight, const Rows& rows, const LabelledRange& range,
                              const Passing& passing);

}  // namespace novikoff
