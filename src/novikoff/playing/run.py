"""Runs: a learner, its stream and its ledger. Rounds are played only here.

A stream gives blocks. The run's protocol encodes a block, plays its slices with the learner,
tallies them in the ledger, and makes everything agree with the rounds played.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Generic, Self, overload

from novikoff import _core
from novikoff.errors import parameter
from novikoff.interrupts import listening, waiting
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Kind, Learner, Saved, rebuilt
from novikoff.learners.protocols import TwoLabelProbabilities
from novikoff.playing.ledger import Ledger
from novikoff.playing.options import checked_passes, refuse_ignored, refuse_unlearned
from novikoff.playing.passes import Course, checked_unfinished, left_at, not_replayable
from novikoff.playing.probability import probability_of
from novikoff.playing.progress import Report, as_progress
from novikoff.playing.protocol import SAVED, L, L_co, RoundProtocol, kind_of, protocol_of
from novikoff.playing.regret_rounds import no_prediction
from novikoff.playing.saved_run import Reading, SavedRun, is_saved
from novikoff.saving import storage
from novikoff.streams import LabelMap, Stream, as_block
from novikoff.streams.environments import Environment
from novikoff.streams.files.headers import Table, check_columns, checked_columns, checked_table
from novikoff.streams.labels.declared import Declared
from novikoff.streams.labels.label_maps import label_array, plain
from novikoff.streams.labels.label_order import LabelOrder
from novikoff.types import AnyArray, Arrays, Label


class Run(_core.Rounds, Generic[L_co]):
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
        self._begin(learner, protocol_of(learner, given | {"class_weights": class_weights}))

    def _begin(self, learner: Any, protocol: RoundProtocol) -> None:
        super().__init__()  # the fast path of a round with a dict: see _learn
        self.learner: L_co = learner
        self._protocol = protocol
        self._kind = kind_of(learner)
        self.stream: Stream | None = None
        """The stream played last."""
        self.streams = 0
        """How many streams were played."""
        self.order = LabelOrder()
        """How the labels of its last pass follow one another."""
        self.converged: bool | None = None
        """Whether ``until_clean`` ended with a pass without a mistake; None if not asked."""
        self.unfinished: Reading | None = None
        """Where a play was interrupted, and in which files, if the command line played them."""
        self.files: Reading = {}
        """Which files the command line plays, and how, for ``unfinished``."""
        self.columns: tuple[str, ...] | None = None
        """The names of the numbered features in the header of the file learned from."""
        self.table: Table | None = None
        """The columns of the CSV file learned from; other files are read with the same columns."""
        self.reading: Reading | None = None
        """How the command line read the files; it reads others the same way."""
        self._alone = _core.Alone()  # refuses a play inside a play

    def __repr__(self) -> str:
        return f"Run({self.learner!r}, {self.ledger!r})"

    @property
    def protocol(self) -> Kind:
        """Which rounds it plays: "labelled" ones, or those of "experts" or "arms"."""
        return self._kind

    @property
    def ledger(self) -> Ledger:
        """What the run did."""
        self._settle()
        return self._protocol.ledger

    @property
    def mistakes(self) -> int:
        """How many mistakes were made so far."""
        return self.ledger.mistakes

    @property
    def regret(self) -> float:
        """The learner's own loss minus that of the best expert or arm in hindsight."""
        return self.ledger.regret

    @property
    def environment(self) -> Stream | None:
        """What was played last: an environment, or a labelled stream."""
        return self.stream

    @property
    def labels(self) -> LabelMap:
        """The map between the user's labels and the learner's."""
        self._settle()
        return self._protocol.labels

    @property
    def class_weights(self) -> dict[Label, float]:
        """The weight of each label's updates."""
        return self._protocol.class_weights

    def declare(self, labels: Declared) -> Self:
        """Allow only these labels, which include those met so far; "open" allows new ones."""
        refuse_ignored(self._kind, self._protocol.ledger.learner, {"labels": labels})
        with self._alone:
            self._protocol.forget(self)
            self._protocol.declare(labels)
        return self

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

    def _settle(self) -> None:
        """Make everything agree with the rounds played, after an exception."""
        if not self._alone.taken:
            self._protocol.settle(midway=False)

    def play(
        self,
        stream: object,
        *,
        passes: int = 1,
        until_clean: bool = False,
        max_passes: int | None = None,
        progress: bool | Report | None = None,
    ) -> Self:
        """Play a stream: ``passes`` times, or until a pass makes no mistake.

        ``until_clean`` is the batch perceptron: it ends with the first clean pass (``converged`` is
        true) or after ``max_passes``, 1,000 by default. ``progress`` is True for a bar, or a
        function that gets a ``Progress`` now and then. Ctrl-C stops between two slices of rounds.
        Rounds before a refused one, or before Ctrl-C, stay played, and the run can ``go_on``.
        """
        given = {"passes": passes, "until_clean": until_clean, "max_passes": max_passes}
        refuse_ignored(self._kind, self._protocol.ledger.learner, given)
        limit = checked_passes(passes, until_clean, max_passes)
        source = self._playable(stream, limit.most)
        self._settle()
        self.unfinished = None
        course = Course(limit.most, limit.until_clean, 1, self._protocol.ledger.tally.rounds, 1)
        return self._play_course(source, course, progress)

    def go_on(self, stream: object, *, progress: bool | Report | None = None) -> Self:
        """Play the rest of an interrupted play, including all passes still to come.

        ``stream`` is the interrupted stream from its first round on; rounds already played are
        skipped. The run ends as if nothing had interrupted it, if it learned no other round since.
        """
        course = Course.interrupted(self.unfinished, self.ledger)
        return self._play_course(self._playable(stream, course.passes), course, progress)

    def _playable(self, stream: object, passes: int) -> Stream:
        """Return the stream, if it can be played that often."""
        source = self._protocol.stream_of(stream)
        if (passes > 1 or self._protocol.rereads) and not source.replayable:
            raise not_replayable(source)
        return source

    def _play_course(self, source: Stream, course: Course, progress: bool | Report | None) -> Self:
        tally, again = self._protocol.ledger.tally, self.unfinished is not None
        began = tally.rounds
        with waiting(), self._alone, as_progress(progress) as report:
            self._protocol.forget(self)
            course = self._adopt(source, course)
            try:
                with self._protocol.playing(source):
                    self._play_passes(source, course, report)
            finally:
                self.streams += tally.rounds > began and not again
        return self

    def _adopt(self, source: Stream, course: Course) -> Course:
        """Take over the stream and its labels; return how often it was played, including now."""
        protocol = self._protocol
        protocol.adopt(source)
        if self.table is not None and protocol.ledger.rounds:
            source.read_like(self.table)
        if self.stream is None or source.origin is not self.stream.origin:
            protocol.passes, protocol.digested = course.over - 1, course.over > 1
        elif self.unfinished is None:
            course = course._replace(over=protocol.passes + 1)
        self.stream = source
        return course

    def _play_passes(self, source: Stream, course: Course, report: Report | None) -> None:
        ledger = self._protocol.ledger
        left, rounds = course.passes - course.number + 1, source.rounds
        known = None if rounds is None or course.until_clean else rounds * left
        self._protocol.total = None if known is None else course.rounds + known
        self.converged = None
        while True:
            self.unfinished = self.files | course.plain
            self._play_pass(source, course, report)
            if course.number > 1 and ledger.rounds == course.rounds and source.rounds != 0:
                raise not_replayable(source)
            if course.until_clean:
                self.converged = course.clean(ledger)
            if self.converged or course.number == course.passes:
                break
            course = course.next(ledger)
        self.unfinished = None

    def _play_pass(self, source: Stream, course: Course, told: Report | None) -> None:
        """Play the blocks of a stream, from the first round that this pass has not played."""
        protocol, report = self._protocol, None
        if told is not None:
            report = lambda progress: told(replace(progress, bytes=source.progress))  # noqa: E731
        protocol.passes, self.order = course.over, LabelOrder()
        blocks = protocol.blocks(source, protocol.ledger.tally.rounds - course.rounds)
        while True:
            with listening():
                rounds = next(blocks, None)
            if rounds is None:
                break
            self._name_columns(source)
            protocol.play_block(rounds, report, self.order)
        protocol.end_pass(source)

    def _name_columns(self, source: Stream) -> None:
        """Keep the names of the numbered features; another file must use the same names."""
        names, rounds = source.feature_names, self._protocol.ledger.tally.rounds
        if rounds == 0:
            self.table = source.table
        if names is None or (self.columns is None and rounds):
            return
        if self.columns is not None and rounds:
            check_columns(self.columns, names, source.name)
        self.columns = names

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

    @overload
    def probability(self: "Run[TwoLabelProbabilities]", x: object) -> float: ...

    @overload
    def probability(self, x: object) -> float | dict[Label, float]: ...

    def probability(self, x: object) -> float | dict[Label, float]:
        """Return the positive label's probability; with many classes {label: probability}."""
        return probability_of(self.learner, self.labels, x)

    def predict(self, X: object) -> AnyArray:
        """Predict the label of every row with the current hypothesis."""
        if self._kind == "arms":
            raise no_prediction("predict", self.learner)
        refuse_unlearned(self.ledger.rounds, self.ledger.began_fresh)
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
        run._begin(learner, restored(metadata, arrays, learner))
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
