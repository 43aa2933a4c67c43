"""River models: this library's learners behind river's ``learn_one`` and ``predict_one``.

A model refuses everything that its learner refuses, with an ``InputError``, and stays as it was: a
NaN, an infinity, a None, a feature whose name is a tuple. If a name is a number, as river's
``FeatureHasher`` and generators give it, its text counts, "417" for 417. Labels are False and True,
0 and 1, or −1 and +1, of Python or NumPy, and a model answers with those it has learned from.

There are no probabilities, and ``predict_proba_one`` refuses: a margin is not a probability. Among
river's wrappers for many classes, ``OneVsOneClassifier`` asks for labels and works;
``OneVsRestClassifier`` and ``OutputCodeClassifier`` learn, but ask for probabilities to predict.
"""

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from river import base, utils

from novikoff.errors import InputError, parameter
from novikoff.learners import (
    AveragedPerceptron,
    BalancedMinnow,
    FeatureLearner,
    MulticlassPerceptron,
    Perceptron,
    VotedPerceptron,
)
from novikoff.learners.feature_learner import Ties
from novikoff.learners.hypothesis import Hypothesis
from novikoff.playing.run import Run
from novikoff.types import Label

__all__ = [
    "AveragedPerceptronClassifier",
    "MinnowClassifier",
    "MulticlassPerceptronClassifier",
    "PerceptronClassifier",
    "VotedPerceptronClassifier",
]

Features = dict[Any, Any]
ClassWeight = Mapping[Label, float]


class _Model(base.MiniBatchClassifier):
    """The protocol: river's methods around a run; each model makes its learner."""

    run: Run
    """The learner and its ledger: ``model.run.ledger`` is the receipt."""
    _numbered = False  # whether it has learned a row in which names are numbers

    def __init__(self, learner: FeatureLearner, class_weight: ClassWeight | None = None) -> None:
        self.run = Run(learner, class_weights=_in_every_spelling(class_weight))

    def learn_one(self, x: Features, y: Label, w: float = 1.0) -> None:
        """Play the round of x and y; the weight scales the update."""
        self._play(x, y, w)

    def predict_one(self, x: Features) -> Label | None:  # type: ignore[override]  # no option is ignored
        """Predict the label of x; None if there is no label to predict."""
        if self._numbered:
            x = _with_texts(x)
        try:
            return self._named(self._code(x))
        except InputError:
            renamed = _with_texts(x)
            if renamed is x:
                raise
        return self._named(self._code(renamed))

    def predict_proba_one(self, x: Features, **_: object) -> NoReturn:
        """Refuse: a margin is not a probability."""
        raise _no_probabilities("predict_proba_one")

    def predict_proba_many(self, X: object) -> NoReturn:
        """Refuse: a margin is not a probability."""
        raise _no_probabilities("predict_proba_many")

    def predict_and_learn_one(self, x: Features, y: Label, w: float = 1.0) -> Label | None:
        """Play the round in one go; return the prediction of the current w, made before it sees y.

        The ledger counts this prediction. ``predict_one`` gives the same, unless a model predicts
        with more than the current w.
        """
        found = self._play(x, y, w)
        return found if self.run.ledger.labels else self._named(found)

    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """Learn every row of a frame in turn, exactly as ``learn_one`` does.

        w is one weight, or a series of them. Rows before a refused one stay learned.
        """
        rows, labels = _rows(X), utils.dataframe.into_series(y).to_list()
        weights = utils.dataframe.into_series(w).to_list() if hasattr(w, "__len__") else None
        for name, given in (("y", labels), ("w", weights)):
            if given is not None and len(given) != len(rows):
                raise InputError(
                    f"{name}: expected one for each of the {len(rows)} rows of X, got "
                    f"{len(given)}. Pass a series of the same length."
                )
        for t, (x, label) in enumerate(zip(rows, labels, strict=True)):
            try:
                self.learn_one(x, label, w if weights is None else weights[t])
            except InputError as error:
                raise InputError(f"row {t + 1}, {error}") from None

    def predict_many(self, X: Any) -> Any:
        """Predict the label of every row of a frame, exactly as ``predict_one`` does."""
        found = [self.predict_one(x) for x in _rows(X)]
        return utils.dataframe.to_native_series(
            found, name=None, like=utils.dataframe.into_frame(X)
        )

    def _play(self, x: Features, y: Label, w: float) -> Label | None:
        """Play a round; look at the names only if one was refused."""
        if self._numbered:
            x = _with_texts(x)
        try:
            found: Label | None = self.run.learn(x, y) if w == 1 else self.run.learn(x, y, w)
            return found
        except InputError:
            renamed = _with_texts(x)
            if renamed is x:
                raise
        found = self.run.learn(renamed, y, 1.0 if w == 1 else w)
        self._numbered = True
        return found

    def _code(self, x: Features) -> int:
        """Predict with the current w, in the learner's labels."""
        code: int = self.run.learner.predict(x)
        return code

    def _named(self, code: Any) -> Label | None:
        """Return the user's label for −1 or +1; bools until the user has shown a negative one."""
        return (self.run.ledger.labels or (False, True))[code > 0] if code else None

    @property
    def _raw_memory_usage(self) -> int:
        # River counts Python objects, but weights and the rounds of mistakes are in the core.
        core: int = self.run.learner.nbytes + self.run.ledger.mistake_rounds.nbytes
        return super()._raw_memory_usage + core


class PerceptronClassifier(_Model):
    """w ← w + y x on a mistake, from w = 0   (rosenblatt1958; novikoff1962, Thm 1).

    Predicts with the current w, so river counts the same errors as the ledger. With
    ``ties="mistake"`` a tie predicts None: the ledger counts a mistake, but river's metrics leave
    it out. ``bias`` is the value of a constant feature, or None for none; ``class_weight`` scales
    the updates by label.

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from novikoff.river import PerceptronClassifier
    >>> model = preprocessing.StandardScaler() | PerceptronClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 84.48%
    >>> model["PerceptronClassifier"].run.ledger
    Ledger(Perceptron: 1250 rounds, 194 mistakes, error rate 0.1552)
    """

    def __init__(
        self,
        ties: Ties = "positive",
        bias: float | None = 1.0,
        class_weight: ClassWeight | None = None,
    ) -> None:
        self.ties, self.bias, self.class_weight = ties, bias, class_weight
        super().__init__(Perceptron(ties, bias), class_weight)


class AveragedPerceptronClassifier(_Model):
    """w̄ = (1/T) Σ_t w_{t+1}, the mean of the perceptron's weights   (freund1999; collins2002).

    Learns as the perceptron does, and predicts with w̄, which forgets nothing: if the target
    drifts, use ``PerceptronClassifier``. The ledger counts the mistakes of w.

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from novikoff.river import AveragedPerceptronClassifier
    >>> model = preprocessing.StandardScaler() | AveragedPerceptronClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 88.64%
    """

    def __init__(
        self,
        ties: Ties = "positive",
        bias: float | None = 1.0,
        class_weight: ClassWeight | None = None,
    ) -> None:
        self.ties, self.bias, self.class_weight = ties, bias, class_weight
        super().__init__(AveragedPerceptron(ties, bias), class_weight)

    def _code(self, x: Features) -> int:
        learner = self.run.learner
        code: int = learner.predict_average(x) if learner.rounds else learner.predict(x)
        return code


class VotedPerceptronClassifier(_Model):
    """h(x) = sgn Σ_k c_k sgn(w_k·x), c_k the rounds that w_k survived   (freund1999, Fig. 1).

    Learns as the perceptron does, and predicts with the vote, which it rebuilds for the first
    prediction after a round. Memory and the cost of a prediction grow with every mistake, up to
    ``max_voters`` of them; old halfspaces vote too, so it follows a drift slowly. The ledger counts
    the mistakes of w.

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from novikoff.river import VotedPerceptronClassifier
    >>> model = preprocessing.StandardScaler() | VotedPerceptronClassifier(max_voters=100)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 88.96%
    """

    def __init__(
        self,
        ties: Ties = "positive",
        bias: float | None = 1.0,
        class_weight: ClassWeight | None = None,
        max_voters: int | None = None,
    ) -> None:
        self.ties, self.bias, self.class_weight = ties, bias, class_weight
        self.max_voters = max_voters
        super().__init__(VotedPerceptron(ties, bias, max_voters), class_weight)
        self._made: tuple[int, Hypothesis] | None = None  # its rounds, and the vote

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_made": None}

    def _code(self, x: Features) -> int:
        rounds = self.run.learner.rounds
        if rounds == 0:
            return super()._code(x)
        if self._made is None or self._made[0] != rounds:
            self._made = rounds, self.run.learner.hypothesis()
        return int(self._made[1](x))

    def _unit_test_skips(self) -> set[str]:
        # Without a budget the vote keeps the example of every mistake, by definition.
        return {"check_bounded_memory_growth"} if self.max_voters is None else set()


class MinnowClassifier(_Model):
    """w_j ← w_j e^{η y x_j}/Z on a mistake, on (x, −x)   (littlestone1988; kivinen1997, EG±).

    Predicts with the current w. Use it if few of many features matter: its mistakes grow with ln d.
    ``BalancedMinnow.for_margin`` finds the best ``eta`` for a margin.

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from novikoff.river import MinnowClassifier
    >>> model = preprocessing.StandardScaler() | MinnowClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 86.16%
    """

    def __init__(self, eta: float = 0.1, bias: float | None = 1.0) -> None:
        self.eta, self.bias = eta, bias
        super().__init__(BalancedMinnow(eta, bias))


class MulticlassPerceptronClassifier(_Model):
    """w_y ← w_y + x, w_ŷ ← w_ŷ − x on a mistake   (crammer2003, Fig. 1; collins2002).

    Labels are whatever river's streams hold, and new ones may appear at any time. Before the first
    label, the prediction is None. With ``averaged`` it predicts with the mean of its weights, which
    forgets nothing.

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from novikoff.river import MulticlassPerceptronClassifier
    >>> model = preprocessing.StandardScaler() | MulticlassPerceptronClassifier()
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 83.37%
    """

    def __init__(self, bias: float | None = 1.0, averaged: bool = False) -> None:
        self.bias, self.averaged = bias, averaged
        super().__init__(MulticlassPerceptron(bias, averaged=averaged))

    def _code(self, x: Features) -> int:
        learner = self.run.learner
        if not (self.averaged and learner.rounds):
            return super()._code(x)
        code: int = learner.predict_average(x)
        return code

    @property
    def _multiclass(self) -> bool:
        return True

    def _named(self, code: Any) -> Label | None:
        found: Label | None = self.run.labels.decode_one(code)
        return found


def _rows(X: Any) -> list[Features]:
    """Return the rows of a frame as ``learn_one`` takes them."""
    rows: list[Features] = utils.dataframe.into_frame(X).rows(named=True)
    return rows


def _with_texts(x: Features) -> Features:
    """Return the row with texts in place of names that are numbers; the row itself if none is."""
    if not (isinstance(x, dict) and any(_is_number(name) for name in x)):
        return x
    found = {str(name) if _is_number(name) else name: value for name, value in x.items()}
    if len(found) < len(x):
        twice = next(str(name) for name in x if _is_number(name) and str(name) in x)
        raise InputError(
            f"x: expected names that differ as texts, got {twice!r} as a string and as a number. "
            "Rename one of them."
        ) from None
    return found


def _is_number(name: object) -> bool:
    return type(name) is int or isinstance(name, np.integer)


def _no_probabilities(method: str) -> NotImplementedError:
    return NotImplementedError(
        f"{method}: expected a question for a label, got one for a probability; a margin is not "
        "one. Ask predict_one; count with metrics of labels (Accuracy, F1) rather than ROCAUC or "
        "LogLoss; for many classes use MulticlassPerceptronClassifier or OneVsOneClassifier; for "
        "probabilities novikoff.sklearn within scikit-learn's CalibratedClassifierCV."
    )


def _in_every_spelling(weights: ClassWeight | None) -> ClassWeight | None:
    """Return the weights of the two classes under every label that stands for one of them."""
    if weights is None:
        return None
    expected = "None or a dict with the weight of False, of True, or of both"
    if not isinstance(weights, Mapping):
        raise parameter("class_weight", expected, weights)
    found: dict[Label, float] = {}
    for label, weight in weights.items():
        if label not in (-1, 0, 1) or (label in (-1, 0) and 0 in found):
            raise parameter("class_weight", expected, weights)
        found |= {1: weight} if label == 1 else {-1: weight, 0: weight}
    return found
