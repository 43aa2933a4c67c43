"""Generated documents: Zipf's law over words, two or more topics that share most of them."""

from typing import Any

import numpy as np
import scipy.sparse as sp

_FLATTEN = 30  # Zipf–Mandelbrot: the most common words are stop words, left out


def documents(
    rounds: int,
    words: int,
    tokens: int,
    topical: float,
    *,
    columns: int | None = None,
    topics: int = 2,
    binary: bool = False,
) -> tuple[Any, Any]:
    """Rows of word weights and the topic of each, 0 … topics − 1.

    A word's rank is drawn by Zipf's law; in a document of topic k > 0 a share ``topical`` of
    the words comes from the topic's own ranking. Words land in random columns. Weights are 1,
    or random with rows of norm 1.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(0, topics, rounds)
    ranks = _FLATTEN * (words / _FLATTEN + 1) ** rng.random((rounds, tokens)) - _FLATTEN
    ranks = ranks.astype(np.int32).clip(0, words - 1)
    topical_words = rng.random((rounds, tokens)) < topical
    for topic in range(1, topics):
        chosen = topical_words & (y == topic)[:, None]
        ranks[chosen] = rng.permutation(words).astype(np.int32)[ranks[chosen]]
    width = columns or words
    indices = rng.permutation(width)[:words].astype(np.int32)[ranks]
    indices.sort(axis=1)
    new = np.ones(indices.shape, bool)
    new[:, 1:] = indices[:, 1:] != indices[:, :-1]
    counts = new.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    values = np.ones(starts[-1])
    if not binary:
        values = rng.exponential(size=starts[-1])
        norms = np.sqrt(np.add.reduceat(values * values, starts[:-1]))
        values /= np.repeat(norms, counts)
    return sp.csr_array((values, indices[new], starts), shape=(rounds, width)), y


def by_frequency(X: Any) -> Any:
    """The same rows with the most frequent words in the first columns."""
    counts = np.bincount(X.indices, minlength=X.shape[1])
    places = np.empty(X.shape[1], np.int32)
    places[np.argsort(-counts, kind="stable")] = np.arange(X.shape[1], dtype=np.int32)
    ordered = sp.csr_array((X.data, places[X.indices], X.indptr), shape=X.shape)
    ordered.sort_indices()
    return ordered
