// Rounds of kernel perceptrons on a chunk of rows whose scores are known. A step on row t adds a
// multiple of its column K(x_t, ·) to the scores of all rows of the chunk, so that the result is
// that of one round after another. Only what the floats prove is played.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace novikoff {

enum class ChunkRule : std::uint8_t {
    kSign,       // two labels: w ← w + y φ(x) on a mistake
    kBest,       // classes: w_y ← w_y + φ(x), w_ŷ ← w_ŷ − φ(x) on a mistake
    kOneVsRest,  // classes: w_k ← w_k ± φ(x) for every class whose sign is wrong
};

struct ChunkStep {
    std::int64_t row, column, value;  // w_column ← w_column + value φ(x_row)
};

// Scores, one row for each x and one column for each class, each within `error` of its real value.
struct ScoreChunk {
    double* scores;
    double* error;
    std::size_t rows, classes;

    const double* columns;      // K(x_t, x_r) for some t, each a row over all r
    const std::int32_t* place;  // which row of `columns` is that of t; −1 if none is
    const double* step_error;   // how far a step of ±1 may take the score of each row off
};

struct ChunkPlay {
    std::size_t stop;  // the first row that was not played
    std::vector<ChunkStep> steps;
};

// Plays rows [start, stop) up to the first one that floats leave open, whose class is new, or whose
// step has no column; and at most so many rows with steps.
ChunkPlay play_chunk(const ScoreChunk& chunk, ChunkRule rule, const std::int64_t* labels,
                     std::size_t start, std::size_t stop, std::size_t most_steps,
                     std::uint8_t* mistaken);

}  // namespace novikoff
