"""The family of mixtures of frozen hypotheses: the loss is compared with that of the best."""

import hashlib
import struct

from novikoff.errors import HypothesisError
from novikoff.learners.losses.blend_hypothesis import BlendHypothesis
from novikoff.learners.losses.frozen_members import common_bias
from novikoff.learners.losses.frozen_mixture import FrozenMixture
from novikoff.playing.run import Run
from novikoff.receipts.blend_family import state_hash
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


def _learner(run: Run) -> FrozenMixture:
    learner = run.learner
    assert isinstance(learner, FrozenMixture)
    return learner


def _check(run: Run) -> None:
    """Refuse members that nobody could replay."""
    if run.start is None and run.ledger.rounds == run.learner.rounds:
        run.start = run.fresh()  # members never change, so a model that has them is the start
    check_labelled(run)
    for h in _learner(run).hypotheses:
        numbered = h.features is None or h.features.bits
        if not isinstance(h, BlendHypothesis) or h.transforms is not None or not numbered:
            raise HypothesisError(
                "certify: expected members that are hypotheses of Blend, whose features are "
                f"numbered or hashed and not transformed, got {h!r}. bounds(run) says what its "
                "theorem allows."
            )


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


def member_hashes(learner: FrozenMixture) -> list[str]:
    """Return the hash of the state of each member, as its own certificate would end with it."""
    return [state_hash(h.contents()[1]) for h in learner.hypotheses]


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
    learner = _learner(run)
    hashing = learner.hashing
    return {
        "hypotheses": member_hashes(learner),
        "bias": common_bias(learner.hypotheses),
        "hashing": None if hashing is None else hashing.plain,
    }


def _evidence(question: Question, bound: Bound) -> dict[str, object]:
    return {"loss": question.run.ledger.loss}


register(
    Family(
        "frozen-mixture",
        _bounds,
        check=_check,
        rounds=_rounds,
        parameters=_parameters,
        evidence=_evidence,
        form=chained_form,
        state=_state,
    )
)
