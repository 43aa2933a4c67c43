"""``novikoff learn --by COLUMN``: one run for every key."""

import time
from typing import TypedDict

from novikoff.cli.answers import answer
from novikoff.cli.clustering import HERE
from novikoff.cli.escapes import as_line
from novikoff.cli.inputs import opened
from novikoff.cli.plans.learn_plan import LearnPlan
from novikoff.cli.plans.reading_plan import used_up
from novikoff.cli.resuming import is_text, read_how
from novikoff.cluster.key_overview import KeyOverview
from novikoff.cluster.key_summary import Asked, KeySummary
from novikoff.cluster.keyed_play import play_by
from novikoff.errors import InputError
from novikoff.interrupts import stoppable
from novikoff.playing.ledger import counted, in_words

_LISTED = 10  # keys of a list in JSON
_SHOWN = 5  # keys of a list on a screen
_WIDE = 40  # characters of a key on a screen


def learn_by_key(plan: LearnPlan) -> int:
    """Play one run per key; write the runs and the table that are asked for, and sum them up."""
    stream = opened(plan.reading)
    plan.check_format(stream.format)
    if not stream.replayable:
        raise used_up(stream.files)
    keyed, began = plan.keyed, time.perf_counter()
    assert keyed.by is not None
    presence = plan.reading.presence and not is_text(plan.reading, stream)
    with stoppable():
        runs = play_by(
            keyed.by,
            plan.learner.made(presence=presence),
            stream,
            folder=plan.save,
            partitions=keyed.partitions or 16,
            readings=keyed.readings,
            address=None if plan.cluster in (None, HERE) else plan.cluster,
            asked=Asked(delta=plan.delta),
            reading=read_how(plan, stream) | {"input": [*stream.files]},
        )
    seen = runs.overview(_LISTED)
    if not seen.keys:
        raise InputError("keys: expected rows with keys, got none. Name another file.")
    found = _answer(seen, plan, time.perf_counter() - began)
    if plan.keyed.key_table is not None:
        write = runs.to_parquet if plan.keyed.key_table.endswith(".parquet") else runs.to_csv
        write(plan.keyed.key_table)
    answer(plan.json, found, lambda: _show(seen, plan), _remarks(found, plan.delta))
    return 0


class KeyedAnswer(TypedDict):
    """What all runs did together, and which keys stand out."""

    keys: int
    rounds: int
    mistakes: int
    error_rate: float
    worst: list[dict[str, object]]
    best: list[dict[str, object]]
    drifted: list[dict[str, object]]
    drifted_keys: int
    learner: str
    seconds: float
    saved: str | None
    table: str | None


def _answer(seen: KeyOverview, plan: LearnPlan, seconds: float) -> KeyedAnswer:
    return {
        "keys": seen.keys, "rounds": seen.rounds, "mistakes": seen.mistakes,
        "error_rate": seen.mistakes / seen.rounds,
        "worst": [row.plain for row in seen.worst], "best": [row.plain for row in seen.best],
        "drifted": [row.plain for row in seen.drifted[:_LISTED]],
        "drifted_keys": len(seen.drifted), "learner": type(plan.learner.made()).__name__,
        "seconds": seconds, "saved": plan.save, "table": plan.keyed.key_table,
    }  # fmt: skip


def _remarks(found: KeyedAnswer, delta: float) -> list[str]:
    keys = found["keys"]
    if keys == 1:
        return []
    return [
        f"each error bound holds for its own key with probability {1 - delta:g}, and of {keys:,} "
        f"keys some bounds may fail. For all keys at once: --delta {delta / keys:.2g}."
    ]


def _show(seen: KeyOverview, plan: LearnPlan) -> None:
    print(f"{counted(seen.keys, 'key')}: {in_words(seen.rounds, seen.mistakes)}")
    for title, rows in (
        ("worst, by errors beyond the baseline", seen.worst),
        ("best, by their error bounds", seen.best),
        (f"drifted: {counted(len(seen.drifted), 'key')}", seen.drifted),
    ):
        print(title)
        for row in rows[:_SHOWN]:
            print(f"  {_line(row)}")
    for path in filter(None, (plan.save, plan.keyed.key_table)):
        print(f"written: {path}")


def _line(row: KeySummary) -> str:
    key = as_line(row.key)
    key = key if len(key) <= _WIDE else f"{key[:_WIDE]}…"
    alarm = "" if row.alarm is None else f", alarm in round {row.alarm:,}"
    return (
        f"{key}: {in_words(row.rounds, row.mistakes)}, error at most {row.error_bound:.4f}, "
        f"baseline {row.baseline:.2%}{alarm}"
    )
