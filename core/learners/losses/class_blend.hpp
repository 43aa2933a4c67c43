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

namespace novikoff {

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
    static constexpr std::array<Measure<Outcome>, 1> kMeasures{
        {{"loss", Combination::kSum, &Outcome::loss}}};
    static constexpr std::size_t kMembers = ClassForecast::kMembers;

    const double bias;
    std::int64_t rounds = 0;
    Access access;

    ClassBlend(double bias_value, std::size_t class_count)
        : bias(bias_value),
          classes_(class_count),
          width_((class_count + 3) / 4 * 4),
          stride_(kHeader + kClassMembers * width_),
          counts_(class_count, 0.0),
          newton_(width_) {
        if (class_count < 2) throw std::invalid_argument("two classes or more");
        shares_.fill(1.0 / 7.0);
        mean_shares_.fill(1.0 / 7.0);
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

    bool declines(const Prediction&, Label y) const { return y >= classes_; }

    template <class Row>
    Outcome learn(const Row&, const Extent&, const Prediction& prediction, Label y, double weight) {
        ClassForecast& f = *prediction.forecast;
        const double chance = f.mixture[y];
        f.mixture[y] = 0;
        const double others = kernels().classes.total(f.mixture.data(), width_);
        f.mixture[y] = chance;
        learn_shares(f, y, weight);
        stack_.learn(f.chances_of(6), f.logs.data(), classes_, width_, y, weight);
        learn_members(f, y, weight);
        counts_[y] += weight;
        weight_ += weight;
        return {.mistake = prediction.label != y,
                .updated = true,
                .loss = floats::log1p(others / chance)};
    }

    void state(StateWriter& out) const {
        const std::int64_t counts[] = {rounds, static_cast<std::int64_t>(classes_), newton_.few()};
        const double sums[] = {weight_, squares_};
        std::vector<double> features, weights;
        for (std::size_t i = 0; i <= dimension(); ++i) {
            const double* cell = cells_.data() + i * stride_;
            features.insert(features.end(), cell, cell + kScales);
            for (std::size_t j = 0; j < kClassMembers; ++j)
                for (std::size_t k = 0; k < classes_; ++k) weights.push_back(cell[place(j, k)]);
        }
        out.put("counts", std::span<const std::int64_t>(counts));
        out.put("sums", std::span<const double>(sums));
        out.put("class_counts", std::span<const double>(counts_));
        out.put("shares", std::span<const double>(shares_));
        out.put("mean_shares", std::span<const double>(mean_shares_));
        out.put("features", std::span<const double>(features));
        out.put("weights", std::span<const double>(weights));
        stack_.state(out);
        newton_.state(out, classes_);
    }

    void restore(const StateReader& in) {
        const auto counts = in.counts("counts", 3);
        check(counts[1] == static_cast<std::int64_t>(classes_) && counts[2] <= 1);
        ClassBlend found(bias, classes_);
        found.rounds = counts[0];
        found.restore_sums(in);
        found.restore_cells(in);
        found.stack_.restore(in);
        found.newton_ = ClassNewton::restored(in, classes_, width_, counts[2] == 1);
        found.restore_slots();
        take(found);
    }

  private:
    // A cell: m, S, G, G, V, the slot of member 5 plus 1, and room; then the members' weights.
    enum Place : std::size_t { kLargest, kS, kSlow, kFast, kV, kScales, kSlot = kScales };
    static constexpr std::size_t kHeader = 8;
    static constexpr double kRate = 0.5, kSlowRate = 0.5, kFastRate = 2, kLeastSpread = 1e-3;
    static constexpr double kMost = 0x1p100;

    static std::size_t place(std::size_t member, std::size_t k) {
        return kHeader + k / 4 * 4 * kClassMembers + 4 * member + k % 4;
    }
    std::size_t cell_place(Coordinate j) const { return stride_ * static_cast<std::size_t>(j + 1); }

    // Asks for the cell of an entry to come, perhaps of a later row: cells are far apart.
    template <class V>
    void request(const DenseRow<V>&, std::size_t) const {}
    template <class I, class V>
    void request(const SparseRow<I, V>& x, std::size_t k) const {
        constexpr std::size_t far = 8;
        if (k + far >= x.ahead) return;
        const double* cell = cells_.data() + cell_place(static_cast<Coordinate>(x.index[k + far]));
        for (std::size_t n = 0; n < stride_; n += 8) __builtin_prefetch(cell + n);
    }

    template <class Row>
    void read(const Row& x, ClassForecast& f) const {
        std::size_t k = 0;
        for_each(x, [&](Coordinate j, double v) {
            request(x, k++);
            const double* cell = cells_.data() + cell_place(j);
            const double size = std::fabs(v);
            if (cell[kLargest] == 0)
                f.fresh.push_back({j, v, v / size, 1.0});
            else if (size <= cell[kLargest])
                f.known.push_back({j, v, v / cell[kLargest], 1.0});
            else
                f.known.push_back({j, v, v / size, cell[kLargest] / size});
        });
        GridSum q(f.known.size()), squares(f.known.size());
        for (const auto& [j, v, u, c] : f.known) {
            const std::size_t at = cell_place(j);
            const double* cell = cells_.data() + at;
            const double rate = c * ((kRate * u) / std::sqrt((cell[kS] * c) * c + 1.0));
            f.entries.push_back({at + kHeader, {rate, u, u, u}});
            q.add(cell[kV] * (u * u));
            squares.add(u * u);
            if (newton_.few()) f.slots.push_back({static_cast<std::size_t>(cell[kSlot]) - 1, u});
        }
        f.q = q.sum;
        f.squares = squares.sum;
    }

    void forecast(ClassForecast& f) const {
        const ClassKernels& kernel = kernels().classes;
        const double everything = floats::log1p(weight_ + (static_cast<double>(classes_) - 1.0));
        for (std::size_t k = 0; k < classes_; ++k) {
            f.chances[k] = (counts_[k] + 1.0) / (weight_ + static_cast<double>(classes_));
            f.logs[k] = floats::log1p(counts_[k]) - everything;
        }
        kernel.scores(cells_.data(), f.entries.data(), f.entries.size(), width_,
                      grid_shift(kClassTermLimit, f.entries.size()), f.logs_of(1));
        f.soften(1), f.soften(2), f.soften(3);
        f.soften(4, f.q);
        std::fill_n(f.logs_of(5), width_, 0.0);
        f.direction.q = 0;
        if (newton_.few()) {
            newton_.direction(f.slots, f.direction);
            newton_.scores(f.slots, f.logs_of(5));
        }
        f.soften(5, f.direction.q);
        stack_.scores(f.logs.data(), width_, f.logs_of(6));
        f.soften(6);
        kernel.mix(f.chances.data(), kMembers, width_, shares_.data(), 0.0, f.mixture.data());
    }

    void learn_shares(ClassForecast& f, Label y, double weight) {
        std::array<double, kMembers> evidence;
        double total = 0;
        for (std::size_t j = 0; j < kMembers; ++j) {
            evidence[j] = weight == 1 ? f.chances_of(j)[y] : floats::exp(weight * f.logs_of(j)[y]);
            total += shares_[j] * evidence[j];
        }
        const double alpha = 1.0 / (static_cast<double>(rounds) + 2.0);
        for (std::size_t j = 0; j < kMembers; ++j) {
            const double kept = (shares_[j] * evidence[j]) / total;
            shares_[j] = (1.0 - alpha) * kept + alpha / 7.0;
            mean_shares_[j] += (shares_[j] - mean_shares_[j]) * (2.0 * alpha);
        }
    }

    struct Pace {                                    // what all features of a round have in common
        double squares, slow_squares, fast_squares;  // mean g² of the members 1, 2 and 3
        double slow, fast;                           // η √(t/N)
        double h, b;                                 // of member 4
    };

    void learn_members(ClassForecast& f, Label y, double weight) {
        ++rounds;
        const auto many = static_cast<double>(classes_),
                   fresh = static_cast<double>(f.fresh.size());
        squares_ += f.squares + fresh;
        ClassSlopes found[5];
        for (std::size_t j = 1; j <= 5; ++j)
            found[j - 1] =
                kernels().classes.slopes(f.chances_of(j), width_, y, weight, f.slopes_of(j));
        const double root = std::sqrt(static_cast<double>(rounds) / squares_);
        Pace pace{found[0].squares / many,
                  found[1].squares / many,
                  found[2].squares / many,
                  kSlowRate * root,
                  kFastRate * root,
                  0,
                  0};
        pace.h = weight * std::max(found[3].spread / many, kLeastSpread);
        pace.b = 1.0 / (1.0 + pace.h * (f.q + fresh));
        for (const auto& feature : f.fresh) {
            double* cell = cells_.data() + cell_place(feature.j);
            cell[kLargest] = std::fabs(feature.x);
            cell[kV] = 1.0;
            f.entries.push_back({cell_place(feature.j) + kHeader, {}});
        }
        learn_newton(f, weight * std::max(0.5 * (found[4].spread / many), kLeastSpread));
        f.known.insert(f.known.end(), f.fresh.begin(), f.fresh.end());
        for (std::size_t i = 0; i < f.known.size(); ++i)
            learn_feature(f.known[i], pace, f.entries[i].rate);
        kernels().classes.steps(cells_.data(), f.entries.data(), f.entries.size(), width_,
                                f.slopes.data());
    }

    void learn_feature(const ClassForecast::Feature& feature, const Pace& pace, double* rate) {
        double* cell = cells_.data() + cell_place(feature.j);
        const double u = feature.u, c = feature.c, u2 = u * u;
        if (c != 1) {
            cell[kLargest] = std::fabs(feature.x);
            for (std::size_t k = 0; k < classes_; ++k) cell[place(0, k)] *= c;
        }
        cell[kS] = (cell[kS] * c) * c + pace.squares * u2;
        const double slow = cell[kSlow] = (cell[kSlow] * c) * c + pace.slow_squares * u2;
        const double fast = cell[kFast] = (cell[kFast] * c) * c + pace.fast_squares * u2;
        const double reach = cell[kV] * u;
        rate[0] = u;
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
        newton_.step(f.direction, h, f.slopes_of(5));
    }

    void restore_sums(const StateReader& in) {
        const auto sums = in.reals("sums"), counts = in.reals("class_counts");
        check(sums.size() == 2 && sums[0] >= 0 && sums[1] >= 0 && counts.size() == classes_);
        const auto bounded = [](double v) { return v >= 0 && v <= kMost; };
        check(std::all_of(sums.begin(), sums.end(), bounded));
        check(std::all_of(counts.begin(), counts.end(), bounded));
        weight_ = sums[0], squares_ = sums[1];
        counts_.assign(counts.begin(), counts.end());
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
            for (std::size_t n = kS; n < kV; ++n) check(cell[n] >= 0 && cell[n] <= kMost);
            check(seen ? cell[kV] > 0 && cell[kV] <= 1 && squares_ >= 1 : cell[kV] == 0);
            for (std::size_t n = 0; n < each; ++n) {
                const double w = weights[i * each + n];
                check(std::fabs(w) <= (seen ? kMost : 0));
                cell[place(n / classes_, n % classes_)] = w;
            }
            check(seen || (cell[kS] == 0 && cell[kSlow] == 0 && cell[kFast] == 0));
        }
    }

    // While member 5 goes on, its features are those that have appeared.
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
        counts_ = std::move(other.counts_);
        weight_ = other.weight_, squares_ = other.squares_;
        shares_ = other.shares_, mean_shares_ = other.mean_shares_;
        stack_ = other.stack_;
        newton_ = std::move(other.newton_);
    }

    std::size_t classes_, width_, stride_;
    Buffer cells_;                // of the constant feature, then of the others
    std::vector<double> counts_;  // weight of the rounds of each class
    double weight_ = 0;           // of all rounds
    double squares_ = 0;          // N = Σ u²
    std::array<double, kMembers> shares_, mean_shares_;
    ClassStack stack_;
    ClassNewton newton_;
};

}  // namespace novikoff
