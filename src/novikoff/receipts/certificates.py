"""Certificates: what a theorem says of a run, written down so that anybody can check it."""

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from novikoff import verifier
from novikoff.classes import FiniteClass
from novikoff.errors import (
    HypothesisError,
    InputError,
    Named,
    NovikoffError,
    Phrase,
    VerificationError,
    parameter,
)
from novikoff.learners import (
    CuttingLearner,
    Elimination,
    FeatureLearner,
    FiniteLearner,
    KernelLearner,
    StructuredPerceptron,
)
from novikoff.playing.run import Run
from novikoff.receipts.rereading import Rereading, Sentences, readable, reread
from novikoff.saving.storage import PathLike, plain_labels, write_bytes
from novikoff.streams import BinaryLabels, FileStream, Stream
from novikoff.streams.files.recorded import checked_reading, recorded
from novikoff.structures import Chains
from novikoff.theory import named
from novikoff.verifier import Verdict

__all__ = ["Certificate", "Verdict", "sealed", "verify"]


class Certificate:
    """A certificate: canonical JSON with the digest of its own bytes. docs/certificates.md."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.path: str | None = None
        """The file it was saved to or loaded from last."""
        try:
            self.content = verifier.read_certificate(text)
        except (verifier.Refused, ValueError, RecursionError) as error:
            raise VerificationError(
                f"certificate: expected {verifier.FORMAT}, got something else: {error}. "
                "Take another copy of the file."
            ) from None

    def __repr__(self) -> str:
        return f"Certificate({self.theorem}: {self.observed} ≤ {self.bound})"

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
        """The mistakes made, or what is expected of draws; None where nothing was observed."""
        mistakes, evidence = self.content["mistakes"], self.content["evidence"]
        if mistakes is None or self.theorem.startswith("exp3"):
            return None
        found: float = evidence.get("expected", mistakes["count"])
        return found

    @property
    def reading(self) -> dict[str, Any] | None:
        """How the file was read, as the certificate remarks; None where it says nothing of use.

        Nothing depends on it: ``verify`` on the command line reads files so unless told otherwise.
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
        found = cls(Path(path).read_bytes())
        found.path = os.fspath(path)
        return found


def sealed(content: dict[str, Any]) -> Certificate:
    """Return the certificate of this content, with the digest of its own bytes."""
    content = {name: value for name, value in content.items() if name != "sha256"}
    digest = hashlib.sha256(verifier.canonical(content)).hexdigest()
    return Certificate(verifier.canonical(content | {"sha256": digest}))


def with_reading(certificate: Certificate, stream: Any) -> Certificate:
    """Return the certificate with the remark of how its file was read; as it is without a file."""
    if not isinstance(stream, FileStream):
        return certificate
    return sealed(certificate.content | {"remarks": {"reading": recorded(stream)}})


def verify(certificate: Certificate, stream: Any) -> Verdict:
    """Verify a certificate on a stream that holds its data, trusting nothing it says."""
    if not isinstance(certificate, Certificate):
        raise parameter("certificate", "a Certificate", certificate, "Load it: Certificate.load.")
    return judged(certificate.text, stream)


def judged(text: bytes, stream: Any) -> Verdict:
    """Return the verdict on the text of a certificate, whatever it holds."""
    try:
        learner = verifier.read_certificate(text)["learner"]
    except (verifier.Refused, ValueError, RecursionError):
        learner = None  # it is refused whatever the rows are
    with readable():
        return verifier.verify(text, reread(stream, learner))


def check_run(run: Run) -> None:
    """Refuse a run that no theorem speaks of."""
    ledger, learner = run.ledger, run.learner
    ours = isinstance(learner, (FeatureLearner, FiniteLearner, Elimination, StructuredPerceptron))
    exact = ours and ledger.learner in verifier.LEARNERS
    if not (exact or isinstance(learner, CuttingLearner)):
        raise HypothesisError(
            f"certify: expected a learner whose run can be replayed exactly "
            f"({', '.join(verifier.LEARNERS)}), got {ledger.learner}. "
            "Certify another run."
        )
    if not ledger.began_fresh:
        raise HypothesisError(
            "certify: expected a run from the learner's first round, got one begun on a used "
            "learner. The theorems speak of all that it has learned."
        )
    if isinstance(learner, KernelLearner) and learner.budget is not None:
        raise HypothesisError(
            f"certify: expected a learner without a budget, got one with {learner.budget!r}. "
            f"{learner.guarantee}"
        )
    if ledger.weighted:
        raise HypothesisError(
            "certify: expected updates of weight 1, got weighted ones. The theorems speak of "
            "unweighted runs."
        )


def check_certifiable(run: Run, theorem: str | None = None) -> None:
    """Refuse a run that will have no certificate, of a theorem or of any, whatever it plays.

    Asked before the first round, it says what is known by then.
    """
    learner, name = run.learner, run.ledger.learner
    if isinstance(learner, CuttingLearner):
        raise HypothesisError(
            where="certify",
            expected="a learner whose run can be replayed exactly",
            got=f"{name}, whose centre is computed in floats",
            remedy=Phrase(Named("bounds", "bounds(run)"), " says what its theorem allows."),
        )
    check_run(run)
    _stated(run)
    if theorem is None:
        return
    known = verifier.LEARNERS[name].theorems
    if named(theorem).id not in known:
        raise HypothesisError(
            f"certify: expected a theorem about {name} ({', '.join(known)}), got {theorem}. Name "
            "one of these, or none for the least bound."
        )


def certificate_of(run: Run, stream: Stream, theorem: str, evidence: dict[str, Any]) -> Certificate:
    """Return the certificate of a theorem for a run with this evidence, its bound exact."""
    check_run(run)
    learner = {"name": run.ledger.learner, "parameters": _stated(run)}
    rows = reread(stream, learner)
    data = _data(rows, _labels(run))
    rounds = run.ledger.rounds
    if data.count == 0 or rounds % data.count:
        raise HypothesisError(
            f"certify: expected a stream of the run's {rounds} rounds, or of one of its passes, "
            f"got {data.count} rounds. Pass the whole stream that was played."
        )
    about = data.about | {"passes": rounds // data.count}
    found = _certificate(theorem, evidence, rows, about, learner, _mistakes(run))
    return with_reading(found, stream)


def certificate_of_losses(
    run: Run, stream: Stream, theorem: str, evidence: dict[str, Any]
) -> Certificate:
    """Return the certificate of a theorem for a run on losses or on advice."""
    positive = 1 if evidence["rows"] == "losses" else run.labels.table[-1]
    name, parameters = run.ledger.learner, run.ledger.parameters | {"bias": None}
    learner = {"name": name, "parameters": parameters}
    rows = reread(stream, learner)
    data = _data(rows, _positive(positive))
    if "expected" in verifier.LEARNERS[name].evidence:
        with readable(), _refused(HypothesisError, "certify: expected a true certificate, got"):
            stated = verifier.checked_parameters(name, parameters)
            twin = verifier.replayed(verifier.LEARNERS[name], data, stated)
            twin.play(1, evidence, iter(()))
        evidence = evidence | {"expected": float(twin.observed)}
    about = data.about | {"passes": 1}
    found = _certificate(theorem, evidence, rows, about, learner, _mistakes(run))
    return with_reading(found, stream)


def certificate_about_data(
    stream: Stream, theorem: str, evidence: dict[str, Any], positive: Any = 1
) -> Certificate:
    """Return the certificate that a stream is ``separable``, or that it is ``not separable``."""
    rows = reread(stream, None)
    data = _data(rows, _positive(positive))
    found = _certificate(theorem, evidence, rows, data.about | {"passes": None})
    return with_reading(found, stream)


def _certificate(
    theorem: str,
    evidence: dict[str, Any],
    rows: Rereading | Sentences,
    data: dict[str, Any],
    learner: dict[str, Any] | None = None,
    mistakes: dict[str, Any] | None = None,
) -> Certificate:
    """Return the certificate with the bound that the verifier computes."""
    content = {
        "format": verifier.FORMAT,
        "theorem": theorem,
        "statement": verifier.STATEMENTS[theorem],
        "assumptions": verifier.ASSUMPTIONS.get(theorem, []),
        "data": data,
        "learner": learner,
        "mistakes": mistakes,
        "evidence": evidence,
        "bound": None,
    }
    with readable(), _refused(HypothesisError, "certify: expected a true certificate, got"):
        bound = verifier.check(content, rows).bound
    return sealed(content | {"bound": bound})


@contextmanager
def _refused(kind: type[NovikoffError], expected: str) -> Iterator[None]:
    """Say in an error of ours what the verifier refused."""
    try:
        yield
    except verifier.Refused as refusal:
        raise kind(f"{expected}: {refusal}.") from None


def _data(rows: Rereading | Sentences, labels: dict[str, Any]) -> verifier.Data:
    """Return the rounds as the verifier has them, digested and counted."""
    with readable(), _refused(InputError, "stream: expected the run's rounds, got others"):
        if isinstance(rows, Sentences):
            return verifier.Sentences(rows, labels)
        return verifier.Data(rows, labels, None)


def _stated(run: Run) -> dict[str, Any]:
    """Return a learner's parameters as a certificate has them: of a class, its table of signs."""
    learner, parameters = run.learner, run.ledger.parameters
    if callable(parameters.get("kernel")):
        raise HypothesisError(
            "certify: expected linear, polynomial or rbf as the kernel, got a function. Nobody "
            "else could compute it."
        )
    if isinstance(learner, StructuredPerceptron):
        problem = learner.problem
        if not isinstance(problem, Chains) or problem.function is not None:
            raise HypothesisError(
                "certify: expected chains with templates of text, or features that are given, "
                f"which anybody can read again, got {problem!r}. Certify another run."
            )
    if not isinstance(learner, FiniteLearner):
        return parameters
    if not isinstance(learner.H, FiniteClass):
        raise HypothesisError(
            f"certify: expected a class with a table of points, got {learner.H!r}. Certify a run "
            "on a FiniteClass."
        )
    return {"H": {name: learner.H.plain[name] for name in ("table", "points", "cube")}}


def _labels(run: Run) -> dict[str, Any]:
    if isinstance(run.learner, StructuredPerceptron):
        return {"tags": list(run.learner.hypothesis().labels)}
    if isinstance(run.labels, BinaryLabels):
        return _positive(run.labels.pair[1])
    return {"classes": plain_labels(run.labels.known)}


def _positive(label: Any) -> dict[str, Any]:
    return {"positive": plain_labels((label,))[0]}


def _mistakes(run: Run) -> dict[str, Any]:
    rounds = run.ledger.mistake_rounds.tolist()
    return {"count": len(rounds), "rounds": transcript(rounds)}


def transcript(rounds: Iterable[int]) -> str:
    """Return rounds as their gaps, each in base 128 with its low digits first, all in base 64."""
    digits, last = bytearray(), 0
    for t in rounds:
        gap, last = t - last, t
        while gap > 127:
            digits.append(gap & 127 | 128)
            gap >>= 7
        digits.append(gap)
    return base64.b64encode(digits).decode()
