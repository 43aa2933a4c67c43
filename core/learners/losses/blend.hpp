// The float program blend/1 (docs/programs.md): a Bayes mixture of scale-free learners for the
// logistic loss, two labels. Members that keep a cell per feature learn in one loop
// (cpu/blend.inc); here are the rows, the other members, and the state.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../../numbers/buffer.hpp"
#include "../linear/linear.hpp"
#include "base_rate.hpp"
#include "mixture.hpp"

namespace novikoff {

struct BlendOutcome : Outcome {
    double quarter = 0, one = 0, four = 0;  // ½ Σ g²x²/λ of AdaptiveGradient at these rates
};

inline constexpr double kMostScore = 30.0;  // beyond which the mixture takes no score

// A row as the loops take it, with the sums and scores that predicting found: learning needs them.
struct BlendWork {
    std::vector<std::size_t> place, wider;
    std::vector<double> numbers;
    std::size_t size = 0, room = 0;
    BlendSums sums;
    NewtonRow newton;
    alignas(32) Lanes score{}, z{}, p{}, r{};  // z: clipped for the stack; p, r: for the mixture

    // The row's arrays, in one piece.
    BlendRow row() {
        double* at = numbers.data();
        return {place.data(),  wider.data(),  at,  at + room, at + 2 * room,
                at + 3 * room, at + 7 * room, size};
    }

    // Do the mixture and the members see different probabilities?
    bool clipped() const {
        return std::any_of(score.begin(), score.end(),
                           [](double s) { return std::fabs(s) > kMostScore; });
    }

    void make_room(std::size_t entries) {
        size = 0;
        if (entries + 3 <= room) return;
        room = (2 * entries + 3) / 4 * 4 + 4;
        place.resize(room + kFollowing);
        wider.resize(room);
        numbers.resize(11 * room);
    }
};

class Blend : public Binary {
  public:
    struct Prediction {
        Label label;
        double positive, negative;
        BlendWork* work;
    };
    static constexpr bool kScalesLoss = true;
    static constexpr std::array<Measure<BlendOutcome>, 4> kMeasures{{
        {"loss", Combination::kSum, &BlendOutcome::loss},
        {"stability_quarter", Combination::kSum, &BlendOutcome::quarter},
        {"stability_one", Combination::kSum, &BlendOutcome::one},
        {"stability_four", Combination::kSum, &BlendOutcome::four},
    }};

    const double bias;
    std::int64_t rounds = 0;
    Access access;

    explicit Blend(double bias_value) : bias(bias_value) { grow(0); }

    std::size_t dimension() const { return cells_.size() / kCell - 2; }
    std::size_t bytes() const { return cells_.size() * sizeof(double) + newton_.bytes(); }
    void grow(std::size_t dimension) {
        cells_.grow(kCell * (dimension + 2));
        spare().G[BlendCell::kLargest] = 1;
    }
    bool saturated() const { return false; }

    template <class Row>
    Extent measure(const Row& x) const {
        return novikoff::measure(x);
    }

    template <class Row>
    Prediction predict(const Row& x, const Extent&, Effort&) const {
        thread_local BlendWork work;
        scores(x, work);
        const auto found = mixture_.mixed(work.p, work.r);
        return {static_cast<Label>(found.positive >= found.negative ? 1 : -1), found.positive,
                found.negative, &work};
    }

    // Learns from the row that was predicted last.
    template <class Row>
    BlendOutcome learn(const Row& x, const Extent&, const Prediction& played, Label y, double v) {
        BlendWork& work = *played.work;
        BlendOutcome outcome;
        const bool up = y > 0;
        outcome.mistake = played.label != y;
        outcome.updated = true;
        outcome.loss = v * floats::log1p(up ? played.negative / played.positive
                                            : played.positive / played.negative);
        ++rounds;
        if (v == 0) return outcome;
        const std::int64_t before = learned_++;
        alignas(32) Lanes p = work.p, r = work.r;
        if (work.clipped())
            kernels().blend.chances(work.score.data(), kLargest, p.data(), r.data());
        const auto slope = [&](std::size_t k) { return up ? -r[k] : p[k]; };
        learn_cells(work, slope, y, v, outcome);
        mixture_.learn(up ? work.p : work.r, up ? work.r : work.p, before, v);
        stack_.step(work.z, slope(kStack), p[kStack], r[kStack], v);
        base_.step(y, v);
        recent_.step(y, v);
        if (!mixture_.left) {
            newton_.step(x, work.newton, slope(kNewton), p[kNewton], r[kNewton], v);
            if (newton_.full()) newton_.clear(), mixture_.leave();
        }
        return outcome;
    }

    static double chance(const Prediction& played) {
        return played.positive / (played.positive + played.negative);
    }

    // What a hypothesis predicts with: the last state of all, mixed by the mean of the weights.
    void freeze() { mixture_.set_weights(mixture_.mean()); }

    // The scores of all members for x, without the constant lanes beyond kMembers.
    template <class Row>
    void scores(const Row& x, BlendWork& work) const {
        work.score[kBase] = base_.score();  // first: a CPU takes them while it gathers
        work.score[kRecent] = recent_.score();
        take(x, work);
        const BlendRow row = work.row();
        kernels().blend.gather(cells(), row, work.sums);
        for (std::size_t k = 0; k < kDiagonal; ++k)
            work.score[k] = work.sums.doubtful[k] ? second_look(row, k) : work.sums.score[k];
        work.score[kNewton] = mixture_.left ? 0.0 : newton_.score(x, work.newton);
        for (std::size_t k = 0; k < kStack; ++k) work.z[k] = std::clamp(work.score[k], -10.0, 10.0);
        work.score[kStack] = stack_.score(work.z);
        kernels().blend.chances(work.score.data(), kMostScore, work.p.data(), work.r.data());
    }

    const Mixture& mixture() const { return mixture_; }

    // For people: what the score of the stack gains per unit of a feature, or the largest float.
    double weight(Coordinate j) const {
        const BlendCell& c = cells()[j + 2];
        if (c.m() == 0) return 0;
        const Lanes& share = stack_.weights();
        const double r = std::sqrt(c.S[kCoin] + 1.0);
        double w = share[kCoin] * 0.8 * c.w[BlendCell::kWealth] *
                   std::clamp(c.theta[kCoin] / r, -1.0, 1.0) / r;
        for (std::size_t k = 0; k < 3; ++k)
            w += share[kGradient + k] * kRates[k] * c.theta[1 + k] / std::sqrt(c.S[1 + k] + 1.0);
        for (std::size_t k = 0; k < 3; ++k) w += share[kNormalized + k] * c.w[k];
        const auto finite = [](double x) { return std::clamp(x, -kLargest, kLargest); };
        return finite(finite(w / c.m()) + finite(share[kNewton] * finite(newton_.weight(j))));
    }

    double norm() const {
        double largest = 0, sum = 0;
        const auto end = static_cast<Coordinate>(dimension());
        for (Coordinate j = kBias; j < end; ++j) largest = std::max(largest, std::fabs(weight(j)));
        if (largest == 0) return 0;
        for (Coordinate j = kBias; j < end; ++j) {
            const double share = weight(j) / largest;
            sum += share * share;
        }
        return std::min(std::sqrt(sum) * largest, kLargest);
    }

    void state(StateWriter& out) const {
        const std::int64_t counts[] = {rounds, learned_, mixture_.left};
        const double totals[] = {square_, base_.positive, base_.negative, recent_.positive,
                                 recent_.negative};
        out.put("cells", std::span<const double>(cells_.data() + kCell, cells_.size() - kCell));
        out.put("counts", std::span<const std::int64_t>(counts));
        out.put("totals", std::span<const double>(totals));
        mixture_.state(out);
        stack_.state(out);
        newton_.state(out);
    }

    void restore(const StateReader& in) {
        const auto cells = in.reals("cells"), totals = in.reals("totals");
        const auto counts = in.counts("counts", 3);
        check(cells.size() >= kCell && cells.size() % kCell == 0 && counts[1] <= counts[0] &&
              counts[2] <= 1);
        check(totals.size() == 5);
        for (const double total : totals) check(total >= 0 && total <= kMost);
        Buffer found(kCell + cells.size());
        auto* cell = reinterpret_cast<BlendCell*>(found.data());
        for (std::size_t j = 0; j < cells.size(); j += kCell) {
            std::memcpy(++cell, &cells[j], sizeof *cell);
            check_cell(*cell);
        }
        Mixture mixture;
        mixture.restore(in, counts[2] != 0);
        Stack stack;
        stack.restore(in);
        Newton newton;
        newton.restore(in, cells.size() / kCell - 1);
        check(!mixture.left || newton.size() == 0);
        cells_ = std::move(found), mixture_ = mixture, stack_ = stack, newton_ = newton;
        grow(0);
        rounds = counts[0], learned_ = counts[1];
        square_ = totals[0];
        base_.positive = totals[1], base_.negative = totals[2];
        recent_.positive = totals[3], recent_.negative = totals[4];
    }

  private:
    static constexpr std::size_t kCell = sizeof(BlendCell) / sizeof(double);
    static constexpr double kLargest = std::numeric_limits<double>::max();
    static constexpr double kMost = 0x1p80;  // far above what 2⁴⁰ rounds can reach

    BlendCell& spare() { return cells()[0]; }
    BlendCell* cells() { return reinterpret_cast<BlendCell*>(cells_.data()); }
    const BlendCell* cells() const { return reinterpret_cast<const BlendCell*>(cells_.data()); }

    static void check_cell(const BlendCell& c) {
        const double m = c.m();
        check(m >= 0);
        for (int k = 0; k < 4; ++k) {
            check(std::fabs(c.theta[k]) <= kMost && c.S[k] >= 0 && c.S[k] <= kMost);
            check(std::fabs(c.w[k]) <= kMost && c.G[k] >= 0);
            check(k == BlendCell::kLargest || c.G[k] <= kMost);
            check(m > 0 || (c.theta[k] == 0 && c.S[k] == 0 && c.w[k] == 0 && c.G[k] == 0));
        }
        if (m == 0) return;
        check(c.w[BlendCell::kWealth] >= 0 && std::fabs(c.w[2]) <= 1048576.0);
        check(c.G[BlendCell::kVariance] > 0 && c.G[BlendCell::kVariance] <= 1);
    }

    static std::size_t place_of(Coordinate j) { return kCell * static_cast<std::size_t>(j + 2); }

    // Lists the entries of a row, and the places of some that come after it: the loop asks for
    // their cells ahead of time. Place 0 is that of the spare cell.
    template <class Row>
    void take(const Row& x, BlendWork& work) const {
        work.make_room(x.size + 1);
        std::size_t n = 0;
        std::size_t* const place = work.place.data();
        double* const value = work.numbers.data();
        if (!take_all(x, place, value, n))
            for_each(x, [&n, place, value](Coordinate j, double v) {
                place[n] = place_of(j);
                value[n++] = v;
            });
        work.size = n;
        const std::size_t end = (n + 3) / 4 * 4;
        for (; n < end; ++n) place[n] = 0, value[n] = 0.0;
        follow(x, place + end);
    }

    // Lists a row without zeros, in loops that run over many entries at once.
    template <class V>
    static bool take_all(const DenseRow<V>&, std::size_t*, double*, std::size_t&) {
        return false;
    }
    template <class I, class V>
    static bool take_all(const SparseRow<I, V>& x, std::size_t* place, double* value,
                         std::size_t& n) {
        std::int64_t zeros = 0;
        for (std::size_t k = 0; k < x.size; ++k) zeros += x.value[k] == 0;
        if (zeros != 0) return false;
        if (x.bias != 0) place[n] = place_of(kBias), value[n++] = x.bias;
        for (std::size_t k = 0; k < x.size; ++k)
            place[n + k] = place_of(static_cast<Coordinate>(x.index[k]));
        for (std::size_t k = 0; k < x.size; ++k) value[n + k] = static_cast<double>(x.value[k]);
        n += x.size;
        return true;
    }

    template <class V>
    static void follow(const DenseRow<V>&, std::size_t* place) {
        std::fill_n(place, kFollowing, 0);
    }
    template <class I, class V>
    static void follow(const SparseRow<I, V>& x, std::size_t* place) {
        const std::size_t more = std::min(x.ahead - x.size, kFollowing);
        for (std::size_t k = 0; k < more; ++k)
            place[k] = place_of(static_cast<Coordinate>(x.index[x.size + k]));
        std::fill_n(place + more, kFollowing - more, 0);
    }

    // The score of a member that sums of floats left open.
    double second_look(const BlendRow& row, std::size_t member) const {
        const auto weight = [&](std::size_t k) {
            if (member == kCoin) return row.bet[k];
            if (member < kNormalized) return row.weight[4 * k + member];
            return cells_[row.place[k] + offsetof(BlendCell, w) / sizeof(double) + member -
                          kNormalized];
        };
        return floats::rounded_sum([&](auto&& take) {
            for (std::size_t k = 0; k < row.size; ++k) take(weight(k) * row.u[k]);
        });
    }

    template <class Slope>
    void learn_cells(BlendWork& work, const Slope& slope, Label y, double v,
                     BlendOutcome& outcome) {
        square_ += work.sums.square;
        const double pace = square_ > 0 ? std::sqrt(static_cast<double>(learned_) / square_) : 0.0;
        const double margin = y * work.score[kArow];
        BlendStep by;
        for (std::size_t k = 0; k < 4; ++k) by.g[k] = slope(k) * v;
        for (std::size_t k = 0; k < 2; ++k) {
            by.h[k] = slope(kNormalized + k) * v;
            by.pace[k] = kPaces[k] * pace;
        }
        by.beta = margin < 1 ? v / (work.sums.spread + 1.0) : 0.0;
        by.move = ((1.0 - margin) * by.beta) * y;
        double costs[4];
        kernels().blend.scatter(cells(), work.row(), work.sums.wider, by, costs);
        const double count = static_cast<double>(work.size) * 0x1p-31;
        outcome.quarter = (0.5 * kRates[0]) * (costs[1] + count);
        outcome.one = (0.5 * kRates[1]) * (costs[2] + count);
        outcome.four = (0.5 * kRates[2]) * (costs[3] + count);
    }

    Buffer cells_;              // a spare one, that of the constant feature, then the others
    std::int64_t learned_ = 0;  // rounds whose weight is not 0
    double square_ = 0;         // N, the sum of Σ u² over the rounds
    BaseRate base_{1.0}, recent_{0.9375};
    Newton newton_;
    Stack stack_;
    Mixture mixture_;
};

}  // namespace novikoff
