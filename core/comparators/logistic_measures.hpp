// What a comparator u is worth for the logistic loss: P(u) = L(u) + ½Σ_i λ_i u_i² from above, and
// what no u goes below. Every number is a proved bound.
//
// P is λ-strongly convex, so for the gradient ∂_i = λ_i u_i − Σ_t α_t y_t x_ti, α_t = σ(−y_t
// u·x_t),
//     min P ≥ P(u) − ½ Σ_i ∂_i²/λ_i;
// the right side is the dual value of these α. A float α̃ differs from α by at most a quarter of
// the margin's error plus 2^−49 (docs/programs.md), and a float sum of n products from their sum by
// at most γ_{n+1} times the sum of their sizes (higham2002, Sec. 3.1); both are added to |∂_i|.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "logistic.hpp"
#include "measures.hpp"

namespace novikoff {

// ln(1 + e^{−z}) from above and below: exp and log1p are within 13 · 2^−53 of it together, and exp
// never underflows below what e^{−708} is.
inline double logistic_above(double z) {
    const double tail = floats::log1p(floats::exp(-std::fabs(z)));
    return next_up((z < 0 ? -z + tail : tail) * (1 + 0x1p-48));
}
inline double logistic_below(double z) {
    if (z > floats::kMostExponent) return 0;
    const double tail = z < -floats::kMostExponent ? 0 : floats::log1p(floats::exp(-std::fabs(z)));
    return (z < 0 ? -z + tail : tail) * (1 - 0x1p-48);
}

class LogisticMeasures {
  public:
    UpwardSum loss;  // L(u) from above

    // u and λ with the constant feature first, then the others; `rows` is how many rows may come.
    LogisticMeasures(std::vector<double> u, std::vector<double> lambdas, std::size_t rows)
        : u_(std::move(u)),
          lambda_(std::move(lambdas)),
          pull_(u_.size()),
          doubt_(u_.size()),
          slack_((static_cast<double>(rows) + 4) * kSlack * kUnit) {}

    std::size_t columns() const { return u_.size() - 1; }

    template <class Row>
    void include(const Row& x, double y) {
        const auto [score, error] = scored(x);
        const double z = y * score;
        const double most = logistic_above(subtract_down(z, error));
        loss.add(most);
        width_.add(next_up(most - logistic_below(add_up(z, error))));
        const double alpha = chance_of_error(z);
        const double unsure = std::min(1.0, error / 4 + 0x1p-49) + slack_ * alpha;
        for_each(x, [&](Coordinate j, double v) {
            const auto i = static_cast<std::size_t>(j + 1);
            pull_[i] += alpha * (y * v);
            doubt_[i] += unsure * std::fabs(v) + 0x1p-1073;
        });
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
        sum.add(width_.value());
        for (std::size_t i = 0; i < u_.size(); ++i) {
            if (u_[i] == 0 && doubt_[i] == 0) continue;
            if (!is_usable_penalty(lambda_[i])) return std::numeric_limits<double>::infinity();
            const double held = lambda_[i] * u_[i];
            const double size = std::fabs(held) + std::fabs(pull_[i]);
            const double most = std::fabs(held - pull_[i]) + 4 * kUnit * size + kSlack * doubt_[i];
            sum.add(next_up(most * (most / lambda_[i]) * (0.5 + 0x1p-48)));
        }
        // The penalty, too, is known only from above.
        return add_up(sum.value(), penalty() * 0x1p-49);
    }

  private:
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
    std::vector<double> pull_;   // Σ α y x
    std::vector<double> doubt_;  // how far it may be off
    double slack_;
    UpwardSum width_;  // of the enclosure of the loss
};

}  // namespace novikoff
