"""Rounds that are being played: what else must agree with them, whatever cuts them short."""

from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.learners import FeatureLearner
from novikoff.playing.labelled import Coding, placed
from novikoff.playing.progress import Report
from novikoff.playing.slices import Slices
from novikoff.streams import Block
from novikoff.types import AnyArray


class Pending:
    """A block in hand: everything as it was before its first round.

    A learner and its tally are changed by one call of the core, hence the tally says how many of
    the rounds were played. All else follows from that number, and can be worked out again.
    """

    def __init__(self, coding: Coding, slices: Slices, block: Block, y: Any) -> None:
        self.coding, self.slices, self.block, self.y = coding, slices, block, y
        self.passes = 0
        """The passes over the stream, this one included; 0 where there is no stream."""
        self.digested = False
        """Whether the digest has these rounds from an earlier pass."""
        ledger = coding.ledger
        self._began = ledger.rounds
        self._labels, self._known, self._hash = coding.labels, ledger.labels, slices.hash
        self._coded: tuple[AnyArray, Any] | None = None

    def coded(self, codes: AnyArray) -> None:
        """Take note of what the labels are to the learner."""
        self._coded = codes, self.coding.labels

    def play(self, given: Any, report: Report | None, place: Callable[[int], str] | None) -> None:
        """Play the rounds with the weights given; ``place`` says where one that is refused is."""
        try:
            _, codes, fault = self.coding.encoded(self.y)
            self.coded(codes)
            weights, light = self.coding.weights(
                self.y[: len(codes)], None if given is None else given[: len(codes)]
            )
            if light is not None:
                fault, codes = light, codes[: light.row]
            self.slices.play(self.block, codes, weights, report, place)
        finally:
            self.settle()
        if fault is not None:
            raise placed(fault, place)

    @property
    def played(self) -> AnyArray:
        """What the labels of the rounds played are to the learner."""
        codes, _ = self._coded or (np.empty(0, np.int8), None)
        return codes[: self.coding.ledger.rounds - self._began]

    def settle(self) -> None:
        """Let all agree with the rounds played so far. It may be done again at any time."""
        coding, ledger = self.coding, self.coding.ledger
        codes, labels = self._coded or ((), self._labels)
        known = self._known
        done = min(ledger.rounds - self._began, len(codes))
        if done < len(self.y):  # refused or interrupted: only labels played are known
            labels = self._labels
            if done:
                labels = labels.copy()
                labels.encode(self.y[:done], self._began + 1)
        if labels is not self._labels:
            known = labels.every
        coding.keep(labels)
        ledger.labels = known
        if done == 0:
            return
        ledger.passes = max(ledger.passes, self.passes)
        if isinstance(coding.learner, FeatureLearner):
            coding.learner.fix_form(self.block)
        self.slices.record(self._hash, self.block, codes, 0 if self.digested else done)
