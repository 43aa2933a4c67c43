"""Certificates of experts and bandits: the true ones verify, every forgery is refused."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import verifier
from novikoff.receipts.certificates import sealed


def test_what_was_refused_whole_is_no_part_of_a_run() -> None:
    run, matrix = nv.Run(nv.Hedge(3)), np.random.default_rng(0).random((20, 3))
    with pytest.raises(nv.InputError):
        run.play(np.zeros((5, 2)))
    assert nv.verify(nv.certify(run.play(matrix)), nv.Replay(matrix)).verified


def test_no_other_theorem_and_no_other_losses_are_certified() -> None:
    matrix = np.random.default_rng(0).random((20, 3))
    run = nv.play(nv.Exp3(3), matrix)
    with pytest.raises(nv.ParameterError, match="theorem: expected exp3, that of Exp3"):
        nv.certify(run, theorem="novikoff")
    for others in (matrix[:, :2], 1 - matrix):
        with pytest.raises(nv.InputError, match="expected the losses that were played"):
            nv.certify(run, others)
    matrix[3] = 0.0  # the one that was played, changed since
    with pytest.raises(nv.InputError, match="expected the losses that were played"):
        nv.certify(run)


def _claims() -> dict[str, tuple[Any, Any]]:
    rng = np.random.default_rng(3)
    matrix, flips = rng.random((40, 3)), rng.integers(0, 2, (40, 3)).astype(float)
    advice, y = rng.choice([-1.0, 1.0], (40, 4)), rng.choice([-1, 1], 40)
    stream = nv.stream(advice, y)
    return {
        "weighted-majority": (nv.WeightedMajority(4, 0.5), stream),
        "weighted-majority-losses": (nv.WeightedMajority(3, 0.3), nv.Replay(flips)),
        "randomized-weighted-majority": (nv.RandomizedWeightedMajority(4, 0.7), stream),
        "hedge": (nv.Hedge(3, horizon=40), nv.Replay(matrix)),
        "hedge-eta": (nv.Hedge(4, eta=0.3), stream),
        "hedge-anytime": (nv.Hedge(3), nv.Replay(matrix)),
        "exp3": (nv.Exp3(3, 50), nv.Replay(matrix)),
        "exp3ix": (nv.Exp3IX(3), nv.Replay(matrix)),
        "exp3p": (nv.Exp3P(3, 0.1), nv.Replay(matrix)),
    }


@pytest.mark.parametrize("name", list(_claims()))
def test_certificates_verify_and_every_changed_field_is_refused(name: str) -> None:
    learner, source = _claims()[name]
    run = nv.play(learner, source)
    certificate = nv.certify(run)
    verdict = nv.verify(certificate, source)
    assert verdict.verified, verdict.reason
    assert ("not of those of one run" in verdict.reason) == name.startswith("exp3")
    (bound,) = nv.bounds(run)
    assert certificate.bound == pytest.approx(bound.value, rel=1e-12)
    if name.startswith("exp3"):
        assert certificate.observed is None
    else:
        assert certificate.observed == pytest.approx(bound.observed, rel=1e-12)
        assert certificate.observed <= certificate.bound  # type: ignore[operator]
    for path in _leaves(certificate.content):
        forged: Any = copy.deepcopy(certificate.content)
        at = forged
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = _other(at[path[-1]])
        if path == ("learner", "parameters", "seed"):
            continue  # whatever was drawn, the theorem is the same
        assert not nv.verify(sealed(forged), source).verified, path


@pytest.mark.parametrize("given", [None, "up", "down"])
def test_certificates_of_advice_name_the_positive_label(given: str | None) -> None:
    rng = np.random.default_rng(3)
    advice, y = rng.choice([-1.0, 1.0], (12, 2)), rng.choice([-1, 1], 12)
    labels: Any = y if given is None else np.where(y > 0, given, "other")
    stream = nv.stream(advice, labels, positive=given)
    for learner in (nv.WeightedMajority(2, 0.5), nv.Hedge(2)):
        certificate = nv.certify(nv.play(learner, stream))
        assert certificate.content["data"]["labels"] == {"positive": given or 1}
        assert nv.verify(certificate, stream).verified


def test_certificates_of_losses_have_rows_labelled_1() -> None:
    matrix = np.random.default_rng(3).random((12, 2))
    run = nv.Run(nv.Hedge(2), positive="up").play(matrix)
    certificate = nv.certify(run)
    assert certificate.content["data"]["labels"] == {"positive": 1}
    assert nv.verify(certificate, nv.Replay(matrix)).verified


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("exp3ix", {"delta": 0.9}),  # beside the δ of the evidence
        ("exp3", {"delta": 0.9}),
        ("exp3", {"horizon": 0}),
        ("exp3ix", {"horizon": 0}),
        ("exp3p", {"horizon": 0}),
        ("exp3ix", {"bias": 1.0}),
        ("exp3ix", {"span": [False, True]}),
        ("exp3ix", {"seed": -1}),
        ("hedge", {"horizon": 0}),
        ("hedge-eta", {"beta": 0.5}),
        ("randomized-weighted-majority", {"eta": None}),
    ],
    ids=str,
)
def test_a_forger_cannot_state_another_learner_and_compute_its_bound(
    name: str, change: dict[str, Any]
) -> None:
    learner, source = _claims()[name]
    forged: Any = copy.deepcopy(nv.certify(nv.play(learner, source)).content)
    forged["learner"]["parameters"] |= change
    for _ in range(2):  # state what the verifier would have computed
        verdict = nv.verify(sealed(forged), source)
        start, _, number = verdict.reason.rpartition(" ")
        if start == "its bound is not":
            forged["bound"] = float(number)
        if start == "it expects":
            forged["evidence"]["expected"] = float(number)
    assert not nv.verify(sealed(forged), source).verified


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(value, dict) or not value:
        return [path] if path not in (("sha256",), ("format",)) else []
    return [found for key in value for found in _leaves(value[key], (*path, key))]


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 1.5 + 0.01
    if isinstance(value, str):
        return "x" + value[1:] if value else "AQ=="
    return [0.5] if isinstance(value, list) else 7


def test_a_certificate_on_other_losses_is_refused_and_a_run_in_parts_has_none(
    tmp_path: Path,
) -> None:
    matrix = np.random.default_rng(3).random((20, 3))
    run = nv.play(nv.Hedge(3), matrix)
    certificate = nv.certify(run)
    other = matrix.copy()
    other[7, 1] /= 2
    assert nv.verify(certificate, nv.Replay(other)).reason == "these are not its data"
    with pytest.raises(nv.InputError, match="played whole"):
        nv.certify(run.play(matrix))
    with pytest.raises(nv.HypothesisError, match="numbered experts"):
        nv.certify(nv.play(nv.Hedge([nv.Perceptron()]), nv.stream(matrix, [1, -1] * 10)))
    for rescaled in (nv.Hedge(3, rewards=True), nv.Exp3(3, rewards=True)):
        with pytest.raises(nv.HypothesisError) as refusal:
            nv.certify(nv.play(rescaled, matrix))
        said = "certify: expected a true certificate, got: its rewards is not false."
        assert str(refusal.value) == said
    file = tmp_path / "losses.svm"
    rows = [" ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row)) for row in matrix.tolist()]
    file.write_text("".join(f"1 {row}\n" for row in rows))
    certificate.save(tmp_path / "c.json")
    assert verifier.main([str(tmp_path / "c.json"), str(file)]) == 0
