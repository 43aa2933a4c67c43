// Learners with real labels.
#include "../learners/losses/forward_regression.hpp"

#include "scores.hpp"

namespace novikoff {

void bind_regression(nb::module_& m) {
    bind_score_rule<ForwardRegression, double>(m, "ForwardRegression")
        .def_prop_ro("features", &ForwardRegression::features);
}

}  // namespace novikoff
