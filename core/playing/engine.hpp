// The round loop for every rule and every form of block, compiled in engine.cpp: bindings are
// built with options (no strict aliasing) that would slow it down.
#pragma once

#include "../learners/linear/averaged.hpp"
#include "../learners/linear/averaged_classes.hpp"
#include "../learners/linear/fixed.hpp"
#include "../learners/linear/minnow.hpp"
#include "../learners/linear/modified.hpp"
#include "../learners/linear/multiclass.hpp"
#include "../learners/linear/voted.hpp"
#include "../learners/losses/adaptive_gradient.hpp"
#include "../learners/losses/blend.hpp"
#include "../learners/losses/class_blend.hpp"
#include "../learners/losses/forward_regression.hpp"
#include "../learners/losses/members.hpp"
#include "play.hpp"

#define NV_EACH_BLOCK(prefix, R)                        \
    static_assert(Rule<R>);                             \
    NV_PLAY(prefix, R, DenseBlock<float>)               \
    NV_PLAY(prefix, R, DenseBlock<double>)              \
    NV_PLAY(prefix, R, NV_SPARSE(std::int32_t, float))  \
    NV_PLAY(prefix, R, NV_SPARSE(std::int32_t, double)) \
    NV_PLAY(prefix, R, NV_SPARSE(std::int64_t, float))  \
    NV_PLAY(prefix, R, NV_SPARSE(std::int64_t, double))
#define NV_SPARSE(I, V) SparseBlock<I, V>
#define NV_PLAY(prefix, R, ...)                       \
    prefix template std::size_t play<R, __VA_ARGS__>( \
        R&, const __VA_ARGS__&, const R::Label*, const double*, std::size_t, std::size_t, Tally&);

#define NV_EACH_RULE(prefix)                                       \
    NV_EACH_BLOCK(prefix, Perceptron<ZeroIsPositive>)              \
    NV_EACH_BLOCK(prefix, Perceptron<ZeroIsMistake>)               \
    NV_EACH_BLOCK(prefix, Averaged<ZeroIsPositive>)                \
    NV_EACH_BLOCK(prefix, Averaged<ZeroIsMistake>)                 \
    NV_EACH_BLOCK(prefix, Voted<ZeroIsPositive>)                   \
    NV_EACH_BLOCK(prefix, Voted<ZeroIsMistake>)                    \
    NV_EACH_BLOCK(prefix, Multiclass)                              \
    NV_EACH_BLOCK(prefix, AveragedClasses)                         \
    NV_EACH_BLOCK(prefix, Minnow<OneSided>)                        \
    NV_EACH_BLOCK(prefix, Minnow<Balanced>)                        \
    NV_EACH_BLOCK(prefix, Modified)                                \
    NV_EACH_BLOCK(prefix, FixedHalfspace)                          \
    NV_EACH_BLOCK(prefix, AdaptiveGradient)                        \
    NV_EACH_BLOCK(prefix, Blend)                                   \
    NV_EACH_BLOCK(prefix, ClassBlend)                              \
    NV_EACH_BLOCK(prefix, ForwardRegression)                       \
    NV_EACH_BLOCK(prefix, LogisticRule<Cells<CoinBetting>>)        \
    NV_EACH_BLOCK(prefix, LogisticRule<Cells<NormalizedGradient>>) \
    NV_EACH_BLOCK(prefix, LogisticRule<Cells<Arow>>)               \
    NV_EACH_BLOCK(prefix, LogisticRule<BaseRateMember>)            \
    NV_EACH_BLOCK(prefix, LogisticRule<NewtonMember>)

namespace novikoff {
NV_EACH_RULE(extern)
}  // namespace novikoff
