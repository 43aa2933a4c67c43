"""What certify refuses says why, word for word; what it writes down is what was played."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from claims import separable_rows
from novikoff import verifier
from novikoff.receipts.certificates import certificate_about_data, certificate_of
from novikoff.streams import as_examples, as_stream

ROWS: list[Any] = [([1.0, 0.0], 1), ([0.0, 1.0], -1)]
WORDS: list[Any] = [(["a", "b"], ["D", "N"])]


def _used() -> nv.Run:
    return nv.Run(nv.play(nv.Perceptron(), ROWS).learner).play(ROWS)


def _product(x: Any, z: Any) -> Any:
    return x @ z.T


class _Spelled:
    """A template that is a function."""

    def __call__(self, x: Any, i: int) -> list[str]:
        return [x[i]]

    def __repr__(self) -> str:
        return "the word"


EXACT = ", ".join(verifier.LEARNERS)
UNCERTIFIED: dict[str, tuple[Callable[[], nv.Run], str]] = {
    "modified": (
        lambda: nv.play(nv.ModifiedPerceptron(0.1), nv.stream([[1.0]], [1])),
        f"a learner whose run can be replayed exactly ({EXACT}), got ModifiedPerceptron. Certify "
        "another run.",
    ),
    "used": (
        _used,
        "a run from the learner's first round, got one begun on a used learner. The theorems count "
        "everything that it has learned.",
    ),
    "budget": (
        lambda: nv.play(nv.KernelPerceptron(nv.linear, budget=7), ROWS),
        "a learner without a budget, got one with Budget(size=7, overflow='stop', seed=0). The "
        "perceptron's theorems hold up to the round in which the budget is full; from then on the "
        "hypothesis stays as it is, and no theorem bounds its mistakes.",
    ),
    "weights": (
        lambda: nv.play(nv.Perceptron(), nv.stream([[1.0]], [-1], weights=[2.0])),
        "updates of weight 1, got weighted ones. The theorems are about unweighted runs.",
    ),
    "kernel": (
        lambda: nv.play(nv.KernelPerceptron(_product), ROWS),
        "linear, polynomial or rbf as the kernel, got a function. Nobody else could compute it.",
    ),
    "templates": (
        lambda: nv.play(nv.StructuredPerceptron(nv.Chains(_Spelled())), WORDS),
        "chains with templates of text, or features that are given, which anybody can read again, "
        "got Chains(templates=the word). Certify another run.",
    ),
    "trees": (
        lambda: nv.play(nv.StructuredPerceptron(nv.Trees()), [([("cat", "N")], [0])]),
        "chains with templates of text, or features that are given, which anybody can read again, "
        "got Trees(). Certify another run.",
    ),
    "grid": (
        lambda: nv.play(nv.Halving(nv.grid_halfspaces(2, 1.0, 1.0, 0.5)), ROWS),
        "a class with a table of points, got GridHalfspaces(grid_halfspaces(2, 1, 1, 0.5): 289 "
        "hypotheses). Certify a run on a FiniteClass.",
    ),
}


@pytest.mark.parametrize("name", UNCERTIFIED)
def test_a_run_that_nobody_could_replay_is_refused(name: str) -> None:
    make, reason = UNCERTIFIED[name]
    run = make()
    assert run.stream is not None
    with pytest.raises(nv.HypothesisError) as refusal:
        certificate_of(run, run.stream, "progressive", {"delta": 0.05})
    assert str(refusal.value) == f"certify: expected {reason}"


@pytest.mark.parametrize("count", [0, 3, 5, 8])
def test_a_stream_that_is_no_pass_of_the_run_is_refused(count: int) -> None:
    run = nv.play(nv.Perceptron(), ROWS, passes=2)
    with pytest.raises(nv.HypothesisError) as refusal:
        certificate_of(run, as_stream((ROWS * 4)[:count]), "hinge", {"w": []})
    assert str(refusal.value) == (
        f"certify: expected a stream of the run's 4 rounds, or of one of its passes, got {count} "
        "rounds. Pass the whole stream that was played."
    )


def test_what_is_not_true_of_the_rounds_is_not_certified() -> None:
    run = nv.play(nv.Perceptron(), ROWS)
    with pytest.raises(nv.HypothesisError) as refusal:
        certificate_of(run, as_stream(ROWS), "novikoff", {"w": []})
    assert str(refusal.value) == (
        "certify: expected a true certificate, got: its w does not separate the data."
    )
    many = nv.play(nv.MulticlassPerceptron(), [([1.0], "red"), ([2.0], "blue")])
    with pytest.raises(nv.InputError) as fault:
        certificate_of(many, as_stream([([1.0], "blue"), ([2.0], "red")]), "hinge", {"w": []})
    assert (
        str(fault.value) == "stream: expected the run's rounds, got others: the classes are others."
    )
    tagged = nv.play(nv.StructuredPerceptron(nv.Chains("w[0]")), WORDS)
    with pytest.raises(nv.InputError) as fault:
        certificate_of(tagged, nv.stream([[1.0]], [1]), "hinge", {"w": []})
    assert str(fault.value) == (
        "stream: expected sentences, got rows of features. Verify on the data that were played."
    )


TAGS: list[tuple[list[Any], str]] = [
    (["D"], "sentence 2: expected 2 tags, one per position, got 1. Pass a tag for each position."),
    (["D", 3], "sentence 2: expected a text as tag 2, got 3. Name tags by texts."),
]


@pytest.mark.parametrize(("tags", "reason"), TAGS)
def test_a_sentence_whose_tags_are_none_is_named(tags: list[Any], reason: str) -> None:
    tagged = nv.play(nv.StructuredPerceptron(nv.Chains("w[0]")), WORDS)
    with pytest.raises(nv.InputError) as fault:
        certificate_of(tagged, as_examples([*WORDS, (["a", "b"], tags)]), "hinge", {"w": []})
    assert str(fault.value) == f"{reason} Verify on the data that were played."


def test_a_claim_about_data_names_its_labels_and_its_constant() -> None:
    X, y, w = separable_rows(20)
    words = np.where(y > 0, "up", "down")
    stream = nv.stream(X, words, positive="up")
    evidence = {"w": [[j, float(v)] for j, v in enumerate(w)], "bias": 0.5}
    certificate = certificate_about_data(stream, "separable", evidence, "up")
    assert nv.verify(certificate, stream) == (True, "separable", None, None, "verified")
    content = certificate.content
    assert content["data"]["labels"] == {"positive": "up"}
    assert (content["data"]["passes"], content["learner"], content["mistakes"]) == (None,) * 3
    assert (content["evidence"], content["assumptions"], content["bound"]) == (evidence, [], None)
    assert (certificate.bound, certificate.observed) == (None, None)
    assert repr(certificate) == "Certificate(separable: None ≤ None)"
    for positive, bias, reason in (
        ("down", 0.5, "its w does not separate the data"),
        ("up", 1, "its bias is no number"),
    ):
        with pytest.raises(nv.HypothesisError) as refusal:
            certificate_about_data(stream, "separable", evidence | {"bias": bias}, positive)
        assert str(refusal.value) == f"certify: expected a true certificate, got: {reason}."
    plain = certificate_about_data(nv.stream(X, y), "separable", evidence)
    assert plain.content["data"]["labels"] == {"positive": 1}
    once = as_stream(zip(X, y, strict=True))
    with pytest.raises(nv.InputError, match="expected a stream that can be played again"):
        certificate_about_data(once, "separable", evidence)
