"""Fresh tests: how good the model is that you ship, on rows that it has not learned from."""

import math
import warnings
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from novikoff.errors import InputError, as_float, parameter
from novikoff.learners.hypothesis import Hypothesis
from novikoff.playing.run import Run
from novikoff.receipts.calibration import CalibrationBin, calibration_bins, calibration_error
from novikoff.receipts.fresh_bounds import (
    clipped_bound,
    clipped_losses,
    clopper_pearson,
    clopper_pearson_interval,
)
from novikoff.receipts.fresh_rows import judged, refuse_unknown
from novikoff.receipts.seen_rows import about_learned, learned_from
from novikoff.streams import as_stream
from novikoff.types import AnyArray, FloatArray, Label

ASSUMES = "rows are independent draws and the model was frozen before they were seen"
CLIP = 1e-6
"""A probability below it counts as it, and one above 1 − CLIP as that: losses are then bounded."""


@dataclass(frozen=True)
class FreshLoss:
    """The log loss of a frozen model on fresh rows, in natural logarithms."""

    mean: float
    """The mean of −ln P(y), with P(y) clipped to [clip, 1 − clip]."""
    bound: float
    """With probability at least 1 − δ the expected loss is at most this, however many rows."""
    steps: int
    """The bound is so many steps of 2⁻²⁰ of ln(1/clip), the largest loss."""
    clip: float
    calibration_error: float
    bins: tuple[CalibrationBin, ...]
    """All their intervals hold at once with probability at least 1 − δ."""


@dataclass(frozen=True)
class FreshTest:
    """What ``test`` found: how a frozen model did on fresh rows, and what that promises.

    Each bound holds with probability at least 1 − δ, if the rows are independent draws and the
    model was frozen before they were seen.
    """

    rows: int
    errors: int
    error_bound: float
    """The Clopper–Pearson bound on the probability of an error (``clopper_pearson``)."""
    interval: tuple[float, float]
    """Both sides of it, with δ/2 each."""
    delta: float
    confusion: tuple[tuple[Label, Label, int], ...]
    """(label, prediction, how often), by label."""
    majority: Label
    """The most frequent label among the rows."""
    majority_error: float
    """How often always guessing it is wrong."""
    entropy: float
    """The mean log loss of always giving each label its frequency among the rows."""
    loss: FreshLoss | None
    """None if the model gives no probabilities."""
    remarks: tuple[str, ...] = ()
    """What the model does not know of the rows, or knows too well, in words."""
    learned_from: tuple[str, ...] = ()
    """The files of the rows, or their stream, that the model has learned from. If there are some,
    the bounds promise nothing."""

    @property
    def error_rate(self) -> float:
        """The share of the rows on which the model is wrong."""
        return self.errors / self.rows

    @property
    def assumes(self) -> str:
        """What the bounds assume and nobody can check."""
        return ASSUMES

    @property
    def beats_baseline(self) -> bool:
        """Whether it errs less often than always guessing the majority, and has a lower loss."""
        likely = self.loss is None or self.loss.mean < self.entropy
        return self.error_rate < self.majority_error and likely

    def __repr__(self) -> str:
        most = math.ceil(self.error_bound * 1e4) / 1e4
        sure = f"at most {most:.2%} with probability {1 - self.delta:g}"
        told = "not all new to the model" if self.learned_from else sure
        return f"FreshTest({self.error_rate:.2%} of {self.rows:,} rows wrong, {told})"


def test(
    model: Run | Hypothesis,
    stream: object,
    *,
    delta: float = 0.05,
    clip: float = CLIP,
    threshold: float | None = None,
) -> FreshTest:
    """Test a frozen model on fresh rows: its error and its loss, each with a bound.

    The model is a run, which is tested as it would be saved now, or a hypothesis. It does not
    learn. Every row counts once, whatever its weight. Labels that the model does not know are
    refused. ``threshold`` decides on the positive label, as for ``predict``. A warning says so if
    the run has learned from the same stream or files.

    >>> import novikoff as nv, numpy as np
    >>> X = np.random.default_rng(0).standard_normal((3000, 4))
    >>> y = np.where(X[:, 0] >= 0, "warm", "cold")
    >>> run = nv.play(nv.Blend(), nv.stream(X[:1000], y[:1000]))
    >>> found = nv.test(run, nv.stream(X[1000:], y[1000:]))
    >>> found
    FreshTest(0.10% of 2,000 rows wrong, at most 0.32% with probability 0.95)
    >>> round(found.loss.mean, 4), round(found.loss.bound, 4), round(found.entropy, 4)
    (0.0178, 0.0587, 0.6931)
    """
    found = tested(model, stream, delta=delta, clip=clip, threshold=threshold)
    for remark in found.remarks:
        warnings.warn(f"{remark[0].upper()}{remark[1:]}", UserWarning, stacklevel=2)
    return found


def tested(
    model: Run | Hypothesis,
    stream: object,
    *,
    delta: float = 0.05,
    clip: float = CLIP,
    threshold: float | None = None,
) -> FreshTest:
    """Test a frozen model as ``test`` does, without warnings."""
    if not isinstance(model, (Run, Hypothesis)):
        raise parameter("model", "a Run or a Hypothesis", model)
    if not 0 < as_float(delta) < 1:
        raise parameter("delta", "a number between 0 and 1", delta)
    if not 0 < as_float(clip) < 0.5:
        raise parameter("clip", "a number above 0 and below ½", clip)
    source, counts = as_stream(stream), Counter[tuple[Label, Label]]()
    likely: list[FloatArray] = []
    outcomes: list[tuple[FloatArray, AnyArray]] = []
    spoken: tuple[Label, ...] = ()
    old = learned_from(model, source)
    remarks = about_learned(old, source)
    for one in judged(model, source, threshold, remarks):
        spoken = one.spoken
        counts.update(zip(one.labels, one.predictions, strict=True))
        if one.table is not None:
            likely.append(one.likelihoods())
            outcomes.append(one.outcomes())
    if not counts:
        raise InputError(f"{source.name}: expected rows, got none. There is nothing to test on.")
    refuse_unknown(model, _labels(counts), spoken, source.name)
    loss = _loss(likely, outcomes, float(delta), float(clip)) if likely else None
    found = _found(counts, float(delta), loss)
    return replace(found, remarks=tuple(remarks), learned_from=old)


def _labels(counts: Counter[tuple[Label, Label]]) -> Counter[Label]:
    """Return how many rows each label has."""
    labels = Counter[Label]()
    for (label, _), count in counts.items():
        labels[label] += count
    return labels


def _found(counts: Counter[tuple[Label, Label]], delta: float, loss: FreshLoss | None) -> FreshTest:
    """Return the record of these counts."""
    rows = counts.total()
    errors = sum(count for (y, p), count in counts.items() if y != p)
    labels = _labels(counts)
    majority = min(labels, key=lambda label: (-labels[label], str(label)))
    shares = [count / rows for count in labels.values()]
    order = sorted(counts, key=lambda pair: (str(pair[0]), str(pair[1])))
    return FreshTest(
        rows,
        errors,
        clopper_pearson(errors, rows, delta),
        clopper_pearson_interval(errors, rows, delta),
        delta,
        tuple((*pair, counts[pair]) for pair in order),
        majority,
        (rows - labels[majority]) / rows,
        math.fsum(-share * math.log(share) for share in shares),
        loss,
    )


@np.errstate(all="ignore")  # the bounds are rounded upward
def _loss(
    likely: list[FloatArray],
    outcomes: list[tuple[FloatArray, AnyArray]],
    delta: float,
    clip: float,
) -> FreshLoss:
    """Return the log loss of clipped probabilities, its bound, and how calibrated they are."""
    all_likely = np.concatenate(likely)
    steps, bound = clipped_bound(all_likely, clip, delta)
    losses = clipped_losses(all_likely, clip)
    chances, came = (np.concatenate(parts) for parts in zip(*outcomes, strict=True))
    return FreshLoss(
        math.fsum(losses) / len(losses),
        bound,
        steps,
        clip,
        calibration_error(chances, came),
        calibration_bins(chances, came, delta),
    )
