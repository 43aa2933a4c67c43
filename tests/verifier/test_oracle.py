"""The oracle itself, on examples worked out by hand."""

import copy
import hashlib
import struct
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp

from oracle import bound_of, judge, read_rows, read_sentences, sealed_text, transcript
from oracle.data import rows_as_data
from oracle.exponentials import Sum
from oracle.finite import littlestone
from oracle.parameters import PARAMETERS
from oracle.reals import Real, Surd, is_least_float, least_float
from oracle.sample import Sample
from oracle.samples import samples
from oracle.writing import rounds_in

SAMPLES = {sample.name: sample for sample in samples()}


def claim(theorem: str, learner: str, parameters: Any, evidence: Any, rows: Any) -> dict[str, Any]:
    labels = {"positive": 1}
    facts = rows_as_data(rows, labels).facts
    return {
        "theorem": theorem,
        "data": facts | {"labels": labels, "passes": 1},
        "learner": {"name": learner, "parameters": parameters},
        "evidence": evidence,
    }


PLAIN = {"bias": None, "hashing": None}
UNIT = [("1", -1, [(0, 1.0)]), ("2", -1, [(1, 1.0)]), ("3", -1, [(2, 1.0)])]
"""e_1, e_2, e_3, all labelled −1: three mistakes, and Novikoff's bound is 3."""


@pytest.mark.parametrize(
    ("theorem", "w", "bound"),
    [
        ("novikoff", [[0, -1.0], [1, -1.0], [2, -1.0]], 3.0),  # 1·3/1
        ("hinge", [[0, -1.0]], 5.0),  # 1·1 + 2·2
        ("hinge-tight", [[0, -0.5], [1, -0.5], [2, -0.5]], 3.0),  # c = ½: ((√¾ + √(¾ + 6))/2)²
        ("freund-schapire", [[0, -0.5], [1, -0.5], [2, -0.5]], 3.0000000000000004),  # (2·√¾)²
        ("run", [], 3.0),
    ],
)
def test_the_perceptron_on_unit_vectors(theorem: str, w: Any, bound: float) -> None:
    content = claim(theorem, "Perceptron", PLAIN | {"ties": "positive"}, {"w": w}, UNIT)
    mistakes, found, _ = bound_of(content, UNIT)
    assert mistakes == [1, 2, 3]
    assert found in (bound, 3.0)


def test_a_score_of_0_is_plus_or_always_wrong() -> None:
    rows = [("1", 1, [(0, 1.0)]), ("2", 1, [(0, 1.0)])]
    for ties, expected in (("positive", []), ("mistake", [1])):
        content = claim("run", "Perceptron", PLAIN | {"ties": ties}, {"w": []}, rows)
        assert bound_of(content, rows)[0] == expected


def test_minnow_by_hand() -> None:
    """x = (1, −1): e^0 − e^0 = 0 predicts +1, wrong; then e^−½ − e^½ < 0 is right."""
    rows = [("1", -1, [(0, 1.0), (1, -1.0)])] * 2
    evidence = {"w": [[1, 1.0]], "gamma": 1.0}
    content = claim("minnow", "Minnow", PLAIN | {"eta": 0.5}, evidence, rows)
    mistakes, bound, _ = bound_of(content, rows)
    assert mistakes == [1]
    assert bound == pytest.approx(0.6931471805599453 / (0.5 - 0.12011450695827752), rel=1e-14)


def test_weighted_majority_by_hand() -> None:
    """Votes 1 − 1 − 1; then ½ against 1 + ½, the label of the two; bound for m* = 1 and N = 3."""
    rows = [
        ("1", 1, [(0, 1.0), (1, -1.0), (2, -1.0)]),
        ("2", 1, [(0, 1.0), (1, -1.0), (2, -1.0)]),
        ("3", -1, [(0, 1.0), (1, -1.0), (2, -1.0)]),
    ]
    parameters = {"experts": 3, "beta": 0.5}
    content = claim("weighted-majority", "WeightedMajority", parameters, {"rows": "advice"}, rows)
    mistakes, bound, _ = bound_of(content, rows)
    assert mistakes == [1, 3]  # round 2 is a tie, 1 against ½ + ½; round 3: 1 against ¼ + ¼
    assert bound == pytest.approx((0.6931471805599453 + 1.0986122886681098) / 0.28768207245178085)


def test_hedge_by_hand() -> None:
    """Two experts, η = ln 2: p = (½, ½), then (⅓, ⅔): ½ + ⅔·… less the best."""
    rows = [("1", 1, [(0, 1.0), (1, 0.0)]), ("2", 1, [(0, 0.0), (1, 1.0)])]
    parameters = {"experts": 2, "beta": 0.5, "seed": 0, "span": [0.0, 1.0], "rewards": False}
    evidence = {"rows": "losses", "expected": 0.0}
    name = "randomized-weighted-majority"
    content = claim(name, "RandomizedWeightedMajority", parameters, evidence, rows)
    _, bound, expected = bound_of(content, rows)
    assert expected == pytest.approx(1 / 2 + 2 / 3)
    assert bound == pytest.approx((1 + 1) * 0.6931471805599453 / 0.5)


def test_ldim_by_hand() -> None:
    thresholds = ["+++", "-++", "--+", "---"]
    assert littlestone(thresholds, (0, 1, 2, 3)) == 2
    assert littlestone(["+--", "-+-", "--+"], (0, 1, 2)) == 1
    assert littlestone(["+"], (0,)) == 0
    assert littlestone(["+"], ()) == -1


def test_the_digest_is_that_of_the_page() -> None:
    """docs/writing_a_verifier.md has the bytes of a row."""
    rows = [("1", 1, [(0, 0.1), (1, 0.7)])]
    written = bytes.fromhex(
        "010200000000000000000000009a9999999999b93f0100000000000000666666666666e63f"
    )
    digest = rows_as_data(rows, {"positive": 1}).facts["digest"]
    assert digest == hashlib.sha256(written).hexdigest()
    assert struct.unpack("<d", written[13:21])[0] == 0.1


def test_transcripts_by_hand() -> None:
    assert transcript([2, 5]) == "AgM="
    assert transcript([300]) == "rAI="
    assert rounds_in("rAI=") == [300]


def test_the_least_float() -> None:
    assert is_least_float(Surd(Fraction(3)), 3.0)
    assert not is_least_float(Surd(Fraction(3)), 3.0000000000000004)
    assert least_float(Surd(Fraction(0), Fraction(2))) == 1.4142135623730951  # √2 = …0951 − …
    assert least_float(Real(lambda: mp.mpf(1) / 3)) == 0.33333333333333337
    assert least_float(Real(lambda: 1 + mp.mpf(10) ** -300)) == 1.0000000000000002
    assert least_float(Real(lambda: 1 - mp.mpf(10) ** -300)) == 1.0


def test_sums_of_exponentials_have_their_signs() -> None:
    tiny = Fraction(1, 10**300)
    assert Sum({tiny: Fraction(1), Fraction(0): Fraction(-1)}).sign == 1
    assert Sum({Fraction(10**99): Fraction(-1), Fraction(0): Fraction(10**9)}).sign == -1
    assert Sum({Fraction(1): Fraction(0)}).sign == 0


def test_files_are_read_by_their_grammar(tmp_path: Path) -> None:
    path = tmp_path / "a.svm"
    path.write_bytes("\ufeff+1 1:.5\t3:-2e1 # note\r\n\n01 qid:7 2:0\nn\u00a0o\n".encode())
    found = [(label, items) for _, label, items in read_rows(path)]
    assert found == [(1, [(0, 0.5), (2, -20.0)]), (1, [(1, 0.0)]), ("n\u00a0o", [])]
    path = tmp_path / "a.csv"
    path.write_text("a,label,b\n1,x,0\n")
    assert [row[1:] for row in read_rows(path, "label")] == [("x", [(0, 1.0), (1, 0.0)])]
    path = tmp_path / "a.sentences"
    path.write_text("X 1:2\nY\n\nX\n")
    found_tags = [(tags, items) for _, tags, items in read_sentences(path)]
    assert found_tags == [(["X", "Y"], [[(0, 2.0)], []]), (["X"], [[]])]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_true_and_no_field_can_be_left_out(name: str) -> None:
    sample: Sample = SAMPLES[name]
    assert judge(sealed_text(sample.content), sample.rows) == (True, "true")
    for field in sample.content:
        content = copy.deepcopy(sample.content)
        del content[field]
        assert not judge(sealed_text(content), sample.rows).true


@pytest.mark.parametrize("learner", PARAMETERS)
def test_the_domains_are_those_of_the_constructors(learner: str) -> None:
    import novikoff as nv

    made = [sample for sample in samples() if _name(sample) == learner]
    stated = set(made[0].content["learner"]["parameters"]) - {"bias"}
    assert stated == set(PARAMETERS[learner]) - {"bias"}
    assert hasattr(nv, learner)


def _name(sample: Sample) -> str | None:
    learner = sample.content["learner"]
    return str(learner["name"]) if learner else None
