// Code points of text that should be UTF-8 but may hold anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace novikoff::text {

struct CodePoint {
    std::uint32_t value;
    std::uint32_t size;  // in bytes; 0 if the bytes are not UTF-8
};

inline bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
}

// The first code point of a nonempty text. Overlong forms, surrogates and values past
// U+10FFFF are not UTF-8 (RFC 3629, section 3).
inline CodePoint first_code_point(std::string_view text) {
    static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return {lead, 1};
    if (lead < 0xC2 || lead > 0xF4) return {0, 0};
    const std::uint32_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (text.size() < size) return {0, 0};
    std::uint32_t value = lead & (0x7FU >> size);
    for (std::uint32_t i = 1; i < size; ++i) {
        if (!is_continuation(text[i])) return {0, 0};
        value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
    }
    const bool surrogate = value >= 0xD800 && value < 0xE000;
    if (value < kLeast[size] || value > 0x10FFFF || surrogate) return {0, 0};
    return {value, size};
}

// How many leading bytes of a text are UTF-8; ASCII, the usual case, goes eight bytes at a time.
inline std::size_t utf8_size(std::string_view text) {
    const std::size_t whole = text.size();
    while (!text.empty()) {
        std::uint64_t bytes = 0;
        if (text.size() >= sizeof bytes) {
            std::memcpy(&bytes, text.data(), sizeof bytes);
            if ((bytes & 0x8080808080808080U) == 0) {
                text.remove_prefix(sizeof bytes);
                continue;
            }
        }
        const CodePoint first = first_code_point(text);
        if (first.size == 0) break;
        text.remove_prefix(first.size);
    }
    return whole - text.size();
}

inline bool is_utf8(std::string_view text) { return utf8_size(text) == text.size(); }

}  // namespace novikoff::text
