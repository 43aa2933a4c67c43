// The float program blend-classes/1 (docs/programs_classes.md): a Bayes mixture, with share, of
// members that give a probability to every class. Every line here has its twin on that page; the
// order of operations is the program.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../../numbers/buffer.hpp"
#include "../../playing/access.hpp"
#include "../../playing/rule.hpp"
#include "class_forecast.hpp"
#include "class_rate.hpp"

namespace novikoff {

// What the theorem about member 2 needs of a round.
struct ClassOutcome : Outcome {
    double stability = 0;  // ½ Σ_k Σ_i g_k²x_i²/λ_i
    double longest = 0;    // features of the row, the constant one included
    double cuts = 0;       // 1 if a term of its scores was cut to ±64
};

class ClassBlend {
  public:
    using Label = std::uint32_t;
    struct Prediction {
        Label label;
        ClassForecast* forecast;  // this thread's, until its next prediction
    };
    static std::size_t labels_up_to(Label y) { return std::size_t{y} + 1; }
    static std::size_t label_index(Label y) { return y; }
    static std::size_t name_index(Label prediction) { return prediction; }
    static constexpr std::array<Measure<ClassOutcome>, 4> kMeasures{
        {{"loss", Combination::kSum, &ClassOutcome::loss},
         {"stability", Combination::kSum, &ClassOutcome::stability},
         {"longest", Combination::kLargest, &ClassOutcome::longest},
         {"cuts", Combination::kSum, &ClassOutcome::cuts}}};
    static constexpr bool kScalesLoss = true;
    static constexpr std::size_t kMembers = ClassForecast::kMembers;
    static constexpr std::size_t kStack = ClassForecast::kStack, kNewton = 6;

    const double bias;
    std::int64_t rounds = 0;
    Access access;

    ClassBlend(double bias_value, std::size_t class_count)
        : bias(bias_value),
          classes_(class_count),
          width_((class_count + 3) / 4 * 4),
          stride_(kHeader + kClassMembers * width_),
          base_(class_count),
          recent_(class_count),
          newton_(width_) {
        if (class_count < 2) throw std::invalid_argument("two classes or more");
        shares_.fill(1.0 / 8.0);
        mean_shares_.fill(1.0 / 8.0);
        grow(0);
    }

    std::size_t classes() const { return classes_; }
    std::size_t dimension() const { return cells_.size() / stride_ - 1; }
    std::size_t bytes() const { return cells_.size() * sizeof(double) + newton_.bytes(); }
    void grow(std::size_t dimension) { cells_.grow(stride_ * (dimension + 1)); }
    double norm() const { return 0; }  // there are many weight vectors, and no one norm
    bool saturated() const { return false; }

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(x);
    }

    template <class Row>
    Prediction predict(const Row& x, const Extent&, Effort&) const {
        ClassForecast& f = ClassForecast::of_this_thread();
        f.begin(classes_, width_);
        read(x, f);
        forecast(f);
        return {static_cast<Label>(f.likeliest()), &f};
    }

    // The probability of every class; they add up to 1 except for rounding.
    template <class Row>
    void probabilities(const Row& x, double* out) const {
        Effort effort;
        const ClassForecast& f = *predict(x, Extent{}, effort).forecast;
        const double total = kernels().classes.total(f.mixture.data(), width_);
        for (std::size_t k = 0; k < classes_; ++k) out[k] = f.mixture[k] / total;
    }

    // The probability of the class that is predicted.
    double likeliest_chance(const Prediction& prediction) const {
        const ClassForecast& f = *prediction.forecast;
        return f.mixture[prediction.label] / kernels().classes.total(f.mixture.data(), width_);
    }

    bool declines(const Prediction&, Label y) const { return y >= classes_; }

    template <class Row>
    ClassOutcome learn(const Row&, const Extent&, const Prediction& prediction, Label y,
                       double weight) {
        ClassForecast& f = *prediction.forecast;
        const double chance = f.mixture[y];
        f.mixture[y] = 0;
        const double others = kernels().classes.total(f.mixture.data(), width_);
        ClassOutcome outcome{{.mistake = prediction.label != y,
                              .updated = true,
                              .loss = weight * floats::log1p(others / chance)}};
        ++rounds;
        if (weight == 0) return outcome;
        outcome.longest = static_cast<double>(f.known.size() + f.fresh.size());
        learn_shares(f, y, weight);
        stack_.learn(f.chances_of(kStack), f.logs.data(), classes_, width_, y, weight);
        learn_members(f, y, weight, outcome);
        base_.learn(y, weight);
        recent_.fade(0.9375);
        recent_.learn(y, static_cast<double>(classes_) * weight);
        return outcome;
    }

    void state(StateWriter& out) const {
        const std::int64_t counts[] = {rounds, learned_, static_cast<std::int64_t>(classes_),
                                       newton_.few()};
        std::vector<double> features, weights;
        for (std::size_t i = 0; i <= dimension(); ++i) {
            const double* cell = cells_.data() + i * stride_;
            features.insert(features.end(), cell, cell + kScales);
            for (std::size_t j = 0; j < kClassMembers; ++j)
                for (std::size_t k = 0; k < classes_; ++k) weights.push_back(cell[place(j, k)]);
        }
        out.put("counts", std::span<const std::int64_t>(counts));
        out.put("squares", std::span<const double>(&squares_, 1));
        base_.state(out, "base_rate");
        recent_.state(out, "recent_rate");
        out.put("shares", std::span<const double>(shares_));
        out.put("mean_shares", std::span<const double>(mean_shares_));
        out.put("features", std::span<const double>(features));
        out.put("weights", std::span<const double>(weights));
        stack_.state(out);
        newton_.state(out, classes_);
    }

    void restore(const StateReader& in) {
        const auto counts = in.counts("counts", 4);
        check(counts[1] <= counts[0] && counts[2] == static_cast<std::int64_t>(classes_));
        check(counts[3] <= 1);
        ClassBlend found(bias, classes_);
        found.rounds = counts[0], found.learned_ = counts[1];
        found.restore_sums(in);
        found.restore_cells(in);
        found.stack_.restore(in);
        found.newton_ = ClassNewton::restored(in, classes_, width_, counts[3] == 1);
        found.restore_slots();
        take(found);
    }

  private:
    // A cell: m, r, S, G, G, V, the slot of member 6 plus 1, no less than every |θ| of member 2;
    // then the members' weights.
    enum Place : std::size_t {
        kLargest,
        kScale,
        kS,
        kSlow,
        kFast,
        kV,
        kScales,
        kSlot = kScales,
        kTop
    };
    static constexpr std::size_t kHeader = 8;
    static constexpr double kRate = 0.5, kSlowRate = 0.5, kFastRate = 2, kLeastSpread = 1e-3;
    static constexpr double kMost = 0x1p100;
    static constexpr double kRoundedUp = 1 + 0x1p-20;  // chances add up to 1 but for rounding

    static std::size_t place(std::size_t member, std::size_t k) {
        return kHeader + k / 4 * 4 * kClassMembers + 4 * member + k % 4;
    }
    std::size_t cell_place(Coordinate j) const { return stride_ * static_cast<std::size_t>(j + 1); }

    // The place of the entry that is as far into the next row as k is into this one: cells are far
    // apart, so they are asked for a row ahead, the scales at once and the weights as this row is
    // scored.
    template <class V>
    std::size_t next(const DenseRow<V>&, std::size_t) const {
        return 0;
    }
    template <class I, class V>
    std::size_t next(const SparseRow<I, V>& x, std::size_t k) const {
        if (x.size + k >= x.ahead) return 0;
        const std::size_t at = cell_place(static_cast<Coordinate>(x.index[x.size + k]));
        __builtin_prefetch(cells_.data() + at);
        return at;
    }

    static double next_scale(double x, double scale) {  // it at most doubles
        return std::max(scale, std::min(std::fabs(x), 2.0 * scale));
    }

    static ClassForecast::Feature stretched(Coordinate j, double x, const double* cell,
                                            std::size_t ahead) {
        const double largest = std::max(cell[kLargest], std::fabs(x));
        const double scale = next_scale(x, cell[kScale]);
        const double u = std::clamp(x / scale, -1.0, 1.0);
        return {j, x, x / largest, cell[kLargest] / largest, u, cell[kScale] / scale, ahead};
    }

    template <class Row>
    void read(const Row& x, ClassForecast& f) const {
        std::size_t k = 0;
        for_each(x, [&](Coordinate j, double v) {
            const std::size_t ahead = next(x, k++);
            const double* cell = cells_.data() + cell_place(j);
            const double size = std::fabs(v);
            if (cell[kLargest] == 0) {
                const double sign = v / size;
                f.fresh.push_back({j, v, sign, 1.0, sign, 1.0, ahead});
            } else if (size <= cell[kScale] && cell[kScale] == cell[kLargest]) {
                const double u = v / cell[kScale];
                f.known.push_back({j, v, u, 1.0, u, 1.0, ahead});
            } else {
                f.known.push_back(stretched(j, v, cell, ahead));
            }
        });
        GridSum q(f.known.size()), squares(f.known.size()), price(f.known.size());
        for (const auto& [j, x_j, v, c, u, d, ahead] : f.known) {
            const std::size_t at = cell_place(j);
            const double* cell = cells_.data() + at;
            const double share = (kRate * v) / std::sqrt((cell[kS] * c) * c + 1.0);  // x/λ · m
            f.entries.push_back({at + kHeader, ahead + kHeader, {c * share, u, u, u}});
            price.add(v * share);
            q.add(cell[kV] * (u * u));
            squares.add(u * u);
            if (newton_.few()) f.slots.push_back({static_cast<std::size_t>(cell[kSlot]) - 1, u});
        }
        f.q = q.sum;
        f.squares = squares.sum;
        f.price = price.sum;
    }

    void forecast(ClassForecast& f) const {
        const ClassKernels& kernel = kernels().classes;
        base_.forecast(f.chances_of(0), f.logs_of(0));
        recent_.forecast(f.chances_of(1), f.logs_of(1));
        kernel.scores(cells_.data(), f.entries.data(), f.entries.size(), width_,
                      grid_shift(kClassTermLimit, f.entries.size()), f.logs_of(2));
        f.soften(2), f.soften(3), f.soften(4);
        f.soften(5, f.q);
        std::fill_n(f.logs_of(kNewton), width_, 0.0);
        f.direction.q = 0;
        if (newton_.few()) {
            newton_.direction(f.slots, f.direction);
            newton_.scores(f.slots, f.logs_of(kNewton));
        }
        f.soften(kNewton, f.direction.q);
        stack_.scores(f.logs.data(), width_, f.logs_of(kStack));
        f.soften(kStack);
        kernel.mix(f.chances.data(), kMembers, width_, shares_.data(), 0.0, f.mixture.data());
    }

    void learn_shares(ClassForecast& f, Label y, double weight) {
        std::array<double, kMembers> evidence;
        double total = 0;
        for (std::size_t j = 0; j < kMembers; ++j) {
            evidence[j] = weight == 1 ? f.chances_of(j)[y] : floats::exp(weight * f.logs_of(j)[y]);
            total += shares_[j] * evidence[j];
        }
        const double alpha = 1.0 / (static_cast<double>(learned_) + 2.0);
        for (std::size_t j = 0; j < kMembers; ++j) {
            const double kept = (shares_[j] * evidence[j]) / total;
            shares_[j] = (1.0 - alpha) * kept + alpha / 8.0;
            mean_shares_[j] += (shares_[j] - mean_shares_[j]) * (2.0 * alpha);
        }
    }

    struct Pace {                                    // what all features of a round have in common
        double squares, slow_squares, fast_squares;  // mean g² of the members 2, 3 and 4
        double slow, fast;                           // η √(t/N)
        double h, b;                                 // of member 5
        double steepest;                             // no less than every |g_k| of member 2
    };

    void learn_members(ClassForecast& f, Label y, double weight, ClassOutcome& outcome) {
        ++learned_;
        const auto many = static_cast<double>(classes_),
                   fresh = static_cast<double>(f.fresh.size());
        squares_ += f.squares + fresh;
        ClassSlopes found[5];
        for (std::size_t j = 0; j < 5; ++j)
            found[j] = kernels().classes.slopes(f.chances_of(j + 2), width_, y, weight,
                                                f.slopes_of(j + 2));
        const double root = std::sqrt(static_cast<double>(learned_) / squares_);
        Pace pace{found[0].squares / many,
                  found[1].squares / many,
                  found[2].squares / many,
                  kSlowRate * root,
                  kFastRate * root,
                  0,
                  0,
                  (1.0 - f.chances_of(2)[y]) * kRoundedUp};
        outcome.stability = 0.5 * (found[0].squares * (f.price + 0.5 * fresh));
        pace.h = weight * std::max(found[3].spread / many, kLeastSpread);
        pace.b = 1.0 / (1.0 + pace.h * (f.q + fresh));
        for (const auto& feature : f.fresh) {
            double* cell = cells_.data() + cell_place(feature.j);
            cell[kLargest] = cell[kScale] = std::fabs(feature.x);
            cell[kV] = 1.0;
            f.entries.push_back({cell_place(feature.j) + kHeader, 0, {}});
        }
        learn_newton(f, weight * std::max(0.5 * (found[4].spread / many), kLeastSpread));
        f.known.insert(f.known.end(), f.fresh.begin(), f.fresh.end());
        for (std::size_t i = 0; i < f.known.size(); ++i) {
            if (is_cut(f.known[i], f.entries[i].rate[0])) outcome.cuts = 1;
            learn_feature(f.known[i], pace, f.entries[i].rate);
        }
        kernels().classes.steps(cells_.data(), f.entries.data(), f.entries.size(), width_,
                                f.slopes.data());
    }

    // Was a term θ_k · rate of member 2 cut? Every |θ_k| is looked at only if the bound on them
    // leaves it open. The bound grows as |θ_k| would without cancellation: floats round alike.
    bool is_cut(const ClassForecast::Feature& feature, double rate) {
        double* cell = cells_.data() + cell_place(feature.j);
        if (cell[kTop] * std::fabs(rate) <= kClassTermLimit) [[likely]]
            return false;
        cell[kTop] = largest_theta(cell);
        return cell[kTop] * std::fabs(rate) > kClassTermLimit;
    }

    double largest_theta(const double* cell) const {
        double top = 0;
        for (std::size_t k = 0; k < classes_; ++k)
            top = std::max(top, std::fabs(cell[place(0, k)]));
        return top;
    }

    void learn_feature(const ClassForecast::Feature& feature, const Pace& pace, double* rate) {
        double* cell = cells_.data() + cell_place(feature.j);
        const auto& [j, x, v, c, u, d, ahead] = feature;
        const double u2 = u * u;
        if (c != 1) {
            cell[kLargest] = std::fabs(x);
            for (std::size_t k = 0; k < classes_; ++k) cell[place(0, k)] *= c;
        }
        cell[kTop] = cell[kTop] * c + pace.steepest * std::fabs(v);
        if (d != 1) cell[kScale] = next_scale(x, cell[kScale]);
        cell[kS] = (cell[kS] * c) * c + pace.squares * (v * v);
        const double slow = cell[kSlow] = (cell[kSlow] * d) * d + pace.slow_squares * u2;
        const double fast = cell[kFast] = (cell[kFast] * d) * d + pace.fast_squares * u2;
        const double reach = cell[kV] * u;
        rate[0] = v;
        rate[1] = slow > 0 ? (pace.slow * u) / std::sqrt(slow) : 0.0;
        rate[2] = fast > 0 ? (pace.fast * u) / std::sqrt(fast) : 0.0;
        rate[3] = reach * pace.b;
        cell[kV] -= (pace.h * pace.b) * (reach * reach);
    }

    void learn_newton(ClassForecast& f, double h) {
        if (!newton_.few()) return;
        if (newton_.size() + f.fresh.size() > ClassNewton::kFew) {
            newton_.end();
            stack_.restart();
            return;
        }
        if (f.direction.broken) newton_.restart();
        for (const auto& feature : f.fresh) {
            const std::size_t slot = newton_.add(feature.j, feature.u, f.direction);
            cells_[cell_place(feature.j) + kSlot] = static_cast<double>(slot + 1);
        }
        newton_.step(f.direction, h, f.slopes_of(kNewton));
    }

    void restore_sums(const StateReader& in) {
        const auto squares = in.reals("squares");
        check(squares.size() == 1 && squares[0] >= 0 && squares[0] <= kMost);
        squares_ = squares[0];
        base_.restore(in, "base_rate");
        recent_.restore(in, "recent_rate");
        restore_shares(in.reals("shares"), shares_);
        restore_shares(in.reals("mean_shares"), mean_shares_);
    }

    static void restore_shares(std::span<const double> saved, std::array<double, kMembers>& into) {
        check(saved.size() == kMembers);
        double total = 0;
        for (const double share : saved) {
            check(share > 0);
            total += share;
        }
        check(std::fabs(total - 1) <= 1e-6);
        std::copy(saved.begin(), saved.end(), into.begin());
    }

    void restore_cells(const StateReader& in) {
        const auto features = in.reals("features"), weights = in.reals("weights");
        const std::size_t size = features.size() / kScales, each = kClassMembers * classes_;
        check(size >= 1 && features.size() == size * kScales && weights.size() == size * each);
        grow(size - 1);
        for (std::size_t i = 0; i < size; ++i) {
            double* cell = cells_.data() + i * stride_;
            std::copy_n(&features[i * kScales], std::size_t{kScales}, cell);
            const bool seen = cell[kLargest] > 0;
            check(seen || cell[kLargest] == 0);
            check(seen ? cell[kScale] > 0 && cell[kScale] <= cell[kLargest] : cell[kScale] == 0);
            for (std::size_t n = kS; n < kV; ++n) check(cell[n] >= 0 && cell[n] <= kMost);
            check(seen ? cell[kV] > 0 && cell[kV] <= 1 && squares_ >= 1 : cell[kV] == 0);
            for (std::size_t n = 0; n < each; ++n) {
                const double w = weights[i * each + n];
                check(std::fabs(w) <= (seen ? kMost : 0));
                cell[place(n / classes_, n % classes_)] = w;
            }
            cell[kTop] = largest_theta(cell);
            check(seen || (cell[kS] == 0 && cell[kSlow] == 0 && cell[kFast] == 0));
        }
    }

    // While member 6 goes on, its features are those that have appeared.
    void restore_slots() {
        if (!newton_.few()) return;
        std::size_t slot = 0, seen = 0;
        for (const std::int64_t j : newton_.features()) {
            check(j >= kBias && j < static_cast<std::int64_t>(dimension()));
            double* cell = cells_.data() + cell_place(static_cast<Coordinate>(j));
            check(cell[kLargest] > 0 && cell[kSlot] == 0);
            cell[kSlot] = static_cast<double>(++slot);
        }
        for (std::size_t i = 0; i <= dimension(); ++i) seen += cells_[i * stride_ + kLargest] > 0;
        check(seen == slot);
    }

    void take(ClassBlend& other) {
        rounds = other.rounds;
        cells_ = std::move(other.cells_);
        learned_ = other.learned_, squares_ = other.squares_;
        base_ = std::move(other.base_), recent_ = std::move(other.recent_);
        shares_ = other.shares_, mean_shares_ = other.mean_shares_;
        stack_ = other.stack_;
        newton_ = std::move(other.newton_);
    }

    std::size_t classes_, width_, stride_;
    Buffer cells_;              // of the constant feature, then of the others
    std::int64_t learned_ = 0;  // rounds whose weight is not 0
    double squares_ = 0;        // N = Σ u²
    ClassRate base_, recent_;
    std::array<double, kMembers> shares_, mean_shares_;
    ClassStack stack_;
    ClassNewton newton_;
};

}  // namespace novikoff
