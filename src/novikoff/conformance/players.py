"""Three protocols, played the same way; several forms of rows and labels."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from novikoff.errors import UnrealizableError
from novikoff.learners.protocols import is_probable
from novikoff.playing.run import Run
from novikoff.streams import stream
from novikoff.types import FloatArray, IntArray, Label

Rows = Literal["dense", "sparse", "mapping", "reversed", "float32"]
Answer = int | None
"""−1, +1, 0 if the learner reports a tie, or None if it cannot predict yet."""


class RefusedError(Exception):
    """The learner raised an error."""


class NotApplicableError(Exception):
    """A check says nothing about this learner; the message says why."""


@dataclass(frozen=True)
class Form:
    """How rounds are shown: the form of the rows, and the two labels."""

    rows: Rows = "dense"
    labels: tuple[Label, Label] | None = None
    """None for the protocol's own."""


PLAIN = Form()


class Player(ABC):
    """One learner behind one protocol, which sees rows in one form."""

    own_labels: ClassVar[tuple[Label, Label]] = (-1, 1)
    learner: Any  # the object that the protocol's methods are called on: anything

    def __init__(self, learner: object, form: Form) -> None:
        self.learner, self.form = learner, form
        self.labels = form.labels or self.own_labels

    def show(self, x: FloatArray) -> object:
        """Return a row in the learner's form, sharing no memory with x."""
        forms: dict[Rows, Callable[[FloatArray], object]] = {
            "dense": self.dense,
            "sparse": self.sparse,
            "mapping": mapping,
            "reversed": lambda x: dict(reversed(mapping(x).items())),
            "float32": lambda x: self.dense(x.astype(np.float32)),
        }
        return forms[self.form.rows](x)

    def dense(self, x: FloatArray) -> object:
        """All values in order."""
        return x.copy()

    @abstractmethod
    def sparse(self, x: FloatArray) -> object:
        """Only the values that are not 0."""

    @abstractmethod
    def ask(self, shown: object) -> object:
        """Call the learner's own predict."""

    @abstractmethod
    def tell(self, shown: object, label: Label) -> None:
        """Call the learner's own update."""

    @abstractmethod
    def batch(self, X: FloatArray, y: IntArray) -> None:
        """Learn from all rows in one call."""

    def score(self, x: FloatArray) -> float:
        """Return w·x and the intercept, if the learner gives them."""
        raise NotApplicableError("tells no score")

    def label(self, y: int) -> Label:
        """Return the learner's word for −1 or +1."""
        return None if y == 0 else self.labels[int(y > 0)]

    def predict(self, shown: object) -> Answer:
        """Return the label predicted for a row."""
        with refusing():
            return self.read(self.ask(shown))

    def predict_all(self, rows: FloatArray) -> list[Answer]:
        """Return the labels predicted for rows, each shown in the learner's form."""
        return [self.predict(self.show(x)) for x in rows]

    def update(self, shown: object, y: int) -> None:
        """Learn from one row."""
        with refusing():
            self.tell(shown, self.label(y))

    def learn(self, shown: object, y: int) -> Answer:
        """Play one round."""
        prediction = self.predict(shown)
        self.update(shown, y)
        return prediction

    def read(self, prediction: object) -> Answer:
        """Return what a prediction means."""
        if isinstance(prediction, (bool, np.bool_)):
            return 1 if prediction else -1
        for label, meaning in zip(self.labels, (-1, 1), strict=True):
            if prediction == label:
                return meaning
        if prediction is None or prediction == 0:
            return None if prediction is None else 0
        raise RefusedError(f"predicts {prediction!r} where the labels are {self.labels}")


class Updating(Player):
    """``predict(x)`` and ``update(x, y)``; a run maps labels other than −1 and +1."""

    def __init__(self, learner: object, form: Form) -> None:
        super().__init__(learner, form)
        self.multiclass = bool(getattr(learner, "multiclass", False))
        self.meanings: dict[Label, int] = {} if self.multiclass else {-1: -1, 1: 1}
        """What the learner's own labels mean; labels get class ids as they appear."""

    @cached_property
    def run(self) -> Run:
        """The run that maps labels and plays blocks."""
        if not self.multiclass:
            return Run(self.learner, labels=self.labels)
        if is_probable(self.learner):  # it gives every class a probability from round 1 on
            return Run(self.learner, labels=self.form.labels or (0, 1))
        return Run(self.learner)

    def sparse(self, x: FloatArray) -> object:
        """(indices, values)."""
        return x.nonzero()[0], x[x != 0]

    def ask(self, shown: object) -> object:
        """Predict."""
        return self.learner.predict(shown)

    def tell(self, shown: object, label: Label) -> None:
        """Update."""
        self.learner.update(shown, label)

    def label(self, y: int) -> Label:
        """Return the learner's own label, or the one that the run gets."""
        if self.form.labels or y == 0:
            return super().label(y)
        if y not in self.meanings.values():
            self.meanings[len(self.meanings)] = y
        return next(label for label, meaning in self.meanings.items() if meaning == y)

    def learn(self, shown: object, y: int) -> Answer:
        """Play one round; other labels go through the run."""
        if self.form.labels is None:
            return super().learn(shown, y)
        with refusing():
            return self.read(self.run.learn(shown, self.label(y)))

    def predict(self, shown: object) -> Answer:
        """Return the predicted label, whatever words stand for the labels."""
        with refusing():
            prediction = self.ask(shown)
        known = [meaning for label, meaning in self.meanings.items() if prediction == label]
        return known[0] if known else None if self.multiclass else 0

    def batch(self, X: FloatArray, y: IntArray) -> None:
        """Play the rows as one block."""
        self.run.play(stream(X.copy(), [self.label(int(v)) for v in y]))


class LearningOne(Player):
    """``predict_one(x)`` and ``learn_one(x, y)`` with dicts and labels False and True."""

    own_labels = (False, True)

    def dense(self, x: FloatArray) -> object:
        """Every feature by name."""
        return mapping(x)

    def sparse(self, x: FloatArray) -> object:
        """Without the zeros."""
        return {name: v for name, v in mapping(x).items() if v != 0}

    def ask(self, shown: object) -> object:
        """Predict."""
        return self.learner.predict_one(shown)

    def tell(self, shown: object, label: Label) -> None:
        """Update."""
        self.learner.learn_one(shown, label)

    def batch(self, X: FloatArray, y: IntArray) -> None:
        """Learn from a frame."""
        if not hasattr(self.learner, "learn_many"):
            raise NotApplicableError("has no learn_many")
        try:
            import pandas as pd
        except ImportError:
            raise NotApplicableError("learn_many takes frames, and pandas is not there") from None
        frame = pd.DataFrame(X.copy(), columns=list(mapping(X[0])))
        self.learner.learn_many(frame, pd.Series([self.label(int(v)) for v in y]))

    def score(self, x: FloatArray) -> float:
        """The logit of the probability."""
        try:
            p = float(self.learner.predict_proba_one(self.dense(x))[True])
        except (AttributeError, NotImplementedError, KeyError):
            return super().score(x)
        return float(np.log(p) - np.log1p(-p))


class Fitting(Player):
    """``partial_fit(X, y, classes)`` and ``predict(X)`` with matrices."""

    def dense(self, x: FloatArray) -> object:
        """A matrix of one row."""
        return np.atleast_2d(x).copy()

    def sparse(self, x: FloatArray) -> object:
        """A CSR matrix of one row."""
        import scipy.sparse as sp

        return sp.csr_matrix(self.dense(x))

    def ask(self, shown: object) -> object:
        """Predict; nothing before the first round."""
        if not hasattr(self.learner, "classes_"):
            return None
        found = self.learner.predict(shown)[0]
        return found.item() if hasattr(found, "item") else found

    def predict_all(self, rows: FloatArray) -> list[Answer]:
        """One call for all rows, because each call checks its matrix."""
        if self.form.rows == "mapping" or not hasattr(self.learner, "classes_"):
            return super().predict_all(rows)
        with refusing():
            return [self.read(p) for p in self.learner.predict(self.show(rows)).tolist()]

    def tell(self, shown: object, label: Label) -> None:
        """Update."""
        self.learner.partial_fit(shown, np.array([label]), classes=np.array(self.labels))

    def batch(self, X: FloatArray, y: IntArray) -> None:
        """One call for all rows."""
        labels = np.array([self.label(int(v)) for v in y])
        self.learner.partial_fit(X.copy(), labels, classes=np.array(self.labels))

    def score(self, x: FloatArray) -> float:
        """The decision function."""
        if not hasattr(self.learner, "decision_function"):
            return super().score(x)
        if not hasattr(self.learner, "classes_"):
            return 0.0
        return float(np.ravel(self.learner.decision_function(self.dense(x)))[0])


def mapping(x: FloatArray) -> dict[str, float]:
    """A row as a dict, with Python floats, or with the array's own floats if they are shorter."""
    values = x.tolist() if x.dtype == np.float64 else list(x)
    return {f"x{j}": v for j, v in enumerate(values)}


@contextmanager
def refusing() -> Iterator[None]:
    """Turn whatever a learner raises into one error."""
    try:
        yield
    except (RefusedError, NotApplicableError):
        raise
    except UnrealizableError as error:
        raise NotApplicableError(
            f"refuses labels that none of its hypotheses gives: {error}"
        ) from None
    except Exception as error:
        said = " ".join(str(error).split())
        raise RefusedError(f"{type(error).__name__}: {said[:120]}") from error


PROTOCOLS: list[tuple[type[Player], tuple[str, str]]] = [
    (LearningOne, ("predict_one", "learn_one")),
    (Fitting, ("predict", "partial_fit")),
    (Updating, ("predict", "update")),
]
