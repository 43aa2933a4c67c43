"""Hypotheses about rows of features, numbered or named."""

from abc import abstractmethod
from typing import Any

import numpy as np

from novikoff.errors import InputError, Named, Phrase
from novikoff.learners.frame_columns import check_frame
from novikoff.learners.hypothesis import Feature, Hypothesis
from novikoff.streams import (
    ArrayBlock,
    BinaryLabels,
    Block,
    ClassLabels,
    NamedBlock,
    PointBlock,
    as_block,
    one_row,
)
from novikoff.streams.blocks.block import SparseBlock
from novikoff.streams.blocks.named import new_features
from novikoff.streams.files.headers import check_names
from novikoff.types import AnyArray


def block_of(h: Hypothesis, X: object) -> Block:
    """Take many rows; texts, too, if the hypothesis was learned from texts."""
    block = as_block(X if h.texts is None else h.texts.rows(X))
    if isinstance(block, NamedBlock) and block.framed and block is not X:
        check_frame(h, block)
    return block


def row_of(h: Hypothesis, x: object) -> Block:
    """Take one row; a text, too, if the hypothesis was learned from texts."""
    return one_row(x if h.texts is None else h.texts.row(x))


class RowHypothesis(Hypothesis):
    """A frozen h for rows; a subclass says what the core predicts and scores for a block."""

    def __call__(self, x: object) -> Any:
        """Predict the label of one x."""
        found = self._decode(self._native_predictions(self._fitting(row_of(self, x))))[0]
        return found.item() if isinstance(found, np.generic) else found

    def predict(self, X: object) -> AnyArray:
        """Predict the label of every row."""
        return self._decode(self._native_predictions(self._fitting(block_of(self, X))))

    def scores(self, X: object) -> AnyArray:
        """Score every row, in plain floats; a larger score is more positive."""
        return self._native_scores(self._fitting(block_of(self, X)))

    @abstractmethod
    def _native_predictions(self, block: ArrayBlock) -> AnyArray:
        """Return −1 and +1, or class ids, for rows that fit."""

    @abstractmethod
    def _native_scores(self, block: ArrayBlock) -> AnyArray:
        """Return scores for rows that fit."""

    def _fitting(self, block: Block) -> ArrayBlock:
        if isinstance(block, PointBlock):
            raise block.refusal()
        if isinstance(block, NamedBlock):
            if self.texts is not None and type(block) is NamedBlock:
                block = NamedBlock([self.texts.features(x) for x in block.rows])
            return self._numbered(block)
        if self.features is not None:
            raise InputError(
                where="X",
                expected="named features, as learned from",
                got="numbered ones",
                remedy=Phrase("Pass ", Named("rows_by_name", "dicts or a frame"), "."),
            )
        assert isinstance(block, ArrayBlock)
        if block.dense and block.columns != self.raw_dimension:
            raise InputError(
                f"X: expected {self.raw_dimension} features, got {block.columns}. Pass the "
                "features learned from, or sparse rows, whose unknown features weigh 0."
            )
        return self.transforms.made_rows(block, None) if self.transforms else block

    def _numbered(self, block: NamedBlock) -> SparseBlock:
        """Return rows of named features by their numbers: as learned, or as columns of a table."""
        features, columns = self.features, self.columns or ()
        if features is None and columns:
            features = new_features(None)
            features.restore(list(columns))
        if features is None:
            raise InputError(
                f"X: expected {self.raw_dimension} numbered features, got named ones. Pass the "
                "features learned from."
            )
        if self.transforms:
            return self.transforms.made_rows(block, features)
        rows = block.numbered(features, 0, len(block), adopt=False)
        if len(rows) < len(block):
            raise InputError(f"row {len(rows) + 1}: {block.fault(len(rows))}")
        if self.features is None and rows.columns > len(features):
            items = (item for row in block.rows for item in row.items())
            found = dict.fromkeys(f"{n}={v}" if isinstance(v, str) else n for n, v in items)
            check_names(columns, (*columns, *found), "X")
        return rows

    def named_features(self) -> list[Feature]:
        """Return the name of every feature that the learner saw, or its number."""
        return self._feature_names()

    def _feature_names(self) -> list[Feature]:
        """Return the name of every feature, or its number if it has no name."""
        raw: list[Feature]
        if self.features is None or self.features.bits:
            named, count = self.columns or (), self.raw_dimension
            raw = [*named[:count], *range(len(named), count)]
        else:
            raw = [*self.features.names(self.raw_dimension)]
        return self.transforms.names(raw) if self.transforms else raw

    def _decode(self, predictions: AnyArray) -> AnyArray:
        if not self.labels:
            return predictions.astype(np.int64)
        known = ClassLabels(self.labels) if self.multiclass else BinaryLabels(known=self.labels)
        return known.decode(predictions)
