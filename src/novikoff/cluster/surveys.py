"""What all shards must agree on before the first epoch: rows, labels, and the names of features."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from novikoff import _core
from novikoff.cluster.shard_sources import ShardSource
from novikoff.errors import InputError
from novikoff.learners.learner import Learner
from novikoff.streams import ExampleBlock, Hashing, Stream
from novikoff.streams.blocks.named import NamedBlock, as_hashing, new_features
from novikoff.streams.labels.label_maps import plain
from novikoff.streams.stream import Rounds
from novikoff.structures import Chains
from novikoff.types import AnyArray, Label


@dataclass(frozen=True)
class Survey:
    """What one shard holds, or all of them."""

    rows: tuple[int, ...]
    """How many rows each shard has."""
    labels: tuple[Label, ...]
    """In the order in which they appear."""
    names: tuple[str, ...]
    """The names of features, in the order in which they appear with a value other than 0."""


Surveyor = Chains | Hashing | None
"""What finds the names of features: chains, hashing, or a dictionary."""


def surveyor(learner: Learner) -> Surveyor:
    """Return what finds the names of features for a learner."""
    problem = getattr(learner, "problem", None)
    if isinstance(problem, Chains):
        return problem
    return as_hashing(learner.parameters.get("hashing"))


def surveyed(source: ShardSource, by: Surveyor) -> Survey:
    """Read a shard once."""
    if isinstance(by, Chains):
        return _sentences(source.stream(), by)
    features, rows = new_features(by), 0
    labels: dict[Label, None] = {}
    for found in source.stream().blocks():
        rounds = Rounds(*found)
        block = rounds.rows
        rows += len(block)
        labels |= dict.fromkeys(map(plain, _different(rounds.labels)))
        if isinstance(block, NamedBlock) and not features.bits:
            numbered = block.numbered(features, 0, len(block), adopt=True)
            if len(numbered) < len(block):
                raise _refused(rounds, len(numbered), rows, block.fault(len(numbered)))
    names = () if features.bits else tuple(features.names(len(features)))
    return Survey((rows,), tuple(labels), names)


def _different(labels: Sequence[Label] | AnyArray) -> Iterable[Label]:
    """Return the labels that there are, in the order in which they appear."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind not in "biuf":
        return dict.fromkeys(labels)
    _, first = np.unique(labels, return_index=True)
    found: list[Label] = labels[np.sort(first)].tolist()
    return found


def _sentences(stream: Stream, problem: Chains) -> Survey:
    """Read sentences for their tags and the features of their positions."""
    names, count = problem.names(), 0
    for found in stream.blocks():
        rounds = Rounds(*found)
        block, y = rounds.rows, rounds.labels
        count += len(block)
        if not isinstance(block, ExampleBlock):
            raise _refused(rounds, 0, count, "expected sentences with tags, got rows of features.")
        done = names.encode(problem.read(block.rows, 0, len(block)), [*y], _core.Sentences())
        if done < len(block):
            raise _refused(rounds, done, count, problem.fault(block.rows[done], y[done]))
    return Survey((count,), tuple(names.tag_names()), tuple(names.feature_names()))


def _refused(rounds: Rounds, t: int, rows: int, fault: str) -> InputError:
    """Return the error of row t of a block that ends with this row of its shard."""
    named = rounds.place(t) if rounds.place is not None else ""
    return InputError(f"{named or f'row {rows - len(rounds.rows) + t + 1}'}: {fault}")


def merged(surveys: Sequence[Survey]) -> Survey:
    """Put surveys together in the order of the shards.

    A name gets the number that it would have if one learner had read the shards one after another.
    """
    rows = tuple(n for survey in surveys for n in survey.rows)
    for k, n in enumerate(rows):
        if n == 0:
            raise InputError(f"shard {k + 1}: expected rows, got none. Use fewer shards.")
    labels = dict.fromkeys(label for survey in surveys for label in survey.labels)
    names = dict.fromkeys(name for survey in surveys for name in survey.names)
    return Survey(rows, tuple(labels), tuple(names))
