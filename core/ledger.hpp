// What rounds did: the counts behind novikoff.Ledger.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "access.hpp"
#include "decide.hpp"
#include "row.hpp"

namespace novikoff {

struct Tally {
    std::int64_t rounds = 0;
    std::int64_t abstentions = 0;
    std::vector<std::int64_t> mistake_rounds;  // 1-based
    std::vector<std::int64_t> rounds_by_label, mistakes_by_label;
    double radius2 = 0;       // max‖x_t‖² where the square neither overflows nor underflows
    double extreme_norm = 0;  // max‖x_t‖ over the other rows
    double radius_inf = 0;
    double energy = 0;      // S_I = Σ‖x_t‖² over the mistakes
    bool weighted = false;  // was a round's weight other than 1?
    Effort effort;
    Access access;

    double radius() const { return std::max(std::sqrt(radius2), extreme_norm); }

    void expect_labels(std::size_t count) {
        if (rounds_by_label.size() >= count) return;
        rounds_by_label.resize(count);
        mistakes_by_label.resize(count);
    }

    template <class Row>
    void begin_round(const Row& x, const Extent& extent, std::size_t label) {
        ++rounds;
        ++rounds_by_label[label];
        radius_inf = std::max(radius_inf, extent.largest);
        if (extent.norm2 > 1e-280 && extent.norm2 < 1e300) [[likely]]
            radius2 = std::max(radius2, extent.norm2);
        else if (extent.largest > 0)
            extreme_norm = std::max(extreme_norm, careful_norm(x));
    }

    // A round whose y is an output of many parts: what is measured is Φ(x, y) − Φ(x, ŷ), which is
    // 0 where ŷ is y.
    void structured_round(bool mistaken, double norm2) {
        ++rounds;
        if (!mistaken) return;
        mistake_rounds.push_back(rounds);
        radius2 = std::max(radius2, norm2);
        energy += norm2;
    }

    void mistake(double norm2, std::size_t label) {
        mistake_rounds.push_back(rounds);
        ++mistakes_by_label[label];
        energy += norm2;
    }
};

}  // namespace novikoff
