"""``novikoff predict RUNS NEW --by COLUMN``: each row with the run of its key."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from novikoff.cli.inputs import opened, read_alike
from novikoff.cli.outputs import writing
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.predict_plan import PredictPlan
from novikoff.cli.predicting import Seen, chances_of, judged, lines_of, threshold_asked
from novikoff.cli.probable import header_of, with_probabilities
from novikoff.cluster.keyed_rounds import Key, as_keyed, keyed_rounds
from novikoff.cluster.keyed_runs import KeyedRuns
from novikoff.errors import InputError
from novikoff.learners.protocols import ProbabilisticHypothesis
from novikoff.playing.decision_thresholds import decided
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.receipts.fresh_rows import Told, rest_of
from novikoff.receipts.remarks import about_stream
from novikoff.receipts.seen_rows import about_learned, learned_from
from novikoff.streams import Block, FileStream
from novikoff.streams.labels.declared import plain
from novikoff.streams.whole_stream import as_one, taken
from novikoff.types import IntArray, Label


class _New(NamedTuple):
    """All new rows, their labels if they have any, and the rows of each key."""

    block: Block
    labels: list[Label | None]
    rows: dict[Key, IntArray]


def predict_by_key(plan: PredictPlan) -> int:
    """Write a line per row, in the order of the input; an empty one for a key without a run."""
    runs = KeyedRuns(plan.model)
    first = next(iter(runs), None)
    if first is None:
        raise InputError(f"{plan.model}: expected runs, got none. Learn first.")
    known = runs[first]
    if plan.probabilities:
        with_probabilities(known.hypothesis())
    stream = _opened(plan, known)
    new = _read(stream, str(plan.by))
    lines = [""] * len(new.labels)
    seen = Seen(len(lines), Counter(), 0.0 if _has_chances(known) else None)
    for key, run in _runs_of(runs, new.rows):
        rows = new.rows.pop(key)
        for place, line in zip(rows.tolist(), _said(plan, run, new, rows, seen), strict=True):
            lines[place] = line
    if plan.output or not plan.json:
        with writing(plan.output) as out:
            if plan.probabilities:
                out.write(header_of(known.hypothesis().labels))
            out.writelines(line or "\n" for line in lines)
    unknown = sum(map(len, new.rows.values()))
    found: dict[str, object] = {"rows": len(lines), "skipped": stream.skipped, "unknown": unknown}
    remarks = [*about_stream(stream)]
    if unknown:
        remarks.append(
            f"{counted(unknown, 'row')} of {counted(len(new.rows), 'key')} without a run: their "
            "lines are empty."
        )
    if seen.judged:
        seen.learned_from = learned_from(known, stream)
        remarks += about_learned(seen.learned_from, stream)
    return judged(plan, seen, found, remarks)


def _opened(plan: PredictPlan, run: Run) -> FileStream:
    """Open the files as those that the runs have learned from."""
    reading = read_alike(plan.reading, run)
    assert plan.by is not None
    ignored = tuple(dict.fromkeys((*reading.ignore, plan.by)))
    stream = opened(replace(reading, ignore=ignored), labelled=False)
    stream.number_like(run.columns)
    return stream


def _read(stream: FileStream, by: str) -> _New:
    """Read all rows, and gather those of each key."""
    source = as_keyed(by, stream)
    blocks, keys, labels = list[Block](), list[Key](), list[Label | None]()
    for some, rounds in keyed_rounds(source, stream):
        blocks.append(rounds.rows)
        keys += some
        labels += [plain(label) for label in rounds.labels]
    if not blocks:
        raise InputError(f"{stream.name}: expected rows to predict, got none.")
    numbers: dict[Key, int] = {}
    owners = np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
    order = np.argsort(owners, kind="stable")
    ends = np.cumsum(np.bincount(owners, minlength=len(numbers)))
    rows = dict(zip(numbers, np.split(order, ends[:-1]), strict=True))
    return _New(as_one(blocks), labels, rows)


def _runs_of(runs: KeyedRuns, rows: dict[Key, IntArray]) -> Iterator[tuple[Key, Run]]:
    """Yield the runs of the keys that have one, archive by archive."""
    for key in runs.in_order(rows):
        yield key, runs[key]


def _has_chances(run: Run) -> bool:
    return isinstance(run.hypothesis(), ProbabilisticHypothesis)


def _said(plan: PredictPlan, run: Run, new: _New, rows: IntArray, seen: Seen) -> list[str]:
    """Predict the rows of one key; return their lines, and count what their labels say."""
    h, block = run.hypothesis(), taken(new.block, rows)
    if h.real:
        raise UsageError("--by: expected runs that predict labels, got some of numbers.")
    told = Told(threshold_asked(plan, run, h), rest_of(run, h.labels))
    predictions = decided(h, block, told.threshold)
    labels = told.called([new.labels[t] for t in rows.tolist()], h.labels)
    chances = chances_of(plan, h, block, labels)
    if chances is not None and seen.loss is not None:
        seen.loss += chances.loss(labels)
        seen.outcomes.append(chances.outcomes(labels))
    pairs = zip(labels, map(plain, predictions.tolist()), strict=True)
    seen.judged.update((y, p) for y, p in pairs if y is not None)
    text = "".join(lines_of(plan, h, block, predictions, chances, False))
    return [f"{line}\n" for line in text.split("\n")[:-1]]
