"""Baselines: what one gets without learning, from its definition, and whether a run beats it."""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import novikoff as nv
from novikoff.receipts.baselines import about_baseline, baseline_of, unbeaten
from novikoff.receipts.stumps import best_feature

VALUES = st.sampled_from([-2.0, -1.0, 0.0, 0.0, 1.0, 3.0])


def _stumps(X: Any, y: list[Any]) -> dict[int, int]:
    """The errors of the stump on each feature, from its definition, row by row."""
    found = {}
    for j in range(len(X[0])):
        mean = sum(row[j] for row in X) / len(X)
        sides = [[b for row, b in zip(X, y, strict=True) if (row[j] > mean) == up] for up in (1, 0)]
        right = sum(Counter(side).most_common(1)[0][1] for side in sides if side)
        found[j] = len(y) - right
    return found


@given(st.lists(st.tuples(VALUES, VALUES, VALUES, st.integers(0, 2)), min_size=2, max_size=30))
def test_the_best_feature_is_the_stump_with_the_fewest_errors(rows: list[Any]) -> None:
    X, y = [list(row[:3]) for row in rows], [row[3] for row in rows]
    errors = _stumps(X, y)
    made: list[Callable[[], Any]] = [nv.MulticlassPerceptron]
    made += [nv.Perceptron, nv.AdaptiveGradient] * ({*y} == {0, 1})
    for make in made:
        for form in (np.array(X), sparse.csr_matrix(X)):
            stream = nv.stream(form, y)
            run = nv.play(make(), stream)
            found = best_feature(run, stream)
            if len(run.ledger.labels) < 2 or not run.learner.dimension:
                assert found is None
                continue
            assert found is not None
            seen = {j: n for j, n in errors.items() if j < run.learner.dimension}
            assert found.errors == min(seen.values())
            assert found.errors == seen[int(found.feature)]
            assert found.rows == len(y)
            j = int(found.feature)
            guesses = [found.above if row[j] > found.threshold else found.otherwise for row in X]
            assert sum(g != b for g, b in zip(guesses, y, strict=True)) == found.errors


def test_named_features_keep_their_names_and_hold_what_the_learner_saw() -> None:
    rows = [{"free": 1.0}, {"hi": 1.0}, {"free": 2.0, "hi": 1.0}, {"hi": 3.0}] * 5
    stream = nv.stream(rows, ["spam", "ham", "spam", "ham"] * 5, positive="spam")
    run = nv.play(nv.Blend(), stream)
    found = best_feature(run, stream)
    assert found is not None
    assert (found.feature, found.above, found.otherwise) == ("free", "spam", "ham")
    assert (found.errors, found.threshold) == (0, 0.75)


def test_values_beyond_the_floats_still_have_a_best_feature() -> None:
    X = np.array([[1e308, 1.0], [1e308, -1.0], [1e308, 1.0], [1e308, -1.0]])
    stream = nv.stream(X, [1, -1, 1, -1])
    found = best_feature(nv.play(nv.Perceptron(), stream), stream)
    assert found is not None
    assert (found.feature, found.errors) == (1, 0)


def test_learners_of_other_things_have_no_best_feature() -> None:
    class Stubborn:
        def predict(self, x: Any) -> int:
            return 1

        def update(self, x: Any, y: Any) -> None:
            pass

    rows = nv.stream([[1.0], [2.0]], [1, -1])
    assert best_feature(nv.play(Stubborn(), rows), rows) is None
    points = nv.stream([0, 1, 2], [-1, 1, 1])
    assert best_feature(nv.play(nv.Halving(nv.thresholds(3)), points), points) is None


def test_a_run_that_beats_everything_says_nothing() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 3))
    run = nv.play(nv.Blend(), nv.stream(X, np.where(X[:, 0] > 0, 1, -1)))
    known = baseline_of(run)
    assert known is not None
    assert unbeaten(run.ledger, known) == about_baseline(run.ledger, known) == []


@pytest.mark.parametrize("make", [nv.Blend, nv.Perceptron])
def test_what_does_as_well_is_named(make: Callable[[], Any]) -> None:
    """Labels that hardly ever change, and rows that say nothing."""
    rng = np.random.default_rng(1)
    y = np.repeat([1, -1, 1, -1, 1], 60)
    run = nv.play(make(), nv.stream(rng.standard_normal((300, 2)), y))
    known = baseline_of(run)
    assert known is not None
    assert (known.label, known.error_rate) == (1, 0.4)
    assert known.last_label == 4 / 300
    entropy = -(0.4 * math.log(0.4) + 0.6 * math.log(0.6))
    assert known.mean_loss == pytest.approx(entropy, rel=1e-12)
    said = unbeaten(run.ledger, known)
    assert "repeating the last label is wrong on 1.33%" in said
    worse = run.ledger.error_rate >= 0.4
    assert ("always guessing 1 is wrong on 40.00%" in said) == worse
    (remark,) = about_baseline(run.ledger, known)
    assert remark.startswith("the run does not beat its baseline: it is wrong on ")
    assert about_baseline(run.ledger, known, first=False) == []


def test_a_loss_above_that_of_the_frequencies_is_named() -> None:
    """A learner that is sure of itself, on labels that are coins."""
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((300, 50)), rng.choice([-1, 1], 300)
    run = nv.play(nv.AdaptiveGradient(4.0), nv.stream(X, y))
    known = baseline_of(run)
    assert known is not None
    assert known.mean_loss is not None
    assert run.ledger.mean_loss > known.mean_loss
    (found,) = [line for line in unbeaten(run.ledger, known) if "frequency" in line]
    assert found == (
        f"giving each label its frequency has a mean loss of {known.mean_loss:.4f}, the run "
        f"{run.ledger.mean_loss:.4f}"
    )


def test_silence_does_not_beat_a_guess() -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((200, 2))
    y = np.where(X[:, 0] > 0.8, 1, -1)
    run = nv.play(nv.ModifiedPerceptron(sigma=0.95), nv.stream(X, y))
    known = baseline_of(run)
    assert known is not None
    assert run.ledger.error_rate < known.error_rate
    assert (run.ledger.mistakes + run.ledger.abstentions) / 200 > known.error_rate
    assert unbeaten(run.ledger, known)
