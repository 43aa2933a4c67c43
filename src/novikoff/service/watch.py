"""The watch: what the live page and the alarm need of the rounds since the log began.

Like the replica it belongs to, it depends on the log alone, so a restart shows the same figures. It
is small however long the log is: marks of the last rounds, a history that grows coarser, the latest
mistakes.
"""

import logging
from collections import deque
from itertools import islice
from typing import TypeAlias

import msgspec

from novikoff import _core
from novikoff.playing.run import Run
from novikoff.receipts.error_alarm import AlarmState, ErrorAlarm
from novikoff.streams.log.records import Features, ServedLabel, Value

_log = logging.getLogger("novikoff.service")
RECENT = 1000
"""How many rounds are the latest ones."""
STEP = 10  # rounds between two marks
HISTORY = 240  # marks of the history: from so many to twice as many
LATEST = 20
"""How many mistakes are shown."""
SHOWN_FEATURES = 12
KEPT_FEATURES = 100  # of a mistake, as they came; they are shortened when somebody looks
SHOWN_LETTERS = 80
RAISED = 100
"""How many alarms are remembered with their details."""


class AlarmTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the error is tested; the alarm is off if its probability to be false shall be 0."""

    window: int = 1000
    delta: float = 0.01


class Mark(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What the run had made up to some round."""

    rounds: int
    mistakes: int
    loss: float | None
    features: int


class Mistake(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A mistake, with the first of its features, shortened."""

    round: int
    label: ServedLabel
    prediction: ServedLabel | None
    features: list[tuple[str, Value]]
    others: int
    """How many features are left out."""


_Missed: TypeAlias = tuple[int, ServedLabel, ServedLabel | None, Features, int]


class Raised(msgspec.Struct, frozen=True):
    """An alarm: in a window of rounds there were more mistakes than the past allows."""

    round: int
    mistakes: int
    """In the rounds of the window up to this one."""
    rounds: int
    allowed: float
    """The most that the past allowed for the chance of a mistake."""


class KeptRaised(Raised, frozen=True, forbid_unknown_fields=True):
    """The same, as a snapshot keeps it."""


class WatchState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A watch on the disk."""

    test: AlarmTest
    start: Mark
    alarm: AlarmState | None
    raised: list[KeptRaised]
    marks: list[Mark]
    history: list[Mark]
    stride: int
    missed: list[int]
    latest: list[Mistake]


class Watch:
    """Follows the rounds of a replica; ``played`` is called after each of them."""

    def __init__(self, run: Run, names: _core.Features | None) -> None:
        self._ledger = run.ledger
        assert isinstance(self._ledger.tally, _core.Tally)  # labels are declared: it judges
        self._tally, self._names = self._ledger.tally, names
        self.has_loss = "loss" in self._ledger.measures
        """Whether the learner has a loss."""
        self.start = self._mark()
        """What the run had made when the watch began: when the log did."""
        self.marks = deque([self.start], maxlen=RECENT // STEP + 1)
        self.history = [self.start]
        self.stride = STEP
        """Rounds between two marks of the history."""
        self._latest: deque[_Missed] = deque(maxlen=LATEST)
        self._missed: deque[int] = deque()  # the rounds of the mistakes among the latest rounds
        self._mistakes = self.start.mistakes
        self.test, self.raised = AlarmTest(), deque[KeptRaised](maxlen=RAISED)
        self.alarm: ErrorAlarm | None = ErrorAlarm(self.test.window, self.test.delta)

    def _mark(self) -> Mark:
        ledger, names = self._ledger, self._names
        loss = float(ledger.loss) if self.has_loss else None
        known = 0 if names is None else len(names)
        return Mark(self._tally.rounds, ledger.mistakes, loss, known)

    def played(
        self, features: Features, label: ServedLabel, prediction: ServedLabel | None
    ) -> None:
        """Note the round that was just played."""
        tally = self._tally
        if tally.mistakes != self._mistakes:
            self._mistakes = tally.mistakes
            self._erred(tally.rounds, features, label, prediction)
        if (tally.rounds - self.start.rounds) % STEP == 0:
            self._step()

    def _step(self) -> None:
        mark = self._mark()
        if mark.rounds == self.marks[-1].rounds:
            return
        self.marks.append(mark)
        if (mark.rounds - self.start.rounds) % self.stride == 0:
            self.history.append(mark)
            if len(self.history) > 2 * HISTORY:
                del self.history[1::2]
                self.stride *= 2

    def _erred(
        self, round: int, features: Features, label: ServedLabel, prediction: ServedLabel | None
    ) -> None:
        size = len(features)
        if size > KEPT_FEATURES:
            features = dict(islice(features.items(), SHOWN_FEATURES))
        self._latest.append((round, label, prediction, features, size))
        self._missed.append(round)
        while self._missed[0] <= round - RECENT:
            self._missed.popleft()
        if self.alarm is not None:
            self._observe(self.alarm, round)

    def _observe(self, alarm: ErrorAlarm, round: int) -> None:
        """Let the alarm know of a mistake; the rounds before it were right."""
        alarm.observe_right(round - self.start.rounds - 1 - alarm.rounds)
        before, allowed, (wrong, rounds) = len(alarm.alarms), alarm.allowed, alarm.here
        alarm.observe(True)
        if len(alarm.alarms) > before:
            self.raised.append(KeptRaised(round, wrong + 1, rounds + 1, allowed))

    def settle(self) -> ErrorAlarm | None:
        """Return the alarm, which then knows of all rounds; right ones never raise it."""
        if self.alarm is not None:
            self.alarm.observe_right(self._tally.rounds - self.start.rounds - self.alarm.rounds)
        return self.alarm

    def begin_test(self, test: AlarmTest) -> None:
        """Test in this way, as if it had always been so: the ledger has all mistakes."""
        if test == self.test:
            return
        self.test, self.alarm = test, None
        self.raised.clear()
        if test.delta > 0:
            self.alarm = ErrorAlarm(test.window, test.delta)
            for round in self._ledger.mistake_rounds.tolist():
                if round > self.start.rounds:
                    self._observe(self.alarm, round)

    @property
    def count(self) -> int:
        """How many alarms there were since the log began."""
        return 0 if self.alarm is None else len(self.alarm.alarms)

    @property
    def last_alarm(self) -> int:
        """The round of the last alarm; 0 if there was none."""
        return self.raised[-1].round if self.raised else 0

    @property
    def sounding(self) -> bool:
        """Whether the alarm is on: from its round until the new past is a window long."""
        alarm = self.settle()
        return alarm is not None and bool(alarm.alarms) and alarm.settling

    @property
    def latest(self) -> list[Mistake]:
        """The latest mistakes, the last one last."""
        return [_shortened(*one) for one in self._latest]

    @property
    def recent(self) -> tuple[int, int]:
        """How many of the latest rounds were mistakes, and how many rounds these are."""
        now = self._tally.rounds
        since = max(self.start.rounds, now - RECENT)
        return sum(round > since for round in self._missed), now - since

    @property
    def state(self) -> WatchState:
        """What there is to save."""
        alarm = self.settle()
        return WatchState(
            test=self.test,
            start=self.start,
            alarm=None if alarm is None else alarm.state,
            raised=list(self.raised),
            marks=list(self.marks),
            history=list(self.history),
            stride=self.stride,
            missed=list(self._missed),
            latest=self.latest,
        )

    def restore(self, state: WatchState) -> None:
        """Go on where a state was taken."""
        self.test, self.start, self.stride = state.test, state.start, state.stride
        self.alarm = None
        if state.alarm is not None:
            self.alarm = ErrorAlarm.restored(state.test.window, state.test.delta, state.alarm)
        self.raised.extend(state.raised)
        self.marks.clear()
        self.marks.extend(state.marks)
        self.history = list(state.history)
        self._missed.extend(state.missed)
        for one in state.latest:
            size = len(one.features) + one.others
            self._latest.append((one.round, one.label, one.prediction, dict(one.features), size))


def _shortened(
    round: int, label: ServedLabel, prediction: ServedLabel | None, features: Features, size: int
) -> Mistake:
    first = islice(features.items(), SHOWN_FEATURES)
    shown = [(str(_short(name)), _short(value)) for name, value in first]
    return Mistake(round, label, prediction, shown, size - len(shown))


def _short(value: Value) -> Value:
    if isinstance(value, str) and len(value) > SHOWN_LETTERS:
        return value[: SHOWN_LETTERS - 1] + "…"
    return value


def announced(watch: Watch, before: int) -> int:
    """Say in the log of events which alarms there were after the first ones; return how many."""
    if watch.count > before:
        for one in list(watch.raised)[before - watch.count :]:
            _log.warning(
                "alarm: more mistakes than the past allows", extra=msgspec.to_builtins(one)
            )
    return watch.count
