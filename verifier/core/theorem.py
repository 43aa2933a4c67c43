"""Theorems: each is stated once, and the library takes its texts from here.

A part adds its theorems to THEOREMS, also those that no certificate can be about, and what can be
claimed of data alone to CLAIMS.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from verifier.core.certificate import Names, Object
from verifier.core.data import Data

Kind = Literal["always", "expected", "probable"]


class Theorem(NamedTuple):
    """What a theorem says; how it holds: always, in expectation or with a probability; and what it
    assumes that nobody can check.
    """

    statement: str
    kind: Kind = "always"
    assumptions: Names = ()
    further: Names = ()  # what it also assumes of some runs, which their certificates then add
    earlier: Names = ()  # SHA-256 of [statement, assumptions] as older certificates word them
    withdrawn: Names = ()  # the same of words that lack a hypothesis, and are refused


class Claim(NamedTuple):
    """A claim about data alone: the fields of its evidence, and what checks it."""

    evidence: Names
    check: Callable[[Object, Data], None]


THEOREMS: dict[str, Theorem] = {}
CLAIMS: dict[str, Claim] = {}
