"""Receipts: what the theorems allow for a run, and the certificate of the least of it."""

from collections.abc import Callable
from typing import Any

from novikoff import verifier
from novikoff.comparators import Margin
from novikoff.comparators.soft_margin import Found, watching
from novikoff.errors import HypothesisError, Named, Phrase, parameter
from novikoff.learners import (
    BalancedMinnow,
    CuttingLearner,
    Elimination,
    FiniteLearner,
    KernelPerceptron,
    Minnow,
    StructuredPerceptron,
)
from novikoff.playing.run import Run
from novikoff.receipts.certificates import (
    Certificate,
    certificate_about_data,
    certificate_of,
    check_certifiable,
    check_run,
)
from novikoff.receipts.finite_family import finite_bounds
from novikoff.receipts.linear_family import (
    cutting_bounds,
    kernel_bounds,
    minnow_bounds,
    pairs,
    perceptron_bounds,
)
from novikoff.receipts.regret_family import certify_regret, regret_bounds
from novikoff.receipts.reread_rounds import check_rounds, stream_of
from novikoff.receipts.structured_family import structured_bounds
from novikoff.streams import Stream, as_stream
from novikoff.theory import Bound

__all__ = ["bounds", "certify"]

Report = Callable[[float], None]


def bounds(run: Run, stream: Any = None, *, progress: Report | None = None) -> list[Bound]:
    """Return what every theorem that applies allows for a run, the least first.

    The run's own stream is read again, or ``stream``, which must hold the same rounds. Each bound
    comes with the comparator that makes it about as small as can be (``comparator``), how much a
    better one could gain (``gap``), and whether the mistakes stay below it (``holds``), which they
    do. ``progress`` is called with the seconds spent. Ctrl-C ends the search: what was found until
    then is returned, and a second one gives up.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Perceptron(), nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [-1, -1] * 3))
    >>> [(bound.theorem, round(bound.value, 3), bound.observed) for bound in nv.bounds(run)][:2]
    [('run', 2.0, 2), ('novikoff', 2.0, 2)]
    """
    if not isinstance(run, Run):
        raise parameter("run", "a Run", run)
    if run.protocol != "labelled":
        return regret_bounds(run)
    source = stream_of(run, stream)
    check_run(run)
    check_rounds(run, source)
    return sorted(_allowed(run, source, progress), key=lambda bound: bound.value)


def _allowed(run: Run, source: Stream, progress: Report | None) -> list[Bound]:
    """Return what the theorems of the learner's family allow."""
    learner, watch = run.learner, watching(progress)
    if isinstance(learner, (Elimination, FiniteLearner)):
        return finite_bounds(run, source)
    if isinstance(learner, StructuredPerceptron):
        return structured_bounds(run, source)
    if isinstance(learner, CuttingLearner):
        return cutting_bounds(run, source, watch)
    if isinstance(learner, (Minnow, BalancedMinnow)):
        return minnow_bounds(run, source, watch)
    if isinstance(learner, KernelPerceptron):
        return kernel_bounds(run, source, watch)
    return perceptron_bounds(run, source, watch)


def certify(
    run: Run | Margin,
    stream: Any = None,
    theorem: str | None = None,
    *,
    found: list[Bound] | None = None,
) -> Certificate:
    """Return the certificate of a theorem for a run; of the least bound where none is named.

    ``run`` is certified only when it is named, for it is evaluated on the run's own mistakes;
    ``progressive`` with δ = 0.05. A margin is certified on the stream it was found for: that the
    rows are ``separable``, or that they are ``not separable``. ``found`` are the run's bounds,
    where they are known already.

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
    if run.protocol != "labelled":
        return certify_regret(run, stream, theorem)
    check_certifiable(run, theorem)
    source = stream_of(run, stream)
    if theorem == "progressive":
        return certificate_of(run, source, theorem, {"delta": 0.05})
    best = _least(bounds(run, source) if found is None else found, theorem)
    return certificate_of(run, source, best.theorem, best.comparator)


def _least(found: list[Bound], theorem: str | None) -> Bound:
    """Return the least bound that can be verified: of a theorem, or of any but ``run``."""
    candidates = [
        bound
        for bound in found
        if bound.theorem in verifier.STATEMENTS
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
        evidence: dict[str, Any] = {"rows": rows, "weights": weights, "bias": margin.bias}
        theorem = "not separable"
    else:
        h = margin.hypothesis()
        evidence = {"w": pairs(Found(h.w, h.bias_weight, 0, 0, 0, 0)), "bias": margin.bias}
        theorem = "separable"
    positive = 1 if stream.positive is None else stream.positive
    return certificate_about_data(stream, theorem, evidence, positive)
