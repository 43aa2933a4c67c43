"""Certificates: the true ones verify, every forgery is refused."""

import base64
import copy
import hashlib
import json
import math
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from claims import LINEAR, pairs_of, reaches, rows_of, separable_rows, true_claim
from novikoff import verifier
from novikoff.receipts.certificates import (
    Certificate,
    certificate_of,
    sealed,
    transcript,
    verify,
)
from novikoff.streams import ExampleBlock, Stream, as_stream
from novikoff.streams.stream import Rounds


def _mistakes(certificate: Certificate) -> list[int]:
    """Read the rounds of the mistakes back from their gaps."""
    rounds, gap, shift = [0], 0, 0
    for byte in base64.b64decode(certificate.content["mistakes"]["rounds"]):
        gap |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            rounds.append(rounds[-1] + gap)
            gap = shift = 0
    return rounds[1:]


KINDS = [
    *LINEAR,
    "multiclass",
    "kernel-polynomial",
    "kernel-rbf",
    "minnow",
    "minnow-hinge",
    "progressive",
    "progressive-mixture",
    "separable",
    "not separable",
]


@pytest.mark.parametrize("name", KINDS)
def test_true_certificates_verify(name: str, tmp_path: Path) -> None:
    certificate, stream = true_claim(name)
    verdict = verify(certificate, stream)
    assert verdict.verified, verdict.reason
    assert verdict[1:4] == (certificate.theorem, certificate.observed, certificate.bound)
    certificate.save(tmp_path / "c.json")
    assert Certificate.load(tmp_path / "c.json").text == certificate.text


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [found for key in value for found in _leaves(value[key], (*path, key))] + [path]
    if isinstance(value, list):
        return [f for k in range(min(len(value), 3)) for f in _leaves(value[k], (*path, k))] + [
            path
        ]
    return [path]


def _changes(value: Any) -> list[Any]:
    """Other values for a field."""
    if isinstance(value, bool) or value is None:
        return [0, "x", not value, [], 1.5]
    if isinstance(value, int):
        return [value + 1, value - 1, -value - 1, 10**30, float(value), str(value), None, True]
    if isinstance(value, float):
        up, down = math.nextafter(value, math.inf), math.nextafter(value, -math.inf)
        return [up, down, -value - 1, value * 2 + 1, 1e308, 5e-324, None, str(value), 7]
    if isinstance(value, str):
        return [value + "x", value[:-1], "", "x" * 100_000, None, 3, [value]]
    if isinstance(value, list):
        return [[], value[:-1], [*value, *value[-1:]], [*value[::-1], 1], None, {}, "x"]
    return [{}, {**value, "extra": 1}, None, [], "x"]


def _put(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.copy(content)
    changed[path[0]] = _put(content[path[0]], path[1:], value)
    return changed


def _text(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


@pytest.mark.parametrize("name", KINDS)
def test_every_single_field_changed_is_refused(name: str) -> None:
    certificate, stream = true_claim(name)
    rows = rows_of(stream)
    tried = 0
    for path in _leaves(certificate.content):
        value: Any = certificate.content
        for key in path:
            value = value[key]
        for other in _changes(value):
            if other == value and type(other) is type(value):
                continue
            forged = _put(certificate.content, path, other)
            if isinstance(forged, dict) and path != ("sha256",):
                verdict = verifier.verify(_text(forged), rows)
                assert not verdict.verified, (path, other)
                forged = {k: v for k, v in forged.items() if k != "sha256"}
                digest = hashlib.sha256(verifier.canonical(forged)).hexdigest()
                forged |= {"sha256": digest}
            verdict = verifier.verify(_text(forged), rows)
            tried += 1
            if verdict.verified:
                assert _still_true(path, value, other, certificate), (path, other)
            else:
                assert verdict.reason
    assert tried > 100


def _still_true(path: tuple[Any, ...], value: Any, other: Any, certificate: Certificate) -> bool:
    """A rewritten certificate that is true verifies: few single changes leave one true."""
    nudged = type(value) is type(other) is float and abs(other - value) <= 1e-15 * abs(value)
    if path[:2] == ("learner", "parameters"):  # those that change no mistake
        return bool(path[2:] in ((), ("max_voters",), ("hashing",)) or nudged)
    if path == ("learner", "name"):
        return False
    if path[:2] == ("data", "labels"):
        return True  # another spelling; the digest holds that every mapped label is the same
    if path == ("data", "passes"):  # one more clean pass, or one less
        rounds = _mistakes(certificate)
        return bool(rounds[-1] <= min(value, other) * certificate.content["data"]["rows"])
    if certificate.theorem in ("separable", "not separable"):
        return bool(path[0] == "evidence")  # another w, or another witness
    # A comparator moved by its last bit may have the same bound, rounded up.
    return bool(path[0] == "evidence" and nudged)


@pytest.mark.parametrize(
    "name",
    [*LINEAR, "multiclass", "kernel-rbf", "minnow-hinge", "progressive", "progressive-mixture"],
)
def test_mistakes_dropped_added_or_moved_are_refused(name: str) -> None:
    certificate, stream = true_claim(name)
    rounds = np.array(_mistakes(certificate))
    for changed in (rounds[1:], rounds[:-1], [*rounds, rounds[-1] + 1], rounds + 1, rounds[:0]):
        content = certificate.content | {
            "mistakes": {"count": len(changed), "rounds": transcript(changed)}
        }
        verdict = verify(sealed(content), stream)
        assert not verdict.verified
        first = min(set(map(int, rounds)) ^ set(map(int, changed)))
        assert f"round {first} is" in verdict.reason or "after the last round" in verdict.reason


def test_other_data_are_refused() -> None:
    X, y, w = separable_rows()
    stream = nv.stream(X, y)
    run = nv.play(nv.Perceptron(), stream)
    certificate = certificate_of(run, stream, "hinge", {"w": pairs_of(w)})
    flipped = y.copy()
    flipped[7] *= -1
    nudged = X.copy()
    nudged[3, 2] = np.nextafter(nudged[3, 2], 9)
    for other in (
        nv.stream(X[::-1], y[::-1]), nv.stream(X, flipped), nv.stream(nudged, y),
        nv.stream(X[:-1], y[:-1]), nv.stream(X[:, ::-1], y), nv.stream(X[:0], y[:0]),
    ):  # fmt: skip
        assert verify(certificate, other) == (False, "hinge", None, None, "these are not its data")
    assert verify(certificate, nv.stream(X, np.where(y > 0, 1, 0))).verified
    assert verify(certificate, [(x, int(label)) for x, label in zip(X, y, strict=True)]).verified


class Blocks(Stream):
    """Rounds in blocks, as they are."""

    replayable = True

    def __init__(self, *blocks: Rounds) -> None:
        self.given = blocks

    def blocks(self) -> Iterator[Rounds]:
        yield from self.given


def _named(*rows: Any) -> Any:
    return next(iter(nv.stream(rows, [1] * len(rows)).blocks())).rows


def test_a_row_that_cannot_be_read_is_named_by_its_place_in_the_stream() -> None:
    certificate, _ = true_claim("hinge")
    fine, odd = _named({"a": 1.0}), _named({"a": 1.0}, {"a": math.nan})
    for place, name in ((None, "row 4"), (lambda t: f"file:{t + 7}", "file:8")):
        stream = Blocks(Rounds(fine, [1]), Rounds(fine, [1]), Rounds(odd, [1, 1], place=place))
        with pytest.raises(nv.InputError) as error:
            verify(certificate, stream)
        assert str(error.value) == (
            f"{name}: expected a finite value for feature 'a', got nan. Drop the row or fill the "
            "value in before learning. Verify on the data that were played."
        )


def test_a_sentence_that_cannot_be_read_is_named_by_its_place_in_the_stream() -> None:
    words = [(["a", "b"], ["D", "N"])]
    certificate = nv.certify(nv.play(nv.StructuredPerceptron(nv.Chains("w[0]")), words))
    fine, odd = ExampleBlock([["a", "b"]]), ExampleBlock([["a"], [3]])
    for place, name in ((None, "sentence 4"), (lambda t: f"file:{t + 7}", "file:8")):
        first = Rounds(fine, [["D", "N"]])
        stream = Blocks(first, first, Rounds(odd, [["D"], ["D"]], place=place))
        with pytest.raises(nv.InputError, match=f"^{name}: position 1: expected a word, got 3"):
            verify(certificate, stream)


HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "not json": b"certificate",
    "a list": b"[1]",
    "truncated": b'{"format":"novikoff-certificate/1","theorem":"hi',
    "key twice": b'{"format":"novikoff-certificate/1","format":"novikoff-certificate/1"}',
    "deep": b"[" * 100_000,
    "nan": b'{"format":NaN}',
    "infinite": b'{"format":1e999}',
    "long number": b'{"format":' + b"9" * 100_000 + b"}",
    "not utf-8": b'{"format":"\xff"}',
    "long string": b'{"format":"' + b"x" * 10_000_000 + b'"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_certificate_is_refused(name: str, tmp_path: Path) -> None:
    verdict = verifier.verify(HOSTILE[name], lambda: [])
    assert not verdict.verified
    assert len(verdict.reason) < 400
    (tmp_path / "c").write_bytes(HOSTILE[name])
    said = (
        f"^{re.escape(str(tmp_path / 'c'))}: expected novikoff-certificate/1 or "
        r"novikoff-certificate/2, got something else: .*\. Take another copy of the file\.$"
    )
    with pytest.raises(nv.VerificationError, match=said):
        Certificate.load(tmp_path / "c")


def test_a_certificate_of_a_later_version_needs_a_later_novikoff(tmp_path: Path) -> None:
    text = b'{"format":"novikoff-certificate/3","proof":[1]}'
    (tmp_path / "c").write_bytes(text)
    with pytest.raises(nv.VerificationError) as caught:
        Certificate.load(tmp_path / "c")
    assert str(caught.value) == (
        f"{tmp_path / 'c'}: expected novikoff-certificate/1 or novikoff-certificate/2, got "
        "novikoff-certificate/3, a later version. Update novikoff, which is 0.2.0 here."
    )
    assert "take a later verifier" in verifier.verify(text, lambda: []).reason


def test_a_transcript_has_as_few_digits_as_can_be() -> None:
    for rounds, digits in (
        ([], b""), ([1, 128], b"\x01\x7f"), ([128], b"\x80\x01"), ([129, 130], b"\x81\x01\x01"),
        ([2**14 - 1], b"\xff\x7f"), ([2**14], b"\x80\x80\x01"),
    ):  # fmt: skip
        assert base64.b64decode(transcript(rounds)) == digits


@pytest.mark.parametrize(
    "change",
    [
        {"data": {"passes": 10**12}}, {"data": {"passes": 0}}, {"learner": {"name": "Oracle"}},
        {"learner": {"parameters": {"ties": "positive", "bias": 1e308}}},
        {"learner": {"parameters": {"ties": "positive", "bias": None, "noise": 1}}},
        {"evidence": {"w": [[0, 1e308], [1, 5e-324]]}}, {"evidence": {"w": [[10**30, 1.0]]}},
        {"evidence": {"w": [[0, 1.0], [0, 1.0]]}}, {"evidence": {"w": [[-2, 1.0]]}},
        {"mistakes": {"rounds": base64.b64encode(b"\xff" * 40).decode(), "count": 1}},
        {"mistakes": {"rounds": base64.b64encode(b"\x00" * 40).decode(), "count": 40}},
        {"mistakes": {"rounds": "€", "count": 0}},
    ],
)  # fmt: skip
def test_hostile_content_neither_crashes_nor_hangs(change: Any) -> None:
    X, y, w = separable_rows()
    stream = nv.stream(X, y)
    run = nv.play(nv.Perceptron(), stream)
    certificate = certificate_of(run, stream, "hinge", {"w": pairs_of(w)})
    content = copy.deepcopy(certificate.content)
    for name, fields in change.items():
        content[name] |= fields
    assert not verify(sealed(content), stream).verified


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from([0.0, 0.1, -0.3, 1.0, 1 / 3, 7e9]), min_size=3, max_size=3),
            st.sampled_from([-1, 1]),
        ),
        min_size=1, max_size=15,
    ),
    st.lists(st.floats(-2, 2), min_size=3, max_size=3),
    st.sampled_from(LINEAR[1:]),
)  # fmt: skip
def test_bounds_are_the_least_floats_above_the_exact_ones(rows: Any, w: Any, name: str) -> None:
    """Recomputed here in fractions: value ≤ bound, and the float below is less than the value."""
    run = nv.play(nv.Perceptron(), rows)
    certificate = certificate_of(run, as_stream(rows), name, {"w": pairs_of(w)})
    exact = [([Fraction(v) for v in x], y) for x, y in rows]
    u = [Fraction(v) for v in w]
    hinges = [max(Fraction(0), 1 - y * sum(map(Fraction.__mul__, u, x))) for x, y in exact]
    squares = [sum((v * v for v in x), Fraction(0)) for x, _ in exact]
    a = max(squares) * sum((v * v for v in u), Fraction(0))
    mistakes = [t - 1 for t in run.ledger.mistake_rounds.tolist()]
    parts = {
        "hinge": (a + 2 * sum(hinges), Fraction(0)),
        "hinge-tight": (a / 2 + sum(hinges), a * a / 4 + a * sum(hinges)),
        "freund-schapire": (
            a + sum(h * h for h in hinges), 4 * a * sum((h * h for h in hinges), Fraction(0))
        ),
        "run": (
            sum((hinges[t] for t in mistakes), Fraction(0)),
            sum((v * v for v in u), Fraction(0)) * sum((squares[t] for t in mistakes), Fraction(0)),
        ),
    }  # fmt: skip
    whole, under = parts[name]
    bound = certificate.bound
    assert bound is not None
    assert run.mistakes <= bound
    assert reaches(bound, whole, under)
    assert not reaches(math.nextafter(bound, -math.inf), whole, under)
    assert verify(certificate, rows).verified
