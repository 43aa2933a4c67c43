// The program base-rate/1 (docs/programs.md): the logarithm of the odds of the labels so far.
#pragma once

#include "../../numbers/floats.hpp"
#include "../linear/linear.hpp"

namespace novikoff {

// Of the counts a share `keep` stays from round to round.
struct BaseRate {
    double keep, positive = 0, negative = 0;

    double score() const {
        const double a = positive + 0.5, b = negative + 0.5;
        return a >= b ? floats::log1p((a - b) / b) : -floats::log1p((b - a) / a);
    }

    void step(Binary::Label y, double v) {
        positive = keep * positive + (y > 0 ? v : 0.0);
        negative = keep * negative + (y < 0 ? v : 0.0);
    }
};

}  // namespace novikoff
