"""What the golden files hold: small runs, which this or an earlier version of the library plays.

A recipe that a version does not know is left out, so that one program writes the files of every
version: README.md says how.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import novikoff as nv

X = np.array(
    [[1.0, 0.5, 0.0], [-1.0, 0.25, 2.0], [0.5, -2.0, 1.0], [-0.5, -1.0, 0.125],
     [2.0, 1.0, -1.0], [0.0, -0.5, -2.0], [1.5, 0.0, 0.75], [-2.0, 1.0, 1.0],
     [0.25, 0.75, -0.5], [-1.5, -0.25, 0.5]]
)  # fmt: skip
SIGNS = np.array([1, -1, 1, -1, 1, -1, 1, -1, -1, 1])
SEPARABLE = np.array([1, -1, 1, -1, 1, -1, 1, -1, 1, -1])
CLASSES = np.array(["red", "blue", "green", "blue", "red", "green", "red", "blue", "red", "green"])
REALS = np.array([1.5, -2.0, 0.25, -1.0, 3.0, -0.75, 2.0, -2.5, 0.5, -1.25])
LOSSES = np.array([[0.0, 1.0, 0.5], [0.25, 0.0, 1.0], [0.0, 0.75, 0.5], [1.0, 0.0, 0.25]] * 4)
ADVICE = np.where(X > 0, 1, -1)
POINTS = np.array([0, 3, 1, 5, 2, 7, 4, 6])
NAMED = [
    ({f"f{j}": v for j, v in enumerate(row) if v}, y)
    for row, y in zip(X.tolist(), SIGNS.tolist(), strict=True)
]
TEXTS = [(row, "spam" if y > 0 else "ham") for row, y in NAMED]
SENTENCES: Any = [
    (["the", "cat", "sat"], ["D", "N", "V"]),
    (["a", "dog", "ran"], ["D", "N", "V"]),
    (["off", "it", "ran"], ["P", "N", "V"]),
] * 2
FURTHER = [
    ({"f0": 1.0, "f2": -0.5}, 1), ({"f1": 2.0}, -1), ({"f0": -1.0, "f1": 0.5}, -1),
]  # fmt: skip


class Recipe(NamedTuple):
    """A learner and what it plays."""

    make: Callable[[], Any]
    rounds: Callable[[], Any]
    rows: Any = X
    """What its hypothesis is asked about; None if it has none."""
    theorem: str | None = None
    """The theorem that is certified; None for the smallest bound."""
    certified: bool = True
    positive: str | None = None
    started: bool = False
    """Whether its certificate begins from its model, which its run has saved."""

    def played(self) -> Any:
        """Return the run of the learner."""
        if self.positive is None:
            return nv.play(self.make(), self.rounds())
        return nv.Run(self.make(), positive=self.positive).play(self.rounds())

    def data(self) -> Any:
        """Return what its certificate is verified on; rows of losses have the label 1."""
        found = self.rounds()
        return nv.stream(found, np.ones(len(found))) if isinstance(found, np.ndarray) else found


def signs() -> Any:
    """Return rounds with two labels."""
    return nv.stream(X, SIGNS)


def separable() -> Any:
    """Return rounds that a halfspace separates."""
    return nv.stream(X, SEPARABLE)


def classes() -> Any:
    """Return rounds with three labels."""
    return nv.stream(X, CLASSES)


def numbers() -> Any:
    """Return rounds with labels that are real numbers."""
    return nv.stream(X, REALS)


def points() -> Any:
    """Return rounds of a finite class: points of a cube, and what a disjunction says of them."""
    rows = np.array([[p >> 2 & 1, p >> 1 & 1, p & 1] for p in POINTS.tolist()], float)
    return nv.stream(rows, np.where(rows[:, 0] + rows[:, 2] > 0, 1, -1))


def learner(name: str, *positional: Any, **named: Any) -> Callable[[], Any]:
    """Return what makes a learner, if there is one of this name."""
    return lambda: getattr(nv, name)(*positional, **named)


def _class_blend(k: int) -> Any:
    half = nv.stream(X[k::2], CLASSES[k::2])
    return nv.play(nv.Blend(), half, labels=sorted({*CLASSES})).hypothesis()


def _disjunctions() -> Any:
    return nv.disjunctions(3)


RECIPES: dict[str, Recipe] = {
    "perceptron": Recipe(learner("Perceptron"), signs),
    "perceptron-novikoff": Recipe(learner("Perceptron", bias=0.5), separable, theorem="novikoff"),
    "perceptron-progressive": Recipe(
        learner("Perceptron", ties="mistake"), signs, theorem="progressive"
    ),
    "named": Recipe(
        learner("Perceptron"), lambda: TEXTS, FURTHER, certified=False, positive="spam"
    ),
    "hashed": Recipe(
        lambda: nv.Perceptron(hashing=nv.Hashing(4)), lambda: NAMED, FURTHER, certified=False
    ),
    "transformed": Recipe(
        lambda: nv.Perceptron(transforms=[nv.Scale(), nv.Normalize()]), signs
    ),
    "crossed": Recipe(
        lambda: nv.Perceptron(transforms=[nv.Cross("f0", "f1")]), lambda: NAMED, FURTHER,
        certified=False,
    ),
    "averaged": Recipe(learner("AveragedPerceptron", bias=1.0), signs),
    "voted": Recipe(learner("VotedPerceptron"), signs),
    "multiclass": Recipe(learner("MulticlassPerceptron"), classes),
    "multiclass-averaged": Recipe(learner("MulticlassPerceptron", averaged=True), classes),
    "mixing": Recipe(lambda: nv.Perceptron().in_shards([6, 4]), signs),
    "mixing-classes": Recipe(lambda: nv.MulticlassPerceptron().in_shards([6, 4], 3), classes),
    "mixing-chains": Recipe(
        lambda: nv.StructuredPerceptron(nv.Chains("w[0] w[-1]")).with_shards(
            [len(SENTENCES) - 1, 1], sorted({tag for _, tags in SENTENCES for tag in tags})
        ),
        lambda: SENTENCES,
        [words for words, _ in SENTENCES],
    ),
    "frozen-mixture": Recipe(
        lambda: nv.FrozenMixture(
            [nv.play(nv.Blend(), nv.stream(X[k::2], SIGNS[k::2])).hypothesis() for k in (0, 1)]
        ),
        signs,
        started=True,
    ),
    "frozen-class-mixture": Recipe(
        lambda: nv.FrozenClassMixture([_class_blend(k) for k in (0, 1)]), classes, started=True
    ),
    "minnow": Recipe(learner("Minnow", 0.5), signs),
    "balanced-minnow": Recipe(learner("BalancedMinnow", 0.25, bias=1.0), signs),
    "modified": Recipe(learner("ModifiedPerceptron", 0.3, seed=7), signs, certified=False),
    "ellipsoid": Recipe(learner("EllipsoidHalving"), separable, certified=False),
    "centroid": Recipe(learner("CentroidHalving", seed=3, samples=32), separable, certified=False),
    "kernel": Recipe(lambda: nv.KernelPerceptron(nv.polynomial(2)), signs),
    "kernel-budget": Recipe(
        lambda: nv.KernelPerceptron(nv.rbf(0.5), budget=nv.Budget(3, "oldest")), signs,
        certified=False,
    ),
    "kernel-classes": Recipe(
        lambda: nv.MulticlassKernelPerceptron(nv.rbf(0.5)), classes, certified=False
    ),
    "kernel-one-vs-rest": Recipe(
        lambda: nv.OneVsRestKernelPerceptron(nv.linear, bias=1.0), classes, certified=False
    ),
    "consistent": Recipe(lambda: nv.Consistent(_disjunctions()), points, None),
    "halving": Recipe(lambda: nv.Halving(_disjunctions()), points, None),
    "iterated-halving": Recipe(lambda: nv.IteratedHalving(_disjunctions()), points, None),
    "standard-optimal": Recipe(lambda: nv.StandardOptimal(_disjunctions()), points, None),
    "elimination": Recipe(learner("Elimination", 3), points, None),
    "structured": Recipe(
        lambda: nv.StructuredPerceptron(nv.Chains("w[0] w[-1]")), lambda: SENTENCES,
        [words for words, _ in SENTENCES],
    ),
    "weighted-majority": Recipe(
        learner("WeightedMajority", 3, 0.5), lambda: nv.stream(ADVICE, SIGNS), None
    ),
    "randomized-majority": Recipe(
        learner("RandomizedWeightedMajority", 3, 0.5, seed=3), lambda: nv.stream(ADVICE, SIGNS),
        None,
    ),
    "hedge": Recipe(learner("Hedge", 3, seed=1), lambda: LOSSES, None),
    "exp3": Recipe(learner("Exp3", 3, 16, seed=2), lambda: LOSSES, None),
    "exp3p": Recipe(learner("Exp3P", 3, 0.1, 16, seed=2), lambda: LOSSES, None),
    "exp3ix": Recipe(learner("Exp3IX", 3, 16, seed=2), lambda: LOSSES, None),
    "pool": Recipe(
        lambda: nv.Hedge([nv.Perceptron(), nv.VotedPerceptron()], seed=1), signs, None,
        certified=False,
    ),
    "adaptive-gradient": Recipe(learner("AdaptiveGradient", 0.5), signs),
    "gradient-descent": Recipe(learner("GradientDescent", 0.25), signs),
    "gradient-descent-squared": Recipe(learner("GradientDescent", 0.03, "squared"), signs),
    "coin-betting": Recipe(learner("CoinBetting"), signs),
    "normalized-gradient": Recipe(learner("NormalizedGradient", 0.5), signs, certified=False),
    "arow": Recipe(learner("Arow"), signs, certified=False),
    "base-rate": Recipe(learner("BaseRate", 0.9375), signs, certified=False),
    "online-newton": Recipe(learner("OnlineNewton"), signs, certified=False),
    "forward-regression": Recipe(learner("ForwardRegression", 1.0), numbers),
    "blend": Recipe(learner("Blend"), signs),
    "blend-fixed-share": Recipe(learner("Blend", bias=None), signs, theorem="fixed-share"),
    "blend-snapshots": Recipe(
        learner("Blend", freeze="snapshots", seed=3), signs, certified=False
    ),
    "blend-members": Recipe(
        lambda: nv.Blend(members=[nv.AdaptiveGradient(1.0), nv.BaseRate(0.9375)]), signs,
        certified=False,
    ),
    "blend-classes": Recipe(
        learner("Blend"), lambda: nv.stream(X, CLASSES, labels=["blue", "green", "red"])
    ),
}  # fmt: skip
