"""A Bayes mixture of hypotheses of many classes that never change, such as those of shards."""

import math
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Self

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.interrupts import look, waiting
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Learner, Parameters, Slice, given_labels, is_of_part
from novikoff.learners.losses.bayes_weights import Standing, all_of, followed, mean_after
from novikoff.learners.losses.class_mixture_hypothesis import (
    ClassMixtureHypothesis,
    GivesClassProbabilities,
    classes_of,
)
from novikoff.learners.losses.frozen_members import (
    common_hashing,
    described,
    is_about,
    restored_member,
    states_of,
)
from novikoff.learners.losses.played_names import played_state, restored_features
from novikoff.learners.losses.voices import CERTAIN
from novikoff.saving import contents
from novikoff.streams import Block, Hashing, LabelMap, one_row
from novikoff.streams.blocks.named import NAMES
from novikoff.streams.labels.declared import Declared
from novikoff.types import AnyArray, Fields, FloatArray, Label

_NUMBERS = 1 << 21
"""Probabilities of all members, classes and rows that are in memory at a time."""


class _Forecast(NamedTuple):
    """The state before and after each of some rounds, and what they were like."""

    standing: Standing
    told: tuple[list[float], list[int], list[float]]
    """The probability of the predicted class, that class, and the loss of every round."""


class FrozenClassMixture(Learner):
    """``FrozenMixture`` for more than two labels.

    P(j | x) = Σ_k π_k p_k(j | x), the p_k frozen; then π_k ∝ π_k p_k(y)   (cesabianchi2006).

    The members are hypotheses that give every class a probability, such as those of ``Blend`` on
    several shards. The log loss is at most that of the best of them plus ln K (the theorem
    ``mixture``). If all members are hypotheses of ``Blend``, its runs have certificates: the
    program ``frozen-mixture-classes/1`` (docs/programs_classes.md).

    >>> import novikoff as nv
    >>> rows = [((0, 1), "ant"), ((5, 1), "bee"), ((9, 9), "cat"), ((5, 2), "bee")] * 10
    >>> three = ["ant", "bee", "cat"]
    >>> halves = [nv.play(nv.Blend(), rows[k::2], labels=three).hypothesis() for k in (0, 1)]
    >>> run = nv.play(nv.FrozenClassMixture(halves), rows, labels=three)
    >>> run.ledger.loss <= run.learner.allowed, round(run.probability((9, 9))["cat"], 2)
    (True, 0.93)
    """

    family: ClassVar[str] = "frozen-class-mixture"
    multiclass: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = False
    conservative: ClassVar[bool] = False
    direct: ClassVar[bool] = False
    plays_blocks: ClassVar[bool] = True
    switching: ClassVar[bool] = False
    """Whether members share weight; these never do."""

    def __init__(self, members: Sequence[Hypothesis | Fields]) -> None:
        given = [*members] if isinstance(members, (list, tuple)) else []
        found = [one for one in given if isinstance(one, Hypothesis)]
        self._about = [one for one in given if isinstance(one, dict) and is_about(one)]
        self.classes = classes_of(found)
        """The number of classes; 0 until the state of a saved mixture is restored."""
        blank = len(self._about) == len(given)
        if not given or not (blank or (len(found) == len(given) and self.classes)):
            expected = "hypotheses that give probabilities of the same classes"
            raise parameter("members", expected, members)
        if len({h.labels for h in found if h.labels}) > 1:
            raise parameter("members", "the same labels in the same order for all", members)
        self.hypotheses = tuple(found)
        """The members."""
        self.features: _core.Features = _core.Features()
        """The names of features, as the digest numbers them."""
        self._rounds, count = 0, len(given)
        self._now = Standing(np.zeros(count), np.zeros(count), np.full(count, 1.0 / count))
        self._mean = self._now.weights
        self._access = _core.Alone()

    @property
    def parameters(self) -> Parameters:
        """What its members are, as plain data; their numbers are part of the state."""
        return {"members": [*self._about] if self._about else described(self.hypotheses)}

    @property
    def rounds(self) -> int:
        """How many rounds the learner has played."""
        return self._rounds

    @property
    def dimension(self) -> int:
        """The number of features of the member that has the most."""
        return max((h.dimension for h in self.hypotheses), default=0)

    @property
    def weights(self) -> dict[str, float]:
        """The weight that each member has now."""
        return self._named(self._now.weights)

    @property
    def losses(self) -> dict[str, float]:
        """The log loss of each member over the rounds so far, its probabilities clipped."""
        return self._named(self._now.losses)

    @property
    def allowed(self) -> float:
        """What the theorem allows: min_k loss_k + ln K."""
        return float(self._now.losses.min()) + math.log(len(self._now.losses))

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

    def label_map(self, positive: Label | None, labels: Declared) -> LabelMap:
        """Return the map from the user's labels, which must all be declared."""
        given = given_labels(labels) or next((h.labels for h in self.hypotheses if h.labels), ())
        if len(given) != self.classes:
            expected = f"all {self.classes} of them before the first round"
            raise parameter("labels", expected, given, "Pass labels=[…].")
        return super().label_map(positive, given)

    def introduce(self, x: object) -> None:
        """Do nothing: members know the form of their rows."""

    def fix_form(self, block: Block) -> None:
        """Remember whether features are named."""
        self.named = block.named

    def checked_label(self, y: int) -> int:
        """Return y if it is one of the classes."""
        if not (isinstance(y, (int, np.integer)) and 0 <= y < self.classes):
            raise InputError(
                f"y: expected a class id from 0 to {self.classes - 1}, got {y!r}. Declare all "
                "labels before the first round."
            )
        return int(y)

    def checked_weights(self, weights: object, count: int) -> FloatArray:
        """Refuse weights of rounds: the theorem is about rounds that count alike."""
        raise InputError(
            "weights: expected none, got some: a mixture of frozen models takes no weights of "
            "rounds. Play without them."
        )

    def predict(self, x: object, /) -> int:
        """Return the class predicted for x; changes nothing."""
        return int(self._mixed(one_row(x)).argmax())

    def probability(self, x: object) -> FloatArray:
        """Return the probability of every class for x; changes nothing."""
        mixed = self._mixed(one_row(x))
        return mixed / class_sum(mixed[:, None])

    def update(self, x: object, y: int, /) -> None:
        """Learn that the class of x is y."""
        with waiting(), self._access:
            code = np.array([self.checked_label(y)])
            self._learned(self._forecast(self._said(one_row(x)), code), 1)

    def hypothesis(self) -> ClassMixtureHypothesis:
        """Return the members, mixed with the mean of the weights so far."""
        return ClassMixtureHypothesis(self.hypotheses, self._mean)

    def declare(self, tally: _core.Tally) -> None:
        """Tell a tally that there is a loss."""
        tally.declare([("loss", "sum")])

    def learn_row(
        self, block: Block, code: int, tally: _core.Tally, weights: FloatArray | None
    ) -> int:
        """Play the one round of a block of one row that fits; return the prediction."""
        known = len(self.features)
        found = block.played(0, self.features)
        if found is None:
            raise InputError(f"x: {block.fault(0)}")
        with self._access:
            try:
                forecast = self._forecast(self._said(block), np.array([code]))
            except BaseException:
                self.features.truncate(known)  # a name that only a refused row has is from no round
                raise
            self._tell(tally, *found, code, forecast, 0)
            self._learned(forecast, 1)
        return forecast.told[1][0]

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        """Play some rows of a block; return the first one refused, or where they stop."""
        block, codes, _, start, stop = rows
        each = max(1, _NUMBERS // (len(self.hypotheses) * self.classes))
        for at in range(start, stop, each):
            end = min(at + each, stop)
            try:
                said = self._said(block.part(at, end))
            except InputError:  # row by row, up to the one that is refused
                return self._one_by_one(rows, at, tally)
            played = self._play(block, codes, at, said, tally)
            if played < end:
                return played
        return stop

    def _one_by_one(self, rows: Slice, start: int, tally: _core.Tally) -> int:
        block, codes, _, _, stop = rows
        for t in range(start, stop):
            if block.played(t, _core.Features()) is None:
                return t
            said = self._said(block.part(t, t + 1))
            if self._play(block, codes, t, said, tally) == t:
                return t
        return stop

    def _play(
        self, block: Block, codes: AnyArray, start: int, said: FloatArray, tally: _core.Tally
    ) -> int:
        """Play the rows about which the members said this; return where they stop."""
        count = said.shape[2]
        found = self._forecast(said, np.asarray(codes[start : start + count]))
        done = 0
        with self._access:
            try:
                for t in range(start, start + count):
                    native = block.played(t, self.features)
                    if native is None:
                        break
                    self._tell(tally, *native, int(codes[t]), found, done)
                    done += 1
                    look()
            finally:
                self._learned(found, done)
        return start + done

    def _said(self, rows: Block) -> FloatArray:
        """Return what each member says of each class and row, clipped, as three dimensions."""
        found = np.empty((len(self.hypotheses), self.classes, len(rows)))
        for k, h in enumerate(self.hypotheses):
            assert isinstance(h, GivesClassProbabilities)
            chances = np.maximum(h.probabilities(rows).T, CERTAIN)
            found[k] = chances / class_sum(chances)
        return found

    def _mixed(self, rows: Block) -> FloatArray:
        """Return the probabilities for one row, up to a common factor near 1."""
        mixed = np.zeros(self.classes)
        for weight, chances in zip(self._now.weights, self._said(rows)[:, :, 0], strict=True):
            mixed = mixed + weight * chances
        return mixed

    def _forecast(self, said: FloatArray, codes: AnyArray) -> _Forecast:
        """Play all rounds at once, as one after another would be, to the bit."""
        costs = np.column_stack([all_of(_core.program_log1p, odds(own, codes)) for own in said])
        standing = followed(self._now, costs)
        mixed = np.zeros(said.shape[1:])
        for weight, own in zip(standing.weights[:-1].T, said, strict=True):
            mixed = mixed + weight * own
        labels = mixed.argmax(axis=0)
        lost = _core.program_log1p(odds(mixed, codes))
        chances = mixed[labels, np.arange(len(codes))] / class_sum(mixed)
        return _Forecast(standing, (chances.tolist(), labels.tolist(), lost.tolist()))

    def _tell(
        self, tally: _core.Tally, native: _core.Block, t: int, code: int, found: _Forecast, n: int
    ) -> None:
        """Tell the tally what the n-th round of a forecast was like."""
        chances, labels, lost = found.told
        tally.round(native, t, code, labels[n] != code)
        tally.add("loss", lost[n])
        tally.calibrate(chances[n], labels[n] == code)

    def _learned(self, found: _Forecast, done: int) -> None:
        """Take over what the first rounds of a forecast have led to."""
        self._mean = mean_after(self._mean, found.standing.weights[:done], self._rounds)
        self._now = Standing(*(one[done] for one in found.standing))
        self._rounds += done

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the mixture learns, and the members, as plain arrays."""
        names = played_state(self.features)
        return self.state_of_weights() | states_of(self.hypotheses) | names

    def state_of_weights(self) -> dict[str, AnyArray]:
        """Return what changes besides the members."""
        return {
            "weights": self._now.weights.copy(),
            "mean_weights": self._mean.copy(),
            "losses": self._now.losses.copy(),
            "loss_rests": self._now.rests.copy(),
            "counts": np.array([self._rounds], np.int64),
        }

    def _may_save(self, array: str) -> bool:
        return array in NAMES or is_of_part(array, "member", len(self._now.losses))

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        count = len(self._now.losses)
        check_standing(state, count)
        members = [restored_member(about, state, k) for k, about in enumerate(self._about)]
        if members:
            self.classes = classes_of(members)
            if not self.classes:
                raise ValueError("members that give probabilities of the same classes")
            self.hypotheses, self._about = tuple(members), []
        self._now = Standing(state["losses"], state["loss_rests"], state["weights"])
        self._mean, self._rounds = state["mean_weights"], int(state["counts"][0])
        self.features = restored_features(state)
        self.named = True if len(self.features) else None

    def _named(self, numbers: FloatArray) -> dict[str, float]:
        kinds = [type(h).__name__ for h in self.hypotheses]
        names = [f"{kind} {kinds[: k + 1].count(kind)}" for k, kind in enumerate(kinds)]
        return dict(zip(names, numbers.tolist(), strict=True))


def class_sum(columns: FloatArray) -> FloatArray:
    """Return the sums over classes, the first dimension, in four lanes (blend-classes/1)."""
    lanes = np.zeros((4, columns.shape[1]))
    for k in range(0, len(columns), 4):
        part = columns[k : k + 4]
        lanes[: len(part)] += part
    found: FloatArray = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
    return found


def odds(chances: FloatArray, codes: AnyArray) -> FloatArray:
    """Return the chance of all classes but that of the round, over the chance of that one."""
    columns = np.arange(len(codes))
    others = chances.copy()
    others[codes, columns] = 0.0
    found: FloatArray = class_sum(others) / chances[codes, columns]
    return found


def check_standing(state: dict[str, AnyArray], count: int) -> None:
    """Refuse weights, losses and counts that no mixture of so many members has."""
    for name in ("weights", "mean_weights", "losses", "loss_rests"):
        if state[name].shape != (count,) or not np.isfinite(state[name]).all():
            raise ValueError(f"{name} of {count} members")
    for name in ("weights", "mean_weights"):
        if not ((state[name] > 0).all() and abs(float(state[name].sum()) - 1) < 1e-6):
            raise ValueError("weights that add up to 1")
    sound = (state["losses"] >= 0).all()
    if not (sound and (abs(state["loss_rests"]) <= 1.0 + state["losses"]).all()):
        raise ValueError(f"losses of {count} members")
    if state["counts"].shape != (1,) or not contents.is_count(int(state["counts"][0])):
        raise ValueError("a number of rounds")
