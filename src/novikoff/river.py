"""River models: this library's learners behind river's ``learn_one`` and ``predict_one``.

A model refuses everything that its learner refuses, with an ``InputError``, and stays as it was: a
NaN, an infinity, a None, a feature whose name is a tuple. If a name is a number, as river's
``FeatureHasher`` and generators give it, its text counts, "417" for 417.

A model answers with the labels it has learned from: False and True, 0 and 1, or −1 and +1, of
Python or NumPy, or any other two, such as "ham" and "spam". Of those the one met first counts as
+1, and until the other is met, a model that expects it predicts None. For more than two labels
there are ``BlendClassifier(labels=[…])`` and ``MulticlassPerceptronClassifier``.

``BlendClassifier`` and ``AdaptiveGradientClassifier`` give probabilities. The others refuse
``predict_proba_one``: a margin is not a probability. Among river's wrappers for many classes,
``OneVsOneClassifier`` asks for labels and works with all of them; ``OneVsRestClassifier`` and
``OutputCodeClassifier`` ask for probabilities to predict.
"""

from collections.abc import Sequence
from typing import Any

from novikoff.adapters.river_model import ClassWeight, Features, LabelModel, LossModel
from novikoff.learners import (
    AdaptiveGradient,
    AveragedPerceptron,
    BalancedMinnow,
    Blend,
    MulticlassPerceptron,
    Perceptron,
    VotedPerceptron,
)
from novikoff.learners.feature_learner import Ties
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.losses.logistic_learner import Loss
from novikoff.types import Label

__all__ = [
    "AdaptiveGradientClassifier",
    "AveragedPerceptronClassifier",
    "BlendClassifier",
    "MinnowClassifier",
    "MulticlassPerceptronClassifier",
    "PerceptronClassifier",
    "VotedPerceptronClassifier",
]


class BlendClassifier(LossModel):
    """The default learner: mixes learners that need no tuning and no scaler.

    P(+1 | x) = Σ_k π_k p_k(x); then π_k ∝ π_k p_k(y), and all share 1/(t + 2)   (herbster1998).

    The members learn probabilities by their log loss, and those that predict well get more weight.
    ``labels`` declares all labels, (that of −1, that of +1) or more than two: then it learns many
    classes. Weights of rounds and classes need ``max_weight``, the largest.

    >>> from river import datasets, evaluate, metrics
    >>> from novikoff.river import BlendClassifier
    >>> model = BlendClassifier()
    >>> metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.LogLoss())
    >>> round(metric.get(), 2), round(model.run.ledger.mean_loss, 2)
    (0.27, 0.27)
    """

    def __init__(
        self,
        bias: float | None = 1.0,
        class_weight: ClassWeight | None = None,
        max_weight: float | None = None,
        labels: Sequence[Label] | None = None,
    ) -> None:
        self.bias, self.class_weight, self.max_weight = bias, class_weight, max_weight
        self.labels = labels
        super().__init__(Blend(bias=bias), class_weight, max_weight, labels or ())

    @property
    def _multiclass(self) -> bool:
        return bool(self.run.learner.multiclass)

    def _named(self, code: int | None) -> Label | None:
        return self.run.labels.decode_one(code) if self._multiclass else super()._named(code)


class AdaptiveGradientClassifier(LossModel):
    """Gives probabilities, and takes features on any scale, by gradient steps that suit each.

    w_i = −Σ g x_i / λ_i with λ_i = m_i √(Σ (g x_i)² + m_i²)/rate   (duchi2011).

    The probabilities are 1/(1 + e^{−w·x}), learned by their log loss. No scaler is needed. Weights
    of rounds and classes need ``max_weight``, the largest.

    >>> from river import datasets, evaluate, metrics
    >>> from novikoff.river import AdaptiveGradientClassifier
    >>> model = AdaptiveGradientClassifier()
    >>> metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.LogLoss())
    >>> round(metric.get(), 3), model.run.mistakes
    (0.32, 163)
    """

    def __init__(
        self,
        rate: float = 1.0,
        loss: Loss = "logistic",
        bias: float | None = 1.0,
        class_weight: ClassWeight | None = None,
        max_weight: float | None = None,
    ) -> None:
        self.rate, self.loss, self.bias = rate, loss, bias
        self.class_weight, self.max_weight = class_weight, max_weight
        super().__init__(AdaptiveGradient(rate, loss, bias), class_weight, max_weight)


class PerceptronClassifier(LabelModel):
    """The classic linear learner: after each mistake it adds the row, or subtracts it.

    w ← w + y x on a mistake, from w = 0   (rosenblatt1958; novikoff1962, Thm 1).

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


class AveragedPerceptronClassifier(LabelModel):
    """Learns as the perceptron does, and predicts with the mean of its weights.

    w̄ = (1/T) Σ_t w_{t+1}, the mean of the perceptron's weights   (freund1999; collins2002).

    The mean forgets nothing: if the target drifts, use ``PerceptronClassifier``. The ledger counts
    the mistakes of w.

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


class VotedPerceptronClassifier(LabelModel):
    """Learns as the perceptron does, and lets all of its weights vote.

    h(x) = sgn Σ_k c_k sgn(w_k·x), c_k the rounds that w_k survived   (freund1999, Fig. 1).

    It rebuilds the vote for the first prediction after a round. Memory and the cost of a prediction
    grow with every mistake, up to ``max_voters`` of them; old halfspaces vote too, so it follows a
    drift slowly. The ledger counts the mistakes of w.

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


class MinnowClassifier(LabelModel):
    """Multiplies weights where the perceptron adds: for many features of which few matter.

    w_j ← w_j e^{η y x_j}/Z on a mistake, on (x, −x)   (littlestone1988; kivinen1997, EG±).

    Predicts with the current w. Its mistakes grow with ln d, the logarithm of the number of
    features. ``BalancedMinnow.for_margin`` finds the best ``eta`` for a margin.

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from novikoff.river import MinnowClassifier
    >>> model = preprocessing.StandardScaler() | MinnowClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 86.16%
    """

    def __init__(self, eta: float = 0.1, bias: float | None = 1.0) -> None:
        self.eta, self.bias = eta, bias
        super().__init__(BalancedMinnow(eta, bias))


class MulticlassPerceptronClassifier(LabelModel):
    """The perceptron for more than two labels: a vector of weights per class.

    w_y ← w_y + x, w_ŷ ← w_ŷ − x on a mistake   (crammer2003, Fig. 1; collins2002).

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
