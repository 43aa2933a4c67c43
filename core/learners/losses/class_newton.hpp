// Member 6 of blend-classes/1 (docs/programs_classes.md): an online Newton step whose matrix P all
// classes share, for at most 257 features,
//     q = uᵀPu,  w_k −= Pu g_k/(1 + hq),  P −= h Pu(Pu)ᵀ/(1 + hq).
// Features have slots in the order in which they appear; sums on a grid make that order invisible.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "../../cpu/kernels.hpp"
#include "../../saving/state.hpp"

namespace novikoff {

// 1.5 times a power of two, 2 · limit · count or more: adding and subtracting it rounds terms of at
// most that size to a grid on which sums of so many are exact.
inline double grid_shift(double limit, std::size_t count) {
    const int bits = count < 2 ? (count == 0) : std::bit_width(count - 1);
    return 2.0 * limit * std::ldexp(1.5, bits);
}

// The sum of terms on the grid, one at a time.
struct GridSum {
    double shift, sum = 0;

    explicit GridSum(std::size_t count) : shift(grid_shift(kClassTermLimit, count)) {}
    void add(double term) {
        sum += (std::clamp(term, -kClassTermLimit, kClassTermLimit) + shift) - shift;
    }
};

class ClassNewton {
  public:
    static constexpr std::size_t kFew = 257;

    struct Direction {
        std::vector<double> pu;  // Pu by slot
        double q = 0;            // uᵀPu
        bool broken = false;     // P was replaced by I, because q was negative
    };

    explicit ClassNewton(std::size_t width) : width_(width) {}

    bool few() const { return few_; }
    std::size_t size() const { return features_.size(); }
    std::size_t bytes() const { return (P_.size() + w_.size()) * sizeof(double); }

    // `u` lists slots with their values.
    void direction(const std::vector<RowFactor>& u, Direction& found) const {
        found.pu.assign(padded(size()), 0.0);
        const double shift = grid_shift(kLargestTerm, u.size());
        kernels().classes.combine(P_.data(), u.data(), u.size(), kStride, padded(size()),
                                  kLargestTerm, shift, found.pu.data());
        GridSum q(u.size());
        for (const RowFactor& e : u) q.add(found.pu[e.row] * e.factor);
        found.q = q.sum;
        found.broken = found.q < 0;
        if (!found.broken) return;
        std::fill(found.pu.begin(), found.pu.end(), 0.0);
        GridSum squares(u.size());
        for (const RowFactor& e : u) {
            found.pu[e.row] = e.factor;
            squares.add(e.factor * e.factor);
        }
        found.q = squares.sum;
    }

    void scores(const std::vector<RowFactor>& u, double* out) const {
        kernels().classes.combine(w_.data(), u.data(), u.size(), width_, width_, kClassTermLimit,
                                  grid_shift(kClassTermLimit, u.size()), out);
    }

    // A slot for a feature that appears with the value u = ±1.
    std::size_t add(std::int64_t feature, double u, Direction& found) {
        const std::size_t slot = size();
        features_.push_back(feature);
        P_.resize(kStride * size(), 0.0);
        w_.resize(width_ * size(), 0.0);
        P_[slot * kStride + slot] = 1.0;
        found.pu.resize(padded(size()), 0.0);
        found.pu[slot] = u;
        found.q += 1.0;
        return slot;
    }

    void step(Direction& found, double h, const double* slopes) {
        const double b = 1.0 / (1.0 + h * found.q);
        const double root = std::sqrt(h * b);
        rates_.resize(found.pu.size());
        for (std::size_t i = 0; i < size(); ++i) rates_[i] = found.pu[i] * b;
        kernels().classes.subtract_outer(w_.data(), size(), width_, rates_.data(), slopes, width_);
        bool sound = true;
        for (std::size_t i = 0; i < size(); ++i) {
            const double cut = found.pu[i] * root;
            found.pu[i] = cut;
            sound = sound && P_[i * kStride + i] - cut * cut > 0;
        }
        if (!sound) return restart();
        kernels().classes.subtract_outer(P_.data(), size(), kStride, found.pu.data(),
                                         found.pu.data(), padded(size()));
    }

    void restart() {  // P = I
        std::fill(P_.begin(), P_.end(), 0.0);
        for (std::size_t i = 0; i < size(); ++i) P_[i * kStride + i] = 1.0;
    }

    void end() {
        *this = ClassNewton(width_);
        few_ = false;
    }

    void state(StateWriter& out, std::size_t classes) const {
        std::vector<double> P, w;
        for (std::size_t i = 0; i < size(); ++i) {
            P.insert(P.end(), &P_[i * kStride], &P_[i * kStride] + i + 1);
            w.insert(w.end(), &w_[i * width_], &w_[i * width_] + classes);
        }
        out.put("newton_features", std::span<const std::int64_t>(features_));
        out.put("newton_matrix", std::span<const double>(P));
        out.put("newton_weights", std::span<const double>(w));
    }

    // `few`: whether the member goes on; the features are those that have appeared.
    static ClassNewton restored(const StateReader& in, std::size_t classes, std::size_t width,
                                bool few) {
        ClassNewton found(width);
        const auto features = in.array<std::int64_t>("newton_features");
        const auto P = in.reals("newton_matrix"), w = in.reals("newton_weights");
        const std::size_t n = features.size();
        check(n <= (few ? kFew : 0) && P.size() == n * (n + 1) / 2 && w.size() == n * classes);
        found.features_.assign(features.begin(), features.end());
        found.few_ = few;
        found.P_.assign(kStride * n, 0.0);
        found.w_.assign(width * n, 0.0);
        std::size_t next = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                const double entry = P[next++];
                check(std::fabs(entry) <= kLargestTerm && (i != j || (entry > 0 && entry <= 1)));
                found.P_[i * kStride + j] = found.P_[j * kStride + i] = entry;
            }
            std::copy_n(&w[i * classes], classes, &found.w_[i * width]);
        }
        return found;
    }

    const std::vector<std::int64_t>& features() const { return features_; }

  private:
    static constexpr double kLargestTerm = 2;  // |P_ij u_j| is 1 at most, but for rounding
    static std::size_t padded(std::size_t n) { return (n + 3) / 4 * 4; }
    static constexpr std::size_t kStride = (kFew + 3) / 4 * 4;

    std::size_t width_;
    std::vector<std::int64_t> features_;  // by slot
    std::vector<double> P_;               // [slot][slot]
    std::vector<double> w_;               // [slot][class]
    std::vector<double> rates_;
    bool few_ = true;
};

}  // namespace novikoff
