// Labels that are real numbers, and what their rounds add to the ledger.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "../../playing/rule.hpp"

namespace novikoff {

struct RealOutcome : Outcome {
    double stability = 0;                         // y² x·A⁻¹x
    double drift = 0;                             // what rounding can have cost
    double largest_label = 0;                     // |y|
    double labels_above = 0, labels_below = 0;    // max(y, 0) and max(−y, 0)
    double squared_labels = 0;                    // y², rounded
    double squares_above = 0, squares_below = 0;  // what rounding took from y², and added to it

    void meet(double y) {
        largest_label = std::fabs(y);
        labels_above = std::max(y, 0.0);
        labels_below = std::max(-y, 0.0);
        squared_labels = y * y;
        const double rest = std::fma(y, y, -squared_labels);  // exact, because y is in range
        squares_above = std::max(rest, 0.0);
        squares_below = std::max(-rest, 0.0);
    }
};

// A rule with real labels: a prediction is a number, and there is no label to name or to count.
struct Real {
    using Label = double;
    static constexpr double kLeast = 0x1p-200, kMost = 0x1p200;
    static constexpr std::array<Measure<RealOutcome>, 9> kMeasures{{
        {"loss", Combination::kSum, &RealOutcome::loss},
        {"stability", Combination::kSum, &RealOutcome::stability},
        {"drift", Combination::kSum, &RealOutcome::drift},
        {"largest_label", Combination::kLargest, &RealOutcome::largest_label},
        {"labels_above", Combination::kSum, &RealOutcome::labels_above},
        {"labels_below", Combination::kSum, &RealOutcome::labels_below},
        {"squared_labels", Combination::kSum, &RealOutcome::squared_labels},
        {"squares_above", Combination::kSum, &RealOutcome::squares_above},
        {"squares_below", Combination::kSum, &RealOutcome::squares_below},
    }};

    static std::size_t labels_up_to(Label) { return 1; }
    static std::size_t label_index(Label) { return 0; }
    static std::size_t name_index(Label) { return 0; }

    // 0, or a size from 2^−200 to 2^200: no product of a few of these overflows or underflows.
    static bool in_range(double value) {
        const double size = std::fabs(value);
        return size == 0 || (size >= kLeast && size <= kMost);
    }
};

}  // namespace novikoff
