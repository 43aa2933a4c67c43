"""Chunks: rows that matrix products score at once, updated whenever a support is added."""

import zlib
from weakref import WeakKeyDictionary

import numpy as np

from novikoff.kernels import Points, Supports, points
from novikoff.kernels.kernel import UNIT, ProductKernel
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, FloatArray

ROWS = 256
_KEPT = 2**28  # bytes of scores per block


class Chunk:
    """Rows [start, stop) of a block, with their scores after the steps seen so far."""

    def __init__(self, x: Points, start: int, classes: int) -> None:
        self.x, self.start, self.stop = x, start, start + len(x)
        self.scores = np.zeros((len(x), classes))
        self.error = np.zeros(len(x))
        self.seen = 0
        """How many steps of the learner's log the scores include."""

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

    def chunk(self, block: ArrayBlock, at: int, stop: int, classes: int, bias: float) -> Chunk:
        """Return the chunk that holds row ``at``, up to the first refused row."""
        kept = len(block) > 1 and len(block) * 8 * (classes + 1) <= _KEPT
        start = at - at % ROWS if kept else at
        end = min(start + ROWS, len(block) if kept else stop)
        x, _ = points(block, start, end, bias)
        fresh = Chunk(x, start, classes)
        if not kept:
            return fresh
        if self._open is not None:
            del self._open.x  # keep the scores, not the rows
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
    if isinstance(x.rows, np.ndarray):
        return zlib.crc32(np.ascontiguousarray(x.rows).data)
    rows = x.rows
    within = slice(int(rows.starts[0]), int(rows.starts[-1]))
    parts = (rows.starts - rows.starts[0], rows.indices[within], rows.values[within])
    found = 0
    for part in parts:
        found = zlib.crc32(np.ascontiguousarray(part).data, found)
    return found
