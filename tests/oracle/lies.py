"""Lies: what can be wrong with a certificate, one thing at a time, the rest being as it should."""

import copy
import math
from collections.abc import Callable, Iterator
from typing import Any

from oracle.sample import Sample
from oracle.writing import rounds_in, transcript

Content = dict[str, Any]
Lie = tuple[str, str, Callable[[Content], None]]
"""Its name, a sentence that says what is wrong, and what makes it."""


def _set(*path_and_value: Any) -> Callable[[Content], None]:
    *path, key, value = path_and_value

    def change(content: Content) -> None:
        holder: Any = content
        for step in path:
            holder = holder[step]
        holder[key] = value(holder[key]) if callable(value) else copy.deepcopy(value)

    return change


def _drop(*path: str) -> Callable[[Content], None]:
    def change(content: Content) -> None:
        holder: Any = content
        for step in path[:-1]:
            holder = holder[step]
        del holder[path[-1]]

    return change


def _mistakes(how: Callable[[list[int]], list[int]]) -> Callable[[Content], None]:
    def change(content: Content) -> None:
        rounds = how(rounds_in(content["mistakes"]["rounds"]))
        content["mistakes"] = {"count": len(rounds), "rounds": transcript(rounds)}

    return change


FORMAL: list[Lie] = [
    ("digest", "The digest is that of other data.", _set("data", "digest", "0" * 64)),
    ("rows", "There is one row less.", _set("data", "rows", lambda n: n + 1)),
    ("nonzeros", "There is one value less.", _set("data", "nonzeros", lambda n: n + 1)),
    ("dimension", "There is one feature less.", _set("data", "dimension", lambda n: n + 1)),
    ("rows-true", "A number is a truth value.", _set("data", "rows", True)),
    ("statement", "The statement is another.", _set("statement", lambda s: s + ".")),
    ("assumption", "It assumes what its theorem does not.", _set("assumptions", ["none"])),
    ("theorem", "There is no such theorem.", _set("theorem", "novikov")),
    ("format", "There is no such format.", _set("format", "novikoff-certificate/0")),
    ("extra", "It has a field that the format does not name.", _set("extra", 1)),
    ("remark", "It has a remark that the format does not name.", _set("remarks", {"by": "me"})),
    ("reading", "The remark on reading is no object.", _set("remarks", {"reading": 1})),
    ("evidence", "The evidence has a field too many.", _set("evidence", "note", "true")),
    ("no-evidence", "The evidence is missing.", _set("evidence", None)),
    ("no-bound", "There is no field for the bound.", _drop("bound")),
    ("labels", "The labels are given in no known way.", _set("data", "labels", {"labels": [1]})),
]  # fmt: skip

OF_RUNS: list[Lie] = [
    ("bound-below", "The bound is below the exact one.",
     _set("bound", lambda b: math.nextafter(b, -math.inf))),
    ("bound-above", "The bound is not the least float.",
     _set("bound", lambda b: math.nextafter(b, math.inf))),
    ("bound-half", "The bound is half of the exact one.", _set("bound", lambda b: b / 2 - 0.25)),
    ("bound-text", "The bound is a text.", _set("bound", str)),
    ("bound-null", "The bound is missing.", _set("bound", None)),
    ("mistake-more", "A mistake is listed that was none.",
     _mistakes(lambda rounds: [*rounds, (rounds or [0])[-1] + 1])),
    ("mistake-less", "A mistake is left out.", _mistakes(lambda rounds: rounds[:-1] or [9])),
    ("mistake-count", "The count is not that of the rounds.",
     _set("mistakes", "count", lambda n: n + 1)),
    ("transcript", "The transcript is no base 64.", _set("mistakes", "rounds", "*")),
    ("passes-0", "No pass was played.", _set("data", "passes", 0)),
    ("passes-half", "Half a pass was played.", _set("data", "passes", 0.5)),
    ("passes-null", "It does not say how many passes.", _set("data", "passes", None)),
    ("learner", "There is no such learner.", _set("learner", "name", "Perzeptron")),
    ("parameter", "The learner has no such parameter.",
     _set("learner", "parameters", "extra", None)),
    ("no-learner", "A theorem about a run has no learner.", _set("learner", None)),
]  # fmt: skip

OF_PROGRAMS: list[Lie] = [
    ("program", "It is another program.", _set("program", lambda program: program[:-1] + "2")),
    ("program-null", "It is no program.", _set("program", None)),
    ("start", "It did not begin anew.", _set("start", "0" * 64)),
    ("states-hash", "A state has another hash.", _set("states", [[1, "0" * 64]])),
    ("states-late", "A state is that of a round after the last.",
     _set("states", lambda states: [*states, [10**6, "0" * 64]])),
    ("states-twice", "A state is listed twice.", _set("states", lambda s: [*s, *s[-1:]])),
    ("states-null", "There is no list of states.", _set("states", None)),
    ("format-1", "Its format is that of exact runs.", _set("format", "novikoff-certificate/1")),
    ("no-states", "There is no field for the states.", _drop("states")),
]  # fmt: skip

OUTSIDE: dict[str, list[Any]] = {
    "bias": ["0.5", True, [1.0]],
    "ties": ["negative", None, True],
    "hashing": [4, {"bits": 0, "signed": True}, {"bits": 31, "signed": True},
                {"bits": 4}, {"bits": 4, "signed": 1}, {"bits": 4, "signed": True, "x": 1}],
    "max_voters": [0, -1, 2**62, 1.5, "3", True],
    "eta": [0, 0.0, -0.5, 1.1e300, 1e7, True, "0.3"],
    "kernel": [None, "rbf", {"name": "rbf", "gamma": 0.0}, {"name": "rbf", "gamma": -1.0},
               {"name": "rbf", "gamma": 1e100}, {"name": "polynomial", "degree": 0, "c": 1.0},
               {"name": "polynomial", "degree": 1.5, "c": 1.0},
               {"name": "polynomial", "degree": 101, "c": 1.0},
               {"name": "polynomial", "degree": 2, "c": -1.0},
               {"name": "polynomial", "degree": 2, "c": 1.0, "gamma": 1.0}, {"name": "sigmoid"}],
    "budget": [5, {"size": 5}],
    "H": [None, {"table": [], "points": None, "cube": None},
          {"table": ["+-+-", "+-+"], "points": None, "cube": None},
          {"table": ["+-+-", "+-+-"], "points": None, "cube": None},
          {"table": ["++++"], "points": None, "cube": 3},
          {"table": ["++++"], "points": ["a"], "cube": None}],
    "d": [0, 1, 2.5, 2**24 + 1, True],
    "monotone": [0, 1, None, "true"],
    "experts": [1, 2, 5, 10**9, 0, 3.5, True],
    "arms": [1, 2, 5, 10**9, 0, 3.5, True],
    "beta": [0, 1, 0.0, 1.0, -0.5, 1 - 2**-53, 2**-53, 2.0, True],
    "horizon": [0, 1, 2.5, 2**53, True, "9"],
    "delta": [0, 1, 0.0, 1.0, -0.1, 2, True, 1e-310],
    "seed": [-1, 2**64, 0.5, "0", None, True],
    "span": [[0.0, 2.0], [0.0], None, [1.0, 0.0]],
    "rewards": [True, 0, None],
    "averaged": [1, None, "yes"],
    "problem": [None, {"kind": "Trees"}, {"kind": "Chains"}],
    "rate": [0.0, -1.0, 2.0**-21, 2.0**21, 1, "1", None, True],
    "classes": [0, 1, 2, 4, 2**20, 2**20 + 1, 3.5, "3", None, True],
    "loss": ["hinge", None, True],
    "ridge": [0.0, -1.0, 2.0**-41, 2.0**41, 1, "1", None, True],
}  # fmt: skip
"""Values outside the domains of the parameters, or such that the claim fails."""

OF_EVIDENCE: dict[str, list[Any]] = {
    "w": [None, [[0, True]], [[0, 1.0], [0, 1.0]], [[-2, 1.0]], [[0.5, 1.0]], [[0, "1"]], [0, 1.0],
          [[0, 0, 1.0], [0, 0, 2.0]]],
    "a": [None, [[0, 1.0]], [[99, 1.0]], [[1, 1.0], [1, 1.0]], [[1, True]]],
    "gamma": [0, 0.0, -1.0, True, "1", None],
    "delta": [0, 1, 0.0, 1.0, -0.5, True, None],
    "rows": ["loss", None, [], [0, 1], [1, 99]],
    "weights": [[], [0, 0], [-2, -1], [2.5, 1.25], [1, 1]],
    "expected": [0.0, -1.0, None, True, 1e300],
    "bias": ["1", True, []],
    "loss": [0.0, -1.0, None, True, "1", 1e300],
    "least": [0.0, -1.0, None, True, 1, "1", 1e300],
    "rate": [0.25, 1.0, 4.0, 2.0, 0.0, 1, None, True, "1"],
}  # fmt: skip


def lies(sample: Sample) -> Iterator[Lie]:
    """Yield the lies that can be told of a sample."""
    content = sample.content
    yield from FORMAL
    if content["learner"] is not None:
        yield from OF_RUNS
        yield from OF_PROGRAMS if "program" in content else ()
        for name in content["learner"]["parameters"]:
            for k, value in enumerate(OUTSIDE[name]):
                told = f"The parameter {name} is {value!r}."
                yield f"{name}-{k}", told, _set("learner", "parameters", name, value)
            dropped = _drop("learner", "parameters", name)
            if not (name == "bias" and "seed" in content["learner"]["parameters"]):
                yield f"no-{name}", f"The parameter {name} is missing.", dropped
    for name in content["evidence"]:
        for k, value in enumerate(OF_EVIDENCE[name]):
            told = f"The evidence for {name} is {value!r}."
            yield f"evidence-{name}-{k}", told, _set("evidence", name, value)
