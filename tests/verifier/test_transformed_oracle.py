"""A second judge of certificates with transforms: both judges agree on true and forged ones."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import verifier
from oracle.judging import judge
from oracle.sample import rows_of
from oracle.writing import sealed_text

STEPS: list[list[nv.Transform]] = [
    [nv.Scale()],
    [nv.Normalize(), nv.Cross(0, [1, 2]), nv.Normalize()],
    [nv.Presence(), nv.Cross([0, 1], [1, 2])],
    [nv.Scale(), nv.Cross(range(3), range(3), bits=2), nv.Scale()],
]
LEARNERS: list[Callable[..., nv.Learner]] = [
    nv.Perceptron,
    nv.MulticlassPerceptron,
    lambda **given: nv.BalancedMinnow(0.5, **given),
    nv.AdaptiveGradient,
]
X = np.array([
    [1.0, 20.0, 0.0], [0.3, -10.0, 2.0], [1.1, 0.1, 0.0], [-0.7, 0.0, 0.2], [3.0, 0.4, 0.4],
    [-2.0, 7.0, 0.1], [0.0, 0.0, 0.0], [0.6, -35.0, 1.0],
])  # fmt: skip
Y = [1, -1, 1, -1, 1, -1, 1, -1]


def _changes(steps: list[Any]) -> Iterator[Any]:
    """Every way to change one thing: a step, a name, a field, a number in a group."""
    for k, step in enumerate(steps):
        yield steps[:k] + steps[k + 1 :]
        yield [*steps[:k], step, *steps[k:]]
        for name in ("scale", "normalize", "presence", "log", None, 1):
            yield [*steps[:k], {"name": name}, *steps[k + 1 :]]
        if "groups" in step:
            yield from ([*steps[:k], other, *steps[k + 1 :]] for other in _crosses(step))
    yield from (None, {}, "scale", [None], [[]], steps[::-1])


def _crosses(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for bits in (None, 1, 2, 30, 31, 0, 1.0, True, "1"):
        yield {**step, "bits": bits}
    for g, group in enumerate(step["groups"]):
        yield {**step, "groups": step["groups"][:g] + step["groups"][g + 1 :]}
        yield {**step, "groups": [*step["groups"], group]}
        for r, pair in enumerate(group):
            for place in (0, 1):
                for value in (pair[place] - 1, pair[place] + 1, float(pair[place]), None):
                    other = copy.deepcopy(step)
                    other["groups"][g][r][place] = value
                    yield other


@pytest.mark.parametrize("make", LEARNERS, ids=lambda m: m(bias=None).__class__)
@pytest.mark.parametrize("steps", STEPS, ids=str)
def test_both_judges_agree(make: Any, steps: list[nv.Transform]) -> None:
    run = nv.play(make(bias=0.5, transforms=steps), nv.stream(X, Y))
    theorem = "progressive" if make is nv.MulticlassPerceptron else None
    certificate = nv.certify(run, theorem=theorem)
    content = {name: v for name, v in certificate.content.items() if name != "sha256"}
    rows = rows_of(X, Y)
    text = sealed_text(content)
    assert judge(text, rows).true, judge(text, rows).reason
    assert verifier.verify(text, lambda: rows).verified
    refused = 0
    for changed in _changes(content["transforms"]):
        text = sealed_text(content | {"transforms": changed})
        verdict, judgement = verifier.verify(text, lambda: rows), judge(text, rows)
        assert verdict.verified == judgement.true, (changed, verdict.reason, judgement.reason)
        refused += not verdict.verified
    assert refused > 10


def test_a_claim_about_data_has_no_transforms_for_either_judge() -> None:
    certificate = nv.certify(nv.margin(X, Y), nv.stream(X, Y))
    content = {name: v for name, v in certificate.content.items() if name != "sha256"}
    text = sealed_text(content | {"transforms": [{"name": "scale"}]})
    assert not verifier.verify(text, lambda: rows_of(X, Y)).verified
    assert not judge(text, rows_of(X, Y)).true
