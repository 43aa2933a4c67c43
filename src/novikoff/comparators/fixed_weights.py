"""The best fixed weights for a loss on given rows, as anybody may ask for them."""

import numpy as np

from novikoff.comparators.penalised import Comparator, Loss, PenalisedRows
from novikoff.comparators.soft_margin import watching
from novikoff.errors import InputError, parameter
from novikoff.learners.hypothesis import finite_number
from novikoff.streams import ArrayBlock, BinaryLabels, NamedBlock, stream
from novikoff.streams.blocks.named import new_features
from novikoff.types import AnyArray, FloatArray, Label, PerRound

_TWO_LABELS = ("logistic", "hinge")


def best_weights(
    X: object,
    y: object,
    *,
    loss: Loss = "logistic",
    penalty: object = 1.0,
    bias: float | None = None,
    positive: Label | None = None,
) -> Comparator:
    """Find the fixed weights that fit rows best, and prove how close to the best they are.

    They are the u that makes L(u) + ½ Σ_i λ_i u_i² least. L(u) = Σ_t ℓ_t(u·x_t), with the loss
    ``logistic`` ln(1 + e^{−ys}), ``hinge`` max(0, 1 − ys), ``squared`` (y − s)² or ``absolute``
    |y − s| of a score s. The first two take two labels, the others numbers. ``bias`` folds in a
    constant feature of that value. ``penalty`` is λ: a number above 0, or one for each column, the
    constant feature's last. X, y and ``positive`` are as in ``nv.stream``.

    The answer has the weights ``w`` and ``bias_weight``, their ``loss`` and ``penalty``, and
    ``least``: no weights at all have a loss plus penalty below it.

    >>> import novikoff as nv
    >>> found = nv.best_weights([[1.0], [2.0]], [2.0, 4.0], loss="squared", penalty=10.0)
    >>> print(round(float(found.w[0]), 6), round(found.value, 6), round(found.least, 4))
    1.0 10.0 10.0
    """
    constant = 0.0 if bias is None else finite_number("bias", bias)
    rounds = _rounds(X, y, positive)
    encode = BinaryLabels(positive).encode if loss in _TWO_LABELS else _numbers
    blocks = [(block, encode(labels)) for block, labels in rounds]
    columns = max(block.columns for block, _ in blocks)
    lambdas = _lambdas(penalty, columns + (constant != 0))
    bias_lambda = float(lambdas[-1]) if constant else 1.0
    rows = PenalisedRows(
        blocks, lambdas[:columns], loss=loss, bias=constant, bias_lambda=bias_lambda
    )
    with np.errstate(all="ignore"):  # it is measured with rounding upward
        return rows.best(watch=watching(None))


def _rounds(X: object, y: object, positive: Label | None) -> list[tuple[ArrayBlock, PerRound]]:
    """Return all rows in blocks, named ones numbered, and their labels."""
    rounds = list(stream(X, y, positive=positive).blocks())
    if not sum(len(part.rows) for part in rounds):
        raise InputError("X: expected at least one row, got none. Weights need an example.")
    if not rounds[0].rows.named:
        return [(b, labels) for b, labels, *_ in rounds if isinstance(b, ArrayBlock)]
    named = NamedBlock([row for part in rounds for row in part.rows.rows])
    block = named.numbered(new_features(None), 0, len(named), adopt=True)
    if len(block) < len(named):
        raise InputError(f"row {len(block) + 1}: {named.fault(len(block))}")
    return [(block, [label for part in rounds for label in part.labels])]


def _numbers(labels: PerRound) -> FloatArray:
    """Return labels that are numbers."""
    found = np.zeros(len(labels))
    for t, label in enumerate(labels):
        if isinstance(label, (str, bytes)):
            raise InputError(f"row {t + 1}: expected a number as label, got {label!r}.")
        found[t] = finite_number("y", label)
    return found


def _lambdas(penalty: object, columns: int) -> FloatArray:
    """Return λ of every column."""
    try:
        found: AnyArray = np.asarray(penalty, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise parameter("penalty", "a number, or one for each column", penalty) from None
    if found.ndim == 0:
        found = np.full(columns, float(found))
    if found.shape != (columns,):
        raise parameter("penalty", f"a number, or {columns} of them", penalty)
    if not np.all(np.isfinite(found) & (found > 0)):
        raise parameter("penalty", "numbers above 0", penalty)
    return found
