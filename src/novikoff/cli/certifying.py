"""``novikoff certify``, ``margin`` and ``report``."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TypedDict

import numpy as np

from novikoff import verifier
from novikoff.cli.answers import answer
from novikoff.cli.certifying_predictions import certify_predicted
from novikoff.cli.escapes import visible
from novikoff.cli.inputs import opened, read_alike
from novikoff.cli.learning_remarks import about_before
from novikoff.cli.listed_bounds import read_so_often
from novikoff.cli.output_kinds import about_replaced
from novikoff.cli.plans.reading_plan import ReadingPlan
from novikoff.cli.plans.receipt_plans import CertifyPlan, MarginPlan, ReportPlan
from novikoff.cli.remedies import in_options
from novikoff.cli.status_line import BOUNDING, doing
from novikoff.cli.swapped_files import refuse_swapped_model
from novikoff.comparators import margin as margin_of
from novikoff.errors import HypothesisError
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.receipts.certificates import Certificate
from novikoff.receipts.receipt import bounds
from novikoff.receipts.receipt import certify as certified
from novikoff.receipts.remarks import about_bounds, about_run, about_stream, shown, shown_places
from novikoff.receipts.reread_rounds import OtherRoundsError, check_rounds, kept
from novikoff.receipts.stumps import best_feature
from novikoff.streams import FileStream, Stream
from novikoff.streams.whole_stream import whole
from novikoff.theory import Bound
from novikoff.theory.batch_theorems import ABOUT_MEAN_ERROR

FINE = 0


class MarginAnswer(TypedDict):
    """What ``margin`` answers."""

    separable: bool | None
    margin: float | None
    interval: list[float]
    radius: float
    novikoff_bound: float | None
    witness: "WitnessAnswer | None"
    certificate: str | None


class WitnessAnswer(TypedDict):
    """The rows that prove that nothing separates them, and their weights."""

    rows: list[int]
    weights: list[str]


def certify(plan: CertifyPlan) -> int:
    """Write the certificate of a saved run on its data, or of predictions."""
    if plan.model is None:
        return certify_predicted(plan)
    refuse_swapped_model("certify", plan.model, plan.reading.input)
    run = Run.load(plan.model)
    stream = opened(read_alike(plan.reading, run))
    path = plan.certificate
    start = plan.start or _start_of_log(stream)
    with doing("looking for the smallest bound, and replaying the run exactly"):
        certificate = certified(run, stream, plan.theorem, start=start, chain=plan.chain)
    replaced = about_replaced(path, certificate.text)
    certificate.save(path)
    found = {
        "certificate": path,
        "theorem": certificate.theorem,
        "observed": certificate.observed,
        "bound": certificate.bound,
        "readings": stream.readings,
    }

    def show() -> None:
        print(claim(certificate.theorem, certificate.observed, certificate.bound))
        print(f"certificate: {visible(path)} ({read_so_often(stream.readings)})")

    run.stream = stream
    ledger = run.ledger
    empty = about_empty(certificate.theorem, certificate.bound, ledger.rounds, ledger.parameters)
    remarks = [*about_run(run), *empty, *replaced]
    answer(plan.json, found, show, remarks)
    return FINE


def _start_of_log(stream: FileStream) -> str | None:
    """Return the model that the log of a service begins from, if its rounds go on from one."""
    if stream.format != "log" or len(stream.files) != 1:
        return None
    from novikoff.streams.log.log_stream import start_of

    return start_of(stream.files[0])


def about_empty(
    theorem: str | None, bound: float | None, rounds: int, parameters: Mapping[str, object]
) -> list[str]:
    """Return a remark if what is certified says nothing."""
    if theorem is None or bound is None or theorem in verifier.PREDICTION_CLAIMS:
        return []
    return about_bounds([(theorem, bound)], rounds, parameters)


def claim(theorem: str | None, observed: float | None, bound: float | None) -> str:
    """Return what a certificate says in one line."""
    if bound is None:  # about data only
        return str(theorem)
    if observed is None:  # about draws
        return f"{theorem}, bound {shown(bound)}"
    if theorem in (*ABOUT_MEAN_ERROR, "clopper-pearson"):
        made = counted(int(observed), "mistake")
        return f"{theorem}, {made}, error at most {shown_places(bound)}"
    if theorem in ("fixed-weights", "fixed-weights-squared"):
        return f"{theorem}, loss at most {shown(bound)} above that of any fixed weights"
    return f"{theorem}, {observed:,.10g} ≤ {shown(bound)}"


def margin(plan: MarginPlan) -> int:
    """Say whether the rows are separable, with what proves it."""
    stream = opened(plan.reading)
    rows, labels = whole(stream)
    with doing("looking for the margin"):
        found = margin_of(rows, labels, positive=stream.positive, bias=plan.bias)
    if plan.certify:
        certified(found, stream).save(plan.certify)
    witness: WitnessAnswer | None = None
    if found.witness is not None:
        numbers = [int(t) + 1 for t in found.witness.rows]
        witness = {"rows": numbers, "weights": [str(a) for a in found.witness.weights]}
    summary: MarginAnswer = {
        "separable": found.separable,
        "margin": found.value,
        "interval": list(found.interval),
        "radius": found.radius,
        "novikoff_bound": found.bound,
        "witness": witness,
        "certificate": plan.certify,
    }
    answer(plan.json, summary, lambda: _show_margin(summary), about_stream(stream))
    return FINE


def _show_margin(found: MarginAnswer) -> None:
    bound = found["novikoff_bound"]
    if found["separable"] and bound is not None:
        print(
            f"separable: margin {found['margin']:.6g}, radius {found['radius']:.6g}; a perceptron "
            f"makes at most {shown(bound)} mistakes"
        )
    elif found["witness"] is not None:
        count = len(found["witness"]["rows"])
        print(f"not separable: {counted(count, 'row')} {'proves' if count == 1 else 'prove'} it")
    else:
        low, high = found["interval"]
        print(f"undecided: the margin is between {low:.6g} and {high:.6g}")
    if found["certificate"]:
        print(f"certificate: {visible(found['certificate'])}")


def bounds_if_any(run: Run, stream: Stream, same: bool = False) -> tuple[list[Bound], list[str]]:
    """Return the bounds of a run for its report, or why there are none: it is drawn anyway.

    If the rounds must be the ``same``, others are an error.
    """
    try:
        return bounds(run, stream), []
    except HypothesisError as error:
        if same and isinstance(error, OtherRoundsError):
            raise
        return [], [f"no bounds: {in_options(error)}"]


def report(plan: ReportPlan) -> int:
    """Draw the report of a saved run on its data."""
    from novikoff.reports import report as drawn

    refuse_swapped_model("report", plan.model, plan.reading.input)
    run = Run.load(plan.model)
    stream = opened(_as_many(read_alike(plan.reading, run), run))
    certificate = Certificate.load(plan.certificate) if plan.certificate else None
    run, source, about = _since_start(run, stream)
    source = kept(source)  # read once more, for the bounds and the best single feature
    with doing(BOUNDING):
        found, why = bounds_if_any(run, source, same=True)
    if why:
        check_rounds(run, source)
        _look(run, stream)
    run.stream, why = stream, [*about, *why]
    again = bool((run.reading or {}).get("again"))
    why += about_before(again)
    delta = None if again else 0.05
    drawn(
        run,
        plan.page,
        bounds=found,
        certificate=certificate,
        delta=delta,
        remarks=why,
        best_feature=best_feature(run, source),
    )
    answer(
        plan.json,
        {"report": plan.page},
        lambda: print(f"report: {visible(plan.page)}"),
        [*about_run(run, found), *why],
    )
    return FINE


def _as_many(reading: ReadingPlan, run: Run) -> ReadingPlan:
    """Read only the first rows of a file, if the run did and nobody says otherwise."""
    first = (run.reading or {}).get("first")
    if reading.first is None and isinstance(first, int):
        return replace(reading, first=first)
    return reading


def _since_start(run: Run, stream: FileStream) -> tuple[Run, Stream, list[str]]:
    """Return the rounds since the model that a run went on from, if it did and these are they."""
    from novikoff.receipts.resumed_runs import since

    start = (run.reading or {}).get("start")
    if start is not None and os.path.isfile(str(start)):
        with suppress(HypothesisError):
            part, source = since(run, stream, str(start))
            rounds = counted(part.ledger.rounds, "round")
            return part, source, [f"the report is about the {rounds} since {start}."]
    return run, stream, []


def _look(run: Run, stream: FileStream) -> None:
    """See in which order the labels of a run's file are, if nothing else read it."""
    if not run.order.counts:
        labels = run.labels.copy()
        for rounds in stream.blocks():
            run.order.add(np.asarray(labels.encode(rounds.labels)))
