// The float program forward-regression/1 (docs/programs.md), the forecaster of Vovk, Azoury and
// Warmuth. With A = ridge·I + Σ x xᵀ over the rounds before and b = Σ y x:
//     ŷ = b·v,  v = (A + x xᵀ)⁻¹ x,  then  A += x xᵀ,  b += y x.
// P approximates A⁻¹ by the formula of Sherman and Morrison, so v = k/(1 + x·k) with k = P x. One
// step of refinement removes nearly all of P's error: r = x − (A + x xᵀ) v, and v += P' r, where
// P' = P − k kᵀ/(1 + x·k). What error is left is measured with the new r, and `drift` adds it up.
// Every line here has its twin on that page; the order of operations is the program.
#pragma once

#include <cmath>
#include <limits>

#include "../../numbers/floats.hpp"
#include "../../playing/access.hpp"
#include "growing_matrix.hpp"
#include "real_labels.hpp"

namespace novikoff {

// What predicting leaves for learning: the features of x, those without a slot behind the others.
struct RegressionRow {
    std::vector<std::size_t> slot;  // of the values of x other than 0
    std::vector<Coordinate> joining;
    std::vector<double> z, k, v, r, g;  // one for each slot; z is x
    double d = 1;
    bool sound = true;
};

class ForwardRegression : public Real {
  public:
    struct Prediction {
        Label label;
        RegressionRow* row;
    };
    static constexpr bool kWholeRows = true;
    static constexpr std::size_t kMostFeatures = 1001;  // 1,000 and the constant one

    const double bias, ridge;
    std::int64_t rounds = 0;
    Access access;

    ForwardRegression(double bias_value, double ridge_value)
        : bias(bias_value), ridge(ridge_value) {}

    std::size_t dimension() const { return dimension_; }
    void grow(std::size_t dimension) { dimension_ = std::max(dimension_, dimension); }
    std::size_t bytes() const { return P_.bytes() + A_.bytes() + A_rest_.bytes(); }
    bool saturated() const { return false; }
    std::size_t features() const { return slots_.size(); }

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(x);
    }

    // Whether every value is in range and the new features find room.
    template <class Row>
    bool takes(const Row& x) const {
        std::size_t size = slots_.size();
        bool sound = true;
        for_each(x, [&](Coordinate j, double value) {
            sound = sound && in_range(value);
            size += slots_.slot_of(j) == Slots<kMostFeatures>::kNone;
        });
        return sound && size <= kMostFeatures;
    }

    template <class Row>
    Prediction predict(const Row& x, const Extent&, Effort&) const {
        thread_local RegressionRow row;
        return {played(x, row), &row};
    }

    template <class Row>
    double score(const Row& x) const {
        RegressionRow row;
        return played(x, row);
    }

    // Floats cannot learn from such a row: P would not stay an inverse of A.
    bool declines(const Prediction& prediction, Label y) const {
        const RegressionRow& row = *prediction.row;
        if (!row.sound || !in_range(y)) return true;
        const double f = 1.0 / row.d;
        for (std::size_t i = 0; i < row.k.size(); ++i)
            if (!(inverse(i) - f * (row.k[i] * row.k[i]) > 0)) return true;
        return false;
    }

    // Learns from the row that was predicted last.
    template <class Row>
    RealOutcome learn(const Row&, const Extent&, const Prediction& prediction, Label y, double) {
        const RegressionRow& row = *prediction.row;
        RealOutcome outcome;
        outcome.meet(y);
        outcome.updated = true;
        const double e = y - prediction.label;
        outcome.loss = e * e;
        outcome.drift = (2.0 * error(row)) * std::fabs(e);
        ++rounds;
        join(row);
        lower(row);
        for (const std::size_t i : row.slot) {
            for (const std::size_t j : row.slot)
                add(A_.at(i, j), A_rest_.at(i, j), row.z[i] * row.z[j]);
            add(b_[i], b_rest_[i], y * row.z[i]);
        }
        squares_ = squares_ + y * y;
        return outcome;
    }

    // For people: w = P b, the weights of ridge regression.
    double weight(Coordinate j) const {
        const std::size_t slot = slots_.slot_of(j);
        if (slot == Slots<kMostFeatures>::kNone) return 0;
        const double w = floats::rounded_sum([&](auto&& take) {
            for (std::size_t i = 0; i < slots_.size(); ++i) take(P_.at(slot, i) * moment(i));
        });
        return std::clamp(w, -kLargest, kLargest);
    }

    double norm() const {
        double sum = 0;
        for (const Coordinate j : slots_.features()) sum += weight(j) * weight(j);
        return std::min(std::sqrt(sum), kLargest);
    }

    void state(StateWriter& out) const {
        const std::size_t size = slots_.size();
        const std::vector<std::int64_t> features(slots_.features().begin(),
                                                 slots_.features().end());
        const std::int64_t counts[] = {rounds, static_cast<std::int64_t>(dimension_)};
        out.put("features", std::span<const std::int64_t>(features));
        out.put("inverse", std::span<const double>(P_.triangle(size)));
        out.put("gram", std::span<const double>(A_.triangle(size)));
        out.put("gram_rest", std::span<const double>(A_rest_.triangle(size)));
        out.put("moments", std::span<const double>(b_));
        out.put("moments_rest", std::span<const double>(b_rest_));
        out.put("squares", std::span<const double>(&squares_, 1));
        out.put("counts", std::span<const std::int64_t>(counts));
    }

    void restore(const StateReader& in) {
        const auto features = in.array<std::int64_t>("features");
        const auto counts = in.counts("counts", 2);
        const auto b = bounded(in, "moments"), b_rest = bounded(in, "moments_rest"),
                   squares = bounded(in, "squares"), P = bounded(in, "inverse", 0x1p93);
        const std::size_t size = features.size();
        check(size <= kMostFeatures && counts[1] <= kMaxDimension);
        check(b.size() == size && b_rest.size() == size && squares.size() == 1);
        check(squares[0] >= 0);
        ForwardRegression found(bias, ridge);
        for (const std::int64_t j : features) {
            check(j >= kBias && j < counts[1]);
            check(found.slots_.slot_of(j) == Slots<kMostFeatures>::kNone);
            found.slots_.join(j);
        }
        found.P_.set_symmetric(P, size);
        found.A_.set_symmetric(bounded(in, "gram"), size);
        found.A_rest_.set_symmetric(bounded(in, "gram_rest"), size);
        for (std::size_t i = 0; i < size; ++i)
            check(found.P_.at(i, i) > 0 && found.A_.at(i, i) > 0);
        slots_ = found.slots_, P_ = found.P_, A_ = found.A_, A_rest_ = found.A_rest_;
        b_.assign(b.begin(), b.end()), b_rest_.assign(b_rest.begin(), b_rest.end());
        squares_ = squares[0], rounds = counts[0];
        dimension_ = static_cast<std::size_t>(counts[1]);
    }

  private:
    static constexpr double kLargest = std::numeric_limits<double>::max();

    static std::span<const double> bounded(const StateReader& in, const char* name,
                                           double most = 0x1p453) {
        const auto values = in.reals(name);
        for (const double value : values) check(std::fabs(value) <= most);
        return values;
    }

    static void add(double& total, double& rest, double term) {
        const floats::TwoFloats sum = floats::added(total, term);
        total = sum.value;
        rest = rest + sum.error;
    }

    double moment(std::size_t i) const { return i < b_.size() ? b_[i] + b_rest_[i] : 0.0; }

    // Diagonal entries of P and of A.
    double inverse(std::size_t i) const { return i < slots_.size() ? P_.at(i, i) : 1.0 / ridge; }
    double gram(std::size_t i) const {
        return i < slots_.size() ? A_.at(i, i) + A_rest_.at(i, i) : ridge;
    }

    // Writes x into z. Beyond the most features, those without a slot are left out.
    template <class Row>
    void spread(const Row& x, RegressionRow& row) const {
        const bool room = takes(x);
        row.slot.clear(), row.joining.clear();
        row.z.assign(slots_.size(), 0);
        for_each(x, [&](Coordinate j, double value) {
            std::size_t slot = slots_.slot_of(j);
            if (slot == Slots<kMostFeatures>::kNone) {
                if (!room) return;
                slot = row.z.size();
                row.z.push_back(0);
                row.joining.push_back(j);
            }
            if (std::fabs(value) < kLeast) return;
            row.z[slot] = std::clamp(value, -kMost, kMost);
            row.slot.push_back(slot);
        });
    }

    template <class F>
    static double summed(std::size_t size, F&& term) {
        return floats::rounded_sum([&](auto&& take) {
            for (std::size_t i = 0; i < size; ++i) take(term(i));
        });
    }

    // P z for a z with values in these slots alone.
    void products(const std::vector<std::size_t>& slot, const std::vector<double>& z,
                  std::vector<double>& found) const {
        const std::size_t known = slots_.size();
        for (std::size_t i = 0; i < known; ++i) {
            const double* P = P_.row(i);
            found[i] = floats::rounded_sum([&](auto&& take) {
                for (const std::size_t j : slot)
                    if (j < known) take(P[j] * z[j]);
            });
        }
        for (std::size_t i = known; i < z.size(); ++i) found[i] = (1.0 / ridge) * z[i];
    }

    // r = x − (A + x xᵀ) v; returns whether |r| is at most `share` of |x|, in the largest value.
    bool residual(RegressionRow& row, double share) const {
        const std::size_t size = row.z.size(), known = slots_.size();
        const double s = summed(row.slot.size(), [&](std::size_t n) {
            return row.z[row.slot[n]] * row.v[row.slot[n]];
        });
        const double c = 1.0 - s;
        double most = 0, largest = 0;
        for (std::size_t i = 0; i < size; ++i) {
            row.r[i] = floats::rounded_sum([&](auto&& take) {
                take(row.z[i] * c);
                if (i >= known) return take(-(ridge * row.v[i]));
                const double *A = A_.row(i), *rest = A_rest_.row(i);
                for (std::size_t j = 0; j < known; ++j) take(-((A[j] + rest[j]) * row.v[j]));
            });
            most = std::max(most, std::fabs(row.z[i]));
            largest = std::max(largest, std::fabs(row.r[i]));
        }
        return largest <= share * most;
    }

    template <class Row>
    double played(const Row& x, RegressionRow& row) const {
        spread(x, row);
        const std::size_t size = row.z.size();
        row.k.resize(size), row.v.resize(size), row.r.resize(size), row.g.resize(size);
        products(row.slot, row.z, row.k);
        const double q = summed(row.slot.size(), [&](std::size_t n) {
            return row.z[row.slot[n]] * row.k[row.slot[n]];
        });
        row.sound = q >= 0;
        row.d = 1.0 + std::max(q, 0.0);
        for (std::size_t i = 0; i < size; ++i) row.v[i] = row.k[i] / row.d;
        row.sound = residual(row, 1.0) && row.sound;
        if (row.sound) {
            refine(row);
            row.sound = residual(row, 0x1p-10);
        }
        return summed(b_.size(), [&](std::size_t i) { return moment(i) * row.v[i]; });
    }

    // v ← v + (P − k kᵀ/d) r
    void refine(RegressionRow& row) const {
        const std::size_t size = row.z.size(), known = slots_.size();
        for (std::size_t i = 0; i < known; ++i) {
            const double* P = P_.row(i);
            row.g[i] = summed(known, [&](std::size_t j) { return P[j] * row.r[j]; });
        }
        for (std::size_t i = known; i < size; ++i) row.g[i] = (1.0 / ridge) * row.r[i];
        const double c = summed(size, [&](std::size_t i) { return row.k[i] * row.r[i]; }) / row.d;
        for (std::size_t i = 0; i < size; ++i) row.v[i] = row.v[i] + (row.g[i] - row.k[i] * c);
    }

    // An upper bound on the distance between the prediction and that of real arithmetic.
    double error(const RegressionRow& row) const {
        const std::size_t size = row.z.size();
        const auto square = [&](std::size_t i) { return gram(i) + row.z[i] * row.z[i]; };
        const double trace = summed(size, square);
        const double reach =
            summed(size, [&](std::size_t i) { return std::sqrt(square(i)) * std::fabs(row.v[i]); });
        const double left = summed(size, [&](std::size_t i) { return row.r[i] * row.r[i]; });
        const double off = std::sqrt(left) + 0x1p-49 * (std::sqrt(trace) * reach);
        return std::sqrt(squares_ / ridge) * off;
    }

    void join(const RegressionRow& row) {
        const std::size_t size = row.z.size();
        P_.widen(size), A_.widen(size), A_rest_.widen(size);
        b_.resize(size, 0), b_rest_.resize(size, 0);
        for (const Coordinate j : row.joining) {
            const std::size_t slot = slots_.join(j);
            P_.at(slot, slot) = 1.0 / ridge;
            A_.at(slot, slot) = ridge;
        }
    }

    // P ← P − k kᵀ/(1 + q)
    void lower(const RegressionRow& row) {
        const std::size_t size = row.k.size();
        const double f = 1.0 / row.d;
        for (std::size_t i = 0; i < size; ++i) {
            double* P = P_.row(i);
            for (std::size_t j = 0; j < size; ++j) P[j] = P[j] - f * (row.k[i] * row.k[j]);
        }
    }

    Slots<kMostFeatures> slots_;
    GrowingMatrix P_, A_, A_rest_;  // A and the moments b are sums of two floats
    std::vector<double> b_, b_rest_;
    double squares_ = 0;  // Σ y²
    std::size_t dimension_ = 0;
};

}  // namespace novikoff
