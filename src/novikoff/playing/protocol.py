"""What a run asks of a protocol: labelled rounds, experts or arms."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from novikoff import _core
from novikoff.learners.learner import Kind, Learner, Saved
from novikoff.playing.labelled import LabelledRounds
from novikoff.playing.ledger import Ledger
from novikoff.playing.options import TAKEN, refuse_ignored
from novikoff.playing.progress import Report
from novikoff.playing.saved_run import SavedRun
from novikoff.streams import LabelMap, Stream
from novikoff.streams.labels.declared import Declared
from novikoff.streams.labels.label_order import LabelOrder
from novikoff.types import Label

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    L_co = TypeVar("L_co", covariant=True, default=Any)
else:
    from typing import TypeVar

    L_co = TypeVar("L_co", covariant=True)
L = TypeVar("L")
"""The type of a run's learner: ``Run`` alone is a run of any learner."""


class RoundProtocol(Protocol):
    """How rounds of one kind are encoded, played, tallied and settled.

    A play calls ``adopt`` and ``prepare`` with its stream; then, for each pass, ``play_block`` for
    each of its ``blocks``, and ``end_pass``; in the end ``clean_up``, whatever happens.
    """

    labels: LabelMap
    kind: Kind
    """Which rounds it plays."""
    passes: int
    """The passes over the stream, including the current one."""
    digested: bool
    """Whether the digest has the stream's rounds already, from an earlier pass."""
    rereads: bool
    """Whether even one pass reads the stream more than once, and it wants to be prepared."""

    @property
    def saved_as(self) -> str:
        """The kind of file that a run is saved as."""
        ...

    @property
    def ledger(self) -> Ledger:
        """What the run did."""
        ...

    @property
    def class_weights(self) -> dict[Label, float]:
        """The weight of each label's updates."""
        ...

    @property
    def max_weight(self) -> float | None:
        """The largest weight that a round may have, if it is declared."""
        ...

    @property
    def threshold(self) -> float | None:
        """The probability from which on the run decides on the positive label."""
        ...

    @property
    def in_hand(self) -> object | None:
        """What is being played, or what an exception ended: not all agrees with it yet."""
        ...

    @property
    def keeps_labels(self) -> bool:
        """Whether it can never take another label, whatever is declared."""
        ...

    def stream_of(self, source: object) -> Stream:
        """Take a stream as it is, and other data as the stream that the learner plays."""
        ...

    def adopt(self, source: Stream) -> None:
        """Take over what a stream says about its rounds, or refuse the stream."""
        ...

    def declare(self, labels: Declared) -> None:
        """Allow only these labels from now on, or any label."""
        ...

    def prepare(self, source: Stream) -> None:
        """Prepare for the passes over a stream."""
        ...

    def clean_up(self) -> None:
        """Clean up after the passes over a stream."""
        ...

    def name_columns(self, names: tuple[str, ...]) -> None:
        """Hear what the columns of the next block are called."""
        ...

    def blocks(self, source: Stream, played: int) -> Iterator[Any]:
        """Yield the rounds of a stream that were not played yet, in blocks."""
        ...

    def play_block(self, rounds: Any, report: Report | None, order: LabelOrder) -> None:
        """Play a block of rounds, and note the order of its labels.

        What it reports does not say how many rounds there will be: that is known to the caller.
        """
        ...

    def end_pass(self, source: Stream) -> None:
        """Note that a whole pass was played."""
        ...

    def learn(self, run: _core.Rounds, x: object, y: Label, weight: float) -> Label | None:
        """Play one round; return the prediction."""
        ...

    def settle(self, midway: bool) -> None:
        """Make everything agree with the rounds played, after an exception or inside a block."""
        ...

    def forget(self, run: _core.Rounds) -> None:
        """Check the next round in Python before any goes straight to the core again."""
        ...

    def check_labels(self) -> None:
        """Refuse labels that a file cannot hold."""
        ...

    def state(self) -> SavedRun:
        """Return what a saved run remembers besides its ledger and its learner."""
        ...


def kind_of(learner: object) -> Kind:
    """Return which rounds a learner plays; a foreign learner plays labelled ones."""
    kind: Kind = getattr(learner, "protocol", "labelled")
    return kind if kind == "labelled" or isinstance(learner, Saved) else "labelled"


SAVED = ("Run", "RegretRun")
"""The kinds of files that runs are saved as: ``saved_as`` of each protocol."""


def saved(kind: str) -> tuple[type[Saved], Callable[..., RoundProtocol]]:
    """Return, for a kind of file, the base of its learners and what restores a run's protocol."""
    if kind == LabelledRounds.saved_as:
        return Learner, LabelledRounds.restored
    from novikoff.learners.experts.regret_learner import RegretLearner
    from novikoff.playing.regret_rounds import RegretRounds

    return RegretLearner, RegretRounds.restored


def protocol_of(learner: object, options: Mapping[str, object]) -> RoundProtocol:
    """Return the protocol of a learner's rounds, with the options of its run."""
    kind = kind_of(learner)
    labelled: Callable[..., RoundProtocol] = LabelledRounds
    if kind == "labelled":  # it takes all options
        return labelled(learner, **options)
    from novikoff.playing.regret_rounds import RegretRounds

    regretted: Callable[..., RoundProtocol] = RegretRounds
    refuse_ignored(kind, type(learner).__name__, options)
    return regretted(learner, **{name: options[name] for name in TAKEN[kind] if name in options})
