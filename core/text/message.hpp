// The message about a line that is not a row: "expected WHAT, got WHAT".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "utf8.hpp"

namespace novikoff::text {

inline constexpr std::size_t kShownBytes = 40;

inline std::string_view trimmed(std::string_view text) {
    if (!text.empty() && text.front() > ' ' && text.back() > ' ') return text;  // most often
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

inline bool equal_but_for_case(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((text[i] | 0x20) != lower[i]) return false;
    return true;
}

// nan, inf and the like: numbers to other readers, never a value here.
inline bool is_named_number(std::string_view text) {
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    return equal_but_for_case(text, "nan") || equal_but_for_case(text, "inf") ||
           equal_but_for_case(text, "infinity");
}

// A short readable form: always UTF-8, without control characters.
inline std::string shown_bytes(std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string shown;
    while (!text.empty() && shown.size() < kShownBytes) {
        const CodePoint point = first_code_point(text);
        const bool control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
        const std::size_t size = point.size == 0 ? 1 : point.size;
        if (point.size == 0 || control) {
            for (const char byte : text.substr(0, size)) {
                const auto code = static_cast<unsigned char>(byte);
                shown.append("\\x").append(1, kHex[code >> 4]).append(1, kHex[code & 15]);
            }
        } else {
            shown.append(text.substr(0, size));
        }
        text.remove_prefix(size);
    }
    if (!text.empty()) shown.append("…");
    return shown;
}

// What was there instead. Numbers stand bare, other texts in quotes.
inline std::string shown(std::string_view text) {
    if (text.empty()) return "nothing";
    const bool number = text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    if (number || is_named_number(text)) return shown_bytes(text);
    return std::string("'").append(shown_bytes(text)).append("'");
}

inline std::string fault_text(std::string_view expected, std::string_view got) {
    return std::string("expected ").append(expected).append(", got ").append(got);
}

}  // namespace novikoff::text
