"""Mutations: a certificate's fields changed one by one, whatever they mean."""

import copy
import math
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from oracle.sample import Sample
from oracle.writing import rounds_in, transcript

Path = tuple[str | int, ...]
NUMBERS: list[Any] = [
    0, 0.0, -0.0, 1, 1.0, -1, 2, 3, 0.5, 2**31, 2**32, 2**53, 2**53 + 1, 2**63, 2**64, 10**9,
    10**30, 10**400, 1e308, 1.7976931348623157e308, 5e-324, 1e-300, 1e-6, 0.999999,
    1 - 2**-53, 1 + 2**-52, 2**-53, 1e100, 1e300, 1e6, 1000001, 100, 101, 62, 63,
]  # fmt: skip
OTHERS: list[Any] = [None, True, False, "", "1", "positive", "mistake", [], {}, [1], {"x": 1}]


def paths(content: Any, before: Path = ()) -> Iterator[Path]:
    """Yield the path of every value inside a content."""
    inner = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in inner:
        yield (*before, key)
        if isinstance(value, (dict, list)):
            yield from paths(value, (*before, key))


def value_at(content: Any, path: Path) -> Any:
    """Return the value at a path."""
    for key in path:
        content = content[key]
    return content


def nudged(rng: Random, value: Any) -> Any:
    """Return a number close to another, or of its size, or at some edge."""
    if isinstance(value, float) and math.isfinite(value):
        choices = [
            math.nextafter(value, math.inf), math.nextafter(value, -math.inf), value + 1,
            value - 1, -value, value * 2, value / 2, value * (1 + 1e-9), math.floor(value),
        ]  # fmt: skip
    elif isinstance(value, int):
        choices = [value + 1, value - 1, -value, value * 2, value // 2]
        choices += [value + 0.5, float(value)] if abs(value) < 2**53 else []
    else:
        choices = NUMBERS
    found = rng.choice([rng.choice(choices), rng.choice(choices), rng.choice(NUMBERS)])
    return found if isinstance(found, int) or math.isfinite(found) else 1e308


def retyped(rng: Random, value: Any) -> Any:
    """Return what looks like a value and is of another type."""
    if isinstance(value, bool):
        return rng.choice([int(value), float(value), str(value).lower(), not value, None])
    if isinstance(value, (int, float)):
        likely: list[Any] = [str(value), [value], None, value > 0]
        if isinstance(value, float) and value.is_integer():
            likely.append(int(value))
        if isinstance(value, int) and abs(value) < 2**53:
            likely.append(float(value))
        return rng.choice(likely)
    if isinstance(value, str):
        return rng.choice([value + " ", value[:-1], value.upper(), value + "x", None, [value], 1])
    return copy.deepcopy(rng.choice(OTHERS))


def change(rng: Random, content: Any) -> None:
    """Nudge or retype a value somewhere."""
    path = rng.choice(list(paths(content)))
    holder, value = value_at(content, path[:-1]), value_at(content, path)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    how = nudged if is_number and rng.random() < 0.7 else retyped
    holder[path[-1]] = how(rng, value)


def change_number(rng: Random, content: Any) -> None:
    """Nudge a number of the evidence, the parameters, the bound or the counts."""
    found = [
        path
        for path in paths(content)
        if isinstance(value_at(content, path), (int, float))
        and not isinstance(value_at(content, path), bool)
    ]
    if found:
        path = rng.choice(found)
        value_at(content, path[:-1])[path[-1]] = nudged(rng, value_at(content, path))


def restructure(rng: Random, content: Any) -> None:
    """Drop, double, add or exchange entries of an object or a list."""
    holders = [content] + [
        value_at(content, p)
        for p in paths(content)
        if isinstance(value_at(content, p), (dict, list))
    ]
    holder = rng.choice(holders)
    if isinstance(holder, dict):
        known = list(holder)
        if known and rng.random() < 0.5:
            del holder[rng.choice(known)]
        else:
            names = ["extra", "bias", "delta", "hashing", "seed", "max_voters", "remarks", "gamma"]
            holder[rng.choice(names)] = rng.choice([None, 1, 0.5, {}, [], "x"])
        return
    action = rng.randrange(4)
    if not holder or action == 0:
        holder.append(rng.choice([None, 1, [0, 1.0], "+", [0, 0, 1.0]]))
    elif action == 1:
        del holder[rng.randrange(len(holder))]
    elif action == 2:
        holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(rng.choice(holder)))
    else:
        rng.shuffle(holder)


def edit_transcript(rng: Random, content: Any) -> None:
    """Add, drop or move a mistake; most often the count follows."""
    mistakes = content.get("mistakes")
    if not isinstance(mistakes, dict) or not isinstance(mistakes.get("rounds"), str):
        return
    try:
        rounds = rounds_in(mistakes["rounds"])
    except Exception:
        return
    action = rng.randrange(4)
    if action == 0 or not rounds:
        rounds.append((rounds[-1] if rounds else 0) + rng.choice([1, 2, 127, 128]))
    elif action == 1:
        del rounds[rng.randrange(len(rounds))]
    elif action == 2:
        rounds[-1] += 1
    else:
        rounds = sorted({max(1, t - 1) for t in rounds})
    mistakes["rounds"] = transcript(rounds)
    if rng.random() < 0.8:
        mistakes["count"] = len(rounds)
    if rng.random() < 0.1:
        mistakes["rounds"] = rng.choice([mistakes["rounds"].rstrip("="), "AA==", "gAA=", "*"])


def exchange(rng: Random, content: Any, other: Sample) -> None:
    """Take a value of another certificate that has the same path."""
    common = set(map(str, paths(content)))
    found = [path for path in paths(other.content) if str(path) in common]
    path = rng.choice(found)
    value_at(content, path[:-1])[path[-1]] = copy.deepcopy(value_at(other.content, path))


Mutation = Callable[[Random, Any], None]
MUTATIONS: list[Mutation] = [
    change, change, change_number, change_number, change_number, restructure, edit_transcript,
]  # fmt: skip


def mutate(rng: Random, content: Any, others: list[Sample]) -> None:
    """Change a content in some way."""
    if rng.random() < 0.1:
        exchange(rng, content, rng.choice(others))
    else:
        rng.choice(MUTATIONS)(rng, content)


def relaid(rng: Random, text: bytes) -> bytes:
    """Return the text of a certificate laid out otherwise, or damaged."""
    found = rng.choice(
        [
            text.replace(b",", b" ,\n "),
            b"\xef\xbb\xbf" + text,
            text + b" ",
            text + b"x",
            text[:-1],
            text[:-1] + b',"bound":0.0}',
            b'{"theorem":"novikoff",' + text[1:],
            text.replace(b'"bound":', b'"bound":NaN,"x":', 1),
            text.replace(b'"bound":', b'"bound":1e999,"x":', 1),
            text.upper(),
            text.decode().encode("utf-16"),
            b"[" + text + b"]",
            b"[" * 2000,
        ]
    )
    return bytes(found)
