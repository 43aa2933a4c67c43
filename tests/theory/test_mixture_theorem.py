"""`mixture` holds for any members, with and without switching; an oracle in 60 digits of mpmath."""

import math
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff.theory import named
from novikoff.theory.loss_theorems import MOST_ROUNDS, members_rounding

mpf = mpmath.mpf


class Says:
    """A member that says what it was told to, round by round."""

    refuses = False

    def __init__(self, said: list[float]) -> None:
        self.said, self.t = said, 0

    def probability(self, x: object) -> float:
        return self.said[self.t]

    def update(self, x: object, y: int) -> None:
        self.t += 1


chances = st.sampled_from([0.0, 1e-12, 0.1, 0.5, 0.75, 1 - 1e-9, 1.0])
labels = st.lists(st.sampled_from([-1, 1]), min_size=1, max_size=40)


@pytest.mark.shows("holds", "mixture")
@settings(max_examples=80)
@given(st.data(), labels, st.integers(1, 5), st.booleans())
def test_the_loss_is_at_most_that_of_any_member_and_the_price(
    data: Any, y: list[int], members: int, switching: bool
) -> None:
    """The learner's own losses of its members are those of the reals, with clipped chances."""
    said = [[data.draw(chances) for _ in y] for _ in range(members)]
    learner = nv.Blend(members=[Says(one) for one in said], switching=switching)
    run = nv.Run(learner, labels=[-1, 1])
    for label in y:
        run.learn([1.0], label)
    with mpmath.workdps(60):
        losses = [
            -sum(mpmath.log(_given(p, label)) for p, label in zip(one, y, strict=True))
            for one in said
        ]
        price = mpmath.log(members) + (mpmath.log(len(y)) if switching else 0)
        term = members_rounding(len(y), members, float(min(losses)) + 1e-9)
        allowed = min(losses) + price + mpf(term.numerator) / term.denominator
        assert mpf(run.ledger.loss) <= allowed
        exact = mpmath.log(members) - mpmath.log(sum(mpmath.exp(-loss) for loss in losses))
        if not switching:  # an equality in the reals
            assert abs(mpf(run.ledger.loss) - exact) <= mpf(10) ** -9
    (bound,) = nv.bounds(run)
    assert bound.holds
    assert bound.value == pytest.approx(float(min(losses) + price), abs=1e-8)


def _given(p: float, label: int) -> Any:
    """The probability of the label, p being clipped as a score is to ±30, to a float."""
    least = 1 / (1 + math.exp(30))
    clipped = mpf(min(max(p, least), 1 - least))
    return clipped if label > 0 else 1 - clipped


def test_without_switching_a_member_comes_back_from_far_below() -> None:
    """Its weight was 10⁻⁶⁰⁰, which no float holds: Bayes' rule is applied to the losses."""
    first = [0.0] * 50 + [1.0] * 60
    learner = nv.Blend(members=[Says(first), Says([1 - p for p in first])], switching=False)
    run = nv.Run(learner, labels=[-1, 1])
    for _ in range(110):
        run.learn([1.0], 1)
    assert run.ledger.loss == pytest.approx(50 * 30 + math.log(2), abs=1e-6)
    assert learner.weights["Says 1"] > 0.999


def test_a_saved_mixture_goes_on_as_if_never_stopped(tmp_path: Any) -> None:
    def made() -> Any:
        return nv.Blend(members=[nv.CoinBetting(), nv.BaseRate()], switching=False)

    rounds = [((1.0, float(t % 5)), 1 if t % 3 else -1) for t in range(60)]
    whole, half = nv.play(made(), rounds), nv.play(made(), rounds[:30])
    half.save(tmp_path / "half.model")
    again = nv.Run.load(tmp_path / "half.model")
    again.play(rounds[30:])
    assert again.ledger.loss == whole.ledger.loss
    assert again.learner.weights == whole.learner.weights
    assert not again.learner.switching


@pytest.mark.shows("refuses", "mixture")
def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(nv.HypothesisError, match="at most 2\\*\\*40 rounds"):
        members_rounding(MOST_ROUNDS + 1, 2, 1.0)
    sound: dict[str, Any] = {
        "member_loss": 1.0, "members": 2, "rounds": 3, "switching": False, "rounding": 0.0,
    }  # fmt: skip
    assert named("mixture").evaluate(sound).value == pytest.approx(1 + math.log(2))
    shared = named("mixture").evaluate({**sound, "switching": True})
    assert shared.value == pytest.approx(1 + math.log(6))
    for name, value in {"member_loss": -1e-9, "rounding": -1.0, "members": 0, "rounds": 0}.items():
        with pytest.raises(nv.HypothesisError):
            named("mixture").evaluate({**sound, name: value})
    with pytest.raises(nv.ParameterError, match="switching: expected True or False"):
        nv.Blend(members=[nv.BaseRate()], switching=1)  # type: ignore[arg-type]
    with pytest.raises(nv.ParameterError, match="unless members are given"):
        nv.Blend(switching=False)
