"""Receipts of GradientDescent: bounds hold, certificates verify everywhere, forgeries do not."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from commands import Call
from novikoff import verifier
from novikoff.receipts.certificates import sealed
from novikoff.receipts.descent_family import descent_hash

LOSSES = ("logistic", "hinge", "squared", "absolute")
every_loss = pytest.mark.parametrize("loss", LOSSES)


def _data(rounds: int = 120, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, 5)) * [1.0, 0.1, 0.5, 1.0, 0.0]
    X *= rng.random(X.shape) < 0.7
    y = np.where(X @ [1.0, -3.0, 2.0, 0.0, 0.0] + rng.standard_normal(rounds) / 2 >= 0, 1, -1)
    return X, y


@pytest.mark.shows("holds", "ogd", "ogd-logistic")
@every_loss
@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("parameters", [{"rate": 0.05}, {"rate": 0.1, "bias": -2.0}], ids=str)
def test_a_run_has_bounds_and_certificates(parameters: Any, passes: int, loss: Any) -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.GradientDescent(loss=loss, **parameters), stream, passes=passes)
    found = {bound.theorem: bound for bound in nv.bounds(run)}
    assert [*found] == (["ogd", "ogd-logistic"] if loss == "logistic" else ["ogd"])
    for theorem, bound in found.items():
        assert bound.observed == run.ledger.loss
        assert bound.holds
        certificate = nv.certify(run, theorem=theorem)
        assert certificate.content["program"] == "gradient-descent/1"
        verdict = nv.verify(certificate, stream)
        assert verdict.verified, verdict.reason
        assert verdict.observed == run.ledger.loss
        assert verdict.bound is not None
        assert verdict.bound == pytest.approx(bound.value, rel=1e-12)
        assert verdict.bound <= bound.value


def _verdict(content: dict[str, Any], stream: Any) -> nv.Verdict:
    return nv.verify(sealed(content), stream)


def test_names_and_hashed_names_are_certified_as_they_were_played() -> None:
    X, y = _data()
    rows = [{f"f{j}": float(v) for j, v in enumerate(x) if v} for x in X]
    for hashing in (None, nv.Hashing(bits=4)):
        stream = nv.stream(rows, y)
        run = nv.play(nv.GradientDescent(0.2, "hinge", hashing=hashing), stream)
        assert nv.verify(nv.certify(run), stream).verified


def test_the_last_state_is_stated_and_checked() -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.GradientDescent(0.2, bias=1.0), stream)
    content = nv.certify(run).content
    assert content["states"] == [[120, descent_hash(run.learner.w)]]
    assert not _verdict(content | {"states": [[120, "0" * 64]]}, stream).verified


def _changed(content: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the certificate with one number of it changed, each in turn."""
    found = []
    parameters = ("learner", "parameters")
    for path in (
        ("evidence", "loss"), ("evidence", "w", 0, 1), ("bound",), (*parameters, "rate"),
        (*parameters, "bias"), ("mistakes", "count"), ("data", "passes"), ("data", "rows"),
        ("states", 0, 0),
    ):  # fmt: skip
        forged = copy.deepcopy(content)
        place: Any = forged
        for key in path[:-1]:
            place = place[key]
        old = place[path[-1]]
        below = old * 0.9 if "w" in path else float(np.nextafter(old, -np.inf))
        place[path[-1]] = old - 1 if isinstance(old, int) else below
        found.append((".".join(map(str, path)), forged))
    return found


@every_loss
def test_every_single_number_changed_is_refused(loss: Any) -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.GradientDescent(0.1, loss, bias=1.0), stream)
    content = nv.certify(run, theorem="ogd").content
    assert _verdict(content, stream).verified
    for where, forged in _changed(content):
        assert not _verdict(forged, stream).verified, where
    other = copy.deepcopy(content)
    other["learner"]["parameters"]["loss"] = "hinge" if loss != "hinge" else "squared"
    assert not _verdict(other, stream).verified


@pytest.mark.shows("refuses", "ogd-logistic")
def test_a_rate_that_is_too_large_for_the_longest_row_is_refused() -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.GradientDescent(2.0), stream)
    assert 0.203633 * 2 * run.ledger.radius**2 > 1
    assert [bound.theorem for bound in nv.bounds(run)] == ["ogd"]
    with pytest.raises(nv.HypothesisError, match=r"expected 0.203633·rate·R² below 1"):
        nv.certify(run, theorem="ogd-logistic")
    content = nv.certify(run, theorem="ogd").content
    stated = verifier.THEOREMS["ogd-logistic"].statement
    forged = content | {"theorem": "ogd-logistic", "statement": stated, "bound": 1e9}
    assert _verdict(forged, stream).reason == "its rate is too large for the longest row"


@pytest.mark.parametrize("loss", LOSSES[1:])
def test_the_theorem_of_the_logistic_loss_is_refused_for_others(loss: Any) -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.GradientDescent(0.01, loss), stream)
    with pytest.raises(nv.HypothesisError, match="expected the logistic loss for ogd-logistic"):
        nv.certify(run, theorem="ogd-logistic")
    content = nv.certify(run).content
    stated = verifier.THEOREMS["ogd-logistic"].statement
    forged = content | {"theorem": "ogd-logistic", "statement": stated, "bound": 1e9}
    assert _verdict(forged, stream).reason == "its theorem is not about this learner"


def test_other_data_and_other_weights_are_refused() -> None:
    X, y = _data()
    run = nv.play(nv.GradientDescent(0.2), nv.stream(X, y))
    certificate = nv.certify(run)
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(run, nv.stream(X, -y))
    run.learner.update(X[0], 1)
    with pytest.raises(nv.HypothesisError, match="teach the learner by its run alone"):
        nv.bounds(run, nv.stream(X, y))
    X[17, 0] = np.nextafter(X[17, 0], np.inf)
    assert not nv.verify(certificate, nv.stream(X, y)).verified


def test_a_run_that_exploded_has_no_bound() -> None:
    stream = nv.stream(np.full((200, 1), 100.0), [1, -1] * 100)
    run = nv.play(nv.GradientDescent(1.0, "squared"), stream)
    with pytest.raises(nv.HypothesisError, match=r"expected values and steps up to 2\*\*300"):
        nv.certify(run)


def test_the_error_to_come_can_be_certified_too() -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.GradientDescent(0.5, "absolute"), stream)
    certificate = nv.certify(run, theorem="progressive")
    assert nv.verify(certificate, stream).verified
    assert certificate.observed == run.mistakes


values = st.sampled_from([0.0, 1.0, -2.0, 0.1, 1e-160, -1e30, 1e60, 5e-324])


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.tuples(values, values), st.sampled_from([-1, 1])), min_size=1),
    st.sampled_from(LOSSES),
)
def test_runs_on_any_numbers_that_do_not_explode_are_certified(rounds: Any, loss: Any) -> None:
    stream = nv.stream([x for x, _ in rounds], [y for _, y in rounds])
    run = nv.play(nv.GradientDescent(0.5, loss), stream)
    if run.ledger.stability > 2.0**300:
        return
    assert all(bound.holds for bound in nv.bounds(run))
    assert nv.verify(nv.certify(run), stream).verified


def _file(path: Path) -> Path:
    X, y = _data()
    lines = [
        f"{label:+d} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x) if v)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(("loss", "theorem"), [("logistic", "ogd"), ("hinge", "ogd")])
def test_the_command_line_learns_certifies_and_verifies(
    tmp_path: Path, call: Call, loss: str, theorem: str
) -> None:
    data, certificate = _file(tmp_path / "d.svm"), tmp_path / "c.json"
    asked = f"learn {data} --learner gradient-descent --rate 0.2 --loss {loss}"
    found = json.loads(call(f"{asked} --certify {certificate} --json").out)
    assert found["bounds"][0]["theorem"] == theorem
    assert found["bounds"][0]["holds"]
    without = found["baseline"]["mean_loss"]
    assert (without is not None) == (loss == "logistic")
    assert call(f"verify {certificate} {data}").out.startswith(f"verified: {theorem}")
    alone = [sys.executable, "-I", verifier.__file__, str(certificate), str(data)]
    assert subprocess.run(alone, capture_output=True, check=False).returncode == 0
    assert "--rate: expected a value" in call(f"learn {data} --learner gradient-descent").err


def test_a_bound_above_that_of_a_score_of_0_says_nothing(tmp_path: Path, call: Call) -> None:
    file = _file(tmp_path / "d.svm")
    asked = f"learn {file} --learner gradient-descent --loss hinge --rate 900 --bounds"
    assert "(says nothing: always giving a score of 0 costs no more)" in call(asked).out
