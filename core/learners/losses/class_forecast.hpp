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

struct FreshFeature {
    Coordinate j;
    double x;
};

// Room for the features of a row.
class ClassRowRoom {
  public:
    std::vector<ClassEntry> entries;
    std::size_t size = 0;

    void make_room(std::size_t features) {
        size = 0;
        if (features + 3 <= room_) return;
        room_ = 2 * features + 3;
        entries.resize(room_);
        places_.resize(2 * room_);
        numbers_.resize(5 * room_);
    }

    ClassRow row() {
        std::size_t* const place = places_.data();
        double* const at = numbers_.data();
        return {place,          place + room_,  at,  at + room_, at + 2 * room_,
                at + 3 * room_, at + 4 * room_, size};
    }

  private:
    std::vector<std::size_t> places_;
    std::vector<double> numbers_;
    std::size_t room_ = 0;
};

struct ClassForecast {
    static constexpr std::size_t kMembers = 8, kLinear = 2,
                                 kStack = 7;                    // members 2 to 6 are linear
    static constexpr double kModeration = 0.39269908169872414;  // π/8

    std::size_t classes = 0, width = 0;
    ClassRowRoom known;               // the features that have appeared before
    std::vector<FreshFeature> fresh;  // the others
    std::vector<RowFactor> slots;
    ClassNewton::Direction direction;
    ClassRowSums sums{};
    std::vector<double> chances;  // [member][class]
    std::vector<double> logs;     // [member][class]
    std::vector<double> mixture;  // [class]
    std::vector<double> slopes;   // [member][class], of the linear members

    void begin(std::size_t class_count, std::size_t class_width) {
        if (classes == class_count && width == class_width) return;
        classes = class_count, width = class_width;
        chances.assign(kMembers * width, 0.0);
        logs.assign(kMembers * width, 0.0);
        mixture.resize(width);
        slopes.resize((kStack - kLinear) * width);
    }

    void make_room(std::size_t features) {
        fresh.clear(), slots.clear();
        known.make_room(features);
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
