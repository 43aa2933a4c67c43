// What the round loop asks of a rule. The rule decides when it learns: the loop calls `learn` in
// every round, and the rule says whether it erred, whether it changed, and what the round cost.
// Nothing sees y before the prediction is made.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "../blocks/row.hpp"
#include "../numbers/decide.hpp"
#include "../saving/state.hpp"

namespace novikoff {

// What a round did, once y was known. A rule with further measures returns its own type, derived
// from this one.
struct Outcome {
    bool mistake = false;
    bool updated = false;
    bool abstained = false;
    double loss = 0;  // the rule's own loss, if it declares that measure
};

// A measure that a rule declares: the ledger keeps its sum over the rounds, or its largest value.
enum class Combination { kSum, kLargest };

template <class O>
struct Measure {
    const char* name;
    Combination combination;
    double O::* value;
};

template <class R>
concept Rule =
    requires(R& rule, const R& fixed, const DenseRow<double>& dense,
             const SparseRow<std::int32_t, float>& sparse, const Extent& extent, Effort& effort,
             const typename R::Prediction& prediction, typename R::Label y, double weight,
             std::size_t dimension, StateWriter& writer, const StateReader& reader) {
        // Labels, as positions in the counts by label and among the user's names.
        { prediction.label } -> std::convertible_to<typename R::Label>;
        { R::label_index(y) } -> std::same_as<std::size_t>;
        { R::labels_up_to(y) } -> std::same_as<std::size_t>;
        { R::name_index(y) } -> std::same_as<std::size_t>;

        // A round: measure x, predict, learn. `effort` counts decisions that floats left open.
        { fixed.bias } -> std::convertible_to<double>;
        { fixed.measure(dense) } -> std::same_as<Extent>;
        { fixed.predict(dense, extent, effort) } -> std::same_as<typename R::Prediction>;
        { fixed.predict(sparse, extent, effort) } -> std::same_as<typename R::Prediction>;
        { rule.learn(dense, extent, prediction, y, weight) } -> std::derived_from<Outcome>;
        { rule.learn(sparse, extent, prediction, y, weight) } -> std::derived_from<Outcome>;

        // Features: those below `dimension` have room.
        { fixed.dimension() } -> std::same_as<std::size_t>;
        rule.grow(dimension);

        // What it holds, for people and for files. `restore` takes what `state` wrote, or throws.
        { fixed.rounds } -> std::convertible_to<std::int64_t>;
        { fixed.bytes() } -> std::same_as<std::size_t>;
        { fixed.norm() } -> std::same_as<double>;
        { fixed.saturated() } -> std::same_as<bool>;
        fixed.state(writer);
        rule.restore(reader);
        fixed.access;
    };

// A rule that decides by the sign of w·x, or by the best of many: the float score is trusted beyond
// a bound on its error, which needs a bound on ‖w‖². Each rule says why its own bound holds.
template <class R>
concept ExactRule = Rule<R> && requires(const R& fixed) {
    { fixed.norm_bound() } -> std::same_as<double>;
};

// What a rule may have besides:
//   kMeasures       what its outcomes add to the ledger, an array of Measure<its Outcome>
//   kWholeRows      predictions take features that the rule has no room for yet
//   begin_round()   called before the prediction, once x is known to be sound
//   takes(x)        false: the round is not played and changes nothing
//   declines(p, y)  true: the round is not played and changes nothing
//   chance(p)       the probability of +1 that a prediction gives, for two labels
//   likeliest_chance(p)  the probability of the label that it predicts, for many labels
//   kScalesLoss     a weight from 0 to 1 scales the round's loss, and not the update by x
//   certain(norm2)  when the prediction, −1 or +1, is surely the sign of the score by the weights
//                   `w`; norm2 ≥ ‖x‖²
//   pass(n)         besides: learns n rounds in which that prediction was right
//   forget()        called before the state is written

template <class R>
inline constexpr bool takes_whole_rows = requires { R::kWholeRows; };
template <class R, class Row>
bool takes_row(const R& rule, const Row& x) {
    if constexpr (requires { rule.takes(x); })
        return rule.takes(x);
    else
        return true;
}
template <class R>
inline constexpr bool has_certain_rounds = requires(R& rule) { rule.pass(std::int64_t{1}); };
template <class R>
inline constexpr bool declares_measures = requires { R::kMeasures; };
template <class R>
inline constexpr bool scales_loss = requires { R::kScalesLoss; };

}  // namespace novikoff
