"""Chunks: rows that matrix products score at once, updated whenever a support is added."""

from weakref import WeakKeyDictionary

import numpy as np

from novikoff import _core
from novikoff.kernels import Points, Supports, points
from novikoff.kernels.kernel import UNIT, Kernel, ProductKernel
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, FloatArray, IntArray

_ROWS = 256
_DEVICE_ROWS = 1024  # a call to a device takes its time, however few the rows
_KEPT = 2**28  # bytes of scores per block
ChunkSteps = list[tuple[int, int, int]]
"""(row, class, value): what a row of a chunk adds to its coefficient."""


class Chunk:
    """Rows [start, stop) of a block, with their scores after the steps seen so far."""

    def __init__(self, x: Points, start: int, classes: int) -> None:
        self.x, self.start, self.stop = x, start, start + len(x)
        self.scores = np.zeros((len(x), classes))
        self.error = np.zeros(len(x))
        self.seen = 0
        """How many steps of the learner's log the scores include."""
        self._columns = np.zeros((0, len(x)))
        self._places = np.full(len(x), -1, np.int32)
        self._step_error = np.zeros(0)

    def widen(self, classes: int) -> None:
        """Make sure that every class has a column."""
        missing = classes - self.scores.shape[1]
        if missing > 0:
            self.scores = np.hstack([self.scores, np.zeros((len(self.scores), missing))])

    def add(self, scores: FloatArray, error: FloatArray) -> None:
        """Add the scores of further steps, and their error bound."""
        with np.errstate(all="ignore"):
            self.scores += scores
            size = np.abs(self.scores).max(axis=1, initial=0)
            self.error += error + 2 * UNIT * (size + self.error)

    def add_column(self, supports: Supports, column: FloatArray, norm: float, a: AnyArray) -> None:
        """Add a K(z, x) for every x; z has this norm."""
        total = float(np.abs(a).max(initial=0))
        if isinstance(supports.kernel, ProductKernel):
            error = supports.error(self.x, norm, total, 1)
        else:
            error = 8 * UNIT * total * np.abs(column)
        with np.errstate(all="ignore"):
            self.add(column[:, None] * a, error)

    def foresees(self, kernel: Kernel) -> bool:
        """Whether columns of several rows may be fetched at once, before they are needed."""
        return isinstance(kernel, ProductKernel) and self.x.narrow

    def foresee(self, supports: Supports, rows: AnyArray) -> None:
        """Fetch K(x_t, ·) over the chunk for these rows t, which may soon need a step."""
        rows = rows[self._places[rows] < 0]
        if not len(self._step_error):
            self._step_error = supports.error(self.x, float(self.x.norms.max(initial=0)), 1.0, 1)
        if len(rows):
            rows, new = supports.columns(self.x, rows)
            self._places[rows] = np.arange(len(rows)) + len(self._columns)
            self._columns = np.vstack([self._columns, new]) if len(self._columns) else new

    def play(
        self, rule: str, labels: IntArray, first: int, most_steps: int, mistaken: AnyArray
    ) -> tuple[int, ChunkSteps]:
        """Play rows from ``first`` on that the floats decide; return where that stops, and steps.

        Labels and mistakes are those of all rows of the chunk. A step is (row, class, value).
        """
        return _core.play_chunk(
            rule, self.scores, self.error, self._columns, self._places, self._step_error,
            labels, first, len(labels), most_steps, mistaken,
        )  # fmt: skip

    def close(self) -> None:
        """Keep the scores, not the rows."""
        del self.x
        self._columns = np.zeros((0, len(self.error)))
        self._places[:] = -1
        self._step_error = np.zeros(0)


class Memory:
    """The scores of blocks that may be played again; only later steps must be added to them.

    Between two passes over a block, only the steps made since change a row's score. So a pass costs
    one kernel value per row for each mistake of the last pass, not for each support. A checksum of
    the rows tells whether somebody has written to their array.
    """

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[ArrayBlock, dict[int, tuple[int, Chunk]]]
        self._known = WeakKeyDictionary()
        self._open: Chunk | None = None

    def chunk(
        self, block: ArrayBlock, at: int, stop: int, classes: int, supports: Supports
    ) -> Chunk:
        """Return the chunk that holds row ``at``, up to the first refused row."""
        size = _ROWS if supports.device is None else _DEVICE_ROWS
        kept = len(block) > 1 and len(block) * 8 * (classes + 1) <= _KEPT
        start = at - at % size if kept else at
        end = min(start + size, len(block) if kept else stop)
        x, _ = points(block, start, end, supports.bias)
        fresh = Chunk(x, start, classes)
        if not kept:
            return fresh
        if self._open is not None:
            self._open.close()
        known, mark = self._known.setdefault(block, {}), _checksum(x)
        before = known.get(start)
        if before is None or before[0] != mark or before[1].stop != fresh.stop:
            before = known[start] = mark, fresh
        self._open = before[1]
        self._open.x = x
        self._open.widen(classes)
        return self._open

    def forget(self) -> None:
        """Forget every block."""
        self._known.clear()
        self._open = None


def _checksum(x: Points) -> int:
    rows = x.given
    if isinstance(rows, np.ndarray):
        return _sum_of(rows)
    within = slice(int(rows.starts[0]), int(rows.starts[-1]))
    return hash(
        (_sum_of(rows.starts - rows.starts[0]), _sum_of(rows.indices[within]),
         _sum_of(rows.values[within]))
    )  # fmt: skip


def _sum_of(array: AnyArray) -> int:
    return _core.checksum(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
