"""Learners: their parameters, and runs that are played again."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, Self, TypeGuard

from verifier.core.certificate import Json, Names, Object, Refused, TooLarge, require
from verifier.core.data import AnyRounds, Data, FeatureRows, X, Y
from verifier.core.models import Model


class Domain(NamedTuple):
    """The values that a parameter of a learner may have, in words and as a test."""

    words: str
    has: Callable[[Json], bool]
    played: bool = True  # False: the learner that is played again does not take it


Domains = dict[str, Domain]


def one_of(*values: Json) -> Domain:
    """Return the domain of these values."""
    texts = [*map(json.dumps, values)]
    return Domain(" or ".join(texts), lambda value: json.dumps(value) in texts)


def optional(domain: Domain) -> Domain:
    """Return the domain, and null."""
    return Domain(f"null or {domain.words}", lambda v: v is None or domain.has(v))


def numbers(low: float, high: float) -> Domain:
    """Return the floats from low to high, both included."""
    return Domain(
        f"a float from {low} to {high}", lambda v: isinstance(v, float) and low <= v <= high
    )


def is_integer(value: Json) -> TypeGuard[int]:
    """Say whether a value is a whole number; true and 1.0 are none."""
    return type(value) is int


def integers(low: int, high: int) -> Domain:
    """Return the whole numbers from low to high, both included."""
    return Domain(
        f"a whole number from {low} to {high}", lambda v: is_integer(v) and low <= v <= high
    )


def record(**fields: Domain) -> Domain:
    """Return the objects with exactly these fields."""

    def has(value: Json) -> bool:
        if not (isinstance(value, dict) and value.keys() == fields.keys()):
            return False
        return all(domain.has(value[name]) for name, domain in fields.items())

    return Domain(f"an object of {', '.join(fields)}", has)


def remark(domain: Domain) -> Domain:
    """Return a domain of what changes no mistake and no bound: its form is checked, no more."""
    return domain._replace(played=False)


BOOLS = one_of(False, True)


class Work:
    """What the work takes that its data do not bound, in steps of about a nanosecond."""

    most = 10**11

    def __init__(self) -> None:
        self.spent = 0

    def spend(self, steps: int, what: str) -> None:
        """Take so many steps more, or give up."""
        self.spent += steps
        if self.spent > self.most:
            raise TooLarge(f"the certificate: {what} takes more work than this verifier does")


class Learner(Generic[Y, X]):
    """A run that is played again: passes over rounds (y, x), which `mistaken` judges one by one.

    Each class declares what `check_run` needs of it.
    """

    theorems: Names  # that are about it, if it begins anew
    resumed: Names = ()  # that are about it, if it goes on from a state
    evidence: Names = ()  # what they take, but for those in RUN_THEOREMS
    optional: Names = ()  # evidence that may be left out
    reads: Callable[..., AnyRounds] = Data  # a form of data, from rows, labels and the bias
    transforms = False  # it takes rows that were transformed
    many = False  # it has more than two labels
    known = True  # its labels are known before the first round
    once = False  # it plays one pass
    program: str | None = None  # the float program that it is, docs/programs.md
    remark = ""
    data: AnyRounds
    mistakes = 0
    mistaken: Callable[[Y, X], bool]  # judges (y, x), and learns from it
    bound: Callable[[str], float]  # evaluates a theorem on what was measured, rounded up
    fingerprint: Callable[[], str]  # the hash of its state

    @property
    def observed(self) -> float | None:
        """What the bound is about."""
        return self.mistakes

    def begin(self, model: Model) -> None:
        """Go on from the state of a saved model, of which every number is checked."""
        raise Refused("its learner does not go on from a state")

    def follow(self, before: Self) -> None:
        """Go on from the state in which another run of the same learner ended."""
        raise Refused("its learner does not go on from a state")

    @staticmethod
    def stated(mistakes: Object, evidence: Object) -> Json:
        """Return what a certificate says was observed."""
        return mistakes["count"]

    def states(self) -> tuple[str, ...]:
        """Return the hashes by which its state may be stated.

        That of transforms which remember rows belongs to it, but did not in older certificates.
        """
        own = self.fingerprint()
        steps = self.data.transforms if isinstance(self.data, FeatureRows) else None
        return (own,) if steps is None else (steps.fingerprint(own), own)

    def take(self, evidence: Object) -> None:
        """Take the evidence."""

    def completed(self, evidence: Object) -> Object:
        """Return the evidence with what only the run that was played tells."""
        return evidence

    def confirm(self, evidence: Object) -> None:
        """Confirm what the evidence says of the run that was played."""

    def rounds(self) -> Iterator[tuple[Y, X]]:
        """Yield the rounds of a pass."""
        yield from self.data

    def measure(self, y: Y, x: X, mistaken: bool, times: int) -> None:
        """Measure a round: one of the first pass, which stands for that of all, or a mistake."""

    def play(
        self,
        passes: int,
        evidence: Object,
        transcript: Iterator[int],
        states: dict[int, str] | None = None,
    ) -> None:
        """Play the run, whose mistakes must be those of the transcript, and measure its rounds.

        After the rounds in `states` its state must have the hash stated there.
        """
        self.take(evidence)
        hashes = dict(states or {})
        listed = next(transcript, None)
        for number in range(passes):
            before = self.mistakes
            for t, (y, x) in enumerate(self.rounds(), number * self.data.count + 1):
                mistaken = self.mistaken(y, x)
                if mistaken != (t == listed):
                    raise Refused(f"round {t} is {'a' if mistaken else 'no'} mistake when played")
                if mistaken:
                    listed = next(transcript, None)
                    self.mistakes += 1
                if mistaken or number == 0:
                    self.measure(y, x, mistaken, 0 if number else passes)
                if t in hashes:
                    same = hashes.pop(t) in self.states()
                    require(same, f"its state after round {t} is another")
            if self.mistakes == before and self.program is None:
                # it learns from mistakes alone: every pass after a clean one is clean
                last = {t: hashes.pop(t) for t in [*hashes] if t <= passes * self.data.count}
                same = all(stated in self.states() for stated in last.values())
                require(same, "its last state is another")
                break
        require(listed is None, "its mistakes go on after the last round")
        require(not hashes, "its states go on after the last round")


AnyLearner = Learner[Any, Any]


class RunTheorem(NamedTuple):
    """A theorem about runs of every learner that names it: its evidence, and what its bound is."""

    evidence: Names
    bound: Callable[[AnyLearner, bool, Object], float]  # of a run, in one pass or in several
    like: str | None = None  # another such theorem, whose learners it is about


LEARNERS: dict[str, type[AnyLearner]] = {}
PARAMETERS: dict[str, Domains] = {}
RUN_THEOREMS: dict[str, RunTheorem] = {}


def is_about(theorem: str, theorems: Names) -> bool:
    """Say whether a theorem is about a learner that names these."""
    general = RUN_THEOREMS.get(theorem)
    return (general.like if general and general.like else theorem) in theorems


def checked_parameters(learner: str, stated: Json) -> Object:
    """Return the parameters of a learner, each of which has a value of its domain."""
    domains = PARAMETERS[learner]
    if not isinstance(stated, dict):
        raise Refused("its parameters are none")
    require(stated.keys() == domains.keys(), f"its parameters are not {', '.join(domains)}")
    for name, domain in domains.items():
        require(domain.has(stated[name]), f"its {name} is not {domain.words}")
    return dict(stated)


def replayed(learner: str, data: AnyRounds, parameters: Object) -> AnyLearner:
    """Return a learner before its first round."""
    make: Callable[..., AnyLearner] = LEARNERS[learner]
    own = {name: v for name, v in parameters.items() if PARAMETERS[learner][name].played}
    return make(data, **own)
