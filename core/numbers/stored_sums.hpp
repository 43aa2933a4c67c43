// Many exact sums, each in the narrowest form that holds all of them (grid.hpp): floats, doubles,
// or two doubles each, the sum rounded once and the rounding error. A sum that needs more keeps the
// rest in a small table.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

#include "buffer.hpp"
#include "exact.hpp"
#include "grid.hpp"
#include "sums.hpp"

namespace novikoff {

class StoredSums {
  public:
    Form form() const { return form_; }
    bool has_low() const { return has_low_; }
    std::size_t size() const { return is_narrow() ? narrow_.size() : high_.size(); }
    std::size_t bytes() const {
        return narrow_.size() * sizeof(float) + (high_.size() + low_.size()) * sizeof(double);
    }

    float* narrow() { return narrow_.data(); }
    double* high() { return high_.data(); }
    double* low() { return low_.data(); }
    const float* narrow() const { return narrow_.data(); }
    const double* high() const { return high_.data(); }
    const double* low() const { return low_.data(); }

    bool is_narrow() const { return form_ == Form::kFloat; }
    // The sum rounded to a double, and the rounding error, rounded.
    double rounded(std::size_t i) const {
        return is_narrow() ? static_cast<double>(narrow_[i]) : high_[i];
    }
    double error(std::size_t i) const { return has_low_ ? low_[i] : 0; }

    void grow(std::size_t size) {
        if (is_narrow()) return narrow_.grow(size);
        high_.grow(size);
        if (has_low_) low_.grow(size);
    }

    // Moves every sum to another form, which must hold it.
    void become(Form form) {
        if (form == form_) return;
        if (form == Form::kFloat)
            move(high_, narrow_);
        else if (is_narrow())
            move(narrow_, high_);
        form_ = form;
        if (form == Form::kPair) keep_low();
    }

    // Sets a sum to a double, from then on in any form.
    void set(std::size_t i, double value) {
        become(Form::kAny);
        high_[i] = value;
    }
    void set_narrow(std::size_t i, float value) { narrow_[i] = value; }

    // Adds to one sum and checks that nothing is lost.
    void add(std::size_t i, double v) {
        if (is_narrow()) {
            narrow_[i] = static_cast<float>(static_cast<double>(narrow_[i]) + v);
            return;
        }
        const Sum s = two_sum(high_[i], v);
        if (s.error == 0 && !has_low_) {
            high_[i] = s.value;
            return;
        }
        keep_low();
        const Sum low = two_sum(low_[i], s.error);
        const Sum normal = two_sum(s.value, low.value);
        const bool exact = low.error == 0 && std::isfinite(normal.value);
        if (!exact || rest_.contains(i)) return add_exactly(i, v);
        high_[i] = normal.value;
        low_[i] = normal.error;
    }

    // A component of sum i as a saved state has it: those below the rounded one, largest first.
    void append(std::size_t i, double part) {
        keep_low();
        if (low_[i] == 0)
            low_[i] = part;
        else
            rest_[i].push_back(part);
    }

    bool has_rests() const { return !rest_.empty(); }
    bool has_rest(std::size_t i) const { return !rest_.empty() && rest_.contains(i); }

    // f(part) for the components of sum i below the rounded one.
    template <class F>
    void for_each_below(std::size_t i, F&& f) const {
        if (!has_low_) return;
        if (low_[i] != 0) f(low_[i]);
        if (rest_.empty()) return;
        if (const auto it = rest_.find(i); it != rest_.end())
            for (const double part : it->second) f(part);
    }

    // The largest |sum|, or slightly more.
    double largest() const {
        double most = 0;
        for (std::size_t i = 0; i < size(); ++i) most = std::max(most, std::fabs(rounded(i)));
        return most * (1 + 0x1p-50);
    }

    // The grid of all sums, and whether two doubles hold each of them as pairs do.
    Grid grid() const {
        int lowest = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            lowest = std::min({lowest, lowest_bit(rounded(i)), lowest_bit(error(i))});
            const bool paired = rounded(i) + error(i) == rounded(i) && !has_rest(i);
            if (!paired) lowest = -1074;
        }
        return Grid(lowest, largest());
    }

    // The same sums, sum i at moved(i) of so many.
    template <class F>
    StoredSums rearranged(std::size_t size, F&& moved) const {
        StoredSums fresh;
        fresh.form_ = form_;
        fresh.grow(size);
        if (has_low_) fresh.keep_low();
        for (std::size_t i = 0; i < this->size(); ++i) {
            if (is_narrow())
                fresh.narrow_[moved(i)] = narrow_[i];
            else
                fresh.high_[moved(i)] = high_[i];
            if (has_low_) fresh.low_[moved(i)] = low_[i];
        }
        for (const auto& [i, parts] : rest_) fresh.rest_[moved(i)] = parts;
        return fresh;
    }

    // Only the sums at these places, in this order.
    StoredSums picked(const std::vector<std::size_t>& places) const {
        StoredSums fresh;
        fresh.form_ = form_;
        fresh.grow(places.size());
        if (has_low_) fresh.keep_low();
        for (std::size_t k = 0; k < places.size(); ++k) {
            const std::size_t i = places[k];
            if (is_narrow())
                fresh.narrow_[k] = narrow_[i];
            else
                fresh.high_[k] = high_[i];
            if (has_low_) fresh.low_[k] = low_[i];
            if (has_rest(i)) fresh.rest_[k] = rest_.at(i);
        }
        return fresh;
    }

  private:
    void keep_low() {
        if (has_low_) return;
        low_.grow(high_.size());
        has_low_ = true;
    }

    // Zeros stay unwritten, so that fresh pages cost nothing.
    template <class From, class To>
    static void move(Zeros<From>& from, Zeros<To>& to) {
        Zeros<To> fresh(from.size());
        for (std::size_t i = 0; i < from.size(); ++i)
            if (from[i] != 0) fresh[i] = static_cast<To>(from[i]);
        to = std::move(fresh);
        from = Zeros<From>();
    }

    void add_exactly(std::size_t i, double v) {
        Accumulator acc;
        acc.add(high_[i]);
        acc.add(low_[i]);
        for (const double part : rest_[i]) acc.add(part);
        acc.add(v);
        const std::vector<double> parts = acc.components();
        high_[i] = parts.empty() ? 0 : parts[0];
        low_[i] = parts.size() < 2 ? 0 : parts[1];
        if (parts.size() <= 2)
            rest_.erase(i);
        else
            rest_[i].assign(parts.begin() + 2, parts.end());
    }

    Form form_ = Form::kDouble;
    Zeros<float> narrow_;
    Buffer high_, low_;
    bool has_low_ = false;
    std::unordered_map<std::size_t, std::vector<double>> rest_;
};

}  // namespace novikoff
