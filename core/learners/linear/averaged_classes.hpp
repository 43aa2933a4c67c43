// The multiclass perceptron, and the mean w̄_k = (1/T) Σ_t w_{k,t+1} of each class's weights after
// each round (collins2002, Sec. 2.3). As in averaged.hpp, Σ_t w_{k,t+1} = (T + 1) w_k − u_k with
// u_y = Σ s x_s and u_ŷ = −Σ s x_s over the mistakes, s the round. A class that appears late had
// weights of 0 before.
#pragma once

#include "multiclass.hpp"

namespace novikoff {

struct AveragedClasses : Multiclass {  // u is laid out as w
    Buffer u;

    explicit AveragedClasses(double bias_value) : Multiclass(bias_value) {
        may_list = false;  // u is as large as w
        grow(0);
    }

    // u first: if memory runs out, w still says that there was no room.
    void grow(std::size_t dimension) {
        u.grow((Weights::kFront + dimension) * w.stride());
        w.grow(dimension);
    }

    std::size_t bytes() const { return w.bytes() + u.size() * sizeof(double); }

    template <class Row>
    Outcome learn(const Row& x, const Extent& extent, Prediction prediction, Label y,
                  double weight) {
        if (y >= classes) widen(stride_with(y));
        const Outcome outcome = Multiclass::learn(x, extent, prediction, y, weight);
        if (!outcome.updated) return outcome;
        const double step = static_cast<double>(rounds) * weight;
        for_each(x, [&](Coordinate j, double v) {
            double* moments = u.data() + slot(j);
            moments[y] += step * v;
            moments[prediction.label] -= step * v;
        });
        return outcome;
    }

    double average(Coordinate j, Label k) const {
        const double count = static_cast<double>(rounds);
        return rounds == 0 ? 0 : ((count + 1) * w.rounded(j, k) - u.data()[slot(j) + k]) / count;
    }

    void state(StateWriter& out) const {
        Multiclass::state(out);
        out.put("moments", std::span(u.data(), slot(static_cast<Coordinate>(dimension()))));
    }

    // Sums of moments may have overflowed.
    void restore(const StateReader& in) {
        const auto moments = in.array<double>("moments");
        check(moments.size() == in.array<double>("weights").size());
        Multiclass::restore(in);
        u = Buffer(moments.size());
        std::copy(moments.begin(), moments.end(), u.data());
    }

  private:
    std::size_t slot(Coordinate j) const {
        return static_cast<std::size_t>(j + static_cast<Coordinate>(Weights::kFront)) * w.stride();
    }

    // Room for new classes, before w has it.
    void widen(std::size_t stride) {
        if (stride == w.stride()) return;
        const std::size_t features = Weights::kFront + dimension();
        Buffer wide(features * stride);
        for (std::size_t j = 0; j < features; ++j)
            std::copy_n(u.data() + j * w.stride(), w.stride(), wide.data() + j * stride);
        u = std::move(wide);
    }
};

}  // namespace novikoff
