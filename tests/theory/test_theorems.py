"""Theorems: each holds, is tight where it can be, and refuses where a hypothesis is broken."""

import json
import math
import re
from dataclasses import FrozenInstanceError
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from novikoff import verifier
from novikoff.cli import main
from novikoff.theory import Bound, named, theorems, theorems_about
from novikoff.types import Histogram

DOCS = Path(__file__).parents[2] / "docs"
IDS = [
    "consistent", "halving", "littlestone", "iterated-halving", "elimination", "grid-halving",
    "ellipsoid", "centroid", "novikoff", "hinge", "hinge-tight", "freund-schapire", "run",
    "structured", "modified-perceptron", "parameter-mixing", "minnow", "minnow-hinge", "ftrl-diag",
    "fixed-share", "mixture", "betting", "betting-share", "fixed-share-classes", "ogd",
    "ogd-logistic", "ogd-resumed", "hinge-resumed", "ftrl-diag-resumed", "fixed-share-resumed",
    "vaw-tight", "vaw", "weighted-majority", "randomized-weighted-majority", "hedge",
    "hedge-anytime", "exp3", "exp3p", "exp3ix", "random-stopping", "controlled-testing",
    "progressive", "progressive-mixture", "leave-one-out", "clopper-pearson", "betting-mean",
    "jensen",
]  # fmt: skip


def test_every_theorem_is_listed_in_order() -> None:
    assert [theorem.id for theorem in theorems()] == IDS
    for theorem in theorems():
        assert theorem.statement == verifier.THEOREMS[theorem.id].statement
        assert re.match(r"[a-z]+\d{4}(, Thm [\d.]+)?$", theorem.citation)
        assert theorem.needs


def test_the_command_line_lists_them(capsys: Any) -> None:
    assert main(["theorems", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["theorems"]
    assert [entry["id"] for entry in listed] == IDS
    assert main(["theorems"]) == 0
    assert "E[err]" in capsys.readouterr().out


def _measures(run: Any, X: Any, y: Any, w: Any) -> dict[str, Any]:
    """What a comparator makes of a run, in fractions."""
    rows = [[Fraction(float(v)) for v in x] for x in X]
    u = [Fraction(float(v)) for v in w]
    margins = [
        int(label) * sum((a * b for a, b in zip(u, x, strict=True)), Fraction(0))
        for x, label in zip(rows, y, strict=True)
    ]
    hinges = [max(Fraction(0), 1 - margin) for margin in margins]
    squares = [sum((v * v for v in x), Fraction(0)) for x in rows]
    wrong = [(t - 1) % len(rows) for t in run.ledger.mistake_rounds.tolist()]
    passes = run.ledger.rounds // len(rows)
    return {
        "mistakes": run.mistakes,
        "radius2": max(squares),
        "norm2": sum((v * v for v in u), Fraction(0)),
        "margin": min(margins),
        "hinge": passes * sum(hinges, Fraction(0)),
        "hinge2": passes * sum((h * h for h in hinges), Fraction(0)),
        "mistake_hinge": sum((hinges[t] for t in wrong), Fraction(0)),
        "mistake_energy": sum((squares[t] for t in wrong), Fraction(0)),
    }


PERCEPTRONS = ["hinge", "hinge-tight", "freund-schapire", "run"]
values = st.sampled_from([0.0, 1.0, -1.0, 0.5, -2.0, 0.1, 3.0])


rows = st.tuples(st.lists(values, min_size=3, max_size=3), st.sampled_from([-1, 1]))


@pytest.mark.shows("holds", "novikoff", "hinge", "hinge-tight", "freund-schapire", "run")
@pytest.mark.shows("refuses", "novikoff")
@given(
    st.lists(rows, min_size=1, max_size=25),
    st.lists(st.floats(-3, 3), min_size=3, max_size=3),
    st.integers(1, 3),
    st.sampled_from(["positive", "mistake"]),
)  # fmt: skip
def test_the_perceptrons_theorems_hold_for_any_stream_and_comparator(
    rounds: Any, w: Any, passes: int, ties: Any
) -> None:
    X, y = [x for x, _ in rounds], [label for _, label in rounds]
    run = nv.play(nv.Perceptron(ties=ties), rounds, passes=passes)
    evidence = _measures(run, X, y, w)
    for name in PERCEPTRONS:
        assert named(name).evaluate(evidence).holds, name
    if evidence["margin"] > 0:
        assert named("novikoff").evaluate(evidence).holds
    else:
        with pytest.raises(nv.HypothesisError, match="a comparator with a margin above 0"):
            named("novikoff").evaluate(evidence)


@pytest.mark.shows("tight", "novikoff")
def test_novikoff_is_tight_on_unit_vectors_for_every_dimension() -> None:
    """The bound is d exactly, and never a float below: (1/d**-0.5)**2 would be, 289 times."""
    for d in range(1, 1001):
        evidence = {"radius2": 1, "norm2": d, "margin": 1, "mistakes": d}
        assert named("novikoff").evaluate(evidence).value == d


@pytest.mark.shows("tight", "hinge-tight", "freund-schapire")
@pytest.mark.shows("measured", "hinge")
def test_hinge_tight_and_freund_schapire_are_tight() -> None:
    """x = 1, labels alternating from −1: every round is a mistake, and w = 0 allows no fewer."""
    rounds = [([1.0], -1 if t % 2 == 0 else 1) for t in range(20)]
    run = nv.play(nv.Perceptron(), rounds)
    assert run.mistakes == 20
    evidence = _measures(run, [x for x, _ in rounds], [y for _, y in rounds], [0.0])
    for name in ("hinge-tight", "freund-schapire"):
        assert named(name).evaluate(evidence).value == pytest.approx(20, rel=1e-12)
    assert named("hinge").evaluate(evidence).value == 40  # a share of one half


@pytest.mark.shows("refuses", "modified-perceptron")
def test_modified_perceptrons_updates_are_within_the_theorem() -> None:
    value = named("modified-perceptron").evaluate({"sigma": 0.1, "start_cosine": 0.5}).value
    assert value == pytest.approx(2 * math.log(2) / -math.log(1 - 0.01))
    with pytest.raises(nv.HypothesisError, match="w\\*·w_0 above 0"):
        named("modified-perceptron").evaluate({"sigma": 0.1, "start_cosine": -0.5})


@pytest.mark.shows("refuses", "minnow")
def test_minnows_theorem_is_that_of_the_best_rate() -> None:
    g, d = 1 / 3, 64
    evidence = {"norm1": 1, "dimension": d, "eta": math.atanh(g), "gamma": g, "radius_inf": 1}
    best = math.log(d) / ((1 + g) / 2 * math.log(1 + g) + (1 - g) / 2 * math.log(1 - g))
    assert named("minnow").evaluate(evidence).value == pytest.approx(best, rel=1e-12)
    loose = named("minnow-hinge").evaluate(evidence | {"gamma_hinge": 2.0}).value
    assert loose > best
    with pytest.raises(nv.HypothesisError, match="ηγ above"):
        named("minnow").evaluate(evidence | {"eta": 5.0})


SIZE, SHARE = "a class of at least one hypothesis", "a margin 0 < ρ ≤ 1"
RATE = {"experts": 3, "best_mistakes": 0}
WIDE = {"norm1": 1, "dimension": 2, "eta": 5.0, "gamma": 0.5, "radius_inf": 1}
MIXED = {
    "radius2": 1, "norm2": 1, "hinge": 0, "shards": 2, "rounding_product": 0, "rounding_norm2": 0
}  # fmt: skip
BROKEN: list[tuple[str, dict[str, Any], str]] = [
    ("consistent", {"size": 0}, f"{SIZE}, got 0"),
    ("halving", {"size": 0}, f"{SIZE}, got 0"),
    ("littlestone", {"littlestone_dimension": -1}, "a class that is not empty, got an empty one"),
    ("iterated-halving", {"size": 0, "best_mistakes": 1}, f"{SIZE}, got 0"),
    ("grid-halving", {"dimension": 1, "grid_steps": 0}, "a grid of at least one step, got 0"),
    *((name, {"dimension": 2, "relative_margin": rho}, f"{SHARE}, got {rho}")
      for name in ("ellipsoid", "centroid") for rho in (0.0, -0.5, 1.5)),
    ("novikoff", {"radius2": 1, "norm2": 1, "margin": 0},
     "a comparator with a margin above 0, got a margin of 0"),
    ("structured", {"radius2": 1, "norm2": 1, "margin": 0},
     "a comparator with a margin above 0, got one of 0"),
    *(("modified-perceptron", {"sigma": sigma, "start_cosine": 0.5}, f"0 < σ < 1, got {sigma}")
      for sigma in (0.0, 1.0)),
    *(("modified-perceptron", {"sigma": 0.5, "start_cosine": c}, f"w*·w_0 above 0, got {c}")
      for c in (0.0, 1.5)),
    ("parameter-mixing", MIXED | {"hinge": -1}, "squares and losses of 0 or more, got -1"),
    ("parameter-mixing", MIXED | {"shards": 0}, "one shard or more, got 0"),
    ("minnow", WIDE, "ηγ above ‖w‖₁ ln cosh(ηR∞), got 1.81 less"),
    ("minnow-hinge", WIDE | {"gamma": 0, "norm1": 0, "gamma_hinge": 1},
     "ηγ above ‖w‖₁ ln cosh(ηR∞), got 0 less"),
    *((name, RATE | {"beta": beta}, f"0 < β < 1, got {beta}")
      for name in ("weighted-majority", "randomized-weighted-majority") for beta in (0.0, 1.0)),
    *(("hedge", {"experts": 2, "rounds": 9, "eta": eta}, f"η > 0, got {eta}")
      for eta in (0.0, -1.0)),
    *(("exp3p", {"arms": 3, "rounds": 9, "delta": d, "anytime": False}, f"0 < δ < 1, got {d}")
      for d in (0.0, 1.0)),
    *(("exp3ix", {"arms": k, "rounds": 9, "delta": d, "anytime": True},
       f"0 < δ < 1 and two arms or more, got {(d, k)}")
      for k, d in ((1, 0.5), (3, 0.0), (3, 1.0))),
    ("random-stopping", {"mistake_bound": 1, "sample": 0}, "at least one round, got 0"),
    *(("controlled-testing", {"epsilon": e, "delta": d}, f"0 < ε, δ < 1, got {(e, d)}")
      for e, d in ((0.0, 0.5), (1.0, 0.5), (0.5, 0.0), (0.5, 1.0))),
    *((name, {"rounds": 0, "mistakes": 0, "delta": 0.1}, "at least one round, got 0")
      for name in ("progressive", "progressive-mixture")),
    *((name, {"rounds": 1, "mistakes": 0, "delta": d}, f"0 < δ < 1, got {d}")
      for name in ("progressive", "progressive-mixture") for d in (0.0, 1.0)),
    ("leave-one-out", {"rounds": 0, "expected_mistakes": 1.0}, "at least one round, got 0"),
    ("clopper-pearson", {"rows": 0, "errors": 0, "delta": 0.1}, "at least one row, got 0"),
    ("clopper-pearson", {"rows": 3, "errors": 4, "delta": 0.1}, "from 0 to n errors, got 4"),
    ("clopper-pearson", {"rows": 3, "errors": 1, "delta": 1.0}, "0 < δ < 1, got 1.0"),
    ("betting-mean", {"losses": [0.1], "clip": 0.1, "delta": 0.0}, "0 < δ < 1, got 0.0"),
    ("betting-mean", {"losses": [0.1], "clip": 0.5, "delta": 0.1}, "0 < ε < ½, got 0.5"),
    ("betting-mean", {"losses": [3.0], "clip": 0.1, "delta": 0.1},
     "losses from 0 to ln(1/ε), got [3.0]"),
    ("jensen", {"rounds": 0, "expected_loss": 1.0}, "at least one round, got 0"),
]  # fmt: skip


@pytest.mark.shows(
    "refuses", "consistent", "halving", "littlestone", "iterated-halving", "grid-halving",
    "ellipsoid", "centroid", "novikoff", "structured", "modified-perceptron", "parameter-mixing",
    "minnow", "minnow-hinge", "weighted-majority", "randomized-weighted-majority", "exp3p",
    "exp3ix", "random-stopping", "controlled-testing", "progressive", "progressive-mixture",
    "leave-one-out", "clopper-pearson", "betting-mean", "jensen",
)  # fmt: skip
def test_broken_hypotheses_are_refused() -> None:
    for name, evidence, said in BROKEN:
        with pytest.raises(nv.HypothesisError) as refusal:
            named(name).evaluate(evidence)
        assert str(refusal.value) == f"{name}: expected {said}. The theorem says nothing here."
    with pytest.raises(nv.ParameterError) as error:
        named("nonsense")
    found = re.fullmatch(r"theorem: expected one of (.*), got 'nonsense'\.", str(error.value))
    assert found
    assert sorted(found[1].split(", ")) == sorted(IDS)


def test_the_theorems_about_a_learner_are_those_that_name_it() -> None:
    assert [theorem.id for theorem in theorems_about("halving")] == ["halving", "grid-halving"]
    with pytest.raises(nv.ParameterError) as error:
        theorems_about("oracle")
    assert str(error.value) == ("run: expected one whose learner has a theorem, got 'oracle'.")


def test_a_bound_is_compared_and_shown_without_its_comparator() -> None:
    bound = Bound("novikoff", 2.0, 1, 0.5, {"w": [[0, 1.0]]}, Histogram(0, 1, (1,), 0, 0))
    assert bound == Bound("novikoff", 2.0, 1, 0.5)
    assert repr(bound) == "Bound(theorem='novikoff', value=2.0, observed=1, gap=0.5)"
    assert repr(Bound("ftrl-diag", 9.0, 7.0, 0.5, least=6.5)).endswith("gap=0.5, least=6.5)")
    assert "formula" not in repr(named("novikoff"))
    for frozen, name in ((bound, "value"), (named("novikoff"), "statement")):
        with pytest.raises(FrozenInstanceError):
            setattr(frozen, name, 0)


def test_a_bound_takes_what_was_observed_from_its_evidence() -> None:
    evidence = {"experts": 10, "rounds": 100, "eta": 0.5}
    hedge = named("hedge")
    bounds = [hedge.evaluate(evidence | observed) for observed in (
        {}, {"regret": 3.0}, {"mistakes": 4}, {"mistakes": 4, "regret": 3.0}, {"regret": 99.0}
    )]  # fmt: skip
    assert [bound.observed for bound in bounds] == [None, 3.0, 4, 3.0, 99.0]  # it bounds regret
    assert [bound.holds for bound in bounds] == [None, True, True, True, False]
    assert Bound("hedge", 2.0, 2).holds
    assert named("progressive").evaluate(
        {"rounds": 9, "mistakes": 0, "delta": 0.1}
    ).assumptions == (
        "the rounds are independent draws from one distribution",
        "learner, class, parameters and δ were chosen before the data were seen",
    )


def test_verify_on_the_command_line(tmp_path: Path, capsys: Any) -> None:
    from novikoff.receipts.certificates import certificate_of

    stream = nv.stream(np.array([[1.0, 2.0], [0.5, -1.0], [-2.0, 0.25]]), [1, -1, -1])
    run = nv.play(nv.Perceptron(), stream)
    certificate_of(run, stream, "hinge", {"w": [[1, 0.5]]}).save(tmp_path / "c.json")
    (tmp_path / "d.svm").write_text("+1 1:1 2:2\n-1 1:0.5 2:-1\n-1 1:-2 2:0.25\n")
    (tmp_path / "d.csv").write_text("a,b,y\n1,2,1\n0.5,-1,-1\n-2,0.25,-1\n")
    certificate = str(tmp_path / "c.json")
    assert main(["verify", certificate, str(tmp_path / "d.svm"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["verified"], found["theorem"], found["observed"]) == (True, "hinge", run.mistakes)
    assert main(["verify", certificate, str(tmp_path / "d.csv"), "--label", "y"]) == 0
    assert "verified: hinge" in capsys.readouterr().out
    (tmp_path / "d.svm").write_text("+1 1:1 2:2\n")
    assert main(["verify", certificate, str(tmp_path / "d.svm")]) == 1
    assert "refused: these are not its data" in capsys.readouterr().out
    assert main(["verify", certificate, str(tmp_path / "missing.svm")]) == 3
    with pytest.raises(SystemExit, match="2"):
        main(["nonsense"])


def test_the_progressive_theorem_is_the_error_bound() -> None:
    """The first and the last rate of the grid are the best for no mistake, and for very many."""
    from novikoff.receipts.error_bounds import mixture_bound, progressive_bound

    for mistakes, rounds, delta in (
        (0, 10, 0.05), (7, 1000, 0.01), (300, 900, 0.5), (5, 5, 0.1), (10**12, 10**13, 0.05),
    ):  # fmt: skip
        evidence = {"rounds": rounds, "mistakes": mistakes, "delta": delta}
        stated = named("progressive").evaluate(evidence).value
        assert stated == pytest.approx(progressive_bound(mistakes, rounds, delta), rel=1e-15)
        mixed = named("progressive-mixture").evaluate(evidence).value
        assert mixed == pytest.approx(mixture_bound(mistakes, rounds, delta), rel=1e-15)
        assert mixed <= stated


def test_check_on_the_command_line(tmp_path: Path, capsys: Any) -> None:
    assert main(["check", "novikoff:BalancedMinnow", "--arguments", '{"eta": 0.1}', "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["violated"] == []
    assert main(["check", "novikoff:Minnow"]) == 2
    assert "missing 1 required positional argument" in capsys.readouterr().err
    assert main(["check", "nowhere:Nobody"]) == 2
    with pytest.raises(SystemExit, match="2"):
        main(["check", "novikoff:Minnow", "--arguments", "[1]"])
