// The losses of the problems
//     min over u of Σ_t ℓ_t(z_t) + ½ Σ_i λ_i u_i²,  z_t = c_t u·x_t,
// and their duals. With D_t(α) = min over z of ℓ_t(z) + α z, for every α
//     min ≥ Σ_t D_t(α_t) − ½ Σ_i (Σ_t α_t c_t x_ti)²/λ_i,
// because ℓ_t(z_t) ≥ D_t(α_t) − α_t z_t, and ½ λ_i u_i² − v_i u_i ≥ −½ v_i²/λ_i.
//
//     loss       c   ℓ(z)              α         D(α)
//     logistic   y   ln(1 + e^{−z})    [0, 1]    H(α) = −α ln α − (1 − α) ln(1 − α)
//     hinge      y   max(0, 1 − z)     [0, 1]    α
//     squared    1   (y − z)²          any       α y − α²/4
//     absolute   1   |y − z|           [−1, 1]   α y
//
// The best α of one row, all others fixed, has z = b + a α with a = Σ_i x_ti²/λ_i. Each loss says
// how a row starts, what it adds to the primal value and to the gap, which α is the best for it,
// and bounds ℓ from above and D from below for floats.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "../numbers/floats.hpp"
#include "measures.hpp"

namespace novikoff {

// σ(−z) = 1/(1 + e^z).
inline double chance_of_error(double z) {
    const double e = floats::exp(-std::fabs(z));
    return (z < 0 ? 1.0 : e) / (1.0 + e);
}

struct LogisticLoss {
    using Label = std::int8_t;
    static constexpr bool kEnds = false;  // α can stand at an end of its range

    struct Row {
        Label y;
        double depth;   // a
        double alpha;   // σ(−margin)
        double margin;  // that α is the best for
    };

    static bool takes(Label y) { return y == 1 || y == -1; }
    static bool takes_alpha(double alpha) { return alpha >= 0 && alpha <= 1; }
    static double side(Label y) { return y; }
    static Row begun(Label y, double a) { return {y, a, a > 0 ? 0 : 0.5, a > 0 ? kFar : 0}; }

    static double loss(Label, double z) {
        return (z < 0 ? -z : 0) + floats::log1p(floats::exp(-std::fabs(z)));
    }
    // KL(α ‖ σ(−z)), the row's share of the gap, is at most that in both directions.
    static double gap(const Row& row, double z) {
        return (z - row.margin) * (row.alpha - chance_of_error(z));
    }
    // α = σ(−z) for the z with z = b + a σ(−z), where b = z − a α now. The right side falls as z
    // grows, so Newton's method between b and b + a finds it.
    static double settle(Row& row, double z) {
        double error = chance_of_error(z);
        double low = z - row.depth * row.alpha, high = low + row.depth;
        const double start = low;
        for (int k = 0; k < kSteps; ++k) {
            const double excess = (z - start) - row.depth * error;
            (excess > 0 ? high : low) = z;
            const double next = z - excess / (1 + row.depth * error * (1 - error));
            const bool inside = next > low && next < high;
            const double moved = inside ? next : low + (high - low) / 2;
            const bool near = std::fabs(moved - z) <= 1e-9 * (1 + std::fabs(z));
            z = moved;
            if (near) break;
            error = chance_of_error(z);
        }
        row.margin = z;
        return chance_of_error(z);
    }

    // exp and log1p are within 8 · 2^−53 of ln(1 + e^{−z}) together, and exp never falls below
    // e^{−708}.
    static double above(Label, double z, double error) {
        z = subtract_down(z, error);
        const double tail = floats::log1p(floats::exp(-std::fabs(z)));
        return next_up((z < 0 ? -z + tail : tail) * (1 + 0x1p-48));
    }
    // H = α ln(1 + (1 − α)/α) + (1 − α) ln(1 + α/(1 − α)): no term is negative, and each has a
    // relative error below 10 · 2^−53.
    static double below(Label, double alpha) {
        const double other = 1 - alpha;
        if (!(alpha > 0x1p-900 && other > 0)) return 0;
        const double sum =
            alpha * floats::log1p(other / alpha) + other * floats::log1p(alpha / other);
        return sum * (1 - 0x1p-48);
    }
    static double alpha_at(Label, double z) { return chance_of_error(z); }

  private:
    static constexpr double kFar = 1000;  // a margin whose α is as good as 0
    static constexpr int kSteps = 20;     // of Newton's method
};

template <class L>
struct PlainRow {
    L y;
    double depth;  // a
    double alpha;
    bool out;  // left out of passes, because α stands firmly at an end
};

struct HingeLoss {
    using Label = std::int8_t;
    using Row = PlainRow<Label>;
    static constexpr bool kEnds = true;
    static constexpr double kLow = 0, kHigh = 1;

    static bool takes(Label y) { return y == 1 || y == -1; }
    static bool takes_alpha(double alpha) { return alpha >= kLow && alpha <= kHigh; }
    static double side(Label y) { return y; }
    static Row begun(Label y, double a) { return {y, a, a > 0 ? 0.0 : 1.0, false}; }
    static double slope(const Row&, double z) { return 1 - z; }  // of the dual in α

    static double loss(Label, double z) { return std::max(0.0, 1 - z); }
    static double gap(const Row& row, double z) {
        return z < 1 ? (1 - row.alpha) * (1 - z) : row.alpha * (z - 1);
    }
    static double settle(const Row& row, double z) {
        return std::clamp(row.alpha + slope(row, z) / row.depth, kLow, kHigh);
    }
    static double above(Label, double z, double error) {
        return std::max(0.0, add_up(1, -subtract_down(z, error)));
    }
    static double below(Label, double alpha) { return alpha; }
    static double alpha_at(Label, double z) { return z < 1 ? 1 : 0; }
};

struct AbsoluteLoss {
    using Label = double;
    using Row = PlainRow<Label>;
    static constexpr bool kEnds = true;
    static constexpr double kLow = -1, kHigh = 1;

    static bool takes(Label y) { return std::isfinite(y); }
    static bool takes_alpha(double alpha) { return alpha >= kLow && alpha <= kHigh; }
    static double side(Label) { return 1; }
    static Row begun(Label y, double a) { return {y, a, a > 0 ? 0.0 : alpha_at(y, 0), false}; }
    static double slope(const Row& row, double z) { return row.y - z; }

    static double loss(Label y, double z) { return std::fabs(y - z); }
    static double gap(const Row& row, double z) {
        const double rest = row.y - z;
        return rest > 0 ? (1 - row.alpha) * rest : -(1 + row.alpha) * rest;
    }
    static double settle(const Row& row, double z) {
        return std::clamp(row.alpha + slope(row, z) / row.depth, kLow, kHigh);
    }
    static double above(Label y, double z, double error) {
        return add_up(next_up(std::fabs(y - z)), error);
    }
    static double below(Label y, double alpha) { return -next_up(-alpha * y); }
    static double alpha_at(Label y, double z) { return y > z ? 1 : y < z ? -1 : 0; }
};

struct SquaredLoss {
    using Label = double;
    using Row = PlainRow<Label>;
    static constexpr bool kEnds = false;

    static bool takes(Label y) { return std::isfinite(y); }
    static bool takes_alpha(double alpha) { return std::isfinite(alpha); }
    static double side(Label) { return 1; }
    static Row begun(Label y, double a) { return {y, a, a > 0 ? 0.0 : alpha_at(y, 0), false}; }

    static double loss(Label y, double z) { return (y - z) * (y - z); }
    // (y − z)² − D(α) − α z = (y − z − α/2)².
    static double gap(const Row& row, double z) {
        const double rest = (row.y - z) - row.alpha / 2;
        return rest * rest;
    }
    static double settle(const Row& row, double z) {
        return row.alpha + ((row.y - z) - row.alpha / 2) / (row.depth + 0.5);
    }
    static double above(Label y, double z, double error) {
        const double rest = add_up(next_up(std::fabs(y - z)), error);
        return next_up(rest * rest);
    }
    // α (y − α/4): a difference and a product, each off by 2^−53 of itself, and underflow.
    static double below(Label y, double alpha) {
        const double value = alpha * (y - alpha / 4);
        if (!std::isfinite(value)) return -std::numeric_limits<double>::infinity();
        return value - (std::fabs(value) * 0x1p-50 + 0x1p-1000 * (1 + std::fabs(alpha)));
    }
    static double alpha_at(Label y, double z) {
        const double alpha = 2 * (y - z);
        return std::isfinite(alpha) ? alpha : 0;
    }
};

}  // namespace novikoff
