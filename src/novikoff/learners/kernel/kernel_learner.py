"""What kernel perceptrons for two labels and for many classes share."""

from abc import abstractmethod
from typing import ClassVar, Self

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.kernels import Custom, Supports, as_kernel, points
from novikoff.kernels.gpu import as_device
from novikoff.kernels.kernel import Polynomial
from novikoff.learners.access import Access
from novikoff.learners.feature_learner import FeatureLearner
from novikoff.learners.kernel.budget import as_budget
from novikoff.learners.kernel.expansion import KernelExpansion, KernelVote
from novikoff.learners.kernel.growing_expansion import Expansion, Steps
from novikoff.learners.kernel.score_chunks import Chunk, Memory
from novikoff.learners.learner import Parameters, Slice, checked_sign
from novikoff.streams import ArrayBlock, Block, NamedBlock, one_row
from novikoff.types import AnyArray, FloatArray, IntArray


class KernelLearner(FeatureLearner):
    """A learner with weights Σ_i a_i φ(x_i): its supports x_i and whole coefficients a_i.

    Rows are scored in chunks by matrix products; a step inside a chunk updates the scores of the
    chunk's other rows, so the result equals playing one row at a time. Decisions are exact.
    """

    takes_weights: ClassVar[bool] = False
    _rule: ClassVar[str]
    """What the core calls the rule: "sign", "best" or "one-vs-rest"."""

    def __init__(
        self, kernel: object, bias: float | None, hashing: object, budget: object, device: str
    ) -> None:
        super().__init__(bias, hashing)
        self.kernel = as_kernel(kernel)
        if bias is not None and not isinstance(self.kernel, Polynomial):
            raise parameter("bias", "None unless the kernel is linear or polynomial", bias)
        self.budget = as_budget(budget)
        self.device = device
        supports = Supports(self.kernel, self.bias, as_device(device))
        self._expansion = Expansion(supports, self.budget)
        self._rounds = self._width = 0
        self._memory, self._access = Memory(), Access()

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        kernel = self.kernel if isinstance(self.kernel, Custom) else self.kernel.plain
        budget = self.budget.plain if self.budget else None
        return {"kernel": kernel, "budget": budget, **self.named_parameters}

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played."""
        return self._rounds

    @property
    def dimension(self) -> int:
        """The number of features seen so far, the constant one not included."""
        return self._width

    @property
    def supports(self) -> Supports:
        """The examples x_i."""
        return self._expansion.supports

    @property
    def classes(self) -> int:
        """How many expansions there are: one for two labels, or one per class seen."""
        return self._expansion.classes

    @property
    def coefficients(self) -> IntArray:
        """a, a row for each support and a column for each class (one for two labels)."""
        return self._expansion.coefficients.astype(np.int64)

    @property
    def weight_norm(self) -> float:
        """‖w‖ = √(aᵀKa), over all classes and with the constant feature."""
        return self.hypothesis().norm

    @property
    def nbytes(self) -> int:
        """The memory the learner holds: its supports and the names of its features."""
        return self._expansion.nbytes + int(self.features.bytes)

    @property
    def log(self) -> IntArray:
        """Every step in order, each as a row (slot, class, value, round)."""
        return self._expansion.log

    @property
    def guarantee(self) -> str:
        """What the theorems say about its mistakes: everything, or what the budget leaves of it."""
        return self.budget.guarantee if self.budget else "The perceptron's theorems hold."

    def fresh(self) -> Self:
        """Return a learner with the same parameters and device that has seen nothing."""
        return type(self)(**self.parameters, device=self.device)

    def hypothesis(self) -> KernelExpansion:
        """Return the current expansion."""
        return self._frozen(self._expansion.coefficients)

    def average(self) -> KernelExpansion:
        """Return w̄ = (1/T) Σ_t w_{t+1}, in plain floats   (freund1999; collins2002)."""
        slots, classes, values, rounds = self._whole_log("average").T
        a = np.zeros((len(self.supports), self.classes))
        np.add.at(a, (slots, classes), values * (self._rounds + 1.0 - rounds))
        return self._frozen(a / max(self._rounds, 1))

    def _vote(self) -> KernelVote:
        """Return the vote of every expansion that each class has held, including zero."""
        log = self._whole_log("vote")
        counts = np.zeros(len(log))
        zeros = np.full(max(self.classes, 1), float(self._rounds))
        for k in range(self.classes):
            mine = np.flatnonzero(log[:, 1] == k)
            if len(mine):
                births = log[mine, 3]
                counts[mine] = np.diff(np.append(births, self._rounds + 1))
                zeros[k] = births[0] - 1
        zero = zeros if self.multiclass else zeros[0]
        supports = self._frozen_supports(np.arange(len(self.supports)))
        votes = (log[:, :3], counts, zero)
        return KernelVote(self.kernel, supports, votes, self.bias, (), self.known_features)

    def _whole_log(self, what: str) -> IntArray:
        if self._expansion.forgets:
            raise HypothesisError(
                f"{what}: expected a learner that keeps its supports, got the budget "
                f"{self.budget!r}. Use overflow='stop', or hypothesis()."
            )
        return self.log

    def _frozen(self, a: FloatArray) -> KernelExpansion:
        kept = np.flatnonzero(a.any(axis=1))
        supports, a = self._frozen_supports(kept), a[kept]
        if a.shape[1] == 0:  # before the first round: like other learners, one class
            a = np.zeros((0, 1))
        a = a if self.multiclass else a[:, 0]
        return KernelExpansion(self.kernel, supports, a, self.bias, (), self.known_features)

    def _frozen_supports(self, slots: IntArray) -> Supports:
        with self._access.reading():
            return self.supports.copy(slots, self._width)

    def predict(self, x: object, /) -> int:
        """Return the label predicted for x; changes nothing."""
        block = self.fitting(one_row(x))
        rows = block
        if isinstance(block, NamedBlock):
            rows = block.numbered(self.features, 0, 1, adopt=False)
        assert isinstance(rows, ArrayBlock)
        found, done = points(rows, 0, len(rows), self.supports.bias)
        if done < 1:
            raise InputError(f"x: {block.fault(0)}")
        with self._access.reading(), np.errstate(all="ignore"):
            chunk = Chunk(found, 0, self.classes)
            self._expansion.refresh(chunk)
            return self._judged(chunk, 0, None)[0]

    def checked_label(self, y: int) -> int:
        """Return y if it is one of the learner's labels."""
        return checked_sign(y)

    def update(self, x: object, y: int, /, weight: float = 1.0) -> None:
        """Learn that the label of x is y."""
        block = self.fitting(one_row(x))
        weights = None if weight == 1 else self.checked_weights(np.array([weight]), 1)
        self.learn_row(block, self.checked_label(y), _core.Tally(), weights)

    def learn_row(
        self, block: Block, code: int, tally: _core.Tally, weights: FloatArray | None
    ) -> int:
        """Play the one round of a block of one row that fits; return the prediction."""
        predictions: list[int] = []
        if self._play(Slice(block, np.array([code]), None, 0, 1), tally, predictions) == 0:
            raise InputError(f"x: {block.fault(0)}")
        self.fix_form(block)
        return predictions[0]

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first refused, or where they stop."""
        done = self._play(rows, tally, None)
        if done > 0:
            self.fix_form(rows.block)
        return done

    @property
    def plays_blocks(self) -> bool:
        """Whether chunks do what predict and update do; False if a subclass changed those."""
        kind = type(self)
        return kind.predict is KernelLearner.predict and kind.update is KernelLearner.update

    def _play(self, rows: Slice, tally: _core.Tally, predictions: list[int] | None) -> int:
        with self._access.writing():
            block, codes, _, start, stop = rows
            if not isinstance(block, NamedBlock):
                return self._play_chunks(rows, tally, predictions)
            try:
                numbered = block.numbered(self.features, start, stop, adopt=True)
                within = Slice(numbered, codes[start:stop], None, 0, len(numbered))
                done = self._play_chunks(within, tally, predictions)
                self._width = max(self._width, len(self.features))
            finally:
                if self.hashing is None:
                    self.features.truncate(self._width)
            return start + done

    def _play_chunks(self, rows: Slice, tally: _core.Tally, predictions: list[int] | None) -> int:
        block, codes, _, start, stop = rows
        assert isinstance(block, ArrayBlock)
        while start < stop:
            memory = Memory() if self._expansion.forgets else self._memory
            chunk = memory.chunk(block, start, stop, self.classes, self.supports)
            end = min(stop, chunk.stop)
            if start >= end:
                return start
            try:
                self._expansion.refresh(chunk)
                self._width = max(self._width, block.columns)
                with np.errstate(all="ignore"):  # scores beyond float64 are decided exactly
                    first = start - chunk.start
                    self._play_some(chunk, codes[start:end], first, tally, predictions)
            except BaseException:
                self._memory.forget()
                raise
            start = end
        return stop

    def _play_some(
        self,
        chunk: Chunk,
        codes: AnyArray,
        first: int,
        tally: _core.Tally,
        predictions: list[int] | None,
    ) -> None:
        """Play rows [first, first + len(codes)) of a chunk."""
        last = first + len(codes)
        labels, mistaken = np.zeros(last, np.int64), np.zeros(last, np.uint8)
        labels[first:] = codes
        at, exact, before = first, 0, self._expansion.snapshot()
        try:
            while at < last:
                if predictions is None:
                    at = self._play_decided(chunk, labels, at, first, mistaken)
                    if at == last:
                        break
                label = int(labels[at])
                prediction, steps, hard = self._judged(chunk, at, label)
                mistaken[at] = prediction != label
                exact += hard
                if steps:
                    self._expansion.step(chunk, at, steps, self._rounds + at - first + 1)
                at += 1
                if predictions is not None:
                    predictions.append(prediction)
        except BaseException:  # Ctrl-C, or a kernel that raises
            at = first + self._expansion.recover(before, self._rounds, at - first)
            raise
        finally:
            self._count(chunk, slice(first, at), labels, mistaken, tally)
            tally.count_effort(exact)

    def _count(
        self, chunk: Chunk, rows: slice, labels: IntArray, mistaken: AnyArray, tally: _core.Tally
    ) -> None:
        """Count the rounds of these rows."""
        self._rounds += rows.stop - rows.start
        kinds = labels[rows] if self.multiclass else (labels[rows] > 0).astype(np.int64)
        diagonal = self.supports.diagonal(chunk.x)[rows]
        tally.judged(kinds, mistaken[rows], diagonal, chunk.x.largest[rows])

    def _play_decided(
        self, chunk: Chunk, labels: IntArray, at: int, first: int, mistaken: AnyArray
    ) -> int:
        """Play the rows that floats decide, from row ``at`` on; return where that stops."""
        expansion, began = self._expansion, self._rounds - first + 1
        while at < len(labels):
            rest = slice(at, len(labels))
            right = self._surely_right(chunk.scores[rest], chunk.error[rest], labels[rest])
            left_open = at + np.flatnonzero(~right)
            if not len(left_open):
                return len(labels)
            at, room = int(left_open[0]), expansion.room
            if not room or not chunk.foresees(self.kernel):
                return at
            chunk.foresee(self.supports, left_open)
            stop, steps = chunk.play(self._rule, labels, at, room, mistaken)
            expansion.take(chunk, steps, began)
            if stop == at:
                return at
            at = stop
        return at

    @abstractmethod
    def _surely_right(self, scores: FloatArray, error: FloatArray, labels: AnyArray) -> AnyArray:
        """Say for each row whether its float scores prove that it is right and needs no step."""

    @abstractmethod
    def _judged(self, chunk: Chunk, t: int, y: int | None) -> tuple[int, Steps, bool]:
        """Return the prediction for row t, its steps if y is its label, and whether it was hard."""

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        with self._access.reading():
            return {
                **self._expansion.state(),
                "counts": np.array([self._rounds, self._width, self.classes], np.int64),
                **self.form_state(),
            }

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        rounds, width, classes = (int(count) for count in state["counts"])
        self._expansion.restore(state, classes, rounds)
        self._rounds, self._width = rounds, width
        self._memory.forget()
        self.restore_form(state)
        if self.named and self.hashing is None and len(self.features) != width:
            raise ValueError("as many names as features")
        met = self.named is not None or not (rounds or width)
        if not (met and self.supports.width <= width <= _core.MAX_DIMENSION):
            raise ValueError("supports of features that were met")
