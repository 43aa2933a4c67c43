"""Chains: h(x) = argmax_z w·Φ(x, z) over all sequences of tags."""

from collections.abc import Hashable, Sequence
from typing import Self

import numpy as np

from novikoff import _core
from novikoff.errors import HypothesisError, InputError, parameter
from novikoff.learners.hypothesis import Hypothesis, State, by_size
from novikoff.saving import contents
from novikoff.structures import Chains
from novikoff.structures.chains import checked_sentences
from novikoff.types import Arrays, Fields, FloatArray, IntArray, Label

_MOST = 2**28  # most tags kept at once, over all outputs


class Chain(Hypothesis):
    """A tagger that has learned: finds the best tags of a sentence.

    h(x) = argmax_z w·Φ(x, z), found exactly by Viterbi's algorithm.

    The weights are whole numbers (``whole``), ``rounds`` times those of the average; scores are
    divided by ``rounds``. A tie goes to the output whose tags, compared from the last to the first,
    were seen earlier. Unknown features weigh 0, and unknown tags are never predicted.
    """

    def __init__(
        self,
        problem: Chains,
        names: _core.ChainNames,
        whole: _core.ChainWeights,
        rounds: int = 1,
    ) -> None:
        self.problem, self.rounds = problem, rounds
        self.whole = whole
        self.labels: tuple[str, ...] = tuple(names.tag_names()[: whole.tags])
        self.features = None
        self._names = names

    def __repr__(self) -> str:
        return f"Chain({self.dimension} features, {len(self.labels)} tags)"

    def __call__(self, x: object) -> list[str]:
        """Predict the tags of one sentence."""
        return self.predict([x])[0]

    def predict(self, X: object) -> list[list[str]]:  # type: ignore[override]
        """Predict the tags of every sentence."""
        sentences = self._encoded(checked_sentences(X))
        tags, starts = self.whole.predict(sentences), sentences.starts
        named = [self.labels[k] for k in tags.tolist()]
        return [named[a:b] for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]

    def scores(self, X: object) -> FloatArray:
        """Return the score of the best tags of every sentence, w·Φ(x, h(x))."""
        sentences = self._encoded(checked_sentences(X))
        found = self.whole.best(sentences, 1)
        return np.array([best[0][0] / self.rounds for best in found], np.float64)

    def best(self, x: Sequence[object], count: int = 2) -> list[tuple[float, list[str]]]:
        """Return the ``count`` best outputs of a sentence with their scores, best first."""
        whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
        if not (whole and count >= 1):
            raise parameter("count", "a whole number of at least 1", count)
        sentences = self._encoded([x])
        tags = len(self.labels)
        kept = min(int(count), tags ** min(len(x), 64))  # there are only this many outputs
        if kept > 1 and len(x) * tags * kept > _MOST:
            raise parameter("count", "outputs that fit in memory", count, "Ask for fewer.")
        found = self.whole.best(sentences, kept)[0]
        return [
            (score / self.rounds, [self.labels[k] for k in path.tolist()]) for score, path in found
        ]

    def margins(self, X: object, y: object) -> FloatArray:
        """Return by how much the right tags of every sentence beat all others.

        This is (w·Φ(x, y) − max_{z ≠ y} w·Φ(x, z))/‖w‖, or infinity if there is no other z.
        """
        if self.norm == 0:
            raise HypothesisError("margins: expected w other than 0, got 0. Learn a mistake first.")
        sentences, outputs = checked_sentences(X), checked_sentences(y)
        if len(sentences) != len(outputs):
            raise InputError(
                f"y: expected the tags of {len(sentences)} sentences, got {len(outputs)}. "
                "Pass as many."
            )
        encoded = self._encoded(sentences, outputs)
        self._check_tags(encoded)
        whole = self.whole.margins(encoded)
        margins: FloatArray = np.where(
            whole == _core.NO_OTHER, np.inf, whole / self.rounds / self.norm
        )
        return margins

    @property
    def norm(self) -> float:
        """The length of the weights, ‖w‖."""
        parts = (self.whole.moves, self.whole.emissions)
        return float(np.sqrt(sum(float(np.square(p / self.rounds).sum()) for p in parts)))

    @property
    def dimension(self) -> int:
        """The number of features a position can have."""
        return int(self.whole.features)

    def weights(self) -> dict[Hashable, float]:
        """Return {(feature, tag): weight} and {(tag before, tag): weight}, without zeros.

        The tag before the first is None.
        """
        tags = len(self.labels)
        before = [None, *self.labels]
        moves = self.whole.moves.reshape(-1, tags or 1)
        emissions = self.whole.emissions.reshape(-1, tags or 1)
        names = self._names.feature_names()
        found: dict[Hashable, float] = {}
        for j, k in np.argwhere(emissions).tolist():
            found[names[j], self.labels[k]] = float(emissions[j, k] / self.rounds)
        for j, k in np.argwhere(moves).tolist():
            found[(before[j],), self.labels[k]] = float(moves[j, k] / self.rounds)
        return found

    def top(self, count: int = 20) -> list[tuple[Hashable, float]]:
        """Return the features with the largest weights, regardless of sign."""
        return by_size(self.weights(), count)

    def _speaking(self, labels: tuple[Label, ...]) -> Self:
        """Return the hypothesis itself: its tags are its labels."""
        return self

    def _check_tags(self, sentences: _core.Sentences) -> None:
        tags = sentences.tags
        strange = np.flatnonzero((tags < 0) | (tags >= len(self.labels)))
        if len(strange):
            t = int(np.searchsorted(sentences.starts, strange[0], side="right"))
            raise InputError(
                f"sentence {t}: expected tags among {' '.join(self.labels[:30])}, got another. "
                "Only outputs of tags that were learned have a score."
            )

    def _encoded(self, X: list[object], y: list[object] | None = None) -> _core.Sentences:
        sentences = _core.Sentences()
        rows = self.problem.read(X, 0, len(X))
        done = self._names.encode(rows, y, sentences, self.dimension)
        if done < len(X):
            judged = y is not None and done < len(y)
            output = y[done] if judged and y is not None else None
            raise InputError(f"sentence {done + 1}: {self.problem.fault(X[done], output, judged)}")
        if self.whole.tags == 0 and sentences.starts[-1] > 0:
            raise InputError("predict: expected a tag to predict, got none yet. Learn first.")
        return sentences

    def _state(self) -> State:
        if self.problem.function is not None:
            raise InputError(
                "save: expected templates of text, got a Python function, which no file holds. "
                "Write them in the language of templates."
            )
        metadata = {"problem": self.problem.arguments, "rounds": self.rounds}
        return metadata, packed_chain(self._names, self.whole)

    @classmethod
    def _restore(cls, metadata: Fields, arrays: Arrays, labels: tuple[Label, ...]) -> Self:
        problem = Chains.of(contents.fields_of(metadata, "problem"))
        names = restored_names(problem, arrays, labels)
        emissions = arrays["emissions"].astype(np.int64)
        whole = _core.ChainWeights(len(labels), names.features, arrays["moves"], emissions)
        return cls(problem, names, whole, contents.rounds_of(metadata))


def packed_chain(names: _core.ChainNames, whole: _core.ChainWeights) -> Arrays:
    """Return the weights as arrays, without the features that weigh 0 for every tag."""
    emissions = whole.emissions.reshape(whole.features, whole.tags or 1)
    kept: IntArray = np.flatnonzero(emissions.any(axis=1))
    known = names.feature_names()
    return {
        "moves": whole.moves,
        "emissions": np.ascontiguousarray(emissions[kept]).reshape(-1),
        **packed_texts([known[j] for j in kept.tolist()]),
    }


def packed_texts(texts: list[str]) -> Arrays:
    """Return texts as one array of bytes, and where each text ends."""
    pieces = [text.encode() for text in texts]
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    return {"names": np.frombuffer(b"".join(pieces), np.uint8), "name_ends": ends}


def unpacked_texts(arrays: Arrays, prefix: str = "") -> list[str]:
    """Return what ``packed_texts`` wrote down."""
    texts = contents.texts_of(arrays[f"{prefix}names"], arrays[f"{prefix}name_ends"])
    return [text.decode() for text in texts]


def restored_names(problem: Chains, arrays: Arrays, tags: tuple[Label, ...]) -> _core.ChainNames:
    """Return the names that ``packed_texts`` wrote down, and these tags."""
    names = problem.names()
    names.add_features(unpacked_texts(arrays))
    names.add_tags([str(tag) for tag in tags][len(names.tag_names()) :])
    return names
