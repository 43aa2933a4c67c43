"""Streams and labels: what is taken, what is refused, and how it is said."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from novikoff.streams import BinaryLabels, ClassLabels, as_block

X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def test_arrays_are_not_copied() -> None:
    for dtype in (np.float32, np.float64):
        dense = X.astype(dtype)
        assert as_block(dense).values is dense  # type: ignore[attr-defined]
        assert as_block(dense[::2]).values.base is dense  # type: ignore[attr-defined]
        matrix = sp.csr_array(dense)
        for index in (np.int32, np.int64):
            matrix.indices, matrix.indptr = (
                matrix.indices.astype(index),
                matrix.indptr.astype(index),
            )
            block: Any = as_block(matrix)
            assert block.indices is matrix.indices
            assert block.values is matrix.data


@pytest.mark.parametrize(
    ("y", "known"),
    [
        ([-1, 1, -1], (-1, 1)),
        ([0, 1, 1], (0, 1)),
        ([False, True, True], (False, True)),
        ([0.0, 1.0, 0.0], (0.0, 1.0)),
        (np.array([1, 0, 1], np.uint8), (0, 1)),
        (np.array([1, -1, 1], np.int16), (-1, 1)),
    ],
)
def test_two_labels_are_mapped_and_recorded(y: Any, known: tuple[Any, Any]) -> None:
    run = nv.play(nv.Perceptron(), nv.stream(X, y))
    assert run.ledger.labels == known
    assert [type(v) for v in run.ledger.labels] == [type(v) for v in known]
    assert set(run.predict(X).tolist()) <= set(known)
    assert sum(run.ledger.rounds_by_label.values()) == 3


def test_positive_names_the_label_that_is_plus_one() -> None:
    run = nv.play(nv.Perceptron(), nv.stream(X, ["ham", "spam", "ham"], positive="spam"))
    assert run.ledger.labels == ("ham", "spam")
    assert set(run.predict(X)) <= {"ham", "spam"}
    several = nv.play(nv.Perceptron(), nv.stream(X, ["a", "b", "c"], positive="b"))
    assert several.ledger.labels == ("not b", "b")
    numbers = nv.play(nv.Perceptron(), nv.stream(X, [3, 7, 3], positive=7))
    assert numbers.ledger.labels == (3, 7)
    with pytest.raises(nv.ParameterError, match="positive"):
        run.play(nv.stream(X, ["ham", "spam", "ham"], positive="ham"))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 2, 1], r"round 2: expected labels −1 and \+1, or 0 and 1, got 2"),
        (["a", "b", "a"], r"round 1: expected labels .*, got 'a'.* positive="),
        ([-1, 0, 1], r"round 2: expected labels .* got 0"),
        ([0, -1, 1], r"round 2: expected labels .* got -1"),
        ([1.0, np.nan, 1.0], r"round 2: expected a label, got nan"),
        ([1, -1], r"y: expected one label for each of the 3 rows"),
        (np.ones((3, 1)), r"y: expected one label for each of the 3 rows"),
        ([[1], [1], [1]], r"round 1: expected labels .* got \[1\]"),
        ([1, -1, "x"], r"round 3: expected labels .* got 'x'"),
    ],
)
def test_labels_outside_the_map_are_refused(y: Any, message: str) -> None:
    with pytest.raises(nv.InputError, match=message):
        nv.play(nv.Perceptron(), nv.stream(X, y))


def test_a_run_keeps_one_map_over_chunks() -> None:
    run = nv.Run(nv.Perceptron())
    run.play(nv.stream(X, [1, 1, 1]))
    run.play(nv.stream(X, [0, 1, 0]))
    assert run.ledger.labels == (0, 1)
    with pytest.raises(nv.InputError, match="round 8: expected labels 0 and 1, got -1"):
        run.play(nv.stream(X, [1, -1, 1]))
    assert run.ledger.rounds == 7  # the round before the stranger was played


def test_classes_are_numbered_as_they_appear() -> None:
    labels = ClassLabels()
    assert labels.encode(["b", "a", "b"]).tolist() == [0, 1, 0]
    assert labels.encode(["c", "a"]).tolist() == [2, 1]
    assert labels.known == ("b", "a", "c")
    assert labels.decode(np.array([2, 0])).tolist() == ["c", "b"]
    mixed = ClassLabels()
    assert mixed.encode([1, "1", (2, 3)]).tolist() == [0, 1, 2]
    assert mixed.decode(np.array([2, 1, 0])).tolist() == [(2, 3), "1", 1]
    for bad in (None, float("nan"), [1]):
        with pytest.raises(nv.InputError, match=r"round 6: expected a label"):
            mixed.encode([1, bad], first_round=5)


def test_classes_of_a_refused_round_are_not_remembered() -> None:
    run = nv.Run(nv.MulticlassPerceptron())
    bad = X.copy()
    bad[1, 0] = np.inf
    with pytest.raises(nv.InputError, match="round 2"):
        run.play(nv.stream(bad, ["a", "b", "c"]))
    assert list(run.ledger.labels) == ["a"]
    with pytest.raises(nv.InputError):
        run.learn([np.nan, 1.0], "z")
    assert len(run.labels.known) == 1
    run.play(nv.stream(X, ["c", "b", "a"]))
    assert run.ledger.labels == ("a", "c", "b")


def test_only_positives_predict_positive() -> None:
    labels = BinaryLabels()
    assert labels.encode([1, 1]).tolist() == [1, 1]
    assert labels.known == ()
    assert nv.play(nv.Perceptron(), nv.stream(X, [1, 1, 1])).predict(X).tolist() == [1, 1, 1]


def _generated(rounds: int, fail_at: int | None = None) -> Iterator[tuple[Any, int]]:
    for t in range(rounds):
        if t == fail_at:
            raise RuntimeError("the source broke")
        yield (np.array([1.0, t % 3 - 1.0]), 1 if t % 3 else -1)


def test_generators_are_played_once() -> None:
    run = nv.play(nv.Perceptron(), _generated(5000))
    listed = nv.play(nv.Perceptron(), list(_generated(5000)))
    assert run.ledger.mistake_rounds.tolist() == listed.ledger.mistake_rounds.tolist()
    with pytest.raises(nv.InputError, match="expected a stream that can be played again"):
        nv.play(nv.Perceptron(), _generated(10), passes=2)
    assert nv.play(nv.Perceptron(), list(_generated(10)), passes=2).ledger.rounds == 20


def test_rounds_gathered_before_a_broken_source_are_played() -> None:
    run = nv.Run(nv.Perceptron())
    with pytest.raises(RuntimeError, match="the source broke"):
        run.play(_generated(5000, fail_at=1500))
    assert run.ledger.rounds == 1500


def test_forms_may_change_from_round_to_round() -> None:
    rounds = [([1.0, 2.0], 1), ((np.array([1]), np.array([2.0])), -1), ([0.0, 1.0], 1)]
    assert nv.play(nv.Perceptron(), rounds).ledger.rounds == 3
    single = [(sp.csr_array([[1.0, 0.0]]), 1), (sp.csr_array([[0.0, 2.0]]), -1)]
    assert nv.play(nv.Perceptron(), single).ledger.rounds == 2


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (X, "stream: expected a stream or an iterable of"),
        ("text", "stream: expected a stream"),
        (3, "stream: expected a stream"),
        ([1.0, 2.0], r"example 1: expected a pair \(x, y\)"),
        ([({3: 1.0}, 1)], "expected strings as names of features, got 3"),
        ([(X, 1)], "expected one dimension, got 2"),
    ],
)
def test_what_is_no_stream_is_refused(source: Any, message: str) -> None:
    with pytest.raises(nv.InputError, match=message):
        nv.play(nv.Perceptron(), source)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (X[0], "X: expected two dimensions"),
        ([["a", "b"]], "X: expected float32, float64, integers or bools"),
        ([[1.0, 2.0], [1.0]], "X: expected numbers"),
        (X.astype(np.longdouble), "got float128|got longdouble"),
        (np.array([[2**60, 1]]), r"within ±2\^53"),
        (sp.csr_array((1, 2**31)), "at most 2147483647 features"),
        (np.array([[None, 1.0]], object), "got object"),
    ],
)
def test_what_is_no_matrix_is_refused(matrix: Any, message: str) -> None:
    with pytest.raises(nv.InputError, match=message):
        nv.stream(matrix, [1])


def test_a_broken_sparse_matrix_is_refused() -> None:
    matrix = sp.csr_array(X)
    matrix.indptr = matrix.indptr[::-1].copy()
    with pytest.raises(nv.InputError, match="X: expected rows that lie within the arrays"):
        nv.stream(matrix, [1, 1, 1])
    matrix = sp.csr_array(X)
    matrix.indices = matrix.indices + 7
    with pytest.raises(nv.InputError, match="round 1: expected indices below 2, got 7"):
        nv.play(nv.Perceptron(), nv.stream(matrix, [1, 1, 1]))
    twice = sp.csr_array((np.ones(3), np.array([1, 1, 0]), np.array([0, 2, 3, 3])), shape=(3, 2))
    with pytest.raises(nv.InputError, match="round 1: expected every index once, got 1"):
        nv.play(nv.Perceptron(), nv.stream(twice, [1, 1, 1]))


def test_integers_bools_and_other_byte_orders_are_the_numbers_they_are() -> None:
    y = [1, -1, 1]
    expected = nv.play(nv.Perceptron(), nv.stream(X, y)).learner.state()["weights"]
    for form in (X.astype(int), X.astype(bool), X.astype(">f8"), X.astype(np.float16), X.tolist()):
        found = nv.play(nv.Perceptron(), nv.stream(form, y)).learner.state()["weights"]
        assert np.array_equal(found, expected)


def test_labels_keep_their_types() -> None:
    mixed = nv.play(nv.Perceptron(), nv.stream(X, ["spam", 0, "spam"], positive="spam"))
    assert mixed.ledger.labels == (0, "spam")
    assert set(mixed.predict(X).tolist()) <= {0, "spam"}
    large = np.array([2**64 - 1, 0, 5], np.uint64)
    run = nv.play(nv.MulticlassPerceptron(), nv.stream(np.eye(3), large), until_clean=True)
    assert run.predict(np.eye(3)).tolist() == [2**64 - 1, 0, 5]
    wide = np.array([-(2**31), 2**31 - 1, 0], np.int32)
    assert nv.play(nv.MulticlassPerceptron(), nv.stream(X, wide)).ledger.labels == tuple(wide)


def test_the_positive_label_is_spoken_before_a_negative_is_seen() -> None:
    run = nv.Run(nv.Perceptron(), positive="spam")
    assert run.learn(X[0], "spam") == "spam"
    assert run.predict(X).tolist() == ["spam"] * 3
    run.learn(X[1], "ham")
    assert run.ledger.labels == ("ham", "spam")


@pytest.mark.parametrize("bad", [None, float("nan"), [1]])
def test_a_missing_label_is_not_the_negative_one(bad: Any) -> None:
    with pytest.raises(nv.InputError, match="round 2: expected a label"):
        nv.play(nv.Perceptron(), nv.stream(X, ["spam", bad, "ham"], positive="spam"))


def test_a_run_may_be_told_its_labels() -> None:
    run = nv.Run(nv.Perceptron(), labels=("ham", "spam"))
    assert run.learn(X[0], "ham") == "spam"
    with pytest.raises(nv.InputError, match="round 2: expected labels ham and spam, got 'eggs'"):
        run.learn(X[0], "eggs")
    for labels in ((1, 2, 3), ("a", "a")):
        with pytest.raises(nv.ParameterError, match="labels: expected"):
            nv.Run(nv.Perceptron(), labels=labels)
    with pytest.raises(nv.ParameterError, match="labels: expected every class once"):
        nv.Run(nv.MulticlassPerceptron(), labels=("a", "a"))


def test_conflicting_positives_are_refused() -> None:
    with pytest.raises(nv.ParameterError, match="positive: expected 'a', got 'b'"):
        nv.Run(nv.Perceptron(), positive="a").play(nv.stream(X, ["a", "b", "a"], positive="b"))
    with pytest.raises(nv.ParameterError, match="positive: expected None with a multiclass"):
        nv.play(nv.MulticlassPerceptron(), nv.stream(X, ["a", "b", "a"], positive="b"))
    with pytest.raises(nv.ParameterError, match="positive: expected one label"):
        nv.Run(nv.Perceptron(), positive=["a"])  # type: ignore[arg-type]


def test_one_x_is_one_row() -> None:
    run = nv.play(nv.Perceptron(), nv.stream(X, [1, -1, 1]))
    for rows in (0, 2, 3):
        with pytest.raises(nv.InputError, match=f"expected one row, got {rows}"):
            run.learn(sp.csr_matrix(X)[:rows], 1)


def test_masked_numbers_are_refused() -> None:
    with pytest.raises(nv.InputError, match="X: expected numbers, got masked ones"):
        nv.stream(np.ma.masked_array(X, mask=X > 0), [1, 1, 1])
    with pytest.raises(nv.InputError, match="y: expected a label for every row, got masked"):
        nv.stream(X, np.ma.masked_array([1, 1, 1], mask=[True, False, False]))


def test_arrays_changed_after_the_stream_was_made_are_refused() -> None:
    matrix = sp.csr_matrix(X)
    source = nv.stream(matrix, [1, -1, 1])
    matrix.indptr[1:] = 2**30
    with pytest.raises(nv.InputError, match="expected rows that lie within the arrays"):
        nv.play(nv.Perceptron(), source)


def test_odd_strides_and_indices_are_taken_as_they_are() -> None:
    y = [1, -1, 1]
    expected = nv.play(nv.Perceptron(), nv.stream(X, y)).learner.state()["weights"]
    fields = np.zeros(3, np.dtype([("flag", np.int8), ("x", np.float64, (2,))]))
    fields["x"] = X
    matrix = sp.csr_matrix(X)
    matrix.data = np.repeat(matrix.data, 2)[::2]
    matrix.indptr = matrix.indptr.astype(np.int64)
    for form in (fields["x"], matrix, X[::-1][::-1]):
        found = nv.play(nv.Perceptron(), nv.stream(form, y)).learner.state()["weights"]
        assert np.array_equal(found, expected)
    matrix.indptr = matrix.indptr + 2**32
    with pytest.raises(nv.InputError, match="within the arrays"):
        nv.stream(matrix, y)


@pytest.mark.parametrize(
    "bad", [([0, 1], [1.0]), ([0.5], [1.0]), ([2**40], [1.0]), ([0], ["a"]), ([1, [2]], [1, 2])]
)
def test_rounds_before_a_malformed_pair_are_played(bad: Any) -> None:
    run = nv.Run(nv.Perceptron())
    with pytest.raises(nv.InputError, match="example 501: expected"):
        run.play([(([0], [1.0]), 1)] * 500 + [(bad, 1)])
    assert run.ledger.rounds == 500


def test_a_pair_beyond_the_width_refuses_only_itself() -> None:
    run = nv.Run(nv.Perceptron())
    pairs: list[Any] = [([1.0, 2.0], 1), (([1], [1.0]), -1), (([7], [1.0]), 1), (([0], [1.0]), 1)]
    with pytest.raises(nv.InputError, match="round 3: expected indices below 2, got 7"):
        run.play(pairs)
    assert run.ledger.rounds == 2


def test_a_slow_source_is_played_as_it_arrives() -> None:
    run = nv.Run(nv.Perceptron())
    seen = []

    def slow() -> Iterator[tuple[Any, int]]:
        for t in range(5):
            time.sleep(0.005)
            seen.append(run.ledger.rounds)
            yield X[t % 3], 1

    run.play(slow())
    assert seen == [0, 1, 2, 3, 4]


def test_a_source_that_dries_up_is_not_a_clean_pass() -> None:
    class Once:
        def __init__(self) -> None:
            self.rounds = [(x, -1) for x in X]

        def __iter__(self) -> Iterator[tuple[Any, int]]:
            rounds, self.rounds = self.rounds, []
            return iter(rounds)

    with pytest.raises(nv.InputError, match="expected a stream that can be played again"):
        nv.play(nv.Perceptron(), Once(), until_clean=True)
