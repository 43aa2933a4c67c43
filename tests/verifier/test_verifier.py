"""The verifier: alone, on any values, on odd labels, on data that cannot be read."""

import hashlib
import json
import math
import struct
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from claims import pairs_of, reaches, separable_rows, true_claim
from novikoff import verifier
from novikoff.cli import main as cli
from novikoff.receipts.certificates import (
    certificate_about_data,
    certificate_of,
    sealed,
    verify,
)
from novikoff.streams import as_stream
from verifier import build

WRITTEN = (
    '{"assumptions":[],"bound":8.078125,"data":{"digest":'
    '"6dbe0aff0ebd479ce14eb79a3a481cc85bf0290c680d2105644b9bd6fb796197","dimension":5,"labels":'
    '{"positive":1},"nonzeros":7,"passes":2,"rows":4},"evidence":{"w":[[0,1.0],[4,-0.5]]},"format":'
    '"novikoff-certificate/1","learner":{"name":"Perceptron","parameters":{"bias":null,"hashing":'
    'null,"ties":"positive"}},"mistakes":{"count":2,"rounds":"AgM="},"sha256":'
    '"b352e7ac595b6d44e070cf3e6cfcef7755a5a73463640d11e03447fb9b2820ae","statement":"M \\u2264 '
    "R\\u00b2\\u2016w\\u2016\\u00b2 + 2L where L = \\u03a3_t max(0, 1 \\u2212 y_t w\\u00b7x_t)"
    '","theorem":"hinge"}'
)


def test_a_certificate_written_long_ago_verifies(tmp_path: Path) -> None:
    """Its bytes are here, not made by what reads them; all other certificates of tests are."""
    data = tmp_path / "d.svm"
    data.write_text("+1 1:0.5 2:0.75\n-1 2:0.25 5:2\n+1 1:1.5\n-1 1:-0.25 5:1\n")
    verdict = verifier.verify(WRITTEN.encode(), lambda: verifier.read_svmlight(str(data)))
    assert verdict == (True, "hinge", 2, 8.078125, "verified")
    assert sealed(json.loads(WRITTEN)).text == WRITTEN.encode()


def test_the_bytes_of_a_value_are_one() -> None:
    plain = {"b": [1, 1.0, True, None, 0.1], "a": {"ü": "≤"}}
    assert verifier.canonical(plain) == b'{"a":{"\\u00fc":"\\u2264"},"b":[1,1.0,true,null,0.1]}'
    for odd in (math.nan, math.inf):
        with pytest.raises(ValueError, match="not JSON compliant"):
            verifier.canonical([odd])


ROWS: list[Any] = [("row 1", "a", [(7, 2.0), (0, 0.5)]), ("row 2", "b", []), ("", "a", [(3, -1.0)])]


@pytest.mark.parametrize(
    ("labels", "form", "codes"),
    [({"positive": "b"}, "<bI", [-1, 1, -1]), ({"classes": ["a", "b"]}, "<II", [0, 1, 0])],
)
def test_the_digest_of_rows_is_over_these_bytes(labels: Any, form: str, codes: list[int]) -> None:
    rows = [
        struct.pack(form + "QdQd", codes[0], 2, 0, 0.5, 7, 2.0),
        struct.pack(form, codes[1], 0),
        struct.pack(form + "Qd", codes[2], 1, 3, -1.0),
    ]
    digest = hashlib.sha256(b"".join(rows)).hexdigest()
    about = {"digest": digest, "rows": 3, "nonzeros": 3, "dimension": 8, "labels": labels}
    assert verifier.Data(lambda: ROWS, labels, 3.0).about == about


def test_the_digest_of_sentences_is_over_these_bytes() -> None:
    sentences: list[Any] = [("", ["N", "V"], [[(4, 2), (1, 1)], []]), ("", [], [])]
    bytes_ = struct.pack("<IIIQdQdIII", 2, 1, 2, 1, 1.0, 4, 2.0, 0, 0, 0)
    labels: Any = {"tags": ["V", "N"]}
    about = {"rows": 2, "nonzeros": 2, "dimension": 5, "labels": labels}
    about |= {"digest": hashlib.sha256(bytes_).hexdigest()}
    assert verifier.Sentences(lambda: sentences, labels).about == about


@pytest.mark.shows("refuses", "novikoff", "hinge", "hinge-tight", "freund-schapire", "run")
def test_what_no_theorem_speaks_of_is_refused() -> None:
    X, y, w = separable_rows()
    stream, evidence = nv.stream(X, y), {"w": pairs_of(w)}
    used = nv.Perceptron()
    nv.play(used, stream)
    runs = {
        "begun on a used learner": nv.play(used, stream),
        "weighted": nv.play(nv.Perceptron(), nv.stream(X, y, weights=np.full(len(y), 2.0))),
        "ModifiedPerceptron": nv.play(nv.ModifiedPerceptron(0.1), stream),
        "of the run's": nv.play(nv.Perceptron(), nv.stream(X[:100], y[:100])),
    }
    for reason, run in runs.items():
        for theorem in ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run"):
            with pytest.raises(nv.HypothesisError, match=reason):
                certificate_of(run, stream, theorem, evidence)
    run = nv.play(nv.Perceptron(), stream)
    with pytest.raises(nv.HypothesisError, match="does not separate"):
        certificate_of(run, stream, "novikoff", {"w": pairs_of(-w)})
    with pytest.raises(nv.InputError, match="used up by its first pass"):
        verify(certificate_of(run, stream, "hinge", evidence), iter([(X[0], 1)]))


def test_the_verifier_stands_alone(tmp_path: Path) -> None:
    """From another folder, with the standard library only, on svmlight and CSV files."""
    X, y, w = separable_rows(60, 3)
    X = np.where(np.abs(X) < 0.2, 0.0, X)
    stream = nv.stream(X, y)
    run = nv.play(nv.AveragedPerceptron(bias=1.0), stream, until_clean=True)
    certificate_of(run, stream, "hinge-tight", {"w": pairs_of(w)}).save(tmp_path / "c.json")
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


CORE = tuple(f"core/{name}.py" for name in build.CORE)


def test_the_core_works_without_the_further_parts(tmp_path: Path) -> None:
    """Who wants to read of the perceptron alone can build a verifier of it alone."""
    script = tmp_path / "core.py"
    script.write_text(build.written((*CORE, "families/perceptron.py")))
    X, y, _ = separable_rows(20, 2)
    stream = nv.stream(X, y)
    rows = (
        " ".join([str(t), f"1:{a!r}", f"2:{b!r}"])
        for (a, b), t in zip(X.tolist(), y.tolist(), strict=True)
    )
    (tmp_path / "d.svm").write_text("\n".join(rows))
    for learner, code in ((nv.VotedPerceptron(), 0), (nv.KernelPerceptron(nv.linear), 1)):
        nv.certify(nv.play(learner, stream), stream).save(tmp_path / "c.json")
        command = [sys.executable, "-I", "-S", str(script), "c.json", "d.svm"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (code, "")


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
        "format": verifier.FORMAT, "theorem": theorem,
        "statement": verifier.THEOREMS[theorem].statement,
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


def test_progressive_counts_the_first_round_of_many_classes() -> None:
    stream = nv.stream([[1.0, 0.0], [0.0, 1.0]] * 50, ["a", "b"] * 50)
    run = nv.play(nv.MulticlassPerceptron(), stream)
    certificate = certificate_of(run, stream, "progressive-mixture", {"delta": 0.05})
    assert certificate.bound == pytest.approx(nv.error_bound(run.ledger).value, rel=1e-12)
    assert verify(certificate, stream).verified


BAD: dict[str, tuple[str, str]] = {
    "data.svm:2: expected index:value, indices from 1, got '3:abc'": ("svm", "1 1:2\n-1 3:abc\n"),
    "data.svm:1: expected index:value, indices from 1, got '3'": ("svm", "1 3\n"),
    "data.svm:3: expected index:value, indices from 1, got '1:nan'": (
        "svm", "1 1:2\n\n-1 2:1 1:nan\n"
    ),
    "data.svm:1: expected a finite number, got '1e999'": ("svm", "1 2:1e999\n"),
    "data.svm:1: expected every feature once, got [1, 1]": ("svm", "1 1:2 1:3\n"),
    "data.svm:1: expected index:value, indices from 1, got '0:2'": ("svm", "1 0:2\n"),
    "data.svm:2: expected a label, got '1_0'": ("svm", "1 1:2\n1_0 1:1\n"),
    "data.svm:1: expected a label, got 'nan'": ("svm", "nan 1:2\n"),
    "data.svm:1: expected a number within ±2^53 as the label, got '9007199254740993'": (
        "svm", "9007199254740993 1:2\n"
    ),
    "data.csv:1: expected a column 'y', got ['a', 'b']": ("csv", "a,b\n1,2\n"),
    "data.csv:1: expected every column once, got ['y', 'y']": ("csv", "y,y\n1,2\n"),
    "data.csv:3: expected 2 cells, got 3": ("csv", "a,y\n1,2\n1,2,3\n"),
    "data.csv:3: expected a finite number, got 'x'": ("csv", "a,y\n1,1\nx,1\n"),
    "data.csv:2: expected a finite number, got 'inf'": ("csv", "a,y\ninf,1\n"),
    "data.csv:2: expected quotes around whole cells, got '\"x'": ("csv", 'a,y\n1,"x\n'),
    "data.csv:2: expected every feature once, got ['a=b', 'a=b']": ("csv", "a,a=b,y\nb,1,1\n"),
    "data.svm:2: expected a label, got '\\x1f\\\\xff'": ("svm", "1 1:2\n\x1f\udcff\n"),
    "data.svm:2: expected text in UTF-8, got '\\\\xff'": ("svm", "1 1:2\n\udcff\n"),
    "data.svm:1: expected plain text, got a file of bzip2": ("svm", "BZh 1:2\n"),
}  # fmt: skip


@pytest.mark.parametrize("said", BAD)
def test_bad_data_are_bad_input_and_no_verdict(
    said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, text = BAD[said]
    monkeypatch.chdir(tmp_path)
    Path(f"data.{kind}").write_bytes(text.encode(errors="surrogateescape"))
    true_claim("hinge")[0].save("c.json")
    column = ["y"] if kind == "csv" else []
    assert verifier.main(["c.json", f"data.{kind}", *column]) == 3
    assert said in capsys.readouterr().err
    label = ["--label", "y"] if kind == "csv" else []
    assert cli(["verify", "c.json", f"data.{kind}", *label, "--json"]) == 3
    out, err = capsys.readouterr()
    assert (out, "expected" in err) == ("", True)
    Path("c.json").write_text("{}")  # what is no certificate is refused before its data are read
    assert verifier.main(["c.json", f"data.{kind}", *column]) == 1


def test_a_stream_that_cannot_be_read_is_bad_input() -> None:
    certificate, _ = true_claim("hinge")
    for rows in ([([1.0, math.nan], 1)], [({"a": math.inf}, 1)], [(["x"], 1)]):
        with pytest.raises(nv.InputError, match="expected"):
            verify(certificate, rows)
    for items in ([(2**63, 1.0)], [(-3, 1.0)], [(0, math.nan)], [(1, 1.0), (1, 2.0)]):
        bad = [("row 1", 1, items)]
        with pytest.raises(verifier.BadData, match="row 1: expected"):
            verifier.verify(certificate.text, lambda bad=bad: bad)  # type: ignore[misc]


def test_words_where_the_certificate_has_numbers_are_other_data(tmp_path: Path) -> None:
    (tmp_path / "d.svm").write_text("yes 1:1\n")
    certificate, _ = true_claim("hinge")
    verdict = verifier.verify(
        certificate.text, lambda: verifier.read_svmlight(str(tmp_path / "d.svm"))
    )
    assert verdict.reason == "these are not its data"


def test_the_verifier_runs_where_it_lies(tmp_path: Path) -> None:
    certificate, _ = true_claim("hinge")
    certificate.save(tmp_path / "c.json")
    (tmp_path / "d.svm").write_text("1 1:1\n")
    command = [sys.executable, verifier.__file__, str(tmp_path / "c.json"), str(tmp_path / "d.svm")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["reason"]) == (1, "these are not its data")
    missing = subprocess.run([*command[:-1], "nowhere"], capture_output=True, check=False)
    assert (missing.returncode, missing.stdout) == (3, b"")
    usage = subprocess.run(command[:-1], capture_output=True, check=False)
    assert usage.returncode == 2


@pytest.mark.parametrize("root", [2, 3, Fraction(1, 2), Fraction(1, 3), 10**40 + 1, 4])
def test_roots_are_rounded_up_without_a_long_walk(root: Any) -> None:
    for value in (Fraction(0), Fraction(5), Fraction(1, 10**30)):
        found = verifier.least_float(value, Fraction(root))
        assert reaches(found, value, Fraction(root))
        assert not reaches(math.nextafter(found, -math.inf), value, Fraction(root))


def test_what_is_above_every_float_rounds_up_to_infinity() -> None:
    largest = Fraction(sys.float_info.max)
    assert verifier.least_float(largest) == sys.float_info.max
    for value in (largest + 1, 2 * largest):
        assert verifier.least_float(value) == math.inf


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
    assert verify(claim, other).reason == "these are not its data"
    assert verify(true_claim("hinge")[0], true_claim("hinge")[1]).reason == "verified"


def test_files_are_read_as_they_are_written(tmp_path: Path) -> None:
    """A byte order mark, comments, query ids, and line ends within quotes."""
    svm, table = tmp_path / "d.svm", tmp_path / "d.csv"
    svm.write_bytes("\ufeff1 qid:7 1:2.5# ü\n\n#\n-1 3:1 # 4:x\n".encode())
    assert [row[1:] for row in verifier.read_svmlight(str(svm))] == [
        (1, [(0, 2.5)]), (-1, [(2, 1.0)])
    ]  # fmt: skip
    table.write_bytes('\ufeffy,ä,"b,c"\n"up\r\nx",1,2\n\nü,3,4\n'.encode())
    assert list(verifier.read_csv(str(table), "y")) == [
        (f"{table}:2", "up\r\nx", [(0, 1.0), (1, 2.0)]), (f"{table}:5", "ü", [(0, 3.0), (1, 4.0)])
    ]  # fmt: skip
    table.write_text("")
    with pytest.raises(verifier.BadData, match=r"d.csv:1: expected a column 'y', got \[''\]"):
        list(verifier.read_csv(str(table), "y"))


def test_the_verifier_prints_its_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [([1.0], 1), ([2.0], -1)]
    run = nv.play(nv.Perceptron(), rows)
    certificate, data = tmp_path / "c.json", tmp_path / "d.svm"
    certificate_of(run, as_stream(rows), "hinge", {"w": []}).save(certificate)
    data.write_text("1 1:1\n-1 1:2\n")
    assert verifier.main([str(certificate), str(data)]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "verified": True, "theorem": "hinge", "observed": 1, "bound": 4.0, "reason": "verified"
    }  # fmt: skip
    certificate.write_bytes(b"\xff")
    assert verifier.main([str(certificate), str(data)]) == 1
    assert json.loads(capsys.readouterr().out)["verified"] is False
    for arguments in ([], ["c.json"], ["c.json", "d.csv", "y", "z"]):
        assert verifier.main(arguments) == 2
        assert capsys.readouterr().out == (
            "usage: verifier.py CERTIFICATE DATA.svm, or CERTIFICATE DATA.csv LABEL-COLUMN;\n"
            "       and start=MODEL for a run that went on from a model;\n"
            "       and predictions=FILE for a certificate about predictions;\n"
            "       verifier.py --chain CERTIFICATE CERTIFICATE ...\n"
        )
