"""What is handed out: averages, votes, margins."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
import twins
from families import FAMILIES

rng = np.random.default_rng(11)
X = rng.integers(-9, 10, (200, 6)) / 10
y = np.where(X @ np.array([1, -1, 0.5, 0, 2, -1]) + 0.3 * rng.standard_normal(200) >= 0, 1, -1)


def _twin(X: Any, y: Any, bias: float | None = None) -> twins.Perceptron:
    twin = twins.Perceptron()
    for row, label in zip(X, y, strict=True):
        twin.learn(twins.vector(row, bias), int(label))
    return twin


def test_weights_are_the_exact_ones_rounded_once() -> None:
    twin = _twin(X, y, 0.1)
    h = nv.play(nv.Perceptron(bias=0.1), nv.stream(X, y)).learner.hypothesis()
    assert h.w.tolist() == [float(twin.w.get(j, Fraction(0))) for j in range(6)]
    assert h.bias_weight == float(twin.w[twins.BIAS])
    assert h.bias == 0.1


def test_the_average_is_over_the_weights_after_each_round() -> None:
    twin = _twin(X, y, 0.5)
    h = nv.play(nv.AveragedPerceptron(bias=0.5), nv.stream(X, y)).learner.hypothesis()
    average = twin.average()
    assert h.w == pytest.approx([float(average[j]) for j in range(6)], rel=1e-12)
    assert h.bias_weight == pytest.approx(float(average[twins.BIAS]), rel=1e-12)
    assert nv.AveragedPerceptron().hypothesis().w.tolist() == []


def test_the_average_of_the_classic_example_is_four_and_minus_five_thirds() -> None:
    rounds = [((-1, 2), -1), ((1, 0), 1), ((1, 1), 1)]  # w: (1,−2), (1,−2), (2,−1)
    h = nv.play(nv.AveragedPerceptron(), rounds).learner.hypothesis()
    assert h.w == pytest.approx([4 / 3, -5 / 3])


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_votes_are_exact(family: Any) -> None:
    rows = family(np.random.default_rng(2))
    labels = np.where(np.random.default_rng(3).random(len(rows)) < 0.5, 1, -1)
    with np.errstate(over="ignore"):
        vote = nv.play(nv.VotedPerceptron(), nv.stream(rows, labels))
    twin = _twin(rows, labels)
    try:
        h = vote.hypothesis()
    except nv.HypothesisError:
        assert family.__name__ in ("largest", "huge_and_tiny")
        return
    test = np.vstack([rows, family(np.random.default_rng(4)), np.zeros((1, rows.shape[1]))])
    expected = [twin.vote(twins.vector(x)) for x in test]
    assert h.scores(test).tolist() == expected
    assert h.scores(sp.csr_array(test)).tolist() == expected
    assert h.predict(test).tolist() == [1 if v >= 0 else -1 for v in expected]


def test_vote_counts_are_rounds_survived() -> None:
    rounds = [((1.0,), 1), ((1.0,), 1), ((1.0,), -1), ((1.0,), -1), ((1.0,), 1), ((1.0,), 1)]
    h: Any = nv.play(nv.VotedPerceptron(), rounds).hypothesis()
    # w: 0 after rounds 1–2, −1 after 3–4, 0 after 5–6
    assert h.counts.tolist() == [2, 2, 2]
    assert len(h) == 3
    assert h.scores([[1.0], [-1.0]]).tolist() == [2, 6]
    untouched: Any = nv.play(nv.VotedPerceptron(), rounds[:2]).hypothesis()
    assert untouched.counts.tolist() == [2]
    assert untouched.scores([[5.0]]).tolist() == [2]


def test_votes_with_a_bias_are_exact() -> None:
    twin = _twin(X, y, 2.0)
    h = nv.play(nv.VotedPerceptron(bias=2.0), nv.stream(X, y)).hypothesis()
    assert h.scores(X).tolist() == [twin.vote(twins.vector(x, 2.0)) for x in X]


def test_a_capped_vote_is_the_vote_of_the_last() -> None:
    capped = nv.VotedPerceptron(max_voters=5)
    whole = nv.VotedPerceptron()
    nv.play(capped, nv.stream(X, y))
    nv.play(whole, nv.stream(X, y))
    twin = _twin(X, y)
    last = twin.voters[-5:]
    assert len(twin.voters) > 20
    h = capped.hypothesis()
    expected = [sum(c * twins.sgn(twins.dot(w, twins.vector(x))) for w, c in last) for x in X]
    assert h.scores(X).tolist() == expected
    assert len(h) == 5
    assert capped.nbytes < whole.nbytes
    assert h.nbytes < whole.hypothesis().nbytes
    assert "5 halfspaces" in repr(h)


def test_margins_are_signed_distances() -> None:
    h = nv.Halfspace([3.0, 4.0])
    assert h.margins([[1.0, 0.0], [0.0, 1.0]], [1, -1]).tolist() == [0.6, -0.8]
    assert h.margin([[1.0, 0.0], [0.0, 1.0]], [1, 1]) == 0.6
    folded = nv.Halfspace([3.0], bias=1.0, bias_weight=4.0, labels=("no", "yes"))
    assert folded.norm == 5.0
    assert folded.margins([[1.0]], ["no"]).tolist() == [-7 / 5]
    assert folded([-5.0]) == "no"
    with pytest.raises(nv.HypothesisError, match="expected w other than 0"):
        nv.Halfspace([0.0]).margin([[1.0]], [1])
    with pytest.raises(nv.InputError, match="at least one row"):
        h.margin(np.zeros((0, 2)), [])
    with pytest.raises(nv.InputError, match="one label for each of the 1 rows"):
        h.margins([[1.0, 0.0]], [1, 1])


def test_signs_are_exact_for_the_weights_as_they_stand() -> None:
    h = nv.Halfspace([0.1, 0.2, -0.3])  # in reals 0.1 + 0.2 < 0.3 as floats have them, or not
    exact = Fraction(0.1) + Fraction(0.2) - Fraction(0.3)
    for row in ([1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]):
        assert h(row) == (1 if exact * Fraction(row[0]) >= 0 else -1)
    assert nv.Halfspace([1.0, -1.0])([5.0, 5.0]) == 1  # a tie is +1
    big = nv.Halfspace([1e308, 1e308, -1e308])
    assert big([1e308, -1e308, 5e-324]) == -1


def test_sparse_rows_may_have_features_the_weights_do_not() -> None:
    h = nv.Halfspace([1.0, -2.0])
    wide = sp.csr_array(np.array([[1.0, 0.0, 9.0], [0.0, 1.0, 9.0]]))
    assert h.predict(wide).tolist() == [1, -1]
    with pytest.raises(nv.InputError, match="X: expected 2 features, got 3"):
        h.predict(wide.toarray())
    bad = wide.copy()
    bad.data[1] = np.nan
    with pytest.raises(nv.InputError, match="row 1: expected a finite value for feature 2"):
        h.predict(bad)


def test_ties_of_classes_go_to_the_first() -> None:
    h = nv.Multiclass([[1.0, 1.0, 0.0]], labels=("a", "b", "c"))
    assert h.predict([[1.0], [-1.0], [0.0]]).tolist() == ["a", "c", "a"]
    assert h.scores([[2.0]]).tolist() == [[2.0, 2.0, 0.0]]
    many = nv.Multiclass(np.eye(100))
    assert many.predict(np.eye(100)).tolist() == list(range(100))


def test_classes_that_appear_mid_stream_are_learned() -> None:
    ids = np.arange(300) % 70
    onehot = np.eye(70)[ids]
    run = nv.play(nv.MulticlassPerceptron(), nv.stream(onehot, ids), until_clean=True)
    assert run.converged
    assert run.ledger.labels == tuple(range(70))
    assert (run.predict(onehot) == ids).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nv.Halfspace([[1.0]]), "w: expected 1 dimensions"),
        (lambda: nv.Halfspace([np.nan]), "w: expected finite numbers, got nan"),
        (lambda: nv.Multiclass([1.0]), "w: expected 2 dimensions"),
        (lambda: nv.Multiclass(np.zeros((3, 0))), "at least one class"),
        (lambda: nv.Run(nv.MulticlassPerceptron()).predict([[1.0]]), "expected"),
    ],
)
def test_what_is_no_hypothesis_is_refused(make: Any, message: str) -> None:
    with pytest.raises(nv.InputError, match=message):
        make()


def test_files_of_another_kind_are_refused(tmp_path: Any) -> None:
    nv.Halfspace([1.0]).save(tmp_path / "h")
    with pytest.raises(nv.InputError, match="of kind Vote, got one of kind Halfspace"):
        nv.Vote.load(tmp_path / "h")
    with pytest.raises(nv.InputError, match="of kind Run"):
        nv.Run.load(tmp_path / "h")
    (tmp_path / "junk").write_bytes(b"\x80\x04pickle?")
    with pytest.raises(nv.InputError, match="expected a saved model"):
        nv.Hypothesis.load(tmp_path / "junk")
    with pytest.raises(FileNotFoundError):
        nv.Learner.load(tmp_path / "absent")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["h", "junk"]


def test_overflowing_votes_are_exact() -> None:
    steps = ([0, 1, 2, 3, 4, 5, 6], [0] * 6, [1e154, 1e154, -1e154, -1e154, -1e154, -1e154])
    vote = nv.Vote([0.0, 0.0], steps, [0, 0, 0, 0, 0, 0, 1])
    assert vote.scores([[1.3e154, 0.0]]).tolist() == [-1.0]


def test_a_capped_vote_is_exact_though_its_base_is_rounded() -> None:
    values = np.array([0.1, -0.1, 0.3, -0.3, 0.7, -0.7, 1e16, -1e16, 1 / 3, -1 / 3])
    for seed in range(20):
        draw = np.random.default_rng(seed)
        rows, labels = draw.choice(values, (40, 2)), draw.choice([-1, 1], 40)
        h = nv.play(nv.VotedPerceptron(max_voters=3), nv.stream(rows, labels)).hypothesis()
        last = _twin(rows, labels).voters[-3:]
        exact = [sum(c * twins.sgn(twins.dot(w, twins.vector(x))) for w, c in last) for x in rows]
        assert h.scores(rows).tolist() == exact


def test_as_many_vote_as_may() -> None:
    rounds = [((1.0,), 1), ((1.0,), 1), ((1.0,), -1)]
    h: Any = nv.play(nv.VotedPerceptron(max_voters=1), rounds).hypothesis()
    assert (len(h), h.counts.tolist()) == (1, [0, 1])


def test_nbytes_counts_all_that_is_held() -> None:
    wide = sp.csr_array((1, 100_000))
    assert nv.play(nv.Perceptron(), nv.stream(wide, [1])).learner.nbytes >= 800_000
    assert nv.play(nv.AveragedPerceptron(), nv.stream(wide, [1])).learner.nbytes >= 1_600_000
    assert nv.play(nv.VotedPerceptron(), nv.stream(wide, [1])).learner.nbytes >= 1_600_000


def test_an_average_beyond_float64_is_not_handed_out() -> None:
    learner = nv.AveragedPerceptron()
    for _ in range(4):
        learner.update([1e308], -1)
    with pytest.raises(nv.HypothesisError, match="average: expected sums within the range"):
        learner.hypothesis()


def test_margins_know_their_labels() -> None:
    with pytest.raises(nv.InputError, match="expected labels ham and spam, got 'eggs'"):
        nv.Halfspace([1.0], labels=("ham", "spam")).margins([[1.0], [2.0]], ["eggs", "spam"])


@pytest.mark.parametrize(
    "make",
    [
        lambda: nv.Halfspace([1.0], bias=float("nan")),
        lambda: nv.Halfspace([1.0], bias=1.0, bias_weight=float("inf")),
        lambda: nv.Halfspace(["a"]),
        lambda: nv.Halfspace([1.0], labels=("a",)),
        lambda: nv.Multiclass([[1.0, 2.0]], bias=1.0, bias_weights=[float("nan"), 0.0]),
        lambda: nv.Multiclass([[1.0, 2.0]], bias=1.0, bias_weights=[1.0]),
        lambda: nv.Multiclass([[1.0, 2.0]], labels=("a",)),
        lambda: nv.Vote([float("nan")], ([0], [], []), [1]),
        lambda: nv.Vote([0.0], ([0, 1], [0], [1.0]), [float("nan"), 1]),
        lambda: nv.Vote([0.0], ([0, 1], [2**32], [1.0]), [0, 1]),
        lambda: nv.Vote([0.0], ([0, 1], [0.5], [1.0]), [0, 1]),
        lambda: nv.Vote([0.0], ([0, 1], [0]), [0, 1]),  # type: ignore[arg-type]
    ],
)
def test_a_hypothesis_is_made_of_finite_numbers(make: Any) -> None:
    with pytest.raises(nv.InputError, match=r"expected .+, got .+\. .+"):
        make()
