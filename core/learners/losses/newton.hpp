// Newton steps with a full matrix P, the covariance of the weights w (docs/programs.md):
//     k = P z,  q = zᵀP z,  h = max(p(1 − p), 10⁻³),
//     w ← w − g k/(1 + h q),  P ← P − h k kᵀ/(1 + h q).
// If rounding has cost P its positive diagonal, P begins again.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../../blocks/row.hpp"
#include "../../numbers/floats.hpp"
#include "../../saving/state.hpp"

namespace novikoff {

// How far a Newton step goes: for w, for P, and whether P stays positive.
struct NewtonStep {
    double a, b;
    bool positive;

    // `stride` is the distance between entries of the diagonal of P.
    NewtonStep(double g, double p, double r, double q, double v, const double* P,
               std::size_t stride, std::size_t size, const double* k) {
        const double h = std::max(p * r, 0.001) * v;
        const double d = 1.0 + h * q;
        b = q >= 0 ? h / d : 0.0;
        a = (g * v) / d;
        positive = q >= 0;
        for (std::size_t i = 0; i < size; ++i)
            positive = positive && P[i * stride] - b * (k[i] * k[i]) > 0;
    }
};

// What predicting leaves for learning: the features that have joined, and P z.
struct NewtonRow {
    std::vector<std::size_t> slot;
    std::vector<double> z, k;
    double q = 0;
};

// The member of Blend for up to 128 features and the constant one, measured in units of their first
// values. A feature joins at the end of the round in which it first appears.
class Newton {
  public:
    static constexpr std::size_t kMost = 129;  // 128 features and the constant one

    // Whether a feature found no room: then the member leaves.
    bool full() const { return full_; }
    std::size_t size() const { return features_.size(); }
    std::size_t bytes() const { return (P_.size() + 2 * w_.size()) * sizeof(double); }

    void clear() { *this = Newton(); }

    // Whether the features of x that have not joined find room.
    template <class Row>
    bool has_room(const Row& x) const {
        std::size_t size = features_.size();
        if (size + x.size < kMost) return true;
        for_each(x, [&](Coordinate j, double) { size += slot_of(j) == kNone; });
        return size <= kMost;
    }

    // In units of 1/x, without the moderation by q.
    double weight(Coordinate j) const {
        const std::size_t slot = slot_of(j);
        return slot == kNone ? 0.0 : w_[slot] / first_[slot];
    }

    template <class Row>
    double score(const Row& x, NewtonRow& row) const {
        row.slot.clear(), row.z.clear();
        if (features_.empty()) return row.q = 0;
        for_each(x, [&](Coordinate j, double v) {
            const std::size_t slot = slot_of(j);
            if (slot == kNone) return;
            row.slot.push_back(slot);
            row.z.push_back(std::clamp(v / first_[slot], -kFar, kFar));
        });
        row.k.resize(stride_);
        const std::size_t count = row.slot.size();
        kernels().blend.products(P_.data(), stride_, row.slot.data(), row.z.data(), count,
                                 row.k.data());
        row.q = floats::rounded_sum([&](auto&& take) {
            for (std::size_t n = 0; n < count; ++n) take(row.z[n] * row.k[row.slot[n]]);
        });
        const double s = floats::rounded_sum([&](auto&& take) {
            for (std::size_t n = 0; n < count; ++n) take(w_[row.slot[n]] * row.z[n]);
        });
        return s / std::sqrt(1.0 + kEighthOfPi * std::max(row.q, 0.0));
    }

    // Learns from the row that was scored: g and the probabilities of the labels at its score.
    template <class Row>
    void step(const Row& x, const NewtonRow& row, double g, double p, double r, double v) {
        const std::size_t size = features_.size();
        if (size != 0) {
            const double* k = row.k.data();
            const NewtonStep by(g, p, r, row.q, v, P_.data(), stride_ + 1, size, k);
            if (by.positive) {
                for (std::size_t i = 0; i < size; ++i) w_[i] -= by.a * k[i];
                kernels().blend.lower(P_.data(), stride_, size, by.b, k);
            } else {
                for (std::size_t i = 0; i < size; ++i) begin(i);
            }
        }
        std::size_t n = 0;
        for_each(x, [&](Coordinate j, double value) {
            const bool known = n < row.slot.size() && features_[row.slot[n]] == j;
            if (known && std::fabs(row.z[n++]) != kFar) return;
            if (!known && features_.size() == kMost) {
                full_ = true;
                return;
            }
            const std::size_t slot = known ? row.slot[n - 1] : join(j);
            first_[slot] = std::fabs(value);
            w_[slot] = 0;
            begin(slot);
        });
    }

    void state(StateWriter& out) const {
        const std::size_t size = features_.size();
        std::vector<std::int64_t> features(features_.begin(), features_.end());
        std::vector<double> P;
        for (std::size_t i = 0; i < size; ++i)
            P.insert(P.end(), &P_[i * stride_], &P_[i * stride_] + i + 1);
        out.put("newton_features", std::span<const std::int64_t>(features));
        out.put("newton_first", std::span<const double>(first_.data(), size));
        out.put("newton_weights", std::span<const double>(w_.data(), size));
        out.put("newton_matrix", std::span<const double>(P));
    }

    void restore(const StateReader& in, std::size_t dimension) {
        const auto features = in.array<std::int64_t>("newton_features");
        const auto first = in.reals("newton_first"), w = in.reals("newton_weights"),
                   P = in.reals("newton_matrix");
        const std::size_t size = features.size();
        check(size <= kMost && first.size() == size && w.size() == size);
        check(P.size() == size * (size + 1) / 2);
        Newton found;
        for (std::size_t i = 0, at = 0; i < size; ++i) {
            check(features[i] >= kBias && features[i] < static_cast<std::int64_t>(dimension));
            check(first[i] > 0 && found.slot_of(features[i]) == kNone);
            check(std::fabs(w[i]) <= 0x1p80);
            found.join(features[i]);
            found.first_[i] = first[i], found.w_[i] = w[i];
            for (std::size_t j = 0; j <= i; ++j, ++at) {
                check(std::fabs(P[at]) <= 0x1p54 && (i != j || (P[at] > 0 && P[at] <= kVariance)));
                found.P_[i * found.stride_ + j] = found.P_[j * found.stride_ + i] = P[at];
            }
        }
        *this = found;
    }

  private:
    static constexpr std::size_t kNone = SIZE_MAX, kTable = 512;
    static constexpr double kFar = 1048576.0, kEighthOfPi = 0.39269908169872414, kVariance = 1.0;

    static std::size_t place(Coordinate j) {
        return (static_cast<std::uint64_t>(j) * 0x9E3779B97F4A7C15u) >> 55;
    }

    std::size_t slot_of(Coordinate j) const {
        for (std::size_t at = place(j);; at = (at + 1) % kTable) {
            if (table_[at] == 0) return kNone;
            if (features_[table_[at] - 1] == j) return table_[at] - 1u;
        }
    }

    std::size_t join(Coordinate j) {
        const std::size_t slot = features_.size();
        if (slot == 0) P_.assign(stride_ * stride_, 0), w_.assign(stride_, 0), first_ = w_;
        if (slot >= stride_) widen();
        std::size_t at = place(j);
        while (table_[at] != 0) at = (at + 1) % kTable;
        features_.push_back(j);
        table_[at] = static_cast<std::uint16_t>(slot + 1);
        return slot;
    }

    // Doubles the room for features, up to a multiple of 4 that holds the most.
    void widen() {
        const std::size_t wide = std::min<std::size_t>(2 * stride_, (kMost + 3) / 4 * 4);
        std::vector<double> P(wide * wide, 0);
        for (std::size_t i = 0; i < features_.size(); ++i)
            std::copy_n(&P_[i * stride_], stride_, &P[i * wide]);
        P_ = std::move(P);
        stride_ = wide;
        w_.resize(wide), first_.resize(wide);
    }

    // Gives a feature the variance it begins with, and nothing in common with the others.
    void begin(std::size_t slot) {
        for (std::size_t i = 0; i < features_.size(); ++i)
            P_[slot * stride_ + i] = P_[i * stride_ + slot] = 0;
        P_[slot * stride_ + slot] = kVariance;
    }

    bool full_ = false;
    std::vector<Coordinate> features_;
    std::array<std::uint16_t, kTable> table_{};  // hashed: slot + 1, or 0
    std::size_t stride_ = 8;
    std::vector<double> first_, w_, P_;  // P by rows of stride_
};

}  // namespace novikoff
