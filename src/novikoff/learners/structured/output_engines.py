"""The parts of a structured perceptron that play trees (in the core) and any other problem."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, InputError
from novikoff.learners.structured.chain import packed_texts, unpacked_texts
from novikoff.learners.structured.engine import Engine, H, Outcomes, Ruled, frozen
from novikoff.learners.structured.structured_hypothesis import (
    Tree,
    Weighted,
    packed_counts,
    unpacked_counts,
)
from novikoff.streams import ExampleBlock
from novikoff.structures import Problem, Trees
from novikoff.structures.problem import score
from novikoff.types import AnyArray, IntArray

_LARGEST_SUM = 2**61


class ExampleEngine(Engine[H]):
    """Rounds played one by one."""

    problem: Problem

    def expect(self, block: ExampleBlock, y: Outcomes) -> int:
        """Return how many rows are valid, up to the first that is not."""
        faults = (self.problem.fault(x, z) for x, z in zip(block.rows, y, strict=True))
        return next((t for t, fault in enumerate(faults) if fault), len(block))

    def play(
        self, block: ExampleBlock, y: Outcomes, start: int, stop: int, tally: _core.Tally
    ) -> int:
        """Play rounds [start, stop); return the first refused, or stop."""
        for t in range(start, stop):
            if self.problem.fault(block.rows[t], y[t]):
                return t
            self.learn(block.rows[t], y[t], tally)
        return stop

    @abstractmethod
    def learn(self, x: object, y: object, tally: _core.Tally) -> None:
        """Play a valid round."""

    def fault(self, x: object, y: object) -> str:
        """Say why a round is refused."""
        return self.problem.fault(x, y) or "expected an example, got another"

    def digest_bytes(self, block: ExampleBlock, y: Outcomes, start: int, stop: int) -> bytes:
        """Refuse: only sentences with tags have a digest."""
        raise HypothesisError(
            f"digest: expected chains, whose rounds have a digest, got {self.problem!r}. "
            "Play without digest=True."
        )

    def _checked(self, x: object) -> object:
        if fault := self.problem.fault(x, None, False):
            raise InputError(f"x: {fault}")
        return x


class PlainEngine(ExampleEngine[Weighted]):
    """Any problem, in Python: w and Σ_updates t·Δ_t as counts of features."""

    def __init__(self, problem: Problem, averaged: bool) -> None:
        self.problem, self.averaged = problem, averaged
        self.w: Counter[Hashable] = Counter()
        self.delayed: Counter[Hashable] = Counter()
        self._rounds = 0

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return self._rounds

    @property
    def norm2(self) -> int:
        """‖w‖², a whole number."""
        return sum(v * v for v in self.w.values())

    @property
    def dimension(self) -> int:
        """How many features an update has touched."""
        return len(self.w)

    @property
    def nbytes(self) -> int:
        """The approximate memory in use."""
        return 200 * (len(self.w) + len(self.delayed))

    def learn(self, x: object, y: object, tally: _core.Tally) -> None:
        """w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake."""
        z = self.problem.best(self.w, x)
        self._rounds += 1
        step: Counter[Hashable] = Counter()
        if z != y:
            step.update(self.problem.features(x, y))
            step.subtract(self.problem.features(x, z))
            self.w.update(step)
            self.delayed.update({name: self._rounds * v for name, v in step.items()})
        tally.structured_round(z != y, float(sum(v * v for v in step.values())))

    def predict(self, x: object) -> object:
        """Return the best output by the current weights."""
        return self.problem.best(self.w, self._checked(x))

    def hypothesis(self, last: bool = False) -> Weighted:
        """Return T times the average, or the last weights."""
        if not self.averaged or last:
            return Weighted(self.problem, self.w)
        late, T = self.delayed, self._rounds
        whole = Counter({name: (T + 1) * v - late[name] for name, v in self.w.items()})
        return Weighted(self.problem, whole, max(T, 1))

    def margins(self, h: Weighted, X: list[object], y: list[object]) -> IntArray:
        """score(x, y) − max_{z ≠ y} score(x, z) in the whole numbers of h."""
        return np.array([self._margin(h.whole, x, z) for x, z in zip(X, y, strict=True)], np.int64)

    def _margin(self, w: Counter[Hashable], x: object, y: object) -> int:
        other = self.problem.second(w, x, y)
        if other is None:
            return int(_core.NO_OTHER)
        features = self.problem.features
        return score(w, features(x, y)) - score(w, features(x, other))

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes, as plain arrays."""
        late = packed_counts(self.delayed)
        return {
            "counts": np.array([self._rounds], np.int64),
            **packed_counts(self.w),
            **{f"late_{name}": array for name, array in late.items()},
        }

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        late = {n.removeprefix("late_"): a for n, a in state.items() if n.startswith("late_")}
        weights, delayed = unpacked_counts(state), unpacked_counts(late)
        rounds = int(state["counts"][0])
        largest = max(map(abs, weights.values()), default=0)
        if max(largest * (rounds + 1), *map(abs, delayed.values()), 0) > _LARGEST_SUM:
            raise ValueError("weights whose sums 64 bits hold")
        self.w, self.delayed, self._rounds = weights, delayed, rounds


class TreeEngine(Ruled, ExampleEngine[Tree]):
    """The rule of trees (``tree_rule.hpp``) with the numbers of words and tags."""

    rule: _core.TreeRule

    def __init__(self, problem: Trees, averaged: bool) -> None:
        self.problem, self.averaged = problem, averaged
        self.names, self.rule = _core.TreeNames(), _core.TreeRule(averaged)

    @property
    def dimension(self) -> int:
        """How many features an update has touched."""
        return self.rule.features

    @property
    def nbytes(self) -> int:
        """The approximate memory of the weights."""
        return 64 * self.rule.features

    def learn(self, x: object, y: object, tally: _core.Tally) -> None:
        """w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake."""
        try:
            self.rule.play(self.names, _tokens(x), _heads(y), tally)
        except OverflowError as error:
            raise InputError(f"x: expected {error}, got more. Begin another run.") from None

    def predict(self, x: object) -> list[int]:
        """Return the best tree by the current weights."""
        return self.rule.predict(self.names, _tokens(self._checked(x)))

    def hypothesis(self, last: bool = False) -> Tree:
        """Return T times the average, or the last weights."""
        return Tree(self.names, frozen(self.rule.hypothesis, last), self.summed(last))

    def margins(self, h: Tree, X: list[object], y: list[object]) -> IntArray:
        """score(x, y) − max_{z ≠ y} score(x, z) in the whole numbers of h."""
        pairs = zip(X, y, strict=True)
        found = [h.whole.margin(self.names, _tokens(x), _heads(z)) for x, z in pairs]
        return np.array(found, np.int64)

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes, as plain arrays."""
        (keys, values), (late_keys, late_values) = self.rule.state()
        tags = packed_texts(self.names.tags())
        return {
            "counts": np.array([self.rounds], np.int64),
            "keys": keys,
            "values": values,
            "late_keys": late_keys,
            "late_values": late_values,
            **packed_texts(self.names.words()),
            **{f"tag_{name}": array for name, array in tags.items()},
        }

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        names = _core.TreeNames()
        names.add(unpacked_texts(state), unpacked_texts(state, "tag_"))
        arrays = (state[name] for name in ("keys", "values", "late_keys", "late_values"))
        self.rule.restore(int(state["counts"][0]), *arrays)
        self.names = names


def _tokens(x: object) -> list[tuple[str, str]]:
    """Return the words of a sentence, each with its tag."""
    assert isinstance(x, Iterable)
    return [(word, tag) for word, tag in x]


def _heads(y: object) -> list[int]:
    """Return the head of every word."""
    assert isinstance(y, Iterable)
    return list(y)
