"""Chains: the core does what the readable twin does, and what holds for every learner."""

import copy
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
import twins
from novikoff import _core
from novikoff.streams import ExampleStream
from novikoff.streams.files.columns import sentences_of
from threads import refusals, together

Rounds = list[tuple[list[list[str]], list[str]]]


def _rounds(count: int, tags: int = 3, length: int = 6, seed: int = 1) -> Rounds:
    """Sentences of features that hint at the tags, some of them twice in a position, some none."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        y = rng.integers(0, tags, rng.integers(0, length)).tolist()
        x = [
            [f"f{(k + int(rng.random() < 0.3)) % tags}", *["g"] * int(rng.integers(0, 3))]
            if rng.random() < 0.9
            else []
            for k in y
        ]
        found.append((x, [f"t{k}" for k in y]))
    return found


def _twin(rounds: Rounds, passes: int = 1) -> tuple[twins.Chain, list[int]]:
    twin = twins.Chain()
    made = [twin.learn(x, y) for _ in range(passes) for x, y in rounds]
    return twin, [t for t, mistaken in enumerate(made, 1) if mistaken]


def _learner(**options: Any) -> nv.StructuredPerceptron:
    return nv.StructuredPerceptron(nv.Chains(**options))


def _same_state(one: nv.Learner, other: nv.Learner) -> bool:
    a, b = one.state(), other.state()
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


features = st.lists(st.sampled_from("abcd"), max_size=3)
position = st.tuples(features, st.sampled_from(["B", "I", "O"]))
sentences = st.lists(position, max_size=5).map(
    lambda pairs: ([fs for fs, _ in pairs], [tag for _, tag in pairs])
)


@given(st.lists(sentences, max_size=12), st.integers(1, 3))
def test_the_core_makes_the_twins_mistakes_and_has_its_weights(rounds: Any, passes: int) -> None:
    run = nv.play(_learner(), rounds, passes=passes)
    twin, mistakes = _twin(rounds, passes)
    assert run.ledger.mistake_rounds.tolist() == mistakes
    assert run.ledger.radius == math.sqrt(max(twin.updates, default=0))
    assert run.ledger.mistake_energy == sum(twin.updates)
    assert run.learner.weight_norm == math.sqrt(sum(v * v for v in twin.w.values()))
    average = run.hypothesis()
    assert isinstance(average, nv.Chain)
    T = average.rounds
    expected = {k: v / T for k, v in twin.sum.items() if v}
    assert {_twin_key(k): v for k, v in average.weights().items()} == expected


def _twin_key(key: Any) -> Any:
    return ("move", key[0][0], key[1]) if isinstance(key[0], tuple) else key


@given(st.lists(sentences, min_size=1, max_size=8), sentences)
def test_the_best_outputs_and_margins_are_those_of_brute_force(rounds: Any, one: Any) -> None:
    learner = nv.StructuredPerceptron(nv.Chains(tags=["B", "I", "O"]), averaged=False)
    run = nv.play(learner, rounds)
    twin = twins.Chain()
    twin.tags = ["B", "I", "O"]
    for x, y in rounds:
        twin.learn(x, y)
    h, (x, y) = run.hypothesis(), one
    assert isinstance(h, nv.Chain)
    ranked = twin.ranked(x)
    assert h.best(x, 5) == [(float(score), z) for score, z in ranked[:5]]
    assert h(x) == learner.predict(x) == twin.predict(x) == ranked[0][1]
    assert h.scores([x]).tolist() == [ranked[0][0]]
    if h.norm:
        others = [score for score, z in ranked if z != y]
        expected = (twin.score(x, y) - others[0]) / h.norm if others else math.inf
        assert h.margins([x], [y]).tolist() == [pytest.approx(expected, rel=1e-12)]


def test_scores_beyond_32_bits_are_exact() -> None:
    x, y = [["f"] * 40_000, ["g"] * 40_000], ["B", "I"]
    rounds = [(x, y), (x, y[::-1])] * 3
    run = nv.play(_learner(), rounds)
    assert run.ledger.mistake_rounds.tolist() == _twin(rounds)[1]
    assert run.learner.weight_norm > 40_000


def test_many_tags_change_the_layout_and_no_mistake() -> None:
    rounds = _rounds(60, tags=27, seed=3)
    assert nv.play(_learner(), rounds).ledger.mistake_rounds.tolist() == _twin(rounds)[1]


def test_blocks_are_the_same_as_one_by_one() -> None:
    rounds = _rounds(200)
    whole, single, chunked = nv.play(_learner(), rounds), nv.Run(_learner()), nv.Run(_learner())
    for x, y in rounds:
        single.learn(x, y)
    for start in range(0, 200, 30):
        chunked.play(rounds[start : start + 30])
    once = nv.play(_learner(), iter(rounds))
    for run in (single, chunked, once):
        assert _same_state(run.learner, whole.learner)
        assert run.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()


def test_run_learn_returns_the_prediction() -> None:
    rounds = _rounds(50)
    run, twin = nv.Run(_learner()), twins.Chain()
    for x, y in rounds:
        twin.tags += [tag for tag in dict.fromkeys(y) if tag not in twin.tags]
        expected = twin.predict(x)
        assert run.learn(x, y) == expected
        twin.learn(x, y)


def test_a_pass_without_a_mistake_ends_the_play() -> None:
    rounds = [([["a"], ["b"]], ["A", "B"]), ([["b"], ["a"]], ["B", "A"])]
    run = nv.play(_learner(), rounds, until_clean=True)
    assert run.converged
    assert nv.play(run.learner, rounds).mistakes == 0


def test_save_and_resume_is_uninterrupted(tmp_path: Path) -> None:
    rounds = _rounds(200)
    whole = nv.play(_learner(), rounds)
    half = nv.play(_learner(), rounds[:90])
    half.save(tmp_path / "run")
    half.learner.save(tmp_path / "learner")
    resumed = nv.Run.load(tmp_path / "run").play(rounds[90:])
    assert _same_state(resumed.learner, whole.learner)
    assert resumed.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()
    assert resumed.ledger.radius == whole.ledger.radius
    learner = nv.Learner.load(tmp_path / "learner")
    assert _same_state(nv.play(learner, rounds[90:]).learner, whole.learner)
    for twin in (copy.deepcopy(half), pickle.loads(pickle.dumps(half))):
        assert _same_state(twin.play(rounds[90:]).learner, whole.learner)
        assert half.ledger.rounds == 90
    fresh = whole.learner.fresh()
    assert fresh.rounds == 0
    assert _same_state(fresh, _learner())


def test_hypotheses_are_frozen_saved_and_read_by_many_threads(tmp_path: Path) -> None:
    rounds = _rounds(100)
    X = [x for x, _ in rounds]
    run = nv.play(_learner(), rounds[:50])
    h = run.hypothesis()
    before = h.predict(X)
    run.play([([["new"]], ["other"]), *rounds[50:]])
    assert h.predict(X) == before
    h.save(tmp_path / "h")
    for loaded in (nv.Hypothesis.load(tmp_path / "h"), pickle.loads(pickle.dumps(h))):
        assert loaded.predict(X) == before
        assert loaded.labels == h.labels
        assert loaded.scores(X).tolist() == h.scores(X).tolist()
    assert together(lambda: h.predict(X)) == [before] * 8


def test_a_second_thread_is_refused() -> None:
    run = nv.Run(_learner())
    rounds = _rounds(2000)
    (refused,) = refusals(lambda: run.play(rounds, passes=100), run.learner.state)
    assert "expected one thread at a time" in str(refused)
    assert run.ledger.rounds % 200_000 == 0


BAD = {
    "no sentence": ("word", ["A"], "expected a sentence, a list of positions, got str"),
    "no positions": ([3], ["A"], "position 1: expected a list of features, got 3"),
    "no texts": ([["a"], [3]], ["A", "A"], "position 2: expected texts, got 3"),
    "a surrogate": ([["\ud800"]], ["A"], "position 1: expected text that UTF-8 can hold"),
    "no tags": ([["a"]], "A", "expected a list of tags, got str"),
    "too few tags": ([["a"], ["b"]], ["A"], "expected 2 tags, one per position, got 1"),
    "a tag that is none": ([["a"]], [None], "expected a text as tag 1, got None"),
    "a tag not allowed": ([["a"], ["b"]], ["A", "Z"], "expected tag 2 among A B, got 'Z'"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_refused_example_changes_nothing(bad: str) -> None:
    good: Any = [([["a"], ["b"]], ["A", "B"]), ([["b"], ["a"]], ["B", "A"])]
    x, y, message = BAD[bad]
    run = nv.play(_learner(tags=["A", "B"]), good)
    for attempt in (run.learn, run.learner.update):
        with pytest.raises(nv.InputError, match=f"x: {message}") as error:
            attempt(x, y)
        assert ". " in str(error.value)
    with pytest.raises(nv.InputError, match=f"round 5: {message}"):
        run.play([*good, (x, y), *good])
    assert run.ledger.rounds == 4
    assert _same_state(run.learner, nv.play(_learner(tags=["A", "B"]), good * 2).learner)


def test_empty_and_long_sentences_are_answered() -> None:
    run = nv.play(_learner(), [([], [])])
    assert (run.ledger.rounds, run.mistakes, run.learner.predict([])) == (1, 0, [])
    assert run.hypothesis()([]) == []
    with pytest.raises(nv.InputError, match="expected a tag to predict, got none yet"):
        run.hypothesis()([["a"]])
    x = [["odd" if i % 2 else "even"] for i in range(100_000)]
    y = ["A" if i % 2 else "B" for i in range(100_000)]
    long = nv.play(_learner(), [(x, y)] * 3)
    assert long.mistakes == 1
    assert long.hypothesis()(x) == y
    assert long.ledger.radius > 100_000
    blank = nv.play(_learner(), [([[], []], ["A", "B"])] * 5)
    assert blank.hypothesis()([[], []]) == ["A", "B"]


def test_templates_are_what_they_say() -> None:
    def seen(templates: str, sentence: Any, i: int, columns: Any = None) -> list[str]:
        names = nv.Chains(templates, columns).names()
        encoded = _core.Sentences()
        assert names.encode([sentence], None, encoded) == 1
        texts = names.feature_names()
        return [texts[k] for k in encoded.positions(0)[i][1]]

    words = ["Über-Held", "x2", "NATO", "the"]
    assert seen("w[0] w[-1] w[1]|w[2]", words, 0) == [
        "w[0]=Über-Held", "w[-1]=<s>", "w[1]|w[2]=x2|NATO",
    ]  # fmt: skip
    assert seen("w[1] w[9]", words, 3) == ["w[1]=</s>", "w[9]=</s>"]
    assert seen("pre1[0] pre2[0] suf3[0] suf9[0]", words, 0) == [
        "pre1[0]=Ü", "pre2[0]=Üb", "suf3[0]=eld",
    ]  # fmt: skip
    assert seen("shape[0] lower[0] hyphen[0] digit[0]", words, 0)[:2] == [
        "shape[0]=xxxx-Xxxx", "lower[0]=Über-held",
    ]  # fmt: skip
    assert seen("digit[0] hyphen[0] upper[0] title[0] always", words, 1) == ["digit[0]=", "always="]
    assert seen("upper[0] title[0] suf4[0] suf3[0]", words, 2) == [
        "upper[0]=", "title[0]=", "suf3[0]=ATO",
    ]  # fmt: skip
    assert seen("w[0]|p[-1]", [("a", "X"), ("b", "Y")], 1, "w p") == ["w[0]|p[-1]=b|X"]
    for bad in ("w", "w[x]", "q[0]", "pre0[0]", "w[0]|", "w[0"):
        with pytest.raises(nv.ParameterError, match=r"templates: expected atoms name\[offset\]"):
            nv.Chains(bad)
    with pytest.raises(nv.InputError, match=r"expected 2 columns \(w p\), got 1"):
        nv.play(nv.StructuredPerceptron(nv.Chains("chunking")), [(["a"], ["X"])])


def test_functions_are_templates_too(tmp_path: Path) -> None:
    def about(sentence: Any, i: int) -> list[str]:
        return [f"w={sentence[i]}", f"before={sentence[i - 1] if i else None}"]

    rounds: Any = [("abc", ["A", "B", "C"]), ("cab", ["C", "A", "B"])] * 4
    run = nv.play(nv.StructuredPerceptron(nv.Chains(about)), rounds)
    listed = [([about(x, i) for i in range(len(x))], y) for x, y in rounds]
    assert run.ledger.mistake_rounds.tolist() == _twin(listed)[1]
    assert run.hypothesis()("abc") == ["A", "B", "C"]
    for save in (run.save, run.learner.save, run.hypothesis().save):
        with pytest.raises(nv.InputError, match=r"save: expected .*function"):
            save(tmp_path / "h")


def test_real_sentences_are_played_as_the_twin_plays_them(data: Path) -> None:
    path = data / "conll2000" / "train.txt.gz"
    if not path.exists():
        pytest.skip("no conll2000 among the real datasets")
    X, y = sentences_of(nv.read(path, format="conll"))
    assert len(X) == 8936
    problem = nv.Chains("w[0] p[0] p[-1]|p[0] w[-1]", "w p")
    names, encoded = problem.names(), _core.Sentences()
    names.encode(X[:40], y[:40], encoded)
    texts = names.feature_names()
    listed = [
        ([[texts[k] for k in ids] for _, ids in encoded.positions(t)], y[t]) for t in range(40)
    ]
    run = nv.play(nv.StructuredPerceptron(problem), list(zip(X[:40], y[:40], strict=True)))
    assert run.ledger.mistake_rounds.tolist() == _twin(listed)[1]


def test_what_is_no_stream_of_sentences_is_refused() -> None:
    for source, message in (
        (nv.stream([[1.0]], [1]), "expected examples of a structure, got rows of features"),
        (nv.stream([[1.0]], ["a"], positive="a"), "expected examples of a structure"),
        ([(["a"],)], "example 1: expected a pair"),
        (3, "expected a stream or an iterable"),
    ):
        with pytest.raises(nv.InputError, match=message):
            nv.play(_learner(), source)
    with pytest.raises(nv.InputError, match="round 1: expected numbers or named features"):
        nv.play(Guess(), ExampleStream([([["a"]], 1)]))
    with pytest.raises(nv.ParameterError, match=r"problem: expected nv\.Chains"):
        nv.StructuredPerceptron("chunking")


class Guess:
    """Somebody's learner of two labels."""

    def predict(self, x: Any) -> int:
        return 1

    def update(self, x: Any, y: int) -> None:
        pass
