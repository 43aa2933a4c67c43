"""Runs: a learner, its stream and its ledger; the one place where rounds are played."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self, overload

import numpy as np

from novikoff import _core, contents, storage
from novikoff.coding import Coding, placed
from novikoff.errors import BusyError, InputError, parameter
from novikoff.hypotheses import Hypothesis
from novikoff.learners import Learner, RegretLearner, StructuredPerceptron
from novikoff.learners.learner import rebuilt
from novikoff.ledger import Ledger
from novikoff.progress import Report, as_progress
from novikoff.slices import Slices
from novikoff.streams import (
    AnsweringStream,
    Block,
    ExampleBlock,
    Outputs,
    Stream,
    as_block,
    as_examples,
    as_stream,
    one_row,
)
from novikoff.streams.labels import label_array, plain
from novikoff.streams.stream import Rounds
from novikoff.types import AnyArray, Label, Player
from novikoff.wagers import RegretRun

_LABELS_REMEMBERED = 1000


class _Alone:
    """Refuses a play inside a play: from a progress function or another thread."""

    def __init__(self) -> None:
        self.taken = False

    def __enter__(self) -> None:
        if self.taken:
            raise BusyError(
                "run: expected one play at a time, got another inside it. Start it after this one."
            )
        self.taken = True

    def __exit__(self, *_: object) -> None:
        self.taken = False


class Run(_core.Rounds):
    """A learner with its ledger: play streams with it, chunk after chunk, or round by round.

    The learner may be any object with ``predict`` and ``update``. Predictions are the user's
    labels; ``positive`` is the one that counts as +1. ``labels`` names those that a used
    learner already knows: (that of −1, that of +1), or one a class. ``class_weights`` scales the
    updates of rounds by their label, {label: weight}. ``digest`` asks for the SHA-256 of the data
    (the first pass over each stream).
    """

    def __init__(
        self,
        learner: Player,
        *,
        positive: Label | None = None,
        labels: Iterable[Label] = (),
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
        self.ledger = Ledger(
            type(learner).__name__,
            dict(ours.parameters) if ours else {},
            began_fresh=ours.rounds == 0 if ours else None,
            weight_norm=lambda: getattr(learner, "weight_norm", None),
        )
        self.stream: Stream | None = None
        """The stream last played."""
        self.converged: bool | None = None
        """Whether ``until_clean`` ended with a pass without a mistake; None where not asked."""
        self.unfinished: dict[str, Any] | None = None
        """Where in which files the run was when it was saved, if that was before their end."""
        self.reading: dict[str, Any] | None = None
        """How the command line read the files, so that others are read alike."""
        self._coding = Coding(learner, self.ledger, positive, labels, class_weights)
        self._slices = Slices(learner, self.ledger, digest)
        self._fits = ours is not None  # to refuse what it cannot learn from
        self._codes: dict[Label, int] = {}  # labels met, and what the learner calls them
        self._passes_over_stream = 0
        self._digested = False  # a whole pass over the stream, that is
        self._alone = _Alone()

    def __repr__(self) -> str:
        return f"Run({self.learner!r}, {self.ledger!r})"

    @property
    def mistakes(self) -> int:
        """How many mistakes were made so far."""
        return self.ledger.mistakes

    @property
    def labels(self) -> Any:
        """The map between the user's labels and the learner's."""
        return self._coding.labels

    @property
    def class_weights(self) -> dict[Label, float]:
        """What scales the updates of rounds, by their label."""
        return self._coding.class_weights

    def _learn(self, x: Any, y: Label, weight: float = 1.0) -> Label | None:
        """Play one round, whatever its form, and say what is wrong with it.

        ``learn`` is in the core (``core/bind/rounds.hpp``): a round with a dict that is like one
        before goes straight to the rule, any other comes here.
        """
        coding, ledger = self._coding, self.ledger
        with self._alone:
            whole, known = isinstance(coding.labels, Outputs), ledger.labels
            block = self._fitting(ExampleBlock([x]) if whole else one_row(x))
            before, codes, fault = coding.encoded([y])
            if ledger.labels != known:
                self._forget()
            if fault is not None:
                raise fault
            code = codes[0] if whole else int(codes[0])
            try:
                prediction = self._play_row(block, y, code, weight)
            except BaseException:
                coding.keep(before)
                raise
            self._slices.record(block, codes, 1)
        self._remember(block, y, code)
        label: Label | None = coding.labels.decode_one(prediction)
        return label

    def _play_row(self, block: Block, y: Label, code: Any, weight: float) -> Any:
        given = None if type(weight) is float and weight == 1 else [weight]
        weights, fault = self._coding.weights([y], given)
        if fault is not None:
            raise fault
        if self._slices.native:
            return self.learner.learn_row(block, code, self.ledger.tally, weights)
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
        tally, names = self.ledger.tally, self.labels.table
        self.learner.quicken(self, tally, self._codes, names, self.class_weights)

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
        rounds. Rounds before one that is refused, or before Ctrl-C, stay played.
        """
        source = stream_for(self.learner, stream)
        limit = _checked_passes(passes, until_clean, max_passes)
        batch = self._slices.native and self.learner.batch
        if (limit > 1 or batch) and not source.replayable:
            raise not_replayable(source)
        if isinstance(source, AnsweringStream):
            source.meet(self.learner)
        with self._alone, as_progress(progress) as report:
            self._forget()
            self._adopt(source)
            if batch:
                self.learner.survey(source)
            try:
                self._play_passes(source, limit, until_clean, report)
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
        return found.with_labels(spoken) if spoken else found

    def predict_one(self, x: Any) -> Label | None:
        """Predict the label of one x as ``learn`` would, and change nothing.

        It asks the learner itself: nothing is copied, as ``predict`` does to freeze a hypothesis.
        """
        found: Label | None = self.labels.decode_one(self.learner.predict(x))
        return found

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
        positive = getattr(self.labels, "positive", None)
        named = (*self.labels.known, *self.class_weights, *([] if positive is None else [positive]))
        storage.plain_labels(named)
        storage.write(path, "Run", *self._state())

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
        if not isinstance(self.learner, Learner):
            raise parameter("learner", "one of this library's to save", self.learner)
        metadata, arrays = self.ledger.state()
        metadata |= {
            "positive": getattr(self.labels, "positive", None),
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
        run.ledger.restore(metadata, arrays)
        run.converged = metadata["converged"]
        run.unfinished, run.reading = metadata["unfinished"], metadata["reading"]
        return run

    def _adopt(self, source: Stream) -> None:
        """Take over the stream and its positive label."""
        self._coding.adopt(plain(source.positive))
        if self.stream is None or source.origin is not self.stream.origin:
            self._passes_over_stream, self._digested = 0, False
        self.stream = source

    def _play_passes(
        self, source: Stream, limit: int, until_clean: bool, report: Report | None
    ) -> None:
        known = None if source.rounds is None or until_clean else source.rounds * limit
        self._slices.total = None if known is None else self.ledger.rounds + known
        self.converged = None
        for number in range(1, limit + 1):
            mistakes, rounds = self.mistakes, self.ledger.rounds
            self._play_pass(source, report)
            if number > 1 and self.ledger.rounds == rounds and source.rounds != 0:
                raise not_replayable(source)
            if until_clean:
                self.converged = self.mistakes == mistakes
            if self.converged:
                break

    def _play_pass(self, source: Stream, told: Report | None) -> None:
        report = None
        if told is not None:
            report = lambda progress: told(replace(progress, bytes=source.progress))  # noqa: E731
        self._passes_over_stream += 1
        for rounds in source.blocks():
            self._play_block(Rounds(*rounds), report)
        self._digested = True

    def _play_block(self, rounds: Rounds, report: Report | None) -> None:
        rows, y, given, place = rounds
        block = self._fitting(rows)
        before, codes, fault = self._coding.encoded(y)
        began, encoded = self.ledger.rounds, len(codes)
        self.ledger.passes = max(self.ledger.passes, self._passes_over_stream)
        try:
            weights, light = self._coding.weights(
                y[:encoded], None if given is None else given[:encoded]
            )
            if light is not None:
                fault, codes = light, codes[: light.row]
            self._slices.play(block, codes, weights, report, place)
        finally:
            done = self.ledger.rounds - began
            if done < encoded:  # refused or interrupted: only labels played are known
                before.encode(y[:done], began + 1)
                self._coding.keep(before)
            self._slices.record(block, codes, 0 if self._digested else done)
        if fault is not None:
            raise placed(fault, place)

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
) -> Run: ...


def play(
    learner: Any,
    stream: Any,
    *,
    passes: int = 1,
    until_clean: bool = False,
    max_passes: int = 1000,
    progress: bool | Report | None = None,
    digest: bool = False,
) -> Run | RegretRun:
    """Play a stream with a learner from the first round: ``Run(learner).play(stream)``.

    With a learner of experts or arms: ``RegretRun(learner).play(stream)``, which takes
    ``progress`` alone.
    """
    if isinstance(learner, RegretLearner):
        if passes != 1 or until_clean or digest:
            raise parameter("passes", "1, without until_clean and digest, for regret", passes)
        return RegretRun(learner).play(stream, progress=progress)
    run = Run(learner, digest=digest)
    return run.play(
        stream, passes=passes, until_clean=until_clean, max_passes=max_passes, progress=progress
    )


def stream_for(learner: Any, source: Any) -> Stream:
    """Take a stream as it is, and any iterable of (x, y) as what the learner plays."""
    structured = isinstance(learner, StructuredPerceptron)
    return as_examples(source) if structured else as_stream(source)


def _checked_passes(passes: int, until_clean: bool, max_passes: int) -> int:
    """Return the most passes that may be made."""
    name, count = ("max_passes", max_passes) if until_clean else ("passes", passes)
    if not isinstance(count, (int, np.integer)) or count < 1:
        raise parameter(name, "a whole number of at least 1", count)
    if until_clean and passes != 1:
        raise parameter("passes", "1 with until_clean", passes, "Limit passes with max_passes.")
    return int(count)


def not_replayable(source: Stream) -> InputError:
    """Return the error of a stream that is used up."""
    return InputError(
        f"{source.name}: expected a stream that can be played again, got one that is used up by "
        "its first pass. Put the rounds in a list or arrays, or spool them: nv.cache."
    )
