"""Runs: a learner, its stream and its ledger; the one place where rounds are played."""

import hashlib
import time
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from novikoff import storage
from novikoff.errors import InputError, parameter
from novikoff.hypotheses import Hypothesis
from novikoff.learners import Learner, NativeLearner
from novikoff.ledger import Ledger
from novikoff.progress import Progress, Report, as_progress
from novikoff.streams import BinaryLabels, Block, ClassLabels, Stream, as_block, as_stream, one_row
from novikoff.types import AnyArray, Label, Player

_SLICE_SECONDS = 0.05  # between two looks at Ctrl-C and the progress bar
_FIRST_SLICE = 4096


class Run:
    """A learner with its ledger: play streams with it, chunk after chunk, or round by round.

    The learner may be any object with ``predict`` and ``update``. Predictions are the user's
    labels; ``positive`` is the one that counts as +1. ``labels`` names those that a used
    learner already knows: (that of −1, that of +1), or one a class. ``digest`` asks for the
    SHA-256 of the data (the first pass over each stream).
    """

    def __init__(
        self,
        learner: Player,
        *,
        positive: Label | None = None,
        labels: Iterable[Label] = (),
        digest: bool = False,
    ) -> None:
        if not (hasattr(learner, "predict") and hasattr(learner, "update")):
            raise parameter("learner", "an object with predict and update", learner)
        self.learner: Any = learner
        self.multiclass = bool(getattr(learner, "multiclass", False))
        self.labels = ClassLabels(labels) if self.multiclass else BinaryLabels(positive, labels)
        seen = getattr(learner, "classes", 0) if self.multiclass else 0
        if seen > len(self.labels.known):
            raise parameter(
                "labels",
                f"the labels of the {seen} classes the learner has seen",
                self.labels.known,
                "Go on with its run, or name them.",
            )
        self.ledger = Ledger(
            type(learner).__name__,
            dict(learner.parameters) if isinstance(learner, Learner) else {},
            began_fresh=learner.rounds == 0 if isinstance(learner, Learner) else None,
            weight_norm=lambda: getattr(self.learner, "weight_norm", None),
        )
        self.stream: Stream | None = None
        """The stream last played."""
        self.converged: bool | None = None
        """Whether ``until_clean`` ended with a pass without a mistake; None where not asked."""
        self._total: int | None = None
        self._hash = hashlib.sha256() if digest else None
        if self._hash:
            self.ledger.digest = self._hash.hexdigest()

    def __repr__(self) -> str:
        return f"Run({self.learner!r}, {self.ledger!r})"

    @property
    def mistakes(self) -> int:
        """How many mistakes were made so far."""
        return self.ledger.mistakes

    def learn(self, x: Any, y: Label) -> Label | None:
        """Play one round; return the prediction made before y was shown."""
        block = one_row(x)
        labels = self.labels.copy()
        codes = labels.encode([y], self.ledger.rounds + 1)
        if isinstance(self.learner, NativeLearner):
            prediction = self.learner.learn_row(block, int(codes[0]), self.ledger.tally)
        else:
            prediction = self._play_row(block, 0, int(codes[0]))
        self.labels = labels
        self._record(block, codes, 1)
        return labels.decode_one(prediction)

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
        source = as_stream(stream)
        limit = _checked_passes(passes, until_clean, max_passes)
        if limit > 1 and not source.replayable:
            raise InputError(
                f"{source.name}: expected a stream that can be played again, got one that is "
                "used up by its first pass. Put the rounds in a list or arrays."
            )
        self._adopt(source)
        known = None if source.rounds is None or until_clean else source.rounds * limit
        self._total = None if known is None else self.ledger.rounds + known
        self.converged = None
        with as_progress(progress) as report:
            for number in range(1, limit + 1):
                before = self.mistakes
                self._play_pass(source, report, new_data=number == 1)
                self.ledger.passes = max(self.ledger.passes, number)
                if until_clean:
                    self.converged = self.mistakes == before
                if self.converged:
                    break
        return self

    def hypothesis(self) -> Hypothesis:
        """Return what the learner has learned, frozen, speaking the user's labels."""
        found: Hypothesis = self.learner.hypothesis()
        known = self.labels.known
        return found.with_labels(known) if known else found

    def predict(self, X: Any) -> AnyArray:
        """Predict the label of every row with the current hypothesis."""
        if isinstance(self.learner, Learner):
            return self.hypothesis().predict(X)
        block = as_block(X)
        return self.labels.decode(
            np.array([self.learner.predict(block.row(t)) for t in range(len(block))])
        )

    def save(self, path: storage.PathLike) -> None:
        """Write learner and ledger to a file from which the run resumes exactly."""
        storage.plain_labels(self.labels.known)
        storage.write(path, "Run", *self._state())

    @classmethod
    def load(cls, path: storage.PathLike) -> Self:
        """Read a run; rounds played from here on are no longer part of its digest."""
        _, metadata, arrays = storage.read(path, ("Run",))
        with storage.intact(path):
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
        }
        return metadata, arrays | self.learner.state()

    @classmethod
    def _restore(cls, metadata: dict[str, Any], arrays: dict[str, AnyArray]) -> Self:
        learner = Learner.kinds[metadata["learner"]](**metadata["parameters"])
        learner.restore(arrays)
        run = cls(learner, positive=metadata["positive"], labels=metadata["labels"])
        run.ledger.restore(metadata, arrays)
        run.converged = metadata["converged"]
        return run

    def _adopt(self, source: Stream) -> None:
        """Take over the stream's positive label; one run has one."""
        if isinstance(self.labels, BinaryLabels) and source.positive is not None:
            if self.ledger.rounds and self.labels.positive != source.positive:
                raise parameter("positive", repr(self.labels.positive), source.positive)
            self.labels.positive = source.positive
        self.stream = source

    def _play_pass(self, source: Stream, report: Report | None, new_data: bool) -> None:
        for block, y in source.blocks():
            labels, codes, fault = self._encoded(y)
            before = self.ledger.rounds
            try:
                self._play_block(block, codes, report)
                self.labels = labels
            finally:
                done = self.ledger.rounds - before
                if done < len(codes):  # refused or interrupted: only labels played are known
                    self.labels.encode(y[:done], before + 1)
                self._record(block, codes, done if new_data else 0)
            if fault is not None:
                raise fault

    def _encoded(self, y: Any) -> tuple[Any, AnyArray, InputError | None]:
        """Map a block's labels, up to the first that cannot be."""
        labels, number = self.labels.copy(), self.ledger.rounds + 1
        try:
            return labels, labels.encode(y, number), None
        except InputError as error:
            if error.row is None:
                raise
            labels = self.labels.copy()
            return labels, labels.encode(y[: error.row], number), error

    def _play_block(self, block: Block, codes: AnyArray, report: Report | None) -> None:
        """Play a block in slices short enough for Ctrl-C and the progress bar."""
        if isinstance(self.learner, NativeLearner):
            self.learner.check(block)
        start, rows, length = 0, _FIRST_SLICE, len(codes)
        while start < length:
            stop = min(start + rows, length)
            began = time.perf_counter()
            done = self._play_slice(block, codes, start, stop)
            if done < stop:
                raise InputError(f"round {self.ledger.rounds + 1}: {block.fault(done)}")
            elapsed = time.perf_counter() - began
            rows = rows * 2 if elapsed < _SLICE_SECONDS else max(1, rows // 2)
            start = stop
            if report is not None:
                report(Progress(self.ledger.rounds, self.mistakes, self._total))

    def _play_slice(self, block: Block, codes: AnyArray, start: int, stop: int) -> int:
        if isinstance(self.learner, NativeLearner):
            return self.learner.play_rows(block, codes, start, stop, self.ledger.tally)
        for t in range(start, stop):
            if not block.native.sound(t):
                return t
            self._play_row(block, t, int(codes[t]))
        return stop

    def _play_row(self, block: Block, t: int, code: int) -> Any:
        """Play one round with a learner that is not in the core."""
        if not block.native.sound(t):
            raise InputError(f"round {self.ledger.rounds + 1}: {block.fault(t)}")
        x = block.row(t)
        prediction = self.learner.predict(x)
        self.learner.update(x, code)
        abstained = prediction is None
        label = code if self.multiclass else int(code > 0)
        self.ledger.tally.round(block.native, t, label, not abstained and prediction != code)
        self.ledger.tally.abstentions += abstained
        return prediction

    def _record(self, block: Block, codes: AnyArray, new_rounds: int) -> None:
        """Bring the ledger's labels and digest up to date."""
        self.ledger.labels = self.labels.known
        if self._hash is None:
            self.ledger.digest = None
            return
        for start in range(0, new_rounds, _FIRST_SLICE):
            stop = min(start + _FIRST_SLICE, new_rounds)
            self._hash.update(block.native.encode(codes, start, stop))
        self.ledger.digest = self._hash.hexdigest()


def play(
    learner: Player,
    stream: Any,
    *,
    passes: int = 1,
    until_clean: bool = False,
    max_passes: int = 1000,
    progress: bool | Report | None = None,
    digest: bool = False,
) -> Run:
    """Play a stream with a learner from the first round: ``Run(learner).play(stream)``."""
    run = Run(learner, digest=digest)
    return run.play(
        stream, passes=passes, until_clean=until_clean, max_passes=max_passes, progress=progress
    )


def _checked_passes(passes: int, until_clean: bool, max_passes: int) -> int:
    """Return the most passes that may be made."""
    name, count = ("max_passes", max_passes) if until_clean else ("passes", passes)
    if not isinstance(count, int) or count < 1:
        raise parameter(name, "a whole number of at least 1", count)
    if until_clean and passes != 1:
        raise parameter("passes", "1 with until_clean", passes, "Limit passes with max_passes.")
    return count
