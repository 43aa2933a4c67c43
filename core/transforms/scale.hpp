// Transforms that change values and keep features. docs/transforms.md defines each as a float
// program; the verifier has the same lines in Python.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../numbers/floats.hpp"
#include "made_row.hpp"

namespace novikoff {

inline constexpr std::int32_t kNoExponent = -2000;  // below that of every float

// The e with 2^(e−1) < |x| ≤ 2^e, for x other than 0.
inline std::int32_t exponent_of(double x) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) & (~std::uint64_t{0} >> 1);
    const std::uint64_t digits = bits & ((std::uint64_t{1} << 52) - 1);
    if (bits >> 52 != 0) [[likely]]
        return static_cast<std::int32_t>(bits >> 52) - 1023 + (digits != 0);
    return std::bit_width(digits) - 1074 - std::has_single_bit(digits);  // a subnormal number
}

// x · 2^−e, rounded once. A result below 2^−1022 may lose digits; every other is exact.
inline double shrunk(double x, std::int32_t e) {
    if (e > -1000 && e < 1000) [[likely]]
        return x * std::bit_cast<double>(static_cast<std::uint64_t>(1023 - e) << 52);
    return std::ldexp(x, -e);
}

// x_i · 2^−e_i with 2^(e_i − 1) < max |x_i| ≤ 2^e_i, the maximum over the rounds so far, this one
// included.
struct Scale {
    std::vector<std::int32_t> exponents;  // by feature; kNoExponent before its first value, never
                                          // at the end

    std::int32_t known(std::int32_t id) const {
        const auto place = static_cast<std::size_t>(id);
        return place < exponents.size() ? exponents[place] : kNoExponent;
    }

    void trim() {
        while (!exponents.empty() && exponents.back() == kNoExponent) exponents.pop_back();
    }

    void request(std::int32_t id) const {
        const auto place = static_cast<std::size_t>(id);
        if (place < exponents.size()) __builtin_prefetch(exponents.data() + place);
    }

    bool apply(MadeRow& row, std::size_t step) const {
        constexpr std::size_t far = 24;  // exponents are far apart: ask for them early
        for (std::size_t k = 0; k < row.values.size(); ++k) {
            Value& v = row.values[k];
            if (k + far < row.values.size()) request(row.values[k + far].id);
            if (v.x == 0) continue;
            const std::int32_t before = known(v.id), own = exponent_of(v.x);
            if (own > before) row.growths.push_back({step, v.id, before, own});
            v.x = shrunk(v.x, std::max(before, own));
        }
        return true;
    }
};

// x/‖x‖: with 2^(e−1) < max |x_i| ≤ 2^e and u = x · 2^−e, it is u/√(Σ u²), where every u² is
// rounded and their sum is rounded once.
struct Normalize {
    bool apply(MadeRow& row, std::size_t) const {
        double largest = 0;
        for (const Value& v : row.values) largest = std::max(largest, std::fabs(v.x));
        if (largest == 0) return true;
        const std::int32_t e = exponent_of(largest);
        for (Value& v : row.values) v.x = shrunk(v.x, e);
        const double norm = std::sqrt(floats::rounded_sum([&](auto&& take) {
            for (const Value& v : row.values) take(v.x * v.x);
        }));
        for (Value& v : row.values) v.x /= norm;
        return true;
    }
};

// 1 for every value other than 0.
struct Presence {
    bool apply(MadeRow& row, std::size_t) const {
        for (Value& v : row.values) v.x = v.x == 0 ? 0 : 1;
        return true;
    }
};

}  // namespace novikoff
