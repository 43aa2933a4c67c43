"""``novikoff learn``."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from novikoff.cli.answers import print_json, tell
from novikoff.cli.held_out import (
    about_held_out,
    held_out_answer,
    held_out_test,
    show_held_out,
    with_held_out,
)
from novikoff.cli.inputs import opened
from novikoff.cli.learned import (
    Judged,
    Read,
    Receipts,
    receipts_answer,
    run_answer,
    show_run,
)
from novikoff.cli.learning_bias import with_bias
from novikoff.cli.learning_labels import declare_labels
from novikoff.cli.learning_remarks import (
    about_before,
    about_best_feature,
    about_cross,
    about_hashing,
    about_numbers,
    about_unsaved,
    check_played,
)
from novikoff.cli.listed_bounds import show_receipts
from novikoff.cli.outputs import Written, check_outputs
from novikoff.cli.parser import UsageError
from novikoff.cli.pass_words import first_pass, show_passes
from novikoff.cli.plans.learn_plan import LearnPlan
from novikoff.cli.plans.reading_plan import used_up
from novikoff.cli.regression_words import show_regression
from novikoff.cli.regular_saves import RegularSaves
from novikoff.cli.resuming import (
    begun,
    check_goes_on,
    check_start_kept,
    goes_on,
    has_other_rounds,
    is_again,
    may_be_written,
    read_how,
    start_of,
    started_from,
    with_presence,
)
from novikoff.errors import HypothesisError
from novikoff.interrupts import listening, stoppable, waiting
from novikoff.playing.ledger import counted
from novikoff.playing.progress import Progress, as_progress
from novikoff.playing.run import Run
from novikoff.playing.saved_run import Reading
from novikoff.receipts.baselines import about_baseline, baseline_of
from novikoff.receipts.conversion import ErrorBound, error_bound, last_error_bound
from novikoff.receipts.remarks import about_run
from novikoff.streams import FileStream, Stream

if TYPE_CHECKING:  # most runs read nothing again
    from novikoff.receipts.stumps import Stump


def learn(plan: LearnPlan) -> int:
    """Play the input; save, certify and draw what is asked for."""
    if plan.compare is not None:
        from novikoff.cli.comparing import compare

        return compare(plan)
    if plan.keyed.by is not None:
        from novikoff.cli.learning_by_key import learn_by_key

        return learn_by_key(plan)
    if plan.cluster is not None:
        from novikoff.cli.clustering import learn_in_shards

        return learn_in_shards(plan)
    if plan.stdio:
        from novikoff.cli.asking import converse

        return converse(plan)
    plan = with_held_out(plan)
    plan, chosen = with_bias(plan)
    presence = plan.reading.presence
    run, plan = begun(plan)
    check_start_kept(plan, run)
    if plan.report is not None and not run.ledger.judges:
        raise UsageError(
            f"--report: expected a learner of labels, got {run.ledger.learner}, whose labels are "
            "numbers. The page shows mistakes: leave it out."
        )
    stream = opened(plan.reading)
    plan.check_format(stream.format)
    if presence:
        run, plan = with_presence(plan, run, stream)
    if plan.resume is not None:
        check_goes_on(plan, run, stream)
    else:
        declare_labels([run.learner], stream)
    plan, remarks = _with_model(plan, run, stream)
    start = start_of(plan, run, stream) if plan.is_receipt_asked else None
    others = has_other_rounds(plan, run, stream)
    resumed = others or (plan.resume is not None and not goes_on(run))
    again = _noted(plan, run, stream, start)
    with Written() as written:
        seconds = _learned(plan, run, stream, written)
        return answered(
            plan, run, stream, Played(seconds, [*remarks, *chosen], others, resumed, again, start),
            written,
        )  # fmt: skip


class Played(NamedTuple):
    """What a play adds to its run: how long it took, and where it began."""

    seconds: float
    remarks: list[str]
    others: bool = False
    """Whether the run has also learned from other rounds."""
    resumed: bool = False
    again: bool = False
    """Whether some rounds were not fresh."""
    start: Run | None = None


def answered(
    plan: LearnPlan, run: Run, stream: FileStream, played: Played, written: Written
) -> int:
    """Show what a run has learned, with the receipts that are asked for."""
    fresh = not played.again
    error = error_bound_if_any(run, plan.delta, plan.report is not None) if fresh else None
    rounds = _kept(stream) if plan.is_reread else stream
    tested = held_out_test(plan, run)
    stump = None if played.others else _best_feature(plan, run, rounds)
    judged = Judged(error, baseline_of(run, stump), tested)
    found = run_answer(run, Read(stream.format, stream.skipped), played.seconds, judged)
    if not plan.json:
        show_held_out(tested)
    one = None if played.resumed or plan.cluster is not None else first_pass(run.ledger)
    if not plan.json and run.ledger.judges:
        show_run(found, run.ledger, judged.baseline, stream.name, played.resumed)
        show_passes(one, run.ledger.passes, run.converged)
    elif not plan.json:
        show_regression(run, stream.name, stream.format, played.seconds, played.resumed)
    remarks = [
        *played.remarks,
        *about_before(played.again),
        *about_unsaved(plan.resume, plan.save, not (plan.json or plan.certify or plan.report)),
        *about_numbers(run.ledger),
        *about_best_feature(plan.baselines and played.others),
        *about_hashing(plan.learner.hash_bits, run.learner),
        *about_cross(run.learner),
        *about_held_out(plan, tested),
    ]
    receipts = _receipts(plan, run, rounds, judged, remarks, written, played.start)
    said = about_baseline(run.ledger, judged.baseline, first=plan.json)
    about = about_run(run, receipts.bounds, error, receipts.rounds)
    remarks = [*said, *about, *receipts.why, *remarks]
    files = receipts_answer(plan, receipts.bounds, stream.readings)
    if plan.json:
        held_out = held_out_answer(tested)
        print_json({**found, "first_pass": one, "held_out": held_out, **files}, remarks)
    else:
        show_receipts(files, receipts.rounds, run.ledger.parameters)
    tell(remarks)
    return 0


def _with_model(plan: LearnPlan, run: Run, stream: FileStream) -> tuple[LearnPlan, list[str]]:
    """Do not overwrite another model that happens to have this name, and say so."""
    remarks = []
    if plan.save_unnamed and plan.save and not may_be_written(plan, run, stream):
        remarks = [
            f"{plan.save} is another model, and is left as it is. Name this one with --save."
        ]
        plan = replace(plan, save=None, save_unnamed=False)
    if plan.is_reread and not stream.replayable:
        raise used_up(stream.files)
    check_outputs(stream.files, plan.save, plan.certify, plan.report)
    return plan, remarks


def _noted(plan: LearnPlan, run: Run, stream: FileStream, start: Run | None) -> bool:
    """Note in the run what it reads, and how; say whether some rounds will not be fresh."""
    earlier = (run.reading or {}).get("input", [])
    again = is_again(run, stream, earlier)
    if plan.certify is not None and plan.resume is not None:
        _check_resumed_receipt(plan, run, start, again)
    reading = read_how(plan, stream)
    run.files = {"input": list(stream.files), "reading": reading} if stream.replayable else {}
    about: Reading = {"input": [*dict.fromkeys([*earlier, *stream.files])], "again": again}
    if (begun := started_from(plan, run)) is not None:
        about["start"] = begun
    run.reading = reading | about
    return again


def _check_resumed_receipt(plan: LearnPlan, run: Run, start: Run | None, again: bool) -> None:
    """Refuse, before the first round, a certificate that a resumed run cannot have."""
    from novikoff.receipts.certificates import check_certifiable
    from novikoff.theory.batch_theorems import ABOUT_MEAN_ERROR

    if again and plan.theorem in ABOUT_MEAN_ERROR:
        raise HypothesisError(
            f"certify: expected rounds that the run has not learned from for {plan.theorem}, got a "
            "file that it had played before. If its rows are new, put them in a file of their own."
        )
    check_certifiable(run if start is None else start.continued(), plan.theorem)


def _learned(plan: LearnPlan, run: Run, stream: FileStream, written: Written) -> float:
    """Play the rounds and save the run; return the seconds that the rounds took."""
    began = time.perf_counter()
    with stoppable(), waiting():  # until the model is there
        _play(plan, run, stream, written)
        seconds = time.perf_counter() - began
        check_played(run.ledger, stream, run.labels.others)
        _save(plan, run, written)
    return seconds


def _save(plan: LearnPlan, run: Run, written: Written) -> None:
    if plan.save:
        run.save(plan.save)
        written.add(plan.save)


def _play(plan: LearnPlan, run: Run, stream: FileStream, written: Written) -> None:
    saves = RegularSaves(lambda: _save(plan, run, written), plan.save_every)
    waking = nullcontext() if stream.replayable else saves.waking()  # a file never waits
    shown = as_progress(plan.progress or (plan.is_receipt_asked and _is_watched()) or None)
    with _saved_at_a_stop(plan, run, written), listening(), shown as bar, waking:

        def report(progress: Progress) -> None:
            saves.changed()
            if bar is not None:
                bar(progress)

        if goes_on(run):
            run.go_on(stream, progress=report)
        elif plan.max_passes is None:
            run.play(stream, passes=plan.passes, until_clean=plan.until_clean, progress=report)
        else:
            run.play(stream, until_clean=True, max_passes=plan.max_passes, progress=report)


def _is_watched() -> bool:
    """Say whether somebody sits at a terminal."""
    from novikoff.cli.status_line import on_terminal

    return on_terminal()


@contextmanager
def _saved_at_a_stop(plan: LearnPlan, run: Run, written: Written) -> Iterator[None]:
    """Keep what was learned when Ctrl-C or SIGTERM stops a run that is to be saved."""
    began = run.ledger.rounds
    try:
        yield
    except KeyboardInterrupt:
        after = f"after {counted(run.ledger.rounds, 'round')}"
        if not plan.save:
            raise KeyboardInterrupt(f"{after}; nothing is saved without --save.") from None
        if run.ledger.rounds == began:
            there = os.path.exists(plan.save)
            left = f"{plan.save} is as it was" if there else "there is no model to save"
            raise KeyboardInterrupt(f"{after}; nothing was learned, and {left}.") from None
        rest = ""
        if not run.files:  # standard input, of which nobody has the beginning any more
            run.unfinished, rest = None, " and the rows that follow"
        run.save(plan.save)
        written.files.clear()  # the one file that was written is named here
        raise KeyboardInterrupt(f"{after}; go on with --resume {plan.save}{rest}.") from None


def error_bound_if_any(run: Run, delta: float, along: bool = False) -> ErrorBound | None:
    """Return a bound on the error to come; None if no theorem gives one.

    A report also shows the bounds along the run.
    """
    try:
        return (error_bound if along else last_error_bound)(run.ledger, delta)
    except HypothesisError:
        return None


def _kept(stream: FileStream) -> Stream:
    """Read the rows only once more, whatever is asked for."""
    from novikoff.receipts.reread_rounds import kept

    return kept(stream)


def _best_feature(plan: LearnPlan, run: Run, stream: Stream) -> "Stump | None":
    """Look for the best single feature, if it is asked for: that reads the rows again."""
    if not plan.wants_best_feature:
        return None
    from novikoff.receipts.stumps import best_feature

    return best_feature(run, stream)


def _receipts(
    plan: LearnPlan,
    run: Run,
    stream: Stream,
    judged: Judged,
    remarks: list[str],
    written: Written,
    start: Run | None,
) -> Receipts:
    """Find bounds, write the certificate and the page, if any of it is asked for."""
    if not plan.is_receipt_asked:
        return Receipts([], [])
    from novikoff.cli.learning_receipts import receipts_of  # with all theorems and comparators

    return receipts_of(plan, run, stream, judged, remarks, written, start)
