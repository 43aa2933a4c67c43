"""Refusals: for each thing that can be wrong with a certificate the verifier says that one."""

import base64
import copy
import json
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import novikoff as nv
from claims import rows_of, true_claim
from novikoff import verifier
from novikoff.receipts.certificates import certificate_of, sealed, transcript, verify

Change = tuple[str, str, Any]  # of which true certificate, which field, its new value

PERCEPTRON: dict[str, Any] = {"bias": 0.5, "hashing": None, "ties": "positive"}
MULTICLASS: dict[str, Any] = {"bias": 0.5, "hashing": None}
NO_OTHERS = "; this version knows no others"
OTHER_BITS = "its hashing is not null or an object of bits, signed"


def _rounds(*digits: int) -> str:
    return base64.b64encode(bytes(digits)).decode()


REFUSALS: dict[str, list[Change]] = {
    "its mistakes are no rounds": [("hinge", "mistakes.rounds", _rounds(*[255] * 9, 0))],
    "its mistakes end in the middle of a round": [
        ("hinge", "mistakes.rounds", "AgQD" + _rounds(128)),
        ("hinge", "mistakes.rounds", "AgQD" + _rounds(*[128] * 9)),
    ],
    "its mistakes go on after the last round": [
        ("hinge", "mistakes.rounds", "AgQD" + _rounds(255, 127)),
        ("hinge", "mistakes.rounds", "AgQD" + _rounds(*[128] * 8, 127)),
    ],
    "round 2 is a mistake when played": [("hinge", "mistakes.rounds", ""),
        ("hinge", "mistakes.rounds", "AwMD")],
    "round 1 is no mistake when played": [("hinge", "mistakes.rounds", "AQQD")],
    "its labels are not named": [("hinge", "data.labels", {}), ("hinge", "data.labels",
        {"positive": 1, "classes": [1]}), ("hinge", "data.labels", {"negative": 1}),
        ("hinge", "data.labels", [1])],
    "its labels are none": [("hinge", "data.labels", {"positive": None}),
        ("multiclass", "data.labels", {"classes": ["red", "blue", None]})],
    "the classes are others": [("multiclass", "data.labels", {"classes": ["red", "blue"]}),
        ("multiclass", "data.labels", {"classes": ["blue", "red", "green"]})],
    "its bias is no number": [("separable", "evidence.bias", 0)],
    "its bias is not null or a float from -1.7976931348623157e+308 to 1.7976931348623157e+308": [
        ("hinge", "learner.parameters.bias", 1), ("hinge", "learner.parameters.bias", "0.5")],
    'its ties is not "positive" or "mistake"': [("hinge", "learner.parameters.ties", "negative")],
    "its gamma is no float above 0 and up to 1.7976931348623157e+308": [
        ("minnow", "evidence.gamma", 0.0), ("minnow", "evidence.gamma", -1.0),
        ("minnow", "evidence.gamma", 1)],
    "its w does not separate the data": [("novikoff", "evidence.w", []),
        ("novikoff", "evidence.w", [[0, -1.0]]),
        ("separable", "evidence.w", []), ("separable", "evidence.w", [[2, 1.0]])],
    "its eta is not a float from 5e-324 to 1e+300": [("minnow", "learner.parameters.eta", 0.0),
        ("minnow", "learner.parameters.eta", -0.5), ("minnow", "learner.parameters.eta", 1)],
    "its w does not separate the data by gamma": [("minnow", "evidence.gamma", 0.5)],
    "ηγ is not above ‖w‖₁ ln cosh(ηR∞)": [("minnow", "evidence.gamma", 1e-9)],
    "its max_voters is not null or a whole number from 1 to 4611686018427387903": [
        ("progressive", "learner.parameters.max_voters", v) for v in (0, -1, True, 2.0, "9")],
    "it is not hashed to 4 features": [
        ("hinge", "learner.parameters.hashing", {"bits": 2, "signed": True})],
    "its hashing is not null or an object of bits, signed": [
        ("hinge", "learner.parameters.hashing", {"bits": 0, "signed": True}),
        ("hinge", "learner.parameters.hashing", {"bits": 31, "signed": True}),
        ("hinge", "learner.parameters.hashing", {"bits": 8.0, "signed": True}),
        ("hinge", "learner.parameters.hashing", {"bits": 8, "signed": 1}),
        ("hinge", "learner.parameters.hashing", {"bits": 8, "signed": True, "seed": 1})],
    "its labels are others": [
        ("hinge", "learner", {"name": "MulticlassPerceptron", "parameters": MULTICLASS}),
        ("multiclass", "learner", {"name": "Perceptron", "parameters": PERCEPTRON})],
    "its parameters are not ties, bias, hashing": [
        ("hinge", "learner.parameters", MULTICLASS), ("hinge", "learner.parameters.seed", 1),
        ("hinge", "learner.parameters.max_voters", None)],
    "its w is no list of weights, each once": [
        *(("hinge", "evidence.w", [entry])
          for entry in ([0, 1], [0, "1"], [-2, 1.0], [0.0, 1.0], [True, 1.0])),
        ("hinge", "evidence.w", [[0, 1.0], [0, 1.0]]), ("multiclass", "evidence.w", [[-1, 0, 1.0]]),
        ("multiclass", "evidence.w", [[0.0, 0, 1.0]]), ("separable", "evidence.w", [[0, 1]])],
    "its delta is no float above 0 and up to 0.9999999999999999": [
        ("progressive", "evidence.delta", v) for v in (0.0, 1.0, -0.5, 1.5, 1, "0.5")],
    "the rounds of later passes are not fresh": [("progressive", "data.passes", 2)],
    "its weights are none": [
        ("not separable", "evidence", {"rows": rows, "weights": weights, "bias": None})
        for rows, weights in (([], []), ([1, 2], [2, 0]), ([1, 2], [2, -1]), ([1, 2], [2.0, 1.0]),
                              ([1.0, 2.0], [2, 1]), ([1, 1], [1, 2]))],
    "its rows do not add up to 0": [
        ("not separable", "evidence", {"rows": rows, "weights": weights, "bias": None})
        for rows, weights in (([1, 2, 4], [2, 1, 1]), ([1, 2, 0], [2, 1, 1]), ([1, 2], [1, 2]),
                              ([1], [1]), ([1, 2, 3], [2, 1, 1]))],
    "its theorem is not one of those verified here": [("hinge", "theorem", "hinges")],
    "its statement is another": [("hinge", "statement", "M ≤ 1"), ("hinge", "theorem", "run")],
    "its assumptions are others": [("hinge", "assumptions", ["luck"]),
        ("progressive", "assumptions", [])],
    f"its evidence must have the fields w{NO_OTHERS}": [("hinge", "evidence", {}),
        ("hinge", "evidence", []), ("hinge", "evidence", {"w": [], "gamma": 1.0})],
    f"its evidence must have the fields w, gamma{NO_OTHERS}": [("minnow", "evidence", {"w": []}),
        ("minnow-hinge", "evidence", {"w": []})],
    f"its evidence must have the fields delta{NO_OTHERS}": [("progressive", "evidence", {"w": []})],
    f"its evidence must have the fields w, bias{NO_OTHERS}": [
        ("separable", "evidence", {"w": []})],
    f"its evidence must have the fields rows, weights, bias{NO_OTHERS}": [
        ("not separable", "evidence", {"w": []})],
    "these are not its data": [("hinge", "data.rows", 120.0), ("hinge", "data.rows", 121),
        ("hinge", "data.nonzeros", 1), ("hinge", "data.dimension", 6),
        ("hinge", "data.digest", "0" * 64), ("separable", "data.digest", "0" * 64)],
    "it claims a run": [("separable", "learner", {}), ("separable", "mistakes", 0),
        ("separable", "data.passes", 1)],
    "its passes are no number": [
        ("hinge", "data.passes", v) for v in (0, -1, True, 3.0, "3", None)],
    f"its learner must have the fields name, parameters{NO_OTHERS}": [
        ("hinge", "learner", {"name": "Perceptron", "parameters": PERCEPTRON, "seed": 1}),
        ("hinge", "learner", {"parameters": PERCEPTRON})],
    "it miscounts its mistakes": [("hinge", "mistakes.count", 4),
        ("hinge", "mistakes.count", 3.0)],
    f"its mistakes must have the fields count, rounds{NO_OTHERS}": [
        ("hinge", "mistakes", {"count": 3, "rounds": "AgQD", "last": 9}),
        ("hinge", "mistakes", {"rounds": "AgQD"}), ("separable", "mistakes", {})],
    "its bound is not 195.23249417613553": [("hinge", "bound", 195.2324941761355),
        ("hinge", "bound", None)],
    "its bound is not None": [("separable", "bound", 0.0)],
    "its learner is not one of those verified here": [("hinge", "learner.name", "Oracle")],
    "its theorem is not about this learner": [
        ("hinge", "learner", {"name": "Minnow", "parameters": {"eta": 0.5, **MULTICLASS}})],
}  # fmt: skip


@pytest.mark.parametrize("reason", REFUSALS)
def test_the_reason_is_the_one_thing_that_is_wrong(reason: str) -> None:
    for name, path, value in REFUSALS[reason]:
        certificate, stream = true_claim(name)
        content = copy.deepcopy(certificate.content)
        place, (*parents, field) = content, path.split(".")
        for key in parents:
            place = place[key]
        place[field] = value
        verdict = verify(sealed(content), stream)
        assert verdict == (False, content["theorem"], None, None, reason), (path, value)


def _said(text: str) -> str:
    return verifier.verify(text.encode(), rows_of(true_claim("hinge")[1])).reason


def test_a_file_that_is_no_certificate_is_told_from_one_that_was_changed() -> None:
    content = true_claim("hinge")[0].content
    assert _said('{"a": 1, "a": 1}') == "a key appears twice"
    strange = ("novikoff-certificate/0", "novikoff-certificate/03", "novikoff/3", 3, None)
    others: list[Any] = [[], {}, *(content | {"format": one} for one in strange)]
    said = "it is no novikoff-certificate/1 and no novikoff-certificate/2"
    for other in others:
        assert _said(json.dumps(other)) == said
    for version in (3, 10, 123456789):
        later = json.dumps(content | {"format": f"novikoff-certificate/{version}"})
        said = "and this verifier knows versions 1 and 2: take a later verifier"
        assert _said(later) == f"it is a novikoff-certificate/{version}, {said}"
    fields = (
        "its fields are not assumptions, bound, data, evidence, format, learner, mistakes, sha256, "
        "statement, theorem"
    )
    assert _said(json.dumps(content | {"extra": 1})) == fields
    assert _said(json.dumps({k: v for k, v in content.items() if k != "bound"})) == fields
    assert _said(json.dumps(content | {"bound": 1.0})) == "it has been changed"
    assert _said(json.dumps(content, indent=1)) == "verified"
    assert _said(json.dumps(content | {"theorem": 3})) == "it has been changed"
    assert verify(sealed(content | {"theorem": 3}), []).theorem is None
    assert verifier.verify(b"{}", list).theorem is None


def test_mistakes_are_read_back_from_their_gaps_alone() -> None:
    rounds = [1, 2, 129, 257, 20_000, 10**9, 10**15]
    assert list(verifier.unpacked(transcript(rounds))) == rounds
    for text in ("Ag QD", "AgQD\n", "AgQ"):  # what some decoders pass over
        content = copy.deepcopy(true_claim("hinge")[0].content)
        content["mistakes"]["rounds"] = text
        assert "not made as a certificate is: Error" in _said(sealed(content).text.decode())


@pytest.mark.parametrize(
    ("features", "bits", "reason"),
    [(1, 0, OTHER_BITS), (2, 1, "verified"), (3, 1, "it is not hashed to 2 features"),
     (4, 2, "verified"), (4, 30, "verified"), (4, 31, OTHER_BITS)],
)  # fmt: skip
def test_hashed_rows_have_no_more_features_than_their_bits(
    features: int, bits: int, reason: str
) -> None:
    stream = nv.stream([[1.0] * features], [1])
    run = nv.play(nv.VotedPerceptron(max_voters=1), stream)
    content = copy.deepcopy(certificate_of(run, stream, "hinge", {"w": []}).content)
    content["learner"]["parameters"]["hashing"] = {"bits": bits, "signed": bits > 1}
    assert verify(sealed(content), stream).reason == reason


def test_a_long_reason_is_cut_short() -> None:
    def broken() -> Any:
        raise ValueError("x" * 1000)

    reason = verifier.verify(true_claim("hinge")[0].text, broken).reason
    assert reason.startswith("it is not made as a certificate is: ValueError xxx")
    assert len(reason) == 200


def test_minnow_refuses_a_comparator_that_is_none_for_it() -> None:
    stream = nv.stream([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    run = nv.play(nv.Minnow(0.5), stream)
    for theorem, evidence, reason in (
        ("minnow-hinge", {"w": [[0, 1.0], [1, -0.5]], "gamma": 1.0}, "its w is negative somewhere"),
        ("hinge", {"w": []}, "its theorem is not about this learner"),
    ):
        with pytest.raises(nv.HypothesisError, match=rf"got: {reason}\."):
            certificate_of(run, stream, theorem, evidence)


def test_minnow_of_any_rate_has_its_bound() -> None:
    """ηγ − ln cosh(ηR∞) is ln 2 and less than a float more: M ≤ (ln 2 + ηL)/ln 2 with L = 1."""
    stream = nv.stream([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    for eta in (1e6, 1e300):
        run = nv.play(nv.Minnow(eta), stream)
        evidence = {"w": [[0, 1.0]], "gamma": 1.0}
        certificate = certificate_of(run, stream, "minnow-hinge", evidence)
        assert certificate.bound == pytest.approx(1 + eta / math.log(2))
        assert verify(certificate, stream).verified


def test_claims_about_data_are_of_two_labels_and_whole_weights() -> None:
    rows = [("row 1", 1, [(0, 1.0)]), ("row 2", -1, [(0, 1.0)])]
    content = true_claim("not separable")[0].content

    def said(labels: Any, weights: Any) -> str:
        about = verifier.Data(lambda: rows, labels, None).about | {"passes": None}
        evidence = {"rows": [1, 2], "weights": weights, "bias": None}
        forged = sealed(content | {"data": about, "evidence": evidence})
        return verifier.verify(forged.text, lambda: rows).reason

    assert said({"positive": 1}, [1, 1]) == "verified"
    classes = "it claims of classes what is said of two labels"
    assert said({"classes": [1, -1]}, [1, 1]) == classes
    assert said({"positive": 1}, [2**53 + 1, 2**53]) == "its rows do not add up to 0"
    assert "argument 2 is longer" in said({"positive": 1}, [1, 1, 1])


def test_what_no_number_of_digits_decides_gets_no_verdict() -> None:
    """An enclosure gets 18 digits, then 40, then twice as many, up to 5120."""
    asked: list[int] = []

    def wide(digits: verifier.Precision) -> verifier.Enclosure:
        asked.append(digits.down.prec)
        return verifier.Enclosure(digits, Decimal(0), Decimal(1))

    with pytest.raises(verifier.TooLarge, match="it takes more than 5000 digits to decide"):
        verifier.settled(wide, bool)
    assert asked == [18, 40, 80, 160, 320, 640, 1280, 2560, 5120]


def test_formulas_are_enclosed_from_both_sides() -> None:
    """A value beside 1 is rounded up or down to it, however near; of 1 itself nothing is lost."""
    for small in (Fraction(1, 10**20), Fraction(1, 10**200)):
        for value, found in ((1 + small, math.nextafter(1, 2)), (1 - small, 1.0)):
            assert verifier.rounded_up(lambda at, v=value: at.of(v)) == found  # type: ignore[misc]
    assert verifier.rounded_up(lambda at: at.of(1)) == 1
    with pytest.raises(verifier.TooLarge, match="5000 digits"):
        verifier.rounded_up(lambda at: at.of(2).sqrt() * at.of(2).sqrt() / 2)


def test_a_tie_is_judged_by_its_rule() -> None:
    """The first score is 0."""
    for label, positive, mistake in ((1, 0, 1), (-1, 1, 1)):
        stream = nv.stream([[1.0]], [label], positive=1)
        cases: list[tuple[Any, int]] = [("positive", positive), ("mistake", mistake)]
        for ties, mistakes in cases:
            run = nv.play(nv.Perceptron(ties=ties), stream)
            content = copy.deepcopy(certificate_of(run, stream, "hinge", {"w": []}).content)
            assert verify(sealed(content), stream)[:3] == (True, "hinge", mistakes)
            other = "mistake" if ties == "positive" else "positive"
            content["learner"]["parameters"]["ties"] = other
            assert verify(sealed(content), stream).verified == (positive == mistake)


@pytest.mark.parametrize(
    ("theorem", "evidence", "labels", "reason"),
    [
        ("novikoff", {"w": [[0, 1.0]]}, [], "its w does not separate the data"),
        ("progressive", {"delta": 0.5}, [], "the rounds of later passes are not fresh"),
        ("progressive", {"delta": 0.5}, [1], "its bound is not 0.985624757918476"),
        ("hinge", {"w": []}, [], "its bound is not 0.0"),
    ],
)
def test_of_no_rounds_little_can_be_said(
    theorem: str, evidence: Any, labels: list[int], reason: str
) -> None:
    rows = [(f"row {y}", y, [(0, 1.0)]) for y in labels]
    content = copy.deepcopy(true_claim("hinge")[0].content)
    content |= {
        "theorem": theorem,
        "statement": verifier.THEOREMS[theorem].statement,
        "evidence": evidence,
    }
    content["assumptions"] = list(verifier.THEOREMS[theorem].assumptions)
    content["data"] = verifier.Data(lambda: rows, {"positive": 1}, None).about | {"passes": 1}
    content["mistakes"] = {"count": 0, "rounds": ""}
    found = verifier.verify(sealed(content).text, lambda: rows).reason
    assert found.removesuffix("; no row has the label 1") == reason
