"""The verifier: alone, on any values, on odd labels, on data that cannot be read."""

import json
import math
import subprocess
import sys
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from claims import pairs_of, reaches, separable_rows, true_claim
from novikoff import verifier
from novikoff.certificates import (
    certificate_about_data,
    certificate_of,
    sealed,
    verify,
)
from novikoff.cli import main as cli
from novikoff.registry import named
from novikoff.streams import as_stream


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
        with pytest.raises(nv.HypothesisError, match=reason):
            certificate_of(run, stream, "hinge", evidence)
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
    true_claim("hinge")[0].save("c.json")
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
    certificate, _ = true_claim("hinge")
    for rows in ([([1.0, math.nan], 1)], [({"a": math.inf}, 1)], [(["x"], 1)]):
        with pytest.raises(nv.InputError, match="expected"):
            verify(certificate, rows)
    for items in ([(2**64 + 1, 1.0)], [(-3, 1.0)], [(0, math.nan)], [(1, 1.0), (1, 2.0)]):
        bad = [("row 1", 1, items)]
        with pytest.raises(verifier.BadData, match="row 1: expected"):
            verifier.verify(certificate.text, lambda bad=bad: bad)  # type: ignore[misc]


def test_words_where_the_certificate_has_numbers_are_other_data(tmp_path: Path) -> None:
    (tmp_path / "d.svm").write_text("yes 1:1\n")
    certificate, _ = true_claim("hinge")
    verdict = verifier.verify(
        certificate.text, lambda: verifier.read_svmlight(str(tmp_path / "d.svm"))
    )
    assert verdict.reason == "its labels are numbers, and the data have 'yes'"


def test_the_verifier_runs_where_it_lies(tmp_path: Path) -> None:
    certificate, _ = true_claim("hinge")
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
        assert reaches(found, value, Fraction(root))
        assert not reaches(math.nextafter(found, -math.inf), value, Fraction(root))


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
    assert verify(true_claim("hinge")[0], true_claim("hinge")[1]).reason == "verified"


MINNOWS: dict[str, tuple[Any, Any, Any]] = {
    "plain": (nv.Minnow(0.125), [[0, 2.0], [1, 0.0], [2, 0.5]], 3.0),
    "balanced": (nv.BalancedMinnow(0.125), [[0, 2.0], [1, -0.25]], 3.0),
    "plain with bias": (nv.Minnow(0.0625, bias=2.0), [[0, 1.0], [-1, 0.5]], 2.0),
    "balanced with bias": (nv.BalancedMinnow(0.0625, bias=-2.0), [[0, 1.0], [-1, -0.5]], 2.0),
    "no comparator": (nv.Minnow(0.125), [], 3.0),
    "a slow learner": (nv.Minnow(1e-5), [[0, 1.0]], 4e-5),
    "a fast learner": (nv.Minnow(50.0), [[0, 1.0]], 2.0),
}


@pytest.mark.parametrize("name", MINNOWS)
def test_minnows_bound_is_the_theorems(name: str) -> None:
    """The verifier's arithmetic and the registry's give the same float."""
    learner, pairs, gamma = MINNOWS[name]
    rows = [([1.0, -0.5, 0.25], 1), ([0.5, 2.0, 0.0], -1), ([2.0, 0.0, -1.0], 1)]
    run = nv.play(learner, rows)
    w, bias = {j: Fraction(v) for j, v in pairs}, learner.bias or 0.0
    exact = [({-1: bias} | dict(enumerate(x)), y) for x, y in rows]
    margins = [y * sum(v * Fraction(x.get(j, 0.0)) for j, v in w.items()) for x, y in exact]
    evidence = {
        "norm1": sum(map(abs, w.values())),
        "dimension": (3 + (bias != 0)) * (2 if "balanced" in name else 1),
        "eta": learner.eta,
        "gamma": gamma,
        "radius_inf": 2.0,
        "gamma_hinge": sum(max(Fraction(0), Fraction(gamma) - m) for m in margins),
    }
    certificate = certificate_of(run, as_stream(rows), "minnow-hinge", {"w": pairs, "gamma": gamma})
    assert certificate.bound == named("minnow-hinge").evaluate(evidence).value
    assert verify(certificate, rows).verified


@pytest.mark.parametrize("learner", [nv.Minnow, nv.BalancedMinnow])
@pytest.mark.parametrize("eta", [0.5, 1e-60, 700.0])
def test_minnows_near_ties_are_played_as_they_were(learner: Any, eta: float) -> None:
    """e^η beside 1 takes 121 digits to see where η = 1e-60, and is beyond floats where 700."""
    rng = np.random.default_rng(1)
    X = rng.integers(-2, 3, (60, 3)) * [1.0, 1.0, 1e250]
    stream = nv.stream(X, rng.choice([-1, 1], 60))
    run = nv.play(learner(eta), stream)
    assert 10 < run.mistakes < 50
    certificate = certificate_of(run, stream, "minnow-hinge", {"w": [], "gamma": 1.0})
    assert certificate.bound == 60
    assert verify(certificate, stream).verified


@pytest.mark.parametrize(
    ("mistakes", "rounds", "delta"),
    [(0, 10**9, 0.05), (3, 200, 0.1), (10**6, 3 * 10**6, 0.5), (10**9, 10**10, 0.9), (5, 5, 0.1)],
)
def test_the_progressive_bound_is_the_theorems(mistakes: int, rounds: int, delta: float) -> None:
    evidence = {"mistakes": mistakes, "rounds": rounds, "delta": delta}
    data: Any = SimpleNamespace(count=rounds, many=False)
    found = verifier.progressive_bound(data, mistakes, delta)
    assert found == named("progressive").evaluate(evidence).value
    data.many = True  # the first round's class is known when it is judged
    assert verifier.progressive_bound(data, max(0, mistakes - 1), delta) >= found


@pytest.mark.parametrize("name", ["hinge", "hinge-tight", "freund-schapire", "run"])
@pytest.mark.parametrize("labels", [["a", "b", "a", "c", "b"], ["a"] * 5])
def test_the_bounds_of_classes_are_the_theorems(name: str, labels: list[str]) -> None:
    X = [[1.0, 0.5], [-0.25, 1.0], [0.5, -2.0], [3.0, 1.0], [-0.5, 0.25]]
    stream = nv.stream(X, labels)
    run = nv.play(nv.MulticlassPerceptron(), stream)
    classes = list(dict.fromkeys(labels))
    w = {(k, j): Fraction(1 + k - 2 * j, 8) for k in range(len(classes)) for j in range(2)}
    hinges, squares = [], []
    for x, label in zip(X, labels, strict=True):
        scores = [sum(w[k, j] * Fraction(v) for j, v in enumerate(x)) for k in range(len(classes))]
        own = scores.pop(classes.index(label))
        hinges.append(max(Fraction(0), 1 - own + max(scores, default=Fraction(0))))
        squares.append(2 * sum(Fraction(v) ** 2 for v in x))
    wrong = [t - 1 for t in run.ledger.mistake_rounds.tolist()]
    evidence = {
        "radius2": max((squares[t] for t in wrong), default=Fraction(0)),
        "norm2": sum(v * v for v in w.values()),
        "hinge": sum(hinges),
        "hinge2": sum(h * h for h in hinges),
        "mistake_hinge": sum((hinges[t] for t in wrong), Fraction(0)),
        "mistake_energy": sum((squares[t] for t in wrong), Fraction(0)),
    }
    triples = [[k, j, float(v)] for (k, j), v in w.items()]
    found = certificate_of(run, stream, name, {"w": triples}).bound
    assert found is not None
    assert named(name).evaluate(evidence).value == pytest.approx(found, rel=1e-15)


def test_files_are_read_as_they_are_written(tmp_path: Path) -> None:
    """A byte order mark, comments, query ids, and line ends within quotes."""
    svm, table = tmp_path / "d.svm", tmp_path / "d.csv"
    svm.write_bytes("\ufeff1 qid:7 1:2.5# ü\n\n#\n-1 3:1 # 4:x\n".encode())
    assert [row[1:] for row in verifier.read_svmlight(str(svm))] == [
        ("1", [(0, 2.5)]), ("-1", [(2, 1.0)])
    ]  # fmt: skip
    table.write_bytes('\ufeffy,ä,"b,c"\n"up\r\nx",1,2\n\nü,3,4\n'.encode())
    assert list(verifier.read_csv(str(table), "y")) == [
        (f"{table}:3", "up\r\nx", [(0, 1.0), (1, 2.0)]), (f"{table}:5", "ü", [(0, 3.0), (1, 4.0)])
    ]  # fmt: skip
    table.write_text("")
    with pytest.raises(verifier.BadData, match=r"d.csv:1: expected one column 'y', got \[\]"):
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
            "usage: verifier.py CERTIFICATE DATA.svm, or CERTIFICATE DATA.csv LABEL-COLUMN\n"
        )
