"""A Bayes mixture of any learners that give probabilities."""

import math
from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.interrupts import look, waiting
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Learner, Parameters, Slice, checked_sign, is_of_part, resume
from novikoff.learners.losses.mixture_hypothesis import MixtureHypothesis, gives_probabilities
from novikoff.learners.losses.played_names import played_state, restored_features
from novikoff.learners.losses.voices import (
    Undo,
    chance_of,
    learn_together,
    may_refuse,
    names_of,
    part_of,
    plain,
    state_of,
    undo_of,
    voices,
)
from novikoff.saving import contents
from novikoff.streams import Block
from novikoff.streams.blocks.named import NAMES
from novikoff.types import AnyArray, FloatArray


class Mixture(Learner):
    """A mixture of learners of your choice, which moves weight to those that predict well.

    P(+1 | x) = Σ_k π_k p_k(x); then π_k ∝ π_k p_k(y), and all share 1/(t + 2)   (herbster1998).

    ``Blend(members=[…])`` makes one. A member is any object with ``probability(x)``, the
    probability of +1, and ``update(x, y)``: a learner of this library, or your own; x is what
    ``update`` of a learner in Python gets (docs/adding_a_learner.md), y is −1 or +1. A river
    classifier, with ``predict_proba_one`` and ``learn_one``, works too. Members are played row by
    row.

    Every member learns every round; if one raises an exception, the others do not learn the round.
    The one that raises answers for its own state if you wrote it. If you wrote several, all but the
    last are copied before every round (docs/members.md); ``refuses = False`` in a member says that
    its ``update`` never raises, and saves the copies.

    The log loss of the mixture is at most that of any member plus ln K + ln T (``allowed``, and the
    theorem ``mixture``). For this, a probability is clipped as a score is to ±30, so that a member
    that says 0 or 1 and errs loses 30, not infinity. ``switching=False`` leaves out the share: then
    the price is ln K alone, but a member that was bad for long takes as long to come back.

    >>> import novikoff as nv
    >>> blend = nv.Blend(members=[nv.CoinBetting(bias=1.0), nv.BaseRate()])
    >>> run = nv.play(blend, [((1, 100), 1), ((1, -300), -1), ((2, 200), 1)] * 20)
    >>> run.mistakes, round(run.probability((1, -300)), 3)
    (2, 0.027)
    >>> {name: round(weight, 2) for name, weight in blend.weights.items()}
    {'CoinBetting': 0.98, 'BaseRate': 0.02}
    """

    family: ClassVar[str] = "mixture"
    takes_weights: ClassVar[bool] = False
    conservative: ClassVar[bool] = False
    direct: ClassVar[bool] = False
    plays_blocks: ClassVar[bool] = True

    def __init__(self, members: Sequence[object], switching: bool = True) -> None:
        self.members = voices(members)
        if not isinstance(switching, bool):
            raise parameter("switching", "True or False", switching)
        self.switching = switching
        count = len(self.members)
        self.features: _core.Features = _core.Features()
        """The names of features, as the digest numbers them."""
        self._rounds = 0
        self._weights = [1.0 / count] * count
        self._mean = [*self._weights]
        self._losses = [0.0] * count
        self._rests = [0.0] * count  # what rounding has lost of them
        self._access = _core.Alone()

    @property
    def parameters(self) -> Parameters:
        """The arguments that make a learner like this one, as plain data."""
        found: Parameters = {"members": plain(self.members)}
        return found if self.switching else {**found, "switching": False}

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played."""
        return self._rounds

    @property
    def dimension(self) -> int:
        """The number of features seen so far; 0 if no member counts any."""
        return max(getattr(member, "dimension", 0) for member in self.members)

    @property
    def weights(self) -> dict[str, float]:
        """The weight that each member has now."""
        return dict(zip(names_of(self.members), self._weights, strict=True))

    @property
    def losses(self) -> dict[str, float]:
        """The log loss of each member over the rounds so far, its probabilities clipped."""
        return dict(zip(names_of(self.members), self._losses, strict=True))

    @property
    def allowed(self) -> float:
        """What the theorem allows: min_k loss_k + ln K, and + ln T if members share weight."""
        price = math.log(len(self.members))
        price += math.log(max(self._rounds, 1)) if self.switching else 0.0
        return min(self._losses) + price

    @property
    def refuses(self) -> bool:
        """Whether a member may refuse to learn from an x that it can predict."""
        return any(map(may_refuse, self.members))

    def undo_from_here(self) -> Undo | None:
        """Return what gives all members back the state they have now; None if one has no copy."""
        undos = [undo for member in self.members if (undo := undo_of(member)) is not None]
        if len(undos) < len(self.members):
            return None
        rounds, weights, mean = self._rounds, self._weights, self._mean
        losses, rests = self._losses, self._rests

        def undo_all() -> None:
            for undo in undos:
                undo()
            self._rounds, self._weights, self._mean = rounds, weights, mean
            self._losses, self._rests = losses, rests

        return undo_all

    def fresh(self) -> Self:
        """Return a learner with the same parameters that has seen nothing."""
        state_of(self.members)  # others cannot say how they began
        return super().fresh()

    def predict(self, x: object, /) -> int:
        """Return the label predicted for x; changes nothing."""
        positive, negative = self._mixed(self._chances(x))
        return 1 if positive >= negative else -1

    def probability(self, x: object) -> float:
        """Return the probability that the label of x is +1; changes nothing."""
        positive, negative = self._mixed(self._chances(x))
        return positive / (positive + negative)

    def update(self, x: object, y: int, /) -> None:
        """Learn that the label of x is y."""
        with waiting():
            self._learn(x, checked_sign(y))

    def hypothesis(self) -> Hypothesis:
        """Return every member's hypothesis, mixed with the mean of the weights so far."""
        frozen: list[Hypothesis] = []
        for member in self.members:
            found = member.hypothesis() if isinstance(member, Learner) else None
            if found is None or not gives_probabilities(found):
                raise InputError(
                    "hypothesis: expected members whose hypotheses give probabilities, got "
                    f"{member!r}. run.probability(x) asks the members as they are."
                )
            frozen.append(found)
        return MixtureHypothesis(frozen, self._mean)

    def declare(self, tally: _core.Tally) -> None:
        """Tell a tally that there is a loss."""
        tally.declare([("loss", "sum")])

    def introduce(self, x: object) -> None:
        """Learn the form of x, so that ``hypothesis()`` works before the first round."""
        for member in self.members:
            if isinstance(member, Learner):
                member.introduce(x)

    def fitting(self, block: Block) -> Block:
        """Return rows as the members take them; refuse rows that one cannot learn from."""
        for member in self.members:
            if isinstance(member, Learner):
                block = member.fitting(block)
        return block

    def fix_form(self, block: Block) -> None:
        """Remember whether features are named."""
        self.named = block.named

    def checked_weights(self, weights: object, count: int) -> FloatArray:
        """Refuse weights of rounds: members need not know any."""
        raise InputError(
            "weights: expected none, got some: a blend of members takes no weights of rounds. Play "
            "without them."
        )

    def learn_row(
        self, block: Block, code: int, tally: _core.Tally, weights: FloatArray | None
    ) -> int:
        """Play the one round of a block of one row that fits; return the prediction."""
        prediction = self._play(block, 0, code, tally)
        if prediction is None:
            raise InputError(f"x: {block.fault(0)}")
        return prediction

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first one refused, or where they stop."""
        block, codes, _, start, stop = rows
        for t in range(start, stop):
            if self._play(block, t, int(codes[t]), tally) is None:
                return t
            look()
        return stop

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learner learns, as plain arrays."""
        names = played_state(self.features)
        return self.state_of_weights() | state_of(self.members) | names

    def state_of_weights(self) -> dict[str, AnyArray]:
        """Return what changes besides the members."""
        return {
            "weights": np.array(self._weights),
            "mean_weights": np.array(self._mean),
            "losses": np.array(self._losses),
            "counts": np.array([self._rounds], np.int64),
            **({} if self.switching else {"loss_rests": np.array(self._rests)}),
        }

    def _may_save(self, array: str) -> bool:
        return array in NAMES or is_of_part(array, "member", len(self.members))

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        self._check_weights(state)
        for k, member in enumerate(self.members):
            assert isinstance(member, Learner)  # its parameters were plain data
            own = part_of(state, k)
            resume(member, own)
            if isinstance(member, Mixture):
                member._take_names(own)  # of its own rounds: in ours it numbers nothing
        self._take_weights(state)
        self._take_names(state, self.members)

    def _check_weights(self, state: dict[str, AnyArray]) -> None:
        """Refuse weights, losses and counts that no mixture of so many members has."""
        count = len(self.members)
        for name in ("weights", "mean_weights", "losses"):
            sound = state[name].shape == (count,) and np.isfinite(state[name]).all()
            if not (sound and (state[name] >= 0).all()):
                raise ValueError(f"{name} of {count} members")
        for weights in (state["weights"], state["mean_weights"]):
            if not ((weights > 0).all() and abs(float(weights.sum()) - 1) < 1e-6):
                raise ValueError("weights that add up to 1")
        if state["counts"].shape != (1,) or not contents.is_count(int(state["counts"][0])):
            raise ValueError("a number of rounds")
        rests = state.get("loss_rests", np.zeros(count))
        if rests.shape != (count,) or not (abs(rests) <= 1.0 + state["losses"]).all():
            raise ValueError(f"loss_rests of {count} members")

    def _take_names(self, state: dict[str, AnyArray], members: Sequence[object] = ()) -> None:
        self.features = restored_features(state, members)
        self.named = True if len(self.features) else None

    def _take_weights(self, state: dict[str, AnyArray]) -> None:
        rests = state.get("loss_rests", np.zeros(len(self.members)))
        self._weights, self._mean = state["weights"].tolist(), state["mean_weights"].tolist()
        self._losses, self._rests = state["losses"].tolist(), rests.tolist()
        self._rounds = int(state["counts"][0])

    def _chances(self, x: object) -> list[float]:
        return [chance_of(k, member, x) for k, member in enumerate(self.members)]

    def _mixed(self, chances: list[float]) -> tuple[float, float]:
        """Return the probabilities of +1 and −1, up to a common factor near 1."""
        positive, negative = 0.0, 0.0
        for weight, p in zip(self._weights, chances, strict=True):
            positive, negative = positive + weight * p, negative + weight * (1.0 - p)
        return positive, negative

    def _play(self, block: Block, t: int, code: int, tally: _core.Tally) -> int | None:
        """Play row t of a block; return the prediction, or None if the row is refused."""
        known = len(self.features)
        found = block.played(t, self.features)
        if found is None:
            return None
        try:
            judged = self._learn(block.row(t), code)
        except BaseException:
            self.features.truncate(known)  # a name that only a refused row has is from no round
            raise
        return self._tell(tally, *found, code, judged)

    def _tell(
        self,
        tally: _core.Tally,
        native: _core.Block,
        t: int,
        code: int,
        judged: tuple[float, int, float],
    ) -> int:
        """Tell the tally what a round was like; return the prediction."""
        chance, prediction, loss = judged
        tally.round(native, t, int(code > 0), prediction != code)
        tally.add("loss", loss)
        tally.calibrate(chance, code > 0)
        if tally.decides:
            tally.decide(chance, code > 0)
        return prediction

    def _learn(self, x: object, y: int) -> tuple[float, int, float]:
        """Play one round; return the probability of +1, the prediction and its loss."""
        with self._access:
            chances = self._chances(x)
            learn_together(self.members, x, y)
            return self._judged(chances, y)

    def _judged(self, chances: list[float], y: int) -> tuple[float, int, float]:
        """Take a round into the weights, given what the members said."""
        positive, negative = self._mixed(chances)
        likely = [p if y > 0 else 1.0 - p for p in chances]
        self._reweigh(likely)
        ratio = negative / positive if y > 0 else positive / negative
        (loss,) = _core.program_log1p(np.array([ratio])).tolist()
        chance = positive / (positive + negative)
        return chance, 1 if positive >= negative else -1, loss

    def _reweigh(self, likely: list[float]) -> None:
        """Take a round into the weights; ``likely`` are the probabilities of its label."""
        rounds = self._rounds + 2
        pairs = zip(self._mean, self._weights, strict=True)
        self._mean = [mean + (weight - mean) * (2.0 / rounds) for mean, weight in pairs]
        costs = _core.program_log1p(np.array([(1.0 - p) / p for p in likely])).tolist()
        if self.switching:
            found = [weight * p for weight, p in zip(self._weights, likely, strict=True)]
            self._losses = [a + b for a, b in zip(self._losses, costs, strict=True)]
        else:  # from the losses, because a weight that has become 0 would never grow again
            sums = map(_added, self._losses, self._rests, costs)
            self._losses, self._rests = map(list, zip(*sums, strict=True))
            losses = np.array(self._losses) + np.array(self._rests)
            found = _core.program_exp(losses.min() - losses).tolist()
        total, share = 0.0, 1.0 / rounds if self.switching else 0.0
        for weight in found:
            total = total + weight  # sum() rounds otherwise in newer versions of Python
        self._weights = [(1.0 - share) * (w / total) + share / len(found) for w in found]
        self._rounds += 1


def _added(total: float, rest: float, term: float) -> tuple[float, float]:
    """Add a term to a sum of two floats: total is the rounded sum, rest gathers its errors."""
    s = total + term
    b = s - total
    return s, rest + ((total - (s - b)) + (term - b))
