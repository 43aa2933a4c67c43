"""Certificates of predictions: anybody's, compared with the best fixed weights."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from novikoff import verifier
from novikoff.comparators.penalised import Loss, PenalisedRows
from novikoff.comparators.soft_margin import watching
from novikoff.errors import HypothesisError, InputError, Phrase, argument, as_float, parameter
from novikoff.receipts.certificates import Certificate, sealed, unsealed, with_reading
from novikoff.receipts.family import Labels, positive
from novikoff.receipts.prediction_sources import PredictionFile, predictions_of
from novikoff.receipts.reread_rounds import kept
from novikoff.receipts.rereading import Rereading, as_input_error, replayable
from novikoff.streams import ArrayBlock, Stream, as_stream
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.streams.blocks.named import NamedBlock, new_features
from novikoff.streams.labels.binary_labels import BinaryLabels
from novikoff.streams.labels.found_labels import found_labels
from novikoff.streams.labels.real_labels import RealLabels
from novikoff.types import AnyArray, FloatArray, IntArray

__all__ = ["PENALTY", "PredictionFile", "certificate_of_predictions", "certify_predictions"]

KINDS: dict[Loss, tuple[str, ...]] = {"logistic": ("probability", "score"), "squared": ("value",)}
"""What predictions can be for each loss; the first is the usual one."""
_THEOREMS = {"logistic": "fixed-weights", "squared": "fixed-weights-squared"}
_GAP = 1e-9  # of the value, which the search leaves at most
Inputs = Mapping[str, verifier.Json]
"""The fields of the evidence that are not measured."""
PENALTY = 0.01
"""The usual λ: small beside the losses unless a feature's largest value is far from the others."""


def certify_predictions(
    predictions: object,
    stream: object,
    loss: Loss = "logistic",
    kind: str | None = None,
    *,
    penalty: float = PENALTY,
    bias: float | None = 1.0,
    clip: float | None = None,
) -> Certificate:
    """Certify that predictions lose at most B more than the best fixed weights would have lost.

    The predictions may come from any program, in the order of the rows: numbers, a file with one
    on each line, or dicts of probabilities by label. With ``kind`` "probability" they are
    probabilities of the positive label, with "score" they are s for 1/(1 + e^{−s}). ``clip`` moves
    probabilities into [ε, 1 − ε], so that a 0 or a 1 that is wrong does not cost infinitely much.
    With ``loss`` "squared", labels and predictions are real numbers.

    The fixed weights have a constant feature, ``bias``, and pay ½Σ λ_i u_i² with
    λ_i = penalty·max_t x_{t,i}². Nothing is replayed, so nobody can tell from the certificate
    whether a prediction was made before its label was known.

    >>> import novikoff as nv
    >>> rounds = nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [1, -1] * 3)
    >>> certificate = nv.certify_predictions([0.5, 0.5, 0.6, 0.3, 0.7, 0.2], rounds)
    >>> nv.verify(certificate, rounds, predictions=[0.5, 0.5, 0.6, 0.3, 0.7, 0.2]).verified
    True
    """
    evidence = _evidence(_kind(loss, kind), penalty, bias, clip)
    rounds = kept(replayable(as_stream(stream)))
    names = RealLabels() if loss == "squared" else _labels(rounds)
    blocks = list(_blocks(rounds, names))
    labels = {"real": True} if isinstance(names, RealLabels) else positive(names.pair[-1])
    given = _read(_THEOREMS[loss], predictions, rounds, labels, evidence)
    evidence["w"] = _best(blocks, loss, float(penalty), bias or 0.0)
    return _certified(_THEOREMS[loss], evidence, given, rounds)


def certificate_of_predictions(
    theorem: str,
    given: Inputs,
    predictions: object,
    stream: Stream,
    labels: Labels,
    bound: float | None = None,
) -> Certificate:
    """Return the certificate of a theorem about predictions, given the inputs of its evidence.

    The verifier measures the rest. The bound is needed only if it is checked and not computed.
    """
    read = _read(theorem, predictions, stream, labels, given)
    return _certified(theorem, given, read, stream, bound)


class _Given(NamedTuple):
    """Predictions and their rows, as the verifier has read them."""

    predictions: verifier.Predictions
    data: verifier.AnyRounds


def _read(
    theorem: str, predictions: object, stream: Stream, labels: Labels, given: Inputs
) -> _Given:
    """Read predictions and rows, of which there must be as many."""
    with _told():
        source = predictions_of(predictions, labels.get("positive"))
        found = verifier.Predictions(source, given["kind"])
        reads = verifier.PREDICTION_CLAIMS[theorem].reads
        data = reads(Rereading(stream), labels, given.get("bias"))
    if found.count != data.count:
        raise InputError(
            where="predictions",
            expected=f"{data.count}, one for each row",
            got=str(found.count),
            remedy="Write one prediction for each row, in the same order.",
        )
    return _Given(found, data)


def _certified(
    theorem: str, inputs: Inputs, given: _Given, stream: Stream, bound: float | None = None
) -> Certificate:
    """Measure predictions, and write what was found."""
    evidence = {**inputs, "predictions": given.predictions.digest}
    try:
        with _told():
            measured = verifier.predicted(theorem, evidence, bound, given.data, given.predictions)
    except verifier.Refused as refusal:
        got, clipped, _ = str(refusal).partition(": state a clip")
        clip = Phrase("Clip probabilities with ", argument("clip"), ", say at 1e-6.")
        raise HypothesisError(
            where="predictions",
            expected="numbers that a certificate can hold",
            got=got,
            remedy=clip if clipped else "Rescale the features or the predictions.",
        ) from None
    content = unsealed(theorem, evidence | measured.facts)
    content |= {"data": given.data.about | {"passes": None}, "bound": measured.bound}
    return with_reading(sealed(content), stream)


def _kind(loss: Loss, kind: str | None) -> str:
    """Return what the predictions are."""
    if loss not in KINDS:
        raise parameter("loss", " or ".join(KINDS), loss)
    if kind is not None and kind not in KINDS[loss]:
        raise parameter("kind", " or ".join(KINDS[loss]), kind)
    return kind or KINDS[loss][0]


def _evidence(
    kind: str, penalty: float, bias: float | None, clip: float | None
) -> dict[str, verifier.Json]:
    """Return what the user decides, checked."""
    if not 0 < as_float(penalty) < np.inf:
        raise parameter("penalty", "a finite number above 0", penalty)
    if bias is not None and not np.isfinite(as_float(bias)):
        raise parameter("bias", "a finite number or None", bias)
    if clip is not None and not 0 < as_float(clip) < 0.5:
        raise parameter("clip", "a number above 0 and below 0.5", clip)
    if clip is not None and kind != "probability":
        raise parameter("clip", f"None for a {kind}, which is not clipped", clip)
    clipped = None if clip is None else float(clip)
    constant = None if bias is None else float(bias)
    stated: dict[str, verifier.Json] = {} if kind == "value" else {"clip": clipped}
    return {"kind": kind, "penalty": float(penalty), "bias": constant, **stated}


def _labels(stream: Stream) -> BinaryLabels:
    """Return the map of the stream's two labels."""
    names = BinaryLabels(stream.positive)
    if stream.positive is None and (found := found_labels(stream)):
        return names.declared(found)
    return names


def _blocks(
    stream: Stream, names: BinaryLabels | RealLabels
) -> Iterator[tuple[ArrayBlock, AnyArray]]:
    """Yield rows with their labels; names of features get numbers as the verifier gives them."""
    features, before = new_features(None), 0
    for rounds in stream.blocks():
        rows = rounds.rows
        if isinstance(rows, NamedBlock):
            rows = rows.numbered(features, 0, len(rows), adopt=True)
        if not isinstance(rows, ArrayBlock):
            raise InputError("stream: expected rows of features, got something else.")
        yield rows, np.asarray(names.encode(rounds.labels, before + 1))
        before += len(rows)


@np.errstate(all="ignore")  # any weights give a bound
def _best(
    blocks: list[tuple[ArrayBlock, AnyArray]], loss: Loss, penalty: float, bias: float
) -> list[verifier.Json]:
    """Return the u that makes L(u) + ½Σ λ_i u_i² nearly least, as [index, weight] pairs.

    Columns are multiplied by powers of two, so that their largest values are near 1 and λ fits.
    """
    sizes = _largest([block for block, _ in blocks])
    rests, shifts = np.frexp(sizes)
    lambdas = np.where(sizes > 0, rests * rests * penalty, 1.0)
    scaled = [(_scaled(block, shifts), labels) for block, labels in blocks]
    rows = PenalisedRows(scaled, lambdas, loss=loss, bias=float(bias != 0), bias_lambda=penalty)
    found = rows.best(_GAP, watching(None))
    with np.errstate(over="ignore", under="ignore"):
        weights = np.append(np.ldexp(found.w, -shifts), np.float64(found.bias_weight) / (bias or 1))
    used = np.flatnonzero(np.isfinite(weights) & (weights != 0) & (np.append(sizes, bias) != 0))
    places = [*range(len(sizes)), -1]
    return [[places[j], float(weights[j])] for j in used.tolist()]


def _scaled(block: ArrayBlock, shifts: IntArray) -> ArrayBlock:
    """Return rows whose columns are divided by these powers of two."""
    if isinstance(block, DenseBlock):
        return DenseBlock(np.ldexp(block.values.astype(np.float64), -shifts[: block.columns]))
    assert isinstance(block, SparseBlock)
    starts, indices = block.starts - block.starts[0], block.indices
    within = slice(block.starts[0], block.starts[-1])
    values = np.ldexp(block.values[within].astype(np.float64), -shifts[indices[within]])
    return SparseBlock(starts, indices[within], values, block.columns)


def _largest(blocks: list[ArrayBlock]) -> FloatArray:
    """Return max_t |x_{t,i}| of every column."""
    found = np.zeros(max((block.columns for block in blocks), default=0))
    for block in blocks:
        if isinstance(block, DenseBlock):
            sizes = np.abs(block.values).max(axis=0, initial=0)
            found[: len(sizes)] = np.maximum(found[: len(sizes)], sizes)
        elif isinstance(block, SparseBlock):
            within = slice(block.starts[0], block.starts[-1])
            np.maximum.at(found, block.indices[within], np.abs(block.values[within]))
    return found


@contextmanager
def _told() -> Iterator[None]:
    """Raise what cannot be read as the caller's error."""
    try:
        yield
    except verifier.BadData as error:
        found = as_input_error(error)
        if verifier.NUMBERS["probability"] in str(error):
            found = found.with_advice(Phrase("Take scores with ", argument("kind", "score"), "."))
        raise found from None
