// w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake, ŷ = argmax_z w·Φ(x, z) (collins2002, Fig. 1).
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "../../playing/access.hpp"
#include "../../playing/tally.hpp"
#include "chain.hpp"

namespace novikoff {

// Weights are whole numbers of 1/unit, exact in 32 bits: sums of +1 and −1, to which a mean of such
// sums may be added. A sentence whose scores might not fit 32 bits is scored in 64. For the
// average, Σ_t w_{t+1} = (T + 1)·w − Σ_updates t·Δ_t, it keeps the second sum.
class ChainRule {
  public:
    explicit ChainRule(bool averaged, std::int32_t unit = 1) : averaged(averaged), unit(unit) {}

    bool averaged;
    std::int32_t unit;
    ChainWeights<std::int32_t> w;
    ChainWeights<std::int64_t> delayed;  // Σ_updates t·Δ_t
    std::int64_t rounds = 0, norm2 = 0;  // ‖w‖²·unit²
    std::int32_t largest = 0;            // no weight was ever farther from 0
    Access access;

    void grow(std::size_t tags, std::size_t features) {
        if (tags <= w.tags && features <= w.features) return;
        w.grow(tags, features);
        if (averaged) delayed.grow(tags, features);
    }

    void predict(const Sentence& x, TagPath& path, Viterbi<std::int32_t>& viterbi) const {
        const auto terms = static_cast<std::int64_t>(x.features() + x.positions);
        if (terms * largest < std::numeric_limits<std::int32_t>::max())
            return viterbi.find(w, x, path);
        path = BestPaths<std::int32_t>().find(w, x, 1)[0].path;
    }

    // Rounds [start, stop); all their features have room. A tag is known from the round in which it
    // first appears, however many rounds are played at once.
    void play(const Sentences& sentences, std::size_t start, std::size_t stop, Tally& tally) {
        Viterbi<std::int32_t> viterbi;
        TagPath path;
        for (std::size_t t = start; t < stop; ++t) {
            const Sentence x = sentences[t];
            for (std::size_t i = 0; i < x.positions; ++i)
                grow(static_cast<std::size_t>(x.tags[i]) + 1, w.features);
            predict(x, path, viterbi);
            const bool mistaken = !std::equal(path.begin(), path.end(), x.tags);
            if (mistaken) check_room(x);
            ++rounds;
            tally.structured_round(mistaken, mistaken ? learn(x, path.data()) : 0);
        }
    }

    // Σ_t w_{t+1}, or w if nothing is averaged.
    std::int64_t summed(std::int32_t weight, std::int64_t late) const {
        return averaged ? (rounds + 1) * weight - late : weight;
    }

    // The weights of the hypothesis: T times the average, or the last.
    ChainWeights<std::int64_t> hypothesis(bool last) const {
        ChainWeights<std::int64_t> h;
        h.grow(w.tags, w.features);
        const bool sums = averaged && !last;
        for (std::size_t k = 0; k < w.moves.size(); ++k)
            h.moves[k] = sums ? summed(w.moves[k], delayed.moves[k]) : w.moves[k];
        for (std::size_t f = 0; f < w.features; ++f) {
            if (w.slots[f] == 0 && (!sums || delayed.slots[f] == 0)) continue;
            std::int64_t* const row = h.touch(f);
            for (std::size_t k = 0; k < w.tags; ++k)
                row[k] = sums ? summed(w.row(f)[k], delayed.row(f)[k]) : w.row(f)[k];
        }
        return h;
    }

  private:
    void check_room(const Sentence& x) const {
        const auto terms = static_cast<std::int64_t>(x.features() + x.positions);
        __extension__ using Wide = __int128;
        const Wide reach = Wide{terms} * unit + largest;  // of a weight after this round
        if (reach > std::numeric_limits<std::int32_t>::max() ||
            norm2 + 4 * reach * unit * terms > std::numeric_limits<std::int64_t>::max())
            throw std::overflow_error("weights within 32 bits");
    }

    void add(std::int32_t& weight, std::int32_t step) {
        norm2 += (2 * std::int64_t{weight} + step) * step;
        weight += step;
        largest = std::max(largest, std::abs(weight));
    }

    // Learns; returns ‖Δ‖² = ‖w + Δ‖² − ‖w‖² − 2 w·Δ, whatever the unit.
    double learn(const Sentence& x, const std::int32_t* z) {
        const std::int64_t before = norm2, product = gap(x, z), late = rounds * unit;
        for (std::size_t i = 0; i < x.positions; ++i) {
            const std::int32_t y_last = i == 0 ? -1 : x.tags[i - 1],
                               z_last = i == 0 ? -1 : z[i - 1];
            const std::int32_t y = x.tags[i];
            if (y != z[i] || y_last != z_last) {
                add(w.move(y_last, y), unit);
                add(w.move(z_last, z[i]), -unit);
                if (averaged) {
                    delayed.move(y_last, y) += late;
                    delayed.move(z_last, z[i]) -= late;
                }
            }
            if (y == z[i]) continue;
            x.for_each(i, [&](std::size_t f) {
                std::int32_t* const row = w.touch(f);
                add(row[y], unit);
                add(row[z[i]], -unit);
                if (!averaged) return;
                std::int64_t* const sums = delayed.touch(f);
                sums[y] += late;
                sums[z[i]] -= late;
            });
        }
        const std::int64_t square = std::int64_t{unit} * unit;
        return static_cast<double>((norm2 - before - 2 * product * unit) / square);
    }

    // w·(Φ(x, y) − Φ(x, z)).
    std::int64_t gap(const Sentence& x, const std::int32_t* z) const {
        std::int64_t total = 0;
        for (std::size_t i = 0; i < x.positions; ++i) {
            const std::int32_t y = x.tags[i];
            total += w.move(i == 0 ? -1 : x.tags[i - 1], y) - w.move(i == 0 ? -1 : z[i - 1], z[i]);
            if (y == z[i]) continue;
            x.for_each(i, [&](std::size_t f) { total += w.row(f)[y] - w.row(f)[z[i]]; });
        }
        return total;
    }
};

}  // namespace novikoff
