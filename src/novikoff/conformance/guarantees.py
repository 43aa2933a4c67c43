"""What the theorems say about a learner, tested on streams made to break it."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np

from novikoff.conformance.contracts import Check, difference, exact_tapes, trace
from novikoff.conformance.players import NotApplicableError, refusing
from novikoff.conformance.subject import Subject, quietly
from novikoff.conformance.tapes import Tape, bundled, in_runs, integers, separable
from novikoff.theory.theorem import named
from novikoff.types import FloatArray

THEOREMS = ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run")
_SCALES = [Fraction(2) ** k for k in range(-6, 3)]


@lru_cache(maxsize=4)
def tapes(subject: Subject, seed: int) -> tuple[Tape, ...]:
    """Adversaries, streams with a known margin, noise, and real data."""
    return (
        orthonormal(subject, 8),
        stubborn(subject, separable(seed, features=3, passes=1)),
        in_runs(),
        *(separable(seed + k, features=3 + k) for k in range(3)),
        *(integers(seed + k, rounds=60) for k in range(2)),
        *bundled(),
    )


def fit_tapes(subject: Subject, seed: int) -> list[Tape]:
    """Streams with a known margin, short ones and long ones."""
    sizes = ((24, 3), (100, 6), (300, 10), (300, 10), (500, 20))
    return [separable(seed + k, n, d, 1) for k, (n, d) in enumerate(sizes)]


def orthonormal(subject: Subject, d: int, passes: int = 3) -> Tape:
    """e_1..e_d, each labelled opposite to the prediction, then the same rounds again.

    A perceptron makes exactly d mistakes, all that novikoff allows with w = Σ y_i e_i.
    """
    player, X = subject.player(), np.eye(d)
    y = np.ones(d, np.int64)
    for t, x in enumerate(X):
        y[t] = -1 if player.predict(player.show(x)) in (1, None) else 1
        player.update(player.show(x), int(y[t]))
    labels = np.tile(y, passes)
    return Tape("orthonormal adversary", np.tile(X, (passes, 1)), labels, y.astype(float))


def stubborn(subject: Subject, pool: Tape, rounds: int = 150) -> Tape:
    """Show, again and again, the first row of the pool on which the learner is wrong."""
    player, shown = subject.player(), []
    for _ in range(rounds):
        wrong = (t for t in range(len(pool)) if player.predict(player.show(pool.X[t])) != pool.y[t])
        t = next(wrong, None)
        if t is None:
            break
        shown.append(t)
        player.update(player.show(pool.X[t]), int(pool.y[t]))
    tape = pool.part(shown, range(pool.features))
    return Tape("stubborn adversary", tape.X, tape.y, tape.w)


@lru_cache(maxsize=64)
def mistakes(subject: Subject, tape: Tape) -> tuple[int, ...]:
    """The rounds, from 0, with a wrong prediction; a round without one is not a mistake."""
    player = subject.player()
    told = [player.learn(player.show(x), int(y)) for x, y in zip(tape.X, tape.y, strict=True)]
    return tuple(t for t, p in enumerate(told) if p is not None and p != tape.y[t])


@lru_cache(maxsize=128)
def _evidence(
    tape: Tape, rounds: tuple[int, ...], bias: float, scale: Fraction
) -> dict[str, Fraction]:
    """The measures of a run, with the comparator (scale·w, 0) and the constant feature."""
    assert tape.w is not None
    hinges = [max(Fraction(0), 1 - scale * m) for m in tape.margins]
    constant = Fraction(bias) ** 2
    return {
        "radius2": max(tape.squares) + constant,
        "norm2": scale**2 * sum((Fraction(v) ** 2 for v in tape.w.tolist()), Fraction(0)),
        "margin": scale * min(tape.margins),
        "hinge": sum(hinges, Fraction(0)),
        "hinge2": sum((h**2 for h in hinges), Fraction(0)),
        "mistake_hinge": sum((hinges[t] for t in rounds), Fraction(0)),
        "mistake_energy": sum((tape.squares[t] + constant for t in rounds), Fraction(0)),
    }


def _theorem(name: str) -> Check:
    theorem = named(name)

    def violation(subject: Subject, tape: Tape) -> str | None:
        if tape.w is None or not len(tape):
            return None
        rounds, least = mistakes(subject, tape), min(tape.margins)
        if "margin" in theorem.needs and least <= 0:
            return None
        for scale in [1 / least] if least > 0 else _SCALES:
            bound = theorem.evaluate(_evidence(tape, rounds, subject.intercept, scale)).value
            if len(rounds) > bound:
                return f"{len(rounds)} mistakes, {bound:.6g} allowed"
        return None

    return Check(name, theorem.statement, violation, tapes, lambda subject: subject.claims(name))


def scale_free(subject: Subject, tape: Tape) -> str | None:
    """Scaling every row by a power of two changes no prediction."""
    if subject.intercept:
        raise NotApplicableError("has an intercept, which is not scaled")
    expected = trace(subject, tape)[: len(tape)]
    for power in (-40, -3, 40):
        scaled = trace(subject, tape.holding(tape.X * 2.0**power))[: len(tape)]
        found = difference(expected, scaled, len(tape))
        if found:
            return f"scaled by 2^{power}: {found}"
    return None


def separates(subject: Subject, tape: Tape) -> str | None:
    """fit, with the given arguments, separates what w separates."""
    learner = subject.make()
    if not hasattr(learner, "fit"):
        raise NotApplicableError("has no fit")
    if tape.w is None or min(tape.margins, default=0) <= 0 or len(set(tape.y.tolist())) < 2:
        return None
    with refusing():
        wrong = int((learner.fit(tape.X, tape.y).predict(tape.X) != tape.y).sum())
    return f"{wrong} of {len(tape)} rows are still wrong after fit" if wrong else None


def sparse_fit(subject: Subject, tape: Tape) -> str | None:
    """fit gives the same predictions from a dense matrix and its CSR copy."""
    if not hasattr(subject.make(), "fit"):
        raise NotApplicableError("has no fit")
    if len(set(tape.y.tolist())) < 2:
        return None
    import scipy.sparse as sp

    forms: list[Callable[[FloatArray], object]] = [np.array, sp.csr_matrix]
    found = []
    for form in forms:
        with quietly(0), refusing():  # the same draws, if it draws
            found.append(subject.make().fit(form(tape.X), tape.y).predict(tape.probes))
    one, other = found
    wrong = int((one != other).sum())
    return f"{wrong} of {len(one)} predictions differ after fit" if wrong else None


def aggressive(subject: Subject, tape: Tape) -> str | None:
    """An update raises the row's own margin to at most 1 (Crammer et al., 2006)."""
    if not _passive(subject):
        raise NotApplicableError("does not say that it is passive-aggressive")
    player = subject.player()
    for t, (x, y) in enumerate(zip(tape.X, tape.y, strict=True), 1):
        before = y * player.score(x)
        player.update(player.show(x), int(y))
        after = y * player.score(x)
        if after > max(before, 1) + 1e-6:
            return f"round {t}: the margin is {after:.6g} after the update"
    return None


def _perceptron(subject: Subject) -> bool:
    return subject.claims("novikoff")


def _passive(subject: Subject) -> bool:
    return subject.says("passiveaggressive")


GUARANTEES = [
    *(_theorem(name) for name in THEOREMS),
    Check("scale-free", scale_free.__doc__ or "", scale_free, exact_tapes, _perceptron),
    Check("fit-separates", separates.__doc__ or "", separates, fit_tapes, _perceptron),
    Check("fit-sparse", sparse_fit.__doc__ or "", sparse_fit, fit_tapes),
    Check("passive-aggressive", aggressive.__doc__ or "", aggressive, exact_tapes),
]
