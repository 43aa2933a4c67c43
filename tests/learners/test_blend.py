"""Blend: native equals the page bit for bit, and nothing that a stream holds can break it."""

import copy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import novikoff as nv
from novikoff.learners.learner import rebuilt
from novikoff.types import FloatArray
from program_page import program_page

Rounds = tuple[FloatArray, FloatArray]
T = 400


def _labels(s: FloatArray, random: np.random.Generator) -> FloatArray:
    return np.where(s + 0.3 * random.standard_normal(len(s)) > 0, 1, -1)


def _plain(random: np.random.Generator) -> Rounds:
    X = random.standard_normal((T, 6))
    return X, _labels(X @ [1, -2, 0.5, 0, 0, 1], random)


def _jumps(random: np.random.Generator) -> Rounds:
    X, y = _plain(random)
    X[T // 2 :] *= 1e150
    X[3 * T // 4 :] *= 1e150
    return X, y


def _shrinks(random: np.random.Generator) -> Rounds:
    X, y = _plain(random)
    X[T // 2 :] *= 1e-150
    return X, y


def _outlier(random: np.random.Generator) -> Rounds:
    X, y = _plain(random)
    X[T // 3] *= 1e9
    return X, y


def _denormal(random: np.random.Generator) -> Rounds:
    X, y = _plain(random)
    return X * 5e-324 * 1000, y


def _mixed_scales(random: np.random.Generator) -> Rounds:
    X, y = _plain(random)
    return X * 10.0 ** np.array([-300, -100, -4, 0, 100, 300]), y


def _constants(random: np.random.Generator) -> Rounds:
    X, y = _plain(random)
    X[:, 2:] = 7.0
    return X, y


def _zeros(random: np.random.Generator) -> Rounds:
    X, y = _plain(random)
    X[random.random(T) < 0.5] = 0.0
    return X, y


def _duplicates(random: np.random.Generator) -> Rounds:
    X, y = _plain(random)
    return np.hstack([X, X, X]), y


def _flip(random: np.random.Generator) -> Rounds:
    X, y = _plain(random)
    y[T // 2 :] *= -1
    return X, y


def _rare(random: np.random.Generator) -> Rounds:
    X, _ = _plain(random)
    return X, np.where(np.arange(T) % 199 == 7, 1, -1)


def _wide(random: np.random.Generator) -> Rounds:
    X, y = _plain(random)
    noise = np.where(random.random((T, 300)) < 0.05, random.standard_normal((T, 300)), 0.0)
    return np.hstack([X, noise]), y


def _lengths(random: np.random.Generator) -> Rounds:
    """Rows of 0 to 14 values: the core takes four at a time. Some are the largest so far."""
    X = random.standard_normal((T, 14)) * np.exp(2 * random.standard_normal((T, 14)))
    y = _labels(X @ random.standard_normal(14), random)
    X[np.argsort(random.random(X.shape)) >= np.arange(T)[:, None] % 15] = 0.0
    return X, y


def _all_at_once(random: np.random.Generator) -> Rounds:
    """Features appear one by one, and then together: the last rows have scores in the thousands."""
    y = np.where(random.random(1303) < 0.5, 1, -1)
    x = 0.5 + random.random(1300)
    return np.vstack([np.diag(y[:1300] * x), x, x * random.random(1300), -x]), y


STREAMS: list[Callable[[np.random.Generator], Rounds]] = [
    _plain, _jumps, _shrinks, _outlier, _denormal, _mixed_scales, _constants, _zeros, _duplicates,
    _flip, _rare, _wide, _lengths, _all_at_once,
]  # fmt: skip


def _names(found: object) -> str:
    return getattr(found, "__name__", str(found)).lstrip("_")


@pytest.mark.parametrize("stream", STREAMS, ids=_names)
def test_native_is_the_page_bit_for_bit(stream: Callable[[np.random.Generator], Rounds]) -> None:
    """Scores of all members, weights, loss and stabilities have the bits of docs/programs.md."""
    X, y = stream(np.random.default_rng(5))
    run, twin = nv.Run(nv.Blend()), program_page().Blend()
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        values = {-1: 1.0} | {j: float(v) for j, v in enumerate(x) if v != 0}
        scores = run.learner.member_scores(x)
        assert scores.tolist() == twin.scores(values), f"round {t + 1}"
        assert run.learn(x, int(label)) == twin.learn(values, int(label))
    state = run.learner.core.state()
    assert state["weights"].tolist() == twin.weights
    assert state["mean_weights"].tolist() == twin.mean
    assert run.ledger.loss == twin.loss + twin.loss_rest
    for k, name in enumerate(("quarter", "one", "four")):
        found = getattr(run.ledger, f"stability_{name}")
        assert found == twin.stability[k] + twin.stability_rest[k]


def test_some_scores_are_beyond_the_quick_sums() -> None:
    """The stream above reaches what it is for: |score| > 2048 of a member that learns from x."""
    X, y = _all_at_once(np.random.default_rng(5))
    run = nv.play(nv.Blend(), nv.stream(X[:-3], y[:-3]))
    largest = np.abs(run.learner.member_scores(X[-1])[:7]).max()
    assert largest > 2048


@pytest.mark.parametrize("stream", STREAMS, ids=_names)
def test_never_much_worse_than_the_best_member(
    stream: Callable[[np.random.Generator], Rounds],
) -> None:
    """Its loss is finite, and at most that of every member plus ln K + ln T."""
    X, y = stream(np.random.default_rng(6))
    run = nv.Run(nv.Blend())
    losses = np.zeros(11)
    for x, label in zip(X, y, strict=True):
        scores = run.learner.member_scores(x)
        assert np.isfinite(scores).all()
        losses += np.logaddexp(0, -np.clip(scores, -30, 30) * label)
        run.learn(x, int(label))
        assert 0 < run.probability(x) < 1
    assert run.ledger.loss <= losses.min() + np.log(11) + np.log(T) + 1e-9


@pytest.mark.parametrize("v", [0.0, 0.25, 1.0])
def test_weights_of_rounds(v: float) -> None:
    """A round of weight v is that of the page; one of weight 0 changes nothing but the count."""
    X, y = _plain(np.random.default_rng(7))
    learner, twin, tally = nv.Blend(), program_page().Blend(), nv._core.Tally()
    for t, (x, label) in enumerate(zip(X[:60], y[:60], strict=True)):
        weight = v if t % 2 else 1.0
        block = learner.fitting(learner.block_of(x))
        learner.learn_row(block, int(label), tally, np.array([weight]))
        twin.learn({-1: 1.0} | dict(enumerate(x.tolist())), int(label), weight)
    assert learner.core.state()["weights"].tolist() == twin.weights
    assert learner.rounds == 60


def test_the_hypothesis_mixes_the_last_state_by_the_mean_of_the_weights() -> None:
    """Its probabilities are those of the page's members with ``mean`` for weights."""
    X, y = _plain(np.random.default_rng(8))
    run, twin = nv.play(nv.Blend(), nv.stream(X, y)), program_page().Blend()
    for x, label in zip(X, y, strict=True):
        twin.learn({-1: 1.0} | dict(enumerate(x.tolist())), int(label))
    found = run.learner.hypothesis().probabilities(X[:20])
    for x, p in zip(X[:20], found, strict=True):
        a, b = twin.mixed(twin.scores({-1: 1.0} | dict(enumerate(x.tolist()))), twin.mean)
        assert p == a / (a + b)


def test_a_base_rate_of_one_in_a_thousand() -> None:
    """An imbalance of 1:1000 is learned without any feature."""
    y = np.where(np.arange(20_000) % 1000 == 500, 1, -1)
    run = nv.play(nv.Blend(), nv.stream(np.zeros((20_000, 1)), y))
    assert 0.0005 < run.probability([0.0]) < 0.002
    entropy = -(0.001 * np.log(0.001) + 0.999 * np.log(0.999))
    assert run.ledger.loss / 20_000 < 1.1 * entropy


def test_columns_that_no_label_depends_on_cost_little() -> None:
    """With 10⁵ irrelevant sparse features the loss stays near that without them."""
    from scipy.sparse import csr_array, hstack

    random = np.random.default_rng(9)
    X = random.standard_normal((3000, 5))
    y = _labels(X @ [1, -2, 0.5, 0, 1], random)
    columns = random.integers(0, 100_000, (3000, 20))
    noise = csr_array(
        (np.ones(60_000), columns.ravel(), np.arange(0, 60_001, 20)), shape=(3000, 100_000)
    )
    noise.sum_duplicates()
    alone = nv.play(nv.Blend(), nv.stream(csr_array(X), y)).ledger.loss
    among = nv.play(nv.Blend(), nv.stream(hstack([csr_array(X), noise]).tocsr(), y)).ledger.loss
    assert among < 0.5 * 3000 * np.log(2)
    assert alone < among


def test_a_129th_feature_besides_the_constant_makes_newton_leave() -> None:
    """Its weight goes to the others, and saving and loading keep that."""
    random = np.random.default_rng(10)
    rows = [{f"f{j}": 1.0 for j in random.integers(0, 200, 5)} for _ in range(300)]
    run = nv.Run(nv.Blend())
    for row in rows:
        run.learn(row, 1 if "f3" in row else -1)
    weights = run.learner.weights
    assert weights["OnlineNewton"] == 0
    assert sum(weights.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "damage",
    [
        ("cells", lambda a: a.__setitem__(15, -1.0)),
        ("cells", lambda a: a.__setitem__(14, 2.0)),
        ("cells", lambda a: a.__setitem__(0, np.nan)),
        ("weights", lambda a: a.__setitem__(0, 2.0)),
        ("mean_weights", lambda a: a.__setitem__(0, -0.5)),
        ("stack_matrix", lambda a: a.__setitem__(0, -1.0)),
        ("newton_matrix", lambda a: a.__setitem__(0, 0.0)),
        ("newton_features", lambda a: a.__setitem__(0, 99)),
        ("newton_first", lambda a: a.__setitem__(0, 0.0)),
        ("totals", lambda a: a.__setitem__(0, -1.0)),
        ("counts", lambda a: a.__setitem__(2, 7)),
    ],
    ids=lambda found: found[0],
)
def test_a_damaged_state_is_refused(damage: tuple[str, Callable[[FloatArray], None]]) -> None:
    """A state that no run can reach is not taken over, and the learner stays as it was."""
    X, y = _plain(np.random.default_rng(11))
    learner = nv.play(nv.Blend(), nv.stream(X, y)).learner
    state = {name: array.copy() for name, array in learner.state().items()}
    damage[1](state[damage[0]])
    fresh = nv.Blend()
    with pytest.raises(ValueError, match="saved state"):
        fresh.restore(state)
    assert fresh.rounds == 0


def test_values_next_to_nothing_leave_weights_that_can_be_shown() -> None:
    """Weights in units of x would be infinite, of both signs; a model of them still predicts."""
    run = nv.Run(nv.Blend(), labels=(0, 1))
    for x, y in [(1e-310, 0), (1e-310, 1), (5e-324, 1), (1.0, 0), (1e-320, 1)]:
        run.learn([x], y)
        found = run.learner.hypothesis()
        assert isinstance(found, nv.BlendHypothesis)
        assert np.isfinite(found.w).all()
        assert 0 < found.probabilities([[x]])[0] < 1


def test_many_classes_are_saved_and_counted_however_their_rounds_came(tmp_path: Path) -> None:
    """Rounds one by one, asks, or none at all: the run is saved, and counts by label."""
    run = nv.Run(nv.Blend(), labels=("a", "b", "c"))
    run.save(tmp_path / "none")
    assert nv.Run.load(tmp_path / "none").ledger.rounds == 0
    for label in "abccb":
        run.learn([1.0], label)
    run.tell(run.ask([2.0]).id, "a")
    run.save(tmp_path / "some")
    for found in (run, nv.Run.load(tmp_path / "some"), copy.deepcopy(run)):
        assert found.ledger.rounds_by_label == {"a": 2, "b": 2, "c": 2}
        assert sum(found.ledger.mistakes_by_label.values()) == run.mistakes
        chances: object = found.probability([1.0])
        assert isinstance(chances, dict)
        assert set(chances) == {"a", "b", "c"}


def test_the_largest_weight_of_a_stream_need_not_be_declared() -> None:
    """A stream that can be read again is looked through for it, also with many classes."""
    random = np.random.default_rng(12)
    X, y = _plain(random)
    w = 3 * random.random(T)
    found = nv.play(nv.Blend(), nv.stream(X, y, weights=w))
    declared = nv.Run(nv.Blend(), max_weight=float(w.max())).play(nv.stream(X, y, weights=w))
    assert found.ledger.loss == declared.ledger.loss
    assert nv.play(nv.Blend(), nv.stream(X, y, weights=w / 10)).max_weight == 1
    classes = np.argmax(X[:, :3], axis=1)
    assert nv.play(nv.Blend(), nv.stream(X, classes, weights=w)).max_weight == w.max()


def test_a_forged_number_of_classes_takes_no_room() -> None:
    """A small file that names a million classes is refused before anything is made for them."""
    learner = nv.play(nv.Blend(), [([1.0], "a"), ([2.0], "b"), ([3.0], "c")]).learner
    assert isinstance(learner, nv.ClassBlend)
    state, many = learner.state(), 2**20
    with pytest.raises(ValueError, match="parameters that need 6,291,456 numbers"):
        rebuilt(nv.ClassBlend, learner.parameters | {"classes": many}, state)
    counts = state["counts"].copy()
    counts[2] = many
    with pytest.raises(ValueError, match="saved state"):
        nv.ClassBlendHypothesis(learner.core.state() | {"counts": counts})
