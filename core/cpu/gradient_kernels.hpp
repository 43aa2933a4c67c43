// The loops of the float program adaptive-gradient/1 (docs/programs.md), compiled for each CPU:
// lanes run across features, and every sum is taken elsewhere.
#pragma once

#include <cstddef>

namespace novikoff {

// A row, and what predicting leaves for learning. Arrays hold `size` entries and have room for a
// multiple of four.
struct GradientRow {
    const std::size_t* place;  // of the cell
    const double* value;
    double* u;     // x/m
    double* root;  // √(S + 1)
    double* term;  // of the score, and then of the cost
    std::size_t size;
};

struct GradientKernels {
    // u, root, and the terms rate · θ/√(S + 1) · u of the score.
    void (*weigh)(const double* cells, const GradientRow& row, double rate);
    // θ −= g u, S += (g u)²; the terms become the costs (g u)²/√(S + 1), with the S before.
    void (*step)(double* cells, const GradientRow& row, double g);
};

}  // namespace novikoff
