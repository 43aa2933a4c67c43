"""Certificates of predictions: true ones verify, forgeries do not, and files say what is wrong."""

import copy
import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import novikoff as nv
from claims import rows_of
from novikoff import verifier
from novikoff.receipts.certificates import sealed
from novikoff.receipts.prediction_sources import PredictionFile, predictions_of
from novikoff.streams import as_stream
from novikoff.types import AnyArray
from oracle import judge, sealed_text
from oracle.mutations import change
from predicted_claims import ALL, claimed, world


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("seed", range(3))
def test_true_certificates_verify_and_the_oracle_agrees(name: str, seed: int) -> None:
    certificate, stream, predictions = claimed(name, seed)
    verdict = nv.verify(certificate, stream, predictions=predictions)
    assert verdict.verified, verdict.reason
    assert verdict[1:4] == (certificate.theorem, certificate.observed, certificate.bound)
    judgement = judge(certificate.text, list(rows_of(stream)()), predictions)
    assert judgement.true, judgement.reason


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", [1.0, 0.01])
def test_no_fixed_weights_are_better_by_more_than_the_bound(seed: int, penalty: float) -> None:
    """SciPy minimises L(u) + ½Σ λ_i u_i²; the bound is the regret against that u, and no less."""
    X, y, p = world(seed)
    certificate = nv.certify_predictions(p, nv.stream(X, y), penalty=penalty)
    Z = np.column_stack([X, np.ones(len(X))])
    lambdas = penalty * np.abs(Z).max(axis=0) ** 2

    def value(u: AnyArray) -> float:
        return float(np.logaddexp(0, -y * (Z @ u)).sum() + (lambdas * u * u).sum() / 2)

    best = minimize(value, np.zeros(Z.shape[1]), method="BFGS", options={"gtol": 1e-7}).fun
    own = -sum(math.log(q if t > 0 else 1 - q) for q, t in zip(p, y, strict=True))
    assert certificate.bound == pytest.approx(own - best, abs=1e-5)
    facts = certificate.content["evidence"]
    assert facts["loss"] == pytest.approx(own)
    assert facts["mistakes"] == sum((q >= 0.5) != (t > 0) for q, t in zip(p, y, strict=True))
    share = float((y > 0).mean())
    rate = -len(y) * (share * math.log(share) + (1 - share) * math.log(1 - share))
    assert facts["baseline"] == pytest.approx(rate)


@pytest.mark.parametrize("seed", range(3))
def test_no_fixed_weights_are_better_by_squares(seed: int) -> None:
    """Ridge regression in one line is the best u; the mean is the baseline."""
    certificate, stream, p = claimed("numbers", seed)
    (rounds,) = stream.blocks()
    y = np.asarray(rounds.labels)
    Z = np.column_stack([world(seed)[0], np.ones(40)])
    lambdas = 0.01 * np.abs(Z).max(axis=0) ** 2
    u = np.linalg.solve(Z.T @ Z + np.diag(lambdas) / 2, Z.T @ y)
    best = ((y - Z @ u) ** 2).sum() + (lambdas * u * u).sum() / 2
    own = ((y - np.array(p)) ** 2).sum()
    assert certificate.bound == pytest.approx(own - best, rel=1e-7)
    assert certificate.content["evidence"]["baseline"] == pytest.approx(((y - y.mean()) ** 2).sum())
    assert certificate.content["data"]["labels"] == {"real": True}


def test_a_certificate_needs_its_predictions() -> None:
    certificate, stream, p = claimed("plain")
    verdict = nv.verify(certificate, stream)
    assert not verdict.verified
    assert verdict.reason == "it is about predictions, which are not given"
    for others in (p[::-1], p[:-1], [*p, 0.5], [p[0] + 1e-9, *p[1:]]):
        assert nv.verify(certificate, stream, predictions=others).reason == (
            "these are not its predictions"
        )
    X, y, _ = world(5)
    verdict = nv.verify(certificate, nv.stream(X, y), predictions=p)
    assert verdict.reason == "these are not its data"


@pytest.mark.parametrize("name", ALL)
def test_what_is_forged_is_refused_or_true(name: str) -> None:
    """Every value is nudged, retyped or replaced, and sealed again."""
    certificate, stream, p = claimed(name)
    rows, rng, refused = list(rows_of(stream)()), Random(name), 0
    for _ in range(120):
        content = copy.deepcopy(certificate.content)
        change(rng, content)
        try:
            text = sealed_text(content)
            verdict = verifier.verify(text, lambda: iter(rows), predictions_of(p, 1))
        except (ValueError, verifier.BadData):  # no JSON, or predictions that are not of its kind
            continue
        if verdict.verified:
            assert judge(text, rows, p).true, content
        refused += not verdict.verified
    assert refused > 60


def test_every_number_of_the_evidence_counts() -> None:
    """The next float in either direction is refused wherever it is."""
    certificate, stream, p = claimed("plain")
    for name in ("loss", "least", "regret", "baseline", "penalty"):
        for way in (math.inf, -math.inf):
            content = copy.deepcopy(certificate.content)
            content["evidence"][name] = math.nextafter(content["evidence"][name], way)
            verdict = nv.verify(sealed(content), stream, predictions=p)
            assert not verdict.verified or name == "penalty", name
    for bound in (None, 1, math.nextafter(certificate.bound or 0, math.inf)):
        forged = sealed(certificate.content | {"bound": bound})
        assert "its bound is not" in nv.verify(forged, stream, predictions=p).reason


def test_predictions_must_be_the_same_in_every_reading() -> None:
    certificate, stream, p = claimed("plain")
    readings = iter([p, p[::-1]])

    def changing() -> Any:
        return ((f"prediction {t}", v) for t, v in enumerate(next(readings), 1))

    with pytest.raises(verifier.BadData, match="the same in every reading"):
        verifier.verify(certificate.text, rows_of(stream), changing)


FILES: dict[str, tuple[str, str]] = {
    "one per line": ("{p}\n", ""),
    "tags of VW": ("{p} row{t}\n", ""),
    "Windows": ("{p}\r\n", ""),
    "a column by its number": ("{t};{p}\n", "1"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_hold_predictions(name: str, tmp_path: Path) -> None:
    X, y, p = world()
    form, column = FILES[name]
    path = tmp_path / "predictions.txt"
    path.write_bytes("".join(form.format(p=v, t=t) for t, v in enumerate(p)).encode())
    stream, file = nv.stream(X, y), PredictionFile(str(path), column)
    found = nv.certify_predictions(file, stream)
    assert found.text == nv.certify_predictions(p, stream).text
    assert nv.verify(found, stream, predictions=file).verified


def test_columns_have_names(tmp_path: Path) -> None:
    X, y, p = world()
    path = tmp_path / "p.csv"
    path.write_text("id,score\n" + "".join(f'"{t}",{v}\n' for t, v in enumerate(p)))
    stream, file = nv.stream(X, y), PredictionFile(str(path), "score")
    assert nv.certify_predictions(file, stream).text == nv.certify_predictions(p, stream).text
    with pytest.raises(nv.InputError, match=r"p\.csv:1: expected a column 'nothing'"):
        nv.certify_predictions(PredictionFile(str(path), "nothing"), stream)


@pytest.mark.parametrize("cell", ["0.3 0.99", "0.3 row7", "", " "])
def test_the_whole_cell_of_a_table_is_one_number(cell: str, tmp_path: Path) -> None:
    """A line may have a tag behind its number, as Vowpal Wabbit writes it; a cell may not."""
    X, y, p = world()
    path, stream = tmp_path / "p.csv", nv.stream(X, y)
    path.write_text("score,t\n" + "".join(f" {v} ,{t}\n" for t, v in enumerate(p)))
    file = PredictionFile(str(path), "score")
    certificate = nv.certify_predictions(file, stream)  # blanks around a number are none of it
    assert certificate.text == nv.certify_predictions(p, stream).text
    path.write_text(path.read_text().replace(f" {p[6]} ,6", f"{cell},6"))
    said = rf"p\.csv:8: expected a finite number, got '{cell.strip()}'"
    with pytest.raises(nv.InputError, match=said):
        nv.certify_predictions(file, stream)
    with pytest.raises(nv.InputError, match=said):
        nv.verify(certificate, stream, predictions=file)


def test_dicts_of_probabilities_are_taken_as_river_gives_them() -> None:
    X, y, p = world()
    stream = nv.stream(X, y > 0)
    dicts = [{False: 1 - v, True: v} for v in p]
    assert nv.certify_predictions(dicts, stream).text == nv.certify_predictions(p, stream).text
    with pytest.raises(nv.InputError, match="prediction 3: expected a probability"):
        nv.certify_predictions([*dicts[:2], {}, *dicts[3:]], stream)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "expected a finite number, got ''"),
        ("nan", "expected a finite number, got 'nan'"),
        ("1.5", "expected a probability from 0 to 1, got '1.5'"),
        ("-0.1", "expected a probability from 0 to 1, got '-0.1'"),
        ("score", "expected a finite number, got 'score'"),
    ],
)
def test_a_bad_line_is_named(line: str, said: str, tmp_path: Path) -> None:
    X, y, p = world()
    path = tmp_path / "p.txt"
    path.write_text("\n".join([str(p[0]), line, *map(str, p[2:])]) + "\n")
    with pytest.raises(nv.InputError) as error:
        nv.certify_predictions(str(path), nv.stream(X, y))
    assert f"p.txt:2: {said}" in str(error.value)


def test_the_wrong_number_of_predictions_is_an_error_before_any_work() -> None:
    X, y, p = world()
    with pytest.raises(nv.InputError, match="predictions: expected 40, one for each row, got 39"):
        nv.certify_predictions(p[:-1], nv.stream(X, y))


def test_an_infinite_loss_is_refused_and_a_clip_helps() -> None:
    """A 0 or a 1 that is right costs nothing; one that is wrong costs ln(1/ε) if it is clipped."""
    X, y, _ = world()
    sure = [1.0 if t > 0 else 0.0 for t in y]
    right = nv.certify_predictions(sure, nv.stream(X, y)).content["evidence"]
    assert (right["loss"], right["mistakes"]) == (0.0, 0)
    sure[3] = 1 - sure[3]
    with pytest.raises(nv.HypothesisError, match="prediction 4 gives its label the probability 0"):
        nv.certify_predictions(sure, nv.stream(X, y))
    clipped = nv.certify_predictions(sure, nv.stream(X, y), clip=1e-6).content["evidence"]
    assert clipped["loss"] == pytest.approx(-math.log(1e-6) - 39 * math.log1p(-1e-6))


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "zero-one"}, {"kind": "label"}, {"penalty": 0.0}, {"penalty": math.inf},
        {"clip": 0.5}, {"clip": 0.1, "kind": "score"}, {"bias": math.nan},
    ],
)  # fmt: skip
def test_parameters_are_checked(options: dict[str, Any]) -> None:
    X, y, p = world()
    with pytest.raises(nv.ParameterError, match="expected"):
        nv.certify_predictions(p, nv.stream(X, y), **options)


def test_a_prediction_that_is_no_label_is_named() -> None:
    certificate, stream, labels = claimed("classes")
    with pytest.raises(nv.InputError, match="prediction 2: expected a label, got nan"):
        nv.verify(certificate, stream, predictions=[labels[0], None, *labels[2:]])


def test_words_are_labels_and_names_are_features() -> None:
    """Two words need no declaration: the later one in the alphabet is the positive one."""
    X, y, p = world(1, rounds=12, d=2)
    rows = [({f"f{j}": v for j, v in enumerate(x)}, "spam" if t > 0 else "ham") for x, t in
            zip(X.tolist(), y, strict=True)]  # fmt: skip
    certificate = nv.certify_predictions(p, as_stream(rows))
    assert certificate.content["data"]["labels"] == {"positive": "spam"}
    assert nv.verify(certificate, as_stream(rows), predictions=p).verified


def test_extreme_values_give_true_certificates() -> None:
    """Columns from 1e-300 to 1e300: the fixed weights are in units of each."""
    X = np.array([[1e-300, 1e300, 0.0], [2e-300, -3e300, 5e-324], [-1e-300, 1e299, 0.0]])
    stream, p = nv.stream(X, [1, -1, 1]), [0.9, 0.2, 0.6]
    certificate = nv.certify_predictions(p, stream)
    assert nv.verify(certificate, stream, predictions=p).verified
    assert judge(certificate.text, list(rows_of(stream)()), p).true


@pytest.mark.parametrize("kind", ["probability", "score"])
def test_a_prediction_beyond_all_floats_is_refused_with_its_place(kind: str) -> None:
    rounds = nv.stream([[1.0], [2.0]], [1, -1])
    with pytest.raises(nv.InputError, match="prediction 2: expected"):
        nv.certify_predictions([0.5, 10**400], rounds, kind=kind)
    certificate = nv.certify_predictions([0.5, 0.5], rounds, kind=kind)
    with pytest.raises(nv.InputError, match="prediction 1: expected"):
        nv.verify(certificate, rounds, predictions=[-(10**400), 0.5])


def test_predictions_are_refused_for_a_certificate_that_is_not_about_any() -> None:
    rounds = nv.stream([[1.0], [2.0]], [1, 1])
    run = nv.certify(nv.play(nv.Perceptron(), rounds))
    data = nv.certify(nv.margin([[1.0], [2.0]], [1, 1]), rounds)
    for certificate in (run, data):
        with pytest.raises(nv.InputError, match="predictions: expected none, because"):
            nv.verify(certificate, rounds, predictions=[0.5, 0.5])
        assert nv.verify(certificate, rounds).verified
