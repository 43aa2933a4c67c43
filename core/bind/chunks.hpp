// Chunks of files as Python holds them.
#pragma once

#include <memory>

#include "../text/chunk.hpp"
#include "features.hpp"

namespace novikoff {

struct HeldChunk {
    std::shared_ptr<const text::Chunk> chunk;
    const text::Chunk* operator->() const { return chunk.get(); }
};

}  // namespace novikoff
