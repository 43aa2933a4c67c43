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

// Rows of a chunk by the ids that a learner has for their names.
struct NumberedRows {
    std::vector<std::int32_t> starts{0}, indices;
    std::vector<double> values;

    std::size_t rows() const { return starts.size() - 1; }
};

// Rows [start, stop), up to the first that is refused, whose weight may be the reason: weights are
// those of these rows, or null. Names nobody knew are taken over with `adopt`.
NumberedRows numbered_rows(const text::Chunk& chunk, Features& features, std::size_t start,
                           std::size_t stop, bool adopt, const double* weights);

}  // namespace novikoff
