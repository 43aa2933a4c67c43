"""The base of estimators: a run behind scikit-learn's protocol."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.extras import missing
from novikoff.learners import Halfspace, Hypothesis, Learner, LogisticHypothesis, Multiclass
from novikoff.learners.protocols import takes_labels
from novikoff.playing.ledger_parts import tally_of
from novikoff.playing.run import Run
from novikoff.streams import ArrayStream
from novikoff.types import AnyArray, FloatArray, Label

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError:
    raise missing("sklearn", "novikoff.sklearn") from None

ClassWeight = Mapping[Label, float] | Literal["balanced"] | None


class Estimator(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """The protocol; a subclass names its parameters and makes its learner.

    Two classes make one run, with classes_[1] as +1. More make one run of a learner that takes
    them, or one run per class, against the rest.
    """

    class_weight: ClassWeight = None

    classes_: AnyArray
    run_: Any  # a Run, or a list with one run per class
    n_iter_: int
    n_features_in_: int
    converged_: bool
    _frozen: list[tuple[list[int], list[Hypothesis]]]

    @abstractmethod
    def _learner(self, classes: int) -> Learner:
        """Return a fresh learner, multiclass or not, for data with this many classes."""

    @abstractmethod
    def _play(self, run: Run, source: ArrayStream) -> None:
        """Play the rows as often as ``fit`` does."""

    def _largest(self, weights: FloatArray | None) -> float | None:
        """Return the largest weight of a row, for learners that have to know it; None for none."""
        return None

    def fit(self, X: object, y: object, sample_weight: object = None) -> Self:
        """Play the rows in their order, from a fresh learner.

        Shuffle rows first if they are sorted by class. ``converged_`` says whether the last pass
        made no mistake; there is no warning if it did. A sample weight scales its row's update: a
        row of weight 0 is predicted and may be a mistake, but the learner never learns from it.
        """
        rows, labels = validate_data(self, X, y, accept_sparse="csr", reset=True)
        check_classification_targets(labels)
        source = _stream(rows, labels, sample_weight)
        if source.weights is not None and not source.weights.any():
            raise InputError(
                "sample_weight: expected at least one that is not 0, got only zero weights. "
                "Nothing would be learned."
            )
        classes, codes = np.unique(labels, return_inverse=True)
        weights = self.class_weight
        if isinstance(weights, str) and weights == "balanced":
            weights = _balanced(classes, codes, source.weights)
        most = self._largest(_row_weights(classes, codes, weights, source.weights))
        runs = self._new_runs(classes, weights, most)
        for run in runs:
            self._play(run, source)
        self._keep(classes, runs)
        self.n_iter_ = max(run.ledger.passes for run in runs)
        self.converged_ = all(_is_clean(run, len(codes)) for run in runs)
        return self

    def partial_fit(
        self, X: object, y: object, classes: object = None, sample_weight: object = None
    ) -> Self:
        """Play the rows once, continuing the run; the first call names all classes.

        The run is the same whether the rows come in one call or in many. ``n_iter_`` is 1 and
        ``converged_`` says whether these rows were played without a mistake.
        """
        first = not hasattr(self, "run_")
        named = self._named_classes(classes, first)
        if self.class_weight == "balanced":
            raise parameter("class_weight", "None or a dict in partial_fit", "balanced")
        rows, labels = self._validated(X, y, first)
        strangers = _strangers(labels, named)
        if strangers:
            raise InputError(
                f"y: expected the classes {named.tolist()}, got {min(strangers, key=repr)!r}. "
                "Name all classes in the first call."
            )
        self._check_declared(sample_weight)
        most = self._largest(None)
        runs = self._new_runs(named, self.class_weight, most) if first else self._runs
        source = _stream(rows, labels, sample_weight)
        tallies = [tally_of(run.ledger) for run in runs]
        before = sum([tally.mistakes for tally in tallies])
        refused: InputError | None = None
        for run in runs:  # if one refuses a row, so do the others: all stay in step
            try:
                run.play(source)
            except InputError as error:
                refused = error
        self._keep(named, runs)
        if refused is not None:
            raise refused
        self.n_iter_ = 1
        self.converged_ = sum([tally.mistakes for tally in tallies]) == before
        return self

    def _validated(self, X: object, y: object, first: bool) -> tuple[AnyArray, AnyArray]:
        """Return rows and labels as scikit-learn takes them.

        Its own check takes longer than a thousand rounds. It changes nothing about arrays that are
        plainly right, so they skip it.
        """
        known = not first and not hasattr(self, "feature_names_in_")
        if (
            known
            and type(X) is np.ndarray
            and type(y) is np.ndarray
            and _are_plain(X, y, self.n_features_in_)
        ):
            return X, y
        rows, labels = validate_data(self, X, y, accept_sparse="csr", reset=first)
        return rows, labels

    def _check_declared(self, weights: object) -> None:
        """Refuse weights of rows that come chunk by chunk, if the learner needs the largest one."""

    def decision_function(self, X: object) -> FloatArray:
        """Score every row, in plain floats: one column per class, or one number for two classes.

        ``predict`` decides exactly; on a near tie the scores may round the other way.
        """
        rows = self._rows(X)
        found = self._by_class(lambda hypothesis: self._scores(hypothesis, rows))
        return found[:, 0] if len(self.classes_) == 2 else found

    def predict(self, X: object) -> AnyArray:
        """Predict the class of every row."""
        rows = self._rows(X)
        first = self._hypotheses[0]
        if first.multiclass:
            found = self._seen[first.predict(rows)]
        elif len(self.classes_) == 2:
            found = (first.predict(rows) > 0).astype(np.intp)
        else:
            scores = self._by_class(lambda hypothesis: self._scores(hypothesis, rows))
            found = scores.argmax(axis=1)
        labels: AnyArray = self.classes_[found]
        return labels

    @property
    def ledger_(self) -> Any:
        """What the run did: mistakes, their rounds, radius; a list if each class has a run."""
        ledgers = [run.ledger for run in self._runs]
        return ledgers if isinstance(self.run_, list) else ledgers[0]

    @property
    def coef_(self) -> FloatArray:
        """The weights: one row for each class, or one row for two classes. A vote has none."""
        return np.ascontiguousarray(self._by_class(lambda hypothesis: _weights(hypothesis).w).T)

    @property
    def intercept_(self) -> FloatArray:
        """The weights of the constant feature, times its value ``bias``."""
        found: FloatArray = self._by_class(_intercept)[0]
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "run_")

    def __getstate__(self) -> dict[str, object]:
        state: dict[str, object] = super().__getstate__()
        return state | {"_frozen": []} if "_frozen" in state else state

    def _rows(self, X: object) -> AnyArray:
        check_is_fitted(self)
        rows: AnyArray = validate_data(self, X, accept_sparse="csr", reset=False)
        return rows

    def _named_classes(self, classes: object, first: bool) -> AnyArray:
        """Return the classes of the run; only its first call may name them."""
        if classes is None:
            if first:
                raise parameter("classes", "all classes in the first call", None)
            return self.classes_
        named: AnyArray = np.unique(np.asarray(classes))
        if not first and not np.array_equal(named, self.classes_):
            raise parameter("classes", f"those of the run, {self.classes_.tolist()}", classes)
        return named

    def _new_runs(self, classes: AnyArray, weights: Any, most: float | None) -> list[Run]:
        count = len(classes)
        if count < 2:
            raise InputError(
                f"y: expected at least two classes, got {count} class. Add rows of another one."
            )
        labels, learner = classes.tolist(), self._learner(count)
        if isinstance(weights, Mapping):
            strangers = [label for label in weights if label not in labels]
            if strangers and any(label not in weights for label in labels):
                raise parameter("class_weight", f"weights of the classes {labels}", weights)
            weights = {label: weights[label] for label in weights if label in labels}
        if learner.multiclass:
            return [Run(learner, class_weights=weights, max_weight=most)]
        if takes_labels(learner, tuple(labels)):
            return [Run(learner, labels=labels, class_weights=weights, max_weight=most)]
        return [
            Run(self._learner(count), positive=label, class_weights=weights, max_weight=most)
            for label in labels
        ]

    def _keep(self, classes: AnyArray, runs: list[Run]) -> None:
        for run in runs:
            run.stream = None  # a fitted estimator keeps no data
        self.classes_ = classes
        self.run_ = runs if len(runs) > 1 else runs[0]
        self._frozen = []

    @property
    def _runs(self) -> list[Run]:
        return self.run_ if isinstance(self.run_, list) else [self.run_]

    @property
    def _hypotheses(self) -> list[Hypothesis]:
        """One hypothesis per run, frozen again only if the run has gone on, whoever played it."""
        rounds = [run.learner.rounds for run in self._runs]
        frozen = self._frozen
        if not frozen or frozen[0][0] != rounds:
            frozen[:] = [(rounds, [run.learner.hypothesis() for run in self._runs])]
        return frozen[0][1]

    @property
    def _seen(self) -> AnyArray:
        """The places in classes_ of a multiclass run's classes, which it numbers as they come."""
        place = {label: k for k, label in enumerate(self.classes_.tolist())}
        return np.array([place[label] for label in self.run_.labels.known])

    def _by_class(self, read: Callable[[Hypothesis], AnyArray]) -> FloatArray:
        """Read each hypothesis into a column; an unseen class has 0."""
        found = np.column_stack([read(hypothesis) for hypothesis in self._hypotheses])
        if not self._hypotheses[0].multiclass:
            return found
        columns = np.zeros((len(found), len(self.classes_)))
        columns[:, self._seen] = found
        return columns

    def _scores(self, hypothesis: Hypothesis, X: AnyArray) -> FloatArray:
        return np.asarray(hypothesis.scores(X))


def _are_plain(X: AnyArray, y: AnyArray, features: int) -> bool:
    """Say whether X is a matrix of finite floats, and y a vector of whole numbers or bools."""
    if X.shape != (*y.shape, features):
        return False
    if X.dtype.char not in "df" or y.dtype.kind not in "biu" or len(y) == 0:
        return False
    return X.dtype.isnative and X.flags.c_contiguous and _core.are_finite(X)


def _strangers(labels: AnyArray, classes: AnyArray) -> set[Label]:
    """Return the labels that are none of the classes."""
    few = labels.dtype == classes.dtype and len(classes) <= 8
    if few and np.count_nonzero(labels == classes[:, np.newaxis]) == len(labels):
        return set()  # each is one of the classes, and no class is named twice
    return set(labels.tolist()).difference(classes.tolist())


def _stream(rows: AnyArray, labels: AnyArray, sample_weight: object) -> ArrayStream:
    """Return the rounds; weights that are all 1 are no weights, even for learners without any."""
    source = ArrayStream(rows, labels, weights=sample_weight)
    if source.weights is not None and (source.weights == 1).all():
        return ArrayStream(rows, labels)
    return source


def _row_weights(
    classes: AnyArray, codes: AnyArray, by_class: Any, weights: FloatArray | None
) -> FloatArray | None:
    """Return the weight of every row: its own times that of its class; None without weights."""
    if not isinstance(by_class, Mapping):
        return weights
    found = np.array([by_class.get(label, 1.0) for label in classes.tolist()], np.float64)[codes]
    return found if weights is None else found * weights


def _is_clean(run: Run, rounds: int) -> bool:
    """Say whether the last pass, of so many rounds, made no mistake."""
    mistaken = run.ledger.mistake_rounds
    return len(mistaken) == 0 or int(mistaken[-1]) <= run.ledger.rounds - rounds


def _weights(hypothesis: Hypothesis) -> Halfspace | Multiclass | LogisticHypothesis:
    """Return the hypothesis if it has weights; scikit-learn asks whether there are any."""
    if not isinstance(hypothesis, (Halfspace, Multiclass, LogisticHypothesis)):
        raise AttributeError(
            f"coef_: expected weights, got {type(hypothesis).__name__}. Use decision_function."
        )
    return hypothesis


def _intercept(hypothesis: Hypothesis) -> FloatArray:
    h = _weights(hypothesis)
    weights = h.bias_weights if isinstance(h, Multiclass) else [h.bias_weight]
    return (h.bias or 0.0) * np.array([weights])


def _balanced(
    classes: AnyArray, codes: AnyArray, sample_weight: FloatArray | None
) -> dict[Label, float]:
    """Return n/(k n_c) for each of k classes, where n_c counts rows by their weights."""
    counts = np.bincount(codes, sample_weight, len(classes)).tolist()
    return {
        label: sum(counts) / (len(classes) * count) if count else 1.0
        for label, count in zip(classes.tolist(), counts, strict=True)
    }
