// The loops worth compiling for each CPU. Their results have the same bits on every CPU, because
// the source fixes the lanes and contraction is off. Only scores, which are filters with a proved
// error bound, may fuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "blend_kernels.hpp"
#include "class_kernels.hpp"
#include "entries.hpp"
#include "gradient_kernels.hpp"
#include "passing.hpp"
#include "whole_products.hpp"

namespace novikoff {

struct Sums {      // two, so that they come back in registers
    double norm2;  // ‖x‖²
    double score;  // w·x, to within the error bound of decide.hpp
};

// The largest of many scores, the first class that has it, and how many come within `reach` of it,
// including itself (a NaN does).
struct Leader {
    double floor;  // the largest less `reach`
    std::uint32_t best;
    std::uint32_t near;
};

// What is left of a version space, and how many of its members are +1 in the next column.
struct Counted {
    std::uint64_t positives;
    std::size_t blocks;
};
inline constexpr std::size_t kWordsPerBlock = 8;

// The least |v| that is not zero (infinity if there is none) and the largest, of a row's values.
struct Span {
    double least, largest;
};

// Is every value a whole number of steps, and how large is the largest |v|? The answer is right if
// no value has more than 2^51 steps.
struct Steps {
    bool whole;
    double largest;
};

// The measures write ‖x‖_∞ to `largest`. Weights are doubles or, in the narrow forms, floats.
// Additions do w ← w + sign · x; entry k lands at k · stride (dense) or index[k] · stride (sparse).
// `add_narrow`, `add_exact` and `add_pair` are for sums that need no check (numbers/grid.hpp), as
// floats, as doubles, or as a high and a low double. `add` and `add_high` check, and return how
// many entries they did: all, or those before the first four with an inexact one.
template <class V>
struct DenseKernels {
    Sums (*measure)(const V* value, std::size_t size, double* largest);
    Sums (*measure_and_score)(const double* weight, const V* value, std::size_t size,
                              double* largest);
    Sums (*measure_and_score_narrow)(const float* weight, const V* value, std::size_t size,
                                     double* largest);
    PassRounds<double, DenseRows<V>> pass;
    PassRounds<float, DenseRows<V>> pass_narrow;
    void (*class_scores)(const double* weight, std::size_t stride, const V* value, std::size_t size,
                         double* score);
    void (*class_scores_narrow)(const float* weight, std::size_t stride, const V* value,
                                std::size_t size, double* score);
    Span (*span)(const V* value, std::size_t size);
    Steps (*steps)(const V* value, std::size_t size, double steps_per_unit);
    void (*add_narrow)(float* weight, std::size_t stride, const V* value, double sign,
                       std::size_t size);
    void (*add_exact)(double* weight, std::size_t stride, const V* value, double sign,
                      std::size_t size);
    void (*add_pair)(double* high, double* low, std::size_t stride, const V* value, double sign,
                     std::size_t size);
    std::size_t (*add_high)(double* high, std::size_t stride, const V* value, double sign,
                            std::size_t size);
    std::size_t (*add)(double* high, double* low, std::size_t stride, const V* value, double sign,
                       std::size_t size);
};

// w·x of a sparse row, with or without its measures. `ahead` entries are readable from here on, in
// this row and the next ones. The large forms are for weights larger than the caches.
template <class W, class I, class V>
struct SparseScores {
    using Survey = Sums (*)(const W* weight, const I* index, const V* value, std::size_t size,
                            std::size_t ahead, double* largest);
    using Score = double (*)(const W* weight, const I* index, const V* value, std::size_t size,
                             std::size_t ahead);
    Survey measure_and_score, measure_and_score_large;
    Score score, score_large;
    PassRounds<W, SparseRows<I, V>> pass, pass_large;
};

template <class I, class V>
struct SparseKernels {
    // How many indices are above the one before; the first has none before it. At most 2^31.
    std::size_t (*ascents)(const I* index, std::size_t size);
    // A negative index counts as larger than any.
    std::uint64_t (*largest_index)(const I* index, std::size_t size);
    // ‖x‖², the same bits as with w·x.
    double (*measure)(const V* value, std::size_t size, double* largest);
    SparseScores<double, I, V> scores;
    SparseScores<float, I, V> scores_narrow;
    void (*class_scores)(const double* weight, std::size_t stride, const I* index, const V* value,
                         std::size_t size, std::size_t ahead, double* score);
    void (*class_scores_narrow)(const float* weight, std::size_t stride, const I* index,
                                const V* value, std::size_t size, std::size_t ahead, double* score);
    void (*add_narrow)(float* weight, std::size_t stride, const I* index, const V* value,
                       double sign, std::size_t size);
    void (*add_exact)(double* weight, std::size_t stride, const I* index, const V* value,
                      double sign, std::size_t size);
    void (*add_pair)(double* high, double* low, std::size_t stride, const I* index, const V* value,
                     double sign, std::size_t size);
    std::size_t (*add_high)(double* high, std::size_t stride, const I* index, const V* value,
                            double sign, std::size_t size);
    std::size_t (*add)(double* high, double* low, std::size_t stride, const I* index,
                       const V* value, double sign, std::size_t size);
};

// Losses l in [0, 1] of many experts, doubles or bytes of 0 and 1; arrays of weights w and of
// cumulative losses L have room for a multiple of 4. Sums of w are kept for chunks of 64.
inline constexpr std::size_t kChunk = 64;

template <class V>
struct LossKernels {
    bool (*within)(const V* loss, std::size_t size);  // are all in [0, 1]?
    double (*dot)(const double* weight, const V* loss, std::size_t size);
    void (*add)(double* total, const V* loss, std::size_t size);  // L ← L + l
    // w ← w e^{−ηl} and L ← L + l; returns w·l before, writes the sums of w after.
    double (*decay)(double* weight, double* total, const V* loss, std::size_t size, double eta,
                    double* sums);
};

struct ExpertKernels {
    LossKernels<double> doubles;
    LossKernels<std::uint8_t> bytes;
    double (*least)(const double* total, std::size_t size);
    // w ← e^{−η(L − base)}, 0 below e^{−400}; and the sums of it, or of w as it is.
    void (*soften)(const double* total, std::size_t size, double base, double eta, double* weight,
                   double* sums);
    void (*sum)(const double* weight, std::size_t size, double* sums);

    template <class V>
    const auto& of() const {
        if constexpr (std::is_same_v<V, double>)
            return doubles;
        else
            return bytes;
    }
};

// The weights of a chain as its kernel reads them: a row of `stride` lanes for each move, and for
// each feature the row of its slot; the first `tags` lanes are in use.
template <class S>
struct ChainTable {
    const S* moves;
    const S* emissions;
    const std::int32_t* slots;
    std::size_t tags, stride;
};

template <class S>
using ChainForward = void (*)(const ChainTable<S>& table, const std::size_t* cells,
                              const std::int32_t* ids, std::size_t positions, S* into, S* alpha);

struct Kernels {
    const char* name;
    DenseKernels<float> dense32;
    DenseKernels<double> dense64;
    SparseKernels<std::int32_t, float> sparse32_32;
    SparseKernels<std::int32_t, double> sparse32_64;
    SparseKernels<std::int64_t, float> sparse64_32;
    SparseKernels<std::int64_t, double> sparse64_64;
    Leader (*lead)(const double* score, std::size_t size, double reach);  // size a multiple of 4
    // live &= pending ^ flip, if there is a pending column, over the blocks listed; empty ones
    // leave the list.
    Counted (*prune_and_count)(std::uint64_t* live, const std::uint64_t* pending,
                               std::uint64_t flip, const std::uint64_t* next, std::uint32_t* blocks,
                               std::size_t count, std::size_t words);
    ExpertKernels experts;
    ChainForward<std::int32_t> chain32;
    ChainForward<std::int64_t> chain64;
    BlendKernels blend;
    ClassKernels classes;
    GradientKernels gradient;
    WholeKernels whole;
    ReadEntries read_entries;  // null if this CPU reads them no faster than digit by digit

    template <class V>
    const auto& dense() const {
        if constexpr (std::is_same_v<V, float>)
            return dense32;
        else
            return dense64;
    }

    template <class I, class V>
    const auto& sparse() const {
        if constexpr (std::is_same_v<I, std::int32_t>) {
            if constexpr (std::is_same_v<V, float>)
                return sparse32_32;
            else
                return sparse32_64;
        } else {
            if constexpr (std::is_same_v<V, float>)
                return sparse64_32;
            else
                return sparse64_64;
        }
    }
};

extern const Kernels kBaselineKernels;
#if defined(NOVIKOFF_X86_64)
extern const Kernels kV3Kernels;
extern const Kernels kV4Kernels;
#endif

// Chosen when the library loads: the best that this CPU runs, or a lower one that NOVIKOFF_CPU
// names (x86-64-v3, baseline).
extern const Kernels* const kChosenKernels;
inline const Kernels& kernels() { return *kChosenKernels; }

}  // namespace novikoff
