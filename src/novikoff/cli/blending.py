"""``novikoff learn --cluster … --held-out …``: a Blend per shard, and a mixture of them."""

import time
from dataclasses import replace

from novikoff.cli.inputs import opened
from novikoff.cli.learning import Played, answered
from novikoff.cli.outputs import Written, check_outputs
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.learn_plan import LearnPlan, held_out_part
from novikoff.cli.plans.reading_plan import used_up
from novikoff.cli.resuming import read_how
from novikoff.cluster.blended_play import play_blended
from novikoff.interrupts import stoppable
from novikoff.learners.losses.frozen_class_mixture import FrozenClassMixture
from novikoff.learners.losses.frozen_mixture import FrozenMixture
from novikoff.playing.run import Run
from novikoff.streams import FileStream

HERE = "none"


def learn_blended(plan: LearnPlan) -> int:
    """Learn a model per shard, mix them over what is held out; save and certify the mixture."""
    assert plan.shards is not None
    assert plan.held_out is not None
    stream = opened(plan.reading)
    plan.check_format(stream.format)
    if not stream.replayable:
        raise used_up(stream.files)
    held = _held(plan)
    files = stream.files if isinstance(held, (int, float)) else (*stream.files, *held.files)
    check_outputs(files, plan.save, plan.certify, plan.report)
    began = time.perf_counter()
    with Written() as written, stoppable():
        run = play_blended(
            plan.learner.made(),
            stream,
            held,
            shards=plan.shards,
            address=None if plan.cluster == HERE else plan.cluster,
            folder=plan.resume,
            progress=plan.progress or None,
        )
        seconds = time.perf_counter() - began
        run.reading = read_how(plan, stream) | {"input": [*files]}
        if plan.save:
            run.save(plan.save)
            written.add(plan.save)
        about = stream if isinstance(held, (int, float)) else held
        return answered(plan, run, about, Played(seconds, _remarks(plan, run)), written)


def _held(plan: LearnPlan) -> FileStream | float | int:
    """Return what is held out: the last rows, or those of a file, read like the others."""
    assert plan.held_out is not None
    if not plan.holds_out_file:
        if plan.certify or plan.report or plan.bounds:
            raise UsageError(
                "--held-out: expected a file for a receipt, because verify reads all rows of one, "
                f"got {plan.held_out}. Put these rows into a file: --held-out FILE."
            )
        return held_out_part(plan.held_out)
    return opened(replace(plan.reading, input=(plan.held_out,), first=None))


def _remarks(plan: LearnPlan, run: "Run[FrozenMixture | FrozenClassMixture]") -> list[str]:
    """Say what the rounds are, and what the theorem allows."""
    losses = [*run.learner.losses.values()]
    best = min(range(len(losses)), key=losses.__getitem__)
    found = [
        f"the rounds are those held out, {plan.held_out}: a mixture of {len(losses)} models, one "
        f"per shard, lost {run.ledger.loss:.4f} there. Shard {best + 1} alone lost least, "
        f"{losses[best]:.4f}; the theorem mixture allows {run.learner.allowed:.4f}."
    ]
    if plan.certify and plan.save:
        found.append(
            f"verify needs {plan.save} for the members, with --start. It checks what they say of "
            "these rows, not how they were learned."
        )
    return found
