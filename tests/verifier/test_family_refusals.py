"""Refusals in the families beyond the perceptron: each says the one thing that is wrong."""

import copy
import json
import math
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import verifier
from novikoff.receipts.certificates import certificate_of, sealed
from novikoff.receipts.family import reread

ADVICE = nv.stream([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]], [1, -1, 1])
LOSSES = nv.Replay(np.array([[0.5, 1.0], [0.25, 0.0], [1.0, 0.75]]))
FLIPS = nv.Replay(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))
CUBE = nv.stream(np.array([[0, 0], [1, 1], [0, 1]]), [-1, 1, -1])
NOISE = nv.stream(np.array([[0, 0], [1, 1], [0, 1], [1, 1], [1, 1]]), [-1, 1, 1, -1, 1])
WRONG = nv.stream(np.array([[0, 0], [1, 1], [0, 1], [1, 0], [0, 0], [1, 1]]), [1, -1, 1, 1, 1, -1])
CORNERS = nv.stream(np.eye(3)[[0, 1, 2, 0, 1, 2, 1]], [1, -1, -1, 1, -1, -1, -1])
PLANE = nv.stream([[1.0, 0.5], [0.5, -1.0], [-1.0, 0.25]], [1, -1, -1])
SENTENCES: list[Any] = [(["a", "b"], ["D", "N"]), (["b", "c"], ["N", "V"])]


FOUND: dict[str, tuple[float | None, float]] = {
    "majority": (2, 7.228262518959627),
    "votes": (3, 7.228262518959627),
    "randomized": (1.7822500136224626, 3.8123094930796992),
    "hedge": (0.06196317617523791, 1.0196669901688091),
    "hedge-eta": (0.023346468564888593, 1.5737943611198908),
    "hedge-anytime": (0.07026459411825166, 2.3336864859664868),
    "exp3": (None, 4.0786679606752365),
    "exp3-once": (None, 2.3548200450309498),
    "exp3-known": (None, 3.7232974110590344),
    "exp3ix-any": (None, 33.55259298509889),
    "exp3p-any": (None, 36.525193358681065),
    "exp3ix": (None, 24.805713803285855),
    "exp3p": (None, 21.834052655245074),
    "halving": (0, 3.0),
    "points": (0, 2.0),
    "iterated": (0, 3.0),
    "noisy": (3, 7.0),
    "consistent": (2, 9.0),
    "optimal": (2, 3.0),
    "singletons": (1, 1.0),
    "wrong": (4, 7.0),
    "negated": (1, 3.0),
    "elimination": (2, 3.0),
    "monotone": (1, 2.0),
    "polynomial": (1, 5.8430328369140625),
    "homogeneous": (1, 5.1617584228515625),
    "finer": (1, 5.15893457606586),
    "degree": (1, 1.0128637912439473e48),
    "corners": (3, 12.875987624978631),
    "fresh": (1, 0.9861901704757027),
    "rbf": (1, 5.188650749478872),
    "structured": (2, 27.111111111111114),
    "chain": (2, 2.0025023201585177),
    "tagged": (2, 1.0),
}


@lru_cache
def claim(name: str) -> tuple[Any, Any]:
    """Return a true content and its rows."""
    runs: dict[str, Any] = {
        "majority": lambda: (nv.WeightedMajority(2, 0.5), ADVICE),
        "votes": lambda: (nv.WeightedMajority(2, 0.5), FLIPS),
        "randomized": lambda: (nv.RandomizedWeightedMajority(2, 0.5), LOSSES),
        "hedge": lambda: (nv.Hedge(2, horizon=3), LOSSES),
        "hedge-eta": lambda: (nv.Hedge(2, eta=0.5), LOSSES),
        "hedge-anytime": lambda: (nv.Hedge(2), LOSSES),
        "exp3": lambda: (nv.Exp3(2), LOSSES),
        "exp3-known": lambda: (nv.Exp3(2, horizon=5), LOSSES),
        "exp3-once": lambda: (nv.Exp3(2), nv.Replay(np.array([[0.5, 1.0]]))),
        "exp3ix-any": lambda: (nv.Exp3IX(2), LOSSES),
        "exp3p-any": lambda: (nv.Exp3P(2, 0.1), LOSSES),
        "exp3ix": lambda: (nv.Exp3IX(2, horizon=3), LOSSES),
        "exp3p": lambda: (nv.Exp3P(2, 0.1, horizon=3), LOSSES),
        "halving": lambda: (nv.Halving(nv.conjunctions(2)), CUBE),
        "points": lambda: (nv.Halving(nv.thresholds(3)), [(0, -1), (2, 1)]),
        "iterated": lambda: (nv.IteratedHalving(nv.conjunctions(2)), CUBE),
        "noisy": lambda: (nv.IteratedHalving(nv.conjunctions(2)), NOISE),
        "consistent": lambda: (nv.Consistent(nv.conjunctions(2)), CUBE),
        "optimal": lambda: (nv.StandardOptimal(nv.thresholds(12)), [(5, -1), (8, 1)]),
        "singletons": lambda: (nv.StandardOptimal(nv.singletons(9)), [(5, -1), (8, 1)]),
        "wrong": lambda: (nv.IteratedHalving(nv.conjunctions(2)), WRONG),
        "elimination": lambda: (nv.Elimination(2), CUBE),
        "negated": lambda: (nv.Elimination(2), nv.stream(np.array([[1, 0], [0, 0]]), [-1, 1])),
        "monotone": lambda: (nv.Elimination(2, monotone=True), CUBE),
        "polynomial": lambda: (nv.KernelPerceptron(nv.polynomial(2, 0.5)), PLANE),
        "rbf": lambda: (nv.KernelPerceptron(nv.rbf(0.5)), PLANE),
        "homogeneous": lambda: (nv.KernelPerceptron(nv.polynomial(2, 0.0)), PLANE),
        "finer": lambda: (nv.KernelPerceptron(nv.polynomial(2, 2.0**-10)), PLANE),
        "degree": lambda: (nv.KernelPerceptron(nv.polynomial(100, 0.5)), PLANE),
        "corners": lambda: (nv.KernelPerceptron(nv.rbf(0.5)), CORNERS),
        "fresh": lambda: (nv.KernelPerceptron(nv.rbf(0.5)), PLANE),
        "structured": lambda: (nv.StructuredPerceptron(nv.Chains("w[0]")), SENTENCES * 3),
        "chain": lambda: (nv.StructuredPerceptron(nv.Chains("w[0]")), SENTENCES),
        "tagged": lambda: (
            nv.StructuredPerceptron(nv.Chains("w[0]", tags=["D", "N", "V"])),
            SENTENCES,
        ),
    }
    run = nv.play(*runs[name]())
    assert run.stream is not None
    if isinstance(run.learner, nv.KernelPerceptron) and name != "fresh":
        certificate = certificate_of(run, run.stream, "hinge", {"a": [[1, 0.5], [3, -0.25]]})
    else:
        theorem = {"fresh": "progressive", "tagged": "progressive", "structured": "structured"}.get(
            name
        )
        certificate = nv.certify(run, theorem=theorem)
    content = json.loads(certificate.text)
    source = getattr(run, "environment", None) or run.stream
    return content, list(reread(source, content["learner"])())


@pytest.mark.parametrize("name", FOUND)
def test_the_families_observe_and_allow_what_was_once_found(name: str) -> None:
    """Numbers that are written down: certificates are made by the code that checks them."""
    content, rows = claim(name)
    verdict = verifier.verify(sealed(content).text, lambda: rows)
    assert verdict[:4] == (True, content["theorem"], *FOUND[name])


Change = tuple[str, str, Any]  # of which certificate, which field or row, its new value


def every(name: str, path: str, *values: Any) -> list[Change]:
    return [(name, path, value) for value in values]


REFUSALS: dict[str, list[Change]] = {
    "verified": [*every("hedge", "own.seed", 2**64 - 1),
        *every("chain", "own.averaged", False), *every("chain", "own.problem.templates", "x"),
        *every("points", "own.H.points", ["a", "b", "c", "d"][:3], None)],
    "its experts is not a whole number from 2 to 2147483647": [
        *every("majority", "own.experts", 1, 2.0, True, 2**31), *every("hedge", "own.experts", 0)],
    "its arms is not a whole number from 2 to 2147483647": every("exp3", "own.arms", 1),
    "the data have columns for 2, not for 3": [*every("majority", "own.experts", 3),
        *every("hedge", "own.experts", 3), *every("exp3", "own.arms", 3)],
    "the data have columns for 2, not for 1000000000": every("exp3", "own.arms", 10**9),
    "its span is not [0.0, 1.0]": every("hedge", "own.span", [0.0, 2.0], [0, 1], None),
    "its rewards is not false": every("exp3p", "own.rewards", True, 0, None),
    "its bias is not null": [*every("votes", "own.bias", 1.0), *every("hedge", "own.bias", 0.0)],
    "its parameters are not experts, eta, horizon, seed, span, rewards, bias": [
        *every("hedge", "own.hashing", None), *every("hedge", "own.max_voters", 3)],
    "its parameters are not problem, averaged": every("chain", "own.bias", None),
    "its parameters are not H": every("halving", "own.seed", 1),
    "its parameters are none": every("halving", "learner.parameters", None, [], "H"),
    "its seed is not a whole number from 0 to 18446744073709551615": every(
        "randomized", "own.seed", -1, 2**64, 1.0, True),
    "its rows are no losses and no advice": every("majority", "evidence.rows", "loss", None, ""),
    "a row is no advice of all experts": every("majority", "row", [(0, 1.0)], []),
    "a row is no advice of −1 and +1": every("majority", "row", [(0, 1.0), (1, 0.5)]),
    "the data have columns for 3, not for 2": [*every("hedge", "row", [(2, 0.5)], [(2, 0.0)]),
        *every("majority", "row", [(0, 1.0), (2, 1.0)], [(0, 1.0), (1, 1.0), (2, 1.0)])],
    "no loss": every("hedge", "row", [(0, 1.5)], [(0, 0.5), (1, -0.5)]),
    "its losses are no mistakes": every("votes", "row", [(0, 0.5)]),
    "it is no run of one pass": [(name, "data.passes", 2) for name in ("votes", "exp3", "hedge")],
    "its beta is not a float from 1e-06 to 0.999999": [
        *every("majority", "own.beta", 0.0, 1.0, -0.5, 1, None, math.nextafter(1.0, 0.0)),
        *every("randomized", "own.beta", 1.0, 0.0)],
    "its eta is not null or a float from 5e-324 to 1000000.0": every("hedge-eta", "own.eta",
        0.0, -0.5, 1, False, 1e7),
    "its horizon is not null or a whole number from 1 to 9007199254740991": [
        *every("hedge", "own.horizon", 0, 3.0, True, 2**53),
        *every("exp3", "own.horizon", 0, -3, "3")],
    "it has two rates": every("hedge-eta", "own.horizon", 3),
    "its theorem is not about this learner": [*every("hedge", "own.horizon", None),
        *every("hedge-anytime", "own.horizon", 3),
        *every("hedge-anytime", "own.eta", 0.5),
        *every("exp3", "learner.name", "Exp3IX"), *every("halving", "learner.name", "Consistent")],
    "it goes on after its horizon": every("exp3ix", "own.horizon", 2, 1),
    "its delta is no float above 0 and up to 0.9999999999999999": every(
        "exp3ix", "evidence.delta", 0.0, 1.0, 1, None),
    "its delta is not a float from 1.0000000000000002e-300 to 0.9999999999999999": every(
        "exp3p", "own.delta", 0.0, 1.0, 1e-300, "x"),
    "it expects 1.7822500136224626": every("randomized", "evidence.expected", 1.5, None, 2),
    "round 1 is no mistake when played": [
        *every("exp3", "mistakes", {"count": 1, "rounds": "AQ=="}),
        *every("hedge", "mistakes", {"count": 1, "rounds": "AQ=="})],
    "its mistakes go on after the last round": every("exp3", "mistakes",
        {"count": 1, "rounds": "CQ=="}),
    "its H is not an object of cube, points, table, of signs, each row once": [
        *every("halving", "own.H.table", "+-", None), *every("halving", "own.H.more", 1),
        *every("points", "own.H.table", ["---", "---"], ["---", "++"], ["--X", "+++"], [""], []),
        *every("halving", "own.H.cube", 3, 1, 2.0, -1, 64, True),
        *every("points", "own.H.points", [], ["a", "b"], ["a", "a", "b"], [1, 2, 3],
               "abc", {})],
    "a row is no point": [*every("halving", "row", [(0, 2.0)], [(2, 1.0)]),
        *every("points", "row", [(0, 1.0), (1, 1.0)], [], [(3, 1.0)], [(0, 0.5)])],
    "no hypothesis has every label": every("points", "second row", [(0, 1.0)]),
    "its d is not a whole number from 1 to 16777216": every(
        "elimination", "own.d", 0, 2.0, True, (1 << 24) + 1),
    "its monotone is not false or true": every("elimination", "own.monotone", 1, None),
    "a row has more than 1 features": every("elimination", "own.d", 1),
    "no disjunction has every label": every("monotone", "second row", [(1, 1.0)]),
    "its budget is not null": every("rbf", "own.budget", 5, 0),
    "its kernel is not polynomial with a degree and c, or rbf with a gamma above 0": [
        *every("rbf", "own.kernel", {"name": "rbf"}, {"name": "rbf", "gamma": 1}, None,
               {"name": "rbf", "gamma": -0.5}, {"name": "rbf", "gamma": 0.5, "degree": 2},
               {"name": "rbf", "gamma": 0.0}, {"name": "rbf", "gamma": 1e100},
               {"name": "linear"}, {"name": "polynomial", "degree": 2, "c": -0.5},
               {"name": "polynomial", "degree": 2, "c": 1},
               {"name": "polynomial", "degree": 0, "c": 1.0},
               {"name": "polynomial", "degree": 101, "c": 1.0},
               {"name": "poly", "degree": 2, "c": 1.0},
               {"name": "polynomial", "degree": True, "c": 1.0}, {"degree": 2, "c": 1.0},
               {"name": "polynomial", "degree": 2, "c": 1.0, "gamma": 1.0})],
    "its bias is not null, with rbf": every("rbf", "own.bias", 0.5, 0.0),
    "its a is no list of weights, each once": every("rbf", "evidence.a", [[1, 1]], [[1.0, 0.5]],
        [[1, 0.5], [1, 0.5]], [[True, 0.5]], [["1", 0.5]]),
    "its a has rows that are none": every("rbf", "evidence.a", [[0, 1.0]], [[4, 1.0]], [[-1, 1.0]]),
    "its labels must have the fields tags; this version knows no others": every("chain",
        "data.labels", {"tags": ["D", "N", "V"], "more": 1}),
    "its tags are none": every("chain", "data.labels.tags", ["D", "N", "V", "D"], ["D", 1], "DNV",
        {"D": 0}, None),
    "the tags are others": [*every("chain", "data.labels.tags", ["D", "N"], []),
        *every("chain", "tags", ["N", "D", "V"])],
    "its problem is not an object of kind, templates, columns, tags": [
        *every("chain", "own.problem.kind", "Trees", None), *every("chain", "own.problem.more", 1),
        *every("chain", "own.problem.templates", 3), *every("chain", "own.problem.columns", "w")],
    "its averaged is not false or true": every("chain", "own.averaged", 1, None),
    "its tags are others": every("tagged", "own.problem.tags", ["D", "V", "N"], ["D"]),
    "its tags are not known before the first round": every("tagged",
        "own.problem.tags", None),
    "its labels are not named": [
        *every("chain", "data.labels", {}, {"positive": "D"}, ["D", "N", "V"]), *every("chain",
        "learner", {"name": "Perceptron", "parameters": {"bias": None, "ties": "positive",
        "hashing": None}})],
    "its labels are others": every("polynomial", "classes", [1, -1]),
}  # fmt: skip


def changed(name: str, path: str, value: Any) -> tuple[Any, Any]:
    """Return the content and the rows; data that are changed are stated as they are."""
    content, rows = copy.deepcopy(claim(name))
    if path in ("row", "second row", "tags", "classes"):
        if "row" in path:
            t = int(path == "second row")
            rows[t] = (*rows[t][:2], value)
        else:
            content["data"]["labels"] = {path: value}
        labels = content["data"]["labels"]
        reads: Any = verifier.Sentences if "tags" in labels else verifier.Data
        content["data"] |= reads(lambda: rows, labels, None).about
        return content, rows
    *parents, field = path.replace("own.", "learner.parameters.").split(".")
    place = content
    for key in parents:
        place = place[key]
    place[field] = value
    return content, rows


@pytest.mark.parametrize("reason", REFUSALS)
def test_the_reason_is_the_one_thing_that_is_wrong(reason: str) -> None:
    for name, path, value in REFUSALS[reason]:
        content, rows = changed(name, path, value)
        verdict = verifier.verify(sealed(content).text, lambda rows=rows: rows)  # type: ignore[misc]
        assert verdict.reason == reason, (name, path, value)
        assert verdict.verified == (reason == "verified")


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ((["D"], []), "expected 0 tags, got 1"),
        ((["D"], [[(0, 1), (0, 1)]]), r"expected every feature once, .*, got \[0, 0\]"),
        ((["D"], [[(-1, 1)]]), "expected every feature once, counted from the first"),
        ((["D"], [[(1 << 31, 1)]]), "expected every feature once, counted from the first"),
        ((["D"], [[(0, 0)]]), r"expected counts from 1 to 4294967295, got \[0\]"),
        ((["D"], [[(0, 1.5)]]), r"expected counts from 1 to 4294967295, got \[1.5\]"),
        ((["D"], [[(0, 1 << 32)]]), r"expected counts from 1 to 4294967295, got \[4294967296\]"),
    ],
)
def test_sentences_that_are_none_are_bad_data(sentence: Any, said: str) -> None:
    content, _ = claim("chain")
    with pytest.raises(verifier.BadData, match=f"^here: {said}"):
        verifier.verify(sealed(content).text, lambda: [("here", *sentence)])


def test_bandits_of_no_round_have_no_bound() -> None:
    """Not even for an empty file of which every word is true."""
    content, _ = copy.deepcopy(claim("exp3"))
    content["data"] |= verifier.Data(lambda: [], content["data"]["labels"], None).about
    verdict = verifier.verify(sealed(content | {"bound": 0.0}).text, lambda: [])
    assert verdict.reason == "the data have columns for 0, not for 2"


def test_a_bound_below_what_was_observed_would_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """No theorem here can be refuted: if one is, the verifier is wrong and should not go on."""
    content, rows = claim("polynomial")
    said = {0.0: "it refutes its theorem", math.inf: "the bound is beyond every float"}
    for bound, reason in said.items():
        monkeypatch.setattr(verifier.Perceptron, "bound", lambda self, theorem, b=bound: b)
        assert verifier.verify(sealed(content).text, lambda: rows).reason == reason


def test_the_sign_of_a_vote_is_exact() -> None:
    """Of 2^-100 beside 1 decimals of 40 digits say nothing, and at a tie none do."""
    data: Any = SimpleNamespace(width=2)
    majority = verifier.WeightedMajority(data, 2, 0.5)
    for votes, sign in (
        ({0: 1}, 1), ({0: -1}, -1), ({0: 1, 1: -1}, 1), ({0: 1, 1: -3}, -1), ({0: 1, 1: -2}, 0),
        ({0: 1, 1: -2, 100: 1}, 1), ({0: 1, 1: -2, 100: -1}, -1), ({2: 3, 1: -1, 3: -2}, 0),
    ):  # fmt: skip
        assert majority.sign(votes) == sign


def test_sentences_are_read_as_they_are_written(tmp_path: Path) -> None:
    """A byte order mark, empty lines before and between, none after the last, and no features."""
    file = tmp_path / "d.txt"
    file.write_bytes("\ufeff\nD 1:2 7:1\nÜ\n\n\nN 3:1".encode())
    assert list(verifier.read_sentences(str(file))) == [
        (f"{file}:2", ["D", "Ü"], [[(0, 2), (6, 1)], []]), (f"{file}:6", ["N"], [[(2, 1)]])
    ]  # fmt: skip
    for line in ("D 1:x", "D x:1", "D 1", "D 1:1:1", "D -1:1", "D 1:1.5"):
        file.write_text(f"N 1:1\n{line}\n")
        with pytest.raises(verifier.BadData) as error:
            list(verifier.read_sentences(str(file)))
        token = line.removeprefix("D ")
        assert str(error.value) == f"{file}:2: expected index:count, indices from 1, got {token!r}"
