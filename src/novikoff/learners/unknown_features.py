"""Unknown features: rows of which a model knows nothing, and values of another kind than learned.

Whatever a model does not know weighs nothing, so that all such rows get the same prediction.
"""

import warnings
from collections.abc import Iterator
from itertools import islice

import numpy as np

from novikoff import _core
from novikoff.learners.feature_learner import FeatureLearner
from novikoff.learners.frame_columns import lacking
from novikoff.learners.hypothesis import Hypothesis
from novikoff.streams import Block, NamedBlock
from novikoff.streams.blocks.block import SparseBlock
from novikoff.streams.first_rows import is_numeral
from novikoff.streams.stream import Rounds, Stream

_LOOKED_AT = 20  # rows, for the kinds of values
_COMPARED = 50  # values of each
_SHOWN = 3  # names


class UnknownFeatures:
    """Looks at the rows that a model predicts, and says what it does not know of them.

    It says nothing if names are hashed, because nobody knows them then.
    """

    def __init__(self, model: Hypothesis | FeatureLearner) -> None:
        self._model = model
        self._lacking: str | None = None  # columns of a frame
        self._texts = model.texts if isinstance(model, Hypothesis) else None
        features = model.features if isinstance(model, Hypothesis) else model.known_features
        self._numbered = features is None
        self._features = None if features is None or features.bits else features
        self._dimension = model.raw_dimension if features is None else len(features)
        self.rows = 0
        """How many rows it has looked at."""
        self.unknown = 0
        """How many of them have features, and none that the model knows."""
        self.partial = False
        """Whether there are more rows, at which it does not look."""
        self._example = ""
        self._strings: dict[str, str] = {}  # {name: a string that holds a number}
        self._numbers: dict[str, str] = {}  # {name: a category that the model knows}
        self._categories: dict[str, str] | None = None

    def watching(self, stream: Stream) -> Iterator[Rounds]:
        """Yield the rounds of a stream, and look at them on their way.

        The names in a table were compared with those of the model, so nothing is unknown there.
        """
        for block in stream.blocks():
            rounds = Rounds(*block)
            if not self.rows:
                self._lacking = lacking(self._model, rounds.rows)
            if stream.learned is None or stream.table is None:
                self.look(rounds.rows)
            else:
                self.rows += len(rounds.rows)
            yield rounds

    def look(self, block: Block) -> None:
        """Count the rows of a block of which the model knows nothing."""
        before, self.rows = self.rows, self.rows + len(block)
        if self._texts is not None and (type(block) is NamedBlock or self.unknown < before):
            return  # rows that may hold texts, of which the model makes words; or some are known
        rows: Block | None = block if self._numbered else None
        if self._features is not None and isinstance(block, NamedBlock):
            rows = block.numbered(self._features, 0, len(block), adopt=False)
        if not isinstance(rows, SparseBlock) or rows.columns <= self._dimension:
            return  # all is known, as nearly always
        if self._features is not None:
            for t in range(min(len(rows), max(_LOOKED_AT - before, 0))):
                self._compare_kinds(block.row(t), self._features)
        ends = np.concatenate([[0], np.cumsum(rows.indices < self._dimension)])
        starts = np.asarray(rows.starts)
        known, size = ends[starts[1:]] - ends[starts[:-1]], np.diff(starts)
        unknown = np.flatnonzero((known == 0) & (size > 0))
        if len(unknown) and not self.unknown:
            self._example = _shown_row(block, int(unknown[0]))
        self.unknown += len(unknown)

    @property
    def remarks(self) -> list[str]:
        """What the model does not know, in words."""
        said = [*self.about_kinds(), *([self._lacking] if self._lacking else [])]
        if not self.unknown or (self._texts is not None and self.unknown < self.rows):
            return said  # some texts have only new words
        count = f"{self.unknown:,} of {self.rows:,} rows {'has' if self.unknown == 1 else 'have'}"
        none = f"none of the first {self.rows:,} rows has a" if self.partial else "no row has a"
        have = none if self.unknown == self.rows else f"{count} no"
        return [
            *said,
            f"{have} feature that the model knows, and predictions for such rows are no more than "
            f"a guess. The first one has {self._example}; the model knows {self._known()}. Name "
            "features as in the data that it has learned from.",
        ]

    def _known(self) -> str:
        if self._features is None:
            return f"features 0 to {self._dimension - 1:,}" if self._dimension else "none"
        return _listed([*map(repr, self._features.names(min(self._dimension, _SHOWN + 1)))])

    def _compare_kinds(self, row: dict[str, object], features: _core.Features) -> None:
        """Note numbers where the model has learned categories, and the other way round."""
        for feature, value in islice(row.items(), _COMPARED):
            if value == "":
                continue
            name, _, text = feature.partition("=")
            if isinstance(value, str):
                name, text = feature, value
            known = name in self._strings or name in self._numbers
            if known or _knows(features, f"{name}={text}" if text else feature):
                continue
            if is_numeral(text) and _knows(features, name):
                self._strings[name] = text
            elif text == "" and (category := self._category_of(name, features)):
                self._numbers[name] = category

    def about_kinds(self) -> list[str]:
        """Return what to say about numbers in the place of strings, and the other way round."""
        said = []
        if found := self._strings:
            said.append(
                f"{_listed([*map(repr, found)])} {_hold(found)} strings such as "
                f"{next(iter(found.values()))!r}, but the model has learned from numbers there, "
                "and knows nothing of the strings. Pass numbers: float(value); in JSON, numbers "
                "have no quotes."
            )
        if found := self._numbers:
            said.append(
                f"{_listed([*map(repr, found)])} {_hold(found)} numbers, but the model has learned "
                f"from strings there, such as {next(iter(found.values()))!r}, and knows nothing of "
                "the numbers. Learn from numbers, or pass strings."
            )
        return said

    def _category_of(self, name: str, features: _core.Features) -> str | None:
        """Return a category of this feature that the model knows."""
        if self._categories is None:
            every = features.names(self._dimension)
            self._categories = {one.partition("=")[0]: one for one in every if "=" in one}
        return self._categories.get(name)


def warn_of_unknown(model: Hypothesis, X: object) -> None:
    """Warn of dicts in which the model knows nothing, or whose values are of another kind.

    A row alone may well be new, so that all of the first ones must be unknown.
    """
    if not (isinstance(X, (list, tuple)) and X and isinstance(X[0], dict)):
        return
    unknown = UnknownFeatures(model)
    unknown.partial = len(X) > _LOOKED_AT
    unknown.look(NamedBlock([*X[:_LOOKED_AT]]))
    said = unknown.about_kinds() if unknown.unknown < unknown.rows else unknown.remarks
    for remark in said:
        warnings.warn(f"{remark[0].upper()}{remark[1:]}", UserWarning, stacklevel=3)


def warn_of_kinds(learner: object, x: dict[str, object]) -> None:
    """Warn of a dict with numbers where the learner knows strings, or the other way round."""
    if isinstance(learner, FeatureLearner):
        unknown = UnknownFeatures(learner)
        unknown.look(NamedBlock([x]))
        for remark in unknown.about_kinds():
            warnings.warn(f"{remark[0].upper()}{remark[1:]}", UserWarning, stacklevel=4)


def _hold(names: dict[str, str]) -> str:
    return "hold" if len(names) > 1 else "holds"


def _knows(features: _core.Features, name: str) -> bool:
    _, indices, _ = features.encode([{name: 1.0}], 0, 1, False)
    return bool(len(indices)) and int(indices[0]) < len(features)


def _shown_row(block: Block, t: int) -> str:
    """Return the names of the features of a row."""
    if not isinstance(block, NamedBlock):
        assert isinstance(block, SparseBlock)
        start, stop = (int(block.starts[t + k]) for k in (0, 1))
        return _listed([f"feature {j}" for j in block.indices[start:stop].tolist()])
    items = block.row(t).items()
    return _listed([repr(f"{n}={v}" if isinstance(v, str) else n) for n, v in items])


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + ", …" * (len(names) > _SHOWN)
