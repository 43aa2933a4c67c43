// The members of Blend without cells, each as a learner of its own: the programs base-rate/1 and
// online-newton/1 (docs/programs.md).
#pragma once

#include "base_rate.hpp"
#include "cells.hpp"
#include "newton.hpp"

namespace novikoff {

// How many features there are, for members that do not keep one cell for each.
class Width {
  public:
    std::size_t dimension() const { return dimension_; }
    void grow(std::size_t dimension) { dimension_ = std::max(dimension_, dimension); }

    void state(StateWriter& out) const {
        const auto dimension = static_cast<std::int64_t>(dimension_);
        out.put("dimension", std::span<const std::int64_t>(&dimension, 1));
    }

    static std::size_t restored(const StateReader& in) {
        const auto found = in.counts("dimension", 1)[0];
        check(found <= kMaxDimension);
        return static_cast<std::size_t>(found);
    }

  protected:
    std::size_t dimension_ = 0;
};

class BaseRateMember : public Width {
  public:
    struct Work {};

    explicit BaseRateMember(double keep) : base_{keep} { check(keep > 0 && keep <= 1); }

    std::size_t bytes() const { return sizeof base_; }
    double weight(Coordinate) const { return 0; }

    template <class Row>
    double score(const Row&, Work&) const {
        return base_.score();
    }

    template <class Row>
    void step(const Row&, const Work&, const Played& round) {
        base_.step(round.y, round.v);
    }

    void state(StateWriter& out) const {
        const double totals[] = {base_.positive, base_.negative};
        out.put("totals", std::span<const double>(totals));
        Width::state(out);
    }

    void restore(const StateReader& in) {
        const auto totals = in.reals("totals");
        check(totals.size() == 2);
        for (const double total : totals) check(total >= 0 && total <= kMostTotal);
        dimension_ = restored(in);
        base_.positive = totals[0], base_.negative = totals[1];
    }

  private:
    BaseRate base_;
};

// Alone it refuses a round with a feature for which it has no room.
class NewtonMember : public Width {
  public:
    using Work = NewtonRow;

    std::size_t bytes() const { return newton_.bytes(); }
    double weight(Coordinate j) const { return newton_.weight(j); }

    template <class Row>
    bool takes(const Row& x) const {
        return newton_.has_room(x);
    }

    template <class Row>
    double score(const Row& x, NewtonRow& row) const {
        return newton_.score(x, row);
    }

    template <class Row>
    void step(const Row& x, const NewtonRow& row, const Played& round) {
        newton_.step(x, row, slope(round), round.p, round.r, round.v);
    }

    void state(StateWriter& out) const {
        newton_.state(out);
        Width::state(out);
    }

    void restore(const StateReader& in) {
        const std::size_t dimension = restored(in);
        newton_.restore(in, dimension);
        dimension_ = dimension;
    }

  private:
    static double slope(const Played& round) { return round.y > 0 ? -round.r : round.p; }

    Newton newton_;
};

}  // namespace novikoff
