"""The block being played, and what must agree with it even if something cuts it short."""

from collections.abc import Callable

from novikoff.playing.encoding import Encoding, placed
from novikoff.playing.progress import Report
from novikoff.playing.slices import Slices
from novikoff.streams import Block, LabelMap
from novikoff.types import PerRound


class BlockInHand:
    """A block in hand: everything as it was before its first round.

    One call of the core changes a learner and its tally together, so the tally says how many of the
    rounds were played. Everything else follows from that number and can be worked out again.
    """

    def __init__(
        self,
        encoding: Encoding,
        slices: Slices,
        block: Block,
        y: PerRound,
        passes: int = 0,
        digested: bool = False,
    ) -> None:
        self.encoding, self.slices, self.block, self.y = encoding, slices, block, y
        self.passes = passes
        """The passes over the stream, including this one; 0 without a stream."""
        self.digested = digested
        """Whether the digest has these rounds from an earlier pass."""
        ledger = encoding.ledger
        self._began = slices.tally.rounds
        self._labels, self._known, self._hash = encoding.labels, ledger.labels, slices.hash
        self.coded: tuple[PerRound, LabelMap] = (), encoding.labels
        """The labels as the learner takes them, and the map that made them so."""
        self.played: PerRound = ()
        """Those of the rounds played, once it has settled."""

    def play(
        self, given: PerRound | None, report: Report | None, place: Callable[[int], str] | None
    ) -> None:
        """Encode the rounds, play them with the weights given, and settle.

        ``place`` says where a refused round stands.
        """
        try:
            y = self.y
            codes, fault = self.encoding.encoded(y)
            self.coded = codes, self.encoding.labels
            if fault is not None:
                y, given = y[: len(codes)], None if given is None else given[: len(codes)]
            weights, light = self.encoding.weights(y, given)
            if light is not None:
                fault, codes = light, codes[: light.row]
            self.slices.play(self.block, codes, weights, report, place)
        finally:
            self.settle()
        if fault is not None:
            raise placed(fault, place)

    def settle(self) -> None:
        """Make everything agree with the rounds played so far. Calling it again does no harm."""
        encoding, slices = self.encoding, self.slices
        ledger = encoding.ledger
        codes, labels = self.coded
        done = min(slices.tally.rounds - self._began, len(codes))
        self.played = codes if done == len(codes) else codes[:done]
        if done < len(self.y):  # refused or interrupted: keep only the labels that were played
            labels = self._labels
            if done:
                labels = labels.copy()
                labels.encode(self.y[:done], self._began + 1)
        if labels is not encoding.labels:
            encoding.keep(labels)
            ledger.labels = labels.every if labels is not self._labels else self._known
        if done == 0:
            return
        ledger.passes = max(ledger.passes, self.passes)
        encoding.learner.fix_form(self.block)
        if slices.hash is not None or ledger.digest is not None:
            slices.record(self._hash, self.block, codes, 0 if self.digested else done)
