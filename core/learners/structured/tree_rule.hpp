// w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake, of trees (collins2002, Fig. 1; mcdonald2005).
#pragma once

#include <cstdint>

#include "../../playing/access.hpp"
#include "../../playing/tally.hpp"
#include "tree.hpp"

namespace novikoff {

// It keeps the average as a chain does (chain_rule.hpp).
class TreeRule {
  public:
    explicit TreeRule(bool averaged) : averaged(averaged) {}

    bool averaged;
    ArcWeights<std::int64_t> w, delayed;
    std::int64_t rounds = 0, norm2 = 0;
    Access access;

    void play(const ParsedSentence& x, Tally& tally) {
        eisner_.score(w, x);
        eisner_.find(heads_);
        const bool mistaken = heads_ != x.heads;
        ++rounds;
        tally.structured_round(mistaken, mistaken ? learn(x) : 0);
    }

    void predict(const ParsedSentence& x, std::vector<std::int32_t>& heads) const {
        Eisner eisner;
        eisner.score(w, x);
        eisner.find(heads);
    }

  private:
    // Learns; returns ‖Δ‖² = ‖w + Δ‖² − ‖w‖² − 2 w·Δ.
    double learn(const ParsedSentence& x) {
        const std::int64_t before = norm2;
        std::int64_t product = 0;
        const auto for_each_change = [&](auto&& change) {
            for (std::size_t m = 1; m <= x.size(); ++m) {
                if (x.heads[m - 1] == heads_[m - 1]) continue;
                for (const std::int64_t sign : {1, -1}) {
                    const std::int32_t h = sign > 0 ? x.heads[m - 1] : heads_[m - 1];
                    for_each_arc_feature(x, static_cast<std::size_t>(h), m,
                                         [&](std::uint64_t key) { change(key, sign); });
                }
            }
        };
        for_each_change([&](std::uint64_t key, std::int64_t sign) { product += sign * w[key]; });
        for_each_change([&](std::uint64_t key, std::int64_t sign) {
            std::int64_t& weight = w.at(key);
            norm2 += 2 * sign * weight + 1;
            weight += sign;
            if (averaged) delayed.at(key) += sign * rounds;
        });
        return static_cast<double>(norm2 - before - 2 * product);
    }

    Eisner eisner_;
    std::vector<std::int32_t> heads_;
};

// score(x, y) − max_{z ≠ y} score(x, z): another tree lacks one of y's arcs.
inline std::int64_t tree_margin(const ArcWeights<std::int64_t>& w, const ParsedSentence& x) {
    Eisner eisner;
    eisner.score(w, x);
    std::vector<std::int32_t> heads;
    std::int64_t score = 0, other = kForbidden / 2;
    bool any = false;
    for (std::size_t m = 1; m <= x.size(); ++m) {
        std::int64_t& arc = eisner.arc(static_cast<std::size_t>(x.heads[m - 1]), m);
        score += arc;
        const std::int64_t kept = std::exchange(arc, kForbidden);
        const std::int64_t found = eisner.find(heads);
        arc = kept;
        any |= heads[m - 1] != x.heads[m - 1];
        if (heads[m - 1] != x.heads[m - 1]) other = std::max(other, found);
    }
    return any ? score - other : std::numeric_limits<std::int64_t>::max();
}

}  // namespace novikoff
