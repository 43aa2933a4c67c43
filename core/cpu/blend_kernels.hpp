// The loops of the float program blend/1 (docs/programs.md), compiled for each CPU: lanes run
// across members, never across features, so that every CPU gives the same bits.
#pragma once

#include <cstddef>

namespace novikoff {

// The members in their order, and the stack.
inline constexpr std::size_t kCoin = 0, kGradient = 1, kNormalized = 4, kArow = 6, kBase = 7,
                             kRecent = 8, kNewton = 9, kStack = 10, kMembers = 11;
inline constexpr std::size_t kLanes = 12;    // kMembers, rounded up to whole vectors
inline constexpr std::size_t kDiagonal = 7;  // the members that keep a cell per feature
inline constexpr double kRates[3] = {0.25, 1.0, 4.0}, kPaces[2] = {0.5, 2.0};

// A feature's cell, two cache lines. θ and S: CoinBetting, then AdaptiveGradient at three rates.
// w: NormalizedGradient at two rates, Arow, and the wealth W of CoinBetting. G: what goes with w,
// and m. A feature that has not appeared has m = 0, and then all else is 0.
struct BlendCell {
    double theta[4], S[4], w[4], G[4];

    static constexpr std::size_t kVariance = 2, kWealth = 3, kLargest = 3;
    double m() const { return G[kLargest]; }
};
static_assert(sizeof(BlendCell) == 128);

inline constexpr std::size_t kFollowing = 32;

// A row, and what predicting leaves for learning. Arrays hold `size` entries and have room for a
// multiple of four. What fills up the last four has the value 0 and the place of a spare cell,
// which has m = 1 and adds nothing. `weight` and `root` hold four for each: the weights of
// AdaptiveGradient after one that is not used, and √(S + 1) of CoinBetting and AdaptiveGradient;
// learning overwrites them.
struct BlendRow {
    std::size_t*
        place;  // of the cell, counted in doubles; kFollowing of later rows come after the fours
    std::size_t* wider;  // the entries whose cells must widen; BlendSums counts them
    double* value;       // not 0
    double* u;
    double* bet;  // the weights of CoinBetting
    double* weight;
    double* root;
    std::size_t size;
};

// Sums over a row. A score that `doubtful` flags may be off by a last bit: take it again, exactly.
struct BlendSums {
    double score[8];
    bool doubtful[8];
    double square;  // Σ u², on the grid
    double spread;  // Σ V u², on the grid
    std::size_t wider;
};

struct BlendStep {
    double g[4];        // of CoinBetting and AdaptiveGradient
    double h[2];        // of NormalizedGradient
    double pace[2];     // rate · √(t/N)
    double move, beta;  // of Arow
};

// P z, zᵀP z as float programs sum them; `stride` is a multiple of 4 that covers `size`.
struct BlendKernels {
    void (*gather)(const BlendCell* cells, const BlendRow& row, BlendSums& sums);
    // Learns; writes Σ on_grid(step²/√(S + 1)) of CoinBetting and AdaptiveGradient to costs.
    void (*scatter)(BlendCell* cells, const BlendRow& row, std::size_t wider, const BlendStep& step,
                    double* costs);
    // The probabilities of +1 and −1 at kLanes scores, clipped to ±most.
    void (*chances)(const double* score, double most, double* positive, double* negative);
    // k = P z over the rows `at` of a symmetric matrix, summed exactly on a grid for each entry.
    void (*products)(const double* matrix, std::size_t stride, const std::size_t* at,
                     const double* z, std::size_t count, double* k);
    // P ← P − b k kᵀ.
    void (*lower)(double* matrix, std::size_t stride, std::size_t size, double b, const double* k);
};

}  // namespace novikoff
