"""``learn --bias auto``: a constant feature of the size of a typical value."""

from dataclasses import replace

from novikoff.cli.inputs import opened
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.learn_plan import LearnPlan
from novikoff.streams.typical_values import ROWS, typical_value


def with_bias(plan: LearnPlan) -> tuple[LearnPlan, list[str]]:
    """Return the plan with a number for ``--bias auto``, and the remark that says which."""
    if plan.learner.bias != "auto":
        return plan, []
    stream = opened(plan.reading)
    if not stream.replayable:
        raise UsageError(
            "--bias: expected a number for standard input, whose first rows cannot be read twice, "
            "got auto. Name one."
        )
    bias = typical_value(stream)
    return replace(plan, learner=replace(plan.learner, bias=bias)), [
        f"--bias auto is {bias:g}, the size of a typical value in the first {ROWS:,} rows. It was "
        "chosen after seeing them, not before, as the bound on the error to come assumes."
    ]
