"""The receipts of ``novikoff learn``: bounds, certificate and report."""

from contextlib import suppress

from novikoff.cli.certifying import bounds_if_any
from novikoff.cli.learned import Judged, Receipts
from novikoff.cli.output_kinds import about_replaced
from novikoff.cli.outputs import Written
from novikoff.cli.plans.learn_plan import LearnPlan
from novikoff.cli.status_line import BOUNDING, CERTIFYING, doing
from novikoff.errors import HypothesisError
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.receipts.baselines import baseline_of
from novikoff.receipts.certificates import Certificate
from novikoff.receipts.conversion import ErrorBound, error_bound
from novikoff.receipts.receipt import bounds, certify
from novikoff.receipts.reread_rounds import kept
from novikoff.receipts.resumed_runs import since
from novikoff.receipts.stumps import best_feature
from novikoff.streams import Stream
from novikoff.theory import Bound


def receipts_of(
    plan: LearnPlan,
    run: Run,
    stream: Stream,
    judged: Judged,
    remarks: list[str],
    written: Written,
    start: Run | None = None,
) -> Receipts:
    """Find bounds, write the certificate and the page; say why there are no bounds, if so.

    With a start they are about the rounds since then.
    """
    found: list[Bound] = []
    why: list[str] = []
    rounds = kept(stream)  # read once more, for the comparators, the digest and the exact replay
    if start is not None:
        run, rounds = since(run, rounds, start)
        judged = _judged_since(plan, run, rounds, judged)
        why = [
            f"the bounds are about the {counted(run.ledger.rounds, 'round')} since {start.path}: "
            f"{run.ledger.headline}. Keep that model: verify needs it, with --start."
        ]
    if plan.bounds or plan.certify:
        with doing(BOUNDING):
            found = bounds(run, rounds)
    elif plan.report:
        with doing(BOUNDING):
            found, none = bounds_if_any(run, rounds)
        why += none
    about = [*why]  # what the page says, too
    certificate: Certificate | None = None
    if plan.certify:
        with doing(CERTIFYING):
            certificate = certify(run, rounds, plan.theorem, found=found, chain=plan.chain)
        why += about_replaced(plan.certify, certificate.text)
        certificate.save(plan.certify)
        written.add(plan.certify)
    if plan.report:
        from novikoff.reports import report

        said = [*about, *remarks]
        stump = None if judged.baseline is None else judged.baseline.best_feature
        delta = judged.error
        report(
            run,
            plan.report,
            found,
            certificate,
            delta=delta,
            remarks=said,
            best_feature=stump,
            tested=judged.tested,
        )
        written.add(plan.report)
    return Receipts(found, why, run.ledger.rounds)


def _judged_since(plan: LearnPlan, run: Run, rounds: Stream, judged: Judged) -> Judged:
    """Judge the rounds since the start alone, if the page shows them alone.

    The bound on the error to come holds from any start: h_t only has to be made before round t.
    """
    if plan.report is None:
        return judged
    error: ErrorBound | None = None
    if judged.error is not None:
        with suppress(HypothesisError):
            error = error_bound(run.ledger, judged.error.delta)
    return judged._replace(error=error, baseline=baseline_of(run, best_feature(run, rounds)))
