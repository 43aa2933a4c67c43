"""What every learner offers."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np

from novikoff.errors import InputError, parameter
from novikoff.lazy_names import Kinds
from novikoff.learners.hypothesis import Hypothesis
from novikoff.other_names import OF_LEARNER, hinting
from novikoff.saving import contents, storage
from novikoff.streams import (
    BinaryLabels,
    Block,
    ClassLabels,
    LabelMap,
    RealLabels,
    Stream,
    as_stream,
    one_row,
)
from novikoff.streams.blocks.named import NAMES
from novikoff.streams.labels.declared import Declared
from novikoff.streams.transforms.transforms import readable
from novikoff.types import AnyArray, FloatArray, Label


class Slice(NamedTuple):
    """Rows [start, stop) of a block, with their labels and weights as the learner takes them."""

    block: Block
    codes: Any
    """An array of −1 and +1 or of class ids; a structured learner's outputs as they are."""
    weights: FloatArray | None
    start: int
    stop: int


Parameters: TypeAlias = dict[str, Any]
"""The arguments that make a learner, by name. They can be anything: a user's kernel, a class."""


Kind = Literal["labelled", "experts", "arms"]
"""A protocol: rounds with labels, with the losses of all experts, or of the arm that was drawn."""


class Saved(ABC):
    """Made from parameters; changes as it learns; saves and resumes exactly."""

    protocol: ClassVar[Kind] = "labelled"
    """Which rounds it plays."""
    kinds: ClassVar[Kinds[Any]] = Kinds("novikoff.learners")
    """The classes of one protocol by name; their base class loads any of them."""
    family: ClassVar[str] = ""
    """The name of this kind of learner in theorems and receipts; "" if no theorem covers it."""
    _former_arrays: ClassVar[frozenset[str]] = frozenset()
    """Arrays that earlier versions saved and this one does not need."""
    uncertified: ClassVar[str] = ""
    """Why it has no certificate, if an error should say more than its name: "which …"."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "kinds" not in vars(cls):
            cls.kinds.add(cls)

    def __repr__(self) -> str:
        given = readable(self.parameters)
        arguments = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return f"{type(self).__name__}({arguments})"

    @property
    @abstractmethod
    def parameters(self) -> Parameters:
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
            lambda metadata, arrays: rebuilt(
                kind, contents.fields_of(metadata, "parameters"), arrays
            ),
        )

    @classmethod
    def load(cls, path: storage.PathLike) -> Self:
        """Read a learner: the base of a family reads any kind, another class only its own."""
        known = [name for name, kind in cls.kinds.items() if not inspect.isabstract(kind)]
        kinds = tuple(known) if "kinds" in vars(cls) else (cls.__name__,)
        kind, metadata, arrays = storage.read(path, kinds)
        with storage.intact(path):
            contents.check_known("field", metadata, ("parameters",))
            parameters = contents.fields_of(metadata, "parameters")
            return rebuilt(cls.kinds[kind], parameters, arrays)  # type: ignore[return-value]

    @classmethod
    def least_size(cls, parameters: Parameters) -> int:
        """Return the least count of numbers in the state of such a learner, however it is used."""
        return 0

    @abstractmethod
    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""

    def _may_save(self, array: str) -> bool:
        """Say whether its state may have this array, which a fresh one has not."""
        if array in NAMES:
            return getattr(self, "named", None) is True and getattr(self, "hashing", None) is None
        return array in self._former_arrays

    @abstractmethod
    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""


@hinting(OF_LEARNER)
class Learner(Saved):
    """The base of all learners: ``predict`` changes nothing, ``update`` learns one label.

    Labels are −1 and +1, class ids 0, 1, … if ``multiclass``, or numbers if ``real``. A learner
    opens no file except its own ``save``, no clock, no thread, and no random source except its
    seed.
    """

    kinds: ClassVar[Kinds["Learner"]] = Kinds("novikoff.learners")
    multiclass: ClassVar[bool] = False
    real: bool = False
    """Whether labels and predictions are real numbers."""
    named: bool | None = None
    """Whether features have names; None before the first example, and if there are no features."""
    batch: ClassVar[bool] = False
    """Whether it needs every feature before the first round, and streams that it can play again."""
    conservative: ClassVar[bool] = False
    """Whether a round without a mistake changes no later prediction."""
    randomized: ClassVar[bool] = False
    """Whether it draws its predictions, so that an adversary cannot know them."""
    direct: ClassVar[bool] = True
    """Whether it predicts with what ``hypothesis()`` returns, not with an average or a vote."""
    outputs: ClassVar[bool] = False
    """Whether a label is a whole output, such as the tags of a sentence."""
    unmixed: ClassVar[str] = "whose shards no theorem lets us mix"
    """Why its weights cannot be mixed, if it is played in shards: "whose …"; "" if they can."""
    counters: ClassVar[tuple[str, ...]] = ("counts",)
    """The arrays of its state that only count and never change a prediction."""

    @abstractmethod
    def predict(self, x: object, /) -> float:
        """Return the label predicted for x; changes nothing."""

    @abstractmethod
    def update(self, x: object, y: int, /) -> None:
        """Learn that the label of x is y."""

    def stream_of(self, source: object) -> Stream:
        """Take a stream as it is, and any iterable of (x, y) as a stream."""
        return as_stream(source)

    def block_of(self, x: object) -> Block:
        """Take one x as a block of one row."""
        return one_row(x)

    def label_map(self, positive: Label | None, labels: Declared) -> LabelMap:
        """Return the map from the user's labels to the learner's, and back.

        ``positive`` is the label of +1, if the user named it; ``labels`` are those declared. The
        first of them are the classes that the learner already knows.
        """
        if self.real:
            return real_labels(positive, labels)
        if not self.multiclass:
            return two_labels(positive, labels)
        seen, given = int(getattr(self, "classes", 0)), given_labels(labels)
        if seen > len(given):
            raise parameter(
                "labels",
                f"the labels of the {seen} classes the learner has seen",
                given,
                "Go on with its run, or name them.",
            )
        return many_labels(positive, labels, seen)

    def introduce(self, x: object) -> None:
        """Learn the form of x, so that ``hypothesis()`` works before the first round."""
        self.fitting(self.block_of(x))

    def fitting(self, block: Block) -> Block:
        """Return rows as the learner takes them; refuse rows that it cannot learn from."""
        return block

    @property
    def dimension(self) -> int:
        """The number of features seen so far; 0 if the learner does not count any."""
        return 0

    @abstractmethod
    def hypothesis(self) -> Hypothesis:
        """Return what has been learned so far, frozen."""

    @classmethod
    def averages(cls, parameters: Mapping[str, object]) -> bool:
        """Say whether these parameters make ``hypothesis()`` an average of weights."""
        return parameters.get("averaged") is True

    @classmethod
    def knows_labels(cls, parameters: Mapping[str, object]) -> bool:
        """Say whether such a learner knows every label it may predict before round 1."""
        return True


def rebuilt(kind: type[Saved], parameters: Parameters, state: dict[str, AnyArray]) -> Saved:
    """Return a learner with these parameters in this state, which anybody may have written."""
    contents.check_room(kind.least_size(parameters), state.values())
    learner = kind(**parameters)
    resume(learner, state)
    return learner


def resume(learner: Saved, state: dict[str, AnyArray]) -> None:
    """Bring a fresh learner into a state, which anybody may have written."""
    like = learner.state()
    contents.check_arrays(state, like)
    learner.restore(state)
    more = state.keys() - like.keys()
    contents.check_known("array", more, {*filter(learner._may_save, more)})


def is_of_part(array: str, kind: str, count: int) -> bool:
    """Say whether an array is that of a part, ``kind0``, ``kind1``, …, which checks its own."""
    return any(array.startswith(f"{kind}{k}.") for k in range(count))


def given_labels(labels: Declared) -> tuple[Label, ...]:
    """Return the declared labels; none for "open"."""
    return () if isinstance(labels, str) else tuple(labels)


def two_labels(positive: Label | None, labels: Declared) -> LabelMap:
    """Return the label map of a learner with two labels."""
    if not labels:
        return BinaryLabels(positive)
    found = BinaryLabels(positive, given_labels(labels) if positive is None else ())
    return found.declared(labels)


def real_labels(positive: Label | None, labels: Declared) -> LabelMap:
    """Return the label map of a learner whose labels are numbers."""
    found = RealLabels()
    found.refuse_positive(positive)
    return found.declared(labels) if labels else found


def many_labels(positive: Label | None, labels: Declared, seen: int) -> LabelMap:
    """Return the label map of a learner with many classes that has seen this many of them."""
    refuse_positive(positive)
    found = ClassLabels(given_labels(labels)[:seen])
    return found.declared(labels) if labels else found


def refuse_positive(positive: Label | None) -> None:
    """Refuse to call one of many classes the positive one."""
    if positive is not None:
        raise parameter("positive", "None with a multiclass learner", positive)


def size_of(parameters: Parameters, name: str) -> int:
    """Return a parameter that is a whole number; 0 for anything else, which its learner refuses."""
    found = parameters.get(name)
    return found if type(found) is int else 0


def checked_seed(seed: object) -> int:
    """Return the seed of a learner's draws."""
    if not (isinstance(seed, (int, np.integer)) and 0 <= seed < 2**64):
        raise parameter("seed", "a whole number from 0 to 2^64 − 1", seed)
    return int(seed)


def checked_sign(y: object) -> int:
    """Return y if it is −1 or +1."""
    if not (isinstance(y, Real) and y in (-1, 1)):
        raise InputError(f"y: expected −1 or +1, got {y!r}. A Run maps other labels.")
    return 1 if y == 1 else -1


def checked_class(y: object, classes: int) -> int:
    """Return y if it is one of these classes, or the next one."""
    if not (isinstance(y, (int, np.integer)) and 0 <= y <= classes):
        raise InputError(
            f"y: expected a class id from 0 to {classes}, the next new one, got {y!r}. "
            "A Run maps other labels."
        )
    return int(y)
