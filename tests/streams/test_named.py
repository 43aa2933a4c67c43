"""Named features: dicts and frames, an exact dictionary of names or hashing."""

import copy
import pickle
import sys
from collections import Counter
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from novikoff import _core
from problems import named_rounds

MAIL: list[tuple[dict[str, Any], str]] = [
    ({"free": 2, "offer": 1.5, "from": "bank"}, "spam"),
    ({"hello": True, "from": "friend"}, "ham"),
    ({"offer": 1, "hello": np.float32(0.5), "from": "shop"}, "spam"),
    ({"free": 0.0, "meeting": np.int64(3), "from": "work"}, "ham"),
    ({"free": 1, "meeting": np.bool_(True), "from": "friend"}, "ham"),
]


def test_rounds_with_dicts_speak_names_and_labels() -> None:
    run = nv.Run(nv.Perceptron(), positive="spam")
    predictions = [run.learn(x, y) for x, y in MAIL]
    assert predictions == ["spam", "spam", "ham", "spam", "ham"]
    assert run.ledger.mistake_rounds.tolist() == [2, 3, 4]
    weights = run.hypothesis().weights()  # type: ignore[attr-defined]
    assert weights == {
        "hello": -0.5, "from=friend": -1.0, "offer": 1.0, "from=shop": 1.0,
        "meeting": -3.0, "from=work": -1.0,
    }  # fmt: skip
    assert run.hypothesis().top(2) == [("meeting", -3.0), ("from=friend", -1.0)]  # type: ignore[attr-defined]
    assert run.hypothesis()({"meeting": 1, "never seen": 5}) == "ham"
    assert run.predict([x for x, _ in MAIL]).tolist() == ["spam", "ham", "spam", "ham", "ham"]


@pytest.mark.parametrize("learner", [nv.Perceptron, nv.MulticlassPerceptron, nv.VotedPerceptron])
def test_streams_of_dicts_are_the_rounds_one_by_one(learner: Any) -> None:
    rows = named_rounds(400)
    single = nv.Run(learner())
    for x, label in rows:
        single.learn(x, label)
    X, y = [x for x, _ in rows], [label for _, label in rows]
    for stream in (rows, iter(rows), nv.stream(X, y), ((x, y) for x, y in rows)):
        run = nv.play(learner(), stream)
        a, b = run.learner.state(), single.learner.state()
        assert all(np.array_equal(a[name], b[name]) for name in a)
    again = nv.play(learner(), nv.stream(X, y), until_clean=True, max_passes=3)
    assert again.ledger.passes == 3


def test_ids_are_first_appearances_and_zeros_are_none() -> None:
    learner = nv.Perceptron()
    nv.play(learner, [({"b": 1.0, "zero": 0.0, "a": -0.0}, 1), ({"a": 2.0, "b": 1.0}, 1)])
    assert learner.features.names(len(learner.features)) == ["b", "a"]
    assert learner.dimension == 2


@pytest.mark.filterwarnings("ignore:Blanks at the ends")  # "= 0" looks like such a category
@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.text(max_size=3), st.floats(-9, 9) | st.integers(-9, 9), max_size=6),
            st.sampled_from([-1, 1]),
        ),
        max_size=20,
    )
)
def test_any_names_learn_as_a_plain_dict_would(rows: list[tuple[dict[str, Any], int]]) -> None:
    run = nv.Run(nv.Perceptron())
    w: dict[str, Fraction] = {}
    for x, y in rows:
        score = sum((w.get(name, Fraction(0)) * Fraction(v) for name, v in x.items()), Fraction(0))
        assert run.learn(x, y) == (1 if score >= 0 else -1)
        if (score >= 0) != (y > 0):
            for name, v in x.items():
                w[name] = w.get(name, Fraction(0)) + y * Fraction(v)
    if rows:
        found = run.hypothesis().weights()  # type: ignore[attr-defined]
        assert found == {name: float(v) for name, v in w.items() if v != 0}


def test_a_dict_may_have_a_million_features() -> None:
    x = {f"f{j}": 1.0 for j in range(1_000_000)}
    run = nv.Run(nv.Perceptron())
    assert run.learn(x, -1) == 1
    assert run.learn(x, -1) == -1
    assert run.learner.dimension == 1_000_000
    assert 8e7 < run.learner.nbytes < 3e8  # strings are smaller from Python 3.12 on
    assert run.learn({"f999999": 1.0}, 1) == -1


def test_features_appear_and_vanish() -> None:
    run = nv.Run(nv.AveragedPerceptron())
    for t in range(200):
        run.learn({f"f{t}": 1.0, f"f{t // 2}": -1.0 if t else 1.0}, 1 if t % 3 else -1)
    assert run.learner.dimension == 200
    h = run.hypothesis()
    run.learn({"another": 1.0}, -1)
    run.learn({"another": 1.0}, 1)
    assert h({"another": 1.0}) == 1
    assert "another" not in h.weights()  # type: ignore[attr-defined]


BAD: dict[str, tuple[Any, str]] = {
    "int key": ({3: 1.0}, r"expected strings as names of features, got 3 \(int\)"),
    "tuple key": ({("a", 1): 1.0}, r"got \('a', 1\) \(tuple\)"),
    "bytes key": ({b"a": 1.0}, r"got b'a' \(bytes\)"),
    "None key": ({None: 1.0}, r"got None \(NoneType\)"),
    "nan": ({"a": 1.0, "b": float("nan")}, "expected a finite value for feature 'b', got nan"),
    "inf": ({"a": np.float32("inf")}, "expected a finite value for feature 'a', got inf"),
    "none": ({"a": None}, "expected a number or a string for feature 'a', got None"),
    "list": ({"a": [1.0]}, r"got \[1.0\] \(list\)"),
    "fraction": ({"a": Fraction(1, 3)}, "expected a float, an int, a bool or a string"),
    "complex": ({"a": 1j}, "expected a number or a string"),
    "longdouble": ({"a": np.longdouble(1)}, "expected a number or a string"),
    "array": ({"a": np.array([1])}, "expected a number or a string"),
    "timedelta": ({"a": np.timedelta64(5, "s")}, "expected a number or a string"),
    "large int": ({"a": 2**53 + 1}, r"expected integers within ±2\^53"),
    "huge int": ({"a": 2**100}, r"expected integers within ±2\^53"),
    "large numpy int": ({"a": np.uint64(2**63)}, r"expected integers within ±2\^53"),
    "name and value": ({"a=b": 1.0, "a": "b"}, "expected every feature once, got 'a=b' from the"),
    "two values": ({"a": "b=c", "a=b": "c"}, "expected every feature once, got 'a=b=c'"),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("used", [False, True])
def test_what_is_no_feature_is_refused_by_name_and_changes_nothing(bad: str, used: bool) -> None:
    x, message = BAD[bad]
    x = {"new name": 1.0, **x}
    run = nv.Run(nv.Perceptron())
    for row, y in named_rounds(30 if used else 0):
        run.learn(row, y)
    before, ledger = run.learner.state(), run.ledger.state()[1]
    with pytest.raises(nv.InputError, match=message):
        run.learn(x, 1)
    with pytest.raises(nv.InputError, match=message):
        run.learner.update(x, 1)
    with pytest.raises(nv.InputError, match=message):
        run.learner.predict(x)
    after = run.learner.state()
    assert after.keys() == before.keys()
    assert all(np.array_equal(a, before[name]) for name, a in after.items())
    assert all(np.array_equal(a, ledger[name]) for name, a in run.ledger.state()[1].items())
    rows = [({"new name": 1.0}, 1), (x, 1)]
    played = nv.Run(nv.Perceptron())
    with pytest.raises(nv.InputError, match=f"round 2: .*{message}"):
        played.play(rows)
    assert played.ledger.rounds == 1
    with pytest.raises(nv.InputError, match=f"row 2: .*{message}"):
        played.predict([{}, x])


def test_named_and_numbered_features_do_not_mix() -> None:
    named, numbered = nv.Run(nv.Perceptron()), nv.Run(nv.Perceptron())
    named.learn({"a": 1.0}, 1)
    numbered.learn([1.0, 2.0], 1)
    with pytest.raises(nv.InputError, match="expected dicts of named features, as in the rounds"):
        named.learn([1.0], 1)
    with pytest.raises(nv.InputError, match="expected vectors or pairs"):
        numbered.learn({"a": 1.0}, 1)
    with pytest.raises(nv.InputError, match="expected named features, as learned from"):
        named.predict(np.ones((1, 1)))
    with pytest.raises(nv.InputError, match="expected 2 numbered features, got named ones"):
        numbered.predict([{"a": 1.0}])
    with pytest.raises(nv.InputError, match="expected rows, got one dict"):
        named.predict({"a": 1.0})


def test_other_mappings_and_strings_are_taken() -> None:
    run = nv.Run(nv.Perceptron())
    run.learn(Counter("hello"), -1)
    run.learn(MappingProxyType({"h": 1}), 1)
    run.learn({np.str_("h"): 1, "kind": np.str_("x")}, 1)
    assert run.learner.features.names(5) == ["e", "h", "l", "o", "kind=x"]
    assert all(type(name) is str for name in run.learner.features.names(5))


def test_a_saved_run_of_names_resumes_exactly(tmp_path: Any) -> None:
    rows = [(x | {"é ☃ \x00": 1.0, "\\udc80": 0.5}, y) for x, y in named_rounds(200)]
    whole = nv.play(nv.VotedPerceptron(bias=0.5), rows)
    half = nv.play(nv.VotedPerceptron(bias=0.5), rows[:100])
    half.save(tmp_path / "run")
    half.hypothesis().save(tmp_path / "h")
    for resumed in (nv.Run.load(tmp_path / "run"), copy.deepcopy(half)):
        resumed.play(rows[100:])
        a, b = whole.learner.state(), resumed.learner.state()
        assert all(np.array_equal(a[name], b[name]) for name in a)
        assert resumed.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()
    X = [x for x, _ in rows]
    h = half.hypothesis()
    for twin in (nv.Hypothesis.load(tmp_path / "h"), pickle.loads(pickle.dumps(h))):
        assert np.array_equal(twin.predict(X), h.predict(X))
        assert np.array_equal(twin.scores(X), h.scores(X))
    linear = nv.play(nv.Perceptron(), rows).hypothesis()
    linear.save(tmp_path / "linear")
    assert nv.Halfspace.load(tmp_path / "linear").weights() == linear.weights()  # type: ignore[attr-defined]


def test_weights_of_classes_are_told_by_label_and_name() -> None:
    run = nv.play(
        nv.MulticlassPerceptron(), [({"a": 2}, "x"), ({"b": 1}, "y"), ({"a": 1, "b": 1}, "y")]
    )
    h = run.hypothesis()
    assert h.weights() == {"x": {"b": -1.0}, "y": {"b": 1.0}}  # type: ignore[attr-defined]
    assert h.top(1) == {"x": [("b", -1.0)], "y": [("b", 1.0)]}  # type: ignore[attr-defined]
    numbered = nv.play(nv.Perceptron(), nv.stream([[1.0, 0.0], [0.0, 2.0]], [-1, 1]))
    assert numbered.hypothesis().weights() == {0: -1.0}  # type: ignore[attr-defined]
    with pytest.raises(nv.ParameterError, match="count: expected"):
        numbered.hypothesis().top(-1)  # type: ignore[attr-defined]


def test_the_digest_is_that_of_the_ids() -> None:
    rows = [({"b": 1.0, "a": 2.0, "zero": 0.0}, 1), ({"c": 3.0, "b": -1.0}, -1)]
    named = nv.play(nv.Perceptron(), rows, digest=True)
    pairs = [(([0, 1], [2.0, 1.0]), 1), (([1, 2], [-1.0, 3.0]), -1)]
    assert named.ledger.digest == nv.play(nv.Perceptron(), pairs, digest=True).ledger.digest
    single = nv.Run(nv.Perceptron(), digest=True)
    for x, y in rows:
        single.learn(x, y)
    assert single.ledger.digest == named.ledger.digest


def test_a_source_may_use_one_dict_or_array_for_all_rounds() -> None:
    def dicts() -> Any:
        x: dict[str, float] = {}
        for t in range(200):
            x.clear()
            x["a" if t % 2 else "b"] = 1.0
            yield x, 1 if t % 2 else -1

    def arrays(sparse: bool) -> Any:
        x, where = np.zeros(2), np.array([0, 1])
        for t in range(200):
            x[:] = (t % 2, 1 - t % 2)
            yield (where, x) if sparse else x, 1 if t % 2 else -1

    for source in (dicts(), arrays(sparse=False), arrays(sparse=True)):
        assert nv.play(nv.Perceptron(), source).mistakes == 1


def test_names_of_equal_text_are_one_name_whatever_their_class_says() -> None:
    class Token(str):
        __slots__ = ()
        __hash__ = object.__hash__

        def __eq__(self, other: object) -> bool:
            return self is other

    run = nv.Run(nv.Perceptron())
    for _ in range(2):
        with pytest.raises(nv.InputError, match="expected every feature once, got 'the'"):
            run.learn({Token("the"): 1.0, Token("the"): 2.0, "cat": 1.0}, -1)
        run.learn({Token("the"): 1.0, "cat": 1.0}, -1)
    assert run.hypothesis().weights() == {"cat": -1.0, "the": -1.0}  # type: ignore[attr-defined]


def test_ids_do_not_depend_on_the_order_within_a_dict() -> None:
    one = nv.play(nv.Perceptron(), [({"b": 1.0, "a": 2.0, "c": 0.5}, 1)], digest=True)
    other = nv.play(nv.Perceptron(), [({"c": 0.5, "a": 2.0, "b": 1.0}, 1)], digest=True)
    assert one.ledger.digest == other.ledger.digest
    assert one.learner.features.names(3) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "make", [nv.Perceptron, lambda: nv.Minnow(0.5), lambda: nv.BalancedMinnow(0.5)]
)
def test_unknown_features_predict_as_they_will_be_judged(make: Any) -> None:
    for first, second in (({"a": 1.0}, {"b": -1.0, "a": 0.25}), (([0], [1.0]), ([1], [-1.0]))):
        run = nv.Run(make())
        run.learn(first, 1)
        asked = run.learner.predict(second)
        assert run.learn(second, 1) == asked


def test_a_learner_of_ones_own_may_be_played_on_dicts() -> None:
    class Mine(nv.Perceptron):
        def predict(self, x: Any, /) -> int:
            return super().predict(x)

    rows = named_rounds(100)
    mine = nv.play(Mine(), rows)
    assert (
        mine.ledger.mistake_rounds.tolist()
        == nv.play(nv.Perceptron(), rows).ledger.mistake_rounds.tolist()
    )


def test_a_refused_play_leaves_a_batch_learner_whole() -> None:
    run = nv.Run(nv.ModifiedPerceptron(0.1))
    with pytest.raises(nv.InputError, match="expected labels"):
        run.play([({"a": 1.0, "b": 1.0}, 7)])
    assert (run.learner.dimension, len(run.learner.features)) == (0, 0)
    run.play([({"a": 1.0}, 1), ({"b": 1.0}, -1)])
    with pytest.raises(nv.InputError):
        run.play([({"new": 1.0}, 1), "garbage!"])
    run.learner.predict({"a": 1.0})
    assert copy.deepcopy(run).ledger.rounds == 2


class _Foreign:
    """A learner of somebody else's, on dicts."""

    def __init__(self) -> None:
        self.w: Counter[str] = Counter()

    def predict(self, x: dict[str, float]) -> int:
        return 1 if sum(self.w[name] * v for name, v in x.items()) >= 0 else -1

    def update(self, x: dict[str, float], y: int) -> None:
        if self.predict(x) != y:
            for name, v in x.items():
                self.w[name] += y * v  # type: ignore[assignment]
        x.clear()  # its own copy


def test_any_learner_can_be_played_on_dicts() -> None:
    rows = [({k: float(round(v * 10)) for k, v in x.items()}, y) for x, y in named_rounds(200)]
    theirs = nv.play(_Foreign(), rows, digest=True)
    ours = nv.play(nv.Perceptron(), rows, digest=True)
    assert theirs.ledger.mistake_rounds.tolist() == ours.ledger.mistake_rounds.tolist()
    assert theirs.ledger.radius == pytest.approx(ours.ledger.radius)
    assert theirs.ledger.digest == ours.ledger.digest
    assert theirs.predict([rows[0][0]]).shape == (1,)
    with pytest.raises(nv.InputError, match="round 201: expected a finite value for feature 'a'"):
        theirs.play([({"a": float("nan")}, 1)])


def test_a_tampered_dictionary_is_refused(tmp_path: Any) -> None:
    learner = nv.Perceptron()
    nv.play(learner, named_rounds(20))
    state = learner.state()
    for name, value in (
        ("names", state["names"][:-1]),
        ("name_ends", state["name_ends"][:-1]),
        ("name_ends", np.zeros_like(state["name_ends"])),
    ):
        with pytest.raises(ValueError, match=r"names|unpack"):
            nv.Perceptron().restore(state | {name: value})


def test_room_for_names_grows_by_doubling() -> None:
    """A name more does not copy all there are: a million would be loaded in minutes."""
    features, rooms = _core.Features(), set()
    for k in range(3000):
        nv.streams.NamedBlock([{f"{k:04}": 1.0}]).numbered(features, 0, 1, adopt=True)
        rooms.add(features.bytes - len(features) * sys.getsizeof("0000"))
    assert len(features) == 3000
    assert len(rooms) < 40
