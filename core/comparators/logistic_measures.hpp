// The value of a comparator u for the logistic loss: P(u) = L(u) + ½Σ_i λ_i u_i² from above, and a
// lower bound for every u. Every number is a proved bound.
//
// For any 0 ≤ α_t ≤ 1 the dual value is such a floor (logistic.hpp):
//     min P ≥ Σ_t H(α_t) − ½ Σ_i (Σ_t α_t y_t x_ti)²/λ_i,
//     H(α) = α ln(1 + (1 − α)/α) + (1 − α) ln(1 + α/(1 − α)).
// A float sum of n products differs from their sum by at most γ_{n+1} times the sum of their sizes
// (higham2002, Sec. 3.1), which is added to the size of each sum over t.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "logistic.hpp"
#include "measures.hpp"

namespace novikoff {

// ln(1 + e^{−z}) from above: exp and log1p are within 8 · 2^−53 of it together, and exp never falls
// below e^{−708}.
inline double logistic_above(double z) {
    const double tail = floats::log1p(floats::exp(-std::fabs(z)));
    return next_up((z < 0 ? -z + tail : tail) * (1 + 0x1p-48));
}

// H(α) from below: no term is negative, and each has a relative error below 10 · 2^−53.
inline double entropy_below(double alpha) {
    const double other = 1 - alpha;
    if (!(alpha > 0x1p-900 && other > 0)) return 0;
    const double sum = alpha * floats::log1p(other / alpha) + other * floats::log1p(alpha / other);
    return sum * (1 - 0x1p-48);
}

class LogisticMeasures {
  public:
    UpwardSum loss;  // L(u) from above

    // u and λ with the constant feature first, then the others; `rows` is how many rows may come.
    LogisticMeasures(std::vector<double> u, std::vector<double> lambdas, std::size_t rows)
        : u_(std::move(u)),
          lambda_(std::move(lambdas)),
          pull_(u_.size()),
          sizes_(u_.size()),
          slack_((static_cast<double>(rows) + 4) * kSlack * kUnit) {}

    std::size_t columns() const { return u_.size() - 1; }

    // A row, with the α of the dual point; without one, the best for this u alone.
    template <class Row>
    void include(const Row& x, double y) {
        const auto [score, error] = scored(x);
        include(x, y, y * score, error, chance_of_error(y * score));
    }
    template <class Row>
    void include(const Row& x, double y, double alpha) {
        const auto [score, error] = scored(x);
        include(x, y, y * score, error, alpha);
    }

    // ½Σ λ_i u_i² from above.
    double penalty() const {
        UpwardSum sum;
        for (std::size_t i = 0; i < u_.size(); ++i)
            if (u_[i] != 0) sum.add(next_up(next_up(u_[i] * u_[i]) * lambda_[i]));
        return sum.value() / 2;
    }

    // How far min P may lie below loss + penalty; infinite if a λ is out of range.
    double gap() const {
        UpwardSum sum;
        for (std::size_t i = 0; i < u_.size(); ++i) {
            if (sizes_[i] == 0) continue;
            if (!is_usable_penalty(lambda_[i])) return std::numeric_limits<double>::infinity();
            const double most = std::fabs(pull_[i]) + slack_ * sizes_[i] + 0x1p-1000;
            sum.add(next_up(most * (most / lambda_[i]) * (0.5 + 0x1p-48)));
        }
        const double above = add_up(add_up(loss.value(), penalty()), sum.value());
        return std::max(0.0, -subtract_down(entropy_.value() * (1 - 0x1p-48), above));
    }

  private:
    template <class Row>
    void include(const Row& x, double y, double z, double error, double alpha) {
        loss.add(logistic_above(subtract_down(z, error)));
        entropy_.add(entropy_below(alpha));
        for_each(x, [&](Coordinate j, double v) {
            const auto i = static_cast<std::size_t>(j + 1);
            pull_[i] += alpha * (y * v);
            sizes_[i] += alpha * std::fabs(v) + 0x1p-1073;
        });
    }

    // (u·x, what rounding may have changed in it).
    template <class Row>
    std::pair<double, double> scored(const Row& x) const {
        const double* u = u_.data() + 1;
        const auto absolute = [&](std::size_t k) {
            return std::fabs(u[coordinate(x, k)] * static_cast<double>(x.value[k]));
        };
        const double constant = u_[0] * x.bias;
        const double a = sum_lanes(x.size, absolute) + std::fabs(constant);
        if (a <= std::numeric_limits<double>::max())
            return {product(u, x) + constant, error_above(x, a)};
        Accumulator exact;
        for_each(x, [&](Coordinate j, double v) {
            exact.add_product(u_[static_cast<std::size_t>(j + 1)], v);
        });
        const double s = exact.rounded();
        return {s, std::fabs(s) * 0x1p-52 + 0x1p-1074};
    }

    std::vector<double> u_, lambda_;
    std::vector<double> pull_, sizes_;  // Σ α y x and Σ α |x|
    double slack_;                      // of the error of a sum over all rows
    UpwardSum entropy_;  // Σ H, each from below; the sum is at most an ulp or two above
};

}  // namespace novikoff
