"""The kernel perceptron."""

from typing import ClassVar

from novikoff.kernels.decisions import sign_at
from novikoff.learners.feature_learner import Ties, checked_ties
from novikoff.learners.kernel.budget import Budget
from novikoff.learners.kernel.expansion import KernelVote
from novikoff.learners.kernel.growing_expansion import Steps
from novikoff.learners.kernel.kernel_learner import KernelLearner
from novikoff.learners.kernel.score_chunks import Chunk
from novikoff.learners.learner import Parameters
from novikoff.streams import Hashing
from novikoff.types import AnyArray, FloatArray


class KernelPerceptron(KernelLearner):
    """The perceptron with a kernel: learns borders that are not straight.

    w ← w + y φ(x) on a mistake, from w = 0, with K(x, z) = φ(x)·φ(z)   (freund1999).

    Predicts sgn Σ_i a_i K(x_i, x): the supports x_i are the examples of the mistakes. A mistake on
    an example that is a support already adds to its coefficient. ``hypothesis()`` is the last
    expansion, ``average()`` and ``vote()`` those of the averaged and the voted perceptron: one run
    makes all three. ``budget`` limits the supports; ``device="cuda"`` scores on a GPU.

    >>> import novikoff as nv
    >>> xor = [((0, 0), -1), ((0, 1), 1), ((1, 0), 1), ((1, 1), -1)]
    >>> run = nv.play(nv.KernelPerceptron(nv.polynomial(2)), xor, until_clean=True)
    >>> run.mistakes, len(run.learner.supports), run.predict([[0, 1], [1, 1]]).tolist()
    (21, 4, [1, -1])
    """

    unmixed: ClassVar[str] = "whose supports from all shards would have to be kept"
    family: ClassVar[str] = "kernel-perceptron"
    _rule: ClassVar[str] = "sign"

    def __init__(
        self,
        kernel: object,
        ties: Ties = "positive",
        bias: float | None = None,
        budget: Budget | int | None = None,
        hashing: Hashing | None = None,
        device: str = "cpu",
    ) -> None:
        super().__init__(kernel, bias, hashing, budget, device)
        self.ties = checked_ties(ties)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"ties": self.ties, **super().parameters}

    def vote(self) -> KernelVote:
        """Return sgn Σ_e c_e sgn(w_e·φ(x)), c_e the rounds that w_e survived   (freund1999)."""
        return self._vote()

    def _surely_right(self, scores: FloatArray, error: FloatArray, labels: AnyArray) -> AnyArray:
        right: AnyArray = labels * scores[:, 0] > error
        return right

    def _judged(self, chunk: Chunk, t: int, y: int | None) -> tuple[int, Steps, bool]:
        score, error = float(chunk.scores[t, 0]), float(chunk.error[t])
        sign, hard = (1 if score > 0 else -1), False
        if not abs(score) > error:
            a = self._expansion.coefficients[:, 0]
            sign, hard = sign_at(self.supports, chunk.x, t, score, error, a)
        if sign == 0 and self.ties == "positive":
            sign = 1
        return sign, [] if y is None or sign == y else [(0, y)], hard
