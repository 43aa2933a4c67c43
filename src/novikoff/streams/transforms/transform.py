"""Transforms that change values and keep features."""

from abc import ABC, abstractmethod
from typing import ClassVar

from novikoff import _core
from novikoff.quick_records import record
from novikoff.types import Fields


class Transform(ABC):
    """A step from a raw row to what the learner sees, such as ``Scale`` or ``Cross``.

    docs/transforms.md defines each one. A transform is plain data; what it remembers of the rounds
    belongs to the learner.
    """

    name: ClassVar[str]
    """What a saved model and a certificate call it."""

    @property
    def plain(self) -> Fields:
        """The transform as plain data."""
        return {"name": self.name}

    @abstractmethod
    def add_to(self, core: _core.Transforms) -> None:
        """Make it the last step of some transforms in the core."""


@record(frozen=True, init=False)
class Scale(Transform):
    """Brings all features to the same size: divides each by a power of two, as it learns.

    x_i · 2^{−e_i}, with 2^{e_i−1} < m_i ≤ 2^{e_i}; m_i is the largest |x_i| so far.

    The current round counts too, so scaled values lie within ±1, and a new largest value becomes a
    number above ½. A power of two changes no digit of x. Nothing is centred: zeros stay zeros.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Perceptron(transforms=[nv.Scale()]), [((1, 3000), 1), ((1, -400), -1)])
    >>> run.learner.transformed([(1, 3000), (2, 5000)])
    [{0: 1.0, 1: 0.732421875}, {0: 1.0, 1: 0.6103515625}]
    """

    name = "scale"

    def add_to(self, core: _core.Transforms) -> None:
        """Make it the last step of some transforms in the core."""
        core.add_scale()


@record(frozen=True, init=False)
class Normalize(Transform):
    """Divides every row by its length, so that it has length 1; a row of zeros stays as it is.

    >>> import novikoff as nv
    >>> nv.Perceptron(transforms=[nv.Normalize()]).transformed([(3.0, 4.0)])
    [{0: 0.6, 1: 0.8}]
    """

    name = "normalize"

    def add_to(self, core: _core.Transforms) -> None:
        """Make it the last step of some transforms in the core."""
        core.add_normalize()


@record(frozen=True, init=False)
class Presence(Transform):
    """Turns every value other than 0 into 1: only which features are there counts.

    >>> import novikoff as nv
    >>> nv.Perceptron(transforms=[nv.Presence()]).transformed([{"free": 3, "win": 1}])
    [{'free': 1.0, 'win': 1.0}]
    """

    name = "presence"

    def add_to(self, core: _core.Transforms) -> None:
        """Make it the last step of some transforms in the core."""
        core.add_presence()
