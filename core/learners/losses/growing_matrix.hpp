// Features that join one by one, and square matrices over them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "../../blocks/row.hpp"
#include "../../saving/state.hpp"

namespace novikoff {

// Places for features, in the order in which they joined.
template <std::size_t kMost>
class Slots {
  public:
    static constexpr std::size_t kNone = SIZE_MAX;

    std::size_t size() const { return features_.size(); }
    const std::vector<Coordinate>& features() const { return features_; }

    std::size_t slot_of(Coordinate j) const {
        for (std::size_t at = place(j);; at = (at + 1) % kTable) {
            if (table_[at] == 0) return kNone;
            if (features_[table_[at] - 1] == j) return table_[at] - 1u;
        }
    }

    std::size_t join(Coordinate j) {
        const std::size_t slot = features_.size();
        check(slot < kMost);
        std::size_t at = place(j);
        while (table_[at] != 0) at = (at + 1) % kTable;
        features_.push_back(j);
        table_[at] = static_cast<std::uint16_t>(slot + 1);
        return slot;
    }

  private:
    static constexpr std::size_t kTable = 4096;
    static_assert(2 * kMost < kTable);

    static std::size_t place(Coordinate j) {
        return (static_cast<std::uint64_t>(j) * 0x9E3779B97F4A7C15u) >> 52;
    }

    std::vector<Coordinate> features_;
    std::array<std::uint16_t, kTable> table_{};  // hashed: slot + 1, or 0
};

// A square matrix that grows by doubling; what was never set is 0.
class GrowingMatrix {
  public:
    double* row(std::size_t i) { return &values_[i * stride_]; }
    const double* row(std::size_t i) const { return &values_[i * stride_]; }
    double& at(std::size_t i, std::size_t j) { return values_[i * stride_ + j]; }
    double at(std::size_t i, std::size_t j) const { return values_[i * stride_ + j]; }
    std::size_t bytes() const { return values_.size() * sizeof(double); }

    void widen(std::size_t size) {
        if (size <= stride_) return;
        const std::size_t wide = std::max<std::size_t>({size, 2 * stride_, 8});
        std::vector<double> values(wide * wide, 0);
        for (std::size_t i = 0; i < stride_; ++i)
            std::copy_n(&values_[i * stride_], stride_, &values[i * wide]);
        values_ = std::move(values);
        stride_ = wide;
    }

    // The entries at and left of the diagonal, row by row.
    std::vector<double> triangle(std::size_t size) const {
        std::vector<double> found;
        found.reserve(size * (size + 1) / 2);
        for (std::size_t i = 0; i < size; ++i) found.insert(found.end(), row(i), row(i) + i + 1);
        return found;
    }

    void set_symmetric(std::span<const double> triangle, std::size_t size) {
        check(triangle.size() == size * (size + 1) / 2);
        widen(size);
        for (std::size_t i = 0, n = 0; i < size; ++i)
            for (std::size_t j = 0; j <= i; ++j, ++n) at(i, j) = at(j, i) = triangle[n];
    }

  private:
    std::size_t stride_ = 0;
    std::vector<double> values_;
};

}  // namespace novikoff
