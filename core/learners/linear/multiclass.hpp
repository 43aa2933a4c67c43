// One w_k per class; predict argmax_k w_k·x, ties to the first class seen; on a mistake
// w_y ← w_y + x and w_ŷ ← w_ŷ − x   (crammer2003, Fig. 1; collins2002 with one block per class).
//
// Σ_k w_k = 0, so the largest score is never negative and a class not yet seen, whose score
// would be 0, loses every tie: classes may appear at any time without changing a prediction.
//
// Many weights of which few are not 0 are listed (listed_weights.hpp). A class with no weight for a
// feature of x has a score of 0 exactly, so of these only the first can be the best.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "../../numbers/listed_weights.hpp"
#include "linear.hpp"

namespace novikoff {

struct Multiclass : Linear {  // w is feature-major: [feature][class]; empty if `listed` is not
    using Label = std::uint32_t;
    struct Prediction {
        Label label;
    };
    static std::size_t labels_up_to(Label y) { return std::size_t{y} + 1; }
    static std::size_t label_index(Label y) { return y; }
    static std::size_t name_index(Label prediction) { return prediction; }

    static constexpr const char* kOptionalNames[] = {"listed_dimension", "listed_ends",
                                                     "listed_features", "listed_weights"};

    std::optional<ListedWeights> listed;
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
    Multiclass(double bias_value, Label class_count, ListedWeights weights)
        : Multiclass(bias_value) {
        energy = bound_of(weights);
        listed = std::move(weights);
        classes = class_count;
    }
    static std::size_t stride_for(std::size_t class_count) {
        std::size_t stride = kLeastStride;
        while (stride < class_count) stride *= 2;
        return stride;
    }

    std::size_t stride() const { return listed ? listed->stride() : w.stride(); }
    std::size_t dimension() const { return listed ? listed->dimension() : w.dimension(); }
    std::size_t bytes() const { return listed ? listed->bytes() : w.bytes(); }
    double norm() const { return listed ? listed->norm() : w.norm(); }
    bool saturated() const { return listed ? listed->saturated() : w.saturated(); }
    double rounded(Coordinate j, Label k) const {
        return listed ? listed->rounded(j, k) : w.rounded(j, k);
    }

    // Are most weights 0, and so many that they are listed? Depends on the weights alone, so that a
    // learner that was saved and restored goes on as one that was not.
    bool few() const {
        if (listed) return lists(listed->size(), listed->stride(), listed->nonzeros());
        return lists(w.sums().size(), w.stride(), w.nonzeros());
    }

    void grow(std::size_t dimension) {
        if (listed) return listed->grow(dimension);
        if (!lists_with(dimension, w.stride())) return w.grow(dimension);
        list();
        listed->grow(dimension);
    }

    // An update adds c x to w_y and takes it from w_ŷ, with w_y·x ≤ w_ŷ·x: so Σ_k ‖w_k‖² grows by
    // at most 2c²‖x‖².
    double norm_bound() const { return energy; }

    template <class Row>
    void scores(const Row& x, double* score) const {
        if (listed)
            listed->column_scores(x, score);
        else
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
        const std::size_t columns = stride();
        std::vector<double> many(columns > few.size() ? columns : 0);
        double* score = many.empty() ? few.data() : many.data();
        scores(x, score);
        std::fill(score + classes, score + columns, -std::numeric_limits<double>::infinity());
        // Each score is off by at most `error`: a rival this close could be the true best.
        const double bound2 = product_bound(norm_bound(), extent.norm2);
        const double factor = error_factor(x.size);
        const double error = std::sqrt(factor * factor * bound2 + kTinier);
        const Leader leader = kernels().lead(score, columns, 2 * kSlack * error);
        if (leader.near <= 1) return {leader.best};
        const auto settled = [&](const auto& weights) -> Prediction {
            if (weights.scores_exactly(x, extent.largest)) return {leader.best};
            return {settle(weights, x, score, leader, bound2, effort)};
        };
        return listed ? settled(*listed) : settled(w);
    }

    template <class Row>
    Outcome learn(const Row& x, const Extent& extent, Prediction prediction, Label y,
                  double weight) {
        const Outcome outcome = update(x, extent, prediction, y, weight);
        if (crowded()) spread();
        return outcome;
    }

    void state(StateWriter& out) const {
        const std::int64_t seen = classes;
        const bool sparse = few();
        if (listed && sparse)
            write(out, *listed);
        else if (listed)
            write(out, listed->spread());
        else if (sparse)
            write(out, ListedWeights(w));
        else
            write(out, w);
        put_one(out, "energy", energy);
        out.put("classes", std::span<const std::int64_t>(&seen, 1));
    }

    void restore(const StateReader& in) {
        const std::int64_t seen = in.counts("classes", 1)[0];
        const double found = restored_energy(in);
        check(seen <= in.counts("counts", 2)[1]);
        if (in.has(kOptionalNames[0])) {
            auto found = read<ListedWeights>(in, is_sound);
            listed = std::move(found);
            w = Weights(kLeastStride);
        } else {
            w = read<Weights>(in, is_sound);
            listed.reset();
            if (few()) list();
        }
        classes = static_cast<Label>(seen);
        energy = found;
    }

  protected:
    template <class Row>
    Outcome update(const Row& x, const Extent& extent, Prediction prediction, Label y,
                   double weight) {
        ++rounds;
        if (y >= classes) add_classes(y);
        if (prediction.label == y) return {};
        if (weight == 0) return {.mistake = true};
        if (listed)
            listed->add_and_subtract(x, weight, y, prediction.label);
        else
            w.add_and_subtract(x, weight, y, prediction.label);
        energy += 2 * scaled_energy(weight, extent.norm2);
        return {.mistake = true, .updated = true};
    }

    // How many columns there are once class y has been seen.
    std::size_t stride_with(Label y) const {
        return std::max(stride(), stride_for(std::size_t{y} + 1));
    }

    // Are so many listed that they would take less memory side by side?
    bool crowded() const { return listed && listed->listed() > listed->size() / 4; }
    void spread() {
        w = listed->spread();
        listed.reset();
    }

    // Are so many weights, of which some are not 0, better listed? A listed one takes about four
    // times as much memory.
    static bool lists(std::size_t weights, std::size_t columns, std::size_t nonzeros) {
        return weights >= listing().weights && columns >= listing().columns &&
               nonzeros <= weights / 8;
    }
    // The same for w once it has grown; it looks only when w is twice as large as before.
    bool lists_with(std::size_t dimension, std::size_t columns) const {
        const std::size_t size = Weights::slot(static_cast<Coordinate>(dimension), columns);
        if (std::bit_width(size) <= std::bit_width(w.sums().size())) return false;
        return lists(size, columns, 0) && lists(size, columns, w.nonzeros());
    }

  private:
    static constexpr std::size_t kLeastStride = 4;  // classes are scored four at a time

    static bool is_sound(std::size_t stride) {
        return stride >= kLeastStride && stride % kLeastStride == 0;
    }

    void list() {
        listed.emplace(w);
        w = Weights(kLeastStride);
    }

    void add_classes(Label y) {
        const std::size_t wide = stride_with(y);
        if (!listed && lists_with(w.dimension(), wide)) list();
        if (listed)
            listed->widen_to(wide);
        else if (wide != w.stride())
            w = w.widened(wide);
        classes = y + 1;
    }

    // The classes that could be the best, in order.
    template <class Row>
    std::vector<Label> rivals(const Weights&, const Row&, const double* score,
                              const Leader& leader) const {
        std::vector<Label> found;
        for (Label k = 0; k < classes; ++k)
            if (!(score[k] < leader.floor)) found.push_back(k);
        return found;
    }
    template <class Row>
    std::vector<Label> rivals(const ListedWeights& weights, const Row& x, const double* score,
                              const Leader& leader) const {
        std::vector<Label> found;
        Label free = 0;  // the first class without a weight for x, once the loop has passed it
        bool passed = leader.floor > 0;
        const auto pass = [&](std::size_t next) {
            if (!passed && free < next) {
                found.push_back(free);
                passed = true;
            }
        };
        for (const std::size_t k : weights.columns_of(x)) {
            if (k >= classes) break;
            pass(k);
            free = static_cast<Label>(k + 1);
            if (!(score[k] < leader.floor)) found.push_back(static_cast<Label>(k));
        }
        pass(classes);
        return found;
    }

    template <class W, class Row>
    [[gnu::noinline]] Label settle(const W& weights, const Row& x, const double* score,
                                   const Leader& leader, double bound2, Effort& effort) const {
        ++effort.second;
        const std::vector<Label> close = rivals(weights, x, score, leader);
        if (bound2 <= 1e300) {
            bool exact = true;
            for (std::size_t i = 0; i < close.size() && exact; ++i)
                clear(weights, x, score[close[i]], close[i], exact);
            if (exact) return leader.best;
        }
        ++effort.exact;
        Label best = close[0];
        for (std::size_t i = 1; i < close.size(); ++i) {
            Accumulator difference;
            weights.accumulate(difference, x, +1.0, close[i]);
            weights.accumulate(difference, x, -1.0, best);
            if (difference.sign() > 0) best = close[i];
        }
        return best;
    }
};

}  // namespace novikoff
