"""Fresh rows: their labels as a frozen model calls them, and the probability of each label."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from novikoff.errors import InputError
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.protocols import ProbabilisticHypothesis
from novikoff.learners.row_hypothesis import RowHypothesis
from novikoff.learners.unknown_features import UnknownFeatures
from novikoff.playing.decision_thresholds import check_probable, checked_threshold, decided
from novikoff.playing.ledger import counted
from novikoff.playing.options import refuse_unlearned
from novikoff.playing.run import Run
from novikoff.streams import Stream
from novikoff.streams.files.headers import check_columns
from novikoff.streams.labels.declared import is_missing, plain
from novikoff.types import FloatArray, Label, PerRound

_NAMED = 5  # labels, in an error


class Told(NamedTuple):
    """What decides how predictions and labels are called."""

    threshold: float | None
    """The probability from which on the positive label is given; None for the model's own."""
    among_rest: Callable[[Label], bool]
    """Which labels the model calls ``not X``."""

    def called(self, labels: PerRound, spoken: tuple[Label, ...]) -> list[Label | None]:
        """Return labels as the model calls them; None for rows without one."""
        found = labels.tolist() if isinstance(labels, np.ndarray) else [*map(plain, labels)]
        met = set(found)
        if any(is_missing(label) for label in met):
            found = [None if is_missing(label) else label for label in found]
        rest = {label for label in met if not is_missing(label) and self.among_rest(label)}
        return [spoken[0] if label in rest else label for label in found] if rest else found


def rest_of(model: Run | Hypothesis, labels: tuple[Label, ...]) -> Callable[[Label], bool]:
    """Return which labels the model calls ``not X``, as it does with several others."""
    if len(labels) != 2 or labels[0] != f"not {labels[1]}":
        return lambda label: False
    closed = model.labels.allowed if isinstance(model, Run) else ()
    return lambda label: label != labels[1] and (not closed or label in closed)


def refuse_unknown(
    model: Run | Hypothesis, counts: Mapping[Label, int], spoken: tuple[Label, ...], name: str
) -> None:
    """Refuse labels that the model cannot predict: whether it is right about them is unknown.

    A label that was declared is known, even if no round had it.
    """
    declared = model.labels.allowed if isinstance(model, Run) else ()
    unknown = {y: rows for y, rows in counts.items() if y not in {*spoken, *declared}}
    if not spoken or not unknown:
        return
    order = sorted(unknown, key=lambda label: (-unknown[label], str(label)))
    got, known = _few(order), _few([*dict.fromkeys((*spoken, *declared))])
    rows = counted(sum(unknown.values()), "row")
    raise InputError(
        f"{name}: expected the labels of the model, {known}, got {rows} with other labels: {got}. "
        "A test bounds the error on labels that the model can give; only novikoff predict counts "
        "the others as mistakes. Write the labels as the model does, leave these rows out, or "
        "learn a model that knows them."
    )


def _few(labels: list[Label]) -> str:
    """Return the first few labels, and how many more there are."""
    more = f" and {len(labels) - _NAMED:,} more" if len(labels) > _NAMED else ""
    return ", ".join(map(repr, labels[:_NAMED])) + more


def label_table(h: ProbabilisticHypothesis, rows: object) -> tuple[tuple[Label, ...], FloatArray]:
    """Return the labels, and how likely each is: one row per x, one column per label.

    Of two labels the first has 1 − P(second).
    """
    found = h.probabilities(rows)
    table = np.column_stack([1 - found, found]) if found.ndim == 1 else found
    usual = (-1, 1) if found.ndim == 1 else tuple(range(table.shape[1]))
    return h.labels or usual, table


class JudgedRows(NamedTuple):
    """Some fresh rows: what they are, what the model said, and how likely it called each label."""

    labels: list[Label]
    predictions: list[Label]
    spoken: tuple[Label, ...]
    """The labels that the model can predict; each has a column in the table, if there is one."""
    table: FloatArray | None
    """None if the model gives no probabilities."""

    def likelihoods(self) -> FloatArray:
        """Return P(y) for the label y of each row; 0 for one that the model does not know."""
        assert self.table is not None
        column = {label: k for k, label in enumerate(self.spoken)}
        places = np.array([column.get(label, -1) for label in self.labels], np.intp)
        taken = self.table[np.arange(len(places)), places]
        return np.where(places < 0, 0.0, taken)

    def outcomes(self) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        """Return probabilities, and whether they came true.

        Of two labels the second, the positive one, counts; of many the likeliest.
        """
        assert self.table is not None
        rows = len(self.labels)
        named = np.full(rows, 1) if len(self.spoken) == 2 else self.table.argmax(axis=1)
        came = [y == self.spoken[k] for y, k in zip(self.labels, named.tolist(), strict=True)]
        return self.table[np.arange(rows), named], np.array(came, bool)


def judged(
    model: Run | Hypothesis,
    stream: Stream,
    threshold: float | None = None,
    remarks: list[str] | None = None,
) -> Iterator[JudgedRows]:
    """Yield what a frozen model says of the rows of a stream, block by block.

    At the end, ``remarks`` gets what the model does not know of them.
    """
    h = frozen(model)
    unknown = UnknownFeatures(h)
    told = Told(threshold_of_model(model, h, threshold), rest_of(model, h.labels))
    stream.number_like(h.columns)
    for rows, labels, *_ in unknown.watching(stream):
        if h.columns is not None and stream.feature_names is not None:
            check_columns(h.columns, stream.feature_names, stream.name)
        named = [label for label in told.called(labels, h.labels) if label is not None]
        if len(named) < len(rows):
            raise InputError(
                f"{stream.name}: expected a label for every row, got one without. Test on rows "
                "whose labels are known."
            )
        found = decided(h, rows, told.threshold)
        if found.dtype.kind == "f" and not h.labels:
            raise InputError(
                f"test: expected a model that predicts labels, got {type(h).__name__}, which "
                "predicts numbers. Compare its predictions with the labels: model.predict(X)."
            )
        predictions = [*map(plain, found.tolist())]
        if isinstance(h, ProbabilisticHypothesis):
            yield JudgedRows(named, predictions, *label_table(h, rows))
        else:
            yield JudgedRows(named, predictions, h.labels or _unnamed(h), None)
    if remarks is not None:
        remarks += unknown.remarks


def _unnamed(h: Hypothesis) -> tuple[Label, ...]:
    """Return what a hypothesis without labels and probabilities predicts; () if that is open."""
    return (-1, 1) if isinstance(h, RowHypothesis) and not h.multiclass else ()


def frozen(model: Run | Hypothesis) -> Hypothesis:
    """Return what predicts; refuse a run that has not learned anything."""
    if isinstance(model, Hypothesis):
        return model
    refuse_unlearned(model.ledger.rounds, model.ledger.began_fresh)
    return model.hypothesis()


def threshold_of_model(model: Run | Hypothesis, h: Hypothesis, asked: float | None) -> float | None:
    """Return the probability from which on the positive label is given: asked for, or saved."""
    if asked is None:
        return model.threshold if isinstance(model, Run) else None
    check_probable(h)
    return checked_threshold(asked)
