// Sentences as numbers: the features of every position, and its tag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace novikoff {

// One sentence, a view: position i has the features ids[cells[i]] … ids[cells[i + 1] − 1], each as
// often as it is there.
struct Sentence {
    const std::size_t* cells;
    const std::int32_t* ids;
    const std::int32_t* tags;
    std::size_t positions;

    std::size_t features() const { return positions == 0 ? 0 : cells[positions] - cells[0]; }

    template <class F>
    void for_each(std::size_t i, F&& f) const {
        for (std::size_t k = cells[i]; k < cells[i + 1]; ++k) f(static_cast<std::size_t>(ids[k]));
    }
};

struct Sentences {
    std::vector<std::size_t> starts{0};  // of each sentence among the positions, and the end
    std::vector<std::size_t> cells{0};   // of each position among the ids, and the end
    std::vector<std::int32_t> ids;
    std::vector<std::int32_t> tags;  // −1: an unknown tag

    std::size_t size() const { return starts.size() - 1; }

    Sentence operator[](std::size_t t) const {
        return {cells.data() + starts[t], ids.data(), tags.data() + starts[t],
                starts[t + 1] - starts[t]};
    }

    void end_position(std::int32_t tag) {
        cells.push_back(ids.size());
        tags.push_back(tag);
    }

    void end_sentence() { starts.push_back(tags.size()); }

    // Forgets the unfinished sentence.
    void drop() {
        tags.resize(starts.back());
        cells.resize(starts.back() + 1);
        ids.resize(cells.back());
    }
};

}  // namespace novikoff
