"""Receipts of Blend with many classes: bounds hold, certificates verify, forgeries do not."""

import copy
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from class_page import CLASSES, Played, class_data
from commands import Call
from novikoff import verifier
from novikoff.receipts.certificates import sealed
from novikoff.receipts.class_blend_family import state_hash
from novikoff.receipts.rereading import plain_rows
from oracle.class_losses import class_hash, class_programs

LABELS = list(range(CLASSES))


def _run(stream: Any, **options: Any) -> nv.Run:
    passes = options.pop("passes", 1)
    run = nv.Run(nv.Blend(**options), labels=LABELS)
    for _ in range(passes):
        run.play(stream)
    return run


def _verdict(content: dict[str, Any], stream: Any) -> nv.Verdict:
    return nv.verify(sealed(content), stream)


def _compared(X: Any, y: Any, w: list[list[float]], bias: float | None) -> float:
    """L(U), from its definition."""
    U = np.zeros((X.shape[1] + 1, CLASSES))
    for k, j, v in w:
        U[int(j), int(k)] = v  # index −1: the last row
    scores = np.column_stack([X, np.full(len(X), bias or 0.0)]) @ U
    scores -= scores.max(1, keepdims=True)
    return float((np.log(np.exp(scores).sum(1)) - scores[np.arange(len(y)), y]).sum())


@pytest.mark.shows("holds", "fixed-share-classes")
@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("bias", [1.0, None, -2.0])
def test_a_run_has_a_bound_and_a_certificate(bias: float | None, passes: int) -> None:
    X, y = class_data(100)
    stream = nv.stream(X, y)
    run = _run(stream, bias=bias, passes=passes)
    (bound,) = nv.bounds(run)
    assert (bound.theorem, bound.observed) == ("fixed-share-classes", run.ledger.loss)
    assert bound.holds
    assert bound.gap is not None
    assert bound.gap <= 2e-6 * bound.value
    certificate = nv.certify(run, found=[bound])
    assert certificate.observed == run.ledger.loss
    assert certificate.content["program"] == "blend-classes/1"
    assert certificate.content["data"]["labels"] == {"classes": LABELS}
    verdict = nv.verify(certificate, stream)
    assert verdict.verified, verdict.reason
    assert verdict.observed == run.ledger.loss
    assert verdict.bound is not None
    assert bound.value * (1 - 1e-12) <= verdict.bound <= bound.value
    assert bound.least is not None
    allowed = bound.value - run.ledger.stability - math.log(8 * run.ledger.rounds)
    assert allowed * (1 - 2e-6) <= bound.least <= allowed  # of L(U) + penalty, at its least
    stated = certificate.content["evidence"]["least"]
    assert stated == pytest.approx(bound.least, rel=1e-6)
    assert stated <= allowed
    least = passes * _compared(X, y, bound.comparator["w"], bias) + run.ledger.stability
    assert least + math.log(8 * run.ledger.rounds) < bound.value


def test_the_bound_is_near_the_least_for_any_weights() -> None:
    """No other U, here a smaller, a larger and none, gives a smaller bound."""
    stream = nv.stream(*class_data(80))
    content = nv.certify(_run(stream)).content
    w = content["evidence"]["w"]
    for factor in (0.9, 1.1, 0.0):
        other = [[k, j, v * factor] for k, j, v in w]
        claim = {k: v for k, v in content.items() if k != "sha256"}
        claim["evidence"] = {"w": other, "loss": content["evidence"]["loss"]}
        found = verifier.check(claim, plain_rows(stream, {}))
        assert found.bound is not None
        assert found.bound > content["bound"]


def test_sparse_rows_names_and_transforms_are_certified_as_they_were_played() -> None:
    X, y = class_data(40)
    rows = [{f"f{j}": float(v) for j, v in enumerate(x) if v} for x in X]
    for stream, options in (
        (nv.stream(sp.csr_array(X), y), {}),
        (nv.stream(rows, y), {}),
        (nv.stream(rows, y), {"hashing": nv.Hashing(bits=3)}),
        (nv.stream(X, y), {"transforms": [nv.Scale()]}),
    ):
        run = _run(stream, **options)
        assert nv.verify(nv.certify(run), stream).verified


def test_classes_that_never_come_are_part_of_the_claim() -> None:
    X, y = class_data(40)
    names = ["e", "d", "c", "b", "a", "never", "nor this"]
    stream = nv.stream(X, np.array(names)[y])
    run = nv.Run(nv.Blend(), labels=names).play(stream)
    content = nv.certify(run).content
    assert content["data"]["labels"] == {"classes": names}
    assert _verdict(content, stream).verified
    for other in (names[:-1], [*names, "more"], names[::-1], [*names[:-1], "a"]):
        forged = copy.deepcopy(content)
        forged["data"]["labels"]["classes"] = other
        assert not _verdict(forged, stream).verified
        forged["learner"]["parameters"]["classes"] = len(other)
        assert not _verdict(forged, stream).verified
    stray = nv.stream(X, np.array(["x", *names[1:]])[y])
    assert not _verdict(content, stray).verified


def test_many_features_end_the_newton_member_and_are_certified() -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((12, 300)) * (rng.random((12, 300)) < 0.5)
    X[:4, 100:] = 0
    stream = nv.stream(X, np.arange(12) % CLASSES)
    run = _run(stream)
    assert run.learner.core.state()["counts"][3] == 0
    assert nv.verify(nv.certify(run), stream).verified


def test_the_last_state_is_that_of_the_page() -> None:
    X, y = class_data(30)
    stream = nv.stream(X, y)
    run = _run(stream)
    twin = Played(X, y).program
    content = nv.certify(run).content
    assert content["states"] == [[30, class_hash(twin)]]
    assert content["states"][0][1] == state_hash(run.learner.core.state())
    assert not _verdict(content | {"states": [[30, "0" * 64]]}, stream).verified


def test_every_part_of_the_state_is_in_its_hash() -> None:
    run = _run(nv.stream(*class_data(30)))
    state = {name: np.array(values) for name, values in run.learner.core.state().items()}
    whole = state_hash(state)
    for name, values in state.items():
        for at in {0, len(values) // 3, len(values) - 1}:
            if name == "counts" and at != 1:  # classes and `few` say what the others are
                continue
            other = {key: array.copy() for key, array in state.items()}
            other[name][at] += 1
            assert state_hash(other) != whole, (name, at)


def _changed(content: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the certificate with one number of it changed, each in turn."""
    found = []
    for path in (
        ("evidence", "loss"), ("evidence", "least"), ("evidence", "w", 0, 2), ("bound",),
        ("mistakes", "count"),
        ("learner", "parameters", "bias"), ("learner", "parameters", "classes"),
        ("data", "passes"), ("data", "rows"), ("states", 0, 0), ("data", "labels", "classes", 0),
        ("evidence", "w", 0, 0), ("evidence", "w", 0, 1),
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
    stream = nv.stream(*class_data(50))
    content = nv.certify(_run(stream)).content
    assert _verdict(content, stream).verified
    for where, forged in _changed(content):
        assert not _verdict(forged, stream).verified, where


def test_other_data_are_refused() -> None:
    X, y = class_data(50)
    run = _run(nv.stream(X, y))
    certificate = nv.certify(run)
    X[17, np.flatnonzero(X[17])[0]] *= 1 + 2**-50
    assert not nv.verify(certificate, nv.stream(X, y)).verified
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(run, nv.stream(4 * X, y))  # the same mistakes, in other units


@pytest.mark.parametrize(("theta", "cuts"), [(128.0, 0), (-128.0, 0), (128.1, 1), (-1e3, 1)])
def test_a_cut_term_is_noticed_by_core_page_and_verifier(theta: float, cuts: int) -> None:
    """No short run comes near such a weight, so it is put where a long one would have left it."""
    run = nv.Run(nv.Blend(bias=None), labels=[0, 1, 2])
    run.learn([1.0], 0)
    state = run.learner.state()
    state["weights"][12 + 1] = theta  # of feature 0, member 2 and class 1
    state["features"][6 + 2] = 0.0  # its S
    learner = run.learner.fresh()
    learner.restore(state)
    again = nv.Run(learner, labels=[0, 1, 2])
    again.learn([1.0], 2)
    page = class_programs()["ClassBlend"](3)
    page.learn({0: 1.0}, 0)
    page.cells[0].w[0][1], page.cells[0].S = theta, 0.0
    page.learn({0: 1.0}, 2)
    rows = [("", 0, [(0, 1.0)]), ("", 2, [(0, 1.0)])]
    twin = verifier.ClassBlend(verifier.ClassData(lambda: rows, {"classes": [0, 1, 2]}, None), 3)
    twin.take({"w": [], "loss": 0.0})
    for y, x in twin.rounds():
        if twin.played:
            twin.cells[0].w[1], twin.cells[0].S = theta, 0.0
        twin.mistaken(y, x)
    assert again.ledger.cuts == page.cuts == twin.cuts == cuts
    if cuts:
        with pytest.raises(verifier.Refused, match="a term of a score was cut"):
            twin.bound("fixed-share-classes")


def test_weighted_rounds_and_used_learners_have_no_bound() -> None:
    X, y = class_data(40)
    run = nv.Run(nv.Blend(), labels=LABELS, max_weight=1.0)
    run.play(nv.stream(X, y, weights=np.where(np.arange(40) % 2, 1.0, 0.5)))
    with pytest.raises(nv.HypothesisError, match="expected updates of weight 1, got weighted"):
        nv.bounds(run)
    learner = _run(nv.stream(X[:20], y[:20])).learner
    used = nv.Run(learner, labels=LABELS).play(nv.stream(X[20:], y[20:]))
    with pytest.raises(nv.HypothesisError, match="a run from the learner's first round"):
        nv.certify(used)


def test_the_error_to_come_can_be_certified_too() -> None:
    stream = nv.stream(*class_data(50))
    run = _run(stream)
    certificate = nv.certify(run, theorem="progressive")
    assert nv.verify(certificate, stream).verified
    assert certificate.observed == run.mistakes


values = st.sampled_from([0.0, 1.0, -2.0, 0.1, 1e-160, -1e150, 1e300, 5e-324])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.tuples(values, values), st.integers(0, 3)), min_size=1))
def test_runs_on_any_finite_numbers_are_certified(rounds: Any) -> None:
    stream = nv.stream([x for x, _ in rounds], [y for _, y in rounds])
    run = nv.Run(nv.Blend(), labels=[0, 1, 2, 3]).play(stream)
    assert all(bound.holds for bound in nv.bounds(run))
    assert nv.verify(nv.certify(run), stream).verified


def test_the_command_line_learns_certifies_and_verifies(tmp_path: Path, call: Call) -> None:
    X, y = class_data(60)
    data, certificate = tmp_path / "d.svm", tmp_path / "c.json"
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x) if v)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    data.write_text("\n".join(lines) + "\n")
    found = json.loads(call(f"learn {data} --certify {certificate} --json").out)
    assert [bound["theorem"] for bound in found["bounds"]] == ["fixed-share-classes"]
    assert found["loss"] < found["bounds"][0]["value"]
    assert call(f"verify {certificate} {data}").out.startswith("verified: fixed-share-classes")
    alone = [sys.executable, "-I", verifier.__file__, str(certificate), str(data)]
    assert subprocess.run(alone, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(("classes", "empty"), [(5, True), (50, False)])
def test_a_bound_says_nothing_if_it_is_above_the_same_probability_for_all(
    classes: int, empty: bool, tmp_path: Path, call: Call
) -> None:
    """T ln C, not T ln 2: on the terminal, in remarks, on the page and by verify."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 5, 60)
    data, certificate, page = (tmp_path / name for name in ("d.svm", "c.json", "r.html"))
    rows = (f"{label} 1:{a} 2:{b} 3:{c}\n" for label, (a, b, c) in zip(y, X, strict=True))
    data.write_text("".join(rows))
    declared = ",".join(map(str, range(classes)))
    done = call(
        f"learn {data} --learner blend --labels {declared} --bounds --certify {certificate} "
        f"--report {page}"
    )
    value = json.loads(certificate.read_text())["bound"]
    assert 60 * math.log(2) < value
    assert (value >= 60 * math.log(classes)) == empty
    same = "always giving every class the same probability costs"
    verified = call(f"verify {certificate} {data}")
    assert (f" (says nothing: {same} no more)" in done.out) == empty
    remark = f"says nothing: {same} {60 * math.log(classes):.6g}."
    assert [remark in text for text in (done.err, verified.err)] == [empty] * 2
    shown = page.read_text()
    assert ("<small>says nothing</small>" in shown, remark in shown) == (empty, empty)
    assert all("½ costs" not in text for text in (done.out, done.err, verified.err, shown))


def test_classes_that_no_row_has_are_work_that_the_data_do_not_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A certificate may declare a million classes; each of them costs time in every round."""
    X, y = class_data(60)
    stream = nv.stream(X, y)
    few, many = LABELS, [*LABELS, *range(CLASSES, 1000)]
    certificates = []
    for labels in (few, many):
        run = nv.Run(nv.Blend(), labels=labels).play(stream)
        certificates.append(nv.certify(run, theorem="progressive"))
        assert nv.verify(certificates[-1], stream).verified
    monkeypatch.setattr(verifier.Work, "most", 10**8)
    assert nv.verify(certificates[0], stream).verified
    with pytest.raises(nv.InputError, match="so many classes that no row has takes more work"):
        nv.verify(certificates[1], stream)
