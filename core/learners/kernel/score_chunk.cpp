#include "score_chunk.hpp"

#include <algorithm>
#include <cmath>

namespace novikoff {
namespace {

constexpr double kUnit = 0x1p-53;

struct Judgement {
    bool open = true;  // floats do not decide it
    bool mistake = false;
    std::size_t best = 0;
};

// The class with the largest score, if it leads by more than both errors.
Judgement best_class(const double* score, std::size_t classes, double error) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < classes; ++k)
        if (score[k] > score[best]) best = k;
    for (std::size_t k = 0; k < classes; ++k)
        if (k != best && !(score[best] - score[k] > 2 * error)) return {};
    return {.open = false, .best = best};
}

// What the rule does on one row. `change` receives what it adds to each class.
Judgement judge(ChunkRule rule, const double* score, std::size_t classes, double error,
                std::int64_t y, double* change) {
    if (rule == ChunkRule::kSign) {
        if (!(std::fabs(*score) > error)) return {};
        const bool mistake = (*score > 0 ? 1 : -1) != y;
        *change = mistake ? static_cast<double>(y) : 0;
        return {.open = false, .mistake = mistake};
    }
    if (y < 0 || static_cast<std::size_t>(y) >= classes) return {};
    const auto label = static_cast<std::size_t>(y);
    Judgement found = best_class(score, classes, error);
    if (found.open) return found;
    found.mistake = found.best != label;
    for (std::size_t k = 0; k < classes; ++k) {
        if (rule == ChunkRule::kBest) {
            change[k] = static_cast<double>(k == label) - static_cast<double>(k == found.best);
            continue;
        }
        if (!(std::fabs(score[k]) > error)) return {};
        const bool wrong = (score[k] > 0) != (k == label);
        change[k] = wrong ? (k == label ? 1 : -1) : 0;
    }
    return found;
}

// A bound on |score| over the classes of each row; infinite if one is not finite.
std::vector<double> sizes_of(const ScoreChunk& chunk) {
    std::vector<double> sizes(chunk.rows);
    for (std::size_t r = 0; r < chunk.rows; ++r)
        for (std::size_t k = 0; k < chunk.classes; ++k) {
            const double here = std::fabs(chunk.scores[r * chunk.classes + k]);
            if (!(here <= sizes[r])) sizes[r] = here - here == 0 ? here : INFINITY;
        }
    return sizes;
}

// Adds change · K(x_t, ·), ±1 for some classes. What may be lost: the error of K, and the rounding
// of one sum, at most 2⁻⁵³ of its size. Sizes grow by |K|, whatever its sign; twice the unit covers
// the rounding of the bounds.
void add_step(const ScoreChunk& chunk, const double* column, const std::vector<ChunkStep>& steps,
              std::size_t first, double* sizes) {
    for (std::size_t s = first; s < steps.size(); ++s) {
        const auto value = static_cast<double>(steps[s].value);
        double* score = chunk.scores + steps[s].column;
        for (std::size_t r = 0; r < chunk.rows; ++r) score[r * chunk.classes] += value * column[r];
    }
    for (std::size_t r = 0; r < chunk.rows; ++r) {
        sizes[r] += std::fabs(column[r]);
        const double lost = 2 * kUnit * (sizes[r] + chunk.error[r]);
        // A score that is not a number has no error bound, and is decided exactly.
        chunk.error[r] += chunk.step_error[r] + (lost == lost ? lost : INFINITY);
    }
}

}  // namespace

ChunkPlay play_chunk(const ScoreChunk& chunk, ChunkRule rule, const std::int64_t* labels,
                     std::size_t start, std::size_t stop, std::size_t most_steps,
                     std::uint8_t* mistaken) {
    ChunkPlay found{start, {}};
    std::vector<double> change(chunk.classes), sizes = sizes_of(chunk);
    std::size_t steps = 0;
    for (std::size_t& t = found.stop; t < stop; ++t) {
        const Judgement seen = judge(rule, chunk.scores + t * chunk.classes, chunk.classes,
                                     chunk.error[t], labels[t], change.data());
        if (seen.open) break;
        bool moves = false;
        for (const double value : change) moves = moves || value != 0;
        if (moves) {
            if (chunk.place[t] < 0 || steps == most_steps) break;
            ++steps;
            const std::size_t first = found.steps.size();
            for (std::size_t k = 0; k < chunk.classes; ++k)
                if (change[k] != 0)
                    found.steps.push_back({static_cast<std::int64_t>(t),
                                           static_cast<std::int64_t>(k),
                                           static_cast<std::int64_t>(change[k])});
            if (rule == ChunkRule::kBest)  // the right class comes first in the log
                std::sort(found.steps.begin() + static_cast<std::ptrdiff_t>(first),
                          found.steps.end(),
                          [](const ChunkStep& a, const ChunkStep& b) { return a.value > b.value; });
            const auto place = static_cast<std::size_t>(chunk.place[t]);
            add_step(chunk, chunk.columns + place * chunk.rows, found.steps, first, sizes.data());
        }
        mistaken[t] = seen.mistake;
    }
    return found;
}

}  // namespace novikoff
