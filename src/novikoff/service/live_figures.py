"""Live figures: what the live page shows, as text and as curves; the browser only places them."""

from heapq import nlargest
from math import isfinite

import msgspec

from novikoff.receipts.baselines import Baseline, baseline_of
from novikoff.reports.page_words import percent, percent_allowed, visible_text
from novikoff.service.receipt_answer import DELTA, error_bound_of
from novikoff.service.replica import Replica
from novikoff.service.watch import RECENT, Mark, Mistake, Raised, Watch
from novikoff.streams.log.records import ServedLabel

LABELS = 20
"""How many labels the page lists."""
NOTHING = "–"
Row = list[str]
Curve = list[float | None]


class Rates(msgspec.Struct, frozen=True):
    """How much was learned and predicted since the service started, second by second."""

    seconds: Curve
    """Before now, negative."""
    learned: Curve
    predicted: Curve
    now: tuple[float, float] = (0.0, 0.0)
    """Per second, over the last ten seconds."""
    mean: tuple[float, float] = (0.0, 0.0)
    """Per second, since the start."""


class LiveFigures(msgspec.Struct, frozen=True):
    """The figures of the live page. All words are ready to be shown, but not escaped for HTML."""

    title: str
    rounds: int
    alarm: str
    """What the alarm says, if it is on."""
    texts: dict[str, str]
    tables: dict[str, list[Row]]
    charts: dict[str, list[Curve]]
    marks: list[int]
    """The rounds of the alarms."""


def live_figures(replica: Replica, rates: Rates) -> LiveFigures:
    """Return the figures as they are now. The owner's thread calls this, between two records."""
    watch, ledger = replica.watch, replica.run.ledger
    bound, baseline = error_bound_of(replica.run), baseline_of(replica.run)
    allowed = None if bound is None else bound.value
    guess = None if baseline is None else baseline.error_rate
    labels, bins = len(replica.begin.labels), _bins(replica)
    return LiveFigures(
        title=f"{ledger.learner}, {labels:,} labels",
        rounds=ledger.rounds,
        alarm=alarm_words(watch),
        texts=_texts(replica, rates, allowed, baseline),
        tables={
            "labels": _by_label(replica),
            "calibration": [row for row, _ in bins],
            "mistakes": [_missed(one) for one in reversed(watch.latest)],
            "alarms": [_raised(one) for one in reversed(watch.raised)],
        },
        charts=_charts(replica, allowed, guess)
        | {
            "calibration": _reliability([point for _, point in bins]),
            "rates": [rates.seconds, rates.learned, rates.predicted],
        },
        marks=[one.round for one in watch.raised],
    )


def _texts(
    replica: Replica, rates: Rates, allowed: float | None, baseline: Baseline | None
) -> dict[str, str]:
    watch, ledger, counts = replica.watch, replica.run.ledger, replica.counts
    wrong, latest = watch.recent
    first, last = watch.marks[0], watch.marks[-1]
    gained, marked = last.features - first.features, last.rounds - first.rounds
    loss = ledger.mean_loss if watch.has_loss and ledger.rounds else None
    guess = None if baseline is None else baseline.mean_loss
    return {
        "error_recent": percent(wrong / latest) if latest else NOTHING,
        "latest": f"of the last {latest:,} rounds",
        "error": percent(ledger.error_rate) if ledger.rounds else NOTHING,
        "mistakes": f"{ledger.mistakes:,} mistakes in {ledger.rounds:,} rounds",
        "error_bound": NOTHING if allowed is None else percent_allowed(allowed),
        "bound_note": f"on rounds drawn like these, with probability {1 - DELTA:g}",
        "baseline": NOTHING if baseline is None else percent(baseline.error_rate),
        "baseline_note": "the error of always guessing the same label",
        "loss_recent": _decimal(_loss_between(first, last)),
        "loss_latest": f"per round, over {marked:,} rounds",
        "loss": _decimal(loss),
        "loss_note": "per round, over all" + (f"; guessing: {guess:.4f}" if guess else ""),
        "pending": f"{len(replica.waiting):,}",
        "asks_note": f"of {counts.asked:,} asks; {counts.expired:,} expired",
        "features": f"{replica.names:,}",
        "features_note": f"{gained:,} new in {marked:,} rounds",
        "learn_rate": f"{rates.now[0]:,.0f}/s",
        "learn_note": f"{rates.mean[0]:,.1f}/s since the start",
        "predict_rate": f"{rates.now[1]:,.0f}/s",
        "predict_note": f"{rates.mean[1]:,.1f}/s since the start",
        "window": f"lately: {max(1, RECENT // watch.stride) * watch.stride:,} rounds",
        "labels_note": _others(len(replica.begin.labels)),
    }


def _others(labels: int) -> str:
    return "" if labels <= LABELS else f"The {LABELS} with the most mistakes, of {labels:,} labels."


def _decimal(value: float | None) -> str:
    return f"{value:.4f}" if value is not None and isfinite(value) else NOTHING


def _loss_between(first: Mark, last: Mark) -> float | None:
    """Return the mean loss of the rounds between two marks."""
    if first.loss is None or last.loss is None or last.rounds == first.rounds:
        return None
    return (last.loss - first.loss) / (last.rounds - first.rounds)


def alarm_words(watch: Watch) -> str:
    """Return what the alarm says while it is on: until its past is a window long again."""
    if not watch.sounding:
        return ""
    last = watch.raised[-1]
    return (
        f"Alarm in round {last.round:,}: {last.mistakes:,} mistakes in {last.rounds:,} rounds "
        f"({percent(last.mistakes / last.rounds)}), but the rounds before it allow a chance of "
        f"{percent_allowed(last.allowed)}."
    )


def _by_label(replica: Replica) -> list[Row]:
    """Return the labels with the most mistakes."""
    ledger = replica.run.ledger
    if not ledger.rounds:
        return []
    rounds, wrong = ledger.rounds_by_label, ledger.mistakes_by_label
    chosen = nlargest(LABELS, rounds, key=lambda label: (wrong.get(label, 0), rounds[label]))
    return [
        [
            visible_text(label),
            f"{rounds[label]:,}",
            f"{wrong.get(label, 0):,}",
            percent(wrong.get(label, 0) / rounds[label]) if rounds[label] else NOTHING,
        ]
        for label in chosen
    ]


def _bins(replica: Replica) -> list[tuple[Row, tuple[float, float]]]:
    """Return the rounds by the probability that was given: as a row, and as a point."""
    found = getattr(replica.run.ledger, "calibration", None)
    if found is None:
        return []
    size, rows = len(found.rounds), []
    for place, (count, came, total) in enumerate(
        zip(found.rounds.tolist(), found.came.tolist(), found.sums.tolist(), strict=True)
    ):
        if count:
            given, share = total / count, came / count
            between = f"{100 * place / size:g} to {100 * (place + 1) / size:g} %"
            rows.append(([between, f"{count:,}", percent(given), percent(share)], (given, share)))
    return rows


def _missed(one: Mistake) -> Row:
    words = [f"{visible_text(name, 40)} = {_value(value)}" for name, value in one.features]
    if one.others:
        words.append(f"and {one.others:,} more")
    return [f"{one.round:,}", _word(one.label), _word(one.prediction), ", ".join(words)]


def _word(label: ServedLabel | None) -> str:
    return NOTHING if label is None else visible_text(label)


def _value(value: float | str) -> str:
    return visible_text(value, 40) if isinstance(value, str) else f"{value:g}"


def _raised(one: Raised) -> Row:
    return [
        f"{one.round:,}",
        f"{one.mistakes:,} in {one.rounds:,} rounds",
        percent_allowed(one.allowed),
    ]


def _charts(replica: Replica, allowed: float | None, guess: float | None) -> dict[str, list[Curve]]:
    """Return the curves: the first of each chart is where the others are."""
    history, stride = replica.watch.history, replica.watch.stride
    back = max(1, RECENT // stride)
    error: list[Curve] = [[], [], [], [], []]
    loss: list[Curve] = [[], [], []]
    for place, mark in enumerate(history[1:], 1):
        before = history[max(0, place - back)]
        played = mark.rounds - before.rounds
        values = (
            mark.rounds, (mark.mistakes - before.mistakes) / played, mark.mistakes / mark.rounds,
            allowed, guess,
        )  # fmt: skip
        for curve, value in zip(error, values, strict=True):
            curve.append(_rounded(value))
        whole = None if mark.loss is None else mark.loss / mark.rounds
        for curve, value in zip(
            loss, (mark.rounds, _loss_between(before, mark), whole), strict=True
        ):
            curve.append(_rounded(value))
    return {"error": error, "loss": loss if replica.watch.has_loss else []}


def _reliability(points: list[tuple[float, float]]) -> list[Curve]:
    """Return what was given, how often it came true, and how often it should have."""
    given: Curve = [_rounded(one) for one, _ in points]
    came: Curve = [_rounded(one) for _, one in points]
    return [given, came, given] if points else []


def _rounded(value: float | None) -> float | None:
    """Return a number that is short in JSON; null stands for all that is not one."""
    if value is None or not isfinite(value):
        return None
    return value if isinstance(value, int) else float(f"{value:.5g}")
