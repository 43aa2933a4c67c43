// A checksum of bytes, fast enough to take of every row that is played: it tells whether somebody
// has changed them since. Not for anybody who wants to fool it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace novikoff {

inline std::uint64_t checksum(const unsigned char* bytes, std::size_t size) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
    std::uint64_t lane[4] = {1, 2, 3, 4};
    const auto mix = [](std::uint64_t& h, std::uint64_t word) {
        h = std::rotl((h ^ word) * odd, 29);
    };
    std::size_t i = 0;
    for (; i + 32 <= size; i += 32) {
        std::uint64_t word[4];
        std::memcpy(word, bytes + i, 32);
        for (int k = 0; k < 4; ++k) mix(lane[k], word[k]);
    }
    for (; i < size; ++i) mix(lane[0], bytes[i]);
    std::uint64_t h = size;
    for (const std::uint64_t part : lane) mix(h, part);
    return h;
}

}  // namespace novikoff
