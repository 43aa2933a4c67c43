"""Receipts of finite runs: theorems hold, are tight, and certificates cannot be forged."""

import copy
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from brute import random_class
from novikoff import verifier
from novikoff.cli import main
from novikoff.receipts.certificates import sealed

THEOREMS: dict[str, Any] = {
    "consistent": nv.Consistent,
    "halving": nv.Halving,
    "littlestone": nv.StandardOptimal,
    "iterated-halving": nv.IteratedHalving,
}


def _run(name: str) -> nv.Run:
    if name == "elimination":
        rounds: list[Any] = [
            (x, 1 if x[0] or not x[2] else -1)
            for x in np.random.default_rng(0).integers(0, 2, (25, 4))
        ]
        return nv.play(nv.Elimination(4), rounds)
    H = nv.conjunctions(3)
    points = np.random.default_rng(1).integers(0, 8, 30).tolist()
    rounds = [(x, H("x1 ∧ ¬x3", x)) for x in points]
    if name == "iterated-halving":
        rounds[10:10] = [(5, 1), (0, 1)]
    run: nv.Run = nv.play(THEOREMS[name](H), rounds)
    return run


@pytest.mark.parametrize("name", [*THEOREMS, "elimination"])
def test_certificates_of_finite_runs_verify(name: str, tmp_path: Path) -> None:
    run = _run(name)
    bounds = nv.bounds(run)
    assert [b.theorem for b in bounds] == [name]
    assert bounds[0].holds
    certificate = nv.certify(run)
    assert certificate.theorem == name
    verdict = nv.verify(certificate, run.stream)
    assert verdict.verified, verdict.reason
    assert (verdict.bound, verdict.observed) == (bounds[0].value, run.mistakes)
    certificate.save(tmp_path / "c.json")
    lines = []
    for rounds in run.stream.blocks():  # type: ignore[union-attr]
        rows = run.learner.fitting(rounds.rows)
        for t, y in enumerate(rounds.labels):
            x = rows.features().row(t) if name != "elimination" else (
                np.flatnonzero(rows.row(t)), np.ones(int(rows.row(t).sum())))  # fmt: skip
            pairs = " ".join(f"{j + 1}:{v:g}" for j, v in zip(*x, strict=True))
            lines.append(f"{y:+d} {pairs}\n")
    (tmp_path / "d.svm").write_text("".join(lines))
    command = [sys.executable, verifier.__file__, str(tmp_path / "c.json"), str(tmp_path / "d.svm")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert main(["verify", str(tmp_path / "c.json"), str(tmp_path / "d.svm")]) == 0


@pytest.mark.shows("holds", "consistent", "halving", "littlestone", "iterated-halving")
@pytest.mark.parametrize("name", THEOREMS)
def test_theorems_hold_and_certificates_verify_on_random_classes(name: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(25):
        H = random_class(rng, 20, 6)
        points = rng.integers(0, len(H.points), 15).tolist()
        flips = rng.random(15) < (0.2 if name == "iterated-halving" else 0)
        rounds = [(x, H(0, x) * (-1 if f else 1)) for x, f in zip(points, flips, strict=True)]
        run = nv.play(THEOREMS[name](H), rounds, passes=2)
        assert nv.bounds(run)[0].holds
        assert nv.verify(nv.certify(run), rounds).verified


@pytest.mark.shows("tight", "consistent", "halving", "littlestone")
@pytest.mark.parametrize("name", ["consistent", "halving", "littlestone"])
def test_theorems_are_tight(name: str) -> None:
    """A worst case, or an adversary, reaches the bound."""
    H = nv.thresholds(7)
    run = nv.play(THEOREMS[name](H), nv.worst_case(THEOREMS[name](H), H).sequence)
    assert nv.bounds(run)[0].value == run.mistakes
    assert nv.verify(nv.certify(run), run.stream).verified


def test_points_with_names_and_labels_that_are_words(tmp_path: Path) -> None:
    H = nv.FiniteClass([[1, -1, 1], [1, 1, -1], [-1, -1, -1]], points=["sun", "rain", "snow"])
    rounds = [("sun", "yes"), ("rain", "no"), ("snow", "yes"), ("sun", "yes")]
    run = nv.Run(nv.Halving(H), positive="yes").play(rounds)
    run.save(tmp_path / "run")
    loaded = nv.Run.load(tmp_path / "run")
    assert loaded.predict(["rain", "snow"]).tolist() == ["no", "yes"]
    for certificate in (nv.certify(run), nv.certify(loaded, rounds)):
        assert nv.verify(certificate, rounds).verified
        numbered = [(["sun", "rain", "snow"].index(x), y) for x, y in rounds]
        assert nv.verify(certificate, numbered).verified
        for others in ([*rounds[:3], ("rain", "yes")], [*rounds[:3], ("hail", "yes")], rounds[:3]):
            assert not nv.verify(certificate, others).verified
    assert nv.verify(nv.certify(run, theorem="progressive"), rounds).verified


@pytest.mark.shows("tight", "elimination")
def test_elimination_is_tight() -> None:
    run = nv.play(nv.Elimination(6, monotone=True), nv.DisjunctionAdversary(6))
    assert nv.bounds(run)[0].value == run.mistakes == 6
    assert nv.verify(nv.certify(run), run.stream).verified


@pytest.mark.shows("refuses", "halving", "iterated-halving")
def test_theorems_refuse_what_they_do_not_speak_of() -> None:
    H = nv.thresholds(7)
    learner = nv.Halving(H)
    learner.update(3, 1)
    with pytest.raises(nv.HypothesisError, match="begun on a used learner"):
        nv.bounds(nv.Run(learner).play([(2, 1)]))
    run = nv.play(nv.Halving(H), [(2, 1), (1, -1)])
    with pytest.raises(nv.HypothesisError, match="expected a theorem about Halving"):
        nv.certify(run, theorem="littlestone")
    grid = nv.grid_halfspaces(2, 1.0, 1.0, 0.5)
    run = nv.play(nv.Halving(grid), nv.stream(np.array([[0.5, 0.5], [-0.5, 0.5]]), [1, -1]))
    assert [b.theorem for b in nv.bounds(run)] == ["halving", "grid-halving"]
    with pytest.raises(nv.HypothesisError, match="a class with a table"):
        nv.certify(run)
    with pytest.raises(nv.HypothesisError, match="a class with a table, to find its best"):
        nv.bounds(nv.play(nv.IteratedHalving(grid), nv.stream(np.array([[0.5, 0.5]]), [1])))


def _changes(value: Any) -> list[Any]:
    """Other values of the same field."""
    if isinstance(value, bool):
        return [not value, 1, None]
    if isinstance(value, (int, float)):
        return [value + 1, value - 1, -1, None, True, 10**30]
    if isinstance(value, str):
        return [value + "+", value[1:], "Perceptron", None]
    return [None, [], {}, 1]


def _forgeries(content: Any, path: tuple[Any, ...] = ()) -> Any:
    """Every single-field change, each as a whole content."""
    for key, value in content.items():
        if key == "sha256":
            continue
        here = (*path, key)
        for other in _changes(value):
            # More passes make no more mistakes, points need no names, and 1 and true are one.
            true = (key == "passes" and isinstance(other, int) and other > 1) or (
                key == "points" and other is None
            )
            if other != value and not true:
                yield here, other
        if isinstance(value, dict):
            yield from _forgeries(value, here)


@pytest.mark.parametrize("name", [*THEOREMS, "elimination"])
def test_every_forgery_is_refused(name: str) -> None:
    run = _run(name)
    content = json.loads(nv.certify(run).text)
    for path, value in _forgeries(content):
        forged = copy.deepcopy(content)
        place = forged
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        try:
            certificate = sealed(forged)
        except nv.VerificationError:
            continue
        assert not nv.verify(certificate, run.stream).verified, (path, value)
    if name == "elimination":
        return
    changes: list[Any] = [
        lambda table: [*table[:-1], table[0]],  # a hypothesis twice
        lambda table: [row[:-1] for row in table],  # a point less
        lambda table: [*table, "+"],
        lambda table: [row.replace("+", "x") for row in table],
        lambda table: [1, *table[1:]],
        lambda table: [],
    ]
    for change in changes:
        forged = copy.deepcopy(content)
        H = forged["learner"]["parameters"]["H"]
        H["table"] = change(H["table"])
        assert not nv.verify(sealed(forged), run.stream).verified


@pytest.mark.parametrize(
    "change", [{"points": []}, {"points": {}}, {"points": "abcd"}, {"table": "+-"}]
)
def test_a_class_of_other_kinds_of_values_is_refused(change: dict[str, Any]) -> None:
    X = np.array([[0, 0], [1, 1]])
    run = nv.play(nv.Halving(nv.conjunctions(2)), nv.stream(X, [-1, 1]))
    content = json.loads(nv.certify(run).text)
    content["learner"]["parameters"]["H"] |= change
    assert not nv.verify(sealed(content), run.stream).verified


def test_a_row_beyond_the_points_is_refused_before_it_is_a_number() -> None:
    rows = nv.stream(np.array([[1.0]]), [1])
    run = nv.play(nv.Halving(nv.FiniteClass([[-1, 1], [-1, -1]], cube=1)), rows)
    content = json.loads(nv.certify(run).text)
    far = [("row 1", "1", [(10**15, 1.0)])]
    about = verifier.Data(lambda: far, content["data"]["labels"], None).about
    content["data"] |= about
    verdict = verifier.verify(sealed(content).text, lambda: far)
    assert (verdict.verified, verdict.reason) == (False, "a row is no point")


def test_the_verifier_recurses_no_deeper_than_the_dimension() -> None:
    H = nv.thresholds(400)
    run = nv.play(nv.StandardOptimal(H), nv.LittlestoneAdversary(H))
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(len(inspect.stack()) + 100)
        assert nv.certify(run).bound == 8
    finally:
        sys.setrecursionlimit(limit)
