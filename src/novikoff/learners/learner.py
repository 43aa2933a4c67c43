"""What every learner offers."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar, NamedTuple, Self
from weakref import WeakValueDictionary

import numpy as np

from novikoff.errors import InputError
from novikoff.learners.hypothesis import Hypothesis
from novikoff.saving import contents, storage
from novikoff.streams import Block
from novikoff.types import AnyArray, FloatArray


class Slice(NamedTuple):
    """Rows [start, stop) of a block, with what its labels and weights are to the learner."""

    block: Block
    codes: Any
    weights: FloatArray | None
    start: int
    stop: int


class Saved(ABC):
    """What is made of parameters, changes as it learns, and is saved and resumed exactly."""

    kinds: ClassVar[WeakValueDictionary[str, type[Any]]] = WeakValueDictionary()
    """Those of one protocol by name, which its base class loads."""
    family: ClassVar[str] = ""
    """What theorems and receipts call learners of this kind; "" if no theorem speaks of it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "kinds" not in vars(cls):
            cls.kinds.setdefault(cls.__name__, cls)  # the first of a name is the one that loads

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({arguments})"

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The arguments that make a learner like this one, as plain data."""

    @property
    @abstractmethod
    def rounds(self) -> int:
        """How many rounds the learner has played."""

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuilt, (type(self), self.parameters, self.state())

    def fresh(self) -> Self:
        """Return a learner with the same parameters that has seen nothing."""
        return type(self)(**self.parameters)

    def save(self, path: storage.PathLike) -> None:
        """Write the learner to a file from which it resumes exactly."""
        kind, about = type(self), {"parameters": self.parameters}
        storage.write(
            path,
            kind.__name__,
            about,
            self.state(),
            lambda metadata, arrays: rebuilt(kind, metadata["parameters"], arrays),
        )

    @classmethod
    def load(cls, path: storage.PathLike) -> Self:
        """Read a learner; on the base of a family any kind, on another class that kind."""
        known = [name for name, kind in cls.kinds.items() if not inspect.isabstract(kind)]
        kinds = tuple(known) if "kinds" in vars(cls) else (cls.__name__,)
        kind, metadata, arrays = storage.read(path, kinds)
        with storage.intact(path):
            return rebuilt(cls.kinds[kind], metadata["parameters"], arrays)  # type: ignore[return-value]

    @classmethod
    def least_size(cls, parameters: dict[str, Any]) -> int:
        """Return how many numbers the state of such a learner has at least, however it is used."""
        return 0

    @abstractmethod
    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""

    @abstractmethod
    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""


class Learner(Saved):
    """Mutable: ``predict`` is pure, ``update`` judges the current hypothesis and learns.

    Labels are −1 and +1, or class ids 0, 1, … where ``multiclass``. A learner opens no file
    but its own ``save``, no clock, no thread and no random source but a seed.
    """

    kinds: ClassVar[WeakValueDictionary[str, type["Learner"]]] = WeakValueDictionary()
    multiclass: ClassVar[bool] = False
    batch: ClassVar[bool] = False
    """Whether it needs every feature before the first round, and streams to play again."""
    conservative: ClassVar[bool] = False
    """Whether a round that is no mistake changes no later prediction."""
    randomized: ClassVar[bool] = False
    """Whether its predictions are drawn, so that an adversary cannot know them."""
    direct: ClassVar[bool] = True
    """Whether it predicts with what ``hypothesis()`` returns, not with an average or a vote."""
    outputs: ClassVar[bool] = False
    """Whether a label is a whole output, such as the tags of a sentence."""
    counters: ClassVar[tuple[str, ...]] = ("counts",)
    """The arrays of its state that only count: they change no prediction."""

    @abstractmethod
    def predict(self, x: Any, /) -> int:
        """Return the label predicted for x; changes nothing."""

    @abstractmethod
    def update(self, x: Any, y: int, /) -> None:
        """Learn that the label of x is y."""

    def fitting(self, block: Block) -> Block:
        """Return rows as the learner takes them, or refuse those that it cannot learn from."""
        return block

    @property
    def dimension(self) -> int:
        """The number of features seen so far; 0 if the learner does not count any."""
        return 0

    def introduce(self, x: object, /) -> None:
        """Learn the form of x before the first round, so that ``hypothesis()`` can be asked."""

    @abstractmethod
    def hypothesis(self) -> Hypothesis:
        """Return what has been learned so far, frozen."""

    @classmethod
    def averages(cls, parameters: Mapping[str, object]) -> bool:
        """Tell whether ``hypothesis()`` is an average of weights for a learner made of these."""
        return parameters.get("averaged") is True

    @classmethod
    def knows_labels(cls, parameters: Mapping[str, object]) -> bool:
        """Tell whether such a learner can name every label it may predict before round 1."""
        return True


def rebuilt(kind: type[Saved], parameters: dict[str, Any], state: dict[str, AnyArray]) -> Saved:
    """Return a learner of these parameters in this state, which anybody may have written."""
    contents.check_room(kind.least_size(parameters), state.values())
    learner = kind(**parameters)
    contents.check_arrays(state, learner.state())
    learner.restore(state)
    return learner


def size_of(parameters: dict[str, Any], name: str) -> int:
    """Return a parameter that is a whole number; 0 for another, which its learner refuses."""
    found = parameters.get(name)
    return found if type(found) is int else 0


def checked_sign(y: Any) -> int:
    """Return y where it is −1 or +1."""
    if not (isinstance(y, Real) and y in (-1, 1)):
        raise InputError(f"y: expected −1 or +1, got {y!r}. A Run maps other labels.")
    return 1 if y == 1 else -1


def checked_class(y: Any, classes: int) -> int:
    """Return y where it is one of so many classes, or the next one."""
    if not (isinstance(y, (int, np.integer)) and 0 <= y <= classes):
        raise InputError(
            f"y: expected a class id from 0 to {classes}, the next new one, got {y!r}. "
            "A Run maps other labels."
        )
    return int(y)
