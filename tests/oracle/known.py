"""Cases that verifiers are known to have judged wrongly, each in the form that broke them."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from oracle.sample import Sample, rows_of
from oracle.samples import samples
from oracle.variations import recompute, recount, restate
from oracle.writing import sealed_text

Case = tuple[str, bytes, list[Any], str, str]


def known() -> Iterator[Case]:
    """Yield name, certificate, rows, verdict and a sentence."""
    found = {sample.name: sample for sample in samples()}
    yield from _outside_domains(found)
    yield from _hypotheses(found)
    yield from _unchecked(found)
    yield from _true_ones(found)
    yield from _hungry(found)


def _on(sample: Sample, rows: list[Any], **changes: Any) -> dict[str, Any]:
    """Return the claim of a sample about other rows, with all that follows."""
    content = copy.deepcopy(sample.content)
    content["learner"]["parameters"].update(changes)
    assert recount(content, rows)
    recompute(content, rows)
    return content


def _case(name: str, content: dict[str, Any], rows: list[Any], verdict: str, why: str) -> Case:
    return f"known-{name}", sealed_text(content), rows, verdict, why


def _outside_domains(found: dict[str, Sample]) -> Iterator[Case]:
    rows = rows_of([[1.0], [2.0]] * 4, [1, -1] * 4)
    content = _on(found["kernel-rbf-hinge"], rows)
    content["learner"]["parameters"]["kernel"]["gamma"] = 0.0
    content["data"]["passes"], content["evidence"], content["bound"] = 1, {"a": []}, 16.0
    for count, rounds in ((5, "AgEBAgI="), (7, "AgEBAQEBAQ==")):
        content["mistakes"] = {"count": count, "rounds": rounds}
        why = "The rbf kernel has gamma > 0."
        yield _case(f"gamma-0-{count}", content, rows, "refused", why)
    sample = found["hedge-eta"]
    for count in (2, 5):
        content = copy.deepcopy(sample.content)
        content["learner"]["parameters"]["experts"] = count
        content["theorem"] = "hedge"
        wide = rows_of([[0.0] * count] * 4, [1] * 4, zeros=True)
        twin = copy.deepcopy(content)
        recount(twin, wide)
        recompute(twin, wide)
        content["bound"] = twin["bound"]
        why = f"The data have three columns, not {count}."
        yield _case(f"experts-{count}", content, sample.rows, "refused", why)


def _hypotheses(found: dict[str, Sample]) -> Iterator[Case]:
    rows = rows_of([[1.0], [1.0]], [1, -1])
    sample = found["elimination-True"]
    content = _on(sample, rows, d=1)
    content["data"]["passes"] = 1
    content["mistakes"], content["bound"] = {"count": 1, "rounds": "Ag=="}, 1.0
    yield _case("elimination", content, rows, "refused", "No disjunction has both labels.")
    content = copy.deepcopy(content)
    content["theorem"], content["evidence"] = "progressive", {"delta": 0.05}
    restate(content)
    assert recompute(content, rows)
    why = "The theorem needs no disjunction that has every label."
    yield _case("elimination-progressive", content, rows, "verified", why)
    sample = found["perceptron-0-progressive"]
    content = copy.deepcopy(sample.content)
    content["assumptions"] = ["the rounds are independent draws from one distribution"]
    why = "It does not assume that learner, class, parameters and δ were chosen beforehand."
    yield _case("assumption", content, sample.rows, "refused", why)


def _unchecked(found: dict[str, Sample]) -> Iterator[Case]:
    sample = found["perceptron-0-hinge"]
    content = copy.deepcopy(sample.content)
    content["learner"]["parameters"]["max_voters"] = 7
    yield _case("max-voters", content, sample.rows, "refused", "A perceptron has no voters.")
    sample = found["chain-hinge"]
    content = copy.deepcopy(sample.content)
    content["learner"]["parameters"]["problem"]["author"] = "me"
    yield _case("problem", content, sample.rows, "refused", "Chains have no author.")
    for big in (2**53, 2**53 + 1):
        rows = copy.deepcopy(sample.rows)
        rows[0][2][0][0] = (0, big)
        why = "A count is beyond 32 bits."
        yield _case(f"count-{big}", sample.content, rows, "unreadable", why)


def _true_ones(found: dict[str, Sample]) -> Iterator[Case]:
    rows = rows_of(np.zeros((3, 1)), [1, -1, 1])
    for name in ("minnow-hinge-empty", "balancedminnow-hinge-empty"):
        content = _on(found[name], rows, bias=None)
        why = "Without features w = 0 is the only comparator, and M ≤ L/γ."
        yield _case(f"{name}-no-features", content, rows, "verified", why)
    labels = ["a\u00a0b", "c\u00a0d", "c\u00a0d", "a\u00a0b"]
    sample = found["perceptron-words-hinge"]
    content = copy.deepcopy(sample.content)
    content["data"]["labels"] = {"positive": "a\u00a0b"}
    rows = [(where, label, row) for (where, _, row), label in zip(sample.rows, labels, strict=True)]
    assert recount(content, rows)
    assert recompute(content, rows)
    why = "A no-break space is a letter of a word like any other."
    yield _case("words-nbsp", content, rows, "verified", why)


def _hungry(found: dict[str, Sample]) -> Iterator[Case]:
    sample = found["exp3"]
    content = copy.deepcopy(sample.content)
    content["learner"]["parameters"]["arms"] = 10**9
    why = "The data have three columns, and no memory is taken for more."
    yield _case("arms", content, sample.rows, "refused", why)
