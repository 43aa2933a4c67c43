"""Runs of learners with experts or arms."""

from collections.abc import Callable
from numbers import Real
from typing import Any, Self

import numpy as np

from novikoff.errors import InputError, parameter
from novikoff.interrupts import listening, look, waiting
from novikoff.learners.experts.bandits import Bandit
from novikoff.learners.experts.experts import ExpertLearner, WeightedMajority
from novikoff.learners.experts.regret_learner import RegretLearner
from novikoff.learners.learner import rebuilt
from novikoff.playing.progress import Progress, Report, as_progress
from novikoff.playing.regret_ledger import RegretLedger
from novikoff.saving import contents, storage
from novikoff.streams import BinaryLabels, Block, Stream, as_stream
from novikoff.streams.blocks.block import DenseBlock
from novikoff.streams.environments import Environment, Replay
from novikoff.streams.stream import Rounds
from novikoff.types import AnyArray, FloatArray, Label


class RegretRun:
    """A learner with experts or arms, and its ledger: play environments with it.

    An environment is one of ``Replay``, ``Stochastic``, ``switching`` and ``lower_bound``; a
    matrix of losses is replayed. Learners with experts also play labelled streams: rows of
    advice, −1 or +1 for each expert, and outcomes; with a pool of learners, any rows.
    """

    def __init__(self, learner: RegretLearner, *, positive: Label | None = None) -> None:
        if not isinstance(learner, RegretLearner):
            raise parameter("learner", "one with experts or arms", learner)
        self.learner: Any = learner
        self.labels = BinaryLabels(positive, ())
        full = isinstance(learner, ExpertLearner)
        parameters = learner.parameters
        self.ledger = RegretLedger(
            type(learner).__name__, parameters, learner.size, learner.rounds == 0, full
        )
        self.environment: Environment | Stream | None = None
        """What was played last."""
        self.streams = 0
        """How many were played, one after the other."""

    def __repr__(self) -> str:
        return f"RegretRun({self.learner!r}, {self.ledger!r})"

    @property
    def regret(self) -> float:
        """Own loss less that of the best in hindsight."""
        return self.ledger.regret

    def play(self, stream: Any, *, progress: bool | Report | None = None) -> Self:
        """Play an environment, a matrix of losses, or a labelled stream, to its end.

        Ctrl-C stops between two pieces of the rounds. Rounds before one that is refused, or before
        Ctrl-C, stay played.
        """
        source = as_environment(stream)
        if isinstance(self.learner, Bandit):
            self.learner.require_no_tickets()
        before = self.ledger.rounds
        try:
            with waiting(), as_progress(progress) as report:
                if isinstance(source, Environment):
                    self._play_environment(source, report)
                else:
                    self._play_stream(source, report)
        finally:
            if self.ledger.rounds > before:
                self.environment, self.streams = source, self.streams + 1
        return self

    def _play_environment(self, source: Environment, report: Report | None) -> None:
        if source.columns != self.learner.size:
            raise InputError(
                f"{source.name}: expected losses of {self.learner.size} experts or arms, got "
                f"{source.columns}. Make the learner as large."
            )
        if getattr(self.learner, "pool", None) is not None:
            raise InputError(
                "losses: expected a labelled stream for a pool of learners, got losses. "
                "Pass experts as a number."
            )
        means = source.mean_losses if source.random else None
        if isinstance(self.learner, WeightedMajority):
            matrix = self.learner.unit_losses(source.losses(0, source.rounds))
            self._play_majority(_as_advice(matrix), np.full(len(matrix), -1, np.int8), report)
            return
        native = source.native
        if isinstance(source, Replay):
            native = self.learner.unit_losses(native, self.ledger.rounds + 1)
        before = self.ledger.rounds
        self._pieces(lambda a, b: self.learner.core.play(native, a, b, self.ledger.tally),
                     source.rounds, means, report)  # fmt: skip
        done = self.ledger.rounds - before
        if done < source.rounds:
            self.learner.check_losses(source.losses(done, done + 1), self.ledger.rounds + 1)

    def _play_stream(self, source: Stream, report: Report | None) -> None:
        if isinstance(self.learner, Bandit):
            raise InputError(
                f"{source.name}: expected losses for a bandit, got labelled rounds. "
                "Pass an environment or a matrix of losses."
            )
        if source.positive is not None and self.ledger.rounds == 0:
            self.labels = BinaryLabels(source.positive, ())
        if source.declared:
            self.labels = self.labels.declared(source.declared)
        blocks = iter(source.blocks())
        while True:
            with listening():
                rounds = next(blocks, None)
            if rounds is None:
                break
            self._play_rounds(Rounds(*rounds), report)

    def _play_rounds(self, rounds: Rounds, report: Report | None) -> None:
        rows, y, *_ = rounds
        before, began = self.labels, self.ledger.rounds
        labels = before.copy()
        codes = np.ascontiguousarray(labels.encode(y, began + 1), np.int8)
        self.labels = labels
        try:
            if self.learner.pool is None:
                advice = _advice(rows, self.learner.size)
                self._play_outcomes((advice != codes[:, None]).astype(np.uint8), codes, report)
            else:
                self._play_pool(rows, codes, report)
        finally:
            done = self.ledger.rounds - began
            if done < len(codes):  # refused or interrupted: only labels played are known
                self.labels = before.copy()
                self.labels.encode(y[:done], began + 1)

    def _play_outcomes(self, losses: AnyArray, codes: AnyArray, report: Report | None) -> None:
        play = self._played(losses, codes)
        self._pieces(play, len(losses), None, report)

    def _play_pool(self, rows: Block, codes: AnyArray, report: Report | None) -> None:
        """Let the learners of the pool play no further than this one does."""
        refusals: list[Exception | None] = []

        def play(start: int, stop: int) -> int:
            within = codes[start:stop]
            losses, refusal = self.learner.pool.losses(rows.part(start, stop), within)
            refusals.append(refusal)
            done: int = self._played(losses, within[: len(losses)])(0, len(losses))
            return start + done

        self._pieces(play, len(codes), None, report)
        refusal = refusals[-1] if refusals else None
        if isinstance(refusal, InputError):
            raise InputError(f"round {self.ledger.rounds + 1}, {refusal}")
        if refusal is not None:
            raise refusal

    def _played(self, losses: AnyArray, codes: AnyArray) -> Callable[[int, int], int]:
        """Return what plays rounds [start, stop) of these losses: by vote, or by draws."""
        play, tally = self.learner.core.play, self.ledger.tally
        if isinstance(self.learner, WeightedMajority):
            given = np.where(losses == 0, codes[:, None], -codes[:, None]).astype(np.int8)
            return lambda start, stop: play(given, codes, start, stop, tally)
        return lambda start, stop: play(losses, start, stop, tally)

    def _play_majority(self, advice: AnyArray, outcomes: AnyArray, report: Report | None) -> None:
        play = self.learner.core.play
        self._pieces(lambda a, b: play(advice, outcomes, a, b, self.ledger.tally),
                     len(advice), None, report)  # fmt: skip

    def _pieces(self, play: Any, rounds: int, means: Any, report: Report | None) -> None:
        """Play rounds from one checkpoint to the next, up to one refused."""
        ledger, start = self.ledger, 0
        while start < rounds:
            before = self._losses()
            stop = min(rounds, start + ledger.next_checkpoint() - ledger.rounds)
            done = play(start, stop)
            ledger.add(self._losses() - before, means(start, done) if means else None)
            if done > start:
                ledger.check(self.learner.probabilities())
            if done < stop:
                return
            start = stop
            look()
            if report is not None:
                with listening():
                    report(Progress(ledger.rounds, ledger.mistakes, None))

    def _losses(self) -> FloatArray:
        """Return what each expert or arm has lost, as far as the core knows."""
        if isinstance(self.learner, ExpertLearner):
            return self.learner.losses
        found: FloatArray = np.zeros(self.learner.size)
        known = self.ledger.tally.losses
        found[: len(known)] = known
        return found

    def save(self, path: storage.PathLike) -> None:
        """Write learner and ledger to a file from which the run resumes exactly."""
        metadata, arrays = self.ledger.state()
        metadata |= {"labels": storage.plain_labels(self.labels.known), "streams": self.streams}
        state = arrays | self.learner.state()
        storage.write(path, "RegretRun", metadata, state, self._restore)

    @classmethod
    def load(cls, path: storage.PathLike) -> Self:
        """Read a run."""
        _, metadata, arrays = storage.read(path, ("RegretRun",))
        with storage.intact(path):
            return cls._restore(metadata, arrays)

    @classmethod
    def _restore(cls, metadata: dict[str, Any], arrays: dict[str, AnyArray]) -> Self:
        contents.check_fields(metadata, contents.REGRET_RUN)
        kind = RegretLearner.kinds[metadata["learner"]]
        run = cls(rebuilt(kind, metadata["parameters"], arrays))  # type: ignore[arg-type]
        if len(arrays["ledger.arm_losses"]) > run.learner.size:
            raise ValueError("as many losses as experts or arms")
        run.labels = BinaryLabels(None, tuple(metadata["labels"]))
        run.streams = metadata["streams"]
        run.ledger.restore(metadata, arrays)
        return run


def as_environment(stream: Any) -> Environment | Stream:
    """Return an environment or a labelled stream; a matrix of losses is replayed."""
    if isinstance(stream, Environment):
        return stream
    if isinstance(stream, np.ndarray) and stream.ndim == 2:
        return Replay(stream)
    if isinstance(stream, list) and stream and all(_numbers(row) for row in stream):
        return Replay(stream)
    return as_stream(stream)


def _numbers(row: Any) -> bool:
    return isinstance(row, (list, tuple)) and all(isinstance(v, Real) for v in row)


def _advice(rows: Any, size: int) -> AnyArray:
    """Return the experts' predictions, −1 or +1, one row a round."""
    good = isinstance(rows, DenseBlock) and rows.columns == size
    values = np.asarray(rows.values) if isinstance(rows, DenseBlock) else np.zeros((0, 0))
    if not (good and np.isin(values, (-1, 1)).all()):
        raise InputError(
            f"advice: expected dense rows of −1 and +1, one for each of {size} experts, got "
            "others. Pass losses as a matrix, or a list of learners as experts."
        )
    return values.astype(np.int8)


def _as_advice(losses: AnyArray) -> AnyArray:
    """Return advice for the outcome −1: whoever loses said +1, and a tie is a mistake."""
    if not np.isin(losses, (0, 1)).all():
        raise InputError(
            "losses: expected 0 and 1 for a vote, got others. Play advice with outcomes, or Hedge."
        )
    return np.ascontiguousarray(np.where(losses == 1, 1, -1), np.int8)
