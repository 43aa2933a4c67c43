// What holds of every chunk, whatever the text was.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/text/chunk.hpp"
#include "../core/text/utf8.hpp"

namespace fuzz {

using namespace novikoff::text;

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "violated: %s\n", what);
    std::abort();
}

// On the heap and of its exact size: the sanitizer sees every byte read beyond it.
template <class Parser>
Chunk parsed(const Parser& parser, std::string_view text) {
    const std::unique_ptr<char[]> exact(new char[text.size()]);
    text.copy(exact.get(), text.size());
    Chunk chunk;
    parser.parse({exact.get(), text.size()}, chunk);
    return chunk;
}

inline std::size_t lines_of(std::string_view text) {
    std::size_t lines = !text.empty() && text.back() != '\n';
    for (const char byte : text) lines += byte == '\n';
    return lines;
}

inline void check_rows(const Chunk& chunk, bool named) {
    const std::size_t rows = chunk.rows();
    require(chunk.starts.size() == rows + 1 && chunk.kinds.size() == rows, "a start for each row");
    require(chunk.lines.size() == rows, "a line for each row");
    require(chunk.weights.empty() || chunk.weights.size() == rows, "weights for all rows or none");
    require(chunk.indices.size() == chunk.values.size(), "an index for each value");
    require(chunk.starts[0] == 0, "rows from the start");
    require(chunk.starts[rows] == static_cast<std::int64_t>(chunk.values.size()), "to the end");
    for (const double value : chunk.values) require(std::isfinite(value), "finite values");
    for (std::size_t row = 0; row < rows; ++row) {
        require(std::isfinite(chunk.labels[row]), "finite labels");
        require(chunk.kinds[row] >= kNoLabel, "a kind of label");
        require(chunk.kinds[row] < static_cast<std::int64_t>(chunk.classes.size()),
                "a known class");
        if (!chunk.weights.empty()) require(chunk.weights[row] >= 0, "weights of at least 0");
        if (row > 0) require(chunk.lines[row] > chunk.lines[row - 1], "rows on lines of their own");
        require(chunk.starts[row] <= chunk.starts[row + 1], "starts that ascend");
        std::vector<bool> seen(named ? chunk.names.size() : 0);
        for (auto i = static_cast<std::size_t>(chunk.starts[row]);
             i < static_cast<std::size_t>(chunk.starts[row + 1]); ++i) {
            const std::int32_t index = chunk.indices[i];
            require(index >= 0, "indices from 0");
            if (named) {
                require(static_cast<std::size_t>(index) < chunk.names.size(), "known names");
                require(!seen[static_cast<std::size_t>(index)], "each name once in a row");
                seen[static_cast<std::size_t>(index)] = true;
            } else {
                require(index < 2147483631, "indices below the limit");
                require(chunk.values[i] != 0, "no zeros");
                if (i > static_cast<std::size_t>(chunk.starts[row]))
                    require(index > chunk.indices[i - 1], "indices that ascend");
            }
        }
    }
}

inline void check_faults(const Chunk& chunk, std::string_view text) {
    require(chunk.line == lines_of(text), "all lines counted");
    require(chunk.rows() + chunk.fault_count <= chunk.line, "a row or a fault at most for a line");
    require(chunk.faults.size() == std::min(chunk.fault_count, kFaultsKept), "the first faults");
    for (const Fault& fault : chunk.faults) {
        require(fault.line < chunk.line && fault.row <= chunk.rows(), "faults in their place");
        require(fault.message.size() < 300, "short messages");
        require(fault.message.rfind("expected ", 0) == 0, "messages of what was expected");
        require(fault.message.find(", got ") != std::string::npos, "messages of what was there");
        for (std::string_view rest = fault.message; !rest.empty();) {
            const CodePoint point = first_code_point(rest);
            require(point.size > 0 && point.value >= 0x20, "legible messages");
            rest.remove_prefix(point.size);
        }
    }
}

// Rows and faults in words that do not depend on numbers of names.
inline std::vector<std::string> told(const Chunk& chunk, bool named, std::size_t line) {
    std::vector<std::string> rows;
    const auto put = [](std::string& text, const auto& value) {
        text.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
        std::string text;
        put(text, chunk.lines[row] + line);
        put(text, chunk.labels[row]);
        put(text, chunk.weights.empty() ? 1.0 : chunk.weights[row]);
        const std::int32_t kind = chunk.kinds[row];
        put(text, std::min(kind, 0));
        if (kind >= 0) text.append(chunk.classes[static_cast<std::size_t>(kind)]);
        for (auto i = static_cast<std::size_t>(chunk.starts[row]);
             i < static_cast<std::size_t>(chunk.starts[row + 1]); ++i) {
            const auto index = static_cast<std::size_t>(chunk.indices[i]);
            text.append(1, '\n').append(named ? std::string(chunk.names[index])
                                              : std::to_string(index));
            put(text, chunk.values[i]);
        }
        rows.push_back(std::move(text));
    }
    return rows;
}

// The same rows and faults from one piece as from two.
inline void check_pieces(const Chunk& whole, const Chunk& first, const Chunk& second, bool named) {
    std::vector<std::string> rows = told(first, named, 0);
    for (std::string& row : told(second, named, first.line)) rows.push_back(std::move(row));
    require(rows == told(whole, named, 0), "rows that do not depend on the cut");
    require(first.fault_count + second.fault_count == whole.fault_count, "as many faults");
    for (std::size_t i = 0; i < whole.faults.size(); ++i) {
        const bool early = i < first.faults.size();
        const Fault& fault = early ? first.faults[i] : second.faults[i - first.faults.size()];
        require(whole.faults[i].message == fault.message, "the same messages");
        require(whole.faults[i].line == fault.line + (early ? 0 : first.line), "the same lines");
        require(whole.faults[i].row == fault.row + (early ? 0 : first.rows()), "the same places");
    }
}

// Parses the text as a whole and in two pieces, cut behind the line end at or before `cut`.
template <class Parser>
Chunk check(const Parser& parser, std::string_view text, std::size_t cut, bool named) {
    Chunk whole = parsed(parser, text);
    check_rows(whole, named);
    check_faults(whole, text);
    const Chunk first = parsed(parser, text.substr(0, cut));
    const Chunk second = parsed(parser, text.substr(cut));
    check_pieces(whole, first, second, named);
    return whole;
}

// Behind some line end of the text, or at its start.
inline std::size_t line_cut(std::string_view text, std::size_t seed) {
    if (text.empty()) return 0;
    return text.rfind('\n', seed * text.size() / 256) + 1;
}

}  // namespace fuzz
