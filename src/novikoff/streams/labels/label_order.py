"""The order of labels: on rows sorted by label, a learner's mistakes say little."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from novikoff import _core
from novikoff.types import AnyArray, PerRound

_SIGN = np.dtype(np.int8)
_EXPECTED = 10  # changes in a random order; with fewer we say nothing
_CERTAIN = 100  # changes in a random order, from which on half as many are no accident
_SHARE = 100  # this many times fewer changes than in a random order look sorted


class LabelOrder:
    """How the labels of one pass follow one another."""

    _next: AnyArray | None = None  # labels added last, which nobody has asked about
    _changes = 0
    _counts: Mapping[int, int] = MappingProxyType({})
    _last: int | None = None

    @property
    def changes(self) -> int:
        """How often a round's label differs from the label before it."""
        self._count()
        return self._changes

    @property
    def counts(self) -> dict[int, int]:
        """How many rounds have each label, by its code."""
        self._count()
        return dict(self._counts)

    def add(self, codes: PerRound) -> None:
        """Add the labels of the next rounds, as the learner calls them; they must not change.

        Real numbers and whole outputs are left out.
        """
        if self._next is not None:
            self._count()
        if isinstance(codes, np.ndarray) and codes.dtype.kind != "f":
            self._next = codes

    def _count(self) -> None:
        codes, self._next = self._next, None
        if codes is None or len(codes) == 0:
            return
        counts = self._counts = dict(self._counts)
        if codes.dtype is _SIGN:  # −1 and +1
            positive, changes, self._last = _core.sign_order(codes, self._last)
            counts[-1] = counts.get(-1, 0) + len(codes) - positive
            counts[1] = counts.get(1, 0) + positive
            self._changes += changes
            return
        found = np.bincount(codes)
        for code in np.flatnonzero(found).tolist():
            counts[code] = counts.get(code, 0) + int(found[code])
        self._changes += int(np.count_nonzero(codes[1:] != codes[:-1]))
        self._changes += self._last is not None and self._last != int(codes[0])
        self._last = int(codes[-1])

    @property
    def random_changes(self) -> float:
        """About how many changes a random order of these labels has: n − Σ n_k²/n."""
        rounds = sum(self.counts.values()) or 1
        return rounds - sum(count * count for count in self.counts.values()) / rounds

    @property
    def looks_sorted(self) -> bool:
        """Whether there are far fewer changes than in a random order."""
        met = sum(map(bool, self.counts.values()))
        # If most labels are rare, even a random order has hardly more than two changes for each.
        few = min(max(2 * met, self.random_changes / _SHARE), self.random_changes / 2)
        return self.random_changes >= _EXPECTED and self.changes < few

    @property
    def looks_dependent(self) -> bool:
        """Whether there are less than half as many changes as in a random order, and not by chance.

        If 100 or more are expected, half as many are seven standard deviations away, or more.
        """
        return self.random_changes >= _CERTAIN and 2 * self.changes < self.random_changes
