"""Kernel perceptrons for many classes."""

from typing import ClassVar

import numpy as np

from novikoff.kernels.decisions import sign_at, winner_at
from novikoff.learners.kernel.budget import Budget
from novikoff.learners.kernel.expansion import KernelVote
from novikoff.learners.kernel.growing_expansion import Steps
from novikoff.learners.kernel.kernel_learner import KernelLearner
from novikoff.learners.kernel.score_chunks import Chunk
from novikoff.learners.learner import checked_class
from novikoff.streams import Hashing
from novikoff.types import AnyArray, FloatArray


class _ClassLearner(KernelLearner):
    """Classes are ids 0, 1, … in order of appearance; new ones may appear at any time."""

    multiclass: ClassVar[bool] = True

    def __init__(
        self,
        kernel: object,
        bias: float | None = None,
        budget: Budget | int | None = None,
        hashing: Hashing | None = None,
        device: str = "cpu",
    ) -> None:
        super().__init__(kernel, bias, hashing, budget, device)
        self._expansion.classes = 0

    def checked_label(self, y: int) -> int:
        """Return y if it is a class seen, or the next one."""
        return checked_class(y, self.classes)

    def _meet(self, chunk: Chunk, y: int | None) -> None:
        """Add a column for a class that is seen for the first time."""
        if y is not None and y >= self.classes:
            self._expansion.meet(y + 1)
            chunk.widen(self.classes)

    def _winner(self, chunk: Chunk, t: int) -> tuple[int, bool]:
        if self.classes == 0:
            return 0, False
        a = self._expansion.coefficients
        return winner_at(self.supports, chunk.x, t, chunk.scores[t], float(chunk.error[t]), a)


class MulticlassKernelPerceptron(_ClassLearner):
    """The perceptron with a kernel, for more than two labels.

    w_y ← w_y + φ(x), w_ŷ ← w_ŷ − φ(x) on a mistake   (crammer2003, Fig. 1).

    Ultraconservative: it predicts argmax_k w_k·φ(x), ties to the first class seen, and a mistake
    changes only the right class and the one predicted.

    >>> import novikoff as nv
    >>> rows = [((0, 1), "ant"), ((5, 1), "bee"), ((9, 9), "cat"), ((5, 2), "bee")]
    >>> run = nv.play(nv.MulticlassKernelPerceptron(nv.rbf(0.1)), rows, until_clean=True)
    >>> run.mistakes, run.predict_one((6, 1))
    (3, 'bee')
    """

    _rule: ClassVar[str] = "best"

    def _surely_right(self, scores: FloatArray, error: FloatArray, labels: AnyArray) -> AnyArray:
        known = labels < scores.shape[1]
        rows = np.arange(len(labels))
        if scores.shape[1] < 2:
            return np.asarray(known & (scores.shape[1] == 1))
        others = scores.copy()
        own = scores[rows, np.where(known, labels, 0)]
        others[rows, np.where(known, labels, 0)] = -np.inf
        right: AnyArray = known & (own - others.max(axis=1) > 2 * error)
        return right

    def _judged(self, chunk: Chunk, t: int, y: int | None) -> tuple[int, Steps, bool]:
        self._meet(chunk, y)
        best, hard = self._winner(chunk, t)
        return best, [] if y is None or best == y else [(y, 1), (best, -1)], hard


class OneVsRestKernelPerceptron(_ClassLearner):
    """A kernel perceptron for each class, which tells it from all others.

    w_k ← w_k + y_k φ(x) for every class k whose sign is wrong, y_k = ±1   (freund1999).

    The perceptron of class k takes its examples as +1 and all others as −1. The prediction is
    argmax_k w_k·φ(x), ties to the first class seen. A round may change several classes, even if the
    prediction was right. The mistakes of class k obey the perceptron's theorems
    (``class_mistakes``, from the round that first shows the class), and a wrong prediction is a
    mistake of at least one class, or shows a new one.
    """

    _rule: ClassVar[str] = "one-vs-rest"

    @property
    def class_mistakes(self) -> list[int]:
        """How many mistakes the perceptron of each class made, if its log is kept."""
        counts = np.bincount(self._whole_log("class_mistakes")[:, 1], minlength=self.classes)
        return [int(n) for n in counts]

    def vote(self) -> KernelVote:
        """Return argmax_k Σ_e c_e sgn(w_ke·φ(x)), c_e the rounds that w_ke survived."""
        return self._vote()

    def _surely_right(self, scores: FloatArray, error: FloatArray, labels: AnyArray) -> AnyArray:
        signs = np.where(np.arange(scores.shape[1]) == labels[:, None], 1.0, -1.0)
        right: AnyArray = (labels < scores.shape[1]) & (
            (signs * scores).min(axis=1, initial=np.inf) > error
        )
        return right

    def _judged(self, chunk: Chunk, t: int, y: int | None) -> tuple[int, Steps, bool]:
        best, hard = self._winner(chunk, t)  # among the classes seen before
        self._meet(chunk, y)
        steps: Steps = []
        for k in range(self.classes if y is not None else 0):
            score, error = float(chunk.scores[t, k]), float(chunk.error[t])
            a = self._expansion.coefficients[:, k]
            sign, exact = sign_at(self.supports, chunk.x, t, score, error, a)
            hard |= exact
            wanted = 1 if k == y else -1
            if (1 if sign >= 0 else -1) != wanted:
                steps.append((k, wanted))
        return best, steps, hard
