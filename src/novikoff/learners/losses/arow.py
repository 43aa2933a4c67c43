"""Adaptive regularisation of weights, scale-free: every weight has a variance."""

from collections.abc import Iterable
from typing import ClassVar, Literal

from novikoff import _core
from novikoff.errors import as_float, parameter
from novikoff.learners.learner import Parameters
from novikoff.learners.losses.logistic_learner import LogisticLearner
from novikoff.streams import Hashing, Transform

Matrix = Literal["diagonal"]


class Arow(LogisticLearner):
    """Keeps a confidence for each weight, so that the weights of rare features move fast.

    If y s < 1: β = 1/(Σ V u² + r), w += (1 − y s) β y V u, V −= β (V u)²   (crammer2009).

    For each feature, u = x/m with m the largest |x| so far, this round's included, and the weight
    w, in units of u, has the variance V: 1 at first, smaller the more often the feature was seen.
    It learns from margins below 1 (the squared hinge); the probability is 1/(1 + e^{−s}) and its
    loss is the logistic one. ``r`` must be 1 and ``matrix`` "diagonal": the program has no others.

    The learner is the float program ``arow/1`` (docs/programs.md).

    >>> import novikoff as nv
    >>> run = nv.play(nv.Arow(), [((1, 100), 1), ((1, -300), -1), ((2, 200), 1)])
    >>> run.mistakes, round(run.probability((1, -300)), 3)
    (1, 0.343)
    """

    program: ClassVar[str] = "arow/1"
    core: _core.Arow

    def __init__(
        self,
        r: float = 1.0,
        matrix: Matrix = "diagonal",
        bias: float | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        if as_float(r) != 1:
            raise parameter("r", "1, the only one that the program arow/1 has", r)
        if matrix != "diagonal":
            raise parameter("matrix", "'diagonal'", matrix)
        self.r, self.matrix = 1.0, matrix
        self.core = _core.Arow(self.bias or 0.0)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"r": self.r, "matrix": self.matrix, **self.named_parameters}

    @property
    def constants(self) -> dict[str, float]:
        """None: r is part of the program."""
        return {}
