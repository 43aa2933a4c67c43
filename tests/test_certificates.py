"""Certificates: the true ones verify, every forgery is refused."""

import base64
import copy
import hashlib
import json
import math
import subprocess
import sys
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from novikoff import verifier
from novikoff.certificates import (
    Certificate,
    certificate_about_data,
    certificate_of,
    sealed,
    transcript,
    verify,
)
from novikoff.cli import main as cli
from novikoff.registry import named
from novikoff.streams import Stream, as_stream

LINEAR = ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run")


def _data(rounds: int = 120, d: int = 5, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(d)
    X = rng.standard_normal((4 * rounds, d))
    X = X[np.abs(X @ w) > 0.3][:rounds]
    return X, np.where(X @ w >= 0, 1, -1), w


def _pairs(w: Any) -> list[list[Any]]:
    return [[j, float(v)] for j, v in enumerate(w)]


def _made(name: str) -> tuple[Certificate, Stream]:
    X, y, w = _data()
    stream: Stream = nv.stream(X, y)
    if name in LINEAR:
        run = nv.play(nv.Perceptron(bias=0.5), stream, passes=3)
        return certificate_of(run, stream, name, {"w": _pairs(w)}), stream
    if name == "multiclass":
        labels = np.array(["red", "green", "blue"])[np.argsort(X[:, :3], axis=1)[:, 0]]
        stream = nv.stream(X, labels)
        run = nv.play(nv.MulticlassPerceptron(), stream)
        weights = [[run.labels.known.index("red"), 0, -1.5], [0, 1, 0.25]]
        return certificate_of(run, stream, "hinge-tight", {"w": weights}), stream
    if name.startswith("minnow"):
        run = nv.play(nv.BalancedMinnow(0.02), stream)
        gamma = 3.0
        if name == "minnow":
            gamma = float(np.abs(X @ w).min()) * 0.999
            run = nv.play(nv.BalancedMinnow(0.005), stream)
        return certificate_of(run, stream, name, {"w": _pairs(w), "gamma": gamma}), stream
    if name == "progressive":
        run = nv.play(nv.VotedPerceptron(), stream)
        return certificate_of(run, stream, name, {"delta": 0.05}), stream
    evidence: dict[str, Any] = {"w": _pairs(w), "bias": None}
    if name == "not separable":
        stream = nv.stream(np.array([[1.0, 2.0], [2.0, 4.0], [0.5, 0.0]]), [1, -1, 1])
        evidence = {"rows": [1, 2], "weights": [2, 1], "bias": None}
    about = verifier.Data(_rows(stream), {"positive": 1}, None).about
    content: dict[str, Any] = {
        "format": verifier.FORMAT, "theorem": name, "statement": verifier.STATEMENTS[name],
        "assumptions": [], "data": about | {"passes": None}, "learner": None, "mistakes": None,
        "evidence": evidence, "bound": None,
    }  # fmt: skip
    return sealed(content), stream


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


def _rows(stream: Any) -> Any:
    from novikoff.certificates import Rereading

    return Rereading(as_stream(stream))


KINDS = [
    *LINEAR,
    "multiclass",
    "minnow",
    "minnow-hinge",
    "progressive",
    "separable",
    "not separable",
]


@pytest.mark.parametrize("name", KINDS)
def test_true_certificates_verify(name: str, tmp_path: Path) -> None:
    certificate, stream = _made(name)
    verdict = verify(certificate, stream)
    assert verdict.verified, verdict.reason
    assert verdict.bound == certificate.bound
    assert verdict.observed == certificate.observed
    certificate.save(tmp_path / "c.json")
    assert Certificate.load(tmp_path / "c.json").text == certificate.text


@pytest.mark.parametrize("name", LINEAR)
def test_the_registry_and_the_verifier_agree(name: str) -> None:
    """The theorem is stated once more in the verifier, which imports nothing: in the same words."""
    assert named(name).statement == verifier.STATEMENTS[name] + "."


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
    certificate, stream = _made(name)
    rows = _rows(stream)
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


@pytest.mark.parametrize("name", [*LINEAR, "multiclass", "minnow-hinge", "progressive"])
def test_mistakes_dropped_added_or_moved_are_refused(name: str) -> None:
    certificate, stream = _made(name)
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
    X, y, w = _data()
    stream = nv.stream(X, y)
    run = nv.play(nv.Perceptron(), stream)
    certificate = certificate_of(run, stream, "hinge", {"w": _pairs(w)})
    flipped = y.copy()
    flipped[7] *= -1
    nudged = X.copy()
    nudged[3, 2] = np.nextafter(nudged[3, 2], 9)
    for other in (
        nv.stream(X[::-1], y[::-1]), nv.stream(X, flipped), nv.stream(nudged, y),
        nv.stream(X[:-1], y[:-1]), nv.stream(X[:, ::-1], y), nv.stream(X[:0], y[:0]),
    ):  # fmt: skip
        assert verify(certificate, other) == (False, "hinge", None, None, "the data are others")
    assert verify(certificate, nv.stream(X, np.where(y > 0, 1, 0))).verified
    assert verify(certificate, [(x, int(label)) for x, label in zip(X, y, strict=True)]).verified


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
    with pytest.raises(nv.VerificationError, match="expected novikoff-certificate/1, got"):
        Certificate.load(tmp_path / "c")


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
    X, y, w = _data()
    stream = nv.stream(X, y)
    run = nv.play(nv.Perceptron(), stream)
    certificate = certificate_of(run, stream, "hinge", {"w": _pairs(w)})
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
    certificate = certificate_of(run, as_stream(rows), name, {"w": _pairs(w)})
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
    assert _reaches(bound, whole, under)
    assert not _reaches(math.nextafter(bound, -math.inf), whole, under)
    assert verify(certificate, rows).verified


def _reaches(f: float, whole: Fraction, under: Fraction) -> bool:
    return Fraction(f) >= whole and (Fraction(f) - whole) ** 2 >= under


def test_what_no_theorem_speaks_of_is_refused() -> None:
    X, y, w = _data()
    stream, evidence = nv.stream(X, y), {"w": _pairs(w)}
    used = nv.Perceptron()
    nv.play(used, stream)
    runs = {
        "begun on a used learner": nv.play(used, stream),
        "weighted": nv.play(nv.Perceptron(), nv.stream(X, y, weights=np.full(len(y), 2.0))),
        "ModifiedPerceptron": nv.play(nv.ModifiedPerceptron(0.1), stream),
        "of the run's": nv.play(nv.Perceptron(), nv.stream(X[:100], y[:100])),
    }
    for reason, run in runs.items():
        with pytest.raises(nv.HypothesisError, match=reason):
            certificate_of(run, stream, "hinge", evidence)
    run = nv.play(nv.Perceptron(), stream)
    with pytest.raises(nv.HypothesisError, match="does not separate"):
        certificate_of(run, stream, "novikoff", {"w": _pairs(-w)})
    with pytest.raises(nv.InputError, match="used up by its first pass"):
        verify(certificate_of(run, stream, "hinge", evidence), iter([(X[0], 1)]))


def test_the_verifier_stands_alone(tmp_path: Path) -> None:
    """From another folder, with the standard library only, on svmlight and CSV files."""
    X, y, w = _data(60, 3)
    X = np.where(np.abs(X) < 0.2, 0.0, X)
    stream = nv.stream(X, y)
    run = nv.play(nv.AveragedPerceptron(bias=1.0), stream, until_clean=True)
    certificate_of(run, stream, "hinge-tight", {"w": _pairs(w)}).save(tmp_path / "c.json")
    svm = [
        " ".join([f"{t:+d}", *(f"{j + 1}:{v!r}" for j, v in enumerate(x.tolist()) if v)])
        for x, t in zip(X, y.tolist(), strict=True)
    ]
    (tmp_path / "data.svm").write_text("\n".join(svm) + "  # the end\n")
    csv = [",".join([*map(repr, x.tolist()), str(t)]) for x, t in zip(X, y.tolist(), strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c,label", *csv]))
    script = tmp_path / "verifier.py"
    script.write_text(Path(verifier.__file__).read_text())

    def verified(*arguments: str) -> Any:
        command = [sys.executable, "-I", "-S", str(script), str(tmp_path / "c.json"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
        return done.returncode, json.loads(done.stdout)["verified"]

    assert verified(str(tmp_path / "data.svm")) == (0, True)
    assert verified(str(tmp_path / "data.csv"), "label") == (0, True)
    (tmp_path / "data.svm").write_text("\n".join(svm[1:]))
    assert verified(str(tmp_path / "data.svm")) == (1, False)


def test_the_unit_vectors_reach_novikoffs_bound() -> None:
    """M = ⌊(R/γ)²⌋ = d: the theorem is tight, and the bound is not a hair below it."""
    for d in (1, 2, 3, 7, 10, 100, 289, 1000):
        rounds = [(([j], [1.0]), -1) for j in range(d)]  # 0 predicts +1: always wrong
        run = nv.play(nv.Perceptron(), rounds)
        evidence = {"w": [[j, -1.0] for j in range(d)]}
        certificate = certificate_of(run, as_stream(rounds), "novikoff", evidence)
        assert certificate.bound == run.mistakes == d


@pytest.mark.parametrize(
    "rows",
    [
        [([1e150, 1e-250], 1), ([-1e150, 3e-250], -1), ([2e149, -1e-250], -1)],
        [([5e-324, 1e308], 1), ([1e-300, -1e308], 1), ([0.0, 0.0], -1)],
        [([0.1, 2.0**-1000], -1), ([0.2, -(2.0**60)], -1)],
        [([], -1)],
    ],
)
@pytest.mark.parametrize("bias", [None, 1e-200])
def test_values_of_any_size_can_be_certified(rows: Any, bias: float | None) -> None:
    run = nv.play(nv.Perceptron(bias=bias), rows)
    try:
        certificate = certificate_of(run, as_stream(rows), "hinge", {"w": []})
    except nv.HypothesisError as error:
        assert "beyond every float" in str(error)  # noqa: PT017
        return
    assert certificate.bound == 2 * len(rows)
    assert verify(certificate, rows).verified


def _claim(rows: Any, theorem: str, evidence: Any, labels: Any) -> verifier.Verdict:
    """Verify a claim about data, made up to look right."""
    data = verifier.Data(lambda: rows, labels, None)
    content = {
        "format": verifier.FORMAT, "theorem": theorem, "statement": verifier.STATEMENTS[theorem],
        "assumptions": [], "learner": None, "mistakes": None, "bound": None, "evidence": evidence,
        "data": data.about | {"passes": None},
    }  # fmt: skip
    return verifier.verify(sealed(content).text, lambda: rows)


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ((1, -1), {"classes": [1, -1]}),
        (("9007199254740992", "9007199254740993"), {"positive": "9007199254740992"}),
        (("1e3", "1000"), {"positive": "1e3"}),
        (("nan", "b"), {"positive": "nan"}),
    ],
)
def test_labels_cannot_be_bent_to_a_false_claim(labels: Any, names: Any) -> None:
    rows = [("row 1", labels[0], [(0, 1.0)]), ("row 2", labels[1], [(0, -1.0)])]  # separable
    for witness in ([1], [1, 2]):
        evidence = {"rows": witness, "weights": [1] * len(witness), "bias": None}
        assert not _claim(rows, "not separable", evidence, names).verified
    if "positive" in names:
        assert _claim(rows, "separable", {"w": [[0, 1.0]], "bias": None}, names).verified


@pytest.mark.parametrize(
    ("w", "gamma", "eta"), [(5e24, 3.4e5, 3e-20), (1e28, 1e6, 1e-20), (5e21, 1e4, 1.3e-18)]
)
def test_minnows_bound_survives_cancellation(w: float, gamma: float, eta: float) -> None:
    rows = [([1.0, 0.0], 1), ([0.0, 1.0], 1)]
    run = nv.play(nv.Minnow(eta), rows)
    context = Context(prec=400)
    up = context.exp(Decimal(eta))
    down = context.divide(Decimal(1), up)
    ln_cosh = context.ln(context.divide(context.add(up, down), Decimal(2)))
    room = context.subtract(
        context.multiply(Decimal(eta), Decimal(gamma)), context.multiply(2 * Decimal(w), ln_cosh)
    )
    evidence = {"w": [[0, w], [1, w]], "gamma": gamma}
    if room <= 0:
        with pytest.raises(nv.HypothesisError, match="ηγ is not above"):
            certificate_of(run, as_stream(rows), "minnow", evidence)
        return
    exact = context.divide(context.multiply(2 * Decimal(w), context.ln(Decimal(2))), room)
    certificate = certificate_of(run, as_stream(rows), "minnow", evidence)
    assert certificate.bound is not None
    assert certificate.bound >= exact > Decimal(math.nextafter(certificate.bound, 0))


def test_progressive_counts_the_first_round_of_many_classes() -> None:
    stream = nv.stream([[1.0, 0.0], [0.0, 1.0]] * 50, ["a", "b"] * 50)
    run = nv.play(nv.MulticlassPerceptron(), stream)
    certificate = certificate_of(run, stream, "progressive", {"delta": 0.05})
    assert certificate.bound == pytest.approx(nv.error_bound(run.ledger).value, rel=1e-12)
    assert verify(certificate, stream).verified


BAD: dict[str, tuple[str, str]] = {
    "data.svm:2: expected index:value, got '3:abc'": ("svm", "1 1:2\n-1 3:abc\n"),
    "data.svm:1: expected index:value, got '3'": ("svm", "1 3\n"),
    "data.svm:3: expected finite values, got [nan]": ("svm", "1 1:2\n\n-1 2:1 1:nan\n"),
    "data.svm:1: expected every feature once, counted from the first, got [0, 0]": (
        "svm", "1 1:2 1:3\n"
    ),
    "data.svm:1: expected every feature once, counted from the first, got [-1]": ("svm", "1 0:2\n"),
    "data.csv:1: expected one column 'y', got ['a', 'b']": ("csv", "a,b\n1,2\n"),
    "data.csv:1: expected one column 'y', got ['y', 'y']": ("csv", "y,y\n1,2\n"),
    "data.csv:3: expected 2 columns, got 3": ("csv", "a,y\n1,2\n1,2,3\n"),
    "data.csv:2: expected a number, got 'x'": ("csv", "a,y\nx,1\n"),
    "data.csv:2: expected finite values, got [inf]": ("csv", "a,y\ninf,1\n"),
    "after the top of the data: expected text in UTF-8, got": ("svm", "1 1:2\n\udcff\n"),
    "after data.csv:2: expected text in UTF-8, got": ("csv", f'a,y\n1,1\n"{"1" * 200_000}",1\n'),
}  # fmt: skip


@pytest.mark.parametrize("said", BAD)
def test_bad_data_are_bad_input_and_no_verdict(
    said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, text = BAD[said]
    monkeypatch.chdir(tmp_path)
    Path(f"data.{kind}").write_bytes(text.encode(errors="surrogateescape"))
    _made("hinge")[0].save("c.json")
    column = ["y"] if kind == "csv" else []
    assert verifier.main(["c.json", f"data.{kind}", *column]) == 3
    assert said in capsys.readouterr().err
    if "got 'x'" not in said:  # text, which the library reads as a feature of its own
        assert cli(["verify", "c.json", f"data.{kind}", "--label", "y", "--json"]) == 3
        out, err = capsys.readouterr()
        assert (out, "expected" in err) == ("", True)
    Path("c.json").write_text("{}")  # what is no certificate is refused before its data are read
    assert verifier.main(["c.json", f"data.{kind}", *column]) == 1


def test_a_stream_that_cannot_be_read_is_bad_input() -> None:
    certificate, _ = _made("hinge")
    for rows in ([([1.0, math.nan], 1)], [({"a": math.inf}, 1)], [(["x"], 1)]):
        with pytest.raises(nv.InputError, match="expected"):
            verify(certificate, rows)
    for items in ([(2**64 + 1, 1.0)], [(-3, 1.0)], [(0, math.nan)], [(1, 1.0), (1, 2.0)]):
        bad = [("row 1", 1, items)]
        with pytest.raises(verifier.BadData, match="row 1: expected"):
            verifier.verify(certificate.text, lambda bad=bad: bad)  # type: ignore[misc]


def test_words_where_the_certificate_has_numbers_are_other_data(tmp_path: Path) -> None:
    (tmp_path / "d.svm").write_text("yes 1:1\n")
    certificate, _ = _made("hinge")
    verdict = verifier.verify(
        certificate.text, lambda: verifier.read_svmlight(str(tmp_path / "d.svm"))
    )
    assert verdict.reason == "its labels are numbers, and the data have 'yes'"


def test_the_verifier_runs_where_it_lies(tmp_path: Path) -> None:
    certificate, _ = _made("hinge")
    certificate.save(tmp_path / "c.json")
    (tmp_path / "d.svm").write_text("1 1:1\n")
    command = [sys.executable, verifier.__file__, str(tmp_path / "c.json"), str(tmp_path / "d.svm")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["reason"]) == (1, "the data are others")
    missing = subprocess.run([*command[:-1], "nowhere"], capture_output=True, check=False)
    assert (missing.returncode, missing.stdout) == (3, b"")
    usage = subprocess.run(command[:-1], capture_output=True, check=False)
    assert usage.returncode == 2


@pytest.mark.parametrize("root", [2, 3, Fraction(1, 2), Fraction(1, 3), 10**40 + 1, 4])
def test_roots_are_rounded_up_without_a_long_walk(root: Any) -> None:
    for value in (Fraction(0), Fraction(5), Fraction(1, 10**30)):
        found = verifier.least_float(value, Fraction(root))
        assert _reaches(found, value, Fraction(root))
        assert not _reaches(math.nextafter(found, -math.inf), value, Fraction(root))


def test_a_positive_label_that_never_occurs_is_said() -> None:
    """Rounds that are all negative are rounds: the certificate is true, and the verdict says so."""
    stream = nv.stream([[1.0, 0.5], [0.25, 1.0]], ["ham", "eggs"], positive="spam")
    run = nv.play(nv.Perceptron(), stream)
    certificate = certificate_of(run, stream, "novikoff", {"w": [[0, -1.0], [1, -1.0]]})
    assert verify(certificate, stream) == (
        True, "novikoff", 1, certificate.bound, "verified; no row has the label 'spam'"
    )  # fmt: skip
    claim = certificate_about_data(stream, "separable", {"w": [[0, -1.0]], "bias": None}, "spam")
    assert verify(claim, stream).reason == "verified; no row has the label 'spam'"
    other = nv.stream([[1.0, 0.5], [0.25, 1.0]], ["ham", "spam"], positive="spam")
    assert verify(claim, other).reason == "the data are others"
    assert verify(_made("hinge")[0], _made("hinge")[1]).reason == "verified"
