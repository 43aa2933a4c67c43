"""A structured problem: three functions are all that a structured perceptron needs."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from novikoff.errors import HypothesisError

Counts = Mapping[Hashable, int]
"""Features and their counts, or their weights; a feature that is missing has 0."""


class Problem(ABC):
    """A structure of your own: the features of an output, and the best output by given weights.

    Features are texts, numbers or tuples of them, and their counts are whole numbers. ``best`` and
    ``second`` must always break ties in the same way. ``w[feature]`` is 0 for any feature that has
    not been learned.
    """

    kinds: ClassVar[WeakValueDictionary[str, type["Problem"]]] = WeakValueDictionary()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Problem.kinds.setdefault(cls.__name__, cls)  # the first of a name is the one that loads

    @abstractmethod
    def features(self, x: Any, y: Any) -> Counts:
        """Return Φ(x, y): the features of an output y for x, with their counts."""

    @abstractmethod
    def best(self, w: Counts, x: Any) -> Any:
        """Return the output z with the largest score w·Φ(x, z)."""

    def second(self, w: Counts, x: Any, y: Any) -> Any:
        """Return the best output other than y, or None if there is no other; bounds need it."""
        raise HypothesisError(
            f"bounds: expected a problem that gives the second best output, got "
            f"{type(self).__name__}. Write its method second(w, x, y)."
        )

    def fault(self, x: Any, y: Any, judged: bool = True) -> str | None:
        """Say why an example is refused; None if it is sound. If ``judged``, y is given."""
        return None

    @property
    def arguments(self) -> Mapping[str, object]:
        """The arguments that make a problem like this one, as plain data."""
        return {}

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{type(self).__name__}({given})"


def score(w: Counts, features: Counts) -> int:
    """w·Φ."""
    return sum(w[name] * count for name, count in features.items())
