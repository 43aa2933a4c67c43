// The value of a comparator U for the log loss of many classes: P(U) = L(U) + ½ Σ_i λ_i Σ_k U_ki²
// from above, and a lower bound for every U. Every number is a proved bound.
//
// For any α_t ≥ 0 with Σ_k α_tk = 1 the dual value is such a floor:
//     min P ≥ Σ_t H(α_t) − ½ Σ_k Σ_i v_ki²/λ_i,  v_ki = Σ_t ([k = y_t] − α_tk) x_ti,
// with H(α) = −Σ_k α_k ln α_k. Here α is the softmax of U x. Its floats α_k, k ≠ y, are lowered by
// so much that they cannot add up to more than 1, and are then exact; α_y is what is left.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "classes_weights.hpp"
#include "measures.hpp"
#include "penalised.hpp"

namespace novikoff {

class SoftmaxMeasures {
  public:
    UpwardSum loss;  // L(U) from above

    // λ with the constant feature first, then the others; `rows` is how many rows may come.
    SoftmaxMeasures(ClassWeights weights, std::vector<double> lambdas, std::size_t rows)
        : w_(std::move(weights)),
          lambda_(std::move(lambdas)),
          pull_(w_.values().size()),
          sizes_(lambda_.size()),
          score_(w_.room()),
          excess_(w_.room()),
          sums_(w_.room()),
          many_(static_cast<double>(w_.classes())),
          slack_((static_cast<double>(rows) + many_ + 8) * kSlack * kUnit) {}

    std::size_t classes() const { return w_.classes(); }
    std::size_t columns() const { return w_.columns(); }

    template <class Row>
    void include(const Row& x, std::uint32_t y) {
        exceed(x, y);
        loss.add(loss_above());
        share(y);
        for_each(x, [&](Coordinate j, double v) {
            const auto i = static_cast<std::size_t>(j + 1);
            double* pull = pull_.data() + i * w_.room();
            for (std::size_t k = 0; k < classes(); ++k) pull[k] += score_[k] * v;
            sizes_[i] += std::fabs(v) + 0x1p-1073;
        });
    }

    // ½ Σ λ_i U_ki² from above.
    double penalty() const {
        UpwardSum sum;
        for (std::size_t i = 0; i < lambda_.size(); ++i)
            for (std::size_t k = 0; k < classes(); ++k)
                if (at(i)[k] != 0) sum.add(next_up(next_up(at(i)[k] * at(i)[k]) * lambda_[i]));
        return sum.value() / 2;
    }

    // How far min P may lie below loss + penalty; infinite if a λ is out of range.
    double gap() const {
        UpwardSum sum;
        for (std::size_t i = 0; i < lambda_.size(); ++i) {
            if (sizes_[i] == 0) continue;
            if (!is_usable_penalty(lambda_[i])) return std::numeric_limits<double>::infinity();
            const double error = slack_ * sizes_[i] + 0x1p-1000;
            for (std::size_t k = 0; k < classes(); ++k) {
                const double most = std::fabs(pull_[i * w_.room() + k]) + error;
                sum.add(next_up(most * (most / lambda_[i]) * (0.5 + 0x1p-48)));
            }
        }
        const double above = add_up(add_up(loss.value(), penalty()), sum.value());
        return std::max(0.0, -subtract_down(entropy_.value() * (1 - 0x1p-48), above));
    }

  private:
    const double* at(std::size_t i) const { return w_.at(static_cast<Coordinate>(i) - 1); }

    // excess_k ≥ (U_k − U_y)·x for k ≠ y, and 0 for y.
    template <class Row>
    void exceed(const Row& x, std::uint32_t y) {
        std::fill(score_.begin(), score_.end(), 0.0);
        std::fill(sums_.begin(), sums_.end(), 0.0);
        for_each(x, [&](Coordinate j, double v) {
            const double* w = w_.at(j);
            for (std::size_t k = 0; k < score_.size(); ++k) {
                score_[k] += w[k] * v;
                sums_[k] += std::fabs(w[k] * v);
            }
        });
        const auto bound = [&](std::size_t k) { return error_above(x, sums_[k]); };
        const double own = bound(y);
        for (std::size_t k = 0; k < classes(); ++k) {
            const double error = add_up(own, bound(k));
            const double gap = add_up(score_[k], -score_[y]);
            excess_[k] = k == y ? 0 : error < kFar ? add_up(gap, error) : exact_excess(x, k, y);
        }
    }

    template <class Row>
    double exact_excess(const Row& x, std::size_t k, std::size_t y) const {
        Accumulator sum;
        for_each(x, [&](Coordinate j, double v) {
            sum.add_product(w_.at(j)[k], v);
            sum.add_product(-w_.at(j)[y], v);
        });
        return next_up(sum.rounded());
    }

    // ln Σ_k e^{excess_k} from above. The largest power is 1 and exact; a power errs by less than
    // 3 units of 2^−53 and by |gap| e^{−|gap|} < 0.4 of them from its rounded gap, a sum by one for
    // each term, and exp is never below e^{−708}. score_ becomes the powers.
    double loss_above() {
        top_ = 0;
        for (std::size_t k = 0; k < classes(); ++k) top_ = std::max(top_, excess_[k]);
        bool found = false;
        rest_ = 0;
        for (std::size_t k = 0; k < classes(); ++k) {
            score_[k] = floats::exp(excess_[k] - top_);
            if (!found && excess_[k] == top_)
                found = true;  // the 1 of log1p
            else
                rest_ += score_[k];
        }
        const double tail = floats::log1p(rest_ * (1 + (many_ + 8) * 0x1p-52));
        return next_up((top_ + tail) * (1 + 0x1p-48));
    }

    // Turns the powers into [k = y] − α_k, and adds H(α) from below.
    void share(std::uint32_t y) {
        const double total = (1 + rest_) * (1 + (many_ + 16) * 0x1p-50);
        double others = 0;
        double entropy = 0;
        for (std::size_t k = 0; k < classes(); ++k) {
            if (k == y) continue;
            const double alpha = score_[k] / total;
            others += alpha;
            entropy += self_information(alpha);
            score_[k] = -alpha;
        }
        score_[y] = others;
        const double error = (many_ + 8) * 0x1p-52 * others;
        const double low = std::max(0.0, 1 - others - error),
                     high = std::min(1.0, 1 - others + error);
        entropy += std::min(self_information(low), self_information(high));
        entropy_.add(std::max(0.0, entropy - (many_ + 8) * 0x1p-50 * (1 + entropy)));
    }

    // −α ln α, with a relative error below 10 · 2^−53; it is concave.
    static double self_information(double alpha) {
        if (!(alpha > 0x1p-900 && alpha < 1)) return 0;
        return alpha * floats::log1p((1 - alpha) / alpha);
    }

    static constexpr double kFar = 0x1p900;

    ClassWeights w_;
    std::vector<double> lambda_;
    std::vector<double> pull_;                   // v, [feature][class]
    std::vector<double> sizes_;                  // Σ |x_i|
    std::vector<double> score_, excess_, sums_;  // of one row; Σ |U_ki x_i|
    double many_, slack_, top_ = 0, rest_ = 0;
    UpwardSum entropy_;  // Σ H, each from below; the sum is at most an ulp or two above
};

}  // namespace novikoff
