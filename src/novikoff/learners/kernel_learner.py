"""What kernel perceptrons of two labels and of many classes share."""

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.hypotheses import KernelExpansion, KernelVote
from novikoff.hypotheses.expansion import restored_supports, supports_state
from novikoff.kernels import Custom, Supports, as_kernel, points
from novikoff.kernels.gpu import as_device
from novikoff.kernels.kernel import Polynomial
from novikoff.learners.access import Access
from novikoff.learners.budget import as_budget
from novikoff.learners.chunks import Chunk, Memory
from novikoff.learners.native import NativeLearner
from novikoff.streams import ArrayBlock, Block, NamedBlock, one_row
from novikoff.streams.named import names_state, new_features, restore_names
from novikoff.types import AnyArray, FloatArray, IntArray

Steps = list[tuple[int, int]]
"""(class, value): what a round adds to the coefficient of its example."""


class KernelLearner(NativeLearner):
    """A learner whose weights are Σ_i a_i φ(x_i): its supports, and whole coefficients.

    Rows are scored in chunks by matrix products; a step inside a chunk brings the scores of its
    other rows up to date, so that the result is that of one row at a time. Decisions are exact.
    """

    takes_weights: ClassVar[bool] = False

    def __init__(
        self, kernel: Any, bias: float | None, hashing: Any, budget: Any, device: str
    ) -> None:
        super().__init__(bias, hashing)
        self.kernel = as_kernel(kernel)
        if bias is not None and not isinstance(self.kernel, Polynomial):
            raise parameter("bias", "None unless the kernel is linear or polynomial", bias)
        self.budget = as_budget(budget)
        self.device = device
        self.supports = Supports(self.kernel, self.bias, as_device(device))
        self.classes = 1
        self._a = np.zeros((0, 1))
        self._births = np.zeros(0, np.int64)
        self._log: list[tuple[int, int, int, int]] = []  # slot, class, value, round
        self._rounds = self._width = 0
        self._memory, self._access = Memory(), Access()

    @property
    def parameters(self) -> dict[str, Any]:
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
    def coefficients(self) -> IntArray:
        """a, a row for each support and a column for each class (one for two labels)."""
        return self._a[: len(self.supports), : self.classes].astype(np.int64)

    @property
    def weight_norm(self) -> float:
        """‖w‖ = √(aᵀKa), over all classes and with the constant feature."""
        return self._expansion(self._a[: len(self.supports), : self.classes]).norm

    @property
    def nbytes(self) -> int:
        """The memory the learner holds: its supports and the names of its features."""
        return self.supports.nbytes + self._a.nbytes + int(self.features.bytes)

    @property
    def log(self) -> IntArray:
        """Every step, a row (slot, class, value, round) each, in their order."""
        return np.array(self._log, np.int64).reshape(-1, 4)

    @property
    def guarantee(self) -> str:
        """What the theorems say of its mistakes: all of them, or what the budget leaves."""
        return self.budget.guarantee if self.budget else "The perceptron's theorems hold."

    def fresh(self) -> Self:
        """Return a learner with the same parameters, on the same device, that has seen nothing."""
        return type(self)(**self.parameters, device=self.device)

    def quicken(self, *_: Any) -> None:
        """Do nothing: no round goes past ``learn_row``."""

    def hypothesis(self) -> KernelExpansion:
        """Return the current expansion."""
        return self._expansion(self._a[: len(self.supports), : self.classes])

    def average(self) -> KernelExpansion:
        """Return w̄ = (1/T) Σ_t w_{t+1}, in plain floats   (freund1999; collins2002)."""
        slots, classes, values, rounds = self._whole_log("average").T
        a = np.zeros((len(self.supports), self.classes))
        np.add.at(a, (slots, classes), values * (self._rounds + 1.0 - rounds))
        return self._expansion(a / max(self._rounds, 1))

    def _vote(self) -> KernelVote:
        """Return the vote of every expansion that each class has held, zero included."""
        log = self._whole_log("vote")
        counts = np.zeros(len(log))
        zeros = np.full(self.classes, float(self._rounds))
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
        if self._forgets:
            raise HypothesisError(
                f"{what}: expected a learner that keeps its supports, got the budget "
                f"{self.budget!r}. Use overflow='stop', or hypothesis()."
            )
        return self.log

    @property
    def _forgets(self) -> bool:
        return self.budget is not None and self.budget.overflow != "stop"

    def _expansion(self, a: FloatArray) -> KernelExpansion:
        kept = np.flatnonzero(a.any(axis=1))
        supports, a = self._frozen_supports(kept), a[kept]
        a = a if self.multiclass else a[:, 0]
        return KernelExpansion(self.kernel, supports, a, self.bias, (), self.known_features)

    def _frozen_supports(self, slots: IntArray) -> Supports:
        with self._access.reading():
            return self.supports.copy(slots, self._width)

    def predict(self, x: Any, /) -> int:
        """Return the label predicted for x; changes nothing."""
        block = self.fitting(one_row(x))
        rows: Any = block
        if isinstance(block, NamedBlock):
            rows = block.numbered(self.features, 0, 1, adopt=False)
        found, done = points(rows, 0, len(rows), self.supports.bias)
        if done < 1:
            raise InputError(f"x: {block.fault(0)}")
        with self._access.reading(), np.errstate(all="ignore"):
            chunk = Chunk(found, 0, self.classes)
            self._refresh(chunk)
            return self._judged(chunk, 0, None)[0]

    def update(self, x: Any, y: int, /, weight: float = 1.0) -> None:
        """Learn that the label of x is y."""
        block = self.fitting(one_row(x))
        weights = None if weight == 1 else self.checked_weights(np.array([weight]), 1)
        self.learn_row(block, self.checked_label(y), _core.Tally(), weights)

    def learn_row(
        self, block: Block, label: int, tally: _core.Tally, weights: FloatArray | None
    ) -> int:
        """Play the one round of a block of one row that fits; return the prediction."""
        predictions: list[int] = []
        if self._play(block, np.array([label]), 0, 1, tally, predictions) == 0:
            raise InputError(f"x: {block.fault(0)}")
        self.fix_form(block)
        return predictions[0]

    def play_rows(
        self,
        block: Block,
        codes: AnyArray,
        weights: FloatArray | None,
        start: int,
        stop: int,
        tally: _core.Tally,
    ) -> int:
        """Play rows [start, stop) of a block; return the first refused, or stop."""
        done = self._play(block, codes, start, stop, tally, None)
        if done > 0:
            self.fix_form(block)
        return done

    @property
    def plays_natively(self) -> bool:
        """Whether chunks do what predict and update do; not where a subclass changed them."""
        kind = type(self)
        return kind.predict is KernelLearner.predict and kind.update is KernelLearner.update

    def _play(
        self,
        block: Block,
        codes: AnyArray,
        start: int,
        stop: int,
        tally: _core.Tally,
        predictions: list[int] | None,
    ) -> int:
        with self._access.writing():
            if not isinstance(block, NamedBlock):
                assert isinstance(block, ArrayBlock)
                return self._play_rows(block, codes, start, stop, tally, predictions)
            try:
                rows = block.numbered(self.features, start, stop, adopt=True)
                within = codes[start : start + len(rows)]
                done = self._play_rows(rows, within, 0, len(rows), tally, predictions)
                self._width = max(self._width, len(self.features))
            finally:
                if self.hashing is None:
                    self.features.truncate(self._width)
            return start + done

    def _play_rows(
        self,
        block: ArrayBlock,
        codes: AnyArray,
        start: int,
        stop: int,
        tally: _core.Tally,
        predictions: list[int] | None,
    ) -> int:
        while start < stop:
            memory = Memory() if self._forgets else self._memory
            chunk = memory.chunk(block, start, stop, self.classes, self.supports.bias)
            end = min(stop, chunk.stop)
            if start >= end:
                return start
            try:
                self._refresh(chunk)
                self._width = max(self._width, block.columns)
                with np.errstate(all="ignore"):  # scores beyond float64 are decided exactly
                    first = start - chunk.start
                    self._play_some(chunk, codes[start:end], first, tally, predictions)
            except BaseException:
                self._memory.forget()
                raise
            start = end
        return stop

    def _refresh(self, chunk: Chunk) -> None:
        """Add the steps that the scores of a chunk do not have yet."""
        if self._forgets or chunk.seen == 0:
            a, slots = self._a[: len(self.supports), : self.classes], None
        else:
            new = np.array(self._log[chunk.seen :], np.int64).reshape(-1, 4)
            slots, places = np.unique(new[:, 0], return_inverse=True)
            a = np.zeros((len(slots), self.classes))
            np.add.at(a, (places, new[:, 1]), new[:, 2])
        if len(a):
            chunk.add(*self.supports.scores(chunk.x, slots, a))
        chunk.seen = len(self._log)

    def _play_some(
        self,
        chunk: Chunk,
        codes: AnyArray,
        first: int,
        tally: _core.Tally,
        predictions: list[int] | None,
    ) -> None:
        """Play rows [first, first + len(codes)) of a chunk."""
        labels, done, exact = np.asarray(codes, np.int64), 0, 0
        mistaken, before = np.zeros(len(labels), np.uint8), self._snapshot()
        diagonal = self.supports.diagonal(chunk.x)[first : first + len(labels)]
        try:
            while done < len(labels):
                if predictions is None:
                    rest = slice(first + done, first + len(labels))
                    open_ = ~self._surely_right(
                        chunk.scores[rest], chunk.error[rest], labels[done:]
                    )
                    done += int(open_.argmax()) if open_.any() else len(open_)
                    if done == len(labels):
                        break
                label = int(labels[done])
                prediction, steps, hard = self._judged(chunk, first + done, label)
                mistaken[done] = prediction != label
                exact += hard
                self._step(chunk, first + done, steps, self._rounds + done + 1)
                done += 1
                if predictions is not None:
                    predictions.append(prediction)
        except BaseException:  # Ctrl-C, or a kernel that raises
            done = self._recovered(done, before)
            raise
        finally:
            self._rounds += done
            kinds = labels[:done] if self.multiclass else (labels[:done] > 0).astype(np.int64)
            largest = chunk.x.largest[first : first + done]
            tally.judged(kinds, mistaken[:done], diagonal[:done], largest)
            tally.count_effort(exact)

    def _snapshot(self) -> tuple[Supports, AnyArray, IntArray] | None:
        return (
            (self.supports.twin(), self._a.copy(), self._births.copy()) if self._forgets else None
        )

    def _recovered(self, done: int, before: tuple[Supports, AnyArray, IntArray] | None) -> int:
        """Make whole what an exception left; return how many rounds of the chunk were played.

        The log tells; without one, those of the chunk never were.
        """
        if before is not None:
            self.supports, self._a, self._births = before
            return 0
        slots, classes, values, rounds = self.log.T
        self.supports.truncate(int(slots.max(initial=-1)) + 1)
        self._reserve()
        self._a[:] = 0
        np.add.at(self._a, (slots, classes), values)
        return done + bool(len(rounds) and rounds[-1] == self._rounds + done + 1)

    @abstractmethod
    def _surely_right(self, scores: FloatArray, error: FloatArray, labels: AnyArray) -> AnyArray:
        """Say of each row whether its float scores show that it is right and asks for no step."""

    @abstractmethod
    def _judged(self, chunk: Chunk, t: int, y: int | None) -> tuple[int, Steps, bool]:
        """Return the prediction for row t, the steps if y is its label, and if it was hard."""

    def _step(self, chunk: Chunk, t: int, steps: Steps, number: int) -> None:
        """Add the steps of row t to its coefficients, and to the scores of the chunk."""
        if not steps:
            return
        column = self.supports.matrix(chunk.x, chunk.x.part(t))[:, 0]
        slot = self._slot(chunk, t, number)
        if slot is None:
            return
        change = np.zeros(self.classes)
        for k, value in steps:
            change[k] += value
        if not self._forgets:
            self._log.extend([(slot, k, value, number) for k, value in steps])  # all or nothing
        self._a[slot, : self.classes] += change
        chunk.seen = len(self._log)
        chunk.add_column(self.supports, column, float(chunk.x.norms[t]), change)

    def _slot(self, chunk: Chunk, t: int, number: int) -> int | None:
        """Return the slot of row t, old or new; None where the budget has no room."""
        slot, supports = self.supports.find(chunk.x.row(t)), self.supports
        if slot is not None:
            return slot
        if self.budget is not None and len(supports) >= self.budget.size:
            slot = self.budget.victim(self._births[: len(supports)], number)
            if slot is None:
                return None
            gone = supports.chosen(np.array([slot]))
            column = supports.matrix(chunk.x, gone)[:, 0]
            norm, gone_a = float(gone.norms[0]), self._a[slot, : self.classes]
            chunk.add_column(supports, column, norm, -gone_a)
        slot = supports.put(chunk.x, t, slot)
        self._reserve()
        self._a[slot] = 0
        self._births[slot] = number
        return slot

    def _reserve(self) -> None:
        """Have room for the coefficients of every support and class."""
        rows, columns = self._a.shape
        if len(self.supports) <= rows and self.classes <= columns:
            return
        more = max(2 * rows, 64) if len(self.supports) > rows else rows
        wider = np.zeros((more, max(self.classes, columns)))
        wider[:rows, :columns] = self._a
        births = np.zeros(more, np.int64)
        births[:rows] = self._births
        self._a, self._births = wider, births

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        with self._access.reading():
            count = len(self.supports)
            return {
                **supports_state(self.supports),
                "coefficients": self._a[:count, : self.classes].copy(),
                "births": self._births[:count].copy(),
                "log": self.log,
                "counts": np.array([self._rounds, self._width, self.classes], np.int64),
                "width": np.array([-1 if self.width is None else self.width], np.int64),
                "named": np.array([-1 if self.named is None else self.named], np.int64),
                **(names_state(self.features, len(self.features)) if self.named else {}),
            }

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        rounds, width, classes = (int(count) for count in state["counts"])
        supports = restored_supports(self.kernel, self.bias, state, self.supports.device)
        a, births, log = state["coefficients"], state["births"], state["log"]
        whole = a.shape == (len(supports), classes) and np.isfinite(a).all()
        if not (whole and births.shape == (len(supports),) and log.shape[1:] == (4,)):
            raise ValueError("as many coefficients as supports")
        if not self._forgets:
            _check_steps(log, a, rounds)
        self.supports, self.classes, self._rounds, self._width = supports, classes, rounds, width
        self._a, self._births = np.array(a, np.float64), np.array(births, np.int64)
        self._log = [tuple(step) for step in log.tolist()]
        self._memory.forget()
        self.width = int(state["width"][0]) if state["width"][0] >= 0 else None
        self.named = bool(state["named"][0]) if state["named"][0] >= 0 else None
        self.features = new_features(self.hashing)
        if self.named:
            restore_names(self.features, state)


def _check_steps(log: IntArray, a: AnyArray, rounds: int) -> None:
    """Refuse steps that do not add up to the coefficients, or are of no round."""
    slots, classes, values, numbers = log.T
    within = ((slots >= 0) & (slots < len(a)) & (classes >= 0) & (classes < a.shape[1])).all()
    played = (np.diff(numbers, prepend=1, append=rounds) >= 0).all()
    if len(log) and not (within and played):
        raise ValueError("steps of supports")
    total = np.zeros(a.shape)
    np.add.at(total, (slots, classes), values)
    if not (total == a).all():
        raise ValueError("steps that add up to the coefficients")
