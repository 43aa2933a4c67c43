"""``novikoff certify``, ``verify``, ``margin`` and ``report``."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from novikoff.cli.escapes import visible
from novikoff.cli.learning_remarks import about_before
from novikoff.cli.options import (
    answer,
    beside,
    check_outputs,
    given_reading,
    opened,
    read_alike,
)
from novikoff.comparators import margin as margin_of
from novikoff.errors import HypothesisError, InputError, ParameterError, VerificationError
from novikoff.extras import extra
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.receipts.certificates import Certificate, judged
from novikoff.receipts.receipt import bounds
from novikoff.receipts.receipt import certify as certified
from novikoff.receipts.remarks import about_bounds, about_run, about_stream
from novikoff.streams import FileStream, Stream
from novikoff.streams.files.recorded import (
    as_options,
    in_shell,
    read_as_recorded,
    taken_reading,
)
from novikoff.streams.whole_stream import whole
from novikoff.theory import Bound

FINE, REFUSED = 0, 1


def certify(options: argparse.Namespace) -> int:
    """Write the certificate of a saved run on its data."""
    run = Run.load(options.model)
    read_alike(options, run)
    stream = opened(options)
    path = options.output or beside(options, ".certificate.json")
    check_outputs((*stream.files, options.model), path)
    certificate = certified(run, stream, options.theorem)
    certificate.save(path)
    found = {
        "certificate": path,
        "theorem": certificate.theorem,
        "observed": certificate.observed,
        "bound": certificate.bound,
    }

    def show() -> None:
        print(_claim(certificate.theorem, certificate.observed, certificate.bound))
        print(f"certificate: {visible(path)}")

    run.stream = stream
    remarks = [*about_run(run), *_empty(certificate.theorem, certificate.bound, run.ledger.rounds)]
    answer(options, found, show, remarks)
    return FINE


def _empty(theorem: str | None, bound: float | None, rounds: int) -> list[str]:
    """Return a remark where what is certified says nothing."""
    return [] if theorem is None or bound is None else about_bounds([(theorem, bound)], rounds)


def _claim(theorem: str | None, observed: float | None, bound: float | None) -> str:
    """Return what a certificate says in one line."""
    if bound is None:  # about data alone
        return str(theorem)
    if observed is None:  # about draws
        return f"{theorem}, bound {bound:.6g}"
    if theorem == "progressive":
        return f"progressive, {counted(int(observed), 'mistake')}, error at most {bound:.4f}"
    return f"{theorem}, {observed:,.10g} ≤ {bound:.6g}"


def verify(options: argparse.Namespace) -> int:
    """Verify a certificate, trusting nothing it says."""
    text = Path(options.certificate).read_bytes()
    certificate = _made(text)
    used: dict[str, Any] = {}
    with _telling(used):
        stream, remarks = _as_certified(options, certificate, used)
        verdict = judged(text, stream)
    if verdict.verified and certificate is not None:
        data = certificate.content["data"]
        rounds = data["rows"] * (data["passes"] or 1)
        remarks += _empty(verdict.theorem, verdict.bound, rounds)
    elif verdict.reason == "these are not its data":
        remarks += _read_otherwise(certificate, used)

    def show() -> None:
        if verdict.verified:
            print(f"{verdict.reason}: {_claim(verdict.theorem, verdict.observed, verdict.bound)}")
        else:
            print(f"refused: {verdict.reason}")

    found = verdict._asdict() | {"reading": used or None}
    answer(options, found, show, [*remarks, *about_stream(stream)])
    return FINE if verdict.verified else REFUSED


def _made(text: bytes) -> Certificate | None:
    """Return the certificate of a text; None where it is refused whatever the data are."""
    try:
        return Certificate(text)
    except VerificationError:
        return None


@contextmanager
def _telling(used: dict[str, Any]) -> Iterator[None]:
    """Say with an error how data were read, where that is the certificate's doing."""
    try:
        yield
    except (InputError, ParameterError) as error:
        if not used:
            raise
        raise InputError(f"{error} The file was {_said(used)}.") from None


def _said(used: dict[str, Any]) -> str:
    return f"read as the certificate says: {in_shell(as_options(used))}"


def _as_certified(
    options: argparse.Namespace, certificate: Certificate | None, used: dict[str, Any]
) -> tuple[FileStream, list[str]]:
    """Read files as the options say, or else as the certificate notes; remark which.

    What of its note was used is added to ``used``. It names no file to open: these are the user's.
    """
    noted = certificate is not None and "reading" in certificate.content.get("remarks", {})
    if not noted or given_reading(options):
        return opened(options, sentences=True), []
    assert certificate is not None
    if certificate.reading is None:
        remark = (
            "the certificate's note of how its file was read cannot be understood, and is left "
            "aside. Say how to read it with --format, --label and the like."
        )
        return opened(options, sentences=True), [remark]
    used |= taken_reading(options.input, certificate.reading)
    stream = read_as_recorded(options.input, used, options.threads)
    return stream, [_said(used)] if used else []


def _read_otherwise(certificate: Certificate | None, used: dict[str, Any]) -> list[str]:
    """Return what may help where data are not those of a certificate."""
    reading = certificate.reading if certificate is not None else None
    if reading is None or used:
        return ["data must be read as they were learned from: --words and the like count."]
    files = in_shell(reading.get("files", []))
    noted = " ".join([files, in_shell(as_options(reading))]).strip()
    return [f"the certificate says that it was made on: {noted}"] if noted else []


def margin(options: argparse.Namespace) -> int:
    """Say whether the rows are separable, with what proves it."""
    stream = opened(options)
    check_outputs(stream.files, options.certify)
    rows, labels = whole(stream)
    found = margin_of(rows, labels, positive=stream.positive, bias=options.bias)
    if options.certify:
        certified(found, stream).save(options.certify)
    witness = None
    if found.witness is not None:
        numbers = [int(t) + 1 for t in found.witness.rows]
        witness = {"rows": numbers, "weights": [str(a) for a in found.witness.weights]}
    summary: dict[str, Any] = {
        "separable": found.separable,
        "margin": found.value,
        "interval": list(found.interval),
        "radius": found.radius,
        "novikoff_bound": found.bound,
        "witness": witness,
        "certificate": options.certify,
    }
    answer(options, summary, lambda: _show_margin(summary), about_stream(stream))
    return FINE


def _show_margin(found: dict[str, Any]) -> None:
    if found["separable"]:
        print(
            f"separable: margin {found['margin']:.6g}, radius {found['radius']:.6g}; a perceptron "
            f"makes at most {found['novikoff_bound']:.6g} mistakes"
        )
    elif found["separable"] is False:
        count = len(found["witness"]["rows"])
        print(f"not separable: {counted(count, 'row')} {'proves' if count == 1 else 'prove'} it")
    else:
        low, high = found["interval"]
        print(f"undecided: the margin is between {low:.6g} and {high:.6g}")
    if found["certificate"]:
        print(f"certificate: {visible(found['certificate'])}")


def bounds_if_any(run: Run, stream: Stream) -> tuple[list[Bound], list[str]]:
    """Return the bounds of a run for its report, which there is without them too, and why."""
    try:
        return bounds(run, stream), []
    except HypothesisError as error:
        return [], [f"no bounds: {error}"]


def report(options: argparse.Namespace) -> int:
    """Draw the report of a saved run on its data."""
    from novikoff.reports import drawable
    from novikoff.reports import report as drawn

    extra("matplotlib", "report")
    run = Run.load(options.model)
    read_alike(options, run)
    stream = opened(options)
    path = options.output or f"{Path(options.model).stem}.html"
    drawable(path, "--output")
    check_outputs((*stream.files, options.model), path)
    certificate = Certificate.load(options.certificate) if options.certificate else None
    found, why = bounds_if_any(run, stream)
    if why:
        _look(run, stream)
    run.stream = stream
    again = bool((run.reading or {}).get("again"))
    why += about_before(again)
    delta = {"delta": None} if again else {}
    drawn(run, path, bounds=found, certificate=certificate, remarks=why, **delta)
    answer(
        options,
        {"report": path},
        lambda: print(f"report: {visible(path)}"),
        [*about_run(run, found), *why],
    )
    return FINE


def _look(run: Run, stream: FileStream) -> None:
    """See in which order the labels of a run's file are, where nothing else read it."""
    if not run.order.counts:
        labels = run.labels.copy()
        for rounds in stream.blocks():
            run.order.add(np.asarray(labels.encode(rounds.labels)))
