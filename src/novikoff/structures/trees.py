"""Projective dependency trees, made of arcs."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from novikoff.saving.contents import is_text
from novikoff.structures.problem import Counts, Problem

_END = ("", "")  # before and after the sentence; no token is empty
_MOST = 1000  # tokens: the best tree takes their cube

Sentence = Sequence[tuple[str, str]]
"""Words and their tags."""
Span = tuple[int, int, bool]
"""From token, to token, and whether the first one is the head."""
Arcs = tuple[int, tuple[tuple[int, int], ...]]
"""A score, and the arcs (head, token) that make it."""


class Trees(Problem):
    """Dependency trees: x is a sentence, y says on which token each one depends.

    x is a list of (word, tag), y the head of each token: 0 for the root, or a token from 1. Trees
    are projective and have one root; Φ(x, y) counts the features of every arc: words and tags of
    head and dependent, tags beside and between them, with direction and distance (mcdonald2005,
    Table 1). Eisner's algorithm finds the best tree (eisner1996); of equal splits it takes the
    first.

    The core plays these rounds; the methods here say the same in a few lines of Python.

    >>> import novikoff as nv
    >>> rounds = [([("they", "PRON"), ("run", "VERB"), ("fast", "ADV")], [2, 0, 2])] * 2
    >>> run = nv.play(nv.StructuredPerceptron(nv.Trees()), rounds)
    >>> run.mistakes, run.predict_one([("dogs", "PRON"), ("run", "VERB")])
    (1, [2, 0])
    """

    def features(self, x: Sentence, y: Sequence[int]) -> Counts:
        """Return Φ(x, y)."""
        return Counter(f for m, h in enumerate(y, 1) for f in arc_features(x, h, m))

    def best(self, w: Counts, x: Sentence) -> list[int]:
        """Return the tree z with the largest score w·Φ(x, z)."""
        return eisner(len(x), self._scores(w, x))[1]

    def second(self, w: Counts, x: Sentence, y: Sequence[int]) -> list[int] | None:
        """Return the best tree that lacks one of y's arcs."""
        arcs = self._scores(w, x)

        def without(head: int, token: int) -> Callable[[int, int], int]:
            return lambda h, m: arcs(h, m) - (1 << 60) * ((h, m) == (head, token))

        found = [eisner(len(x), without(h, m)) for m, h in enumerate(y, 1)]
        return max((one for one in found if one[1] != list(y)), default=(0, None))[1]

    @staticmethod
    def _scores(w: Counts, x: Sentence) -> Callable[[int, int], int]:
        known: dict[tuple[int, int], int] = {}

        def arc(h: int, m: int) -> int:
            if (h, m) not in known:
                known[h, m] = sum(w[f] for f in arc_features(x, h, m))
            return known[h, m]

        return arc

    def fault(self, x: object, y: object, judged: bool = True) -> str | None:
        """Say why a sentence, or its tree, is refused."""
        if not isinstance(x, (list, tuple)) or not all(map(_is_token, x)):
            return (
                "expected a list of (word, tag), each a text, got others. Read it with label=head."
            )
        if len(x) > _MOST:
            return f"expected at most {_MOST} tokens, got {len(x)}. Split the sentence."
        return _tree_fault(len(x), y) if judged else None


def _tree_fault(n: int, y: object) -> str | None:
    if not isinstance(y, (list, tuple)) or len(y) != n:
        return f"expected {n} heads, one per token, got {y!r:.40}. Give every token its head."
    if not all(isinstance(h, int) and 0 <= h <= n for h in y):
        return f"expected heads from 0 to {n}, got {y!r:.60}. Number tokens from 1."
    if n and list(y).count(0) != 1:
        return f"expected one root, got {list(y).count(0)}. Attach the others to it."
    crossing = crossed(y)
    return f"expected a projective tree, got {crossing}. Drop the sentence." if crossing else None


def _is_token(token: object) -> bool:
    return (
        isinstance(token, (list, tuple))
        and len(token) == 2
        and all(cell and is_text(cell) for cell in token)
    )


def crossed(heads: Sequence[int]) -> str | None:
    """Say why heads are not a projective tree: arcs that cross, or a circle."""
    for m, h in enumerate(heads, 1):
        low, high = min(h, m), max(h, m)
        for k in range(low + 1, high):
            if not low <= heads[k - 1] <= high:
                return f"arcs {h}→{m} and {heads[k - 1]}→{k} that cross"
    for m in range(1, len(heads) + 1):
        seen, at = set(), m
        while at and at not in seen:
            seen.add(at)
            at = heads[at - 1]
        if at:
            return f"a circle through token {at}"
    return None


def arc_features(x: Sentence, h: int, m: int) -> Iterator[Hashable]:
    """Yield the features of the arc h → m, as the core numbers them (``tree.hpp``)."""
    tokens = [_END, *x, _END]
    (hw, hp), (mw, mp) = tokens[h], tokens[m]
    low, high = min(h, m), max(h, m)
    distance = high - low if high - low < 6 else 6 if high - low < 11 else 11
    h_last, h_next = ("", "") if h == 0 else (tokens[h - 1][1], tokens[h + 1][1])
    m_last, m_next = tokens[m - 1][1], tokens[m + 1][1]
    for values in (
        ("hw hp", hw, hp), ("hw", hw), ("hp", hp), ("mw mp", mw, mp), ("mw", mw), ("mp", mp),
        ("hw hp mw mp", hw, hp, mw, mp), ("hp mw mp", hp, mw, mp), ("hw mw mp", hw, mw, mp),
        ("hw hp mp", hw, hp, mp), ("hw hp mw", hw, hp, mw), ("hw mw", hw, mw), ("hp mp", hp, mp),
        ("hp h+ m- mp", hp, h_next, m_last, mp), ("h- hp m- mp", h_last, hp, m_last, mp),
        ("hp h+ mp m+", hp, h_next, mp, m_next), ("h- hp mp m+", h_last, hp, mp, m_next),
    ):  # fmt: skip
        yield (*values, h < m)
        yield (*values, h < m, distance)
    for between in dict.fromkeys(tag for _, tag in tokens[low + 1 : high]):
        yield ("hp between mp", hp, between, mp, h < m)


def eisner(n: int, arc: Callable[[int, int], int]) -> tuple[int, list[int]]:
    """Return the best projective tree of n tokens and one root: (score, heads)."""
    if n == 0:
        return 0, []
    done: dict[Span, Arcs] = {}  # the best arcs of a span
    for s in range(1, n + 1):
        done[s, s, True] = done[s, s, False] = (0, ())
    part: dict[Span, Arcs] = {}  # with an arc between its ends

    def joined(pairs: Iterable[tuple[Arcs, Arcs]]) -> Arcs:
        both = [(a[0] + b[0], a[1] + b[1]) for a, b in pairs]
        return max(both, key=lambda found: found[0])  # the first of equal ones

    for k in range(1, n):
        for s in range(1, n - k + 1):
            t = s + k
            score, arcs = joined((done[s, r, True], done[r + 1, t, False]) for r in range(s, t))
            part[s, t, True] = (score + arc(s, t), (*arcs, (s, t)))
            part[s, t, False] = (score + arc(t, s), (*arcs, (t, s)))
            done[s, t, False] = joined((done[s, r, False], part[r, t, False]) for r in range(s, t))
            done[s, t, True] = joined(
                (part[s, r, True], done[r, t, True]) for r in range(s + 1, t + 1)
            )
    roots = [(done[1, r, False], done[r, n, True]) for r in range(1, n + 1)]
    whole = [(a[0] + b[0] + arc(0, r), (*a[1], *b[1], (0, r))) for r, (a, b) in enumerate(roots, 1)]
    score, arcs = max(whole, key=lambda found: found[0])
    heads = {m: h for h, m in arcs}
    return score, [heads[m] for m in range(1, n + 1)]
