"""Remarks: reasons why a run's numbers say less than they seem to, in a sentence or two each.

The terminal, the JSON of every verb and the report show the same list.
"""

import json
import math
import os
from collections.abc import Iterable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

from novikoff.decimal_contexts import decimals, within
from novikoff.learners import Learner
from novikoff.playing.ledger import Ledger, counted
from novikoff.playing.run import Run
from novikoff.receipts.conversion import ErrorBound
from novikoff.streams import FileStream, Outputs
from novikoff.streams.files.json_lines import JsonStream
from novikoff.streams.files.lines import CsvStream
from novikoff.streams.files.recorded import in_shell
from novikoff.streams.stream import Stream, Wrapped

if TYPE_CHECKING:  # a run without bounds needs no theorem
    from novikoff.theory import Bound

# Theorems that bound a probability of error, which is at most 1, and not mistakes or regret.
_NAMED = 10  # labels in a remark
_NOISE = Decimal("1e-12")  # the part of a bound that no text shows
_WIDE = decimals(400, ROUND_CEILING)
_OF_SQUARES = ("vaw", "vaw-tight")  # theorems about squared losses
_ABOUT_ERROR = (
    "progressive", "progressive-mixture", "leave-one-out", "random-stopping", "controlled-testing",
)  # fmt: skip


def about_run(
    run: Run,
    bounds: "Iterable[Bound]" = (),
    error: ErrorBound | None = None,
    rounds: int | None = None,
) -> list[str]:
    """Return the remarks on a run, on its stream and on what the theorems allow.

    Bounds may be about the last ``rounds`` alone.
    """
    allowed = [(bound.theorem, bound.value) for bound in bounds]
    found = [
        *about_labels(run),
        *about_negative(run),
        *about_blanks(run),
        *about_constant(run),
        *about_first_rows(run),
        *about_bounds(
            allowed,
            run.ledger.rounds if rounds is None else rounds,
            run.ledger.parameters,
        ),
        *about_stream(run.stream),
    ]
    return found + about_error(run.ledger, error)


def about_labels(run: Run) -> list[str]:
    """Return a remark if there is only one label, or if rows are sorted by it or depend on time."""
    ledger, order = run.ledger, run.order
    if isinstance(run.labels, Outputs) or ledger.rounds == 0 or not ledger.judges:
        return []
    met = [label for label, rounds in ledger.rounds_by_label.items() if rounds]
    if len(met) < 2:
        several = len(run.labels.others) > 1 and met == [run.labels.table[0]]
        what = f"counts as {met[0]!r}" if several else "has the same label"
        return [f"every row {what}; nothing was told apart."]
    if ledger.passes > 1:
        return []
    if order.looks_sorted:
        return [
            f"the label changes {counted(order.changes, 'time')}, and some "
            f"{order.random_changes:,.0f} times in a random order. The rows look sorted by label: "
            "then few mistakes say little. Shuffle them, unless the order is what you care for."
        ]
    if order.looks_dependent:
        return [
            f"the label changes {counted(order.changes, 'time')}, and some "
            f"{order.random_changes:,.0f} times in a random order: neighbouring rows are alike. "
            "Then what is promised about new rows does not hold, because it assumes independent "
            "rows, and the model as saved, which no longer learns, may be wrong far more often "
            "than the run was. Try it on later rows: novikoff test MODEL FILE."
        ]
    return []


def about_negative(run: Run) -> list[str]:
    """Return a remark that names the labels which count as negative, if there are several."""
    others = list(run.labels.others)
    if len(others) < 2:
        return []
    more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
    shown = ", ".join(map(repr, others[:_NAMED])) + more
    return [
        f"the labels {shown} count as one, the negative, which is called {run.labels.table[0]!r}. "
        "To tell them apart, use a multiclass learner, without a positive label."
    ]


def about_blanks(run: Run) -> list[str]:
    """Return a remark if labels or categories begin or end with blanks, as cells after ", " do."""
    said = list(filter(None, (_blank_labels(run), run.first_rows.blanks)))
    if not said:
        return []
    stream = run.stream
    comma = isinstance(stream, CsvStream) and stream.delimiter == ","
    how = ": sed 's/, /,/g' FILE > CLEAN" if comma else ""
    return [
        f"{'; '.join(said)}. Write them so wherever you name one, or take the blanks out of the "
        f"file{how}."
    ]


def _blank_labels(run: Run) -> str | None:
    if isinstance(run.labels, Outputs) or not run.ledger.judges:
        return None
    met = [label for label in run.ledger.labels if isinstance(label, str)]
    found = [label for label in met if label != label.strip()]
    if not found:
        return None
    shown = ", ".join(map(repr, found[:_NAMED])) + ", …" * (len(found) > _NAMED)
    return f"blanks at the ends of labels are part of them: {shown}"


def about_first_rows(run: Run) -> list[str]:
    """Return remarks on long texts, and on numbers in quotes, each of which is one category."""
    first, found = run.first_rows, []
    if first.long_text is not None and first.text_name is not None:
        found.append(
            f"{first.long_text}. To learn from its words, {_as_words(run, first.text_name)}. Or "
            f"leave it out: {in_shell(['--ignore', first.text_name])}."
        )
    if first.numerals is not None:
        found.append(
            f"{first.numerals}. If they are quantities, write numbers: in JSON without quotes, in "
            "Python float(value)."
        )
    if first.quantities is not None:
        found.append(
            f"{first.quantities}. If they are quantities, write plain numbers (2174, not $2,174), "
            "and say what a missing one is: --missing feature or --missing zero."
        )
    return found


def _as_words(run: Run, name: str) -> str:
    """Say how to learn from the words of a member of JSON, or of a column."""
    stream = run.stream
    if isinstance(stream, JsonStream):
        return f"name it: {in_shell(['--text', name])}"
    lines = "write lines of a label, a tab and the text"
    if not isinstance(stream, CsvStream) or stream.files != (stream.name,) or not stream.table:
        return lines
    table, file = stream.table, stream.files[0]
    label, column = (
        json.dumps(one, ensure_ascii=False) if table.headed else table.columns.index(one)
        for one in (table.label, name)
    )
    apart = "" if stream.delimiter == "," else f", delimiter={json.dumps(stream.delimiter)}"
    rows = f'open({json.dumps(file, ensure_ascii=False)}, newline=""){apart}'
    line = f'print(r[{label}], " ".join(r[{column}].split()), sep="\\t")'
    reader = "DictReader" if table.headed else "reader"
    program = f"import csv; [{line} for r in csv.{reader}({rows})]"
    text = in_shell([f"{os.path.splitext(file)[0]}.words.txt"])
    return f"{lines}: {in_shell(['python3', '-c', program])} > {text}; novikoff learn {text}"


def about_constant(run: Run) -> list[str]:
    """Return a remark if a constant feature drowns all others, which costs most with many classes.

    That is b² ≥ (R² − b²)/2: even the longest row is hardly longer without the constant b.
    """
    learner, ledger = run.learner, run.ledger
    if not isinstance(learner, Learner) or not (learner.conservative and learner.multiclass):
        return []
    b = ledger.parameters.get("bias")
    if not b or not ledger.rounds or "kernel" in ledger.parameters:
        return []
    if 3 * b * b < ledger.radius**2:
        return []
    return [
        f"the constant feature, {b:g}, is about as long as the longest row (R = "
        f"{ledger.radius:.4g} includes it). Each mistake then moves the constant's weights more "
        "than the others, and the class that was right last wins too often. Use a constant of the "
        "size of a typical value (learn --bias auto), or none."
    ]


def about_bounds(
    allowed: Iterable[tuple[str, float]], rounds: int, parameters: Mapping[str, object]
) -> list[str]:
    """Return remarks on bounds that a run of this length cannot exceed, or need not.

    The learner's ``parameters`` say which loss it has, and how many classes there are.
    """
    empty: list[str] = []
    loose: list[str] = []
    for theorem, value in allowed:
        if value >= says_nothing(theorem, rounds, parameters):
            (loose if _of_loss(theorem) else empty).append(f"{theorem} ({shown(value)})")
    guess, cost = guess_of(parameters)
    return [
        *_saying_nothing(empty, f"there were {counted(rounds, 'round')}"),
        *_saying_nothing(loose, f"always giving {guess} costs {rounds * cost:.6g}"),
    ]


def guess_of(parameters: Mapping[str, object]) -> tuple[str, float]:
    """Return the guess without any knowledge, scores of 0, and what it costs in a round.

    With C classes and the log loss that is ln C.
    """
    if parameters.get("loss") in ("hinge", "squared", "absolute"):
        return "a score of 0", 1.0
    classes = parameters.get("classes")
    if isinstance(classes, int) and classes > 2:
        return "every class the same probability", math.log(classes)
    return "a probability of ½", math.log(2)


def says_nothing(theorem: str, rounds: int, parameters: Mapping[str, object]) -> float:
    """Return the value from which on a bound says nothing about a run of this length."""
    if theorem in _ABOUT_ERROR:
        return 1
    if theorem in _OF_SQUARES:  # what guessing costs depends on the labels
        return math.inf
    return rounds * guess_of(parameters)[1] if _of_loss(theorem) else rounds


def _of_loss(theorem: str) -> bool:
    from novikoff.theory import named  # a run without bounds needs no theorem

    return named(theorem).of == "loss"


def _saying_nothing(empty: list[str], why: str) -> list[str]:
    if not empty:
        return []
    subject = (
        f"the bound {empty[0]} says" if len(empty) == 1 else f"the bounds {', '.join(empty)} say"
    )
    return [f"{subject} nothing: {why}."]


def about_error(ledger: Ledger, error: ErrorBound | None) -> list[str]:
    """Return remarks on a bound on the error to come."""
    found = []
    if error is not None and error.value >= 1:
        found.append("the bound on the error to come says nothing: it allows every error there is.")
    if error is not None and ledger.abstentions:
        found.append("the bound on the error to come counts an abstention as an error.")
    return found


def about_stream(stream: Stream | None) -> list[str]:
    """Return remarks on lines of a file that were skipped, and on a header taken as values."""
    while isinstance(stream, Wrapped):
        stream = stream.stream
    if not isinstance(stream, FileStream):
        return []
    return [*_about_heading(stream), *_about_skipped(stream)]


def _about_heading(stream: FileStream) -> list[str]:
    if not isinstance(stream, CsvStream) or stream.heading is None:
        return []
    return [
        f"the first row of {stream.name} looks like a header, but was taken as values, because the "
        "label's column has a number. Then columns of numbers count as text. Use the name of the "
        f"column: {stream.heading!r}."
    ]


def _about_skipped(stream: FileStream) -> list[str]:
    if not stream.skipped:
        return []
    more = stream.skipped - len(stream.faults)
    faults = [*stream.faults, *([f"and {more:,} more"] if more else [])]
    return [f"skipped {counted(stream.skipped, 'line')}: {'; '.join(faults)}."]


def as_remarks(remarks: Iterable[object]) -> tuple[str, ...]:
    """Return each remark once, in order."""
    return tuple(dict.fromkeys(map(str, remarks)))


def shown(bound: float, digits: int = 6) -> str:
    """Return a bound with this many digits, rounded upward, as bounds are.

    What it bounds, shown with at least as many digits but no more than ten, is never above it. It
    ignores a float's last digits: 2 with a relative error of 1e-12 is 2.

    >>> shown(2.0794415416798357), shown(9073536.2), shown(2.0000000000000004)
    ('2.07945', '9.07354e+06', '2')
    """
    if not math.isfinite(bound):
        return str(bound)
    with within(decimals(digits, ROUND_CEILING)):
        raised = +_without_noise(bound)
    return f"{float(raised):.{digits}g}"


def shown_below(least: float, digits: int = 6) -> str:
    """Return what nothing is below with this many digits, rounded downward.

    >>> shown_below(11037.26), shown_below(0.0)
    ('11037.2', '0')
    """
    with within(decimals(digits, ROUND_FLOOR)):
        lowered = +Decimal(least)
    return f"{float(lowered):.{digits}g}"


def shown_places(bound: float, places: int = 4) -> str:
    """Return a bound with this many decimals, rounded upward as in ``shown``.

    >>> shown_places(0.05112), shown_places(0.05)
    ('0.0512', '0.0500')
    """
    if not math.isfinite(bound):
        return str(bound)
    with within(_WIDE):
        return f"{_without_noise(bound).quantize(Decimal(1).scaleb(-places)):f}"


@within(_WIDE)
def _without_noise(bound: float) -> Decimal:
    exact = Decimal(bound)
    return exact - abs(exact) * _NOISE
