// The float program adaptive-gradient/1 (docs/programs.md): per feature, with g the derivative of
// the logistic loss at the score that was played and u = x/m,
//     m = max |x|,  θ = −Σ g u,  S = Σ (g u)²,  w·x = Σ rate · θ/√(S + 1) · u.
// A weight v of a round, from 0 to 1, multiplies g and the round's loss.
// In real arithmetic this is follow-the-regularised-leader with λ = m √(Σ(g x)² + m²)/rate
// (`ftrl-diag`). Every line here has its twin on that page; the order of operations is the program.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../../cpu/kernels.hpp"
#include "../../numbers/buffer.hpp"
#include "../../numbers/floats.hpp"
#include "../linear/linear.hpp"

namespace novikoff {

struct LossOutcome : Outcome {
    double stability = 0;  // ½ Σ_i g²x_i²/λ_i
};

// The probabilities of the label that a score s predicts, and of the other one.
struct Chances {
    double e, likely, unlikely;

    explicit Chances(double s) : e(floats::exp(-std::fabs(s))) {
        const double d = 1.0 + e;
        likely = 1.0 / d;
        unlikely = e / d;
    }

    double positive(double s) const { return s >= 0 ? likely : unlikely; }
};

// A row as the loops take it, with what predicting found: learning needs it.
struct GradientWork {
    std::vector<std::size_t> place;
    std::vector<double> numbers;
    std::size_t size = 0, room = 0;

    void make_room(std::size_t entries) {
        size = 0;
        if (entries + 3 <= room) return;
        room = 2 * entries + 3;
        place.resize(room);
        numbers.resize(4 * room);
    }

    GradientRow row() {
        double* at = numbers.data();
        return {place.data(), at, at + room, at + 2 * room, at + 3 * room, size};
    }

    // The rounded sum of the row's terms.
    double sum() {
        const double* term = row().term;
        return floats::rounded_sum([&](auto&& take) {
            for (std::size_t k = 0; k < size; ++k) take(term[k]);
        });
    }
};

class AdaptiveGradient : public Binary {
  public:
    struct Prediction {
        Label label;
        double score;
        Chances chances;
        GradientWork* work;  // this thread's, until its next prediction
    };
    static constexpr std::array<Measure<LossOutcome>, 2> kMeasures{{
        {"loss", Combination::kSum, &LossOutcome::loss},
        {"stability", Combination::kSum, &LossOutcome::stability},
    }};

    static constexpr bool kScalesLoss = true;

    const double bias, rate;
    std::int64_t rounds = 0;
    Access access;

    AdaptiveGradient(double bias_value, double rate_value) : bias(bias_value), rate(rate_value) {
        grow(0);
    }

    std::size_t dimension() const { return cells_.size() / 3 - 1; }
    std::size_t bytes() const { return cells_.size() * sizeof(double); }
    void grow(std::size_t dimension) { cells_.grow(3 * (dimension + 1)); }

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(x);
    }

    template <class Row>
    Prediction predict(const Row& x, const Extent&, Effort&) const {
        GradientWork& work = work_of_this_thread();
        const double s = score(x, work);
        return {static_cast<Label>(s >= 0 ? 1 : -1), s, Chances(s), &work};
    }

    // Features without a cell weigh 0.
    template <class Row>
    double score(const Row& x) const {
        return score(x, work_of_this_thread());
    }

    static double positive_chance(double s) { return Chances(s).positive(s); }

    static double chance(const Prediction& played) { return played.chances.positive(played.score); }

    // Learns from the row that was predicted last.
    template <class Row>
    LossOutcome learn(const Row&, const Extent&, const Prediction& prediction, Label y, double v) {
        ++rounds;
        const double s = prediction.score;
        const Chances& chances = prediction.chances;
        const bool right = prediction.label == y;
        const double slope = right ? chances.unlikely : chances.likely;
        const double g = (y > 0 ? -slope : slope) * v;
        LossOutcome outcome;
        outcome.mistake = !right;
        outcome.updated = true;
        outcome.loss =
            (right ? floats::log1p(chances.e) : std::fabs(s) + floats::log1p(chances.e)) * v;
        kernels().gradient.step(cells_.data(), prediction.work->row(), g);
        outcome.stability = (0.5 * rate) * prediction.work->sum();
        return outcome;
    }

    // w_j, in units of 1/x: ((rate·θ)/√(S + 1))/m, or the largest float if that is beyond it.
    double weight(Coordinate j) const {
        const Cell c = cell(j);
        if (c.m == 0) return 0;
        const double w = ((rate * c.theta) / std::sqrt(c.S + 1.0)) / c.m;
        return std::clamp(w, -kLargest, kLargest);
    }
    bool saturated() const { return false; }

    // ‖w‖, or the largest float if that is beyond it.
    double norm() const {
        double largest = 0, sum = 0;
        for_weights([&](double w) { largest = std::max(largest, std::fabs(w)); });
        if (largest == 0) return 0;
        for_weights([&](double w) { sum += (w / largest) * (w / largest); });
        return std::min(std::sqrt(sum) * largest, kLargest);
    }

    void state(StateWriter& out) const {
        out.put("cells", std::span<const double>(cells_.data(), cells_.size()));
        out.put("counts", std::span<const std::int64_t>(&rounds, 1));
    }

    void restore(const StateReader& in) {
        const auto cells = in.reals("cells");
        const auto counts = in.counts("counts", 1);
        check(cells.size() >= 3 && cells.size() % 3 == 0);
        for (std::size_t k = 0; k < cells.size(); k += 3) {
            const double m = cells[k], theta = cells[k + 1], S = cells[k + 2];
            check(m >= 0 && S >= 0 && (m > 0 || (theta == 0 && S == 0)));
            check(std::fabs(theta) <= kMostRounds && S <= kMostRounds);
        }
        cells_ = Buffer(cells.size());
        std::copy(cells.begin(), cells.end(), cells_.data());
        rounds = counts[0];
    }

  private:
    struct Cell {
        double m, theta, S;
    };

    static constexpr double kLargest = std::numeric_limits<double>::max();
    static constexpr double kMostRounds = 0x1p54;  // |θ| and S grow by at most 1 in a round

    static std::size_t place(Coordinate j) { return 3 * static_cast<std::size_t>(j + 1); }
    Cell cell(Coordinate j) const {
        const double* c = cells_.data() + place(j);
        return {c[0], c[1], c[2]};
    }

    static GradientWork& work_of_this_thread() {
        thread_local GradientWork work;
        return work;
    }

    template <class Row>
    double score(const Row& x, GradientWork& work) const {
        work.make_room(x.size + 1);
        std::size_t* const places = work.place.data();
        double* const values = work.numbers.data();
        std::size_t k = 0, n = 0;
        for_each(x, [&](Coordinate j, double v) {
            request(x, k++);
            places[n] = place(j);
            values[n++] = v;
        });
        work.size = n;
        for (; n % 4 != 0; ++n) places[n] = place(kBias), values[n] = 0.0;
        kernels().gradient.weigh(cells_.data(), work.row(), rate);
        return work.sum();
    }

    // Asks for the cell of an entry to come, perhaps of a later row: cells are far apart.
    template <class V>
    void request(const DenseRow<V>&, std::size_t) const {}
    template <class I, class V>
    void request(const SparseRow<I, V>& x, std::size_t k) const {
        constexpr std::size_t far = 64;
        if (k + far < x.ahead)
            __builtin_prefetch(cells_.data() + place(static_cast<Coordinate>(x.index[k + far])));
    }

    template <class F>
    void for_weights(F&& f) const {
        for (Coordinate j = kBias; j < static_cast<Coordinate>(dimension()); ++j) f(weight(j));
    }

    Buffer cells_;  // m, θ and S of the constant feature, then of the others
};

}  // namespace novikoff
