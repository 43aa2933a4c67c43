// The order in which a solver visits the rows of several blocks, pass after pass: runs of
// neighbours, from all blocks in one random order. Block after block, a solver would fit one while
// the others wait, and take several times the passes (on a9a in a file, 79 in place of 8).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tour.hpp"

namespace novikoff {

class MixedTour {
  public:
    struct Run {
        std::size_t block;
        std::size_t first;  // the number of the block's row 0
        std::size_t begin, end;
        std::size_t values;  // about so many
    };

    void add(std::size_t rows, std::size_t values) {
        parts_.push_back({rows_, rows, values / std::max<std::size_t>(rows, 1) + 1});
        rows_ += rows;
    }

    void begin(std::uint64_t pass) {
        if (runs_.empty()) divide();
        deal_at_random(order_, runs_.size(), pass, 0);
        next_ = 0;
    }
    // More blocks are about to come.
    void forget() { runs_.clear(); }

    bool done() const { return next_ == order_.size(); }
    const Run& run() const { return runs_[order_[next_]]; }
    void proceed() { ++next_; }

  private:
    struct Part {
        std::size_t first, rows, width;
    };

    void divide() {
        const std::size_t length = length_of_runs(rows_);
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            const auto [first, rows, width] = parts_[k];
            for (std::size_t start = 0; start < rows; start += length) {
                const std::size_t end = std::min(start + length, rows);
                runs_.push_back({k, first, start, end, (end - start) * width});
            }
        }
    }

    std::vector<Part> parts_;
    std::vector<Run> runs_;
    std::vector<std::uint32_t> order_;
    std::size_t rows_ = 0, next_ = 0;
};

}  // namespace novikoff
