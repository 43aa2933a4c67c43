"""A run that was saved numbers names, known ones and new ones, as if it had never been."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import novikoff as nv
from cases import CASES
from novikoff import _core
from novikoff.learners.feature_learner import known_features_of

ROWS = [({"a": 1.0}, 0), ({"b": 1.0, "a": 1.0}, 1), ({"a": 2.0, "c": 1.0}, 0), ({"z": 3.0}, 1)]
MORE = [({"b": 1.0, "c": 2.0}, 1), ({"new": 1.0, "a": 1.0}, 0), ({"later": 1.0, "new": 1.0}, 1)]
WORDS = [(["a", "cat"], ["D", "N"]), (["a", "dog", "barks"], ["D", "N", "V"])]
MORE_WORDS = [(["the", "cat"], ["D", "N"]), (["dog", "runs"], ["N", "V"])]


class OwnPerceptron(nv.Perceptron):
    """Played row by row, because it has an update of its own."""

    def update(self, x: object, y: int, /, weight: float = 1.0) -> None:
        super().update(x, y, weight)


def frozen() -> Any:
    parts = (ROWS, ROWS[::-1])
    return nv.FrozenMixture([nv.play(nv.Blend(), rows).hypothesis() for rows in parts])


def frozen_classes() -> Any:
    rows = [(x, k % 3) for k, (x, _) in enumerate(ROWS)]
    parts = (rows, rows[::-1])
    return nv.FrozenClassMixture(
        [nv.play(nv.Blend(), part, labels=[0, 1, 2]).hypothesis() for part in parts]
    )


def hashed(kind: Any) -> Any:
    return kind(hashing=nv.Hashing(8))


def members(*found: Any) -> Any:
    return nv.Blend(members=[*found])


CROSS = [nv.Cross("a", "b")]
MIXTURES: dict[str, Callable[[], Any]] = {
    "members": lambda: members(nv.AdaptiveGradient(1.0), nv.BaseRate()),
    "nested": lambda: members(members(nv.CoinBetting(), nv.BaseRate()), nv.BaseRate()),
    "blend-member": lambda: members(nv.Blend(), nv.BaseRate()),
    "transformed-members": lambda: members(
        nv.AdaptiveGradient(1.0, transforms=CROSS), nv.CoinBetting(transforms=[nv.Scale()])
    ),
    "hashed-members": lambda: members(hashed(nv.CoinBetting), nv.BaseRate()),
    "all-hashed-members": lambda: members(hashed(nv.CoinBetting)),
    "frozen": frozen,
    "frozen-classes": frozen_classes,
}
OTHERS: dict[str, Callable[[], Any]] = {
    "cross": lambda: nv.Perceptron(transforms=CROSS),
    "cross-classes": lambda: nv.MulticlassPerceptron(transforms=CROSS),
    "hashed": lambda: hashed(nv.Perceptron),
    "own": OwnPerceptron,
    "own-hashed": lambda: hashed(OwnPerceptron),
}
NAMED: dict[str, Callable[[], Any]] = {
    "ForwardRegression": nv.ForwardRegression,
    **{
        case.name: case.make
        for case in CASES
        if not (case.floats or case.name.startswith("mixed-classes"))  # know features or all labels
    },
    **MIXTURES,
    **OTHERS,
}


def run_of(make: Callable[[], Any]) -> Any:
    learner = make()
    classes = range(learner.classes or 2) if learner.multiclass else ()
    return nv.Run(learner, labels=[*classes], digest=True)


def facts(run: Any, asked: list[Any]) -> Any:
    """What a run says of itself, besides its predictions."""
    known, features = known_features_of(run.learner), getattr(run.learner, "features", None)
    state = {name: array.tobytes() for name, array in run.learner.state().items()}
    return (
        run.ledger.digest,
        None if known is None else len(known),
        len(features) if isinstance(features, _core.Features) else None,
        [run.predict_one(x) for x, _ in asked],
        state,
    )


def read_again(run: Any, path: Path) -> Any:
    run.save(path)
    return nv.Run.load(path)


def check_alike(run: Any, again: Any, more: list[Any]) -> None:
    assert facts(again, more) == facts(run, more)
    for x, y in more:
        assert again.learn(x, y) == run.learn(x, y)
        assert facts(again, more) == facts(run, more)


@pytest.mark.parametrize("name", NAMED)
def test_names_are_read_back(name: str, tmp_path: Path) -> None:
    run = run_of(NAMED[name])
    for x, y in ROWS:
        run.learn(x, y)
    check_alike(run, read_again(run, tmp_path / "m"), MORE)


def test_the_names_of_sentences_are_read_back(tmp_path: Path) -> None:
    run: Any = nv.Run(nv.StructuredPerceptron(nv.Chains("chunking")), digest=True)
    rows, more = (
        [([(word, "X") for word in words], tags) for words, tags in part]
        for part in (WORDS, MORE_WORDS)
    )
    for x, y in rows:
        run.learn(x, y)
    check_alike(run, read_again(run, tmp_path / "m"), more)


@pytest.mark.parametrize("name", ["members", "nested", "blend-member", "hashed-members"])
def test_a_file_without_names_of_its_own_has_those_of_its_members(name: str) -> None:
    """So were mixtures saved before."""
    run = run_of(MIXTURES[name])
    for x, y in ROWS:
        run.learn(x, y)
    about, arrays = run.contents()
    old = {key: array for key, array in arrays.items() if key not in ("names", "name_ends")}
    assert len(old) < len(arrays)
    check_alike(run, nv.Run.from_contents(about, old), MORE)


@pytest.mark.parametrize("name", ["names", "name_ends"])
def test_half_of_the_names_is_refused(name: str) -> None:
    run = run_of(MIXTURES["members"])
    run.learn(*ROWS[0])
    about, arrays = run.contents()
    with pytest.raises((KeyError, ValueError)):
        nv.Run.from_contents(about, {key: a for key, a in arrays.items() if key != name})


@pytest.mark.parametrize("name", MIXTURES)
def test_a_refused_row_leaves_no_names(name: str, tmp_path: Path) -> None:
    run, other = run_of(MIXTURES[name]), run_of(MIXTURES[name])
    for x, y in ROWS:
        run.learn(x, y)
        other.learn(x, y)
        with pytest.raises(nv.InputError):
            run.learn({"refused": 1.0, "a": float("nan")}, y)
    check_alike(run, other, MORE)


class Picky:
    """A member that refuses some rows only when it should learn them."""

    def probability(self, x: object) -> float:
        return 0.5

    def update(self, x: Any, y: int) -> None:
        if "odd" in x:
            raise ValueError("odd")


def test_a_row_that_a_member_refuses_leaves_no_names() -> None:
    run: Any = nv.Run(nv.Blend(members=[nv.BaseRate(), Picky()]), digest=True)
    for x, y in ROWS:
        with pytest.raises(ValueError, match="odd"):
            run.learn({"odd": 1.0}, y)
        run.learn(x, y)
    other: Any = nv.Run(nv.Blend(members=[nv.BaseRate(), Picky()]), digest=True)
    for x, y in ROWS:
        other.learn(x, y)
    assert run.ledger.digest == other.ledger.digest
    assert len(run.learner.features) == len(other.learner.features) == 4
