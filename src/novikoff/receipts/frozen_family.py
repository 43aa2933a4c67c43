"""The families of mixtures of frozen hypotheses: the loss is compared with that of the best."""

import hashlib
import struct
from dataclasses import replace

from novikoff.errors import HypothesisError
from novikoff.learners.losses.blend_hypothesis import BlendHypothesis
from novikoff.learners.losses.class_hypothesis import ClassBlendHypothesis
from novikoff.learners.losses.frozen_class_mixture import FrozenClassMixture
from novikoff.learners.losses.frozen_members import common_bias
from novikoff.learners.losses.frozen_mixture import FrozenMixture
from novikoff.playing.run import Run
from novikoff.receipts import blend_family, class_blend_family
from novikoff.receipts.family import (
    Family,
    Parameters,
    Question,
    chained_form,
    check_labelled,
    register,
)
from novikoff.receipts.mixture_family import best_member
from novikoff.receipts.reread_rounds import check_rounds, kept, other_rounds
from novikoff.streams import Stream
from novikoff.theory import Bound

Frozen = FrozenMixture | FrozenClassMixture


def _learner(run: Run) -> Frozen:
    learner = run.learner
    assert isinstance(learner, Frozen)
    return learner


def _check(run: Run) -> None:
    """Refuse a run that no theorem covers; a mixture that has played nothing is its start."""
    if run.start is None and run.ledger.rounds == run.learner.rounds:
        run.start = run.fresh()  # members never change, so a model that has them is the start
    check_labelled(run)


def _bounds(question: Question) -> list[Bound]:
    """Compare the run with its best member."""
    if not question.about("mixture") or not question.run.ledger.rounds:
        return []
    question.check_rounds()
    return [best_member(question.run)]


def _rounds(run: Run, stream: Stream) -> Stream:
    """Read the rounds once and keep them; refuse any that lead to another loss."""
    found = kept(stream)
    if check_rounds(run, found).ledger.loss != run.ledger.loss:
        raise other_rounds(f"with a loss of {run.ledger.loss}", "with another")
    return found


def member_hashes(learner: Frozen) -> list[str]:
    """Return the hash of the state of each member, as its own certificate would end with it."""
    part = class_blend_family if learner.multiclass else blend_family
    return [part.state_hash(h.contents()[1]) for h in learner.hypotheses]


def _state(run: Run) -> str:
    """Return SHA-256 over the members' hashes, the rounds, and the members' losses."""
    learner = _learner(run)
    weights = learner.state_of_weights()
    digest = hashlib.sha256(b"".join(map(bytes.fromhex, member_hashes(learner))))
    digest.update(struct.pack("<Q", learner.rounds))
    for name in ("losses", "loss_rests"):
        digest.update(weights[name].astype("<f8").tobytes())
    return digest.hexdigest()


def _parameters(run: Run) -> Parameters:
    """Name the members by their hashes; refuse members that nobody could replay."""
    learner = _learner(run)
    for h in learner.hypotheses:
        numbered = h.features is None or h.features.bits
        ours = isinstance(h, (BlendHypothesis, ClassBlendHypothesis))
        if not ours or h.transforms is not None or not numbered:
            raise HypothesisError(
                "certify: expected members that are hypotheses of Blend, whose features are "
                f"numbered or hashed and not transformed, got {h!r}. bounds(run) says what its "
                "theorem allows."
            )
    hashing = learner.hashing
    return {
        **({"classes": _classes(learner)} if learner.multiclass else {}),
        "hypotheses": member_hashes(learner),
        "bias": common_bias(learner.hypotheses),
        "hashing": None if hashing is None else hashing.plain,
    }


def _classes(learner: Frozen) -> int:
    assert isinstance(learner, FrozenClassMixture)
    return learner.classes


def _evidence(question: Question, bound: Bound) -> dict[str, object]:
    return {"loss": question.run.ledger.loss}


_TWO = Family(
    "frozen-mixture",
    _bounds,
    check=_check,
    rounds=_rounds,
    parameters=_parameters,
    evidence=_evidence,
    form=chained_form,
    state=_state,
)
register(_TWO, replace(_TWO, name="frozen-class-mixture", labels=class_blend_family.all_classes))
