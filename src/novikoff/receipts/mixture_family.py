"""The family of mixtures of any members: the loss is compared with that of the best member."""

import math

from novikoff.learners.losses.frozen_class_mixture import FrozenClassMixture
from novikoff.learners.losses.mixture import Mixture
from novikoff.playing.run import Run
from novikoff.receipts.family import Family, Question, register
from novikoff.theory import Bound, named
from novikoff.theory.loss_theorems import class_members_rounding, members_rounding

_ANYBODY = "which mixes members that anybody may have written"


def _bounds(question: Question) -> list[Bound]:
    """Compare the run with its best member; nothing is read again, nothing can be replayed."""
    if not question.about("mixture") or not question.run.ledger.rounds:
        return []
    return [best_member(question.run)]


def best_member(run: Run) -> Bound:
    """Evaluate the theorem on the member with the least loss."""
    ledger, learner = run.ledger, run.learner
    assert isinstance(learner, (Mixture, FrozenClassMixture))
    best = math.nextafter(min(learner.losses.values()), math.inf)
    count = len(learner.losses)
    if learner.multiclass:
        assert isinstance(learner, FrozenClassMixture)
        rounding = class_members_rounding(ledger.rounds, learner.classes, count, best)
    else:
        rounding = members_rounding(ledger.rounds, count, best)
    evidence = {
        "member_loss": best,
        "members": count,
        "rounds": ledger.rounds,
        "switching": learner.switching,
        "rounding": rounding,
        "loss": ledger.loss,
    }
    return named("mixture").evaluate(evidence)


register(Family("mixture", _bounds, inexact=_ANYBODY))
