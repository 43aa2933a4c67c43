"""The names in the rounds of a mixture: its members number names each for themselves."""

from collections.abc import Iterable, Mapping

from novikoff import _core
from novikoff.streams.blocks.named import NAMES, names_state, restore_names
from novikoff.types import AnyArray


def played_state(features: _core.Features) -> dict[str, AnyArray]:
    """Return the names as arrays; none if no round had any."""
    return names_state(features, len(features)) if len(features) else {}


def restored_features(
    state: Mapping[str, AnyArray], parts: Iterable[object] = ()
) -> _core.Features:
    """Return the names that ``played_state`` returned.

    Files once held no names but those of the members. ``parts`` are members that have met the same
    rows in the same order, so that one of them has numbered the names alike.
    """
    found = _core.Features()
    if any(name in state for name in NAMES):
        restore_names(found, {name: state[name] for name in NAMES})
    else:
        found.restore(_longest(parts))
    return found


def _longest(parts: Iterable[object]) -> list[str]:
    """Return the names that the parts know, or the parts of these; none if they hash names."""
    known = map(_known, parts)
    return max(known, key=len, default=[])


def _known(part: object) -> list[str]:
    inner = getattr(part, "members", None)
    if isinstance(inner, list):
        return _longest(inner)
    features = getattr(part, "known_features", None)
    if not isinstance(features, _core.Features) or features.bits:
        return []
    names: list[str] = features.names(len(features))
    return names
