// Soft-margin comparators by dual coordinate descent (hsieh2008, Algorithm 3), with the constant
// feature as one more coordinate. The rows stay with the caller; α, ‖x‖², y and the order take 21
// bytes a row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "products.hpp"
#include "soft_loss.hpp"
#include "tour.hpp"

namespace novikoff {

// Work is done in slices; where they end changes no bit of the result.
class SoftMargin {
  public:
    SoftMargin(double cost, bool squared, double bias) : loss_{cost, squared}, bias_(bias) {}

    // Takes the rows of one more block. Returns the number of rows, or the first row refused (an
    // index out of bounds or twice, ‖x‖² beyond float64, a label other than ±1), nothing taken.
    template <class Block>
    std::size_t add(const Block& block, const std::int8_t* labels) {
        const std::size_t first = rows();
        duals_.resize(first + block.rows);
        labels_.resize(first + block.rows);
        std::size_t refused = block.rows, values = 0;
        const auto measured = [](const auto& x) { return measure(x); };
        const auto take = [&](std::size_t t, const auto& x, const Extent& extent) {
            duals_[first + t] = {0, extent.norm2};
            labels_[first + t] = labels[t];
            values += x.size;
            const bool sound = std::isfinite(extent.norm2) && (labels[t] == 1 || labels[t] == -1);
            if (!sound) refused = std::min(refused, t);
        };
        refused = std::min(refused, for_rows(block, bias_, measured, take));
        if (refused != block.rows) return refused;
        if (block.columns > w_.size()) w_.resize(block.columns);
        tour_.add(block.rows, values);
        restart();
        return block.rows;
    }

    // Another C, going on from k α with the k that makes the dual largest: Σα / (‖w‖² + Σα²/C),
    // or the largest with k α ≤ C.
    void set_cost(double cost) {
        loss_.cost = cost;
        const SoftTotals sums = dual_sums();
        double most = 0;
        for (const Dual& dual : duals_) most = std::max(most, dual.alpha);
        if (most > 0) {
            const double best = sums.alpha / (sums.norm2 + loss_.diagonal() * sums.alpha_square);
            const double scale = std::min(best, loss_.upper() / most);
            for (Dual& dual : duals_) dual.alpha = std::min(scale * dual.alpha, loss_.upper());
            for (double& weight : w_) weight *= scale;
            bias_weight_ *= scale;
        }
        restart();
    }

    // One slice of work on the blocks, of which `blocks(k, f)` shows the k-th to f. True when
    // there is no more to do: the gap, measured, is within tolerance · primal, or no α moves.
    template <class Blocks>
    bool advance(const Blocks& blocks, double tolerance) {
        if (within(tolerance) || settled()) return true;
        if (tour_.done()) return finish(tolerance);
        try {
            blocks(tour_.block(), [&](const auto& block) { work(block); });
        } catch (...) {
            if (measuring()) begin(Stage::rebuild);  // its sums are spoilt
            throw;
        }
        tour_.proceed();
        return false;
    }

    // Turns to measuring the gap of the α of now, however large it may be.
    void want_measure() {
        if (!known_ && stage_ == Stage::descend) begin(Stage::rebuild);
    }

    std::size_t rows() const { return tour_.rows(); }
    std::size_t active() const { return tour_.active(); }
    double alpha(std::size_t t) const { return duals_[t].alpha; }
    const std::vector<double>& weights() const { return w_; }
    double bias_weight() const { return bias_weight_; }
    const SoftLoss& loss() const { return loss_; }
    std::int64_t passes() const { return passes_; }
    bool measuring() const { return stage_ != Stage::descend; }

    // Were w and α measured as they are now? What follows is of the last measurement.
    bool known() const { return known_; }
    bool settled() const { return known_ && settled_; }
    bool within(double tolerance) const { return known_ && gap() <= tolerance * primal(); }
    const SoftTotals& measured() const { return measured_; }
    // primal − dual, as a sum of terms that are not negative. The w it was measured with differs
    // from Σ α y x by rounding, δ, of which the gap feels only ½‖δ‖².
    double gap() const { return measured_.gap; }
    double primal() const { return measured_.primal(loss_); }
    double dual() const { return measured_.dual(loss_); }

  private:
    enum class Stage { descend, rebuild, measure };
    struct Dual {
        double alpha, norm2;
    };
    struct Pass {
        double highest = -kInfinity, lowest = kInfinity;  // projected gradients met
        double estimate = 0;  // what the rows added to the gap, each before its own step
        std::size_t steps = 0;
    };

    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static constexpr double kStill = 1e-12;  // a projected gradient not worth a step
    static constexpr std::size_t kNear = 2, kFar = 8;

    SoftTotals dual_sums() const {
        const auto alpha = [&](std::size_t t) { return duals_[t].alpha; };
        const auto alpha_square = [&](std::size_t t) { return alpha(t) * alpha(t); };
        const auto square = [&](std::size_t j) { return w_[j] * w_[j]; };
        SoftTotals sums;
        sums.alpha = sum_lanes(rows(), alpha);
        sums.alpha_square = sum_lanes(rows(), alpha_square);
        sums.norm2 = sum_lanes(w_.size(), square) + bias_weight_ * bias_weight_;
        return sums;
    }

    // Every row takes part again.
    void restart() {
        tour_.begin_in_order();
        highest_ = kInfinity, lowest_ = -kInfinity;
        dual_ = dual_sums().dual(loss_);
        visited_ = 0;
        estimate_ = 0, forecast_then_ = kInfinity;
        known_ = false;
        begin(Stage::descend);
    }

    void begin(Stage stage) {
        stage_ = stage;
        pass_ = {};
        if (stage == Stage::descend) return tour_.begin_random(static_cast<std::uint64_t>(passes_));
        tour_.begin_in_order();
        if (stage == Stage::measure) {
            measured_ = {};
            measured_.gap = 0;
        } else {
            fresh_.assign(w_.size(), 0);
            fresh_bias_ = 0;
        }
    }

    bool finish(double tolerance) {
        if (stage_ == Stage::descend) {
            end_pass();
            begin(due(tolerance) ? Stage::rebuild : Stage::descend);
        } else if (stage_ == Stage::rebuild) {
            w_.swap(fresh_);
            bias_weight_ = fresh_bias_;
            begin(Stage::measure);
        } else {
            end_measure();
            begin(Stage::descend);
        }
        return within(tolerance) || settled();
    }

    void end_pass() {
        ++passes_;
        settled_ = known_;  // no step since the measurement, in a whole pass
        const double pace = estimate_ > 0 ? std::min(pass_.estimate / estimate_, 1.0) : 1;
        estimate_ = pass_.estimate;
        forecast_ = estimate_ * std::sqrt(pace);
        take_bounds();
    }

    // Beyond them a bounded α is left out; those of one sign alone say nothing.
    void take_bounds() {
        highest_ = pass_.highest > 0 ? pass_.highest : kInfinity;
        lowest_ = pass_.lowest < 0 ? pass_.lowest : -kInfinity;
    }

    // Is a measurement worth it? It costs about half a pass over all rows.
    bool due(double tolerance) const {
        if (pass_.steps == 0) return !known_;
        const bool hopeful = ratio_ * forecast_ <= tolerance * (dual_ + forecast_);
        return hopeful && (2 * visited_ >= rows() || 2 * forecast_ <= forecast_then_);
    }

    void end_measure() {
        const SoftTotals sums = dual_sums();
        measured_.alpha = sums.alpha, measured_.alpha_square = sums.alpha_square;
        measured_.norm2 = sums.norm2;
        known_ = true;
        settled_ = false;
        if (forecast_ > 0) ratio_ = std::clamp(gap() / forecast_, 0.5, 1.0);
        forecast_then_ = forecast_;
        visited_ = 0;
        dual_ = dual();
        take_bounds();
    }

    template <class Block>
    void work(const Block& block) {
        for (std::size_t i = 0; i < tour_.size(); ++i) {
            if (stage_ == Stage::rebuild) {
                rebuild(block, tour_[i]);
            } else if (stage_ == Stage::measure) {
                if (!inspect(block, tour_[i])) tour_.leave_out(i);
            } else {
                if (i + kFar < tour_.size()) look_ahead(block, tour_[i + kNear], tour_[i + kFar]);
                if (!step(block, tour_[i])) tour_.leave_out(i);
            }
        }
    }

    template <class Block>
    void look_ahead(const Block& block, std::size_t near, std::size_t far) const {
        request_row(block, near);
        request_start(block, far);
        __builtin_prefetch(&duals_[tour_.first() + far]);
    }

    template <class Block>
    auto row(const Block& block, std::size_t t) const {
        if (!readable(block, t)) throw std::invalid_argument("rows that lie within the arrays");
        return block.row(t, bias_);
    }

    template <class Row>
    double slack(const Row& x, double y) const {
        return 1 - y * (product(w_.data(), x) + bias_weight_ * bias_);
    }

    // The projected gradient, 0 where α stands against its bound; false when it stands there so
    // firmly that its row may be left out (hsieh2008, Sec. 3.2).
    bool project(double alpha, double& gradient) {
        if (alpha == 0) {
            if (gradient > highest_) return false;
            gradient = std::min(gradient, 0.0);
        } else if (alpha == loss_.upper()) {
            if (gradient < lowest_) return false;
            gradient = std::max(gradient, 0.0);
        }
        pass_.highest = std::max(pass_.highest, gradient);
        pass_.lowest = std::min(pass_.lowest, gradient);
        return true;
    }

    // α ← the α in [0, upper] that makes the dual largest, w with it.
    template <class Block>
    bool step(const Block& block, std::size_t t) {
        const auto x = row(block, t);
        Dual& dual = duals_[tour_.first() + t];
        const double y = labels_[tour_.first() + t], alpha = dual.alpha;
        const double slack_now = slack(x, y);
        pass_.estimate += loss_.gap(alpha, slack_now);
        ++visited_;
        double gradient = loss_.diagonal() * alpha - slack_now;
        if (!project(alpha, gradient)) return false;
        if (std::fabs(gradient) <= kStill) return true;
        const double curvature = dual.norm2 + loss_.diagonal();
        dual.alpha = std::clamp(alpha - gradient / curvature, 0.0, loss_.upper());
        const double change = dual.alpha - alpha;
        if (change == 0) return true;
        dual_ -= change * (gradient + change * curvature / 2);
        add_scaled(w_.data(), x, change * y);
        bias_weight_ += change * y * bias_;
        ++pass_.steps;
        known_ = false;
        return true;
    }

    template <class Block>
    void rebuild(const Block& block, std::size_t t) {
        const double scale = duals_[tour_.first() + t].alpha * labels_[tour_.first() + t];
        if (scale == 0) return;
        add_scaled(fresh_.data(), row(block, t), scale);
        fresh_bias_ += scale * bias_;
    }

    template <class Block>
    bool inspect(const Block& block, std::size_t t) {
        const double alpha = duals_[tour_.first() + t].alpha;
        const double slack_now = slack(row(block, t), labels_[tour_.first() + t]);
        const double hinge = std::max(slack_now, 0.0);
        measured_.gap += loss_.gap(alpha, slack_now);
        measured_.hinge += hinge;
        measured_.hinge_square += hinge * hinge;
        double gradient = loss_.diagonal() * alpha - slack_now;
        return project(alpha, gradient);
    }

    SoftLoss loss_;
    double bias_;
    Tour tour_;
    std::vector<Dual> duals_;
    std::vector<std::int8_t> labels_;
    std::vector<double> w_, fresh_;  // fresh_ becomes w_ when it is whole
    double bias_weight_ = 0, fresh_bias_ = 0;

    Stage stage_ = Stage::descend;
    Pass pass_;
    std::int64_t passes_ = 0;
    double highest_ = kInfinity, lowest_ = -kInfinity;  // of the pass before
    double dual_ = 0;                                   // the dual, step by step
    double estimate_ = 0, forecast_ = 0;  // of the pass before, and of the gap after it
    // When the gap was measured last: the estimate then, the gap's share in it, rows seen since.
    double forecast_then_ = kInfinity, ratio_ = 1;
    std::size_t visited_ = 0;

    SoftTotals measured_;
    bool known_ = false, settled_ = false;
};

}  // namespace novikoff
