"""Families: everything that one kind of learner contributes to receipts, one record per kind.

A learner names its family (``Learner.family``). Every module of this folder whose name ends in
``_family`` registers its records when it is first asked for.
"""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from novikoff import verifier
from novikoff.comparators.soft_margin import Watch
from novikoff.errors import HypothesisError
from novikoff.learners import Learner, RegretLearner
from novikoff.learners.feature_learner import transforms_of
from novikoff.learners.learner import Saved
from novikoff.playing.run import Run
from novikoff.receipts.exact_sums import ExactSums
from novikoff.receipts.reread_rounds import check_rounds, kept, stream_of
from novikoff.receipts.rereading import Rereading, Sentences, plain_rows
from novikoff.saving.storage import plain_labels
from novikoff.streams import Stream
from novikoff.theory import Bound, named
from novikoff.types import Label

Parameters = Mapping[str, object]
Labels = dict[str, Any]
"""How a certificate names labels: by the positive one, the classes or the tags."""
Evidence = Mapping[str, object]
Rows = Rereading | Sentences


@dataclass(frozen=True)
class Question:
    """A run, the stream that should hold its rounds, and the theorem asked about."""

    run: Run
    given: object
    """The stream as the user gave it; None for the run's own."""
    watch: Watch
    theorem: str | None = None
    """None asks about every theorem of the family."""

    @cached_property
    def stream(self) -> Stream:
        """The rounds played; they are read when somebody first asks for them."""
        family = family_for(self.run)
        return family.rounds(self.run, family.stream(self.run, self.given))

    def check_rounds(self) -> None:
        """Refuse a stream that does not hold the rounds, if nothing else needs to read it."""
        self.stream  # noqa: B018

    def about(self, *theorems: str) -> bool:
        """Say whether one of these is asked about, so that nothing else is computed."""
        return self.theorem is None or self.theorem in theorems


def check_labelled(run: Run) -> None:
    """Refuse a run of labelled rounds that no theorem covers."""
    ledger = run.ledger
    if not ledger.began_fresh and run.start is None:
        raise HypothesisError(
            "certify: expected a run from the learner's first round, got one begun on a used "
            "learner. The theorems count everything that it has learned."
        )
    if run.start is not None:
        _check_resumed(run)
    if ledger.weighted:
        raise HypothesisError(
            "certify: expected updates of weight 1, got weighted ones. The theorems are about "
            "unweighted runs."
        )
    if ledger.passes > 1 and (steps := transforms_of(run.learner)) is not None and steps.running:
        raise HypothesisError(
            f"certify: expected one pass with {steps}, got {ledger.passes}. Every pass sees other "
            "rows, because the largest values are known by then; the theorems count the same ones."
        )


def _check_resumed(run: Run) -> None:
    """Refuse a run that goes on from a model, if no theorem covers it."""
    name = run.ledger.learner
    if not theorems_of(run):
        able = [one for one, part in verifier.LEARNERS.items() if part.resumed]
        raise HypothesisError(
            f"certify: expected a run from the learner's first round, or one of {', '.join(able)}, "
            f"whose theorems take a start, got {name} from a model. Learn from all files at once."
        )
    if (steps := transforms_of(run.learner)) is not None and steps.crosses:
        raise HypothesisError(
            f"certify: expected no cross that goes on from a model, got {steps}. A certificate "
            "does not state which pairs have appeared: learn from all files at once."
        )


def theorems_of(run: Run) -> tuple[str, ...]:
    """Return the theorems that the verifier checks for a run, from nothing or from a model.

    There are none if it cannot replay the learner.
    """
    part = verifier.LEARNERS.get(run.ledger.learner)
    if part is None:
        return ()
    return part.theorems if run.start is None else part.resumed


def check_theorem(run: Run, theorem: str) -> None:
    """Refuse a theorem that the verifier does not check for the run's learner."""
    name = run.ledger.learner
    known = theorems_of(run)
    if not verifier.is_about(named(theorem).id, known):
        raise HypothesisError(
            f"certify: expected a theorem about {name} ({', '.join(known)}), got {theorem}. Name "
            "one of these, or none for the least bound."
        )


def kept_rounds(run: Run, stream: Stream) -> Stream:
    """Read the rounds once and keep them; refuse rounds that were not played."""
    found = kept(stream)
    check_rounds(run, found)
    return found


def own_parameters(run: Run) -> Parameters:
    """Return the learner's parameters from its ledger; transforms have a field of their own."""
    return {name: v for name, v in run.ledger.parameters.items() if name != "transforms"}


def exact_form(run: Run) -> Mapping[str, object]:
    """Return the format of certificates whose runs the verifier replays in exact arithmetic."""
    return {"format": verifier.FORMAT} if run.start is None else chained_form(run)


def chained_form(run: Run) -> Mapping[str, object]:
    """State the program, and the hashes of the states that a run began from and ended in."""
    hashed, start = family_for(run).state, run.start
    if hashed is None:
        raise HypothesisError(
            f"certify: expected a learner whose state a certificate can state, got "
            f"{run.ledger.learner}. Certify it without a chain."
        )
    return {
        "format": verifier.FLOAT_FORMAT,
        "program": verifier.LEARNERS[run.ledger.learner].program,
        "start": None if start is None else {"state": _whole_state(start, hashed)},
        "states": [[run.ledger.rounds, _whole_state(run, hashed)]],
    }


def _whole_state(run: Run, hashed: Callable[[Run], str]) -> str:
    """Return the hash of a learner's state, and of its transforms' if they remember rows."""
    steps = transforms_of(run.learner)
    return hashed(run) if steps is None else steps.state_hash(hashed(run))


def two_labels(run: Run, stream: Stream) -> Labels:
    """Return how a certificate names two labels: by the positive one."""
    return positive(run.labels.table[-1])


def positive(label: Label) -> Labels:
    """Name the labels on a certificate by the one that counts as +1."""
    return {"positive": plain_labels((label,))[0]}


def own_comparator(question: Question, bound: Bound) -> Evidence:
    """Return the comparator that came with the bound; the theorem needs nothing else."""
    found: Evidence = bound.comparator
    return found


@dataclass(frozen=True)
class Family:
    """What receipts need to know about one kind of learner."""

    name: str
    """The name that its learners give; theorems say which families they are about."""
    bounds: Callable[[Question], list[Bound]]
    """Evaluate the theorems asked about, each with its evidence."""
    check: Callable[[Run], None] = check_labelled
    """Refuse a run that no theorem covers."""
    check_theorem: Callable[[Run, str], None] = check_theorem
    """Refuse a theorem that cannot be certified for this run."""
    stream: Callable[[Run, object], Stream] = stream_of
    """Return the rounds to read again: those given, or the run's own."""
    rounds: Callable[[Run, Stream], Stream] = kept_rounds
    """Read these rounds again, and refuse rounds that were not played."""
    parameters: Callable[[Run], Parameters] = own_parameters
    """State the learner's parameters on a certificate; refuse those that nobody else could use."""
    evidence: Callable[[Question, Bound], Evidence] = own_comparator
    """State what the verifier needs to evaluate the theorem of a bound."""
    labels: Callable[[Run, Stream], Labels] = two_labels
    """Name the labels on a certificate."""
    form: Callable[[Run], Mapping[str, object]] = exact_form
    """State the format of a certificate; for a float program also its id, start and states."""
    state: Callable[[Run], str] | None = None
    """Return the hash of the learner's state, which certificates chain by."""
    rereading: Callable[[object, Parameters], Rows] = plain_rows
    """Give rounds to the verifier, for a learner with the stated parameters."""
    sums: Callable[[Run, Stream, str, Evidence], ExactSums | None] | None = None
    """Sum up many rounds exactly, so that nobody has to play them one by one in Python."""
    inexact: str = ""
    """Why its runs cannot be replayed exactly, so that it has bounds but no certificate."""


FAMILIES: dict[str, Family] = {}
"""Every family by its name; ``family_of`` finds a learner's family."""


def register(*families: Family) -> None:
    """Add families to the table."""
    FAMILIES.update({family.name: family for family in families})


@cache
def _loaded() -> None:
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name.endswith("_family"):
            import_module(f"{__package__}.{module.name}")


def family_of(learner: object) -> Family | None:
    """Return the family of a learner; None if it has none, or is not this library's kind."""
    _loaded()
    return FAMILIES.get(learner.family) if isinstance(learner, Saved) else None


def family_named(learner: object) -> Family | None:
    """Return the family of the learner that a certificate names."""
    kinds: dict[str, type[Saved]] = {**Learner.kinds, **RegretLearner.kinds}
    _loaded()
    known = isinstance(learner, str) and learner in kinds
    return FAMILIES.get(kinds[str(learner)].family) if known else None


def reread(source: object, learner: object, start: Run | None = None) -> Rows:
    """Return the rounds as a certificate's learner takes them, whatever the certificate states.

    If the learner is not stated correctly, its rounds are plain rows, and the verifier refuses it.
    Names are numbered as the run ``start`` has left them.
    """
    stated = learner if isinstance(learner, dict) else {}
    parameters = stated.get("parameters")
    family = family_named(stated.get("name"))
    rows = plain_rows if family is None else family.rereading
    found = rows(source, parameters if isinstance(parameters, dict) else {})
    if start is not None and isinstance(found, Rereading):
        found.before = start.learner.known_features
    return found


def family_for(run: Run) -> Family:
    """Return the family of a run's learner; refuse a learner that has no theorem to evaluate."""
    learner, name = run.learner, run.ledger.learner
    family = family_of(learner)
    if family is None or not (family.inexact or name in verifier.LEARNERS):
        why = learner.uncertified if isinstance(learner, Saved) else ""
        got = f"{name}, {why}" if why else name
        raise HypothesisError(
            f"certify: expected a learner whose run can be replayed exactly "
            f"({', '.join(verifier.LEARNERS)}), got {got}. Certify another run."
        )
    return family
