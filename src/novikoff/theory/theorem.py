"""What a theorem is: stated once, evaluated with its hypotheses checked, rounded upward."""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from novikoff import verifier
from novikoff.decimal_contexts import decimals, within
from novikoff.errors import HypothesisError, parameter
from novikoff.html_tables import wide_table
from novikoff.learners import Learner, RegretLearner
from novikoff.types import Histogram
from novikoff.verifier import Kind

KINDS: dict[Kind, str] = {
    "always": "holds always",
    "expected": "holds in expectation over the learner's draws or the examples",
    "probable": "holds with the probability it states",
}
BOUND_HEADS = ("theorem", "observed", "allowed", "holds", "assumes")
Number = int | Fraction | Decimal

_CONTEXT = decimals(60)
_SLACK = Decimal("1e-50")  # far above the rounding of ten or so operations on sixty digits


@dataclass(frozen=True)
class Bound:
    """What a theorem allows, beside what was observed."""

    theorem: str
    value: float
    """Rounded upward."""
    observed: float | None = None
    gap: float | None = None
    """The most by which a better comparator could lower the value; None if unknown."""
    comparator: Any = field(default=None, repr=False, compare=False)
    margins: Histogram | None = field(default=None, repr=False, compare=False)
    """The histogram of the comparator's y_t w·x_t over the rows of one pass, if it was made."""
    least: float | None = None
    """No fixed weights u have a loss plus penalty, L(u) + ½ Σ λ_i u_i², below this: rounded
    downward, with the λ of the bound; None if the theorem has no such penalty. So the regret
    against the best u with its penalty is at most ``observed − least``."""

    along: tuple[tuple[int, float], ...] | None = field(default=None, repr=False, compare=False)
    """(round, the comparator's loss up to it) at the checkpoints of a run of one pass."""

    def __repr__(self) -> str:
        names = ["theorem", "value", "observed", "gap"] + ["least"] * (self.least is not None)
        return f"Bound({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    @property
    def facts(self) -> tuple[object, ...]:
        """One line of a table: theorem, observed, allowed, holds and assumptions."""
        assumed = "; ".join(self.assumptions) or "nothing"
        return (self.theorem, self.observed, self.value, self.holds, assumed)

    def _repr_html_(self) -> str:
        return wide_table(f"Bound of {self.theorem}", BOUND_HEADS, [self.facts])

    @property
    def holds(self) -> bool | None:
        """Whether the theorem allows what was observed; None if nothing was."""
        return None if self.observed is None else self.observed <= self.value

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the theorem assumes but nobody can check."""
        return named(self.theorem).assumptions


@dataclass(frozen=True)
class Theorem:
    """A theorem: its statement, its source, what it needs, and what it assumes.

    Statement, kind and assumptions come from the verifier, which states every theorem once.
    """

    id: str
    statement: str
    proof: str
    """In a few words."""
    tight: str
    """The instance on which the bound is reached; "not" if none is known."""
    citation: str
    kind: Kind
    families: tuple[str, ...]
    """The kinds of learners that it is about, by the names they give (``Learner.family``)."""
    assumptions: tuple[str, ...]
    formula: Callable[..., Number] = field(repr=False)
    of: str = "mistakes"
    """What it bounds: "mistakes", "loss", or a regret or an error as its statement says."""

    def __reduce__(self) -> tuple[object, ...]:
        return named, (self.id,)  # in its module, the name of the formula is the theorem's

    @property
    def learners(self) -> tuple[str, ...]:
        """The library's learners that it is about, family by family, the plainest name first."""
        kinds = {**Learner.kinds, **RegretLearner.kinds}
        return tuple(
            name
            for family in self.families
            for name in sorted(kinds, key=lambda name: (len(name), name))
            if kinds[name].family == family and kinds[name].__module__.startswith("novikoff.")
        )

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the measures that its bound needs."""
        return tuple(inspect.signature(self.formula).parameters)

    @property
    def pays_hinge(self) -> bool:
        """Whether its comparator pays for margins below 1: it needs a sum of hinge losses."""
        return any("hinge" in name for name in self.needs)

    def evaluate(self, evidence: Mapping[str, Any]) -> Bound:
        """Return the bound for these measures; refuse if the theorem does not apply."""
        missing = [name for name in self.needs if evidence.get(name) is None]
        if missing:
            raise HypothesisError(
                f"{self.id}: expected the measures {', '.join(self.needs)}, got none for "
                f"{', '.join(missing)}. Measure them first, or ask another theorem."
            )
        value = upward(self.formula(*(evidence[name] for name in self.needs)))
        observed = (evidence[name] for name in (self.of, "mistakes", "regret") if name in evidence)
        return Bound(self.id, value, next(observed, None))


REGISTRY: dict[str, Theorem] = {}


def theorem(
    id: str, citation: str, *, families: tuple[str, ...] = (), of: str = "mistakes"
) -> Callable[[Callable[..., Number]], Theorem]:
    """Register a formula under the theorem's id; its docstring is the proof and the tightness."""

    def register(formula: Callable[..., Number]) -> Theorem:
        said = formula.__doc__ or "\n\n"  # python -OO leaves docstrings out
        proof, tight = (" ".join(part.split()) for part in said.split("\n\n"))
        stated = verifier.THEOREMS[id]
        found = Theorem(
            id,
            stated.statement,
            proof.removeprefix("Proof: "),
            tight.removeprefix("Tight: "),
            citation,
            stated.kind,
            families,
            stated.assumptions,
            within(_CONTEXT)(formula),
            of,
        )
        REGISTRY[id] = found
        return found

    return register


def named(id: str) -> Theorem:
    """Return the theorem of this id."""
    if id not in REGISTRY:
        raise parameter("theorem", f"one of {', '.join(REGISTRY)}", id)
    return REGISTRY[id]


def require(condition: bool, theorem: str, expected: str, got: object) -> None:
    """Refuse to evaluate a theorem if one of its hypotheses fails."""
    if not condition:
        raise HypothesisError(
            f"{theorem}: expected {expected}, got {got}. The theorem says nothing here."
        )


@within(_CONTEXT)
def exact(value: Any) -> Decimal:
    """Return an int, a float or a fraction as a decimal of sixty digits."""
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / Decimal(value.denominator)
    return +Decimal(value)


def ln(value: Any) -> Decimal:
    """The natural logarithm."""
    return _CONTEXT.ln(exact(value))


def root(value: Any) -> Decimal:
    """The square root."""
    return _CONTEXT.sqrt(exact(value))


def exp(value: Any) -> Decimal:
    """e to a power."""
    return _CONTEXT.exp(exact(value))


@within(_CONTEXT)
def ln_cosh(value: Any) -> Decimal:
    """ln((e^z + e^{−z})/2)."""
    return ln((exp(value) + exp(-exact(value))) / 2)


@within(_CONTEXT)
def upward(value: Number) -> float:
    """Return the least float that is at least the value; a decimal is first raised by its error."""
    if isinstance(value, Decimal):
        value = value + abs(value) * _SLACK
    limit = Fraction(value)
    try:
        found = float(limit)
    except OverflowError:
        return math.inf
    return found if Fraction(found) >= limit else math.nextafter(found, math.inf)
