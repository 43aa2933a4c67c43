"""Every formula at the edges of its parameters: verifier and oracle agree to the last bit."""

import copy
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from novikoff import verifier
from oracle import judge, sealed_text
from oracle.sample import Sample, rows_of
from oracle.samples import samples
from oracle.variations import recompute, recount

SAMPLES = {sample.name: sample for sample in samples()}
Made = tuple[dict[str, Any], list[Any]]


def made(sample: Sample, rows: list[Any] | None = None, **changes: Any) -> Made:
    """The claim of a sample with other rows, parameters or evidence, and all that follows."""
    content = copy.deepcopy(sample.content)
    found = sample.rows if rows is None else rows
    for name, value in changes.items():
        part = content["evidence"] if name in content["evidence"] else None
        if part is None:
            part = content["learner"]["parameters"]
            part = part["kernel"] if name in part.get("kernel", {}) else part
        part[name] = value
    assert recount(content, found)
    assert recompute(content, found), f"{sample.name} {changes}"
    return content, found


def columns(count: int, rounds: int) -> list[Any]:
    """Losses of so many experts, most of them 0; a width is what the last index says."""
    rng = np.random.default_rng(count * rounds)
    rows: list[Any] = []
    for t in range(rounds):
        items = [(int(k), float(rng.random())) for k in {0, t % count}]
        rows.append((f"row {t + 1}", 1, sorted({**dict(items), count - 1: 0.25}.items())))
    return rows


def advice(count: int, rounds: int) -> list[Any]:
    signs = np.where(np.random.default_rng(count).random((rounds, count)) < 0.5, -1.0, 1.0)
    return rows_of(signs, ["up", "down"] * (rounds // 2))


BETAS = [1e-6, math.nextafter(1e-6, 1), 0.1, 0.5, math.nextafter(0.5, 1), 0.999999,
         math.nextafter(0.999999, 0)]  # fmt: skip
DELTAS = [5e-324, 1e-300, 1e-9, 0.05, 0.5, 1 - 2**-53, math.nextafter(1, 0)]


def _majorities() -> Iterator[Made]:
    for beta in BETAS:
        for count in (2, 3, 7):
            yield made(SAMPLES["majority"], advice(count, 6), experts=count, beta=beta)
            yield made(SAMPLES["randomized"], columns(count, 5), experts=count, beta=beta)


def _hedges() -> Iterator[Made]:
    for eta in (1e-9, 2**-53, 0.1, 1.0, 10.0, 100.0):
        for count in (2, 3):
            yield made(SAMPLES["hedge-eta"], columns(count, 5), experts=count, eta=eta)
    for horizon in (1, 2, 10**6, 2**53 - 1):
        yield made(SAMPLES["hedge-horizon"], horizon=horizon)
    for count, rounds in ((2, 2), (3, 100), (1000, 4)):
        yield made(SAMPLES["hedge-anytime"], columns(count, rounds), experts=count)


def _bandits() -> Iterator[Made]:
    for count, rounds in ((2, 1), (3, 2), (3, 64), (1000, 3)):
        rows = columns(count, rounds)
        for name in ("exp3", "exp3ix", "exp3p"):
            yield made(SAMPLES[name], rows, arms=count)
            for horizon in (rounds, 10**6, 2**53 - 1):
                yield made(SAMPLES[f"{name}-horizon"], rows, arms=count, horizon=horizon)
    for delta in DELTAS:
        yield made(SAMPLES["exp3ix"], delta=delta)
        yield made(SAMPLES["exp3ix-horizon"], delta=delta)
        if delta > 1e-300:
            yield made(SAMPLES["exp3p"], delta=delta)


def _progressive() -> Iterator[Made]:
    for delta in DELTAS:
        for name in ("perceptron-0-progressive", "multiclass-progressive", "halving-progressive"):
            yield made(SAMPLES[name], delta=delta)
    sample = SAMPLES["perceptron-1-progressive"]
    for rounds in (1, 50, 3000):
        rows = [(f"row {t}", 1, [(0, 1.0)]) for t in range(rounds)]
        for delta in (1e-300, 0.05, 1 - 2**-53):
            yield made(sample, rows, delta=delta)


def _minnows() -> Iterator[Made]:
    for eta in (1e-290, 1e-100, 1e-9, 2**-53, 0.1, 0.3):
        for name in ("minnow-minnow", "balancedminnow-minnow"):
            yield made(SAMPLES[name], eta=eta)
        yield made(SAMPLES["minnow-hinge"], eta=eta, w=[[0, 1e-200]])
        yield made(SAMPLES["balancedminnow-hinge"], eta=eta, gamma=1e9)


def _kernels() -> Iterator[Made]:
    for gamma in (1e-30, 1e-9, 0.5, 10.0):
        for theorem in ("hinge", "hinge-tight", "freund-schapire", "run"):
            yield made(SAMPLES[f"kernel-rbf-{theorem}"], gamma=gamma)
    for degree, c in ((1, 0.0), (7, 1e-300), (100, 0.5), (2, 1e60)):
        for theorem in ("hinge", "hinge-tight", "freund-schapire", "run"):
            yield made(SAMPLES[f"kernel-polynomial-{theorem}"], degree=degree, c=c)


def _perceptrons() -> Iterator[Made]:
    for scale in (1e-150, 2**-53, 1.0, 1e100):
        for theorem in ("hinge", "hinge-tight", "freund-schapire", "run"):
            w = [[0, scale], [1, scale / 3]]
            yield made(SAMPLES[f"perceptron-0-{theorem}"], w=w, bias=1e-100)
        yield made(SAMPLES["perceptron-1-novikoff"], w=[[0, scale], [1, 2 * scale]])


def _close_to_floats() -> Iterator[Made]:
    """K is 1 − 10^−300, or e^(−10^99): the exact bound is a hair below or above a float."""
    for gamma in (1e-300, 1e99):
        for theorem in ("hinge", "hinge-tight", "freund-schapire", "run"):
            yield made(SAMPLES[f"kernel-rbf-{theorem}"], gamma=gamma)


FORMULAS = {
    "majorities": _majorities, "hedges": _hedges, "bandits": _bandits, "progressive": _progressive,
    "minnows": _minnows, "kernels": _kernels, "perceptrons": _perceptrons,
}  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_the_verifier_computes_the_bound_of_the_oracle(name: str) -> None:
    wrong = []
    for content, rows in FORMULAS[name]():
        text = sealed_text(content)
        assert judge(text, rows).true
        verdict = verifier.verify(text, lambda rows=rows: iter(rows))  # type: ignore[misc]
        if not verdict.verified:
            wrong.append((content["theorem"], content["learner"], content["evidence"], verdict))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("name", FORMULAS)
def test_a_bound_an_ulp_off_is_refused(name: str) -> None:
    for number, (content, rows) in enumerate(FORMULAS[name]()):
        toward = math.inf if number % 2 else -math.inf
        content["bound"] = math.nextafter(content["bound"], toward)
        text = sealed_text(content)
        assert not judge(text, rows).true
        verdict = verifier.verify(text, lambda rows=rows: iter(rows))  # type: ignore[misc]
        assert not verdict.verified, content["learner"]


def test_bounds_of_exponentials_are_least_floats_above_their_enclosures() -> None:
    """K is enclosed in units of 2^−200: if a float is nearer, the bound may be the next one."""
    for content, rows in _close_to_floats():
        least = content["bound"]
        bounds = (least, math.nextafter(least, math.inf))
        texts = [sealed_text(content | {"bound": bound}) for bound in bounds]
        found = [verifier.verify(text, lambda rows=rows: iter(rows)) for text in texts]  # type: ignore[misc]
        assert sum(verdict.verified for verdict in found) == 1
        for text, verdict in zip(texts, found, strict=True):
            assert judge(text, rows).true or not verdict.verified
