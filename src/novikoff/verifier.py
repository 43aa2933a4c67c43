"""The verifier of certificates: it trusts nothing in them and nothing of the library.

    python verifier.py certificate.json data.svm            # exit 0: verified, 1: refused
    python verifier.py certificate.json data.csv LABEL

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
from decimal import Context, Decimal
from fractions import Fraction
from itertools import repeat
from operator import mul
from typing import Any, NamedTuple

FORMAT = "novikoff-certificate/1"
FIELDS = [
    "assumptions", "bound", "data", "evidence", "format", "learner", "mistakes", "sha256",
    "statement", "theorem",
]  # fmt: skip
Row = tuple[Any, list[tuple[int, float]]]  # the label, and (index, value) of each feature
Rows = Callable[[], Iterable[Row]]
Vector = tuple[list[int], list[int]]  # indices, and values as whole numbers

STATEMENTS = {
    "novikoff": "M ≤ R²‖w‖²/γ² where γ = min_t y_t w·x_t > 0",
    "hinge": "M ≤ R²‖w‖² + 2L where L = Σ_t max(0, 1 − y_t w·x_t)",
    "hinge-tight": "M ≤ ((R‖w‖ + √(R²‖w‖² + 4L))/2)² where L = Σ_t max(0, 1 − y_t w·x_t)",
    "freund-schapire": "M ≤ (R‖w‖ + √Q)² where Q = Σ_t max(0, 1 − y_t w·x_t)²",
    "run": "M ≤ L_I + ‖w‖√S_I where L_I = Σ_{t∈I} max(0, 1 − y_t w·x_t), S_I = Σ_{t∈I} ‖x_t‖²",
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


class Refused(Exception):  # noqa: N818
    """Why a certificate is none."""


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


# Reading: the certificate, and the two kinds of files the stand-alone verifier takes.


def canonical(content: dict[str, Any]) -> bytes:
    """Return the bytes that a certificate's own digest covers."""
    rest = {name: value for name, value in content.items() if name != "sha256"}
    return json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def read_certificate(text: bytes) -> dict[str, Any]:
    """Read a certificate, refusing what JSON leaves open: keys twice, NaN, infinities."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs), "a key appears twice")
        return dict(pairs)

    def number(word: str) -> float:
        require(math.isfinite(float(word)), f"{word[:20]} is no number here")
        return float(word)

    found = json.loads(text, object_pairs_hook=once, parse_constant=number, parse_float=number)
    require(isinstance(found, dict) and found.get("format") == FORMAT, f"it is no {FORMAT}")
    content: dict[str, Any] = found
    require(sorted(content) == FIELDS, f"its fields are not {', '.join(FIELDS)}")
    digest = hashlib.sha256(canonical(content)).hexdigest()
    require(digest == content["sha256"], "its own digest is another")
    return content


def read_svmlight(path: str) -> Iterator[Row]:
    """Yield the rows of an svmlight file: label index:value …, indices from 1."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                pairs = (word.split(":") for word in words[1:] if not word.startswith("qid:"))
                yield words[0], [(int(index) - 1, float(value)) for index, value in pairs]


def read_csv(path: str, label: str) -> Iterator[Row]:
    """Yield the rows of a CSV file with a header; all other columns are features 0, 1, …."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        header = next(lines, [])
        require(header.count(label) == 1, f"the data have no single column {label!r}")
        place = header.index(label)
        for cells in filter(None, lines):
            require(len(cells) == len(header), "a line of the data has other columns")
            features = cells[:place] + cells[place + 1 :]
            yield cells[place], [(j, float(value)) for j, value in enumerate(features)]


def number(label: Any) -> Any:
    """Return the number that a label in a file stands for: 1, "1" and "+1" are the same."""
    try:
        return int(label) if isinstance(label, str) else label
    except ValueError:
        return float(label)


def unpacked(text: str) -> Iterator[int]:
    """Yield the rounds of mistakes from their gaps: base 128, low digits first, in base 64."""
    last = gap = shift = 0
    for byte in base64.b64decode(text.encode(), validate=True):
        gap |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            last, gap, shift = last + gap, 0, 0
            yield last
        require(shift < 63, "its mistakes are no rounds")
    require(shift == 0, "its mistakes end in the middle of a round")


# Exact arithmetic.


def grid(values: Iterable[float]) -> int:
    """Return a g so that every value times 2^g is whole."""
    finest = 0
    for v in values:
        if not v.is_integer():
            finest = max(finest, 53 - math.frexp(v)[1])
    return finest


def whole(values: Iterable[float], g: int) -> list[int]:
    """Return each value times 2^g, which is whole."""
    values = list(values)
    if g + math.frexp(max(map(abs, values), default=0.0))[1] > 1000:  # beyond what a float holds
        return [int(Fraction(v) * (1 << g)) for v in values]
    return list(map(int, map(math.ldexp, values, repeat(g))))


def least_float(value: Fraction, under_root: Fraction = Fraction(0)) -> float:
    """Return the least float that is at least value + √under_root."""

    def reaches(f: float) -> bool:
        return Fraction(f) >= value and (Fraction(f) - value) ** 2 >= under_root

    n, d = under_root.numerator, under_root.denominator
    try:
        near = float(value + Fraction(math.isqrt(n * d), d))
    except OverflowError:
        raise Refused("the bound is beyond every float") from None
    while not reaches(near):
        near = math.nextafter(near, math.inf)
        require(near < math.inf, "the bound is beyond every float")
    while reaches(before := math.nextafter(near, -math.inf)):
        near = before
    return near


def least_float_of(value: Callable[[Context], Decimal]) -> float:
    """The same for a number known to ever more digits, of which the last ten are unsure."""
    for digits in (40, 80, 160, 320, 640, 1280):
        near = Fraction(value(Context(prec=digits)))
        slack = abs(near) / 10 ** (digits - 10)
        if (found := least_float(near - slack)) == least_float(near + slack):
            return found
    raise Refused("the bound is too close to a float to be rounded")


def decimal(value: Fraction, c: Context) -> Decimal:
    """Return a fraction as a decimal, rounded once."""
    return c.divide(Decimal(value.numerator), Decimal(value.denominator))


# The data: read again for every pass, never kept.


class Data:
    """Rows with values as whole numbers over 2^grid, the constant feature at index −1."""

    def __init__(self, rows: Rows, labels: dict[str, Any], bias: float | None) -> None:
        require(labels.keys() in ({"positive"}, {"classes"}), "its labels are not named")
        require(bias is None or type(bias) is float, "its bias is no number")
        names = labels.get("classes", [labels.get("positive")])
        require(all(type(n) in (str, int, float, bool) for n in names), "its labels are none")
        self.numeric = not any(isinstance(name, str) for name in names)
        self.rows, self.bias = rows, bias or 0.0
        self.positive = labels.get("positive")
        self.classes: dict[Any, int] | None = {} if "classes" in labels else None
        self.count = self.nonzeros = self.dimension = 0
        self.grid = grid([self.bias])
        digest = hashlib.sha256()
        for y, indices, values in self.given():
            require(all(map(math.isfinite, values)), "a value in the data is not finite")
            require(all(map(int.__lt__, indices, indices[1:])), "an index twice in a row")
            require(not indices or 0 <= indices[0] <= indices[-1] < 1 << 63, "an odd index")
            flat = [part for pair in zip(indices, values, strict=True) for part in pair]
            form = ("<bI" if self.classes is None else "<II") + "Qd" * len(indices)
            digest.update(struct.pack(form, y, len(indices), *flat))
            self.count += 1
            self.nonzeros += len(indices)
            if indices:
                self.dimension = max(self.dimension, indices[-1] + 1)
                self.grid = max(self.grid, grid(values))
        self.digest = digest.hexdigest()

    def given(self) -> Iterator[tuple[int, list[int], list[float]]]:
        """Yield (y, indices, values) of each row, ascending, without zeros."""
        for label, items in self.rows():
            kept = sorted([item for item in items if item[1] != 0])
            yield self.code(label), [j for j, _ in kept], [float(v) for _, v in kept]

    def code(self, label: Any) -> int:
        """Map a label to −1 or +1, or to the number of its class by first appearance."""
        found = number(label) if self.numeric else label
        if self.classes is None:
            return 1 if found == self.positive else -1
        return self.classes.setdefault(found, len(self.classes))

    def __iter__(self) -> Iterator[tuple[int, Vector]]:
        places, constant = ([-1], [self.bias]) if self.bias else ([], [])
        for y, indices, values in self.given():
            yield y, (places + indices, whole(constant + values, self.grid))


def dot(w: dict[int, int], x: Vector) -> int:
    """Return w·x."""
    return sum(map(mul, map(w.get, x[0], repeat(0)), x[1]))


# The learners. `mistaken` judges a round and learns from it.


class Perceptron:
    """w ← w + y x on a mistake."""

    def __init__(self, data: Data, ties: str) -> None:
        require(ties in ("positive", "mistake"), "its ties are no rule")
        self.w: dict[int, int] = defaultdict(int)
        self.strict = ties == "mistake"

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge w·x against y."""
        score = y * dot(self.w, x)
        if score > 0 or (score == 0 and y > 0 and not self.strict):
            return False
        for j, v in zip(*x, strict=True):
            self.w[j] += y * v
        return True


class MulticlassPerceptron:
    """w_y ← w_y + x, w_ŷ ← w_ŷ − x on a mistake; ties to the class seen first."""

    def __init__(self, data: Data) -> None:
        self.w: list[dict[int, int]] = []

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge the first best of all w_k·x against y."""
        if y == len(self.w):
            self.w.append(defaultdict(int))
        scores = [dot(w, x) for w in self.w]
        best = scores.index(max(scores))
        if best == y:
            return False
        for j, v in zip(*x, strict=True):
            self.w[y][j] += v
            self.w[best][j] -= v
        return True


class Minnow:
    """w_j ∝ e^{ηθ_j}, balanced e^{ηθ_j} − e^{−ηθ_j}, with θ ← θ + y x on a mistake."""

    balanced = False

    def __init__(self, data: Data, eta: float) -> None:
        require(type(eta) is float and eta > 0, "its eta is no positive number")
        self.rate = Fraction(eta) / (1 << data.grid)
        self.theta: dict[int, int] = defaultdict(int)

    def mistaken(self, y: int, x: Vector) -> bool:
        """Judge Σ x_j e^{ηθ_j} against y."""
        terms: dict[int, int] = defaultdict(int)
        for j, v in zip(*x, strict=True):
            terms[self.theta.get(j, 0)] += v
            if self.balanced:
                terms[-self.theta.get(j, 0)] -= v
        if (self.sign(terms) >= 0) == (y > 0):
            return False
        for j, v in zip(*x, strict=True):
            self.theta[j] += y * v
        return True

    def sign(self, terms: dict[int, int]) -> int:
        """Return the sign of Σ c e^{ηθ}: 0 only if every c is, by Lindemann and Weierstrass."""
        terms = {theta: c for theta, c in terms.items() if c}
        if min(terms.values(), default=0) >= 0 or max(terms.values()) <= 0:
            return (sum(terms.values()) > 0) - (sum(terms.values()) < 0)
        top, digits = max(terms), 30
        while True:
            c = Context(prec=digits, Emax=10**17, Emin=-(10**17), traps=[])
            values = [
                c.multiply(c.exp(decimal((theta - top) * self.rate, c)), Decimal(factor))
                for theta, factor in terms.items()
            ]
            total = size = Decimal(0)
            for value in values:
                total, size = c.add(total, value), c.add(size, abs(value))
            # A term is off by a unit, and by one more for each unit of its exponent.
            if abs(total) > c.multiply(size, Decimal(10) ** (20 - digits)):
                return 1 if total > 0 else -1
            digits *= 2


class BalancedMinnow(Minnow):
    """Minnow on (x, −x)."""

    balanced = True


LEARNERS: dict[str, Any] = {
    "Perceptron": Perceptron, "AveragedPerceptron": Perceptron, "VotedPerceptron": Perceptron,
    "MulticlassPerceptron": MulticlassPerceptron, "Minnow": Minnow,
    "BalancedMinnow": BalancedMinnow,
}  # fmt: skip
INDIFFERENT = ("bias", "hashing", "max_voters")  # to mistakes; the bias is part of the data


# Measures and bounds.


class Measures:
    """What a run and a comparator w make of the data: L, Q, γ, R and the like, exactly."""

    def __init__(self, data: Data, w: dict[int, dict[int, float]], target: float) -> None:
        every = [v for column in w.values() for v in column.values()]
        self.data, self.fine = data, max(grid(every), grid([target]) - data.grid)
        self.unit = data.grid + self.fine
        self.w = {
            k: dict(zip(column, whole(column.values(), self.fine), strict=True))
            for k, column in w.items()
        }
        self.target = whole([target], self.unit)[0]
        self.least: int | None = None
        self.mistakes = self.rounds = self.radius2 = self.radius_inf = 0
        self.hinge = self.hinge2 = self.mistake_hinge = self.mistake_energy = 0

    def advantage(self, y: int, x: Vector) -> int:
        """Return y w·x; with classes, by how much the right one scores above every other."""
        scores = {k: dot(w, x) for k, w in self.w.items()}
        if self.data.classes is None:
            return y * scores[0]
        others = [scores.get(k, 0) for k in range(len(self.data.classes)) if k != y]
        return scores.get(y, 0) - max(others, default=0)

    def play(self, learner: Any, transcript: Iterator[int], passes: int) -> None:
        """Play the run again, and measure its rounds."""
        expected = next(transcript, None)
        for number in range(passes):
            before = self.mistakes
            for t, (y, x) in enumerate(self.data, number * self.data.count + 1):
                mistaken = learner.mistaken(y, x)
                if mistaken != (expected == t):
                    raise Refused(f"round {t} is {'a' if mistaken else 'no'} mistake when played")
                if number == 0 or mistaken:
                    self.measure(y, x, number == 0, mistaken)
                if mistaken:
                    expected = next(transcript, None)
            if self.mistakes == before:
                break  # every pass after a clean one is clean
        require(expected is None, "its mistakes go on after the last round")
        self.rounds = passes * self.data.count
        self.hinge, self.hinge2 = passes * self.hinge, passes * self.hinge2

    def measure(self, y: int, x: Vector, first: bool, mistaken: bool) -> None:
        """Add a round. Sums over all rounds are of the first pass; with classes, ‖x‖² twice."""
        square = sum(map(mul, x[1], x[1])) * (1 if self.data.classes is None else 2)
        margin = self.advantage(y, x)
        loss = max(0, self.target - margin)
        if first:
            self.hinge, self.hinge2 = self.hinge + loss, self.hinge2 + loss * loss
            self.least = margin if self.least is None else min(self.least, margin)
            self.radius_inf = max(self.radius_inf, max(map(abs, x[1]), default=0))
        if mistaken:
            self.mistakes += 1
            self.mistake_hinge += loss
            self.mistake_energy += square
        if mistaken or self.data.classes is None:
            self.radius2 = max(self.radius2, square)

    def x(self, number: int, power: int = 1) -> Fraction:
        """Return a measure of x as the number it stands for."""
        return Fraction(number, 1 << power * self.data.grid)

    def wx(self, number: int, power: int = 1) -> Fraction:
        """Return a measure of w·x as the number it stands for."""
        return Fraction(number, 1 << power * self.unit)

    def norm2(self) -> Fraction:
        """‖w‖², over all classes."""
        squares = sum(v * v for w in self.w.values() for v in w.values())
        return Fraction(squares, 1 << 2 * self.fine)


def perceptron_bound(theorem: str, m: Measures) -> float:
    """Evaluate a theorem of the perceptron, with a = R²‖w‖²."""
    a, loss, squares = m.x(m.radius2, 2) * m.norm2(), m.wx(m.hinge), m.wx(m.hinge2, 2)
    if theorem == "novikoff":
        require(m.least is not None and m.least > 0, "its w does not separate the data")
        return least_float(a / m.wx(m.least or 0) ** 2)
    if theorem == "hinge":
        return least_float(a + 2 * loss)
    if theorem == "hinge-tight":  # a/2 + L + √(a²/4 + aL)
        return least_float(a / 2 + loss, a * a / 4 + a * loss)
    if theorem == "freund-schapire":  # a + Q + √(4aQ)
        return least_float(a + squares, 4 * a * squares)
    require(theorem == "run", "its theorem is not about this learner")
    return least_float(m.wx(m.mistake_hinge), m.norm2() * m.x(m.mistake_energy, 2))


def minnow_bound(theorem: str, m: Measures, eta: float, balanced: bool) -> float:
    """Evaluate (‖w‖₁ ln d + ηL)/(ηγ − ‖w‖₁ ln cosh(ηR∞)), d counting twice if balanced."""
    require(theorem in ("minnow", "minnow-hinge"), "its theorem is not about this learner")
    require(theorem != "minnow" or m.hinge == 0, "its w does not separate the data by gamma")
    require(balanced or min(m.w[0].values(), default=0) >= 0, "its w has a negative weight")
    norm = Fraction(sum(map(abs, m.w[0].values())), 1 << m.fine)
    d, reach = m.data.dimension + (m.data.bias != 0), Fraction(eta) * m.x(m.radius_inf)
    require(d > 0 and reach < 10**6, "ηR∞ is too large for a bound")

    gamma, loss = Fraction(eta) * m.wx(m.target), Fraction(eta) * m.wx(m.hinge)
    if norm == 0:  # no logarithm is left, and the bound may itself be a float
        return least_float(loss / gamma)

    def room(c: Context) -> Decimal:
        up = c.exp(decimal(reach, c))
        ln_cosh = c.ln(c.divide(c.add(up, c.divide(Decimal(1), up)), Decimal(2)))
        return c.subtract(decimal(gamma, c), c.multiply(decimal(norm, c), ln_cosh))

    # ln cosh z loses about 2 lg(1/z) digits, and the difference those in which its terms agree.
    lost = 2 * max(0, reach.denominator.bit_length() - reach.numerator.bit_length())
    rough = Context(prec=lost + 60)
    while True:
        left = room(rough)
        if abs(left) > decimal(gamma + norm, rough) * Decimal(10) ** (lost + 20 - rough.prec):
            break
        require(rough.prec < 20_000, "ηγ is too close to ‖w‖₁ ln cosh(ηR∞)")
        rough = Context(prec=2 * rough.prec)
    require(left > 0, "ηγ is not above ‖w‖₁ ln cosh(ηR∞)")

    def value(c: Context) -> Decimal:
        fine = Context(prec=c.prec + rough.prec)
        above = fine.multiply(decimal(norm, fine), fine.ln(Decimal(2 * d if balanced else d)))
        return fine.divide(fine.add(above, decimal(loss, fine)), room(fine))

    return least_float_of(value)


def progressive_bound(m: Measures, delta: float) -> float:
    """Evaluate min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), or 1."""
    require(type(delta) is float and 0 < delta < 1, "its delta is no probability")
    require(m.rounds > 0, "there are no rounds")
    # With classes the first round is judged when its own is known: it counts as a mistake here.
    made = min(m.rounds, m.mistakes + (m.data.classes is not None))

    def value(c: Context) -> Decimal:
        found, one = Decimal(1), Decimal(1)
        for j in range(34):
            rate = c.power(Decimal(2), decimal(Fraction(6 - j, 2), c))
            mass = c.add(c.multiply(rate, Decimal(made)), c.ln(decimal(34 / Fraction(delta), c)))
            above = c.subtract(one, c.exp(c.divide(-mass, Decimal(m.rounds))))
            found = min(found, c.divide(above, c.subtract(one, c.exp(-rate))))
        return found

    return least_float_of(value) if value(Context(prec=40)) < 1 else 1.0


# Verification.


def comparator(weights: Any, classes: bool) -> dict[int, dict[int, float]]:
    """Return {class: {index: weight}}, with class 0 alone for two labels."""
    columns: dict[int, dict[int, float]] = {} if classes else {0: {}}
    for entry in weights:
        k, j, v = entry if classes else (0, *entry)
        require(type(k) is type(j) is int and type(v) is float, "its w is no list of weights")
        require(
            k >= 0 and j >= -1 and j not in columns.setdefault(k, {}), "its w has a weight twice"
        )
        columns[k][j] = v
    return columns


def check_data_claim(theorem: str, evidence: dict[str, Any], data: Data) -> None:
    """Check a w that separates the data, or weights of rows that prove that none does."""
    if theorem == "separable":
        m = Measures(data, comparator(evidence["w"], classes=False), 1.0)
        require(all(m.advantage(y, x) > 0 for y, x in data), "its w does not separate the data")
        return
    weights = dict(zip(evidence["rows"], evidence["weights"], strict=True))
    positive = all(type(t) is type(a) is int and a > 0 for t, a in weights.items())
    require(positive and weights and len(weights) == len(evidence["rows"]), "its weights are none")
    total: dict[int, int] = defaultdict(int)
    for t, (y, x) in enumerate(data, 1):
        a = weights.pop(t, 0) * y
        for j, v in zip(*x, strict=True) if a else ():
            total[j] += a * v
    require(not weights and not any(total.values()), "its rows do not add up to 0")


def check_indifferent(parameters: dict[str, Any], data: Data) -> None:
    """Check the parameters that no replay reads: the rows here are the hashed ones, if any are."""
    voters, hashing = parameters.get("max_voters"), parameters.get("hashing")
    require(voters is None or (type(voters) is int and voters > 0), "its max_voters is no number")
    if hashing is not None:
        require(hashing.keys() == {"bits", "signed"}, "its hashing is none")
        bits = hashing["bits"]
        require(type(bits) is int and 0 < bits < 31, "its hashing is none")
        require(type(hashing["signed"]) is bool and data.dimension <= 1 << bits, "it is not hashed")


def check(content: dict[str, Any], rows: Rows) -> tuple[int | None, float | None]:
    """Return (observed, bound) of a certificate's content, or raise what is wrong with it."""
    theorem, evidence, learner = content["theorem"], content["evidence"], content["learner"]
    require(theorem in STATEMENTS, "its theorem is not one of those verified here")
    require(content["statement"] == STATEMENTS[theorem], "its statement is another")
    require(content["assumptions"] == ASSUMPTIONS.get(theorem, []), "its assumptions are others")
    require(evidence.keys() == EVIDENCE.get(theorem, {"w"}), "its evidence has other fields")
    about, alone = content["data"], theorem in ("separable", "not separable")
    data = Data(rows, about["labels"], evidence["bias"] if alone else learner["parameters"]["bias"])
    found = {"digest": data.digest, "rows": data.count, "nonzeros": data.nonzeros}
    found |= {"dimension": data.dimension, "labels": about["labels"], "passes": about["passes"]}
    require(canonical(about) == canonical(found), "the data are others")
    classes = about["labels"].get("classes", [])
    require(data.classes is None or classes == list(data.classes), "the classes are others")
    if alone:
        require(data.classes is None, "it claims of classes what is said of two labels")
        require(learner is content["mistakes"] is about["passes"] is None, "it claims a run")
        check_data_claim(theorem, evidence, data)
        return None, None
    passes, name, parameters = about["passes"], learner["name"], learner["parameters"]
    require(type(passes) is int and passes > 0, "its passes are no number")
    require(learner.keys() == {"name", "parameters"} and name in LEARNERS, "its learner is none")
    check_indifferent(parameters, data)
    options = {key: value for key, value in parameters.items() if key not in INDIFFERENT}
    require((data.classes is None) != (name == "MulticlassPerceptron"), "its labels are others")
    target = evidence.get("gamma", 1.0)
    require(type(target) is float and target > 0, "its gamma is no positive number")
    m = Measures(data, comparator(evidence.get("w", []), data.classes is not None), target)
    transcript = content["mistakes"]
    m.play(LEARNERS[name](data, **options), unpacked(transcript["rounds"]), passes)
    counted = {"count": m.mistakes, "rounds": transcript["rounds"]}
    require(canonical(transcript) == canonical(counted), "it miscounts")
    if theorem == "progressive":
        require(passes == 1, "the rounds of later passes are not fresh")
        return m.mistakes, progressive_bound(m, evidence["delta"])
    if name in ("Minnow", "BalancedMinnow"):
        return m.mistakes, minnow_bound(theorem, m, parameters["eta"], name == "BalancedMinnow")
    return m.mistakes, perceptron_bound(theorem, m)


def verify(text: bytes, rows: Rows) -> Verdict:
    """Verify a certificate on the rows it speaks of."""
    theorem = None
    try:
        content = read_certificate(text)
        theorem = content["theorem"] if isinstance(content["theorem"], str) else None
        observed, bound = check(content, rows)
        stated = content["bound"]
        require(type(stated) is type(bound) and stated == bound, f"its bound is not {bound!r}")
        # A theorem cannot fail; were it to, this certificate would say so.
        allowed = theorem == "progressive" or observed is None or bound is None or observed <= bound
        require(allowed, f"{observed} mistakes are more than {bound}")
    except Refused as refusal:
        return Verdict(False, theorem, None, None, str(refusal))
    except (
        ArithmeticError,
        AttributeError,
        csv.Error,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        reason = f"it is not made as a certificate is: {type(error).__name__} {error}"
        return Verdict(False, theorem, None, None, reason[:200])
    return Verdict(True, theorem, observed, bound, "verified")


def main(arguments: list[str]) -> int:
    """Verify a certificate file on a data file."""
    if len(arguments) not in (2, 3):
        print("usage: verifier.py CERTIFICATE DATA.svm, or CERTIFICATE DATA.csv LABEL-COLUMN")
        return 2
    try:
        with open(arguments[0], "rb") as file, open(arguments[1], "rb"):
            text = file.read()
    except OSError as error:
        print(error)
        return 2
    path, column = arguments[1], arguments[2] if len(arguments) == 3 else None
    verdict = verify(
        text, lambda: read_svmlight(path) if column is None else read_csv(path, column)
    )
    print(json.dumps(verdict._asdict()))
    return 0 if verdict.verified else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
