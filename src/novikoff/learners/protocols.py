"""What playing asks of a learner: protocols; a learner fulfils one by having its members.

A run plays labelled rounds with a ``BlockLearner``. Every other object with ``predict`` and
``update`` is played row by row: ``playing/row_by_row.py`` makes a ``BlockLearner`` of it.
"""

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar, runtime_checkable

from novikoff import _core
from novikoff.errors import ParameterError
from novikoff.learners.learner import Learner, Slice
from novikoff.streams import Block, LabelMap, Stream
from novikoff.streams.labels.declared import Declared
from novikoff.types import AnyArray, FloatArray, Label

Code = TypeVar("Code", bound=float)
"""What a learner calls labels: −1 and +1 or class ids, or real numbers as they are."""
Row: TypeAlias = dict[Any, Any]
"""A row of named features, as the user wrote it: the core looks at every name and value."""


class BlockLearner(Protocol):
    """A learner that plays whole blocks of labelled rounds.

    The loop calls, for each block: ``fitting`` (which may refuse the form of its rows),
    ``play_rows`` for one slice after another, and ``fix_form`` once some of its rounds are played.
    """

    @property
    def plays_blocks(self) -> bool:
        """Whether ``play_rows`` does what ``predict`` and ``update`` do.

        False if a subclass has changed those two: the loop then calls them row by row.
        """
        ...

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played."""
        ...

    @property
    def multiclass(self) -> bool:
        """Whether labels are class ids 0, 1, … rather than −1 and +1."""
        ...

    @property
    def takes_weights(self) -> bool:
        """Whether a weight scales the update of a round."""
        ...

    @property
    def features(self) -> Any:
        """The encoder: it numbers the features of named rows, and encodes rounds for the digest."""
        ...

    def declare(self, tally: _core.Tally) -> None:
        """Tell a tally which measures the learner has besides the counts, if any."""
        ...

    def label_map(self, positive: Label | None, labels: Declared) -> LabelMap:
        """Return the user's label map: ``positive`` is the label of +1, ``labels`` are declared.

        The first declared labels are those that the learner already has numbers for.
        """
        ...

    def stream_of(self, source: object) -> Stream:
        """Take a stream as it is, and other data as the stream that the learner plays."""
        ...

    def block_of(self, x: object) -> Block:
        """Take one x as a block of one row."""
        ...

    def fitting(self, block: Block) -> Block:
        """Return rows as the learner takes them; refuse rows that it cannot learn from."""
        ...

    def fix_form(self, block: Block) -> None:
        """Remember the form of the rows played: later rows must have the same form."""
        ...

    def checked_weights(self, weights: object, count: int) -> FloatArray:
        """Return one weight for each round, or say why the learner takes none."""
        ...

    def learn_row(
        self, block: Block, code: Any, tally: _core.Tally, weights: FloatArray | None
    ) -> object:
        """Play the one round of a block of one row that fits; return the prediction."""
        ...

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first one refused, or where they stop."""
        ...


class SurveyingLearner(BlockLearner, Protocol):
    """A learner that needs every feature before its first round (``batch``)."""

    def survey(self, source: Stream) -> None:
        """Take note of every feature of a stream."""
        ...

    def forget_survey(self) -> None:
        """Forget the features if no round was played."""
        ...


class QuickLearner(BlockLearner, Protocol):
    """A learner whose rounds with a dict need no Python between ``Run.learn`` and the core."""

    def quicken(
        self,
        run: _core.Rounds,
        tally: _core.Tally,
        codes: dict[Label, int],
        names: list[Label],
        weights: dict[Label, float],
    ) -> None:
        """Let a run's next round go straight to the core if it has a dict and a known label."""
        ...


@runtime_checkable
class ProbabilisticLearner(Protocol):
    """A learner that says how likely each label is."""

    def probability(self, x: object) -> float | FloatArray | Mapping[Label, float]:
        """Return the probability that the label of x is +1; changes nothing.

        A learner with many classes returns an array: one probability for each class id. If it
        knows the user's labels, it may return a dict.
        """
        ...


class TwoLabelProbabilities(Protocol):
    """A learner with two labels that says how likely the positive one is."""

    def probability(self, x: object) -> float:
        """Return the probability that the label of x is +1; changes nothing."""
        ...


@runtime_checkable
class ProbabilisticHypothesis(Protocol):
    """A hypothesis that says how likely each label is."""

    labels: tuple[Label, ...]

    def probabilities(self, X: object) -> FloatArray:
        """Return the probability of the positive label, labels[1], for every row.

        With many classes, return an array with one row per x and one column per label, in the
        order of ``labels``.
        """
        ...


class NativeRule(Protocol[Code]):
    """A rule of the core: what every rule offers to Python (``core/bind/rules.hpp``)."""

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        ...

    @property
    def dimension(self) -> int:
        """The number of features seen so far."""
        ...

    @property
    def bytes(self) -> int:
        """The memory that the weights hold."""
        ...

    def norm(self) -> float:
        """‖w‖."""
        ...

    def saturated(self) -> bool:
        """Say whether a weight is beyond the range of float64."""
        ...

    def grow(self, dimension: int) -> None:
        """Make room for this many features."""
        ...

    def predict(self, block: _core.Block) -> tuple[AnyArray, int]:
        """Return predictions, and the first row refused or the number of rows."""
        ...

    def predict_vector(self, x: FloatArray) -> Code | None:
        """Return the prediction for a dense vector; None if it is refused."""
        ...

    def predict_numbers(self, x: object) -> Code | None:
        """Return the prediction for a list or tuple of numbers; None if it is another x."""
        ...

    def predict_named(self, features: _core.Features, x: Row) -> Code | None:
        """Return the prediction for a dict; None if it is not an x."""
        ...

    def learn_row(
        self,
        block: _core.Block,
        label: Code,
        tally: _core.Tally,
        weight: float,
        transforms: _core.Transforms | None = None,
    ) -> Code | None:
        """Play the one round of a block of one row; return the prediction, None if refused."""
        ...

    def learn_named(
        self,
        features: _core.Features,
        x: Row,
        label: Code,
        tally: _core.Tally | None,
        weight: float,
        transforms: _core.Transforms | None = None,
    ) -> Code | None:
        """Play one round with a dict; return the prediction, None if it is refused."""
        ...

    def play(
        self,
        block: _core.Block,
        labels: AnyArray,
        start: int,
        stop: int,
        tally: _core.Tally,
        weights: FloatArray | None,
        transforms: _core.Transforms | None = None,
    ) -> int:
        """Play rounds [start, stop) of a block; return the first refused, or stop."""
        ...

    def play_named(  # noqa: PLR0913, PLR0917 — as the core has it
        self,
        features: _core.Features,
        rows: list[Row],
        labels: AnyArray,
        start: int,
        stop: int,
        tally: _core.Tally,
        weights: FloatArray | None,
        transforms: _core.Transforms | None = None,
    ) -> int:
        """Play rounds with dicts; return the first refused, or stop."""
        ...

    def play_chunk(  # noqa: PLR0913, PLR0917 — as the core has it
        self,
        features: _core.Features,
        chunk: _core.Chunk,
        first: int,
        labels: AnyArray,
        start: int,
        stop: int,
        tally: _core.Tally,
        weights: FloatArray | None,
        transforms: _core.Transforms | None = None,
    ) -> int:
        """Play rounds with the rows of a chunk of a file; return the first refused, or stop."""
        ...

    def quicken(
        self,
        rounds: _core.Rounds,
        features: object,
        tally: object,
        codes: dict[Label, int],
        names: list[Label],
        weights: dict[Label, float],
        transforms: _core.Transforms | None = None,
    ) -> None:
        """Let a run's rounds with a dict go straight to the rule."""
        ...

    def declare(self, tally: _core.Tally) -> None:
        """Tell a tally which measures the rule has besides the counts."""
        ...

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        ...

    def state(self) -> dict[str, AnyArray]:
        """Return the weights, and everything that goes with them, as plain arrays."""
        ...


class NativeScores(NativeRule[int], Protocol):
    """A rule of the core that predicts by the sign of one score (``core/bind/scores.hpp``)."""

    def scores(self, block: _core.Block) -> tuple[FloatArray, int]:
        """Return scores, and the first row refused or the number of rows."""
        ...

    def score_named(self, features: _core.Features, x: Row) -> float | None:
        """Return the score of a dict; None if it is not an x."""
        ...

    def halfspace(self) -> tuple[float, FloatArray]:
        """Return the constant feature's weight and the features' weights, for people."""
        ...


def plays_blocks(learner: object) -> TypeGuard[BlockLearner]:
    """Say whether a learner plays whole blocks; if not, its rows are played one by one."""
    return getattr(learner, "plays_blocks", False) is True


def surveys(learner: BlockLearner) -> TypeGuard[SurveyingLearner]:
    """Say whether a learner needs every feature before its first round."""
    return hasattr(learner, "survey")


def is_probable(learner: object) -> TypeGuard[ProbabilisticLearner]:
    """Say whether a learner gives probabilities; ``isinstance`` of a protocol is slow."""
    return callable(getattr(learner, "probability", None))


class ManyLabelled(Protocol):
    """A learner that becomes another one if there are more than two labels."""

    def for_labels(self, count: int) -> Learner:
        """Return the learner for this many labels; itself for two."""
        ...


def fits_labels(learner: object) -> TypeGuard[ManyLabelled]:
    """Say whether a learner asks how many labels there are, before round 1."""
    return hasattr(learner, "for_labels")


def takes_labels(learner: BlockLearner | Learner, labels: tuple[Label, ...]) -> bool:
    """Say whether one run of a learner can have all these labels."""
    if fits_labels(learner):
        return True
    try:
        learner.label_map(None, labels)
    except ParameterError:
        return False
    return True


def scales_loss(learner: object) -> bool:
    """Say whether a weight scales the loss of a round, which needs a largest weight."""
    return getattr(learner, "scales_loss", False) is True


def room_of(learner: object) -> int | None:
    """Return how many features a learner has room for; None if for any number."""
    room: int | None = getattr(learner, "room", None)
    return room


def is_quick(learner: BlockLearner) -> TypeGuard[QuickLearner]:
    """Say whether a learner's rounds with a dict can go straight to the core."""
    return hasattr(learner, "quicken")
