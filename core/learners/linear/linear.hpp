// What linear rules share: labels, and exact weights with their rounds.
#pragma once

#include <cstdint>
#include <utility>

#include "../../numbers/weights.hpp"
#include "../../playing/access.hpp"
#include "../../playing/rule.hpp"

namespace novikoff {

// Labels −1 and +1; 0 is not a label, but may be a prediction.
struct Binary {
    using Label = std::int8_t;
    struct Prediction {
        Label label;
    };
    static std::size_t labels_up_to(Label) { return 2; }
    static std::size_t label_index(Label y) { return y > 0; }
    static std::size_t name_index(Label prediction) {  // among the names of −1, 0 and +1
        return static_cast<std::size_t>(prediction + 1);
    }
};

// Exact weights, their constant feature, and the rounds they have seen.
struct Linear {
    double bias;
    Weights w;
    std::int64_t rounds = 0;
    Access access;

    explicit Linear(double bias_value, Weights weights = Weights())
        : bias(bias_value), w(std::move(weights)) {}

    std::size_t dimension() const { return w.dimension(); }
    std::size_t bytes() const { return w.bytes(); }
    double norm() const { return w.norm(); }
    bool saturated() const { return w.saturated(); }
    void grow(std::size_t dimension) { w.grow(dimension); }

    void state(StateWriter& out) const { write(out, w); }

    void restore(const StateReader& in) {
        w = read<Weights>(in, [](std::size_t stride) { return stride == 1; });
    }

  protected:
    template <class W>
    void write(StateWriter& out, const W& weights) const {
        const std::int64_t counts[] = {rounds, static_cast<std::int64_t>(weights.stride())};
        weights.state(out, kWeightNames);
        out.put("counts", std::span<const std::int64_t>(counts));
    }

    template <class W>
    W read(const StateReader& in, bool (*sound_stride)(std::size_t)) {
        const auto counts = in.counts("counts", 2);
        const auto stride = static_cast<std::size_t>(counts[1]);
        check(sound_stride(stride));
        W found = W::restored(in, kWeightNames, stride);
        rounds = counts[0];
        return found;
    }

  private:
    static constexpr Weights::Names kWeightNames{"weights", "remainder_slots", "remainder_parts"};
};

// A bound on ‖w‖² for weights that are not a sum of known updates.
template <class W>
double bound_of(const W& w) {
    const double norm = 1.01 * w.norm();
    return norm * norm;
}

inline void put_one(StateWriter& out, const char* name, double value) {
    out.put(name, std::span<const double>(&value, 1));
}

// A sum of squares that may have overflowed.
inline double restored_energy(const StateReader& in) {
    const auto energy = in.array<double>("energy");
    check(energy.size() == 1 && energy[0] >= 0);
    return energy[0];
}

}  // namespace novikoff
