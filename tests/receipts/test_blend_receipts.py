"""Receipts of Blend: bounds hold, certificates verify everywhere, forgeries do not."""

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
from novikoff.learners.losses.mixture import Mixture
from novikoff.receipts import remarks
from novikoff.receipts.blend_family import state_hash
from novikoff.receipts.certificates import sealed
from novikoff.receipts.rereading import plain_rows
from oracle.losses import blend_hash, programs


def _data(rounds: int = 120, features: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    scales = 10.0 ** rng.integers(-4, 5, features)
    X = rng.standard_normal((rounds, features)) * scales
    X *= rng.random(X.shape) < 0.7
    w = rng.standard_normal(features) / scales / np.sqrt(features)
    return X, np.where(X @ w + rng.standard_normal(rounds) / 2 >= 0, 1, -1)


def _verdict(content: dict[str, Any], stream: Any) -> nv.Verdict:
    return nv.verify(sealed(content), stream)


@pytest.mark.shows("holds", "fixed-share")
@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("bias", [1.0, None, -2.0])
def test_a_run_has_a_bound_and_a_certificate(bias: float | None, passes: int) -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.Blend(bias=bias), stream, passes=passes)
    found = {bound.theorem: bound for bound in nv.bounds(run)}
    assert found.keys() == {"fixed-share", "betting-share"}
    assert found["betting-share"].holds
    bound = found["fixed-share"]
    assert bound.observed == run.ledger.loss
    assert bound.holds
    assert bound.gap is not None
    assert bound.gap <= 2e-6 * bound.value
    certificate = nv.certify(run, found=[bound])
    assert certificate.observed == run.ledger.loss
    assert certificate.content["format"] == "novikoff-certificate/2"
    assert certificate.content["program"] == "blend/1"
    verdict = nv.verify(certificate, stream)
    assert verdict.verified, verdict.reason
    assert verdict.observed == run.ledger.loss
    assert verdict.bound is not None
    assert bound.value * (1 - 1e-12) <= verdict.bound <= bound.value


def test_runs_with_many_features_are_certified_too() -> None:
    """OnlineNewton leaves when its features are too many, here in the middle of the run."""
    X, y = _data(60, 150)
    X[:20, 50:] = 0
    stream = nv.stream(X, y)
    run = nv.play(nv.Blend(), stream)
    assert run.learner.weights["OnlineNewton"] == 0
    assert nv.verify(nv.certify(run), stream).verified


def test_the_member_whose_bound_is_least_is_the_one_compared() -> None:
    """The certificate of any other rate, for the same u or for 0, states a larger bound."""
    stream = nv.stream(*_data(300))
    run = nv.play(nv.Blend(), stream)
    content = nv.certify(run, theorem="fixed-share").content
    chosen: list[list[float]] = content["evidence"]["w"]
    for rate in (0.25, 1.0, 4.0):
        for w in (chosen[:0], chosen):
            evidence = content["evidence"] | {"w": w, "rate": rate}
            if evidence == content["evidence"]:
                continue
            del evidence["least"]  # which is that of the chosen u
            claim = {k: v for k, v in content.items() if k != "sha256"} | {"evidence": evidence}
            found = verifier.check(claim, plain_rows(stream, {}))
            assert found.bound is not None
            assert found.bound > content["bound"]


def test_names_and_hashed_names_are_certified_as_they_were_played() -> None:
    X, y = _data(40)
    rows = [{f"f{j}": float(v) for j, v in enumerate(x) if v} for x in X]
    for hashing in (None, nv.Hashing(bits=4)):
        stream = nv.stream(rows, y)
        run = nv.play(nv.Blend(hashing=hashing), stream)
        assert nv.verify(nv.certify(run), stream).verified


@pytest.mark.parametrize("features", [5, 140])
def test_the_last_state_is_that_of_the_page(features: int) -> None:
    X, y = _data(25, features)
    stream = nv.stream(X, y)
    run = nv.play(nv.Blend(), stream)
    twin = programs()["Blend"]()
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        twin.learn({j: v for j, v in enumerate(x) if v} | {-1: 1.0}, label)
    content = nv.certify(run).content
    assert content["states"] == [[25, blend_hash(twin)]]
    assert content["states"][0][1] == state_hash(run.learner.core.state())
    assert not _verdict(content | {"states": [[25, "0" * 64]]}, stream).verified


def test_every_part_of_the_state_is_in_its_hash() -> None:
    run = nv.play(nv.Blend(), nv.stream(*_data(25)))
    state = {name: np.array(values) for name, values in run.learner.core.state().items()}
    whole = state_hash(state)
    for name, values in state.items():
        for at in {0, len(values) // 3, len(values) - 1}:
            other = {key: array.copy() for key, array in state.items()}
            other[name][at] += 1
            beyond = name == "stack_matrix" and at % 12 >= 10  # lanes that hold nothing
            rounds = name == "counts" and at == 0  # those of weight 0 included
            assert (state_hash(other) == whole) == (beyond or rounds), (name, at)


def _changed(content: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the certificate with one number of it changed, each in turn."""
    found = []
    for path in (
        ("evidence", "loss"), ("evidence", "w", 0, 1), ("evidence", "least"), ("bound",),
        *([("evidence", "rate")] if "rate" in content["evidence"] else []),
        ("learner", "parameters", "bias"), ("mistakes", "count"), ("data", "passes"),
        ("data", "rows"), ("states", 0, 0),
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


@pytest.mark.parametrize("theorem", ["fixed-share", "betting-share"])
def test_every_single_number_changed_is_refused(theorem: str) -> None:
    stream = nv.stream(*_data())
    content = nv.certify(nv.play(nv.Blend(), stream), theorem=theorem).content
    assert _verdict(content, stream).verified
    for where, forged in _changed(content):
        assert not _verdict(forged, stream).verified, where


def test_other_data_are_refused() -> None:
    X, y = _data()
    run = nv.play(nv.Blend(), nv.stream(X, y))
    certificate = nv.certify(run)
    X[17, 0] = np.nextafter(X[17, 0], np.inf)
    assert not nv.verify(certificate, nv.stream(X, y)).verified
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(run, nv.stream(X, -y))
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(run, nv.stream(4 * X, y))  # the same mistakes, in other units


def test_how_a_hypothesis_is_frozen_is_not_part_of_the_receipt() -> None:
    stream = nv.stream(*_data(40))
    last, drawn = (nv.play(nv.Blend(freeze=how), stream) for how in ("last", "snapshots"))
    assert nv.certify(last).text == nv.certify(drawn).text


def test_transformed_rows_are_certified_as_the_learner_saw_them() -> None:
    stream = nv.stream(*_data(40))
    run = nv.play(nv.Blend(transforms=[nv.Scale()]), stream)
    assert nv.bounds(run)[0].holds
    assert nv.verify(nv.certify(run), stream).verified


def test_weighted_rounds_have_no_bound() -> None:
    X, y = _data(40)
    weights = np.where(np.arange(40) % 2, 1.0, 0.5)
    run = nv.Run(nv.Blend(), max_weight=1.0)
    run.play(nv.stream(X, y, weights=weights))
    with pytest.raises(nv.HypothesisError, match="expected updates of weight 1, got weighted"):
        nv.bounds(run)


def test_weights_of_1_are_no_weights() -> None:
    X, y = _data(40)
    run = nv.Run(nv.Blend(), max_weight=1.0)
    run.play(nv.stream(X, y, weights=np.ones(40)))
    assert nv.certify(run).text == nv.certify(nv.play(nv.Blend(), nv.stream(X, y))).text


def test_a_threshold_moves_predictions_and_not_the_receipt() -> None:
    stream = nv.stream(*_data(40))
    run = nv.Run(nv.Blend(), threshold=0.2)
    run.play(stream)
    assert nv.certify(run).text == nv.certify(nv.play(nv.Blend(), stream)).text


def test_a_mixture_of_other_members_has_no_certificate() -> None:
    mixed = Mixture([nv.AdaptiveGradient(), nv.Arow()])
    run = nv.play(mixed, nv.stream(*_data(40)))
    with pytest.raises(nv.HypothesisError, match="got Mixture, which mixes members that anybody"):
        nv.certify(run)
    (bound,) = nv.bounds(run)
    assert (bound.theorem, bound.holds) == ("mixture", True)
    assert bound.value == pytest.approx(min(mixed.losses.values()) + np.log(2 * 40))


def test_a_used_learner_has_no_bound() -> None:
    X, y = _data()
    learner = nv.play(nv.Blend(), nv.stream(X[:50], y[:50])).learner
    run = nv.play(learner, nv.stream(X[50:], y[50:]))
    with pytest.raises(nv.HypothesisError, match="a run from the learner's first round"):
        nv.certify(run)


def test_the_error_to_come_can_be_certified_too() -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.Blend(), stream)
    certificate = nv.certify(run, theorem="progressive")
    assert nv.verify(certificate, stream).verified
    assert certificate.observed == run.mistakes


values = st.sampled_from([0.0, 1.0, -2.0, 0.1, 1e-160, -1e150, 1e300, 5e-324])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.tuples(values, values), st.sampled_from([-1, 1])), min_size=1))
def test_runs_on_any_finite_numbers_are_certified(rounds: Any) -> None:
    stream = nv.stream([x for x, _ in rounds], [y for _, y in rounds])
    run = nv.play(nv.Blend(), stream)
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


def test_the_command_line_learns_certifies_and_verifies(tmp_path: Path, call: Call) -> None:
    data, certificate = _file(tmp_path / "d.svm"), tmp_path / "c.json"
    found = json.loads(call(f"learn {data} --learner blend --certify {certificate} --json").out)
    assert [bound["theorem"] for bound in found["bounds"]] == ["betting-share", "fixed-share"]
    assert found["loss"] < found["bounds"][0]["value"]
    shown = call(f"learn {data} --learner blend --bounds").out
    allowed = remarks.shown(found["bounds"][0]["value"])
    assert f"losses add up to {found['loss']:.6g}; the theorem allows at most {allowed}" in shown
    assert call(f"verify {certificate} {data}").out.startswith("verified: betting-share")
    alone = [sys.executable, "-I", verifier.__file__, str(certificate), str(data)]
    assert subprocess.run(alone, capture_output=True, check=False).returncode == 0


def test_the_report_speaks_of_the_loss(tmp_path: Path) -> None:
    run = nv.play(nv.Blend(), nv.stream(*_data()))
    page = tmp_path / "r.html"
    found = nv.bounds(run)
    nv.report(run, page, bounds=found, certificate=nv.certify(run, found=found))
    text = page.read_text()
    assert f"a loss of {run.ledger.loss:,.6g}" in text
    assert "fixed-share" in text
    assert "no fixed weights u, even if chosen in hindsight" in text
    assert "mean loss" in text
