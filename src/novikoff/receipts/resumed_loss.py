"""Learners for losses that go on from a model: the comparators and bounds of their forms."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from novikoff.comparators.histogram import histogram
from novikoff.comparators.penalised import Comparator, PenalisedRows
from novikoff.receipts.family import Question
from novikoff.receipts.reread_rounds import coded
from novikoff.streams import ArrayBlock
from novikoff.theory import Bound, named
from novikoff.theory.loss_theorems import rounding
from novikoff.types import FloatArray


@dataclass(frozen=True)
class Compared:
    """What a comparator makes of the rounds since a start, every number rounded upward."""

    best: Comparator
    comparator_loss: float
    penalty: Fraction
    """½ Σ λ_i u_i², λ as it is at the end."""
    start_product: Fraction
    """Σ u_i θ_i, exactly."""
    potential: Fraction
    """Σ θ_i²/2κ_i."""
    margins: FloatArray


def compared(question: Question, cells: FloatArray, first: FloatArray, rate: float) -> Compared:
    """Find u for a learner with these cells (m, θ, S), the constant first, and measure it.

    A feature counts if it has a value other than 0 in these rounds.
    """
    run = question.run
    blocks = [(b, y) for b, y in coded(run, question.stream) if isinstance(b, ArrayBlock)]
    bias = run.learner.bias or 0.0
    passes = run.ledger.rounds // sum(len(block) for block, _ in blocks)
    touched = PenalisedRows(blocks, np.ones(len(cells) - 1), bias=bias).touched
    before = np.zeros_like(cells)
    before[: len(first)] = first
    before[~touched] = 0.0
    m, S = cells[:, 0], cells[:, 2]
    lambdas = np.where(touched, m * (m * (np.sqrt(S + 1) / rate)), 1.0)
    shares = lambdas / passes  # k L + P = k (L + P/k)
    rows = PenalisedRows(blocks, shares[1:], bias=bias, bias_lambda=float(shares[0]))
    near = rows.pulled(before[:, 0] * before[:, 1] / passes, question.watch)
    u = np.where(touched, np.append(near.bias_weight, near.w), 0.0)
    best = rows.measured(u[1:], float(u[0]))
    return Compared(
        best,
        math.nextafter(passes * best.loss, math.inf),
        _penalty(cells, u, rate),
        _product(u, before),
        _potential(before, rate),
        rows.margins(best),
    )


def resumed_bound(question: Question, cells: FloatArray, first: FloatArray) -> Bound:
    """Return the bound of ``ftrl-diag-resumed`` with the best u found."""
    ledger, rate = question.run.ledger, question.run.learner.rate
    found = compared(question, cells, first, rate)
    spread = found.penalty + found.potential
    evidence = {
        "comparator_loss": found.comparator_loss,
        "penalty": found.penalty,
        "start_product": found.start_product,
        "potential": found.potential,
        "stability": ledger.stability,
        "rounding": rounding(ledger.rounds, ledger.loss, ledger.stability, spread),
    }
    value = named("ftrl-diag-resumed").evaluate(evidence).value
    comparator = {"w": found.best.pairs, "loss": ledger.loss}
    margins = histogram(found.margins)
    return Bound("ftrl-diag-resumed", value, ledger.loss, None, comparator, margins)


def _root_above(S: float) -> Fraction:
    """Return a float that is at least √(S + 1)."""
    return Fraction(math.nextafter(math.sqrt(math.nextafter(S + 1.0, math.inf)), math.inf))


def _root_below(S: float) -> Fraction:
    """Return a float that is at most √(S + 1), and above 0."""
    return Fraction(math.nextafter(math.sqrt(math.nextafter(S + 1.0, 0.0)), 0.0))


def _penalty(cells: FloatArray, u: FloatArray, rate: float) -> Fraction:
    """Return ½ Σ λ_i u_i² = Σ (m_i u_i)² √(S_i + 1)/(2 rate), rounded up."""
    total = Fraction(0)
    for i in np.flatnonzero(u).tolist():
        share = Fraction(float(cells[i, 0])) * Fraction(float(u[i]))
        total += share * share * _root_above(float(cells[i, 2]))
    return total / (2 * Fraction(rate))


def _product(u: FloatArray, before: FloatArray) -> Fraction:
    """Return Σ u_i m_i θ_i, exactly."""
    total = Fraction(0)
    for i in np.flatnonzero(u * before[: len(u), 0]).tolist():
        m, theta, _ = before[i].tolist()
        total += Fraction(float(u[i])) * Fraction(m) * Fraction(theta)
    return total


def _potential(before: FloatArray, rate: float) -> Fraction:
    """Return Σ rate θ_i²/(2 √(S_i + 1)), rounded up."""
    total = Fraction(0)
    for i in np.flatnonzero(before[:, 1]).tolist():
        _, theta, S = before[i].tolist()
        total += Fraction(theta) ** 2 / _root_below(S)
    return total * Fraction(rate) / 2
