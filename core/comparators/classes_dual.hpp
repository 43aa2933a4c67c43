// The soft-margin problems of soft_loss.hpp for many classes, with (crammer2001)
//     ξ_t = max(0, max_{k ≠ y_t} slack_tk),  slack_tk = 1 − (w_{y_t} − w_k)·x_t,
// and the steps on one row at a time (keerthi2008). A row has an α_tk ≥ 0 for every class except
// its own, a_t = Σ_k α_tk takes the place of α_t in the dual, and
//     w_k = Σ_{t: y_t = k} a_t x_t − Σ_{t: y_t ≠ k} α_tk x_t.
// Only the α that are not 0 are kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "../numbers/decide.hpp"
#include "classes_share.hpp"
#include "products.hpp"
#include "soft_loss.hpp"

namespace novikoff {

class ClassDual {
  public:
    using Label = std::uint32_t;
    static constexpr double kClimbTolerance = 1e-2;  // for a C on the way to another
    SoftLoss loss;
    const double bias;

    struct Pass {
        double highest = 0;   // violation met
        double estimate = 0;  // what the rows added to the gap, each before its own step
        std::size_t visited = 0, steps = 0;
    };

    ClassDual(double cost, bool squared, double bias, std::size_t classes)
        : loss{cost, squared},
          bias(bias),
          w_(classes),
          fresh_(classes),
          score_(w_.room()),
          change_(w_.room()) {}

    // Takes a block's rows as rows `first` and on, and counts products. Returns the number of rows,
    // or the first row refused.
    template <class Block>
    std::size_t add(const Block& block, const Label* labels, std::size_t first,
                    std::size_t& products) {
        rows_.resize(first + block.rows);
        std::size_t refused = block.rows;
        const auto measured = [](const auto& x) { return measure(x); };
        const auto take = [&](std::size_t t, const auto& x, const Extent& extent) {
            rows_[first + t] = {labels[t], extent.norm2, 0, {}};
            products += x.size * w_.classes();
            const bool sound = std::isfinite(extent.norm2) && labels[t] < w_.classes();
            if (!sound) refused = std::min(refused, t);
        };
        refused = std::min(refused, for_rows(block, bias, measured, take));
        if (refused == block.rows) w_.grow(block.columns);
        if (refused != block.rows) rows_.resize(first);
        return refused;
    }

    // Sets the row's α to those that maximise the dual, and updates w. False if the row may be left
    // out.
    template <class Row>
    bool step(const Row& x, std::size_t t) {
        DualRow& row = rows_[t];
        const State state = look(x, row);
        pass_.estimate += state.gap;
        ++pass_.visited;
        if (state.lead > firm_) return false;
        pass_.highest = std::max(pass_.highest, state.violation);
        if (state.violation <= kStill) return true;
        // b_k = 1 − (w_y − w_k)·x with the row's own part taken out of w
        for (std::size_t k = 0; k < score_.size(); ++k) score_[k] += row.total * row.norm2;
        for (const ClassShare& share : row.shares) score_[share.k] += share.value * row.norm2;
        out_.shares.clear();
        for (Label k = 0; k < w_.classes(); ++k)
            if (k != row.label) out_.shares.push_back({k, score_[k]});
        const double total = out_.solve(row.norm2, loss.diagonal(), loss.upper());
        take_step(x, row, total);
        return true;
    }

    // Sums w again, so that rounding errors do not pile up: from begin_rebuild, through the
    // rows with a_t ≠ 0, to end_rebuild.
    void begin_rebuild() {
        fresh_.grow(w_.columns());
        fresh_.clear();
    }
    template <class Row>
    void rebuild(const Row& x, std::size_t t) {
        changes_.assign(1, {rows_[t].label, rows_[t].total});
        for (const ClassShare& share : rows_[t].shares) changes_.push_back({share.k, -share.value});
        fresh_.add(x, changes_);
    }
    void end_rebuild() { std::swap(w_, fresh_); }

    // Adds the row to the totals. False if it may be left out.
    template <class Row>
    bool inspect(const Row& x, std::size_t t, SoftTotals& totals) {
        const State state = look(x, rows_[t]);
        totals.gap += state.gap;
        totals.hinge += state.hinge;
        totals.hinge_square += state.hinge * state.hinge;
        if (state.lead > firm_) return false;
        pass_.highest = std::max(pass_.highest, state.violation);
        return true;
    }

    void begin_pass() { pass_ = {}; }
    const Pass& pass() const { return pass_; }
    // A row that is firmer than every violation of this pass is left out of the next.
    void take_bounds() { firm_ = pass_.highest > 0 ? pass_.highest : kInfinity; }
    void forget_bounds() { firm_ = kInfinity; }

    // Another C: scales α optimally.
    void scale_to(double cost) {
        loss.cost = cost;
        double most = 0;
        for (const DualRow& row : rows_) most = std::max(most, row.total);
        if (most == 0) return;
        SoftTotals totals;
        add_dual(totals);
        const double scale = totals.best_scale(loss, most);
        for (DualRow& row : rows_) {
            row.total = std::min(scale * row.total, loss.upper());
            for (ClassShare& share : row.shares) share.value *= scale;
        }
        w_.scale(scale);
    }

    // Σ a, Σ a²/C and ‖w‖², from which the dual value is updated from here on; and how far that
    // value may exceed the true one of these α, right after w was summed again. With n rows, K
    // classes and d features w differs from the true one by δ, ‖δ‖ ≤ γ_{n+K} Σ_t √2 a_t ‖x_t‖,
    // because the α and a of a row are no longer than √2 a; that moves ½‖w‖² by at most ‖w‖‖δ‖ +
    // ½‖δ‖². The sums have relative errors of γ_n and γ_dK. Σ_k α_k ≤ C holds up to a factor 1 +
    // γ_K.
    void add_dual(SoftTotals& totals) {
        const auto count = static_cast<double>(rows_.size() + w_.classes() + 8);
        const auto alpha = [&](std::size_t t) { return rows_[t].total; };
        const auto charge = [&](std::size_t t) { return alpha(t) * (alpha(t) * loss.diagonal()); };
        const auto length = [&](std::size_t t) { return alpha(t) * std::sqrt(rows_[t].norm2); };
        const std::vector<double>& w = w_.values();
        totals.alpha = sum_lanes(rows_.size(), alpha);
        totals.charge = sum_lanes(rows_.size(), charge);
        totals.norm2 = sum_lanes(w.size(), [&](std::size_t j) { return w[j] * w[j]; });
        const double drift = 1.5 * kUnit * count * sum_lanes(rows_.size(), length);
        totals.error = drift * (std::sqrt(totals.norm2) + drift) +
                       2 * kUnit * count * (totals.alpha + totals.charge) +
                       2 * kUnit * static_cast<double>(w.size() + 8) * totals.norm2;
        value_ = totals.dual();
    }
    double value() const { return value_; }

    double mean_norm2() const {
        const auto count = static_cast<double>(rows_.size());
        return sum_lanes(rows_.size(), [&](std::size_t t) { return rows_[t].norm2 / count; });
    }
    double alpha(std::size_t t) const { return rows_[t].total; }
    const std::vector<ClassShare>& shares(std::size_t t) const { return rows_[t].shares; }
    const void* address(std::size_t t) const { return &rows_[t]; }
    const ClassWeights& weights() const { return w_; }

  private:
    struct DualRow {
        Label label;
        double norm2;
        double total;  // a
        std::vector<ClassShare> shares;
    };
    struct State {
        double hinge, gap;
        double violation;  // 0 if the row's α are optimal
        double lead;       // by how much they are, if they stand in a corner; else −∞
    };

    static constexpr double kStill = 1e-12;  // a violation not worth a step

    // Writes the slacks to score_, and returns what they say. The dual grows at the rate slack_k
    // with α_k, and at the rate a · diagonal with what is left of `upper`: at the best α the rates
    // that belong to something other than 0 are equal, and the largest.
    template <class Row>
    State look(const Row& x, const DualRow& row) {
        w_.scores(x, score_.data());
        const double own = score_[row.label], rest = row.total * loss.diagonal();
        double top = -kInfinity, second = -kInfinity;  // among classes
        for (Label k = 0; k < w_.classes(); ++k) {
            score_[k] = k == row.label ? -kInfinity : 1 - (own - score_[k]);
            second = std::max(second, std::min(top, score_[k]));
            top = std::max(top, score_[k]);
        }
        const double hinge = std::max(top, 0.0);
        const bool full = row.total >= loss.upper();
        double lowest = full ? kInfinity : rest, gap = loss.gap(row.total, hinge);
        for (const ClassShare& share : row.shares) {
            lowest = std::min(lowest, score_[share.k]);
            gap += share.value * (hinge - score_[share.k]);
        }
        double lead = -kInfinity;
        if (row.shares.empty()) lead = rest - top;
        if (full && row.shares.size() == 1 && score_[row.shares[0].k] == top)
            lead = top - std::max(second, rest);
        return {hinge, gap, std::max(top, rest) - lowest, lead};
    }

    template <class Row>
    void take_step(const Row& x, DualRow& row, double total) {
        // score_ still holds b: slack_k plus the row's own part
        changes_.clear();
        for (const ClassShare& share : row.shares) change_[share.k] -= share.value;
        for (const ClassShare& share : out_.shares) change_[share.k] += share.value;
        for (const auto* shares : {&row.shares, &out_.shares})
            for (const ClassShare& share : *shares) {
                const double by = std::exchange(change_[share.k], 0);
                if (by != 0) changes_.push_back({share.k, -by});
            }
        value_ += worth(out_.shares, total, row) - worth(row.shares, row.total, row);
        if (total != row.total) changes_.push_back({row.label, total - row.total});
        row.total = total;
        row.shares = out_.shares;
        if (changes_.empty()) return;
        ++pass_.steps;
        w_.add(x, changes_);
    }

    // What the row adds to the dual with these α: Σ b α − ½q Σα² − ½(q + diagonal) a². The square
    // of an α alone may overflow.
    double worth(const std::vector<ClassShare>& shares, double total, const DualRow& row) const {
        double sum = -total * (total * ((row.norm2 + loss.diagonal()) / 2));
        for (const ClassShare& share : shares)
            sum += share.value * (score_[share.k] - row.norm2 * share.value / 2);
        return sum;
    }

    std::vector<DualRow> rows_;
    ClassWeights w_, fresh_;
    double firm_ = kInfinity;
    double value_ = 0;
    Pass pass_;
    std::vector<double> score_;   // of the row looked at
    std::vector<double> change_;  // 0 between steps
    ShareOut out_;
    std::vector<ClassShare> changes_;
};

}  // namespace novikoff
