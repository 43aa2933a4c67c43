// Soft-margin comparators by dual coordinate descent (hsieh2008, Algorithm 3), down to a measured
// duality gap. Dual is SoftDual for two labels, which keeps 21 bytes per row, and ClassDual for
// more; the rows stay with the caller. It works in slices short enough to check the clock between
// them; where they end changes no bit of the result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "forecast.hpp"
#include "products.hpp"
#include "soft_loss.hpp"
#include "tour.hpp"

namespace novikoff {

template <class Dual>
class SoftMargin {
  public:
    using Label = typename Dual::Label;

    explicit SoftMargin(Dual dual) : cost_(dual.loss.cost), dual_(std::move(dual)) {}

    // Takes the rows of one more block. Returns the number of rows, or the first row refused (an
    // index out of bounds or repeated, ‖x‖² beyond float64, an invalid label); then it takes none.
    template <class Block>
    std::size_t add(const Block& block, const Label* labels) {
        std::size_t values = 0;
        const std::size_t taken = dual_.add(block, labels, rows(), values);
        if (taken != block.rows) return taken;
        tour_.add(block.rows, values);
        restart();
        return taken;
    }

    // Another C, starting from the current α.
    void set_cost(double cost) {
        cost_ = cost;
        climb();
    }

    // One slice of work on the blocks; `blocks(k, f)` shows the k-th to f. True if there is nothing
    // left to do: the measured gap is within tolerance · primal, or no α moves.
    template <class Blocks>
    bool advance(const Blocks& blocks, double tolerance) {
        if (within(tolerance) || settled()) return true;
        if (tour_.done()) return finish(tolerance);
        try {
            blocks(tour_.block(), [&](const auto& block) { work(block); });
        } catch (...) {
            if (measuring()) begin(Stage::rebuild);  // its sums are no longer valid
            throw;
        }
        tour_.proceed();
        return false;
    }

    // Starts to measure the gap of the current α, however large it is.
    void want_measure() {
        if (known() || measuring()) return;
        known_ = false;
        dual_.loss.cost = cost_;
        begin(Stage::rebuild);
    }

    double cost() const { return cost_; }
    bool squared() const { return dual_.loss.squared; }
    std::size_t rows() const { return tour_.rows(); }
    std::size_t active() const { return tour_.active(); }
    std::int64_t passes() const { return passes_; }
    bool measuring() const { return stage_ != Stage::descend; }
    const Dual& dual() const { return dual_; }

    // Were the current w and α measured? The functions below report the last measurement.
    bool known() const { return known_ && dual_.pass().steps == 0; }
    bool settled() const { return known() && settled_; }
    bool within(double tolerance) const { return known() && totals_.gap <= tolerance * primal(); }
    // The gap is primal − dual as a sum of terms ≥ 0. The measured w differs from Σ α y x by a
    // rounding error δ, which changes the gap by only ½‖δ‖².
    const SoftTotals& totals() const { return totals_; }
    double primal() const { return totals_.primal({cost_, squared()}); }
    double dual_value() const { return totals_.dual(); }

  private:
    enum class Stage { descend, rebuild, measure };

    static constexpr std::size_t kNear = 2, kFar = 8;  // rows to look ahead
    static constexpr double kClimb = 10;

    // Large C are slow to solve from nothing (C‖x‖² says how slow), so the solver approaches them
    // from smaller ones and solves each of those well: correcting α is cheap while C is small.
    void climb() {
        dual_.scale_to(std::min(cost_, kClimb * dual_.loss.cost));
        restart();
    }

    // Every row takes part again.
    void restart() {
        SoftTotals totals;
        dual_.add_dual(totals);
        if (totals.alpha == 0) {
            const double easy = 1 / dual_.mean_norm2();
            dual_.loss.cost = cost_ <= kClimb * easy ? cost_ : easy;
        }
        dual_.forget_bounds();
        forecast_.restart();
        totals_ = {};
        known_ = false;
        tour_.begin_in_order();
        begin(Stage::descend);
    }

    void begin(Stage stage) {
        stage_ = stage;
        dual_.begin_pass();
        if (stage == Stage::descend) return tour_.begin_random(static_cast<std::uint64_t>(passes_));
        tour_.begin_in_order();
        if (stage == Stage::rebuild) dual_.begin_rebuild();
        sums_ = SoftTotals::none();
    }

    template <class Block>
    void work(const Block& block) {
        const std::size_t first = tour_.first();
        for (std::size_t i = 0; i < tour_.size(); ++i) {
            const std::size_t t = tour_[i];
            if (stage_ == Stage::descend) {
                if (i + kFar < tour_.size()) look_ahead(block, tour_[i + kNear], tour_[i + kFar]);
                if (!dual_.step(row(block, t), first + t)) tour_.leave_out(i);
            } else if (stage_ == Stage::rebuild) {
                if (dual_.alpha(first + t) != 0) dual_.rebuild(row(block, t), first + t);
            } else {
                if (!dual_.inspect(row(block, t), first + t, sums_)) tour_.leave_out(i);
            }
        }
    }

    template <class Block>
    auto row(const Block& block, std::size_t t) const {
        if (!readable(block, t)) throw std::invalid_argument("rows that lie within the arrays");
        return block.row(t, dual_.bias);
    }

    template <class Block>
    void look_ahead(const Block& block, std::size_t near, std::size_t far) const {
        request_row(block, near);
        request_start(block, far);
        __builtin_prefetch(dual_.address(tour_.first() + far));
    }

    bool finish(double tolerance) {
        if (stage_ == Stage::descend) {
            end_pass(tolerance);
        } else if (stage_ == Stage::rebuild) {
            dual_.end_rebuild();
            begin(Stage::measure);
        } else {
            end_measure();
            begin(Stage::descend);
        }
        return within(tolerance) || settled();
    }

    void end_pass(double tolerance) {
        const typename Dual::Pass& pass = dual_.pass();
        const bool still = pass.steps == 0, summit = dual_.loss.cost == cost_;
        ++passes_;
        known_ = settled_ = known();  // a whole pass without a step since the measurement
        forecast_.end_pass(pass.estimate, pass.visited);
        dual_.take_bounds();
        const double wanted = summit ? tolerance : Dual::kClimbTolerance;
        const bool hopeful = still || forecast_.hopeful(wanted, dual_.value());
        if (hopeful && !summit) return climb();
        const bool measure = still ? !known_ : hopeful && forecast_.affordable(rows());
        begin(measure ? Stage::rebuild : Stage::descend);
    }

    void end_measure() {
        dual_.add_dual(sums_);
        dual_.take_bounds();
        forecast_.measured(sums_.gap);
        totals_ = sums_;
        known_ = true;
        settled_ = false;
    }

    double cost_;
    Dual dual_;  // its C is on the way to cost_
    Tour tour_;
    Stage stage_ = Stage::descend;
    std::int64_t passes_ = 0;
    GapForecast forecast_;
    SoftTotals totals_, sums_;  // of the last measurement, of the one under way
    bool known_ = false, settled_ = false;
};

}  // namespace novikoff
