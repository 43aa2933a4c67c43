"""What every hypothesis offers."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from novikoff import storage
from novikoff.errors import InputError
from novikoff.streams import BinaryLabels, Block, ClassLabels, as_block, one_row
from novikoff.types import AnyArray, Label


class Hypothesis(ABC):
    """A frozen h: ``h(x)`` for one x, ``predict(X)`` and ``scores(X)`` for many.

    Predictions are the user's labels where the hypothesis knows them (``labels``), and −1 and
    +1, or class ids, where it does not.
    """

    kinds: ClassVar[dict[str, type["Hypothesis"]]] = {}
    multiclass: ClassVar[bool] = False
    labels: tuple[Label, ...]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Hypothesis.kinds[cls.__name__] = cls

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._restore, (*self._state(), self.labels)

    def __call__(self, x: Any) -> Any:
        """Predict the label of one x."""
        found = self._decode(self._native_predictions(self._fitting(one_row(x))))[0]
        return found.item() if isinstance(found, np.generic) else found

    def predict(self, X: Any) -> AnyArray:
        """Predict the label of every row."""
        return self._decode(self._native_predictions(self._fitting(as_block(X))))

    def scores(self, X: Any) -> AnyArray:
        """Score every row, in plain floats; the larger, the more positive."""
        return self._native_scores(self._fitting(as_block(X)))

    def save(self, path: storage.PathLike) -> None:
        """Write the hypothesis to a file of its own (safetensors)."""
        metadata, arrays = self._state()
        labels = storage.plain_labels(self.labels)
        storage.write(path, type(self).__name__, metadata | {"labels": labels}, arrays)

    @classmethod
    def load(cls, path: storage.PathLike) -> Self:
        """Read a hypothesis; on ``Hypothesis`` any kind, on a subclass that kind."""
        kinds = tuple(Hypothesis.kinds) if cls is Hypothesis else (cls.__name__,)
        kind, metadata, arrays = storage.read(path, kinds)
        with storage.intact(path):
            labels = tuple(metadata.pop("labels"))
            return Hypothesis.kinds[kind]._restore(metadata, arrays, labels)  # type: ignore[return-value]

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number of features."""

    @abstractmethod
    def with_labels(self, labels: tuple[Label, ...]) -> Self:
        """Return the same hypothesis speaking these labels."""

    @abstractmethod
    def _native_predictions(self, block: Block) -> AnyArray: ...

    @abstractmethod
    def _native_scores(self, block: Block) -> AnyArray: ...

    @abstractmethod
    def _state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]: ...

    @classmethod
    @abstractmethod
    def _restore(
        cls, metadata: dict[str, Any], arrays: dict[str, AnyArray], labels: tuple[Label, ...]
    ) -> Self: ...

    def _fitting(self, block: Block) -> Block:
        if block.dense and block.columns != self.dimension:
            raise InputError(
                f"X: expected {self.dimension} features, got {block.columns}. Pass the features "
                "learned from, or sparse rows, whose unknown features weigh 0."
            )
        return block

    def _decode(self, predictions: AnyArray) -> AnyArray:
        if not self.labels:
            return predictions.astype(np.int64)
        known = ClassLabels(self.labels) if self.multiclass else BinaryLabels(known=self.labels)
        return known.decode(predictions)


def all_rows(block: Block, result: tuple[AnyArray, int]) -> AnyArray:
    """Return what the core computed, or say which row it refused and why."""
    values, done = result
    if done < len(block):
        raise InputError(f"row {done + 1}: {block.fault(done)}")
    return values


def frozen(array: Any, dtype: Any = np.float64) -> AnyArray:
    """Return a read-only contiguous copy that nobody else holds."""
    copy = np.array(array, dtype=dtype, order="C")
    copy.flags.writeable = False
    return copy
