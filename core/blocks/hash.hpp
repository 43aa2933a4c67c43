// MurmurHash3, 32 bits, seed 0 (appleby2011): the hash of scikit-learn's FeatureHasher.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace novikoff {

inline std::uint32_t murmur3(const char* bytes, std::size_t size) {
    const auto scrambled = [](std::uint32_t k) {
        return std::rotl(k * 0xcc9e2d51U, 15) * 0x1b873593U;
    };
    std::uint32_t h = 0;
    std::size_t i = 0;
    for (; i + 4 <= size; i += 4) {
        std::uint32_t k;
        std::memcpy(&k, bytes + i, 4);
        h = std::rotl(h ^ scrambled(k), 13) * 5 + 0xe6546b64U;
    }
    std::uint32_t tail = 0;
    for (std::size_t r = size; r > i; --r)
        tail = tail << 8 | static_cast<unsigned char>(bytes[r - 1]);
    h ^= scrambled(tail);
    h ^= static_cast<std::uint32_t>(size);
    h = (h ^ h >> 16) * 0x85ebca6bU;
    h = (h ^ h >> 13) * 0xc2b2ae35U;
    return h ^ h >> 16;
}

}  // namespace novikoff
