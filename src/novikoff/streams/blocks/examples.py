"""Streams whose y is an output of many parts: the tags of a sentence, a tree."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Protocol

from novikoff import _core
from novikoff.errors import InputError, Phrase, argument, parameter
from novikoff.streams.blocks.block import Block
from novikoff.streams.labels.declared import Declared
from novikoff.streams.stream import Rounds, Stream
from novikoff.types import Label, PerRound

_TYPICAL = 400  # values in a sentence


class WritesOutputs(Protocol):
    """Whoever knows how to write down the rounds of a structure: the learner's engine."""

    def digest_bytes(self, block: "ExampleBlock", y: PerRound, start: int, stop: int) -> bytes:
        """Return the bytes of these rounds that the digest covers."""


class ExampleBlock(Block):
    """Objects of any kind, in the form that a structured problem knows how to read.

    ``kept`` holds what a learner has made of them, so that a second pass need not do it again.
    """

    columns = 0
    dense = False

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows
        self.kept: dict[_core.ChainNames, tuple[PerRound, _core.Sentences]] = {}
        self.reason = (
            "expected numbers or named features, got an example of a structure. Play it with "
            "nv.StructuredPerceptron."
        )

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def values_per_row(self) -> int:
        """A guess."""
        return _TYPICAL

    def row(self, t: int) -> object:
        """Return x of row t."""
        return self.rows[t]

    def part(self, start: int, stop: int) -> "ExampleBlock":
        """Return rows [start, stop)."""
        return ExampleBlock(self.rows[start:stop])

    def played(self, t: int, features: object) -> None:
        """Refuse: only a structured learner reads such rows."""
        return

    def digest_bytes(
        self, features: "_core.Features | WritesOutputs", codes: PerRound, start: int, stop: int
    ) -> bytes:
        """Return the bytes that the digest covers, as the structure writes them."""
        assert not isinstance(features, _core.Features)  # it refuses every row
        return features.digest_bytes(self, codes, start, stop)

    def fault(self, t: int) -> str:
        """Say why the learner refused a row."""
        return self.reason


class ExampleStream(Stream):
    """Pairs (x, y) of a structured problem; the pairs of a list are read once and kept."""

    name = "examples"

    def __init__(
        self, pairs: Iterable[Iterable[object]], place: Callable[[int], str] | None = None
    ) -> None:
        self.pairs, self.place = pairs, place
        self.replayable = not isinstance(pairs, Iterator)
        self._kept: Rounds | None = None

    @property
    def origin(self) -> object:
        """The iterable itself."""
        return self.pairs

    @property
    def rounds(self) -> int | None:
        """How many there are, if that is known."""
        return len(self.pairs) if isinstance(self.pairs, (list, tuple)) else None

    def blocks(self) -> Iterator[Rounds]:
        """Yield all rounds of a list at once; yield any others one by one, as they arrive."""
        if not self.replayable:
            for t, pair in enumerate(self.pairs):
                x, y = _pair(pair, t + 1)
                yield Rounds(ExampleBlock([x]), [y])
            return
        if self._kept is None:
            pairs = [_pair(pair, t) for t, pair in enumerate(self.pairs, 1)]
            self._kept = Rounds(
                ExampleBlock([x for x, _ in pairs]), [y for _, y in pairs], place=self.place
            )
        if len(self._kept.rows):
            yield self._kept


class Outputs:
    """Outputs as the user wrote them: the learner knows what they are made of."""

    known: tuple[Label, ...] = ()
    every: tuple[Label, ...] = ()
    allowed: tuple[Label, ...] = ()
    spoken: tuple[Label, ...] = ()
    positive = None
    others: Mapping[Label, None] = MappingProxyType({})
    closed: bool | None = None

    @property
    def table(self) -> list[Label]:
        """Nothing: an output has no code."""
        return []

    def declared(self, labels: Declared) -> "Outputs":
        """Return the same map: the problem says what outputs are made of."""
        if labels != "open":
            advice = Phrase("Name tags with ", argument("tags", of="Chains"), ".")
            raise parameter("labels", "none for a structured learner", labels, advice)
        return self

    def close(self) -> None:
        """Do nothing: the problem says which tags there are."""

    def copy(self) -> "Outputs":
        """Return the same map; it has nothing to remember."""
        return self

    def encode(self, y: PerRound, first_round: int = 1) -> PerRound:
        """Return the outputs as they are."""
        return y

    def decode_one(self, output: object) -> object:
        """Return the output as it is."""
        return output


def as_examples(source: object) -> Stream:
    """Take a stream as it is, and any iterable of (x, y) as a stream of examples."""
    if isinstance(source, Stream):
        return source
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes, dict)):
        return ExampleStream(source)
    raise InputError(
        f"stream: expected a stream or an iterable of (x, y), got {type(source).__name__}. "
        "Pass a list of pairs, each a sentence and its tags."
    )


def _pair(pair: Iterable[object], number: int) -> tuple[object, object]:
    try:
        x, y = pair
    except (TypeError, ValueError):
        raise InputError(
            f"example {number}: expected a pair (x, y), got {type(pair).__name__}. "
            "Pass a list of pairs, each a sentence and its tags."
        ) from None
    return x, y
