"""Comparing learners: each plays as if alone, and what is called a difference is more than luck."""

import math
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff.playing.one_stream import play_together
from novikoff.receipts.comparison import differ, interval_of


def _rows(rounds: int = 500, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (rounds, 5)).astype(float)
    y = np.where(X @ rng.standard_normal(5) + rng.standard_normal(rounds) >= 0, 1, -1)
    return X, y


def _learners() -> dict[str, Any]:
    return {
        "perceptron": nv.Perceptron(bias=1.0),
        "gradient": nv.AdaptiveGradient(bias=1.0),
        "minnow": nv.BalancedMinnow(0.1),
        "classes": nv.MulticlassPerceptron(),
    }


def _state(run: nv.Run) -> dict[str, Any]:
    metadata, arrays = run._state()
    return dict(metadata) | {name: array.tolist() for name, array in arrays.items()}


@pytest.mark.parametrize("form", ["arrays", "pairs", "names"])
def test_each_run_ends_as_if_it_had_played_alone(form: str) -> None:
    X, y = _rows()
    named = [dict(zip("abcde", x, strict=True)) for x in X.tolist()]
    makers: dict[str, Callable[[], Any]] = {
        "arrays": lambda: nv.stream(X, y),
        "pairs": lambda: zip(X, y.tolist(), strict=True),  # can be read once
        "names": lambda: nv.stream(named, y),
    }
    make = makers[form]
    found = nv.compare(_learners(), make())
    for one, learner in zip(found.learners, _learners().values(), strict=True):
        alone = nv.play(learner, make())
        assert _state(one.run) == _state(alone)
        if form != "pairs":
            assert one.run.order.changes == alone.order.changes > 100
            assert one.run.order.random_changes == alone.order.random_changes
        assert one.seconds > 0
    wrong = {one.name: one.run.mistakes for one in found.learners}
    assert found.best.name == min(wrong, key=lambda name: wrong[name])
    assert found.best.differs is None


def test_of_two_that_err_alike_the_one_with_less_loss_is_best() -> None:
    X, y = [[1.0], [-1.0]] * 50, [1, -1] * 50
    rates = {"slow": nv.AdaptiveGradient(0.01), "fast": nv.AdaptiveGradient(10.0)}
    found = nv.compare(rates, nv.stream(X, y))
    slow, fast = found.learners
    assert slow.run.mistakes == fast.run.mistakes
    assert found.best is fast
    assert slow.differs is False


class Always:
    """Predicts one label."""

    def __init__(self, label: int | None) -> None:
        self.label = label

    def predict(self, x: object) -> int | None:
        return self.label

    def update(self, x: object, y: int) -> None:
        pass


def test_a_learner_of_ones_own_is_compared_and_abstentions_count_as_wrong() -> None:
    X, y = np.ones((400, 1)), np.resize([1, 1, 1, -1], 400)
    found = nv.compare({"yes": Always(1), "no": Always(-1), "shy": Always(None)}, nv.stream(X, y))
    yes, no, shy = found.learners
    assert found.best is yes
    assert (yes.run.mistakes, no.run.mistakes, shy.run.ledger.abstentions) == (100, 300, 400)
    assert (yes.differs, no.differs, shy.differs) == (None, True, None)
    assert repr(found) == "Comparison(yes: 25.00% (best), no: 75.00%, shy: 0.00%)"


@pytest.mark.parametrize(
    ("learners", "message"),
    [
        (list, "learners: expected at least one"),
        (lambda: [nv.Perceptron(), nv.Perceptron()], "learners: expected a dict with names"),
        (lambda: [nv.ModifiedPerceptron(0.1, seed=1)], "learners: expected learners that meet"),
    ],
)
def test_learners_that_cannot_be_compared_are_refused(
    learners: Callable[[], Any], message: str
) -> None:
    with pytest.raises(nv.ParameterError, match=message):
        nv.compare(learners(), nv.stream(*_rows()))


def test_whoever_refuses_a_round_is_named() -> None:
    with pytest.raises(nv.InputError, match="round 3") as refused:
        nv.compare([nv.MulticlassPerceptron(), nv.Perceptron()], [((1.0,), y) for y in (0, 1, 2)])
    assert refused.value.__notes__ == ["Perceptron refused it. Compare the others without it."]
    with pytest.raises(nv.ParameterError, match="delta"):
        nv.compare([nv.Perceptron()], nv.stream(*_rows()), delta=1.0)


def test_the_end_of_a_stream_closes_the_labels() -> None:
    X, y = _rows(20)
    stream = nv.stream(X, y)
    stream.closes = True
    runs = (nv.Run(nv.Perceptron()), nv.Run(nv.MulticlassPerceptron()))
    play_together(runs, stream)
    assert runs[1].labels.closed
    assert all(run.stream is stream for run in runs)


# Intervals and differences


def _ledger(mistakes: Any, rounds: int = 0) -> Any:
    rounds_of = np.array(sorted(mistakes), np.int64)
    return SimpleNamespace(
        mistakes=len(rounds_of), mistake_rounds=rounds_of, abstentions=0, rounds=rounds
    )


def test_differences_are_those_of_the_formula() -> None:
    """E = 2^n/((n + 1) C(n, k)) ≥ 1/δ in fractions, whatever both got wrong together."""
    told = set()
    for n in range(40):
        for k in range(n + 1):
            one = _ledger({*range(1, k + 1), 1000, 1001})
            best = _ledger({*range(k + 1, n + 1), 1000, 1001})
            evidence = Fraction(2**n, (n + 1) * math.comb(n, k))
            found = differ(one, best, 0.05)
            assert found is (evidence >= 20)
            told.add(found)
    assert told == {True, False}


def test_luck_is_rarely_called_a_difference() -> None:
    """Exactly: a fair coin's E ever reaches 1/δ within 300 throws with probability at most δ."""
    delta, alive, caught = Fraction(1, 20), {0: Fraction(1)}, Fraction(0)
    for n in range(1, 301):
        thrown: dict[int, Fraction] = {}
        for k, chance in alive.items():
            for after in (k, k + 1):
                thrown[after] = thrown.get(after, Fraction(0)) + chance / 2
        alive = {}
        for k, chance in thrown.items():
            if Fraction(2**n, (n + 1) * math.comb(n, k)) >= 1 / delta:
                caught += chance
            else:
                alive[k] = chance
    assert 0 < caught <= delta


def test_two_runs_that_err_alike_are_not_told_apart() -> None:
    X, y = _rows()
    found = nv.compare({"one": nv.Perceptron(), "same": nv.Perceptron()}, nv.stream(X, y))
    assert [one.differs for one in found.learners] == [None, False]


@pytest.mark.parametrize("chance", [0.02, 0.3, 0.9])
def test_intervals_hold_the_mean_chance_of_a_mistake(chance: float) -> None:
    """Of 100 runs of 400 coin flips, at most as many miss as an exact tail of 1e-6 allows."""
    rng = np.random.default_rng(7)
    missed = 0
    for _ in range(100):
        flips = rng.random(400) < chance
        run = nv.play(Always(1), nv.stream(np.ones((400, 1)), np.where(flips, -1, 1)))
        low, high = interval_of(run.ledger, 0.1)
        assert 0 <= low <= run.ledger.error_rate <= high <= 1
        missed += not low <= chance <= high
    assert missed <= 27  # P(Binomial(100, 0.1) > 27) < 1e-6


def test_intervals_shrink_and_split_what_may_fail() -> None:
    run = nv.play(nv.Perceptron(), nv.stream(*_rows(4000)))
    few = nv.play(nv.Perceptron(), nv.stream(*_rows(400)))
    low, high = interval_of(run.ledger, 0.05)
    fewer_low, fewer_high = interval_of(few.ledger, 0.05)
    assert high - low < fewer_high - fewer_low
    assert high == nv.error_bound(run.ledger, 0.025).value
    found = nv.compare([nv.Perceptron(), nv.AdaptiveGradient()], nv.stream(*_rows()), delta=0.2)
    assert found.learners[0].interval == interval_of(found.learners[0].run.ledger, 0.05)
