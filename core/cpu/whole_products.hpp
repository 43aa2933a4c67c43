// Products of rows of whole numbers that 16 bits hold: exact, and several times as fast as with
// doubles. Pixels and counts are such numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace novikoff {

// Values take up `stride` places a row, a multiple of 32; those beyond a row are 0, and so are the
// rows that fill up a multiple of four.
struct WholeRows {
    const std::int16_t* values;
    std::size_t rows, stride;
};

inline constexpr int kLargestWhole = 32767;  // in absolute value, or two products could overflow

struct WholeKernels {
    // Stores so many values if they are whole numbers within the limit. Returns the largest |v|, or
    // −1.
    int (*narrow)(const double* value, std::size_t size, std::int16_t* into);
    // out[i · b.rows + j] = Σ_k a_ik b_jk, for products whose sums 32 bits hold. Null if this CPU
    // is no faster with whole numbers.
    void (*products)(const WholeRows& a, const WholeRows& b, double* out);
};

}  // namespace novikoff
