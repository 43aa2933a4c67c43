"""Runs: a learner, its stream and its ledger. Round by round, rounds are played only here."""

from collections.abc import Mapping
from typing import Any, Self

from novikoff.errors import InputError, parameter
from novikoff.interrupts import waiting
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Learner, Saved, rebuilt
from novikoff.learners.protocols import ProbabilisticLearner
from novikoff.playing.passes import checked_unfinished, left_at
from novikoff.playing.progress import Report
from novikoff.playing.protocol import SAVED, L, L_co, protocol_of
from novikoff.playing.regret_rounds import no_prediction
from novikoff.playing.saved_run import SavedRun, is_saved
from novikoff.playing.stream_player import StreamPlayer
from novikoff.saving import storage
from novikoff.streams import Stream, as_block
from novikoff.streams.environments import Environment
from novikoff.streams.files.headers import checked_columns, checked_table
from novikoff.streams.labels.declared import Declared
from novikoff.streams.labels.label_maps import label_array, plain
from novikoff.types import AnyArray, Arrays, Label


class Run(StreamPlayer[L_co]):
    """A learner with its ledger: play streams with it, chunk after chunk, or round by round.

    The learner may be any object with ``predict`` and ``update``. Predictions are the user's
    labels; ``positive`` is the one that counts as +1. ``labels`` declares them: (that of −1, that
    of +1), all of them with ``positive``, or the classes, beginning with those that a used learner
    already knows. The run then refuses any other label. Undeclared, it accepts new ones until it
    has played a whole file; with ``labels="open"``, always. ``class_weights`` scales the updates of
    rounds by their label, {label: weight}. ``digest`` asks for the SHA-256 of the data (the first
    pass over each stream).

    A learner with experts or arms plays environments; a matrix of losses is replayed. One with
    experts also plays labelled streams: rows of advice, −1 or +1 for each expert, and outcomes;
    with a pool of learners, any rows. It takes only ``positive`` of these options; a learner with
    arms takes none.
    """

    def __init__(
        self,
        learner: L_co,
        *,
        positive: Label | None = None,
        labels: Declared = (),
        class_weights: Mapping[Any, float] | None = None,
        digest: bool = False,
    ) -> None:
        given = {"positive": positive, "labels": labels, "digest": digest}
        options = given | {"class_weights": class_weights}
        super().__init__(learner, protocol_of(learner, options))

    def __repr__(self) -> str:
        return f"Run({self.learner!r}, {self.ledger!r})"

    def fresh(self) -> Self:
        """Return a run that has played nothing, of a fresh learner that knows the same labels."""
        learner: Any = self.learner
        found = type(self)(learner.fresh())
        found._protocol.labels = self.labels.copy()
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
                return self._protocol.learn(self, x, y, weight)
            finally:
                self.unfinished = left_at(self.unfinished, before, self._protocol.ledger)

    def hypothesis(self) -> Hypothesis:
        """Return what the learner has learned, frozen, speaking the user's labels.

        Its weights are the exact ones rounded once to float64, so it may differ from the learner
        itself on a near tie.
        """
        learner: object = self.learner
        if not isinstance(learner, Learner):
            raise parameter("learner", "one of this library's, which has a hypothesis", learner)
        found, spoken = learner.hypothesis(), self._protocol.labels.spoken
        found = found.with_labels(spoken) if spoken else found
        found.columns = self.columns
        return found

    def predict_one(self, x: object) -> Label | None:
        """Predict the label of one x as ``learn`` would, and change nothing.

        It asks the learner itself and copies nothing; ``predict`` copies to freeze a hypothesis.
        """
        learner: Any = self.learner
        if self._kind == "arms":
            raise no_prediction("predict_one", learner)
        return self.labels.decode_one(learner.predict(x))

    def probability(self, x: object) -> float:
        """Return the probability of the positive label for one x, and change nothing."""
        if not isinstance(self.learner, ProbabilisticLearner):
            advice = "Play AdaptiveGradient, or calibrate scores."
            raise parameter("learner", "one that gives probabilities", self.learner, advice)
        return self.learner.probability(x)

    def predict(self, X: object) -> AnyArray:
        """Predict the label of every row with the current hypothesis."""
        if self._kind == "arms":
            raise no_prediction("predict", self.learner)
        if self.ledger.rounds == 0 and self.ledger.began_fresh:
            raise InputError(
                "predict: expected a run that has learned something, got none yet. "
                "Learn a round first."
            )
        if isinstance(self.learner, Learner):
            return self.hypothesis().predict(X)
        block = as_block(X)
        return label_array([self.predict_one(block.row(t)) for t in range(len(block))])

    def save(self, path: storage.PathLike) -> None:
        """Write the learner and ledger to a file from which the run resumes exactly."""
        self._settle()
        self._protocol.check_labels()
        kind = self._protocol.saved_as
        storage.write(path, kind, *self._state(), lambda m, a: self._restore(m, a, kind))

    @classmethod
    def load(cls, path: storage.PathLike) -> Self:
        """Read a run; its digest does not cover the rounds played from here on."""
        kind, metadata, arrays = storage.read(path, tuple(SAVED))
        with storage.intact(path):
            return cls._restore(metadata, arrays, kind)

    def __reduce__(self) -> tuple[object, ...]:
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
        base, restored = SAVED[kind]
        learner: Any = rebuilt(base.kinds[metadata["learner"]], metadata["parameters"], arrays)
        run = cls.__new__(cls)
        StreamPlayer.__init__(run, learner, restored(metadata, arrays, learner))
        run.columns = checked_columns(metadata.get("columns"))
        run.table = checked_table(metadata.get("table"))
        run.converged, run.streams = metadata.get("converged"), metadata.get("streams", 0)
        run.unfinished = checked_unfinished(metadata.get("unfinished"), run.ledger)
        run.reading = metadata.get("reading")
        return run


def play(  # noqa: PLR0913 — what a run and its play take, each by its name
    learner: L,
    stream: object,
    *,
    passes: int = 1,
    until_clean: bool = False,
    max_passes: int | None = None,
    progress: bool | Report | None = None,
    digest: bool = False,
    labels: Declared = (),
) -> Run[L]:
    """Play a stream with a learner from the first round: ``Run(learner).play(stream)``.

    ``labels`` declares the possible labels, and ``digest`` asks for the SHA-256 of the data,
    as for ``Run``. A learner with experts or arms takes only ``progress``.
    """
    positive = plain(stream.positive) if isinstance(stream, Stream) and labels else None
    run = Run(learner, positive=positive, labels=labels, digest=digest)
    return run.play(
        stream, passes=passes, until_clean=until_clean, max_passes=max_passes, progress=progress
    )


RegretRun = Run
"""The old name for runs with experts or arms: one ``Run`` plays them all."""
