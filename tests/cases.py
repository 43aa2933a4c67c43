"""One row a learner: adding a learner adds a row here, and every contract is tested for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import novikoff as nv
import transform_twins as steps
import twins
from novikoff.learners import MixedMulticlassPerceptron, MixedPerceptron
from novikoff.learners.learner import given_labels
from novikoff.learners.losses.class_blend import ClassBlend
from novikoff.streams import ClassLabels


class NumberedClasses(ClassBlend):
    """Numbers labels as they appear, so that a run need not declare them."""

    def label_map(self, positive: Any, labels: Any) -> ClassLabels:
        return ClassLabels(given_labels(labels))


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[], nv.Learner]
    twin: Callable[[], Any] | None
    bias: float | None = None
    scale_free: bool = True
    """Whether scaling all x changes no mistake."""
    random: bool = False
    """Whether it draws a number for each feature, so that the order of features matters."""
    floats: bool = False
    """Whether its w is computed in floats, for streams that a halfspace separates: it has no exact
    twin, knows all its features from the first round, and refuses a stream that none separates."""
    slow: bool = False
    """Whether a round takes time that grows with the mistakes before it."""
    narrow: bool = False
    """Whether it takes at most 128 features."""

    @property
    def multiclass(self) -> bool:
        return self.make().multiclass

    @property
    def classes(self) -> int:
        return 5 if self.multiclass else 2


CASES = [
    Case("perceptron", nv.Perceptron, twins.Perceptron),
    Case(
        "perceptron-ties-mistake",
        lambda: nv.Perceptron(ties="mistake"),
        lambda: twins.Perceptron("mistake"),
    ),
    Case("perceptron-bias", lambda: nv.Perceptron(bias=0.3), twins.Perceptron, 0.3),
    Case("averaged", nv.AveragedPerceptron, twins.Perceptron),
    Case(
        "averaged-ties-mistake-bias",
        lambda: nv.AveragedPerceptron(ties="mistake", bias=-2.0),
        lambda: twins.Perceptron("mistake"),
        -2.0,
    ),
    Case(
        "mixed",
        lambda: MixedPerceptron([5, 9, 3]),
        lambda: twins.MixedPerceptron([5, 9, 3]),
        slow=True,
    ),
    Case(
        "mixed-averaged-ties-mistake-bias",
        lambda: MixedPerceptron([7, 4], ties="mistake", bias=0.3, averaged=True),
        lambda: twins.MixedPerceptron([7, 4], "mistake"),
        0.3,
        slow=True,
    ),
    Case("voted", nv.VotedPerceptron, twins.Perceptron),
    Case(
        "voted-ties-mistake",
        lambda: nv.VotedPerceptron(ties="mistake"),
        lambda: twins.Perceptron("mistake"),
    ),
    Case(
        "voted-capped-bias",
        lambda: nv.VotedPerceptron(bias=1.0, max_voters=3),
        twins.Perceptron,
        1.0,
    ),
    Case("multiclass", nv.MulticlassPerceptron, twins.Multiclass),
    Case("multiclass-bias", lambda: nv.MulticlassPerceptron(bias=0.7), twins.Multiclass, 0.7),
    Case(
        "multiclass-averaged",
        lambda: nv.MulticlassPerceptron(averaged=True),
        twins.Multiclass,
    ),
    Case(
        "multiclass-averaged-bias",
        lambda: nv.MulticlassPerceptron(bias=-0.4, averaged=True),
        twins.Multiclass,
        -0.4,
    ),
    Case(
        "mixed-classes",
        lambda: MixedMulticlassPerceptron([9, 5, 4], 5),
        lambda: twins.MixedMulticlass([9, 5, 4], 5),
        slow=True,
    ),
    Case(
        "mixed-classes-averaged-bias",
        lambda: MixedMulticlassPerceptron([8, 6], 5, bias=0.7, averaged=True),
        lambda: twins.MixedMulticlass([8, 6], 5),
        0.7,
        slow=True,
    ),
    Case("minnow", lambda: nv.Minnow(0.4), lambda: twins.Minnow(0.4), scale_free=False),
    Case(
        "balanced-minnow-bias",
        lambda: nv.BalancedMinnow(1.25, bias=-0.5),
        lambda: twins.Minnow(1.25, balanced=True),
        -0.5,
        scale_free=False,
    ),
    Case(
        "modified",
        lambda: nv.ModifiedPerceptron(0.3, seed=7),
        lambda: twins.Modified(0.3, 7),
        random=True,
    ),
    Case(
        "modified-bias",
        lambda: nv.ModifiedPerceptron(0.05, seed=1, bias=1.0),
        lambda: twins.Modified(0.05, 1),
        1.0,
        random=True,
    ),
    Case("ellipsoid", nv.EllipsoidHalving, None, floats=True),
    Case("ellipsoid-bias", lambda: nv.EllipsoidHalving(bias=-0.5), None, -0.5, floats=True),
    Case("centroid", lambda: nv.CentroidHalving(seed=3, samples=64), None, floats=True),
    Case(
        "centroid-bias",
        lambda: nv.CentroidHalving(seed=5, samples=64, bias=1.0),
        None,
        1.0,
        floats=True,
    ),
    Case(
        "adaptive-gradient",
        lambda: nv.AdaptiveGradient(0.7),
        lambda: twins.AdaptiveGradient(0.7),
    ),
    Case(
        "adaptive-gradient-bias",
        lambda: nv.AdaptiveGradient(3.0, bias=-0.5),
        lambda: twins.AdaptiveGradient(3.0),
        -0.5,
    ),
    Case(
        "gradient-descent",
        lambda: nv.GradientDescent(0.125),
        lambda: twins.GradientDescent(0.125, "logistic"),
        scale_free=False,
    ),
    Case(
        "gradient-descent-hinge-bias",
        lambda: nv.GradientDescent(0.7, "hinge", bias=-0.5),
        lambda: twins.GradientDescent(0.7, "hinge"),
        -0.5,
        scale_free=False,
    ),
    Case(
        "gradient-descent-squared",
        lambda: nv.GradientDescent(0.03, "squared"),
        lambda: twins.GradientDescent(0.03, "squared"),
        scale_free=False,
    ),
    Case(
        "gradient-descent-absolute-scaled",
        lambda: nv.GradientDescent(0.25, "absolute", bias=1.0, transforms=[nv.Scale()]),
        lambda: steps.Transformed(twins.GradientDescent(0.25, "absolute"), steps.Scale()),
        1.0,
        scale_free=False,
    ),
    Case("coin-betting", nv.CoinBetting, lambda: twins.Alone("CoinBetting")),
    Case(
        "coin-betting-bias",
        lambda: nv.CoinBetting(bias=-0.5),
        lambda: twins.Alone("CoinBetting"),
        -0.5,
    ),
    Case(
        "normalized-gradient-bias",
        lambda: nv.NormalizedGradient(0.5, bias=2.0),
        lambda: twins.Alone("NormalizedGradient", 0.5),
        2.0,
    ),
    Case("arow", nv.Arow, lambda: twins.Alone("Arow")),
    Case("base-rate", lambda: nv.BaseRate(0.9375), lambda: twins.Alone("BaseRate", 0.9375)),
    Case(
        "online-newton-bias",
        lambda: nv.OnlineNewton(bias=1.0),
        lambda: twins.Alone("OnlineNewton"),
        1.0,
        narrow=True,
    ),
    Case("blend", nv.Blend, twins.Blend, 1.0),
    Case("blend-snapshots", lambda: nv.Blend(freeze="snapshots", seed=3), twins.Blend, 1.0),
    Case("blend-no-constant", lambda: nv.Blend(bias=None), twins.Blend),
    Case("class-blend", lambda: NumberedClasses(5), lambda: twins.ClassBlend(5), 1.0),
    Case("class-blend-bias", lambda: NumberedClasses(5, -0.5), lambda: twins.ClassBlend(5), -0.5),
    Case(
        "perceptron-scaled-normalized",
        lambda: nv.Perceptron(bias=0.3, transforms=[nv.Scale(), nv.Normalize()]),
        lambda: steps.Transformed(twins.Perceptron(), steps.Scale(), steps.Normalize()),
        0.3,
        scale_free=False,
    ),
    Case(
        "multiclass-scaled",
        lambda: nv.MulticlassPerceptron(transforms=[nv.Scale()]),
        lambda: steps.Transformed(twins.Multiclass(), steps.Scale()),
        scale_free=False,
    ),
    Case(
        "minnow-presence",
        lambda: nv.Minnow(0.4, transforms=[nv.Presence()]),
        lambda: steps.Transformed(twins.Minnow(0.4), steps.Presence()),
        scale_free=False,
    ),
    Case(
        "adaptive-gradient-normalized",
        lambda: nv.AdaptiveGradient(0.7, transforms=[nv.Normalize()]),
        lambda: steps.Transformed(twins.AdaptiveGradient(0.7), steps.Normalize()),
        scale_free=False,
    ),
    Case(
        "kernel-polynomial",
        lambda: nv.KernelPerceptron(nv.polynomial(3)),
        lambda: twins.KernelPerceptron(twins.KernelSum(twins.polynomial(3, 1.0))),
        scale_free=False,
        slow=True,
    ),
    Case(
        "kernel-rbf-ties-mistake",
        lambda: nv.KernelPerceptron(nv.rbf(0.7), ties="mistake"),
        lambda: twins.KernelPerceptron(twins.KernelSum(twins.radial(0.7), True), "mistake"),
        scale_free=False,
        slow=True,
    ),
    Case(
        "kernel-budget-bias",
        lambda: nv.KernelPerceptron(nv.linear, bias=0.3, budget=nv.Budget(8, "oldest")),
        lambda: twins.KernelPerceptron(twins.KernelSum(twins.polynomial(1, 0.0)), budget=8),
        0.3,
        scale_free=False,
        slow=True,
    ),
    Case(
        "kernel-multiclass",
        lambda: nv.MulticlassKernelPerceptron(nv.rbf(0.7)),
        lambda: twins.KernelClasses(lambda: twins.KernelSum(twins.radial(0.7), True)),
        scale_free=False,
        slow=True,
    ),
    Case(
        "kernel-one-vs-rest-bias",
        lambda: nv.OneVsRestKernelPerceptron(nv.polynomial(2, 0.5), bias=-2.0),
        lambda: twins.KernelClasses(lambda: twins.KernelSum(twins.polynomial(2, 0.5)), True),
        -2.0,
        scale_free=False,
        slow=True,
    ),
]
EXACT = [case for case in CASES if not case.floats]


# Learners of finite classes take points, not rows: tests/learners/test_finite_learners.py.
FINITE_CASES: dict[str, Callable[[Any], nv.Learner]] = {
    "consistent": nv.Consistent,
    "halving": nv.Halving,
    "iterated-halving": nv.IteratedHalving,
    "standard-optimal": nv.StandardOptimal,
    "elimination": lambda H: nv.Elimination(H.cube),
    "elimination-monotone": lambda H: nv.Elimination(H.cube, monotone=True),
}
FINITE_LEARNERS = {type(make(nv.parities(1))).__name__ for make in FINITE_CASES.values()}


def twin_mistakes(case: Case, X: Any, y: Any) -> list[int]:
    """The mistake rounds of the case's twin on a dense matrix and ±1 labels or class ids."""
    dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    rows = [twins.vector(row, case.bias) for row in dense]
    assert case.twin is not None
    twin = case.twin()
    if case.random:
        twin.dimension, twin.bias = dense.shape[1], case.bias is not None
    return twins.mistake_rounds(twin, rows, y)


def labels(case: Case, rng: np.random.Generator, scores: np.ndarray[Any, Any]) -> Any:
    """Labels for the case that depend on the scores but not always: some rounds are noise."""
    noise = rng.random(len(scores)) < 0.1
    if case.floats:
        return np.where(scores >= 0, 1, -1)
    if not case.multiclass:
        return np.where((scores >= np.median(scores)) ^ noise, 1, -1)
    ranks = np.argsort(np.argsort(scores)) * case.classes // max(len(scores), 1)
    drawn = np.where(noise, rng.integers(0, case.classes, len(scores)), ranks)
    _, first, inverse = np.unique(drawn, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))  # ids in order of appearance
    return order[inverse]
