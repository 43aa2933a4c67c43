"""Chunks: rows scored at once by matrix products, and kept up to date as supports are added."""

import zlib
from weakref import WeakKeyDictionary

import numpy as np

from novikoff.kernels import Points, Supports, points
from novikoff.kernels.kernel import UNIT, ProductKernel
from novikoff.streams import ArrayBlock
from novikoff.types import AnyArray, FloatArray

ROWS = 256
_KEPT = 2**28  # bytes of scores of one block


class Chunk:
    """Rows [start, stop) of a block with the scores that the steps seen so far give them."""

    def __init__(self, x: Points, start: int, classes: int) -> None:
        self.x, self.start, self.stop = x, start, start + len(x)
        self.scores = np.zeros((len(x), classes))
        self.error = np.zeros(len(x))
        self.seen = 0
        """How many steps of the learner's log the scores include."""

    def widen(self, classes: int) -> None:
        """Have a column for every class."""
        missing = classes - self.scores.shape[1]
        if missing > 0:
            self.scores = np.hstack([self.scores, np.zeros((len(self.scores), missing))])

    def add(self, scores: FloatArray, error: FloatArray) -> None:
        """Add what further steps give, with the bound of its error."""
        with np.errstate(all="ignore"):
            self.scores += scores
            size = np.abs(self.scores).max(axis=1, initial=0)
            self.error += error + 2 * UNIT * (size + self.error)

    def add_column(self, supports: Supports, column: FloatArray, norm: float, a: AnyArray) -> None:
        """Add a K(z, x) for every x, with a z of this norm."""
        total = float(np.abs(a).max(initial=0))
        if isinstance(supports.kernel, ProductKernel):
            error = supports.error(self.x, norm, total, 1)
        else:
            error = 8 * UNIT * total * np.abs(column)
        with np.errstate(all="ignore"):
            self.add(column[:, None] * a, error)


class Memory:
    """The scores of blocks that may be played again: only later steps are added to them.

    Between two passes over a block a row's score changes by the steps made since, so a pass costs
    as many kernel values a row as there were mistakes in the last one, not as there are supports.
    A checksum of the rows tells when their array was written to.
    """

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[ArrayBlock, dict[int, tuple[int, Chunk]]]
        self._known = WeakKeyDictionary()
        self._open: Chunk | None = None

    def chunk(self, block: ArrayBlock, at: int, stop: int, classes: int, bias: float) -> Chunk:
        """Return the chunk in which row ``at`` lies, up to a row that is refused."""
        kept = len(block) > 1 and len(block) * 8 * (classes + 1) <= _KEPT
        start = at - at % ROWS if kept else at
        end = min(start + ROWS, len(block) if kept else stop)
        x, _ = points(block, start, end, bias)
        fresh = Chunk(x, start, classes)
        if not kept:
            return fresh
        if self._open is not None:
            del self._open.x  # scores are kept, not rows
        known, mark = self._known.setdefault(block, {}), _checksum(x)
        before = known.get(start)
        if before is None or before[0] != mark or before[1].stop != fresh.stop:
            before = known[start] = mark, fresh
        self._open = before[1]
        self._open.x = x
        self._open.widen(classes)
        return self._open

    def forget(self) -> None:
        """Know no block."""
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
