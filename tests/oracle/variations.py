"""Variations: certificates changed so that the deep checks are reached, true or false ones."""

import copy
import math
from random import Random
from typing import Any

from novikoff.verifier import THEOREMS as STATED
from oracle.data import rows_as_data, sentences_as_data
from oracle.judging import PROGRAMS, THEOREMS, bound_of, least_value, played_of
from oracle.mutations import value_at
from oracle.reals import UntrueError
from oracle.sample import Sample
from oracle.writing import transcript

EDGES: dict[str, list[Any]] = {
    "bias": [None, 0.0, 1.0, -0.5, 1e-300, 1e150],
    "ties": ["positive", "mistake"],
    "eta": [1e-300, 0.1, 1.0, 3.0, 100.0],
    "beta": [1e-6, 0.25, 0.5, 0.75, 0.999999],
    "gamma": [1e-9, 0.1, 1.0, 2.5, 100.0],
    "degree": [1, 2, 3, 7],
    "c": [0.0, 0.5, 1.0, 1e99],
    "horizon": [4, 5, 10, 2**53 - 1],
    "delta": [5e-324, 1e-299, 0.5, 1 - 2**-53],
    "seed": [0, 1, 2**64 - 1],
    "monotone": [True, False],
    "averaged": [True, False],
    "max_voters": [None, 1, 2**62 - 1],
    "rate": [2.0**-20, 0.125, 1.0, 3.0, 2.0**20],
    "hashing": [None, {"bits": 4, "signed": True}, {"bits": 30, "signed": False}],
}
"""Values inside the domains, many at their edges."""


def restate(content: dict[str, Any]) -> None:
    """Write down statement and assumptions as they are published."""
    theorem = content["theorem"]
    content["statement"] = STATED[theorem].statement
    content["assumptions"] = list(STATED[theorem].assumptions)


def recount(content: dict[str, Any], rows: list[Any]) -> bool:
    """Write down digest, counts and classes as they are; tell whether that was possible."""
    labels = content["data"]["labels"]
    try:
        if "tags" in labels:
            allowed = content["learner"]["parameters"]["problem"]["tags"]
            found = list(allowed or [])
            for _, tags, _ in rows:
                found += [tag for tag in dict.fromkeys(tags) if tag not in found]
            labels["tags"] = found
            facts = sentences_as_data(rows, labels, allowed).facts
        else:
            closed = "classes" in (content["learner"] or {"parameters": {}})["parameters"]
            if "classes" in labels and not closed:
                labels["classes"] = list(dict.fromkeys(label for _, label, _ in rows))
            facts = rows_as_data(rows, labels, closed).facts
    except UntrueError:
        return False
    content["data"].update(facts)
    return True


def recompute(content: dict[str, Any], rows: list[Any]) -> bool:
    """Write down mistakes, bound and expectation as they are; tell whether that was possible."""
    if content["learner"] is None:
        return True
    try:
        mistakes, bound, expected = bound_of(content, rows)
    except UntrueError:
        return False
    if not math.isfinite(bound):
        return False
    content["mistakes"] = {"count": len(mistakes), "rounds": transcript(mistakes)}
    content["bound"] = bound
    if expected is not None:
        content["evidence"]["expected"] = expected
    if content["learner"]["name"] in PROGRAMS:
        loss, states = played_of(content, rows)
        if loss is not None:
            content["evidence"]["loss"] = loss
        if "least" in content["evidence"]:
            content["evidence"]["least"] = least_value(content, rows)
        content["states"] = [[t, states[t]] for t in sorted(states) if t % 3 == 0]
    return True


def vary_parameter(rng: Random, content: dict[str, Any]) -> None:
    """Give the learner another parameter of its domain."""
    if content["learner"] is None:
        content["evidence"]["bias"] = rng.choice(EDGES["bias"])
        return
    holder = content["learner"]["parameters"]
    if "kernel" in holder and rng.random() < 0.5:
        holder = holder["kernel"]
    known = [name for name in holder if name in EDGES]
    if known:
        name = rng.choice(known)
        holder[name] = copy.deepcopy(rng.choice(EDGES[name]))


def vary_evidence(rng: Random, content: dict[str, Any]) -> None:
    """Take another comparator, another γ or δ, another theorem, other passes."""
    evidence = content["evidence"]
    action = rng.randrange(4)
    if action == 0 and content["learner"] is not None:
        vary_theorem(rng, content)
    elif action == 1 and content["data"]["passes"] is not None:
        content["data"]["passes"] = rng.randint(1, 4)
    elif "delta" in evidence:
        evidence["delta"] = rng.choice([*EDGES["delta"], rng.random()])
    elif "gamma" in evidence and rng.random() < 0.5:
        evidence["gamma"] = rng.choice([evidence["gamma"] / 2, 0.01, 1.0, 5.0, 1e-9])
    elif "rate" in evidence and rng.random() < 0.5:
        evidence["rate"] = rng.choice([0.25, 1.0, 4.0])
    elif evidence.get("weights") and evidence.get("rows"):
        scale = rng.randint(1, 5)
        evidence["weights"] = [a * scale for a in evidence["weights"]]
    else:
        pairs = evidence.get("w", evidence.get("a", []))
        for pair in pairs:
            if rng.random() < 0.5:
                pair[-1] = float(rng.choice([pair[-1] / 2, pair[-1] * 1.5, rng.random(), 1e-200]))
        if pairs and rng.random() < 0.2:
            pairs.remove(rng.choice(pairs))


def vary_theorem(rng: Random, content: dict[str, Any]) -> None:
    """Claim another theorem, with its own statement, assumptions and fields of evidence."""
    own = THEOREMS[content["learner"]["name"]]
    theorem = rng.choice(own if rng.random() < 0.8 else sorted(STATED))
    content["theorem"] = theorem
    restate(content)
    if theorem == "progressive":
        content["evidence"] = {"delta": rng.choice([0.05, 0.5, 1e-9])}
        content["data"]["passes"] = 1
    elif "delta" in content["evidence"] and "rows" not in content["evidence"]:
        content["evidence"] = _empty_evidence(content["learner"]["name"])


def _empty_evidence(learner: str) -> dict[str, Any]:
    if "Kernel" in learner:
        return {"a": []}
    if "Minnow" in learner:
        return {"w": [], "gamma": 1.0}
    if learner in PROGRAMS:
        return {"w": [], "loss": 0.0}
    return {"w": []} if "Perceptron" in learner else {}


def vary_rows(rng: Random, content: dict[str, Any], rows: list[Any]) -> list[Any]:
    """Return other rows, each made of those there are."""
    found = copy.deepcopy(rows)
    action = rng.randrange(5)
    t = rng.randrange(len(found))
    if action == 0 and len(found) > 1:
        del found[t]
    elif action == 1:
        found.insert(rng.randrange(len(found) + 1), copy.deepcopy(found[t]))
    elif action == 2:
        rng.shuffle(found)
    elif action == 3:
        other = rng.choice(rows)[1]
        alike = not isinstance(other, list) or len(other) == len(found[t][1])
        found[t] = (found[t][0], copy.deepcopy(other) if alike else found[t][1], found[t][2])
    else:
        items = found[t][2]
        holder = rng.choice(items) if items and isinstance(items[0], list) else items
        if holder:
            k = rng.randrange(len(holder))
            index, value = holder[k]
            whole = "tags" in content["data"]["labels"]
            other = rng.randint(1, 3) if whole else rng.choice([-value, value / 2, 1.0, 0.1])
            holder[k] = (index, other)
    return found


def swap_learner(rng: Random, content: dict[str, Any], others: list[Sample]) -> None:
    """Claim the run of another learner, with parameters that it has."""
    runs = [other for other in others if other.content["learner"] is not None]
    other = rng.choice(runs).content
    content["learner"] = copy.deepcopy(other["learner"])
    for name in ("format", "program", "start", "states"):
        content.pop(name, None)
        content |= {name: copy.deepcopy(other[name])} if name in other else {}
    if rng.random() < 0.7:
        for name in ("theorem", "statement", "assumptions", "evidence"):
            content[name] = copy.deepcopy(other[name])
    if content["data"]["passes"] is None:
        content["data"]["passes"] = 1


def vary(rng: Random, content: dict[str, Any], rows: list[Any], others: list[Sample]) -> list[Any]:
    """Change a content, and its rows, and write down most of what follows; return the rows."""
    action = rng.randrange(8)
    if action < 3:
        vary_parameter(rng, content)
    elif action < 5:
        vary_evidence(rng, content)
    elif action < 7:
        rows = vary_rows(rng, content, rows)
        recount(content, rows)
    else:
        swap_learner(rng, content, others)
    return rows


def lie(rng: Random, content: dict[str, Any]) -> None:
    """Put the bound, or what is expected, a little lower or higher."""
    path: tuple[str, ...] = ("bound",)
    stated = [name for name in ("expected", "loss") if name in content["evidence"]]
    if stated and rng.random() < 0.5:
        path = ("evidence", stated[0])
    holder = value_at(content, path[:-1])
    value = holder[path[-1]]
    if isinstance(value, float):
        steps = rng.choice([1, 2, 5])
        for _ in range(steps):
            value = math.nextafter(value, rng.choice([math.inf, -math.inf]))
        holder[path[-1]] = value
