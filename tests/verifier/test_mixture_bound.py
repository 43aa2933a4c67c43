"""`progressive-mixture`: the verifier and the oracle find the same bound."""

import json
import math
from functools import cache
from typing import Any

import pytest

from novikoff import verifier
from oracle import bound_of, judge, sealed_text
from oracle.sample import Sample
from oracle.samples import samples

NAMES = [
    "perceptron-0-progressive", "multiclass-progressive", "kernel-rbf-progressive",
    "elimination-progressive", "chain-progressive", "halving-progressive",
]  # fmt: skip


@cache
def _found(name: str) -> Sample:
    return next(one for one in samples() if one.name == name)


def _mixed(name: str) -> tuple[dict[str, Any], list[Any]]:
    """Return the sample of `progressive` as one of `progressive-mixture`, and its rows."""
    sample = _found(name)
    content = json.loads(json.dumps(sample.content))
    content["theorem"] = "progressive-mixture"
    content["statement"] = verifier.THEOREMS["progressive-mixture"].statement
    content["bound"] = bound_of(content, sample.rows)[1]
    return content, sample.rows


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_and_the_verifier_agree_for_every_learner(name: str) -> None:
    content, rows = _mixed(name)
    assert content["bound"] <= _found(name).content["bound"], "a mixture is never above its grid"
    text = sealed_text(content)
    assert judge(text, rows).true
    verdict = verifier.verify(text, lambda: iter(rows))
    assert (verdict.verified, verdict.bound) == (True, content["bound"]), verdict.reason
    for other in (math.nextafter(content["bound"], 0), math.nextafter(content["bound"], 2)):
        lie = sealed_text(content | {"bound": other})
        assert not judge(lie, rows).true
        assert not verifier.verify(lie, lambda: iter(rows)).verified


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.5, 1, "0.05", None, math.nextafter(1, 0), 5e-324])
def test_any_delta_is_judged_alike(delta: Any) -> None:
    content, rows = _mixed(NAMES[0])
    content["evidence"] = {"delta": delta}
    legal = isinstance(delta, float) and 0 < delta < 1
    if legal:
        content["bound"] = bound_of(content, rows)[1]
    text = sealed_text(content)
    assert judge(text, rows).true == legal
    assert verifier.verify(text, lambda: iter(rows)).verified == legal


def test_its_statement_evidence_and_passes_are_its_own() -> None:
    content, rows = _mixed(NAMES[0])
    other = verifier.THEOREMS["progressive"].statement
    for lie in (
        content | {"statement": other},
        content | {"theorem": "progressive"},
        content | {"evidence": {}},
        content | {"evidence": {"delta": 0.05, "w": []}},
        content | {"data": content["data"] | {"passes": 2}},
        content | {"assumptions": []},
    ):
        text = sealed_text(lie)
        assert not judge(text, rows).true
        assert not verifier.verify(text, lambda: iter(rows)).verified
