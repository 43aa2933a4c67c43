"""The members of a frozen mixture: hypotheses, as plain data and back."""

from collections.abc import Mapping, Sequence

from novikoff.errors import parameter
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.losses.voices import part_of
from novikoff.streams import Hashing
from novikoff.types import AnyArray, Fields, Plain


def is_about(value: object) -> bool:
    """Say whether a value describes a member, as ``described`` does."""
    return isinstance(value, dict) and isinstance(value.get("kind"), str)


def described(members: Sequence[Hypothesis]) -> list[object]:
    """Return what members are, as plain data; their numbers are part of the state."""
    return [{"kind": type(h).__name__, **h.contents()[0]} for h in members]


def states_of(members: Sequence[Hypothesis]) -> dict[str, AnyArray]:
    """Return the numbers of all members, by name."""
    return {
        f"member{k}.{name}": array
        for k, h in enumerate(members)
        for name, array in h.contents()[1].items()
    }


def restored_member(about: Fields, state: Mapping[str, AnyArray], k: int) -> Hypothesis:
    """Return a member from what describes it and its numbers, which anybody may have written."""
    kind = str(about["kind"])
    if kind not in Hypothesis.kinds:
        raise ValueError("members of known kinds")
    own = {name: value for name, value in about.items() if name != "kind"}
    return Hypothesis.kinds[kind].from_contents(own, part_of(state, k))


def common_hashing(members: Sequence[Hypothesis]) -> Hashing | None:
    """Return how all members hash names; None if they do not, or do not agree."""
    found = {_hashing(h) for h in members}
    return found.pop() if len(found) == 1 else None


def common_bias(members: Sequence[Hypothesis]) -> Plain:
    """Return the constant feature of all members; refuse those that do not agree."""
    found = {getattr(h, "bias", None) for h in members}
    if len(found) > 1:
        raise parameter("members", "the same constant feature for all", sorted(map(str, found)))
    return found.pop()


def _hashing(h: Hypothesis) -> Hashing | None:
    features = h.features
    if features is None or not features.bits:
        return None
    return Hashing(features.bits, features.alternate_sign)
