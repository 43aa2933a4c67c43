// A rule's state as named arrays of numbers, to save and to restore.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <variant>

namespace novikoff {

using StateArray = std::variant<std::span<const double>, std::span<const std::int64_t>,
                                std::span<const std::int32_t>>;

class StateWriter {
  public:
    virtual ~StateWriter() = default;
    // Copies the values: they need not outlive the call.
    virtual void put(const char* name, StateArray values) = 0;
};

inline void check(bool sound) {
    if (!sound) throw std::invalid_argument("a learner's saved state");
}

class StateReader {
  public:
    virtual ~StateReader() = default;
    virtual StateArray get(const char* name) const = 0;
    virtual bool has(const char* name) const = 0;

    template <class T>
    std::span<const T> array(const char* name) const {
        check(has(name));
        const StateArray found = get(name);
        check(std::holds_alternative<std::span<const T>>(found));
        return std::get<std::span<const T>>(found);
    }

    // Finite numbers.
    std::span<const double> reals(const char* name) const {
        const auto values = array<double>(name);
        check(std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }));
        return values;
    }

    // Numbers of rounds and the like: never negative, never near overflow.
    std::span<const std::int64_t> counts(const char* name) const {
        constexpr std::int64_t most = std::int64_t{1} << 53;
        const auto values = array<std::int64_t>(name);
        check(std::all_of(values.begin(), values.end(),
                          [](std::int64_t v) { return v >= 0 && v <= most; }));
        return values;
    }
    std::span<const std::int64_t> counts(const char* name, std::size_t size) const {
        const auto values = counts(name);
        check(values.size() == size);
        return values;
    }
};

}  // namespace novikoff
