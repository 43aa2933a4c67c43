// The modified perceptron (blum1998): from a random w_0, while some x lies on the wrong side with
// |cos(w, x)| ≥ σ,
//     w ← w − (w·x̂) x̂,   x̂ = x/‖x‖.
// After (ln d)/σ² updates it starts over from another w_0. If |cos| < σ it abstains.
//
// An update is rounded to doubles, coordinate by coordinate; decisions with w are exact.
#pragma once

#include <cmath>

#include "../../numbers/draw.hpp"
#include "../../numbers/enclosure.hpp"
#include "linear.hpp"

namespace novikoff {

struct Modified : Binary, Linear {
    static constexpr bool kWholeRows = true;  // ‖x‖ includes features unknown to w

    double sigma;
    std::uint64_t seed;
    double norm2 = 0;          // ‖w‖²
    std::int64_t updates = 0;  // since w_0 was drawn
    std::int64_t draws = 0;

    Modified(double bias_value, double threshold, std::uint64_t seed_value)
        : Linear(bias_value), sigma(threshold), seed(seed_value) {}

    // w_0 has a coordinate for every feature known when the first round begins.
    void begin_round() {
        if (draws == 0) draw();
    }

    std::size_t features() const { return w.dimension() + (bias != 0); }

    // (ln d)/σ², which suffices if w*·w_0 ≥ 1/√d.
    std::int64_t limit() const {
        const double d = static_cast<double>(std::max<std::size_t>(features(), 1));
        return static_cast<std::int64_t>(std::min(logarithm(d) / (sigma * sigma), 1e15));
    }

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(x);
    }

    // 0 if |w·x| < σ‖w‖‖x‖, and if x = 0, which has no direction.
    template <class Row>
    Prediction predict(const Row& x, const Extent& extent, Effort& effort) const {
        if (norm2 == 0 || extent.largest == 0) return {0};
        double score = 0;
        for_each(x, [&](Coordinate j, double v) {
            if (inside(j)) score += w.rounded(j) * v;
        });
        const double norms2 = norm2 * extent.norm2;
        const bool ordinary = norm2 > 1e-140 && extent.norm2 > 1e-140 && norms2 < 1e280;
        const double norms = std::sqrt(norms2);
        const double size = std::fabs(score);
        // Each of the three is known to about n units in the last place.
        const double error = 4 * error_factor(x.size + w.dimension()) * norms;
        if (ordinary && size > sigma * norms + error) return {label(score)};
        if (ordinary && size < sigma * norms - error) return {0};
        return {settle(x, effort)};
    }

    template <class Row>
    Outcome learn(const Row& x, const Extent&, Prediction prediction, Label y, double weight) {
        ++rounds;
        if (prediction.label == 0) return {.abstained = true};
        if (prediction.label == y) return {};
        if (weight == 0) return {.mistake = true};
        update(x);
        return {.mistake = true, .updated = true};
    }

    void state(StateWriter& out) const {
        const std::int64_t counts[] = {draws, updates};
        Linear::state(out);
        out.put("draws", std::span<const std::int64_t>(counts));
    }

    void restore(const StateReader& in) {
        const auto counts = in.counts("draws", 2);
        Linear::restore(in);
        draws = counts[0];
        updates = counts[1];
        measure_weights();
    }

  private:
    template <class Row>
    void update(const Row& x) {
        if (updates >= limit()) return draw();
        ++updates;
        project(x);
        measure_weights();
        if (norm2 == 0) draw();
    }

    static Label label(double score) { return score < 0 ? -1 : 1; }

    bool inside(Coordinate j) const { return j < static_cast<Coordinate>(w.dimension()); }

    // Features that appear later weigh 0 until the next draw.
    void draw() {
        const auto series = static_cast<std::uint64_t>(draws++);
        updates = 0;
        const auto dimension = static_cast<Coordinate>(w.dimension());
        for (Coordinate j = bias != 0 ? kBias : 0; j < dimension; ++j)
            w.set(j, draw_normal(seed, series, static_cast<std::uint64_t>(j + 1)));
        measure_weights();
    }

    // ‖w‖² in its own order; near the end of the range w is scaled by a power of two, which changes
    // no angle.
    void measure_weights() {
        norm2 = whole_norm2();
        while (norm2 <= 1e-100 && !is_zero()) {  // squares may underflow though w is not 0
            for (Coordinate j = kBias; inside(j); ++j) w.set(j, w.rounded(j) * 0x1p200);
            norm2 = whole_norm2();
        }
    }
    bool is_zero() const {
        for (Coordinate j = kBias; inside(j); ++j)
            if (w.rounded(j) != 0) return false;
        return true;
    }
    double whole_norm2() const {
        double sum = 0;
        for (Coordinate j = kBias; inside(j); ++j) sum += w.rounded(j) * w.rounded(j);
        return sum;
    }

    // Scales x near 1 first, so that nothing overflows; the order of x does not matter.
    template <class Row>
    void project(const Row& x) {
        double largest = 0;
        for_each(x, [&](Coordinate, double v) { largest = std::max(largest, std::fabs(v)); });
        const double scale = std::scalbn(1.0, -std::max(std::ilogb(largest), -1000));
        Accumulator score, square;
        for_each(x, [&](Coordinate j, double v) {
            score.add_product(w.rounded(j), v * scale);
            square.add_product(v * scale, v * scale);
        });
        const double step = score.rounded() / square.rounded();
        for_each(x, [&](Coordinate j, double v) { w.set(j, w.rounded(j) - step * (v * scale)); });
    }

    template <class Row>
    [[gnu::noinline]] Label settle(const Row& x, Effort& effort) const {
        ++effort.second;
        ++effort.exact;
        Accumulator score, weights2, x2;
        for_each(x, [&](Coordinate j, double v) {
            if (inside(j)) score.add_product(w.rounded(j), v);
            x2.add_product(v, v);
        });
        for (Coordinate j = kBias; inside(j); ++j) weights2.add_product(w.rounded(j), w.rounded(j));
        if (compare_products(score, weights2, x2, sigma) < 0) return 0;
        return label(score.sign());
    }
};

}  // namespace novikoff
