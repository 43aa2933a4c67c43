"""The error alarm: it raises when it should, hardly ever when it should not, and bets fairly."""

from fractions import Fraction
from math import comb, exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff.errors import ParameterError
from novikoff.receipts.error_alarm import ErrorAlarm
from novikoff.receipts.error_bounds import mixture_bound


def _alarms(mistakes: "np.ndarray[tuple[int], np.dtype[np.bool_]]", **options: float) -> list[int]:
    alarm = ErrorAlarm(**options)  # type: ignore[arg-type]
    for mistake in mistakes.tolist():
        alarm.observe(mistake)
    assert alarm.rounds == len(mistakes)
    return alarm.alarms


def _twin(mistakes: list[bool], window: int, delta: float) -> list[int]:
    """The alarms as the docstring says them, one product per bet and round."""
    alarms: list[int] = []
    begin = 0
    while True:
        stretch = len(alarms) + 1
        share = delta / (stretch * (stretch + 1))
        found = _first_alarm(mistakes[begin:], window, share)
        if found is None:
            return alarms
        begin += found
        alarms.append(begin)


def _first_alarm(mistakes: list[bool], window: int, share: float) -> int | None:
    for start in range(window, len(mistakes), window):
        k = start // window
        q = mixture_bound(sum(mistakes[:start]), start, share / 2)
        if q >= 1:
            continue
        wealth = dict.fromkeys(range(1, 9), 1.0)
        for t, mistake in enumerate(mistakes[start : start + window], start + 1):
            for j in wealth:
                r = q + (1 - q) / 2**j
                wealth[j] *= r / q if mistake else (1 - r) / (1 - q)
            if mistake and sum(wealth.values()) / 8 >= 2 * k * (k + 1) / share * (1 + 1e-8):
                return t
    return None


@given(st.integers(0, 2**32 - 1), st.integers(20, 60), st.sampled_from([0.5, 0.05]))
def test_alarms_are_those_of_the_definition(seed: int, window: int, delta: float) -> None:
    rng = np.random.default_rng(seed)
    rates = np.repeat(rng.random(4) ** 2, 100)
    mistakes = rng.random(400) < rates
    assert _alarms(mistakes, window=window, delta=delta) == _twin(mistakes.tolist(), window, delta)


@given(st.fractions(0, 1), st.fractions(0, 1), st.fractions(0, 1))
def test_no_bet_gains_if_mistakes_are_no_likelier_than_the_past_allows(
    q: Fraction, bet: Fraction, share: Fraction
) -> None:
    if not 0 < q < 1:
        return
    mu, r = q * share, q + (1 - q) * bet
    assert mu * r / q + (1 - mu) * (1 - r) / (1 - q) <= 1


def test_false_alarms_are_as_rare_as_promised() -> None:
    """400 runs of a constant error: more alarms than the limit have a probability below 1e-9."""
    rng, delta, runs = np.random.default_rng(7), 0.1, 400
    false = sum(
        bool(_alarms(rng.random(1000) < rate, window=50, delta=delta))
        for rate in np.linspace(0.01, 0.4, runs)
    )
    limit = next(c for c in range(runs) if _tail(runs, delta, c) < 1e-9)
    assert false <= limit


def _tail(n: int, p: float, above: int) -> float:
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(above + 1, n + 1))


def test_a_learner_that_gets_better_raises_no_alarm() -> None:
    rng = np.random.default_rng(3)
    assert _alarms(rng.random(20_000) < 1 / np.sqrt(np.arange(1, 20_001)), window=500) == []


def test_errors_that_rise_are_found_and_the_past_begins_anew() -> None:
    rng = np.random.default_rng(5)
    rates = np.repeat([0.02, 0.15, 0.5], 5000)
    alarms = _alarms(rng.random(15_000) < rates, window=500)
    assert len(alarms) == 2
    assert 5000 < alarms[0] <= 5500
    assert 10_000 < alarms[1] <= 10_500


def test_surprise_is_the_logarithm_of_the_wealth() -> None:
    alarm = ErrorAlarm(window=100)
    assert alarm.surprise == 0
    for t in range(100):
        alarm.observe(t == 0)
    q = mixture_bound(1, 100, 0.01 / 2 / 2)
    alarm.observe(True)
    alarm.observe_right(3)
    bets = [q + (1 - q) / 2**j for j in range(1, 9)]
    wealth = sum(r / q * ((1 - r) / (1 - q)) ** 3 for r in bets) / 8
    assert exp(alarm.surprise) == pytest.approx(wealth, rel=1e-12)
    assert alarm.surprise == pytest.approx(log(wealth), rel=1e-12)


def test_a_ledger_gives_the_alarms_of_its_rounds() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = np.where(X @ [3.0, 1, -1, 2, 0] > 0, 1, -1)
    y[2000:] *= np.where(rng.random(1000) < 0.4, -1, 1)  # labels turn noisy
    run = nv.play(nv.Perceptron(), nv.stream(X, y))
    mistakes = np.zeros(3000, bool)
    mistakes[np.asarray(run.ledger.mistake_rounds) - 1] = True
    found = nv.error_alarm(run.ledger, window=250)
    assert found.alarms == _alarms(mistakes, window=250)
    assert len(found.alarms) == 1
    assert 2000 < found.alarms[0] < 2600
    assert found.rounds == 3000


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 7, 60]))
def test_an_alarm_goes_on_from_its_state_and_counts_rounds_in_any_portions(
    seed: int, window: int
) -> None:
    """Whether right rounds come one by one, and where it was saved, changes no bit."""
    rng = np.random.default_rng(seed)
    mistakes = (rng.random(400) < np.repeat(rng.random(4) ** 2, 100)).tolist()
    plain, other, right = ErrorAlarm(window, 0.5), ErrorAlarm(window, 0.5), 0
    for mistake in mistakes:
        plain.observe(mistake)
        right += not mistake
        if mistake or rng.random() < 0.1:
            other.observe_right(right)
            right = 0
            if mistake:
                other.observe(True)
            other = ErrorAlarm.restored(window, 0.5, other.state)
            assert (other.state, other.surprise) == (plain.state, plain.surprise)
            assert (other.allowed, other.settling) == (plain.allowed, plain.settling)
    other.observe_right(right)
    assert other.state == plain.state


@pytest.mark.parametrize(("options"), [{"window": 0}, {"window": 2.5}, {"delta": 0}, {"delta": 1}])
def test_bad_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        ErrorAlarm(**options)  # type: ignore[arg-type]
