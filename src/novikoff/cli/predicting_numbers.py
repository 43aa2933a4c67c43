"""``novikoff predict`` with a model of real labels: it writes numbers."""

import math
import sys

from novikoff.cli.answers import print_json, tell
from novikoff.cli.outputs import writing
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.predict_plan import PredictPlan
from novikoff.cli.regression_words import squared_error
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.unknown_features import UnknownFeatures
from novikoff.playing.ledger import counted
from novikoff.receipts.remarks import about_stream
from novikoff.streams import FileStream, RealLabels
from novikoff.streams.files.headers import check_columns
from novikoff.streams.labels.label_maps import plain
from novikoff.types import PerRound

_NOT_JUDGED = ("mistakes", "error_rate", "calibration_error", "confusion", "error_bound")


def predict_numbers(plan: PredictPlan, stream: FileStream, h: Hypothesis) -> int:
    """Write a number per row, in the order of the input; judge them by labels, if any."""
    if plan.probabilities or plan.decision.at is not None:
        option = "--probabilities" if plan.probabilities else "--threshold"
        raise UsageError(f"{option}: expected none with a model whose labels are numbers.")
    rows, errors, labels = 0, list[float](), list[float]()
    stream.number_like(h.columns)
    unknown = UnknownFeatures(h)
    with writing(plan.output) as out:
        for rounds in unknown.watching(stream):
            if h.columns is not None and stream.feature_names is not None:
                check_columns(h.columns, stream.feature_names, stream.name)
            found: list[float] = h.predict(rounds.rows).tolist()
            for y, p in _judged(rounds.labels, found, rows + 1):
                errors.append((y - p) ** 2)
                labels.append(y)
            if plan.output or not plan.json:
                out.writelines(f"{value!r}\n" for value in found)
                if not stream.replayable:
                    out.flush()  # whoever writes into the pipe may wait for the answer
            rows += len(found)
    remarks = [*about_stream(stream), *unknown.remarks]
    loss = math.fsum(errors) / len(errors) if errors else None
    if plan.json:
        told = {"rows": rows, "skipped": stream.skipped, "mean_loss": loss}
        print_json(told | dict.fromkeys(_NOT_JUDGED), remarks)
    elif loss is not None:
        mean = math.fsum(labels) / len(labels)
        without = math.fsum((y - mean) ** 2 for y in labels) / len(labels)
        words = squared_error(loss, mean, without)
        print(f"{counted(len(labels), 'row')}: {words}", file=sys.stderr)
    tell(remarks)
    return 0


def _judged(labels: PerRound, found: list[float], first: int) -> list[tuple[float, float]]:
    """Return the rows that have a label: (label, prediction)."""
    pairs = [(plain(y), p) for y, p in zip(labels, found, strict=True)]
    known = [(y, p) for y, p in pairs if y is not None]
    numbers = RealLabels().encode([y for y, _ in known], first)
    return list(zip(numbers.tolist(), [p for _, p in known], strict=True))
