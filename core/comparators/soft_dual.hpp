// α and w = Σ α_t y_t x_t of a soft-margin problem, and the steps on one row at a time (hsieh2008,
// Algorithm 3).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "products.hpp"
#include "soft_loss.hpp"

namespace novikoff {

class SoftDual {
  public:
    using Label = std::int8_t;
    static constexpr double kClimbTolerance = 1e-4;  // for a C on the way to another
    SoftLoss loss;
    const double bias;

    struct Pass {
        double highest = -kInfinity, lowest = kInfinity;  // projected gradients met
        double estimate = 0;  // what the rows added to the gap, each before its own step
        std::size_t visited = 0, steps = 0;
    };

    SoftDual(double cost, bool squared, double bias) : loss{cost, squared}, bias(bias) {}

    // Takes a block's rows as rows `first` and on, and counts values. Returns the number of rows,
    // or the first row refused.
    template <class Block>
    std::size_t add(const Block& block, const Label* labels, std::size_t first,
                    std::size_t& values) {
        rows_.resize(first + block.rows);
        labels_.resize(first + block.rows);
        std::size_t refused = block.rows;
        const auto measured = [](const auto& x) { return measure(x); };
        const auto take = [&](std::size_t t, const auto& x, const Extent& extent) {
            rows_[first + t] = {0, extent.norm2};
            labels_[first + t] = labels[t];
            values += x.size;
            const bool sound = std::isfinite(extent.norm2) && (labels[t] == 1 || labels[t] == -1);
            if (!sound) refused = std::min(refused, t);
        };
        refused = std::min(refused, for_rows(block, bias, measured, take));
        if (refused == block.rows && block.columns > w_.size()) w_.resize(block.columns);
        if (refused != block.rows) rows_.resize(first);
        return refused;
    }

    // Sets α_t to the value in [0, upper] that maximises the dual, and updates w. False if the row
    // may be left out.
    template <class Row>
    bool step(const Row& x, std::size_t t) {
        const double y = labels_[t], alpha = rows_[t].alpha, slack = slack_of(x, y);
        pass_.estimate += loss.gap(alpha, slack);
        ++pass_.visited;
        double gradient = loss.diagonal() * alpha - slack;
        if (!project(alpha, gradient)) return false;
        if (std::fabs(gradient) <= kStill) return true;
        const double curvature = rows_[t].norm2 + loss.diagonal();
        const double next = std::clamp(alpha - gradient / curvature, 0.0, loss.upper());
        const double change = next - alpha;
        if (change == 0) return true;
        ++pass_.steps;
        rows_[t].alpha = next;
        value_ -= change * (gradient + change * curvature / 2);
        add_scaled(w_.data(), x, change * y);
        bias_weight_ += change * y * bias;
        return true;
    }

    // Sums w again, so that rounding errors do not pile up: from begin_rebuild, through the
    // rows with α_t ≠ 0, to end_rebuild.
    void begin_rebuild() {
        fresh_.assign(w_.size(), 0);
        fresh_bias_ = 0;
    }
    template <class Row>
    void rebuild(const Row& x, std::size_t t) {
        const double scale = rows_[t].alpha * labels_[t];
        add_scaled(fresh_.data(), x, scale);
        fresh_bias_ += scale * bias;
    }
    void end_rebuild() {
        w_.swap(fresh_);
        bias_weight_ = fresh_bias_;
    }

    // Adds the row to the totals. False if it may be left out.
    template <class Row>
    bool inspect(const Row& x, std::size_t t, SoftTotals& totals) {
        const double alpha = rows_[t].alpha, slack = slack_of(x, labels_[t]);
        const double hinge = std::max(slack, 0.0);
        totals.gap += loss.gap(alpha, slack);
        totals.hinge += hinge;
        totals.hinge_square += hinge * hinge;
        double gradient = loss.diagonal() * alpha - slack;
        return project(alpha, gradient);
    }

    void begin_pass() { pass_ = {}; }
    const Pass& pass() const { return pass_; }
    // An α whose bound holds beyond all gradients of this pass is left out of the next; gradients
    // of only one sign say nothing about the other bound.
    void take_bounds() {
        highest_ = pass_.highest > 0 ? pass_.highest : kInfinity;
        lowest_ = pass_.lowest < 0 ? pass_.lowest : -kInfinity;
    }
    void forget_bounds() { highest_ = kInfinity, lowest_ = -kInfinity; }

    // Another C: scales α optimally.
    void scale_to(double cost) {
        loss.cost = cost;
        double most = 0;
        for (const DualRow& row : rows_) most = std::max(most, row.alpha);
        if (most == 0) return;
        SoftTotals totals;
        add_dual(totals);
        const double scale = totals.best_scale(loss, most);
        for (DualRow& row : rows_) row.alpha = std::min(scale * row.alpha, loss.upper());
        for (double& weight : w_) weight *= scale;
        bias_weight_ *= scale;
    }

    // Σ α, Σ α²/C and ‖w‖², from which the dual value is updated from here on.
    void add_dual(SoftTotals& totals) {
        const auto alpha = [&](std::size_t t) { return rows_[t].alpha; };
        const auto charge = [&](std::size_t t) { return alpha(t) * (alpha(t) * loss.diagonal()); };
        const auto square = [&](std::size_t j) { return w_[j] * w_[j]; };
        totals.alpha = sum_lanes(rows_.size(), alpha);
        totals.charge = sum_lanes(rows_.size(), charge);
        totals.norm2 = sum_lanes(w_.size(), square) + bias_weight_ * bias_weight_;
        value_ = totals.dual();
    }
    double value() const { return value_; }

    double mean_norm2() const {
        const auto count = static_cast<double>(rows_.size());
        return sum_lanes(rows_.size(), [&](std::size_t t) { return rows_[t].norm2 / count; });
    }
    double alpha(std::size_t t) const { return rows_[t].alpha; }
    const void* address(std::size_t t) const { return &rows_[t]; }
    const std::vector<double>& weights() const { return w_; }
    double bias_weight() const { return bias_weight_; }

  private:
    struct DualRow {
        double alpha, norm2;
    };

    static constexpr double kStill = 1e-12;  // a projected gradient not worth a step

    // 1 − y w·x
    template <class Row>
    double slack_of(const Row& x, double y) const {
        return 1 - y * (product(w_.data(), x) + bias_weight_ * bias);
    }

    // The projected gradient, 0 if α stands against its bound; false if it stands there so firmly
    // that its row may be left out (hsieh2008, Sec. 3.2).
    bool project(double alpha, double& gradient) {
        if (alpha == 0) {
            if (gradient > highest_) return false;
            gradient = std::min(gradient, 0.0);
        } else if (alpha == loss.upper()) {
            if (gradient < lowest_) return false;
            gradient = std::max(gradient, 0.0);
        }
        pass_.highest = std::max(pass_.highest, gradient);
        pass_.lowest = std::min(pass_.lowest, gradient);
        return true;
    }

    std::vector<DualRow> rows_;
    std::vector<Label> labels_;
    std::vector<double> w_, fresh_;
    double bias_weight_ = 0, fresh_bias_ = 0;
    double highest_ = kInfinity, lowest_ = -kInfinity;
    double value_ = 0;
    Pass pass_;
};

}  // namespace novikoff
