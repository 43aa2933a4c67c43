// Products of matrices of whole numbers, such as pixels and counts: exact, as with doubles, and
// several times as fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../cpu/kernels.hpp"

namespace novikoff {

// Rows of doubles in memory, `stride` doubles apart.
struct RealMatrix {
    const double* values;
    std::size_t rows, columns;
    std::ptrdiff_t stride;
};

class WholeMatrix {
  public:
    // Takes the values if all are whole numbers that 16 bits hold; says whether they are.
    bool take(const RealMatrix& given) {
        const auto& kernel = kernels().whole;
        if (kernel.products == nullptr) return false;
        rows_ = given.rows;
        stride_ = (given.columns + 31) / 32 * 32;
        values_.assign((rows_ + 3) / 4 * 4 * stride_, 0);
        for (std::size_t i = 0; i < rows_; ++i) {
            const double* row = given.values + static_cast<std::ptrdiff_t>(i) * given.stride;
            const int found = kernel.narrow(row, given.columns, values_.data() + i * stride_);
            if (found < 0) return false;
            if (found > largest_) largest_ = found;
        }
        return true;
    }

    // Do 32 bits hold every sum of products with the rows of another one?
    bool fits(const WholeMatrix& other) const {
        const double product = static_cast<double>(largest_) * other.largest_;
        return product * static_cast<double>(stride_) < 0x1p31;
    }

    WholeRows view() const { return {values_.data(), rows_, stride_}; }

  private:
    std::vector<std::int16_t> values_;
    std::size_t rows_ = 0, stride_ = 0;
    int largest_ = 0;
};

// out = a bᵀ, if both are whole and 32 bits hold the sums; says whether they are.
inline bool whole_products(const RealMatrix& a, const RealMatrix& b, double* out) {
    WholeMatrix left, right;
    if (!left.take(a) || !right.take(b) || !left.fits(right)) return false;
    kernels().whole.products(left.view(), right.view(), out);
    return true;
}

}  // namespace novikoff
