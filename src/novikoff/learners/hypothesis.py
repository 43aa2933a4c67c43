"""What every hypothesis offers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from inspect import isabstract
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.lazy_names import Kinds
from novikoff.other_names import OF_HYPOTHESIS, hinting
from novikoff.saving import contents, storage
from novikoff.streams import Block, Transforms, as_transforms
from novikoff.streams.blocks.named import (
    NAMES,
    Hashing,
    as_hashing,
    names_state,
    new_features,
    restore_names,
)
from novikoff.streams.files.headers import checked_columns
from novikoff.streams.files.words import Texts, texts_of
from novikoff.types import AnyArray, Arrays, Fields, FloatArray, Label

Feature = str | int
"""What a feature is called: its name, or its number if it has none."""
F = TypeVar("F")
State = tuple[Mapping[str, object], Arrays]
"""What a file stores about a hypothesis: metadata, which must be plain data, and arrays."""


@hinting(OF_HYPOTHESIS)
class Hypothesis(ABC):
    """A model that no longer learns: ``h(x)`` predicts for one x, ``predict(X)`` for many.

    Predictions are the user's labels if the hypothesis knows them (``labels``), otherwise −1 and
    +1, or class ids.

    >>> import novikoff as nv
    >>> h = nv.play(nv.Perceptron(), [((1, 2), -1), ((3, 1), 1)]).hypothesis()
    >>> h((2, 0)), h.predict([[2, 0], [0, 2]]).tolist(), h.scores([[2, 0], [0, 2]]).tolist()
    (1, [1, -1], [4.0, -2.0])
    """

    kinds: ClassVar[Kinds["Hypothesis"]] = Kinds("novikoff.learners")
    multiclass: bool = False
    real: bool = False
    """Whether predictions are real numbers, not labels."""
    labels: tuple[Label, ...]
    features: _core.Features | None
    """The names of features, if they have any. The learner shares this object and may add names."""
    columns: tuple[str, ...] | None = None
    """The names of the numbered features in the header of the file learned from."""
    texts: Texts | None = None
    """How texts become rows, if it was learned from texts."""
    transforms: Transforms | None = None
    """What happens to a raw row first, frozen; None if nothing does."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Hypothesis.kinds.add(cls)

    def __reduce__(self) -> tuple[object, ...]:
        metadata, arrays = self.contents()
        return _rebuilt, (type(self), metadata, arrays, self.labels)

    @abstractmethod
    def __call__(self, x: object) -> Any:
        """Predict the label of one x."""

    @abstractmethod
    def predict(self, X: object) -> AnyArray:
        """Predict the label of every x."""

    @abstractmethod
    def scores(self, X: object) -> AnyArray:
        """Score every x, in plain floats."""

    def save(self, path: storage.PathLike) -> None:
        """Write the hypothesis to a file of its own (safetensors)."""
        metadata, arrays = self.contents()
        labels = storage.plain_labels(self.labels)
        kind, about = type(self), {**metadata, "labels": labels}
        storage.write(path, kind.__name__, about, arrays, lambda *state: _restored(kind, *state))

    @classmethod
    def load(cls, path: storage.PathLike) -> Self:
        """Read a hypothesis: ``Hypothesis.load`` reads any kind, a subclass only its own."""
        known = [name for name, kind in Hypothesis.kinds.items() if not isabstract(kind)]
        kinds = tuple(known) if cls is Hypothesis else (cls.__name__,)
        kind, metadata, arrays = storage.read(path, kinds)
        with storage.intact(path):
            return _restored(Hypothesis.kinds[kind], metadata, arrays)  # type: ignore[return-value]

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number of features."""

    def with_labels(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis with these labels: those of −1 and +1, or one per class."""
        found = self._speaking(labels)
        found.columns, found.transforms = self.columns, self.transforms
        found.texts = self.texts
        return found

    @property
    def raw_dimension(self) -> int:
        """The number of features of raw rows; others are made of them by the transforms."""
        return self.transforms.width if self.transforms else self.dimension

    @abstractmethod
    def _speaking(self, labels: tuple[Label, ...]) -> Self: ...

    @abstractmethod
    def _state(self) -> State: ...

    @classmethod
    @abstractmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self: ...

    def contents(self) -> State:
        """Return what a file stores about it, except its labels: metadata and arrays."""
        metadata, arrays = self._state()
        if self.columns is not None:
            metadata = {**metadata, "columns": list(self.columns)}
        if self.texts is not None:
            metadata = {**metadata, "reading": self.texts.plain}
        if self.transforms is not None:
            metadata = {**metadata, "transforms": self.transforms.plain}
            arrays = arrays | self.transforms.state()
        if self.features is None:
            return metadata, arrays
        bits, signed = self.features.bits, self.features.alternate_sign
        hashing = Hashing(bits, signed).plain if bits else None
        names = names_state(self.features, self.raw_dimension)
        return {**metadata, "hashing": hashing}, arrays | names

    @classmethod
    def from_contents(cls, metadata: Fields, arrays: Arrays) -> "Hypothesis":
        """Return the hypothesis of these ``contents``, which anybody may have written."""
        return _rebuilt(cls, metadata, arrays, ())


def _restored(kind: type[Hypothesis], metadata: Fields, arrays: Arrays) -> Hypothesis:
    """Return the hypothesis that a file holds."""
    own = {name: value for name, value in metadata.items() if name != "labels"}
    return _rebuilt(kind, own, arrays, contents.labels_of(metadata))


def _rebuilt(
    kind: type[Hypothesis],
    metadata: Fields,
    arrays: Arrays,
    labels: tuple[Label, ...],
) -> Hypothesis:
    """Return the hypothesis of this state."""
    metadata = dict(metadata)
    columns = checked_columns(metadata.pop("columns", None))
    texts = texts_of(contents.checked_reading(metadata.pop("reading", None)))
    features = None
    if "hashing" in metadata:
        features = new_features(as_hashing(metadata.pop("hashing")))
        restore_names(features, arrays)
    transforms = as_transforms(metadata.pop("transforms", None))
    if transforms is not None:
        transforms.restore(arrays)
    found = kind._restore(metadata, arrays, labels)
    own, like = found._state()
    contents.check_known("field", metadata, own)
    named = () if features is None or features.bits else NAMES
    steps = () if transforms is None else transforms.state()
    contents.check_known("array", arrays, {*like, *named, *steps})
    found.features, found.columns, found.transforms = features, columns, transforms
    found.texts = texts
    if features is not None and not features.bits and len(features) != found.raw_dimension:
        raise ValueError("more names than weights, or fewer")
    if transforms is not None and transforms.core.columns != found.dimension:
        raise ValueError("more features than weights, or fewer")
    return found


def by_size(weights: Mapping[F, float], count: int) -> list[tuple[F, float]]:
    """Return the features with the largest weights, regardless of sign, largest first."""
    if not isinstance(count, (int, np.integer)) or count < 0:
        raise parameter("count", "a whole number of at least 0", count)
    ranked = sorted(weights.items(), key=lambda item: (-abs(item[1]), str(item[0])))
    return ranked[:count]


def all_rows(block: Block, result: tuple[AnyArray, int]) -> AnyArray:
    """Return the core's result for all rows, or say which row it refused and why."""
    values, done = result
    if done < len(block):
        raise InputError(f"row {done + 1}: {block.fault(done)}")
    return values


def finite(name: str, value: object, dimensions: int) -> FloatArray:
    """Return a read-only copy in float64; refuse numbers that are not finite."""
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name}: expected numbers, got {error}. Convert them first.") from None
    if array.ndim != dimensions:
        raise InputError(
            f"{name}: expected {dimensions} dimensions, got {array.ndim}. Reshape the array."
        )
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)][0]
        raise InputError(f"{name}: expected finite numbers, got {bad}. Rescale the features.")
    array.flags.writeable = False
    return array


def finite_number(name: str, value: object) -> float:
    """Return a finite float."""
    return float(finite(name, value, 0))


def whole(name: str, value: object, dtype: type[np.int32 | np.int64]) -> AnyArray:
    """Return a read-only vector of whole numbers that the type holds."""
    array = np.asarray(value)
    limits = np.iinfo(dtype)
    if array.size == 0:
        array = np.zeros(0, dtype)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{name}: expected whole numbers, got {array.dtype}. Convert them first.")
    if array.size and not limits.min <= int(array.min()) <= int(array.max()) <= limits.max:
        raise InputError(
            f"{name}: expected {dtype.__name__}, got {array.max()}. Use fewer features."
        )
    array = np.array(array, dtype=dtype)
    array.flags.writeable = False
    return array


def checked_labels(labels: tuple[Label, ...], count: int) -> tuple[Label, ...]:
    """Return the labels; refuse them unless there are ``count`` or none."""
    labels = tuple(labels)
    if labels and len(labels) != count:
        raise InputError(
            f"labels: expected {count} of them or none, got {len(labels)}. Name every one."
        )
    return labels
