"""``novikoff predict``."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from novikoff.cli.escapes import as_line
from novikoff.cli.options import (
    check_outputs,
    opened,
    print_json,
    read_alike,
    tell,
    written,
)
from novikoff.learners.hypothesis import Hypothesis
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.receipts.conversion import holdout_bound
from novikoff.receipts.remarks import about_stream
from novikoff.saving import storage
from novikoff.streams.files.headers import check_columns
from novikoff.streams.labels.label_maps import plain

_PAIRS = 12  # of a label and a prediction, on a screen
_ASSUMES = "the rows are independent draws that the model has not seen"


def predict(options: argparse.Namespace) -> int:
    """Write a label or score a line, in the order of the input; judge them where labels are."""
    model = loaded(options.model)
    if isinstance(model, Run):
        read_alike(options, model)
    stream = opened(options, labelled=False)
    h = model.hypothesis() if isinstance(model, Run) else model
    check_outputs((*stream.files, options.model), options.output)
    judged: Counter[tuple[Any, Any]] = Counter()
    rows = 0
    printed = options.output is None and not options.json
    with written(options.output) as out:
        for rounds in stream.blocks():
            if h.columns is not None and stream.feature_names is not None:
                check_columns(h.columns, stream.feature_names, stream.name)
            predictions = h.predict(rounds.rows)
            rows += len(predictions)
            judged.update(
                (plain(y), plain(p))
                for y, p in zip(rounds.labels, predictions, strict=True)
                if y is not None
            )
            if options.output or printed:
                shown = h.scores(rounds.rows) if options.scores else predictions
                out.writelines(_lines(shown))
    found = {"rows": rows, "skipped": stream.skipped} | _judgement(judged, model, h, options.delta)
    remarks = about_stream(stream)
    if options.json:
        print_json(found, remarks)
    elif judged:
        _show(found, judged.total())
    tell(remarks)
    return 0


def loaded(path: str) -> Run | Hypothesis:
    """Return what a model file holds."""
    kind, _, _ = storage.read(path, (*Hypothesis.kinds, "Run"))
    return Run.load(path) if kind == "Run" else Hypothesis.load(path)


def _lines(values: Any) -> list[str]:
    if values.ndim == 2:  # a score a class
        return ["\t".join(map(repr, row)) + "\n" for row in values.tolist()]
    return [f"{as_line(value)}\n" for value in values.tolist()]


def _rest(model: Run | Hypothesis, labels: tuple[Any, ...]) -> Callable[[Any], bool]:
    """Return which labels the model calls ``not X``, as it does with several others."""
    if len(labels) != 2 or labels[0] != f"not {labels[1]}":
        return lambda label: False
    closed = model.labels.allowed if isinstance(model, Run) else ()
    return lambda label: label != labels[1] and (not closed or label in closed)


def _judgement(
    judged: Counter[tuple[Any, Any]], model: Run | Hypothesis, h: Hypothesis, delta: float
) -> dict[str, Any]:
    """Compare predictions with the labels that were there; a binary one says ±1 for its pair."""
    total = judged.total()
    if not total:
        return {"error_rate": None, "mistakes": None, "confusion": None, "error_bound": None}
    among_rest = _rest(model, h.labels)
    counted: Counter[tuple[Any, Any]] = Counter()
    for (label, prediction), count in judged.items():
        counted[h.labels[0] if among_rest(label) else label, prediction] += count
    mistakes = sum(count for (y, p), count in counted.items() if y != p)
    order = sorted(counted, key=lambda pair: (str(pair[0]), str(pair[1])))
    value = holdout_bound(mistakes, total, delta)
    bound = {"value": value, "delta": delta, "assumes": _ASSUMES}
    return {
        "mistakes": mistakes,
        "error_rate": mistakes / total,
        "confusion": [{"label": y, "predicted": p, "count": counted[y, p]} for y, p in order],
        "error_bound": bound,
    }


def _show(found: dict[str, Any], labelled: int) -> None:
    bound = found["error_bound"]
    print(
        f"{found['mistakes']:,} of {counted(labelled, 'row')} wrong ({found['error_rate']:.2%}); "
        f"error at most {bound['value']:.4f} with probability {1 - bound['delta']:g}, if "
        f"{bound['assumes']}",
        file=sys.stderr,
    )
    pairs = found["confusion"]
    if len(pairs) > _PAIRS:
        wrong = [entry for entry in pairs if entry["label"] != entry["predicted"]]
        pairs = sorted(wrong, key=lambda entry: -entry["count"])[:_PAIRS]
    for entry in pairs:
        label, predicted = as_line(entry["label"]), as_line(entry["predicted"])
        print(f"  {label:<12} called {predicted:<12} {entry['count']}", file=sys.stderr)
    more = len(found["confusion"]) - len(pairs)
    if more:
        print(f"  and {counted(more, 'pair')} more, which --json has", file=sys.stderr)
