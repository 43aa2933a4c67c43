"""Epoch checks: a run that is found in a folder is one that this play could have left there."""

import json

from novikoff.cluster.plans import shown
from novikoff.cluster.shard_learners import ShardLearner, in_shards
from novikoff.errors import InputError
from novikoff.learners.learner import Learner
from novikoff.playing.run import Run
from novikoff.streams import Stream


def check_epoch(run: Run, path: str, learner: Learner, whole: Stream, shards: int) -> None:
    """Refuse a run of another learner, of other shards, or of other rounds."""
    found: object = run.learner
    if not isinstance(found, ShardLearner) or not isinstance(found, Learner):
        raise _refusal(path, f"{type(learner).__name__} in shards", type(found).__name__)
    if len(found.shards) != shards:
        raise _refusal(path, f"in {shards} shards", f"one in {len(found.shards)}")
    _check_learner(path, _like(learner, found, run), found)
    rows, done = sum(found.shards), found.epochs
    expected, got = (done * rows,) * 2, (found.rounds, run.ledger.rounds)
    if expected != got or run.ledger.passes != done or not done:
        raise _refusal(
            path,
            f"with whole epochs of {rows:,} rounds each",
            f"{run.ledger.rounds:,} rounds",
        )
    if whole.rounds not in (None, rows):
        raise _refusal(path, f"with {whole.rounds:,} rows", f"one with {rows:,}")
    if whole.positive is not None and run.labels.positive != whole.positive:
        raise _refusal(
            path, f"with the positive label {whole.positive!r}", shown(run.labels.positive)
        )


def _like(learner: Learner, found: ShardLearner, run: Run) -> Learner:
    """Return the learner of shards that this play makes, with the rows and labels found."""
    problem = getattr(found, "problem", None)  # of sentences
    labels = run.labels.known if problem is None else problem.tags
    return in_shards(learner, found.shards, tuple(labels or (0,)))


def _check_learner(path: str, expected: Learner, found: Learner) -> None:
    kinds = type(expected).__name__, type(found).__name__
    if kinds[0] != kinds[1]:
        raise _refusal(path, *kinds)
    now, old = expected.parameters, found.parameters
    for name in now:
        if _text(now[name]) != _text(old.get(name)):
            raise _refusal(path, f"{kinds[0]} with {name} {now[name]!r}", shown(old.get(name)))


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _refusal(path: str, expected: str, got: str) -> InputError:
    return InputError(
        where=path,
        expected=f"an epoch of this play, {expected}",
        got=got,
        remedy="Put back the folder's own file, or remove this one to begin with the first epoch.",
    )
