"""Any structure will do: trees, classes, and one that a test makes up."""

import itertools
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff.learners.structured.output_engines import PlainEngine
from novikoff.streams.files.columns import sentences_of
from novikoff.structures.spans import accuracy
from novikoff.structures.trees import crossed, eisner


def _trees(n: int) -> list[list[int]]:
    """Every projective tree of n tokens and one root."""
    found = (list(heads) for heads in itertools.product(range(n + 1), repeat=n))
    return [heads for heads in found if heads.count(0) == 1 and not crossed(heads)]


def test_there_are_as_many_projective_trees_as_there_should_be() -> None:
    """n tokens, one root: 1, 2, 7, 30, 143 (binomial(3n − 2, n − 1)/n)."""
    assert [len(_trees(n)) for n in range(1, 6)] == [1, 2, 7, 30, 143]


@given(st.integers(1, 4), st.integers(0, 10**6))
def test_the_best_tree_is_that_of_brute_force(n: int, seed: int) -> None:
    scores = np.random.default_rng(seed).integers(-3, 4, (n + 1, n + 1))
    score, heads = eisner(n, lambda h, m: int(scores[h, m]))

    def total(tree: list[int]) -> int:
        return sum(int(scores[h, m]) for m, h in enumerate(tree, 1))

    assert heads in _trees(n)
    assert score == total(heads) == max(map(total, _trees(n)))


class PlainTrees(nv.Trees):
    """The same, which the core does not know."""


token = st.tuples(st.sampled_from("abc"), st.sampled_from("NVD"))


@st.composite
def _parsed(draw: Any) -> Any:
    x = draw(st.lists(token, max_size=5))
    return x, draw(st.sampled_from(_trees(len(x)))) if x else []


@settings(max_examples=25)
@given(st.lists(_parsed(), min_size=1, max_size=5), st.booleans())
def test_the_core_plays_trees_as_python_does(rounds: Any, averaged: bool) -> None:
    core = nv.play(nv.StructuredPerceptron(nv.Trees(), averaged), rounds, passes=2)
    plain = nv.play(nv.StructuredPerceptron(PlainTrees(), averaged), rounds, passes=2)
    assert isinstance(plain.learner.features, PlainEngine)
    assert core.ledger.mistake_rounds.tolist() == plain.ledger.mistake_rounds.tolist()
    assert core.ledger.radius == plain.ledger.radius
    assert core.ledger.mistake_energy == plain.ledger.mistake_energy
    assert core.learner.weight_norm == plain.learner.weight_norm
    X, y = [x for x, _ in rounds], [z for _, z in rounds]
    h, g = core.hypothesis(), plain.hypothesis()
    assert h.predict(X) == g.predict(X)
    assert h.scores(X).tolist() == g.scores(X).tolist()
    for last in (True, False):
        one, other = (run.learner.features for run in (core, plain))
        assert (
            one.margins(one.hypothesis(last), X, y).tolist()
            == other.margins(other.hypothesis(last), X, y).tolist()
        )
    assert all(bound.holds for bound in nv.bounds(core))


BAD = {
    "no tokens": (["word"], [0], r"expected a list of \(word, tag\)"),
    "too few heads": ([("a", "N"), ("b", "N")], [0], "expected 2 heads, one per token"),
    "a head beyond": ([("a", "N")], [2], "expected heads from 0 to 1"),
    "two roots": ([("a", "N"), ("b", "N")], [0, 0], "expected one root, got 2"),
    "a circle": ([("a", "N")] * 3, [0, 3, 2], "expected a projective tree, got a circle"),
    "arcs that cross": (
        [("a", "N")] * 4,
        [3, 4, 0, 3],
        "expected a projective tree, got arcs 3→1 and 4→2 that cross",
    ),
}


@pytest.mark.parametrize("bad", BAD)
def test_what_is_no_tree_is_refused_and_changes_nothing(bad: str) -> None:
    x, y, message = BAD[bad]
    good: Any = [([("a", "N"), ("b", "V")], [2, 0])]
    run = nv.play(nv.StructuredPerceptron(nv.Trees()), good)
    with pytest.raises(nv.InputError, match=f"x: {message}"):
        run.learn(x, y)
    with pytest.raises(nv.InputError, match=f"round 3: {message}"):
        run.play([*good, (x, y)])
    again = nv.play(nv.StructuredPerceptron(nv.Trees()), good * 2)
    assert run.learner.weight_norm == again.learner.weight_norm
    assert run.ledger.rounds == 2


@pytest.mark.parametrize("problem", [nv.Trees(), PlainTrees()], ids=["core", "python"])
def test_save_and_resume_is_uninterrupted(problem: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rounds = []
    for _ in range(40):
        n = int(rng.integers(1, 5))
        x = [("abc"[k], "NVD"[k]) for k in rng.integers(0, 3, n).tolist()]
        rounds.append((x, _trees(n)[int(rng.integers(0, len(_trees(n))))]))
    X = [x for x, _ in rounds]
    whole = nv.play(nv.StructuredPerceptron(problem), rounds)
    nv.play(nv.StructuredPerceptron(problem), rounds[:20]).save(tmp_path / "run")
    resumed = nv.Run.load(tmp_path / "run").play(rounds[20:])
    assert resumed.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()
    assert resumed.learner.weight_norm == whole.learner.weight_norm
    h = whole.hypothesis()
    h.save(tmp_path / "h")
    for other in (
        resumed.hypothesis(),
        nv.Hypothesis.load(tmp_path / "h"),
        pickle.loads(pickle.dumps(h)),
    ):
        assert other.predict(X) == h.predict(X)
        assert other.scores(X).tolist() == h.scores(X).tolist()
    assert [h(x) for x in X] == h.predict(X)
    with pytest.raises(nv.HypothesisError, match="expected chains with templates of text"):
        nv.certify(whole)


def test_classes_are_the_multiclass_perceptron() -> None:
    rng = np.random.default_rng(2)
    labels = ["a", "b", "c"]
    X: Any = [[]] * 3 + [[f"f{j}" for j in rng.integers(0, 6, 4)] for _ in range(80)]
    y = labels + [labels[k] for k in rng.integers(0, 3, 80)]
    run = nv.play(nv.StructuredPerceptron(nv.Classes(labels)), list(zip(X, y, strict=True)))
    dicts: Any = [dict(Counter(x)) for x in X]
    peer = nv.play(nv.MulticlassPerceptron(), list(zip(dicts, y, strict=True)))
    assert run.ledger.mistake_rounds.tolist() == peer.ledger.mistake_rounds.tolist()
    assert run.learner.weight_norm == pytest.approx(peer.learner.weight_norm)
    assert all(bound.holds for bound in nv.bounds(run))
    with pytest.raises(nv.InputError, match=r"x: expected one of \('a', 'b', 'c'\), got 'd'"):
        run.learn(["f1"], "d")


class Subsets(nv.Problem):
    """Which of the words are chosen: y is a frozenset."""

    def features(self, x: Any, y: Any) -> Any:
        return Counter((word, word in y) for word in x)

    def best(self, w: Any, x: Any) -> Any:
        return frozenset(word for word in x if w[word, True] > w[word, False])


def test_a_problem_needs_only_features_and_the_best_output() -> None:
    rounds: Any = [(["a", "b"], frozenset("a")), (["b", "c"], frozenset("c"))] * 3
    run = nv.play(nv.StructuredPerceptron(Subsets()), rounds, until_clean=True)
    assert run.converged
    assert run.hypothesis()(["a", "b", "c"]) == frozenset("ac")
    assert run.hypothesis().top(1)[0][0] in {("a", True), ("a", False), ("c", True), ("c", False)}  # type: ignore[attr-defined]
    with pytest.raises(nv.HypothesisError, match="gives the second best output, got Subsets"):
        nv.bounds(run)
    with pytest.raises(nv.HypothesisError, match="digest: expected chains"):
        nv.play(nv.StructuredPerceptron(Subsets()), rounds, digest=True)


def test_sentences_are_parsed(data: Path) -> None:
    """A few of the training sentences; docs/structured.md has the whole."""
    name = "ud_english_ewt/en_ewt-ud-{}.conllu.gz"
    if not (data / name.format("train")).exists():
        pytest.skip("no ud_english_ewt among the real datasets")
    X, y = sentences_of(nv.read(data / name.format("train"), label="head"))
    pairs = [(x, z) for x, z in zip(X[::10], y[::10], strict=True) if not crossed(z)]
    test, gold = sentences_of(nv.read(data / name.format("test"), label="head"))
    run = nv.play(nv.StructuredPerceptron(nv.Trees()), pairs, passes=2)
    assert accuracy(gold[::5], run.hypothesis().predict(test[::5])) > 0.72
