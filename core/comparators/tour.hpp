// The order in which a solver visits the rows of several blocks, pass after pass, in slices short
// enough to check the clock between them; later passes may leave rows out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../numbers/draw.hpp"

namespace novikoff {

// 0 … count − 1, in an order of its own for each pass and part (knuth1997, 3.4.2 Alg. P).
inline void deal_at_random(std::vector<std::uint32_t>& places, std::size_t count,
                           std::uint64_t pass, std::uint64_t part) {
    constexpr Key key{0x736f66746d617267, 0};
    places.resize(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = static_cast<std::uint32_t>(i);
    Counter drawn{};
    for (std::size_t i = 0; i + 1 < count; ++i) {
        if (i % 8 == 0) drawn = philox({i / 8, pass, part, 0}, key);
        const std::uint64_t bits = drawn[i % 8 / 2] >> (32 * (i % 2)) & UINT32_MAX;
        std::swap(places[i], places[i + (bits * (count - i) >> 32)]);
    }
}

// Runs of neighbours in random order work as well as single rows in random order, and read memory
// at almost three times the speed.
inline std::size_t length_of_runs(std::size_t rows) {
    return std::clamp<std::size_t>(rows / 256, 1, 16);
}

class Tour {
  public:
    void add(std::size_t rows, std::size_t values) {
        if (rows >= kGone) throw std::length_error("fewer rows in a block");
        order_.resize(this->rows() + rows);
        parts_.push_back({this->rows(), rows, rows, values / std::max<std::size_t>(rows, 1) + 1});
    }

    std::size_t rows() const {
        return parts_.empty() ? 0 : parts_.back().first + parts_.back().rows;
    }
    std::size_t active() const {
        std::size_t sum = 0;
        for (const Part& part : parts_) sum += part.active;
        return sum;
    }

    // A pass over the rows that take part, blocks and rows in random order.
    void begin_random(std::uint64_t pass) {
        random_ = true;
        pass_ = pass;
        begin();
    }

    // A pass over all rows in their order; all take part again.
    void begin_in_order() {
        random_ = false;
        for (Part& part : parts_) {
            part.active = part.rows;
            number(order_.data() + part.first, part.rows);
        }
        begin();
    }

    bool done() const { return turn_ == turns_.size(); }
    std::size_t block() const { return turns_[turn_]; }          // whose rows come next
    std::size_t first() const { return parts_[block()].first; }  // the number of its row 0

    // The next few rows of that block. Later passes may leave out the i-th of them.
    std::size_t size() const { return places_.size(); }
    std::uint32_t operator[](std::size_t i) const { return order_[first() + places_[i]]; }
    void leave_out(std::size_t i) { gone_.push_back(places_[i]); }

    // On to the next slice.
    void proceed() {
        if (next_run_ < runs_.size()) return line_up();
        Part& part = parts_[block()];
        std::uint32_t* order = order_.data() + part.first;
        for (const std::uint32_t place : gone_) order[place] = kGone;
        const auto* end = std::remove(order, order + part.active, kGone);
        part.active = static_cast<std::size_t>(end - order);
        ++turn_;
        begin_turn();
    }

  private:
    struct Part {  // a block's rows
        std::size_t first, rows;
        std::size_t active;  // how many of order_, from `first` on, take part
        std::size_t width;   // values a row
    };

    static constexpr std::uint32_t kGone = UINT32_MAX;
    static constexpr std::size_t kSlice = 1 << 18;  // values

    void begin() {
        deal(turns_, parts_.size(), kGone);
        turn_ = 0;
        begin_turn();
    }

    void begin_turn() {
        while (!done() && parts_[block()].active == 0) ++turn_;
        if (done()) return;
        const std::size_t active = parts_[block()].active;
        run_ = length_of_runs(active);
        deal(runs_, (active + run_ - 1) / run_, block());
        next_run_ = 0;
        gone_.clear();
        line_up();
    }

    void line_up() {
        const Part& part = parts_[block()];
        places_.clear();
        while (next_run_ < runs_.size() && places_.size() <= kSlice / part.width) {
            const std::size_t start = runs_[next_run_++] * run_;
            for (std::size_t p = start; p < std::min(start + run_, part.active); ++p)
                places_.push_back(static_cast<std::uint32_t>(p));
        }
    }

    static void number(std::uint32_t* places, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) places[i] = static_cast<std::uint32_t>(i);
    }

    void deal(std::vector<std::uint32_t>& places, std::size_t count, std::uint64_t part) const {
        if (random_) return deal_at_random(places, count, pass_, part);
        places.resize(count);
        number(places.data(), count);
    }

    std::vector<Part> parts_;
    std::vector<std::uint32_t> order_;  // of each part, the numbers of the rows that take part
    std::vector<std::uint32_t> turns_;  // the parts, in this pass's order
    std::vector<std::uint32_t> runs_;   // the runs of this part, in this pass's order
    std::vector<std::uint32_t> places_, gone_;  // in order_: those of the slice; those to leave out
    std::size_t turn_ = 0, run_ = 1, next_run_ = 0;
    std::uint64_t pass_ = 0;
    bool random_ = false;
};

}  // namespace novikoff
