"""The base of river models: a run behind river's protocol."""

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np

from novikoff.errors import InputError, NovikoffError, parameter
from novikoff.extras import missing
from novikoff.learners import FeatureLearner
from novikoff.playing.run import Run
from novikoff.streams.labels.binary_labels import BinaryLabels, StrangerError
from novikoff.streams.labels.declared import Declared, StrayError, is_missing, plain
from novikoff.types import Label

try:
    from river import base, utils
except ModuleNotFoundError:
    raise missing("river", "novikoff.river") from None

Features = dict[Any, Any]
ClassWeight = Mapping[Label, float]
Answer = TypeVar("Answer")
_LABELS = (bool, int, float, str, bytes, np.generic)
_MORE_LABELS = (
    "Name all labels in BlendClassifier(labels=[…]), or use MulticlassPerceptronClassifier."
)


class RiverModel(base.MiniBatchClassifier):
    """The protocol: river's methods around a run; each model makes its learner."""

    run: Run
    """The learner and its ledger: ``model.run.ledger`` is the receipt."""
    _numbered = False  # whether it has learned a row in which names are numbers
    _first: Label = None  # the label met first, until another one makes the pair

    def __init__(
        self,
        learner: FeatureLearner,
        class_weight: ClassWeight | None = None,
        max_weight: float | None = None,
        labels: Declared = (),
    ) -> None:
        weights = _in_every_spelling(class_weight)
        self.run = Run(learner, labels=labels, class_weights=weights, max_weight=max_weight)

    def learn_one(self, x: Features, y: Label, w: float = 1.0) -> None:
        """Play the round of x and y; the weight scales the update."""
        self._play(x, y, w)

    def predict_one(self, x: Features) -> Label | None:  # type: ignore[override]  # no option is ignored
        """Predict the label of x; None if there is no label to predict."""
        if self._numbered:
            return self._named(self._asked(self._code, x))
        try:
            code = self._code(x)
        except InputError:
            code = self._asked(self._code, x)
        return self._named(code)

    def _asked(self, ask: Callable[[Features], Answer], x: Features) -> Answer:
        """Ask about x; look at the names only if one was refused."""
        if self._numbered:
            x = _with_texts(x)
        try:
            return ask(x)
        except InputError:
            renamed = _with_texts(x)
            if renamed is x:
                raise
        return ask(renamed)

    def predict_and_learn_one(self, x: Features, y: Label, w: float = 1.0) -> Label | None:
        """Play the round in one go; return the prediction of the current w, made before it sees y.

        The ledger counts this prediction. ``predict_one`` gives the same, unless a model predicts
        with more than the current w.
        """
        return self._play(x, y, w)

    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """Learn every row of a frame in turn, exactly as ``learn_one`` does.

        w is one weight, or a series of them. Rows before a refused one stay learned.
        """
        rows, labels = _rows(X), utils.dataframe.into_series(y).to_list()
        weights = utils.dataframe.into_series(w).to_list() if hasattr(w, "__len__") else None
        for name, given in (("y", labels), ("w", weights)):
            if given is not None and len(given) != len(rows):
                raise InputError(
                    f"{name}: expected one for each of the {len(rows)} rows of X, got "
                    f"{len(given)}. Pass a series of the same length."
                )
        for t, (x, label) in enumerate(zip(rows, labels, strict=True)):
            try:
                self.learn_one(x, label, w if weights is None else weights[t])
            except InputError as error:
                raise InputError(f"row {t + 1}, {error}") from None

    def predict_many(self, X: Any) -> Any:
        """Predict the label of every row of a frame, exactly as ``predict_one`` does."""
        found = [self.predict_one(x) for x in _rows(X)]
        return utils.dataframe.to_native_series(
            found, name=None, like=utils.dataframe.into_frame(X)
        )

    def _play(self, x: Features, y: Label, w: float) -> Label | None:
        """Play a round and return what it predicted; the first labels are met with care."""
        if self._first is not None:
            return self._play_early(self._first, x, y, w)
        try:
            found = self._play_row(x, y, w)
        except (StrangerError, StrayError) as error:
            if not _is_label(y):
                raise self._no_label(y) from None
            if not self._is_open:
                raise error.advising(_MORE_LABELS) from None
        else:
            return found if self.run.labels.known else self._named(found)
        return self._begin(x, y, w)

    def _play_row(self, x: Features, y: Label, w: float) -> Label | None:
        """Play a round; look at the names only if one was refused."""
        if self._numbered:
            x = _with_texts(x)
        try:
            found: Label | None = self.run.learn(x, y) if w == 1 else self.run.learn(x, y, w)
            return found
        except InputError:
            renamed = _with_texts(x)
            if renamed is x:
                raise
        found = self.run.learn(renamed, y, 1.0 if w == 1 else w)
        self._numbered = True
        return found

    @property
    def _is_open(self) -> bool:
        """Whether any label can be one of the two, because no pair is known."""
        labels = self.run.labels
        return isinstance(labels, BinaryLabels) and labels.positive is None and not labels.known

    def _no_label(self, y: object) -> InputError:
        return InputError(
            where=f"round {self.run.ledger.rounds + 1}",
            expected="a label: a text, a number, a bool or a tuple of them",
            got=repr(y),
            remedy="Drop the round or name its class.",
        )

    def _begin(self, x: Features, y: Label, w: float) -> Label | None:
        """Play the first round whose label is not one of the usual ones.

        The first label counts as +1. If there were rounds before, all had the label 1.
        """
        protocol, before = self.run._protocol, self.run.labels
        assert isinstance(before, BinaryLabels)
        first = 1 if self.run.ledger.rounds else plain(y)
        protocol.labels, self._first = before.against(first), first
        try:
            return self._play_early(first, x, y, w)
        except NovikoffError:
            protocol.labels, self._first = before, None
            raise

    def _play_early(self, first: Label, x: Features, y: Label, w: float) -> Label | None:
        """Play a round of the first label, or of another one, which then makes the pair."""
        pair = (first, plain(y))
        same = first == pair[1]
        strange = [label for label in self.run.class_weights if label not in pair]
        if strange and not same:
            expected = f"weights of the labels {pair[0]!r} and {pair[1]!r}"
            raise parameter("class_weight", expected, strange[0])
        if not _is_label(y):
            raise self._no_label(y)
        found = self._play_row(x, y, w)
        if not same:
            self.run.declare(pair)
            self._first = None
        return first if found == first else None

    def _code(self, x: Features) -> int:
        """Predict with the current w, in the learner's labels."""
        code: int = self.run.learner.predict(x)
        return code

    def _named(self, code: Any) -> Label | None:
        """Return the user's label for −1 or +1; None for an abstention."""
        return self._pair[code > 0] if code else None

    @property
    def _pair(self) -> tuple[Label, ...]:
        """The two labels as the user writes them; bools until the user has shown a negative one.

        None stands for the other label while the first one is the only one met.
        """
        stand_in = (False, True) if self._first is None else (None, self._first)
        return self.run.labels.known or stand_in

    @property
    def _raw_memory_usage(self) -> int:
        # River counts Python objects, but weights and the rounds of mistakes are in the core.
        core: int = self.run.learner.nbytes + self.run.ledger.mistake_rounds.nbytes
        return super()._raw_memory_usage + core


class LabelModel(RiverModel):
    """A model that has labels only: a margin is not a probability."""

    def predict_proba_one(self, x: Features, **_: object) -> NoReturn:
        """Refuse: a margin is not a probability."""
        raise _no_probabilities("predict_proba_one")

    def predict_proba_many(self, X: object) -> NoReturn:
        """Refuse: a margin is not a probability."""
        raise _no_probabilities("predict_proba_many")


class LossModel(RiverModel):
    """A model whose learner gives probabilities."""

    def predict_proba_one(self, x: Features, **_: object) -> dict[Any, float]:
        """Return the probability of each label of x, and change nothing."""
        found = self._asked(self.run.learner.probability, x)
        if not isinstance(found, float):
            return dict(zip(self.run.labels.every, found.tolist(), strict=True))
        pair = zip(self._pair, (1 - found, found), strict=True)
        return {label: p for label, p in pair if label is not None}

    def predict_proba_many(self, X: Any) -> Any:
        """Return the probabilities of every row of a frame: one column per label."""
        found = [self.predict_proba_one(x) for x in _rows(X)]
        labels = found[0] if found else [label for label in self._pair if label is not None]
        columns = {label: [one[label] for one in found] for label in labels}
        return utils.dataframe.to_native_frame(columns, like=utils.dataframe.into_frame(X))


def _rows(X: Any) -> list[Features]:
    """Return the rows of a frame as ``learn_one`` takes them."""
    rows: list[Features] = utils.dataframe.into_frame(X).rows(named=True)
    return rows


def _with_texts(x: Features) -> Features:
    """Return the row with texts in place of names that are numbers; the row itself if none is."""
    if not (isinstance(x, dict) and any(_is_number(name) for name in x)):
        return x
    found = {str(name) if _is_number(name) else name: value for name, value in x.items()}
    if len(found) < len(x):
        twice = next(str(name) for name in x if _is_number(name) and str(name) in x)
        raise InputError(
            f"x: expected names that differ as texts, got {twice!r} as a string and as a number. "
            "Rename one of them."
        ) from None
    return found


def _is_label(y: object) -> bool:
    """Say whether a model can take y as one of its labels."""
    parts = y if isinstance(y, tuple) else (y,)
    return all(isinstance(part, _LABELS) and not is_missing(part) for part in parts)


def _is_number(name: object) -> bool:
    return type(name) is int or isinstance(name, np.integer)


def _no_probabilities(method: str) -> NotImplementedError:
    return NotImplementedError(
        f"{method}: expected a question for a label, got one for a probability; a margin is not "
        "one. Ask predict_one; count with metrics of labels (Accuracy, F1) rather than ROCAUC or "
        "LogLoss; for many classes use MulticlassPerceptronClassifier or OneVsOneClassifier; for "
        "probabilities novikoff.sklearn within scikit-learn's CalibratedClassifierCV."
    )


def _in_every_spelling(weights: ClassWeight | None) -> ClassWeight | None:
    """Return the weights of the classes, bools under every label that stands for one of them."""
    if weights is None:
        return None
    expected = "None or a dict with the weight of each label, {label: weight}"
    if not isinstance(weights, Mapping):
        raise parameter("class_weight", expected, weights)
    if any(label not in (-1, 0, 1) for label in weights):
        return weights
    expected = "None or a dict with the weight of False, of True, or of both"
    found: dict[Label, float] = {}
    for label, weight in weights.items():
        if label in (-1, 0) and 0 in found:
            raise parameter("class_weight", expected, weights)
        found |= {1: weight} if label == 1 else {-1: weight, 0: weight}
    return found
