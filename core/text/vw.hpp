// Vowpal Wabbit's text: `[label [importance [initial]]] ['tag]|namespace[:scale] feature[:value] …`
//
// As VW's parse_example_text.cc does if it accepts a line without a warning: a tag is the last word
// before the first bar if it touches the bar or starts with a quote; features without a name are
// numbered within their namespace; a value that is not a number makes a separate feature; zeros are
// left out; repeated features add up. There is no escaping: a space, a tab, a colon or a bar ends a
// name wherever it stands. If VW would guess, or go on with a warning, the line is a fault.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "chunk.hpp"
#include "lines.hpp"
#include "message.hpp"
#include "number.hpp"
#include "utf8.hpp"

namespace novikoff::text {

// A namespace is part of the name of each of its features, so a long one takes memory many times
// over.
inline constexpr std::size_t kLongestNamespace = 128;

class VwLine {
  public:
    explicit VwLine(Chunk& out) : out_(out) {}

    void read(std::string_view line) {
        if (trimmed(line).empty()) return;
        const bool stands = is_text(line) && read_label(line) && read_features(line) && end_row();
        if (!stands) out_.drop_row(std::move(fault_));
    }

  private:
    // For VW, a carriage return inside a line ends it; here it ends a name, and nothing may follow
    // it.
    static constexpr Bytes kEndsName{" \t:|\r"}, kEndsValue{" \t|\r"};

    bool fail(std::string_view expected, std::string_view got) {
        fault_ = fault_text(expected, got);
        return false;
    }

    // We keep names as they are, so they cannot hold bytes that are not text.
    bool is_text(std::string_view line) {
        const std::size_t sound = utf8_size(line);
        if (sound == line.size()) return true;
        const std::size_t begin = line.substr(0, sound).find_last_of(" \t|") + 1;
        const std::string_view rest = line.substr(begin);
        return fail("UTF-8", shown(rest.substr(0, rest.find_first_of(" \t|"))));
    }

    // Removes the part before the first bar from the line.
    bool read_label(std::string_view& line) {
        const std::size_t bar = line.find('|');
        if (bar == std::string_view::npos) return fail("a '|' before the features", shown(line));
        std::string_view head = line.substr(0, bar);
        line.remove_prefix(bar);
        kind_ = kNoLabel;
        label_ = 0;
        weighted_ = false;
        // VW forgets everything before a tab.
        if (head.find('\t') != std::string_view::npos)
            return fail("spaces before the first '|'", "a tab");
        std::string_view words[4];
        int count = 0;
        while (true) {
            const std::size_t begin = head.find_first_not_of(' ');
            if (begin == std::string_view::npos) break;
            head.remove_prefix(begin);
            const std::string_view word = head.substr(0, head.find(' '));
            head.remove_prefix(word.size());
            const bool last = head.find_first_not_of(' ') == std::string_view::npos;
            if (last && (head.empty() || word[0] == '\'')) break;  // a tag
            if (count == 4) break;
            words[count++] = word;
        }
        return count == 0 || read_words(words, count);
    }

    // Label, importance and initial prediction.
    bool read_words(const std::string_view* words, int count) {
        if (words[0].find(':') != std::string_view::npos)
            return fail("one number as the label", "the costs " + shown(words[0]));
        if (!parse_number(words[0], label_))
            return fail("a finite number as the label", shown(words[0]));
        if (!is_within_exact(words[0], label_)) return fail(kExactLabel, shown(words[0]));
        kind_ = kNumber;
        if (count > 3)
            return fail("at most a label, an importance and an initial prediction",
                        shown(words[3]) + " as well");
        weighted_ = count > 1;
        if (weighted_ && !(parse_number(words[1], weight_) && weight_ >= 0))
            return fail("an importance of at least 0", shown(words[1]));
        double initial = 0;
        // A round starts only from the learner's own prediction.
        if (count > 2 && !(parse_number(words[2], initial) && initial == 0))
            return fail("no initial prediction but 0", shown(words[2]));
        return true;
    }

    // Everything from the first bar on.
    bool read_features(std::string_view rest) {
        while (!rest.empty()) {
            if (rest[0] == '|') {
                rest.remove_prefix(1);
                if (!read_namespace(rest)) return false;
            } else if (rest[0] == ' ' || rest[0] == '\t') {
                rest.remove_prefix(1);
                if (rest.empty() || kEndsValue.has(rest[0])) continue;
                if (!read_feature(rest)) return false;
            } else {
                return fail("a space or '|' behind a feature",
                            shown(rest.substr(0, rest.find_first_of(" \t|"))));
            }
        }
        return true;
    }

    bool read_namespace(std::string_view& rest) {
        const std::string_view name = kEndsName.take_before(rest);
        scale_ = 1;
        anonymous_ = 0;
        if (name.size() > kLongestNamespace)
            return fail("a namespace of at most " + std::to_string(kLongestNamespace) + " bytes",
                        shown(name));
        name_.assign(name);
        if (!name.empty()) name_.push_back('^');
        prefix_ = name_.size();
        if (rest.empty() || rest[0] != ':') return true;
        if (name.empty()) return fail("a namespace before ':'", "nothing");
        rest.remove_prefix(1);
        const std::string_view scale = kEndsValue.take_before(rest);
        return parse_number(scale, scale_) ||
               fail("a finite number behind " + shown(std::string(name) + ":"), shown(scale));
    }

    bool read_feature(std::string_view& rest) {
        const std::string_view name = kEndsName.take_before(rest);
        name_.resize(prefix_);
        name_.append(name);
        if (rest.empty() || rest[0] != ':') return add(scale_);
        rest.remove_prefix(1);
        const std::string_view value = kEndsValue.take_before(rest);
        double number;
        if (parse_number(value, number)) {
            // No other name has a colon there.
            if (name.empty()) name_.append(1, ':').append(std::to_string(anonymous_++));
            return add(number * scale_);
        }
        if (starts_number(value))
            return fail("a finite value for feature " + shown_name(name), shown(value));
        // VW skips the bar.
        if (!rest.empty() && rest[0] == '|')
            return fail("a space behind the value of feature " + shown_name(name), "'|'");
        if (!name.empty()) name_.push_back('^');  // to VW, `:abc` is `abc`
        name_.append(value);
        return add(1);  // VW does not scale these
    }

    // Whether VW would take part of it for a number; to VW, signs and points alone are 0.
    static bool starts_number(std::string_view value) {
        Decimal decimal;
        return scan_decimal(value.data(), value.data() + value.size(), decimal) != nullptr ||
               is_named_number(value) || value.find_first_not_of("+-.") == std::string_view::npos;
    }

    static std::string shown_name(std::string_view name) {
        return name.empty() ? "without a name" : shown(name);
    }

    bool add(double value) {
        if (value != 0) out_.add(std::string_view(name_), value);
        return true;
    }

    bool end_row() {
        for (auto i = static_cast<std::size_t>(out_.starts.back()); i < out_.values.size(); ++i)
            if (!std::isfinite(out_.values[i]))
                return fail("finite values after scaling and adding up",
                            "a value beyond all doubles");
        if (weighted_) {
            out_.end_row_weighted(label_, kind_, weight_);
        } else {
            out_.end_row(label_, kind_);
        }
        return true;
    }

    Chunk& out_;
    double label_ = 0, weight_ = 1, scale_ = 1;
    std::int32_t kind_ = kNoLabel;
    bool weighted_ = false;
    std::size_t anonymous_ = 0;  // features of the namespace
    std::size_t prefix_ = 0;     // bytes of name_ that are the namespace's
    std::string name_, fault_;
};

struct Vw {
    void parse(std::string_view whole_lines, Chunk& out) const {
        VwLine reader(out);
        for_each_line(whole_lines, out, [&](std::string_view line) { reader.read(line); });
    }
};

}  // namespace novikoff::text
