// CSV (RFC 4180): cells between delimiters, quoted where they hold one, a quote or a line end.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chunk.hpp"
#include "lines.hpp"
#include "message.hpp"
#include "number.hpp"

namespace novikoff::text {

// A name stands with every value of its column, hence a long one takes memory many times over.
inline constexpr std::size_t kLongestColumn = 1024;

inline bool odd_quotes(std::string_view text) {
    // Bytes that are quotes, marked by their highest bit; sums modulo 2 are exclusive ors.
    std::uint64_t marks = 0;
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
        const std::uint64_t bytes = eight_bytes(text.data() + i) ^ 0x2222222222222222U;
        const std::uint64_t low = (bytes & 0x7F7F7F7F7F7F7F7FU) + 0x7F7F7F7F7F7F7F7FU;
        marks ^= ~(low | bytes) & 0x8080808080808080U;
    }
    bool odd = std::popcount(marks) % 2 != 0;
    for (; i < text.size(); ++i) odd ^= text[i] == '"';
    return odd;
}

// The end of the last line of `text` that ends outside quotes; 0 where none does. A line end is
// outside where an even number of quotes stands before it, in malformed text as well: so records
// do not depend on where text is cut. `inside_quotes` tells of the start of the text, then of its
// end.
inline std::size_t last_line_end(std::string_view text, bool& inside_quotes) {
    inside_quotes ^= odd_quotes(text);
    bool inside = inside_quotes;
    for (std::size_t end = text.size(); end > 0; --end) {
        if (text[end - 1] == '"') inside = !inside;
        if (text[end - 1] == '\n' && !inside) return end;
    }
    return 0;
}

// The end of the first record, behind its line end. `inside_quotes` says that none was found.
inline std::size_t first_record_end(std::string_view text, bool& inside_quotes) {
    std::size_t begin = 0;
    inside_quotes = false;
    while (begin < text.size()) {
        const std::size_t found = text.find('\n', begin);
        const std::size_t end = found == std::string_view::npos ? text.size() : found + 1;
        inside_quotes ^= odd_quotes(text.substr(begin, end - begin));
        begin = end;
        if (!inside_quotes) break;
    }
    return begin;
}

// Cells of one record.
class CsvCells {
  public:
    CsvCells(std::string_view record, char delimiter) : rest_(record), delimiter_(delimiter) {}

    // The next cell, legible until the next call; false where there are no more, or at a fault.
    bool next(std::string_view& cell) {
        if (done_) return false;
        if (!rest_.empty() && rest_[0] == '"') return next_quoted(cell);
        const std::size_t found = rest_.find(delimiter_);
        cell = rest_.substr(0, found);
        if (cell.find('"') != std::string_view::npos)
            return fail(fault_text("quotes around whole cells", shown(cell)));
        pass(cell.size());
        return true;
    }

    const std::string& fault() const { return fault_; }

  private:
    bool fail(std::string fault) {
        fault_ = std::move(fault);
        done_ = true;
        return false;
    }

    // Over the cell and its delimiter.
    void pass(std::size_t size) {
        done_ = size == rest_.size();
        rest_.remove_prefix(done_ ? size : size + 1);
    }

    bool next_quoted(std::string_view& cell) {
        std::size_t begin = 1, end = rest_.find('"', 1);
        bool doubled = false;
        while (end < rest_.size() - 1 && rest_[end + 1] == '"') {
            if (!doubled) unquoted_.clear();
            doubled = true;
            unquoted_.append(rest_.substr(begin, end + 1 - begin));
            begin = end + 2;
            end = rest_.find('"', begin);
        }
        if (end == std::string_view::npos)
            return fail(fault_text("a closing quote", "the end of the text"));
        const std::string_view last = rest_.substr(begin, end - begin);
        cell = doubled ? std::string_view(unquoted_.append(last)) : last;
        const std::string_view after = rest_.substr(end + 1);
        if (!after.empty() && after[0] != delimiter_)
            return fail(fault_text("the end of the cell after its closing quote",
                                   shown(after.substr(0, after.find(delimiter_)))));
        pass(end + 1);
        return true;
    }

    std::string_view rest_;
    const char delimiter_;
    bool done_ = false;
    std::string unquoted_;
    std::string fault_;
};

struct Csv {
    char delimiter = ',';              // any ASCII character but a quote and a line end
    std::vector<std::string> columns;  // one for each cell of a record
    int label = -1;                    // column, if any
    int weight = -1;                   // column, if any
    std::vector<bool> categorical;     // of columns; empty: none is
    bool named = false;                // features are named, not numbered; categorical ones must

    // Cells of a header line. Where it is none, `fault` says why.
    std::vector<std::string> read_header(std::string_view line, std::string& fault) const {
        std::vector<std::string> cells = read_cells(line, fault);
        for (const std::string& cell : cells)
            if (cell.size() > kLongestColumn && fault.empty())
                fault = fault_text(
                    "column names of at most " + std::to_string(kLongestColumn) + " bytes",
                    shown(cell));
        return cells;
    }

    // Cells of one record.
    std::vector<std::string> read_cells(std::string_view line, std::string& fault) const {
        if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
        CsvCells cells(without_return(line), delimiter);
        std::vector<std::string> texts;
        for (std::string_view cell; cells.next(cell);) texts.emplace_back(cell);
        fault = cells.fault();
        return texts;
    }

    // Which columns hold something else than numbers, by the cells of one record. Empty cells and
    // the likes of nan may well stand in a column of numbers.
    static std::vector<bool> typed(const std::vector<std::string>& cells) {
        std::vector<bool> texts;
        for (const std::string& cell : cells) {
            const std::string_view bare = trimmed(cell);
            double value;
            texts.push_back(!bare.empty() && !is_named_number(bare) && !parse_number(bare, value));
        }
        return texts;
    }

    void parse(std::string_view whole_lines, Chunk& out) const;
};

// Reads records into a chunk.
class CsvRecords {
  public:
    CsvRecords(const Csv& csv, Chunk& out) : csv_(csv), out_(out) {}

    void read(std::string_view text) {
        while (!text.empty()) {
            bool unclosed = false;
            const std::size_t end = first_record_end(text, unclosed);
            std::string_view record = text.substr(0, end);
            text.remove_prefix(end);
            const auto ends = std::count(record.begin(), record.end(), '\n');
            const bool ended = record.back() == '\n';
            if (ended) record.remove_suffix(1);
            record = without_return(record);
            if (!record.empty() && !read_record(record)) out_.drop_row(std::move(fault_));
            out_.line += static_cast<std::size_t>(ends) + (ended ? 0 : 1);
        }
    }

  private:
    bool read_record(std::string_view record) {
        CsvCells cells(record, csv_.delimiter);
        std::size_t column = 0;
        label_ = Label();
        weight_ = 1;
        feature_ = 0;
        std::string_view cell;
        while (cells.next(cell)) {
            if (column < csv_.columns.size() && !read_cell(column, cell)) return false;
            ++column;
        }
        fault_ = cells.fault();
        if (!fault_.empty()) return false;
        if (column != csv_.columns.size())
            return fail(std::to_string(csv_.columns.size()) + " cells", std::to_string(column));
        return end_row();
    }

    bool read_cell(std::size_t column, std::string_view cell) {
        if (static_cast<int>(column) == csv_.label) return read_label_cell(column, cell);
        if (csv_.named && column < csv_.categorical.size() && csv_.categorical[column]) {
            name_.assign(csv_.columns[column]).append(1, '=').append(cell);
            out_.add(name_, 1);
            return true;
        }
        double value;
        if (!parse_number(trimmed(cell), value)) return fail_number(column, cell);
        if (static_cast<int>(column) == csv_.weight) {
            weight_ = value;
            return value >= 0 || fail("a weight of at least 0 in " + name_of(column), shown(cell));
        }
        if (csv_.named) {
            if (value != 0) out_.add(csv_.columns[column], value);
        } else {
            if (value != 0) out_.add(feature_, value);
            ++feature_;
        }
        return true;
    }

    bool read_label_cell(std::size_t column, std::string_view cell) {
        label_text_.assign(cell);  // the cell is gone by the end of the row
        if (read_label(label_text_, label_)) return true;
        const bool empty = trimmed(cell).empty();
        return fail((empty ? "a label in " : "a finite number or a name as the label in ") +
                        name_of(column),
                    shown(trimmed(cell)));
    }

    bool end_row() {
        // Columns of the same name add up.
        for (auto i = static_cast<std::size_t>(out_.starts.back()); i < out_.values.size(); ++i)
            if (!std::isfinite(out_.values[i]))
                return fail("columns of one name with a finite sum", "a sum beyond all doubles");
        const std::int32_t kind = label_.numbered_kind(out_);
        if (csv_.weight >= 0) {
            out_.end_row_weighted(label_.value, kind, weight_);
        } else {
            out_.end_row(label_.value, kind);
        }
        return true;
    }

    bool fail_number(std::size_t column, std::string_view cell) {
        const std::string_view bare = trimmed(cell);
        const bool digits = bare.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
        const bool infinite = !bare.empty() && (digits || is_named_number(bare));
        return fail((infinite ? "a finite number in " : "a number in ") + name_of(column),
                    shown(bare));
    }

    std::string name_of(std::size_t column) const {
        return std::string("column '").append(shown_bytes(csv_.columns[column])).append("'");
    }

    bool fail(std::string_view expected, std::string_view got) {
        fault_ = fault_text(expected, got);
        return false;
    }

    const Csv& csv_;
    Chunk& out_;
    Label label_;
    double weight_ = 1;
    std::int32_t feature_ = 0;
    std::string label_text_, name_, fault_;
};

inline void Csv::parse(std::string_view whole_lines, Chunk& out) const {
    CsvRecords(*this, out).read(whole_lines);
}

}  // namespace novikoff::text
