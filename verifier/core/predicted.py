"""Predictions that somebody made, one for each row, and what can be claimed of them."""

import hashlib
import math
import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from verifier.core.certificate import Json, Names, Object, Refused, canonical, expect
from verifier.core.data import AnyRounds, Data
from verifier.core.exact import MOST, grid
from verifier.core.files import Label, Rows, WholeCell, label_of, number, tokens

Given = bytes | Label  # a prediction as a file has it, or as a program has it
Source = Callable[[], Iterable[tuple[str, Given]]]  # yields where each prediction is, and itself
NUMBERS = {
    "probability": "a probability from 0 to 1",  # of the positive label
    "score": "a finite number",  # s, for the probability 1/(1 + e^{−s}) of the positive label
    "value": "a finite number",  # of a label that is a number
}


class Predictions:
    """Numbers, or labels, in the order of the rows. Every reading of them is hashed.

    The digest is SHA-256 over the numbers as f64, little-endian; if they are labels, over the JSON
    of each, with a line end behind it. They are read again for every pass over the rows.
    """

    def __init__(self, source: Source, kind: Json) -> None:
        if not (isinstance(kind, str) and kind in (*NUMBERS, "label")):
            raise Refused(f"its kind is not {', '.join(NUMBERS)} or label")
        self.source, self.kind = source, kind
        self.count = self.grid = 0
        self.digest: str | None = None  # of the first reading
        for value in self:
            self.count += 1
            self.grid = max(self.grid, grid([value] if isinstance(value, float) else []))

    def __iter__(self) -> Iterator[Label]:
        digest, numeric = hashlib.sha256(), self.kind in NUMBERS
        for where, given in self.source():
            value = self.number(given, where) if numeric else self.label(given, where)
            digest.update(struct.pack("<d", value) if numeric else canonical(value) + b"\n")
            yield value
        found = digest.hexdigest()
        same = found == (self.digest or found)
        expect(same, "the predictions", "the same in every reading", "others the second time")
        self.digest = found

    def number(self, given: Given, where: str) -> float:
        """Return a prediction that is a number: the first word of a line, the whole of a cell."""
        if isinstance(given, bytes):
            whole = isinstance(given, WholeCell)
            value = number(given.strip(b" \t") if whole else [*tokens(given), b""][0], where)
        else:
            value = float(given) if isinstance(given, (int, float)) else math.nan
        least, most = (0.0, 1.0) if self.kind == "probability" else (-MOST, MOST)
        expect(least <= value <= most, where, NUMBERS[self.kind], given)
        return value + 0.0  # −0 is 0

    def label(self, given: Given, where: str) -> Label:
        """Return a prediction that is a label."""
        if isinstance(given, bytes):
            return label_of(given, where)
        known = isinstance(given, str) or math.isfinite(given)
        expect(known, where, "a label", given)
        return given

    def numbers(self) -> Iterator[float]:
        """Yield predictions that must be numbers."""
        for value in self:
            if not isinstance(value, float):
                raise Refused("its predictions are labels")
            yield value


class Measured(NamedTuple):
    """What predictions are found to be: facts that the evidence states, and the theorem's two."""

    facts: Object
    observed: float
    bound: float


class PredictionClaim(NamedTuple):
    """A claim about predictions: the fields of its evidence, and what measures the rest of them.

    `given` are the fields that are inputs; `measure` gets them and the bound that is stated, and
    finds those in `facts`.
    """

    given: Names
    facts: Names
    measure: Callable[[Object, Json, Any, Predictions], Measured]  # of data that it reads
    many: bool = False  # it may be about more than two labels
    reads: Callable[[Rows, Json, Json], AnyRounds] = Data  # from rows, labels and the bias


PREDICTION_CLAIMS: dict[str, PredictionClaim] = {}
