"""The measures of runs with labelled rounds."""

from collections.abc import Callable, Mapping
from functools import cached_property, partial

import numpy as np

from novikoff import _core
from novikoff.playing.checkpoints import (
    Checkpoints,
    LossCheckpoints,
    grid_up_to,
    mistakes_at,
    next_on_grid,
    on_grid,
)
from novikoff.playing.measures import Combination, Measure, by_name
from novikoff.playing.saved_run import SavedRun
from novikoff.types import Arrays, FloatArray, IntArray

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
_NATIVE = {"mistake_energy": "energy"}  # the core has other names for these
_COMBINED: dict[str, Combination] = {"sum": "sum", "largest": "largest"}  # as rules declare it


class LabelledMeasures:
    """Radius, energy, effort, and whatever else the learner's rule declares, such as its loss."""

    def __init__(
        self,
        declare: Callable[[_core.Tally], None] = lambda _: None,
        weight_norm: Callable[[], float] | None = None,
    ) -> None:
        self.tally = _core.Tally()
        """The counts in the core, to which the round loop adds."""
        declare(self.tally)
        self._weight_norm = weight_norm
        self.has_loss = "loss" in self.tally.measures()
        """Whether the learner has a loss, to be recorded at the checkpoints."""
        self._losses: dict[int, float] = {}  # by the round of the checkpoint

    @property
    def fixed(self) -> SavedRun:
        """Nothing: the learner says what it measures."""
        return {}

    @property
    def blank(self) -> Callable[[], "LabelledMeasures"]:
        """What makes an empty sheet with the same measures, for a copy that has no learner."""
        norm = None if self._weight_norm is None else self._weight_norm()
        return partial(_without_learner, self.tally.declared, norm)

    @cached_property
    def declared(self) -> Mapping[str, Measure]:
        """Which measures there are, by name."""
        own = [Measure(name, float, _COMBINED[how]) for name, how in self.tally.declared]
        found = _COMMON | by_name(*own)
        if self.has_loss:
            found |= by_name(
                Measure("mean_loss", float, "last"), Measure("checkpoints", LossCheckpoints, "last")
            )
        if self._weight_norm is not None:
            found |= by_name(Measure("weight_norm", float, "last"))
        return found

    def value(self, name: str) -> object:
        """Return the current value of a declared measure."""
        if name == "weight_norm" and self._weight_norm is not None:
            return self._weight_norm()
        if name == "checkpoints":
            return self.checkpoints
        if name == "mean_loss":
            return self.tally.measures()["loss"] / max(self.rounds, 1)
        if name in _COMMON:
            return getattr(self.tally, _NATIVE.get(name, name))
        return self.tally.measures()[name]

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
    def checkpoints(self) -> Checkpoints | LossCheckpoints:
        """The mistakes at the rounds of the grid, and the loss if there is one."""
        rounds = grid_up_to(self.rounds)
        mistakes = mistakes_at(rounds, self.mistake_rounds)
        if not self.has_loss:
            return Checkpoints(rounds, mistakes)
        known = self._losses | {self.rounds: self.tally.measures()["loss"]}
        losses = np.array([known.get(t, np.nan) for t in rounds.tolist()], np.float64)
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
            self._losses[rounds] = self.tally.measures()["loss"]
        self.tally.checkpoint = next_on_grid(rounds)

    @property
    def words(self) -> str:
        """What the run did, for ``repr``."""
        rate = self.mistakes / max(self.rounds, 1)
        shown = f"{self.rounds} rounds, {self.mistakes} mistakes, error rate {rate:.4f}"
        if self.has_loss:
            shown += f", mean loss {self.value('mean_loss'):.4f}"
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
        return found

    def restore(self, arrays: Arrays) -> None:
        """Take over what ``state`` returned; refuse anything else."""
        self.tally.restore({name: arrays[f"ledger.{name}"] for name in self.tally.state()})
        if self.has_loss:
            pairs = arrays["ledger.checkpoints"]
            _check_pairs(pairs, self.rounds)
            self._losses = {int(t): loss for t, loss in pairs.tolist()}


def _without_learner(
    declared: list[tuple[str, str]], weight_norm: float | None
) -> LabelledMeasures:
    """Return an empty sheet with these measures; ‖w‖ stays what it was."""
    norm = None if weight_norm is None else lambda: weight_norm
    return LabelledMeasures(lambda tally: tally.declare(declared), norm)


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
