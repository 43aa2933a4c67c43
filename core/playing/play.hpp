// The round loop: x is shown, the rule predicts, y is revealed, the rule learns.
#pragma once

#include <optional>
#include <type_traits>

#include "../blocks/block.hpp"
#include "rule.hpp"
#include "tally.hpp"

namespace novikoff {

// Can the rule learn from x with this weight? Only a rule that scales x asks for exact products.
template <Rule R, class Row>
bool takes_weight(const Row& x, double weight) {
    if constexpr (scales_loss<R>)
        return weight >= 0 && weight <= 1;
    else
        return scales_exactly(x, weight);
}

// Counts what a prediction's probability came to, and which label it took for y, before the rule
// learns.
template <Rule R>
void follow(const R& rule, const typename R::Prediction& prediction, typename R::Label y,
            Tally& tally) {
    if constexpr (requires { rule.chance(prediction); }) {
        const double chance = rule.chance(prediction);
        const bool positive = R::label_index(y) == 1;
        if (tally.decides()) tally.decide(chance, positive);
        tally.calibration.add(chance, positive);
    }
    if constexpr (requires { rule.likeliest_chance(prediction); })
        tally.calibration.add(rule.likeliest_chance(prediction), prediction.label == y);
    if constexpr (std::is_unsigned_v<typename R::Label>)  // many labels: those of two are signed
        if (prediction.label != y) tally.confusion.add(y, prediction.label);
}

// One round with an x whose indices are valid. Returns the prediction, or nothing if the round was
// not played: a value is not finite, the weight cannot scale x, or the rule does not take x or
// declines. Then nothing has changed. The weight scales the update.
template <Rule R, class Row>
std::optional<typename R::Label> play_measured(R& rule, const Row& x, const Extent& extent,
                                               typename R::Label y, double weight, Tally& tally) {
    if (!sound_values(x, extent) || !takes_weight<R>(x, weight)) return std::nullopt;
    if (!takes_row(rule, x)) return std::nullopt;
    if constexpr (requires { rule.begin_round(); }) rule.begin_round();
    [[maybe_unused]] const Effort before = tally.effort;
    const auto prediction = rule.predict(x, extent, tally.effort);
    if constexpr (requires { rule.declines(prediction, y); }) {
        if (rule.declines(prediction, y)) {
            tally.effort = before;
            return std::nullopt;
        }
    }
    tally.expect_labels(R::labels_up_to(y));
    tally.begin_round(x, extent, R::label_index(y));
    tally.weighted |= weight != 1;
    follow(rule, prediction, y, tally);
    const auto outcome = rule.learn(x, extent, prediction, y, weight);
    tally.count(outcome, extent.norm2, R::label_index(y));
    if constexpr (declares_measures<R>) tally.add(R::kMeasures, outcome);
    return prediction.label;
}

template <Rule R, class Row>
std::optional<typename R::Label> play_round(R& rule, const Row& x, typename R::Label y,
                                            double weight, Tally& tally) {
    return play_measured(rule, x, rule.measure(x), y, weight, tally);
}

// Learns from a certain round whose prediction was wrong.
template <Rule R, class Row>
void learn_certain(R& rule, const Row& x, const Extent& extent, typename R::Label y, Tally& tally) {
    const typename R::Prediction wrong{static_cast<typename R::Label>(-y)};
    tally.count(rule.learn(x, extent, wrong, y, 1), extent.norm2, R::label_index(y));
}

// Rounds from t on whose x lies within the radius so far, and whose sign is certain even if ‖x‖
// were that radius. Most rounds are such, and right: then they change nothing but counts, and the
// kernels pass over them. Ends at stop, or at a round of another kind, whose x it has measured.
template <Rule R, class Block>
std::size_t play_certain(R& rule, const Block& block, const typename R::Label* labels,
                         std::size_t t, std::size_t stop, Tally& tally, Extent& extent) {
    CertainRounds begun(tally, labels + t);
    const double bias = std::fabs(rule.bias);
    for (; t < stop; ++t) {
        const Certainty certainty = rule.certain(begun.radius2);
        const Passing passing = begun.passing(certainty, rule.bias, rule.w.rounded(kBias));
        const Ending ending = rule.w.pass(block, {labels, t, stop}, passing);
        if (ending.round != t) begun.begin(ending.round - t, std::max(ending.largest_passed, bias));
        rule.pass(static_cast<std::int64_t>(ending.round - t));
        t = ending.round;
        if (t == stop) break;
        const auto x = block.row(t, rule.bias);
        extent = {ending.norm2, std::max(ending.largest, bias), ending.score};
        const bool certain = extent.score * extent.score > certainty.beyond(x.size);
        if (!certain || !begun.contains(extent.norm2)) break;
        begun.begin(1, extent.largest);
        begun.tell_round();
        learn_certain(rule, x, extent, labels[t], tally);
    }
    begun.end();
    return t;
}

// Makes room for a block's features, but only once its row t is known to be valid: a refused row
// changes nothing.
template <Rule R, class Block>
bool make_room(R& rule, Gate<typename Block::Row>& gate, const Block& block, std::size_t t) {
    if (block.columns <= rule.dimension()) return true;
    auto x = block.row(t, rule.bias);
    if (!gate.sound_indices(x) || !sound_values(x, measure(x)) || !takes_row(rule, x)) return false;
    rule.grow(block.columns);
    return true;
}

// Rounds [start, stop) of a block; null weights are all 1. Returns the first row that was not
// played, or stop.
template <Rule R, class Block>
std::size_t play(R& rule, const Block& block, const typename R::Label* labels,
                 const double* weights, std::size_t start, std::size_t stop, Tally& tally) {
    Gate<typename Block::Row> gate(block.columns);
    if (start < stop && !make_room(rule, gate, block, start)) return start;
    for (std::size_t t = start; t < stop;) {
        const std::size_t pause = t + std::min(gate.kRowsAtOnce, stop - t);
        const bool sound = gate.all_sound(block, t, pause);
        for (; t < pause; ++t) {
            if constexpr (has_certain_rounds<R>) {
                if (sound && weights == nullptr) {
                    Extent extent;
                    t = play_certain(rule, block, labels, t, pause, tally, extent);
                    if (t == pause) break;
                    const auto x = block.row(t, rule.bias);
                    if (!play_measured(rule, x, extent, labels[t], 1, tally)) return t;
                    continue;
                }
            }
            auto x = block.row(t, rule.bias);
            if (!sound && !gate.sound_indices(x)) return t;
            const double weight = weights == nullptr ? 1 : weights[t];
            if (!play_round(rule, x, labels[t], weight, tally)) return t;
        }
    }
    return stop;
}

}  // namespace novikoff
