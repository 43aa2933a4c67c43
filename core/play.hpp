// The round loop: x is shown, the rule predicts, y is revealed, the rule learns.
#pragma once

#include <optional>

#include "block.hpp"
#include "ledger.hpp"

namespace novikoff {

// One round with an x whose indices are sound; the prediction, or nothing where a value is not
// finite or the weight cannot scale it: then nothing changed. The weight scales the update.
template <class Rule, class Row>
std::optional<typename Rule::Label> play_round(Rule& rule, const Row& x, typename Rule::Label y,
                                               double weight, Tally& tally) {
    const Extent extent = rule.measure(x);
    if (!sound_values(x, extent) || !scales_exactly(x, weight)) return std::nullopt;
    rule.expect(y);
    const typename Rule::Label prediction = rule.predict(x, extent, tally.effort);
    tally.expect_labels(Rule::labels_up_to(y));
    tally.begin_round(x, extent, Rule::label_index(y));
    tally.weighted |= weight != 1;
    rule.begin_round();
    if (Rule::abstains(prediction)) {
        ++tally.abstentions;
    } else if (prediction != y) {
        if (weight != 0) rule.learn(x, extent.norm2, weight, prediction, y);
        tally.mistake(extent.norm2, Rule::label_index(y));
    }
    return prediction;
}

// Room for the features of a block, made only once its row t is known to be sound: a refused
// row changes nothing.
template <class Rule, class Block>
bool make_room(Rule& rule, Gate<typename Block::Row>& gate, const Block& block, std::size_t t) {
    if (block.columns <= rule.w.dimension()) return true;
    auto x = block.row(t, rule.bias);
    if (!gate.sound_indices(x) || !sound_values(x, measure(x))) return false;
    rule.grow(block.columns);
    return true;
}

// Rounds [start, stop) of a block; weights may be null, all 1. Returns the first row it refused,
// or stop.
template <class Rule, class Block>
std::size_t play(Rule& rule, const Block& block, const typename Rule::Label* labels,
                 const double* weights, std::size_t start, std::size_t stop, Tally& tally) {
    Gate<typename Block::Row> gate(block.columns);
    if (start < stop && !make_room(rule, gate, block, start)) return start;
    for (std::size_t t = start; t < stop;) {
        const std::size_t pause = std::min(t + kRowsAtOnce, stop);
        const bool sound = gate.all_sound(block, t, pause);
        for (; t < pause; ++t) {
            auto x = block.row(t, rule.bias);
            if (!sound && !gate.sound_indices(x)) return t;
            const double weight = weights == nullptr ? 1 : weights[t];
            if (!play_round(rule, x, labels[t], weight, tally)) return t;
        }
    }
    return stop;
}

}  // namespace novikoff
