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
    "consistent": "M ≤ |H| − 1 where some h in H has every label",
    "halving": "M ≤ ⌊lg |H|⌋ where some h in H has every label",
    "littlestone": "M ≤ Ldim(H) where some h in H has every label",
    "iterated-halving": "M ≤ (⌊lg |H|⌋ + 1)·m + ⌊lg |H|⌋ where m are the mistakes of the best h",
    "elimination": "M ≤ d, or d + 1 with negations, where some disjunction has every label",
    "progressive": (
        "with probability ≥ 1 − δ the mean error of the hypotheses of the T rounds is at most "
        "min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), Λ = {2^(3 − j/2) : j = 0..33}"
    ),
    "weighted-majority": "M ≤ (m* ln(1/β) + ln N)/ln(2/(1 + β)), m* those of the best expert",
    "randomized-weighted-majority": (
        "E[M] ≤ (L* ln(1/β) + ln N)/(1 − β), L* the losses of the best expert"
    ),
    "hedge": "Σ_t p_t·l_t − L* ≤ (ln N)/η + ηT/8 where p_t ∝ e^{−ηL}, L* the least of L",
    "hedge-anytime": (
        "Σ_t p_t·l_t − L* ≤ 2√(T ln N/2) + √(ln N/8) where p_t ∝ e^{−η_t L}, η_t = √(8 ln N/t)"
    ),
    "exp3": "in expectation, regret ≤ √(2TK ln K) for a known T, and ≤ 2√(TK ln K) at any T",
    "exp3ix": (
        "with probability ≥ 1 − δ, regret ≤ 2√(2KT ln K) + (√(2KT/ln K) + 1) ln(2/δ) for a known "
        "T, and ≤ 4√(KT ln K) + (2√(KT/ln K) + 1) ln(2/δ) at any T"
    ),
    "exp3p": (
        "with probability ≥ 1 − δ, regret ≤ 5.15√(TK ln(K/δ)) for a known T, and "
        "≤ Σ_r 5.15√(2^r K ln(K(r + 1)(r + 2)/δ)) over 2^r ≤ T at any T"
    ),
    "separable": "y_t w·x_t > 0 for every t",
    "not separable": "Σ_t a_t y_t x_t = 0 with a ≥ 0, a ≠ 0: no w has y_t w·x_t > 0 for every t",
}
DRAWN = [
    "the learner drew with the probabilities it states", "no loss depended on its draws",
]  # fmt: skip
ASSUMPTIONS = {
    "progressive": ["the rounds are independent draws from one distribution"],
    "randomized-weighted-majority": DRAWN, "hedge": DRAWN, "hedge-anytime": DRAWN, "exp3": DRAWN,
    "exp3ix": DRAWN, "exp3p": DRAWN,
}  # fmt: skip
EVIDENCE = {
    "minnow": {"w", "gamma"}, "minnow-hinge": {"w", "gamma"}, "progressive": {"delta"},
    "separable": {"w", "bias"}, "not separable": {"rows", "weights", "bias"},
    "weighted-majority": {"rows"}, "randomized-weighted-majority": {"rows", "expected"},
    "hedge": {"rows", "expected"}, "hedge-anytime": {"rows", "expected"}, "exp3": {"rows"},
    "exp3ix": {"rows", "delta"}, "exp3p": {"rows"},
}  # fmt: skip

Row = tuple[str, Any, list[tuple[int, float]]]  # where it is, its label, (index, value) pairs
Rows = Callable[[], Iterable[Row]]
Vector = tuple[list[int], list[int]]  # indices, and values as whole numbers
Point = tuple[dict[int, int], int]  # {index: value}, and ‖x‖²
Weights = dict[int, dict[int, int]]  # {class: {index: weight}}, class 0 alone for two labels


class Refused(Exception):  # noqa: N818
    """Why a certificate is none."""


class BadData(Exception):  # noqa: N818
    """Where data cannot be read, what was expected and what was got: no verdict."""


class Verdict(NamedTuple):
    """What the verifier says."""

    verified: bool
    theorem: str | None
    observed: float | None
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

    @property
    def observed(self) -> int:
        """What the bound is about."""
        return self.mistakes

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

    def compare(self, evidence: dict[str, Any]) -> None:
        """Take the comparator, and the margin asked of it."""
        target = evidence.get("gamma", 1.0)
        require(type(target) is float and target > 0, "its gamma is no positive number")
        finest = grid([target]) - self.data.grid
        fine, self.w = comparator(evidence.get("w", []), self.data.many, finest)
        self.unit = whole([target], self.data.grid + fine)[0]

    def norm2(self) -> int:
        """Return ‖w‖² of the comparator."""
        return sum(v * v for column in self.w.values() for v in column.values())

    def play(self, passes: int, evidence: dict[str, Any], transcript: Iterator[int]) -> None:
        """Play the run, whose mistakes must be those of the transcript, and measure its rounds."""
        self.compare(evidence)
        data, w = self.data, self.w
        expected, self.mistakes = next(transcript, None), 0
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
        norm2 = self.norm2()
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


class KernelPerceptron(Perceptron):
    """w ← w + y φ(x) on a mistake, with φ(x)·φ(z) = (x·z + c)^degree or e^{−gamma‖x − z‖²}.

    Polynomials are whole numbers of units. Exponentials lie between two neighbouring ones, and
    what a comparator makes of the rounds is rounded outward.
    """

    small = 200  # the unit of an exponential is 2^−200

    def __init__(self, data: Data, ties: str, kernel: dict[str, Any], budget: Any) -> None:
        super().__init__(data, ties)
        require(budget is None, "it forgets supports")
        self.supports: dict[Any, tuple[Point, int]] = {}
        self.known: dict[int, tuple[int, int]] = {}  # exponentials, by distance
        self.degree, self.radial = kernel.get("degree", 0), kernel.get("name") == "rbf"
        numbers = [v for name, v in kernel.items() if name not in ("name", "degree")]
        sound = len(numbers) == 1 and type(numbers[0]) is float and 0 <= numbers[0] < math.inf
        if self.radial:
            sound = sound and kernel.keys() == {"name", "gamma"} and data.bias == 0
            require(sound, "its kernel is none")
            self.rate = Fraction(kernel["gamma"]) / (1 << 2 * data.grid)
            self.bits = self.small
        else:
            sound = sound and kernel.keys() == {"name", "degree", "c"}
            sound = sound and type(self.degree) is int and 0 < self.degree <= 100
            require(sound and kernel["name"] == "polynomial", "its kernel is none")
            self.fine = max(2 * data.grid, grid(numbers))
            self.shift = whole(numbers, self.fine)[0]
            self.bits = self.fine * self.degree

    def enclosed(self, z: Point, x: Vector) -> tuple[int, int]:
        """Return whole numbers of units 2^−bits between which K(z, x) lies."""
        if not self.radial:
            base = (dot(z[0], x) << (self.fine - 2 * self.data.grid)) + self.shift
            return base**self.degree, base**self.degree
        distance = self.distance(z, x)
        if distance not in self.known:
            with localcontext(Context(prec=100, Emax=10**17, Emin=-(10**17), traps=[])):
                found = int(decimal(-distance * self.rate).exp() * (1 << self.small))
            exact = distance == 0  # else e^−d < 1 is off by far less than a unit
            self.known[distance] = (found, found) if exact else (max(0, found - 1), found + 2)
        return self.known[distance]

    def distance(self, z: Point, x: Vector) -> int:
        """Return ‖z − x‖²."""
        square: int = sum(map(mul, x[1], x[1]))
        return z[1] + square - 2 * dot(z[0], x)

    def total(self, terms: Iterable[tuple[int, Point]], x: Vector) -> int:
        """Return at most Σ a K(z, x), and just that where K is a whole number."""
        pairs = [(a, self.enclosed(z, x)) for a, z in terms]
        return sum(a * (low if a > 0 else high) for a, (low, high) in pairs)

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge a round, and learn from a mistake."""
        if self.right(y, x):
            return False
        key = (tuple(x[0]), tuple(x[1]))
        point, a = self.supports.get(key, (point_of(x), 0))
        self.supports[key] = point, a + y
        return True

    def right(self, y: int, x: Vector) -> bool:
        """Judge Σ a K(z, x) against y; where distances differ it is not 0, as in Minnow."""
        terms = [(a, z) for z, a in self.supports.values() if a]
        if not self.radial:
            score = self.total(terms, x)
        else:
            sums: dict[int, int] = defaultdict(int)
            for a, z in terms:
                sums[self.distance(z, x)] += a
            score = sign_of_exponentials({-d * self.rate: a for d, a in sums.items() if a})
        return score * y > 0 or (score == 0 and y > 0 and not self.strict)

    def compare(self, evidence: dict[str, Any]) -> None:
        """Take the comparator Σ a φ(x), its rows counted from 1."""
        entries = evidence.get("a", [])
        rows = dict(entries)
        sound = all(type(t) is int and type(a) is float for t, a in rows.items())
        require(sound and len(rows) == len(entries), "its a is no list of weights, each once")
        found = {t: point_of(x) for t, (_, x) in enumerate(self.data, 1) if t in rows}
        require(len(found) == len(rows), "its a has rows that are none")
        g, ordered = grid(rows.values()), sorted(rows)
        weights = whole([rows[t] for t in ordered], g)
        self.terms = [(a, found[t]) for t, a in zip(ordered, weights, strict=True)]
        self.w, self.unit = {}, 1 << (g + self.bits)

    def margin(self, w: Weights, y: int, x: Vector) -> int:
        """Return at most y w·φ(x) of the comparator."""
        return self.total([(y * a, z) for a, z in self.terms], x)

    def square(self, x: Vector) -> int:
        """Return K(x, x)."""
        return self.enclosed(point_of(x), x)[1]

    def norm2(self) -> int:
        """Return at least Σ a b K(z, x) of the comparator."""
        points = [(list(z[0]), list(z[0].values())) for _, z in self.terms]
        parts = zip(self.terms, points, strict=True)
        return -sum(self.total([(-a * b, z) for b, z in self.terms], x) for (a, _), x in parts)


def point_of(x: Vector) -> Point:
    """Return x as a dict, and ‖x‖²."""
    return dict(zip(*x, strict=True)), sum(map(mul, x[1], x[1]))


def sign_of_exponentials(terms: dict[Fraction, int]) -> int:
    """Return the sign of Σ c e^a, 0 only where there is no term (Lindemann, Weierstrass)."""
    if not terms or min(terms.values()) > 0 or max(terms.values()) < 0:
        return sum(terms.values())
    top = max(terms)

    def enclosure(digits: int) -> tuple[Decimal, Decimal]:
        parts = [decimal(a - top).exp() * c for a, c in terms.items()]
        # A part is off by a unit, and by one more for each unit of its exponent.
        error = sum(map(abs, parts)) * Decimal(10) ** (20 - digits)
        return sum(parts) - error, sum(parts) + error

    return 1 if settled(enclosure, lambda score: score > 0) else -1


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
        terms = {theta * self.rate: c for theta, c in sums.items() if c}
        return (sign_of_exponentials(terms) >= 0) == (y > 0)

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


class Finite:
    """A run that keeps of H what is consistent with every label, one bit a hypothesis."""

    def __init__(self, name: str, data: Data, H: dict[str, Any]) -> None:
        sound = H.keys() == {"cube", "points", "table"} and type(H["table"]) is list
        require(sound and not data.many, "it learns no class")
        table, cube, names = H["table"], H["cube"], H["points"]
        self.name, self.data, self.cube, self.width = name, data, cube, len(table[0])
        rows = {row for row in table if len(row) == self.width > 0 and not row.strip("+-")}
        require(len(rows) == len(table), "its class is no table of signs, each row once")
        sound = cube is None or (type(cube) is int and 0 <= cube < 64 and self.width == 1 << cube)
        named = names is None or (type(names) is list and len({*names}) == len(names) > 0)
        named = named and all(type(x) is str for x in names or ())
        require(sound and named and len(names or table[0]) == self.width, "its points are others")
        require(data.dimension <= (self.width if cube is None else cube), "a row is no point")
        marks = [[h for h, row in enumerate(table) if row[x] == "+"] for x in range(self.width)]
        self.columns = [sum(1 << h for h in column) for column in marks]
        self.all = (1 << len(table)) - 1
        self.left: Any = self.all
        self.known: dict[tuple[int, int], bool] = {}

    def play(self, passes: int, evidence: dict[str, Any], transcript: Iterator[int]) -> None:
        """Play the run, whose mistakes must be those of the transcript."""
        self.mistakes, self.passes, expected = 0, passes, next(transcript, None)
        self.rounds: dict[Any, int] = defaultdict(int)  # of one pass
        for number in range(passes):
            before = self.mistakes, self.left
            for t, (y, x) in enumerate(self.data, number * self.data.count + 1):
                point = self.point(x)
                self.rounds[point, y] += number == 0
                mistaken = self.mistaken(y, point)
                if mistaken != (t == expected):
                    raise Refused(f"round {t} is {'a' if mistaken else 'no'} mistake when played")
                if mistaken:
                    expected = next(transcript, None)
                    self.mistakes += 1
            if before == (self.mistakes, self.left):
                break  # and so are all passes after it
        require(expected is None, "its mistakes go on after the last round")

    @property
    def observed(self) -> int:
        """The mistakes."""
        return self.mistakes

    def point(self, x: Vector) -> int:
        """Return the point of a row: on a cube its vector's, else where its single 1 is."""
        single = self.cube is not None or len(x[0]) == 1
        require(single and all(v == 1 << self.data.grid for v in x[1]), "a row is no point")
        return x[0][0] if self.cube is None else sum(1 << j for j in x[0])

    def mistaken(self, y: int, x: int) -> bool:
        """Judge a round, and keep what agrees with it."""
        require(x < self.width, "a row is no point of its class")
        plus = self.left & self.columns[x]
        mistaken = self.positive(plus, self.left ^ plus) != (y > 0)
        self.left = plus if y > 0 else self.left ^ plus
        require(self.left or self.name == "IteratedHalving", "no hypothesis has every label")
        self.left = self.left or self.all
        return mistaken

    def positive(self, plus: int, minus: int) -> bool:
        """Predict from what is +1 and what is −1: by the first, the larger Ldim, or the more."""
        if self.name == "Consistent":
            return plus != 0 and (minus == 0 or plus & -plus < minus & -minus)
        measure = self.dimension if self.name == "StandardOptimal" else int.bit_count
        return measure(plus) >= measure(minus)

    def dimension(self, V: int) -> int:
        """Return Ldim(V) = max over x splitting V of 1 + min(Ldim(V_x^+), Ldim(V_x^−))."""
        return next(k for k in count(-1) if not self.reaches(V, k + 1))

    def reaches(self, V: int, k: int) -> bool:
        """Say whether Ldim(V) ≥ k: some point leaves two parts that reach k − 1."""
        if k <= 1 or V.bit_count() >> k == 0:  # of fewer than 2^k members, none reaches k
            return V.bit_count() > k and k <= 1
        if (V, k) not in self.known:
            parts = {min(V & column, V & ~column) for column in self.columns}
            least = {part: min(part.bit_count(), (V ^ part).bit_count()) for part in parts}
            self.known[V, k] = any(
                self.reaches(part, k - 1) and self.reaches(V ^ part, k - 1)
                for part in sorted(least, key=least.__getitem__, reverse=True)
                if least[part] >> (k - 1)
            )
        return self.known[V, k]

    def bound(self, theorem: str) -> float:
        """Return |H| − 1, Ldim(H), ⌊lg |H|⌋, or what that and the best h's mistakes allow."""
        require(theorem == FINITE[self.name], "its theorem is not about this learner")
        size, wrong = self.all.bit_count(), [0]
        if theorem in ("consistent", "littlestone"):
            return float(size - 1 if theorem == "consistent" else self.dimension(self.all))
        if theorem == "iterated-halving":
            rounds = [(self.columns[x], y > 0, n) for (x, y), n in self.rounds.items()]
            wrong = [sum(n for c, y, n in rounds if (c >> h & 1) != y) for h in range(size)]
        depth = size.bit_length() - 1
        return float((depth + 1) * self.passes * min(wrong) + depth)


class Elimination(Finite):
    """Drops the literals that are true where the label is −1; predicts whether one is left."""

    def __init__(self, name: str, data: Data, d: int, monotone: bool) -> None:
        sound = type(d) is int and 0 < d <= 1 << 24 and type(monotone) is bool and not data.many
        require(sound and data.dimension <= d, "it learns other disjunctions")
        self.data, self.name, self.cube, self.most = data, name, d, d + (not monotone)
        self.left = ((1 << d) - 1, 0 if monotone else (1 << d) - 1)  # literals, and negated ones

    def mistaken(self, y: int, x: int) -> bool:
        """Judge a round, and learn from it."""
        plain, negated = self.left
        found = bool(plain & x or negated & ~x)
        require(found or y < 0, "no disjunction has every label")
        if y < 0:
            self.left = plain & ~x, negated & x
        return found != (y > 0)

    def bound(self, theorem: str) -> float:
        """Return d, or d + 1 with negations."""
        require(theorem == "elimination", "its theorem is not about this learner")
        return float(self.most)


class Experts:
    """N experts or arms: rows of losses in [0, 1], or of advice ±1 with an outcome, losses 0 or 1.

    Only the losses are measured; what a learner drew is not known here.
    """

    observed: float | None = None
    remark = ""

    def __init__(self, data: Data, size: Any, span: Any, rewards: Any, seed: Any) -> None:
        require(type(size) is int and size > 1, "it has no two experts or arms")
        plain = canonical(span) == canonical([0.0, 1.0]) and rewards is False
        require(plain and not data.bias, "its losses are rescaled")
        require(type(seed) is int and 0 <= seed < 1 << 64, "its seed is no number")
        self.data, self.size, self.mistakes = data, size, 0

    def losses(self, rows: str) -> Iterator[tuple[int, list[Fraction]]]:
        """Yield the outcome and the loss of each for every round."""
        require(rows in ("losses", "advice"), "its rows are no losses and no advice")
        for y, indices, values in self.data.given():
            if rows == "advice":
                require(indices == list(range(self.size)), "a row is no advice of all experts")
                require({-1.0, 1.0} >= set(values), "a row is no advice of −1 and +1")
                yield y, [Fraction(v != y) for v in values]
            else:
                require(not indices or indices[-1] < self.size, "a row has more losses")
                require(0 < min(values, default=1) <= max(values, default=1) <= 1, "no loss")
                found = dict(zip(indices, map(Fraction, values), strict=True))
                yield y, [found.get(i, Fraction(0)) for i in range(self.size)]

    def play(self, passes: int, evidence: dict[str, Any], transcript: Iterator[int]) -> None:
        """Sum up the losses."""
        require(passes == 1 and next(transcript, None) is None, "it is no run of one pass")
        self.totals, self.delta = [Fraction(0)] * self.size, evidence.get("delta")
        for _, losses in self.losses(evidence["rows"]):
            self.totals = [a + b for a, b in zip(self.totals, losses, strict=True)]

    def checked_horizon(self, horizon: Any) -> int | None:
        """Return the rounds for which the learner was made, None for any number of them."""
        sound = horizon is None or (type(horizon) is int and horizon > 0)
        require(sound, "its horizon is no number of rounds")
        return horizon  # type: ignore[no-any-return]

    def bounded(self, formula: Callable[[], Decimal]) -> float:
        """Evaluate a bound of some ten operations on numbers that are not small."""

        def enclosure(digits: int) -> tuple[Decimal, Decimal]:
            value, error = formula(), Decimal(10) ** (10 - digits)
            return value * (1 - error), value * (1 + error)

        return float(settled(enclosure, least_float))


class WeightedMajority(Experts):
    """ŷ = sgn Σ β^{m_i} a_i, m_i the mistakes of expert i, a_i its advice; a tie is +1."""

    def __init__(self, data: Data, experts: int, beta: float) -> None:
        super().__init__(data, experts, [0.0, 1.0], False, 0)
        require(type(beta) is float and 0 < beta < 1, "its beta is no factor")
        self.beta = Fraction(beta)

    def play(self, passes: int, evidence: dict[str, Any], transcript: Iterator[int]) -> None:
        """Play the run, whose mistakes must be those of the transcript."""
        require(passes == 1, "it is no run of one pass")
        counts, expected = [0] * self.size, next(transcript, None)
        for t, (y, losses) in enumerate(self.losses(evidence["rows"]), 1):
            positive = y > 0 and evidence["rows"] == "advice"  # with losses a tie is a mistake
            require(set(losses) <= {0, 1}, "its losses are no mistakes")
            votes: dict[int, int] = defaultdict(int)  # Σ a_i y of those with as many mistakes
            for m, loss in zip(counts, losses, strict=True):
                votes[m - min(counts)] += 1 if loss == 0 else -1
            sign = self.sign(votes)
            mistaken = sign < 0 or (sign == 0 and not positive)
            if mistaken != (t == expected):
                raise Refused(f"round {t} is {'a' if mistaken else 'no'} mistake when played")
            expected = next(transcript, None) if mistaken else expected
            self.mistakes += mistaken
            counts = [m + int(loss) for m, loss in zip(counts, losses, strict=True)]
        require(expected is None, "its mistakes go on after the last round")
        self.observed, self.best = self.mistakes, min(counts)

    def sign(self, votes: dict[int, int]) -> int:
        """Return the sign of Σ c β^m: by decimals where they tell, or else exactly."""
        with localcontext(Context(prec=40, Emin=-(10**17))):
            parts = [c * decimal(self.beta) ** m for m, c in votes.items()]
            score, size = sum(parts, Decimal(0)), sum(map(abs, parts), Decimal(0))
            if abs(score) > size * Decimal(10) ** -20:
                return 1 if score > 0 else -1
        total = sum(c * self.beta**m for m, c in votes.items())
        return (total > 0) - (total < 0)

    def bound(self, theorem: str) -> float:
        """Evaluate (m* ln(1/β) + ln N)/ln(2/(1 + β))."""
        require(theorem == "weighted-majority", "its theorem is not about this learner")

        def formula() -> Decimal:
            top = Decimal(self.size).ln() - self.best * decimal(self.beta).ln()
            return top / decimal(2 / (1 + self.beta)).ln()

        return self.bounded(formula)


class Hedge(Experts):
    """p_t ∝ e^{−η_t L}: fixed by ``eta``, by ``horizon``, by ``beta``, or η_t = √(8 ln N/t)."""

    def __init__(
        self, rates: set[str], data: Data, /, experts: int, span: Any, rewards: Any, seed: Any,
        **own: Any,
    ) -> None:  # fmt: skip
        super().__init__(data, experts, span, rewards, seed)
        require(own.keys() == rates, "its parameters are those of another learner")
        self.beta: Any = own.get("beta")
        self.eta: Any = own.get("eta")
        self.horizon = self.checked_horizon(own.get("horizon"))
        floats = [v for v in (self.beta, self.eta) if v is not None]
        require(all(type(v) is float and v > 0 for v in floats), "its rate is none")
        require("beta" not in rates or (self.beta or 1) < 1, "its beta is no factor")
        require(self.eta is None or self.horizon is None, "two rates")

    def rate(self, t: int) -> Decimal:
        """Return η_t."""
        if self.beta is not None:
            return -decimal(Fraction(self.beta)).ln()
        if self.eta is not None:
            return decimal(Fraction(self.eta))
        return (8 * Decimal(self.size).ln() / (self.horizon or t)).sqrt()

    def play(self, passes: int, evidence: dict[str, Any], transcript: Iterator[int]) -> None:
        """Add up p_t·l_t in decimals of 60 digits, of which some 20 may be wrong."""
        require(passes == 1 and next(transcript, None) is None, "it is no run of one pass")
        with localcontext(Context(prec=60, Emin=-(10**17))):
            expected, totals = Decimal(0), [Fraction(0)] * self.size
            for t, (_, losses) in enumerate(self.losses(evidence["rows"]), 1):
                rate, least = self.rate(t), min(totals)
                known = {total: (rate * decimal(least - total)).exp() for total in set(totals)}
                weights = [known[total] for total in totals]
                pairs = zip(weights, map(decimal, losses), strict=True)
                charged = sum((w * loss for w, loss in pairs), Decimal(0))
                expected += charged / sum(weights, Decimal(0))
                totals = [a + b for a, b in zip(totals, losses, strict=True)]
            top = Fraction(expected * (1 + Decimal(10) ** -40))
        self.best, less = min(totals), 0 if self.beta is not None else min(totals)
        self.observed = least_float(top - less)

    def bound(self, theorem: str) -> float:
        """Evaluate the theorem of the rate."""
        T, fixed = self.data.count, self.eta is not None or self.horizon is not None
        found = "randomized-weighted-majority" if self.beta else "hedge" if fixed else "anytime"
        require(theorem.endswith(found), "its theorem is not about this learner")

        def log() -> Decimal:
            return Decimal(self.size).ln()

        if found == "hedge":
            return self.bounded(lambda: log() / self.rate(1) + self.rate(1) * T / 8)
        if found == "anytime":
            return self.bounded(lambda: 2 * (T * log() / 2).sqrt() + (log() / 8).sqrt())
        return self.bounded(
            lambda: (decimal(self.best) * self.rate(1) + log()) / (1 - Decimal(self.beta))
        )


class Bandit(Experts):
    """Exp3, Exp3-IX and Exp3.P: what holds in expectation, or with probability 1 − δ."""

    remark = "; it speaks of the learner's draws in general, not of those of one run"

    def __init__(self, kind: str, data: Data, /, arms: int, horizon: Any, **own: Any) -> None:
        self.kind, self.horizon = kind, self.checked_horizon(horizon)
        self.own = own.pop("delta") if kind == "exp3p" else None
        super().__init__(data, arms, **own)

    def bound(self, theorem: str) -> float:
        """Evaluate the learner's theorem for its horizon, or for the rounds played."""
        require(theorem == self.kind, "its theorem is not about this learner")
        T, K, delta = self.horizon or self.data.count, self.size, self.own or self.delta or 0.0
        require(T >= self.data.count > 0, "it goes on after its horizon")
        sound = theorem == "exp3" or (type(delta) is float and 0 < delta < 1)
        require(sound, "its delta is no probability")
        size, known = int(T * K), self.horizon is not None
        factor = 2 if known else 4
        if theorem == "exp3":
            return self.bounded(lambda: (factor * size * Decimal(K).ln()) ** Decimal("0.5"))
        if theorem == "exp3p":
            parts = [(T, 1)] if known else [
                (2**r, (r + 1) * (r + 2)) for r in range(T.bit_length())
            ]  # fmt: skip
            return self.bounded(lambda: Decimal("5.15") * sum(
                (n * K * decimal(K * share / Fraction(delta)).ln()).sqrt() for n, share in parts
            ))  # fmt: skip

        def formula() -> Decimal:  # 2√(2x) and √(2x), or 4√x and 2√x
            log = Decimal(K).ln()
            miss = decimal(2 / Fraction(delta)).ln()
            return 2 * (factor * size * log).sqrt() + ((factor * size / log).sqrt() + 1) * miss

        return self.bounded(formula)


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

    def __init__(self, data: Any, problem: dict[str, Any], averaged: bool) -> None:
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


FINITE = {
    "Consistent": "consistent", "Halving": "halving", "StandardOptimal": "littlestone",
    "IteratedHalving": "iterated-halving", "Elimination": "elimination",
}  # fmt: skip
LEARNERS: dict[str, Any] = {
    "Perceptron": Perceptron, "AveragedPerceptron": Perceptron, "VotedPerceptron": Perceptron,
    "MulticlassPerceptron": MulticlassPerceptron, "Minnow": partial(Minnow, False),
    "BalancedMinnow": partial(Minnow, True), "KernelPerceptron": KernelPerceptron,
    "WeightedMajority": WeightedMajority, "Hedge": partial(Hedge, {"eta", "horizon"}),
    "RandomizedWeightedMajority": partial(Hedge, {"beta"}),
    "Exp3": partial(Bandit, "exp3"), "Exp3IX": partial(Bandit, "exp3ix"),
    "Exp3P": partial(Bandit, "exp3p"),
    "StructuredPerceptron": Chain,
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
    stated, passes, transcript = content["learner"], about["passes"], content["mistakes"]
    alone = theorem in ("separable", "not separable")
    if not alone:
        require(stated.keys() == {"name", "parameters"}, "its learner has other fields")
    own = {"a"} if not alone and stated["name"] == "KernelPerceptron" else {"w"}
    own = set() if theorem in FINITE.values() else own
    require(evidence.keys() == EVIDENCE.get(theorem, own), "its evidence has other fields")
    if "tags" in about["labels"]:
        data: Data = Sentences(rows, about["labels"])
    else:
        parameters = evidence if alone else stated["parameters"]
        data = Data(rows, about["labels"], parameters.get("bias"))
    require(canonical(about) == canonical(data.about | {"passes": passes}), "the data are others")
    if alone:
        require(stated is transcript is passes is None, "it claims a run")
        check_claim(theorem, evidence, data)
        return Verdict(True, theorem, None, None, "verified" + data.remark)
    require(type(passes) is int and passes > 0, "its passes are no number")
    name, parameters = stated["name"], stated["parameters"]
    tagged = isinstance(data, Sentences)
    require(tagged == (name == "StructuredPerceptron"), "its labels are others")
    finite = Elimination if name == "Elimination" else Finite
    make = (
        partial(Chain, data)
        if tagged
        else partial(finite if name in FINITE else learner_of, name, data)
    )
    run: Any = make(**parameters)
    run.play(passes, evidence, unpacked(transcript["rounds"]))
    counted = {"count": run.mistakes, "rounds": transcript["rounds"]}
    require(canonical(transcript) == canonical(counted), "it miscounts its mistakes")
    stated_observed = canonical(evidence.get("expected", run.observed))
    require(stated_observed == canonical(run.observed), f"it expects {run.observed}")
    if theorem == "progressive":
        require(passes == 1 and data.count > 0, "the rounds of later passes are not fresh")
        known = "problem" not in stated["parameters"] or stated["parameters"]["problem"]["tags"]
        require(known, "its tags are not known before the first round")
        bound = progressive_bound(data, run.mistakes, evidence["delta"])
    else:
        bound = run.bound(theorem)
        require(bound < math.inf, "the bound is beyond every float")
        require((run.observed or 0) <= bound, "it refutes its theorem")  # which cannot be
    remark = data.remark + getattr(run, "remark", "")
    return Verdict(True, theorem, run.observed, bound, "verified" + remark)


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
