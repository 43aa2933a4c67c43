"""If a member of a mixture fails, no other member learns the round."""

import copy
import math
import threading
from collections.abc import Callable
from typing import Any

import pytest

import novikoff as nv
from mixture_members import Frequency, River, blend_of, mixture_data


class Faulty(Frequency):
    """Fails from some round on."""

    def __init__(self, answer: Any = 0.5, fails: bool = False, after: int = 3) -> None:
        super().__init__()
        self.answer, self.fails, self.after = answer, fails, after

    def probability(self, x: object) -> Any:
        if sum(self.counts.values()) - 2 < self.after:
            return 0.5
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def update(self, x: object, y: int) -> None:
        if self.fails and sum(self.counts.values()) - 2 >= self.after:
            raise RuntimeError("out of order")
        super().update(x, y)


@pytest.mark.parametrize("answer", [math.nan, -0.1, 1.1, math.inf, None, "likely", 1j, True])
def test_what_is_not_a_probability_is_refused_by_name(answer: Any) -> None:
    X, y = mixture_data()
    members = [nv.CoinBetting(), Frequency(), Faulty(answer)]
    run = nv.Run(blend_of(members))
    expected = r"members\[2\]: expected a probability from 0 to 1, got "
    if answer is True:  # 1, which is clipped
        run.play(nv.stream(X, y))
        return
    with pytest.raises(nv.InputError, match=expected):
        run.play(nv.stream(X, y))
    _assert_three_rounds(run, X, y)


def test_a_member_that_raises_changes_nothing_and_is_named() -> None:
    X, y = mixture_data()
    for faulty in (Faulty(RuntimeError("lost")), Faulty(fails=True)):
        run = nv.Run(blend_of([nv.CoinBetting(), Frequency(), faulty]))
        with pytest.raises(RuntimeError) as raised:
            run.play(nv.stream(X, y))
        assert any("members[2]" in note for note in raised.value.__notes__)
        _assert_three_rounds(run, X, y)


def _assert_three_rounds(run: Any, X: Any, y: Any) -> None:
    """The run is one of three rounds, in its weights and in every member."""
    blend = run.learner
    assert run.ledger.rounds == blend.rounds == 3
    assert sum(blend.members[1].counts.values()) == 5
    alone = nv.play(nv.CoinBetting(), nv.stream(X[:3], y[:3]))
    assert blend.members[0].score(X[3]) == alone.learner.score(X[3])
    again = blend_of([nv.CoinBetting(), Frequency(), Faulty()])
    nv.play(again, nv.stream(X[:3], y[:3]))
    assert blend.weights == again.weights


def test_if_one_of_ours_refuses_a_round_nobody_learns_it() -> None:
    """OnlineNewton has no room: the others have not seen the round either."""
    blend = blend_of([Frequency(), nv.CoinBetting(), nv.OnlineNewton(), nv.OnlineNewton(bias=1.0)])
    run = nv.Run(blend)
    run.learn({f"f{j}": 1.0 for j in range(128)}, 1)
    before = [copy.deepcopy(member) for member in blend.members]
    with pytest.raises(nv.InputError, match="at most 129 features"):
        run.learn({f"f{j}": 1.0 for j in range(129)}, -1)  # one of them has a constant feature
    assert run.ledger.rounds == blend.rounds == 1
    x = {f"f{j}": 1.0 for j in range(128)}
    assert [m.probability(x) for m in before] == [m.probability(x) for m in blend.members]
    run.learn(x, -1)
    assert run.ledger.rounds == 2


class Breaking(Frequency):
    """Breaks in one round, after it has changed itself, and learns all others."""

    def __init__(self, after: int = 3, error: BaseException | None = None) -> None:
        super().__init__()
        self.after, self.error = after, error or RuntimeError("out of order")
        self.entered = 0

    def update(self, x: object, y: int) -> None:
        self.entered += 1
        if self.entered == self.after + 1:
            raise self.error
        super().update(x, y)


class Locked(Frequency):
    """Cannot be copied."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


class Slotted:
    """Keeps its state in slots, and one of them is empty at first."""

    __slots__ = ("__dict__", "last", "total")

    def __init__(self) -> None:
        self.total = 0

    def probability(self, x: object) -> float:
        return 0.5

    def update(self, x: object, y: int) -> None:
        self.total += y
        self.last = y
        self.more = [y]


class OwnLearner(nv.CoinBetting):
    """A learner of the user's that inherits from ours and raises."""

    def update(self, x: object, y: int, /, weight: float = 1.0) -> None:
        if self.rounds == 3:
            raise RuntimeError("out of order")
        super().update(x, y, weight)


def _inner(members: list[Any]) -> Any:
    return nv.Blend(members=members)


BROKEN: dict[str, Callable[[], list[Any]]] = {
    "nested": lambda: [nv.CoinBetting(bias=1.0), _inner([nv.Arow(), Breaking()])],
    "nested first": lambda: [_inner([nv.Arow(), Frequency()]), Frequency(), Breaking()],
    "nested twice": lambda: [
        _inner([nv.OnlineNewton(), Frequency()]),
        nv.BaseRate(),
        _inner([nv.Arow(), _inner([Frequency(), Breaking()])]),
    ],
    "with Newton": lambda: [Breaking(), nv.OnlineNewton(), nv.CoinBetting()],
    "Ctrl-C": lambda: [nv.Arow(), Frequency(), Breaking(error=KeyboardInterrupt())],
    "own learner": lambda: [nv.CoinBetting(), nv.Arow(), OwnLearner()],
    "own learner first": lambda: [OwnLearner(), nv.Arow(), Frequency()],
    "one without a copy": lambda: [Locked(), Breaking(), nv.Arow()],
    "river": lambda: [River(), Breaking(), nv.Arow()],
}


def _said(blend: Any, X: Any) -> list[Any]:
    """All that a blend and its members say, however deep."""
    found = [[member.probability(x) for x in X] for member in blend.members]
    inner = [_said(m, X) for m in blend.members if isinstance(m, nv.Mixture)]
    return [found, blend.weights, blend.losses, blend.rounds, inner]


@pytest.mark.parametrize("case", BROKEN)
def test_a_round_that_breaks_is_undone_however_deep(case: str) -> None:
    X, y = mixture_data()
    run, again = nv.Run(blend_of(BROKEN[case]())), nv.Run(blend_of(BROKEN[case]()))
    again.play(nv.stream(X[:3], y[:3]))
    with pytest.raises((RuntimeError, KeyboardInterrupt)) as raised:
        run.play(nv.stream(X, y))
    assert any("No other member has learned the round." in n for n in raised.value.__notes__)
    assert run.ledger.rounds == 3
    assert _said(run.learner, X) == _said(again.learner, X)
    if case not in {"own learner", "own learner first"}:  # which would raise again
        run.learn(X[3], int(y[3]))
        assert run.ledger.rounds == 4


def test_a_nested_newton_without_room_changes_nothing() -> None:
    members = [nv.CoinBetting(bias=1.0), Frequency(), _inner([nv.Arow(), nv.OnlineNewton()])]
    run = nv.Run(blend_of(members))
    small = {f"f{j}": 1.0 for j in range(129)}
    run.learn(small, 1)
    before = _said(run.learner, [small])
    with pytest.raises(nv.InputError, match="at most 129 features"):
        run.learn({f"f{j}": 1.0 for j in range(130)}, -1)
    assert _said(run.learner, [small]) == before
    run.learn(small, -1)
    assert run.ledger.rounds == 2


def test_an_interrupt_in_a_blend_without_a_run_is_undone() -> None:
    first, broken = Frequency(), Breaking(0, KeyboardInterrupt())
    blend = blend_of([first, nv.CoinBetting(), broken])
    with pytest.raises(KeyboardInterrupt):
        blend.update((1.0,), 1)
    assert blend.rounds == 0
    assert first.counts == {-1: 1, 1: 1}
    assert blend.dimension == 0


def test_members_stay_the_users_objects_and_the_one_that_raises_keeps_its_changes() -> None:
    first, slotted, model, broken = Frequency(), Slotted(), River(), Breaking(after=0)
    itself: Any = first
    itself.itself = first
    blend = blend_of([first, slotted, model, broken])
    with pytest.raises(RuntimeError):
        blend.update((1.0,), 1)
    assert blend.members[0] is first
    assert blend.members[1] is slotted
    assert itself.itself is first
    assert first.counts == {-1: 1, 1: 1}
    assert slotted.total == 0
    assert not hasattr(slotted, "last")
    assert not hasattr(slotted, "more")
    assert model.counts == {}
    assert broken.entered == 1
    blend.update((1.0,), 1)
    assert (first.counts[1], slotted.total, model.counts) == (2, 1, {True: 1})


def test_members_that_cannot_be_copied_play_and_are_named_if_they_keep_a_round() -> None:
    X, y = mixture_data()
    blend = blend_of([Locked(), Frequency(), Locked()])
    assert nv.play(blend, nv.stream(X, y)).ledger.rounds == len(y)
    broken: Any = Breaking(after=0)
    broken.lock = threading.Lock()
    members = [Frequency(), Locked(), broken]
    with pytest.raises(RuntimeError) as raised:
        blend_of(members).update((1.0,), 1)
    [note] = raised.value.__notes__
    assert note.startswith("members[2]")
    assert "raised this. members[1] learned the round before and cannot be put back" in note
    assert [sum(member.counts.values()) for member in members] == [2, 3, 2]


class Uncopied(Frequency):
    """Counts how often it is copied."""

    copies = 0

    def __getstate__(self) -> object:
        type(self).copies += 1
        return vars(self)


class Certain(Uncopied):
    """Says that it never raises."""

    copies = 0
    refuses = False


def test_one_own_member_or_one_that_never_raises_is_not_copied() -> None:
    X, y = mixture_data(20)
    nv.play(blend_of([Uncopied(), nv.OnlineNewton(), nv.Arow()]), nv.stream(X, y))
    assert Uncopied.copies == 0
    nv.play(blend_of([Certain(), Certain(), Uncopied()]), nv.stream(X, y))
    assert Certain.copies == Uncopied.copies == 0
    nv.play(blend_of([Uncopied(), Uncopied()]), nv.stream(X, y))
    assert Uncopied.copies == 20  # the second one learns last
