// One w_k per class, feature-major: [the constant feature, then the others][class].
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../blocks/row.hpp"

namespace novikoff {

// A share for class k.
struct ClassShare {
    std::uint32_t k;
    double value;
};

class ClassWeights {
  public:
    explicit ClassWeights(std::size_t classes)
        : classes_(classes), stride_((classes + 3) / 4 * 4), values_(stride_) {}

    std::size_t classes() const { return classes_; }
    std::size_t columns() const { return values_.size() / stride_ - 1; }
    std::size_t room() const { return stride_; }  // that scores take

    void grow(std::size_t columns) {
        if (columns > this->columns()) values_.resize((columns + 1) * stride_);
    }
    void clear() { std::fill(values_.begin(), values_.end(), 0); }
    void scale(double by) {
        for (double& weight : values_) weight *= by;
    }

    // score[k] = w_k·x, with the constant feature.
    template <class V>
    void scores(const DenseRow<V>& x, double* score) const {
        start(x.bias, score);
        kernels().dense<V>().class_scores(features(), stride_, x.value, x.size, score);
    }
    template <class I, class V>
    void scores(const SparseRow<I, V>& x, double* score) const {
        start(x.bias, score);
        kernels().template sparse<I, V>().class_scores(features(), stride_, x.index, x.value,
                                                       x.size, x.ahead, score);
    }

    // w_k ← w_k + share · x for each share.
    template <class Row>
    void add(const Row& x, const std::vector<ClassShare>& shares) {
        for_each(x, [&](Coordinate j, double v) {
            double* row = at(j);
            for (const ClassShare& share : shares) row[share.k] += share.value * v;
        });
    }

    double* at(Coordinate j) { return values_.data() + (j + 1) * as_offset(); }
    const double* at(Coordinate j) const { return values_.data() + (j + 1) * as_offset(); }
    const std::vector<double>& values() const { return values_; }

  private:
    const double* features() const { return values_.data() + stride_; }
    Coordinate as_offset() const { return static_cast<Coordinate>(stride_); }
    void start(double bias, double* score) const {
        for (std::size_t k = 0; k < stride_; ++k) score[k] = values_[k] * bias;
    }

    std::size_t classes_, stride_;
    std::vector<double> values_;
};

}  // namespace novikoff
