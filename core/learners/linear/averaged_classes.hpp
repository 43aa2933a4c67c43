// The multiclass perceptron, and the mean w̄_k = (1/T) Σ_t w_{k,t+1} of each class's weights after
// each round (collins2002, Sec. 2.3). As in averaged.hpp, Σ_t w_{k,t+1} = (T + 1) w_k − u_k with
// u_y = Σ s x_s and u_ŷ = −Σ s x_s over the mistakes, s the round. A class that appears late had
// weights of 0 before. If the weights are listed, so are the moments u.
#pragma once

#include "moments.hpp"
#include "multiclass.hpp"

namespace novikoff {

struct AveragedClasses : Multiclass {
    static constexpr const char* kOptionalNames[] = {"listed_dimension", "listed_ends",
                                                     "listed_features",  "listed_weights",
                                                     "moment_ends",      "moment_features"};

    Moments u;

    explicit AveragedClasses(double bias_value) : Multiclass(bias_value) { grow(0); }

    // u first: if memory runs out, w still says that there was no room.
    void grow(std::size_t dimension) {
        if (!listed && !lists_with(dimension, w.stride())) u.grow(dimension, w.stride());
        Multiclass::grow(dimension);
        if (listed) u.list(*listed);
    }

    std::size_t bytes() const { return Multiclass::bytes() + u.bytes(); }

    template <class Row>
    Outcome learn(const Row& x, const Extent& extent, Prediction prediction, Label y,
                  double weight) {
        if (y >= classes) make_room(stride_with(y));
        const Outcome outcome = update(x, extent, prediction, y, weight);
        if (listed) u.list(*listed);
        if (!outcome.updated) return outcome;
        const double step = static_cast<double>(rounds) * weight;
        for_each(x, [&](Coordinate j, double v) {
            moment(j, y) += step * v;
            moment(j, prediction.label) -= step * v;
        });
        if (crowded()) {
            u.spread(*listed);
            spread();
        }
        return outcome;
    }

    double average(Coordinate j, Label k) const {
        const double count = static_cast<double>(rounds);
        const double sum = listed ? u.listed(*listed, j, k) : u.at(j, k);
        return rounds == 0 ? 0 : ((count + 1) * rounded(j, k) - sum) / count;
    }

    // The means that are not 0: class by class, each in the order of the features. A listed weight
    // of 0 may have a moment; a moment of 0 may have a weight.
    std::vector<Cell> cells() const {
        std::vector<Cell> found;
        const auto add = [&](const ListedWeights& weights) {
            found.reserve(weights.listed());
            weights.for_each_place([&](Coordinate j, std::uint32_t column, std::size_t) {
                const double mean = average(j, column);
                if (mean != 0) found.push_back({j, column, mean});
            });
        };
        if (listed) {
            add(*listed);
        } else {
            ListedWeights weights(w);
            Moments(u).list(weights);
            add(weights);
        }
        sort_cells(found);
        return found;
    }

    void state(StateWriter& out) const {
        Multiclass::state(out);
        const ListedWeights* weights = listed ? &*listed : nullptr;
        if (few()) return write_cells(out, u.cells(weights), stride());
        if (!weights) return u.state(out);
        Moments side_by_side = u;
        side_by_side.spread(*weights);
        side_by_side.state(out);
    }

    // Sums of moments may have overflowed.
    void restore(const StateReader& in) {
        const auto moments = in.array<double>("moments");
        const bool lists = in.has(kOptionalNames[0]);
        if (lists)
            for_each_cell(in, [](const Cell&) {});  // checks them
        else
            check(moments.size() == in.array<double>("weights").size());
        Multiclass::restore(in);
        u = lists ? Moments() : Moments(moments, stride());
        if (lists)
            for_each_cell(
                in, [&](const Cell& cell) { moment(cell.feature, cell.column) = cell.value; });
        else if (listed)
            u.list(*listed);
    }

  private:
    // For new classes, before w has it.
    void make_room(std::size_t stride) {
        if (!listed && !lists_with(dimension(), stride)) u.widen(dimension(), stride);
    }

    double& moment(Coordinate j, Label k) { return listed ? u.listed(*listed, j, k) : u.at(j, k); }
};

}  // namespace novikoff
