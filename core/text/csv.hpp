// CSV (RFC 4180): cells between delimiters, quoted if they hold one, a quote or a line end.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chunk.hpp"
#include "lines.hpp"
#include "message.hpp"
#include "number.hpp"
#include "utf8.hpp"

namespace novikoff::text {

// A name goes with every value of its column, so a long one takes memory many times over.
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

// The end of the last line of `text` that ends outside quotes; 0 if none does. A line end is
// outside if an even number of quotes stands before it, even in malformed text, so records do not
// depend on where the text is cut. `inside_quotes` describes the start of the text, then its end.
inline std::size_t last_line_end(std::string_view text, bool& inside_quotes) {
    inside_quotes ^= odd_quotes(text);
    bool inside = inside_quotes;
    for (std::size_t end = text.size(); end > 0; --end) {
        if (text[end - 1] == '"') inside = !inside;
        if (text[end - 1] == '\n' && !inside) return end;
    }
    return 0;
}

// The end of the first record, after its line end, and how many lines it takes.
inline std::size_t first_record_end(std::string_view text, std::size_t& lines) {
    std::size_t begin = 0;
    bool inside = false;
    lines = 0;
    while (begin < text.size()) {
        const std::size_t found = text.find('\n', begin);
        const std::size_t end = found == std::string_view::npos ? text.size() : found + 1;
        inside ^= odd_quotes(text.substr(begin, end - begin));
        begin = end;
        ++lines;
        if (!inside) break;
    }
    return begin;
}

// Cells of one record.
class CsvCells {
  public:
    // `followed`: the text continues after the record, with its line end.
    CsvCells(std::string_view record, char delimiter, bool followed = false)
        : rest_(record),
          delimiter_(delimiter),
          quoted_(record.find('"') != std::string_view::npos),
          followed_(followed) {}

    // The next cell, valid until the next call; false if there are no more, or at a fault.
    bool next(std::string_view& cell) {
        if (done_) return false;
        if (quoted_ && !rest_.empty() && rest_[0] == '"') return next_quoted(cell);
        cell = rest_.substr(0, rest_.find(delimiter_));
        if (quoted_ && cell.find('"') != std::string_view::npos)
            return fail(fault_text("quotes around whole cells", shown(cell)));
        pass(cell.size());
        return true;
    }

    // The next cell if it is a plain number; otherwise it remains the next cell.
    bool next_number(double& value) {
        if (done_ || !followed_) return false;
        const char* const end = rest_.data() + rest_.size();
        const char* const after = read_short_number(rest_.data(), end + 1, value);
        if (after == nullptr || after > end || (after != end && *after != delimiter_)) return false;
        pass(static_cast<std::size_t>(after - rest_.data()));
        return true;
    }

    const std::string& fault() const { return fault_; }

  private:
    bool fail(std::string fault) {
        fault_ = std::move(fault);
        done_ = true;
        return false;
    }

    // Skips the cell and its delimiter.
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
    const bool quoted_, followed_;
    bool done_ = false;
    std::string unquoted_;
    std::string fault_;
};

// What a cell without a value is: a fault, a 0, or a feature "column is missing" of value 1.
enum class Missing : unsigned char { kRefused, kZero, kFeature };

inline bool is_missing(std::string_view bare) {
    return bare.empty() || bare == "?" || equal_but_for_case(bare, "nan") ||
           equal_but_for_case(bare, "na") || equal_but_for_case(bare, "null") ||
           (equal_but_for_case(bare, "n/a") && bare[1] == '/');
}

struct Csv {
    char delimiter = ',';                 // ASCII; no quote, no line end, no part of a number
    std::vector<std::string> columns;     // one for each cell of a record
    int label = -1;                       // column, if any
    int weight = -1;                      // column, if any
    std::vector<bool> categorical;        // of columns; empty: none is
    bool named = false;                   // features are named, not numbered; categorical ones must
    std::vector<bool> ignored;            // of columns; empty: none is
    Missing missing = Missing::kRefused;  // a feature must be named
    std::vector<std::int32_t> numbers{};  // of the features of columns; empty: in their order

    // Cells of a header line. If it is not one, `fault` says why.
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

    // Which columns hold something other than numbers, by the cells of one record. Empty cells, nan
    // and the like may stand in a column of numbers.
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
    CsvRecords(const Csv& csv, Chunk& out)
        : csv_(csv),
          out_(out),
          roles_(csv.columns.size(), kNumeric),
          names_(roles_.size(), kUnnamed),
          row_(csv.numbers.empty() ? 0 : roles_.size()) {
        for (std::size_t i = 0; i < roles_.size(); ++i) {
            const bool text = i < csv.categorical.size() && csv.categorical[i];
            if (csv.named && text) roles_[i] = kCategorical;
            if (i < csv.ignored.size() && csv.ignored[i]) roles_[i] = kIgnored;
            if (static_cast<int>(i) == csv.weight) roles_[i] = kWeight;
            if (static_cast<int>(i) == csv.label) roles_[i] = kLabel;
        }
    }

    void read(std::string_view text) {
        while (!text.empty()) {
            std::size_t lines = 0;
            const std::size_t size = first_record_end(text, lines);
            std::string_view record = text.substr(0, size);
            text.remove_prefix(size);
            if (record.back() == '\n') record.remove_suffix(1);
            const bool followed = record.size() < size;
            record = without_return(record);
            if (!record.empty() && !read_record(record, followed)) out_.drop_row(std::move(fault_));
            out_.line += lines;
        }
    }

  private:
    enum Role : unsigned char { kNumeric, kCategorical, kLabel, kWeight, kIgnored };
    static constexpr std::uint32_t kUnnamed = UINT32_MAX;

    bool read_record(std::string_view record, bool followed) {
        CsvCells cells(record, csv_.delimiter, followed);
        const std::size_t columns = roles_.size();
        label_ = Label();
        weight_ = 1;
        feature_ = 0;
        std::fill(row_.begin(), row_.end(), 0);
        std::string_view cell;
        double value;
        std::size_t column = 0;
        for (;; ++column) {
            if (column < columns && roles_[column] == kNumeric && cells.next_number(value)) {
                if (!add_number(column, value)) return false;
            } else if (!cells.next(cell)) {
                break;
            } else if (column < columns && !read_cell(column, cell)) {
                return false;
            }
        }
        fault_ = cells.fault();
        if (!fault_.empty()) return false;
        if (column != columns)
            return fail(std::to_string(columns) + " cells", std::to_string(column));
        out_.width = static_cast<std::size_t>(feature_);
        for (std::size_t j = 0; j < row_.size(); ++j)
            if (row_[j] != 0) out_.add(static_cast<std::int32_t>(j), row_[j]);
        end_row();
        return true;
    }

    bool read_cell(std::size_t column, std::string_view cell) {
        if (roles_[column] == kLabel) return read_label_cell(column, cell);
        if (roles_[column] == kIgnored) return true;
        const bool feature = roles_[column] != kWeight;
        if (feature && csv_.missing != Missing::kRefused && is_missing(trimmed(cell)))
            return add_missing(column);
        if (roles_[column] == kCategorical) {
            if (!is_utf8(cell)) return fail("UTF-8 in " + name_of(column), shown(cell));
            name_.assign(csv_.columns[column]).append(1, '=').append(cell);
            return out_.add_new(out_.names.number(name_), 1) || fail_twice(name_);
        }
        double value;
        if (!parse_number(trimmed(cell), value)) return fail_number(column, cell);
        if (roles_[column] == kNumeric) return add_number(column, value);
        weight_ = value;
        return value >= 0 || fail("a weight of at least 0 in " + name_of(column), shown(cell));
    }

    bool add_number(std::size_t column, double value) {
        const std::int32_t feature = feature_++;
        if (value == 0) return true;
        if (!row_.empty()) {
            row_[static_cast<std::size_t>(csv_.numbers[column])] = value;
            return true;
        }
        if (!csv_.named) {
            out_.add(feature, value);
            return true;
        }
        std::uint32_t& name = names_[column];
        if (name == kUnnamed) name = out_.names.number(csv_.columns[column]);
        return out_.add_new(name, value) || fail_twice(csv_.columns[column]);
    }

    bool add_missing(std::size_t column) {
        if (roles_[column] == kNumeric) ++feature_;
        if (csv_.missing == Missing::kZero) return true;
        name_.assign(csv_.columns[column]).append(" is missing");
        return out_.add_new(out_.names.number(name_), 1) || fail_twice(name_);
    }

    // Column `a=b` and text `b` in column `a` are one feature.
    bool fail_twice(std::string_view name) {
        return fail("each feature once", shown(name) + " twice");
    }

    bool read_label_cell(std::size_t column, std::string_view cell) {
        label_text_.assign(cell);  // the cell is gone by the end of the row
        if (read_label(label_text_, label_)) return true;
        const std::string_view bare = trimmed(cell);
        return fail(std::string(expected_label(bare)).append(" in ").append(name_of(column)),
                    shown(bare));
    }

    void end_row() {
        const std::int32_t kind = label_.numbered_kind(out_);
        if (csv_.weight >= 0) {
            out_.end_row_weighted(label_.value, kind, weight_);
        } else {
            out_.end_row(label_.value, kind);
        }
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
    std::vector<Role> roles_;           // of columns
    std::vector<std::uint32_t> names_;  // of columns, numbered when first needed
    std::vector<double> row_;           // by the numbers of features; empty if they are in order
    Label label_;
    double weight_ = 1;
    std::int32_t feature_ = 0;
    std::string label_text_, name_, fault_;
};

inline void Csv::parse(std::string_view whole_lines, Chunk& out) const {
    CsvRecords(*this, out).read(whole_lines);
}

}  // namespace novikoff::text
