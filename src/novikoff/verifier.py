"""The verifier of certificates: it trusts nothing in them and nothing of the library.

    python verifier.py certificate.json data.svm        # exit 0: verified, 1: refused,
    python verifier.py certificate.json data.csv LABEL  # 2: usage, 3: a file that cannot be read

Sentences are lines `tag index:count …` with an empty line after each sentence.

It uses the standard library alone. Every number a certificate states is computed again, exactly,
from the data and the comparator: a float is a whole number over a power of two, and so are sums of
products of floats. A certificate is verified when its own digest, the data's digest, the run when
it is played again, the hypotheses of its theorem and the bound, rounded up to a float, are what it
says. docs/certificates.md describes its fields.
"""

import sys

if __name__ == "__main__":
    sys.path.pop(0)  # modules beside this file must not stand in for the standard library's

import base64
import csv
import hashlib
import json
import math
import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache, partial
from itertools import chain, count, pairwise, repeat
from operator import mul
from typing import Any, NamedTuple

FORMAT = "novikoff-certificate/1"
FIELDS = [
    "assumptions", "bound", "data", "evidence", "format", "learner", "mistakes", "sha256",
    "statement", "theorem",
]  # fmt: skip
STATEMENTS = {
    "novikoff": "M ≤ R²‖w‖²/γ² where γ = min_t y_t w·x_t > 0",
    "hinge": "M ≤ R²‖w‖² + 2L where L = Σ_t max(0, 1 − y_t w·x_t)",
    "hinge-tight": "M ≤ ((R‖w‖ + √(R²‖w‖² + 4L))/2)² where L = Σ_t max(0, 1 − y_t w·x_t)",
    "freund-schapire": "M ≤ (R‖w‖ + √Q)² where Q = Σ_t max(0, 1 − y_t w·x_t)²",
    "run": "M ≤ L_I + ‖w‖√S_I where L_I = Σ_{t∈I} max(0, 1 − y_t w·x_t), S_I = Σ_{t∈I} ‖x_t‖²",
    "structured": (
        "M ≤ R²‖w‖²/δ² where w·(Φ(x_t, y_t) − Φ(x_t, z)) ≥ δ > 0 for every t and z ≠ y_t, R the "
        "largest ‖Φ(x, y) − Φ(x, ŷ)‖ of the updates"
    ),
    "minnow": "M ≤ ‖w‖₁ ln d/(ηγ − ‖w‖₁ ln cosh(ηR∞)) where y_t w·x_t ≥ γ > 0 for every t",
    "minnow-hinge": (
        "M ≤ (‖w‖₁ ln d + ηL)/(ηγ − ‖w‖₁ ln cosh(ηR∞)) where L = Σ_t max(0, γ − y_t w·x_t)"
    ),
    "progressive": (
        "with probability ≥ 1 − δ the mean error of the hypotheses of the T rounds is at most "
        "min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), Λ = {2^(3 − j/2) : j = 0..33}"
    ),
    "separable": "y_t w·x_t > 0 for every t",
    "not separable": "Σ_t a_t y_t x_t = 0 with a ≥ 0, a ≠ 0: no w has y_t w·x_t > 0 for every t",
}
ASSUMPTIONS = {"progressive": ["the rounds are independent draws from one distribution"]}
EVIDENCE = {
    "minnow": {"w", "gamma"}, "minnow-hinge": {"w", "gamma"}, "progressive": {"delta"},
    "separable": {"w", "bias"}, "not separable": {"rows", "weights", "bias"},
}  # fmt: skip

Row = tuple[str, Any, list[tuple[int, float]]]  # where it is, its label, (index, value) pairs
Rows = Callable[[], Iterable[Row]]
Vector = tuple[list[int], list[int]]  # indices, and values as whole numbers
Weights = dict[int, dict[int, int]]  # {class: {index: weight}}, class 0 alone for two labels


class Refused(Exception):  # noqa: N818
    """Why a certificate is none."""


class BadData(Exception):  # noqa: N818
    """Where data cannot be read, what was expected and what was got: no verdict."""


class Verdict(NamedTuple):
    """What the verifier says."""

    verified: bool
    theorem: str | None
    observed: int | None
    bound: float | None
    reason: str


def require(condition: object, reason: str) -> None:
    """Refuse where something does not hold."""
    if not condition:
        raise Refused(reason)


def expect(condition: object, where: str, what: str, got: object) -> None:
    """Say where data are not what they should be."""
    if not condition:
        raise BadData(f"{where}: expected {what}, got {str(got)[:60]}")


def canonical(value: Any) -> bytes:
    """Return the bytes of a value: those of 1, 1.0 and true differ, and NaN has none."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def read_certificate(text: bytes) -> dict[str, Any]:
    """Read a certificate whose fields and own digest are right."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs), "a key appears twice")
        return dict(pairs)

    content = json.loads(text, object_pairs_hook=once)
    require(isinstance(content, dict) and content.get("format") == FORMAT, f"it is no {FORMAT}")
    require(sorted(content) == FIELDS, f"its fields are not {', '.join(FIELDS)}")
    covered = canonical({name: content[name] for name in FIELDS if name != "sha256"})
    require(hashlib.sha256(covered).hexdigest() == content["sha256"], "its own digest is another")
    return dict(content)


def unpacked(text: str) -> Iterator[int]:
    """Yield rounds from their gaps, each in base 128 with its low digits first, all in base 64."""
    last = gap = shift = 0
    for digit in base64.b64decode(text.encode(), validate=True):
        gap |= (digit & 127) << shift
        shift += 7
        require(shift < 70, "its mistakes are no rounds")
        if digit < 128:
            last, gap, shift = last + gap, 0, 0
            yield last
    require(shift == 0, "its mistakes end in the middle of a round")


def read_svmlight(path: str) -> Iterator[Row]:
    """Yield the rows of an svmlight file: label index:value …, indices from 1."""
    with open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            words, items = line.split("#")[0].split(), []
            for word in words[1:]:
                try:
                    index, value = word.split(":")
                    if index != "qid":
                        items.append((int(index) - 1, float(value)))
                except ValueError:
                    expect(False, f"{path}:{number}", "index:value", repr(word))
            if words:
                yield f"{path}:{number}", words[0], items


def read_sentences(path: str) -> Iterator[Any]:
    """Yield the sentences of a file: tag index:count … a position, an empty line after the last."""
    tags: list[str] = []
    items: list[Any] = []
    with open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(chain(file, [""]), 1):
            words = line.split()
            if not words and tags:
                yield f"{path}:{number}", tags, items
                tags, items = [], []
            elif words:
                pairs = [word.split(":") for word in words[1:]]
                sound = all(len(p) == 2 and p[0].isdecimal() and p[1].isdecimal() for p in pairs)
                expect(sound, f"{path}:{number}", "index:count", line)
                tags.append(words[0])
                items.append([(int(j) - 1, int(v)) for j, v in pairs])


def read_csv(path: str, label: str) -> Iterator[Row]:
    """Yield the rows of a CSV file with a header; all other columns are features 0, 1, …."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = csv.reader(file)
        header = next(lines, [])
        expect(header.count(label) == 1, f"{path}:1", f"one column {label!r}", header)
        for cells in filter(None, lines):
            where = f"{path}:{lines.line_num}"
            expect(len(cells) == len(header), where, f"{len(header)} columns", len(cells))
            found, items = cells.pop(header.index(label)), []
            for j, cell in enumerate(cells):
                try:
                    items.append((j, float(cell)))
                except ValueError:
                    expect(False, where, "a number", repr(cell))
            yield where, found, items


@lru_cache
def number(label: Any) -> Any:
    """Return the number that a label in a file stands for: 1, "1" and "+1" are the same."""
    if not isinstance(label, str):
        return label
    for kind in (int, float):
        with suppress(ValueError):
            return kind(label)
    raise Refused(f"its labels are numbers, and the data have {label[:20]!r}")


def grid(values: Iterable[float]) -> int:
    """Return the least g for which every value times 2^g is whole."""
    return max([d for _, d in map(float.as_integer_ratio, values)], default=1).bit_length() - 1


def whole(values: Iterable[float], g: int) -> list[int]:
    """Return each value times 2^g, which is whole."""
    try:
        return list(map(int, map(math.ldexp, values, repeat(g))))
    except OverflowError:  # beyond what a float holds
        return [int(Fraction(v) * (1 << g)) for v in values]


def dot(w: dict[int, int], x: Vector) -> int:
    """Return w·x."""
    return sum(map(mul, map(w.get, x[0], repeat(0)), x[1]))


def least_float(value: Fraction, root: Fraction = Fraction(0)) -> float:
    """Return the least float that is at least value + √root, infinity where there is none."""
    n, d = root.numerator, root.denominator
    try:
        near = float(value + Fraction(math.isqrt(n * d << 128), d << 64))  # to 64 bits, from below
    except OverflowError:
        return math.inf
    while near < math.inf and (near < value or (Fraction(near) - value) ** 2 < root):
        near = math.nextafter(near, math.inf)
    return near


def settled(enclosure: Callable[[int], tuple[Any, Any]], settle: Callable[[Fraction], Any]) -> Any:
    """Return what both ends of an enclosure settle on when it has enough digits."""
    for digits in (40 << doublings for doublings in range(8)):
        with localcontext(Context(prec=digits, Emax=10**17, Emin=-(10**17), traps=[])):
            low, high = map(Fraction, enclosure(digits))
        if settle(low) == settle(high):
            return settle(low)
    raise Refused("it takes more than 5000 digits to decide")


def decimal(value: Fraction) -> Decimal:
    """Return a fraction as a decimal, rounded once."""
    return Decimal(value.numerator) / Decimal(value.denominator)


class Data:
    """Rows as (y, x), read again for every pass, never kept; the constant feature at index −1."""

    def __init__(self, rows: Rows, labels: dict[str, Any], bias: float | None) -> None:
        require(labels.keys() in ({"positive"}, {"classes"}), "its labels are not named")
        require(bias is None or type(bias) is float, "its bias is no number")
        self.rows, self.bias, self.many = rows, bias or 0.0, "classes" in labels
        names = labels["classes"] if self.many else [labels["positive"]]
        require(all(type(n) in (str, int, float, bool) for n in names), "its labels are none")
        self.numeric = str not in map(type, names)
        self.codes: dict[Any, int] = defaultdict(count().__next__)  # classes, as they appear
        if not self.many:
            self.codes = defaultdict(lambda: -1, {names[0]: 1})
        self.count = self.dimension = nonzeros = positives = 0
        self.grid, self.largest, digest = grid([self.bias]), 0.0, hashlib.sha256()
        for y, indices, values in self.given():
            form = ("<II" if self.many else "<bI") + "Qd" * len(values)
            flat = chain.from_iterable(zip(indices, values, strict=True))
            digest.update(struct.pack(form, y, len(values), *flat))
            self.count += 1
            nonzeros += len(values)
            positives += y > 0
            self.dimension = max([self.dimension, *(j + 1 for j in indices[-1:])])
            self.largest = max(self.largest, abs(self.bias), *map(abs, values))
            self.grid = max(self.grid, grid(values))
        require(not self.many or names == list(self.codes), "the classes are others")
        self.remark = "" if self.many or positives else f"; no row has the label {names[0]!r:.40}"
        self.about = {"digest": digest.hexdigest(), "rows": self.count, "nonzeros": nonzeros}
        self.about |= {"dimension": self.dimension, "labels": labels}

    def given(self) -> Iterator[tuple[int, list[int], list[float]]]:
        """Yield y, the indices and the values of each row, ascending, without zeros."""
        where = "the top of the data"
        try:
            for where, label, items in self.rows():
                kept = sorted([item for item in items if item[1] != 0])
                indices, values = [j for j, _ in kept], [float(v) for _, v in kept]
                odd = [v for v in values if not math.isfinite(v)]
                expect(not odd, where, "finite values", odd)
                odd = [j for j, k in pairwise([-1, *indices, 1 << 63]) if j >= k]
                expect(not odd, where, "every feature once, counted from the first", indices)
                yield self.codes[number(label) if self.numeric else label], indices, values
        except (UnicodeDecodeError, csv.Error) as error:
            raise BadData(f"after {where}: expected text in UTF-8, got {error}") from None

    def __iter__(self) -> Iterator[tuple[int, Vector]]:
        places, constant = ([-1], whole([self.bias], self.grid)) if self.bias else ([], [])
        for y, indices, values in self.given():
            yield y, (places + indices, constant + whole(values, self.grid))


class Perceptron:
    """A run of w ← w + y x on a mistake, measured by a comparator, all in whole numbers."""

    step = 1  # the square of an update, over ‖x‖²

    def __init__(self, data: Data, ties: str) -> None:
        require(ties in ("positive", "mistake"), "its ties are no rule")
        self.data, self.strict = data, ties == "mistake"
        self.weights: dict[int, int] = defaultdict(int)

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round, and learn from a mistake."""
        if self.right(y, x):
            return False
        for j, v in zip(*x, strict=True):
            self.weights[j] += y * v
        return True

    def right(self, y: int, x: Vector) -> bool:
        """Judge w·x against y."""
        score = y * dot(self.weights, x)
        return score > 0 or (score == 0 and y > 0 and not self.strict)

    def margin(self, w: Weights, y: int, x: Vector) -> int:
        """Return y w·x of a comparator w."""
        return y * dot(w[0], x)

    def play(self, passes: int, evidence: dict[str, Any], transcript: Iterator[int]) -> None:
        """Play the run, whose mistakes must be those of the transcript, and measure its rounds."""
        data, target = self.data, evidence.get("gamma", 1.0)
        require(type(target) is float and target > 0, "its gamma is no positive number")
        fine, w = comparator(evidence.get("w", []), data.many, grid([target]) - data.grid)
        expected, self.mistakes = next(transcript, None), 0
        self.w, self.unit = w, whole([target], data.grid + fine)[0]  # the margin asked of w
        self.hinge = self.hinge2 = self.least = self.radius2 = 0
        self.mistake_hinge = self.energy = 0
        for number in range(passes):
            before = self.mistakes
            for t, (y, x) in enumerate(data, number * data.count + 1):
                mistaken = self.mistaken(y, x)
                if mistaken != (t == expected):
                    raise Refused(f"round {t} is {'a' if mistaken else 'no'} mistake when played")
                if not mistaken and number > 0:
                    continue  # measured in the first pass
                margin, square = self.margin(w, y, x), self.square(x)
                loss = max(0, self.unit - margin)
                if number == 0:
                    self.hinge += passes * loss
                    self.hinge2 += passes * loss * loss
                    self.least = margin if t == 1 else min(self.least, margin)
                if mistaken:
                    expected = next(transcript, None)
                    self.mistakes += 1
                    self.mistake_hinge += loss
                    self.energy += square
                if mistaken or not data.many:
                    self.radius2 = max(self.radius2, square)
            if self.mistakes == before:
                break  # every pass after a clean one is clean
        require(expected is None, "its mistakes go on after the last round")

    def square(self, x: Any) -> int:
        """Return the square of what an update adds."""
        return int(self.step * sum(map(mul, x[1], x[1])))

    def bound(self, theorem: str) -> float:
        """Evaluate a theorem as value + √root, with a = R²‖w‖²."""
        norm2 = sum(v * v for column in self.w.values() for v in column.values())
        if theorem == ("structured" if isinstance(self, Chain) else "novikoff"):
            require(self.least > 0, "its w does not separate the data")
            return least_float(Fraction(self.radius2 * norm2, self.least**2))
        a, loss = Fraction(self.radius2 * norm2, self.unit**2), Fraction(self.hinge, self.unit)
        squares, energy = (Fraction(s, self.unit**2) for s in (self.hinge2, norm2 * self.energy))
        value, root = {
            "hinge": (a + 2 * loss, Fraction(0)),
            "hinge-tight": (a / 2 + loss, a * a / 4 + a * loss),
            "freund-schapire": (a + squares, 4 * a * squares),
            "run": (Fraction(self.mistake_hinge, self.unit), energy),
        }[theorem]
        return least_float(value, root)


class MulticlassPerceptron(Perceptron):
    """w_y ← w_y + x, w_ŷ ← w_ŷ − x on a mistake; ties to the class seen first."""

    step = 2

    def __init__(self, data: Data) -> None:
        self.data = data
        self.columns: list[dict[int, int]] = []

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge the first best of the classes seen, this round's among them, against y."""
        if y == len(self.columns):
            self.columns.append(defaultdict(int))
        scores = [dot(w, x) for w in self.columns]
        best = scores.index(max(scores))
        for j, v in zip(*x, strict=True) if best != y else ():
            self.columns[y][j] += v
            self.columns[best][j] -= v
        return best != y

    def margin(self, w: Weights, y: int, x: Vector) -> int:
        """Return by how much the right class scores above every other."""
        scores = [dot(w[k], x) for k in range(len(self.data.codes))]
        return scores.pop(y) - max(scores, default=0)


class Minnow(Perceptron):
    """w_j ∝ e^{ηθ_j}, balanced e^{ηθ_j} − e^{−ηθ_j}, with θ ← θ + y x on a mistake."""

    def __init__(self, balanced: bool, data: Data, eta: float) -> None:
        require(type(eta) is float and eta > 0, "its eta is no positive number")
        self.balanced, self.data = balanced, data
        self.rate = Fraction(eta) / (1 << data.grid)
        self.weights = defaultdict(int)  # θ

    def right(self, y: int, x: Vector) -> bool:
        """Judge Σ x_j e^{ηθ_j} against y: 0 only if its terms cancel (Lindemann, Weierstrass)."""
        sums: dict[int, int] = defaultdict(int)
        for j, v in zip(*x, strict=True):
            sums[self.weights.get(j, 0)] += v
            if self.balanced:
                sums[-self.weights.get(j, 0)] -= v
        terms = {theta: c for theta, c in sums.items() if c}
        if not terms or min(terms.values()) > 0 or max(terms.values()) < 0:
            return (sum(terms.values()) >= 0) == (y > 0)
        top = max(terms)

        def enclosure(digits: int) -> tuple[Decimal, Decimal]:
            parts = [decimal((t - top) * self.rate).exp() * c for t, c in terms.items()]
            # A part is off by a unit, and by one more for each unit of its exponent.
            error = sum(map(abs, parts)) * Decimal(10) ** (20 - digits)
            return sum(parts) - error, sum(parts) + error

        return bool(settled(enclosure, lambda score: score > 0) == (y > 0))

    def bound(self, theorem: str) -> float:
        """Evaluate (‖w‖₁ ln d + ηL)/(ηγ − ‖w‖₁ ln cosh(ηR∞)), d counting twice if balanced."""
        w, data = self.w[0].values(), self.data
        require(theorem in ("minnow", "minnow-hinge"), "its theorem is not about this learner")
        require(theorem != "minnow" or self.hinge == 0, "its w does not separate the data by gamma")
        require(self.balanced or min(w, default=0) >= 0, "its w is negative somewhere")
        if not any(w):  # no logarithm is left
            return least_float(Fraction(self.hinge, self.unit))
        d = (data.dimension + (data.bias != 0)) * (2 if self.balanced else 1)
        reach = self.rate * (1 << data.grid) * Fraction(data.largest)
        require(d > 0 and reach < 10**6, "ηR∞ is too large for a bound")

        def enclosure(digits: int) -> tuple[Decimal, Decimal]:
            norm, gamma = Decimal(sum(map(abs, w))), decimal(self.rate * self.unit)
            up = decimal(reach).exp()
            room = gamma - norm * ((up + 1 / up) / 2).ln()
            # ln cosh is off by a few units of the last digit of 1 and of ηR∞ < 10⁶.
            error = (gamma + norm) * Decimal(10) ** (20 - digits)
            require(room > -error, "ηγ is not above ‖w‖₁ ln cosh(ηR∞)")
            above = norm * Decimal(d).ln() + decimal(self.rate * self.hinge)
            most = above / (room - error) if room > error else Decimal("1e400")
            return above / (room + error), most

        return float(settled(enclosure, least_float))


Positions = list[Vector]  # of a sentence: the features of each position, and how often


class Sentences(Data):
    """Sentences as (tags, positions), read again for every pass; every value is a count."""

    many, bias, grid, remark = True, 0.0, 0, ""

    def __init__(self, rows: Callable[[], Iterable[Any]], labels: dict[str, Any]) -> None:
        require(labels.keys() == {"tags"}, "its tags are not named")
        names, self.rows = labels["tags"], rows
        sound = type(names) is list and {*map(type, names)} <= {str}
        require(sound and len(set(names)) == len(names), "its tags are none")
        self.codes = {name: k for k, name in enumerate(names)}
        self.count = self.dimension = nonzeros = 0
        digest = hashlib.sha256()
        for tags, positions in self:
            digest.update(struct.pack("<I", len(tags)))
            for tag, (indices, counts) in zip(tags, positions, strict=True):
                flat = chain.from_iterable(zip(indices, map(float, counts), strict=True))
                digest.update(struct.pack("<II" + "Qd" * len(counts), tag, len(counts), *flat))
                self.dimension = max([self.dimension, *(j + 1 for j in indices[-1:])])
                nonzeros += len(counts)
            self.count += 1
        self.about = {"digest": digest.hexdigest(), "rows": self.count, "nonzeros": nonzeros}
        self.about |= {"dimension": self.dimension, "labels": labels}

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        rows: Any = self.rows
        for where, tags, sentence in rows():
            expect(len(tags) == len(sentence), where, f"{len(sentence)} tags", len(tags))
            require({*tags} <= self.codes.keys(), "the tags are others")
            positions = []
            for items in map(sorted, sentence):
                indices = [j for j, _ in items]
                odd = [j for j, k in pairwise([-1, *indices, 1 << 31]) if j >= k]
                expect(not odd, where, "every feature once, counted from the first", indices)
                odd = [v for _, v in items if v < 1 or v != int(v)]
                expect(not odd, where, "counts of features", odd)
                positions.append((indices, [int(v) for _, v in items]))
            yield [self.codes[tag] for tag in tags], positions


class Chain(Perceptron):
    """w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake; ties to the lowest tags, from the last to the first.

    w[tag][j] weighs feature j at a position of this tag; beyond the features, j is that of the
    sentence's start, and then those of each tag before.
    """

    def __init__(self, data: Sentences, problem: dict[str, Any], averaged: bool) -> None:
        sound = problem["kind"] == "Chains" and type(averaged) is bool
        require(sound and isinstance(data, Sentences), "it is no chain")
        self.data, self.all, self.seen = data, len(data.codes), 0
        if problem["tags"] is not None:
            require(problem["tags"] == list(data.codes), "its tags are others")
            self.seen = self.all
        self.columns = [defaultdict[int, int](int) for _ in data.codes]

    def items(self, y: list[int], x: Positions) -> Iterator[tuple[int, int, int]]:
        """Yield (tag, index, count) of Φ(x, y)."""
        for before, tag, (indices, counts) in zip([-1, *y], y, x, strict=False):
            yield tag, self.data.dimension + before + 1, 1
            yield from zip(repeat(tag), indices, counts, strict=False)

    def best(self, w: Any, x: Positions, tags: int, count: int) -> list[tuple[int, list[int]]]:
        """Return the best outputs of a sentence with their scores."""
        first = self.data.dimension
        ends: list[list[tuple[int, Any]]] = [[(0, (-1, None))]]  # by the last tag, best first
        for position in x:
            known, scores = (
                list(chain.from_iterable(ends)),
                [dot(w[k], position) for k in range(tags)],
            )
            ends = [
                sorted(
                    [(c - scores[k] - w[k].get(first + z[0] + 1, 0), (k, z)) for c, z in known],
                    key=lambda found: found[0],  # of equal ones the first stays the first
                )[:count]
                for k in range(tags)
            ]
        outputs = []
        for cost, end in sorted(chain.from_iterable(ends), key=lambda found: found[0])[:count]:
            z, path = end, []
            while z[0] >= 0:
                path.append(z[0])
                z = z[1]
            outputs.append((-cost, path[::-1]))
        return outputs

    def mistaken(self, y: Any, x: Any) -> bool:
        """Judge the best output over the tags seen, this round's among them, against y."""
        for tag in y:
            require(tag <= self.seen, "its tags are not numbered as they appear")
            self.seen = max(self.seen, tag + 1)
        _, z = self.best(self.columns, x, self.seen, 1)[0]
        step: dict[tuple[int, int], int] = defaultdict(int)
        for sign, output in ((1, y), (-1, z)):
            for tag, j, v in self.items(output, x):
                step[tag, j] += sign * v
        for (tag, j), v in step.items():
            self.columns[tag][j] += v
        self.step = sum(v * v for v in step.values())
        return bool(z != y)

    def margin(self, w: Weights, y: Any, x: Any) -> Any:
        """Return by how much y scores above every other output; infinite without another."""
        score = sum(w[tag].get(j, 0) * v for tag, j, v in self.items(y, x))
        others = [s for s, z in self.best(w, x, self.all, 2) if z != y]
        return score - others[0] if others else math.inf

    def square(self, x: Any) -> int:
        """Return ‖Φ(x, y) − Φ(x, ŷ)‖² of the round last played."""
        return self.step


LEARNERS: dict[str, Any] = {
    "Perceptron": Perceptron, "AveragedPerceptron": Perceptron, "VotedPerceptron": Perceptron,
    "MulticlassPerceptron": MulticlassPerceptron, "Minnow": partial(Minnow, False),
    "BalancedMinnow": partial(Minnow, True), "StructuredPerceptron": Chain,
}  # fmt: skip


def learner_of(
    name: str, data: Data, /, bias: Any, hashing: Any = None, max_voters: Any = None, **own: Any
) -> Any:
    """Return the learner of these parameters; the bias is in the data, two change no mistake."""
    sound = max_voters is None or (type(max_voters) is int and max_voters > 0)
    require(sound, "its max_voters is no number")
    if hashing is not None:  # the rows here are the hashed ones
        bits, signed = hashing["bits"], hashing["signed"]
        sound = len(hashing) == 2 and type(bits) is int and 0 < bits < 31 and type(signed) is bool
        require(sound and data.dimension <= 1 << bits, "it is not hashed")
    require(data.many == (name == "MulticlassPerceptron"), "its labels are others")
    return LEARNERS[name](data, **own)


def comparator(entries: Any, many: bool, finest: int = 0) -> tuple[int, Weights]:
    """Return g ≥ finest and the weights of a comparator times 2^g, which are whole."""
    w = {(k, j): v for k, j, v in (entry if many else (0, *entry) for entry in entries)}
    sound = all(type(k) is type(j) is int and k >= 0 and j >= -1 for k, j in w)
    sound = sound and all(type(v) is float for v in w.values())
    require(sound and len(w) == len(entries), "its w is no list of weights, each once")
    g, columns = max(grid(w.values()), finest), defaultdict[int, dict[int, int]](dict)
    for (k, j), v in zip(w, whole(w.values(), g), strict=True):
        columns[k][j] = v
    return g, columns


def progressive_bound(data: Data, mistakes: int, delta: Any) -> float:
    """Evaluate min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), or 1."""
    require(type(delta) is float and 0 < delta < 1, "its delta is no probability")
    # With classes the first round is judged when its own is known: it counts as a mistake here.
    made = min(data.count, mistakes + data.many)

    def enclosure(digits: int) -> tuple[Decimal, Decimal]:
        found = []
        for rate in (Decimal(2) ** (Decimal(6 - j) / 2) for j in range(34)):
            mass = rate * made + decimal(34 / Fraction(delta)).ln()
            found.append((1 - (-mass / data.count).exp()) / (1 - (-rate).exp()))
        error = Decimal(10) ** (10 - digits)
        return min(found) * (1 - error), min(found) * (1 + error)

    return min(1.0, float(settled(enclosure, least_float)))


def check_claim(theorem: str, evidence: dict[str, Any], data: Data) -> None:
    """Check a w that separates the data, or weights of rows that prove that none does."""
    require(not data.many, "it claims of classes what is said of two labels")
    if theorem == "separable":
        w = comparator(evidence["w"], many=False)[1][0]
        require(all(y * dot(w, x) > 0 for y, x in data), "its w does not separate the data")
        return
    factors = dict(zip(evidence["rows"], evidence["weights"], strict=True))
    positive = all(type(t) is type(a) is int and a > 0 for t, a in factors.items())
    require(positive and len(factors) == len(evidence["rows"]) > 0, "its weights are none")
    total: dict[int, int] = defaultdict(int)
    for t, (y, x) in enumerate(data, 1):
        a = factors.pop(t, 0) * y
        for j, v in zip(*x, strict=True) if a else ():
            total[j] += a * v
    require(not factors and not any(total.values()), "its rows do not add up to 0")


def check(content: dict[str, Any], rows: Rows) -> Verdict:
    """Return the verdict on a content whose bound is the one found, or raise what is wrong."""
    theorem, evidence, about = content["theorem"], content["evidence"], content["data"]
    require(theorem in STATEMENTS, "its theorem is not one of those verified here")
    require(content["statement"] == STATEMENTS[theorem], "its statement is another")
    require(content["assumptions"] == ASSUMPTIONS.get(theorem, []), "its assumptions are others")
    require(evidence.keys() == EVIDENCE.get(theorem, {"w"}), "its evidence has other fields")
    stated, passes, transcript = content["learner"], about["passes"], content["mistakes"]
    alone = theorem in ("separable", "not separable")
    if "tags" in about["labels"]:
        data: Data = Sentences(rows, about["labels"])
    else:
        data = Data(rows, about["labels"], (evidence if alone else stated["parameters"])["bias"])
    require(canonical(about) == canonical(data.about | {"passes": passes}), "the data are others")
    if alone:
        require(stated is transcript is passes is None, "it claims a run")
        check_claim(theorem, evidence, data)
        return Verdict(True, theorem, None, None, "verified" + data.remark)
    require(type(passes) is int and passes > 0, "its passes are no number")
    require(stated.keys() == {"name", "parameters"}, "its learner has other fields")
    if isinstance(data, Sentences):
        require(stated["name"] == "StructuredPerceptron", "its labels are others")
        run: Any = Chain(data, **stated["parameters"])
    else:
        run = learner_of(stated["name"], data, **stated["parameters"])
    run.play(passes, evidence, unpacked(transcript["rounds"]))
    counted = {"count": run.mistakes, "rounds": transcript["rounds"]}
    require(canonical(transcript) == canonical(counted), "it miscounts its mistakes")
    if theorem == "progressive":
        require(passes == 1 and data.count > 0, "the rounds of later passes are not fresh")
        known = "problem" not in stated["parameters"] or stated["parameters"]["problem"]["tags"]
        require(known, "its tags are not known before the first round")
        bound = progressive_bound(data, run.mistakes, evidence["delta"])
    else:
        bound = run.bound(theorem)
        require(bound < math.inf, "the bound is beyond every float")
        require(run.mistakes <= bound, "it refutes its theorem")  # which cannot be
    return Verdict(True, theorem, run.mistakes, bound, "verified" + data.remark)


def verify(text: bytes, rows: Rows) -> Verdict:
    """Verify a certificate on the rows it speaks of."""
    theorem = None
    try:
        content = read_certificate(text)
        theorem = content["theorem"] if isinstance(content["theorem"], str) else None
        found = check(content, rows)
        require(
            canonical(content["bound"]) == canonical(found.bound), f"its bound is not {found.bound}"
        )
    except Refused as refusal:
        return Verdict(False, theorem, None, None, str(refusal))
    except (
        ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
    ) as error:  # fmt: skip
        reason = f"it is not made as a certificate is: {type(error).__name__} {error}"
        return Verdict(False, theorem, None, None, reason[:200])
    return found


def main(arguments: list[str]) -> int:
    """Verify a certificate file on a data file."""
    if len(arguments) not in (2, 3):
        print("usage: verifier.py CERTIFICATE DATA.svm, or CERTIFICATE DATA.csv LABEL-COLUMN")
        return 2
    certificate, path, *column = arguments
    try:
        with open(certificate, "rb") as file:
            text = file.read()
        rows: Any = partial(read_csv, path, *column) if column else partial(read_svmlight, path)
        verdict = verify(text, partial(read_sentences, path) if b'"tags":[' in text else rows)
    except (BadData, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    print(json.dumps(verdict._asdict()))
    return 0 if verdict.verified else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
