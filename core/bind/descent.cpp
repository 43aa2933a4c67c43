// Gradient descent, a rule for each loss.
#include "../learners/losses/gradient_descent.hpp"

#include "scores.hpp"

namespace novikoff {

void bind_descent(nb::module_& m) {
    bind_score_rule<GradientDescent<LogisticLoss>, double>(m, "LogisticDescent");
    bind_score_rule<GradientDescent<HingeLoss>, double>(m, "HingeDescent");
    bind_score_rule<GradientDescent<SquaredLoss>, double>(m, "SquaredDescent");
    bind_score_rule<GradientDescent<AbsoluteLoss>, double>(m, "AbsoluteDescent");
}

}  // namespace novikoff
