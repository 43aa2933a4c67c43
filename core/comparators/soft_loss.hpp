// The soft-margin problems, primal and dual:
//     hinge          min_w ½‖w‖² + C Σ ξ_t          dual: 0 ≤ α_t ≤ C
//     squared hinge  min_w ½‖w‖² + (C/2) Σ ξ_t²     dual: 0 ≤ α_t, less ½ Σ α_t²/C
// with ξ_t = max(0, 1 − y_t w·x_t) and w = Σ α_t y_t x_t.
#pragma once

#include <algorithm>
#include <limits>

namespace novikoff {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct SoftLoss {
    double cost;
    bool squared;

    // 0 ≤ α ≤ upper, and the dual loses ½ · diagonal · α² (hsieh2008, eq. 4).
    double upper() const { return squared ? kInfinity : cost; }
    double diagonal() const { return squared ? 1 / cost : 0; }

    // What a row with slack 1 − y w·x adds to primal − dual, given w = Σ α y x:
    //     C ξ − α slack,  or  (C/2) ξ² + α²/2C − α slack = (C ξ − α)²/2C + α (ξ − slack).
    // Never negative, even with rounding.
    double gap(double alpha, double slack) const {
        if (!squared) return slack > 0 ? (cost - alpha) * slack : -alpha * slack;
        const double hinge = std::max(slack, 0.0), excess = cost * hinge - alpha;
        return excess * (excess * (diagonal() / 2)) + alpha * (hinge - slack);
    }
};

// The measures of one (w, α); infinite before the measurement.
struct SoftTotals {
    double gap = kInfinity;
    double hinge = kInfinity, hinge_square = kInfinity;  // Σ ξ, Σ ξ²
    double alpha = 0, charge = 0;                        // Σ α, Σ diagonal · α²
    double norm2 = 0;                                    // ‖w‖²
    double error = 0;                                    // of the dual, if it is bounded

    static SoftTotals none() { return {0, 0, 0, 0, 0, 0, 0}; }

    double primal(const SoftLoss& loss) const {
        return norm2 / 2 + loss.cost * (loss.squared ? hinge_square / 2 : hinge);
    }
    double dual() const { return alpha - (norm2 + charge) / 2 - error; }

    // The k that maximises the dual of k α, Σα / (‖w‖² + Σα²/C), or the largest with k α ≤ upper;
    // `most` is the largest α.
    double best_scale(const SoftLoss& loss, double most) const {
        return std::min(alpha / (norm2 + charge), loss.upper() / most);
    }
};

}  // namespace novikoff
