"""``novikoff certify``, ``verify``, ``margin`` and ``report``."""

import argparse
import sys
from pathlib import Path
from typing import Any

from novikoff.certificates import Certificate, judged
from novikoff.cli.options import (
    beside,
    check_outputs,
    counted,
    opened,
    print_json,
    read_alike,
    tell_skipped,
)
from novikoff.comparators import margin as margin_of
from novikoff.errors import HypothesisError
from novikoff.extras import extra
from novikoff.loop import Run
from novikoff.receipts import bounds
from novikoff.receipts import certify as certified
from novikoff.registry import Bound
from novikoff.streams import FileStream
from novikoff.streams.whole import whole

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
    if options.json:
        print_json(
            {
                "certificate": path,
                "theorem": certificate.theorem,
                "observed": certificate.observed,
                "bound": certificate.bound,
            }
        )
    else:
        print(_claim(certificate.theorem, certificate.observed, certificate.bound))
        print(f"certificate: {path}")
    tell_skipped(stream)
    return FINE


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
    stream = opened(options, sentences=True)
    verdict = judged(text, stream)
    if options.json:
        print_json(verdict._asdict())
    elif verdict.verified:
        print(f"{verdict.reason}: {_claim(verdict.theorem, verdict.observed, verdict.bound)}")
    else:
        print(f"refused: {verdict.reason}")
        if verdict.reason == "these are not its data":
            print("They must be read as they were learned from: --words and the like count.")
    tell_skipped(stream)
    return FINE if verdict.verified else REFUSED


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
    print_json(summary) if options.json else _show_margin(summary)
    tell_skipped(stream)
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
        print(f"certificate: {found['certificate']}")


def bounds_if_any(run: Run, stream: FileStream) -> list[Bound]:
    """Return the bounds of a run for its report, which there is without them too."""
    try:
        return bounds(run, stream)
    except HypothesisError as error:
        print(f"no bounds: {error}", file=sys.stderr)
        return []


def report(options: argparse.Namespace) -> int:
    """Draw the report of a saved run on its data."""
    from novikoff.reports import report as drawn

    extra("matplotlib", "report")
    run = Run.load(options.model)
    read_alike(options, run)
    stream = opened(options)
    path = options.output or f"{Path(options.model).stem}.html"
    check_outputs((*stream.files, options.model), path)
    certificate = Certificate.load(options.certificate) if options.certificate else None
    found = bounds_if_any(run, stream)
    drawn(run, path, bounds=found, certificate=certificate)
    print_json({"report": path}) if options.json else print(f"report: {path}")
    tell_skipped(stream)
    return FINE
