"""Certificates: what a theorem says about a run, written so that anybody can check it."""

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from novikoff import verifier
from novikoff.errors import (
    HypothesisError,
    InputError,
    Named,
    NovikoffError,
    Phrase,
    VerificationError,
    parameter,
)
from novikoff.html_tables import fact_table
from novikoff.learners.feature_learner import transforms_of
from novikoff.playing.run import Run
from novikoff.receipts.family import (
    Evidence,
    Family,
    chained_form,
    family_for,
    positive,
    reread,
)
from novikoff.receipts.prediction_sources import predictions_of
from novikoff.receipts.reread_rounds import OtherRoundsError
from novikoff.receipts.rereading import readable
from novikoff.receipts.verdict import Verdict
from novikoff.saving.contents import parsed
from novikoff.saving.storage import PathLike, write_bytes
from novikoff.saving.versions import CERTIFICATE
from novikoff.saving.whole_files import require_regular
from novikoff.streams import FileStream, Stream
from novikoff.streams.files.recorded import checked_reading, recorded
from novikoff.streams.stream import Wrapped
from novikoff.theory.theorem import REGISTRY
from novikoff.types import Label

__all__ = ["Certificate", "Verdict", "sealed", "verify"]


class Certificate:
    """A claim about a run or its data, written so that anybody can check it with ``verify``.

    It is canonical JSON with the digest of its own bytes; docs/certificates.md explains every
    field.

    >>> import novikoff as nv
    >>> rounds = nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [-1, -1] * 3)
    >>> certificate = nv.certify(nv.play(nv.Perceptron(), rounds), theorem="novikoff")
    >>> certificate.theorem, certificate.observed, certificate.bound >= certificate.observed
    ('novikoff', 2, True)
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.path: str | None = None
        """The file it was last saved to or loaded from."""
        try:
            self.content: dict[str, Any] = verifier.read_certificate(text)
        except (verifier.Refused, ValueError, RecursionError) as error:
            raise VerificationError(_fault(text, error)) from None

    def __repr__(self) -> str:
        return f"Certificate({self.theorem}: {self.observed} ≤ {self.bound})"

    def _repr_html_(self) -> str:
        data = self.content["data"]
        facts = [
            ("observed", self.observed),
            ("allowed", self.bound),
            ("rows", data.get("rows")),
            ("digest of the data", data.get("digest")),
            ("assumes", "; ".join(self.content["assumptions"]) or "nothing"),
            ("check it", f"novikoff verify {self.path or 'CERTIFICATE'} DATA"),
        ]
        return fact_table(f"Certificate of {self.theorem}", facts)

    @property
    def theorem(self) -> str:
        """The id of the theorem."""
        return str(self.content["theorem"])

    @property
    def bound(self) -> float | None:
        """What the theorem allows, rounded upward; None for a claim about data alone."""
        found: float | None = self.content["bound"]
        return found

    @property
    def observed(self) -> float | None:
        """What the run did: its mistakes, its loss, or its regret; None if nothing was observed."""
        mistakes, evidence = self.content["mistakes"], self.content["evidence"]
        found: float | None
        if mistakes is None:  # about data alone, or about predictions
            names = [name for name in ("regret", "loss", "mistakes") if name in evidence]
            found = evidence[names[0]] if names else None
        else:
            known = REGISTRY.get(self.theorem)
            counted = mistakes["count"] if known is None or known.of == "mistakes" else None
            found = evidence.get("expected", evidence.get("loss", counted))
        return found

    @property
    def reading(self) -> dict[str, Any] | None:
        """How the file was read, by the certificate's remark; None if that says nothing useful.

        No check depends on it: ``verify`` on the command line reads files this way by default.
        """
        try:
            return checked_reading(self.content["remarks"]["reading"])
        except (LookupError, NovikoffError):
            return None

    def save(self, path: PathLike) -> None:
        """Write the certificate to a file."""
        write_bytes(path, self.text)
        self.path = os.fspath(path)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a certificate from a file; ``verify`` says whether it is true."""
        text = certificate_bytes(path)
        try:
            found = cls(text)
        except VerificationError as error:
            raise error.moved(os.fspath(path)) from None
        found.path = os.fspath(path)
        return found


def certificate_bytes(path: PathLike) -> bytes:
    """Return what the file of a certificate holds."""
    require_regular(path, "a certificate")
    return Path(path).read_bytes()


def _fault(text: bytes, error: Exception) -> str:
    """Say what is wrong with a text that the verifier does not read as a certificate."""
    found = None
    with suppress(ValueError):
        content = parsed(text)
        found = content.get("format") if isinstance(content, dict) else None
    if CERTIFICATE.is_later(found):
        return str(CERTIFICATE.later("certificate", str(found)))
    expected = " or ".join(CERTIFICATE.read)
    return (
        f"certificate: expected {expected}, got something else: {error}. Take another copy of the "
        "file."
    )


def sealed(content: Mapping[str, object]) -> Certificate:
    """Return the certificate with this content and the digest of its own bytes."""
    content = {name: value for name, value in content.items() if name != "sha256"}
    digest = hashlib.sha256(verifier.canonical(content)).hexdigest()
    return Certificate(verifier.canonical(content | {"sha256": digest}))


def with_reading(certificate: Certificate, stream: Stream) -> Certificate:
    """Return the certificate with a remark on how its file was read; unchanged without a file."""
    while isinstance(stream, Wrapped):
        stream = stream.stream
    if not isinstance(stream, FileStream):
        return certificate
    return sealed(certificate.content | {"remarks": {"reading": recorded(stream)}})


def verify(
    certificate: Certificate,
    stream: object,
    *,
    predictions: object = None,
    start: Run | PathLike | None = None,
) -> Verdict:
    """Check a certificate against the data that it is about, and trust nothing that it says.

    A run is played again from ``stream``, and every number is recomputed exactly. A certificate
    about predictions needs them, too: numbers in the order of the rows, or a file. A run that went
    on from a model needs that model, or its file, as ``start``.

    >>> import novikoff as nv
    >>> rounds = nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [-1, -1] * 3)
    >>> certificate = nv.certify(nv.play(nv.Perceptron(), rounds))
    >>> nv.verify(certificate, rounds).verified
    True
    >>> nv.verify(certificate, nv.stream([[1.0, 0.0]], [-1])).reason
    'these are not its data'
    """
    if not isinstance(certificate, Certificate):
        raise parameter("certificate", "a Certificate", certificate, "Load it: Certificate.load.")
    begun = None if start is None else loaded(start)
    return judged(certificate.text, stream, predictions, begun)


def loaded(start: Run | PathLike) -> Run:
    """Return the run that another one goes on from; a path is the file of its model."""
    return start if isinstance(start, Run) else Run.load(start)


def model_of(start: Run | None) -> verifier.Model | None:
    """Return the state of a learner as the verifier reads it from the file of a model."""
    if start is None:
        return None
    arrays = start.learner.state()

    def numbers(name: str) -> list[float] | list[int]:
        if name not in arrays:
            raise verifier.Refused("its learner is not that of the model it began from")
        found: list[float] | list[int] = arrays[name].ravel().tolist()
        return found

    return verifier.Model(numbers, "the start")


def judged(
    text: bytes, stream: object, predictions: object = None, start: Run | None = None
) -> Verdict:
    """Return the verdict on the text of a certificate, whatever the text is."""
    try:
        content = verifier.read_certificate(text)
    except (verifier.Refused, ValueError, RecursionError):
        content = {}  # refused, whatever the rows are
    learner = content.get("learner")
    if start is None and isinstance(content.get("start"), dict):
        raise InputError(
            "start: expected the model that the run began from, got none. Name it: start=MODEL, or "
            "--start MODEL on the command line."
        )
    if predictions is not None:
        _refuse_unread(content.get("theorem"))
    given = None if predictions is None else predictions_of(predictions, _positive(content))
    with readable():
        rows = reread(stream, learner, start)
        return Verdict(*verifier.verify(text, rows, given, model_of(start)))


def _refuse_unread(theorem: verifier.Json) -> None:
    """Refuse predictions that nobody would look at: the theorem is not about any."""
    known = isinstance(theorem, str) and theorem in verifier.THEOREMS
    if known and theorem not in verifier.PREDICTION_CLAIMS:
        raise InputError(
            f"predictions: expected none, because {theorem} is not about predictions, got some. "
            "Verify without them."
        )


def _positive(content: verifier.Object) -> Label | None:
    """Return the positive label of a certificate, if it names one."""
    data = content.get("data")
    labels = data.get("labels") if isinstance(data, dict) else None
    label = labels.get("positive") if isinstance(labels, dict) else None
    return label if isinstance(label, (str, int, float)) else None


def check_certifiable(run: Run, theorem: str | None = None) -> Family:
    """Refuse a run that cannot have a certificate, of this theorem or of any; return its family.

    It may be asked before the first round, and then refuses what is known by then.
    """
    family, name = family_for(run), run.ledger.learner
    if family.inexact:
        raise HypothesisError(
            where="certify",
            expected="a learner whose run can be replayed exactly",
            got=f"{name}, {family.inexact}",
            remedy=Phrase(Named("bounds", "bounds(run)"), " says what its theorem allows."),
        )
    family.check(run)
    family.parameters(run)
    if theorem is not None:
        family.check_theorem(run, theorem)
    return family


def certificate_of(run: Run, stream: Stream, theorem: str, evidence: Evidence) -> Certificate:
    """Return the certificate of a theorem for a run with this evidence; its bound is exact."""
    return written(check_certifiable(run), run, stream, theorem, evidence)


def written(
    family: Family,
    run: Run,
    stream: Stream,
    theorem: str,
    evidence: Evidence,
    *,
    chain: bool = False,
) -> Certificate:
    """Write the certificate of a run that ``check_certifiable`` has accepted.

    The stream is read once for its digest and the finest digit of its values, and then once for
    every pass that the verifier replays. In a ``chain`` it also states in which state it ended.
    """
    learner = {"name": run.ledger.learner, "parameters": family.parameters(run)}
    form = chained_form(run) if chain else family.form(run)
    content = {**unsealed(theorem, evidence, learner, _mistakes(run)), **form}
    if hasattr(run.ledger, "served"):  # some labels came late
        content["assumptions"] += verifier.THEOREMS[theorem].further
    if steps := transforms_of(run.learner):
        content[verifier.TRANSFORMS] = steps.stated(run.learner.known_features)
    with readable(), _refused(HypothesisError, "certify: expected a true certificate, got"):
        part, parameters = verifier.stated_learner(content)
    sums = None if chain or family.sums is None else family.sums(run, stream, theorem, evidence)
    if sums is not None:
        labels, passes = family.labels(run, stream), _passes(run, sums.rows)
        content["data"] = sums.about | {"labels": labels, "passes": passes}
        bound = sums.bound(theorem, content["evidence"]["w"], run.mistakes, passes)
        if bound is not None:
            return with_reading(sealed(content | {"bound": bound}), stream)
    rows = reread(stream, learner, run.start)
    with readable(), _refused(InputError, "stream: expected the run's rounds, got others"):
        content["data"] = {"labels": family.labels(run, stream)}
        data = verifier.read(content, part, parameters, rows, model_of(run.start))
        data.read()
    content["data"] = data.about | {"passes": _passes(run, data.count)}
    with readable(), _refused(HypothesisError, "certify: expected a true certificate, got"):
        twin = verifier.played(content, part, parameters, data, model_of(run.start))
        if "expected" in evidence:  # only a replay can tell
            content["evidence"] = {**evidence, "expected": twin.observed}
        content["evidence"] = twin.completed(dict(content["evidence"]))
        bound = verifier.concluded(content, twin).bound
    return with_reading(sealed(content | {"bound": bound}), stream)


def certificate_about_data(
    stream: Stream, theorem: str, evidence: Evidence, label: Label = 1
) -> Certificate:
    """Return the certificate that a stream is ``separable``, or that it is ``not separable``."""
    bias: Any = evidence["bias"]
    content = unsealed(theorem, evidence)
    rows = reread(stream, None)
    with readable(), _refused(HypothesisError, "certify: expected a true certificate, got"):
        data = verifier.Data(rows, positive(label), bias)
        content["data"] = data.about | {"passes": None}
        verifier.claimed(content, data)
    return with_reading(sealed(content), stream)


def unsealed(
    theorem: str,
    evidence: Evidence,
    learner: Mapping[str, object] | None = None,
    mistakes: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """Return what a certificate says, except for its data and its bound."""
    stated = verifier.THEOREMS[theorem]
    return {
        "format": verifier.FORMAT,
        "theorem": theorem,
        "statement": stated.statement,
        "assumptions": list(stated.assumptions),
        "data": None,
        "learner": learner,
        "mistakes": mistakes,
        "evidence": evidence,
        "bound": None,
    }


def _passes(run: Run, rows: int) -> int:
    rounds = run.ledger.rounds
    if rows == 0 or rounds % rows:
        raise OtherRoundsError(
            f"certify: expected a stream of the run's {rounds} rounds, or of one of its passes, "
            f"got {rows} rounds. Pass the whole stream that was played."
        )
    return rounds // rows


@contextmanager
def _refused(kind: type[NovikoffError], expected: str) -> Iterator[None]:
    """Turn what the verifier refused into one of our errors."""
    try:
        yield
    except verifier.Refused as refusal:
        raise kind(f"{expected}: {refusal}.") from None


def _mistakes(run: Run) -> dict[str, object]:
    rounds = run.ledger.mistake_rounds.tolist() if run.ledger.judges else []
    return {"count": len(rounds), "rounds": transcript(rounds)}


def transcript(rounds: Iterable[int]) -> str:
    """Return rounds as gaps, each in base 128 with its low digits first, the whole in base 64."""
    digits, last = bytearray(), 0
    for t in rounds:
        gap, last = t - last, t
        while gap > 127:
            digits.append(gap & 127 | 128)
            gap >>= 7
        digits.append(gap)
    return base64.b64encode(digits).decode()
