// Rounds played through the transforms of a model.
#pragma once

#include "../numbers/weights.hpp"
#include "../playing/play.hpp"
#include "../transforms/transforms.hpp"
#include "features.hpp"
#include "guards.hpp"

namespace novikoff {

// The groups of raw features, by their numbers or by their names.
class RawGroups {
  public:
    RawGroups(const Transforms& transforms, const Features* features)
        : transforms_(transforms), features_(features) {}

    Groups operator()(std::int32_t raw) const {
        if (features_ == nullptr) return groups_of(transforms_.groups, std::int64_t{raw});
        const auto place = static_cast<std::size_t>(raw);
        if (place < known_.size() && known_[place] != kUnknown) return known_[place];
        return groups_of(transforms_.groups, features_->text(place));
    }

    // Looks at the names of these features now: names need the interpreter lock.
    void look_at(const std::vector<std::int32_t>& raw) {
        if (features_ == nullptr || !transforms_.crosses()) return;
        known_.resize(features_->size(), kUnknown);
        for (const std::int32_t one : raw) known_[static_cast<std::size_t>(one)] = (*this)(one);
    }

  private:
    static constexpr Groups kUnknown = ~Groups{0};  // there are fewer groups than bits

    const Transforms& transforms_;
    const Features* features_;  // null: features are numbered
    std::vector<Groups> known_;
};

// Plays rounds through transforms: the raw row passes the gate, the rule sees the made row.
class Passage {
  public:
    RawGroups groups;

    explicit Passage(Transforms& transforms, const Features* features = nullptr)
        : groups(transforms, features),
          transforms_(transforms),
          counted_(features != nullptr && !features->hashed()) {}

    // One round with a sound x of `columns` raw features. Returns the prediction, or nothing if the
    // round was not played; then nothing has changed.
    template <Rule R, class Row>
    std::optional<typename R::Label> play(R& rule, const Row& x, std::size_t columns,
                                          typename R::Label y, double weight, Tally& tally) {
        MadeRow& made = transforms_.scratch;
        if (!transforms_.make(x, made, groups)) return std::nullopt;
        const auto row = made.row(rule.bias);
        const std::size_t needed = transforms_.columns(made, columns);
        if (needed > rule.dimension()) {
            const bool sound = sound_values(row, measure(row)) && takes_weight<R>(row, weight);
            if (!sound) return std::nullopt;
            rule.grow(needed);
        }
        transforms_.adopt(made);
        std::optional<typename R::Label> prediction;
        try {
            prediction = play_round(rule, row, y, weight, tally);
        } catch (...) {
            transforms_.undo(made);
            throw;
        }
        if (prediction)
            transforms_.widen(columns);
        else
            transforms_.undo(made);
        return prediction;
    }

    // Rounds [start, stop) of a block, as novikoff::play plays them.
    template <Rule R, class Block>
    std::size_t play(R& rule, const Block& block, const typename R::Label* labels,
                     const double* weights, std::size_t start, std::size_t stop, Tally& tally) {
        Gate<typename Block::Row> gate(block.columns);
        for (std::size_t t = start; t < stop; ++t) {
            auto x = block.row(t, 0);
            if (!gate.sound_indices(x) || !sound_values(x, measure(x))) return t;
            const double weight = weights == nullptr ? 1 : weights[t];
            if (!play(rule, x, columns_of(block, x), labels[t], weight, tally)) return t;
        }
        return stop;
    }

  private:
    // Names get numbers before their rows are played, so a block may have more than were met.
    template <class Block, class Row>
    std::size_t columns_of(const Block& block, const Row& x) const {
        if (!counted_) return block.columns;
        return x.size == 0 ? 0 : static_cast<std::size_t>(coordinate(x, x.size - 1)) + 1;
    }

    Transforms& transforms_;
    bool counted_;  // features are named, and exist once their names were met
};

// A model's transforms for the length of a call; null: it has none.
class Transforming {
  public:
    explicit Transforming(Transforms* transforms) {
        if (transforms != nullptr) writing_.emplace(transforms->access);
    }

  private:
    std::optional<Writing> writing_;
};

// The one round of a block of one row, through transforms.
template <Rule R, class Block>
std::optional<typename R::Label> learn_through(R& rule, Transforms& transforms, const Block& block,
                                               typename R::Label y, double weight, Tally& tally) {
    Gate<typename Block::Row> gate(block.columns);
    auto x = block.row(0, 0);
    if (!gate.sound_indices(x) || !sound_values(x, measure(x))) return std::nullopt;
    return Passage(transforms).play(rule, x, block.columns, y, weight, tally);
}

// One round with a row that `features` has just read, through transforms. Its new names stay only
// if the round is played.
template <Rule R>
std::optional<typename R::Label> learn_through(R& rule, Transforms& transforms, Features& features,
                                               const Features::Row& x, typename R::Label y,
                                               double weight, Tally& tally) {
    const std::size_t before = features.adopt();
    const auto forget = [&] {
        if (!features.hashed()) features.truncate(before);
    };
    try {
        Passage passage(transforms, &features);
        const auto prediction = passage.play(rule, x, features.size(), y, weight, tally);
        if (!prediction) forget();
        return prediction;
    } catch (...) {
        forget();
        throw;
    }
}

}  // namespace novikoff
