"""Blend(members=[…]) mixes anything that gives probabilities, and never loses much more."""

import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from mixture_members import Frequency, River, blend_of, mixture_data
from novikoff.learners import Learner
from program_page import program_page

Chance = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 5e-324, 1e-20]), st.floats(0, 1))


class Scripted:
    """Says what it is told to say, one probability a round."""

    def __init__(self, chances: list[Any]) -> None:
        self.chances, self.learned = chances, 0

    def probability(self, x: object) -> Any:
        return self.chances[self.learned]

    def update(self, x: object, y: int) -> None:
        self.learned += 1


def _library() -> list[Learner]:
    return [nv.CoinBetting(bias=1.0), nv.BaseRate(), nv.AdaptiveGradient(2.0), nv.OnlineNewton()]


@given(
    rounds=st.lists(
        st.tuples(st.tuples(Chance, Chance, Chance), st.booleans()), min_size=1, max_size=40
    )
)
def test_it_never_loses_more_than_the_best_member_and_the_price(
    rounds: list[tuple[tuple[float, ...], bool]],
) -> None:
    """loss ≤ min_k loss_k + ln K + ln T, whatever the members say; exact but for rounding."""
    columns = [list(column) for column in zip(*[chances for chances, _ in rounds], strict=True)]
    blend = blend_of([Scripted(column) for column in columns])
    run = nv.Run(blend, labels=(-1, 1))
    for _, up in rounds:
        run.learn((1.0,), 1 if up else -1)
    certain = 1 / (1 + math.exp(30))
    best = math.inf
    for name, column in zip(blend.losses, columns, strict=True):
        clipped = [min(max(p, certain), 1 - certain) for p in column]
        chances = [p if up else 1 - p for p, (_, up) in zip(clipped, rounds, strict=True)]
        loss = -sum(map(math.log, chances))
        assert blend.losses[name] == pytest.approx(loss, rel=1e-9, abs=1e-12)
        best = min(best, loss)
    allowed = best + math.log(3) + math.log(len(rounds))
    assert blend.allowed == pytest.approx(allowed, rel=1e-9)
    assert run.ledger.loss <= allowed + 1e-9


def test_the_member_that_is_always_right_soon_has_all_the_weight() -> None:
    """One member knows every label, the other nothing: the price is paid in the first rounds."""
    blend = blend_of([Scripted([1.0] * 50), Scripted([0.5] * 50)])
    run = nv.Run(blend, labels=(-1, 1))
    run.learn((1.0,), 1)
    assert run.ledger.loss == pytest.approx(-math.log(0.75))
    for _ in range(49):
        run.learn((1.0,), 1)
    assert run.ledger.loss < math.log(2) + math.log(50)
    assert blend.weights["Scripted 1"] > 0.95


class Twin:
    """The mixture as its formulas say, over members of docs/programs.md."""

    def __init__(self, members: list[Any]) -> None:
        self.members, self.t = members, 0
        self.weights = [1 / len(members)] * len(members)
        self.mean = list(self.weights)

    def learn(self, x: dict[int, float], y: int) -> tuple[float, float]:
        page = program_page()
        scores = [member.score(x) for member in self.members]
        chances = [page.chances(s)[0] for s in scores]
        up = down = 0.0
        for w, p in zip(self.weights, chances, strict=True):
            up, down = up + w * p, down + w * (1 - p)
        for k, w in enumerate(self.weights):
            self.mean[k] = self.mean[k] + (w - self.mean[k]) * (2 / (self.t + 2))
        found = [w * (p if y > 0 else 1 - p) for w, p in zip(self.weights, chances, strict=True)]
        share, total = 1 / (self.t + 2), 0.0
        for w in found:
            total += w
        self.weights = [(1 - share) * (w / total) + share / len(found) for w in found]
        for member, s in zip(self.members, scores, strict=True):
            member.step(x, s, y)
        self.t += 1
        return up / (up + down), page.log1p(down / up if y > 0 else up / down)


def _twin() -> Twin:
    page = program_page()
    return Twin([page.CoinBetting(), page.BaseRate(1.0), page.AdaptiveGradient(2.0)])


def test_it_has_the_bits_of_its_formulas() -> None:
    X, y = mixture_data()
    blend, twin = blend_of([nv.CoinBetting(), nv.BaseRate(), nv.AdaptiveGradient(2.0)]), _twin()
    run, total, rest = nv.Run(blend), 0.0, 0.0
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        before = run.probability(x) if t else 0.5
        p, loss = twin.learn(dict(enumerate(x.tolist())), label)
        assert before == p
        assert run.learn(x, label) == (1 if p >= 0.5 else -1)
        total, rest = program_page().added(total, rest, loss)
    assert run.ledger.loss == total + rest
    assert [*blend.weights.values()] == twin.weights
    h = run.hypothesis()
    assert isinstance(h, nv.MixtureHypothesis)
    assert h.weights.tolist() == twin.mean
    expected = [
        sum(w * program_page().chances(m.score(dict(enumerate(x.tolist()))))[0]
            for w, m in zip(twin.mean, twin.members, strict=True))
        for x in X
    ]  # fmt: skip
    assert h.probabilities(X) == pytest.approx(expected, rel=1e-12)


FORMS: dict[str, Callable[[Any], Any]] = {
    "csr": sp.csr_array,
    "float32": lambda X: X.astype(np.float32).astype(np.float64),
    "dicts": lambda X: [{f"f{j}": float(v) for j, v in enumerate(x)} for x in X],
}


@pytest.mark.parametrize("form", FORMS)
def test_blocks_are_the_same_as_rows(form: str) -> None:
    X, y = mixture_data()
    blend, single = blend_of([*_library(), Frequency()]), blend_of([*_library(), Frequency()])
    given_rows = FORMS[form](X)
    run = nv.play(blend, nv.stream(given_rows, y))
    other = nv.Run(single)
    for t, label in enumerate(y.tolist()):
        row = given_rows[[t]] if form == "csr" else given_rows[t]
        pair = (row.indices, row.data) if form == "csr" else row
        other.learn(pair, label)
    assert blend.weights == single.weights
    assert run.ledger.loss == other.ledger.loss
    assert run.ledger.mistake_rounds.tolist() == other.ledger.mistake_rounds.tolist()
    assert run.ledger.mean_loss == run.ledger.loss / len(y)
    assert {*blend.weights} == {
        "CoinBetting", "BaseRate", "AdaptiveGradient", "OnlineNewton", "Frequency"
    }  # fmt: skip


def test_a_file_is_played_with_the_users_labels(tmp_path: Path) -> None:
    path = tmp_path / "mail.csv"
    path.write_text("words,links,label\n" + "3,0,ham\n1,9,spam\n" * 30)
    run = nv.play(blend_of([nv.CoinBetting(bias=1.0), Frequency()]), nv.read(path, positive="spam"))
    assert run.ledger.rounds == 60
    assert run.mistakes < 10
    assert run.predict_one((1.0, 9.0)) == "spam"
    assert run.probability((1.0, 9.0)) > 0.9


def test_a_resumed_run_is_the_same_as_an_uninterrupted_one(tmp_path: Path) -> None:
    X, y = mixture_data()
    whole = nv.play(blend_of(_library()), nv.stream(X, y))
    half = nv.play(blend_of(_library()), nv.stream(X[:30], y[:30]))
    half.save(tmp_path / "run")
    for run in (nv.Run.load(tmp_path / "run"), pickle.loads(pickle.dumps(half))):
        run.play(nv.stream(X[30:], y[30:]))
        assert isinstance(run.learner, nv.Mixture)
        assert run.learner.weights == whole.learner.weights
        assert run.ledger.loss == whole.ledger.loss
        assert run.learner.allowed == whole.learner.allowed
    half.learner.save(tmp_path / "learner")
    learner = nv.Learner.load(tmp_path / "learner")
    assert learner.parameters == half.learner.parameters
    assert learner.fresh().rounds == 0
    h = whole.hypothesis()
    h.save(tmp_path / "h")
    assert np.array_equal(nv.Hypothesis.load(tmp_path / "h").scores(X), h.scores(X))
    assert [h(x) for x in X] == h.predict(X).tolist()


def test_a_hypothesis_speaks_the_users_labels() -> None:
    X, y = mixture_data()
    names = np.where(y > 0, "spam", "ham")
    run = nv.play(blend_of(_library()), nv.stream(X, names, positive="spam"))
    h = run.hypothesis()
    assert isinstance(h, nv.MixtureHypothesis)
    assert h.labels == ("ham", "spam")
    likely = h.probabilities(X) >= 0.5
    assert h.predict(X).tolist() == np.where(likely, "spam", "ham").tolist()
    assert h.scores(X) == pytest.approx(np.log(h.probabilities(X) / (1 - h.probabilities(X))))


def test_members_that_are_not_ours_cannot_be_saved_or_frozen(tmp_path: Path) -> None:
    run = nv.play(blend_of([nv.CoinBetting(), Frequency()]), nv.stream(*mixture_data()))
    for attempt in (lambda: run.save(tmp_path / "run"), run.learner.fresh):
        with pytest.raises(nv.InputError, match="save: expected members that are learners of"):
            attempt()
    with pytest.raises(nv.InputError, match="hypothesis: expected members whose hypotheses give"):
        run.hypothesis()
    assert not (tmp_path / "run").exists()


def test_models_of_river_are_members() -> None:
    from river import linear_model

    X, y = mixture_data()
    rows = [{f"f{j}": float(v) for j, v in enumerate(x)} for x in X * [1.0, 0.01, 100.0, 1.0]]
    blend = blend_of([linear_model.LogisticRegression(), River(), nv.CoinBetting(bias=1.0)])
    run = nv.play(blend, nv.stream(rows, y))
    assert [*blend.weights] == ["LogisticRegression", "River", "CoinBetting"]
    assert run.ledger.loss <= blend.allowed
    model: Any = linear_model.LogisticRegression()
    loss = 0.0
    for x, label in zip(rows, (y > 0).tolist(), strict=True):
        p = model.predict_proba_one(x)[True]
        loss -= math.log(p if label else 1 - p)
        model.learn_one(x, label)
    assert blend.losses["LogisticRegression"] == pytest.approx(loss, rel=1e-6)


NO_MEMBERS: dict[str, Callable[[], object]] = {
    "none": list,
    "a name": lambda: "CoinBetting",
    "a number": lambda: 3,
    "no probabilities": lambda: [nv.Perceptron()],
    "a class": lambda: [nv.CoinBetting],
    "an object": lambda: [object()],
    "many classes": lambda: [nv.MulticlassPerceptron()],
    "one of two": lambda: [Frequency(), 3],
}


@pytest.mark.parametrize("case", NO_MEMBERS)
def test_what_gives_no_probability_is_no_member(case: str) -> None:
    members: Any = NO_MEMBERS[case]()
    with pytest.raises(nv.ParameterError, match="members"):
        nv.Blend(members=members)


def test_members_come_once_and_alone() -> None:
    one = nv.CoinBetting()
    with pytest.raises(nv.ParameterError, match="each once"):
        nv.Blend(members=[one, one])
    with pytest.raises(nv.ParameterError, match="members: expected no other argument beside them"):
        nv.Blend(members=[one], bias=None)
    assert isinstance(nv.Blend(), nv.Learner)
    assert not isinstance(nv.Blend(), nv.Mixture)


def test_a_blend_of_members_has_no_certificate_and_takes_no_weights() -> None:
    X, y = mixture_data()
    run = nv.play(blend_of(_library()), nv.stream(X, y))
    with pytest.raises(nv.HypothesisError, match="got Mixture"):
        nv.certify(run)
    with pytest.raises(nv.InputError, match="weights: expected none, got some: a blend of"):
        run.learn(X[0], 1, 2.0)
    assert run.ledger.rounds == len(y)


def test_a_threshold_decides_with_the_probability_before_the_round() -> None:
    X, y = mixture_data()
    run, plain = nv.Run(blend_of(_library()), threshold=0.8), nv.Run(blend_of(_library()))
    errors = 0
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        chance = plain.probability(x) if t else 0.5
        errors += (chance >= 0.8) != (label > 0)
        plain.learn(x, label)
    run.play(nv.stream(X, y))
    assert run.ledger.decided_errors == errors
    assert run.mistakes == plain.mistakes


def test_a_refused_row_changes_nothing() -> None:
    X, y = mixture_data()
    blend = blend_of(_library())
    run = nv.play(blend, nv.stream(X[:30], y[:30]))
    before = blend.state()
    bad = X[30].copy()
    bad[2] = math.nan
    for x in (bad, X[30][:2], {"word": 1.0}, (np.array([1, 99]), np.array([1.0, 1.0]))):
        for attempt in (lambda x=x: run.learn(x, 1), lambda x=x: run.probability(x)):
            with pytest.raises(nv.InputError, match=r"expected .+, got .+\. .+"):
                attempt()
    with pytest.raises(nv.InputError, match="round 31: expected a finite value for feature 2"):
        run.play(nv.stream(np.array([bad]), [1]))
    after = blend.state()
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("weights", [1.0, 0.0, 0.0, 0.0]),
        ("weights", [0.5, 0.5, 0.5, 0.5]),
        ("weights", [0.5, 0.5]),
        ("mean_weights", [math.nan, 0.5, 0.25, 0.25]),
        ("losses", [-1.0, 0.0, 0.0, 0.0]),
        ("counts", [-1]),
    ],
)
def test_a_state_that_no_run_leaves_is_refused(name: str, values: list[float]) -> None:
    blend = blend_of(_library())
    state = blend.state()
    with pytest.raises(ValueError, match=r"members|add up to 1|number of rounds"):
        blend.restore(state | {name: np.array(values, state[name].dtype)})
