"""Weights of rounds and of classes: a scaled update, and a ledger that says so."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
import transform_twins as steps
import twins
from cases import EXACT, Case, labels
from families import decimals, gaussian, mixed_magnitudes, normalised_binary
from novikoff.learners.protocols import scales_loss

SCALED = [case for case in EXACT if not scales_loss(case.make())]  # others: test_adaptive_gradient
WEIGHED = [case for case in SCALED if case.make().takes_weights]  # type: ignore[attr-defined]
every_learner = pytest.mark.parametrize("case", WEIGHED, ids=lambda c: c.name)


def _data(case: Case, family: Any, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = np.concatenate([family(rng) for _ in range(3)])
    y = labels(case, rng, np.sign(X) @ rng.standard_normal(X.shape[1]))
    weights = rng.choice([0.0, 1.0, 2.0, 0.1, 1 / 3, 7.7e-5, 123.456], len(X))
    return X, y, weights


class _Weighted:
    """A twin whose update is scaled: it learns weight · x where it erred on x.

    Transforms come first: they make x of a raw row, whatever its weight.
    """

    def __init__(self, twin: Any) -> None:
        self.seen: Callable[[twins.Vector], twins.Vector] = lambda x: x
        if isinstance(twin, steps.Transformed):
            self.seen, twin = twin.seen, twin.twin
        self.twin = twin

    def learn(self, raw: twins.Vector, y: int, weight: float) -> bool:
        x = self.seen(raw)
        if isinstance(self.twin, twins.Multiclass):
            _ = self.twin.w[y]
        prediction = self.twin.predict(x)
        if prediction == y:
            return False
        scaled = {j: Fraction(weight) * v for j, v in x.items()}
        if isinstance(self.twin, twins.Multiclass):
            twins.add(self.twin.w[y], scaled, 1)
            twins.add(self.twin.w[prediction], scaled, -1)
        else:
            w = self.twin.theta if isinstance(self.twin, twins.Minnow) else self.twin.w
            twins.add(w, scaled, y)
        return True


@every_learner
@pytest.mark.parametrize(
    "family", [gaussian, normalised_binary, decimals, mixed_magnitudes], ids=lambda f: f.__name__
)
def test_weighted_rounds_agree_with_the_twin(case: Case, family: Any) -> None:
    X, y, weights = _data(case, family)
    assert case.twin is not None
    twin = _Weighted(case.twin())
    expected = [
        t
        for t, (x, label, weight) in enumerate(zip(X, y, weights, strict=True), 1)
        if twin.learn(twins.vector(x, case.bias), int(label), weight)
    ]
    names = [f"f{j}" for j in range(X.shape[1])]
    for stream in (
        nv.stream(X, y, weights=weights),
        nv.stream(sp.csr_array(X), y, weights=weights.tolist()),
        list(zip(X, y, weights, strict=True)),
        nv.stream([dict(zip(names, x.tolist(), strict=True)) for x in X], y, weights=weights),
    ):
        run = nv.play(case.make(), stream)
        assert run.ledger.mistake_rounds.tolist() == expected
        assert run.ledger.weighted
    single, named = nv.Run(case.make()), nv.Run(case.make())
    for x, label, weight in zip(X, y, weights, strict=True):
        single.learn(x, label, weight)
        named.learn(dict(zip(names, x.tolist(), strict=True)), label, weight)
    assert single.ledger.mistake_rounds.tolist() == expected
    assert named.ledger.mistake_rounds.tolist() == expected


@every_learner
def test_weights_of_one_are_no_weights(case: Case) -> None:
    X, y, _ = _data(case, gaussian)
    plain = nv.play(case.make(), nv.stream(X, y))
    ones = nv.play(case.make(), nv.stream(X, y, weights=np.ones(len(X))))
    a, b = plain.learner.state(), ones.learner.state()
    assert all(np.array_equal(a[name], b[name]) for name in a)
    assert not ones.ledger.weighted


@every_learner
def test_a_weight_of_zero_is_judged_and_not_learned_from(case: Case) -> None:
    X, y, _ = _data(case, gaussian)
    keep = np.arange(len(X)) % 3 != 0
    if case.make().transforms:  # type: ignore[attr-defined]
        keep[0] = True
        X[0] = np.abs(X).max(axis=0)  # a scale is known once it is seen, whatever its weight
    if case.multiclass:
        keep |= np.arange(len(X)) < 30  # a class is known once it is seen, whatever its weight
    weighted = nv.play(case.make(), nv.stream(X, y, weights=keep.astype(float)))
    dropped = nv.play(case.make(), nv.stream(X[keep], y[keep]))
    assert weighted.ledger.rounds == len(X)
    for name in ("weights", "remainder_slots", "remainder_parts"):
        assert np.array_equal(weighted.learner.state()[name], dropped.learner.state()[name])


def test_hypotheses_of_weighted_runs_are_those_of_scaled_updates() -> None:
    rounds = [([1.0, 0.5], -1, 2.0), ([1.0, -1.0], 1, 0.5), ([0.0, 1.0], 1, 4.0)]
    w, steps = np.zeros(2), []
    for x, y, weight in rounds:
        if (1 if w @ x >= 0 else -1) != y:
            w = w + weight * y * np.array(x)
        steps.append(w)
    assert nv.play(nv.Perceptron(), rounds).hypothesis().w.tolist() == w.tolist()  # type: ignore[attr-defined]
    average = nv.play(nv.AveragedPerceptron(), rounds).hypothesis()
    assert average.w == pytest.approx(np.mean(steps, axis=0))  # type: ignore[attr-defined]
    third = [(x, y, weight / 3) for x, y, weight in rounds]
    vote = nv.play(nv.VotedPerceptron(), third).hypothesis()
    grid = np.random.default_rng(0).standard_normal((50, 2))
    expected = np.where(np.where(np.array(steps) @ grid.T >= 0, 1, -1).sum(axis=0) >= 0, 1, -1)
    assert vote.predict(grid).tolist() == expected.tolist()


def test_class_weights_scale_by_label(tmp_path: Any) -> None:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 4))
    y = np.where(X[:, 0] + rng.standard_normal(300) > 1, "rare", "common")
    by_class = {"rare": 5.0, "common": 0.5}
    weights = [by_class[label] for label in y]
    expected = nv.play(nv.Perceptron(), nv.stream(X, y, positive="rare", weights=weights))
    run = nv.Run(nv.Perceptron(), class_weights=by_class).play(nv.stream(X, y, positive="rare"))
    assert run.ledger.mistake_rounds.tolist() == expected.ledger.mistake_rounds.tolist()
    assert run.ledger.weighted
    half = nv.Run(nv.Perceptron(), positive="rare", class_weights=by_class)
    for x, label in zip(X[:150], y[:150], strict=True):
        half.learn({f"f{j}": v for j, v in enumerate(x)}, label)
    assert half.is_quick  # the weights went along with the dicts
    half.save(tmp_path / "run")
    resumed = nv.Run.load(tmp_path / "run")
    assert resumed.class_weights == by_class
    assert resumed.ledger.weighted
    named = [{f"f{j}": v for j, v in enumerate(x)} for x in X[150:]]
    resumed.play(list(zip(named, y[150:], strict=True)))
    assert resumed.ledger.mistake_rounds.tolist() == expected.ledger.mistake_rounds.tolist()
    both = nv.stream(X, y, positive="rare", weights=np.full(300, 2.0))
    doubled = nv.Run(nv.Perceptron(), class_weights=by_class).play(both)
    assert doubled.hypothesis().w == pytest.approx(2 * expected.hypothesis().w)  # type: ignore[attr-defined]
    classes = nv.Run(nv.MulticlassPerceptron(), class_weights={"rare": 2})
    assert classes.play(nv.stream(X, y)).ledger.weighted


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf"), 1e-91, 1e91])
def test_what_is_no_weight_is_refused(weight: float) -> None:
    run = nv.Run(nv.Perceptron())
    run.learn([1.0], 1)
    for attempt in (
        lambda: run.learn([1.0], 1, weight),
        lambda: run.learn([1.0], 1, weight=weight),
        lambda: run.learner.update([1.0], 1, weight),
        lambda: nv.stream([[1.0]], [1], weights=[weight]),
    ):
        with pytest.raises(nv.InputError, match=r"round \d: expected a weight of 0 or a number"):
            attempt()
    assert run.ledger.rounds == 1
    with pytest.raises(nv.InputError, match="round 3: expected a weight"):
        run.play([([1.0], 1, 2.0), ([1.0], 1, weight)])
    with pytest.raises(nv.ParameterError, match="class_weights"):
        nv.Run(nv.Perceptron(), class_weights={1: weight})


def test_weights_of_another_shape_or_kind_are_refused() -> None:
    with pytest.raises(nv.InputError, match="weights: expected one for each of the 2 rounds"):
        nv.stream([[1.0], [2.0]], [1, -1], weights=[1.0])
    with pytest.raises(nv.InputError, match="weights: expected numbers"):
        nv.stream([[1.0], [2.0]], [1, -1], weights=["a", "b"])
    with pytest.raises(nv.ParameterError, match="class_weights: expected None or a dict"):
        nv.Run(nv.Perceptron(), class_weights="balanced")  # type: ignore[arg-type]

    class Foreign:
        def predict(self, _: Any) -> int:
            return 1

        def update(self, _x: Any, _y: Any) -> None: ...

    with pytest.raises(nv.InputError, match="weights: expected none with Foreign"):
        nv.Run(Foreign()).learn([1.0], 1, weight=2.0)
    with pytest.raises(nv.InputError, match=r"expected a pair \(x, y\), or \(x, y, weight\)"):
        nv.play(nv.Perceptron(), [([1.0], 1, 2.0, 3)])


def test_values_that_a_weight_cannot_scale_are_refused() -> None:
    run = nv.Run(nv.Perceptron())
    run.learn([1.0, 1.0], -1)
    for x in ([1e-300, 1.0], [1e300, 1.0]):
        for row in (x, ([0, 1], x)):
            with pytest.raises(nv.InputError, match="their weight can scale within its range"):
                run.learn(row, 1, weight=1e-20 if x[0] < 1 else 1e20)
    named = nv.Run(nv.Perceptron())
    with pytest.raises(nv.InputError, match="their weight can scale within its range"):
        named.learn({"a": 1e-300}, -1, weight=0.3)
    assert len(named.learner.features) == 0
    assert run.ledger.rounds == 1


def test_rounds_before_a_bad_weight_stay_played() -> None:
    run = nv.Run(nv.Perceptron())
    rows = [
        ({"a": 1.0}, 1, 1.0),
        ({"b": 1.0}, -1, 2.0),
        ({"b": 1.0}, -1, -5.0),
        ({"c": 1.0}, 1, 1.0),
    ]
    with pytest.raises(nv.InputError, match="round 3: expected a weight"):
        run.play(rows)
    assert run.ledger.rounds == 2
    assert run.hypothesis().weights() == {"b": -2.0}  # type: ignore[attr-defined]
    with pytest.raises(nv.InputError, match="round 4: expected labels"):
        run.play([({"a": 1.0}, 1, 1.0), ({"a": 1.0}, 7, 1.0), ({"a": 1.0}, 1, -1.0)])
    assert run.ledger.rounds == 3


@pytest.mark.parametrize("weight", ["2", None, 1 + 2j, [1.0], np.array([1.0, 2.0]), {}])
def test_weights_are_never_converted_in_silence(weight: Any) -> None:
    run = nv.Run(nv.Perceptron())
    with pytest.raises(nv.InputError, match="weights: expected"):
        run.learn([1.0], 1, weight)
    assert run.ledger.rounds == 0


def test_class_weights_of_labels_that_cannot_be_are_refused() -> None:
    run = nv.Run(nv.Perceptron(), class_weights={-1: 5})
    with pytest.raises(nv.ParameterError, match="expected weights of the labels 0 and 1, got -1"):
        run.play(nv.stream([[1.0], [2.0]], [0, 1]))
    assert run.ledger.rounds == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: nv.Run(nv.Perceptron(), positive=b"x"),
        lambda: nv.Run(nv.Perceptron(), class_weights={("a", 1): 2.0}),
        lambda: nv.Run(nv.Perceptron(), positive=("a", "b")),
        lambda: nv.Run(nv.MulticlassPerceptron(), labels=(float("inf"), 1.0)),
    ],
)
def test_labels_that_a_file_cannot_hold_are_refused_when_saving(make: Any, tmp_path: Any) -> None:
    with pytest.raises(nv.InputError, match="labels: expected numbers, strings or bools to save"):
        make().save(tmp_path / "run")
    nv.Run(nv.Perceptron(hashing=nv.Hashing(int(np.int64(5))))).save(tmp_path / "run")
    assert nv.Run.load(tmp_path / "run").learner.hashing == nv.Hashing(5)
