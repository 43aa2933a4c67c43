"""The error alarm: when a run errs more often than its own past allows, and how sure that is."""

from collections.abc import Iterable, Iterator
from math import exp, inf, log, log1p
from typing import NamedTuple, Self

from novikoff.errors import parameter
from novikoff.playing.ledger import Ledger
from novikoff.playing.run import Run
from novikoff.receipts.counted_rounds import ledger_of
from novikoff.receipts.error_bounds import checked_share, mixture_bound

_BETS = [2.0**-j for j in range(1, 9)]  # how far above q a bet expects the error, of what is left
_ROUNDING = 1e-9, 1e-14  # and per round of a window: above what floats lose in its logarithms


class AlarmState(NamedTuple):
    """All that an alarm has to remember: whole numbers, from which it goes on to the same bits."""

    rounds: int
    alarms: tuple[int, ...]
    past: int
    """Rounds since the last alarm."""
    mistakes: int
    """Mistakes among them."""
    known: int
    """How many of these were made before the current window."""


class ErrorAlarm:
    """Raises an alarm if a run errs more often than its own past explains.

    The probability that any of its alarms is false is at most δ, however long the run. An alarm is
    false if the run got no worse: if the chance μ_t of a mistake, given the rounds before, was
    never above the mean of the chances before it. (This holds if rounds are drawn alike and the
    learner gets no worse.) The means A_t = (μ_1 + … + μ_t)/t then never rise, so that μ_u ≤ A_s for
    u > s.

    - The past: q = ``mixture_bound(M_s, s, δ/2)`` ≥ A_s for all s at once, with probability
      ≥ 1 − δ/2.
    - A window begins after rounds s = n, 2n, …. A gambler begins each one with W = 1 and bets on
      mistakes: W = (1/8) Σ_r Π (r/q)^m ((1 − r)/(1 − q))^{1 − m}, m = 1 on a mistake and 0
      otherwise, r = q + (1 − q)/2, …, q + (1 − q)/2⁸. If μ ≤ q, a factor has the mean
      1 + (μ − q)(r − q)/(q(1 − q)) ≤ 1, so W ≥ 2k(k + 1)/δ ever in window k has a probability of
      at most δ/2k(k + 1)   (ville1939).

    After an alarm the run's past begins anew, and the i-th stretch of rounds has δ/i(i + 1) for δ.

    >>> alarm = ErrorAlarm(window=200)
    >>> for t in range(2000):
    ...     alarm.observe(t % 50 == 0 if t < 1500 else t % 5 == 0)
    >>> alarm.alarms
    [1686]
    """

    def __init__(self, window: int = 1000, delta: float = 0.01) -> None:
        if not (isinstance(window, int) and window >= 1):
            raise parameter("window", "a whole number of rounds, at least 1", window)
        self.window, self.delta = window, checked_share("delta", delta)
        self.rounds = 0
        self.alarms: list[int] = []
        """The rounds in which an alarm was raised, from 1 on."""
        self._begin()

    @classmethod
    def restored(cls, window: int, delta: float, state: AlarmState) -> Self:
        """Return an alarm that goes on where ``state`` was taken."""
        found = cls(window, delta)
        found.rounds, found.alarms = state.rounds, list(state.alarms)
        found._begin()
        found._past, found._mistakes, found._known = state[2:]
        found._open()
        return found

    @property
    def state(self) -> AlarmState:
        """What there is to remember now."""
        return AlarmState(self.rounds, tuple(self.alarms), self._past, self._mistakes, self._known)

    def _begin(self) -> None:
        """Forget the past."""
        stretch = len(self.alarms) + 1
        self._share = self.delta / (stretch * (stretch + 1))
        self._past = self._mistakes = self._known = 0
        self._open()

    def _open(self) -> None:
        """Fix what the bets of the current window are; nobody bets in the first one."""
        number = self._past // self.window
        self._steps: list[tuple[float, float]] = []
        self._goal, self.allowed = inf, 1.0
        """The most that the past allows for the chance of a mistake: q."""
        if number:
            self._goal = log(2 * number * (number + 1) / self._share)
            self.allowed = mixture_bound(self._known, number * self.window, self._share / 2)
        if self.allowed < 1:
            self._steps = [_step(self.allowed, bet) for bet in _BETS]

    @property
    def here(self) -> tuple[int, int]:
        """How many mistakes were made in the current window, and in how many rounds."""
        return self._mistakes - self._known, self._past % self.window

    @property
    def settling(self) -> bool:
        """Whether the past is shorter than a window, so that no alarm can be raised."""
        return self._past < self.window

    def observe(self, mistake: bool) -> None:
        """Count a round."""
        if mistake:
            self._observe_mistake()
        else:
            self.observe_right(1)

    def observe_right(self, rounds: int) -> None:
        """Count some rounds without a mistake, which raise no alarm."""
        if rounds > 0:
            self._passed(rounds)

    def _observe_mistake(self) -> None:
        wrong, rounds = self.here
        raised = self._exceeds(wrong + 1, rounds - wrong)
        self._mistakes += 1
        self._passed(1)
        if raised:
            self.alarms.append(self.rounds)
            self._begin()

    def _exceeds(self, wrong: int, right: int) -> bool:
        """Say whether W reaches its goal; the mean is never above the largest bet."""
        goal = self._goal + _ROUNDING[0] + _ROUNDING[1] * self.window
        for gain, loss in self._steps:
            if wrong * gain + right * loss > goal:
                return self._logarithm(wrong, right) > goal
        return False

    @property
    def surprise(self) -> float:
        """ln W of the current window: chance alone makes it exceed x with probability ≤ e^−x."""
        wrong, rounds = self.here
        return self._logarithm(wrong, rounds - wrong)

    def _logarithm(self, wrong: int, right: int) -> float:
        """Return ln W after so many mistakes and other rounds of a window, in whatever order."""
        if not self._steps:
            return 0.0
        logs = [wrong * gain + right * loss for gain, loss in self._steps]
        top = max(logs)
        return top + log(sum(exp(one - top) for one in logs) / len(logs))

    def _passed(self, rounds: int) -> None:
        """Count rounds; only the first may be a mistake. Begin the window that they end in.

        Windows that they pass whole need no bets: nobody errs in them.
        """
        before = self._past // self.window
        self.rounds += rounds
        self._past += rounds
        if self._past // self.window > before:
            self._known = self._mistakes
            self._open()


def _step(q: float, bet: float) -> tuple[float, float]:
    """Return ln r/q and ln (1 − r)/(1 − q) for r = q + (1 − q)·bet."""
    return log1p((1 - q) * bet / q), log1p(-bet)


def error_alarm(ledger: Ledger | Run, window: int = 1000, delta: float = 0.01) -> ErrorAlarm:
    """Return the alarms of a run: the rounds in which it erred more than its own past allows.

    ``ledger`` is the run or its ledger. The probability that any of them is false is at most δ (see
    ``ErrorAlarm``).

    >>> import novikoff as nv
    >>> calm = nv.play(nv.Perceptron(), [((1, 0), 1), ((0, 1), -1)] * 500)
    >>> error_alarm(calm, window=100).alarms
    []
    """
    found, ledger = ErrorAlarm(window, delta), ledger_of(ledger)
    for right in _right_between(ledger.mistake_rounds, ledger.rounds):
        found.observe_right(right)
        if found.rounds < ledger.rounds:
            found.observe(True)
    return found


def _right_between(mistakes: Iterable[int], rounds: int) -> Iterator[int]:
    """Return how many rounds without a mistake lie before each mistake, and after the last."""
    before = 0
    for number in mistakes:
        yield int(number) - before - 1
        before = int(number)
    yield rounds - before
