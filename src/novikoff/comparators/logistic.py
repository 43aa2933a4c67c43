"""Comparators for learners of the logistic loss."""

from collections.abc import Iterable

from novikoff.comparators.penalised import Comparator, PenalisedRows
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, FloatArray

LogisticComparator = Comparator


class LogisticRows(PenalisedRows):
    """The rounds of one pass, with labels −1 and +1, and the λ of every column."""

    def __init__(
        self,
        blocks: Iterable[tuple[ArrayBlock, AnyArray]],
        lambdas: FloatArray,
        *,
        bias: float = 0.0,
        bias_lambda: float = 1.0,
    ) -> None:
        super().__init__(blocks, lambdas, loss="logistic", bias=bias, bias_lambda=bias_lambda)
