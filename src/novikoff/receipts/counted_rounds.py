"""Counted rounds: what of a ledger a theorem about examples to come counts, and assumes."""

import numpy as np

from novikoff.errors import HypothesisError, Phrase, argument, parameter
from novikoff.learners import Learner
from novikoff.playing.ledger import Ledger
from novikoff.playing.run import Run

_TAGS_KNOWN = Phrase("tags known before the first round: ", argument("tags", of="Chains"))


def ledger_of(ledger: object) -> Ledger:
    """Take a ledger, or a run for its ledger."""
    ledger = ledger.ledger if isinstance(ledger, Run) else ledger
    if not isinstance(ledger, Ledger):
        raise parameter("ledger", "a run or its ledger", ledger, "Pass a run.")
    return ledger


def counted_rounds(
    ledger: Ledger | Run, theorem: str
) -> tuple[list[tuple[int, int]], tuple[str, ...]]:
    """Return (rounds, mistakes counted) at the checkpoints, and the assumptions."""
    ledger = ledger_of(ledger)
    ours = ledger.began_fresh is not None
    kind = Learner.kinds.get(ledger.learner) if ours else None
    forgets = theorem == "leave-one-out" and ledger.parameters.get("max_voters") is not None
    averages = theorem == "leave-one-out" and kind and kind.averages(ledger.parameters)
    appear = kind and not kind.knows_labels(ledger.parameters)
    for fault, expected, got in (
        (ledger.rounds == 0, "at least one round", "none"),
        (not ledger.judges, "predictions that are right or wrong", "labels that are numbers"),
        (ledger.passes > 1, "one pass, whose examples are fresh", str(ledger.passes)),
        (kind and kind.batch, "a learner that sees each example in its round", ledger.learner),
        (appear, _TAGS_KNOWN, "tags as they appear"),
        (forgets, "the vote of every hypothesis", f"{ledger.learner} with max_voters"),
        (averages, "hypotheses or their vote", f"the averaged weights of {ledger.learner}"),
    ):
        if fault:
            raise HypothesisError(
                where=theorem, expected=expected, got=got, remedy="No guarantee holds."
            )
    rounds, mistakes, *_ = ledger.checkpoints
    # Two labels of a foreign learner are taken for −1 and +1.
    many = bool(kind and kind.multiclass) if ours else len(ledger.labels) not in (0, 2)
    first = many and ledger.began_fresh is not False and 1 not in ledger.mistake_rounds[:1]
    counted = np.minimum(mistakes + ledger.abstentions + int(first), rounds).tolist()
    assumes = (
        "the examples are independent draws from one distribution",
        "learner, parameters and δ were chosen before they were seen",
    )
    unseen = () if ledger.began_fresh else ("the learner had learned from none of them before",)
    late = late_labels(ledger)
    return list(zip(rounds.tolist(), counted, strict=True)), assumes + unseen + late


def late_labels(ledger: Ledger) -> tuple[str, ...]:
    """Return what a bound on the error to come assumes besides, if labels came after an ask."""
    if not hasattr(ledger, "served"):
        return ()
    from novikoff import verifier  # which states the theorems; most runs do without it

    return verifier.THEOREMS["progressive-mixture"].further
