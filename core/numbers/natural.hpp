// Natural numbers of any size: 32-bit digits, the lowest first, no zero at the top (0 has none).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace novikoff {

using Natural = std::vector<std::uint32_t>;

inline void trim(Natural& a) {
    while (!a.empty() && a.back() == 0) a.pop_back();
}

// The number of bits: a < 2^bit_length(a).
inline int bit_length(const Natural& a) {
    return a.empty() ? 0 : static_cast<int>(32 * a.size()) - std::countl_zero(a.back());
}

// sgn(a − b)
inline int compare(const Natural& a, const Natural& b) {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    const auto [top, other] = std::mismatch(a.rbegin(), a.rend(), b.rbegin());
    return top == a.rend() ? 0 : *top < *other ? -1 : 1;
}

// sum += a · b
inline void add_product(Natural& sum, const Natural& a, const Natural& b) {
    sum.resize(std::max(sum.size(), a.size() + b.size()) + 1);
    for (std::size_t j = 0; j < a.size(); ++j) {
        if (a[j] == 0) continue;  // sums of doubles on a fine grid are mostly zeros
        std::uint64_t carry = 0;
        for (std::size_t k = 0; k < b.size() || carry != 0; ++k) {
            carry += sum[j + k] + (k < b.size() ? std::uint64_t{a[j]} * b[k] : 0);
            sum[j + k] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    trim(sum);
}

inline Natural product(const Natural& a, const Natural& b) {
    Natural result;
    add_product(result, a, b);
    return result;
}

inline void add(Natural& sum, const Natural& a) { add_product(sum, {1}, a); }

// a −= b, where b ≤ a
inline void subtract(Natural& a, const Natural& b) {
    std::int64_t borrow = 0;
    for (std::size_t k = 0; k < b.size() || borrow != 0; ++k) {
        borrow += std::int64_t{a[k]} - (k < b.size() ? b[k] : 0);
        a[k] = static_cast<std::uint32_t>(borrow);
        borrow >>= 32;
    }
    trim(a);
}

// a ← ⌊a / divisor⌋
inline void divide(Natural& a, std::uint32_t divisor) {
    std::uint64_t rest = 0;
    for (std::size_t k = a.size(); k-- > 0;) {
        rest = rest << 32 | a[k];
        a[k] = static_cast<std::uint32_t>(rest / divisor);
        rest %= divisor;
    }
    trim(a);
}

// ⌊a · 2^bits⌋, for bits of either sign
inline Natural shifted(const Natural& a, std::int64_t bits) {
    const std::int64_t size = static_cast<std::int64_t>(a.size());
    const std::int64_t whole = bits >> 5, offset = bits & 31;
    const auto digit = [&](std::int64_t k) -> std::uint64_t {
        return k < 0 || k >= size ? 0 : a[k];
    };
    Natural result(a.empty() ? 0 : std::max<std::int64_t>(0, size + whole + 1));
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(result.size()); ++k) {
        const std::uint64_t two = digit(k - whole) << 32 | digit(k - whole - 1);
        result[k] = static_cast<std::uint32_t>(two << offset >> 32);
    }
    trim(result);
    return result;
}

}  // namespace novikoff
