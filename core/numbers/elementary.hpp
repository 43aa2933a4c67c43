// exp, sinh and log in plain arithmetic: the same bits on every CPU and C library. Each is within
// a relative error of 2^−49 if its result is a normal double; decisions allow for far more.
#pragma once

#include <cmath>
#include <limits>

namespace novikoff {

inline constexpr double kLn2High = 0x1.62e42feep-1;  // few enough bits for exact multiples
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

// e^a = 2^k e^r with |r| ≤ ln 2 / 2, e^r by its series.
inline double exponential(double a) {
    if (!(a > -746)) return std::isnan(a) ? a : 0;
    if (a > 710) return std::numeric_limits<double>::infinity();
    const double k = std::nearbyint(a * 0x1.71547652b82fep+0);
    const double r = (a - k * kLn2High) - k * kLn2Low;
    double sum = 1;
    for (int n = 14; n >= 1; --n) sum = 1 + r / n * sum;
    return std::scalbn(sum, static_cast<int>(k));
}

// sinh a for |a| ≤ 1/2, by its series.
inline double small_sinh(double a) {
    double sum = 1;
    for (int n = 16; n >= 2; n -= 2) sum = 1 + a * a / (n * (n + 1)) * sum;
    return a * sum;
}

// ln v = k ln 2 + 2 artanh f with f = (m − 1)/(m + 1), v = 2^k m, √½ ≤ m < √2; v > 0.
inline double logarithm(double v) {
    int k;
    double m = std::frexp(v, &k);
    if (m < 0x1.6a09e667f3bcdp-1) m *= 2, --k;
    const double f = (m - 1) / (m + 1);
    double sum = 0;
    for (int n = 27; n >= 1; n -= 2) sum = sum * f * f + 1.0 / n;
    return k * kLn2High + (k * kLn2Low + 2 * f * sum);
}

}  // namespace novikoff
