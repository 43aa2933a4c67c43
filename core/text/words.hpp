// Raw text, `label<TAB>text`, as counts of its words and of its pieces.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chunk.hpp"
#include "lines.hpp"
#include "message.hpp"
#include "utf8.hpp"

namespace novikoff::text {

// Whether a code point beyond ASCII separates words: Latin-1 signs, general punctuation, CJK
// punctuation and the full-width forms of ASCII's signs.
inline bool is_separator(std::uint32_t point) {
    if (point < 0xC0) return point != 0xAA && point != 0xB5 && point != 0xBA;
    return (point >= 0x2000 && point <= 0x206F) || (point >= 0x3000 && point <= 0x303F) ||
           (point >= 0xFF00 && point <= 0xFF0F);
}

struct Words {
    int words = 1;            // runs of up to this many words; 0: none
    int characters_from = 0;  // pieces of this many characters, …
    int characters_to = 0;    // … up to this many; 0: none
    bool presence = false;    // 1 for every piece, however often it occurs
    bool with_empty = false;  // an empty line is a text without a label

    // A text in its plain form: words in lower case, each with a space before and behind it. Every
    // feature is a piece of that. It holds only memory to be used again.
    struct Plain {
        std::string text;
        std::vector<std::size_t> begins, ends;  // of words
        std::vector<std::size_t> points;        // where code points begin
        std::string name;
    };

    void parse(std::string_view whole_lines, Chunk& out) const {
        Plain plain;
        const auto read = [&](std::string_view line) {
            const std::size_t tab = line.find('\t');
            Label label;
            if (tab != std::string_view::npos) {
                const std::string_view text = line.substr(0, tab);
                if (!read_label(text, label)) return out.drop_row(label_fault(text));
                line.remove_prefix(tab + 1);
            }
            add_text(line, out, plain);
            out.end_row(label.value, label.numbered_kind(out));
        };
        for_each_line(whole_lines, out, read, with_empty);
    }

    // Adds the features of one text to the row.
    void add_text(std::string_view text, Chunk& out) const {
        Plain plain;
        add_text(text, out, plain);
    }

    void add_text(std::string_view text, Chunk& out, Plain& plain) const {
        set_plain(text, plain);
        if (words > 0) add_words(plain, out);
        if (characters_to > 0) add_characters(plain, out);
    }

  private:
    static std::string label_fault(std::string_view text) {
        const std::string_view bare = trimmed(text);
        return fault_text(bare.empty() ? "a label before the tab" : expected_label(bare),
                          shown(bare));
    }

    // The byte in lower case if it is an ASCII letter or digit, and 0 otherwise.
    static char plain_byte(char byte) {
        static constexpr auto kPlain = [] {
            std::array<char, 256> plain{};
            for (char digit = '0'; digit <= '9'; ++digit) plain[std::size_t(digit)] = digit;
            for (char letter = 'a'; letter <= 'z'; ++letter)
                plain[std::size_t(letter)] = plain[std::size_t(letter - 'a' + 'A')] = letter;
            return plain;
        }();
        return kPlain[static_cast<unsigned char>(byte)];
    }

    // Copies the word at the start of `text`, if any, and removes it; returns the end of the copy.
    static char* take_word(std::string_view& text, char* to) {
        while (!text.empty()) {
            std::size_t size = 1;
            if (const char byte = plain_byte(text[0])) {
                *to++ = byte;
            } else {
                const CodePoint point = first_code_point(text);
                size = point.size;
                if (size < 2 || is_separator(point.value)) break;
                to = std::copy_n(text.data(), size, to);
            }
            text.remove_prefix(size);
        }
        return to;
    }

    static void set_plain(std::string_view text, Plain& plain) {
        plain.text.resize(text.size() + 2);  // at most one more space than what parts words
        plain.begins.clear();
        plain.ends.clear();
        char* const start = plain.text.data();
        char* to = start;
        *to++ = ' ';
        while (!text.empty()) {
            char* const end = take_word(text, to);
            if (end != to) {
                plain.begins.push_back(static_cast<std::size_t>(to - start));
                plain.ends.push_back(static_cast<std::size_t>(end - start));
                to = end;
                *to++ = ' ';
            }
            // One separator, or a byte that is not UTF-8.
            if (!text.empty())
                text.remove_prefix(std::max<std::size_t>(1, first_code_point(text).size));
        }
        plain.text.resize(static_cast<std::size_t>(to - start));
    }

    void add(std::string_view name, Chunk& out) const {
        if (presence) {
            out.add_once(name, 1);
        } else {
            out.add(name, 1);
        }
    }

    void add_words(const Plain& plain, Chunk& out) const {
        const std::string_view text = plain.text;
        const std::size_t count = plain.begins.size();
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = i; j < count && j - i < static_cast<std::size_t>(words); ++j)
                add(text.substr(plain.begins[i], plain.ends[j] - plain.begins[i]), out);
    }

    // With a quote in front, which is never part of a word.
    void add_characters(Plain& plain, Chunk& out) const {
        plain.points.clear();
        if (plain.begins.empty()) return;
        for (std::size_t i = 0; i < plain.text.size(); ++i)
            if (!is_continuation(plain.text[i])) plain.points.push_back(i);
        plain.points.push_back(plain.text.size());
        const std::size_t count = plain.points.size() - 1;
        const auto least = static_cast<std::size_t>(characters_from > 1 ? characters_from : 1);
        for (std::size_t i = 0; i < count; ++i) {
            plain.name.assign(1, '\'');
            const auto most = std::min(static_cast<std::size_t>(characters_to), count - i);
            for (std::size_t size = least; size <= most; ++size) {
                const std::size_t begin = plain.points[i] + plain.name.size() - 1;
                plain.name.append(plain.text, begin, plain.points[i + size] - begin);
                add(plain.name, out);
            }
        }
    }
};

}  // namespace novikoff::text
