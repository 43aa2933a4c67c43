"""Many classes as the smallest structure: one part, its class."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

from novikoff.errors import parameter
from novikoff.structures.problem import Counts, Problem, score

Features = Iterable[Hashable] | Mapping[Hashable, int]


class Classes(Problem):
    """Plain classes as a structure: y is one of the ``labels``.

    x is a list of features, or {feature: count}. Ties go to the first label. Φ(x, y) counts
    (feature, y): one block per class, as in ``MulticlassPerceptron``.
    """

    def __init__(self, labels: Iterable[Hashable]) -> None:
        self.labels = tuple(labels)
        if not self.labels or len(set(self.labels)) < len(self.labels):
            raise parameter("labels", "classes, each once", labels)

    @property
    def arguments(self) -> Mapping[str, object]:
        """The classes."""
        return {"labels": list(self.labels)}

    def features(self, x: Features, y: Hashable) -> Counts:
        """Return Φ(x, y)."""
        return Counter({(name, y): count for name, count in Counter(x).items()})

    def best(self, w: Counts, x: Features) -> Hashable:
        """Return the label z with the largest score w·Φ(x, z)."""
        return max(self.labels, key=lambda z: score(w, self.features(x, z)))

    def second(self, w: Counts, x: Features, y: Hashable) -> Hashable | None:
        """Return the best label other than y."""
        others = [z for z in self.labels if z != y]
        return max(others, key=lambda z: score(w, self.features(x, z)), default=None)

    def fault(self, x: object, y: object, judged: bool = True) -> str | None:
        """Say why an example is refused."""
        if judged and y not in self.labels:
            return f"expected one of {self.labels!r:.60}, got {y!r:.40}. Name its class."
        return None
