"""Runs: a learner, its stream and its ledger. Round by round, rounds are played only here."""

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self, cast, overload

from novikoff.errors import parameter
from novikoff.html_tables import fact_table
from novikoff.interrupts import waiting
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Learner, Saved, rebuilt
from novikoff.learners.protocols import TwoLabelProbabilities, fits_labels, is_probable
from novikoff.learners.unknown_features import warn_of_kinds, warn_of_unknown
from novikoff.other_names import OF_RUN, hinting
from novikoff.playing.decision_thresholds import check_decidable, checked_threshold, decided
from novikoff.playing.labelled import LabelledRounds
from novikoff.playing.options import no_prediction, refuse_unlearned
from novikoff.playing.passes import checked_unfinished, left_at
from novikoff.playing.probability import check_probable, probabilities_of, probability_of
from novikoff.playing.protocol import SAVED, L_co, protocol_of, saved
from novikoff.playing.saved_run import SavedRun, is_of_ledger, is_saved
from novikoff.playing.stream_player import StreamPlayer
from novikoff.saving import storage
from novikoff.streams import as_block
from novikoff.streams.files.headers import checked_columns, checked_table
from novikoff.streams.labels.declared import Declared, checked_declaration
from novikoff.streams.labels.label_maps import label_array
from novikoff.types import AnyArray, Arrays, Label

if TYPE_CHECKING:  # most runs ask nothing
    from novikoff.playing.asks import Ask, Asks, Id, Probability
    from novikoff.playing.run_plot import Allowed, RunPlot


@hinting(OF_RUN)
class Run(StreamPlayer[L_co]):
    """A learner with a record of what it did: play it on whole streams, or round by round.

    - ``learner`` may be any object with ``predict`` and ``update``.
    - ``positive`` is the label that counts as +1. Predictions are labels as you wrote them.
    - ``labels`` declares all labels: (that of −1, that of +1), or all of them beside ``positive``,
      or the classes, beginning with those that a used learner already knows. The run then refuses
      any other label. Undeclared, it accepts new ones until it has played a whole file; with
      ``labels="open"``, always.
    - ``class_weights`` scales the updates of rounds by their label, {label: weight}. ``max_weight``
      is the largest weight of a round; learners for losses need it before the first one.
    - ``threshold``: from this probability on, ``predict``, ``predict_one`` and ``ask`` give the
      positive label. Mistakes are still counted by the learner's own rule.
    - ``digest`` asks for the SHA-256 of the data (the first pass over each stream).

    A learner with experts or arms plays environments; a matrix of losses is replayed. One with
    experts also plays labelled streams: rows of advice, −1 or +1 for each expert, and outcomes;
    with a pool of learners, any rows. It takes only ``positive`` of these options; a learner with
    arms takes none.

    >>> import novikoff as nv
    >>> run = nv.Run(nv.Perceptron(), positive="spam")
    >>> run.learn({"free": 1, "money": 1}, "spam"), run.learn({"dinner": 1}, "ham")
    ('spam', 'spam')
    >>> run.mistakes, run.predict_one({"dinner": 1})
    (1, 'ham')
    """

    _looked = False  # at the first x to predict

    def __init__(
        self,
        learner: L_co,
        *,
        positive: Label | None = None,
        labels: Declared = (),
        class_weights: Mapping[Any, float] | None = None,
        max_weight: float | None = None,
        threshold: float | None = None,
        digest: bool = False,
    ) -> None:
        labels = checked_declaration(labels)
        options = {
            "positive": positive,
            "labels": labels,
            "class_weights": class_weights,
            "max_weight": max_weight,
            "threshold": threshold,
            "digest": digest,
        }
        if isinstance(labels, tuple) and labels and positive is None and fits_labels(learner):
            learner = cast("L_co", learner.for_labels(len(labels)))
        super().__init__(learner, protocol_of(learner, options), options)

    def __repr__(self) -> str:
        return f"Run({self.learner!r}, {self.ledger!r})"

    def _repr_html_(self) -> str:
        facts = [("learner", repr(self.learner)), *self.ledger.facts]
        return fact_table(f"Run: {self.ledger.headline}", facts)

    def plot(self, bounds: "Iterable[Allowed]" = ()) -> "RunPlot":
        """Draw mistakes, losses or regret over rounds, beside the bounds you pass (``bounds``).

        A notebook shows what this returns; its ``save`` writes a file. Needs matplotlib.
        """
        from novikoff.playing.run_plot import run_plot

        return run_plot(self.ledger, bounds)

    def fresh(self) -> Self:
        """Return a run that has played nothing, of a fresh learner that knows the same labels."""
        learner: Any = self.learner
        declared = self.labels.allowed if learner.multiclass else ()
        found = type(self)(learner.fresh(), labels=declared, max_weight=self.max_weight)
        found._protocol.labels = self.labels.copy()
        return found

    def continued(self) -> Self:
        """Return a run that goes on from here: a copy of this learner, and a ledger of its own.

        A certificate can be about the rounds of such a run alone: its ``start`` is this run.
        """
        self._settle()
        learner: object = self.learner
        if not isinstance(learner, Learner):
            raise parameter("learner", "one of this library's for labelled rounds", learner)
        copied: Any = rebuilt(type(learner), learner.parameters, learner.state())
        options: dict[str, object] = {
            "positive": None,
            "labels": tuple(self.labels.known) if copied.multiclass else (),
            "class_weights": self.class_weights or None,
            "max_weight": self.max_weight,
            "threshold": self.threshold,
            "digest": False,
        }
        found = type(self).__new__(type(self))
        StreamPlayer.__init__(found, copied, protocol_of(copied, options), options)
        found._protocol.labels = self.labels.copy()
        found.columns, found.table, found.start = self.columns, self.table, self
        found.reading = None if self.texts is None else self.texts.plain
        return found

    def _learn(self, x: object, y: Label, weight: float = 1.0) -> Label | None:
        """Play one round, whatever its form, and say what is wrong with it.

        ``learn`` lives in a class of the core (``core/bind/rounds.hpp``), which is why a run
        inherits from it. A round with a dict like one before goes straight to the rule without
        calling Python; any other round comes here.
        """
        self._settle()
        with waiting(), self._alone:
            before = self._protocol.ledger.rounds
            try:
                return self._learn_row(x, y, weight, before)
            finally:
                self.unfinished = left_at(self.unfinished, before, self._protocol.ledger)

    def ask(self, x: object, id: "Id | None" = None) -> "Ask":
        """Predict the label of x now, and keep x until ``tell`` brings its label.

        The id is a string or a whole number; without one, the ask gets a new number. It is in what
        is returned, with the prediction, and the probability if the learner gives one.
        """
        from novikoff.playing.asks import Ask

        asks = self._asking()
        id, x = asks.named(id), self._row(x)
        code, probability = self._served(x)
        found = Ask(id, self.labels.decode_one(code), probability)
        asks.keep(found, x, code)
        return found

    def tell(self, id: "Id | Ask", y: Label, weight: float = 1.0) -> Label | None:
        """Play the round of an ask whose label has come, and return the prediction made now.

        The learner predicts again, is judged and learns, so ``tell`` is ``learn`` with the x that
        was asked. If the label or the weight is refused, the ask stays pending. ``id`` is the id
        of the ask, or what ``ask`` returned.
        """
        asks = self._asking()
        asked, before = asks.of(id), self._protocol.ledger.rounds
        x = asked.x
        with waiting():
            try:
                found: Label | None = self.learn(x, y) if weight == 1 else self.learn(x, y, weight)
            finally:
                if self._protocol.ledger.rounds > before:
                    asks.told(asked.ask.id, y, weight)
        return found

    @property
    def pending(self) -> "Mapping[Id, Ask]":
        """The asks whose labels have not come, by their ids."""
        return {} if self._asks is None else self._asks.pending

    def forget(self, id: "Id | Ask") -> None:
        """Drop an ask whose label never comes."""
        self._asking().forget(id)

    def _asking(self) -> "Asks":
        if self._asks is None:
            from novikoff.playing.asks import Asks

            if not isinstance(self._protocol, LabelledRounds):
                raise parameter("learner", "one of labelled rounds, to ask it", self.learner)
            if not self._protocol.ledger.judges:
                raise parameter("learner", "one of labels, not of real numbers", self.learner)
            self._asks = Asks(self._protocol)
        return self._asks

    def _served(self, x: object) -> "tuple[int | None, Probability | None]":
        """Return what is served for x: the learner's code of a label, and the probability."""
        learner: Any = self.learner
        if not is_probable(self.learner):
            return learner.predict(x), None
        probability = self.probability(x)
        return self._decided(x, self.threshold), probability

    def hypothesis(self) -> Hypothesis:
        """Return what the learner has learned, frozen, with the user's labels.

        Its weights are the exact ones rounded once to float64, so it may differ from the learner
        itself on a near tie.
        """
        learner: object = self.learner
        if not isinstance(learner, Learner):
            raise parameter("learner", "one of this library's, which has a hypothesis", learner)
        found, spoken = learner.hypothesis(), self._protocol.labels.spoken
        found = found.with_labels(spoken) if spoken else found
        found.columns, found.texts = self.columns, self.texts
        return found

    def predict_one(self, x: object, threshold: float | None = None) -> Label | None:
        """Predict the label of one x as ``learn`` would, and change nothing.

        It asks the learner itself and copies nothing; ``predict`` copies to freeze a hypothesis.
        With a threshold, here or of the run, it predicts the positive label if its probability is
        at least that.
        """
        if self._kind == "arms":
            raise no_prediction("predict_one", self.learner)
        if threshold is None and self._protocol.threshold is None:
            learner: Any = self.learner
            x = x if self._texts is None else self._row(x)  # most runs save the call
            if not self._looked and type(x) is dict:
                self._look_once(x)
            return self.labels.decode_one(learner.predict(x))
        return self.labels.decode_one(self._decided(x, self._cut(threshold)))

    def _cut(self, threshold: float | None) -> float | None:
        """Return the threshold given for a prediction, or that of the run."""
        if threshold is None:
            return self.threshold
        check_decidable(self.learner, self.labels)
        return checked_threshold(threshold)

    def _decided(self, x: object, threshold: float | None) -> int | None:
        """Return the learner's own prediction, or what the threshold makes of its probability."""
        learner: Any = self.learner
        if threshold is None:
            found: int | None = learner.predict(self._row(x))
            return found
        positive = self.probability(x)
        return 1 if isinstance(positive, float) and positive >= threshold else -1

    @overload
    def probability(self: "Run[TwoLabelProbabilities]", x: object) -> float: ...

    @overload
    def probability(self, x: object) -> float | dict[Label, float]: ...

    def probability(self, x: object) -> float | dict[Label, float]:
        """Return the positive label's probability; with many classes {label: probability}.

        It is the one with which the next round would begin. ``probabilities`` asks the frozen
        hypothesis, which mixes its members by their whole past, so the two differ a little.
        """
        x = self._row(x)
        if not self._looked and type(x) is dict:
            self._look_once(x)
        return probability_of(self.learner, self.labels, x)

    def _look_once(self, x: dict[str, object]) -> None:
        """Look at the first x that a run predicts after it has learned something."""
        if self._protocol.ledger.tally.rounds:
            self._looked = True
            warn_of_kinds(self.learner, x)

    def predict(self, X: object, threshold: float | None = None) -> AnyArray:
        """Predict the label of every row with the current hypothesis.

        With a threshold, here or of the run, a row whose probability is at least that gets the
        positive label.
        """
        threshold = self._cut(threshold)
        if self._kind == "arms":
            raise no_prediction("predict", self.learner)
        refuse_unlearned(self.ledger.rounds, self.ledger.began_fresh)
        X = X if self.texts is None else self.texts.rows(X)
        if isinstance(self.learner, Learner):
            h = self.hypothesis()
            warn_of_unknown(h, X)
            return decided(h, X, threshold)
        block = as_block(X)
        return label_array([self.predict_one(block.row(t), threshold) for t in range(len(block))])

    def probabilities(self, X: object) -> AnyArray:
        """Return the positive label's probability of every row, with the current hypothesis.

        With many classes there is a column for each, in the order of ``hypothesis().labels``. A
        saved model and the command line answer so, too; ``probability`` asks the learner itself.
        """
        check_probable(self.learner)
        refuse_unlearned(self.ledger.rounds, self.ledger.began_fresh)
        X = X if self.texts is None else self.texts.rows(X)
        h = self.hypothesis() if isinstance(self.learner, Learner) else None
        if h is not None:
            warn_of_unknown(h, X)
        return probabilities_of(self.learner if h is None else h, self.labels, X)

    def save(self, path: storage.PathLike) -> None:
        """Write the learner and ledger to a file from which the run resumes exactly."""
        self._settle()
        self._protocol.check_labels()
        kind = self._protocol.saved_as
        storage.write(path, kind, *self._state(), lambda m, a: self._restore(m, a, kind))

    def packed(self) -> bytes:
        """Return the bytes of the file that ``save`` writes."""
        self._settle()
        self._protocol.check_labels()
        return storage.packed(self._protocol.saved_as, *self._state())

    def contents(self) -> tuple[SavedRun, Arrays]:
        """Return what ``save`` writes, as plain data and arrays."""
        self._settle()
        self._protocol.check_labels()
        return self._state()

    @classmethod
    def from_contents(cls, metadata: Mapping[str, object], arrays: Arrays) -> Self:
        """Return the labelled run of what ``contents`` returned, which anybody may have written."""
        return cls._restore(metadata, arrays)

    @classmethod
    def load(cls, path: storage.PathLike) -> Self:
        """Read a run, which goes on as if it had never been saved, with its digest.

        Runs saved by an earlier version have no digest of the rounds played from here on.
        """
        kind, metadata, arrays = storage.read(path, SAVED)
        with storage.intact(path):
            found = cls._restore(metadata, arrays, kind)
        found.path = os.fspath(path)
        return found

    def __reduce__(self) -> tuple[object, ...]:
        from novikoff.streams.environments import Environment

        kept = {"stream": self.stream} if isinstance(self.stream, Environment) else None
        return self._rebuilt, (*self._state(), self._protocol.saved_as), kept

    def _state(self) -> tuple[SavedRun, Arrays]:
        self._protocol.settle(midway=True)
        if not isinstance(self.learner, Saved):
            raise parameter("learner", "one of this library's to save", self.learner)
        metadata, arrays = self._protocol.ledger.state()
        more: SavedRun = {
            "columns": None if self.columns is None else list(self.columns),
            "table": None if self.table is None else self.table.state,
            "converged": self.converged,
            "unfinished": self.unfinished,
            "reading": self.reading,
        }
        metadata = metadata | self._protocol.state() | more
        if self._asks is not None and self._asks.begun:
            metadata["asks"] = self._asks.state()
        if self._kind != "labelled":
            metadata["streams"] = self.streams
        return metadata, arrays | self.learner.state()

    @classmethod
    def _restore(cls, fields: Mapping[str, object], arrays: Arrays, kind: str = "Run") -> Self:
        """Return the run of a file, which anybody may have written."""
        if not is_saved(fields, kind):
            raise ValueError("what no run has saved")
        return cls._rebuilt(fields, arrays, kind)

    @classmethod
    def _rebuilt(cls, metadata: SavedRun, arrays: Arrays, kind: str) -> Self:
        base, restored = saved(kind)
        own = {name: array for name, array in arrays.items() if not is_of_ledger(name)}
        learner: Any = rebuilt(base.kinds[metadata["learner"]], metadata["parameters"], own)
        run = cls.__new__(cls)
        StreamPlayer.__init__(run, learner, restored(metadata, arrays, learner))
        if "asks" in metadata:
            run._asking().restore(metadata["asks"])
        run.columns = checked_columns(metadata.get("columns"))
        run.table = checked_table(metadata.get("table"))
        run.converged, run.streams = metadata.get("converged"), metadata.get("streams", 0)
        run.unfinished = checked_unfinished(metadata.get("unfinished"), run.ledger)
        run.reading = metadata.get("reading")
        return run
