// Probabilities proportional to e^{−ηL}, without computing e^{−ηL} itself: exponents are relative
// to the least L, so the best weight is near 1 and nothing overflows, vanishes or becomes NaN.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../cpu/kernels.hpp"

namespace novikoff {

// η, or η_t = η/√t if no horizon is known.
struct Rate {
    double eta;
    bool anytime;
    double at(std::int64_t round) const {
        return anytime ? eta / std::sqrt(static_cast<double>(round)) : eta;
    }
};

// All weights side by side, for rules that change all of them in every round.
class FlatWeights {
  public:
    void soften(const std::vector<double>& total, std::size_t size, double eta) {
        resize(size);
        const ExpertKernels& kernel = kernels().experts;
        kernel.soften(total.data(), size, kernel.least(total.data(), size), eta, weights.data(),
                      sums.data());
    }
    // Takes over weights as they are.
    void assign(const std::vector<double>& given) {
        resize(given.size());
        std::copy(given.begin(), given.end(), weights.begin());
        kernels().experts.sum(weights.data(), given.size(), sums.data());
    }
    double total() const {
        double all = 0;
        for (const double sum : sums) all += sum;
        return all;
    }
    // The first place with a weight other than 0 at which the sum of weights exceeds unit · total.
    std::size_t draw(double unit) const { return draw_at(unit * total()); }
    std::size_t draw_at(double left) const {
        std::size_t chunk = 0, last = 0;
        while (chunk + 1 < sums.size() && left >= sums[chunk]) left -= sums[chunk++];
        std::size_t k = chunk * kChunk;
        for (; k + 8 <= size_; k += 8) {
            const double* w = weights.data() + k;
            const double eight = ((w[0] + w[1]) + (w[2] + w[3])) + ((w[4] + w[5]) + (w[6] + w[7]));
            if (left < eight) break;
            left -= eight;
        }
        for (; k < size_; ++k) {
            if (weights[k] > 0) last = k;
            if (weights[k] > left) return k;
            left -= weights[k];
        }
        if (weights[last] > 0) return last;
        while (!(weights[last] > 0)) last = (last + size_ - 1) % size_;
        return last;
    }
    double probability(std::size_t k) const { return weights[k] / total(); }

    std::vector<double> weights;  // with zeros up to a multiple of 4
    std::vector<double> sums;     // of each chunk

  private:
    void resize(std::size_t size) {
        if (size == size_) return;  // every weight and sum is rewritten later
        size_ = size;
        weights.assign((size + 3) / 4 * 4, 0);
        sums.assign(size / kChunk + 1, 0);
    }
    std::size_t size_ = 0;
};

// Weights in a tree of sums, for rules that change one of them per round. A node is always the sum
// of its two children, so it depends only on the leaves, not on their history.
class SumTree {
  public:
    void assign(const std::vector<double>& leaves) {
        first_ = std::bit_ceil(leaves.size());
        nodes_.assign(2 * first_, 0);
        std::copy(leaves.begin(), leaves.end(), nodes_.begin() + static_cast<long>(first_));
        for (std::size_t k = first_; k-- > 1;) nodes_[k] = nodes_[2 * k] + nodes_[2 * k + 1];
    }
    void set(std::size_t leaf, double weight) {
        std::size_t k = first_ + leaf;
        nodes_[k] = weight;
        while (k >>= 1) nodes_[k] = nodes_[2 * k] + nodes_[2 * k + 1];
    }
    double total() const { return nodes_[1]; }
    double at(std::size_t leaf) const { return nodes_[first_ + leaf]; }
    std::size_t draw(double unit) const {
        double left = unit * total();
        std::size_t k = 1;
        while (k < first_) {
            k *= 2;
            const bool right = left >= nodes_[k] && nodes_[k + 1] > 0;
            left -= right ? nodes_[k] : 0;
            k += right;
        }
        return k - first_;
    }

  private:
    std::size_t first_ = 1;  // of the leaves
    std::vector<double> nodes_;
};

// e^a for a ≤ 0 as `soften` computes it, one at a time: 0 below e^{−700}.
inline double decayed(double a) {
    if (!(a > -700)) return 0;
    constexpr double kShift = 0x1.8p52;
    const double shifted = a * 0x1.71547652b82fep+0 + kShift;
    const double k = shifted - kShift;
    const double r = (a - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
    const double r2 = r * r, r4 = r2 * r2;
    const double low = (1 + r) + r2 * (0.5 + r * (1.0 / 6));
    const double middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
    const double high =
        (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
    const double top = 1.0 / 479001600 + r * (1.0 / 6227020800);
    const double sum = low + r4 * (middle + r4 * (high + r4 * top));
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) +
                                 (std::bit_cast<std::uint64_t>(shifted) << 52));
}

}  // namespace novikoff
