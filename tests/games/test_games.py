"""Games: mistake(A, C) is exact, and adversaries force what they claim."""

import math
from typing import Any

import numpy as np
import pytest
from test_classes import CONSTRUCTED

import brute
import novikoff as nv
from brute import random_class, rows_of
from novikoff.games import worst_case as games
from novikoff.streams import AnsweringStream

LEARNERS: dict[Any, Any] = {
    nv.Consistent: brute.consistent,
    nv.Halving: brute.halving,
    nv.StandardOptimal: brute.optimal,
}


def _replayed(learner: Any, found: nv.WorstCase, H: Any) -> int:
    """Play the sequence of a worst case, whose labels must be the target's."""
    assert all(H(found.target, x) == y for x, y in found.sequence)
    run: nv.Run = nv.play(learner.fresh(), found.sequence)
    return run.mistakes


def test_worst_cases_agree_with_brute_force_on_random_classes() -> None:
    rng = np.random.default_rng(4)
    for _ in range(300):
        H = random_class(rng, 9, 5)
        for kind, predict in LEARNERS.items():
            found = nv.worst_case(kind(H), H)
            assert found.exact
            assert found.mistakes == brute.mistakes(rows_of(H), predict), (H.table, kind)
            assert _replayed(kind(H), found, H) == found.mistakes


def _deterministic(H: Any) -> list[Any]:
    """Every deterministic learner of ours that can play this class."""
    found: list[Any] = [kind(H) for kind in (*LEARNERS, nv.IteratedHalving)]
    if H.cube is not None:
        linear = [nv.Perceptron(bias=1.0), nv.Perceptron(ties="mistake", bias=1.0),
                  nv.AveragedPerceptron(bias=1.0), nv.VotedPerceptron(bias=1.0),
                  nv.BalancedMinnow(0.5, bias=1.0)]  # fmt: skip
        found += linear
    return found


def _check_inequalities(H: Any) -> None:
    """Ldim ≤ worst case of Halving ≤ ⌊lg|H|⌋; that of the optimal is Ldim; adversaries force it."""
    dimension = nv.littlestone_dimension(H)
    assert nv.worst_case(nv.StandardOptimal(H), H).mistakes == dimension
    assert dimension <= nv.worst_case(nv.Halving(H), H).mistakes <= len(H).bit_length() - 1
    assert dimension <= nv.worst_case(nv.Consistent(H), H).mistakes <= len(H) - 1
    for learner in _deterministic(H):
        adversary = nv.LittlestoneAdversary(H)
        assert adversary.bound == dimension
        run = nv.play(learner, adversary)
        assert run.mistakes == run.ledger.rounds == dimension, learner
        assert isinstance(run.stream, AnsweringStream)
        assert all(H(adversary.target, x) == y for x, y in run.stream.played)


@pytest.mark.parametrize("name", CONSTRUCTED)
def test_the_inequalities_hold_for_every_constructor(name: str) -> None:
    H, _ = CONSTRUCTED[name]
    _check_inequalities(H)


@pytest.mark.shows("holds", "consistent", "halving", "littlestone")
@pytest.mark.shows("tight", "littlestone")
def test_the_inequalities_hold_for_random_classes() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        _check_inequalities(random_class(rng, 20, 7))


def test_some_classes_make_halving_worse_than_optimal() -> None:
    """Singletons: Ldim is 1, and Halving is as good; Consistent makes n − 1."""
    H = nv.singletons(8)
    cases = [nv.worst_case(kind(H), H).mistakes for kind in LEARNERS]
    assert cases == [7, 1, 1]
    H = nv.thresholds(7)
    assert [nv.worst_case(kind(H), H).mistakes for kind in LEARNERS] == [7, 3, 3]


def test_halving_is_not_optimal_on_every_class() -> None:
    H = nv.decision_lists(3)
    found = nv.worst_case(nv.Halving(H), H)
    assert found.mistakes == 6 == nv.littlestone_dimension(H) + 1
    assert _replayed(nv.Halving(H), found, H) == 6


def test_worst_cases_visit_few_sets() -> None:
    """Of 2^64 sets of 64 hypotheses, and of 2^100 of 100 singletons."""
    H = nv.FiniteClass(np.random.default_rng(6).choice([-1, 1], (64, 16)))
    G = nv.singletons(100)
    for columns, size in ((H.bitsets, 64), (G.bitsets, 100)):
        for kind in (games._HalvingGame, games._OptimalGame, games._ConsistentGame):
            game = kind(columns)
            game.value((1 << size) - 1)
            assert len(game.known) < 5000


def test_long_lines_of_play_are_found() -> None:
    """With nearly every point in one of them."""
    H = nv.singletons(250)
    found = nv.worst_case(nv.Consistent(H), H)
    assert found.mistakes == 249 == _replayed(nv.Consistent(H), found, H)


def test_other_learners_are_replayed() -> None:
    """The perceptron's worst case on all halfspaces of a square, and elimination's bound."""
    H = nv.halfspaces(2)
    found = nv.worst_case(nv.Perceptron(bias=1.0), H)
    assert found.exact
    assert _replayed(nv.Perceptron(bias=1.0), found, H) == found.mistakes >= 3
    for d in (1, 2, 3):
        for monotone in (True, False):
            H = nv.disjunctions(d, monotone=monotone)
            found = nv.worst_case(nv.Elimination(d, monotone), H)
            assert found.exact
            assert found.mistakes == d + (not monotone)  # the bound of the theorem, attained
            assert _replayed(nv.Elimination(d, monotone), found, H) == found.mistakes


class _Stubborn:
    """Says −1, whatever it is told."""

    def predict(self, x: Any) -> int:
        return -1

    def update(self, x: Any, y: int) -> None:
        pass


class _Memory:
    """Remembers every label, and says −1 elsewhere."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}

    def predict(self, x: Any) -> int:
        return self.seen.get(x, -1)

    def update(self, x: Any, y: int) -> None:
        self.seen[x] = y


def test_a_learner_that_errs_for_ever_is_told_so() -> None:
    H = nv.thresholds(5)
    found = nv.worst_case(_Stubborn(), H)
    assert found.exact
    assert found.mistakes == math.inf
    assert all(H(found.target, x) == y == 1 for x, y in found.sequence)


class _Locked(_Memory):
    """Cannot be pickled: its states are told apart by its past."""

    def __init__(self) -> None:
        super().__init__()
        self.key = lambda: None


def test_a_limit_leaves_an_interval() -> None:
    H = nv.thresholds(5)
    found = nv.worst_case(_Memory(), H)
    assert found.exact
    assert found.mistakes == 5
    small = nv.thresholds(2)
    assert nv.worst_case(_Locked(), small, limit=100).interval == (2, math.inf)
    found = nv.worst_case(nv.Perceptron(bias=1.0), nv.halfspaces(3), limit=50)
    assert not found.exact
    assert found.interval[0] == found.mistakes > 0


@pytest.mark.shows("tight", "novikoff", "elimination")
def test_unit_vectors_force_d_mistakes_on_every_deterministic_learner() -> None:
    d = 4
    learners = [nv.Perceptron(), nv.Perceptron(ties="mistake"), nv.AveragedPerceptron(),
                nv.VotedPerceptron(), nv.Minnow(0.3), nv.BalancedMinnow(0.3),
                nv.Elimination(d, monotone=True)]  # fmt: skip
    H = nv.disjunctions(d, monotone=True)
    learners += [kind(H) for kind in LEARNERS]
    for learner in learners:
        for adversary in (nv.DisjunctionAdversary(d), nv.OrthonormalAdversary(d)):
            if isinstance(adversary, nv.OrthonormalAdversary) and not hasattr(learner, "core"):
                continue
            run = nv.play(learner.fresh(), adversary)
            assert run.mistakes == run.ledger.rounds == d
    disjunction = nv.DisjunctionAdversary(d)
    nv.play(nv.Elimination(d, monotone=True), disjunction)
    assert disjunction.target == []
    orthonormal = nv.OrthonormalAdversary(d)
    run = nv.play(nv.Perceptron(), orthonormal)
    assert (run.hypothesis().w == orthonormal.target).all()  # type: ignore[attr-defined]
    assert any(b.theorem == "novikoff" and b.value < d + 1e-6 for b in nv.bounds(run))


def test_adversaries_are_streams_that_can_be_replayed() -> None:
    H = nv.thresholds(15)
    run = nv.play(nv.Consistent(H), nv.LittlestoneAdversary(H))
    assert run.stream is not None
    assert run.stream.rounds == 4
    again = nv.play(nv.Consistent(H), run.stream)
    assert again.ledger.mistake_rounds.tolist() == run.ledger.mistake_rounds.tolist()
    with pytest.raises(nv.InputError, match="can be played again"):
        nv.play(nv.Consistent(H), nv.LittlestoneAdversary(H), passes=2)
    adversary = nv.LittlestoneAdversary(H)
    with pytest.raises(nv.InputError, match="answer: expected a question before it"):
        adversary.answer(1)
    asked = []
    while (x := adversary.ask()) is not None:
        assert x == adversary.ask()  # asking again changes nothing
        asked.append((x, adversary.answer(1)))
    assert [y for _, y in asked] == [-1] * 4


def test_randomised_learners_are_told_that_the_bound_does_not_apply() -> None:
    class Drawn(_Memory):
        randomized = True

    H = nv.thresholds(3)
    with pytest.raises(nv.HypothesisError, match="lower bound does not apply"):
        nv.play(Drawn(), nv.LittlestoneAdversary(H))
    with pytest.raises(nv.ParameterError, match="a deterministic one"):
        nv.worst_case(Drawn(), H)
    with pytest.raises(nv.ParameterError, match="one of two labels"):
        nv.play(nv.MulticlassPerceptron(), nv.OrthonormalAdversary(2))


class _Contrary(nv.Consistent):
    def predict(self, x: Any, /) -> int:
        return -super().predict(x)


class _Twin(nv.Consistent):
    pass


def test_a_subclass_is_played_as_it_predicts() -> None:
    H = nv.thresholds(3)
    assert nv.worst_case(nv.Consistent(H), H).mistakes == 3
    assert nv.worst_case(_Twin(H), H, limit=200).mistakes == 3
    assert nv.worst_case(_Contrary(H), H, limit=200).interval[1] == math.inf


@pytest.mark.parametrize("label", [0, True, None, "+", np.array([1])])
def test_predictions_that_are_no_signs_are_refused(label: Any) -> None:
    class Odd(_Memory):
        def predict(self, x: Any) -> Any:
            return label

    with pytest.raises(nv.InputError, match="predict: expected −1 or \\+1, got"):
        nv.worst_case(Odd(), nv.thresholds(3))


def test_a_learner_whose_predictions_change_by_themselves_is_refused() -> None:
    class Alternating(_Memory):
        def __init__(self) -> None:
            super().__init__()
            self.asked = 0

        def predict(self, x: Any) -> int:
            self.asked += 1
            return 1 if self.asked % 2 else -1

    with pytest.raises(nv.ParameterError, match="a deterministic one, whose predict changes not"):
        nv.worst_case(Alternating(), nv.thresholds(2), limit=100)
    for odd in (0, -1, True, 2.5, "a", None):
        with pytest.raises(nv.ParameterError, match="limit: expected a whole number of at least"):
            nv.worst_case(_Memory(), nv.thresholds(2), limit=odd)  # type: ignore[arg-type]


@pytest.mark.parametrize("prediction", ["x", math.nan, 5, [1]])
def test_an_adversary_answers_signs_alone(prediction: Any) -> None:
    adversary = nv.LittlestoneAdversary(nv.thresholds(3))
    asked = adversary.ask()
    with pytest.raises(nv.InputError, match="answer: expected a prediction of −1 or"):
        adversary.answer(prediction)
    assert adversary.ask() == asked  # which still waits for its answer
    assert adversary.answer(-1) == 1
