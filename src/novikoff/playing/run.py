"""Runs: a learner, its stream and its ledger; the one place where rounds are played."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self, overload

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.interrupts import listening, waiting
from novikoff.learners import Learner, RegretLearner
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import rebuilt
from novikoff.playing.block_in_hand import Pending
from novikoff.playing.labelled import Coding
from novikoff.playing.ledger import Ledger
from novikoff.playing.passes import Course, checked_passes, not_replayable, stream_for
from novikoff.playing.progress import Report, as_progress
from novikoff.playing.regret_run import RegretRun
from novikoff.playing.slices import Slices
from novikoff.saving import contents, storage
from novikoff.streams import (
    AnsweringStream,
    Block,
    ExampleBlock,
    Outputs,
    Stream,
    as_block,
    one_row,
)
from novikoff.streams.files.headers import Table, check_columns, checked_columns, checked_table
from novikoff.streams.labels.declared import Declared
from novikoff.streams.labels.label_maps import label_array, plain
from novikoff.streams.labels.label_order import LabelOrder
from novikoff.streams.skipping import Skipping
from novikoff.streams.stream import Rounds
from novikoff.types import AnyArray, Label, Player

_LABELS_REMEMBERED = 1000


class Run(_core.Rounds):
    """A learner with its ledger: play streams with it, chunk after chunk, or round by round.

    The learner may be any object with ``predict`` and ``update``. Predictions are the user's
    labels; ``positive`` is the one that counts as +1. ``labels`` declares them: (that of −1, that
    of +1), all of them with ``positive``, or the classes, beginning with those that a used learner
    already knows. Any other label is then refused. Undeclared, new ones are let in until a whole
    file was played; with ``labels="open"``, always. ``class_weights`` scales the
    updates of rounds by their label, {label: weight}. ``digest`` asks for the SHA-256 of the data
    (the first pass over each stream).
    """

    def __init__(
        self,
        learner: Player,
        *,
        positive: Label | None = None,
        labels: Declared = (),
        class_weights: Mapping[Any, float] | None = None,
        digest: bool = False,
    ) -> None:
        if isinstance(learner, type) or not (
            callable(getattr(learner, "predict", None))
            and callable(getattr(learner, "update", None))
        ):
            raise parameter("learner", "an object with predict and update", learner)
        super().__init__()
        self.learner: Any = learner
        ours = learner if isinstance(learner, Learner) else None
        self._ledger = Ledger(
            type(learner).__name__,
            dict(ours.parameters) if ours else {},
            began_fresh=ours.rounds == 0 if ours else None,
            weight_norm=lambda: getattr(learner, "weight_norm", None),
        )
        if ours is not None:
            ours.declare(self._ledger.tally)
        self.stream: Stream | None = None
        """The stream last played."""
        self.order = LabelOrder()
        """How the labels of its last pass follow one another."""
        self.converged: bool | None = None
        """Whether ``until_clean`` ended with a pass without a mistake; None where not asked."""
        self.unfinished: dict[str, Any] | None = None
        """Where a play was interrupted, and in which files, if the command line played them."""
        self.files: dict[str, Any] = {}
        """Which files the command line plays, and how, for ``unfinished``."""
        self.columns: tuple[str, ...] | None = None
        """What the numbered features are called, in the header of the file learned from."""
        self.table: Table | None = None
        """The columns of the CSV file learned from, as which others are read."""
        self.reading: dict[str, Any] | None = None
        """How the command line read the files, so that others are read alike."""
        self._coding = Coding(learner, self._ledger, positive, labels, class_weights)
        self._slices = Slices(learner, self._ledger, digest)
        self._pending: Pending | None = None  # the rounds in hand
        self._fits = ours is not None  # to refuse what it cannot learn from
        self._codes: dict[Label, int] = {}  # labels met, and what the learner calls them
        self._passes_over_stream = 0
        self._digested = False  # a whole pass over the stream, that is
        self._alone = _core.Alone()  # refuses a play inside a play

    def __repr__(self) -> str:
        return f"Run({self.learner!r}, {self.ledger!r})"

    @property
    def ledger(self) -> Ledger:
        """What the run did."""
        self._settle()
        return self._ledger

    @property
    def mistakes(self) -> int:
        """How many mistakes were made so far."""
        return self.ledger.mistakes

    @property
    def labels(self) -> Any:
        """The map between the user's labels and the learner's."""
        self._settle()
        return self._coding.labels

    def declare(self, labels: Declared) -> Self:
        """Close the set of labels at these, the ones met among them; "open" lets new ones in."""
        with self._alone:
            self._forget()
            self._coding.declare(labels)
        return self

    def fresh(self) -> Self:
        """Return a run that has played nothing, of a fresh learner that knows the same labels."""
        found = type(self)(self.learner.fresh())
        found._coding.labels = self.labels.copy()
        return found

    @property
    def class_weights(self) -> dict[Label, float]:
        """What scales the updates of rounds, by their label."""
        return self._coding.class_weights

    def _learn(self, x: Any, y: Label, weight: float = 1.0) -> Label | None:
        """Play one round, whatever its form, and say what is wrong with it.

        ``learn`` is in the core (``core/bind/rounds.hpp``): a round with a dict that is like one
        before goes straight to the rule, any other comes here.
        """
        coding = self._coding
        self._settle()
        whole, known = isinstance(coding.labels, Outputs), coding.labels.known
        with waiting(), self._alone:
            block = self._fitting(ExampleBlock([x]) if whole else one_row(x))
            pending = self._pending = Pending(coding, self._slices, block, [y])
            try:
                _, codes, fault = coding.encoded([y])
                if coding.labels.known != known:
                    self._forget()
                if fault is not None:
                    raise fault
                pending.coded(codes)
                code = codes[0] if whole else int(codes[0])
                prediction = self._play_row(block, y, code, weight)
            finally:
                pending.settle()
                self._pending = None
            self._remember(block, y, code)
        label: Label | None = coding.labels.decode_one(prediction)
        return label

    def _play_row(self, block: Block, y: Label, code: Any, weight: float) -> Any:
        given = None if type(weight) is float and weight == 1 else [weight]
        weights, fault = self._coding.weights([y], given)
        if fault is not None:
            raise fault
        if self._slices.native:
            return self.learner.learn_row(block, code, self._ledger.tally, weights)
        found = block.played(0, self._slices.features)
        if found is None:
            raise InputError(f"x: {block.fault(0)}")
        return self._slices.play_row(block.row(0), *found, code)

    def _remember(self, block: Block, y: Label, code: int) -> None:
        """Let the next round with a dict and this label go straight to the core."""
        if not (block.named and self._slices.native and not self._slices.hashes):
            return
        if not all(map(_core.is_plain, (y, *self.class_weights))):
            return  # a hash that is the user's code might call this run
        if len(self._codes) < _LABELS_REMEMBERED:
            self._codes[y] = code
        tally, names = self._ledger.tally, self._coding.labels.table
        self.learner.quicken(self, tally, self._codes, names, self.class_weights)

    def _settle(self) -> None:
        """Let all agree with the rounds played, where an exception came in between."""
        if self._pending is not None and not self._alone.taken:
            self._pending.settle()
            self._pending = None

    def _forget(self) -> None:
        self.slow_down()
        self._codes = {}

    def play(
        self,
        stream: Any,
        *,
        passes: int = 1,
        until_clean: bool = False,
        max_passes: int = 1000,
        progress: bool | Report | None = None,
    ) -> Self:
        """Play a stream: ``passes`` times, or until a pass makes no mistake.

        ``until_clean`` is the batch perceptron: it ends with the first clean pass
        (``converged`` is true) or after ``max_passes``. ``progress`` is True for a bar, or a
        function that gets a ``Progress`` now and then. Ctrl-C stops between two slices of
        rounds. Rounds before one that is refused, or before Ctrl-C, stay played, and the run can
        ``go_on``.
        """
        limit = checked_passes(passes, until_clean, max_passes)
        source = self._playable(stream, limit)
        self.unfinished = None
        course = Course(limit, until_clean, 1, self.ledger.rounds, 1)
        return self._play_course(source, course, progress)

    def go_on(self, stream: Any, *, progress: bool | Report | None = None) -> Self:
        """Play the rest of what was interrupted, all passes that were still to come included.

        ``stream`` is the one that was being played, from its first round: those that were played
        are passed over. The run ends as it would have without the interruption.
        """
        if self.unfinished is None:
            raise InputError(
                "run: expected one that was interrupted, got one that is finished. Play a stream."
            )
        course = Course.of(self.unfinished)
        return self._play_course(self._playable(stream, course.passes), course, progress)

    def _playable(self, stream: Any, passes: int) -> Stream:
        """Return the stream, where it can be played so often."""
        source = stream_for(self.learner, stream)
        batch = self._slices.native and self.learner.batch
        if (passes > 1 or batch) and not source.replayable:
            raise not_replayable(source)
        return source

    def _play_course(self, source: Stream, course: Course, progress: bool | Report | None) -> Self:
        batch = self._slices.native and self.learner.batch
        if isinstance(source, AnsweringStream):
            source.meet(self.learner)
        with waiting(), self._alone, as_progress(progress) as report:
            self._forget()
            course = self._adopt(source, course)
            if batch:
                self.learner.survey(source)
            try:
                self._play_passes(source, course, report)
            finally:
                if batch:
                    self.learner.forget_survey()
        return self

    def hypothesis(self) -> Hypothesis:
        """Return what the learner has learned, frozen, speaking the user's labels.

        Its weights are the exact ones rounded once to float64, so that on a near tie it may
        differ from the learner itself.
        """
        if not isinstance(self.learner, Learner):
            raise parameter(
                "learner", "one of this library's, which has a hypothesis", self.learner
            )
        found: Hypothesis = self.learner.hypothesis()
        spoken = self._coding.spoken
        found = found.with_labels(spoken) if spoken else found
        found.columns = self.columns
        return found

    def predict_one(self, x: Any) -> Label | None:
        """Predict the label of one x as ``learn`` would, and change nothing.

        It asks the learner itself: nothing is copied, as ``predict`` does to freeze a hypothesis.
        """
        found: Label | None = self.labels.decode_one(self.learner.predict(x))
        return found

    def probability(self, x: object) -> float:
        """Return the probability of the positive label for one x, and change nothing."""
        found = getattr(self.learner, "probability", None)
        if found is None:
            raise parameter("learner", "one that gives probabilities", self.learner)
        return float(found(x))

    def predict(self, X: Any) -> AnyArray:
        """Predict the label of every row with the current hypothesis."""
        if self.ledger.rounds == 0 and self.ledger.began_fresh:
            raise InputError(
                "predict: expected a run that has learned something, got none yet. "
                "Learn a round first."
            )
        if isinstance(self.learner, Learner):
            return self.hypothesis().predict(X)
        block = as_block(X)
        found = [
            self.labels.decode_one(self.learner.predict(block.row(t))) for t in range(len(block))
        ]
        return label_array(found)

    def save(self, path: storage.PathLike) -> None:
        """Write learner and ledger to a file from which the run resumes exactly."""
        self._settle()
        about = self._coding.state
        named = [*about["label_set"], *about["others"], *self.class_weights, about["positive"]]
        storage.plain_labels(tuple(label for label in named if label is not None))
        storage.write(path, "Run", *self._state(), self._restore)

    @classmethod
    def load(cls, path: storage.PathLike) -> Self:
        """Read a run; rounds played from here on are no longer part of its digest."""
        _, metadata, arrays = storage.read(path, ("Run",))
        with storage.intact(path):
            contents.check_fields(metadata, contents.RUN)
            return cls._restore(metadata, arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._restore, self._state()

    def _state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        if self._pending is not None:  # perhaps in the middle of a block
            self._pending.settle()
        if not isinstance(self.learner, Learner):
            raise parameter("learner", "one of this library's to save", self.learner)
        metadata, arrays = self._ledger.state()
        metadata |= self._coding.state | {
            "columns": None if self.columns is None else list(self.columns),
            "table": None if self.table is None else self.table.state,
            "converged": self.converged,
            "class_weights": list(self.class_weights.items()),
            "unfinished": self.unfinished,
            "reading": self.reading,
        }
        return metadata, arrays | self.learner.state()

    @classmethod
    def _restore(cls, metadata: dict[str, Any], arrays: dict[str, AnyArray]) -> Self:
        learner: Any = rebuilt(Learner.kinds[metadata["learner"]], metadata["parameters"], arrays)
        run = cls(
            learner,
            positive=metadata["positive"],
            labels=metadata["labels"],
            class_weights=dict(metadata["class_weights"]),
        )
        run._coding.restore(metadata)
        run.columns = checked_columns(metadata.get("columns"))
        run.table = checked_table(metadata.get("table"))
        run.ledger.restore(metadata, arrays)
        run.converged = metadata["converged"]
        run.unfinished, run.reading = metadata["unfinished"], metadata["reading"]
        if run.unfinished is not None and Course.of(run.unfinished).rounds > run.ledger.rounds:
            raise ValueError("a pass that began after the last round")
        return run

    def _adopt(self, source: Stream, course: Course) -> Course:
        """Take over the stream and its labels; return how often it was played with this."""
        self._coding.adopt(plain(source.positive), source.declared)
        if allowed := self._coding.labels.allowed:
            source.admit(allowed)
        if self.table is not None and self._ledger.rounds:
            source.read_like(self.table)
        if self.stream is None or source.origin is not self.stream.origin:
            self._passes_over_stream, self._digested = course.over - 1, course.over > 1
        elif self.unfinished is None:
            course = course._replace(over=self._passes_over_stream + 1)
        self.stream = source
        return course

    def _play_passes(self, source: Stream, course: Course, report: Report | None) -> None:
        ledger = self._ledger
        left = course.passes - course.number + 1
        known = None if source.rounds is None or course.until_clean else source.rounds * left
        self._slices.total = None if known is None else course.rounds + known
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
        report = None
        if told is not None:
            report = lambda progress: told(replace(progress, bytes=source.progress))  # noqa: E731
        played = self._ledger.rounds - course.rounds
        self._passes_over_stream, self.order = course.over, LabelOrder()
        blocks = iter((Skipping(source, played) if played else source).blocks())
        while True:
            with listening():
                rounds = next(blocks, None)
            if rounds is None:
                break
            self._name_columns(source)
            self._play_block(Rounds(*rounds), report)
        self._digested = True
        if source.closes:
            self._coding.close()

    def _name_columns(self, source: Stream) -> None:
        """Keep what the numbered features are called; another file must call them the same."""
        names = source.feature_names
        if self._ledger.rounds == 0:
            self.table = source.table
        if names is None or (self.columns is None and self._ledger.rounds):
            return
        if self.columns is not None and self._ledger.rounds:
            check_columns(self.columns, names, source.name)
        self.columns = names

    def _play_block(self, rounds: Rounds, report: Report | None) -> None:
        pending = Pending(self._coding, self._slices, self._fitting(rounds.rows), rounds.labels)
        pending.passes, pending.digested = self._passes_over_stream, self._digested
        self._pending = pending
        try:
            pending.play(rounds.weights, report, rounds.place)
        finally:
            if not isinstance(self._coding.labels, Outputs):
                self.order.add(pending.played)
        self._pending = None

    def _fitting(self, block: Block) -> Block:
        return self.learner.fitting(block) if self._fits else block


@overload
def play(
    learner: RegretLearner, stream: Any, *, progress: bool | Report | None = None
) -> RegretRun: ...


@overload
def play(
    learner: Player,
    stream: Any,
    *,
    passes: int = 1,
    until_clean: bool = False,
    max_passes: int = 1000,
    progress: bool | Report | None = None,
    digest: bool = False,
    labels: Declared = (),
) -> Run: ...


def play(  # noqa: PLR0913 — what a run and its play take, each by its name
    learner: Any,
    stream: Any,
    *,
    passes: int = 1,
    until_clean: bool = False,
    max_passes: int = 1000,
    progress: bool | Report | None = None,
    digest: bool = False,
    labels: Declared = (),
) -> Run | RegretRun:
    """Play a stream with a learner from the first round: ``Run(learner).play(stream)``.

    ``labels`` declares the labels that there are, as for ``Run``.

    With a learner of experts or arms: ``RegretRun(learner).play(stream)``, which takes
    ``progress`` alone.
    """
    if isinstance(learner, RegretLearner):
        if passes != 1 or until_clean or digest or labels:
            kept = "1, without until_clean, digest and labels, for regret"
            raise parameter("passes", kept, passes)
        return RegretRun(learner).play(stream, progress=progress)
    source = stream_for(learner, stream)
    run = Run(learner, positive=plain(source.positive), labels=labels, digest=digest)
    return run.play(
        source, passes=passes, until_clean=until_clean, max_passes=max_passes, progress=progress
    )
