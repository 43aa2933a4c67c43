"""Blend(freeze="snapshots") keeps sixteen states, drawn uniformly over the rounds."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

import novikoff as nv
from novikoff import _core
from novikoff.learners.losses.snapshots import Reservoir
from novikoff.types import Arrays


def _data(rounds: int = 120, features: int = 5, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, features)) * 10.0 ** rng.integers(-2, 3, features)
    X *= rng.random(X.shape) < 0.6
    return X, np.where(X[:, 0] + X[:, 1] + rng.standard_normal(rounds) >= 0, 1, -1)


def _expected(seed: int, rounds: int) -> list[int]:
    """The rounds before which the states are kept: Vitter's Algorithm R, as it is written."""
    places: dict[int, int] = {}
    for t in range(1, rounds + 1):
        place = t - 1 if t <= 16 else int(_core.draw_unit(seed, 0, t) * t)
        if place < 16:
            places[place] = t
    return [places[place] for place in range(len(places))]


def _kept(learner: Any) -> list[Arrays]:
    found: list[Arrays] = learner._kept.states
    return found


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("rounds", [0, 1, 16, 17, 120])
def test_it_keeps_the_states_before_the_rounds_that_are_drawn(seed: int, rounds: int) -> None:
    X, y = _data()
    blend = nv.Blend(freeze="snapshots", seed=seed)
    nv.play(blend, nv.stream(X[:rounds], y[:rounds]))
    drawn = _expected(seed, rounds)
    assert len(_kept(blend)) == len(drawn)
    for t, state in zip(drawn, _kept(blend), strict=True):
        before = nv.play(nv.Blend(), nv.stream(X[: t - 1], y[: t - 1])).learner
        before.core.grow(state["cells"].size // 16 - 1)
        for name, array in before.core.state().items():
            assert np.array_equal(state[name], array), (t, name)


def test_rounds_are_drawn_alike() -> None:
    """Over many seeds, each of 64 rounds is kept 16 times in 64: chi-square, fixed seeds."""
    counts = np.zeros(64)
    for seed in range(2000):
        for t in _expected(seed, 64):
            counts[t - 1] += 1
    assert counts.sum() == 16 * 2000
    spread = ((counts - 500) ** 2 / (500 * (1 - 16 / 64))).sum()
    assert 0.001 < stats.chi2.sf(spread, 63) < 0.999


def test_the_draws_are_those_of_the_reservoir() -> None:
    reservoir = Reservoir(5)
    for first, count in ((1, 200), (17, 3), (100, 0)):
        found = reservoir.places(first, count)
        for t in range(first, first + count):
            place = t - 1 if t <= 16 else int(_core.draw_unit(5, 0, t) * t)
            assert found.get(t) == (place if place < 16 else None)


@pytest.mark.parametrize("form", ["rows", "pieces", "csr", "dicts", "updates", "hashed"])
def test_every_way_of_playing_keeps_the_same_states(form: str) -> None:
    X, y = _data()
    hashing = nv.Hashing(bits=6) if form == "hashed" else None
    blend, whole = (nv.Blend(freeze="snapshots", seed=1, hashing=hashing) for _ in range(2))
    named = [{f"f{j}": float(v) for j, v in enumerate(x)} for x in X]
    rows: Any = named if form in ("dicts", "hashed", "updates") else X
    nv.play(whole, nv.stream(rows, y))
    run = nv.Run(blend)
    if form == "pieces":
        for part in np.array_split(np.arange(len(X)), 9):
            run.play(nv.stream(X[part], y[part]))
    elif form == "csr":
        run.play(nv.stream(sp.csr_array(X), y))
    elif form == "updates":
        for x, label in zip(rows, y.tolist(), strict=True):
            blend.update(x, label)
    else:
        for x, label in zip(rows, y.tolist(), strict=True):
            run.learn(x, label)
    for one, other in zip(_kept(blend), _kept(whole), strict=True):
        for name in one:
            if form != "csr" or name != "cells":  # sparse rows meet columns as they come
                assert np.array_equal(one[name], other[name]), name
    probes: Any = rows if form in ("dicts", "hashed", "updates") else X
    a, b = blend.hypothesis(), whole.hypothesis()
    assert np.array_equal(a.probabilities(probes), b.probabilities(probes))


def test_the_hypothesis_is_the_mean_of_what_the_snapshots_say(tmp_path: Path) -> None:
    X, y = _data()
    run = nv.play(nv.Blend(freeze="snapshots"), nv.stream(X, y))
    h = run.hypothesis()
    assert isinstance(h, nv.SnapshotsHypothesis)
    said = []
    for t in _expected(0, len(X)):
        before = nv.play(nv.Blend(), nv.stream(X[: t - 1], y[: t - 1])) if t > 1 else None
        said.append([before.probability(x) for x in X] if before else [0.5] * len(X))
    assert h.probabilities(X) == pytest.approx(np.mean(said, axis=0), rel=1e-12)
    assert h.predict(X).tolist() == np.where(h.probabilities(X) >= 0.5, 1, -1).tolist()
    h.save(tmp_path / "h")
    loaded = nv.SnapshotsHypothesis.load(tmp_path / "h")
    assert np.array_equal(loaded.probabilities(X), h.probabilities(X))
    assert h.top(1)[0][0] in (0, 1)
    assert loaded.weights() == h.weights()


def test_a_learner_plays_as_without_snapshots_and_holds_more(tmp_path: Path) -> None:
    X, y = _data()
    plain = nv.play(nv.Blend(), nv.stream(X, y))
    run = nv.play(nv.Blend(freeze="snapshots"), nv.stream(X, y))
    assert run.ledger.mistake_rounds.tolist() == plain.ledger.mistake_rounds.tolist()
    assert run.ledger.loss == plain.ledger.loss
    assert run.learner.nbytes > 10 * plain.learner.nbytes
    assert "snapshot_lengths" not in plain.learner.state()


def test_a_certificate_is_about_the_run_and_not_about_the_snapshots() -> None:
    stream = nv.stream(*_data())
    certificate = nv.certify(nv.play(nv.Blend(freeze="snapshots"), stream))
    assert nv.verify(certificate, stream).verified
    plain = nv.certify(nv.play(nv.Blend(), stream))
    assert (certificate.observed, certificate.bound) == (plain.observed, plain.bound)


def test_before_the_first_round_there_is_a_hypothesis() -> None:
    blend = nv.Blend(freeze="snapshots")
    blend.introduce(np.zeros(3))
    assert blend.hypothesis().probabilities(np.ones((2, 3))).tolist() == [0.5, 0.5]


def test_a_refused_round_keeps_nothing() -> None:
    X, y = _data()
    X[7, 1] = np.nan
    blend = nv.Blend(freeze="snapshots")
    run = nv.Run(blend)
    with pytest.raises(nv.InputError, match="round 8: expected a finite value"):
        run.play(nv.stream(X, y))
    with pytest.raises(nv.InputError, match="expected a finite value"):
        run.learn(X[7], 1)
    assert len(_kept(blend)) == run.ledger.rounds == 7


BROKEN: dict[str, Callable[[Arrays], Arrays]] = {
    "other columns": lambda state: {"snapshot_lengths": np.zeros((0, 3), np.int64)},
    "fewer states": lambda state: {"snapshot_lengths": state["snapshot_lengths"][:15]},
    "negative lengths": lambda state: {"snapshot_lengths": -state["snapshot_lengths"]},
    "short cells": lambda state: {"snapshots.cells": state["snapshots.cells"][:-1]},
    "other numbers": lambda state: {"snapshots.counts": state["snapshots.counts"].astype(float)},
}


@pytest.mark.parametrize("broken", BROKEN)
def test_states_that_no_run_leaves_are_refused(broken: str) -> None:
    state = nv.play(nv.Blend(freeze="snapshots"), nv.stream(*_data())).learner.state()
    with pytest.raises(ValueError, match="snapshots"):
        nv.Blend(freeze="snapshots").restore(state | BROKEN[broken](state))


def test_another_way_to_freeze_is_refused_by_name() -> None:
    with pytest.raises(nv.ParameterError, match="freeze: expected 'last' or 'snapshots'"):
        nv.Blend(freeze="mean")  # type: ignore[arg-type]
    with pytest.raises(nv.ParameterError, match="seed: expected a whole number"):
        nv.Blend(freeze="snapshots", seed=-1)
