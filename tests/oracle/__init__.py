"""The oracle: an independent judge of certificates, written from the theory.

It plays every run again in fractions, naively, and evaluates every theorem in fractions or with
mpmath at 200 digits and more. It shares no code with ``novikoff.verifier``, of which it takes the
published texts alone. ``judge(text, rows)`` says whether what a certificate claims is true of the
rows, and why not.
"""

from oracle.judging import Judgement, bound_of, judge
from oracle.reading import read_rows, read_sentences
from oracle.writing import canonical, sealed_text, transcript

__all__ = [
    "Judgement",
    "bound_of",
    "canonical",
    "judge",
    "read_rows",
    "read_sentences",
    "sealed_text",
    "transcript",
]
