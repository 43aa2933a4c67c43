// The members of Blend that keep a cell per feature, each as a learner of its own: the programs
// coin-betting/1, normalized-gradient/1 and arow/1 (docs/programs.md). In units of m = max |x|,
// u = x/m, a member says how a cell widens if m grows, what its feature weighs, and how it learns.
// Inside Blend all of them share one loop (cpu/blend.inc) and give the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "../../numbers/buffer.hpp"
#include "logistic_rule.hpp"

namespace novikoff {

inline constexpr double kMostTotal = 0x1p100;  // far above what 2⁴⁰ rounds can reach

// A sum of terms between 0 and 1 on the grid of multiples of 2⁻³⁰ does not depend on their order.
inline double on_grid(double x) {
    constexpr double grid = 6291456.0;  // 1.5·2²²
    return (x + grid) - grid;
}

// A gambler per feature, with the wealth W:
//     w = 0.8 W clamp(θ/(S + 1), ±1/√(S + 1)),  W −= g u w,  θ −= g u,  S += (g u)².
struct CoinBetting {
    struct Cell {
        double m, W, theta, S;
    };

    static Cell widened(const Cell& c, double size) {
        if (c.m == 0) return {size, 1.0, 0.0, 0.0};
        const double by = c.m / size;
        return {size, c.W, c.theta * by, (c.S * by) * by};
    }

    static double weight(const Cell& c) {
        const double r = std::sqrt(c.S + 1.0);
        return ((0.8 * c.W) * std::clamp(c.theta / r, -1.0, 1.0)) / r;
    }

    static auto learning(const Played& round) {
        return [g = round.g](const Cell& c, double u) -> Cell {
            const double step = g * u;
            return {c.m, c.W - step * weight(c), c.theta - step, c.S + step * step};
        };
    }

    static bool sound(const Cell& c) {
        return c.W >= 0 && c.W <= kMostTotal && std::fabs(c.theta) <= kMostTotal && c.S >= 0 &&
               c.S <= kMostTotal;
    }
};

// G += (g u)²,  w −= rate √(t/N) g u/√G,  with N = ΣΣu².
struct NormalizedGradient {
    struct Cell {
        double m, w, G;
    };

    double rate;
    std::array<double, 2> totals{};  // t and N

    explicit NormalizedGradient(double rate_value) : rate(rate_value) {
        check(rate >= 0x1p-20 && rate <= 0x1p20);
    }

    static Cell widened(const Cell& c, double size) {
        const double by = c.m / size;
        return {size, c.w, (c.G * by) * by};
    }

    static double weight(const Cell& c) { return c.w; }
    static double share(const Cell&, double u) { return u * u; }

    auto learning(const Played& round, double shares) {
        totals[0] += 1.0, totals[1] += shares;
        const double pace = totals[1] > 0 ? rate * std::sqrt(totals[0] / totals[1]) : 0.0;
        return [g = round.g, pace](const Cell& c, double u) -> Cell {
            const double step = g * u;
            const double G = c.G + step * step;
            return {c.m, G > 0 ? c.w - (pace * step) / std::sqrt(G) : c.w, G};
        };
    }

    static bool sound(const Cell& c) {
        return std::fabs(c.w) <= kMostTotal && c.G >= 0 && c.G <= kMostTotal;
    }
};

// w has a variance V: if y s < 1,  β = 1/(Σ V u² + 1),  w += (1 − y s) β y V u,  V −= β (V u)².
struct Arow {
    struct Cell {
        double m, w, V;
    };
    static constexpr double kMostWeight = 1048576.0;

    static Cell widened(const Cell& c, double size) {
        if (c.m == 0) return {size, 0.0, 1.0};
        const double by = size / c.m;
        return {size, c.w, std::min((c.V * by) * by, 1.0)};
    }

    static double weight(const Cell& c) { return c.w; }
    static double share(const Cell& c, double u) { return (c.V * u) * u; }

    static auto learning(const Played& round, double shares) {
        const double margin = round.y * round.score;
        const double beta = margin < 1 ? round.v / (shares + 1.0) : 0.0;
        const double a = ((1.0 - margin) * beta) * round.y;
        return [a, beta](const Cell& c, double u) -> Cell {
            const double move = c.V * u;
            return {c.m, std::clamp(c.w + a * move, -kMostWeight, kMostWeight),
                    c.V - (beta * move) * move};
        };
    }

    static bool sound(const Cell& c) {
        return std::fabs(c.w) <= kMostWeight && c.V > 0 && c.V <= 1;
    }
};

// One of them with its cells. A feature that has not appeared has m = 0, and then all else is 0.
template <class Member>
class Cells {
  public:
    using Cell = typename Member::Cell;
    struct Work {};

    template <class... Options>
    explicit Cells(Options... options) : member_(options...) {
        grow(0);
    }

    std::size_t dimension() const { return cells_.size() / kSize - 1; }
    std::size_t bytes() const { return cells_.size() * sizeof(double); }
    void grow(std::size_t dimension) { cells_.grow(kSize * (dimension + 1)); }

    template <class Row>
    double score(const Row& x, Work&) const {
        const auto terms = [&](auto&& take) {
            std::size_t k = 0;
            for_each(x, [&](Coordinate j, double v) {
                request(x, k++);
                const Cell c = scaled(j, v);
                take(Member::weight(c) * (v / c.m));
            });
        };
        return floats::rounded_sum(terms);
    }

    template <class Row>
    void step(const Row& x, const Work&, const Played& round) {
        const auto learned = learning(x, round);
        for_each(x, [&](Coordinate j, double v) {
            const Cell c = scaled(j, v);
            at(j) = learned(c, v / c.m);
        });
    }

    double weight(Coordinate j) const {
        const Cell& c = at(j);
        return c.m == 0 ? 0.0 : Member::weight(c) / c.m;
    }

    void state(StateWriter& out) const {
        out.put("cells", std::span<const double>(cells_.data(), cells_.size()));
        if constexpr (kTotals) out.put("totals", std::span<const double>(member_.totals));
    }

    void restore(const StateReader& in) {
        const auto cells = in.reals("cells");
        check(cells.size() >= kSize && cells.size() % kSize == 0);
        Buffer found(cells.size());
        std::copy(cells.begin(), cells.end(), found.data());
        for (std::size_t k = 0; k < cells.size(); k += kSize) {
            const Cell& c = *reinterpret_cast<const Cell*>(found.data() + k);
            check(c.m > 0 ? Member::sound(c)
                          : std::all_of(&cells[k], &cells[k] + kSize,
                                        [](double value) { return value == 0; }));
        }
        if constexpr (kTotals) {
            const auto totals = in.reals("totals");
            check(totals.size() == member_.totals.size());
            for (const double total : totals) check(total >= 0 && total <= kMostTotal);
            std::copy(totals.begin(), totals.end(), member_.totals.begin());
        }
        cells_ = std::move(found);
    }

  private:
    static constexpr std::size_t kSize = sizeof(Cell) / sizeof(double);
    static constexpr bool kTotals = requires(Member member) { member.totals; };
    static constexpr bool kShares = requires(Cell cell) { Member::share(cell, 1.0); };

    static std::size_t place(Coordinate j) { return kSize * static_cast<std::size_t>(j + 1); }
    const Cell& at(Coordinate j) const {
        return *reinterpret_cast<const Cell*>(cells_.data() + place(j));
    }
    Cell& at(Coordinate j) { return *reinterpret_cast<Cell*>(cells_.data() + place(j)); }

    // The cell of a feature, with this x among what m is the largest of.
    Cell scaled(Coordinate j, double x) const {
        const Cell& c = at(j);
        const double size = std::fabs(x);
        return size <= c.m ? c : Member::widened(c, size);
    }

    // How the round changes a cell.
    template <class Row>
    auto learning(const Row& x, const Played& round) {
        if constexpr (kShares) {
            double shares = 0;
            for_each(x, [&](Coordinate j, double v) {
                const Cell c = scaled(j, v);
                shares += on_grid(Member::share(c, v / c.m));
            });
            return member_.learning(round, shares);
        } else {
            return member_.learning(round);
        }
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

    Member member_;
    Buffer cells_;  // of the constant feature, then of the others
};

}  // namespace novikoff
