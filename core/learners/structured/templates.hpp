// Templates of features: `w[-1]|w[0] suf3[0] shape[0]`, and the features they give a sentence.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../../text/utf8.hpp"

namespace novikoff {

using Cells = std::vector<std::string_view>;  // of a sentence: columns of its first position first

// A part of a template: a column of a nearby position, or a property of its first column.
struct Atom {
    enum class Kind { column, lower, prefix, suffix, shape, digit, hyphen, upper, title, always };
    Kind kind = Kind::column;
    std::size_t number = 0;  // of the column, or of characters
    std::ptrdiff_t offset = 0;
};

inline bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
inline bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The first or last `count` code points of a word that has more.
inline std::optional<std::string_view> affix(std::string_view word, std::size_t count, bool last) {
    std::size_t left = count, at = last ? word.size() : 0;
    while (left > 0) {
        if (last) {
            if (at == 0) return std::nullopt;
            do --at;
            while (at > 0 && text::is_continuation(word[at]));
        } else {
            if (at == word.size()) return std::nullopt;
            do ++at;
            while (at < word.size() && text::is_continuation(word[at]));
        }
        --left;
    }
    if (last ? at == 0 : at == word.size()) return std::nullopt;
    return last ? word.substr(at) : word.substr(0, at);
}

// X for a capital, x for any other letter, d for a digit, anything else unchanged; at most four of
// the same in a row.
inline void append_shape(std::string_view word, std::string& out) {
    char before = 0;
    int run = 0;
    for (const char c : word) {
        if (text::is_continuation(c)) continue;
        const bool letter = is_lower(c) || static_cast<unsigned char>(c) >= 0x80;
        const char mark = is_upper(c) ? 'X' : letter ? 'x' : is_digit(c) ? 'd' : c;
        run = mark == before ? run + 1 : 1;
        before = mark;
        if (run <= 4) out.push_back(mark);
    }
}

class Templates {
  public:
    Templates(const std::string& text, const std::vector<std::string>& columns)
        : columns_(columns.size()) {
        std::size_t at = 0;
        while (at < text.size()) {
            const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
            if (begin == std::string::npos) break;
            at = std::min(text.find_first_of(" \t\r\n", begin), text.size());
            const std::string word = text.substr(begin, at - begin);
            templates_.push_back({word + "=", parsed(word, columns)});
        }
    }

    std::size_t columns() const { return columns_; }

    // f(name) for every feature of position i.
    template <class F>
    void for_each(const Cells& cells, std::size_t i, std::string& name, F&& f) const {
        for (const Template& t : templates_) {
            name = t.head;
            bool there = true;
            for (std::size_t a = 0; there && a < t.atoms.size(); ++a) {
                if (a > 0) name.push_back('|');
                there = append(cells, static_cast<std::ptrdiff_t>(i), t.atoms[a], name);
            }
            if (there) f(std::string_view(name));
        }
    }

  private:
    struct Template {
        std::string head;
        std::vector<Atom> atoms;
    };

    static std::vector<Atom> parsed(std::string_view word,
                                    const std::vector<std::string>& columns) {
        std::vector<Atom> atoms;
        while (true) {
            const std::size_t bar = word.find('|');
            atoms.push_back(parsed_atom(word.substr(0, bar), columns));
            if (bar == std::string_view::npos) return atoms;
            word.remove_prefix(bar + 1);
        }
    }

    static Atom parsed_atom(std::string_view word, const std::vector<std::string>& columns) {
        const auto bad = [&] { return std::invalid_argument(std::string(word)); };
        if (word == "always") return {Atom::Kind::always};
        const std::size_t open = word.find('[');
        if (open == std::string_view::npos || word.back() != ']') throw bad();
        const std::string_view name = word.substr(0, open);
        Atom atom;
        const char* const end = word.data() + word.size() - 1;
        const auto read = std::from_chars(word.data() + open + 1, end, atom.offset);
        if (read.ptr != end || read.ec != std::errc() || atom.offset > 1000 || atom.offset < -1000)
            throw bad();
        const auto column = std::find(columns.begin(), columns.end(), name);
        if (column != columns.end()) {
            atom.number = static_cast<std::size_t>(column - columns.begin());
            return atom;
        }
        static constexpr std::pair<std::string_view, Atom::Kind> kNames[] = {
            {"lower", Atom::Kind::lower}, {"shape", Atom::Kind::shape},
            {"digit", Atom::Kind::digit}, {"hyphen", Atom::Kind::hyphen},
            {"upper", Atom::Kind::upper}, {"title", Atom::Kind::title}};
        for (const auto& [known, kind] : kNames) {
            if (name == known) {
                atom.kind = kind;
                return atom;
            }
        }
        const bool prefix = name.starts_with("pre"), suffix = name.starts_with("suf");
        if (name.size() != 4 || !(prefix || suffix) || name[3] < '1' || name[3] > '9') throw bad();
        atom.kind = prefix ? Atom::Kind::prefix : Atom::Kind::suffix;
        atom.number = static_cast<std::size_t>(name[3] - '0');
        return atom;
    }

    // Adds the value of an atom, if it has one.
    bool append(const Cells& cells, std::ptrdiff_t i, const Atom& atom, std::string& out) const {
        using Kind = Atom::Kind;
        if (atom.kind == Kind::always) return true;
        const std::ptrdiff_t place = i + atom.offset;
        const auto positions = static_cast<std::ptrdiff_t>(cells.size() / columns_);
        const bool words = atom.kind == Kind::column || atom.kind == Kind::lower;
        if (place < 0 || place >= positions) {
            out += place < 0 ? "<s>" : "</s>";
            return words;
        }
        const std::size_t first = static_cast<std::size_t>(place) * columns_;
        if (atom.kind == Kind::column) {
            out += cells[first + atom.number];
            return true;
        }
        return append_about(cells[first], atom, out);
    }

    static bool append_about(std::string_view word, const Atom& atom, std::string& out) {
        using Kind = Atom::Kind;
        switch (atom.kind) {
            case Kind::lower:
                for (const char c : word)
                    out.push_back(is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c);
                return true;
            case Kind::prefix:
            case Kind::suffix: {
                const auto found = affix(word, atom.number, atom.kind == Kind::suffix);
                if (found) out += *found;
                return found.has_value();
            }
            case Kind::shape:
                append_shape(word, out);
                return true;
            case Kind::digit:
                return std::any_of(word.begin(), word.end(), is_digit);
            case Kind::hyphen:
                return word.find('-') != std::string_view::npos;
            case Kind::title:
                return !word.empty() && is_upper(word[0]);
            default:
                return std::any_of(word.begin(), word.end(), is_upper) &&
                       std::none_of(word.begin(), word.end(), is_lower);
        }
    }

    std::size_t columns_;
    std::vector<Template> templates_;
};

}  // namespace novikoff
