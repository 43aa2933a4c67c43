"""``novikoff certify --predictions``: a certificate for the output of any program."""

from typing import TypedDict

from novikoff.cli.answers import answer
from novikoff.cli.escapes import visible
from novikoff.cli.inputs import opened
from novikoff.cli.output_kinds import about_replaced
from novikoff.cli.plans.receipt_plans import CertifyPlan
from novikoff.cli.status_line import doing
from novikoff.playing.ledger import counted
from novikoff.receipts.certificates import Certificate
from novikoff.receipts.predictions import PENALTY, certify_predictions
from novikoff.receipts.remarks import about_stream, shown

FINE = 0
UNKNOWN = (
    "the files do not show whether each prediction was made before its label was known. The "
    "comparison is fair only if it was."
)


class PredictionsAnswer(TypedDict):
    """What ``certify --predictions`` answers."""

    certificate: str
    theorem: str
    rows: int
    mistakes: int | None
    loss: float
    baseline: float
    least: float
    observed: float | None
    bound: float | None


def certify_predicted(plan: CertifyPlan) -> int:
    """Write the certificate of predictions on their data."""
    stream, given = opened(plan.reading), plan.predicted
    with doing("looking for the best fixed weights"):
        certificate = certify_predictions(
            given.named,
            stream,
            given.loss or "logistic",
            "score" if given.scores else None,
            penalty=PENALTY if given.penalty is None else given.penalty,
            clip=given.clip,
        )
    replaced = about_replaced(plan.certificate, certificate.text)
    certificate.save(plan.certificate)
    found = _answer(certificate, plan.certificate)
    answer(
        plan.json, dict(found), lambda: _show(found), [UNKNOWN, *about_stream(stream), *replaced]
    )
    return FINE


def _answer(certificate: Certificate, path: str) -> PredictionsAnswer:
    evidence = certificate.content["evidence"]
    return {
        "certificate": path,
        "theorem": certificate.theorem,
        "rows": certificate.content["data"]["rows"],
        "mistakes": evidence.get("mistakes"),
        "loss": evidence["loss"],
        "baseline": evidence["baseline"],
        "least": evidence["least"],
        "observed": certificate.observed,
        "bound": certificate.bound,
    }


def _show(found: PredictionsAnswer) -> None:
    rows, bound, mistakes = found["rows"], found["bound"], found["mistakes"]
    assert bound is not None
    real = mistakes is None
    wrong = "" if mistakes is None else f", {counted(mistakes, 'mistake')} ({mistakes / rows:.2%})"
    print(
        f"{'squared' if real else 'log'} loss {found['loss']:,.6g} over {counted(rows, 'row')} "
        f"({found['loss'] / rows:.4g} each){wrong}"
    )
    than = "no better" if found["loss"] >= found["baseline"] else "better"
    constant = "the mean of the labels" if real else "the frequency of the label"
    print(f"{than} than {constant}, which loses {found['baseline']:,.6g}")
    print(f"no fixed weights lose less than {found['least']:,.6g} with their penalty")
    print(f"so the predictions lose at most {shown(bound)} more than any of them")
    print(f"certificate: {visible(found['certificate'])}")
