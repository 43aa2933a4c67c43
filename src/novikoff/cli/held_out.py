"""``learn --held-out``: learn from the first rows, and test the model on the last ones."""

from dataclasses import replace
from typing import TYPE_CHECKING

from novikoff.cli.inputs import opened, read_alike
from novikoff.cli.plans.learn_plan import LearnPlan, held_out_part
from novikoff.cli.plans.reading_plan import used_up
from novikoff.errors import InputError
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run

if TYPE_CHECKING:
    from novikoff.cli.testing import TestAnswer
    from novikoff.receipts.fresh_testing import FreshTest


def with_held_out(plan: LearnPlan) -> LearnPlan:
    """Return the plan of learning from the first rows alone; the rows are counted for it."""
    if plan.held_out is None:
        return plan
    stream = opened(plan.reading)
    if not stream.replayable:
        raise used_up(stream.files)
    rows = sum(len(rounds.rows) for rounds in stream.blocks())
    part = held_out_part(plan.held_out)
    kept = round(rows * part) if isinstance(part, float) else part
    if not 0 < kept < rows:
        raise InputError(
            f"{stream.name}: expected rows to learn from and rows to hold out, got "
            f"{counted(rows, 'row')}, of which --held-out keeps {kept:,}. Hold out another part."
        )
    return replace(plan, reading=replace(plan.reading, first=rows - kept))


def held_out_test(plan: LearnPlan, run: Run) -> "FreshTest | None":
    """Test the model on the rows that it has not learned from; None if none are held out."""
    if plan.held_out is None or plan.reading.first is None:
        return None
    from novikoff.receipts.fresh_testing import tested
    from novikoff.streams.skipping import Skipping

    stream = opened(read_alike(replace(plan.reading, first=None), run))
    return tested(run, Skipping(stream, plan.reading.first), delta=plan.delta)


def held_out_answer(found: "FreshTest | None") -> "TestAnswer | None":
    """Return the test as JSON has it."""
    if found is None:
        return None
    from novikoff.cli.testing import test_answer

    return test_answer(found)


def show_held_out(found: "FreshTest | None") -> None:
    """Print first how good the model is that was saved."""
    if found is not None:
        from novikoff.cli.testing import show_test

        show_test(found, whole=False)


def about_held_out(plan: LearnPlan, found: "FreshTest | None") -> list[str]:
    """Return remarks on what was held out."""
    if found is None:
        return []
    from novikoff.cli.testing import about_test

    first = plan.reading.first or 0
    return [
        f"the model has learned from the first {counted(first, 'row')} only, and was tested on the "
        f"{counted(found.rows, 'row')} after them. Digest and certificate are about the rows that "
        f"it has learned from: --first {first}.",
        *about_test(found),
    ]
