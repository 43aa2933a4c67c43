"""The members of a mixture: objects with ``probability`` and ``update``, ours, river's or yours."""

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol, TypeGuard, runtime_checkable

import numpy as np

from novikoff.errors import InputError, parameter
from novikoff.learners.learner import Learner
from novikoff.learners.protocols import is_probable
from novikoff.types import AnyArray, FloatArray

CERTAIN = float.fromhex("0x1.a56e0c2ac7cbfp-44")
"""The probability at the score −30, 1/(1 + e³⁰): beyond it the mixture believes no member."""


Undo = Callable[[], None]
"""Gives a member back the state that it had."""


@runtime_checkable
class Voice(Protocol):
    """What a mixture asks of a member. Labels are −1 and +1, whatever the user's are."""

    def probability(self, x: object, /) -> float:
        """Return the probability that the label of x is +1; changes nothing."""
        ...

    def update(self, x: object, y: int, /) -> object:
        """Learn that the label of x is y."""
        ...


@runtime_checkable
class Nested(Protocol):
    """A member that is a mixture itself."""

    def undo_from_here(self) -> Undo | None:
        """Return what gives all members back the state they have now; None if one has no copy."""
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

    @property
    def refuses(self) -> bool:
        """Whether the model may refuse to learn from an x that it can predict."""
        return bool(getattr(self.model, "refuses", True))

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
    silent = not is_probable(made)  # a learner may have the method for some losses alone
    if odd or silent or not isinstance(made, Voice):
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
    return min(max(float(found), CERTAIN), 1.0 - CERTAIN)


def clipped_all(chances: FloatArray) -> FloatArray:
    """Return probabilities clipped in the same way."""
    found: FloatArray = np.clip(chances, CERTAIN, 1.0 - CERTAIN)
    return found


def learn_together(members: Sequence[Voice], x: object, y: int) -> None:
    """Let all members learn a round, or none.

    Those that may refuse a round although they could predict it learn first; if one of them does,
    the ones before it get back the state they had. The one that raises answers for its own.
    """
    order, undos = _careful(members)
    order += [k for k in range(len(members)) if k not in order]
    for done, k in enumerate(order):
        try:
            members[k].update(x, y)
        except BaseException as error:
            lost = [j for j in order[:done] if not _undone(undos.get(j))]
            error.add_note(f"members[{k}], {members[k]!r}, raised this. {_learned(lost)}")
            raise


def may_refuse(member: object) -> bool:
    """Say whether a member may refuse to learn from an x that it can predict.

    Your own may, unless it has ``refuses = False``.
    """
    kind = type(member)
    if kind.__module__.partition(".")[0] == "novikoff":
        return bool(getattr(member, "refuses", False))
    if isinstance(member, Learner):  # what it inherits from ours says nothing about its update
        return bool(vars(kind).get("refuses", True))
    return bool(getattr(member, "refuses", True))


def undo_of(member: Voice) -> Undo | None:
    """Return what gives a member back the state it has now; None if its state cannot be copied."""
    try:
        if _is_mixture(member):
            return member.undo_from_here()
        if isinstance(member, Learner):
            return partial(member.restore, member.state())
        return _undo_of_own(member.model if isinstance(member, RiverVoice) else member)
    except Exception:  # anybody may have written the member
        return None


def _careful(members: Sequence[Voice]) -> tuple[list[int], dict[int, Undo]]:
    """Return the members that may refuse, in the order in which they learn, and their undos.

    Ours come first, because their copies are small, and those that cannot be copied last. The last
    of all needs no copy.
    """
    careful = [k for k, member in enumerate(members) if may_refuse(member)]
    careful.sort(key=lambda k: _rank(members[k]))
    undos: dict[int, Undo] = {}
    lost: list[int] = []
    for k in careful:
        if k == careful[-1] and not lost:
            break
        undo = undo_of(members[k])
        if undo is None:
            lost.append(k)
        else:
            undos[k] = undo
    return [k for k in careful if k not in lost] + lost, undos


def _is_mixture(member: object) -> TypeGuard[Nested]:
    return isinstance(member, Learner) and isinstance(member, Nested)


def _rank(member: Voice) -> int:
    return 1 if _is_mixture(member) else 0 if isinstance(member, Learner) else 2


def _undo_of_own(member: object) -> Undo:
    """Copy what an object of the user's holds, as ``copy`` would; its undo changes it in place."""
    found = member.__reduce_ex__(4)
    made, arguments, *held = found if isinstance(found, tuple) else (None, ())
    plain_object = getattr(made, "__name__", "") == "__newobj__" and len(arguments) == 1
    if not plain_object or any(items is not None for items in held[1:]):
        raise TypeError(f"{member!r} holds more than attributes")
    kept = copy.deepcopy(held[0] if held else None, {id(member): member})
    return partial(_put_back, member, kept)


def _put_back(member: object, kept: object) -> None:
    take = getattr(member, "__setstate__", None)
    if take is not None:
        take(kept)
        return
    attributes, slots = _parts(kept)
    if type(member).__getstate__ is object.__getstate__:  # another one may leave something out
        added, filled = _parts(member.__getstate__())
        for name in added.keys() - attributes.keys():
            del vars(member)[name]
        for name in filled.keys() - slots.keys():
            object.__delattr__(member, name)
    if attributes:
        vars(member).update(attributes)
    for name, value in slots.items():
        object.__setattr__(member, name, value)


def _parts(state: object) -> tuple[dict[str, object], dict[str, object]]:
    """Return the attributes in ``__dict__`` and those in ``__slots__``, as pickle keeps them."""
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    return {**(attributes or {})}, {**(slots or {})}


def _undone(undo: Undo | None) -> bool:
    """Give a member its state back; say whether that was possible."""
    try:
        if undo is not None:
            undo()
    except Exception:  # anybody may have written the member
        return False
    return undo is not None


def _learned(lost: list[int]) -> str:
    if not lost:
        return "No other member has learned the round."
    names = ", ".join(f"members[{j}]" for j in lost)
    return f"{names} learned the round before and cannot be put back, because there is no copy."


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


def part_of(state: Mapping[str, AnyArray], k: int) -> dict[str, AnyArray]:
    """Return the arrays of one member."""
    start = f"member{k}."
    return {name.removeprefix(start): a for name, a in state.items() if name.startswith(start)}
