// w_1 = 1/d each; predict sgn(w·x); on a mistake w_j ← w_j e^{η y x_j}/Z   (littlestone1988;
// kivinen1997, Sec. 3).
//
// So w_j is proportional to e^{ηθ_j} with θ = Σ y x over the mistakes, kept as an exact sum; Z > 0
// never changes a sign. Signed targets: the balanced form gives every feature a twin −x_j; the two
// weigh e^{ηθ_j} − e^{−ηθ_j} together, 0 in the first round.
#pragma once

#include <compare>
#include <vector>

#include "../../numbers/elementary.hpp"
#include "../../numbers/enclosure.hpp"
#include "linear.hpp"

namespace novikoff {

// A θ as its two leading doubles. Their order is that of the sum, because the first is the rounded
// sum.
struct Theta {
    double high;
    double low;

    Theta opposite() const { return {-high, -low}; }
    auto operator<=>(const Theta&) const = default;
};

// e^{η(θ − reference)}.
inline double relative(double eta, Theta theta, Theta reference) {
    return exponential(eta * ((theta.high - reference.high) + (theta.low - reference.low)));
}

// `size` orders θ by the weight it stands for; `value` is that weight and `mass` its share of Z,
// relative to e^{η reference}.
struct OneSided {
    static Theta size(Theta theta) { return theta; }
    static double value(double eta, Theta theta, Theta reference) {
        return relative(eta, theta, reference);
    }
    static double mass(double eta, Theta theta, Theta reference) {
        return relative(eta, theta, reference);
    }
    static void terms(std::vector<ExponentialTerm>& sum, double x, std::vector<double> theta) {
        sum.push_back({x, std::move(theta)});
    }
};

struct Balanced {
    static Theta size(Theta theta) { return theta.high < 0 ? theta.opposite() : theta; }
    static double value(double eta, Theta theta, Theta reference) {
        if (theta.high < 0) return -value(eta, theta.opposite(), reference);
        const double a = eta * (theta.high + theta.low);
        if (a < 0.5) return 2 * small_sinh(a) * relative(eta, {0, 0}, reference);
        return relative(eta, theta, reference) - relative(eta, theta.opposite(), reference);
    }
    static double mass(double eta, Theta theta, Theta reference) {
        return relative(eta, theta, reference) + relative(eta, theta.opposite(), reference);
    }
    static void terms(std::vector<ExponentialTerm>& sum, double x, std::vector<double> theta) {
        if (theta.empty()) return;  // its two sides cancel
        std::vector<double> opposite = theta;
        for (double& part : opposite) part = -part;
        sum.push_back({x, std::move(theta)});
        sum.push_back({-x, std::move(opposite)});
    }
};

template <class Form>
struct Minnow : Binary, Linear {              // its w is θ
    static constexpr bool kWholeRows = true;  // an unknown feature has θ = 0, but a weight

    double eta;
    Buffer cached;          // the value of each θ, relative to e^{η reference}
    Theta reference{0, 0};  // about the largest size of a θ

    Minnow(double bias_value, double rate) : Linear(bias_value), eta(rate) { grow(0); }

    // The cache first: if memory runs out, w still says that there was no room.
    void grow(std::size_t dimension) {
        const std::size_t before = cached.size() == 0 ? 0 : Weights::kFront + w.dimension();
        cached.grow(Weights::kFront + dimension);
        w.grow(dimension);
        for (std::size_t i = before; i < cached.size(); ++i) cached[i] = value_at(coordinate_of(i));
    }

    void restore(const StateReader& in) {
        Linear::restore(in);
        cached = Buffer();
        reference = {0, 0};
        grow(w.dimension());
        refer();
    }

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(x);
    }

    template <class Row>
    Prediction predict(const Row& x, const Extent& extent, Effort& effort) const {
        const Score first = sum(x, 1, [&](Coordinate j) { return cached_at(j); });
        const double lost = kLost * extent.largest;
        if (certain(x, first, lost)) [[likely]]
            return {label(first.value)};
        return {settle(x, extent, effort)};
    }

    template <class Row>
    Outcome learn(const Row& x, const Extent&, Prediction prediction, Label y, double weight) {
        ++rounds;
        if (prediction.label == y) return {};
        if (weight == 0) return {.mistake = true};
        update(x, weight * y);
        return {.mistake = true, .updated = true};
    }

    // w_j; the weights of all features and their twins add up to 1.
    std::vector<double> normalized() const {
        const Theta largest = largest_size();
        std::vector<double> weights(w.dimension() + 1, 0.0);
        double total = 0;
        for (std::size_t k = bias != 0 ? 0 : 1; k < weights.size(); ++k) {
            const auto j = static_cast<Coordinate>(k) - 1;
            weights[k] = Form::value(eta, theta(j), largest);
            total += Form::mass(eta, theta(j), largest);
        }
        for (double& weight : weights) weight = total > 0 ? weight / total : 0;
        return weights;
    }

  private:
    struct Score {
        double value;
        double absolute;
    };

    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static constexpr double kFar = 300;      // e^300 times e^300 is still a double
    static constexpr double kError = 2e-12;  // of a value: 750 · 2^−50 in the exponent, and exp's
    static constexpr double kLargestExponent = 1e15;  // 2^−105 of it is far below kError
    static constexpr double kLost = 1e-280;           // values below it may have underflowed
    static constexpr double kTinyProduct = 1e-300;

    static std::size_t slot(Coordinate j) {
        return static_cast<std::size_t>(j + static_cast<Coordinate>(Weights::kFront));
    }
    static Coordinate coordinate_of(std::size_t i) {
        return static_cast<Coordinate>(i) - static_cast<Coordinate>(Weights::kFront);
    }
    static Label label(double sign) { return sign < 0 ? -1 : 1; }

    bool inside(Coordinate j) const { return j < static_cast<Coordinate>(w.dimension()); }
    Theta theta(Coordinate j) const {
        if (!inside(j)) return {0, 0};
        const Sum leading = w.leading(j);
        return {leading.value, leading.error};
    }
    double cached_at(Coordinate j) const {
        return inside(j) ? cached[slot(j)] : Form::value(eta, {0, 0}, reference);
    }

    template <class Row>
    void update(const Row& x, double scale) {
        w.add(x, scale);
        bool outgrown = false;
        for_each(x, [&](Coordinate j, double) {
            const Theta size = Form::size(theta(j));
            const double above = (size.high - reference.high) + (size.low - reference.low);
            outgrown = outgrown || eta * above > kFar;
        });
        if (outgrown) return refer();
        for_each(x, [&](Coordinate j, double) { cached[slot(j)] = value_at(j); });
    }

    // NaN, which is never certain, if two doubles do not give the exponent to within kError.
    double value_at(Coordinate j) const { return value_at(j, reference); }
    double value_at(Coordinate j, Theta scale) const {
        const double most = std::max(std::fabs(theta(j).high), std::fabs(scale.high));
        if ((inside(j) && w.has_rest(j)) || !(eta * most < kLargestExponent))
            return std::numeric_limits<double>::quiet_NaN();
        return Form::value(eta, theta(j), scale);
    }

    Theta largest_size() const {
        Theta largest{-kInfinity, 0};
        for (Coordinate j = bias != 0 ? kBias : 0; j < static_cast<Coordinate>(w.dimension()); ++j)
            largest = std::max(largest, Form::size(theta(j)));
        return largest.high == -kInfinity ? Theta{0, 0} : largest;
    }

    // Makes the largest size the reference.
    void refer() {
        reference = largest_size();
        for (std::size_t i = 0; i < cached.size(); ++i) cached[i] = value_at(coordinate_of(i));
    }

    template <class Row, class Value>
    static Score sum(const Row& x, double scale, Value&& value) {
        Score s{0, 0};
        for_each(x, [&](Coordinate j, double v) {
            const double product = value(j) * (v * scale);
            s.value += product;
            s.absolute += std::fabs(product);
        });
        return s;
    }

    // Does the float sum have the sign of the exact sum? `lost` is what each term may have lost.
    template <class Row>
    static bool certain(const Row& x, const Score& s, double lost) {
        const double terms = static_cast<double>(x.size + 1);
        const double error = (kError + terms * 0x1p-51) * s.absolute;
        return std::fabs(s.value) > error + terms * (lost + kTinyProduct);
    }

    // Tries again with values relative to the largest of this row and an x near 1; then exactly.
    template <class Row>
    [[gnu::noinline]] Label settle(const Row& x, const Extent& extent, Effort& effort) const {
        ++effort.second;
        Theta nearest{-kInfinity, 0};
        for_each(x,
                 [&](Coordinate j, double) { nearest = std::max(nearest, Form::size(theta(j))); });
        const double scale =
            extent.largest > 0 ? std::scalbn(1.0, -std::max(std::ilogb(extent.largest), -1000)) : 1;
        const Score again = sum(x, scale, [&](Coordinate j) { return value_at(j, nearest); });
        if (certain(x, again, 2 * kLost)) return label(again.value);
        ++effort.exact;
        std::vector<ExponentialTerm> terms;
        for_each(x, [&](Coordinate j, double v) {
            Form::terms(terms, v, inside(j) ? w.components(j) : std::vector<double>());
        });
        return label(sign_of_exponential_sum(std::move(terms), eta));
    }
};

}  // namespace novikoff
