"""A pool: learners and hypotheses that serve as experts."""

from collections.abc import Sequence
from numbers import Real
from typing import Any, Self

import numpy as np

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.learner import Learner, Saved, Slice, resume
from novikoff.learners.protocols import plays_blocks
from novikoff.streams import Block, one_row
from novikoff.types import AnyArray, IntArray


class Pool:
    """Experts that predict −1 and +1: learners, which go on learning, and hypotheses.

    Each one learns every round, whichever is followed, so its losses are those it would have alone.
    """

    def __init__(self, members: Sequence[Any]) -> None:
        for member in members:
            if isinstance(member, type) or not callable(getattr(member, "predict", None)):
                raise parameter("experts", "a number, or learners and hypotheses", member)
            if getattr(member, "multiclass", False) or getattr(member, "batch", False):
                raise parameter("experts", "learners of two labels that need one pass", member)
        if len({id(member) for member in members}) < len(members) or not members:
            raise parameter("experts", "at least one, each once", members)
        self.members = list(members)

    def __len__(self) -> int:
        return len(self.members)

    @property
    def plain(self) -> list[Any]:
        """Learners as plain data; other members as they are."""
        return [
            {"learner": type(m).__name__, "parameters": m.parameters}
            if isinstance(m, Learner)
            else m
            for m in self.members
        ]

    def fresh(self) -> list[Any]:
        """Return the members as they were before the first round."""
        return [m.fresh() if isinstance(m, Learner) else m for m in self.members]

    def predict(self, k: int, x: object) -> int:
        """Return the prediction of one member."""
        return int(self._labels(k, one_row(x))[0])

    def advice(self, x: object) -> AnyArray:
        """Return the predictions of all members."""
        block = one_row(x)
        return np.array([self._labels(k, block)[0] for k in range(len(self))], np.int8)

    def update(self, x: object, y: int) -> AnyArray:
        """Let the members learn a round; return their losses, 0 or 1."""
        losses, refusal = self.losses(one_row(x), np.array([y], np.int8))
        if refusal is not None:
            raise refusal
        found: AnyArray = losses[0]
        return found

    def losses(self, block: Block, codes: IntArray | AnyArray) -> tuple[AnyArray, Exception | None]:
        """Let them play a block; return their losses, one row per round, and why the next was
        refused.

        If one member refuses a round, no member learns from it.
        """
        codes = np.ascontiguousarray(codes, np.int8)
        if any(not _plays(m) and not isinstance(m, Hypothesis) for m in self.members):
            return self._one_by_one(block, codes)
        played = [m.fitting(block) if _plays(m) else block for m in self.members]
        losses, done = np.zeros((len(codes), len(self)), np.uint8), len(codes)
        try:
            for k, member in enumerate(self.members):
                if isinstance(member, Hypothesis):
                    losses[:, k] = self._labels(k, block) != codes
        except InputError:
            return self._one_by_one(block, codes)
        for k, member in enumerate(self.members):
            if _plays(member):
                tally = _core.Tally()
                done = member.play_rows(Slice(played[k], codes, None, 0, done), tally)
                losses[tally.mistake_rounds - 1, k] = 1
        refusal = InputError(f"x: {block.fault(done)}") if done < len(codes) else None
        return losses[:done], refusal

    def _one_by_one(self, block: Block, codes: AnyArray) -> tuple[AnyArray, Exception | None]:
        losses = np.zeros((len(codes), len(self)), np.uint8)
        for t, y in enumerate(codes.tolist()):
            row = block.row(t)
            try:
                losses[t] = self.advice(row) != y
                self._learn(row, y)
            except Exception as refusal:
                return losses[:t], refusal
        return losses, None

    def _learn(self, x: object, y: int) -> None:
        """Let all learn, or none: first those that may refuse a round that they could predict."""
        learners = [m for m in self.members if callable(getattr(m, "update", None))]
        learners.sort(key=_plays)
        before: list[tuple[Saved, dict[str, AnyArray]]] = []
        try:
            for member in learners:
                if isinstance(member, Saved) and not _plays(member):
                    before.append((member, member.state()))
                member.update(x, y)
        except Exception:
            for member, state in before:
                member.restore(state)
            raise

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes as the learners learn, as plain arrays."""
        strangers = [m for m in self.members if not isinstance(m, Learner)]
        if strangers:
            raise InputError(
                f"save: expected experts that are learners of this library, got {strangers[0]!r}. "
                "Save the others on their own."
            )
        return {
            f"expert{k}.{name}": array
            for k, m in enumerate(self.members)
            for name, array in m.state().items()
        }

    def restore(self, state: dict[str, AnyArray]) -> Self:
        """Take over what ``state`` returned."""
        for k, member in enumerate(self.members):
            start = f"expert{k}."
            own = {n.removeprefix(start): a for n, a in state.items() if n.startswith(start)}
            resume(member, own)
        return self

    def _labels(self, k: int, block: Block) -> AnyArray:
        member = self.members[k]
        if isinstance(member, Hypothesis):
            found = np.asarray(member.predict(block))
        else:
            found = np.array([member.predict(block.row(t)) for t in range(len(block))], object)
        sound = found.ndim == 1 and all(isinstance(v, (Real, np.bool_)) for v in found)
        if not (sound and np.isin(found.astype(np.float64), (-1, 1)).all()):
            raise InputError(
                f"experts: expected predictions −1 and +1, got something else from {member!r}. "
                "Map its labels first."
            )
        return found.astype(np.int8)


def _plays(member: object) -> bool:
    """Say whether the core plays a member's rounds."""
    return plays_blocks(member)


def as_pool(experts: object) -> Pool | None:
    """Return the pool for a list of experts; None if experts are a number."""
    if not isinstance(experts, (list, tuple)):
        return None
    return Pool([_made(member) for member in experts])


def pool_size(experts: object) -> int:
    """Return the least count of numbers in the states of a pool."""
    members = experts if isinstance(experts, list) else []
    kinds = [_kind(member) for member in members]
    return sum(
        kind.least_size(member["parameters"])
        for kind, member in zip(kinds, members, strict=True)
        if kind is not None
    )


def _kind(member: object) -> type[Learner] | None:
    """Return the kind of a learner that is given as plain data."""
    if not (isinstance(member, dict) and member.keys() == {"learner", "parameters"}):
        return None
    if member["learner"] not in Learner.kinds:
        raise parameter("experts", "learners of this library", member["learner"])
    return Learner.kinds[member["learner"]]


def _made(member: Any) -> Any:
    kind = _kind(member)
    return member if kind is None else kind(**member["parameters"])
