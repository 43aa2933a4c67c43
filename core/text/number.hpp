// Decimals in text, as strtod reads them in the C locale, without its hexadecimals and names.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace novikoff::text {

inline constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53;
inline constexpr std::ptrdiff_t kDigitsOf64Bits = 19;
inline constexpr std::int64_t kMostTens = 22;

// Powers of ten that are exact in binary64.
inline constexpr auto kTens = [] {
    std::array<double, kMostTens + 1> tens{1};
    for (std::size_t i = 1; i < tens.size(); ++i) tens[i] = tens[i - 1] * 10;
    return tens;
}();

// The divisor carries the sign: in many files signs are random, and no branch predicts them.
inline constexpr auto kSignedTens = [] {
    std::array<std::array<double, kMostTens + 1>, 2> tens{kTens, kTens};
    for (double& ten : tens[1]) ten = -ten;
    return tens;
}();

inline constexpr auto kWholeTens = [] {
    std::array<std::uint64_t, kDigitsOf64Bits + 1> tens{1};
    for (std::size_t i = 1; i < tens.size(); ++i) tens[i] = tens[i - 1] * 10;
    return tens;
}();

inline unsigned digit_at(const char* at) { return static_cast<unsigned char>(*at) - '0'; }
inline bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// The parsed text of a number, before it becomes a double.
struct Decimal {
    const char* start = nullptr;  // of its text, behind the sign
    std::uint64_t digits = 0;     // as one integer, modulo 2^64
    std::ptrdiff_t count = 0;     // of digits, leading zeros included
    std::int64_t exponent = 0;    // of ten, saturated
    bool negative = false;
};

// Past an exponent "e-5" if there is one at `at`, and `at` otherwise.
inline const char* scan_exponent(const char* at, const char* end, std::int64_t& exponent) {
    constexpr std::int64_t kFar = std::int64_t{1} << 60;  // no text is that long
    if (at == end || (*at | 0x20) != 'e') return at;
    const char* digits = at + 1;
    bool negative = false;
    if (digits != end && (*digits == '-' || *digits == '+')) negative = *digits++ == '-';
    if (digits == end || !is_digit(*digits)) return at;
    std::int64_t size = 0;
    for (; digits != end && is_digit(*digits); ++digits)
        size = size < kFar / 16 ? size * 10 + digit_at(digits) : kFar;
    exponent += negative ? -size : size;
    return digits;
}

// Past the longest decimal at `at`; null if there is none.
inline const char* scan_decimal(const char* at, const char* end, Decimal& out) {
    if (at != end && (*at == '-' || *at == '+')) out.negative = *at++ == '-';
    out.start = at;
    for (; at != end && is_digit(*at); ++at) out.digits = out.digits * 10 + digit_at(at);
    out.count = at - out.start;
    if (at != end && *at == '.') {
        const char* const places = ++at;
        for (; at != end && is_digit(*at); ++at) out.digits = out.digits * 10 + digit_at(at);
        out.count += at - places;
        out.exponent = places - at;
    }
    return out.count == 0 ? nullptr : scan_exponent(at, end, out.exponent);
}

// Whether a decimal that no double holds is too large, rather than too close to 0.
inline bool is_large(const Decimal& decimal) {
    const char* at = decimal.start;
    std::ptrdiff_t zeros = 0;  // at the front
    for (; *at == '0' || *at == '.'; ++at) zeros += *at == '0';
    return decimal.count - zeros + decimal.exponent > 0;
}

// The double nearest to dividend / divisor, by long division in 128 bits.
inline double nearest_quotient(std::uint64_t dividend, std::uint64_t divisor) {
    __extension__ using Wide = unsigned __int128;
    const int up = std::countl_zero(dividend), down = std::countl_zero(divisor);
    const Wide wide = Wide{dividend << up} << 63;
    const auto quotient = static_cast<std::uint64_t>(wide / (divisor << down));  // 63 bits or 64
    const bool inexact = Wide{quotient} * (divisor << down) != wide;
    // The lowest bit stands for all bits cut off: it only decides ties.
    const auto nearest = static_cast<double>(quotient | static_cast<std::uint64_t>(inexact));
    return nearest * std::bit_cast<double>(static_cast<std::uint64_t>(1023 - 63 + down - up) << 52);
}

// The double nearest to ± digits / 10^places, for at most 19 digits and places.
inline double nearest_ratio(bool negative, std::uint64_t digits, std::size_t places) {
    // One operation on exact doubles rounds once, and so correctly (clinger1990).
    if (digits <= kExactIntegers)
        return static_cast<double>(digits) / kSignedTens[negative][places];
    const double nearest = nearest_quotient(digits, kWholeTens[places]);
    return negative ? -nearest : nearest;
}

// The double nearest to a decimal whose text ends at `end`; false if it is too large for one.
inline bool round_decimal(const Decimal& decimal, const char* end, double& value) {
    const bool few = decimal.count <= kDigitsOf64Bits;
    if (few && decimal.exponent <= 0 && decimal.exponent >= -kDigitsOf64Bits) {
        value = nearest_ratio(decimal.negative, decimal.digits,
                              static_cast<std::size_t>(-decimal.exponent));
        return true;
    }
    if (few && decimal.digits <= kExactIntegers && decimal.exponent > 0 &&
        decimal.exponent <= kMostTens) {
        value =
            static_cast<double>(decimal.digits) * kTens[static_cast<std::size_t>(decimal.exponent)];
    } else {
        const auto error = std::from_chars(decimal.start, end, value).ec;
        if (error == std::errc::result_out_of_range) {
            if (is_large(decimal)) return false;
            value = 0;
        }
        if (!std::isfinite(value)) return false;
    }
    if (decimal.negative) value = -value;
    return true;
}

// Reads [+-]digits[.digits][e[+-]digits], where one side of the point may be empty: past its end,
// or null if there is no finite number.
inline const char* read_number(const char* at, const char* end, double& value) {
    Decimal decimal;
    const char* const after = scan_decimal(at, end, decimal);
    if (after == nullptr || !round_decimal(decimal, after, value)) return nullptr;
    return after;
}

// The text as a whole.
inline bool parse_number(std::string_view text, double& value) {
    const char* const end = text.data() + text.size();
    return read_number(text.data(), end, value) == end && !text.empty();
}

// Whether a number lies within ±2^53, beyond which doubles do not tell all whole numbers apart;
// `value` is the double nearest to its text.
inline bool is_within_exact(std::string_view text, double value) {
    constexpr auto kMost = static_cast<double>(kExactIntegers);
    if (std::abs(value) != kMost) return std::abs(value) < kMost;
    // Every number that rounds to 2^53 has sixteen digits before its point.
    constexpr std::string_view kDigits = "9007199254740992";
    std::size_t place = 0;
    for (const char letter : text.substr(0, text.find_first_of("eE"))) {
        if (!is_digit(letter) || (place == 0 && letter == '0')) continue;
        const char digit = place < kDigits.size() ? kDigits[place] : '0';
        if (letter != digit) return letter < digit;
        ++place;
    }
    return true;
}

// An integer without a sign, saturated at 2^63: past its digits, or null if there are none.
inline const char* read_integer(const char* at, const char* end, std::uint64_t& value) {
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;
    const char* const start = at;
    value = 0;
    for (; at != end && is_digit(*at); ++at)
        value = value < kLargest / 10 ? value * 10 + digit_at(at) : kLargest;
    return at == start ? nullptr : at;
}

// Leading digits of eight bytes.
struct Digits {
    std::uint64_t value;
    unsigned count;
};

inline std::uint64_t eight_bytes(const char* at) {
    std::uint64_t bytes;
    std::memcpy(&bytes, at, 8);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    return bytes;
}

// The leading digits of the eight bytes at `at`, all at once: no branch depends on how many there
// are, which is unpredictable in most files.
inline Digits read_digits_of_eight(const char* at) {
    const std::uint64_t bytes = eight_bytes(at) ^ 0x3030303030303030U;  // digits are now 0 to 9
    const std::uint64_t others = ((bytes + 0x7676767676767676U) | bytes) & 0x8080808080808080U;
    if ((others & 0x80U) != 0) return {0, 0};
    const unsigned count = others == 0 ? 8 : static_cast<unsigned>(std::countr_zero(others)) / 8;
    std::uint64_t sum = bytes << (64 - 8 * count);  // with zeros ahead
    sum = (sum * 10 + (sum >> 8)) & 0x00FF00FF00FF00FFU;
    sum = (sum * 100 + (sum >> 16)) & 0x0000FFFF0000FFFFU;
    sum = (sum * 10000 + (sum >> 32)) & 0x00000000FFFFFFFFU;
    return {sum, count};
}

// Reads [-]digits[.digits] as read_number does, in text in which a byte other than a digit follows
// before `end`. Null if it is anything else: an exponent, many digits, not a number.
inline const char* read_short_number(const char* at, const char* end, double& value) {
    const bool negative = *at == '-';
    at += negative;
    const char* const start = at;
    std::uint64_t digits = 0;
    for (unsigned digit; (digit = digit_at(at)) <= 9; ++at) digits = digits * 10 + digit;
    std::ptrdiff_t count = at - start, places = 0;
    if (*at == '.') {
        const char* const point = ++at;
        if (end - at > 8) {
            const Digits eight = read_digits_of_eight(at);
            digits = digits * kWholeTens[eight.count] + eight.value;
            at += eight.count;
        }
        for (unsigned digit; (digit = digit_at(at)) <= 9; ++at) digits = digits * 10 + digit;
        places = at - point;
        count += places;
    }
    if (count == 0 || count > kDigitsOf64Bits) return nullptr;
    value = nearest_ratio(negative, digits, static_cast<std::size_t>(places));
    return at;
}

}  // namespace novikoff::text
