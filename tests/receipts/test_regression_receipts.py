"""Receipts of ForwardRegression: bounds hold, certificates verify everywhere, forgeries do not."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from commands import Call
from novikoff import verifier
from novikoff.receipts.certificates import sealed
from novikoff.receipts.regression_family import state_hash


def _data(rounds: int = 60, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, 5)) * [1.0, 100.0, 0.01, 1.0, 0.0]
    X *= rng.random(X.shape) < 0.7
    return X, X @ [1.0, 0.01, 10.0, 0.0, 0.0] + rng.standard_normal(rounds)


def _verdict(content: dict[str, Any], stream: Any) -> nv.Verdict:
    return nv.verify(sealed(content), stream)


@pytest.mark.shows("holds", "vaw", "vaw-tight")
@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize(
    "parameters", [{}, {"bias": -2.0}, {"ridge": 0.01}, {"ridge": 40.0}], ids=str
)
def test_a_run_has_a_bound_and_a_certificate(parameters: Any, passes: int) -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.ForwardRegression(**parameters), stream, passes=passes)
    found = nv.bounds(run)
    assert [bound.theorem for bound in found] == ["vaw-tight", "vaw"]
    for bound in found:
        assert bound.observed == run.ledger.loss
        assert bound.holds
        assert bound.gap is not None
        assert bound.gap <= 1e-9 * bound.value
        _check(run, stream, bound)


def _check(run: nv.Run, stream: Any, bound: nv.Bound) -> None:
    """A certificate states the bound, and verifies."""
    certificate = nv.certify(run, theorem=bound.theorem)
    assert certificate.observed == run.ledger.loss
    assert certificate.content["format"] == "novikoff-certificate/2"
    assert certificate.content["program"] == "forward-regression/1"
    assert certificate.content["data"]["labels"] == {"real": True}
    assert certificate.content["mistakes"] == {"count": 0, "rounds": ""}
    verdict = nv.verify(certificate, stream)
    assert verdict.verified, verdict.reason
    assert verdict.observed == run.ledger.loss
    assert verdict.bound is not None
    assert verdict.bound == pytest.approx(bound.value, rel=1e-12)
    assert verdict.bound <= bound.value


def test_the_comparator_is_as_good_as_its_gap_says() -> None:
    """No other u has a smaller bound by more than the gap."""
    stream = nv.stream(*_data())
    run = nv.play(nv.ForwardRegression(0.5), stream)
    bound, _ = nv.bounds(run)
    content = nv.certify(run).content
    rng = np.random.default_rng(1)
    for size in (1e-3, 0.1):
        w = [[i, v * (1 + size * rng.standard_normal())] for i, v in bound.comparator["w"]]
        found = _bound_with(content, w, stream)
        assert bound.gap is not None
        assert found >= bound.value - bound.gap - 1e-9
    assert _bound_with(content, [], stream) > bound.value  # u = 0


def _bound_with(content: dict[str, Any], w: Any, stream: Any) -> float:
    reason = _verdict(content | {"evidence": content["evidence"] | {"w": w}}, stream).reason
    return float(reason.removeprefix("its bound is not "))


def test_names_files_and_sparse_rows_are_certified_as_they_were_played(tmp_path: Path) -> None:
    X, y = _data()
    rows = [{f"f{j}": float(v) for j, v in enumerate(x) if v} for x in X]
    for hashing in (None, nv.Hashing(bits=4)):
        stream = nv.stream(rows, y)
        run = nv.play(nv.ForwardRegression(hashing=hashing), stream)
        assert nv.verify(nv.certify(run), stream).verified
    scaled = nv.play(nv.ForwardRegression(transforms=[nv.Scale()], bias=1.0), nv.stream(X, y))
    assert nv.verify(nv.certify(scaled), nv.stream(X, y)).verified


def test_the_last_state_is_stated_and_checked() -> None:
    stream = nv.stream(*_data())
    run = nv.play(nv.ForwardRegression(bias=1.0), stream)
    content = nv.certify(run).content
    assert content["states"] == [[60, state_hash(run.learner)]]
    assert not _verdict(content | {"states": [[60, "0" * 64]]}, stream).verified


NEARBY = object()


def _changed(content: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the certificate with one value of it changed, each in turn."""
    found = []
    parameters = ("learner", "parameters")
    for path, value in (
        (("evidence", "loss"), NEARBY), (("evidence", "w", 0, 1), NEARBY), (("bound",), NEARBY),
        ((*parameters, "ridge"), NEARBY), ((*parameters, "bias"), NEARBY),
        (("mistakes", "count"), 1), (("mistakes", "rounds"), "AQ=="), (("data", "passes"), 2),
        (("data", "rows"), 59), (("states", 0, 0), 59), (("data", "labels"), {"positive": 1}),
        (("data", "labels"), {"real": 1}), (("data", "labels"), {"real": True, "positive": 1}),
        (("program",), "adaptive-gradient/1"), (("start",), "0" * 64),
        (("evidence", "w"), None), (("evidence", "w"), [[7, 1.0]]),
        (("evidence", "w"), [[0, 1.0], [0, 1.0]]), (("evidence", "w", 0, 1), 10**400),
        (("theorem",), "ftrl-diag"),
    ):  # fmt: skip
        forged = copy.deepcopy(content)
        place: Any = forged
        for key in path[:-1]:
            place = place[key]
        old = place[path[-1]] if value is NEARBY else 0.0
        other = old * 0.9 if "w" in path else np.nextafter(old, np.inf)
        place[path[-1]] = float(other) if value is NEARBY else value
        found.append((".".join(map(str, path)), forged))
    return found


def test_every_single_field_changed_is_refused() -> None:
    stream = nv.stream(*_data())
    content = nv.certify(nv.play(nv.ForwardRegression(bias=1.0), stream)).content
    assert _verdict(content, stream).verified
    for where, forged in _changed(content):
        verdict = _verdict(forged, stream)
        assert not verdict.verified, where


def test_other_data_are_refused() -> None:
    X, y = _data()
    run = nv.play(nv.ForwardRegression(), nv.stream(X, y))
    certificate = nv.certify(run)
    changed = y.copy()
    changed[17] = np.nextafter(y[17], np.inf)
    assert nv.verify(certificate, nv.stream(X, changed)).reason == "these are not its data"
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(run, nv.stream(X, changed))
    with pytest.raises(nv.InputError, match="expected a number as the label"):
        nv.verify(certificate, nv.stream(X, ["ham"] * len(y)))


def test_labels_of_another_kind_are_refused() -> None:
    """A certificate of a classifier on numbers, and of a regression on classes."""
    X, y = _data()
    signs = np.where(y > 0, 1, -1)
    real = nv.certify(nv.play(nv.ForwardRegression(), nv.stream(X, signs))).content
    perceptron = nv.certify(nv.play(nv.Perceptron(), nv.stream(X, signs)), theorem="hinge").content
    for mine, other in ((real, perceptron), (perceptron, real)):
        forged = mine | {"data": mine["data"] | {"labels": other["data"]["labels"]}}
        assert not _verdict(forged, nv.stream(X, signs)).verified


def test_hostile_data_are_refused_without_a_crash() -> None:
    X, y = _data(20)
    content = nv.certify(nv.play(nv.ForwardRegression(), nv.stream(X, y))).content
    for rows, labels in (
        (X * 1e300, y), (X * 1e-300, y), (np.full_like(X, 1e9), y), (X, y * 1e300),
    ):  # fmt: skip
        listed = [
            ("row", label, list(enumerate(row)))
            for row, label in zip(rows.tolist(), labels.tolist(), strict=True)
        ]
        data = verifier.RealData(listed.copy, {"real": True}, None)
        forged = content | {"data": data.about | {"passes": 1}}
        verdict = verifier.verify(sealed(forged).text, data.rows)
        assert not verdict.verified
        assert verdict.reason.startswith(("it has numbers", "floats cannot play it"))


def test_work_that_little_data_ask_for_is_limited() -> None:
    """A thousand features, each met once, take a matrix of a million entries in every round."""

    def rows() -> Any:
        return (("row", 1.0, [(t % 1000, 1.0)]) for t in range(5000))

    data = verifier.RealData(rows, {"real": True}, None)
    run = verifier.ForwardRegression(data, 1.0)
    run.work.most = 10**8
    with pytest.raises(verifier.TooLarge, match="so many features"):
        run.play(1, {"w": [], "loss": 0.0}, iter(()))


def _file(path: Path) -> Path:
    X, y = _data(seed=3)
    lines = [
        f"{label!r} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x) if v)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_command_line_learns_certifies_verifies_and_predicts(
    tmp_path: Path, call: Call
) -> None:
    data, certificate = _file(tmp_path / "d.svm"), tmp_path / "c.json"
    model = tmp_path / "m"
    asked = f"learn {data} --learner forward-regression --ridge 2 --save {model}"
    found = json.loads(call(f"{asked} --certify {certificate} --json").out)
    assert found["mistakes"] is None
    assert found["error_rate"] is None
    assert found["error_bound"] is None
    assert found["labels"] == []
    assert found["loss"] == 60 * found["mean_loss"]
    assert found["mean_loss"] < found["baseline"]["mean_loss"]
    assert [bound["theorem"] for bound in found["bounds"]] == ["vaw-tight", "vaw"]
    shown = call(f"{asked} --bounds").out
    assert shown.startswith(
        f"mean squared error {found['mean_loss']:.4g}; always guessing the mean"
    )
    assert "vaw" in shown
    assert "losses add up to" in shown
    assert json.loads(call(f"verify {certificate} {data} --json").out)["verified"]
    alone = subprocess.run(
        [sys.executable, verifier.__file__, str(certificate), str(data)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(alone.stdout)["verified"]
    predicted = call(f"predict {model} {data}")
    X, _ = _data(seed=3)
    h = nv.Run.load(model).hypothesis()
    assert [float(line) for line in predicted.out.split()] == h.predict(sp.csr_array(X)).tolist()
    assert "mean squared error" in predicted.err
    judged = json.loads(call(f"predict {model} {data} --json").out)
    assert judged["mean_loss"] > 0
    assert judged["mistakes"] is None
    assert "numbers" in call(f"inspect {model}").out


def test_the_command_line_resumes(tmp_path: Path, call: Call) -> None:
    data, model = _file(tmp_path / "d.svm"), tmp_path / "m"
    lines = data.read_text().splitlines(keepends=True)
    (tmp_path / "a.svm").write_text("".join(lines[:25]))
    (tmp_path / "b.svm").write_text("".join(lines[25:]))
    call(f"learn {tmp_path / 'a.svm'} --learner forward-regression --save {model}")
    again = json.loads(
        call(f"learn {tmp_path / 'b.svm'} --resume {model} --save {model} --json").out
    )
    whole = json.loads(call(f"learn {data} --learner forward-regression --json").out)
    assert again["loss"] == whole["loss"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--report page.html", "--report: expected a learner of labels"),
        ("--until-clean", "until_clean"),
        ("--positive 1", "positive"),
        ("--labels 1,2", "labels"),
        ("--threshold 0.5", "threshold"),
        ("--rate 2", "--rate: expected no such option"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    tmp_path: Path, call: Call, options: str, said: str
) -> None:
    data = _file(tmp_path / "d.svm")
    answer = call(f"learn {data} --learner forward-regression {options}")
    assert answer.code in (1, 2, 3)
    assert said in answer.err


@pytest.mark.parametrize("learnable", [True, False])
def test_json_says_whether_guessing_the_mean_is_beaten(
    learnable: bool, tmp_path: Path, call: Call
) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    y = 3 * x if learnable else 1000 + rng.normal(size=100)
    data = tmp_path / "d.svm"
    data.write_text("".join(f"{b} 1:{a}\n" for a, b in zip(x, y, strict=True)))
    found = json.loads(call(f"learn {data} --learner forward-regression --json").out)
    assert found["beats_baseline"] == learnable
    assert found["beats_baseline"] == (found["mean_loss"] < np.var(y))
    said = call(f"learn {data} --learner forward-regression").out
    assert ("no better than always guessing the mean" in said) != learnable
