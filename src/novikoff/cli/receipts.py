"""``novikoff certify``, ``verify``, ``margin`` and ``report``."""

import argparse
from pathlib import Path
from typing import Any

from novikoff.certificates import Certificate, judged
from novikoff.cli.options import beside, opened, print_json
from novikoff.comparators import margin as margin_of
from novikoff.loop import Run
from novikoff.receipts import bounds
from novikoff.receipts import certify as certified
from novikoff.streams.whole import whole

FINE, REFUSED = 0, 1


def certify(options: argparse.Namespace) -> int:
    """Write the certificate of a saved run on its data."""
    run, stream = Run.load(options.model), opened(options)
    path = options.output or beside(options, ".certificate.json")
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
        print(f"{certificate.theorem}: {certificate.observed} ≤ {certificate.bound:.6g}")
        print(f"certificate: {path}")
    return FINE


def verify(options: argparse.Namespace) -> int:
    """Verify a certificate, trusting nothing it says."""
    text = Path(options.certificate).read_bytes()
    verdict = judged(text, opened(options))
    if options.json:
        print_json(verdict._asdict())
    elif verdict.verified and verdict.bound is not None:
        print(f"{verdict.reason}: {verdict.theorem}, {verdict.observed} ≤ {verdict.bound:.6g}")
    elif verdict.verified:
        print(f"{verdict.reason}: {verdict.theorem}")
    else:
        print(f"refused: {verdict.reason}")
    return FINE if verdict.verified else REFUSED


def margin(options: argparse.Namespace) -> int:
    """Say whether the rows are separable, with what proves it."""
    stream = opened(options)
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
    return FINE


def _show_margin(found: dict[str, Any]) -> None:
    if found["separable"]:
        print(
            f"separable: margin {found['margin']:.6g}, radius {found['radius']:.6g}; a perceptron "
            f"makes at most {found['novikoff_bound']:.6g} mistakes"
        )
    elif found["separable"] is False:
        count = len(found["witness"]["rows"])
        print(f"not separable: {count} rows prove it")
    else:
        low, high = found["interval"]
        print(f"undecided: the margin is between {low:.6g} and {high:.6g}")
    if found["certificate"]:
        print(f"certificate: {found['certificate']}")


def report(options: argparse.Namespace) -> int:
    """Draw the report of a saved run on its data."""
    from novikoff.reports import report as drawn

    run, stream = Run.load(options.model), opened(options)
    path = options.output or f"{Path(options.model).stem}.html"
    certificate = Certificate.load(options.certificate) if options.certificate else None
    found = bounds(run, stream)
    drawn(run, path, bounds=found, certificate=certificate)
    print_json({"report": path}) if options.json else print(f"report: {path}")
    return FINE
