"""Chains: the structured perceptron on sentences.

Their file has lines `tag index:count …`, and an empty line after each sentence.
"""

import hashlib
import re
import struct
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, pairwise, repeat
from operator import itemgetter
from typing import TypedDict

from verifier.core.certificate import Json, Object, TooLarge, expect, require
from verifier.core.check import READERS
from verifier.core.data import KINDS, Rounds, stated_labels
from verifier.core.exact import Vector, dot
from verifier.core.files import Rows, decoded, entries, records, tokens
from verifier.core.learner import (
    BOOLS,
    LEARNERS,
    PARAMETERS,
    Domain,
    one_of,
    optional,
    record,
    remark,
)
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.finite import texts
from verifier.families.perceptron import Compared, Perceptron, Weights, comparator

THEOREMS |= {
    "structured": Theorem(
        "M ≤ R²‖w‖²/δ² where w·(Φ(x_t, y_t) − Φ(x_t, z)) ≥ δ > 0 for every t and z ≠ y_t, R the "
        "largest ‖Φ(x, y) − Φ(x, ŷ)‖ of the updates"
    )
}

Sentence = tuple[str, list[str], list[list[tuple[int, int]]]]  # where, tags, (index, count)
Positions = list[Vector]  # of a sentence: the features of each position, and how often
Path = tuple[int, "Path | None"]  # a last tag, and the path before it; −1 before the first
IS_COUNT = re.compile(rb"0*([0-9]{1,10}):0*([0-9]{1,10})").fullmatch
MOST_COUNT = (1 << 32) - 1


def read_sentences(path: str) -> Iterator[Sentence]:
    """Yield the sentences of a file: tag index:count … a position, an empty line after the last."""
    tags: list[str] = []
    items: list[list[tuple[int, int]]] = []
    first = ""
    for where, line in records(path):
        found = tokens(line)
        if found:
            first = first or where
            tags.append(decoded(found[0], where))
            pairs = [(j, int(v)) for j, v in entries(found[1:], where, "index:count", IS_COUNT)]
            sound = all(0 < v <= MOST_COUNT for _, v in pairs)
            expect(sound, where, f"counts from 1 to {MOST_COUNT}", [v for _, v in pairs])
            items.append(pairs)
        elif tags:
            yield first, tags, items
            first, tags, items = "", [], []


class Sentences(Rounds[list[int], Positions]):
    """Sentences as (tags, positions), read again for every pass; every value is a count."""

    many = True

    def __init__(self, rows: Rows, labels: Json, bias: Json = None) -> None:
        _, stated = stated_labels(labels, "tags")
        names = stated if texts(stated) else []
        require(names == stated, "its tags are none")
        self.codes = {name: k for k, name in enumerate(names)}
        self.rows, self.labels = rows, labels
        self.positions, self.met = 0, dict[int, None]()  # the tags that appear, in their order
        for tags, positions in self:
            self.count += 1
            self.positions += len(tags)
            self.met |= dict.fromkeys(tags)
            for indices, _ in positions:
                self.counted(indices)

    def rounds(self) -> Iterator[tuple[list[int], Positions]]:
        """Yield the tags and the positions of each sentence."""
        digest = hashlib.sha256()
        for where, tags, sentence in self.rows():
            expect(len(tags) == len(sentence), where, f"{len(sentence)} tags", len(tags))
            require({*tags} <= self.codes.keys(), "the tags are others")
            positions = []
            for items in map(sorted, sentence):
                indices = [j for j, _ in items]
                odd = [j for j, k in pairwise([-1, *indices, 1 << 31]) if j >= k]
                expect(not odd, where, "every feature once, counted from the first", indices)
                odd = [v for _, v in items if type(v) is not int or not 0 < v <= MOST_COUNT]
                expect(not odd, where, f"counts from 1 to {MOST_COUNT}", odd)
                positions.append((indices, [v for _, v in items]))
            codes = [self.codes[tag] for tag in tags]
            digest.update(struct.pack("<I", len(tags)))
            for code, (indices, counts) in zip(codes, positions, strict=True):
                flat = chain.from_iterable(zip(indices, counts, strict=True))
                form = "<II" + "Qd" * len(indices)
                digest.update(struct.pack(form, code, len(indices), *flat))
            yield codes, positions
        self.same(digest.hexdigest())


class Problem(TypedDict):
    """The chains of a learner: how features were made, and its tags, if it knew them before."""

    kind: str
    templates: str | None
    columns: list[str] | None
    tags: list[str] | None


class Chain(Compared[list[int], Positions]):
    """w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake; ties to the lowest tags, from the last to the first.

    w[tag][j] weighs feature j at a position of this tag; beyond the features, j is that of the
    sentence's start, and then those of each tag before.
    """

    theorems = ("structured", *Perceptron.theorems[1:])
    separated = "structured"
    reads, many = Sentences, True
    grain = 1  # weights are whole numbers of 1/grain
    data: Sentences

    def __init__(self, data: Sentences, problem: Problem) -> None:
        self.data, self.all, self.seen = data, len(data.codes), 0
        self.known = bool(problem["tags"])
        small = self.all**2 * data.positions <= 10**8 + 10**4 * (data.positions + data.nonzeros)
        if not small:
            raise TooLarge(f"the certificate: {self.all} tags take more work than is done here")
        if problem["tags"] is None:
            require(list(data.met) == list(range(self.all)), "the tags are others")
        else:
            require(problem["tags"] == list(data.codes), "its tags are others")
            self.seen = self.all
        self.columns: Weights = {k: defaultdict(int) for k in range(self.all)}

    def items(self, y: list[int], x: Positions) -> Iterator[tuple[int, int, int]]:
        """Yield (tag, index, count) of Φ(x, y)."""
        for before, tag, (indices, counts) in zip([-1, *y], y, x, strict=False):
            yield tag, self.data.dimension + before + 1, 1
            yield from zip(repeat(tag), indices, counts, strict=False)

    def best(self, w: Weights, x: Positions, tags: int, count: int) -> list[tuple[int, list[int]]]:
        """Return the best outputs of a sentence with their scores."""
        first = self.data.dimension
        ends: list[list[tuple[int, Path]]] = [[(0, (-1, None))]]  # by the last tag, best first
        for position in x:
            known = list(chain.from_iterable(ends))
            scores = [dot(w[k], position) for k in range(tags)]
            ends = []
            for k in range(tags):
                grown: list[tuple[int, Path]] = [
                    (c - scores[k] - w[k].get(first + z[0] + 1, 0), (k, z)) for c, z in known
                ]
                ends.append(sorted(grown, key=itemgetter(0))[:count])  # of equal ones the first
        outputs = []
        for cost, end in sorted(chain.from_iterable(ends), key=itemgetter(0))[:count]:
            path: list[int] = []
            at: Path | None = end
            while at is not None and at[0] >= 0:
                path.append(at[0])
                at = at[1]
            outputs.append((-cost, path[::-1]))
        return outputs

    def mistaken(self, y: list[int], x: Positions) -> bool:
        """Judge the best output over the tags seen, this round's among them, against y."""
        self.seen = max([self.seen, *(tag + 1 for tag in y)])
        _, z = self.best(self.columns, x, self.seen, 1)[0]
        step: dict[tuple[int, int], int] = defaultdict(int)
        for sign, output in ((1, y), (-1, z)):
            for tag, j, v in self.items(output, x):
                step[tag, j] += sign * v
        for (tag, j), v in step.items():
            self.columns[tag][j] += self.grain * v
        self.step = sum(v * v for v in step.values())
        return z != y

    def take(self, evidence: Object) -> None:
        """Take the comparator."""
        self.fine, self.w = comparator(evidence.get("w", []), many=True)
        self.unit = 1 << self.fine

    def margin(self, y: list[int], x: Positions) -> int | None:
        """Return by how much y scores above every other output; None without another."""
        score = sum(self.w[tag].get(j, 0) * v for tag, j, v in self.items(y, x))
        others = [s for s, z in self.best(self.w, x, self.all, 2) if z != y]
        return score - others[0] if others else None

    def square(self, x: Positions) -> int:
        """Return ‖Φ(x, y) − Φ(x, ŷ)‖² of the round last played."""
        return self.step


TEXT = Domain("a text", lambda value: isinstance(value, str))
TEXTS = optional(Domain("a list of texts, each once", texts))
CHAIN = record(kind=one_of("Chains"), templates=optional(TEXT), columns=TEXTS, tags=TEXTS)


def has_both_or_none(value: Json) -> bool:
    """Say whether templates and columns are both given, or neither."""
    given = value if isinstance(value, dict) else {}
    return (given.get("templates") is None) == (given.get("columns") is None)


# Templates, of the columns of a token, are how the features of the rows here were made.
CHAINS = Domain(
    CHAIN.words,
    lambda value: CHAIN.has(value) and has_both_or_none(value),
)
LEARNERS |= {"StructuredPerceptron": Chain}
PARAMETERS |= {"StructuredPerceptron": {"problem": CHAINS, "averaged": remark(BOOLS)}}
READERS |= {"tags": read_sentences}
KINDS += ["tags"]
