"""What the search for comparators needs from the core: solvers, and measures of a w."""

from typing import Protocol

from novikoff import _core
from novikoff.types import AnyArray, FloatArray, IntArray

BiasWeight = float | FloatArray
"""The weight of the constant feature; with classes, one for each."""


class Solver(Protocol):
    """Walks along the path: dual coordinate descent for one cost after another."""

    @property
    def passes(self) -> int:
        """How many passes over the rows were made."""
        ...

    @property
    def settled(self) -> bool:
        """Whether further passes change nothing."""
        ...

    @property
    def dual(self) -> float:
        """A lower bound on the value of every w."""
        ...

    def set_cost(self, cost: float) -> None:
        """Go on with another cost."""
        ...

    def descend(self, tolerance: float, seconds: float = ..., passes: int = ...) -> bool:
        """Work for some time; return whether the gap is small enough."""
        ...

    def certify(self, seconds: float = ...) -> bool:
        """Measure primal and dual, rounded outward."""
        ...

    def w(self) -> tuple[BiasWeight, FloatArray]:
        """Return the constant feature's weight, and the others."""
        ...

    def alphas(self) -> FloatArray:
        """Return the dual variables."""
        ...


class Adding(Solver, Protocol):
    """A solver that takes its rows first."""

    def add(self, block: _core.Block, labels: AnyArray) -> int:
        """Take rows; return the first one refused, or their number."""
        ...


class Measured(Protocol):
    """The measures of a w on rows, summed and rounded outward."""

    @property
    def hinge(self) -> float:
        """Σ hinge."""
        ...

    @property
    def hinge_square(self) -> float:
        """Σ hinge²."""
        ...

    @property
    def margin(self) -> float:
        """The least margin."""
        ...

    @property
    def radius_square(self) -> float:
        """max ‖x‖²."""
        ...

    @property
    def energy(self) -> float:
        """Σ ‖x‖²."""
        ...

    def add(self, block: _core.Block, labels: AnyArray, start: int, stop: int) -> object:
        """Add some rows of a block."""
        ...

    def add_rows(self, block: _core.Block, labels: AnyArray, rows: IntArray) -> object:
        """Add these rows of a block, repeated rows repeatedly."""
        ...
