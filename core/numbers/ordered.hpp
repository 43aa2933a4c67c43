// Matrix products whose bits do not depend on the CPU.
#pragma once

#include <algorithm>
#include <cstddef>

namespace novikoff {

// out = a b, where a is rows × inner and b is inner × columns. Each sum Σ_j a_ij b_jk begins with
// its first term and adds the others in ascending order of j; each product is rounded before it is
// added. Lanes of a CPU hold different sums, never parts of one.
inline void ordered_product(const double* a, const double* b, double* out, std::size_t rows,
                            std::size_t inner, std::size_t columns) {
    for (std::size_t i = 0; i < rows; ++i, a += inner, out += columns) {
        if (inner == 0) std::fill_n(out, columns, 0.0);
        for (std::size_t j = 0; j < inner; ++j) {
            const double factor = a[j];
            const double* row = b + j * columns;
            if (j == 0)
                for (std::size_t k = 0; k < columns; ++k) out[k] = factor * row[k];
            else
                for (std::size_t k = 0; k < columns; ++k) out[k] += factor * row[k];
        }
    }
}

}  // namespace novikoff
