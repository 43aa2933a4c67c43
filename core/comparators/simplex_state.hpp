// Comparators for Minnow: the problem, its dual, and the points that a solver passes through.
//
// For w ≥ 0 and γ = (1 + c‖w‖₁)/η, with c = ln cosh(ηR∞), the bound of the theorem minnow-hinge,
// (‖w‖₁ ln d + ηPL_γ)/(ηγ − c‖w‖₁) over P passes, is the objective of a linear program:
//     min_w  ln d · 1ᵀw + P Σ_t max(0, 1 − (Aw)_t),   a_tj = η y_t x_tj − c;
// its dual:
//     max_α  Σ_t α_t  with 0 ≤ α_t ≤ P and (Aᵀα)_j ≤ ln d for every j.
// P = ∞ asks for Aw ≥ 1 and is the theorem minnow. The balanced form has the columns of (x, −x).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../numbers/decide.hpp"
#include "soft_loss.hpp"

namespace novikoff {

struct SimplexTask {
    double eta;
    bool balanced;
    double passes;             // P
    double radius = 0;         // R∞
    std::size_t features = 0;  // d, of (x) even if it is balanced

    // ln cosh z = ln(1 + 2 sinh²(z/2)), which keeps its digits if z is small
    double shift() const {
        const double half = std::sinh(eta * radius / 2);
        return std::log1p(2 * half * half);
    }
    double mass() const { return std::log((balanced ? 2.0 : 1.0) * static_cast<double>(features)); }
};

// A number that changes from step to step.
struct Track {
    double now = 0;
    double sum = 0;    // of its values since the restart
    double start = 0;  // its value at the restart

    void move(double value) {
        now = value;
        sum += value;
    }
    void restart(double value) {
        now = start = value;
        sum = 0;
    }
};

// The current point, or the mean of the points since the restart.
struct View {
    bool mean;
    double steps;

    double operator()(const Track& track) const { return mean ? track.sum / steps : track.now; }
    double moved(const Track& track) const { return (*this)(track)-track.start; }
};

struct SimplexColumn {
    Track up, down;     // w = up − down
    Track pull;         // η Σ α_t y_t x_tj
    double length = 0;  // Σ_t η|x_tj|; later the step is 1 over it
};

struct SimplexRow {
    Track alpha, score;  // α_t and (Aw)_t
    double length = 0;   // Σ_j η|x_tj|; later the step is 1 over it
};

struct SimplexState {
    std::vector<SimplexColumn> columns;
    std::vector<SimplexRow> rows;
};

// The value of w. Pairs of up and down cancel, which raises every score by `relief`.
struct SimplexPrimal {
    double norm = 0, relief = 0;  // ‖w‖₁
    double loss = 0;              // Σ_t max(0, 1 − (Aw)_t)
    double least = kInfinity;     // min_t (Aw)_t

    SimplexPrimal(const SimplexState& state, const View& view, double shift) {
        for (const SimplexColumn& column : state.columns) {
            const double up = view(column.up), down = view(column.down);
            norm += std::fabs(up - down);
            relief += 2 * shift * std::min(up, down);
        }
        for (const SimplexRow& row : state.rows) {
            const double score = view(row.score) + relief;
            loss += std::max(0.0, 1 - score);
            least = std::min(least, score);
        }
    }

    double value(const SimplexTask& task) const {
        const double charge = loss == 0 ? 0 : task.passes * loss;
        return task.mass() * norm + charge;
    }
    // The same for w / min_t (Aw)_t, which has no losses.
    double stretched(const SimplexTask& task) const {
        return least > 0 ? task.mass() * norm / least : kInfinity;
    }
};

// No comparator has a smaller bound than Σα, once α is scaled to be feasible. The float sums are
// off: a pull adds α_t y_t η x_tj over n rows, n + 3 roundings for a term, a mean over k steps adds
// k + 2, so with u = 2^−53 and e = 1.05 u (n + 2k + 32) each (Aᵀα)_j is off by at most
// e (ηR∞ + c) Σα and Σα by e Σα; the 32 and the 1.05 leave room for the few roundings of c, ln d
// and of what follows.
inline double dual_below(const SimplexState& state, const View& view, const SimplexTask& task) {
    const double count = static_cast<double>(state.rows.size()) + 2 * view.steps + 32;
    const double error = kSlack * kUnit * count, shift = task.shift();
    double sum = 0, most = 0, highest = -kInfinity;
    for (const SimplexRow& row : state.rows) {
        sum += view(row.alpha);
        most = std::max(most, view(row.alpha));
    }
    if (!(sum > 1e-200)) return 0;  // from there on products do not underflow
    for (const SimplexColumn& column : state.columns) {
        const double pull = view(column.pull);
        highest = std::max(highest, task.balanced ? std::fabs(pull) : pull);
    }
    highest += sum * (error * (task.eta * task.radius + shift) - shift);
    const double room = highest > 0 ? task.mass() / highest : kInfinity;
    return sum * (1 - 4 * error) * std::min(room, task.passes / most);
}

}  // namespace novikoff
