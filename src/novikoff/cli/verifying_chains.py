"""Verifying chains, ``novikoff verify --chain``: certificates of day after day."""

from novikoff import verifier
from novikoff.cli.answers import answer
from novikoff.cli.inputs import refuse_empty
from novikoff.cli.plans.receipt_plans import VerifyPlan
from novikoff.errors import VerificationError
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.receipts.certificate_chains import judged_chain
from novikoff.receipts.certificates import Certificate, certificate_bytes
from novikoff.receipts.remarks import shown
from novikoff.streams import FileStream
from novikoff.streams.files.recorded import read_as_recorded, taken_reading
from novikoff.theory import named

FINE, REFUSED = 0, 1
_UNSTATED = "does not say in which state it ended"


def verify_chain(plan: VerifyPlan) -> int:
    """Verify that certificates follow each other; with their data, that they are true."""
    texts = [certificate_bytes(path) for path in plan.certificates]
    certificates = [_made(text) for text in texts]
    start = None if plan.start is None else Run.load(plan.start)
    streams = _opened(plan, certificates, start)
    found = judged_chain(texts, streams, start)

    def show() -> None:
        if found.verified is False:
            print(f"refused: {found.reason}")
            return
        about = certificates[0]
        of_loss = about is not None and named(about.theorem).of == "loss"
        what = "in loss" if of_loss else "mistakes"
        print(
            f"{counted(found.certificates, 'certificate')}, {counted(found.rounds or 0, 'round')}: "
            f"{found.observed:,.10g} {what}, at most {shown(found.bound or 0.0)} allowed"
        )
        word = "verified" if found.verified else "linked, not verified"
        print(f"{word}: {found.reason}")

    remarks = _unchecked(plan, certificates) if found.verified is not False else []
    if found.reason.endswith(_UNSTATED):
        remarks.append("certify that one again: novikoff certify MODEL FILE --chain.")
    answer(plan.json, found._asdict() | {"data": list(plan.data) or None}, show, remarks)
    if found.verified is None:
        return verifier.NOT_CHECKED
    return FINE if found.verified else REFUSED


def _made(text: bytes) -> Certificate | None:
    """Return the certificate of a text; None if it is refused whatever the data are."""
    try:
        return Certificate(text)
    except VerificationError:
        return None


def _opened(
    plan: VerifyPlan, certificates: list[Certificate | None], start: Run | None
) -> list[FileStream]:
    """Open the data of every certificate, each read as it notes and like those before it."""
    found: list[FileStream] = []
    for path, certificate in zip(plan.data, certificates, strict=False):
        noted = {} if certificate is None else certificate.reading or {}
        taken = taken_reading((path,), noted)
        stream = refuse_empty(read_as_recorded((path,), taken, plan.reading.threads))
        if start is not None:
            stream.read_like(start.table)
            stream.number_like(start.columns)
        found.append(stream)
    return found


def _unchecked(plan: VerifyPlan, certificates: list[Certificate | None]) -> list[str]:
    """Say what was not checked."""
    remarks = []
    if not plan.data:
        remarks.append(
            "not checked: whether each certificate is true of its data. Verify each of them, or "
            "name the data with --data."
        )
    first = certificates[0]
    if first is not None and first.content.get("start") and not plan.start:
        remarks.append("not checked: the model that the first one went on from.")
    return remarks
