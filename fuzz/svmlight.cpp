// svmlight text against a slow reader of one line at a time, with and without the kernel that reads
// plain entries (if the fuzzer is compiled for a CPU that has it).
#include "../core/text/svmlight.hpp"

#include <cctype>
#include <map>

#include "../core/cpu/entries.inc"
#include "common.hpp"

namespace {

using namespace novikoff::text;

bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }

// Tokens of a line without its comment.
std::vector<std::string> tokens_of(std::string line) {
    line.resize(std::min(line.find('#'), line.size()));
    std::vector<std::string> tokens(1);
    for (const char letter : line) {
        if (!is_blank(letter)) {
            tokens.back().push_back(letter);
        } else if (!tokens.back().empty()) {
            tokens.emplace_back();
        }
    }
    if (tokens.back().empty()) tokens.pop_back();
    return tokens;
}

bool digits_only(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// A class with a word for its name.
bool is_word(const std::string& text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const bool letter = std::isalpha(first) != 0 || first == '_' || first >= 0x80;
    return letter && text.find(',') == std::string::npos && !is_named_number(text) && is_utf8(text);
}

// The entries of a line, zeros included; false where it is malformed.
bool read_line(const std::vector<std::string>& tokens, bool zero_based, double& label,
               std::map<long, double>& entries) {
    std::size_t at = 0;
    if (tokens[0].find(':') == std::string::npos) {
        ++at;
        const bool number = parse_number(tokens[0], label);
        if (number ? !is_within_exact(tokens[0], label) : !is_word(tokens[0])) return false;
    }
    if (at < tokens.size() && tokens[at].rfind("qid:", 0) == 0)
        if (!digits_only(tokens[at++].substr(4))) return false;
    for (; at < tokens.size(); ++at) {
        const std::size_t colon = tokens[at].find(':');
        if (colon == std::string::npos) return false;
        std::string index = tokens[at].substr(0, colon);
        double value;
        if (!digits_only(index) || !parse_number(tokens[at].substr(colon + 1), value)) return false;
        index.erase(0, std::min(index.find_first_not_of('0'), index.size() - 1));
        if (index.size() > 10 || std::stol(index) > 2147483630) return false;
        if (!zero_based && index == "0") return false;
        if (!entries.emplace(std::stol(index) - (zero_based ? 0 : 1), value).second) return false;
    }
    return true;
}

void check_line(const std::string& line, bool zero_based, const Chunk& chunk, std::size_t& row) {
    const std::vector<std::string> tokens = tokens_of(line);
    if (tokens.empty()) return;
    double label = 0;
    std::map<long, double> entries;
    if (!read_line(tokens, zero_based, label, entries)) return;
    fuzz::require(row < chunk.rows() && chunk.labels[row] == label, "a row for the line");
    if (chunk.kinds[row] >= 0) {
        const auto id = static_cast<std::size_t>(chunk.kinds[row]);
        fuzz::require(is_word(tokens[0]) && chunk.classes[id] == tokens[0], "the same word");
    }
    auto at = static_cast<std::size_t>(chunk.starts[row]);
    for (const auto& [index, value] : entries) {
        if (value == 0) continue;
        fuzz::require(at < chunk.values.size() && chunk.indices[at] == index, "the same index");
        fuzz::require(chunk.values[at++] == value, "the same value");
    }
    fuzz::require(at == static_cast<std::size_t>(chunk.starts[++row]), "no more entries");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
    const Svmlight parser{data[0] % 2 == 1, novikoff::read_entries};
    const Chunk chunk = fuzz::check(parser, text, fuzz::line_cut(text, data[1]), false);
    fuzz::check_pieces(fuzz::parsed(Svmlight{parser.zero_based}, text), chunk, Chunk(), false);
    fuzz::require(chunk.values.capacity() <= text.size() / 2 + 64, "memory by the text's size");
    std::size_t row = 0, begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string line(text.substr(begin, end - begin));
        if (!line.empty() && line.back() == '\r') line.pop_back();
        check_line(line, parser.zero_based, chunk, row);
        begin = end + 1;
    }
    fuzz::require(row == chunk.rows(), "no rows but those");
    return 0;
}
