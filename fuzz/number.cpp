// Numbers are those of strtod, in all its ways to read them.
#include <bit>

#include "../core/text/message.hpp"
#include "../core/text/number.hpp"
#include "common.hpp"

namespace {

// What strtod says of text without blanks, names and hexadecimals.
bool expected(const std::string& text, double& value) {
    for (const char byte : text)
        if (std::string_view("0123456789+-.eE").find(byte) == std::string_view::npos) return false;
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return !text.empty() && end == text.c_str() + text.size() && std::isfinite(value);
}

bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace novikoff::text;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    double want = 0, got = 0;
    const bool is_number = expected(std::string(text), want);
    fuzz::require(parse_number(text, got) == is_number, "the same numbers");
    fuzz::require(!is_number || same(got, want), "the same value");

    const std::string ended = std::string(text) + '\n';
    const char* const end = ended.data() + ended.size();
    const char* const after = read_short_number(ended.data(), end, got);
    if (after == end - 1) fuzz::require(is_number && same(got, want), "the same short value");

    std::uint64_t integer = 0;
    const char* const digits = read_integer(text.data(), text.data() + size, integer);
    const auto count = static_cast<std::size_t>(digits == nullptr ? 0 : digits - text.data());
    fuzz::require(count == std::min(text.find_first_not_of("0123456789"), size), "all digits");
    if (count > 0 && count < 19)
        fuzz::require(integer == std::stoull(std::string(text.substr(0, count))), "an integer");
    return 0;
}
