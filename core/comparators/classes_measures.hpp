// The bounds of measures.hpp for many classes: the lead of the correct class, w_y·x − max_{k ≠ y}
// w_k·x, takes the place of y w·x; with only one class, w_y·x does.
//
// Σ_j |w_kj x_j| ≤ ‖w_k‖‖x‖, so the error of each score is known without another sum.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "classes_weights.hpp"
#include "measures.hpp"

namespace novikoff {

class ClassMeasures : public Measures {
  public:
    explicit ClassMeasures(ClassWeights weights)
        : w(std::move(weights)), score_(w.room()), norms_(w.classes()) {
        std::vector<double> column(w.columns());
        UpwardSum sum;
        for (std::size_t k = 0; k < w.classes(); ++k) {
            for (std::size_t j = 0; j < column.size(); ++j)
                column[j] = w.at(static_cast<Coordinate>(j))[k];
            const DenseRow<double> row{column.data(), column.size(), w.at(kBias)[k]};
            const double square = norm2_above(row);
            norms_[k] = next_up(std::sqrt(square));
            sum.add(square);
        }
        norm2 = sum.value();
    }

    ClassWeights w;
    double norm2 = 0;  // Σ_k ‖w_k‖²

    template <class Row>
    void include(const Row& x, std::uint32_t y) {
        const double square = norm2_above(x);
        count(lead_below(x, y, next_up(std::sqrt(square))), square);
    }

  private:
    template <class Row>
    double lead_below(const Row& x, std::uint32_t y, double norm) {
        w.scores(x, score_.data());
        double own = 0, rival = w.classes() == 1 ? 0 : -std::numeric_limits<double>::infinity();
        for (std::uint32_t k = 0; k < w.classes(); ++k) {
            const double absolute = next_up(norms_[k] * norm);
            if (!(absolute <= std::numeric_limits<double>::max() / 2)) return exact_lead(x, y);
            const double error = error_above(x, absolute);
            if (k == y)
                own = subtract_down(score_[k], error);
            else
                rival = std::max(rival, add_up(score_[k], error));
        }
        return subtract_down(own, rival);
    }

    template <class Row>
    double exact_lead(const Row& x, std::uint32_t y) const {
        double least = std::numeric_limits<double>::infinity();
        for (std::uint32_t k = 0; k < w.classes(); ++k) {
            if (k == y && w.classes() > 1) continue;
            Accumulator lead;
            for_each(x, [&](Coordinate j, double v) {
                lead.add_product(w.at(j)[y], v);
                if (k != y) lead.add_product(-w.at(j)[k], v);
            });
            least = std::min(least, -next_up(-lead.rounded()));
        }
        return least;
    }

    std::vector<double> score_;
    std::vector<double> norms_;  // of each w_k
};

}  // namespace novikoff
