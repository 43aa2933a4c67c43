"""Learners with experts: the twins, the simplex, joining, resuming, refusing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
import regret_twins as twins

losses = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
rows = st.lists(st.lists(losses, min_size=5, max_size=5), min_size=1, max_size=40)
MAKES: dict[str, Any] = {
    "hedge": lambda: nv.Hedge(5, horizon=40, seed=3),
    "hedge-anytime": lambda: nv.Hedge(5, seed=3),
    "hedge-large-eta": lambda: nv.Hedge(5, eta=1e4, seed=3),
    "randomized-weighted-majority": lambda: nv.RandomizedWeightedMajority(5, 0.3, seed=3),
}


@given(st.sampled_from(sorted(MAKES)), rows)
def test_probabilities_stay_on_the_simplex_and_favour_smaller_losses(name: str, given: Any) -> None:
    learner = MAKES[name]()
    for row in given:
        learner.update(None, row)
        p, totals = learner.probabilities(), learner.losses
        assert np.isfinite(p).all()
        assert (p >= 0).all()
        assert p.sum() == pytest.approx(1, abs=1e-12)
        order = np.argsort(totals, kind="stable")
        assert (np.diff(p[order]) <= 1e-12).all()
    assert learner.losses == pytest.approx(np.sum(given, axis=0))


@given(st.sampled_from(sorted(MAKES)), rows)
@settings(max_examples=30)
def test_a_block_is_its_rounds_one_by_one_and_bytes_are_their_floats(name: str, given: Any) -> None:
    one = MAKES[name]()
    drawn = []
    for row in given:
        drawn.append(row[one.followed()])
        one.update(None, row)
    whole = nv.play(MAKES[name](), np.array(given))
    assert whole.ledger.loss == pytest.approx(sum(drawn))
    assert np.array_equal(whole.learner.core.weights, one.core.weights)
    bits = (np.array(given) > 0.5).astype(np.uint8)
    runs = [nv.play(MAKES[name](), form) for form in (bits, bits.astype(float), bits.astype(bool))]
    for run in runs:
        assert np.array_equal(run.learner.core.weights, runs[0].learner.core.weights)
        assert run.ledger.expected_loss == runs[0].ledger.expected_loss


@pytest.mark.parametrize("horizon", [None, 150])
@pytest.mark.parametrize("binary", [True, False])
def test_hedge_is_its_twin(horizon: int | None, binary: bool) -> None:
    rng = np.random.default_rng(5)
    matrix = rng.random((150, 7))
    matrix = (matrix < 0.4).astype(float) if binary else matrix
    twin, expected, own = twins.Hedge(7, 11, horizon), 0.0, 0.0
    for row in matrix:
        own += float(row[twin.choose()])
        expected += float(twin.learn(row))
    run = nv.play(nv.Hedge(7, horizon=horizon, seed=11), matrix)
    assert run.ledger.loss == pytest.approx(own)
    assert run.ledger.expected_loss == pytest.approx(expected, rel=1e-12)
    assert run.learner.probabilities() == pytest.approx(
        np.array([float(p) for p in twin.probabilities()]), rel=1e-11
    )


advice = st.lists(
    st.tuples(st.lists(st.sampled_from([-1, 1]), min_size=6, max_size=6), st.sampled_from([-1, 1])),
    min_size=1,
    max_size=60,
)


@given(advice, st.sampled_from([0.5, 0.25, 0.75, 0.1, 0.999, 2**-0.5]))
def test_weighted_majority_is_its_twin_in_fractions_ties_included(given: Any, beta: float) -> None:
    twin, learner = twins.WeightedMajority(6, beta), nv.WeightedMajority(6, beta)
    mistakes = []
    for t, (row, outcome) in enumerate(given, 1):
        assert learner.predict(row) == twin.predict(row)
        if twin.predict(row) != outcome:
            mistakes.append(t)
        twin.learn(row, outcome)
        learner.update(row, outcome)
    X, y = np.array([row for row, _ in given]), [outcome for _, outcome in given]
    run = nv.play(nv.WeightedMajority(6, beta), nv.stream(X, y))
    assert run.ledger.mistake_rounds.tolist() == mistakes


@pytest.mark.parametrize("beta", [0.5, 0.3, 0.7, 1 - 2**-12])
def test_votes_a_hair_from_a_tie_are_told_apart_exactly(beta: float) -> None:
    """One against many: the counts are chosen so that both sides weigh nearly the same."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        learner, twin = nv.WeightedMajority(8, beta), twins.WeightedMajority(8, beta)
        counts = rng.integers(0, 60, 8)
        learner.core.restore(counts.astype(np.int64), 60)
        twin.weights = [twin.beta ** int(m) for m in counts]
        for _ in range(10):
            row = rng.choice([-1, 1], 8).tolist()
            assert learner.predict(row) == twin.predict(row)
    learner = nv.WeightedMajority(3, 0.5)
    learner.core.restore(np.array([9, 10, 10], np.int64), 10)
    assert learner.predict([-1, 1, 1]) == 1  # ½⁹ against 2·½¹⁰: a tie
    learner.core.restore(np.array([9, 10, 11], np.int64), 11)
    assert learner.predict([-1, 1, 1]) == -1
    learner = nv.WeightedMajority(2, beta)
    learner.core.restore(np.array([2**40, 2**40 + 100_000], np.int64), 2**41)
    assert learner.predict([-1, 1]) == -1


def test_a_tie_left_open_by_floats_is_settled_in_whole_numbers() -> None:
    """β = 1 − 2⁻¹²: β^a + … differ in the 60th digit only; the float filter must not decide."""
    beta = 1 - 2**-12
    learner = nv.WeightedMajority(4, beta)
    learner.core.restore(np.array([0, 200_000, 0, 200_001], np.int64), 200_001)
    for row in ([1, 1, -1, -1], [-1, 1, 1, -1], [1, -1, -1, 1], [-1, -1, 1, 1]):
        assert learner.predict(row) == row[1]  # the first and the third cancel


@pytest.mark.parametrize("name", [*sorted(MAKES), "weighted-majority"])
def test_resuming_is_going_on(name: str, tmp_path: Path) -> None:
    make = MAKES.get(name, lambda: nv.WeightedMajority(5))
    matrix = (np.random.default_rng(1).random((90, 5)) < 0.5).astype(np.uint8)
    whole = nv.play(make(), matrix)
    first = nv.play(make(), matrix[:37])
    first.save(tmp_path / "run")
    first.learner.save(tmp_path / "learner")
    second = nv.Run.load(tmp_path / "run").play(matrix[37:])
    assert second.ledger.loss == whole.ledger.loss
    assert second.ledger.regret == whole.ledger.regret
    assert second.ledger.rounds == 90
    assert np.array_equal(second.learner.probabilities(), whole.learner.probabilities())
    alone = nv.RegretLearner.load(tmp_path / "learner")
    assert np.array_equal(alone.probabilities(), first.learner.probabilities())
    assert alone.fresh().rounds == 0


def test_a_newcomer_starts_with_the_weight_stated() -> None:
    learner = nv.Hedge(2, eta=0.5)
    for _ in range(3):
        learner.update(None, [0.0, 1.0])
    assert learner.join(loss=1.0) == 2
    weights = np.exp(-0.5 * np.array([0, 3, 1]))
    assert learner.probabilities() == pytest.approx(weights / weights.sum())
    run = nv.Run(learner).play([[0.5, 0.5, 0.0]])
    assert len(run.ledger.losses) == 3
    with pytest.raises(nv.HypothesisError, match="from the learner's first round"):
        nv.bounds(run)
    run = nv.play(nv.Hedge(2, eta=0.5), [[0.5, 0.5]])
    run.learner.join(loss=0.0)
    run.play([[1.0, 1.0, 0.0]])
    assert run.ledger.best_loss == 1.5  # against those of the first round
    with pytest.raises(nv.HypothesisError, match="the same experts or arms"):
        nv.bounds(run)
    majority = nv.WeightedMajority(2)
    majority.update([1, 1], -1)
    majority.join(0)
    assert majority.probabilities() == pytest.approx([0.25, 0.25, 0.5])


def test_losses_in_a_declared_range_and_rewards_are_the_same_game() -> None:
    matrix = np.random.default_rng(2).random((60, 4))
    plain = nv.play(nv.Hedge(4, horizon=60), matrix).ledger
    spans = nv.play(nv.Hedge(4, horizon=60, span=(-2, 6)), 8 * matrix - 2).ledger
    gains = nv.play(nv.Hedge(4, horizon=60, rewards=True), 1 - matrix).ledger
    for ledger in (spans, gains):
        assert ledger.expected_regret == pytest.approx(plain.expected_regret)
        assert ledger.loss == pytest.approx(plain.loss)


@pytest.mark.parametrize("bad", [-0.1, 1.5, float("nan"), float("inf"), 2])
def test_anything_else_is_refused_and_changes_nothing(bad: float) -> None:
    matrix = np.full((5, 3), 0.5)
    matrix[3, 1] = bad
    run = nv.Run(nv.Hedge(3))
    with pytest.raises(nv.InputError, match=r"round 4: expected a loss in \[0, 1\]"):
        run.play(matrix)
    assert run.ledger.rounds == run.learner.rounds == 3
    with pytest.raises(nv.InputError, match="expected a loss in"):
        run.learner.update(None, matrix[3])
    assert run.learner.rounds == 3
    with pytest.raises(nv.InputError, match="round 4: expected a reward"):
        nv.play(nv.Hedge(3, rewards=True), matrix)
    if bad == 2:
        with pytest.raises(nv.InputError, match="got 2"):
            nv.play(nv.Hedge(3), matrix.astype(int))


def test_what_cannot_be_a_learner_is_refused_by_name() -> None:
    refused: list[tuple[Any, str]] = [
        (lambda: nv.Hedge(0), "experts"),
        (lambda: nv.Hedge(3, eta=-1), "eta"),
        (lambda: nv.Hedge(3, eta=1, horizon=3), "horizon"),
        (lambda: nv.Hedge(3, span=(1, 0)), "span"),
        (lambda: nv.Hedge([nv.Perceptron], seed=1), "experts"),
        (lambda: nv.WeightedMajority(3, 1.0), "beta"),
        (lambda: nv.Hedge(3, seed=-1), "seed"),
        (lambda: nv.Hedge([nv.MulticlassPerceptron()]), "experts"),
    ]
    for make, name in refused:
        with pytest.raises(nv.ParameterError, match=f"^{name}:"):
            make()
    with pytest.raises(nv.InputError, match="advice: expected −1 or \\+1"):
        nv.WeightedMajority(2).predict([1, 0])
    with pytest.raises(nv.InputError, match="losses: expected 0 and 1 for a vote"):
        nv.play(nv.WeightedMajority(2), [[0.5, 1.0]])


def test_a_pool_of_learners_has_the_losses_each_would_have_alone() -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((300, 4))
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(300) > 0, "yes", "no")
    stream = nv.stream(X, y, positive="yes")
    target = nv.Halfspace([1.0, 0.0, 0.0, 0.0])

    class Contrary:
        def predict(self, x: Any) -> int:
            return -1

    def members() -> list[Any]:
        return [nv.Perceptron(), nv.Perceptron(bias=1.0), nv.Minnow(0.5), target, Contrary()]

    run = nv.play(nv.Hedge(members(), horizon=300, seed=1), stream)
    alone = [nv.play(learner, stream).mistakes for learner in members()[:3]]
    codes = np.where(y == "yes", 1, -1)
    alone += [int((target.predict(X) != codes).sum()), int((codes == 1).sum())]
    assert run.ledger.losses.tolist() == alone
    assert run.ledger.expected_regret is not None
    assert nv.bounds(run)[0].holds
    one = nv.Hedge(members(), horizon=300, seed=1)
    wrong = 0
    for x, label in zip(X, codes, strict=True):
        wrong += one.predict(x) != label
        one.update(x, int(label))
    assert wrong == run.ledger.loss
    assert np.array_equal(one.probabilities(), run.learner.probabilities())
    majority = nv.play(nv.WeightedMajority(members()), stream)
    assert nv.bounds(majority)[0].holds


def test_a_pool_is_saved_with_its_learners(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((80, 3)), rng.choice([-1, 1], 80)

    def make() -> nv.Hedge:
        return nv.Hedge([nv.Perceptron(), nv.BalancedMinnow(0.3)], seed=2)

    whole = nv.play(make(), nv.stream(X, y))
    first = nv.play(make(), nv.stream(X[:30], y[:30]))
    first.save(tmp_path / "run")
    second = nv.Run.load(tmp_path / "run").play(nv.stream(X[30:], y[30:]))
    assert second.ledger.loss == whole.ledger.loss
    assert second.ledger.losses.tolist() == whole.ledger.losses.tolist()
    assert second.learner.fresh().pool.members[0].rounds == 0
    with pytest.raises(nv.InputError, match="experts that are learners of this library"):
        nv.Hedge([nv.Halfspace([1.0])]).save(tmp_path / "no")


class _Stubborn:
    """Says the same whatever x is, and refuses to learn a seventh round."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.learned = answer, 0

    def predict(self, x: Any) -> Any:
        """Return the answer."""
        return self.answer

    def update(self, x: Any, y: int) -> None:
        """Count, up to six."""
        if self.learned == 6:
            raise ValueError("six are enough")
        self.learned += 1


@pytest.mark.parametrize("refuser", ["elimination", "stranger", "halving"])
def test_nobody_in_a_pool_learns_from_a_round_that_one_of_them_refuses(refuser: str) -> None:
    X = np.random.default_rng(0).integers(0, 2, (20, 4)).astype(float)
    y = np.where(X[:, 0] > 0, 1, -1)
    other: Any = _Stubborn(1)
    if refuser == "elimination":
        other, X[6, 1] = nv.Elimination(4), 0.5
    if refuser == "halving":
        other, y[6], X[6] = nv.Elimination(4, monotone=True), 1, 0.0
    first = nv.Elimination(4) if refuser == "halving" else nv.Perceptron()
    run = nv.Run(nv.Hedge([first, other, nv.Perceptron()]))
    with pytest.raises((ValueError, nv.UnrealizableError)):
        run.play(nv.stream(X, y))
    assert run.ledger.rounds == run.learner.rounds == 6
    alone = nv.play(type(first)(**first.parameters), nv.stream(X[:6], y[:6])).learner
    assert all(np.array_equal(array, first.state()[name]) for name, array in alone.state().items())


@pytest.mark.parametrize("answer", [0, 2, 0.5, float("nan"), "1", None, np.array([1])], ids=str)
def test_a_pool_refuses_a_prediction_that_is_no_label(answer: Any) -> None:
    learner = nv.Hedge([_Stubborn(answer), nv.Perceptron()])
    with pytest.raises(nv.InputError, match="expected predictions −1 and \\+1"):
        learner.update([1.0], 1)
    assert learner.rounds == learner.pool.members[1].rounds == 0  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "outcome", [[[0, 0], [0, 1]], [0, [1], 0, 0], [0, 0, 0], [10**400, 0, 0, 0], "abcd"], ids=str
)
def test_losses_of_another_shape_are_refused_by_name(outcome: Any) -> None:
    learner = nv.Hedge(4)
    with pytest.raises(nv.InputError, match="expected"):
        learner.update([1, 1, 1, 1], outcome)
    with pytest.raises(nv.InputError, match="rows of different lengths"):
        nv.Replay([[1, 2], [3]])
    assert learner.rounds == 0


@pytest.mark.parametrize("name", ["experts", "eta", "horizon", "seed"])
def test_true_is_no_number(name: str) -> None:
    parameters: dict[str, Any] = {"experts": 2} | {name: True}
    with pytest.raises(nv.ParameterError, match=name):
        nv.Hedge(**parameters)
