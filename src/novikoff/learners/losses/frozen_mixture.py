"""A Bayes mixture of hypotheses that never change, such as those of shards."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Self

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.interrupts import look
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Parameters, Slice
from novikoff.learners.losses.bayes_weights import Standing, all_of, followed, mean_after, total
from novikoff.learners.losses.frozen_members import (
    common_hashing,
    described,
    is_about,
    restored_member,
    states_of,
)
from novikoff.learners.losses.mixture import Mixture
from novikoff.learners.losses.mixture_hypothesis import (
    GivesProbabilities,
    MixtureHypothesis,
    gives_probabilities,
)
from novikoff.learners.losses.played_names import played_state
from novikoff.learners.losses.voices import Undo, clipped_all
from novikoff.streams import Block, Hashing, one_row
from novikoff.types import AnyArray, Fields, FloatArray


class StillVoice:
    """A hypothesis as a member that learns nothing."""

    refuses = False

    def __init__(self, hypothesis: Hypothesis | None) -> None:
        self.hypothesis = hypothesis
        """None until the state of a saved mixture is restored."""

    def __repr__(self) -> str:
        return repr(self.hypothesis)

    @property
    def model(self) -> Hypothesis | None:
        """What errors and lists of weights call it by."""
        return self.hypothesis

    @property
    def dimension(self) -> int:
        """The number of features."""
        return 0 if self.hypothesis is None else self.hypothesis.dimension

    def said(self, rows: Block) -> FloatArray:
        """Return the probability of +1 for every row."""
        if not isinstance(self.hypothesis, GivesProbabilities):
            raise parameter("members", "hypotheses, not what describes them", self.hypothesis)
        return self.hypothesis.probabilities(rows)

    def probability(self, x: object, /) -> float:
        """Return the probability of +1."""
        return float(self.said(one_row(x))[0])

    def update(self, x: object, y: int, /) -> None:
        """Learn nothing."""


class _Forecast(NamedTuple):
    """The state of a mixture before and after each of some rounds, and what they were like."""

    standing: Standing
    told: tuple[list[float], list[int], list[float]]
    """The probability of +1, the prediction and the loss of every round."""


class FrozenMixture(Mixture):
    """Mixes models that no longer learn, and moves weight to those that predict well.

    P(+1 | x) = Σ_k π_k p_k(x), the p_k frozen; then π_k ∝ π_k p_k(y)   (cesabianchi2006).

    The members are hypotheses that give probabilities, such as those of ``Blend`` on several
    shards. Its log loss is at most that of the best of them plus ln K (the theorem ``mixture``):
    ``novikoff.cluster.play(nv.Blend(), data, shards=K, held_out=0.1)`` makes it and plays it over
    the rows that were kept back. If all members are hypotheses of ``Blend``, its runs have
    certificates: the program ``frozen-mixture/1`` (docs/programs.md).

    >>> import novikoff as nv
    >>> rows = [((1, 100), 1), ((1, -300), -1), ((2, 200), 1)] * 20
    >>> halves = [nv.play(nv.Blend(), rows[k::2]).hypothesis() for k in (0, 1)]
    >>> run = nv.play(nv.FrozenMixture(halves), rows)
    >>> run.ledger.loss <= run.learner.allowed, round(run.probability((1, -300)), 2)
    (True, 0.08)
    """

    family: ClassVar[str] = "frozen-mixture"

    def __init__(self, members: Sequence[Hypothesis | Fields]) -> None:
        given = [*members] if isinstance(members, (list, tuple)) else []
        found = [StillVoice(one if isinstance(one, Hypothesis) else None) for one in given]
        blank = all(is_about(one) for one in given)
        sound = all(isinstance(one, Hypothesis) and gives_probabilities(one) for one in given)
        if not given or not (blank or sound):
            raise parameter("members", "hypotheses of two labels that give probabilities", members)
        self._still = found
        self._about = [one for one in given if isinstance(one, dict)]
        super().__init__(found, switching=False)

    @property
    def parameters(self) -> Parameters:
        """What its members are, as plain data; their numbers are part of the state."""
        if self._about:
            return {"members": [*self._about]}
        return {"members": described(self.hypotheses)}

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """The members."""
        return tuple(one.hypothesis for one in self._still if one.hypothesis is not None)

    @property
    def hashing(self) -> Hashing | None:
        """How all members hash names; None if they do not, or do not agree."""
        return common_hashing(self.hypotheses)

    @property
    def known_features(self) -> _core.Features | None:
        """None: members number names each for themselves."""
        return None

    def fresh(self) -> Self:
        """Return a mixture of the same members that has played nothing."""
        return type(self)(self.hypotheses)

    def undo_from_here(self) -> Undo | None:
        """Return what gives the weights back that the members have now."""
        state = super().state_of_weights()

        def undo() -> None:
            self._take_weights(state)

        return undo

    def hypothesis(self) -> Hypothesis:
        """Return the members, mixed with the mean of the weights so far."""
        return MixtureHypothesis(self.hypotheses, self._mean)

    def introduce(self, x: object) -> None:
        """Do nothing: members know the form of their rows."""

    def fitting(self, block: Block) -> Block:
        """Return rows as they are; a member refuses those that it cannot predict."""
        return block

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first one refused, or where they stop."""
        block, codes, _, start, stop = rows
        try:
            part = block.part(start, stop)
            said = np.column_stack([member.said(part) for member in self._still])
        except InputError:  # row by row, up to the one that is refused
            return super().play_rows(rows, tally)
        found = self._forecast(said, np.asarray(codes[start:stop]) > 0)
        done = 0
        with self._access:
            try:
                for t, judged in enumerate(zip(*found.told, strict=True), start):
                    native = block.played(t, self.features)
                    if native is None:
                        break
                    self._tell(tally, *native, int(codes[t]), judged)
                    done += 1
                    look()
            finally:
                self._learned(found, done)
        return start + done

    def _forecast(self, said: FloatArray, up: AnyArray) -> "_Forecast":
        """Play all rounds at once: what ``_judged`` computes one after another, to the bit."""
        said = clipped_all(said)
        likely = np.where(up[:, None], said, 1.0 - said)
        costs = all_of(_core.program_log1p, (1.0 - likely) / likely)
        now = Standing(*map(np.array, (self._losses, self._rests, self._weights)))
        standing = followed(now, costs)
        weights = standing.weights
        positive, negative = total(weights[:-1] * said), total(weights[:-1] * (1.0 - said))
        ratio = np.where(up, negative / positive, positive / negative)
        lost = _core.program_log1p(ratio)
        predictions = np.where(positive >= negative, 1, -1)
        chances = positive / (positive + negative)
        told = (chances.tolist(), predictions.tolist(), lost.tolist())
        return _Forecast(standing, told)

    def _learned(self, found: "_Forecast", done: int) -> None:
        """Take over what the first rounds of a forecast have led to."""
        losses, rests, weights = found.standing
        mean = mean_after(np.array(self._mean), weights[:done], self._rounds)
        self._mean, self._weights = mean.tolist(), weights[done].tolist()
        self._losses, self._rests = losses[done].tolist(), rests[done].tolist()
        self._rounds += done

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the mixture learns, and the members, as plain arrays."""
        names = played_state(self.features)
        return self.state_of_weights() | states_of(self.hypotheses) | names

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        self._check_weights(state)
        for k, about in enumerate(self._about):
            h = restored_member(about, state, k)
            if not gives_probabilities(h):
                raise ValueError("members that give probabilities of two labels")
            self._still[k].hypothesis = h
        self._about = []
        self._take_weights(state)
        self._take_names(state)
