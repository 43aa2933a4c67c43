// min over u of Σ_t ℓ_t(u·x_t) + ½ Σ_i λ_i u_i² for a loss of penalised_losses.hpp, by dual
// coordinate descent (hsieh2008, Algorithm 3; yu2011, Algorithm 5 for the logistic loss): each step
// sets α_t to the best for its row, all others fixed, and keeps u_i = Σ_t α_t c_t x_ti/λ_i.
// Columns whose λ lies outside [2^−900, 2^900] keep u_i = 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "mixed_tour.hpp"
#include "penalised_losses.hpp"
#include "products.hpp"

namespace novikoff {

inline bool is_usable_penalty(double lambda) { return lambda >= 0x1p-900 && lambda <= 0x1p900; }

// An α that stands at an end of its range, pressed against it more strongly than any α that could
// move was pulled in the pass before, is left out of passes (hsieh2008, Sec. 3.2).
class Standing {
  public:
    template <class Loss>
    bool firm(const typename Loss::Row& row, double slope) {
        if (row.alpha == Loss::kLow) {
            if (slope < lowest_) return true;
            slope = std::max(slope, 0.0);
        } else if (row.alpha == Loss::kHigh) {
            if (slope > highest_) return true;
            slope = std::min(slope, 0.0);
        }
        most_ = std::max(most_, slope);
        least_ = std::min(least_, slope);
        return false;
    }
    // A pass ends. Slopes of only one sign say nothing about the other end.
    void proceed() {
        highest_ = most_ > 0 ? most_ : kNone;
        lowest_ = least_ < 0 ? least_ : -kNone;
        most_ = -kNone, least_ = kNone;
    }
    void forget() { *this = {}; }

  private:
    static constexpr double kNone = std::numeric_limits<double>::infinity();
    double highest_ = kNone, lowest_ = -kNone;  // of the pass before
    double most_ = -kNone, least_ = kNone;      // of this one
};

template <class Loss>
class PenalisedDual {
  public:
    using Label = typename Loss::Label;
    const double bias;

    // λ of the constant feature first, then of the others.
    PenalisedDual(std::vector<double> lambdas, double bias)
        : bias(bias), u_(lambdas.size()), price_(std::move(lambdas)) {
        for (double& lambda : price_) lambda = is_usable_penalty(lambda) ? 1 / lambda : 0;
    }

    std::size_t rows() const { return rows_.size(); }
    double alpha(std::size_t t) const { return rows_[t].alpha; }
    // The work so far, in passes over all rows: a row that is left out costs a little too.
    std::int64_t passes() const {
        return static_cast<std::int64_t>(work_ / (kVisit * std::max<std::size_t>(rows(), 1)));
    }
    double bias_weight() const { return u_[0]; }
    std::vector<double> weights() const { return {u_.begin() + 1, u_.end()}; }

    // Takes the rows of one more block. Returns the number of rows, or the first row refused; then
    // it takes none.
    template <class Block>
    std::size_t add(const Block& block, const Label* labels) {
        const std::size_t first = rows();
        if (block.columns >= u_.size()) throw std::invalid_argument("a λ for every feature");
        std::size_t values = 0;
        rows_.resize(first + block.rows);
        const auto measured = [](const auto& x) { return measure(x); };
        const auto take = [&](std::size_t t, const auto& x, const Extent&) {
            rows_[first + t] = Loss::begun(labels[t], depth(x));  // of 0: no u changes its z, 0
            values += x.size;
        };
        const std::size_t taken = for_rows(block, bias, measured, take);
        if (taken != block.rows) {
            rows_.resize(first);
            return taken;
        }
        tour_.add(block.rows, values);
        tour_.forget();
        begin();
        return taken;
    }

    // One slice of a pass over the rows; `blocks(k, f)` shows the k-th block to f. True at the end
    // of a pass.
    template <class Blocks>
    bool advance(const Blocks& blocks) {
        for (std::size_t values = 0; !tour_.done() && values <= kSlice; tour_.proceed()) {
            const MixedTour::Run& run = tour_.run();
            blocks(run.block, [&](const auto& block) { work(block, run); });
            values += run.values;
        }
        if (!tour_.done()) return false;
        work_ += kVisit * (rows() - left_out_) + left_out_;
        whole_ = left_out_ == 0;
        gap_ = sums_.gap;
        if (whole_) loss_ = sums_.loss, whole_gap_ = gap_;
        left_out_ = sums_.left_out;
        standing_.proceed();
        // The rows left out may have moved by now as far as the others.
        if (!whole_ && gap_ <= kSettled * whole_gap_) readmit();
        ++tours_;
        begin();
        return true;
    }

    // At the end of a pass: is the gap estimated to be within tolerance · primal? Each row adds to
    // the estimate what it has before its own step. If some rows were left out, all of them take
    // part in the next pass.
    bool near(double tolerance) {
        if (!(gap_ <= tolerance * (loss_ + penalty()))) return false;
        if (!whole_ && left_out_ != 0) readmit();
        return whole_;
    }

  private:
    struct Sums {
        double gap = 0, loss = 0;
        std::size_t left_out = 0;
    };

    static constexpr double kSettled = 0.1;
    static constexpr std::size_t kSlice = 1 << 18;  // values
    static constexpr std::size_t kVisit = 16;       // a visit's work; to pass a row by takes 1

    void begin() {
        sums_ = {};
        tour_.begin(tours_);
    }

    template <class Row>
    double depth(const Row& x) const {
        double sum = 0;
        for_each(x, [&](Coordinate j, double v) { sum += v * (v * price_at(j)); });
        return sum;
    }

    template <class Block>
    void work(const Block& block, const MixedTour::Run& run) {
        for (std::size_t t = run.begin; t < run.end; ++t) {
            auto& row = rows_[run.first + t];
            if constexpr (Loss::kEnds) {
                if (row.out) {
                    ++sums_.left_out;
                    continue;
                }
            }
            if (!readable(block, t)) throw std::invalid_argument("rows that lie within the arrays");
            step(block.row(t, bias), row);
        }
    }

    template <class Row>
    void step(const Row& x, typename Loss::Row& row) {
        const double c = Loss::side(row.y);
        const double z = c * (product(u_.data() + 1, x) + u_[0] * x.bias);
        sums_.loss += Loss::loss(row.y, z);
        if (!(row.depth > 0) || !std::isfinite(row.depth)) return;  // no α of it moves u
        if (!std::isfinite(z)) return;
        sums_.gap += Loss::gap(row, z);
        if constexpr (Loss::kEnds) {
            row.out = standing_.template firm<Loss>(row, Loss::slope(row, z));
            if (row.out) {
                ++sums_.left_out;
                return;
            }
        }
        const double next = Loss::settle(row, z), change = next - row.alpha;
        row.alpha = next;
        if (change != 0) move(x, c * change);
    }

    void readmit() {
        if constexpr (Loss::kEnds) {
            for (auto& row : rows_) row.out = false;
        }
        standing_.forget();
        left_out_ = 0;
    }

    template <class Row>
    void move(const Row& x, double by) {
        for_each(x, [&](Coordinate j, double v) {
            u_[static_cast<std::size_t>(j + 1)] += by * (v * price_at(j));
        });
    }

    double price_at(Coordinate j) const { return price_[static_cast<std::size_t>(j + 1)]; }
    double penalty() const {
        double sum = 0;
        for (std::size_t i = 0; i < u_.size(); ++i)
            if (price_[i] > 0) sum += u_[i] * (u_[i] / price_[i]);
        return sum / 2;
    }

    std::vector<double> u_, price_;  // the constant feature first; 1/λ, or 0 if λ is out of range
    std::vector<typename Loss::Row> rows_;
    MixedTour tour_;
    Standing standing_;
    Sums sums_;                                             // of the pass under way
    std::size_t left_out_ = 0;                              // rows that do not take part in it
    bool whole_ = false;                                    // all rows took part in the last pass
    double gap_ = std::numeric_limits<double>::infinity();  // estimated in the last pass
    double whole_gap_ = gap_, loss_ = 0;                    // in the last pass of all rows
    std::uint64_t tours_ = 0;
    std::size_t work_ = 0;
};

}  // namespace novikoff
