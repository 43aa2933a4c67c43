"""The growing expansion of a kernel learner: its supports, coefficients, and every step."""

from typing import NamedTuple

import numpy as np

from novikoff.kernels import Supports
from novikoff.learners.kernel.budget import Budget
from novikoff.learners.kernel.expansion import restored_supports, supports_state
from novikoff.learners.kernel.score_chunks import Chunk, ChunkSteps
from novikoff.types import AnyArray, FloatArray, IntArray

Steps = list[tuple[int, int]]
"""(class, value): what a round adds to its example's coefficient."""
_MANY = 2**31


class Snapshot(NamedTuple):
    """An earlier state of an expansion without a log, to go back to."""

    supports: Supports
    a: AnyArray
    births: IntArray


class Expansion:
    """Σ_i a_i φ(x_i), one per class: its supports x_i, whole coefficients a_i, and every step.

    If a budget removes supports, no log of the steps is kept.
    """

    def __init__(self, supports: Supports, budget: Budget | None) -> None:
        self.supports, self.budget = supports, budget
        self.classes = 1
        self._a = np.zeros((0, 1))
        self._births = np.zeros(0, np.int64)
        self._log: list[tuple[int, int, int, int]] = []  # slot, class, value, round

    @property
    def coefficients(self) -> FloatArray:
        """a, a row for each support and a column for each class."""
        return self._a[: len(self.supports), : self.classes]

    @property
    def log(self) -> IntArray:
        """Every step in order, each as a row (slot, class, value, round)."""
        return np.array(self._log, np.int64).reshape(-1, 4)

    @property
    def forgets(self) -> bool:
        """Whether new supports replace old ones."""
        return self.budget is not None and self.budget.overflow != "stop"

    @property
    def nbytes(self) -> int:
        """The memory of supports and coefficients."""
        return self.supports.nbytes + self._a.nbytes

    def meet(self, classes: int) -> None:
        """Make sure that each of these classes has a column."""
        self.classes = classes
        self._reserve()

    def refresh(self, chunk: Chunk) -> None:
        """Add the steps that the scores of a chunk do not include yet."""
        if self.forgets or chunk.seen == 0:
            a, slots = self.coefficients, None
        else:
            new = np.array(self._log[chunk.seen :], np.int64).reshape(-1, 4)
            slots, places = np.unique(new[:, 0], return_inverse=True)
            a = np.zeros((len(slots), self.classes))
            np.add.at(a, (places, new[:, 1]), new[:, 2])
        if len(a):
            chunk.add(*self.supports.scores(chunk.x, slots, a))
        chunk.seen = len(self._log)

    def step(self, chunk: Chunk, t: int, steps: Steps, number: int) -> None:
        """Add the steps of row t to its coefficients, and to the scores of the chunk."""
        slot = self._slot(chunk, t, number)
        if slot is None:
            return
        column = self.supports.matrix(chunk.x, chunk.x.part(t))[:, 0]
        change = np.zeros(self.classes)
        for k, value in steps:
            change[k] += value
        if not self.forgets:
            self._log.extend([(slot, k, value, number) for k, value in steps])  # all or nothing
        self._a[slot, : self.classes] += change
        chunk.seen = len(self._log)
        chunk.add_column(self.supports, column, float(chunk.x.norms[t]), change)

    @property
    def room(self) -> int:
        """How many rows may still become supports while no support has to go."""
        if self.budget is None:
            return _MANY
        return 0 if self.forgets else max(self.budget.size - len(self.supports), 0)

    def take(self, chunk: Chunk, steps: ChunkSteps, before: int) -> None:
        """Add steps (row, class, value) that the scores of a chunk include already.

        Row t of the chunk is played in round ``before`` + t, and there is room for all.
        """
        rows, known = list(dict.fromkeys(t for t, _, _ in steps)), len(self.supports)
        slots = dict(zip(rows, self.supports.absorb(chunk.x, np.array(rows, np.intp)), strict=True))
        self._reserve()
        self._a[known : len(self.supports)] = 0
        for t in reversed(rows):  # of equal rows the first counts
            if slots[t] >= known:
                self._births[slots[t]] = before + t
        log = [(slots[t], k, value, before + t) for t, k, value in steps]
        self._log.extend(log)  # all or nothing
        for slot, k, value, _ in log:
            self._a[slot, k] += value
        chunk.seen = len(self._log)

    def _slot(self, chunk: Chunk, t: int, number: int) -> int | None:
        """Return the slot of row t, old or new; None if the budget has no room."""
        supports = self.supports
        slot = supports.find(chunk.x, t)
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
        """Make room for the coefficients of every support and class."""
        rows, columns = self._a.shape
        if len(self.supports) <= rows and self.classes <= columns:
            return
        more = max(2 * rows, 64, len(self.supports)) if len(self.supports) > rows else rows
        wider = np.zeros((more, max(self.classes, columns)))
        wider[:rows, :columns] = self._a
        births = np.zeros(more, np.int64)
        births[:rows] = self._births
        self._a, self._births = wider, births

    def snapshot(self) -> Snapshot | None:
        """Return the state to go back to if there is no log; None if there is one."""
        if not self.forgets:
            return None
        return Snapshot(self.supports.twin(), self._a.copy(), self._births.copy())

    def recover(self, before: Snapshot | None, began: int, done: int) -> int:
        """Repair the state after an exception, ``done`` rounds after round ``began``.

        Returns how many of them were played. The log tells; without a log, none count as played.
        """
        if before is not None:
            self.supports, self._a, self._births = before
            return 0
        slots, classes, values, rounds = self.log.T
        self.supports.truncate(int(slots.max(initial=-1)) + 1)
        self._reserve()
        self._a[:] = 0
        np.add.at(self._a, (slots, classes), values)
        return max(done, int(rounds[-1]) - began if len(rounds) else 0)

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes, as plain arrays."""
        return {
            **supports_state(self.supports),
            "coefficients": self.coefficients.copy(),
            "births": self._births[: len(self.supports)].copy(),
            "log": self.log,
        }

    def restore(self, state: dict[str, AnyArray], classes: int, rounds: int) -> None:
        """Take over what ``state`` returned for these classes and rounds."""
        old = self.supports
        supports = restored_supports(old.kernel, old.bias, state, old.device)
        a, births, log = state["coefficients"], state["births"], state["log"]
        whole = a.shape == (len(supports), classes) and np.isfinite(a).all()
        if not (whole and births.shape == (len(supports),) and log.shape[1:] == (4,)):
            raise ValueError("as many coefficients as supports")
        if not self.forgets:
            _check_steps(log, a, rounds)
        self.supports, self.classes = supports, classes
        self._a, self._births = np.array(a, np.float64), np.array(births, np.int64)
        self._log = [tuple(step) for step in log.tolist()]


def _check_steps(log: IntArray, a: AnyArray, rounds: int) -> None:
    """Refuse steps that do not add up to the coefficients, or that belong to no round."""
    slots, classes, values, numbers = log.T
    within = ((slots >= 0) & (slots < len(a)) & (classes >= 0) & (classes < a.shape[1])).all()
    played = (np.diff(numbers, prepend=1, append=rounds) >= 0).all()
    if len(log) and not (within and played):
        raise ValueError("steps of supports")
    total = np.zeros(a.shape)
    np.add.at(total, (slots, classes), values)
    if not (total == a).all():
        raise ValueError("steps that add up to the coefficients")
