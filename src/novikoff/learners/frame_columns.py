"""Frames whose columns are not those that a model has learned from.

A feature that a dict leaves out is 0. A frame that lacks a column rather has it by another name.
"""

import warnings
from collections.abc import Collection, Iterable

from novikoff import _core
from novikoff.learners.feature_learner import FeatureLearner
from novikoff.learners.hypothesis import Hypothesis
from novikoff.streams import Block, NamedBlock
from novikoff.streams.files.headers import check_names, like

_SHOWN = 3  # columns
_LOOKED_AT = 100_000  # features; of more, looking would take longer than predicting


def check_frame(h: Hypothesis, block: NamedBlock) -> None:
    """Refuse a frame without the columns of the table learned from; warn if names were learned."""
    if not block.rows or h.texts is not None:
        return
    here = tuple(block.rows[0])
    if h.features is None and h.columns:
        known = (*h.columns, *(name for name in here if name not in h.columns))
        check_names(h.columns, tuple(name for name in known if name in here), "X")
    elif told := lacking(h, block):
        warnings.warn(f"X: {told}", UserWarning, stacklevel=4)


def lacking(model: object, block: Block) -> str | None:
    """Say which columns a model has learned from and a frame lacks; None if there are none."""
    if not isinstance(block, NamedBlock) or not block.framed or not block.rows:
        return None
    features = _features_of(model)
    if features is None or features.bits or len(features) > _LOOKED_AT:
        return None
    here = block.rows[0].keys()
    missing = _missing(features.names(len(features)), here)
    return _told(missing, [name for name in here if name not in missing]) if missing else None


def _features_of(model: object) -> _core.Features | None:
    if isinstance(model, Hypothesis):
        return None if model.texts is not None else model.features
    return model.known_features if isinstance(model, FeatureLearner) else None


def _missing(features: Iterable[str], here: Collection[str]) -> list[str]:
    """Return the columns of these features that a frame lacks; ``kind=a`` is of column kind.

    >>> _missing(["age", "kind=a", "kind=b", "a=b=c"], {"age", "a=b"})
    ['kind']
    """
    found: dict[str, None] = {}
    for feature in features:
        if feature not in here:
            column, sign, rest = feature.partition("=")
            parts = rest.split("=")
            names = ("=".join([column, *parts[:k]]) for k in range(len(parts)))
            if not sign or not any(name in here for name in names):
                found[column] = None
    return [*found]


def _told(missing: list[str], here: list[str]) -> str:
    columns = "column" if len(missing) == 1 else "columns"
    more = f" and {len(missing) - _SHOWN:,} more" if len(missing) > _SHOWN else ""
    names = ", ".join(map(repr, missing[:_SHOWN])) + more
    near = [(like(name, here), name) for name in missing[:_SHOWN]]
    meant = [f"{one!r} to {name!r}" for one, name in near if one is not None]
    counts = "which counts" if len(missing) == 1 else "which count"
    told = f"expected {columns} {names}, as learned from, got a frame without, {counts} as 0. "
    return told + (f"Rename {', '.join(meant)}." if meant else "Pass the same columns.")
