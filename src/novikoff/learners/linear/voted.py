"""The voted perceptron."""

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from novikoff import _core
from novikoff.errors import parameter
from novikoff.learners.feature_learner import Ties, checked_ties
from novikoff.learners.learner import Parameters
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.linear.vote import Vote
from novikoff.streams import Hashing, Transform

_NO_LIMIT = 2**62


class VotedPerceptron(CoreLearner):
    """A perceptron that lets all of its weights vote, each by how long it lasted.

    h(x) = sgn Σ_k c_k sgn(w_k·x), c_k the rounds that w_k survived   (freund1999, Fig. 1).

    While it learns, it predicts and errs with the current w, as the perceptron does, so the
    perceptron's theorems hold for its ledger. Only ``hypothesis()`` is the vote, of every w it has
    held, including the initial zero. Memory grows by one example per mistake (``nbytes``); with
    ``max_voters`` only that many of the latest vote, and the older ones are forgotten. The other
    parameters are those of ``Perceptron``.

    >>> import novikoff as nv
    >>> rounds = [((1, 2), -1), ((3, 1), 1), ((1, 3), -1), ((4, 1), 1)]
    >>> run = nv.play(nv.VotedPerceptron(), rounds)
    >>> run.mistakes, run.hypothesis().counts.tolist(), run.hypothesis()((2, 1))
    (2, [0.0, 1.0, 3.0], 1)
    """

    unmixed: ClassVar[str] = "whose votes are of one sequence of weights"
    family: ClassVar[str] = "perceptron"
    direct: ClassVar[bool] = False
    core: _core.Voted | _core.StrictVoted

    def __init__(
        self,
        ties: Ties = "positive",
        bias: float | None = None,
        max_voters: int | None = None,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        self.ties = checked_ties(ties)
        whole = isinstance(max_voters, (int, np.integer)) and 1 <= max_voters < _NO_LIMIT
        if max_voters is not None and not whole:
            raise parameter("max_voters", "None or a whole number of at least 1", max_voters)
        self.max_voters = None if max_voters is None else int(max_voters)
        rule = _core.Voted if ties == "positive" else _core.StrictVoted
        self.core = rule(self.bias or 0.0, self.max_voters or _NO_LIMIT)

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        return {"ties": self.ties, "max_voters": self.max_voters, **self.named_parameters}

    def hypothesis(self) -> Vote:
        """Return the vote: c_k counts the rounds from the making of w_k to the next mistake."""
        self.require_finite()
        base_bias, base = self.core.base()
        births, *steps = self.core.voters()
        survived = np.diff(np.append(births, self.rounds + 1))
        zero_count = births[0] - 1 if len(births) else self.rounds  # w = 0, before any mistake
        zero_votes = self.core.forgotten == 0 and len(births) < (self.max_voters or _NO_LIMIT)
        counts = np.concatenate([[zero_count if zero_votes else 0], survived])
        features, rest = self.core.base_rest()
        if len(rest):  # the rounding error of the base comes first, as a step without a vote
            counts = np.insert(counts, 1, 0)
            starts, indices, values = steps
            steps = [
                np.concatenate([[0], starts + len(rest)]),
                np.concatenate([features, indices]),
                np.concatenate([rest, values]),
            ]
        named = self.known_features
        return self.carrying(Vote(base, tuple(steps), counts, self.bias, base_bias, features=named))
