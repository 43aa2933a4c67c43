// Where losses come from: a replayed matrix, or draws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../cpu/kernels.hpp"
#include "../../numbers/draw.hpp"

namespace novikoff {

// One row of losses per round, in [0, 1].
template <class V>
struct Replay {
    using Loss = V;
    const V* losses;
    std::size_t columns;
    const V* row(std::size_t t) const { return losses + t * columns; }
    bool sound(const V* row) const { return kernels().experts.of<V>().within(row, columns); }
    double mean(std::size_t t, std::size_t k) const { return static_cast<double>(row(t)[k]); }
};

// Losses 0 and 1, each independent, with means that may change every `period` rounds: the phases
// follow each other, and then the last one stays, or they start over. A mean is a multiple of
// 2^−32.
struct Bernoulli {
    using Loss = std::uint8_t;
    std::vector<std::uint64_t> means;  // 2^32 times each, a phase after the other
    std::size_t columns;
    std::size_t period;
    bool cyclic;
    std::uint64_t seed;
    mutable std::vector<std::uint8_t> drawn;

    const std::uint64_t* phase(std::size_t t) const {
        const std::size_t phases = means.size() / columns, number = t / period;
        return means.data() + columns * (cyclic ? number % phases : std::min(number, phases - 1));
    }
    const std::uint8_t* row(std::size_t t) const {
        const std::uint64_t* mean = phase(t);
        drawn.resize(columns);
        for (std::size_t k = 0; k < columns; k += 8) {
            const Counter words = philox({t, k, 0, 2}, {seed, 0});
            for (std::size_t j = k; j < std::min(k + 8, columns); ++j) {
                const std::uint64_t word = words[(j - k) / 2];
                drawn[j] = (j % 2 == 0 ? word & 0xffffffffU : word >> 32) < mean[j];
            }
        }
        return drawn.data();
    }
    bool sound(const std::uint8_t*) const { return true; }
    double mean(std::size_t t, std::size_t k) const {
        return static_cast<double>(phase(t)[k]) * 0x1p-32;
    }
};

}  // namespace novikoff
