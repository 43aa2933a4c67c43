"""Receipts of CoinBetting, and of Blend through it: what the bets earned, checked by anybody."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from commands import Call
from novikoff import verifier
from novikoff.receipts.betting_family import state_hash
from novikoff.receipts.certificates import sealed
from oracle.losses import Gambler, purse_hash


def _data(rounds: int = 120) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((rounds, 4)) * [1.0, 1e4, 1e-3, 0.0]
    X *= rng.random(X.shape) < 0.7
    return X, np.where(X @ [1.0, 1e-4, 1e3, 0.0] + rng.standard_normal(rounds) / 2 >= 0, 1, -1)


@pytest.mark.shows("holds", "betting")
@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("bias", [None, 1.0, -2.0])
def test_a_run_has_a_bound_and_a_certificate(bias: float | None, passes: int) -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.CoinBetting(bias=bias), stream, passes=passes)
    (bound,) = nv.bounds(run)
    assert (bound.theorem, bound.observed) == ("betting", run.ledger.loss)
    assert bound.holds
    certificate = nv.certify(run, found=[bound])
    assert certificate.content["program"] == "coin-betting/1"
    assert certificate.content["states"] == [[120 * passes, state_hash(run.learner.cells)]]
    verdict = nv.verify(certificate, stream)
    assert verdict.verified, verdict.reason
    assert verdict.observed == run.ledger.loss
    assert verdict.bound is not None
    assert bound.value * (1 - 1e-12) <= verdict.bound <= bound.value


@pytest.mark.shows("holds", "betting-share")
@pytest.mark.parametrize("passes", [1, 2])
def test_blend_is_certified_through_its_gambler(passes: int) -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.Blend(), stream, passes=passes)
    verdict = nv.verify(nv.certify(run, theorem="betting-share"), stream)
    assert verdict.verified, verdict.reason
    (bound,) = [one for one in nv.bounds(run) if one.theorem == "betting-share"]
    assert verdict.bound is not None
    assert bound.value * (1 - 1e-12) <= verdict.bound <= bound.value


def test_the_state_is_that_of_the_page() -> None:
    X, y = _data(30)
    run = nv.play(nv.CoinBetting(bias=0.5), nv.stream(X, y))
    twin = Gambler()
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        twin.learn({j: v for j, v in enumerate(x) if v} | {-1: 0.5}, label)
    assert state_hash(run.learner.cells) == purse_hash(twin)
    assert run.ledger.loss == twin.loss + twin.loss_rest


def test_every_single_number_changed_is_refused() -> None:
    stream = nv.stream(*_data())
    content = nv.certify(nv.play(nv.CoinBetting(bias=1.0), stream)).content
    for path in (
        ("evidence", "loss"), ("evidence", "w", 0, 1), ("bound",), ("mistakes", "count"),
        ("learner", "parameters", "bias"), ("data", "passes"), ("data", "rows"), ("states", 0, 0),
    ):  # fmt: skip
        forged: Any = copy.deepcopy(content)
        place = forged
        for key in path[:-1]:
            place = place[key]
        old = place[path[-1]]
        below = old * 0.9 if "w" in path else float(np.nextafter(old, -np.inf))
        place[path[-1]] = old - 1 if isinstance(old, int) else below
        assert not nv.verify(sealed(forged), stream).verified, path


def test_a_weight_for_a_feature_that_never_appears_is_refused() -> None:
    stream = nv.stream(*_data())
    for learner, theorem in ((nv.CoinBetting(), "betting"), (nv.Blend(), "betting-share")):
        content = nv.certify(nv.play(learner, stream), theorem=theorem).content
        content["evidence"]["w"].append([3, 0.5])  # the column of zeros
        reason = nv.verify(sealed(content), stream).reason
        assert reason == "its w has a weight for feature 3, which never appears"


def test_other_rounds_are_refused() -> None:
    X, y = _data()
    run = nv.play(nv.CoinBetting(), nv.stream(X, y))
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(run, nv.stream(4 * X, y))  # the same mistakes, in other units


def test_the_command_line_certifies_and_anybody_verifies(tmp_path: Path, call: Call) -> None:
    X, y = _data()
    lines = [
        f"{label:+d} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x) if v)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    data, certificate = tmp_path / "d.svm", tmp_path / "c.json"
    data.write_text("\n".join(lines) + "\n")
    asked = f"learn {data} --learner coin-betting --bias 1 --certify {certificate} --json"
    found = json.loads(call(asked).out)
    assert [bound["theorem"] for bound in found["bounds"]] == ["betting"]
    alone = [sys.executable, "-I", verifier.__file__, str(certificate), str(data)]
    assert subprocess.run(alone, capture_output=True, check=False).returncode == 0
