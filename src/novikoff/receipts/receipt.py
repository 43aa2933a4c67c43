"""The receipt of a run: what the theorems allow, and a certificate of the smallest bound."""

from collections.abc import Callable

import numpy as np

from novikoff.comparators import Margin
from novikoff.comparators.soft_margin import Found, pairs, watching
from novikoff.errors import HypothesisError, Named, Phrase, parameter
from novikoff.html_tables import wide_table
from novikoff.playing.run import Run
from novikoff.receipts.certificates import (
    Certificate,
    certificate_about_data,
    check_certifiable,
    written,
)
from novikoff.receipts.family import Evidence, Family, Question, family_for, theorems_of
from novikoff.receipts.reread_rounds import kept, of_stopped_play
from novikoff.receipts.resumed_runs import since
from novikoff.saving.storage import PathLike
from novikoff.streams import Stream, as_stream
from novikoff.theory import Bound
from novikoff.theory.batch_theorems import ABOUT_MEAN_ERROR
from novikoff.theory.theorem import BOUND_HEADS

__all__ = ["bounds", "certify"]

Report = Callable[[float], None]
DELTA = 0.05
"""The δ of a certificate of ``progressive`` and its like, which need no other evidence."""


class Bounds(list[Bound]):
    """A list of bounds that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        return wide_table("Bounds", BOUND_HEADS, [bound.facts for bound in self])


def bounds(
    run: Run,
    stream: object = None,
    *,
    progress: Report | None = None,
    start: Run | PathLike | None = None,
) -> Bounds:
    """Return what each theorem allows a run, beside what it did; the smallest bound comes first.

    It reads the run's own stream again, or ``stream``, which must hold the same rounds. Each bound
    comes with the comparator that makes it nearly as small as possible (``comparator``), how much a
    better one could gain (``gap``), and whether the mistakes stay below it (``holds``), which they
    do. ``progress`` is called with the seconds spent. Ctrl-C ends the search and returns what it
    has found; a second Ctrl-C gives up. With ``start``, the model that the run went on from, the
    bounds are about the rounds since then, and ``stream`` holds those alone.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Perceptron(), nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [-1, -1] * 3))
    >>> [(bound.theorem, round(bound.value, 3), bound.observed) for bound in nv.bounds(run)][:2]
    [('run', 2.0, 2), ('novikoff', 2.0, 2)]
    """
    if not isinstance(run, Run):
        raise parameter("run", "a Run", run)
    if start is not None:
        run, stream = since(run, stream, start)
    family = family_for(run)
    family.check(run)
    with of_stopped_play(run), np.errstate(all="ignore"):  # what matters is rounded and checked
        question = Question(run, stream, watching(progress))
        return Bounds(sorted(family.bounds(question), key=lambda bound: bound.value))


def certify(
    run: Run | Margin,
    stream: object = None,
    theorem: str | None = None,
    *,
    found: list[Bound] | None = None,
    start: Run | PathLike | None = None,
    chain: bool = False,
) -> Certificate:
    """Write down what a theorem says about a run, so that anybody can check it.

    If you name no ``theorem``, the one with the smallest bound is certified. The theorem ``run`` is
    certified only if you name it, because it is computed from the run's own mistakes;
    ``progressive`` and ``progressive-mixture`` are certified with δ = 0.05. A margin is certified
    on the stream it was found for: the rows are ``separable``, or ``not separable``. ``found`` are
    the run's bounds, if you have them already.

    With ``start``, the model that the run went on from or its file, the certificate is about the
    rounds since then, which are all that ``stream`` holds; it begins with the hash of that model's
    state. Such certificates form a chain, and ``chain`` makes the first one of it: it states in
    which state the run ended, as all certificates of float programs do.

    A comparator depends on all rows, so they are read once more and kept. Without a comparator the
    stream is read twice: for its digest, and to replay the run.

    >>> import novikoff as nv
    >>> rounds = nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [-1, -1] * 3)
    >>> certificate = nv.certify(nv.play(nv.Perceptron(), rounds))
    >>> nv.verify(certificate, rounds).verified
    True
    """
    if isinstance(run, Margin):
        return _certified_margin(run, as_stream(stream))
    if not isinstance(run, Run):
        raise parameter("run", "a Run or a Margin", run)
    if start is not None:
        run, stream = since(run, stream, start)
    family = check_certifiable(run, theorem)
    with of_stopped_play(run), np.errstate(all="ignore"):
        return _certified(family, Question(run, stream, watching(None), theorem), found, chain)


def _certified(
    family: Family, question: Question, found: list[Bound] | None, chain: bool
) -> Certificate:
    """Return the certificate of a theorem, or of that with the smallest bound."""
    run, stream, theorem = question.run, question.given, question.theorem
    if theorem in ABOUT_MEAN_ERROR:
        rounds = family.stream(run, stream)
        return written(family, run, rounds, theorem, {"delta": DELTA}, chain=chain)
    known = theorems_of(run)
    best = _least(family.bounds(question) if found is None else found, theorem, known)
    rounds = question.stream if found is None else kept(family.stream(run, stream))
    evidence = family.evidence(question, best)
    return written(family, run, rounds, best.theorem, evidence, chain=chain)


def _least(found: list[Bound], theorem: str | None, known: tuple[str, ...]) -> Bound:
    """Return the smallest bound that can be verified: of one theorem, or of any except ``run``."""
    candidates = [
        bound
        for bound in found
        if bound.theorem in known
        and (bound.theorem == theorem or (theorem is None and bound.theorem != "run"))
    ]
    if not candidates:
        expected = theorem or "a theorem with a finite bound"
        raise HypothesisError(
            where="certify",
            expected=f"{expected} to apply to this run",
            got="that it does not",
            remedy=Phrase(Named("bounds", "bounds(run)"), " lists those that do."),
        )
    return min(candidates, key=lambda bound: bound.value)


def _certified_margin(margin: Margin, stream: Stream) -> Certificate:
    if margin.witness is not None:
        rows = [t + 1 for t in margin.witness.rows]
        weights = list(margin.witness.weights)
        evidence: Evidence = {"rows": rows, "weights": weights, "bias": margin.bias}
        theorem = "not separable"
    else:
        h = margin.hypothesis()
        evidence = {"w": pairs(Found(h.w, h.bias_weight, 0, 0, 0, 0)), "bias": margin.bias}
        theorem = "separable"
    return certificate_about_data(
        stream, theorem, evidence, 1 if stream.positive is None else stream.positive
    )
