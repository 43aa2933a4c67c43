"""Receipts of runs whose learners transform rows: the verifier replays them on the raw rows."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import verifier
from novikoff.receipts.certificates import sealed
from novikoff.streams.transforms import Transform

Steps = list[Transform]
LEARNERS: list[Callable[..., nv.Learner]] = [
    nv.Perceptron,
    nv.AveragedPerceptron,
    nv.VotedPerceptron,
    nv.MulticlassPerceptron,
    lambda **given: nv.Minnow(0.3, **given),
    lambda **given: nv.BalancedMinnow(0.3, **given),
    nv.AdaptiveGradient,
]
STEPS: list[Steps] = [
    [nv.Scale()],
    [nv.Presence(), nv.Normalize()],
    [nv.Scale(), nv.Cross(0, [1, 2]), nv.Normalize()],
    [nv.Cross(range(4), range(4), bits=3)],
]
each_learner = pytest.mark.parametrize("make", LEARNERS, ids=lambda m: m(bias=None).__class__)
each_steps = pytest.mark.parametrize("steps", STEPS, ids=str)


def _data(rounds: int = 40) -> tuple[Any, Any]:
    rng = np.random.default_rng(8)
    X = rng.integers(-9, 10, (rounds, 4)) * [1.0, 0.3, 7.0, 500.0]
    X[rng.random(X.shape) < 0.2] = 0
    return X, np.where(X[:, 0] * X[:, 1] + X[:, 2] >= 0, 1, -1)


def _digest(X: Any, y: Any) -> str | None:
    return nv.play(nv.Perceptron(), nv.stream(X, y), digest=True).ledger.digest


@each_learner
@each_steps
def test_a_transformed_run_is_certified_and_verified_on_raw_rows(make: Any, steps: Steps) -> None:
    X, y = _data()
    stream = nv.stream(X, y)
    run = nv.play(make(bias=1.0, transforms=steps), stream, digest=True)
    bounds = nv.bounds(run)
    assert bounds
    assert all(bound.holds for bound in bounds)
    certificate = nv.certify(run)
    verdict = nv.verify(certificate, stream)
    assert verdict.verified, verdict.reason
    assert certificate.content["data"]["digest"] == run.ledger.digest
    assert certificate.content["transforms"] == [step.plain for step in steps]
    if not run.learner.multiclass:
        assert run.ledger.digest == _digest(X, y)
    plain = dict(certificate.content)
    del plain["transforms"]
    assert not nv.verify(sealed(plain), stream).verified


@each_learner
def test_progressive_is_certified_too(make: Any) -> None:
    X, y = _data()
    run = nv.play(make(transforms=[nv.Scale(), nv.Cross(0, 1)]), nv.stream(X, y))
    certificate = nv.certify(run, theorem="progressive")
    assert nv.verify(certificate, nv.stream(X, y)).verified


FORGERIES: list[tuple[str, Callable[[list[Any]], Any]]] = [
    ("a step less", lambda steps: steps[1:]),
    ("the last step less", lambda steps: steps[:-1]),
    ("a step more", lambda steps: [*steps, {"name": "presence"}]),
    ("another order", lambda steps: steps[::-1]),
    ("another step", lambda steps: [{"name": "presence"}, *steps[1:]]),
    ("another group", lambda steps: _with(steps, 1, groups=[[[0, 1]], [[1, 2]]])),
    ("hashed", lambda steps: _with(steps, 1, bits=1)),
    ("no steps", lambda steps: []),
    ("no list", lambda steps: {"name": "scale"}),
    ("null", lambda steps: None),
    ("an unknown step", lambda steps: [{"name": "log"}, *steps]),
    ("an unknown field", lambda steps: [{"name": "scale", "center": True}, *steps[1:]]),
    ("no name", lambda steps: [{}, *steps[1:]]),
    ("a text", lambda steps: ["scale", *steps[1:]]),
    ("one group", lambda steps: _with(steps, 1, groups=[[[0, 1]]])),
    ("no range", lambda steps: _with(steps, 1, groups=[[[0]], [[1, 3]]])),
    ("an empty range", lambda steps: _with(steps, 1, groups=[[[0, 0]], [[1, 3]]])),
    ("ranges that touch", lambda steps: _with(steps, 1, groups=[[[0, 1]], [[1, 2], [2, 3]]])),
    ("a range of floats", lambda steps: _with(steps, 1, groups=[[[0.0, 1.0]], [[1, 3]]])),
    ("a range of bools", lambda steps: _with(steps, 1, groups=[[[False, True]], [[1, 3]]])),
    ("bits that are no number", lambda steps: _with(steps, 1, bits=True)),
    ("too many bits", lambda steps: _with(steps, 1, bits=31)),
]


def _with(steps: list[Any], place: int, **changes: Any) -> list[Any]:
    return [{**step, **changes} if k == place else step for k, step in enumerate(steps)]


@pytest.mark.parametrize("make", [nv.Perceptron, nv.AdaptiveGradient])
@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery[0])
def test_a_certificate_with_other_transforms_is_refused(make: Any, forgery: Any) -> None:
    X, y = _data()
    steps: Steps = [nv.Scale(), nv.Cross(0, [1, 2]), nv.Normalize()]
    certificate = nv.certify(nv.play(make(transforms=steps), nv.stream(X, y)))
    content = certificate.content
    assert nv.verify(certificate, nv.stream(X, y)).verified
    forged = sealed(content | {"transforms": forgery[1](content["transforms"])})
    assert not nv.verify(forged, nv.stream(X, y)).verified


def test_transforms_are_refused_where_nothing_is_transformed() -> None:
    X, y = _data()
    stream = nv.stream(X, y)
    steps = [{"name": "scale"}]
    kernel = nv.certify(nv.play(nv.KernelPerceptron(nv.polynomial(2)), stream))
    verdict = nv.verify(sealed(kernel.content | {"transforms": steps}), stream)
    assert (verdict.verified, verdict.reason) == (False, "its learner takes no transforms")
    claim = nv.certify(nv.margin(X, y), stream)
    verdict = nv.verify(sealed(claim.content | {"transforms": steps}), stream)
    assert (verdict.verified, "of raw data" in verdict.reason) == (False, True)


def test_a_second_pass_through_a_scale_sees_other_rows_and_has_no_certificate() -> None:
    X, y = _data()
    twice = nv.play(nv.Perceptron(transforms=[nv.Scale()]), nv.stream(X, y), passes=2)
    for ask in (nv.bounds, nv.certify):
        with pytest.raises(nv.HypothesisError, match=r"expected one pass with \[Scale\(\)\]"):
            ask(twice)
    steps: Steps = [nv.Normalize(), nv.Cross(0, 1)]
    run = nv.play(nv.Perceptron(transforms=steps), nv.stream(X, y), passes=3)
    certificate = nv.certify(run)
    assert nv.verify(certificate, nv.stream(X, y)).verified
    scaled = sealed(certificate.content | {"transforms": [{"name": "scale"}]})
    reason = nv.verify(scaled, nv.stream(X, y)).reason
    assert reason == "every pass after the first sees other rows"


def test_other_rows_are_refused_before_a_certificate_is_written() -> None:
    X, y = _data()
    run = nv.play(nv.Perceptron(transforms=[nv.Scale()]), nv.stream(X, y))
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.certify(run, nv.stream(X[::-1].copy(), y))


def test_crossed_names_are_certified_by_their_numbers(tmp_path: Path) -> None:
    """The stand-alone verifier has no names: it reads the numbers that an export writes."""
    people, ads = ("ann", "bob", "cy"), ("tea", "shoes")
    likes = {("ann", "tea"), ("bob", "shoes"), ("cy", "tea")}
    lines = [
        f"{1 if (user, ad) in likes else -1} |user {user} |ad {ad} |about age:{20 + 7 * k}\n"
        for k in range(4)
        for user in people
        for ad in ads
    ]
    (tmp_path / "clicks.vw").write_text("".join(lines))
    stream = nv.read(tmp_path / "clicks.vw")
    run = nv.play(nv.Perceptron(transforms=[nv.Scale(), nv.Cross("user", "ad")]), stream)
    certificate = nv.certify(run)
    assert nv.verify(certificate, stream).verified
    certificate.save(tmp_path / "c.json")
    novikoff = [sys.executable, "-m", "novikoff"]
    data = str(tmp_path / "clicks.svm")
    subprocess.run([*novikoff, "export", str(tmp_path / "clicks.vw"), "--output", data], check=True)
    script = [sys.executable, "-I", verifier.__file__, str(tmp_path / "c.json"), data]
    verdict = json.loads(subprocess.run(script, capture_output=True, check=True).stdout)
    assert verdict["verified"]
    assert verdict["bound"] == certificate.bound
