"""Learners of finite classes: the same play, ledger and files as the linear ones."""

import pickle
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import brute
import novikoff as nv
from cases import FINITE_CASES
from novikoff import _core

every_learner = pytest.mark.parametrize("name", FINITE_CASES)
H = nv.disjunctions(4, monotone=True)


def _rounds(count: int = 60, seed: int = 0) -> list[tuple[Any, int]]:
    """Vectors of the cube, labelled by a disjunction."""
    X = np.random.default_rng(seed).integers(0, 2, (count, 4)).astype(float)
    return [(x, 1 if x[1] or x[3] else -1) for x in X]


def _same_state(one: nv.Learner, other: nv.Learner) -> bool:
    a, b = one.state(), other.state()
    return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)


@every_learner
def test_blocks_are_the_same_as_one_by_one_and_predict_is_pure(name: str) -> None:
    rounds = _rounds()
    whole = nv.play(FINITE_CASES[name](H), rounds)
    arrays = nv.play(
        FINITE_CASES[name](H), nv.stream(np.array([x for x, _ in rounds]), [y for _, y in rounds])
    )
    single = nv.Run(FINITE_CASES[name](H))
    for x, y in rounds:
        before = single.learner.predict(x)
        assert single.learner.predict(x) == before
        assert single.learn(x, y) == before
    for run in (arrays, single):
        assert run.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()
        assert _same_state(run.learner, whole.learner)
    assert whole.ledger.rounds == whole.learner.rounds == 60
    assert whole.ledger.began_fresh
    h = whole.hypothesis()
    X = np.array([x for x, _ in rounds])
    assert h.predict(X).tolist() == [whole.learner.predict(x) for x in X]
    assert [h(x) for x in X] == h.predict(X).tolist()


@every_learner
def test_save_and_resume_is_uninterrupted(name: str, tmp_path: Path) -> None:
    rounds = _rounds()
    whole = nv.play(FINITE_CASES[name](H), rounds)
    half = nv.play(FINITE_CASES[name](H), rounds[:30])
    half.save(tmp_path / "run")
    half.learner.save(tmp_path / "learner")
    for resumed in (nv.Run.load(tmp_path / "run"), pickle.loads(pickle.dumps(half))):
        resumed.play(rounds[30:])
        assert _same_state(resumed.learner, whole.learner)
        assert resumed.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()
    learner = nv.Learner.load(tmp_path / "learner")
    assert learner.parameters == whole.learner.parameters
    nv.Run(learner).play(rounds[30:])
    assert _same_state(learner, whole.learner)
    h = whole.hypothesis()
    h.save(tmp_path / "h")
    X = np.array([x for x, _ in rounds])
    assert nv.Hypothesis.load(tmp_path / "h").predict(X).tolist() == h.predict(X).tolist()
    fresh = learner.fresh()
    assert fresh.rounds == 0
    assert _same_state(fresh, FINITE_CASES[name](H))


@every_learner
def test_what_is_no_point_is_refused_with_its_round(name: str) -> None:
    rounds = _rounds()
    for bad in ([0, 1], [0.5, 0, 0, 0], [np.nan, 0, 0, 0], (np.array([5]), np.array([1.0]))):
        run = nv.play(FINITE_CASES[name](H), rounds[:5])
        state = run.learner.state()
        with pytest.raises(nv.InputError, match=r"expected a vector of 4 zeros and ones, got"):
            run.learn(bad, 1)
        with pytest.raises(nv.InputError, match=r"round 8: expected .+, got .+\. .+"):
            run.play([*rounds[5:7], (bad, 1), *rounds[7:]])
        assert run.ledger.rounds == 7
        twin = run.learner.fresh()
        twin.restore(state)
        nv.Run(twin).play(rounds[5:7])
        assert _same_state(twin, run.learner)
    with pytest.raises(nv.InputError, match="y: expected −1 or"):
        FINITE_CASES[name](H).update([0, 0, 0, 0], 2)
    with pytest.raises(nv.InputError):
        FINITE_CASES[name](H).predict({"word": 1})


TWINS = {
    "consistent": brute.consistent,
    "halving": brute.halving,
    "standard-optimal": brute.optimal,
}


@pytest.mark.parametrize("name", TWINS)
def test_learners_are_their_twins_on_random_classes(name: str) -> None:
    """Mistake for mistake, with points given by number and by name."""
    rng = np.random.default_rng(7)
    most = 12 if name == "standard-optimal" else 150  # whose twin is slow
    for _ in range(120):
        table = rng.choice([-1, 1], (int(rng.integers(1, most)), 7))
        names = [f"p{x}" for x in range(7)]
        G = nv.FiniteClass(table, points=names)
        target = brute.rows_of(G)[int(rng.integers(len(G)))]
        points = rng.integers(0, 7, 12).tolist()
        V, wrong = brute.rows_of(G), []
        for t, x in enumerate(points, 1):
            if TWINS[name](V, x) != target[x]:
                wrong.append(t)
            V = [row for row in V if row[x] == target[x]]
        for given in (points, [names[x] for x in points]):
            run: nv.Run = nv.play(
                FINITE_CASES[name](G), [(x, target[p]) for x, p in zip(given, points, strict=True)]
            )
            assert run.ledger.mistake_rounds.tolist() == wrong
            assert run.learner.remaining == len(V)
            assert len(run.learner.consistent) == len(V)
        member = run.hypothesis().member  # type: ignore[attr-defined]
        assert member is None or all(G(member, x) == target[x] for x in points)


@pytest.mark.shows("refuses", "consistent", "halving", "littlestone", "elimination")
def test_an_empty_version_space_is_refused_by_its_round_and_label() -> None:
    G = nv.thresholds(4)
    rounds = [(2, 1), (0, -1), (3, -1), (1, 1)]
    for kind in (nv.Consistent, nv.Halving, nv.StandardOptimal):
        run: nv.Run = nv.Run(kind(G))
        with pytest.raises(nv.UnrealizableError, match=r"round 3: expected .* at 3, got -1"):
            run.play(rounds)
        assert run.ledger.rounds == run.learner.rounds == 2
        assert run.learner.remaining == 2
        run.play(rounds[3:])
        assert run.learner.consistent == ["x ≥ 1"]
    named = nv.FiniteClass([[1, 1], [1, -1]], points=["sun", "rain"])
    with pytest.raises(nv.UnrealizableError, match=r"round 1: .* at sun, got -1 where all 2 say"):
        nv.play(nv.Halving(named), [("sun", -1)])
    run = nv.play(nv.IteratedHalving(G), rounds)
    assert run.learner.restarts == 1
    assert run.learner.remaining == 2  # x ≥ 0 and x ≥ 1, since the restart
    learner = nv.Elimination(2, monotone=True)
    learner.update([1, 1], -1)
    with pytest.raises(nv.UnrealizableError, match=r"round 2: expected .*, got \+1"):
        learner.update([1, 0], 1)
    assert learner.rounds == 1


@pytest.mark.shows("holds", "iterated-halving")
def test_iterated_halving_keeps_within_its_bound_with_noise() -> None:
    from novikoff.theory import named

    rng = np.random.default_rng(8)
    for _ in range(100):
        G = brute.random_class(rng, 30, 8)
        points = rng.integers(0, len(G.points), 80)
        labels = np.where(rng.random(80) < 0.15, -1, 1) * G.table[0][points]
        best = int((G.table[:, points] != labels).sum(axis=1).min())
        run = nv.play(
            nv.IteratedHalving(G), list(zip(points.tolist(), labels.tolist(), strict=True))
        )
        evidence = {"size": len(G), "best_mistakes": best, "mistakes": run.mistakes}
        assert named("iterated-halving").evaluate(evidence).holds


@pytest.mark.shows("holds", "grid-halving")
def test_halving_on_a_grid_keeps_within_its_bound() -> None:
    rng = np.random.default_rng(9)
    G = nv.grid_halfspaces(2, radius=1.0, norm=1.0, margin=0.25)
    w = np.array([0.6, -0.8])
    X = rng.uniform(-0.7, 0.7, (200, 2))
    X = X[np.abs(X @ w) >= 0.25]
    run = nv.play(nv.Halving(G), nv.stream(X, np.where(X @ w >= 0, 1, -1)))
    assert run.mistakes <= 2 * np.log2(2 * G.steps + 1)
    h = run.hypothesis()
    assert (h.predict(X) == np.where(X @ w >= 0, 1, -1)).all()
    with pytest.raises(nv.InputError, match="expected vectors of 2 numbers"):
        run.learn([1.0, 2.0, 3.0], 1)
    with pytest.raises(nv.UnrealizableError, match="at x, got"):
        nv.play(nv.Halving(G), nv.stream(np.zeros((1, 2)), [-1]))
    with pytest.raises(nv.InputError, match="weights: expected none with Halving"):
        nv.Run(nv.Halving(G)).learn([1.0, 2.0], 1, 2.0)


def test_a_run_on_a_grid_is_saved_and_resumed(tmp_path: Path) -> None:
    X, y = np.array([[0.5, 0.5], [-0.5, 0.5], [0.3, -0.6], [0.6, 0.1]]), [1, 1, -1, 1]
    whole = nv.play(nv.Halving(nv.grid_halfspaces(2, 1.0, 1.0, 0.25)), nv.stream(X, y))
    half = nv.play(whole.learner.fresh(), nv.stream(X[:2], y[:2]))
    half.save(tmp_path / "run")
    for resumed in (nv.Run.load(tmp_path / "run"), pickle.loads(pickle.dumps(half))):
        resumed.play(nv.stream(X[2:], y[2:]))
        assert _same_state(resumed.learner, whole.learner)
        assert resumed.learner.H == whole.learner.H


def test_hypotheses_of_elimination_are_its_disjunctions() -> None:
    cube = [[i >> j & 1 for j in range(5)] for i in range(32)]
    for seed in range(10):
        rounds = [
            (x, 1 if x[0] or not x[4] else -1)
            for x in np.random.default_rng(seed).integers(0, 2, (12, 5))
        ]
        learner = nv.play(nv.Elimination(5), rounds).learner
        assert learner.hypothesis().predict(cube).tolist() == [learner.predict(x) for x in cube]


def _words(bits: Any) -> Any:
    from novikoff.classes.finite_class import packed

    return packed(np.asarray(bits)[None, :])[0]


def test_the_version_space_of_the_core_is_a_set() -> None:
    """Counts, prunes and restores as a Python set does, for sizes around a block."""
    rng = np.random.default_rng(10)
    for size in (1, 5, 64, 100, 511, 512, 513, 5000):
        space, left = _core.VersionSpace(size), set(range(size))
        for _ in range(14):
            bits = rng.random(size) < rng.choice([0.02, 0.5, 0.98])
            column = _words(bits)
            plus = {h for h in left if bits[h]}
            assert space.positives(column) == len(plus)
            positive = bool(rng.integers(2))
            kept = plus if positive else left - plus
            if not kept:
                continue
            space.prune(column, positive)
            left = kept
            assert space.count == len(left)
            if rng.integers(3) == 0:
                assert space.first() == min(left)
            if rng.integers(4) == 0:
                twin = _core.VersionSpace(size)
                twin.restore(space.words())
                space = twin
        found = np.unpackbits(space.words().view(np.uint8), bitorder="little")
        assert set(np.flatnonzero(found).tolist()) == left
    with pytest.raises(ValueError, match="a bit for every hypothesis"):
        _core.VersionSpace(10).restore(np.array([1 << 10], np.uint64))
    with pytest.raises(ValueError, match="a bit for every hypothesis"):
        _core.VersionSpace(100).positives(np.zeros(1, np.uint64))


def test_a_second_thread_is_refused_by_the_version_space() -> None:
    size = 2**24
    space, column = _core.VersionSpace(size), np.zeros(size // 64, np.uint64)
    other = np.ones(size // 64, np.uint64)
    stop, refused = threading.Event(), []

    def work() -> None:
        while not stop.is_set():
            try:
                space.positives(column)
                space.positives(other)
            except nv.BusyError:
                refused.append(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    began = time.monotonic()
    while not refused and time.monotonic() - began < 20:
        time.sleep(0.01)
    stop.set()
    for thread in threads:
        thread.join()
    assert refused


@pytest.mark.parametrize("kind", [nv.Consistent, nv.Halving, nv.IteratedHalving])
def test_a_state_with_nothing_left_is_refused(kind: Any) -> None:
    learner = kind(nv.thresholds(3))
    state = learner.state()
    for odd in ({"live": np.zeros(1, np.uint64)}, {"counts": np.full(2, -1)}):
        with pytest.raises(ValueError, match="a hypothesis that is left"):
            learner.restore(state | odd)
    assert (learner.remaining, learner.rounds) == (4, 0)
