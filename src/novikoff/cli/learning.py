"""``novikoff learn``."""

import argparse
import inspect
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from novikoff.cli.certifying import bounds_if_any
from novikoff.cli.escapes import visible
from novikoff.cli.learning_remarks import about_before, check_positive, ticking
from novikoff.cli.options import (
    READING,
    beside,
    check_outputs,
    hashing,
    opened,
    print_json,
    read_alike,
    stoppable,
    tell,
    wrote,
)
from novikoff.cli.parser import LEARNERS, UsageError
from novikoff.errors import HypothesisError, InputError
from novikoff.extras import extra
from novikoff.interrupts import listening, waiting
from novikoff.learners import Learner
from novikoff.playing.ledger import Ledger, counted, in_words
from novikoff.playing.passes import Course
from novikoff.playing.progress import Progress, as_progress
from novikoff.playing.run import Run
from novikoff.receipts.certificates import Certificate, check_certifiable
from novikoff.receipts.conversion import ErrorBound, error_bound
from novikoff.receipts.receipt import bounds, certify
from novikoff.receipts.remarks import about_run
from novikoff.receipts.reread_rounds import kept
from novikoff.streams import FileStream, Stream
from novikoff.theory import Bound

_ASSUMES = "the rounds are independent draws and the learner was chosen before they were seen"
_OPTIONS = ("bias", "ties", "eta", "sigma", "max_voters", "seed", "dimension")


def learn(options: argparse.Namespace) -> int:
    """Play the input; save, certify and draw what is asked for."""
    _check(options)
    resumed = None if options.resume is None else Run.load(options.resume)
    if resumed is not None:
        read_alike(options, resumed)
    stream = opened(options)
    run = _begun(options, resumed, stream)
    remarks = _name_outputs(options, run, stream)
    earlier = (run.reading or {}).get("input", [])
    again = _again(run, stream, earlier)
    _check_receipt(options, run, stream)
    reading = _reading(options, stream)
    run.files = {"input": list(stream.files), "reading": reading} if stream.replayable else {}
    run.reading = reading | {"input": [*dict.fromkeys([*earlier, *stream.files])], "again": again}
    began = time.perf_counter()
    with stoppable(), waiting():  # until the model is there
        _play(run, stream, options)
        seconds = time.perf_counter() - began
        _check_played(run.ledger, stream)
        if options.save:
            run.save(options.save)
            wrote(options, options.save)
    error = None if again else _error_bound(run, options.delta)
    summary = _summary(run, stream, seconds, error)
    if not options.json:
        _show(summary, stream)
    remarks += about_before(again)
    allowed, why = _receipt(options, run, stream, error, remarks)
    remarks = [*about_run(run, allowed, error), *why, *remarks]
    found = _written(options, allowed)
    print_json(summary | found, remarks) if options.json else _show_receipt(
        found, run.ledger.rounds
    )
    tell(remarks)
    return 0


def _again(run: Run, stream: FileStream, earlier: list[str]) -> bool:
    """Say whether some rounds of the run are no longer fresh when the files have been played."""
    before = (run.reading or {}).get("again", False)
    if _goes_on(run):
        return bool(before)
    read = [os.path.realpath(file) for file in stream.files]
    known = {os.path.realpath(file) for file in earlier}
    twice = len(set(read)) < len(read) or not known.isdisjoint(read)
    return bool(before) or (stream.replayable and twice)


def _check_played(ledger: Ledger, stream: FileStream) -> None:
    """Refuse a file that taught nothing, or whose labels are not those that were named."""
    if ledger.rounds == 0:
        skipped = f", and {counted(stream.skipped, 'line')} skipped" if stream.skipped else ""
        raise InputError(f"{stream.name}: expected rounds, got none{skipped}. Check its format.")
    check_positive(ledger, stream)


def _check(options: argparse.Namespace) -> None:
    """Refuse options that do not go together, and names of files that are none."""
    for name in ("save", "resume", "report"):
        if getattr(options, name) == "":
            raise UsageError(
                f"{_dashed(name)}: expected the name of a file, got an empty one. Name one."
            )
    if options.until_clean and options.passes > 1:
        raise UsageError("--passes: expected none with --until-clean. Limit it with --max-passes.")
    if options.save_every is not None and not options.save:
        raise UsageError("--save-every: expected --save MODEL with it, got none.")
    if options.max_passes is not None and not options.until_clean:
        raise UsageError("--max-passes: expected --until-clean with it, got none.")
    if options.theorem is not None and options.certify is None:
        raise UsageError("--theorem: expected --certify with it, got none.")
    if options.report:
        from novikoff.reports import drawable

        drawable(options.report, "--report")
        extra("matplotlib", "--report")
    if options.resume is None:
        return
    for name in ("learner", *_OPTIONS, "hash_bits"):
        if getattr(options, name) is not None:
            raise UsageError(f"{_dashed(name)}: expected none with --resume, got one. It is saved.")
    if options.digest:
        raise UsageError("--digest: expected none with --resume, which knows no earlier rounds.")


def _dashed(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _goes_on(run: Run) -> bool:
    """Say whether the run was interrupted in files that the command line played."""
    return run.unfinished is not None and "input" in run.unfinished


def _begun(options: argparse.Namespace, run: Run | None, stream: FileStream) -> Run:
    """Return the run to go on with: a new one, one that is finished, or one to finish here."""
    if run is None:
        return Run(_learner(options), digest=_needs_digest(options))
    about = run.unfinished
    if about is None or not _goes_on(run):
        return run
    _check_passes(options, Course.of(about))
    if about["input"] != list(stream.files):
        raise InputError(
            f"{options.resume}: expected {', '.join(about['input'])}, in which the run "
            f"was interrupted, got {', '.join(stream.files)}. Finish it there first."
        )
    for name, value in _reading(options, stream).items():
        if about["reading"].get(name, value) != value:
            raise InputError(
                f"{_dashed(name)}: expected {about['reading'][name]!r}, as when the run was "
                f"interrupted, got {value!r}. Read the file as before."
            )
    return run


def _check_passes(options: argparse.Namespace, course: Course) -> None:
    """Refuse other passes than those that the interrupted run was to make."""
    several = options.passes > 1 or options.until_clean
    limit = (options.max_passes or course.passes) if options.until_clean else options.passes
    if several and (limit, options.until_clean) != (course.passes, course.until_clean):
        kind = "--until-clean --max-passes" if course.until_clean else "--passes"
        raise UsageError(
            f"--passes: expected {kind} {course.passes} or none, to finish what was interrupted, "
            "got others. Finish it first."
        )


def _reading(options: argparse.Namespace, stream: FileStream) -> dict[str, Any]:
    return {"format": stream.format} | {name: getattr(options, name) for name in READING}


def _learner(options: argparse.Namespace) -> Learner:
    name = options.learner or "perceptron"
    kind: Any = Learner.kinds[LEARNERS[name]]
    given = {
        name: getattr(options, name) for name in _OPTIONS if getattr(options, name) is not None
    }
    if options.hash_bits is not None:
        given["hashing"] = hashing(options)
    taken = inspect.signature(kind).parameters
    for option in given:
        if option not in taken:
            raise UsageError(f"{_dashed(option)}: expected no such option with --learner {name}.")
    for option, about in taken.items():
        if about.default is about.empty and option not in given:
            raise UsageError(f"{_dashed(option)}: expected a value for --learner {name}, got none.")
    found: Learner = kind(**given)
    return found


def _needs_digest(options: argparse.Namespace) -> bool:
    return bool(options.digest or options.certify is not None or options.bounds or options.report)


def _may_be_written(options: argparse.Namespace, run: Run, stream: FileStream) -> bool:
    """Say whether a model that has no name given takes the place of nothing but its like."""
    if not os.path.isfile(options.save):
        return True
    with suppress(InputError):  # where it is no model at all
        before, mine = Run.load(options.save), run.ledger
        its = before.ledger
        same = (mine.learner, mine.parameters) == (its.learner, its.parameters)
        same = same and (before.reading or {}).get("input") == list(stream.files)
        played = run.ledger.rounds == 0 and not (before.reading or {}).get("again")
        once = played and its.passes == options.passes and not options.until_clean
        return same and once and before.unfinished is None
    return False


def _name_outputs(options: argparse.Namespace, run: Run, stream: FileStream) -> list[str]:
    """Name what is written after the input, where it has no name; return what is to be remarked."""
    remarks = []
    if options.certify == "":
        options.certify = beside(options, ".certificate.json")
    if (options.certify or options.report) and not options.save:
        options.save = beside(options, ".model")
        if not _may_be_written(options, run, stream):
            left = f"{options.save} is another model, and is left as it is."
            remarks.append(f"{left} Name this one with --save.")
            options.save = None
    receipt = options.certify or options.report or options.bounds
    if receipt and not stream.replayable:
        raise InputError(
            "standard input: expected a file for a receipt, which reads it again, got a stream "
            "that is used up. Spool it first: novikoff cache - --output FILE."
        )
    check_outputs(stream.files, options.save, options.certify, options.report)
    if options.resume:
        check_outputs([options.resume], options.certify, options.report)
    return remarks


def _play(run: Run, stream: Stream, options: argparse.Namespace) -> None:
    last = time.monotonic()
    passes: dict[str, Any] = {"passes": options.passes, "until_clean": options.until_clean}
    if options.max_passes is not None:
        passes["max_passes"] = options.max_passes
    with _saved_at_a_stop(run, options), listening(), as_progress(options.progress or None) as bar:

        def report(progress: Progress) -> None:
            nonlocal last
            if options.save_every is not None and time.monotonic() - last >= options.save_every:
                run.save(options.save)
                wrote(options, options.save)
                last = time.monotonic()
            if bar is not None:
                bar(progress)

        if _goes_on(run):
            run.go_on(stream, progress=report)
        else:
            run.play(stream, **passes, progress=report)


@contextmanager
def _saved_at_a_stop(run: Run, options: argparse.Namespace) -> Iterator[None]:
    """Keep what was learned when Ctrl-C or SIGTERM stops a run that is to be saved."""
    began = run.ledger.rounds
    try:
        yield
    except KeyboardInterrupt:
        after = f"after {counted(run.ledger.rounds, 'round')}"
        if not options.save:
            raise KeyboardInterrupt(f"{after}; nothing is saved without --save.") from None
        if run.ledger.rounds == began:
            there = os.path.exists(options.save)
            left = f"{options.save} is as it was" if there else "there is no model to save"
            raise KeyboardInterrupt(f"{after}; nothing was learned, and {left}.") from None
        rest = ""
        if not run.files:  # standard input, of which nobody has the beginning any more
            run.unfinished, rest = None, " and the rows that follow"
        run.save(options.save)
        options.written.clear()  # the one file that was, and is named here
        raise KeyboardInterrupt(f"{after}; go on with --resume {options.save}{rest}.") from None


def _check_receipt(options: argparse.Namespace, run: Run, stream: FileStream) -> None:
    """Refuse, before the first round, a certificate that there cannot be."""
    if options.certify is None:
        return
    check_certifiable(run, options.theorem)
    if options.theorem == "progressive" and options.passes > 1:
        raise HypothesisError(
            f"certify: expected one pass for progressive, got {options.passes}. Rounds that were "
            "played before are not fresh."
        )
    earlier = (run.reading or {}).get("input", list(stream.files))
    if run.ledger.rounds and earlier != list(stream.files):
        raise HypothesisError(
            f"certify: expected a run of {', '.join(stream.files)} alone, got one that has learned "
            f"from {', '.join(earlier)} before. A certificate is about all that was played: learn "
            "from all the files at once."
        )


def _receipt(
    options: argparse.Namespace,
    run: Run,
    stream: FileStream,
    error: ErrorBound | None,
    remarks: list[str],
) -> tuple[list[Bound], list[str]]:
    """Find bounds, write the certificate and the page; say why there are no bounds, if so."""
    found: list[Bound] = []
    why: list[str] = []
    rounds = kept(stream)
    if options.bounds or options.certify:
        found = bounds(run, rounds, progress=ticking if options.progress else None)
    elif options.report:
        found, why = bounds_if_any(run, rounds)
    certificate: Certificate | None = None
    if options.certify:
        certificate = certify(run, rounds, options.theorem, found=found)
        certificate.save(options.certify)
        wrote(options, options.certify)
    if options.report:
        from novikoff.reports import report

        said = [*why, *remarks]
        report(run, options.report, found, certificate, delta=error, remarks=said)
        wrote(options, options.report)
    return found, why


def _written(options: argparse.Namespace, found: list[Bound]) -> dict[str, Any]:
    shown = [
        {"theorem": b.theorem, "value": b.value, "holds": b.holds, "gap": b.gap} for b in found
    ]
    files = {"model": options.save, "certificate": options.certify, "report": options.report}
    return {"bounds": shown} | files


def _summary(
    run: Run, stream: FileStream, seconds: float, error: ErrorBound | None
) -> dict[str, Any]:
    ledger = run.ledger
    bound = error and {
        "value": error.value, "delta": error.delta, "assumes": _ASSUMES,
    }  # fmt: skip
    return {
        "rounds": ledger.rounds,
        "mistakes": ledger.mistakes,
        "error_rate": ledger.error_rate,
        "abstentions": ledger.abstentions,
        "prediction_error_rate": ledger.prediction_error_rate,
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
        "error_bound": bound,
    }


def _error_bound(run: Run, delta: float) -> ErrorBound | None:
    try:
        return error_bound(run.ledger, delta)
    except HypothesisError:
        return None


def _show(found: dict[str, Any], stream: FileStream) -> None:
    print(
        f"{found['learner']} on {visible(stream.name)} ({found['format']}): "
        f"{in_words(found['rounds'], found['mistakes'], found['abstentions'])}, "
        f"{counted(found['dimension'], 'feature')}, {found['seconds']:.2f} s"
    )
    bound = found["error_bound"]
    if bound is not None:
        print(
            f"error of a hypothesis drawn from the run: at most {bound['value']:.4f} with "
            f"probability {1 - bound['delta']:g}, if {bound['assumes']}",
            flush=True,
        )


def _show_receipt(found: dict[str, Any], rounds: int) -> None:
    for one in found["bounds"]:
        empty = " (says nothing: there were no more rounds)" if one["value"] >= rounds else ""
        print(f"  {one['theorem']:<16} at most {one['value']:.6g} mistakes{empty}")
    for kind in ("model", "certificate", "report"):
        if found[kind]:
            print(f"{kind}: {visible(found[kind])}")
