"""Certificates: what a theorem says of a run, written down so that anybody can check it."""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import numpy as np

from novikoff import _core, verifier
from novikoff.classes import FiniteClass, as_class
from novikoff.classes.rows import PointStream
from novikoff.errors import (
    HypothesisError,
    InputError,
    ParameterError,
    VerificationError,
    parameter,
)
from novikoff.learners import (
    CuttingLearner,
    Elimination,
    FiniteLearner,
    KernelLearner,
    NativeLearner,
    StructuredPerceptron,
)
from novikoff.learners.structured import as_problem
from novikoff.loop import Run
from novikoff.storage import PathLike, plain_labels, write_bytes
from novikoff.streams import (
    ArrayBlock,
    BinaryLabels,
    ExampleBlock,
    PointBlock,
    Stream,
    as_examples,
    as_stream,
)
from novikoff.streams.block import DenseBlock
from novikoff.streams.labels import plain
from novikoff.streams.named import NamedBlock, as_hashing, new_features
from novikoff.streams.stream import Rounds
from novikoff.structures import Chains
from novikoff.verifier import Verdict

__all__ = ["Certificate", "Verdict", "sealed", "verify"]


class Certificate:
    """A certificate: canonical JSON with the digest of its own bytes. docs/certificates.md."""

    def __init__(self, text: bytes) -> None:
        self.text = text
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

    def save(self, path: PathLike) -> None:
        """Write the certificate to a file."""
        write_bytes(path, self.text)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a certificate from a file; ``verify`` says whether it is true."""
        return cls(Path(path).read_bytes())


def sealed(content: dict[str, Any]) -> Certificate:
    """Return the certificate of this content, with the digest of its own bytes."""
    content = {name: value for name, value in content.items() if name != "sha256"}
    digest = hashlib.sha256(verifier.canonical(content)).hexdigest()
    whole = content | {"sha256": digest}
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return Certificate(text.encode())


def verify(certificate: Certificate, stream: Any) -> Verdict:
    """Verify a certificate on a stream that holds its data, trusting nothing it says."""
    if not isinstance(certificate, Certificate):
        raise parameter("certificate", "a Certificate", certificate, "Load it: Certificate.load.")
    chains = _chains(certificate.content) is not None
    return judged(certificate.text, as_examples(stream) if chains else as_stream(stream))


def judged(text: bytes, stream: Stream) -> Verdict:
    """Return the verdict on the text of a certificate, whatever it holds."""
    try:
        content = verifier.read_certificate(text)
        rows = _rows(_pointed(content, stream), content)
    except (verifier.Refused, ValueError, RecursionError):
        rows = Rereading(stream)  # it is refused whatever the rows are
    with _readable():
        return verifier.verify(text, rows)


@contextmanager
def _readable() -> Iterator[None]:
    """Data that cannot be read are the caller's, and no verdict on a certificate."""
    try:
        yield
    except verifier.BadData as error:
        raise InputError(f"{error}. Verify on the data that were played.") from None


def _hashing(content: dict[str, Any]) -> Any:
    """Return how names were hashed; None where it is not said as it should be."""
    try:
        found = content["learner"]["parameters"]["hashing"]
        return as_hashing(found)
    except (LookupError, TypeError, ParameterError):
        return None


def _pointed(content: dict[str, Any], stream: Stream) -> Stream:
    """Return a stream whose points are rows, where a certificate has a class that says how."""
    try:
        H = as_class(content["learner"]["parameters"]["H"] | {"hypotheses": None, "title": ""})
    except (LookupError, TypeError, ValueError):
        return stream
    return PointStream(H, stream) if isinstance(H, FiniteClass) else stream


def _chains(content: dict[str, Any]) -> Chains | None:
    """Return what the sentences of a run were, where it was one with tags."""
    try:
        found = as_problem(dict(content["learner"]["parameters"]["problem"]))
    except (LookupError, TypeError, ValueError, ParameterError):
        return None
    return found if isinstance(found, Chains) else None


def _rows(stream: Stream, content: dict[str, Any]) -> Any:
    chains = _chains(content)
    return Rereading(stream, _hashing(content)) if chains is None else Sentences(stream, chains)


class Sentences:
    """The sentences of a stream as the verifier reads them, as often as it asks."""

    def __init__(self, stream: Stream, problem: Chains) -> None:
        self.stream, self.problem = stream, problem

    def __call__(self) -> Iterator[Any]:
        names = self.problem.names()
        try:
            for rounds in self.stream.blocks():
                rows, labels, _, place = Rounds(*rounds)
                if not isinstance(rows, ExampleBlock):
                    raise InputError("stream: expected sentences, got rows of features")
                for t, x in enumerate(rows.rows):
                    where = place(t) if place else f"sentence {t + 1}"
                    encoded = _core.Sentences()
                    if not names.encode(self.problem.read([x], 0, 1), labels[t : t + 1], encoded):
                        raise InputError(f"{where}: {self.problem.fault(x, labels[t])}")
                    counts = [Counter(ids) for _, ids in encoded.positions(0)]
                    yield where, list(labels[t]), [sorted(count.items()) for count in counts]
        except (InputError, ParameterError) as error:
            raise verifier.BadData(str(error).rstrip(".")) from None

    def lines(self) -> Iterator[str]:
        """Yield them as the stand-alone verifier reads them from a file."""
        for _, tags, positions in self():
            for tag, items in zip(tags, positions, strict=True):
                yield " ".join([tag, *(f"{j + 1}:{count}" for j, count in items)]) + "\n"
            yield "\n"


class Rereading:
    """The rows of a stream as the verifier reads them, as often as it asks."""

    def __init__(self, stream: Stream, hashing: Any = None, *, once: bool = False) -> None:
        self.hashing = as_hashing(hashing)
        if not (stream.replayable or once):
            raise InputError(
                f"{stream.name}: expected a stream that can be played again, got one that is used "
                "up by its first pass. Put the rounds in a list or arrays, or spool them: nv.cache."
            )
        self.stream = stream

    def __call__(self) -> Iterator[verifier.Row]:
        try:
            yield from self._rows()
        except (InputError, ParameterError) as error:
            raise verifier.BadData(str(error).rstrip(".")) from None

    def _rows(self) -> Iterator[verifier.Row]:
        features, before = new_features(self.hashing), 0
        for rounds in self.stream.blocks():
            rows, labels, _, place = Rounds(*rounds)
            if isinstance(rows, PointBlock):
                rows = rows.marked()
            if isinstance(rows, NamedBlock):
                found: Any = rows.numbered(features, 0, len(rows), adopt=True)
                if len(found) < len(rows):
                    raise InputError(f"row {len(found) + 1}: {rows.fault(len(found))}")
                rows = found
            assert isinstance(rows, ArrayBlock)
            for t in range(len(rows)):
                where = place(t) if place else f"row {before + t + 1}"
                yield where, plain(labels[t]), _items(rows, t)
            before += len(rows)


def _items(rows: ArrayBlock, t: int) -> list[tuple[int, float]]:
    if isinstance(rows, DenseBlock):
        values = rows.values[t]
        places = np.flatnonzero(values)
        return list(zip(places.tolist(), values[places].tolist(), strict=True))
    indices, values = rows.row(t)
    return list(zip(indices.tolist(), values.tolist(), strict=True))


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


def _fitted(run: Run, stream: Stream) -> Stream:
    finite = isinstance(run.learner, FiniteLearner) and isinstance(run.learner.H, FiniteClass)
    return PointStream(run.learner.H, stream) if finite else stream


def _stated(learner: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return a learner's parameters as a certificate has them: of a class, its table of signs."""
    if not isinstance(learner, FiniteLearner):
        return parameters
    if not isinstance(learner.H, FiniteClass):
        raise HypothesisError(
            f"certify: expected a class with a table of points, got {learner.H!r}. Certify a run "
            "on a FiniteClass."
        )
    return {"H": {name: learner.H.plain[name] for name in ("table", "points", "cube")}}


def check_run(run: Run) -> None:
    """Refuse a run that no theorem speaks of."""
    ledger, learner = run.ledger, run.learner
    ours = isinstance(learner, (NativeLearner, FiniteLearner, Elimination, StructuredPerceptron))
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


def about_run(run: Run, stream: Stream) -> dict[str, Any]:
    """Return what a certificate says of a run; refuse one that no theorem speaks of."""
    check_run(run)
    ledger, learner = run.ledger, run.learner
    if callable(ledger.parameters.get("kernel")):
        raise HypothesisError(
            "certify: expected linear, polynomial or rbf as the kernel, got a function. Nobody "
            "else could compute it."
        )
    if isinstance(learner, StructuredPerceptron):
        data = _about_sentences(learner, stream)
    else:
        labels: dict[str, Any] = {"classes": plain_labels(run.labels.known)}
        if isinstance(run.labels, BinaryLabels):
            labels = {"positive": plain_labels((run.labels.pair[1],))[0]}
        bias, hashing = getattr(learner, "bias", None), getattr(learner, "hashing", None)
        data = _about(_fitted(run, stream), labels, bias, hashing)
    if data["rows"] == 0 or ledger.rounds % data["rows"]:
        raise HypothesisError(
            f"certify: expected a stream of the run's {ledger.rounds} rounds, or of one of its "
            f"passes, got {data['rows']} rounds. Pass the whole stream that was played."
        )
    return {
        "format": verifier.FORMAT,
        "data": data | {"passes": ledger.rounds // data["rows"]},
        "learner": {"name": ledger.learner, "parameters": _stated(learner, ledger.parameters)},
        "mistakes": {
            "count": ledger.mistakes,
            "rounds": transcript(ledger.mistake_rounds.tolist()),
        },
    }


def certificate_of_losses(
    stream: Stream, theorem: str, evidence: dict[str, Any], learner: Any, mistakes: dict[str, Any]
) -> Certificate:
    """Return the certificate of a learner, (name, parameters, positive label), on its losses."""
    name, parameters, positive = learner
    parameters = parameters | {"bias": None}
    labels = {"positive": plain_labels((positive,))[0]}
    data = _about(stream, labels, None)
    if "expected" in verifier.LEARNERS[name].evidence:
        evidence = evidence | {"expected": _expected(stream, name, parameters, labels, evidence)}
    content = {
        "format": verifier.FORMAT,
        "theorem": theorem,
        "statement": verifier.STATEMENTS[theorem],
        "assumptions": verifier.ASSUMPTIONS.get(theorem, []),
        "data": data | {"passes": 1},
        "learner": {"name": name, "parameters": parameters},
        "mistakes": mistakes,
        "evidence": evidence,
        "bound": None,
    }
    return sealed(_checked(content, stream))


def _expected(
    stream: Stream,
    name: str,
    parameters: dict[str, Any],
    labels: dict[str, Any],
    evidence: dict[str, Any],
) -> float:
    """Return what the verifier finds for the expectation over a learner's draws."""
    try:
        with _readable():
            data = verifier.Data(Rereading(stream), labels, None)
            own = verifier.own_parameters(data, **parameters)
            twin = verifier.LEARNERS[name](data, **own)
            twin.play(1, evidence, iter(()))
    except verifier.Refused as refusal:
        raise HypothesisError(f"certify: expected a true certificate, got: {refusal}.") from None
    return float(twin.observed)


def certificate_about_data(
    stream: Stream, theorem: str, evidence: dict[str, Any], positive: Any = 1
) -> Certificate:
    """Return the certificate that a stream is ``separable``, or that it is ``not separable``."""
    labels = {"positive": plain_labels((positive,))[0]}
    content: dict[str, Any] = {
        "format": verifier.FORMAT,
        "theorem": theorem,
        "statement": verifier.STATEMENTS[theorem],
        "assumptions": [],
        "data": _about(stream, labels, evidence["bias"]) | {"passes": None},
        "learner": None,
        "mistakes": None,
        "evidence": evidence,
        "bound": None,
    }
    return sealed(_checked(content, stream))


def _about(
    stream: Stream, labels: dict[str, Any], bias: float | None, hashing: Any = None
) -> dict[str, Any]:
    """Return what a certificate says of data."""
    try:
        with _readable():
            data = verifier.Data(Rereading(stream, hashing), labels, bias)
    except verifier.Refused as refusal:
        raise InputError(f"stream: expected the run's rounds, got others: {refusal}.") from None
    return data.about


def _about_sentences(learner: StructuredPerceptron, stream: Stream) -> dict[str, Any]:
    problem = learner.problem
    if not isinstance(problem, Chains) or problem.function is not None:
        raise HypothesisError(
            "certify: expected chains with templates of text, or features that are given, which "
            f"anybody can read again, got {problem!r}. Certify another run."
        )
    labels = {"tags": list(learner.hypothesis().labels)}
    try:
        with _readable():
            return verifier.Sentences(Sentences(stream, problem), labels).about
    except verifier.Refused as refusal:
        raise InputError(f"stream: expected the run's rounds, got others: {refusal}.") from None


def _checked(content: dict[str, Any], stream: Stream) -> dict[str, Any]:
    """Return the content with its bound, which the verifier computes."""
    try:
        with _readable():
            bound = verifier.check(content, _rows(stream, content)).bound
    except verifier.Refused as refusal:
        raise HypothesisError(f"certify: expected a true certificate, got: {refusal}.") from None
    return content | {"bound": bound}


def certificate_of(run: Run, stream: Stream, theorem: str, evidence: dict[str, Any]) -> Certificate:
    """Return the certificate of a theorem for a run with this evidence, its bound exact."""
    content = about_run(run, stream) | {
        "theorem": theorem,
        "statement": verifier.STATEMENTS[theorem],
        "assumptions": verifier.ASSUMPTIONS.get(theorem, []),
        "evidence": evidence,
        "bound": None,
    }
    return sealed(_checked(content, _fitted(run, stream)))
