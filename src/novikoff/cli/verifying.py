"""``novikoff verify``: verifying a certificate."""

from collections.abc import Iterator
from contextlib import contextmanager

from novikoff import verifier
from novikoff.cli.answers import answer
from novikoff.cli.certifying import about_empty, claim
from novikoff.cli.inputs import opened, refuse_empty
from novikoff.cli.plans.receipt_plans import VerifyPlan
from novikoff.cli.status_line import VERIFYING, doing
from novikoff.cli.swapped_files import refuse_swapped_certificate
from novikoff.errors import InputError, ParameterError, Phrase, VerificationError
from novikoff.playing.run import Run
from novikoff.receipts.certificates import Certificate, certificate_bytes, judged
from novikoff.receipts.remarks import about_stream
from novikoff.streams import FileStream
from novikoff.streams.files.recorded import (
    Reading,
    as_options,
    in_shell,
    read_as_recorded,
    taken_reading,
)

FINE, REFUSED = 0, 1


def verify(plan: VerifyPlan) -> int:
    """Verify a certificate, trusting nothing it says."""
    if plan.chain:
        from novikoff.cli.verifying_chains import verify_chain

        return verify_chain(plan)
    refuse_swapped_certificate("verify", plan.certificate, plan.reading.input)
    start = None if plan.start is None else Run.load(plan.start)
    text = certificate_bytes(plan.certificate)
    certificate = _made(text)
    used: Reading = {}
    with _telling(used):
        stream, remarks = _as_certified(plan, certificate, used)
        if start is not None:
            read_after(stream, start)
        with doing(VERIFYING):
            verdict = judged(text, stream, plan.predicted.named, start)
    if verdict.verified and certificate is not None:
        data = certificate.content["data"]
        rounds = data["rows"] * (data["passes"] or 1)
        stated = (certificate.content["learner"] or {}).get("parameters", {})
        remarks += about_empty(verdict.theorem, verdict.bound, rounds, stated)
    elif verdict.reason == verifier.NO_PREDICTIONS:
        remarks.append("name the file of the predictions with --predictions.")
    elif verdict.reason == "these are not its data":
        remarks += _read_otherwise(certificate, used)

    def show() -> None:
        if verdict.verified:
            print(f"{verdict.reason}: {claim(verdict.theorem, verdict.observed, verdict.bound)}")
        else:
            print(f"refused: {verdict.reason}")

    found = verdict._asdict() | {"reading": used or None}
    answer(plan.json, found, show, [*remarks, *about_stream(stream)])
    return FINE if verdict.verified else REFUSED


def read_after(stream: FileStream, start: Run) -> None:
    """Read a table by the columns of those that a model has learned from."""
    stream.read_like(start.table)
    stream.number_like(start.columns)


def _made(text: bytes) -> Certificate | None:
    """Return the certificate of a text; None if it is refused whatever the data are."""
    try:
        return Certificate(text)
    except VerificationError:
        return None


@contextmanager
def _telling(used: Reading) -> Iterator[None]:
    """Say with an error how data were read, if that is the certificate's doing."""
    try:
        yield
    except (InputError, ParameterError) as error:
        if not used:
            raise
        raise InputError(Phrase(error.text, f" The file was {_said(used)}.")) from None


def _said(used: Reading) -> str:
    words = [in_shell(as_options(used))] if as_options(used) else []
    order = used.get("order")
    if isinstance(order, list):
        words.append(f"columns in the order {in_shell([','.join(map(str, order))])}")
    return f"read as the certificate says: {'; '.join(words)}"


def _as_certified(
    plan: VerifyPlan, certificate: Certificate | None, used: Reading
) -> tuple[FileStream, list[str]]:
    """Read files as the options say, or else as the certificate notes; remark which.

    The part of its note that was used is added to ``used``. The note never names a file to open:
    the files are the user's.
    """
    noted = certificate is not None and "reading" in certificate.content.get("remarks", {})
    if certificate is None or not noted or not plan.reading.is_usual:
        return opened(plan.reading, sentences=True), []
    if certificate.reading is None:
        remark = (
            "the certificate's note of how its file was read cannot be understood and is ignored. "
            "Say how to read it with --format, --label and the like."
        )
        return opened(plan.reading, sentences=True), [remark]
    used |= taken_reading(plan.reading.input, certificate.reading)
    stream = refuse_empty(read_as_recorded(plan.reading.input, used, plan.reading.threads))
    return stream, [_said(used)] if used else []


def _read_otherwise(certificate: Certificate | None, used: Reading) -> list[str]:
    """Return what may help if data are not those of a certificate."""
    reading = certificate.reading if certificate is not None else None
    if reading is None or used:
        return ["data must be read as they were learned from: --words and the like count."]
    files = in_shell(reading.get("files", []))
    noted = " ".join([files, in_shell(as_options(reading))]).strip()
    return [f"the certificate says that it was made on: {noted}"] if noted else []
