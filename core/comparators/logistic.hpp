// min over u of Σ_t ln(1 + e^{−y_t u·x_t}) + ½ Σ_i λ_i u_i², by dual coordinate descent (yu2011,
// Algorithm 5). The dual is
//     max over 0 ≤ α_t ≤ 1 of Σ_t H(α_t) − ½ Σ_i λ_i u_i²,  u_i = Σ_t α_t y_t x_ti / λ_i,
// with H(α) = −α ln α − (1 − α) ln(1 − α). The best α_t, all others fixed, is σ(−z) for the z with
//     z = b + a σ(−z),  a = Σ_i x_ti²/λ_i,  b = y_t u·x_t − a α_t,
// which is the margin that the row then has. The right side falls as z grows, so Newton's method
// between b and b + a finds it. Columns whose λ lies outside [2^−900, 2^900] keep u_i = 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../numbers/floats.hpp"
#include "mixed_tour.hpp"
#include "products.hpp"

namespace novikoff {

// σ(−z) = 1/(1 + e^z).
inline double chance_of_error(double z) {
    const double e = floats::exp(-std::fabs(z));
    return (z < 0 ? 1.0 : e) / (1.0 + e);
}

inline bool is_usable_penalty(double lambda) { return lambda >= 0x1p-900 && lambda <= 0x1p900; }

class LogisticDual {
  public:
    using Label = std::int8_t;
    const double bias;

    // λ of the constant feature first, then of the others.
    LogisticDual(std::vector<double> lambdas, double bias)
        : bias(bias), u_(lambdas.size()), price_(std::move(lambdas)) {
        for (double& lambda : price_) lambda = is_usable_penalty(lambda) ? 1 / lambda : 0;
    }

    std::size_t rows() const { return rows_.size(); }
    double alpha(std::size_t t) const { return rows_[t].alpha; }
    std::int64_t passes() const { return passes_; }
    double gap_estimate() const { return gap_; }
    double primal_estimate() const { return loss_ + penalty(); }
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
            const double a = depth(x);  // of 0: no u changes the row's margin, 0
            rows_[first + t] = {labels[t], a, a > 0 ? 0 : 0.5, a > 0 ? kFar : 0};
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
    // of a pass; its estimates are then known.
    template <class Blocks>
    bool advance(const Blocks& blocks) {
        for (std::size_t values = 0; !tour_.done() && values <= kSlice; tour_.proceed()) {
            const MixedTour::Run& run = tour_.run();
            blocks(run.block, [&](const auto& block) { work(block, run); });
            values += run.values;
        }
        if (!tour_.done()) return false;
        gap_ = sums_.gap;
        loss_ = sums_.loss;
        ++passes_;
        begin();
        return true;
    }

  private:
    struct DualRow {
        Label y;
        double depth;   // a
        double alpha;   // σ(−margin)
        double margin;  // that α is the best for
    };
    struct Sums {
        double gap = 0, loss = 0;
    };

    static constexpr double kFar = 1000;            // a margin whose α is as good as 0
    static constexpr int kSteps = 20;               // of Newton's method
    static constexpr std::size_t kSlice = 1 << 18;  // values

    void begin() {
        sums_ = {};
        tour_.begin(static_cast<std::uint64_t>(passes_));
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
            if (!readable(block, t)) throw std::invalid_argument("rows that lie within the arrays");
            step(block.row(t, bias), rows_[run.first + t]);
        }
    }

    template <class Row>
    void step(const Row& x, DualRow& row) {
        const double y = row.y;
        const double z = y * (product(u_.data() + 1, x) + u_[0] * x.bias);
        const double error = chance_of_error(z);
        sums_.loss += (z < 0 ? -z : 0) + floats::log1p(floats::exp(-std::fabs(z)));
        if (!(row.depth > 0) || !std::isfinite(row.depth)) return;  // no α of it moves u
        // KL(α ‖ σ(−z)), the row's share of the gap, is at most that in both directions.
        sums_.gap += (z - row.margin) * (row.alpha - error);
        row.margin = settled_margin(z, error, row);
        const double change = chance_of_error(row.margin) - row.alpha;
        row.alpha += change;
        if (change != 0) move(x, y * change);
    }

    // The z of the row's best α, closely enough.
    static double settled_margin(double z, double error, const DualRow& row) {
        double low = z - row.depth * row.alpha, high = low + row.depth;
        const double start = low;
        for (int k = 0; k < kSteps; ++k) {
            const double excess = (z - start) - row.depth * error;
            (excess > 0 ? high : low) = z;
            const double next = z - excess / (1 + row.depth * error * (1 - error));
            const bool inside = next > low && next < high;
            const double moved = inside ? next : low + (high - low) / 2;
            const bool near = std::fabs(moved - z) <= 1e-9 * (1 + std::fabs(z));
            z = moved;
            if (near) break;
            error = chance_of_error(z);
        }
        return z;
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
    std::vector<DualRow> rows_;
    MixedTour tour_;
    Sums sums_;  // of the pass under way
    double gap_ = std::numeric_limits<double>::infinity(), loss_ = 0;
    std::int64_t passes_ = 0;
};

}  // namespace novikoff
