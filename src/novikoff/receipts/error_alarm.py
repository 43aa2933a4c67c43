"""The error alarm: when a run errs more often than its own past allows, and how sure that is."""

from collections.abc import Iterable, Iterator
from math import exp, inf, log, log1p

from novikoff.errors import parameter
from novikoff.playing.ledger import Ledger
from novikoff.receipts.error_bounds import checked_share, mixture_bound

_BETS = [2.0**-j for j in range(1, 9)]  # how far above q a bet expects the error, of what is left
_ROUNDING = 1e-9  # far above what floats lose in the logarithms of a window


class ErrorAlarm:
    """Alarms of a run's rounds, all of them false with probability at most δ, however long it runs.

    The claim that an alarm refutes: the chance μ_t of a mistake, given the rounds before, is never
    above the mean of the chances before it. (Rounds drawn alike and a learner that gets no worse
    are such a run.) The means A_t = (μ_1 + … + μ_t)/t then never rise, so that μ_u ≤ A_s for u > s.

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

    def _begin(self) -> None:
        """Forget the past."""
        stretch = len(self.alarms) + 1
        self._share = self.delta / (stretch * (stretch + 1))
        self._past = self._mistakes = 0
        self._wealth: list[float] = []  # ln of each bet's; none in the first window
        self._steps: list[tuple[float, float]] = []
        self._goal = inf

    def observe(self, mistake: bool) -> None:
        """Count a round."""
        if mistake:
            self._observe_mistake()
        else:
            self.observe_right(1)

    def observe_right(self, rounds: int) -> None:
        """Count some rounds without a mistake, which raise no alarm."""
        while rounds > 0:
            here = min(rounds, self.window - self._past % self.window)
            for j, (_, right) in enumerate(self._steps):
                self._wealth[j] += here * right
            self._passed(here)
            rounds -= here

    def _observe_mistake(self) -> None:
        for j, (wrong, _) in enumerate(self._steps):
            self._wealth[j] += wrong
        self._mistakes += 1
        raised = bool(self._wealth) and self.surprise > self._goal + _ROUNDING
        self._passed(1)
        if raised:
            self.alarms.append(self.rounds)
            self._begin()

    @property
    def surprise(self) -> float:
        """ln W of the current window: chance alone makes it exceed x with probability ≤ e^−x."""
        if not self._wealth:
            return 0.0
        top = max(self._wealth)
        return top + log(sum(exp(w - top) for w in self._wealth) / len(self._wealth))

    def _passed(self, rounds: int) -> None:
        """Count rounds, which do not go beyond the window; begin the next one at its end."""
        self.rounds += rounds
        self._past += rounds
        if self._past % self.window:
            return
        number = self._past // self.window
        q = mixture_bound(self._mistakes, self._past, self._share / 2)
        self._goal = log(2 * number * (number + 1) / self._share)
        self._steps, self._wealth = [], []
        if q < 1:
            self._steps = [_step(q, bet) for bet in _BETS]
            self._wealth = [0.0] * len(_BETS)


def _step(q: float, bet: float) -> tuple[float, float]:
    """Return ln r/q and ln (1 − r)/(1 − q) for r = q + (1 − q)·bet."""
    return log1p((1 - q) * bet / q), log1p(-bet)


def error_alarm(ledger: Ledger, window: int = 1000, delta: float = 0.01) -> ErrorAlarm:
    """Return the alarms of a run: the rounds in which it erred more than its own past allows.

    All of them are false with probability at most δ (see ``ErrorAlarm``).

    >>> import novikoff as nv
    >>> calm = nv.play(nv.Perceptron(), [((1, 0), 1), ((0, 1), -1)] * 500)
    >>> error_alarm(calm.ledger, window=100).alarms
    []
    """
    found = ErrorAlarm(window, delta)
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
