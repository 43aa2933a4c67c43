"""Rows as a learner saw them: transforms by their definitions, in fractions that are rounded."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import transform_twins as twins
from oracle.data import Data, Vector
from oracle.reals import is_whole, require

LEARNERS = {
    "Perceptron", "AveragedPerceptron", "VotedPerceptron", "MulticlassPerceptron", "Minnow",
    "BalancedMinnow", "AdaptiveGradient", "CoinBetting", "ForwardRegression",
}  # fmt: skip
PLAIN = {"scale": twins.Scale, "normalize": twins.Normalize, "presence": twins.Presence}
MOST = 100  # features of a group, of which samples have few


def transformed(
    data: Data, stated: Any, learner: str, passes: int, before: Data | None = None
) -> tuple[Data, Data | None]:
    """Return the data as the learner saw them, and those before them.

    They are numbered anew if features are crossed.
    """
    require(learner in LEARNERS, "the learner takes no transforms")
    require(isinstance(stated, list) and len(stated) > 0, "the transforms are no list")
    steps = [_step(one) for one in stated]
    scales = any(isinstance(step, twins.Scale) for step in steps)
    require(passes == 1 or not scales, "a second pass sees other rows")
    crosses = any(isinstance(step, twins.Cross) for step in steps)
    numbers: dict[Any, int] = {}
    require(before is None or not crosses, "a cross goes on from a model")
    found: list[Data | None] = []
    for part in (before, data):
        memories, xs = [], []
        for x in part.xs if part is not None else ():
            xs.append(_made(x, steps, numbers if crosses else None))
            memories.append("" if crosses else _memory(steps))
        dimension = max((j + 1 for x in xs for j in x), default=0)
        facts = {} if part is None else part.facts | {"dimension": dimension}
        found.append(part and replace(part, xs=xs, facts=facts, memories=memories))
    assert found[1] is not None
    return found[1], found[0]


def _memory(steps: Sequence[Any]) -> str:
    """Return what scales remember, as it is hashed with a learner's state; nothing without one."""
    lines = []
    for step in steps:
        if isinstance(step, twins.Scale):
            lines.append("scale\n")
            known = [(i, x) for i, x in step.largest.items() if x]
            lines += [f"{i} {twins.power(x)}\n" for i, x in sorted(known)]
    return "".join(lines)


def _made(x: Vector, steps: Sequence[Any], numbers: dict[Any, int] | None) -> Vector:
    row: dict[Any, Fraction] = dict(x)
    for step in (None, *steps):
        try:
            row = row if step is None else step.made(row)
        except OverflowError:
            require(False, "a product is beyond the floats")
        if numbers is not None:
            raw = sorted(i for i in row if isinstance(i, int))
            pairs = [i for i in row if isinstance(i, tuple)]  # as they were made, ascending
            for i in (*raw, *pairs):
                if i in raw or row[i] != 0:
                    numbers.setdefault(i, len(numbers))
    return {i if numbers is None else numbers[i]: v for i, v in row.items() if v != 0}


def _step(stated: Any) -> Any:
    require(isinstance(stated, dict), "a transform is no object")
    name = stated.get("name")
    if isinstance(name, str) and name in PLAIN:
        require(stated.keys() == {"name"}, "a transform has other fields")
        return PLAIN[name]()
    require(name == "cross" and stated.keys() == {"name", "groups", "bits"}, "no transform")
    groups, bits = stated["groups"], stated["bits"]
    require(bits is None or is_strictly_whole(bits, 1, 30), "the bits are no number")
    require(isinstance(groups, list) and 2 <= len(groups) <= 31, "the groups are none")
    return twins.Cross(*map(_group, groups), bits=bits)


def _group(ranges: Any) -> set[int]:
    require(isinstance(ranges, list), "a group is no list")
    found: set[int] = set()
    end = -1
    for pair in ranges:
        sound = isinstance(pair, list) and len(pair) == 2
        sound = sound and all(is_strictly_whole(n, 0, 2**31) for n in pair)
        require(sound and end < pair[0] < pair[1], "a group is no list of ascending ranges")
        end = pair[1]
        found |= {*range(pair[0], min(pair[1], MOST))}
    return found


def is_strictly_whole(value: Any, low: int, high: int) -> bool:
    """Whether a JSON value is a whole number, written as one."""
    return type(value) is int and is_whole(value, low, high)
