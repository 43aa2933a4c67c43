"""What a run of one key did, in a line."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache

from novikoff.cluster.keyed_rounds import Key
from novikoff.errors import InputError
from novikoff.playing.run import Run
from novikoff.receipts.baselines import baseline_of
from novikoff.receipts.conversion import last_error_bound
from novikoff.receipts.error_alarm import ErrorAlarm, error_alarm
from novikoff.receipts.error_bounds import checked_share, mixture_bound
from novikoff.saving.contents import check_known


@dataclass(frozen=True)
class KeySummary:
    """The run of one key: its counts, what bounds its error, and when that rose."""

    key: Key
    rounds: int
    mistakes: int
    error_rate: float
    error_bound: float
    """With probability ≥ 1 − δ, for this key alone: the mean error of the hypotheses so far."""
    baseline: float
    """The error rate of always guessing this key's most frequent label, known in hindsight."""
    mean_loss: float | None
    """None for learners without a loss."""
    alarm: int | None
    """The first round in which it erred more than its own past allows (``nv.error_alarm``)."""

    @property
    def plain(self) -> dict[str, object]:
        """The same as plain data."""
        return {name: getattr(self, name) for name in COLUMNS}


COLUMNS = tuple(field.name for field in fields(KeySummary))


@dataclass(frozen=True)
class Asked:
    """What summaries are about: δ of the error bounds, and the window and δ of alarms."""

    delta: float = 0.05
    window: int = 1000
    false_alarms: float = 0.01

    def __post_init__(self) -> None:
        checked_share("delta", self.delta)
        ErrorAlarm(self.window, self.false_alarms)  # refuses what cannot be


def summary_of(key: Key, run: Run, asked: Asked) -> KeySummary:
    """Sum up the run of a key."""
    ledger = run.ledger
    baseline = baseline_of(run)
    alarms: list[int] = []
    if ledger.rounds > asked.window:  # the first window is what others are compared with
        alarms = error_alarm(ledger, asked.window, asked.false_alarms).alarms
    return KeySummary(
        key, ledger.rounds, ledger.mistakes, ledger.error_rate, _bound(run, asked.delta),
        baseline.error_rate if baseline is not None else 0.0,
        ledger.mean_loss if "mean_loss" in ledger.measures else None,
        alarms[0] if alarms else None,
    )  # fmt: skip


def _bound(run: Run, delta: float) -> float:
    ledger = run.ledger
    if ledger.abstentions or run.learner.multiclass:  # these count otherwise
        return last_error_bound(ledger, delta).value
    return _mixture(ledger.mistakes, ledger.rounds, delta)


@lru_cache(maxsize=2**16)  # many keys have as many rounds and mistakes as others
def _mixture(mistakes: int, rounds: int, delta: float) -> float:
    return mixture_bound(mistakes, rounds, delta)


def as_summaries(keys: list[Key], columns: object) -> list[KeySummary]:
    """Read the summaries of some keys from columns of a file, which anybody may have written."""
    if isinstance(columns, dict):
        check_known("column", columns, COLUMNS[1:])
    if not (isinstance(columns, dict) and tuple(columns) == COLUMNS[1:]):
        raise InputError("expected the columns of a summary")
    for name, form in _FORMS.items():
        column = columns[name]
        if not (isinstance(column, list) and len(column) == len(keys) and all(map(form, column))):
            raise InputError(f"expected a {name} for each key")
    counts = zip(*(columns[name] for name in ("rounds", "mistakes", "error_rate")), strict=True)
    if any(rate != (mistakes / rounds if rounds else 0.0) for rounds, mistakes, rate in counts):
        raise InputError("expected mistakes / rounds for each error_rate")
    return [*map(KeySummary, keys, *columns.values())]


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_real(value: object) -> bool:
    return type(value) is float or type(value) is int


def _or_none(form: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or form(value)


_FORMS = {
    "rounds": _is_count, "mistakes": _is_count, "error_rate": _is_real, "error_bound": _is_real,
    "baseline": _is_real, "mean_loss": _or_none(_is_real), "alarm": _or_none(_is_count),
}  # fmt: skip
