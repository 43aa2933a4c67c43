"""The modified perceptron."""

from typing import ClassVar

from novikoff import _core
from novikoff.errors import as_float, parameter
from novikoff.interrupts import look
from novikoff.learners.learner import Parameters, checked_seed
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.streams import Hashing, NamedBlock, Stream


class ModifiedPerceptron(CoreLearner):
    """A perceptron that ignores rows near its border: there it abstains, and does not learn.

    w ← w − (w·x̂)x̂ while some |cos(w, x)| ≥ σ on the wrong side, x̂ = x/‖x‖   (blum1998).

    It starts from a random direction w_0; after (ln d)/σ² updates it starts over from another. If
    |cos(w, x)| < σ it abstains: the prediction is 0, counted as an abstention and not as a mistake.
    It needs every feature and many passes: play it ``until_clean`` on a stream that can be played
    again. Draws are a function of (seed, restart, feature). ``hypothesis()`` is the halfspace of w,
    which always answers.

    >>> import novikoff as nv
    >>> rounds = nv.stream([[1.0, 2.0], [2.0, 1.0], [1.0, -1.0]], [-1, 1, 1])
    >>> run = nv.play(nv.ModifiedPerceptron(sigma=0.1), rounds, until_clean=True)
    >>> run.hypothesis().predict([[1.0, 2.0], [2.0, 1.0]]).tolist()
    [-1, 1]
    """

    family: ClassVar[str] = "modified-perceptron"
    _former_arrays: ClassVar[frozenset[str]] = frozenset({"energy"})
    core: _core.Modified
    batch: ClassVar[bool] = True
    conservative: ClassVar[bool] = False
    takes_weights: ClassVar[bool] = False

    def __init__(
        self,
        sigma: float,
        seed: int = 0,
        bias: float | None = None,
        hashing: Hashing | None = None,
    ) -> None:
        super().__init__(bias, hashing)
        if not 1e-100 < as_float(sigma) < 1:
            raise parameter("sigma", "a number between 0 and 1", sigma)
        self.sigma: float = float(sigma)
        self.seed = checked_seed(seed)
        self.core = _core.Modified(self.bias or 0.0, self.sigma, self.seed)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"sigma": self.sigma, "seed": self.seed, **self.named_parameters}

    @property
    def restarts(self) -> int:
        """How often it has started over."""
        return max(0, int(self.core.draws) - 1)

    @property
    def limit(self) -> int:
        """How many updates it makes before it starts over."""
        return int(self.core.limit)

    def survey(self, source: Stream) -> None:
        """Take note of every feature of a stream: w_0 has a coordinate for each."""
        known, columns = len(self.features), self.dimension
        try:
            for rows, *_ in source.blocks():
                look()
                self.fitting(rows)
                if isinstance(rows, NamedBlock):
                    rows.numbered(self.features, 0, len(rows), adopt=True)
                    columns = max(columns, len(self.features))
                else:
                    columns = max(columns, rows.columns)
            if self.width is None:
                self.core.grow(columns)
        except BaseException:
            if not self.hashing:
                self.features.truncate(known)
            raise

    def forget_survey(self) -> None:
        """Forget the features if no round was played."""
        if self.rounds == 0:
            self.restore(self.fresh().state())

    def hypothesis(self) -> Halfspace:
        """Return w, of length about 1."""
        bias_weight, w = self.core.halfspace()
        norm = self.weight_norm or 1.0
        return Halfspace(w / norm, self.bias, bias_weight / norm, features=self.known_features)
