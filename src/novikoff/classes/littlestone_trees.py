"""Littlestone's trees: proofs that no deterministic learner makes fewer mistakes."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from novikoff.classes.dimensions import Set, Splits, everything, tabled
from novikoff.classes.finite_class import FiniteClass

_ROW, _LETTER = 46, 6.5  # pixels


@dataclass(frozen=True)
class LittlestoneTree:
    """A complete tree of points: whatever an adversary answers, some leaf agrees with all of it.

    ``point`` is the point asked about, ``negative`` and ``positive`` are what follows each answer.
    A leaf has a ``member`` instead. Points and members are numbers in H.
    """

    point: int | None = None
    negative: "LittlestoneTree | None" = None
    positive: "LittlestoneTree | None" = None
    member: int | None = None
    label: str = ""
    """The name of the point, or of the leaf's hypothesis."""

    @property
    def depth(self) -> int:
        """How many mistakes the tree forces."""
        return 0 if self.negative is None else 1 + self.negative.depth

    @property
    def children(self) -> "tuple[LittlestoneTree, ...]":
        """What follows −1, and what follows +1; nothing after a leaf."""
        if self.negative is None or self.positive is None:
            return ()
        return self.negative, self.positive

    def leaves(
        self, path: tuple[tuple[int, int], ...] = ()
    ) -> Iterator[tuple[int | None, tuple[tuple[int, int], ...]]]:
        """Yield each leaf's hypothesis with its (point, sign)s from the root."""
        if not self.children:
            yield self.member, path
        for sign, child in zip((-1, 1), self.children, strict=False):
            assert self.point is not None
            yield from child.leaves((*path, (self.point, sign)))

    def check(self, H: FiniteClass) -> bool:
        """Say whether this proves Ldim(H) ≥ depth: it is complete and leaves agree with paths."""
        try:
            return all(
                len(path) == self.depth and all(H(h, x) == s for x, s in path) and H.member(h) >= 0
                for h, path in self.leaves()
            )
        except (AssertionError, ValueError):  # a point or a member that H does not have
            return False

    def __str__(self) -> str:
        return "\n".join(self._lines("", ""))

    def _lines(self, head: str, rest: str) -> Iterator[str]:
        yield head + (f"{self.label}?" if self.children else self.label)
        for k, (mark, child) in enumerate(zip("−+", self.children, strict=False)):
            last = k == 1
            yield from child._lines(
                f"{rest}{'└' if last else '├'}{mark} ", rest + ("   " if last else "│  ")
            )

    def svg(self) -> str:
        """Return the drawing as the text of an SVG file."""
        column = max(64, int(_LETTER * max(map(len, self._labels()))) + 16)
        width, height = column << self.depth, _ROW * (self.depth + 1)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="sans-serif" font-size="11" '
            'text-anchor="middle">\n'
        ]
        parts += self._drawn(0, width, 0)
        return "".join([*parts, "</svg>\n"])

    def _labels(self) -> Iterator[str]:
        yield self.label
        for child in self.children:
            yield from child._labels()

    def _drawn(self, left: float, right: float, level: int) -> Iterator[str]:
        x, y, middle = (left + right) / 2, _ROW * level + 20, (left + right) / 2
        for k, child in enumerate(self.children):
            ends = (left, middle) if k == 0 else (middle, right)
            there = sum(ends) / 2
            yield (
                f'<line x1="{x:g}" y1="{y + 4}" x2="{there:g}" y2="{y + _ROW - 12}" '
                f'stroke="#888"/>\n<text x="{(x + there) / 2 + (-8, 8)[k]:g}" '
                f'y="{y + _ROW / 2 - 6:g}" fill="#888">{"−+"[k]}</text>\n'
            )
            yield from child._drawn(*ends, level + 1)
        weight = ' font-weight="bold"' if self.children else ""
        yield f'<text x="{x:g}" y="{y}"{weight}>{escape(self.label)}</text>\n'


def littlestone_tree(H: FiniteClass) -> LittlestoneTree:
    """Return a tree of points that proves the Littlestone dimension of H: that is its depth.

    >>> from novikoff.classes import thresholds
    >>> print(littlestone_tree(thresholds(3)))
    1?
    ├− 2?
    │  ├− x ≥ 3
    │  └+ x ≥ 2
    └+ 0?
       ├− x ≥ 1
       └+ x ≥ 0
    """
    H = tabled(H)
    splits = Splits(H.bitsets)
    V = everything(H)
    return _grown(H, splits, V, splits.dimension(V))


def _grown(H: FiniteClass, splits: Splits, V: Set, depth: int) -> LittlestoneTree:
    if depth == 0:
        member = (V & -V).bit_length() - 1
        return LittlestoneTree(member=member, label=str(H.hypotheses[member]))
    for x, column in enumerate(splits.columns):
        parts = V & ~column, V & column
        if all(splits.reaches(part, depth - 1) for part in parts):
            negative, positive = (_grown(H, splits, part, depth - 1) for part in parts)
            return LittlestoneTree(x, negative, positive, label=str(H.points[x]))
    raise AssertionError("a set of this dimension has such a point")
