// The functions of docs/programs.md: exp, log1p and the correctly rounded sum. They are sequences
// of
// + − × / on doubles, so that every CPU and the plain Python of that page give the same bits.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "exact.hpp"

namespace novikoff {

static_assert(FLT_EVAL_METHOD == 0, "doubles are computed as doubles, not in wider registers");

namespace floats {

inline constexpr double kLog2E = 0x1.71547652b82fep0;
inline constexpr double kLn2High = 0x1.62e42feep-1;  // 32 bits: k · kLn2High is exact
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
inline constexpr double kRootHalf = 0x1.6a09e667f3bcdp-1;
inline constexpr double kRound = 6755399441055744.0;  // 1.5·2⁵²: adding it rounds to an integer
inline constexpr double kMostExponent = 708;          // e^−708 is still a normal double

template <int Terms, class Coefficient>
inline double horner(double x, Coefficient&& coefficient) {
    double found = coefficient(0);
    for (int n = 1; n < Terms; ++n) found = found * x + coefficient(n);
    return found;
}

inline constexpr double kExp[] = {
    // 1/14!, …, 1/2!
    1.0 / 87178291200.0, 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
    1.0 / 362880.0,      1.0 / 40320.0,      1.0 / 5040.0,      1.0 / 720.0,      1.0 / 120.0,
    1.0 / 24.0,          1.0 / 6.0,          1.0 / 2.0};
inline constexpr double kLog[] = {// 2/21, …, 2/3
                                  2.0 / 21.0, 2.0 / 19.0, 2.0 / 17.0, 2.0 / 15.0, 2.0 / 13.0,
                                  2.0 / 11.0, 2.0 / 9.0,  2.0 / 7.0,  2.0 / 5.0,  2.0 / 3.0};

// e^x = 2^k e^r with |r| ≤ ln 2/2, where e^r = 1 + r + r²(1/2! + r/3! + …).
inline double exp(double x) {
    x = x < -kMostExponent ? -kMostExponent : x;
    x = x > kMostExponent ? kMostExponent : x;
    const double k = (x * kLog2E + kRound) - kRound;
    const double a = x - k * kLn2High, b = k * kLn2Low;
    const double r = a - b;
    const double rest = (a - r) - b;
    const double w = (r * r) * horner<13>(r, [](int n) { return kExp[n]; }) + rest;
    const double h = 1.0 + r;
    const double low = r - (h - 1.0);
    const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023);
    return (h + (low + w)) * std::bit_cast<double>(exponent << 52);
}

// ln(1 + x) for x ≥ 0: 1 + x = 2^k (1 + f), and ln(1 + f) = f − f²/2 + s(f²/2 + R(s²)) with
// s = f/(2 + f).
inline double log1p(double x) {
    const double u = 1.0 + x;
    const auto bits = std::bit_cast<std::uint64_t>(u);
    auto k = static_cast<std::int64_t>(bits >> 52) - 1022;
    double m = std::bit_cast<double>((bits & 0xfffffffffffff) | (std::uint64_t{1022} << 52));
    if (m < kRootHalf) m *= 2.0, --k;
    double f = x, c = 0;
    if (k != 0) {
        f = m - 1.0;
        c = (x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x)) / u;
    }
    const double s = f / (2.0 + f);
    const double z = s * s;
    const double half = (0.5 * f) * f;
    const double R = z * horner<10>(z, [](int n) { return kLog[n]; });
    const auto power = static_cast<double>(k);
    return power * kLn2High - ((half - (s * (half + R) + (power * kLn2Low + c))) - f);
}

struct TwoFloats {
    double value;
    double error;  // value + error is the exact sum (knuth1997, 4.2.2 Thm B)
};

inline TwoFloats added(double a, double b) {
    const double s = a + b;
    const double t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

// The rounded sum of terms for which s + c, rounded to r, may not tell it.
template <class Terms>
[[gnu::noinline]] double second_look(Terms&& terms, double r) {
    double s = 0, c = 0;
    bool exact = true;
    Accumulator whole;
    terms([&](double term) {
        const TwoFloats next = added(s, term);
        const TwoFloats rest = added(c, next.error);
        s = next.value;
        c = rest.value;
        exact = exact && rest.error == 0;
        whole.add(term);
    });
    return exact ? r : whole.rounded();  // exact: s + c is the sum
}

// The float nearest to the exact sum, ties to even, whatever the order of the terms; 0.0 if the sum
// is 0. It is what Python's math.fsum gives. `terms(take)` calls take(term) for every term, and may
// be asked to do so again. Terms must lie below 2^900, so that nothing overflows.
//
// s gathers the rounded sum, c its errors e, E their sizes. The exact sum is (s + c) + δ with
// |δ| ≤ γ_n E, so s + c rounds as the sum does unless it lies that close to the middle between two
// floats. Then c's own errors are looked at, and if there are any the sum is taken exactly.
template <class Terms>
double rounded_sum(Terms&& terms) {
    double s = 0, c = 0, E = 0;
    std::size_t count = 0;
    terms([&](double term) {
        const TwoFloats next = added(s, term);
        s = next.value;
        c += next.error;
        E += std::fabs(next.error);
        ++count;
    });
    const TwoFloats found = added(s, c);
    const double r = found.value, t = found.error;
    const double doubt = E * (static_cast<double>(count + 2) * 0x1p-52) + std::fabs(t) * 0x1p-51;
    const bool certain = r + (t + doubt) == r && r + (t - doubt) == r;
    if (certain && (E == 0 || E >= 0x1p-900)) [[likely]]
        return r;
    return second_look(terms, r);
}

}  // namespace floats
}  // namespace novikoff
