"""``novikoff test``: a saved model on rows that it has not learned from."""

import hashlib
from pathlib import Path
from typing import TypedDict

from novikoff.cli.answers import answer
from novikoff.cli.escapes import as_line, visible
from novikoff.cli.inputs import opened, read_alike
from novikoff.cli.learned import ErrorAnswer, GuessAnswer
from novikoff.cli.outputs import Written, writing
from novikoff.cli.plans.fresh_plan import FreshPlan, TestFiles
from novikoff.cli.plans.reading_plan import used_up
from novikoff.cli.predicting import PairAnswer, loaded
from novikoff.cli.swapped_files import refuse_swapped_model
from novikoff.errors import InputError
from novikoff.learners.hypothesis import Hypothesis
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.receipts.fresh_testing import FreshLoss, FreshTest, tested
from novikoff.receipts.remarks import about_stream, shown_places
from novikoff.streams import FileStream
from novikoff.streams.files.recorded import in_shell, read_as_recorded, recorded

_PAIRS = 12  # of a label and a prediction, on a screen


class BinAnswer(TypedDict):
    """The rows whose probability lies from low to high, and how often it came true."""

    low: float
    high: float
    rows: int
    mean: float
    happened: int
    interval: list[float]


class LossAnswer(TypedDict):
    """The log loss of clipped probabilities."""

    value: float
    bound: float
    clip: float
    calibration_error: float
    bins: list[BinAnswer]


class FilesAnswer(TypedDict):
    """The files of certificates: null for the loss of labels, or of many classes."""

    error: str
    loss: str | None
    predictions: str


class TestAnswer(TypedDict):
    """What a frozen model did on new rows."""

    rows: int
    errors: int
    error_rate: float
    error_bound: ErrorAnswer
    learned_from: list[str]
    """Files of rows that the model has learned from: if there are some, no bound holds."""
    interval: list[float]
    baseline: GuessAnswer
    beats_baseline: bool
    loss: LossAnswer | None
    confusion: list[PairAnswer]


def test(plan: FreshPlan) -> int:
    """Test a saved model on the rows of files."""
    refuse_swapped_model("test", plan.model, plan.reading.input)
    model = loaded(plan.model)
    reading = read_alike(plan.reading, model) if isinstance(model, Run) else plan.reading
    stream = opened(reading)
    if plan.certify is not None and not stream.replayable:
        raise used_up(stream.files)
    found = tested(model, stream, delta=plan.delta, clip=plan.clip, threshold=plan.decision.at)
    remarks = [*about_stream(stream), *about_test(found)]
    written = None if plan.outputs is None else _certified(plan, plan.outputs, model, found, stream)
    if plan.report is not None:
        _drawn(plan.report, plan.model, model, found, remarks)
    files = {"certified": written, "report": plan.report}
    shown = {**test_answer(found), "skipped": stream.skipped, **files}

    def show() -> None:
        show_test(found)
        if written is not None:
            _show_files(written, stream)
        if plan.report is not None:
            print(f"report: {visible(plan.report)}")

    answer(plan.json, shown, show, remarks)
    return 0


def _drawn(
    page: str, path: str, model: Run | Hypothesis, found: FreshTest, remarks: list[str]
) -> None:
    """Draw the report of the model's run, whose headline is about the test."""
    from novikoff.reports import report

    if not isinstance(model, Run):
        raise InputError(
            f"{path}: expected a model with its run for a report, got a hypothesis alone. Test the "
            "file that learn --save wrote."
        )
    again = bool((model.reading or {}).get("again"))
    report(model, page, delta=None if again else found.delta, tested=found, remarks=remarks)


def _certified(
    plan: FreshPlan,
    files: TestFiles,
    model: Run | Hypothesis,
    found: FreshTest,
    stream: FileStream,
) -> FilesAnswer:
    """Write the predictions, and certificates that are about that file."""
    from novikoff.receipts.fresh_certificates import certify_error, certify_loss, naming, predicted

    said = predicted(model, stream, plan.decision.at)
    # The rows as verify will read them: by the file's own columns, not by those of the model.
    rows = read_as_recorded(stream.files, recorded(stream), plan.reading.threads)
    digest = hashlib.sha256(Path(plan.model).read_bytes()).hexdigest()
    with Written() as written:
        with writing(files.predictions) as out:
            out.writelines(f"{value!r}\n" if isinstance(value, float) else f"{value}\n"
                           for value in said.values)  # fmt: skip
        written.add(files.predictions)
        naming(certify_error(found, said, files.predictions, rows), digest).save(files.error)
        written.add(files.error)
        loss = certify_loss(found, said, files.predictions, rows)
        if loss is not None:
            naming(loss, digest).save(files.loss)
    return {
        "error": files.error,
        "loss": None if loss is None else files.loss,
        "predictions": files.predictions,
    }


def _show_files(files: FilesAnswer, stream: FileStream) -> None:
    for kind in ("error", "loss"):
        if (path := files[kind]) is not None:
            print(f"certificate of the {kind}: {visible(path)}")
    command = ["novikoff", "verify", files["error"], *stream.files, "--predictions"]
    print(f"checked by: {in_shell([*command, files['predictions']])}")


def test_answer(found: FreshTest) -> TestAnswer:
    """Return a test as JSON has it."""
    return {
        "rows": found.rows,
        "errors": found.errors,
        "error_rate": found.error_rate,
        "error_bound": {
            "value": found.error_bound,
            "delta": found.delta,
            "assumes": found.assumes,
        },
        "learned_from": [*found.learned_from],
        "interval": [*found.interval],
        "baseline": {
            "label": found.majority,
            "error_rate": found.majority_error,
            "mean_loss": found.entropy,
        },
        "beats_baseline": found.beats_baseline,
        "loss": None if found.loss is None else _loss_answer(found.loss),
        "confusion": [
            {"label": label, "predicted": predicted, "count": count}
            for label, predicted, count in found.confusion
        ],
    }


def _loss_answer(loss: FreshLoss) -> LossAnswer:
    return {
        "value": loss.mean,
        "bound": loss.bound,
        "clip": loss.clip,
        "calibration_error": loss.calibration_error,
        "bins": [
            {
                "low": one.low,
                "high": one.high,
                "rows": one.rows,
                "mean": one.mean,
                "happened": one.happened,
                "interval": [*one.interval],
            }
            for one in loss.bins
        ],
    }


def headline(found: FreshTest) -> str:
    """Say in one line how good the model is, how sure that is, and compared with what.

    If the model may have learned from the rows, nothing is sure.
    """
    below = found.error_rate < found.majority_error
    rows = f"{counted(found.rows, 'new row')}: {_at_most(found)}"
    if found.learned_from:
        rows = f"{counted(found.rows, 'row')}, some or all of which it has learned from"
    worse = "" if below else " (the model is no better)"
    return (
        f"the model as saved is wrong on {found.error_rate:.2%} of {rows} · always guessing "
        f"{visible(repr(found.majority))}: {found.majority_error:.2%}{worse}"
    )


def _at_most(found: FreshTest) -> str:
    """Return the bound on the error in words."""
    most = f"at most {_percent(found.error_bound)}"
    return f"{most}, with probability {_sure(found)}, if rows are independent"


def show_test(found: FreshTest, whole: bool = True) -> None:
    """Print what a test found; only how good the model is, unless all of it is asked for."""
    print(headline(found))
    if found.loss is not None:
        worse = " (the model is no better)" * (found.loss.mean >= found.entropy)
        print(
            f"mean log loss {found.loss.mean:.4f}"
            + f": at most {shown_places(found.loss.bound)}, with probability {_sure(found)}"
            * (not found.learned_from)
            + f", probabilities clipped at {found.loss.clip:g} · "
            f"label frequencies alone: {found.entropy:.4f}{worse}"
        )
    if whole and found.loss is not None:
        _show_calibration(found.loss, sure=not found.learned_from)
    if whole:
        _show_pairs(found)


def _show_calibration(loss: FreshLoss, sure: bool) -> None:
    """Print how often what was given a probability came true; with intervals, if they are sure."""
    print(f"calibration error {loss.calibration_error:.4f}; of rows given a probability")
    for one in loss.bins:
        low, high = one.interval
        wrong = "" if one.calibrated else ", which does not fit"
        between = f", between {low:.1%} and {high:.1%}{wrong}"
        print(
            f"  {one.low:4.0%} to {one.high:4.0%} ({one.mean:.1%} on average): "
            f"{one.happened / one.rows:.1%} of {one.rows:,} came true{between * sure}"
        )


def _show_pairs(found: FreshTest) -> None:
    pairs = [pair for pair in found.confusion if pair[0] != pair[1]]
    for label, predicted, count in sorted(pairs, key=lambda pair: -pair[2])[:_PAIRS]:
        print(f"  {as_line(label):<12} called {as_line(predicted):<12} {count:,}")
    if len(pairs) > _PAIRS:
        print(f"  and {counted(len(pairs) - _PAIRS, 'pair')} more, which --json has")


def about_test(found: FreshTest) -> list[str]:
    """Return remarks on what a test says less than it seems to."""
    remarks = [*found.remarks]
    if sum(label != found.majority for label, *_ in found.confusion) == 0:
        remarks.append("every new row has the same label; the test tells nothing apart.")
    return remarks


def _sure(found: FreshTest) -> str:
    """Return 1 − δ in per cent."""
    return f"{100 * (1 - found.delta):.6g}%"


def _percent(share: float) -> str:
    """Return a share in per cent, rounded upward.

    >>> _percent(0.03571)
    '3.58%'
    """
    return f"{shown_places(share * 100, 2)}%"
