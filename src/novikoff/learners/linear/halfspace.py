"""Halfspaces: h(x) = sgn(w·x)."""

from collections.abc import Iterable
from typing import Self

import numpy as np
import numpy.typing as npt

from novikoff import _core
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.learners.hypothesis import (
    Feature,
    State,
    all_rows,
    by_size,
    checked_labels,
    finite,
    finite_number,
)
from novikoff.learners.row_hypothesis import RowHypothesis
from novikoff.saving.contents import bias_of, number_of
from novikoff.streams import ArrayBlock, BinaryLabels
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label


class Halfspace(RowHypothesis):
    """A linear classifier: predicts by the side of a hyperplane that x lies on.

    h(x) = sgn(w·x), with sgn(0) = +1; signs are exact for the given weights.

    ``w`` holds one weight per feature; ``weights()`` and ``top()`` give them by name.
    ``bias`` is the value of a constant feature folded into x, ``bias_weight`` its weight.

    >>> h = Halfspace([2.0, -1.0])
    >>> h((1, 1)), h((1, 3)), h.scores([[1, 1], [1, 3]]).tolist()
    (1, -1, [1.0, -1.0])
    """

    def __init__(
        self,
        w: npt.ArrayLike,
        bias: float | None = None,
        bias_weight: float = 0.0,
        labels: tuple[Label, ...] = (),
        features: _core.Features | None = None,
    ) -> None:
        self.w = finite("w", w, 1)
        self.bias = None if bias is None else finite_number("bias", bias)
        self.bias_weight = finite_number("bias_weight", bias_weight)
        self.labels = checked_labels(labels, 2)
        self.features = features
        self._rule = _core.halfspace(self.bias or 0.0, self.bias_weight, self.w)

    @classmethod
    def conjunction(cls, positive: Iterable[int], negated: Iterable[int], d: int) -> Self:
        """Return the halfspace of a conjunction: every positive feature is 1, every negated one 0.

        On {0, 1}^d the score is Σ_P x_j − Σ_N x_j − |P| + ½: ½ if the conjunction is true, at
        most −½ if it is false. Without a literal it is always true. The constant feature is 1.

        >>> h = Halfspace.conjunction([0, 2], [1], d=3)
        >>> h([1, 0, 1]), h([1, 1, 1]), h([1, 0, 0])
        (1, -1, -1)
        """
        w, truths, _ = _literals(positive, negated, d)
        return cls(w, 1.0, 0.5 - truths)

    @classmethod
    def disjunction(cls, positive: Iterable[int], negated: Iterable[int], d: int) -> Self:
        """Return the halfspace of a disjunction: a positive feature is 1, or a negated one 0.

        On {0, 1}^d the score is Σ_P x_j − Σ_N x_j + |N| − ½: −½ if the disjunction is false, at
        least ½ if it is true. Without a literal it is always false. The constant feature is 1.

        >>> h = Halfspace.disjunction([0], [1], d=2)
        >>> h([0, 1]), h([1, 1]), h([0, 0])
        (-1, 1, 1)
        """
        w, _, falsehoods = _literals(positive, negated, d)
        return cls(w, 1.0, falsehoods - 0.5)

    @classmethod
    def decision_list(cls, rules: Iterable[tuple[int, int, int]], default: int, d: int) -> Self:
        """Return the halfspace of a decision list: the first rule that fires decides.

        A rule is (feature, value, label): if x_feature is the value, 0 or 1, the label is −1 or
        +1. Rule i of k weighs 2^{k−i+1}, more than all after it, and the default weighs 1: on
        {0, 1}^d |score| ≥ 1, while ‖w‖ doubles with every rule. The constant feature is 1.

        >>> h = Halfspace.decision_list([(2, 1, -1), (0, 0, +1)], default=-1, d=3)
        >>> h([0, 0, 1]), h([0, 0, 0]), h([1, 0, 0])
        (-1, 1, -1)
        """
        given = list(rules)
        weights = [0] * _dimension(d)
        constant = _sign("default", default)
        for place, rule in enumerate(given, 1):
            where = f"rules[{place - 1}]"
            if not (isinstance(rule, (tuple, list)) and len(rule) == 3 and rule[1] in (0, 1)):
                raise parameter(where, "(feature, 0 or 1, label)", rule)
            j, sign = _feature(where, rule[0], d), _sign(where, rule[2])
            power = sign << (len(given) - place + 1)
            weights[j] += power if rule[1] else -power  # [x = 0] is 1 − x
            constant += 0 if rule[1] else power
        found = [_exact(value, len(given)) for value in (*weights, constant)]
        return cls(found[:-1], 1.0, found[-1])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.w)} features, norm {self.norm:.6g})"

    @property
    def norm(self) -> float:
        """The length of the weights, ‖w‖, including the constant feature's."""
        return self._rule.norm()

    def weights(self) -> dict[Feature, float]:
        """Return {feature: weight} of the weights that are not 0.

        A feature is its name, or its number if features are numbered or hashed. The constant
        feature's weight is ``bias_weight``.
        """
        names = self._feature_names()
        return {names[j]: float(self.w[j]) for j in np.flatnonzero(self.w)}

    def top(self, count: int = 20) -> list[tuple[Feature, float]]:
        """Return the features with the largest weights, regardless of sign."""
        return by_size(self.weights(), count)

    def margins(self, X: object, y: object) -> FloatArray:
        """Return how far each row lies on its label's side: y_t (w·x_t)/‖w‖."""
        if self.norm == 0:
            raise HypothesisError("margins: expected w other than 0, got 0. Learn a mistake first.")
        several = self.labels and self.labels[0] == f"not {self.labels[1]}"
        known = BinaryLabels(self.labels[1]) if several else BinaryLabels(known=self.labels)
        signs = known.encode(y)
        scores = self.scores(X)
        if signs.shape != scores.shape:
            raise InputError(
                f"y: expected one label for each of the {len(scores)} rows of X, got "
                f"{len(signs)}. Pass labels of the same length."
            )
        margins: FloatArray = signs * scores / self.norm
        return margins

    def margin(self, X: object, y: object) -> float:
        """Return the smallest of the margins."""
        margins = self.margins(X, y)
        if margins.size == 0:
            raise InputError("X: expected at least one row, got none. A margin needs an example.")
        return float(margins.min())

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.w)

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the same halfspace with these labels, (that of −1, that of +1)."""
        return type(self)(self.w, self.bias, self.bias_weight, labels, self.features)

    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        return all_rows(block, self._rule.predict(block.native))

    def _native_scores(self, block: ArrayBlock) -> FloatArray:
        return all_rows(block, self._rule.scores(block.native))

    def _state(self) -> State:
        metadata = {"bias": self.bias, "bias_weight": self.bias_weight}
        return metadata, {"w": self.w}

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        bias, bias_weight = bias_of(metadata), number_of(metadata, "bias_weight")
        return cls(arrays["w"], bias, bias_weight, labels)


def _dimension(d: int) -> int:
    """Return a number of features."""
    whole = isinstance(d, (int, np.integer)) and not isinstance(d, bool)
    if not whole or not 0 <= d <= _core.MAX_DIMENSION:
        raise parameter("d", "a number of features", d)
    return int(d)


def _literals(
    positive: Iterable[int], negated: Iterable[int], d: int
) -> tuple[FloatArray, int, int]:
    """Return (+1 for a positive literal and −1 for a negated one, |P|, |N|)."""
    w = np.zeros(_dimension(d))
    plain = {_feature("positive", j, d) for j in positive}
    turned = {_feature("negated", j, d) for j in negated}
    w[list(plain)] += 1
    w[list(turned)] -= 1  # a feature in both weighs 0; the constant does the rest
    return w, len(plain), len(turned)


def _feature(name: str, j: object, d: int) -> int:
    if isinstance(j, (int, np.integer)) and not isinstance(j, bool) and 0 <= j < d:
        return int(j)
    raise parameter(name, f"features from 0 to {d - 1}", j)


def _sign(name: str, label: object) -> int:
    if isinstance(label, (bool, np.bool_)) or label not in (-1, 1):
        raise parameter(name, "a label −1 or +1", label)
    return 1 if label == 1 else -1


def _exact(value: int, rules: int) -> float:
    """Return a whole number as a float; refuse it if a float does not hold it exactly."""
    if value.bit_length() > 1023 or int(float(value)) != value:
        raise parameter(
            "rules", "a list whose weights float64 holds exactly", f"{rules} rules", "Shorten it."
        )
    return float(value)
