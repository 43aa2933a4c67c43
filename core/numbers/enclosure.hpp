// Signs of values that no double can hold: Σ c·e^{ηs}, by enclosures narrowed until 0 is outside,
// and a² − σ²bc, in whole numbers.
//
// Exponentials of distinct algebraic numbers are linearly independent over the algebraic numbers
// (Lindemann–Weierstrass; baker1975, Thm 1.4). So once equal exponents are gathered, the sum is 0
// only if no coefficient is left, and enough bits tell any other sum from 0.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "exact.hpp"
#include "natural.hpp"

namespace novikoff {

inline constexpr int kGridBits = 2148;  // Accumulator::magnitude counts units of 2^−2148

struct ExponentialTerm {  // coefficient · e^{η Σ exponent}
    double coefficient;
    std::vector<double> exponent;
};

struct Enclosure {  // |center − value| ≤ 2^radius_bits, both in units of 2^−precision
    Natural center;
    std::int64_t radius_bits;
};

// e^{−d} for d = distance · 2^−2148, as (e^{−x})^{2^k} with x = d/2^k < 2^−bits ≤ ½, in units of
// 2^−precision.
inline Enclosure exponential(const Natural& distance, std::int64_t precision) {
    const int magnitude = bit_length(distance) - kGridBits;  // 2^(magnitude − 1) ≤ d < 2^magnitude
    const auto size = static_cast<double>(precision);
    if (std::ldexp(1.0, magnitude - 1) >= size) return {{}, 0};  // 0 < e^{−d} < 1 unit
    // Any bits ≥ 1 are correct; this many give about as many squarings as Taylor terms.
    const auto bits = static_cast<std::int64_t>(std::sqrt(size / 2));
    const std::int64_t halvings = std::max<std::int64_t>(0, magnitude + bits);
    const Natural x = shifted(distance, precision - kGridBits - halvings);

    // Taylor: Σ (−x)^n/n!. Each term truncates the last one times x/n, and x itself is short by
    // less than 1 unit: a term short by e ≤ 2 makes the next one short by less than
    // (e·½ + ½)/n + 1 < 2 for n ≥ 2, and the first is short by less than 1. The terms from the
    // first that vanishes on alternate and fall, so they add up to less than 2 units.
    Natural term = shifted({1}, precision), even, odd;
    std::uint32_t n = 0;
    while (!term.empty()) {
        add(n % 2 == 0 ? even : odd, term);
        term = shifted(product(term, x), -precision);
        divide(term, ++n);
    }
    subtract(even, odd);

    // The error is below 2n < 2^bit_width(2n). As center and value are at most 1, squaring takes
    // an error e to 2e and its truncation to 2e + 1: e + 1 doubles.
    for (std::int64_t k = 0; k < halvings; ++k) even = shifted(product(even, even), -precision);
    return {std::move(even), std::bit_width(2 * n) + halvings};
}

struct ExponentialGroup {  // sign · coefficient · e^{−distance}, both in units of 2^−2148
    int sign;
    Natural coefficient;
    Natural distance;
};

// Σ c·e^{ηs} divided by its largest exponential: the groups of equal exponents whose coefficients
// do not add up to 0, by rising distance from the largest exponent, which is at distance 0.
inline std::vector<ExponentialGroup> gather(const std::vector<ExponentialTerm>& terms, double eta) {
    const auto difference = [](const ExponentialTerm& a, const ExponentialTerm& b, double factor) {
        Accumulator result;
        for (const double part : a.exponent) result.add_product(part, factor);
        for (const double part : b.exponent) result.add_product(-part, factor);
        return result;
    };
    const auto largest = std::max_element(
        terms.begin(), terms.end(),
        [&](const auto& a, const auto& b) { return difference(a, b, 1.0).sign() < 0; });
    const auto nearer = [](const Natural& a, const Natural& b) { return compare(a, b) < 0; };
    std::map<Natural, Accumulator, decltype(nearer)> coefficients;
    for (const ExponentialTerm& term : terms)
        coefficients[difference(*largest, term, eta).magnitude()].add(term.coefficient);

    std::vector<ExponentialGroup> groups;
    for (auto& [distance, sum] : coefficients)
        if (sum.sign() != 0) groups.push_back({sum.sign(), sum.magnitude(), distance});
    // The largest exponent of all may have cancelled: count from the first one left.
    for (std::size_t k = groups.size(); k-- > 0;)
        subtract(groups[k].distance, groups.front().distance);
    return groups;
}

// sgn Σ c·e^{ηs}, for η > 0.
inline int sign_of_exponential_sum(const std::vector<ExponentialTerm>& terms, double eta) {
    const std::vector<ExponentialGroup> groups = gather(terms, eta);
    if (groups.empty()) return 0;
    const int first = groups.front().sign;
    if (std::all_of(groups.begin(), groups.end(), [&](auto& g) { return g.sign == first; }))
        return first;
    for (std::int64_t precision = 128;; precision *= 2) {
        Natural positive, negative, radius;
        for (const ExponentialGroup& group : groups) {
            const Enclosure factor = exponential(group.distance, precision);
            add_product(group.sign > 0 ? positive : negative, group.coefficient, factor.center);
            add(radius, shifted(group.coefficient, factor.radius_bits));
        }
        const int sign = compare(positive, negative);
        Natural& larger = sign > 0 ? positive : negative;
        subtract(larger, sign > 0 ? negative : positive);
        if (compare(larger, radius) > 0) return sign;
    }
}

// sgn(a² − σ²·b·c), for b, c ≥ 0: does |cos(w, x)| reach σ, with a = w·x, b = ‖w‖², c = ‖x‖².
inline int compare_products(Accumulator& a, Accumulator& b, Accumulator& c, double sigma) {
    Accumulator factor;
    factor.add(sigma);
    const Natural left = a.magnitude(), right = factor.magnitude();
    return compare(shifted(product(left, left), 2 * kGridBits),
                   product(product(right, right), product(b.magnitude(), c.magnitude())));
}

}  // namespace novikoff
