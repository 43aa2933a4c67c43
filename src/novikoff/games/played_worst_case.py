"""The most mistakes of a learner that keeps its own state, found by playing it again and again."""

import copy
import math
import pickle
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from novikoff.classes import FiniteClass
from novikoff.classes.dimensions import Set, everything
from novikoff.errors import InputError, parameter
from novikoff.learners import Learner
from novikoff.learners.feature_learner import transforms_of
from novikoff.types import FloatArray, Label, Player

Round = tuple[int, int]  # a point, by its number, and its sign
LIMIT = 20_000
_DEPTH = 150  # rounds in one line of play


@dataclass(frozen=True)
class WorstCase:
    """What ``worst_case`` found: the most mistakes, with a target and a sequence that make them.

    ``sequence`` holds (point, label) pairs to play as a stream; ``target`` is a hypothesis that
    agrees with all of them. If the search reached its limit, ``mistakes`` is the most it found,
    and ``interval`` says what the true number may be. A learner that errs for ever makes
    infinitely many: repeat the end of the sequence.
    """

    mistakes: float
    target: Label
    sequence: list[tuple[int | FloatArray, int]]
    interval: tuple[float, float]

    @property
    def exact(self) -> bool:
        """Whether nothing was left open."""
        return self.interval[0] == self.interval[1]


def as_worst_case(
    H: FiniteClass, mistakes: float, rounds: list[Round], most: float | None = None
) -> WorstCase:
    """Return the worst case of rounds that some hypothesis of H agrees with."""
    V = everything(H)
    for x, sign in rounds:
        V &= H.bitsets[x] if sign > 0 else ~H.bitsets[x]
    target = H.hypotheses[(V & -V).bit_length() - 1]
    sequence = [(H.example(x), sign) for x, sign in rounds]
    return WorstCase(mistakes, target, sequence, (mistakes, mistakes if most is None else most))


def worst_replay(learner: Player, H: FiniteClass, limit: int) -> WorstCase:
    """Return the most mistakes of a learner on targets of H, searching at most ``limit`` states."""
    game = _Replay(learner, H, limit)
    try:
        mistakes, rounds = game.value(everything(H), [], 0)
    except _Endless as endless:
        game.check(endless.rounds, endless.mistakes)
        return as_worst_case(H, math.inf, endless.rounds)
    game.check(rounds, mistakes)
    return as_worst_case(H, mistakes, rounds, math.inf if game.cut else None)


class _Endless(Exception):  # noqa: N818
    """Rounds that lead back to a state, with a mistake on the way."""

    def __init__(self, rounds: list[Round], mistakes: int) -> None:
        self.rounds, self.mistakes = rounds, mistakes


def _scales(learner: Player) -> bool:
    """Say whether a round without a mistake changes how later rows are scaled."""
    steps = transforms_of(learner)
    return steps is not None and steps.running


class _Replay:
    """The game on a learner's own states; a round without a mistake may change the state, too.

    If only mistakes change a learner's predictions, it gets no other round: that would leave the
    learner as it is and the adversary with fewer targets.
    """

    def __init__(self, learner: Player, H: FiniteClass, limit: int) -> None:
        self.learner, self.H, self.limit = learner, H, limit
        self.points = [H.example(x) for x in range(len(H.points))]
        self.conservative = ours(learner) and learner.conservative and not _scales(learner)
        self.known: dict[Hashable, tuple[int, list[Round]]] = {}
        self.path: dict[Hashable, int] = {}  # states on the way, with the mistakes before them
        self.cut = False

    def value(self, V: Set, rounds: list[Round], before: int) -> tuple[int, list[Round]]:
        """Return the most mistakes after these rounds, and the rounds that make them."""
        learner = self.after(rounds)
        key = V, _memory(learner, rounds)
        if key in self.known:
            return self.known[key]
        if before > self.path.get(key, before):
            raise _Endless(rounds, before)
        if self.path and key == next(reversed(self.path)):
            return 0, []  # nothing has happened
        if key in self.path or len(self.known) + len(rounds) >= self.limit or len(rounds) >= _DEPTH:
            self.cut = True  # the state returns, or the line of play is too long
            return 0, []
        self.path[key] = before
        best: tuple[int, list[Round]] = 0, []
        for gain, left, step in self._moves(V, learner):
            count, line = self.value(left, [*rounds, step], before + gain)
            if gain + count > best[0]:
                best = gain + count, [step, *line]
        del self.path[key]
        self.known[key] = best
        return best

    def _moves(self, V: Set, learner: Player) -> list[tuple[int, Set, Round]]:
        found = []
        for x, point in enumerate(self.points):
            label, plus = _label(learner, point), V & self.H.bitsets[x]
            for sign, left in ((-1, V ^ plus), (1, plus)):
                if left and (label != sign or not self.conservative):
                    found.append((int(label != sign), left, (x, sign)))
        return sorted(found, key=lambda move: (-move[0], -move[1].bit_count()))

    def after(self, rounds: list[Round]) -> Player:
        """Return the learner as it is after these rounds."""
        fresh = getattr(self.learner, "fresh", None)
        twin: Player = copy.deepcopy(self.learner) if fresh is None else fresh()
        for x, sign in rounds:
            twin.update(self.points[x], sign)
        return twin

    def check(self, rounds: list[Round], mistakes: int) -> None:
        """Play the rounds found once more, and check that they make as many mistakes again."""
        twin, made = self.after([]), 0
        for x, sign in rounds:
            made += _label(twin, self.points[x]) != sign
            twin.update(self.points[x], sign)
        if made != mistakes:
            raise parameter(
                "learner",
                "a deterministic one, whose predict changes nothing",
                self.learner,
                f"It made {mistakes} mistakes, and {made} when played again.",
            )


def ours(learner: object) -> TypeGuard[Learner]:
    """Say whether its state and rule are this library's; a subclass may have others."""
    return isinstance(learner, Learner) and type(learner).__module__.startswith("novikoff.")


def _label(learner: Player, point: object) -> int:
    label = learner.predict(point)
    known = (-1, 0, 1) if ours(learner) else (-1, 1)  # 0: no answer, always wrong
    if isinstance(label, (bool, np.bool_)) or np.ndim(label) or label not in known:
        raise InputError(f"predict: expected −1 or +1, got {label!r}. Map other labels to them.")
    return int(label)


def _memory(learner: Player, rounds: list[Round]) -> Hashable:
    """Return what a learner's later predictions depend on or, if we cannot tell, its past."""
    if ours(learner):
        state = sorted(learner.state().items())
        return tuple((k, v.tobytes()) for k, v in state if k not in learner.counters)
    try:
        return pickle.dumps(vars(learner))
    except (TypeError, AttributeError, pickle.PicklingError):
        return tuple(rounds)
