"""``learn --resume``: going on with a model, and keeping those that are there already."""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from novikoff.cli.inputs import read_alike
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.learn_plan import LearnPlan
from novikoff.cli.plans.plan import dashed
from novikoff.cli.plans.reading_plan import ReadingPlan
from novikoff.errors import HypothesisError, InputError
from novikoff.learners.feature_learner import transforms_of
from novikoff.learners.protocols import fits_labels
from novikoff.playing.passes import Course
from novikoff.playing.run import Run
from novikoff.streams import FileStream
from novikoff.types import Fields, Label


def begun(plan: LearnPlan) -> tuple[Run, LearnPlan]:
    """Return the run to play, and the plan with what a resumed model remembers."""
    if plan.resume is None:
        return plan.new_run(), plan
    run = Run.load(plan.resume)
    if plan.digest and run.ledger.digest is None:
        raise UsageError(
            "--digest: expected a model that was learned with --digest, got one without. The "
            "digest of earlier rounds is not known."
        )
    reading = read_alike(plan.reading, run).resuming(run.reading)
    if plan.stdio:  # requests are JSON, whatever the files were that the model has learned from
        reading = replace(reading, format=plan.reading.format)
    return run, replace(plan, reading=reading)


def with_presence(plan: LearnPlan, run: Run, stream: FileStream) -> tuple[Run, LearnPlan]:
    """Give the learner a transform for --presence, unless words of text are counted once."""
    reading = plan.reading
    if is_text(reading, stream):
        return run, plan
    if plan.resume is not None:
        raise UsageError(
            f"--presence: expected none with --resume for {stream.format}, got one. It is saved."
        )
    learner = plan.learner.made(presence=True)
    return plan.new_run(learner), replace(plan, reading=replace(reading, presence=False))


def is_text(reading: ReadingPlan, stream: FileStream) -> bool:
    """Say whether the features are words of text, which --presence counts once."""
    return stream.format == "text" or reading.text is not None


def goes_on(run: Run) -> bool:
    """Say whether the run was interrupted in files that the command line played."""
    return run.unfinished is not None and "input" in run.unfinished


def check_goes_on(plan: LearnPlan, run: Run, stream: FileStream) -> None:
    """Refuse to finish an interrupted run with other files, or with the same read otherwise."""
    about = run.unfinished
    if about is None or not goes_on(run):
        return
    _check_passes(plan, Course.of(about))
    if about["input"] != list(stream.files):
        raise InputError(
            f"{plan.resume}: expected {', '.join(about['input'])}, in which the run "
            f"was interrupted, got {', '.join(stream.files)}. Finish it there first."
        )
    for name, value in read_how(plan, stream).items():
        if about["reading"].get(name, value) != value:
            raise InputError(
                f"{dashed(name)}: expected {about['reading'][name]!r}, as when the run was "
                f"interrupted, got {value!r}. Read the file as before."
            )


def _check_passes(plan: LearnPlan, course: Course) -> None:
    """Refuse other passes than those that the interrupted run was to make."""
    several = plan.passes > 1 or plan.until_clean
    limit = (plan.max_passes or course.passes) if plan.until_clean else plan.passes
    if several and (limit, plan.until_clean) != (course.passes, course.until_clean):
        kind = "--until-clean --max-passes" if course.until_clean else "--passes"
        raise UsageError(
            f"--passes: expected {kind} {course.passes} or none, to finish what was interrupted, "
            "got others. Finish it first."
        )


def started_from(plan: LearnPlan, run: Run) -> str | None:
    """Return the file of the model that the rounds of these files go on from, if there is one.

    A run that was interrupted remembers it. The same names do not show that a file still holds the
    same rows, so a run over them again goes on from its model, too. Only if no theorem takes such a
    start does it count from its first round, which is right if the rows are the same.
    """
    about = run.reading or {}
    if plan.resume is None or not run.ledger.rounds:
        return None
    if goes_on(run):
        return about.get("start")
    named_alike = about.get("input") == list(plan.reading.files())
    return None if named_alike and not _takes_start(run) else plan.resume


def _takes_start(run: Run) -> bool:
    """Say whether a receipt can begin from this model."""
    from novikoff import verifier

    part, steps = verifier.LEARNERS.get(run.ledger.learner), transforms_of(run.learner)
    return part is not None and bool(part.resumed) and (steps is None or not steps.crosses)


def check_start_kept(plan: LearnPlan, run: Run) -> None:
    """Refuse to overwrite the model that a certificate begins from."""
    start = started_from(plan, run)
    if not plan.certify or not plan.save or start is None or not _same(plan.save, start):
        return
    got = "none, which would name it the same" if plan.save_unnamed else "the same"
    raise UsageError(
        f"--save: expected another file than {start}, from which the certificate begins, got "
        f"{got}. verify needs the model as it was: save to another file."
    )


def _same(one: str, other: str) -> bool:
    """Say whether two names are of the same file."""
    return os.path.realpath(one) == os.path.realpath(other)


def has_other_rounds(plan: LearnPlan, run: Run, stream: FileStream) -> bool:
    """Say whether a run that is about to play these files has rounds of others."""
    earlier = (run.reading or {}).get("input")
    return plan.resume is not None and run.ledger.rounds > 0 and earlier != list(stream.files)


def start_of(plan: LearnPlan, run: Run, stream: FileStream) -> Run | None:
    """Return the model that the rounds of these files go on from, before it learns any of them."""
    path, earlier = started_from(plan, run), (run.reading or {}).get("input", [])
    if path is None:
        if goes_on(run) and earlier != list(stream.files):
            raise HypothesisError(
                f"certify: expected a run of {', '.join(stream.files)} alone, got one that has "
                f"learned from {', '.join(earlier)} before, and does not know from which model it "
                "went on. Learn from the model of the day before again."
            )
        return None
    if goes_on(run) and plan.resume is not None and _same(path, plan.resume):
        raise InputError(
            f"{path}: expected the model that the run went on from, got the run itself, which was "
            "saved in its place. Finish it without receipts, or learn from a copy of that model "
            "again."
        )
    try:
        return Run.load(path)
    except FileNotFoundError:
        raise InputError(
            f"{path}: expected the model that the run went on from, got no file. Put it back, or "
            "learn without receipts."
        ) from None


def is_again(run: Run, stream: FileStream, earlier: Iterable[str]) -> bool:
    """Say whether some rounds of the run are no longer fresh when the files have been played."""
    before = bool((run.reading or {}).get("again", False))
    if goes_on(run):
        return before
    read = [os.path.realpath(file) for file in stream.files]
    known = {os.path.realpath(file) for file in earlier}
    twice = len(set(read)) < len(read) or not known.isdisjoint(read)
    return before or (stream.replayable and twice)


def may_be_written(plan: LearnPlan, run: Run, stream: FileStream) -> bool:
    """Say whether a model that has no name given takes the place of nothing but its like."""
    if not plan.save or not os.path.isfile(plan.save):
        return True
    if goes_on(run) and plan.resume is not None and _same(plan.save, plan.resume):
        return True  # the same run, which is finished now
    with suppress(InputError):  # if it is not a model at all
        before, mine = Run.load(plan.save), run.ledger
        its, reading = before.ledger, before.reading or {}
        same = _learner_for(run, its.labels) == (its.learner, its.parameters)
        same = same and _asked_alike(run, before) and before.labels.positive == stream.positive
        same = same and reading.get("input") == list(stream.files)
        usual = ReadingPlan(input=plan.reading.input).decisive  # for models of earlier versions
        alike = all((usual | reading).get(n) == v for n, v in read_how(plan, stream).items())
        fresh = mine.rounds == 0 and not reading.get("again")
        once = fresh and its.passes == plan.passes and not plan.until_clean
        return same and alike and once and before.unfinished is None
    return False


def _learner_for(run: Run, labels: tuple[Label, ...]) -> tuple[str, Fields]:
    """Return what a run's learner is called, and its parameters, once it has met these labels."""
    learner = run.learner
    if run.ledger.rounds == 0 and fits_labels(learner) and len(labels) > 2:
        learner = learner.for_labels(len(labels))
        return type(learner).__name__, learner.parameters
    return run.ledger.learner, run.ledger.parameters


def _asked_alike(run: Run, before: Run) -> bool:
    """Say whether two runs were asked for the same decisions and weights.

    A largest weight that nobody declared is found in the file, when the first round is played.
    """
    asked = (run.threshold, run.class_weights) == (before.threshold, before.class_weights)
    return asked and run.max_weight in (None, before.max_weight)


def read_how(plan: LearnPlan, stream: FileStream) -> dict[str, object]:
    """Return how files are read, as a model remembers it."""
    return {"format": stream.format} | plan.reading.decisive
