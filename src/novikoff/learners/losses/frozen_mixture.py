"""A Bayes mixture of hypotheses that never change, such as those of shards."""

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple, Self

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.interrupts import look
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Parameters, Slice
from novikoff.learners.losses.mixture import Mixture
from novikoff.learners.losses.mixture_hypothesis import (
    GivesProbabilities,
    MixtureHypothesis,
    gives_probabilities,
)
from novikoff.learners.losses.voices import Undo, clipped_all, part_of
from novikoff.streams import Block, Hashing, one_row
from novikoff.types import AnyArray, Fields, FloatArray, Plain


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

    losses: FloatArray
    rests: FloatArray
    weights: FloatArray
    told: tuple[list[float], list[int], list[float]]
    """The probability of +1, the prediction and the loss of every round."""


class FrozenMixture(Mixture):
    """P(+1 | x) = Σ_k π_k p_k(x), the p_k frozen; then π_k ∝ π_k p_k(y)   (cesabianchi2006).

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
        blank = all(_is_about(one) for one in given)
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
        about = [{"kind": type(h).__name__, **h.contents()[0]} for h in self.hypotheses]
        return {"members": about}

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """The members."""
        return tuple(one.hypothesis for one in self._still if one.hypothesis is not None)

    @property
    def hashing(self) -> Hashing | None:
        """How all members hash names; None if they do not, or do not agree."""
        found = {_hashing(h) for h in self.hypotheses}
        return found.pop() if len(found) == 1 else None

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
        costs = _all(_core.program_log1p, (1.0 - likely) / likely)
        losses = np.add.accumulate(np.vstack([self._losses, costs]))
        before, after = losses[:-1], losses[1:]
        moved = after - before
        errors = (before - (after - moved)) + (costs - moved)
        rests = np.add.accumulate(np.vstack([self._rests, errors]))
        sums = losses + rests
        weights = _all(_core.program_exp, sums.min(axis=1, keepdims=True) - sums)
        weights /= _total(weights)[:, None]
        weights[0] = self._weights
        positive, negative = _total(weights[:-1] * said), _total(weights[:-1] * (1.0 - said))
        ratio = np.where(up, negative / positive, positive / negative)
        lost = _core.program_log1p(ratio)
        predictions = np.where(positive >= negative, 1, -1)
        chances = positive / (positive + negative)
        told = (chances.tolist(), predictions.tolist(), lost.tolist())
        return _Forecast(losses, rests, weights, told)

    def _learned(self, found: "_Forecast", done: int) -> None:
        """Take over what the first rounds of a forecast have led to."""
        mean = np.array(self._mean)
        for t in range(done):
            mean += (found.weights[t] - mean) * (2.0 / (self._rounds + t + 2))
        self._mean, self._weights = mean.tolist(), found.weights[done].tolist()
        self._losses, self._rests = found.losses[done].tolist(), found.rests[done].tolist()
        self._rounds += done

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the mixture learns, and the members, as plain arrays."""
        found = self.state_of_weights()
        for k, h in enumerate(self.hypotheses):
            found |= {f"member{k}.{name}": array for name, array in h.contents()[1].items()}
        return found

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        self._check_weights(state)
        for k, about in enumerate(self._about):
            kind = str(about["kind"])
            if kind not in Hypothesis.kinds:
                raise ValueError("members of known kinds")
            own = {name: value for name, value in about.items() if name != "kind"}
            h = Hypothesis.kinds[kind].from_contents(own, part_of(state, k))
            if not gives_probabilities(h):
                raise ValueError("members that give probabilities of two labels")
            self._still[k].hypothesis = h
        self._about = []
        self._take_weights(state)


def _is_about(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("kind"), str)


def _hashing(h: Hypothesis) -> Hashing | None:
    features = h.features
    if features is None or not features.bits:
        return None
    return Hashing(features.bits, features.alternate_sign)


def bias_of_members(learner: FrozenMixture) -> Plain:
    """Return the constant feature of all members; refuse those that do not agree."""
    found = {getattr(h, "bias", None) for h in learner.hypotheses}
    if len(found) > 1:
        raise parameter("members", "the same constant feature for all", sorted(map(str, found)))
    return found.pop()


def _all(program: Callable[[FloatArray], FloatArray], values: FloatArray) -> FloatArray:
    """Apply a function of the core to every number of a matrix."""
    return program(np.ascontiguousarray(values).ravel()).reshape(values.shape)


def _total(terms: FloatArray) -> FloatArray:
    """Return the sum of each row, from the first member to the last."""
    found = np.zeros(len(terms))
    for column in terms.T:
        found = found + column
    return found
