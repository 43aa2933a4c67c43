"""Receipts of AdaptiveGradient: bounds hold, certificates verify everywhere, forgeries do not."""

import copy
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from commands import Call
from novikoff import verifier
from novikoff.receipts import remarks
from novikoff.receipts.certificates import certificate_of, sealed
from novikoff.receipts.loss_family import state_hash


def _data(rounds: int = 120, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, 5)) * [1.0, 1e3, 1e-4, 1.0, 0.0]
    X *= rng.random(X.shape) < 0.7
    y = np.where(X @ [1.0, 1e-3, 1e4, 0.0, 0.0] + rng.standard_normal(rounds) >= 0, 1, -1)
    return X, y


@pytest.mark.shows("holds", "ftrl-diag")
@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize(
    "parameters", [{}, {"bias": -2.0}, {"rate": 0.01}, {"rate": 40.0}], ids=str
)
def test_a_run_has_a_bound_and_a_certificate(parameters: Any, passes: int) -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.AdaptiveGradient(**parameters), stream, passes=passes)
    (bound,) = nv.bounds(run)
    assert (bound.theorem, bound.observed) == ("ftrl-diag", run.ledger.loss)
    assert bound.holds
    assert bound.gap is not None
    assert bound.gap <= 2e-6 * bound.value
    certificate = nv.certify(run)
    assert certificate.observed == run.ledger.loss
    assert certificate.content["format"] == "novikoff-certificate/2"
    assert certificate.content["program"] == "adaptive-gradient/1"
    verdict = nv.verify(certificate, stream)
    assert verdict.verified, verdict.reason
    assert verdict.observed == run.ledger.loss
    assert verdict.bound is not None
    assert verdict.bound == pytest.approx(bound.value, rel=1e-12)
    assert verdict.bound <= bound.value


def test_the_bound_is_that_of_the_best_comparator_for_all_passes() -> None:
    """Any other comparator's certificate states a bound that is larger, or within the gap."""
    stream = nv.stream(*_data())
    run = nv.play(nv.AdaptiveGradient(), stream, passes=2)
    (bound,) = nv.bounds(run)
    content = nv.certify(run).content
    rng = np.random.default_rng(1)
    for size in (0.0, 1e-3, 0.1):
        w = [[i, v * (1 + size * rng.standard_normal())] for i, v in bound.comparator["w"]]
        claim = content | {"evidence": {"w": w, "loss": content["evidence"]["loss"]}}
        verdict = _verdict(claim, stream)
        assert verdict.verified or "bound" in verdict.reason
        if verdict.bound is not None:
            assert bound.gap is not None
            assert verdict.bound >= bound.value - bound.gap - 1e-9


def _least_exactly(run: Any, X: Any, y: Any, u: Any, passes: int) -> Any:
    """k L(u) + ½ Σ λ_i u_i² with λ = m²√(S + 1)/rate, in 60 digits."""
    with mpmath.workdps(60):
        mpf, cells, rate = mpmath.mpf, run.learner.cells, mpmath.mpf(run.learner.rate)
        margins = [
            int(t) * mpmath.fdot(map(mpf, x), map(mpf, u)) for x, t in zip(X, y, strict=True)
        ]
        loss = passes * mpmath.fsum(mpmath.log1p(mpmath.exp(-z)) for z in margins)
        prices = [mpf(m) ** 2 * mpmath.sqrt(mpf(S) + 1) / rate for m, _, S in cells[1:]]
        return loss + sum((a * mpf(v) ** 2 for a, v in zip(prices, u, strict=True)), mpf(0)) / 2


@pytest.mark.parametrize("passes", [1, 3])
def test_no_fixed_weights_are_below_the_least_value(passes: int) -> None:
    """The regret against the best u with its penalty is enclosed from both sides."""
    X, y = _data()
    run = nv.play(nv.AdaptiveGradient(rate=2.0), nv.stream(X, y), passes=passes)
    (bound,) = nv.bounds(run)
    certificate = nv.certify(run)
    assert bound.least is not None
    stated = certificate.content["evidence"]["least"]
    assert bound.least <= stated <= bound.least * (1 + 1e-6)
    best = np.zeros(5)
    for i, weight in bound.comparator["w"]:
        best[i] = weight
    value = _least_exactly(run, X, y, best, passes)
    assert stated <= value <= bound.least * (1 + 1e-6)
    assert float(value) + run.ledger.stability == pytest.approx(bound.value, rel=1e-9)
    rng = np.random.default_rng(0)
    for size in (0.0, 1e-6, 0.01, 1.0, 100.0):
        u = best * (1 + size * rng.standard_normal(5)) if size else np.zeros(5)
        assert _least_exactly(run, X, y, u, passes) >= stated


@pytest.mark.parametrize("passes", [1, 3])
def test_the_least_value_is_the_dual_at_multiples_of_a_power_of_two(passes: int) -> None:
    """α_t = 1/(1 + e^{z_t}), cut down to a multiple of 2⁻³⁰, as in certificates of predictions."""
    X, y = _data()
    run = nv.play(nv.AdaptiveGradient(rate=2.0), nv.stream(X, y), passes=passes)
    evidence = nv.certify(run).content["evidence"]
    with mpmath.workdps(60):
        mpf, gain, v = mpmath.mpf, mpmath.mpf(0), [mpmath.mpf(0)] * 5
        for x, label in zip(X, y, strict=True):
            z = int(label) * mpmath.fsum(mpf(w) * mpf(x[i]) for i, w in evidence["w"])
            alpha = mpmath.floor(2**30 / (1 + mpmath.exp(z))) / 2**30
            gain -= sum((p * mpmath.log(p) for p in (alpha, 1 - alpha) if p), mpf(0))
            v = [a + alpha * int(label) * mpf(b) for a, b in zip(v, x, strict=True)]
        cost = mpf(0)
        for pull, (m, _, S) in zip(v, run.learner.cells[1:], strict=True):
            if not m:
                continue  # the column is 0 throughout
            cost += (passes * pull / mpf(m)) ** 2 * run.learner.rate / mpmath.sqrt(mpf(S) + 1) / 2
        dual = passes * gain - cost
        assert mpf(evidence["least"]) <= dual < mpf(math.nextafter(evidence["least"], math.inf))


def test_a_certificate_may_leave_the_least_value_out() -> None:
    stream = nv.stream(*_data())
    content = nv.certify(nv.play(nv.AdaptiveGradient(), stream)).content
    evidence = {name: v for name, v in content["evidence"].items() if name != "least"}
    assert _verdict(content | {"evidence": evidence}, stream).verified
    for wrong in (0.0, np.nextafter(content["evidence"]["least"], np.inf), None, "1", True, 1e300):
        forged = content | {"evidence": {**evidence, "least": wrong}}
        assert "its least value is not" in _verdict(forged, stream).reason
    more = content | {"evidence": {**evidence, "most": 1.0}}
    assert "fields w, loss, perhaps least; this version knows" in _verdict(more, stream).reason


def test_a_comparator_far_from_the_best_proves_little_but_the_truth() -> None:
    """Margins of thousands make every α 0 or 1, and the dual value negative: 0 is stated."""
    stream = nv.stream(*_data())
    run = nv.play(nv.AdaptiveGradient(), stream)
    evidence = {"w": [[0, 1e6]], "loss": run.ledger.loss, "least": None}
    certificate = certificate_of(run, stream, "ftrl-diag", evidence)
    assert certificate.content["evidence"]["least"] == 0.0
    assert nv.verify(certificate, stream).verified


def _verdict(content: dict[str, Any], stream: Any) -> nv.Verdict:
    return nv.verify(sealed(content), stream)


def test_names_and_hashed_names_are_certified_as_they_were_played() -> None:
    X, y = _data()
    rows = [{f"f{j}": float(v) for j, v in enumerate(x) if v} for x in X]
    for hashing in (None, nv.Hashing(bits=4)):
        stream = nv.stream(rows, y)
        run = nv.play(nv.AdaptiveGradient(hashing=hashing), stream)
        assert nv.verify(nv.certify(run), stream).verified


def test_the_last_state_is_stated_and_checked() -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.AdaptiveGradient(bias=1.0), stream)
    content = nv.certify(run).content
    assert content["states"] == [[120, state_hash(run.learner.cells)]]
    forged = content | {"states": [[120, "0" * 64]]}
    assert not _verdict(forged, stream).verified


def _changed(content: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the certificate with one number of it changed, each in turn."""
    found = []
    parameters = ("learner", "parameters")
    for path in (
        ("evidence", "loss"), ("evidence", "least"), ("evidence", "w", 0, 1), ("bound",),
        (*parameters, "rate"), (*parameters, "bias"), ("mistakes", "count"), ("data", "passes"),
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


def test_every_single_number_changed_is_refused() -> None:
    stream = nv.stream(*_data())
    content = nv.certify(nv.play(nv.AdaptiveGradient(bias=1.0), stream)).content
    assert _verdict(content, stream).verified
    for where, forged in _changed(content):
        assert not _verdict(forged, stream).verified, where


def test_other_data_are_refused() -> None:
    X, y = _data()
    run = nv.play(nv.AdaptiveGradient(), nv.stream(X, y))
    certificate = nv.certify(run)
    X[17, 0] = np.nextafter(X[17, 0], np.inf)
    assert not nv.verify(certificate, nv.stream(X, y)).verified
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(run, nv.stream(X, -y))


def test_rounds_that_end_in_another_state_are_refused() -> None:
    """A learner without a scale makes the same mistakes, at the same loss, on 4 x."""
    X = np.random.default_rng(0).standard_normal((40, 3))
    y = np.where(X[:, 0] > 0.3, 1, -1)
    run = nv.play(nv.AdaptiveGradient(), nv.stream(X, y))
    assert nv.bounds(run, nv.stream(X, y))[0].holds
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(run, nv.stream(4 * X, y))
    run.learner.update(X[0], 1)
    with pytest.raises(nv.HypothesisError, match="teach the learner by its run alone"):
        nv.bounds(run, nv.stream(X, y))


def test_a_used_learner_has_no_bound() -> None:
    X, y = _data()
    learner = nv.play(nv.AdaptiveGradient(), nv.stream(X[:50], y[:50])).learner
    run = nv.play(learner, nv.stream(X[50:], y[50:]))
    with pytest.raises(nv.HypothesisError, match="a run from the learner's first round"):
        nv.certify(run)


def test_the_error_to_come_can_be_certified_too() -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.AdaptiveGradient(), stream)
    certificate = nv.certify(run, theorem="progressive")
    assert nv.verify(certificate, stream).verified
    assert certificate.observed == run.mistakes


values = st.sampled_from([0.0, 1.0, -2.0, 0.1, 1e-160, -1e150, 1e300, 5e-324])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.tuples(values, values), st.sampled_from([-1, 1])), min_size=1))
def test_runs_on_any_finite_numbers_are_certified(rounds: Any) -> None:
    stream = nv.stream([x for x, _ in rounds], [y for _, y in rounds])
    run = nv.play(nv.AdaptiveGradient(), stream)
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
    asked = f"learn {data} --learner adaptive-gradient --rate 2 --certify {certificate} --json"
    done = call(asked)
    found = json.loads(done.out)
    assert found["mean_loss"] == found["loss"] / found["rounds"]
    assert [bound["theorem"] for bound in found["bounds"]] == ["ftrl-diag"]
    assert found["bounds"][0]["holds"]
    shown = call(f"learn {data} --learner adaptive-gradient --rate 2 --bounds").out
    assert f"mean loss {found['mean_loss']:.4f}" in shown
    allowed = remarks.shown(found["bounds"][0]["value"])
    assert f"losses add up to {found['loss']:.6g}; the theorem allows at most {allowed}" in shown
    least = remarks.shown_below(found["bounds"][0]["least"])
    assert f"no fixed weights u have a loss plus penalty, L(u) + ½ Σ λ u², below {least}" in shown
    assert call(f"verify {certificate} {data}").out.startswith("verified: ftrl-diag")
    alone = [sys.executable, "-I", verifier.__file__, str(certificate), str(data)]
    assert subprocess.run(alone, capture_output=True, check=False).returncode == 0


def test_other_learners_have_no_loss(tmp_path: Path, call: Call) -> None:
    found = json.loads(call(f"learn {_file(tmp_path / 'd.svm')} --learner perceptron --json").out)
    assert (found["loss"], found["mean_loss"]) == (None, None)


def test_a_bound_above_that_of_guessing_says_nothing(tmp_path: Path, call: Call) -> None:
    done = call(
        f"learn {_file(tmp_path / 'd.svm')} --learner adaptive-gradient --rate 999 --bounds"
    )
    assert " (says nothing: always giving ½ costs no more)" in done.out


def test_the_report_speaks_of_the_loss(tmp_path: Path) -> None:
    run = nv.play(nv.AdaptiveGradient(), nv.stream(*_data()))
    page = tmp_path / "r.html"
    nv.report(run, page, bounds=nv.bounds(run), certificate=nv.certify(run))
    text = page.read_text()
    assert f"a loss of {run.ledger.loss:,.6g}" in text
    assert "mean loss" in text
    assert "hinge loss" not in text
    assert "Outside the picture" not in text
