// The value of a comparator u for a loss of penalised_losses.hpp: P(u) = L(u) + ½Σ_i λ_i u_i² from
// above, and from the dual a lower bound for every u. Every number is a proved bound.
//
// A float sum of n products differs from their sum by at most γ_{n+1} times the sum of their sizes
// (higham2002, Sec. 3.1), which is added to the size of each v_i = Σ_t α_t c_t x_ti.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "penalised.hpp"

namespace novikoff {

template <class Loss>
class PenalisedMeasures {
  public:
    using Label = typename Loss::Label;
    UpwardSum loss;  // L(u) from above

    // u and λ with the constant feature first, then the others; `rows` is how many rows may come.
    PenalisedMeasures(std::vector<double> u, std::vector<double> lambdas, std::size_t rows)
        : u_(std::move(u)),
          lambda_(std::move(lambdas)),
          pull_(u_.size()),
          sizes_(u_.size()),
          slack_((static_cast<double>(rows) + 4) * kSlack * kUnit) {}

    std::size_t columns() const { return u_.size() - 1; }

    // A row, with the α of the dual point; without one, the best for this u alone.
    template <class Row>
    void include(const Row& x, Label y) {
        const auto [score, error] = scored(x);
        const double z = Loss::side(y) * score;
        include(x, y, z, error, Loss::alpha_at(y, z));
    }
    template <class Row>
    void include(const Row& x, Label y, double alpha) {
        const auto [score, error] = scored(x);
        include(x, y, Loss::side(y) * score, error, alpha);
    }

    // ½Σ λ_i u_i² from above.
    double penalty() const {
        UpwardSum sum;
        for (std::size_t i = 0; i < u_.size(); ++i)
            if (u_[i] != 0) sum.add(next_up(next_up(u_[i] * u_[i]) * lambda_[i]));
        return sum.value() / 2;
    }

    // What no P(u) is below: the dual value, from below; −∞ if a λ is out of range.
    double least() const {
        UpwardSum sum;
        for (std::size_t i = 0; i < u_.size(); ++i) {
            if (sizes_[i] == 0) continue;
            if (!is_usable_penalty(lambda_[i])) return -std::numeric_limits<double>::infinity();
            const double most = std::fabs(pull_[i]) + slack_ * sizes_[i] + 0x1p-1000;
            sum.add(next_up(most * (most / lambda_[i]) * (0.5 + 0x1p-48)));
        }
        const double below = subtract_down(gains_.value() * (1 - 0x1p-48), costs_.value());
        return subtract_down(below, sum.value());
    }

    // How far the least P may lie below loss + penalty; infinite if a λ is out of range.
    double gap() const {
        return std::max(0.0, -subtract_down(least(), add_up(loss.value(), penalty())));
    }

  private:
    template <class Row>
    void include(const Row& x, Label y, double z, double error, double alpha) {
        loss.add(Loss::above(y, z, error));
        const double dual = Loss::below(y, alpha);
        if (dual > 0) gains_.add(dual);
        if (dual < 0) costs_.add(-dual);
        const double c = Loss::side(y), size = std::fabs(alpha);
        for_each(x, [&](Coordinate j, double v) {
            const auto i = static_cast<std::size_t>(j + 1);
            pull_[i] += alpha * (c * v);
            sizes_[i] += size * std::fabs(v) + 0x1p-1073;
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
    std::vector<double> pull_, sizes_;  // Σ α c x and Σ |α x|
    double slack_;                      // of the error of a sum over all rows
    // Σ D, each from below: those above 0, whose sum is at most an ulp or two above, and the
    // others.
    UpwardSum gains_, costs_;
};

}  // namespace novikoff
