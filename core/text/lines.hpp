// Lines of text, and the labels that stand in them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "chunk.hpp"
#include "message.hpp"
#include "number.hpp"
#include "utf8.hpp"

namespace novikoff::text {

inline std::string_view without_return(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

// A set of bytes.
class Bytes {
  public:
    constexpr explicit Bytes(std::string_view bytes) {
        for (const char byte : bytes) in_[static_cast<unsigned char>(byte)] = true;
    }
    bool has(char byte) const { return in_[static_cast<unsigned char>(byte)]; }

    // Removes and returns the text before the first of them.
    std::string_view take_before(std::string_view& text) const {
        std::size_t size = 0;
        while (size < text.size() && !has(text[size])) ++size;
        const std::string_view taken = text.substr(0, size);
        text.remove_prefix(size);
        return taken;
    }

  private:
    std::array<bool, 256> in_{};
};

// Calls `each` with every line that is not empty, without its line end, and counts them all; with
// the empty lines, too, if they mean something.
template <class Each>
void for_each_line(std::string_view text, Chunk& out, Each each, bool with_empty = false) {
    while (!text.empty()) {
        const std::size_t found = text.find('\n');
        const std::size_t size = found == std::string_view::npos ? text.size() : found;
        const std::string_view line = without_return(text.substr(0, size));
        if (with_empty || !line.empty()) each(line);
        text.remove_prefix(size == text.size() ? size : size + 1);
        ++out.line;
    }
}

// A label that may be a number or the name of a class.
struct Label {
    double value = 0;
    std::int32_t kind = kNoLabel;
    std::string_view name;  // if it is not a number

    // Only valid rows may number a class.
    std::int32_t numbered_kind(Chunk& out) const {
        if (name.empty()) return kind;
        return static_cast<std::int32_t>(out.classes.number(name));
    }
};

inline constexpr std::string_view kExactLabel = "a number within ±2^53 as the label";

// What was expected in place of a text that is not a label.
inline std::string_view expected_label(std::string_view bare) {
    if (bare.empty()) return "a label";
    double value;
    if (parse_number(bare, value)) return kExactLabel;
    return is_utf8(bare) ? "a finite number or a name as the label" : "a label in UTF-8";
}

// False if it is neither: nothing, a number that is not finite or beyond ±2^53, or bytes that
// are not text.
inline bool read_label(std::string_view text, Label& label) {
    const std::string_view bare = trimmed(text);
    if (bare.empty() || is_named_number(bare)) return false;
    Decimal decimal;
    const char* const end = bare.data() + bare.size();
    if (scan_decimal(bare.data(), end, decimal) == end) {
        label.kind = kNumber;
        return round_decimal(decimal, end, label.value) && is_within_exact(bare, label.value);
    }
    label.name = text;
    return is_utf8(text);
}

}  // namespace novikoff::text
