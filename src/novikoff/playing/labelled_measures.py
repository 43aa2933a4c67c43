"""The measures of runs with labelled rounds."""

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from novikoff import _core
from novikoff.errors import as_float
from novikoff.playing import followed
from novikoff.playing.agreement import check_decided, check_losses, check_tally
from novikoff.playing.checkpoints import (
    Checkpoints,
    LossCheckpoints,
    RealCheckpoints,
    grid_up_to,
    mistakes_at,
    next_on_grid,
    on_grid,
)
from novikoff.playing.measures import Combination, Measure, by_name
from novikoff.playing.saved_run import SavedRun
from novikoff.types import Arrays, FloatArray, IntArray

if TYPE_CHECKING:  # only runs with real labels need it
    from fractions import Fraction

_COMMON = by_name(
    Measure("radius", float, "largest"),
    Measure("radius_inf", float, "largest"),
    Measure("mistake_energy", float, "sum"),
    Measure("weighted", bool, "largest"),
    Measure("second_steps", int, "sum"),
    Measure("exact_steps", int, "sum"),
    Measure("rounds_by_label", dict, "sum"),
    Measure("mistakes_by_label", dict, "sum"),
    Measure("checkpoints", Checkpoints, "last"),
)
_JUDGED = ("mistake_energy", "second_steps", "exact_steps", "rounds_by_label", "mistakes_by_label")
"""The measures that need labels that are right or wrong; numbers are only nearer or farther."""
_REAL = by_name(
    Measure("checkpoints", RealCheckpoints, "last"),
    Measure("mean_label", float, "last"),
    Measure("baseline_loss", float, "last"),
)
_DERIVED = ("mean_loss", "mean_label", "baseline_loss")
_NATIVE = {"mistake_energy": "energy"}  # the core has other names for these
_COMBINED: dict[str, Combination] = {"sum": "sum", "largest": "largest"}  # as rules declare it


_SERVED = by_name(Measure("served", int, "sum"), Measure("served_mistakes", int, "sum"))
_SERVED_LOSS = by_name(Measure("served_loss", float, "sum"))
_DECIDED = by_name(
    Measure("decided_errors", int, "sum"),
    Measure("false_positives", int, "sum"),
    Measure("false_negatives", int, "sum"),
)


class ServedCounts:
    """What was served for the rounds that began with an ask, judged by the labels that came."""

    def __init__(self, rounds: int = 0, mistakes: int = 0, loss: float | None = None) -> None:
        self.rounds, self.mistakes = rounds, mistakes
        self.loss = loss
        """The sum of weight · −ln of the probability served; None without probabilities."""


class LabelledMeasures:
    """Radius, energy, effort, and whatever else the learner's rule declares, such as its loss.

    The rule gets the weight of a round divided by ``max_weight``, so what it sums is multiplied by
    it here.
    """

    def __init__(
        self,
        declare: Callable[[_core.Tally], None] = lambda _: None,
        weight_norm: Callable[[], float] | None = None,
    ) -> None:
        self.tally = _core.Tally()
        """The counts in the core, to which the round loop adds."""
        declare(self.tally)
        self._weight_norm = weight_norm
        measured = dict(self.tally.declared)
        self.has_loss = "loss" in measured
        """Whether the learner has a loss, to be recorded at the checkpoints."""
        self.judges = "largest_label" not in measured
        """Whether a prediction is right or wrong; False if labels are real numbers."""
        self._losses: dict[int, float] = {}  # by the round of the checkpoint
        self.max_weight = 1.0
        """The unit of the weights that the rule gets."""
        self.served: ServedCounts | None = None
        """What asks were served; None while there were none."""

    def serve(self, with_loss: bool) -> None:
        """Begin to count what is served, and its loss if there are probabilities."""
        if self.served is None:
            self.served = ServedCounts(loss=0.0 if with_loss else None)

    def decide(self, threshold: float) -> None:
        """Count errors of the decisions that a threshold makes, besides the mistakes."""
        self.tally.threshold = threshold

    @property
    def fixed(self) -> SavedRun:
        """Nothing: the learner says what it measures."""
        return {}

    @property
    def blank(self) -> Callable[[], "LabelledMeasures"]:
        """What makes an empty sheet with the same measures, for a copy that has no learner."""
        norm = None if self._weight_norm is None else self._weight_norm()
        served = None if self.served is None else self.served.loss is not None
        return partial(
            _without_learner,
            self.tally.declared,
            norm,
            self.max_weight,
            served,
            self.tally.threshold if self.tally.decides else None,
        )

    @property
    def declared(self) -> Mapping[str, Measure]:
        """Which measures there are, by name."""
        found = self._own | followed.declared(self.tally)
        if self.served is not None:
            found = found | _SERVED | (_SERVED_LOSS if self.served.loss is not None else {})
        return found | _DECIDED if self.tally.decides else found

    @cached_property
    def _own(self) -> dict[str, Measure]:
        own = [Measure(name, float, _COMBINED[how]) for name, how in self.tally.declared]
        found = _COMMON | by_name(*own)
        if self.has_loss:
            found |= by_name(
                Measure("mean_loss", float, "last"), Measure("checkpoints", LossCheckpoints, "last")
            )
        if self._weight_norm is not None:
            found |= by_name(Measure("weight_norm", float, "last"))
        if self.judges:
            return found
        return {name: one for name, one in found.items() if name not in _JUDGED} | _REAL

    def value(self, name: str) -> object:
        """Return the current value of a declared measure."""
        if name == "weight_norm" and self._weight_norm is not None:
            return self._weight_norm()
        if name == "checkpoints":
            return self.checkpoints
        if name in _DERIVED:
            return self._derived(name)
        if name in _COMMON:
            found: object = getattr(self.tally, _NATIVE.get(name, name))
            return (found or self.max_weight != 1) if name == "weighted" else found
        if name in followed.FOLLOWED or name in self._apart:
            is_followed = name in followed.FOLLOWED
            return followed.value(self.tally, name) if is_followed else self._apart[name]
        scale = self.max_weight if self._own[name].combination == "sum" else 1.0
        return scale * self.tally.measures()[name]

    @property
    def _loss(self) -> float:
        return self.max_weight * self.tally.measures()["loss"]

    def _derived(self, name: str) -> float:
        """Return what follows from the sums: means, and Σ (y − mean)²."""
        sums, rounds = self.tally.measures(), max(self.rounds, 1)
        if name == "mean_loss":
            return self._loss / rounds
        mean = (sums["labels_above"] - sums["labels_below"]) / rounds
        if name == "mean_label":
            return mean
        return _around_mean(self.tally.state(), rounds)

    @property
    def _apart(self) -> dict[str, float | None]:
        """What was served, and what the threshold decides: no rule and no theorem counts these."""
        found: dict[str, float | None] = {}
        if (served := self.served) is not None:
            names = ("served", "served_mistakes", "served_loss")
            found |= zip(names, (served.rounds, served.mistakes, served.loss), strict=True)
        wrong = self.tally.false_positives, self.tally.false_negatives
        return found | dict(zip(_DECIDED, (sum(wrong), *wrong), strict=True))

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return self.tally.rounds

    @property
    def abstentions(self) -> int:
        """How many rounds got no prediction."""
        return self.tally.abstentions

    @property
    def mistakes(self) -> int:
        """How many predictions were wrong."""
        return self.tally.mistakes

    @property
    def mistake_rounds(self) -> IntArray:
        """The rounds of the mistakes, counted from 1."""
        return self.tally.mistake_rounds

    @property
    def checkpoints(self) -> Checkpoints | LossCheckpoints | RealCheckpoints:
        """The mistakes at the rounds of the grid, and the loss, of what the run has."""
        rounds = grid_up_to(self.rounds)
        mistakes = mistakes_at(rounds, self.mistake_rounds)
        if not self.has_loss:
            return Checkpoints(rounds, mistakes)
        known = self._losses | {self.rounds: self._loss}
        losses = np.array([known.get(t, np.nan) for t in rounds.tolist()], np.float64)
        if not self.judges:
            return RealCheckpoints(rounds, losses)
        return LossCheckpoints(rounds, mistakes, losses)

    def left_to_checkpoint(self) -> int:
        """Return how many rounds are left until the next checkpoint."""
        rounds = self.tally.rounds
        return next_on_grid(rounds) - rounds

    def check(self) -> None:
        """Record the loss if the round just played is a checkpoint.

        Rounds with dicts go straight to the core up to the next checkpoint, and come here then.
        """
        rounds = self.tally.rounds
        if on_grid(rounds):
            self._losses[rounds] = self._loss
        self.tally.checkpoint = next_on_grid(rounds)

    @property
    def words(self) -> str:
        """What the run did, for ``repr``."""
        if not self.judges:
            return f"{self.rounds} rounds, mean loss {self.value('mean_loss'):.4g}"
        rate = self.mistakes / max(self.rounds, 1)
        shown = f"{self.rounds} rounds, {self.mistakes} mistakes, error rate {rate:.4f}"
        if self.has_loss:
            per_round = "weighted loss per round" if self.value("weighted") else "mean loss"
            shown += f", {per_round} {short_mean(self.value('mean_loss'))}"
        if self.abstentions:
            rate = self.mistakes / max(self.rounds - self.abstentions, 1)
            shown += f", {self.abstentions} abstentions, {rate:.4f} without them"
        return shown

    def state(self) -> Arrays:
        """Return all of it as plain arrays."""
        found = {f"ledger.{name}": array for name, array in self.tally.state().items()}
        if self.has_loss:
            pairs = np.array([*self._losses.items()], np.float64).reshape(-1, 2)
            found["ledger.checkpoints"] = pairs
        if self.served is not None:
            found["ledger.served"] = np.array([self.served.rounds, self.served.mistakes], np.int64)
            if self.served.loss is not None:
                found["ledger.served_loss"] = np.array([self.served.loss])
        if self.tally.decides:
            wrong = self.tally.false_positives, self.tally.false_negatives
            found["ledger.decided"] = np.array(wrong, np.int64)
        return found

    def restore(self, arrays: Arrays) -> None:
        """Take over what ``state`` returned; refuse anything else."""
        state = {name: arrays[f"ledger.{name}"] for name in self.tally.state()}
        self.tally.restore(state)
        check_tally(state, self.judges)
        if self.has_loss:
            pairs = arrays["ledger.checkpoints"]
            _check_pairs(pairs, self.rounds)
            self._losses = {int(t): loss for t, loss in pairs.tolist()}
            check_losses(self._losses, self.rounds, self._loss)
        if self.served is not None:
            loss = self.served.loss is not None and arrays["ledger.served_loss"]
            self.served = _served(arrays["ledger.served"], loss, self.rounds)
        if self.tally.decides:
            wrong = _counts(arrays["ledger.decided"], self.rounds)
            check_decided(wrong, state["rounds_by_label"].tolist())
            self.tally.false_positives, self.tally.false_negatives = wrong


def _around_mean(pairs: Arrays, rounds: int) -> float:
    """Return Σ (y − mean)² = Σ y² − (Σ y)²/T, which cancels if labels are far from 0.

    So it is exact in the two floats that the core has of each sum, and rounded once.
    """
    y, y2 = (
        _exact(pairs[above]) - _exact(pairs[below])
        for above, below in (("labels_above", "labels_below"), ("squares_above", "squares_below"))
    )
    y2 += _exact(pairs["squared_labels"])
    return max(0.0, float(y2 - y * y / rounds))


def _exact(pair: FloatArray) -> "Fraction":
    from fractions import Fraction

    return sum(map(Fraction, pair.tolist()), Fraction(0))


def _without_learner(
    declared: list[tuple[str, str]],
    weight_norm: float | None,
    max_weight: float = 1.0,
    served: bool | None = None,
    threshold: float | None = None,
) -> LabelledMeasures:
    """Return an empty sheet with these measures; ‖w‖ stays what it was."""
    norm = None if weight_norm is None else lambda: weight_norm
    found = LabelledMeasures(lambda tally: tally.declare(declared), norm)
    found.max_weight = max_weight
    if served is not None:
        found.serve(served)
    if threshold is not None:
        found.decide(threshold)
    return found


def _counts(pair: IntArray, most: int) -> tuple[int, int]:
    """Return two counts of different rounds; refuse others."""
    counts: list[int] = pair.tolist()
    if len(counts) != 2 or min(counts) < 0 or sum(counts) > most:
        raise ValueError("two counts of rounds that were played")
    return counts[0], counts[1]


def _served(pair: IntArray, loss: FloatArray | bool, most: int) -> ServedCounts:
    """Return what a run has served; refuse counts that no run has."""
    counts: list[int] = pair.tolist()
    if len(counts) != 2 or not 0 <= counts[1] <= counts[0] <= most:
        raise ValueError("mistakes among the rounds that were served, and these among all")
    if isinstance(loss, bool):
        return ServedCounts(counts[0], counts[1])
    if loss.shape != (1,) or not 0 <= loss[0] < np.inf:
        raise ValueError("a loss of what was served that is finite and not below 0")
    return ServedCounts(counts[0], counts[1], float(loss[0]))


def _check_pairs(pairs: FloatArray, last: int) -> None:
    """Refuse checkpoints that are not rounds in their order, or a loss that is not one."""
    if pairs.shape[1:] != (2,):
        raise ValueError("checkpoints with a round and a loss each")
    rounds, losses = pairs.T
    if not (np.isfinite(losses) & (losses >= 0)).all():
        raise ValueError("checkpoints with losses that are finite and not below 0")
    whole = (rounds >= 1) & (rounds <= last) & (rounds == np.floor(rounds))
    if not whole.all() or (np.diff(rounds) <= 0).any():
        raise ValueError("checkpoints in the order of their rounds, up to the last round")


def short_mean(loss: object) -> str:
    """Return a mean loss with four decimals, and a huge one with four digits.

    >>> short_mean(0.18371), short_mean(8.2e267)
    ('0.1837', '8.2e+267')
    """
    found = as_float(loss)
    return f"{found:.4g}" if found >= 1e6 else f"{found:.4f}"
