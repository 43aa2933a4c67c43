"""``novikoff tag --learn --cluster``: sentences in shards, mixed after every epoch."""

from itertools import islice

from novikoff.cli.clustering import HERE
from novikoff.cli.plans.tag_plan import TagPlan
from novikoff.cli.tagging import Sentence, problem_of
from novikoff.cluster.mixed_play import play
from novikoff.errors import InputError
from novikoff.interrupts import stoppable
from novikoff.learners import StructuredPerceptron
from novikoff.playing.run import Run
from novikoff.receipts.certificates import check_certifiable
from novikoff.receipts.selection import Selected
from novikoff.streams import FileStream
from novikoff.streams.blocks.examples import ExampleBlock


def shards_played(plan: TagPlan, stream: FileStream) -> Selected:
    """Play the files in shards; the model is that after the last epoch."""
    assert plan.shards is not None
    problem = problem_of(plan.templates, _first_sentences(stream))
    learner = StructuredPerceptron(problem, averaged=not plan.last)
    if plan.certify:
        check_certifiable(Run(learner))
    with stoppable():
        run: Run = play(
            learner,
            stream,
            shards=plan.shards,
            epochs=plan.epochs,
            address=None if plan.cluster == HERE else plan.cluster,
            folder=plan.resume,
        )
    return Selected(run.hypothesis(), run.learner.epochs, (), run)


def _first_sentences(stream: FileStream) -> list[Sentence]:
    """Return some sentences, which say how many columns a token has; the files may be large."""
    for rounds in islice(stream.blocks(), 1):
        assert isinstance(rounds.rows, ExampleBlock)
        return [*rounds.rows.rows]
    raise InputError(f"{stream.name}: expected sentences to learn from, got none.")
