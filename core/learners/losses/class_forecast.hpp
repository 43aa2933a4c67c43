// What a round of blend-classes/1 computes before y is known: one row of probabilities for each
// member. Every thread has one, so that predictions need no memory of their own.
#pragma once

#include <cmath>
#include <vector>

#include "../../blocks/row.hpp"
#include "../../cpu/kernels.hpp"
#include "../../numbers/floats.hpp"
#include "class_newton.hpp"
#include "class_stack.hpp"

namespace novikoff {

struct ClassForecast {
    static constexpr std::size_t kMembers = 8, kLinear = 2,
                                 kStack = 7;                    // members 2 to 6 are linear
    static constexpr double kModeration = 0.39269908169872414;  // π/8

    struct Feature {
        Coordinate j;
        double x;
        double v, c;  // x over the largest |x|; the largest before over that now
        double u, d;  // x over the scale, cut to ±1; the scale before over that now
        std::size_t ahead;
    };

    std::size_t classes = 0, width = 0;
    std::vector<Feature> known;  // the features that have appeared before, then the others
    std::vector<Feature> fresh;
    std::vector<ClassEntry> entries;
    std::vector<RowFactor> slots;
    ClassNewton::Direction direction;
    double q = 0;                 // of the diagonal Newton member
    double squares = 0;           // Σ u² of the known features
    double price = 0;             // Σ x²/λ of the known features, for member 2
    std::vector<double> chances;  // [member][class]
    std::vector<double> logs;     // [member][class]
    std::vector<double> mixture;  // [class]
    std::vector<double> slopes;   // [member][class], of the linear members

    void begin(std::size_t class_count, std::size_t class_width) {
        classes = class_count, width = class_width;
        known.clear(), fresh.clear(), entries.clear(), slots.clear();
        chances.assign(kMembers * width, 0.0);
        logs.assign(kMembers * width, 0.0);
        mixture.resize(width);
        slopes.resize((kStack - kLinear) * width);
    }

    double* chances_of(std::size_t member) { return chances.data() + member * width; }
    double* logs_of(std::size_t member) { return logs.data() + member * width; }
    double* slopes_of(std::size_t member) { return slopes.data() + (member - kLinear) * width; }

    // The probabilities of a member, from its scores in the row of its logarithms.
    void soften(std::size_t member) {
        const ClassKernels& kernel = kernels().classes;
        double *p = chances_of(member), *l = logs_of(member);
        const double total = kernel.exponentials(l, classes, width, p);
        kernel.normalize(p, l, classes, width, total, floats::log1p(total - 1.0));
    }

    // The same for scores with variance q.
    void soften(std::size_t member, double variance) {
        const double certain = 1.0 / std::sqrt(1.0 + kModeration * variance);
        double* scores = logs_of(member);
        for (std::size_t k = 0; k < classes; ++k) scores[k] *= certain;
        soften(member);
    }

    std::size_t likeliest() const {
        std::size_t best = 0;
        for (std::size_t k = 1; k < classes; ++k)
            if (mixture[k] > mixture[best]) best = k;
        return best;
    }

    static ClassForecast& of_this_thread() {
        thread_local ClassForecast forecast;
        return forecast;
    }
};

}  // namespace novikoff
