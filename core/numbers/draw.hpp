// Random numbers as a function of (key, counter): Philox 4×64 with ten rounds (salmon2011,
// Sec. 3.3).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "elementary.hpp"

namespace novikoff {

using Counter = std::array<std::uint64_t, 4>;
using Key = std::array<std::uint64_t, 2>;

inline Counter philox(Counter c, Key key) {
    __extension__ using Wide = unsigned __int128;
    for (int round = 0; round < 10; ++round) {
        const Wide a = static_cast<Wide>(0xd2e7470ee14c6c93U) * c[0];
        const Wide b = static_cast<Wide>(0xca5a826395121157U) * c[2];
        c = {static_cast<std::uint64_t>(b >> 64) ^ c[1] ^ key[0], static_cast<std::uint64_t>(b),
             static_cast<std::uint64_t>(a >> 64) ^ c[3] ^ key[1], static_cast<std::uint64_t>(a)};
        key[0] += 0x9e3779b97f4a7c15U;
        key[1] += 0xbb67ae8584caa73bU;
    }
    return c;
}

// A number in [0, 1), a multiple of 2^−53, for each (seed, series, place).
inline double draw_unit(std::uint64_t seed, std::uint64_t series, std::uint64_t place) {
    const Counter drawn = philox({place, series, 0, 1}, {seed, 0});
    return static_cast<double>(drawn[0] >> 11) * 0x1p-53;
}

// A standard normal number for each (seed, series, place), by Marsaglia's polar method
// (knuth1997, 3.4.1 Alg. P): points of the square until one falls into the circle.
inline double draw_normal(std::uint64_t seed, std::uint64_t series, std::uint64_t place) {
    const auto between = [](std::uint64_t bits) {  // [−1, 1)
        return static_cast<double>(static_cast<std::int64_t>(bits) >> 11) * 0x1p-52;
    };
    for (std::uint64_t attempt = 0;; ++attempt) {
        const Counter drawn = philox({place, series, attempt, 0}, {seed, 0});
        for (int k = 0; k < 4; k += 2) {
            const double u = between(drawn[k]), v = between(drawn[k + 1]);
            const double r = u * u + v * v;
            if (r > 0 && r < 1) return u * std::sqrt(-2 * logarithm(r) / r);
        }
    }
}

}  // namespace novikoff
