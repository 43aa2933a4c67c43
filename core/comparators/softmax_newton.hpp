// min over U of Σ_t ln Σ_k e^{(U_k − U_{y_t})·x_t} + ½ Σ_i λ_i Σ_k U_ki², by Newton's method: each
// step solves its equations by conjugate gradients, preconditioned by the diagonal, and is halved
// until the value falls. In the units V = √λ U the problem is L + ½‖V‖². Its dual at
// α = softmax(U x) lies ½‖∇‖² below its value, so that the gap costs nothing. Columns whose λ lies
// outside [2^−900, 2^900] keep U_ki = 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "../cpu/kernels.hpp"
#include "../numbers/floats.hpp"
#include "classes_weights.hpp"
#include "penalised.hpp"
#include "products.hpp"

namespace novikoff {

class SoftmaxNewton {
  public:
    using Label = std::uint32_t;
    const double bias;

    // λ of the constant feature first, then of the others.
    SoftmaxNewton(const std::vector<double>& lambdas, double bias, std::size_t classes)
        : bias(bias), classes_(classes), raw_(classes), root_(lambdas.size()) {
        for (std::size_t i = 0; i < lambdas.size(); ++i)
            root_[i] = is_usable_penalty(lambdas[i]) ? 1 / std::sqrt(lambdas[i]) : 0;
        raw_.grow(lambdas.size() - 1);
        width_ = raw_.room();
        for (auto* vector : {&V_, &gradient_, &scale_, &step_, &rest_, &search_, &sums_})
            vector->assign(root_.size() * width_, 0.0);
        for (auto* row : {&chances_, &slopes_, &curves_}) row->assign(width_, 0.0);
    }

    std::size_t classes() const { return classes_; }
    std::size_t columns() const { return root_.size() - 1; }
    std::size_t rows() const { return labels_.size(); }
    std::int64_t passes() const { return passes_; }
    bool stuck() const { return stuck_; }
    bool near(double tolerance) const { return gap_ <= tolerance * value_; }
    double weight(std::size_t i, std::size_t k) const { return V_[i * width_ + k] * root_[i]; }

    // By how much the right class of a row leads every other.
    double lead(std::size_t t) const {
        const double* z = &scores_[t * width_];
        double rival = -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < classes_; ++k)
            if (k != labels_[t]) rival = std::max(rival, z[k]);
        return z[labels_[t]] - rival;
    }

    // Takes the rows of one more block. Returns the number of rows, or the first row refused; then
    // it takes none.
    template <class Block>
    std::size_t add(const Block& block, const Label* labels) {
        if (block.columns > columns()) throw std::invalid_argument("a λ for every feature");
        const auto measured = [](const auto& x) { return measure(x); };
        const auto nothing = [](std::size_t, const auto&, const Extent&) {};
        const std::size_t taken = for_rows(block, bias, measured, nothing);
        if (taken != block.rows) return taken;
        labels_.insert(labels_.end(), labels, labels + block.rows);
        scores_.resize(rows() * width_);
        moves_.resize(rows() * width_);
        chance_.resize(rows() * width_);
        return taken;
    }

    // One pass over the rows; `blocks(f)` shows every block to f.
    template <class Blocks>
    void advance(const Blocks& blocks) {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        if (phase_ == Phase::kSlope) {
            loss_ = 0;
            std::fill(scale_.begin(), scale_.end(), 0.0);
            over_rows(blocks, [&](const auto& x, std::size_t t) { add_slope(x, t); });
            begin_step();
        } else if (phase_ == Phase::kCurve) {
            load(search_);
            over_rows(blocks, [&](const auto& x, std::size_t t) { add_curve(x, t); });
            go_on();
        } else {
            load(step_);
            over_rows(blocks,
                      [&](const auto& x, std::size_t t) { raw_.scores(x, &moves_[t * width_]); });
            take_step();
        }
        ++passes_;
    }

  private:
    enum class Phase { kSlope, kCurve, kSearch };
    static constexpr int kMostIterations = 250, kHalvings = 40;
    static constexpr double kForcing = 0.1;  // how well a step solves its equations
    static constexpr double kDecrease = 1e-4;

    template <class Blocks, class F>
    void over_rows(const Blocks& blocks, F&& f) {
        std::size_t first = 0;
        blocks([&](const auto& block) {
            for (std::size_t t = 0; t < block.rows; ++t) {
                if (!readable(block, t))
                    throw std::invalid_argument("rows that lie within the arrays");
                f(block.row(t, bias), first + t);
            }
            first += block.rows;
        });
    }

    // The weights U of V, or of a direction, as rows are scored by them.
    void load(const std::vector<double>& from) {
        for (std::size_t i = 0; i < root_.size(); ++i) {
            double* row = raw_.at(static_cast<Coordinate>(i) - 1);
            for (std::size_t k = 0; k < width_; ++k) row[k] = from[i * width_ + k] * root_[i];
        }
    }

    // The loss of a row with these scores, and its chances; `into` may not be the scores.
    double soften(const double* scores, Label y, double* into) {
        std::copy_n(scores, width_, slopes_.begin());
        double top = scores[0];
        for (std::size_t k = 1; k < classes_; ++k) top = std::max(top, scores[k]);
        const double total = kernels().classes.exponentials(slopes_.data(), classes_, width_, into);
        for (std::size_t k = 0; k < classes_; ++k) into[k] /= total;
        for (std::size_t k = classes_; k < width_; ++k) into[k] = 0;
        return floats::log1p(total - 1.0) + (top - scores[y]);
    }

    template <class Row>
    void scatter(const Row& x, const double* slopes) {
        for_each(x, [&](Coordinate j, double v) {
            double* sum = sums_.data() + static_cast<std::size_t>(j + 1) * width_;
            for (std::size_t k = 0; k < width_; ++k) sum[k] += slopes[k] * v;
        });
    }

    template <class Row>
    void add_slope(const Row& x, std::size_t t) {
        double* p = &chance_[t * width_];
        loss_ += soften(&scores_[t * width_], labels_[t], p);
        for (std::size_t k = 0; k < width_; ++k) curves_[k] = p[k] * (1 - p[k]), slopes_[k] = p[k];
        slopes_[labels_[t]] -= 1;
        for_each(x, [&](Coordinate j, double v) {
            const std::size_t at = static_cast<std::size_t>(j + 1) * width_;
            const double root = root_[static_cast<std::size_t>(j + 1)];
            const double square = (v * root) * (v * root);
            double *sum = &sums_[at], *scale = &scale_[at];
            for (std::size_t k = 0; k < width_; ++k) {
                sum[k] += slopes_[k] * v;
                scale[k] += curves_[k] * square;
            }
        });
    }

    template <class Row>
    void add_curve(const Row& x, std::size_t t) {
        const double* p = &chance_[t * width_];
        raw_.scores(x, slopes_.data());
        double mean = 0;
        for (std::size_t k = 0; k < width_; ++k) mean += p[k] * slopes_[k];
        for (std::size_t k = 0; k < width_; ++k) slopes_[k] = p[k] * (slopes_[k] - mean);
        scatter(x, slopes_.data());
    }

    // ∇ = V + √λ⁻¹ Σ (p − e_y) x, and the first direction of the step.
    void begin_step() {
        for (std::size_t n = 0; n < V_.size(); ++n) {
            gradient_[n] = V_[n] + sums_[n] * root_[n / width_];
            scale_[n] = 1 / (1 + scale_[n]);
            rest_[n] = -gradient_[n];
            search_[n] = rest_[n] * scale_[n];
        }
        std::fill(step_.begin(), step_.end(), 0.0);
        gap_ = dot(gradient_, gradient_) / 2;
        value_ = loss_ + dot(V_, V_) / 2;
        energy_ = begun_ = dot(rest_, search_);
        iterations_ = 0;
        phase_ = Phase::kCurve;
    }

    // One iteration of conjugate gradients; `sums_` has the Hessian of L times the direction.
    void go_on() {
        for (std::size_t n = 0; n < V_.size(); ++n)
            sums_[n] = search_[n] + sums_[n] * root_[n / width_];
        const double curve = dot(search_, sums_);
        const double length = curve > 0 ? energy_ / curve : 0;
        double energy = 0;
        for (std::size_t n = 0; n < V_.size(); ++n) {
            step_[n] += length * search_[n];
            rest_[n] -= length * sums_[n];
            energy += rest_[n] * (rest_[n] * scale_[n]);
        }
        const double turn = energy / energy_;
        energy_ = energy;
        const bool enough = !(energy > kForcing * kForcing * begun_);
        if (enough || length == 0 || ++iterations_ == kMostIterations) {
            phase_ = Phase::kSearch;
            return;
        }
        for (std::size_t n = 0; n < V_.size(); ++n)
            search_[n] = rest_[n] * scale_[n] + turn * search_[n];
    }

    // Goes along the step as far as the value falls enough.
    void take_step() {
        const double slope = dot(gradient_, step_), own = dot(V_, step_),
                     square = dot(step_, step_);
        const double penalty = value_ - loss_;
        double length = 1;
        for (int n = 0; n < kHalvings; ++n, length /= 2) {
            const double value =
                loss_after(length) + penalty + length * own + length * length * square / 2;
            if (value <= value_ + kDecrease * length * slope) {
                for (std::size_t i = 0; i < V_.size(); ++i) V_[i] += length * step_[i];
                for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] += length * moves_[i];
                phase_ = Phase::kSlope;
                return;
            }
        }
        stuck_ = true;  // floats tell no better
        phase_ = Phase::kSlope;
    }

    double loss_after(double length) {
        double loss = 0;
        for (std::size_t t = 0; t < rows(); ++t) {
            for (std::size_t k = 0; k < width_; ++k)
                curves_[k] = scores_[t * width_ + k] + length * moves_[t * width_ + k];
            loss += soften(curves_.data(), labels_[t], chances_.data());
        }
        return loss;
    }

    static double dot(const std::vector<double>& a, const std::vector<double>& b) {
        return sum_lanes(a.size(), [&](std::size_t n) { return a[n] * b[n]; });
    }

    std::size_t classes_, width_ = 0;
    ClassWeights raw_;
    std::vector<double> root_;  // 1/√λ, the constant feature first; 0 if λ is out of range
    std::vector<Label> labels_;
    std::vector<double> scores_, moves_, chance_;  // of every row: U x, the step's, softmax(U x)
    std::vector<double> V_, gradient_, scale_;     // [feature][class]; 1/diagonal of the Hessian
    std::vector<double> step_, rest_, search_, sums_;
    std::vector<double> chances_, slopes_, curves_;  // of one row
    Phase phase_ = Phase::kSlope;
    double loss_ = 0, value_ = 0, gap_ = std::numeric_limits<double>::infinity();
    double energy_ = 0, begun_ = 0;
    int iterations_ = 0;
    std::int64_t passes_ = 0;
    bool stuck_ = false;
};

}  // namespace novikoff
