"""The part of a structured perceptron that plays chains, in the core."""

from collections.abc import Sized

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, InputError
from novikoff.learners.structured.chain import Chain, packed_texts, restored_names, unpacked_texts
from novikoff.learners.structured.engine import Engine, Outcomes, Ruled, frozen
from novikoff.streams import ExampleBlock
from novikoff.structures import Chains
from novikoff.types import AnyArray, IntArray


class ChainEngine(Ruled, Engine[Chain]):
    """The rule of a chain (``chain_rule.hpp``) with the names of its features and tags."""

    rule: _core.ChainRule

    def __init__(self, problem: Chains, averaged: bool, unit: int = 1) -> None:
        self.problem: Chains = problem
        self.averaged = averaged
        self.names = problem.names()
        self.rule = _core.ChainRule(averaged, unit)

    @property
    def dimension(self) -> int:
        """How many features have appeared."""
        return self.rule.features

    @property
    def nbytes(self) -> int:
        """The memory of the weights and the names."""
        return self.rule.bytes + self.names.bytes

    def play(
        self, block: ExampleBlock, y: Outcomes, start: int, stop: int, tally: _core.Tally
    ) -> int:
        """Play rounds [start, stop); return the first refused, or stop."""
        sentences = self._encoded(block, y, stop)
        stop = min(stop, len(sentences))
        self._play(sentences, start, stop, tally)
        return stop

    def _play(self, sentences: _core.Sentences, start: int, stop: int, tally: _core.Tally) -> None:
        try:
            self.rule.play(sentences, start, stop, self.names, tally)
        except OverflowError:
            raise HypothesisError(
                "weights: expected sums that 32 bits hold, got larger ones. Begin another run."
            ) from None

    def expect(self, block: ExampleBlock, y: Outcomes) -> int:
        """Make room for a block's tags before predicting them; return how many rows are valid."""
        sentences = self._encoded(block, y, len(block))
        self.rule.expect(self.names)
        return len(sentences)

    def _encoded(self, block: ExampleBlock, y: Outcomes, stop: int) -> _core.Sentences:
        """Return the rows up to ``stop`` as numbers, reusing those of earlier slices and passes."""
        known = block.kept.get(self.names)
        if known is None or known[0] is not y:
            known = (y, _core.Sentences())
            block.kept = {self.names: known}
        sentences: _core.Sentences = known[1]
        first = len(sentences)
        if first < stop:
            rows = self.problem.read(block.rows, first, stop)
            self.names.encode(rows, y[first:stop], sentences)
        return sentences

    def predict(self, x: object) -> list[str]:
        """Return the best output by the current weights."""
        sentences = _core.Sentences()
        features = min(self.names.features, self.rule.features)
        if self.names.encode(self.problem.read([x], 0, 1), None, sentences, features) == 0:
            raise InputError(f"x: {self.problem.fault(x, None, False)}")
        tags = self.names.tag_names()
        if self.rule.tags == 0 and isinstance(x, Sized) and len(x):
            raise InputError(
                "predict: expected a tag to predict, got none yet. Learn a round first."
            )
        return [tags[k] for k in self.rule.predict(sentences).tolist()]

    def fault(self, x: object, y: object) -> str:
        """Say why a round is refused."""
        return self.problem.fault(x, y)

    def hypothesis(self, last: bool = False) -> Chain:
        """Return T times the average, or the last weights."""
        return Chain(
            self.problem, self.names, frozen(self.rule.hypothesis, last), self.summed(last)
        )

    def margins(self, h: Chain, X: list[object], y: list[object]) -> IntArray:
        """score(x, y) − max_{z ≠ y} score(x, z) in the whole numbers of h."""
        sentences = _core.Sentences()
        self.names.encode(self.problem.read(X, 0, len(X)), y, sentences, h.dimension)
        found: IntArray = h.whole.margins(sentences)
        return found

    def digest_bytes(self, block: ExampleBlock, y: Outcomes, start: int, stop: int) -> bytes:
        """Per sentence the number of positions (u32); per position the tag (u32), the number of
        features (u32) and each (u64 id, f64 count) ascending, little-endian."""
        return self._encoded(block, y, stop).digest_bytes(start, stop)

    def state(self) -> dict[str, AnyArray]:
        """Return all that changes, as plain arrays.

        A name without a weight comes from a sentence that was not played.
        """
        tags = packed_texts(self.names.tag_names()[: self.rule.tags])
        return {
            **self.rule.state(),
            **packed_texts(self.names.feature_names()[: self.rule.features]),
            **{f"tag_{name}": array for name, array in tags.items()},
        }

    def restore(self, state: dict[str, AnyArray]) -> None:
        """Take over what ``state`` returned."""
        tags = unpacked_texts(state, "tag_")
        names = restored_names(self.problem, state, tuple(tags))
        nothing = np.zeros(0, np.int64)
        late = [state.get(f"delayed_{name}", nothing) for name in ("moves", "emissions")]
        if names.features < state["counts"][2] or len(tags) < state["counts"][1]:
            raise ValueError("as many names as weights")
        self.rule.restore(state["counts"], state["moves"], state["emissions"], *late)
        self.names = names
