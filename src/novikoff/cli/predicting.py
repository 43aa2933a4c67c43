"""``novikoff predict``."""

import math
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from novikoff.cli.answers import print_json, tell
from novikoff.cli.escapes import as_line
from novikoff.cli.inputs import about_format, opened, read_alike
from novikoff.cli.learned import ErrorAnswer, mean_loss
from novikoff.cli.outputs import writing
from novikoff.cli.plans.predict_plan import PredictPlan
from novikoff.cli.predicting_numbers import predict_numbers
from novikoff.cli.probable import LEAST, Probable, header_of, probable, with_probabilities
from novikoff.cli.swapped_files import refuse_swapped_model
from novikoff.errors import InputError
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.protocols import ProbabilisticHypothesis
from novikoff.learners.unknown_features import UnknownFeatures
from novikoff.playing.decision_thresholds import check_probable, decided
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.receipts.calibration import calibration_error
from novikoff.receipts.fresh_bounds import clopper_pearson
from novikoff.receipts.fresh_rows import Told, rest_of
from novikoff.receipts.remarks import about_stream, shown_places
from novikoff.receipts.seen_rows import about_learned, learned_from
from novikoff.saving import storage
from novikoff.streams import Block, FileStream
from novikoff.streams.files.headers import check_columns
from novikoff.streams.labels.label_maps import plain
from novikoff.types import AnyArray, FloatArray, Label

_PAIRS = 12  # of a label and a prediction, on a screen
_NAMED = 10  # labels in a remark
_ASSUMES = "the rows are independent draws that the model has not seen"

Judged = Counter[tuple[Label, Label]]
"""How often a label got a prediction."""


class PairAnswer(TypedDict):
    """How often a label got a prediction."""

    label: Label
    predicted: Label
    count: int


@dataclass
class Seen:
    """What was predicted, and how it compares with the labels of rows that have one."""

    rows: int
    judged: Judged
    loss: float | None
    """Σ −ln P(y) over the rows with a label y; None if the model has no probabilities."""
    outcomes: list[tuple[FloatArray, AnyArray]] = field(default_factory=list)
    """Probabilities, and whether they came true, of each block."""
    learned_from: tuple[str, ...] = ()
    """The files that the model has learned from: if there are some, no bound holds."""


class Judgement(TypedDict):
    """What predictions are worth on rows that have labels; None if there are no such rows."""

    mistakes: int
    error_rate: float
    mean_loss: float | None
    calibration_error: float | None
    confusion: list[PairAnswer]
    error_bound: ErrorAnswer
    learned_from: list[str]


def predict(plan: PredictPlan) -> int:
    """Write a line per row, in the order of the input; judge predictions by labels, if any."""
    if plan.by is not None:
        from novikoff.cli.predicting_by_key import predict_by_key

        return predict_by_key(plan)
    refuse_swapped_model("predict", plan.model, plan.reading.input)
    model = loaded(plan.model)
    reading = read_alike(plan.reading, model) if isinstance(model, Run) else plan.reading
    h = _hypothesis(model, plan.model)
    if plan.probabilities and not h.real:
        with_probabilities(h)
    stream = opened(reading, labelled=False)
    if h.real:
        return predict_numbers(plan, stream, h)
    told = Told(threshold_asked(plan, model, h), rest_of(model, h.labels))
    unknown = UnknownFeatures(h)
    seen = _written(plan, stream, h, told, unknown)
    found: dict[str, object] = {"rows": seen.rows, "skipped": stream.skipped}
    remarks = [*about_stream(stream), *about_format(reading, stream)]
    remarks += [*unknown.remarks, *_about_unknown(seen, h.labels)]
    if seen.judged:
        seen.learned_from = learned_from(model, stream)
        remarks += about_learned(seen.learned_from, stream)
    return judged(plan, seen, found, remarks)


def judged(plan: PredictPlan, seen: Seen, found: dict[str, object], remarks: list[str]) -> int:
    """Tell how predictions compare with labels, if there are any."""
    judgement = _judgement(seen, plan.delta) if seen.judged else None
    if plan.json:
        print_json(found | dict(judgement or dict.fromkeys(Judgement.__annotations__)), remarks)
    elif judgement:
        _show(judgement, seen.judged.total())
    tell(remarks)
    return 0


def loaded(path: str) -> Run | Hypothesis:
    """Return what a model file holds."""
    if storage.claimed_kind(path) == "Run":
        return Run.load(path)
    storage.read(path, (*Hypothesis.kinds, "Run"))
    return Hypothesis.load(path)


def _hypothesis(model: Run | Hypothesis, path: str) -> Hypothesis:
    """Return what predicts; refuse a run that has not learned anything."""
    if isinstance(model, Hypothesis):
        return model
    if model.ledger.rounds == 0 and model.ledger.began_fresh:
        raise InputError(
            where=path,
            expected="a model that has learned something",
            got="one of 0 rounds",
            remedy="Learn first: novikoff learn INPUT --save MODEL.",
        )
    return model.hypothesis()


def threshold_asked(plan: PredictPlan, model: Run | Hypothesis, h: Hypothesis) -> float | None:
    """Return the probability from which on the positive label is given: asked for, or saved."""
    if plan.decision.at is None:
        return model.threshold if isinstance(model, Run) else None
    check_probable(h)
    return plan.decision.at


def _written(
    plan: PredictPlan, stream: FileStream, h: Hypothesis, told: Told, unknown: UnknownFeatures
) -> Seen:
    """Write what is asked for; return how many rows there are, and how they compare with labels."""
    seen = Seen(0, Counter(), 0.0 if isinstance(h, ProbabilisticHypothesis) else None)
    stream.number_like(h.columns)
    with writing(plan.output) as out:
        for rounds in unknown.watching(stream):
            if h.columns is not None and stream.feature_names is not None:
                check_columns(h.columns, stream.feature_names, stream.name)
            predictions = decided(h, rounds.rows, told.threshold)
            labels = told.called(rounds.labels, h.labels)
            chances = chances_of(plan, h, rounds.rows, labels)
            if chances is not None and seen.loss is not None:
                seen.loss += chances.loss(labels)
                seen.outcomes.append(chances.outcomes(labels))
            pairs = zip(labels, map(plain, predictions.tolist()), strict=True)
            seen.judged.update((y, p) for y, p in pairs if y is not None)
            if plan.output or not plan.json:
                out.writelines(lines_of(plan, h, rounds.rows, predictions, chances, seen.rows == 0))
                if not stream.replayable:
                    out.flush()  # whoever writes into the pipe may wait for the answer
            seen.rows += len(predictions)
        if plan.probabilities and seen.rows == 0 and (plan.output or not plan.json):
            out.write(header_of(h.labels))
    return seen


def chances_of(
    plan: PredictPlan, h: Hypothesis, rows: Block, labels: list[Label | None]
) -> Probable | None:
    """Return how likely each label is, if that is asked for or if there are labels to judge by."""
    if not isinstance(h, ProbabilisticHypothesis):
        return None
    judged = any(y is not None for y in labels)
    return probable(h, rows) if plan.probabilities or judged else None


def lines_of(
    plan: PredictPlan,
    h: Hypothesis,
    rows: Block,
    predictions: AnyArray,
    chances: Probable | None,
    first: bool,
) -> list[str]:
    """Return the lines of some rows: labels, scores or probabilities."""
    if plan.probabilities and chances is not None:
        above = [chances.header] if first and len(predictions) else []
        return [*above, chances.lines(predictions)]
    return _lines(h.scores(rows) if plan.scores else predictions)


def _lines(values: AnyArray) -> list[str]:
    if values.ndim == 2:  # a score for each class
        return ["\t".join(map(repr, row)) + "\n" for row in values.tolist()]
    return [f"{as_line(value)}\n" for value in values.tolist()]


def _judgement(seen: Seen, delta: float) -> Judgement:
    """Compare predictions with labels; a binary model answers with one of its pair."""
    total, judged = seen.judged.total(), seen.judged
    mistakes = sum(count for (y, p), count in judged.items() if y != p)
    order = sorted(judged, key=lambda pair: (str(pair[0]), str(pair[1])))
    value = clopper_pearson(mistakes, total, delta)
    return {
        "mistakes": mistakes,
        "error_rate": mistakes / total,
        "mean_loss": None if seen.loss is None else seen.loss / total,
        "calibration_error": _calibration(seen.outcomes),
        "confusion": [{"label": y, "predicted": p, "count": judged[y, p]} for y, p in order],
        "error_bound": {"value": value, "delta": delta, "assumes": _ASSUMES},
        "learned_from": [*seen.learned_from],
    }


def _about_unknown(seen: Seen, labels: tuple[Label, ...]) -> list[str]:
    """Return a remark on rows with labels that the model cannot predict."""
    known, unknown = set(labels), Counter[Label]()
    for (label, _), count in seen.judged.items():
        if known and label not in known:
            unknown[label] += count
    if not unknown:
        return []
    names = [as_line(label) for label, _ in unknown.most_common(_NAMED)]
    more = f" and {len(unknown) - _NAMED:,} more" if len(unknown) > _NAMED else ""
    cost = "" if seen.loss is None else f" and as a loss of {-math.log(LEAST):.4f}"
    rows = unknown.total()
    have = "has a label" if rows == 1 else "have labels"
    return [
        f"{counted(rows, 'row')} {have} that the model does not know ({', '.join(names)}{more}); "
        f"each counts as a mistake{cost}. novikoff test refuses such labels."
    ]


def _calibration(outcomes: list[tuple[FloatArray, AnyArray]]) -> float | None:
    if not outcomes:
        return None
    chances, came = (np.concatenate(parts) for parts in zip(*outcomes, strict=True))
    return calibration_error(chances, came)


def _calibrated(error: float | None) -> str:
    return "" if error is None else f", calibration error {error:.4f}"


def _show(found: Judgement, labelled: int) -> None:
    bound = found["error_bound"]
    sure = (
        f"error at most {shown_places(bound['value'])} with probability {1 - bound['delta']:g}, "
        f"if {bound['assumes']}"
    )
    print(
        f"{found['mistakes']:,} of {counted(labelled, 'row')} wrong ({found['error_rate']:.2%})"
        f"{mean_loss(found['mean_loss'])}{_calibrated(found['calibration_error'])}; "
        f"{'the model has learned from such rows' if found['learned_from'] else sure}",
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
