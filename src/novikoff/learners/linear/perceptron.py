"""The perceptron."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from novikoff import _core
from novikoff.learners.feature_learner import Ties, checked_ties
from novikoff.learners.learner import Parameters
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.streams import Hashing, Transform
from novikoff.types import Label

if TYPE_CHECKING:  # most learners are not played in shards
    from novikoff.learners.linear.mixed_perceptron import MixedPerceptron


class Perceptron(CoreLearner):
    """The classic linear learner: after each mistake it adds the row, or subtracts it.

    w ← w + y x on a mistake, from w = 0   (rosenblatt1958; novikoff1962, Thm 1).

    It predicts the sign of the score w·x. With ``ties="positive"`` a score of 0 predicts +1; with
    ``ties="mistake"`` it predicts 0, which is always wrong. The update is in
    ``core/learners/linear/perceptron.hpp``. ``bias`` adds a constant feature of that value,
    ``hashing`` hashes the names of features (``Hashing``), and ``transforms`` change rows before
    the learner sees them, such as ``[Scale()]``.

    >>> import novikoff as nv
    >>> rounds = [((-1, 2), -1), ((1, 0), 1), ((1, 1), 1), ((-1, 0), -1), ((-1, -2), -1),
    ...           ((1, -1), 1)]
    >>> run = nv.play(nv.Perceptron(), rounds)
    >>> run.ledger.mistake_rounds.tolist(), run.hypothesis().w.tolist()
    ([1, 3, 5], [3.0, 1.0])
    """

    family: ClassVar[str] = "perceptron"
    unmixed: ClassVar[str] = ""
    core: _core.Perceptron | _core.StrictPerceptron

    def __init__(
        self,
        ties: Ties = "positive",
        bias: float | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        self.ties: Ties = checked_ties(ties)
        rule = _core.Perceptron if ties == "positive" else _core.StrictPerceptron
        self.core = rule(self.bias or 0.0)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"ties": self.ties, **self.named_parameters}

    def in_shards(self, rows: Iterable[int], classes: int = 2) -> "MixedPerceptron":
        """Return a learner of shards with so many rows each; there are always two labels."""
        from novikoff.learners.linear.mixed_perceptron import MixedPerceptron

        return MixedPerceptron(rows, self.ties, self.bias, self.hashing, averaged=False)

    def with_shards(self, rows: Iterable[int], labels: Sequence[Label]) -> "MixedPerceptron":
        """Return a learner of shards with so many rows each; there are always two labels."""
        return self.in_shards(rows)

    def hypothesis(self) -> Halfspace:
        """Return the current w, rounded once, as a halfspace."""
        self.require_finite()
        bias_weight, weights = self.core.halfspace()
        found = Halfspace(weights, self.bias, bias_weight, features=self.known_features)
        return self.carrying(found)
