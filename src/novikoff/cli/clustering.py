"""``novikoff learn --cluster``: shards of the files, mixed after every epoch."""

import time

from novikoff.cli.inputs import opened
from novikoff.cli.learning import Played, answered
from novikoff.cli.outputs import Written, check_outputs
from novikoff.cli.plans.learn_plan import LearnPlan
from novikoff.cli.plans.reading_plan import used_up
from novikoff.cluster.mixed_play import play
from novikoff.interrupts import stoppable

HERE = "none"
"""The address of this process, without Ray."""


def learn_in_shards(plan: LearnPlan) -> int:
    """Play the files in shards; save, certify and draw what is asked for."""
    if plan.held_out is not None:
        from novikoff.cli.blending import learn_blended

        return learn_blended(plan)
    assert plan.shards is not None
    stream = opened(plan.reading)
    plan.check_format(stream.format)
    if not stream.replayable:
        raise used_up(stream.files)
    check_outputs(stream.files, plan.save, plan.certify, plan.report)
    began = time.perf_counter()
    with Written() as written, stoppable():
        run = play(
            plan.learner.made(),
            stream,
            shards=plan.shards,
            epochs=plan.epochs,
            address=None if plan.cluster == HERE else plan.cluster,
            folder=plan.resume,
            progress=plan.progress or None,
        )
        seconds = time.perf_counter() - began
        if plan.save:
            run.save(plan.save)
            written.add(plan.save)
        return answered(plan, run, stream, Played(seconds, []), written)
