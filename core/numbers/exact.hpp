// Sums of products of doubles, exactly: a fixed-point number wide enough for every product of two
// finite doubles (the long accumulator of Kulisch, kept in 32-bit digits with room for carries as
// in neal2015). Slow but never wrong; it decides only what the float filters could not.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace novikoff {

inline constexpr int kNoBits = 1 << 20;  // the lowest bit of 0: above that of any double

struct Parts {  // value = ±mantissa · 2^(exponent − 1075)
    std::uint64_t mantissa;
    int exponent;
    bool negative;
};

inline Parts parts(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int field = static_cast<int>((bits >> 52) & 0x7ff);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    return {field == 0 ? fraction : fraction | (std::uint64_t{1} << 52), field == 0 ? 1 : field,
            (bits >> 63) != 0};
}

// The exponent of the lowest set bit: value is an odd multiple of 2^lowest_bit(value).
inline int lowest_bit(double value) {
    const Parts p = parts(value);
    return p.mantissa == 0 ? kNoBits : p.exponent - 1075 + std::countr_zero(p.mantissa);
}

// Are sums of multiples of 2^grid exact in doubles, in any order, if the absolute values of their
// terms add up to at most `absolute`?
inline bool sums_exactly(int grid, double absolute) {
    if (grid == kNoBits) return true;
    return grid >= -1074 && absolute < std::ldexp(1.0, std::min(53 + grid, 1023));
}

class Accumulator {
  public:
    void add(double a) { add_product(a, 1.0); }

    void add_product(double a, double b) {
        const Parts p = parts(a), q = parts(b);
        if (p.mantissa == 0 || q.mantissa == 0) return;
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(p.mantissa) * q.mantissa;
        const int position = p.exponent + q.exponent - 2;  // in bits above 2^−2148
        const int digit = position / 32, offset = position % 32;
        const Wide low = static_cast<Wide>(static_cast<std::uint64_t>(product)) << offset;
        const Wide high = (product >> 64) << offset;
        const std::int64_t sign = p.negative == q.negative ? 1 : -1;
        for (int k = 0; k < 3; ++k) {
            const int shift = 32 * k;
            digits_[digit + k] += sign * static_cast<std::int64_t>((low >> shift) & kMask);
            digits_[digit + 2 + k] += sign * static_cast<std::int64_t>((high >> shift) & kMask);
        }
        first_ = std::min(first_, digit);
        last_ = std::max(last_, digit + 4);
        if (++pending_ == kRoom) carry();
    }

    int sign() {
        carry();
        if (digits_[last_] < 0) return -1;
        return std::any_of(digits_.begin() + first_, digits_.begin() + last_ + 1,
                           [](std::int64_t d) { return d != 0; });
    }

    // The nearest double, ties to even; beyond the range, the largest finite one.
    double rounded() {
        const int s = sign();
        if (s == 0) return 0.0;
        Digits m;  // the digits of |sum|, and two zeros above them
        write_absolute(s, m.data());
        m[last_ + 1] = m[last_ + 2] = 0;
        int top = last_;
        while (m[top] == 0) --top;
        const int top_bit = 32 * top + std::bit_width(m[top]) - 1;
        // The last bit kept: 53 bits in all, but never below 2^−1074.
        const int last_bit = std::max(top_bit - 52, 2148 - 1074);
        std::uint64_t mantissa = last_bit > top_bit ? 0 : window(m, last_bit);
        const bool half = last_bit - 1 <= top_bit && (window(m, last_bit - 1) & 1) != 0;
        if (half && ((mantissa & 1) != 0 || any_below(m, last_bit - 1))) ++mantissa;
        const double value = std::ldexp(static_cast<double>(mantissa), last_bit - 2148);
        return s * (std::isfinite(value) ? value : std::numeric_limits<double>::max());
    }

    // |sum| in units of 2^−2148: its digits, lowest first, without zeros at the top.
    std::vector<std::uint32_t> magnitude() {
        const int s = sign();
        std::vector<std::uint32_t> result(s == 0 ? 0 : last_ + 1);
        if (s != 0) write_absolute(s, result.data());
        while (!result.empty() && result.back() == 0) result.pop_back();
        return result;
    }

    // The sum as doubles of falling size that add up to it exactly.
    std::vector<double> components() {
        std::vector<double> result;
        for (double part = rounded(); part != 0; part = rounded()) {
            result.push_back(part);
            add(-part);
        }
        return result;
    }

  private:
    static constexpr int kDigits = 140;  // 2^−2148 … 2^2048, and room to carry
    static constexpr int kRoom = 1 << 28;
    static constexpr std::uint64_t kMask = 0xffffffff;

    using Digits = std::array<std::uint32_t, kDigits>;

    // The digits of sign · sum from first_ to last_, after a carry.
    void write_absolute(int sign, std::uint32_t* m) const {
        std::int64_t borrow = 0;
        for (int k = first_; k <= last_; ++k) {
            const std::int64_t d = sign * digits_[k] + borrow;
            m[k] = static_cast<std::uint32_t>(d & static_cast<std::int64_t>(kMask));
            borrow = d >> 32;
        }
    }

    // The 64 bits from `bit` up.
    std::uint64_t window(const Digits& m, int bit) const {
        __extension__ using Wide = unsigned __int128;
        const int digit = bit / 32;
        const auto at = [&](int k) -> Wide { return k < first_ ? 0 : m[k]; };
        const Wide three = at(digit) | at(digit + 1) << 32 | at(digit + 2) << 64;
        return static_cast<std::uint64_t>(three >> (bit % 32));
    }

    bool any_below(const Digits& m, int bit) const {
        for (int k = first_; k < bit / 32; ++k)
            if (m[k] != 0) return true;
        return bit / 32 >= first_ && (m[bit / 32] & ((1U << (bit % 32)) - 1)) != 0;
    }

    // Brings every digit except the last into [0, 2^32); the last keeps the sign and stays above
    // −2^32, so |sum| has no digit beyond it.
    void carry() {
        pending_ = 0;
        first_ = std::min(first_, last_);
        for (int k = first_;; ++k) {
            const std::int64_t up = digits_[k] >> 32;
            if (k >= last_) {
                const bool fits = std::abs(digits_[k]) <= static_cast<std::int64_t>(kMask);
                if (fits || k == kDigits - 1) break;
                last_ = k + 1;
            }
            digits_[k] &= static_cast<std::int64_t>(kMask);
            digits_[k + 1] += up;
        }
    }

    std::array<std::int64_t, kDigits> digits_{};
    int first_ = kDigits - 1;
    int last_ = 0;
    int pending_ = 0;
};

}  // namespace novikoff
