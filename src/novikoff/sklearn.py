"""scikit-learn estimators: each wraps a run in scikit-learn's protocol.

Importing this module needs scikit-learn 1.6 or later; importing novikoff does not.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from novikoff.errors import InputError, parameter
from novikoff.learners import (
    AveragedPerceptron,
    BalancedMinnow,
    Halfspace,
    Hypothesis,
    Learner,
    Multiclass,
    MulticlassPerceptron,
    Perceptron,
    Vote,
    VotedPerceptron,
)
from novikoff.learners.feature_learner import Ties
from novikoff.playing.run import Run
from novikoff.streams import ArrayStream
from novikoff.types import AnyArray, FloatArray, Label

__all__ = [
    "AveragedPerceptronClassifier",
    "MinnowClassifier",
    "PerceptronClassifier",
    "VotedPerceptronClassifier",
]

ClassWeight = Mapping[Label, float] | Literal["balanced"] | None


class _Classifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """The protocol; a subclass names its parameters and makes its learner.

    Two classes make one run, with classes_[1] as +1. More make one run of a multiclass learner, or
    one run per class, against the rest.
    """

    bias: float | None
    max_passes: int
    class_weight: ClassWeight

    classes_: AnyArray
    run_: Any  # a Run, or a list with one run per class
    n_iter_: int
    converged_: bool
    _frozen: list[tuple[list[int], list[Hypothesis]]]

    @abstractmethod
    def _learner(self, classes: int) -> Learner:
        """Return a fresh learner, multiclass or not, for data with this many classes."""

    def fit(self, X: object, y: object, sample_weight: object = None) -> Self:
        """Play the rows in their order, from a fresh learner, until a pass makes no mistake.

        Shuffle rows first if they are sorted by class. If no pass is clean, it makes ``max_passes``
        passes; ``converged_`` is then False, without a warning. A sample weight scales its row's
        update: a row of weight 0 is predicted and may be a mistake, but the learner never learns
        from it.
        """
        rows, labels = validate_data(self, X, y, accept_sparse="csr", reset=True)
        check_classification_targets(labels)
        source = ArrayStream(rows, labels, weights=sample_weight)
        if source.weights is not None and not source.weights.any():
            raise InputError(
                "sample_weight: expected at least one that is not 0, got only zero weights. "
                "Nothing would be learned."
            )
        classes, codes = np.unique(labels, return_inverse=True)
        weights = self.class_weight
        if isinstance(weights, str) and weights == "balanced":
            weights = _balanced(classes, codes, source.weights)
        runs = self._new_runs(classes, weights)
        for run in runs:
            run.play(source, until_clean=True, max_passes=self.max_passes)
        self._keep(classes, runs)
        self.n_iter_ = max(run.ledger.passes for run in runs)
        self.converged_ = all(run.converged for run in runs)
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
        rows, labels = validate_data(self, X, y, accept_sparse="csr", reset=first)
        strangers = set(labels.tolist()).difference(named.tolist())
        if strangers:
            raise InputError(
                f"y: expected the classes {named.tolist()}, got {min(strangers, key=repr)!r}. "
                "Name all classes in the first call."
            )
        runs = self._new_runs(named, self.class_weight) if first else self._runs
        source = ArrayStream(rows, labels, weights=sample_weight)
        before = sum(run.mistakes for run in runs)
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
        self.converged_ = sum(run.mistakes for run in runs) == before
        return self

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

    def _new_runs(self, classes: AnyArray, weights: Any) -> list[Run]:
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
            return [Run(learner, class_weights=weights)]
        if count == 2:
            return [Run(learner, labels=labels, class_weights=weights)]
        return [
            Run(self._learner(count), positive=label, class_weights=weights) for label in labels
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


class PerceptronClassifier(_Classifier):
    """w ← w + y x on a mistake, from w = 0   (rosenblatt1958; novikoff1962, Thm 1).

    More than two classes make one run of the multiclass perceptron, w_y ← w_y + x and w_ŷ ← w_ŷ − x
    (crammer2003, Fig. 1), whose ties go to the class seen first. ``bias`` is the value of a
    constant feature, or None for none. With two classes, a score of 0 predicts the second,
    classes_[1]; with ``ties="mistake"`` it is always a mistake while learning.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PerceptronClassifier().fit(X, y == 0)
    >>> model.converged_, model.n_iter_, model.ledger_.mistakes, model.score(X, y == 0)
    (True, 4, 5, 1.0)
    """

    def __init__(
        self,
        *,
        bias: float | None = 1.0,
        max_passes: int = 100,
        class_weight: ClassWeight = None,
        ties: Ties = "positive",
    ) -> None:
        self.bias = bias
        self.max_passes = max_passes
        self.class_weight = class_weight
        self.ties = ties

    def _learner(self, classes: int) -> Learner:
        binary = Perceptron(self.ties, self.bias)
        return binary if classes == 2 else MulticlassPerceptron(self.bias)


class AveragedPerceptronClassifier(_Classifier):
    """w̄ = (1/T) Σ_t w_{t+1}, the mean of the perceptron's weights   (freund1999; collins2002).

    It plays and stops as the perceptron does, with the same parameters, and predicts with w̄. That
    is steadier than the last w if no w is right on every row; if the last w is, w̄ need not be.
    More than two classes make one run per class, against the rest.

    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = AveragedPerceptronClassifier().fit((X - X.mean(0)) / X.std(0), y)
    >>> model.coef_.shape, [ledger.mistakes for ledger in model.ledger_]
    ((3, 13), [19, 58, 23])
    """

    def __init__(
        self,
        *,
        bias: float | None = 1.0,
        max_passes: int = 100,
        class_weight: ClassWeight = None,
        ties: Ties = "positive",
    ) -> None:
        self.bias = bias
        self.max_passes = max_passes
        self.class_weight = class_weight
        self.ties = ties

    def _learner(self, classes: int) -> Learner:
        return AveragedPerceptron(self.ties, self.bias)


class VotedPerceptronClassifier(_Classifier):
    """h(x) = sgn Σ_k c_k sgn(w_k·x), c_k the rounds that w_k survived   (freund1999, Fig. 1).

    It plays as the perceptron does, with the same parameters. Memory and the time of a prediction
    grow with the mistakes, hence ``max_passes=10``; with ``max_voters`` only that many of the
    latest vote. ``decision_function`` is the balance of the votes, from −1 to +1, so that runs of
    different lengths compare: more than two classes make one run per class, against the rest. There
    is no ``coef_``.

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(0)) / X.std(0)
    >>> model = VotedPerceptronClassifier().fit(X[:400], y[:400])
    >>> round(model.score(X[400:], y[400:]), 3), model.decision_function(X[455:457]).round(2)
    (0.976, array([-0.4 ,  0.64]))
    """

    def __init__(
        self,
        *,
        bias: float | None = 1.0,
        max_passes: int = 10,
        class_weight: ClassWeight = None,
        ties: Ties = "positive",
        max_voters: int | None = None,
    ) -> None:
        self.bias = bias
        self.max_passes = max_passes
        self.class_weight = class_weight
        self.ties = ties
        self.max_voters = max_voters

    def _learner(self, classes: int) -> Learner:
        return VotedPerceptron(self.ties, self.bias, self.max_voters)

    def _scores(self, hypothesis: Hypothesis, X: AnyArray) -> FloatArray:
        assert isinstance(hypothesis, Vote)
        return np.asarray(hypothesis.scores(X) / hypothesis.counts.sum())


class MinnowClassifier(_Classifier):
    """w_j ← w_j e^{η y x_j}/Z on a mistake, from w_j = 1/2d, on (x, −x)   (kivinen1997, EG±).

    Its mistakes grow with the logarithm of the number of features, so it suits data with many
    features of which few matter. The best ``eta`` is artanh(g)/R for values up to R and a margin of
    g·R (``BalancedMinnow.for_margin``); 0.1 is the best for values up to 1 and a margin of a tenth.
    Scale the features to about that size: if eta times a value is too large, all weight ends up on
    one feature. More than two classes make one run per class, against the rest.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).choice([-1.0, 1.0], (500, 200))
    >>> y = np.where(X[:, 3] + X[:, 5] + X[:, 8] > 0, "yes", "no")
    >>> model = MinnowClassifier().fit(X, y)
    >>> np.sort(np.argsort(-np.abs(model.coef_[0]))[:3]).tolist(), model.converged_
    ([3, 5, 8], True)
    >>> model.ledger_.mistakes, PerceptronClassifier().fit(X, y).ledger_.mistakes
    (95, 249)
    """

    def __init__(
        self,
        *,
        bias: float | None = 1.0,
        max_passes: int = 100,
        class_weight: ClassWeight = None,
        eta: float = 0.1,
    ) -> None:
        self.bias = bias
        self.max_passes = max_passes
        self.class_weight = class_weight
        self.eta = eta

    def _learner(self, classes: int) -> Learner:
        return BalancedMinnow(self.eta, self.bias)


def _weights(hypothesis: Hypothesis) -> Halfspace | Multiclass:
    """Return the hypothesis if it has weights; scikit-learn asks whether there are any."""
    if not isinstance(hypothesis, (Halfspace, Multiclass)):
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
