"""Certificates of a test: what a frozen model's predictions on fresh rows say of rows to come."""

from itertools import chain
from typing import NamedTuple

import numpy as np

from novikoff import verifier
from novikoff.errors import InputError
from novikoff.learners.hypothesis import Hypothesis
from novikoff.playing.run import Run
from novikoff.receipts.certificates import Certificate, sealed
from novikoff.receipts.family import Labels, positive
from novikoff.receipts.fresh_rows import frozen, judged, threshold_of_model
from novikoff.receipts.fresh_testing import FreshTest
from novikoff.receipts.predictions import certificate_of_predictions
from novikoff.saving.storage import plain_labels
from novikoff.streams import Stream
from novikoff.types import Label


class Predicted(NamedTuple):
    """What a frozen model said of fresh rows, in the form in which a certificate takes it."""

    values: list[Label]
    """A probability of the positive label for each row, or a label."""
    threshold: float | None
    """The probability from which on the positive label is given; None if the values are labels."""
    labels: Labels
    """How the certificate names the labels."""

    @property
    def kind(self) -> str:
        """What the values are."""
        return "label" if self.threshold is None else "probability"


def predicted(model: Run | Hypothesis, stream: Stream, threshold: float | None = None) -> Predicted:
    """Return what a frozen model says of the rows of a stream.

    These are probabilities if there are two labels, and if the probabilities decide which one is
    predicted; otherwise they are labels.
    """
    h, said = frozen(model), list(judged(model, stream, threshold))
    predictions = list(chain.from_iterable(one.predictions for one in said))
    if h.multiclass:
        met = dict.fromkeys(chain.from_iterable(one.labels for one in said))
        return Predicted(predictions, None, {"classes": plain_labels(tuple(met))})
    label = h.labels[1] if h.labels else 1
    tables = [one.table[:, 1] for one in said if one.table is not None]
    cut = threshold_of_model(model, h, threshold)
    cut = 0.5 if cut is None else cut
    if tables:
        chances = np.concatenate(tables)
        if ((chances >= cut) == [one == label for one in predictions]).all():
            return Predicted(chances.tolist(), cut, positive(label))
    return Predicted(predictions, None, positive(label))


def certify_error(
    found: FreshTest, said: Predicted, predictions: object, stream: Stream
) -> Certificate:
    """Certify the Clopper–Pearson bound on the error of a model that was tested.

    ``predictions`` are the values that it said, or the file that holds them.
    """
    given = {"kind": said.kind, "threshold": said.threshold, "delta": found.delta}
    certificate = certificate_of_predictions(
        "clopper-pearson", given, predictions, stream, said.labels, found.error_bound
    )
    if certificate.observed != found.errors:
        raise InputError(
            f"predictions: expected those of the test, with {found.errors} errors, got others with "
            f"{certificate.observed}. Test again."
        )
    return certificate


def certify_loss(
    found: FreshTest, said: Predicted, predictions: object, stream: Stream
) -> Certificate | None:
    """Certify the bound on the log loss; None unless two labels have probabilities."""
    if found.loss is None or said.kind != "probability":
        return None
    loss = found.loss
    given: dict[str, verifier.Json] = {
        "kind": said.kind, "clip": loss.clip, "delta": found.delta, "steps": loss.steps,
    }  # fmt: skip
    return certificate_of_predictions("betting-mean", given, predictions, stream, said.labels)


def naming(certificate: Certificate, digest: str) -> Certificate:
    """Return the certificate with a remark that names the model by the SHA-256 of its file."""
    remarks = certificate.content.get("remarks", {})
    return sealed(certificate.content | {"remarks": {**remarks, "model": {"sha256": digest}}})
