// One w_k per class; predict argmax_k w_k·x, ties to the first class seen; on a mistake
// w_y ← w_y + x and w_ŷ ← w_ŷ − x   (crammer2003, Fig. 1; collins2002 with one block per class).
//
// Σ_k w_k = 0, so the largest score is never negative and a class not yet seen, whose score
// would be 0, loses every tie: classes may appear at any time without changing a prediction.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "linear.hpp"

namespace novikoff {

struct Multiclass : Linear {  // w is feature-major: [feature][class]
    using Label = std::uint32_t;
    struct Prediction {
        Label label;
    };
    static std::size_t labels_up_to(Label y) { return std::size_t{y} + 1; }
    static std::size_t label_index(Label y) { return y; }
    static std::size_t name_index(Label prediction) { return prediction; }

    Label classes = 0;  // seen so far
    double energy = 0;  // Σ 2c²‖x‖² over the updates, c the weight of the round; plus a bound of
                        // what it began with

    explicit Multiclass(double bias_value) : Linear(bias_value, Weights(kLeastStride)) {}

    // These weights, one column per class.
    Multiclass(double bias_value, Label class_count, std::span<const double> bias_weights,
               std::span<const double> weights)
        : Linear(bias_value, Weights(stride_for(class_count), bias_weights, weights)),
          classes(class_count),
          energy(bound_of(w)) {}

    // An update adds c x to w_y and takes it from w_ŷ, with w_y·x ≤ w_ŷ·x: so Σ_k ‖w_k‖² grows by
    // at most 2c²‖x‖².
    double norm_bound() const { return energy; }

    template <class Row>
    void scores(const Row& x, double* score) const {
        w.column_scores(x, score);
    }

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(x);
    }

    template <class Row>
    Prediction predict(const Row& x, const Extent& extent, Effort& effort) const {
        if (classes == 0) return {0};  // the first class seen will be number 0
        std::array<double, 64> few;
        std::vector<double> many(w.stride() > few.size() ? w.stride() : 0);
        double* score = many.empty() ? few.data() : many.data();
        scores(x, score);
        std::fill(score + classes, score + w.stride(), -std::numeric_limits<double>::infinity());
        // Each score is off by at most `error`: a rival this close could be the true best.
        const double bound2 = product_bound(norm_bound(), extent.norm2);
        const double factor = error_factor(x.size);
        const double error = std::sqrt(factor * factor * bound2 + kTinier);
        const Leader leader = kernels().lead(score, w.stride(), 2 * kSlack * error);
        if (leader.near <= 1 || w.scores_exactly(x, extent.largest)) return {leader.best};
        return {settle(x, score, leader, bound2, effort)};
    }

    template <class Row>
    Outcome learn(const Row& x, const Extent& extent, Prediction prediction, Label y,
                  double weight) {
        ++rounds;
        if (y >= classes) add_classes(y);
        if (prediction.label == y) return {};
        if (weight == 0) return {.mistake = true};
        w.add_and_subtract(x, weight, y, prediction.label);
        energy += 2 * scaled_energy(weight, extent.norm2);
        return {.mistake = true, .updated = true};
    }

    void state(StateWriter& out) const {
        const std::int64_t seen = classes;
        Linear::state(out);
        put_one(out, "energy", energy);
        out.put("classes", std::span<const std::int64_t>(&seen, 1));
    }

    void restore(const StateReader& in) {
        const std::int64_t seen = in.counts("classes", 1)[0];
        const double found = restored_energy(in);
        check(seen <= in.counts("counts", 2)[1]);
        Linear::restore(in, [](std::size_t stride) {
            return stride >= kLeastStride && stride % kLeastStride == 0;
        });
        classes = static_cast<Label>(seen);
        energy = found;
    }

  protected:
    // How many columns there are once class y has been seen.
    std::size_t stride_with(Label y) const {
        return std::max(w.stride(), stride_for(std::size_t{y} + 1));
    }

  private:
    static constexpr std::size_t kLeastStride = 4;  // classes are scored four at a time

    static std::size_t stride_for(std::size_t class_count) {
        std::size_t stride = kLeastStride;
        while (stride < class_count) stride *= 2;
        return stride;
    }

    void add_classes(Label y) {
        const std::size_t stride = stride_with(y);
        if (stride != w.stride()) w = w.widened(stride);
        classes = y + 1;
    }

    template <class Row>
    [[gnu::noinline]] Label settle(const Row& x, const double* score, const Leader& leader,
                                   double bound2, Effort& effort) const {
        ++effort.second;
        const auto rival = [&](Label k) { return !(score[k] < leader.floor); };
        if (bound2 <= 1e300) {
            bool exact = true;
            for (Label k = 0; k < classes && exact; ++k)
                if (rival(k)) clear(w, x, score[k], k, exact);
            if (exact) return leader.best;
        }
        ++effort.exact;
        Label best = 0;
        while (!rival(best)) ++best;
        for (Label k = best + 1; k < classes; ++k) {
            if (!rival(k)) continue;
            Accumulator difference;
            w.accumulate(difference, x, +1.0, k);
            w.accumulate(difference, x, -1.0, best);
            if (difference.sign() > 0) best = k;
        }
        return best;
    }
};

}  // namespace novikoff
