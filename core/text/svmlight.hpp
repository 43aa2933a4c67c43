// svmlight and LIBSVM text: `label [qid:n] index:value … [# comment]`; a label may be a word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../cpu/entries.hpp"
#include "chunk.hpp"
#include "lines.hpp"
#include "message.hpp"
#include "number.hpp"
#include "utf8.hpp"

namespace novikoff::text {

// Some room is left below the largest index for what learners add, such as a constant feature.
inline constexpr std::uint64_t kMostIndex = (std::uint64_t{1} << 31) - 1 - 16 - 1;

// Reads text whose last byte is a line end: no loop over digits needs to ask for the end.
class SvmlightLines {
  public:
    SvmlightLines(std::string_view text, bool zero_based, ReadEntries read_entries, Chunk& out)
        : at_(text.data()),
          start_(text.data()),
          end_(text.data() + text.size()),
          size_(text.size()),
          first_(zero_based ? 0 : 1),
          out_(out),
          begin_(out.values.size()),
          filled_(begin_),
          most_(begin_ + text.size() / 4 + 1),
          read_entries_(read_entries) {}

    void read() {
        make_room(begin_ + size_ / 32 + 16);
        while (at_ != end_) {
            const char* const line = at_;
            if (!read_line()) {
                filled_ = begin_;
                out_.note_fault(std::move(fault_));
                const auto rest = static_cast<std::size_t>(end_ - line);
                at_ = static_cast<const char*>(std::memchr(line, '\n', rest)) + 1;
            }
            ++out_.line;
        }
        out_.indices.resize(filled_);
        out_.values.resize(filled_);
    }

  private:
    static constexpr std::size_t kWorthwhile = 4;  // entries

    static bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }
    static bool ends_token(char letter) {
        return is_blank(letter) || letter == '\n' || letter == '#';
    }

    // Makes room for as many entries as the text will have if it goes on like this, and at least
    // half as many more than before.
    [[gnu::noinline]] void grow() {
        const auto read = static_cast<double>(size_ - static_cast<std::size_t>(end_ - at_)) + 1;
        const double more = static_cast<double>(filled_) * (static_cast<double>(size_) / read);
        make_room(std::max(room_ + room_ / 2, static_cast<std::size_t>(1.1 * more)) + 16);
    }

    // Each entry takes at least four bytes, so `most_` is never too small.
    void make_room(std::size_t room) {
        room_ = std::min(room, most_);
        out_.indices.resize(room_);
        out_.values.resize(room_);
        indices_ = out_.indices.data();
        values_ = out_.values.data();
    }

    bool fail(std::string_view expected, std::string_view got) {
        fault_ = fault_text(expected, got);
        return false;
    }

    // From `at_` to the next blank, comment or line end.
    std::string_view token() const {
        const char* after = at_;
        while (!ends_token(*after)) ++after;
        if (*after == '\n' && after != at_ && after[-1] == '\r') --after;
        return {at_, static_cast<std::size_t>(after - at_)};
    }

    // Moves to the next token; true if the line has no more.
    bool at_line_end() {
        while (is_blank(*at_)) ++at_;
        if (*at_ == '#')
            at_ = static_cast<const char*>(
                std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
        if (*at_ == '\r' && at_[1] == '\n') ++at_;
        return *at_ == '\n';
    }

    bool read_line() {
        if (at_line_end()) {
            ++at_;
            return true;
        }
        double label = 0;
        std::int32_t kind = kNumber;
        class_ = {};
        run_.previous = -1;
        run_.odd = 0;
        mixed_ = false;
        if (!read_plain_label(label) && !read_label(label, kind)) return false;
        if (!read_entries()) return false;
        ++at_;
        if ((mixed_ || run_.odd < 0) && !mend_row()) return false;
        if (filled_ != begin_)
            out_.columns =
                std::max(out_.columns, static_cast<std::size_t>(indices_[filled_ - 1]) + 1);
        if (!class_.empty()) kind = static_cast<std::int32_t>(out_.classes.number(class_));
        out_.end_row_at(filled_, label, kind);
        begin_ = filled_;
        return true;
    }

    // All entries up to the line end, by the first of three ways that can read the next one.
    bool read_entries() {
        while (!at_line_end()) {
            const char* const before = at_;
            const bool fast = read_entries_ != nullptr && at_ - start_ >= kReadBefore;
            // If few entries are plain, the kernel is not worth its call.
            const bool plain = fast && read_fast_entries() >= kWorthwhile;
            if (*at_ != '\n') read_plain_entries(plain ? 1 : SIZE_MAX);
            if (at_ == before && !read_entry()) return false;
        }
        return true;
    }

    // `+1 3:` and the like.
    bool read_plain_label(double& label) {
        const bool sign = (*at_ == '+') | (*at_ == '-');
        if (!is_digit(at_[sign]) || at_[sign + 1] != ' ' || !is_digit(at_[sign + 2])) return false;
        label = nearest_ratio(*at_ == '-', digit_at(at_ + sign), 0);
        at_ += sign + 2;
        return true;
    }

    // A class may have a word as its name; svmlight itself does not allow that.
    static bool begins_word(char letter) {
        const char lower = static_cast<char>(letter | 0x20);
        return (lower >= 'a' && lower <= 'z') || letter == '_' || (letter & 0x80) != 0;
    }

    bool read_label(double& label, std::int32_t& kind) {
        std::string_view text = token();
        if (text.find(':') == std::string_view::npos) {
            if (!parse_number(text, label)) {
                const bool many = text.find(',') != std::string_view::npos;
                if (many || is_named_number(text) || !begins_word(text[0]) || !is_utf8(text))
                    return fail(many ? "one label" : "a finite number as the label", shown(text));
                class_ = text;
                label = 0;
            } else if (!is_within_exact(text, label)) {
                return fail(kExactLabel, shown(text));
            }
            at_ += text.size();
            if (at_line_end()) return true;
            text = token();
        } else {
            kind = kNoLabel;
        }
        if (text.substr(0, 4) != "qid:") return true;
        std::uint64_t query;
        const char* const end = text.data() + text.size();
        if (read_integer(text.data() + 4, end, query) != end)
            return fail("a whole number after qid:", shown(text.substr(4)));
        at_ = end;
        return true;
    }

    // Where the next entry goes.
    struct Place {
        std::int32_t* index;
        double* value;
        const double* full;
    };
    Place place() const { return {indices_ + filled_, values_ + filled_, values_ + room_}; }

    [[gnu::noinline]] Place grown(const double* value, const char* at) {
        at_ = at;
        filled_ = static_cast<std::size_t>(value - values_);
        grow();
        return place();
    }

    // The hot loop on CPUs that have it: up to the end of the line, or to something odd. Says how
    // many entries it has read.
    std::size_t read_fast_entries() {
        if (filled_ == room_) grow();
        const Place to = place();
        run_.at = at_;
        // Each entry takes at least four bytes, so those that start up to here find room.
        const auto room = 4 * static_cast<std::ptrdiff_t>(room_ - filled_ - 1);
        run_.last = at_ + std::min(end_ - at_ - kReadAhead, room);
        run_.index = to.index, run_.value = to.value;
        run_.first = static_cast<std::int64_t>(first_);
        read_entries_(run_);
        at_ = run_.at;
        const std::size_t before = filled_;
        filled_ = static_cast<std::size_t>(run_.value - values_);
        return filled_ - before;
    }

    // The hot loop on other CPUs: `digits:digits[.digits]` with single spaces between, up to
    // anything else, which read_entry then reads or refuses.
    [[gnu::noinline]] void read_plain_entries(std::size_t most) {
        const char* start = at_;
        const auto first = static_cast<std::uint32_t>(first_);
        mixed_ = true;
        Place to = place();
        for (; most != 0; --most) {
            const char* at = start;
            std::uint32_t index = 0;
            for (unsigned digit; (digit = digit_at(at)) <= 9; ++at) index = index * 10 + digit;
            if (*at != ':' || index < first || static_cast<std::size_t>(at - start - 1) >= 9) break;
            double value = 1;
            if (at[1] == '1' && at[2] == ' ') {
                at += 2;
            } else {
                const char* const number = at + 1;
                at = read_short_number(number, end_, value);
                if (at == nullptr || (*at != ' ' && *at != '\n')) {
                    double careful;  // a variable of its own leaves `value` in its register
                    at = read_value(number, careful);
                    if (at == nullptr) break;
                    value = careful;
                }
            }
            if (to.value == to.full) to = grown(to.value, start);
            *to.index++ = static_cast<std::int32_t>(index - first);
            *to.value++ = value;
            start = at;
            if (*at == '\n') break;
            ++start;  // in two steps, because a sum would make the next entry wait for this byte
        }
        at_ = start;
        filled_ = static_cast<std::size_t>(to.value - values_);
    }

    // The place after a value that a space or the line end follows; null if there is none.
    [[gnu::noinline]] const char* read_value(const char* start, double& value) const {
        const char* at = read_number(start, end_, value);
        return at == nullptr || (*at != ' ' && *at != '\n') ? nullptr : at;
    }

    // Any single entry, or what is wrong with it.
    bool read_entry() {
        const std::string_view text = token();
        const char* const end = text.data() + text.size();
        std::uint64_t index;
        const char* at = read_integer(text.data(), end, index);
        if (at == nullptr || at == end || *at != ':') return fail_index(text);
        if (index < first_) return fail("indices from 1 (the file may be zero-based)", "0");
        if (index > kMostIndex)
            return fail("indices of at most " + std::to_string(kMostIndex),
                        shown({text.data(), static_cast<std::size_t>(at - text.data())}));
        double value;
        if (read_number(++at, end, value) != end || at == end)
            return fail("a finite value for feature " + std::to_string(index),
                        shown({at, static_cast<std::size_t>(end - at)}));
        at_ = end;
        add(index, value);
        return true;
    }

    void add(std::uint64_t index, double value) {
        if (filled_ == room_) grow();
        indices_[filled_] = static_cast<std::int32_t>(index - first_);
        values_[filled_++] = value;
    }

    bool fail_index(std::string_view text) {
        const std::size_t colon = text.find(':');
        if (colon == std::string_view::npos) return fail("index:value", shown(text));
        return fail("a whole number as the index", shown(text.substr(0, colon)));
    }

    bool mend_row() {
        if (!is_ascending() && !sort_row()) return false;
        if (has_zeros()) drop_zeros();
        return true;
    }

    // The fast loop looks at both on its way. Looking back over the row keeps them out of the other
    // one; compilers vectorise a count if it is as wide as what it counts.
    bool is_ascending() const {
        std::int32_t descents = 0;
        for (std::size_t i = begin_ + 1; i < filled_; ++i)
            descents |= -static_cast<std::int32_t>(indices_[i] <= indices_[i - 1]);
        return descents == 0;
    }
    bool has_zeros() const {
        std::int64_t zeros = 0;
        for (std::size_t i = begin_; i < filled_; ++i)
            zeros |= -static_cast<std::int64_t>(values_[i] == 0);
        return zeros != 0;
    }

    // Zeros are not entries, but they count when the same feature appears twice.
    void drop_zeros() {
        out_.width = std::max(out_.width, static_cast<std::size_t>(indices_[filled_ - 1]) + 1);
        std::size_t kept = begin_;
        for (std::size_t i = begin_; i < filled_; ++i) {
            indices_[kept] = indices_[i];
            values_[kept] = values_[i];
            kept += values_[i] != 0;
        }
        filled_ = kept;
    }

    bool sort_row() {
        std::vector<std::pair<std::int32_t, double>> row(filled_ - begin_);
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = {indices_[begin_ + i], values_[begin_ + i]};
        const auto by_index = [](const auto& a, const auto& b) { return a.first < b.first; };
        std::sort(row.begin(), row.end(), by_index);
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0 && row[i].first == row[i - 1].first)
                return fail("each feature once",
                            "feature " +
                                std::to_string(static_cast<std::uint64_t>(row[i].first) + first_) +
                                " twice");
            std::tie(indices_[begin_ + i], values_[begin_ + i]) = row[i];
        }
        return true;
    }

    const char* at_;
    const char* const start_;
    const char* const end_;
    const std::size_t size_;
    std::string_view class_;     // of the line's label, if that is a word
    const std::uint64_t first_;  // index
    Chunk& out_;
    std::size_t begin_;   // of the row in the entries
    std::size_t filled_;  // entries
    std::size_t most_;    // entries there can be
    std::size_t room_ = 0;
    std::int32_t* indices_ = nullptr;
    double* values_ = nullptr;
    const ReadEntries read_entries_;  // or null
    EntryRun run_{};
    bool mixed_ = false;  // the row has entries that the fast loop has not seen
    std::string fault_;
};

struct Svmlight {
    bool zero_based = false;
    ReadEntries read_entries = nullptr;  // the CPU's kernel, if it has one

    void parse(std::string_view whole_lines, Chunk& out) const {
        const std::size_t ended = whole_lines.rfind('\n') + 1;  // 0 if there is none
        if (ended > 0)
            SvmlightLines(whole_lines.substr(0, ended), zero_based, read_entries, out).read();
        if (ended == whole_lines.size()) return;
        std::string last(whole_lines.substr(ended));
        last.push_back('\n');
        SvmlightLines(last, zero_based, read_entries, out).read();
    }
};

}  // namespace novikoff::text
