"""The family of Minnow and its balanced form."""

from novikoff.comparators.histogram import margins_of
from novikoff.comparators.simplex import weighed
from novikoff.comparators.soft_margin import gathered, pairs
from novikoff.learners import Minnow
from novikoff.receipts.family import Family, Question, register
from novikoff.receipts.perceptron_family import bound_of
from novikoff.receipts.reread_rounds import coded
from novikoff.theory import Bound, named


def _bounds(question: Question) -> list[Bound]:
    """Compare the run with the w that a linear program finds."""
    run, learner = question.run, question.run.learner
    assert isinstance(learner, Minnow)
    rows = gathered(coded(run, question.stream), learner.bias)
    passes = run.ledger.rounds // rows.count
    found = []
    for best in weighed(rows, learner.eta, learner.balanced, passes, question.watch):
        if not question.about(best.theorem):
            continue
        value = named(best.theorem).evaluate(best.evidence).value
        comparator = {"w": pairs(best.found), "gamma": best.evidence["gamma"]}
        margins = margins_of(rows, best.found)
        found.append(bound_of(run, best.theorem, value, best.least, comparator, margins))
        if question.theorem == best.theorem:
            break  # the search for the other one starts here
    return found


register(Family("minnow", _bounds))
