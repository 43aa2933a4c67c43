"""Rereading: a stream's rounds as the verifier reads them, as often as it asks."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from novikoff import _core, verifier
from novikoff.errors import InputError, ParameterError
from novikoff.playing.passes import not_replayable
from novikoff.streams import ArrayBlock, ExampleBlock, PointBlock, Stream, as_stream
from novikoff.streams.blocks.block import DenseBlock, SparseBlock
from novikoff.streams.blocks.named import (
    NamedBlock,
    as_hashing,
    names_state,
    new_features,
    restore_names,
)
from novikoff.streams.files.headers import Table
from novikoff.streams.labels.label_maps import plain
from novikoff.streams.stream import Rounds
from novikoff.structures import Chains

Value = TypeVar("Value")
_TOGETHER = 1000  # rows that become lists at once


class Rereading:
    """The rows of a stream, with names numbered as a learner numbers them."""

    def __init__(self, stream: Stream, hashing: object = None) -> None:
        self.stream, self.hashing = stream, as_hashing(hashing)
        self.before: _core.Features | None = None
        """The names that have numbers before the first row."""
        self.after: _core.Features | None = None
        """The names that have numbers after the last row."""
        self.follows: Rereading | None = None
        """The rows before the first, which are read earlier."""
        self._layout: tuple[Table | None, tuple[str, ...] | None] = None, None

    def __call__(self) -> Iterator[verifier.Row]:
        """Yield where each row is, its label, and its (index, value) pairs."""
        with _as_bad_data():
            yield from self._rows()

    def _rows(self) -> Iterator[verifier.Row]:
        features, before = new_features(self.hashing), 0
        known = self.before
        if self.follows is not None:
            known, self._layout = self.follows.after, self.follows._layout
            self.stream.read_like(self._layout[0])
            self.stream.number_like(self._layout[1])
        if known is not None:
            restore_names(features, names_state(known, len(known)))
        for rounds in self.stream.blocks():
            rows, labels, _, place = Rounds(*rounds)
            where = place or _numbered("row", before)
            if isinstance(rows, PointBlock):
                rows = rows.marked()
            if isinstance(rows, NamedBlock):
                found = rows.numbered(features, 0, len(rows), adopt=True)
                if len(found) < len(rows):
                    raise InputError(f"{where(len(found))}: {rows.fault(len(found))}")
                rows = found
            if not isinstance(rows, ArrayBlock):
                raise InputError("stream: expected rows of features, got sentences")
            for t, items in enumerate(_each(rows)):
                yield where(t), plain(labels[t]), items
            before += len(rows)
        self.after = features
        if self.follows is None:
            self._layout = self.stream.table, self.stream.feature_names


def _each(rows: ArrayBlock) -> Iterator[verifier.Entries | list[tuple[int, float]]]:
    """Yield the values of each row: as the verifier likes them best, if nothing is unusual."""
    stops = [*range(1, len(rows), _TOGETHER), len(rows)]  # the first row may name the width
    for start, stop in pairwise([0, *stops]):
        found = _plain(rows, start, stop) if isinstance(rows, SparseBlock) and start else None
        yield from (_items(rows, t) for t in range(start, stop)) if found is None else found


def _plain(rows: SparseBlock, start: int, stop: int) -> list[verifier.Entries] | None:
    """Return rows [start, stop) if their indices ascend, and no value is 0 or infinite."""
    ends = rows.starts[start : stop + 1]
    inside = slice(int(ends[0]), int(ends[-1]))
    indices, values = rows.indices[inside], rows.values[inside].astype(np.float64)
    steps = np.diff(indices.astype(np.int64)) > 0
    between = ends[1:-1] - ends[0] - 1  # steps from the last index of a row to the next row
    steps[between[(between >= 0) & (between < len(steps))]] = True
    sound = indices.min(initial=0) >= 0 and steps.all()
    if not (sound and values.all() and np.isfinite(values).all()):
        return None
    at, x, y = (ends - ends[0]).tolist(), indices.tolist(), values.tolist()
    return [verifier.Entries(x[a:b], y[a:b]) for a, b in pairwise(at)]


def _items(rows: ArrayBlock, t: int) -> list[tuple[int, float]]:
    """Return a row's values other than 0, and its last value if the width is known."""
    if isinstance(rows, DenseBlock):
        values = rows.values[t]
        kept = values != 0
        kept[-1:] = True
        places = np.flatnonzero(kept)
        return list(zip(places.tolist(), values[places].tolist(), strict=True))
    indices, values = rows.row(t)
    found = list(zip(indices.tolist(), values.tolist(), strict=True))
    width = getattr(rows, "width", 0)
    unnamed = t == 0 and width > 0 and width - 1 not in indices
    return [*found, (width - 1, 0.0)] if unnamed else found


class Sentences:
    """The sentences of a stream: their tags, and how often each feature is at each position."""

    def __init__(self, stream: Stream, problem: Chains) -> None:
        self.stream, self.problem = stream, problem

    def __call__(self) -> Iterator[Any]:
        """Yield where each sentence is, its tags, and the (index, count) pairs of each position."""
        with _as_bad_data():
            yield from self._sentences()

    def _sentences(self) -> Iterator[Any]:
        names, before = self.problem.names(), 0
        for rounds in self.stream.blocks():
            rows, labels, _, place = Rounds(*rounds)
            where = place or _numbered("sentence", before)
            if not isinstance(rows, ExampleBlock):
                raise InputError("stream: expected sentences, got rows of features")
            for t, x in enumerate(rows.rows):
                encoded = _core.Sentences()
                sentence = self.problem.read(rows.rows, t, t + 1)
                if not names.encode(sentence, labels[t : t + 1], encoded):
                    raise InputError(f"{where(t)}: {self.problem.fault(x, labels[t])}")
                counts = [Counter(ids) for _, ids in encoded.positions(0)]
                yield where(t), list(labels[t]), [sorted(count.items()) for count in counts]
            before += len(rows)

    def lines(self) -> Iterator[str]:
        """Yield the sentences as the stand-alone verifier reads them from a file."""
        for _, tags, positions in self():
            for tag, items in zip(tags, positions, strict=True):
                yield " ".join([tag, *(f"{j + 1}:{count}" for j, count in items)]) + "\n"
            yield "\n"


def _numbered(noun: str, before: int) -> Callable[[int], str]:
    """Return the name of a block's round, given how many rounds came before the block."""
    return lambda t: f"{noun} {before + t + 1}"


@contextmanager
def _as_bad_data() -> Iterator[None]:
    """Return what is wrong with a round, in the verifier's words."""
    try:
        yield
    except (InputError, ParameterError) as error:
        raise verifier.BadData(str(error).removesuffix(".")) from error


def as_input_error(error: verifier.BadData) -> InputError:
    """Return the original error about the data, before the verifier reworded it."""
    cause = error.__cause__
    return cause if isinstance(cause, InputError) else InputError(f"{error}.")


@contextmanager
def readable() -> Iterator[None]:
    """Raise unreadable data as the caller's error: it is not a verdict on a certificate."""
    try:
        yield
    except verifier.TooLarge as error:
        raise InputError(f"{error}. Nothing is said about it.") from None
    except verifier.BadData as error:
        raise as_input_error(error).with_advice("Verify on the data that were played.") from None


def plain_rows(source: object, parameters: Mapping[str, object]) -> Rereading:
    """Return rows of features; names are hashed if the parameters say so."""
    return Rereading(replayable(as_stream(source)), understood(parameters, "hashing", as_hashing))


def replayable(stream: Stream) -> Stream:
    """Return a stream that can be read again; refuse one that is used up."""
    if not stream.replayable:
        raise not_replayable(stream)
    return stream


def understood(
    parameters: Mapping[str, object], name: str, made_of: Callable[[Any], Value]
) -> Value | None:
    """Return the object that a parameter stands for; None if there is none.

    A certificate may state anything; the verifier refuses what is not stated correctly.
    """
    try:
        return made_of(parameters[name])
    except (AttributeError, LookupError, TypeError, ValueError):
        return None
