// The members of Blend, each as a learner of its own.
#include "../learners/losses/members.hpp"

#include "scores.hpp"

namespace novikoff {

void bind_members(nb::module_& m) {
    bind_score_rule<LogisticRule<Cells<CoinBetting>>>(m, "CoinBetting");
    bind_score_rule<LogisticRule<Cells<NormalizedGradient>>, double>(m, "NormalizedGradient");
    bind_score_rule<LogisticRule<Cells<Arow>>>(m, "Arow");
    bind_score_rule<LogisticRule<BaseRateMember>, double>(m, "BaseRate");
    bind_score_rule<LogisticRule<NewtonMember>>(m, "OnlineNewton");
}

}  // namespace novikoff
