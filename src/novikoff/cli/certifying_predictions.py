"""``novikoff certify --predictions``: a certificate for the output of any program."""

from typing import TypedDict

from novikoff.cli.answers import answer
from novikoff.cli.escapes import visible
from novikoff.cli.inputs import opened
from novikoff.cli.plans.receipt_plans import CertifyPlan
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
    mistakes: int
    loss: float
    baseline: float
    least: float
    observed: float | None
    bound: float | None


def certify_predicted(plan: CertifyPlan) -> int:
    """Write the certificate of predictions on their data."""
    stream, given = opened(plan.reading), plan.predicted
    certificate = certify_predictions(
        given.named,
        stream,
        kind="score" if given.scores else "probability",
        penalty=PENALTY if given.penalty is None else given.penalty,
        clip=given.clip,
    )
    certificate.save(plan.certificate)
    found = _answer(certificate, plan.certificate)
    answer(plan.json, dict(found), lambda: _show(found), [UNKNOWN, *about_stream(stream)])
    return FINE


def _answer(certificate: Certificate, path: str) -> PredictionsAnswer:
    evidence = certificate.content["evidence"]
    return {
        "certificate": path,
        "theorem": certificate.theorem,
        "rows": certificate.content["data"]["rows"],
        "mistakes": evidence["mistakes"],
        "loss": evidence["loss"],
        "baseline": evidence["baseline"],
        "least": evidence["least"],
        "observed": certificate.observed,
        "bound": certificate.bound,
    }


def _show(found: PredictionsAnswer) -> None:
    rows, bound = found["rows"], found["bound"]
    assert bound is not None
    print(
        f"log loss {found['loss']:,.6g} over {counted(rows, 'row')} ({found['loss'] / rows:.4f} "
        f"each), {counted(found['mistakes'], 'mistake')} ({found['mistakes'] / rows:.2%})"
    )
    than = "no better" if found["loss"] >= found["baseline"] else "better"
    print(f"{than} than the frequency of the label, which loses {found['baseline']:,.6g}")
    print(f"no fixed weights lose less than {found['least']:,.6g} with their penalty")
    print(f"so the predictions lose at most {shown(bound)} more than any of them")
    print(f"certificate: {visible(found['certificate'])}")
