"""Comparison: several learners on the same rounds, and which differences are more than luck."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from novikoff.errors import InputError, as_float, parameter
from novikoff.playing.ledger import Ledger
from novikoff.playing.one_stream import play_together
from novikoff.playing.progress import Report
from novikoff.playing.run import Run
from novikoff.receipts.conversion import last_error_bound
from novikoff.receipts.error_bounds import mixture_bound
from novikoff.streams import as_stream
from novikoff.types import Player


@dataclass(frozen=True)
class Compared:
    """One of the learners that were compared."""

    name: str
    run: Run
    seconds: float
    """How long it took to learn, without reading."""
    interval: tuple[float, float]
    """Its mean chance of a mistake per round lies in here (``interval_of``)."""
    differs: bool | None
    """Whether luck does not explain that it is worse than the best; None for the best itself, and
    if one of the two abstained."""


@dataclass(frozen=True)
class Comparison:
    """What ``compare`` found: how each learner did on the same rounds, in the order given."""

    learners: tuple[Compared, ...]
    best: Compared
    """The one with the fewest mistakes and abstentions; of several, the one with the least loss."""
    delta: float
    """Every interval and every difference is right at once with probability at least 1 − δ."""

    def __repr__(self) -> str:
        shown = [
            f"{one.name}: {one.run.ledger.error_rate:.2%}{' (best)' * (one is self.best)}"
            for one in self.learners
        ]
        return f"Comparison({', '.join(shown)})"


def compare(
    learners: Mapping[str, Player] | Iterable[Player],
    stream: object,
    *,
    delta: float = 0.05,
    progress: Report | None = None,
) -> Comparison:
    """Play the same stream with several learners, and say which did best.

    The stream is read once. A learner is called by its class unless a dict gives it a name.

    >>> import novikoff as nv
    >>> rows = [((1, 100), 1), ((1, -300), -1), ((2, -200), 1)] * 300
    >>> found = nv.compare([nv.Perceptron(), nv.AdaptiveGradient()], rows)
    >>> found, found.learners[0].differs
    (Comparison(Perceptron: 66.56%, AdaptiveGradient: 0.33% (best)), True)
    """
    named = _named(learners)
    if not 0 < as_float(delta) < 1:
        raise parameter("delta", "a number between 0 and 1", delta)
    return compared({name: Run(one) for name, one in named.items()}, stream, delta, progress)


def compared(
    runs: Mapping[str, Run], stream: object, delta: float, progress: Report | None = None
) -> Comparison:
    """Play one pass of a stream with runs that have played nothing, and compare them.

    Half of δ is for the intervals, half for the differences.
    """
    source = as_stream(stream)
    seconds = play_together(tuple(runs.values()), source, progress)
    ledgers = [run.ledger for run in runs.values()]
    if ledgers[0].rounds == 0:
        raise InputError(f"{source.name}: expected rows, got none. There is nothing to compare.")
    best = min(ledgers, key=_rank)
    count = len(ledgers)
    share = delta / 2 / max(1, count * (count - 1) // 2)
    found = tuple(
        Compared(
            name,
            run,
            spent,
            interval_of(run.ledger, delta / 2 / count),
            differ(run.ledger, best, share),
        )
        for (name, run), spent in zip(runs.items(), seconds, strict=True)
    )
    return Comparison(found, found[ledgers.index(best)], float(delta))


def interval_of(ledger: Ledger, delta: float) -> tuple[float, float]:
    """Return where the mean chance of a mistake, (1/T) Σ P(mistake in t | the past), lies.

    With probability at least 1 − δ, at all T at once: ``error_bound`` from above, and from below
    the same bound on the chance of being right, δ/2 each. If rounds are independent draws, it is
    the mean error of the run's hypotheses.
    """
    right = ledger.rounds - ledger.mistakes
    low = math.nextafter(1 - mixture_bound(right, ledger.rounds, delta / 2), 0)
    return max(0.0, low), last_error_bound(ledger, delta / 2).value


def differ(one: Ledger, best: Ledger, delta: float) -> bool | None:
    """Say whether two runs of the same rounds differ by more than luck, with probability 1 − δ.

    Among the n rounds in which one of the two was wrong alone, let k be those of the first. If
    either was as likely to be the one, whatever happened before, then E = 2^n/((n + 1) C(n, k)) is
    a martingale with mean 1: the mixture ∫ 2^n p^k (1 − p)^{n−k} dp of bets. It ever reaches 1/δ
    with probability at most δ (Ville). This is McNemar's test, at any number of rounds.
    """
    if one is best or one.abstentions or best.abstentions:
        return None
    both = len(np.intersect1d(one.mistake_rounds, best.mistake_rounds, assume_unique=True))
    k, n = one.mistakes - both, one.mistakes + best.mistakes - 2 * both
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return n * math.log(2) - math.log(n + 1) - ways >= -math.log(delta)


def _rank(ledger: Ledger) -> tuple[int, float]:
    loss = ledger.loss if "loss" in ledger.measures else math.inf
    return ledger.mistakes + ledger.abstentions, loss


def _named(learners: Mapping[str, Player] | Iterable[Player]) -> Mapping[str, Player]:
    """Return learners by name; refuse two of the same kind without names, and batch learners."""
    if isinstance(learners, Mapping):
        found = dict(learners)
    else:
        listed = list(learners)
        found = {type(one).__name__: one for one in listed}
        if len(found) < len(listed):
            raise parameter("learners", "a dict with names", "several of one kind in a list")
    for name, one in found.items():
        if getattr(one, "batch", False):
            raise parameter(
                "learners",
                "learners that meet their features as they come",
                name,
                "Play it alone: it reads the stream before its first round.",
            )
    if not found:
        raise parameter("learners", "at least one", "none")
    return found
