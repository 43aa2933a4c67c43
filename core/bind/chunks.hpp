// Chunks of files as Python holds them.
#pragma once

#include <memory>
#include <vector>

#include "../text/chunk.hpp"
#include "features.hpp"

namespace novikoff {

struct HeldChunk {
    std::shared_ptr<const text::Chunk> chunk;
    const text::Chunk* operator->() const { return chunk.get(); }
};

// Rows of a chunk, with the learner's ids for their names.
struct NumberedRows {
    std::vector<std::int32_t> starts{0}, indices;
    std::vector<double> values;

    std::size_t rows() const { return starts.size() - 1; }
};

// Rows [start, stop), up to the first one refused, perhaps for its weight; `weights` belong to
// these rows, or are null. `adopt` takes over unknown names.
NumberedRows numbered_rows(const text::Chunk& chunk, Features& features, std::size_t start,
                           std::size_t stop, bool adopt, const double* weights);

}  // namespace novikoff
