"""``novikoff learn``."""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

from novikoff.certificates import Certificate
from novikoff.cli.options import beside, hashing, opened, print_json
from novikoff.cli.parser import LEARNERS
from novikoff.conversion import error_bound
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.learners import Learner
from novikoff.loop import Run
from novikoff.progress import Progress, as_progress
from novikoff.receipts import bounds, certify
from novikoff.registry import Bound
from novikoff.streams import FileStream
from novikoff.streams.skipping import Skipping

_OPTIONS = ("bias", "ties", "eta", "sigma", "max_voters", "seed")


def learn(options: argparse.Namespace) -> int:
    """Play the input; save, certify and draw what is asked for."""
    stream = opened(options)
    run, skipped = _begun(options, stream)
    _name_outputs(options, stream)
    began = time.perf_counter()
    _play(run, stream, skipped, options)
    seconds = time.perf_counter() - began
    run.unfinished = None
    if options.save:
        run.save(options.save)
    found = _receipt(options, run, stream)
    summary = _summary(options, run, stream, seconds) | found
    print_json(summary) if options.json else _show(summary, stream)
    return 0


def _begun(options: argparse.Namespace, stream: FileStream) -> tuple[Run, int]:
    """Return the run to go on with, and how many rounds of the input it has already played."""
    if options.resume is None:
        return Run(_learner(options), digest=_needs_digest(options)), 0
    given = [name for name in (*_OPTIONS, "hash_bits") if getattr(options, name) is not None]
    if given:
        raise parameter(f"--{given[0].replace('_', '-')}", "none with --resume", "one")
    run = Run.load(options.resume)
    if run.unfinished is None:
        return run, 0
    if run.unfinished["input"] != list(stream.files):
        raise InputError(
            f"{options.resume}: expected {', '.join(run.unfinished['input'])}, in which the run "
            f"was interrupted, got {', '.join(stream.files)}. Finish it there first."
        )
    return run, run.ledger.rounds - int(run.unfinished["rounds"])


def _learner(options: argparse.Namespace) -> Learner:
    kind: Any = Learner.kinds[LEARNERS[options.learner]]
    given = {
        name: getattr(options, name) for name in _OPTIONS if getattr(options, name) is not None
    }
    if options.hash_bits is not None:
        given["hashing"] = hashing(options)
    try:
        found: Learner = kind(**given)
    except TypeError as error:
        name = str(error).rpartition("argument")[2].strip(" '") or str(error)
        raise parameter(
            f"--{name.replace('_', '-')}", f"an option of {options.learner}, or all it needs", "not"
        ) from None
    return found


def _needs_digest(options: argparse.Namespace) -> bool:
    return bool(options.digest or options.certify is not None or options.bounds or options.report)


def _name_outputs(options: argparse.Namespace, stream: FileStream) -> None:
    """Name what is written after the input, where it has no name."""
    if options.certify == "":
        options.certify = beside(options, ".certificate.json")
    if (options.certify or options.report) and not options.save:
        options.save = beside(options, ".model")
    receipt = options.certify or options.report or options.bounds
    if receipt and not stream.replayable:
        raise InputError(
            "standard input: expected a file for a receipt, which reads it again, got a stream "
            "that is used up. Spool it first: novikoff cache - --output FILE."
        )
    if options.save_every is not None:
        if not options.save:
            raise parameter("--save-every", "--save MODEL with it", "none")
        if options.passes > 1 or options.until_clean:
            raise parameter("--save-every", "one pass", "several")


def _play(run: Run, stream: FileStream, skipped: int, options: argparse.Namespace) -> None:
    save = _saving(run, stream, skipped, options)
    with as_progress(options.progress or None) as bar:

        def report(progress: Progress) -> None:
            save()
            if bar is not None:
                bar(progress)

        source = Skipping(stream, skipped) if skipped else stream
        run.play(
            source,
            passes=options.passes,
            until_clean=options.until_clean,
            max_passes=options.max_passes,
            progress=report,
        )


def _saving(
    run: Run, stream: FileStream, skipped: int, options: argparse.Namespace
) -> Callable[[], None]:
    """Return a function that saves the run now and then."""
    before = run.ledger.rounds - skipped
    last = time.monotonic()

    def save() -> None:
        nonlocal last
        if options.save_every is None or time.monotonic() - last < options.save_every:
            return
        run.unfinished = {"input": list(stream.files), "rounds": before}
        run.save(options.save)
        last = time.monotonic()

    return save


def _receipt(options: argparse.Namespace, run: Run, stream: FileStream) -> dict[str, Any]:
    """Find bounds, write the certificate and the page."""
    found: list[Bound] = []
    if options.bounds or options.certify or options.report:
        found = bounds(run, stream)
    certificate: Certificate | None = None
    if options.certify:
        certificate = certify(run, stream, options.theorem, found=found)
        certificate.save(options.certify)
    if options.report:
        from novikoff.reports import report

        report(run, options.report, bounds=found, certificate=certificate)
    shown = [
        {"theorem": b.theorem, "value": b.value, "holds": b.holds, "gap": b.gap} for b in found
    ]
    files = {"model": options.save, "certificate": options.certify, "report": options.report}
    return {"bounds": shown} | files


def _summary(
    options: argparse.Namespace, run: Run, stream: FileStream, seconds: float
) -> dict[str, Any]:
    ledger = run.ledger
    return {
        "rounds": ledger.rounds,
        "mistakes": ledger.mistakes,
        "error_rate": ledger.error_rate,
        "abstentions": ledger.abstentions,
        "dimension": getattr(run.learner, "dimension", None),
        "radius": ledger.radius,
        "seconds": seconds,
        "labels": list(ledger.labels),
        "learner": ledger.learner,
        "parameters": ledger.parameters,
        "passes": ledger.passes,
        "converged": run.converged,
        "format": stream.format,
        "skipped": stream.skipped,
        "digest": ledger.digest,
        "error_bound": _error_bound(run, options.delta),
    }


def _error_bound(run: Run, delta: float) -> dict[str, float] | None:
    try:
        return {"value": error_bound(run.ledger, delta).value, "delta": delta}
    except HypothesisError:
        return None


def _show(found: dict[str, Any], stream: FileStream) -> None:
    print(
        f"{found['learner']} on {stream.name} ({found['format']}): {found['mistakes']:,} mistakes "
        f"in {found['rounds']:,} rounds ({found['error_rate']:.2%}), {found['dimension']:,} "
        f"features, {found['seconds']:.2f} s"
    )
    bound = found["error_bound"]
    if bound is not None:
        print(
            f"error of a hypothesis drawn from the run: at most {bound['value']:.4f} with "
            f"probability {1 - bound['delta']:g}, if the rounds are independent draws"
        )
    for one in found["bounds"]:
        print(f"  {one['theorem']:<16} at most {one['value']:.6g} mistakes")
    for kind in ("model", "certificate", "report"):
        if found[kind]:
            print(f"{kind}: {found[kind]}")
    if found["skipped"]:
        print(f"skipped {found['skipped']} lines:", file=sys.stderr)
        for fault in stream.faults:
            print(f"  {fault}", file=sys.stderr)
