// Weights in whole numbers, as a file stores them: their sums must stay within 64 bits.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>

namespace nb = nanobind;

namespace novikoff {

class WholeWeights {
  public:
    void add(std::int64_t weight) {
        squares_ += Wide{weight} * weight;
        largest_ = std::max(largest_, weight < 0 ? -Wide{weight} : Wide{weight});
    }

    // ‖w‖², if the weights of this many rounds can be added up.
    std::int64_t norm2(std::int64_t rounds) const {
        if (rounds < 0 || squares_ > kMost || largest_ * (Wide{rounds} + 1) > kMost)
            throw nb::value_error("weights whose sums 64 bits hold");
        return static_cast<std::int64_t>(squares_);
    }

    // Σ t·Δ_t of one feature.
    static void check_delayed(std::int64_t sum) {
        if (sum > kMost || sum < -kMost) throw nb::value_error("weights whose sums 64 bits hold");
    }

  private:
    __extension__ using Wide = __int128;
    static constexpr std::int64_t kMost = std::int64_t{1} << 61;
    Wide squares_ = 0, largest_ = 0;
};

}  // namespace novikoff
