"""Bounds and certificates of structured runs."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff import verifier
from novikoff.playing.passes import stream_for
from novikoff.receipts.certificates import Certificate, sealed
from novikoff.receipts.rereading import Sentences
from novikoff.theory import named

WORDS: Any = [
    (["the", "cat", "sat"], ["D", "N", "V"]),
    (["a", "dog", "ran", "off"], ["D", "N", "V", "P"]),
    ([], []),
    (["off", "it", "ran"], ["P", "N", "V"]),
] * 2

features = st.lists(st.sampled_from("abcd"), max_size=3)
position = st.tuples(features, st.sampled_from(["B", "I", "O"]))
sentences = st.lists(position, max_size=4).map(
    lambda pairs: ([fs for fs, _ in pairs], [tag for _, tag in pairs])
)


def _run(rounds: Any = WORDS, templates: Any = "w[0] w[-1] suf1[0]", **play: Any) -> nv.Run:
    return nv.play(nv.StructuredPerceptron(nv.Chains(templates)), rounds, **play)


@pytest.mark.shows("holds", "structured", "hinge", "hinge-tight", "freund-schapire", "run")
@settings(max_examples=25)
@given(st.lists(sentences, min_size=1, max_size=8), st.integers(1, 3))
def test_every_bound_holds_and_is_what_the_verifier_finds(rounds: Any, passes: int) -> None:
    run = _run(rounds, None, passes=passes)
    for bound in nv.bounds(run):
        assert bound.holds, bound
        certificate = nv.certify(run, theorem=bound.theorem, found=[bound])
        assert certificate.bound is not None
        assert certificate.bound <= bound.value <= certificate.bound * (1 + 1e-12)
        verdict = nv.verify(certificate, rounds)
        assert verdict.verified, verdict.reason


@pytest.mark.shows("holds", "structured")
def test_separable_sentences_have_the_theorem_of_collins() -> None:
    run = _run(until_clean=True)
    assert run.converged
    found = {bound.theorem: bound for bound in nv.bounds(run)}
    assert found.keys() == {"structured", "hinge", "hinge-tight", "freund-schapire", "run"}
    assert found["structured"].holds
    contrary = [*WORDS, (["the", "cat", "sat"], ["V", "V", "V"])]
    assert "structured" not in {bound.theorem for bound in nv.bounds(_run(contrary))}


@pytest.mark.shows("tight", "structured")
def test_the_theorem_of_collins_is_tight() -> None:
    learner = nv.StructuredPerceptron(nv.Chains(tags=["B", "A"]))
    run = nv.play(learner, [([["f"]], ["A"])] * 3)
    bound = {b.theorem: b for b in nv.bounds(run)}["structured"]
    assert (run.mistakes, bound.value) == (1, 1.0)


@pytest.mark.shows("refuses", "structured")
def test_the_theorem_of_collins_refuses_a_margin_of_0() -> None:
    with pytest.raises(nv.HypothesisError, match="structured: expected a comparator with a margin"):
        named("structured").evaluate({"radius2": 1, "norm2": 1, "margin": 0})
    run = _run(passes=3)
    certificate = nv.certify(run)
    empty = sealed(
        certificate.content
        | {"theorem": "structured", "statement": verifier.THEOREMS["structured"].statement}
        | {"evidence": {"w": []}}
    )
    verdict = nv.verify(empty, WORDS)
    assert verdict.reason == "its w does not separate the data"


def test_the_stand_alone_verifier_agrees(tmp_path: Path) -> None:
    whole = [pair for pair in WORDS if pair[0]]  # a file has no empty sentences
    run = _run(whole, passes=2)
    nv.certify(run).save(tmp_path / "c.json")
    rows = Sentences(stream_for(run.learner, whole), run.learner.problem)
    (tmp_path / "data.txt").write_text("".join(rows.lines()))
    command = [sys.executable, verifier.__file__, "c.json", "data.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["verified"]) == (0, True)
    (tmp_path / "data.txt").write_text("".join(rows.lines()).replace("D 1:1", "D 1:2", 1))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["reason"]) == (1, "these are not its data")
    (tmp_path / "data.txt").write_bytes(b"D 1:1\n\n\xff 1:1\n")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "expected text in UTF-8" in done.stderr) == (3, True)
    (tmp_path / "data.txt").write_text("D 1:x\n")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "data.txt:1: expected index:count" in done.stderr) == (3, True)


def test_the_certificate_says_that_its_file_has_sentences(tmp_path: Path) -> None:
    run = _run([(["the", "cat"], ["D", "N"])])
    rows = Sentences(stream_for(run.learner, run.stream), run.learner.problem)
    certificate, data = tmp_path / "c.json", tmp_path / "d.txt"
    data.write_text("".join(rows.lines()))
    for indent in (None, 1):  # as it is written, and laid out
        certificate.write_text(json.dumps(nv.certify(run).content, indent=indent))
        assert verifier.main([str(certificate), str(data)]) == 0


def _changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return ("B" if value[:1] == "A" else "A") + value[1:]
    return ["A"] if value is None else None


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _paths(part, (*path, name))
    elif isinstance(value, list):
        yield path
        for k, part in enumerate(value[:2]):
            yield from _paths(part, (*path, k))
    else:
        yield path


HARMLESS = {("learner", "parameters", "averaged")}  # it changes no mistake


def test_every_forgery_is_refused() -> None:
    certificate = nv.certify(_run(passes=2), theorem="hinge-tight")
    assert nv.verify(certificate, WORDS).verified
    tried = 0
    for path in _paths({k: v for k, v in certificate.content.items() if k != "sha256"}):
        content = json.loads(certificate.text)
        part = content
        for step in path[:-1]:
            part = part[step]
        part[path[-1]] = _changed(part[path[-1]])
        try:
            verdict = nv.verify(sealed(content), WORDS)
        except (nv.VerificationError, nv.InputError):
            continue
        assert verdict.verified == (path in HARMLESS), path
        tried += 1
    assert tried > 15


def test_other_sentences_are_refused() -> None:
    run = _run()
    certificate = nv.certify(run)
    assert isinstance(certificate, Certificate)
    for other in (
        WORDS[:-1],
        [*WORDS[:-1], (["off", "it", "ran"], ["P", "N", "N"])],
        [*WORDS[:-1], (["off", "it", "run"], ["P", "N", "V"])],
    ):
        assert not nv.verify(certificate, other).verified
    with pytest.raises(nv.InputError, match="sentence 1: position 1: expected a word"):
        nv.verify(certificate, [([3], ["A"])])
    with pytest.raises(nv.HypothesisError, match="expected the rounds that were played"):
        nv.bounds(run, [*WORDS[:-1], (["x", "y"], ["P", "N"])])


def test_sentences_that_can_be_read_once_are_no_verdict() -> None:
    with pytest.raises(nv.InputError, match="examples: expected a stream that can be played again"):
        nv.verify(nv.certify(_run()), iter(WORDS))
    with pytest.raises(nv.InputError, match="examples: expected a stream that can be played again"):
        nv.certify(_run(iter(WORDS)), theorem="progressive")


def test_what_cannot_be_certified_is_refused() -> None:
    spelled = nv.play(nv.StructuredPerceptron(nv.Chains(lambda x, i: [x[i]])), WORDS)
    assert all(bound.holds for bound in nv.bounds(spelled))
    with pytest.raises(nv.HypothesisError, match="expected chains with templates of text"):
        nv.certify(spelled)
    used = nv.Run(_run().learner).play(WORDS)
    with pytest.raises(nv.HypothesisError, match="begun on a used"):
        nv.bounds(used)


def test_the_error_of_hypotheses_is_bounded_where_their_tags_are_known_before() -> None:
    with pytest.raises(nv.HypothesisError, match="expected tags known before the first round"):
        nv.error_bound(_run().ledger)
    with pytest.raises(nv.HypothesisError, match="its tags are not known before the first round"):
        nv.certify(_run(), theorem="progressive")
    problem = nv.Chains("w[0]", tags=["D", "N", "V", "P"])
    run = nv.play(nv.StructuredPerceptron(problem), WORDS * 20)
    assert nv.error_bound(run.ledger).value < 0.2
    assert nv.verify(nv.certify(run, theorem="progressive"), WORDS * 20).verified
    with pytest.raises(nv.HypothesisError, match="the averaged weights"):
        nv.leave_one_out(run.ledger)
    with pytest.raises(nv.ParameterError, match="learner: expected one of this library's"):
        nv.random_stopping(run.learner.fresh(), WORDS, epsilon=0.5, mistake_bound=1, seed=0)


class Stubborn(nv.Problem):
    """A problem whose ``best`` is none: always the same output."""

    def features(self, x: Any, y: Any) -> dict[Any, int]:
        return {(x, y): 1}

    def best(self, w: Any, x: Any) -> Any:
        return "a"

    def second(self, w: Any, x: Any, y: Any) -> Any:
        return "b" if y == "a" else "a"


def test_a_problem_whose_best_output_is_not_the_best_has_no_bounds() -> None:
    """The theorems are about an exact argmax: fifty mistakes are more than any of them allows."""
    run = nv.play(nv.StructuredPerceptron(Stubborn()), [("x", "b")] * 50)
    assert run.mistakes == 50
    with pytest.raises(nv.HypothesisError, match="The theorems need an exact argmax"):
        nv.bounds(run)
