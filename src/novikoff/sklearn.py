"""scikit-learn estimators: each wraps a run in scikit-learn's protocol.

Importing this module needs scikit-learn 1.6 or later; importing novikoff does not.
"""

from abc import ABC

import numpy as np

from novikoff.adapters.estimator import ClassWeight, Estimator
from novikoff.adapters.loss_estimator import LossEstimator
from novikoff.learners import (
    AdaptiveGradient,
    AveragedPerceptron,
    BalancedMinnow,
    Blend,
    Hypothesis,
    Learner,
    MulticlassPerceptron,
    Perceptron,
    Vote,
    VotedPerceptron,
)
from novikoff.learners.feature_learner import Ties
from novikoff.learners.losses.logistic_learner import Loss
from novikoff.playing.run import Run
from novikoff.streams import ArrayStream
from novikoff.types import AnyArray, FloatArray

__all__ = [
    "AdaptiveGradientClassifier",
    "AveragedPerceptronClassifier",
    "BlendClassifier",
    "MinnowClassifier",
    "PerceptronClassifier",
    "VotedPerceptronClassifier",
]


class _Conservative(Estimator, ABC):
    """An estimator that learns from mistakes only: ``fit`` ends with the first pass without one.

    If no pass is clean, it makes ``max_passes`` passes.
    """

    max_passes: int

    def _play(self, run: Run, source: ArrayStream) -> None:
        run.play(source, until_clean=True, max_passes=self.max_passes)


class BlendClassifier(LossEstimator):
    """The default learner: mixes learners that need no tuning and no scaler.

    P(+1 | x) = Σ_k π_k p_k(x); then π_k ∝ π_k p_k(y), and all share 1/(t + 2)   (herbster1998).

    The members learn probabilities by their log loss, and those that predict well get more weight.
    ``fit`` makes ``passes`` passes; one is what the theorems are about. More than two classes make
    one run of ``ClassBlend``, which gives each class its probability. Weights of rows and classes
    scale losses. They need a largest weight, ``max_weight``: ``fit`` finds it, and before weights
    can be given to ``partial_fit`` you declare it.

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BlendClassifier().fit(X[:400], y[:400])
    >>> model.predict_proba(X[400:402]).round(1).tolist(), model.score(X[400:], y[400:]) > 0.93
    ([[1.0, 0.0], [0.0, 1.0]], True)
    """

    def __init__(
        self,
        *,
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        max_weight: float | None = None,
    ) -> None:
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.max_weight = max_weight

    def _learner(self, classes: int) -> Learner:
        return Blend(bias=self.bias)


class AdaptiveGradientClassifier(LossEstimator):
    """Gives probabilities, and takes columns on any scale, by gradient steps that suit each.

    w_i = −Σ g x_i / λ_i with λ_i = m_i √(Σ (g x_i)² + m_i²)/rate   (duchi2011).

    The probabilities are 1/(1 + e^{−w·x}), learned by their log loss from every row. ``fit`` makes
    ``passes`` passes; one is what the theorems are about. More than two classes make one run per
    class, against the rest, whose probabilities are divided by their sum. Weights of rows and
    classes scale losses. They need a largest weight, ``max_weight``: ``fit`` finds it, and before
    weights can be given to ``partial_fit`` you declare it.

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaptiveGradientClassifier().fit(X[:400], y[:400])
    >>> model.predict_proba(X[400:402]).round(2).tolist()
    [[0.92, 0.08], [0.05, 0.95]]
    >>> round(model.score(X[400:], y[400:]), 3), round(model.ledger_.mean_loss, 3)
    (0.947, 0.319)
    """

    def __init__(
        self,
        *,
        rate: float = 1.0,
        loss: Loss = "logistic",
        bias: float | None = 1.0,
        passes: int = 1,
        class_weight: ClassWeight = None,
        max_weight: float | None = None,
    ) -> None:
        self.rate = rate
        self.loss = loss
        self.bias = bias
        self.passes = passes
        self.class_weight = class_weight
        self.max_weight = max_weight

    def _learner(self, classes: int) -> Learner:
        return AdaptiveGradient(self.rate, self.loss, self.bias)


class PerceptronClassifier(_Conservative):
    """The classic linear learner: after each mistake it adds the row, or subtracts it.

    w ← w + y x on a mistake, from w = 0   (rosenblatt1958; novikoff1962, Thm 1).

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


class AveragedPerceptronClassifier(_Conservative):
    """Learns as the perceptron does, and predicts with the mean of its weights.

    w̄ = (1/T) Σ_t w_{t+1}, the mean of the perceptron's weights   (freund1999; collins2002).

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


class VotedPerceptronClassifier(_Conservative):
    """Learns as the perceptron does, and lets all of its weights vote.

    h(x) = sgn Σ_k c_k sgn(w_k·x), c_k the rounds that w_k survived   (freund1999, Fig. 1).

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


class MinnowClassifier(_Conservative):
    """Multiplies weights where the perceptron adds: for many features of which few matter.

    w_j ← w_j e^{η y x_j}/Z on a mistake, from w_j = 1/2d, on (x, −x)   (kivinen1997, EG±).

    Its mistakes grow with the logarithm of the number of features. The best ``eta`` is artanh(g)/R
    for values up to R and a margin of g·R (``BalancedMinnow.for_margin``); 0.1 is the best for
    values up to 1 and a margin of a tenth. Scale the features to about that size: if eta times a
    value is too large, all weight ends up on one feature. More than two classes make one run per
    class, against the rest.

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
