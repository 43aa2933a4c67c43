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
        f.make_room(x.size + 1);
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
        outcome.longest = static_cast<double>(f.known.size + f.fresh.size());
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
    static constexpr std::size_t kHeader = kClassHeader;
    static constexpr std::size_t kLargest = kClassLargest, kScale = kClassScale, kS = kClassS,
                                 kSlow = kClassSlow, kFast = kClassFast, kV = kClassV,
                                 kScales = kClassScales, kSlot = kClassSlot, kTop = kClassTop;
    static constexpr double kSlowRate = 0.5, kFastRate = 2, kLeastSpread = 1e-3;
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

    // Lists the features of a row. The kernel divides x by what v and u hold here.
    template <class Row>
    void read(const Row& x, ClassForecast& f) const {
        const ClassRow row = f.known.row();
        std::size_t k = 0, n = 0;
        for_each(x, [&](Coordinate j, double v) {
            const std::size_t place = cell_place(j), ahead = next(x, k++);
            const double* cell = cells_.data() + place;
            const double size = std::fabs(v), largest = cell[kLargest], scale = cell[kScale];
            if (largest == 0) [[unlikely]] {
                f.fresh.push_back({j, v});
                return;
            }
            row.place[n] = place, row.next[n] = ahead;
            row.x[n] = v;
            row.v[n] = largest, row.u[n] = scale;
            row.c[n] = row.d[n] = 1.0;
            if (!(size <= scale && scale == largest)) [[unlikely]] {
                row.v[n] = std::max(largest, size), row.u[n] = next_scale(v, scale);
                row.c[n] = largest / row.v[n], row.d[n] = scale / row.u[n];
            }
            ++n;
        });
        f.known.size = n;
        f.sums = kernels().classes.weigh(cells_.data(), f.known.row(),
                                         grid_shift(kClassTermLimit, n), f.known.entries.data());
        if (!newton_.few()) return;
        for (std::size_t i = 0; i < n; ++i) {
            const double slot = cells_[row.place[i] + kSlot];
            f.slots.push_back({static_cast<std::size_t>(slot) - 1, row.u[i]});
        }
    }

    void forecast(ClassForecast& f) const {
        const ClassKernels& kernel = kernels().classes;
        base_.forecast(f.chances_of(0), f.logs_of(0));
        recent_.forecast(f.chances_of(1), f.logs_of(1));
        kernel.scores(cells_.data(), f.known.entries.data(), f.known.size, width_,
                      grid_shift(kClassTermLimit, f.known.size), f.logs_of(2));
        f.soften(2), f.soften(3), f.soften(4);
        f.soften(5, f.sums.q);
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

    void learn_members(ClassForecast& f, Label y, double weight, ClassOutcome& outcome) {
        ++learned_;
        const auto many = static_cast<double>(classes_),
                   fresh = static_cast<double>(f.fresh.size());
        squares_ += f.sums.squares + fresh;
        ClassSlopes found[5];
        for (std::size_t j = 0; j < 5; ++j)
            found[j] = kernels().classes.slopes(f.chances_of(j + 2), width_, y, weight,
                                                f.slopes_of(j + 2));
        const double root = std::sqrt(static_cast<double>(learned_) / squares_);
        ClassPace pace{found[0].squares / many,
                       found[1].squares / many,
                       found[2].squares / many,
                       kSlowRate * root,
                       kFastRate * root,
                       weight * std::max(found[3].spread / many, kLeastSpread),
                       0};
        pace.b = 1.0 / (1.0 + pace.h * (f.sums.q + fresh));
        outcome.stability = 0.5 * (found[0].squares * (f.sums.price + 0.5 * fresh));
        for (const auto& feature : f.fresh) add(feature, f.known);
        learn_newton(f, weight * std::max(0.5 * (found[4].spread / many), kLeastSpread));
        const ClassRow row = f.known.row();
        ClassEntry* const entries = f.known.entries.data();
        outcome.cuts = stretch(row, entries, (1.0 - f.chances_of(2)[y]) * kRoundedUp);
        kernels().classes.rescale(cells_.data(), row, pace, entries);
        kernels().classes.steps(cells_.data(), entries, row.size, width_, f.slopes.data());
    }

    // Begins the cell of a feature that appears in this row.
    void add(const FreshFeature& feature, ClassRowRoom& room) {
        const std::size_t place = cell_place(feature.j), n = room.size++;
        double* cell = cells_.data() + place;
        cell[kLargest] = cell[kScale] = std::fabs(feature.x);
        cell[kV] = 1.0;
        const ClassRow row = room.row();
        row.place[n] = place;
        row.x[n] = feature.x;
        row.v[n] = row.u[n] = feature.x / cell[kScale];
        row.c[n] = row.d[n] = 1.0;
        room.entries[n] = {place + kHeader, 0, {}};
    }

    // Takes cells to the units of this row. Returns 1 if a term of member 2 was cut.
    double stretch(const ClassRow& row, const ClassEntry* entries, double steepest) {
        double cuts = 0;
        for (std::size_t n = 0; n < row.size; ++n) {
            double* cell = cells_.data() + row.place[n];
            const double c = row.c[n], d = row.d[n];
            if (is_cut(cell, entries[n].rate[0])) cuts = 1;
            cell[kTop] = cell[kTop] * c + steepest * std::fabs(row.v[n]);
            if (c != 1) [[unlikely]] {
                cell[kLargest] = std::fabs(row.x[n]);
                cell[kS] = (cell[kS] * c) * c;
                for (std::size_t k = 0; k < classes_; ++k) cell[place(0, k)] *= c;
            }
            if (d != 1) [[unlikely]] {
                cell[kScale] = next_scale(row.x[n], cell[kScale]);
                cell[kSlow] = (cell[kSlow] * d) * d;
                cell[kFast] = (cell[kFast] * d) * d;
            }
        }
        return cuts;
    }

    // Was a term θ_k · rate of member 2 cut? Every |θ_k| is looked at only if the bound on them
    // leaves it open. The bound grows as |θ_k| would without cancellation: floats round alike.
    bool is_cut(double* cell, double rate) const {
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

    void learn_newton(ClassForecast& f, double h) {
        if (!newton_.few()) return;
        if (newton_.size() + f.fresh.size() > ClassNewton::kFew) {
            newton_.end();
            stack_.restart();
            return;
        }
        if (f.direction.broken) newton_.restart();
        for (const auto& feature : f.fresh) {
            const double sign = feature.x / std::fabs(feature.x);
            const std::size_t slot = newton_.add(feature.j, sign, f.direction);
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
