// Comparators for Minnow by the primal-dual hybrid gradient method (chambolle2011, Algorithm 1),
// with diagonal steps (pock2011) and restarts from the mean of the steps (applegate2021):
//     w ← max(0, w − ωτ (ln d − Aᵀα)),   α ← clamp(α + σ/ω (1 − A(2w − w_before)), 0, P).
// One sweep over the rows does both. It works in slices short enough to check the clock between
// them; where they end changes no bit of the result.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../numbers/draw.hpp"
#include "products.hpp"
#include "simplex_state.hpp"

namespace novikoff {

class Simplex {
  public:
    Simplex(double eta, bool balanced, double passes, double bias)
        : task_{eta, balanced, passes}, bias_(bias) {}

    // Takes the rows of one more block, before the work begins. Returns the number of rows, or the
    // first row refused (an index out of bounds or repeated, an invalid value or label); then the
    // solver cannot be used any more.
    template <class Block>
    std::size_t add(const Block& block, const std::int8_t* labels) {
        const std::size_t first = labels_.size();
        std::size_t refused = block.rows, values = 0;
        if (block.columns > lengths_.size()) lengths_.resize(block.columns);
        const auto measured = [](const auto& x) { return measure(x); };
        const auto take = [&](std::size_t t, const auto& x, const Extent& extent) {
            if (labels[t] != 1 && labels[t] != -1) refused = std::min(refused, t);
            labels_.push_back(labels[t]);
            state_.rows.push_back({{}, {}, add_lengths(x)});
            task_.radius = std::max(task_.radius, extent.largest);
            values += x.size + 1;
        };
        refused = std::min(refused, for_rows(block, bias_, measured, take));
        task_.features = columns_ + (bias_ != 0);
        parts_.push_back({first, block.rows, values});
        return refused;
    }

    // The problem is complete: d, R∞ and with them the steps are known.
    void begin() {
        state_.columns.resize(columns_ + 1);
        for (std::size_t j = 0; j < columns_; ++j) state_.columns[j].length = lengths_[j];
        const double rows = static_cast<double>(labels_.size());
        state_.columns.back().length = rows * task_.eta * std::fabs(bias_);
        shift_ = task_.shift();
        const double sides = task_.balanced ? 2 : 1;
        const double columns = static_cast<double>(state_.columns.size());
        // The root, because w consists of the frequent features, which full lengths would slow
        // down.
        for (SimplexColumn& column : state_.columns)
            column.length = std::sqrt(column.length + shift_ * rows) + kTiny;
        for (SimplexRow& row : state_.rows)
            row.length = sides * (row.length + shift_ * columns) + kTiny;
        look();
        begin_norm();
    }

    // From here on P = ∞, between two sweeps; gives up on a bound that must exceed `limit`. What no
    // comparator could beat before, none can now.
    void demand_separation(double limit) {
        if (!between_) throw std::logic_error("a sweep is under way");
        task_.passes = kInfinity;
        limit_ = limit;
        value_ = restart_merit_ = kInfinity;
        best_.clear();
        sweeps_ = steps_ = 0;
        look();
    }
    bool between() const { return between_; }

    // One slice of work on the blocks; `blocks(k, f)` shows the k-th to f. True if there is nothing
    // left to do.
    template <class Blocks>
    bool advance(const Blocks& blocks, double tolerance) {
        if (between_ && settled(tolerance)) return true;
        if (between_) begin_sweep();
        if (part_ == parts_.size()) {
            end_sweep();
            return between_ && settled(tolerance);
        }
        blocks(part_, [&](const auto& block) { work(block); });
        if (next_ == parts_[part_].rows) next_ = 0, ++part_;
        return false;
    }

    bool within(double tolerance) const {
        return std::isfinite(value_) && value_ - dual_ <= tolerance * value_;
    }
    bool settled(double tolerance) const {
        return within(tolerance) || dual_ >= limit_ || sweeps_ >= most_sweeps();
    }

    const SimplexTask& task() const { return task_; }
    std::int64_t sweeps() const { return sweeps_; }
    double value() const { return value_; }      // of the best w found, about
    double dual_value() const { return dual_; }  // no comparator has a smaller bound
    const std::vector<double>& weights() const { return best_; }  // the constant feature's last

  private:
    enum class Stage { norm, descend };

    struct Part {  // a block's rows
        std::size_t first, rows, values;
    };

    static constexpr std::size_t kSlice = 1 << 18;         // values
    static constexpr int kNormSweeps = 24, kBetween = 20;  // sweeps; those between two looks
    static constexpr double kTiny = 1e-200;

    // A long search on few values, a short one on many: some minutes at most. With ln d = 0 no α
    // has a value, and the gap never closes.
    std::int64_t most_sweeps() const {
        if (task_.mass() == 0) return 200;
        double values = 8 * static_cast<double>(state_.columns.size());
        for (const Part& part : parts_) values += static_cast<double>(part.values);
        return static_cast<std::int64_t>(std::clamp(1e10 / values, 200.0, 20000.0));
    }

    template <class Row>
    double add_lengths(const Row& x) {
        const double eta = task_.eta;
        const auto absolute = [&](std::size_t k) {
            return eta * std::fabs(static_cast<double>(x.value[k]));
        };
        for (std::size_t k = 0; k < x.size; ++k) {
            const auto j = static_cast<std::size_t>(coordinate(x, k));
            lengths_[j] += absolute(k);
            if (x.value[k] != 0) columns_ = std::max(columns_, j + 1);
        }
        return sum_lanes(x.size, absolute) + eta * std::fabs(bias_);
    }

    // ‖Σ^½ A T^½‖ by the power method; it determines the size of the steps.
    void begin_norm() {
        for (std::size_t j = 0; j < state_.columns.size(); ++j) {
            state_.columns[j].up.now = draw_normal(0, 0, j);
            state_.columns[j].down.now = task_.balanced ? draw_normal(0, 1, j) : 0;
        }
    }

    void begin_sweep() {
        if (stage_ == Stage::descend) descend();
        between_ = false;
        part_ = next_ = 0;
        total_ = alpha_ = 0;
        w_.assign(std::max(lengths_.size(), state_.columns.size()), 0);
        pull_.assign(w_.size(), 0);
        bias_pull_ = 0;
        for (std::size_t j = 0; j < state_.columns.size(); ++j) {
            const SimplexColumn& column = state_.columns[j];
            const double scale = stage_ == Stage::norm ? 1 / std::sqrt(column.length) : 1;
            w_[j] = scale * (column.up.now - column.down.now);
            total_ += scale * (column.up.now + column.down.now);
        }
        bias_weight_ = w_[state_.columns.size() - 1];
        w_[state_.columns.size() - 1] = 0;
    }

    template <class Block>
    void work(const Block& block) {
        const Part& part = parts_[part_];
        const std::size_t several =
            kSlice / (part.values / std::max<std::size_t>(part.rows, 1) + 1);
        const std::size_t stop = std::min(part.rows, next_ + several + 1);
        for (; next_ < stop; ++next_) {
            if (!readable(block, next_))
                throw std::invalid_argument("rows that lie within the arrays");
            const auto x = block.row(next_, bias_);
            const double rate = task_.eta * labels_[part.first + next_];
            SimplexRow& row = state_.rows[part.first + next_];
            const double score =
                rate * (product(w_.data(), x) + bias_weight_ * bias_) - shift_ * total_;
            const double alpha = stage_ == Stage::norm ? score / row.length : climb(row, score);
            alpha_ += alpha;
            if (alpha == 0) continue;
            add_scaled(pull_.data(), x, alpha * rate);
            bias_pull_ += alpha * rate * bias_;
        }
    }

    // α ← clamp(α + σ/ω (1 − A(2w − w_before)), 0, P)
    double climb(SimplexRow& row, double score) {
        const double step = step_ / (row.length * balance_);
        const double gain = 1 - (2 * score - row.score.now);
        row.score.move(score);
        row.alpha.move(std::clamp(row.alpha.now + step * gain, 0.0, task_.passes));
        return row.alpha.now;
    }

    // w ← max(0, w − ωτ (ln d − Aᵀα))
    void descend() {
        const double mass = task_.mass() + shift_ * alpha_;
        for (SimplexColumn& column : state_.columns) {
            const double step = step_ * balance_ / column.length;
            column.up.move(std::max(0.0, column.up.now - step * (mass - column.pull.now)));
            if (!task_.balanced) continue;
            column.down.move(std::max(0.0, column.down.now - step * (mass + column.pull.now)));
        }
    }

    void end_sweep() {
        between_ = true;
        pull_[state_.columns.size() - 1] = bias_pull_;
        if (stage_ == Stage::norm) return end_norm_sweep();
        for (std::size_t j = 0; j < state_.columns.size(); ++j)
            state_.columns[j].pull.move(pull_[j]);
        ++steps_;
        ++sweeps_;
        if (sweeps_ % kBetween == 0) consider_restart();
    }

    void end_norm_sweep() {
        double square = 0;
        for (std::size_t j = 0; j < state_.columns.size(); ++j) {
            SimplexColumn& column = state_.columns[j];
            const double scale = 1 / std::sqrt(column.length);
            column.up.now = scale * (pull_[j] - shift_ * alpha_);
            column.down.now = task_.balanced ? scale * (-pull_[j] - shift_ * alpha_) : 0;
            square += column.up.now * column.up.now + column.down.now * column.down.now;
        }
        const double norm = std::sqrt(std::sqrt(square));  // of A; its square is that of AᵀA
        step_ = 1 / std::max(1.05 * norm, kTiny);
        const bool over = ++norm_sweeps_ == kNormSweeps || square == 0;
        for (SimplexColumn& column : state_.columns) {
            column.up.now = over ? 0 : column.up.now / std::sqrt(square);
            column.down.now = over ? 0 : column.down.now / std::sqrt(square);
        }
        if (!over) return;
        stage_ = Stage::descend;
        alpha_ = 0;
    }

    // Records the values of both points, and returns the better one.
    View look() {
        const View views[] = {{false, 1}, {true, static_cast<double>(steps_)}};
        int better = 0;
        double merits[2] = {};
        for (int k = 0; k < (steps_ > 0 ? 2 : 1); ++k) {
            const SimplexPrimal primal(state_, views[k], shift_);
            keep(primal, views[k]);
            dual_ = std::max(dual_, dual_below(state_, views[k], task_));
            merits[k] = merit(primal, views[k]);
            if (merits[k] < merits[better]) better = k;
        }
        merit_ = merits[better];
        return views[better];
    }

    void keep(const SimplexPrimal& primal, const View& view) {
        const double plain = primal.value(task_), stretched = primal.stretched(task_);
        if (!(std::min(plain, stretched) < value_)) return;
        value_ = std::min(plain, stretched);
        const double scale = stretched < plain ? 1 / primal.least : 1;
        best_.resize(state_.columns.size());
        for (std::size_t j = 0; j < best_.size(); ++j)
            best_[j] = scale * (view(state_.columns[j].up) - view(state_.columns[j].down));
    }

    // |primal − dual|, even if they are infeasible, plus the cost of the infeasibility: its size
    // times that of the multipliers, each in the norm of its steps.
    double merit(const SimplexPrimal& primal, const View& view) const {
        double violation = 0, size = 0, dual = 0;
        for (const SimplexRow& row : state_.rows) {
            const double step = step_ / (row.length * balance_), alpha = view(row.alpha);
            const double slack = std::isinf(task_.passes) ? 1 - view(row.score) : 0;
            violation += slack > 0 ? step * slack * slack : 0;
            size += alpha * alpha / step;
            dual += alpha;
        }
        const double mass = task_.mass() + shift_ * dual;
        for (const SimplexColumn& column : state_.columns) {
            const double step = step_ * balance_ / column.length, pull = view(column.pull);
            const double excess = (task_.balanced ? std::fabs(pull) : pull) - mass;
            const double up = view(column.up), down = view(column.down);
            violation += excess > 0 ? step * excess * excess : 0;
            size += (up * up + down * down) / step;
        }
        const double loss = std::isinf(task_.passes) ? 0 : task_.passes * primal.loss;
        return std::fabs(task_.mass() * primal.norm + loss - dual) + std::sqrt(violation * size);
    }

    // If the merit fell far enough, if it fell somewhat and no longer falls, or after a long time
    // (applegate2021, Sec. 3).
    void consider_restart() {
        const double before = merit_;
        const View better = look();
        const bool fell = merit_ <= 0.2 * restart_merit_;
        const bool stalls = merit_ <= 0.8 * restart_merit_ && merit_ > before;
        if (fell || stalls || static_cast<double>(steps_) >= 0.36 * static_cast<double>(sweeps_))
            restart(better);
    }

    void restart(const View& view) {
        restart_merit_ = merit_;
        rebalance(view);
        alpha_ = 0;
        for (SimplexRow& row : state_.rows) {
            row.alpha.restart(view(row.alpha));
            row.score.restart(view(row.score));
            alpha_ += row.alpha.now;
        }
        for (SimplexColumn& column : state_.columns)
            for (Track* track : {&column.up, &column.down, &column.pull})
                track->restart(view(*track));
        steps_ = 0;
    }

    // ω ← √(ω ‖Δw‖/‖Δα‖) in the norms of the lengths (applegate2021, Algorithm 3).
    void rebalance(const View& view) {
        double w = 0, alpha = 0;
        for (const SimplexColumn& column : state_.columns)
            for (const Track* track : {&column.up, &column.down})
                w += view.moved(*track) * view.moved(*track) * column.length;
        for (const SimplexRow& row : state_.rows)
            alpha += view.moved(row.alpha) * view.moved(row.alpha) * row.length;
        if (w > 1e-100 && alpha > 1e-100 && std::isfinite(w) && std::isfinite(alpha))
            balance_ = std::sqrt(balance_ * std::sqrt(w / alpha));
    }

    SimplexTask task_;
    const double bias_;
    double shift_ = 0;  // c
    std::vector<std::int8_t> labels_;
    std::vector<Part> parts_;
    std::vector<double> lengths_;  // of the columns while rows are added
    std::size_t columns_ = 0;      // up to the last that is not 0 in every row
    SimplexState state_;
    Stage stage_ = Stage::norm;
    bool between_ = true;              // two sweeps
    std::size_t part_ = 0, next_ = 0;  // the row that comes next
    std::vector<double> w_, pull_;     // of this sweep: up − down, η Σ α y x so far
    double bias_weight_ = 0, bias_pull_ = 0;
    double total_ = 0, alpha_ = 0;                           // Σ (up + down), Σ α so far
    double step_ = 1, balance_ = 1;                          // 1/‖A‖ and ω
    std::int64_t norm_sweeps_ = 0, sweeps_ = 0, steps_ = 0;  // steps since the restart
    double merit_ = kInfinity, restart_merit_ = kInfinity;
    std::vector<double> best_;
    double value_ = kInfinity, dual_ = 0, limit_ = kInfinity;
};

}  // namespace novikoff
