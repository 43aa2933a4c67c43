"""The members of a mixture: objects with ``probability`` and ``update``, ours, river's or yours."""

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeGuard, runtime_checkable

import numpy as np

from novikoff.errors import InputError, parameter
from novikoff.learners.learner import Learner
from novikoff.types import AnyArray, Arrays

_CERTAIN = 1.0 / (1.0 + math.exp(30.0))
"""The probability at the score −30: beyond it the mixture believes no member."""


@runtime_checkable
class Voice(Protocol):
    """What a mixture asks of a member. Labels are −1 and +1, whatever the user's are."""

    def probability(self, x: object, /) -> float:
        """Return the probability that the label of x is +1; changes nothing."""
        ...

    def update(self, x: object, y: int, /) -> object:
        """Learn that the label of x is y."""
        ...


class RiverModel(Protocol):
    """What river calls a classifier: x is a dict, a label False or True."""

    def predict_proba_one(self, x: object, /) -> Mapping[object, float]:
        """Return the probability of each label met so far."""
        ...

    def learn_one(self, x: object, y: bool, /) -> object:
        """Learn that the label of x is y."""
        ...


class RiverVoice:
    """A river classifier as a member."""

    def __init__(self, model: RiverModel) -> None:
        self.model = model

    def __repr__(self) -> str:
        return repr(self.model)

    def probability(self, x: object, /) -> float:
        """Return what the model says about True; ½ before it has met a label."""
        found = self.model.predict_proba_one(x)
        return found.get(True, 0.0) if found else 0.5

    def update(self, x: object, y: int, /) -> None:
        """Let the model learn the round."""
        self.model.learn_one(x, y > 0)


def voices(members: object) -> list[Voice]:
    """Return the members as objects with ``probability`` and ``update``."""
    given = [*members] if isinstance(members, (list, tuple)) else []
    if not given or len({id(member) for member in given}) < len(given):
        raise parameter("members", "a list of at least one learner, each once", members)
    return [_voice(k, member) for k, member in enumerate(given)]


def _voice(k: int, member: object) -> Voice:
    made = _made(member)
    if _is_river(made):
        made = RiverVoice(made)
    odd = isinstance(made, type) or getattr(made, "multiclass", False) or getattr(made, "batch", 0)
    if odd or not isinstance(made, Voice):
        raise parameter(
            f"members[{k}]",
            "a learner of two labels with probability(x) and update(x, y)",
            member,
        )
    return made


def _is_river(member: object) -> TypeGuard[RiverModel]:
    named = ("predict_proba_one", "learn_one")
    ours = isinstance(member, (Voice, type))
    return not ours and all(callable(getattr(member, name, None)) for name in named)


def _made(member: object) -> object:
    """Return the learner that plain data describe; anything else as it is."""
    if not (isinstance(member, dict) and member.keys() == {"learner", "parameters"}):
        return member
    if member["learner"] not in Learner.kinds:
        raise parameter("members", "learners of this library", member["learner"])
    return Learner.kinds[member["learner"]](**member["parameters"])


def names_of(members: Sequence[Voice]) -> list[str]:
    """Return what to call the members: their kinds, numbered if there are several of one."""
    kinds = [type(getattr(member, "model", member)).__name__ for member in members]
    return [
        f"{kind} {kinds[: k + 1].count(kind)}" if kinds.count(kind) > 1 else kind
        for k, kind in enumerate(kinds)
    ]


def chance_of(k: int, member: Voice, x: object) -> float:
    """Return the probability of +1 that a member says, clipped as a score is to ±30."""
    try:
        found = member.probability(x)
    except Exception as error:
        error.add_note(f"members[{k}], {member!r}, raised this. The mixture has not changed.")
        raise
    number = isinstance(found, (float, int, np.floating))
    if not (number and 0.0 <= found <= 1.0):
        raise InputError(
            f"members[{k}]: expected a probability from 0 to 1, got {found!r} from {member!r}. "
            "Mend it, or leave it out."
        )
    return min(max(float(found), _CERTAIN), 1.0 - _CERTAIN)


def learn_together(members: list[Voice], x: object, y: int) -> None:
    """Let all members learn a round, or none.

    Those that may refuse a round although they could predict it learn first; if one of them does,
    the ones before it get back the state they had.
    """
    order = sorted(range(len(members)), key=lambda k: not may_refuse(members[k]))
    careful = [k for k in order if may_refuse(members[k])][:-1]
    before = {k: _kept(members[k]) for k in careful}
    for k in order:
        try:
            members[k].update(x, y)
        except Exception as error:
            for j in order[: order.index(k)]:
                members[j] = _given_back(members[j], before[j])
            error.add_note(f"members[{k}], {members[k]!r}, raised this. No member has learned.")
            raise


def may_refuse(member: object) -> bool:
    """Say whether a member may refuse to learn from an x that it can predict."""
    return not isinstance(member, Learner) or getattr(member, "refuses", False)


def _kept(member: Voice) -> Voice | Arrays:
    """Return all that changes as a member learns."""
    return member.state() if isinstance(member, Learner) else copy.deepcopy(member)


def _given_back(member: Voice, kept: Voice | Arrays) -> Voice:
    if isinstance(member, Learner) and isinstance(kept, dict):
        member.restore(kept)
        return member
    assert isinstance(kept, Voice)
    return kept


def plain(members: Sequence[Voice]) -> list[object]:
    """Return learners of this library as plain data, and others as they are."""
    return [
        {"learner": type(m).__name__, "parameters": m.parameters} if isinstance(m, Learner) else m
        for m in members
    ]


def state_of(members: Sequence[Voice]) -> dict[str, AnyArray]:
    """Return the states of the members, if all are learners of this library."""
    found: dict[str, AnyArray] = {}
    for k, member in enumerate(members):
        if not isinstance(member, Learner):
            raise InputError(
                f"save: expected members that are learners of this library, got {member!r}. "
                "Save it on its own, for example with pickle."
            )
        found |= {f"member{k}.{name}": array for name, array in member.state().items()}
    return found
