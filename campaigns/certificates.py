"""Certificates of every family, mutated and sealed again: what the verifier accepts is true.

Each case is a function of (seed, number). A certificate on a few rows is changed in one to three
places, in its fields alone or in its meaning as well, and sealed anew. The oracle judges what the
verifier accepts; what the oracle wrote down itself and finds true must be accepted.
"""

import copy
import json
import math
from collections import Counter
from functools import cache
from random import Random
from typing import Any, NamedTuple

from novikoff import verifier
from oracle import judge, sealed_text
from oracle.limits import little_memory, little_time
from oracle.mutations import mutate, relaid
from oracle.sample import Sample
from oracle.samples import samples
from oracle.variations import lie, recompute, restate, vary

SMALL = 1500
REFUSALS: tuple[type[Exception], ...] = tuple(
    getattr(verifier, name) for name in ("BadData", "TooLarge") if hasattr(verifier, name)
)


class Case(NamedTuple):
    """A certificate to be verified on rows."""

    name: str
    text: bytes
    rows: list[Any]
    honest: bool
    """Whether all that follows from the changes was written down: if true, it must be accepted."""


@cache
def _samples() -> list[Sample]:
    return samples()


def _tagged(sample: Sample) -> bool:
    """Whether the rows are sentences: which rows are read is a matter of the learner."""
    return "tags" in sample.content["data"]["labels"]


def case_of(seed: int, number: int) -> Case:
    """Return a case: a sample, changed as the seed and the number say."""
    rng = Random(f"{seed}:{number}")
    chosen = rng.choice(_samples())
    others = [other for other in _samples() if _tagged(other) == _tagged(chosen)]
    content, rows = copy.deepcopy(chosen.content), chosen.rows
    kind = rng.random()
    if kind < 0.02:
        return Case(chosen.name, sealed_text(content), rows, True)
    if kind < 0.05:
        return Case(chosen.name, relaid(rng, sealed_text(content)), rows, False)
    honest = kind > 0.65
    if honest:
        for _ in range(rng.randint(1, 2)):
            rows = vary(rng, content, rows, others)
        honest = recompute(content, rows)
        if rng.random() < 0.3:
            lie(rng, content)
            honest = False
    else:
        for _ in range(rng.choice([1, 1, 2, 3])):
            mutate(rng, content, others)
        if rng.random() < 0.2 and content.get("theorem") in list(verifier.THEOREMS):
            restate(content)
    return Case(chosen.name, _sealed(content), rows, honest)


def _sealed(content: dict[str, Any]) -> bytes:
    try:
        return sealed_text(content)
    except (ValueError, TypeError):
        return json.dumps(content).encode()


def outcome_of(case: Case) -> str:
    """Return how the verifier took a case; raise AssertionError where that was wrong."""
    try:
        refusal = None
        with little_time():
            verdict = verifier.verify(case.text, lambda: iter(copy.deepcopy(case.rows)))
    except REFUSALS as error:
        refusal = str(error)
    except Exception as error:
        raise AssertionError(f"the verifier raised {error!r}") from error
    if refusal is not None:
        untrue = not case.honest or not judge(case.text, case.rows).true
        assert untrue, f"the verifier did not read what is true: {refusal}"
        return "unreadable"
    if not verdict.verified and not case.honest:
        return "refused"
    judgement = judge(case.text, case.rows)
    if verdict.verified:
        assert judgement.true, f"the verifier accepted what is untrue: {judgement.reason}"
        return "accepted"
    if judgement.true and _is_enclosed(case, verdict.reason):
        return "one float higher"
    assert not judgement.true, f"the verifier refused what is true: {verdict.reason}"
    return "refused"


def _is_enclosed(case: Case, reason: str) -> bool:
    """Say whether the verifier asks for the next float: of exponentials it has enclosures alone."""
    content = json.loads(case.text)
    kernel = content["learner"]["parameters"].get("kernel", {}) if content["learner"] else {}
    if kernel.get("name") != "rbf" or not reason.startswith("its bound is not "):
        return False
    higher = float(reason.removeprefix("its bound is not "))
    del content["sha256"]
    text = sealed_text(content | {"bound": higher})
    found = verifier.verify(text, lambda: iter(copy.deepcopy(case.rows)))
    near = higher == math.nextafter(content["bound"], math.inf)
    return near and found.verified and judge(text, case.rows).true


def campaign(size: int, seed: int) -> dict[str, int]:
    """Verify so many cases; return how many were accepted, refused or not read."""
    counts: Counter[str] = Counter()
    _samples()
    with little_memory():
        for number in range(size):
            case = case_of(seed, number)
            try:
                counts[outcome_of(case)] += 1
            except AssertionError as failure:
                told = [f"{failure}", f"seed {seed}, case {number}, from {case.name}"]
                told += [case.text.decode(errors="replace"), json.dumps(case.rows)]
                raise AssertionError("\n".join(told)) from failure
    return dict(counts)
