"""The default learner: a Bayes mixture of scale-free learners for the logistic loss."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.learners.hypothesis import all_rows
from novikoff.learners.learner import Learner, Parameters, Slice, checked_seed
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.losses.blend_hypothesis import BlendHypothesis
from novikoff.learners.losses.class_blend import ClassBlend
from novikoff.learners.losses.mixture import Mixture
from novikoff.learners.losses.snapshots import Reservoir
from novikoff.learners.losses.snapshots_hypothesis import SnapshotsHypothesis
from novikoff.streams import Block, Hashing, Transform, one_row
from novikoff.types import AnyArray, FloatArray

Freeze = Literal["last", "snapshots"]
MEMBERS = (
    "CoinBetting",
    "AdaptiveGradient(0.25)",
    "AdaptiveGradient(1)",
    "AdaptiveGradient(4)",
    "NormalizedGradient(0.5)",
    "NormalizedGradient(2)",
    "Arow",
    "BaseRate",
    "BaseRate(keep=0.9375)",
    "OnlineNewton",
    "stack",
)


class Blend(CoreLearner):
    """The default learner: mixes learners that need no tuning, and gives probabilities.

    P(+1 | x) = Σ_k π_k p_k(x); then π_k ∝ π_k p_k(y), and all share 1/(t + 2)   (herbster1998).

    A member p_k that predicts well gets more weight π_k; t is the number of rounds before. The
    members are ten learners for the logistic loss that take columns on any scale, and a stack,
    which learns how to combine their scores: the float program ``blend/1`` (docs/programs.md). Over
    T rounds the log loss of the mixture is at most that of any of the K members plus ln K + ln T,
    so every member's theorem holds for it at that price. A constant feature is on by default;
    ``bias=None`` turns it off. ``hashing`` and ``transforms`` are as for ``Perceptron``.

    With more than two labels, a run plays ``ClassBlend`` instead. ``freeze`` says what
    ``hypothesis()`` returns: the "last" state, or the mean of 16 "snapshots", states drawn
    uniformly over the rounds (``seed``), which take seventeen times the memory. ``members`` are
    learners to mix instead, of this library or your own, and ``switching`` says whether they share
    weight: see ``Mixture``.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Blend(), [((1, 100), 1), ((1, -300), -1), ((2, 200), 1)])
    >>> run.mistakes, round(run.probability((1, -300)), 3)
    (1, 0.385)
    """

    unmixed: ClassVar[str] = (
        "whose mean over shards has no theorem (their mixture has one: keep rows back with "
        "held_out=0.1)"
    )
    family: ClassVar[str] = "blend"
    scales_loss: ClassVar[bool] = True
    conservative: ClassVar[bool] = False
    direct: ClassVar[bool] = False
    core: _core.Blend

    if not TYPE_CHECKING:  # for a type checker a Mixture is a Blend, whose public methods it has

        def __new__(
            cls,
            members: Sequence[object] | None = None,
            freeze: Freeze = "last",
            seed: int = 0,
            bias: float | None = 1.0,
            hashing: Hashing | None = None,
            transforms: Iterable[Transform] | None = None,
            switching: bool = True,
        ) -> object:
            """Return a mixture of these members; if there are none, a Blend of its own."""
            if members is None:
                return super().__new__(cls)
            if (freeze, seed, bias, hashing, transforms) != ("last", 0, 1.0, None, None):
                advice = "Give bias, hashing and transforms to the members that take them."
                raise parameter("members", "no other argument beside them", "some", advice)
            return Mixture(members, switching)

    def __init__(
        self,
        members: Sequence[object] | None = None,
        freeze: Freeze = "last",
        seed: int = 0,
        bias: float | None = 1.0,
        hashing: Hashing | None = None,
        transforms: Iterable[Transform] | None = None,
        switching: bool = True,
    ) -> None:
        super().__init__(bias, hashing, transforms)
        if switching is not True:
            raise parameter("switching", "True, unless members are given", switching)
        if freeze not in ("last", "snapshots"):
            raise parameter("freeze", "'last' or 'snapshots'", freeze)
        self.freeze: Freeze = freeze
        self.seed = checked_seed(seed)
        self.core = _core.Blend(self.bias or 0.0)
        self._kept = Reservoir(self.seed) if freeze == "snapshots" else None
        self.quick = self._kept is None

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        frozen = {} if self._kept is None else {"freeze": self.freeze, "seed": self.seed}
        return frozen | self.named_parameters

    @property
    def nbytes(self) -> int:
        """The memory the learner holds: its cells, its snapshots and the names of its features."""
        return super().nbytes + (0 if self._kept is None else self._kept.nbytes)

    def for_labels(self, count: int) -> Learner:
        """Return the learner for this many labels: itself for two, a ``ClassBlend`` for more."""
        if count <= 2:
            return self
        if self.freeze != "last":
            advice = "Snapshots are for two labels."
            raise parameter("freeze", f"'last' for {count} labels", self.freeze, advice)
        return ClassBlend(count, **self.named_parameters)

    @property
    def weights(self) -> dict[str, float]:
        """The weight that each member has in the mixture now."""
        found = self.core.state()["weights"]
        return dict(zip(MEMBERS, found.tolist(), strict=True))

    def probability(self, x: object) -> float:
        """Return the probability that the label of x is +1; changes nothing."""
        if isinstance(x, dict) and self.named and not self.transforms:
            known = self.core.probability_named(self.features, x)
            if known is not None:
                return known
        block = self.made(self.fitting(one_row(x)))
        if block.named:
            found = self.core.probability_named(self.features, block.rows[0])
            if found is None:
                raise InputError(f"x: {block.fault(0)}")
            return found
        return float(all_rows(block, self.core.probabilities(block.native))[0])

    def member_scores(self, x: object) -> FloatArray:
        """Return the score that each member gives to one numbered x; changes nothing."""
        block = self.made(self.fitting(one_row(x)))
        found: FloatArray = all_rows(block, self.core.member_scores(block.native))
        return found

    def hypothesis(self) -> BlendHypothesis | SnapshotsHypothesis:
        """Return what was learned, frozen.

        This is the last state of every member, mixed with the mean of the weights so far, or with
        ``freeze="snapshots"`` the mean of sixteen states drawn over the rounds.
        """
        state, named = self.core.state(), self.known_features
        if self._kept is None:
            return self.carrying(BlendHypothesis(state, self.bias, features=named))
        states = self._kept.states or [state]
        found = SnapshotsHypothesis(states, self.dimension, self.bias, features=named)
        return self.carrying(found)

    def learn_row(
        self, block: Block, code: int, tally: _core.Tally, weights: FloatArray | None
    ) -> int:
        """Play the one round of a block of one row that fits; return the prediction."""
        place = None
        if self._kept is not None:
            place = self._kept.places(self.rounds + 1, 1).get(self.rounds + 1)
        before = {} if place is None else self.core.state()
        found = super().learn_row(block, code, tally, weights)
        if self._kept is not None and place is not None:
            self._kept.keep(place, before)
        return found

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first refused, or where they stop."""
        if self._kept is None:
            return super().play_rows(rows, tally)
        play = partial(super().play_rows, tally=tally)
        return self._kept.play_rows(rows, self.rounds, play, self.core.state)

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        found = super().state()
        return found if self._kept is None else found | self._kept.state(self.core.state())

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        super().restore(state)
        if self._kept is not None:
            self._kept.restore(state, self.core.state(), self.rounds)
