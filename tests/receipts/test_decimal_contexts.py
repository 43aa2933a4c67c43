"""No number depends on the decimal context of the caller, at import or at call.

The module runs itself in new processes: constants are computed at import, and only once.
"""

import ast
import decimal
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

_SOURCES = Path(__file__).parents[2] / "src" / "novikoff"
_CALLER = {
    "one digit": decimal.Context(prec=1),
    "three digits, rounded down": decimal.Context(prec=3, rounding=decimal.ROUND_FLOOR),
    "floats trapped": decimal.Context(traps=[decimal.FloatOperation]),
    "rounding trapped": decimal.Context(traps=[decimal.Inexact, decimal.Rounded]),
    "tiny exponents": decimal.Context(prec=2, Emax=2, Emin=-2, clamp=1, capitals=0),
}
_DEFAULT: dict[str, dict[str, Any]] = {
    "default rounding trapped": {"traps": [decimal.Inexact, decimal.FloatOperation]},
    "default exponents": {"Emax": 2, "Emin": -2, "clamp": 1, "prec": 2, "capitals": 0},
}
_DELTAS = (0.05, 1e-6)


@pytest.mark.parametrize("surroundings", [*_CALLER, *_DEFAULT])
def test_numbers_are_the_same_in_a_process_of_any_context(surroundings: str) -> None:
    """Bit for bit, where the library is imported and called in that context, and afterwards."""
    within, after = _printed(surroundings)
    plain, _ = _printed("plain")
    assert within == plain
    assert after == plain[: len(after)]


def test_the_numbers_are_those_of_all_receipts() -> None:
    found, after = _printed("plain")
    for name in ("centroid", "error bound", "interval", "Exp3", "betting-share", "vaw", "report"):
        assert name in "".join(found)
    assert 30 < len(after) < len(found)


@pytest.mark.parametrize("surroundings", _CALLER)
def test_functions_are_the_same_when_they_are_called_alone(surroundings: str) -> None:
    plain = list(_of_functions())
    with decimal.localcontext(_CALLER[surroundings]):
        assert list(_of_functions()) == plain


def test_the_rates_have_fifty_digits() -> None:
    """1 − c = e^{−λ} is off by less than 10⁻⁴⁸ of it: two hundred digits say so."""
    from novikoff.receipts import error_bounds

    with decimal.localcontext(decimal.Context(prec=200)):
        for j, (rate, kept) in enumerate(zip(error_bounds._RATES, error_bounds._KEPT, strict=True)):
            exact = Decimal(2.0 ** (6 - j)).sqrt()
            assert abs(rate - exact) <= exact * Decimal("1e-49")
            assert abs(kept / (-exact).exp() - 1) <= Decimal("1e-48")


@pytest.mark.parametrize(
    ("mistakes", "rounds"), [(0, 1), (0, 10**7), (31, 400), (7, 7), (10**5, 10**6)]
)
def test_a_bound_is_never_below_the_root(mistakes: int, rounds: int) -> None:
    """With two hundred digits: the sum is at least |Λ|/δ there, and not at the float below."""
    from novikoff.receipts.error_bounds import mixture_bound

    bound = mixture_bound(mistakes, rounds)
    assert bound == 1 or _sum_reaches(bound, mistakes, rounds)
    assert not _sum_reaches(math.nextafter(bound, 0), mistakes, rounds)


def test_contexts_are_made_in_one_place() -> None:
    """A context that leaves fields out takes them from ``decimal.DefaultContext``.

    verifier.py stands alone, so it makes its own.
    """
    ways = {"Decimal", "ROUND_CEILING", "ROUND_FLOOR"}
    elsewhere = [
        f"{path.relative_to(_SOURCES)}: {name}"
        for path in sorted(_SOURCES.rglob("*.py"))
        if path.name not in ("decimal_contexts.py", "verifier.py")
        for name in _taken_from_decimal(path)
        if name not in ways
    ]
    assert elsewhere == [], "take contexts from novikoff.decimal_contexts"


def test_contexts_have_all_their_fields() -> None:
    """None is left to ``DefaultContext``."""
    calls = [
        node
        for node in ast.walk(ast.parse((_SOURCES / "decimal_contexts.py").read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Context"
    ]
    fields = {"prec", "rounding", "Emin", "Emax", "capitals", "clamp", "flags", "traps"}
    assert [{one.arg for one in call.keywords} for call in calls] == [fields]


def _taken_from_decimal(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "decimal":
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.Import):
            yield from ("decimal" for one in node.names if one.name == "decimal")


def _sum_reaches(p: float, mistakes: int, rounds: int, delta: float = 0.05) -> bool:
    with decimal.localcontext(decimal.Context(prec=200, Emin=-(10**17), Emax=10**17)):
        total = Decimal(0)
        for j in range(34):
            kept = (-Decimal(2.0 ** (6 - j)).sqrt()).exp()
            total += kept**mistakes / (1 - (1 - kept) * Decimal(p)) ** rounds
        return total >= 34 / Decimal(delta)


@cache
def _printed(surroundings: str) -> list[list[str]]:
    """Return what all functions and receipts give there, and what functions give afterwards."""
    command = [sys.executable, __file__, surroundings]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = json.loads(done.stdout)
    return found


def _of_functions() -> Iterator[object]:
    """What functions return that need no run."""
    from novikoff import theory
    from novikoff.receipts import conversion, error_bounds, fresh_bounds, remarks
    from novikoff.reports import page_words

    for delta in _DELTAS:
        for mistakes, rounds in ((0, 10), (31, 400), (7, 7)):
            yield error_bounds.mixture_bound(mistakes, rounds, delta)
            yield error_bounds.progressive_bound(mistakes, rounds, delta)
            yield error_bounds.hoeffding_bound(mistakes, rounds, delta)
            yield fresh_bounds.clopper_pearson(mistakes, rounds, delta)
            yield fresh_bounds.clopper_pearson_interval(mistakes, rounds, delta)
        yield fresh_bounds.clipped_bound(np.array([0.2, 0.9, 0.999] * 40), 1e-6, delta)
        yield conversion._test_size(3, 0.1, delta)
    yield error_bounds.upward(Fraction(1, 3)), error_bounds.upward(Decimal("0.1"))
    for bound in (25.821255, 9073536.2, 0.05112, 12561.2, 2.0000000000000004, 1e-9):
        yield remarks.shown(bound), remarks.shown(bound, 4), remarks.shown_below(bound)
        yield remarks.shown_places(bound), remarks.shown_places(bound, 1)
        yield page_words.allowed(bound), page_words.allowed(bound, digits=4)
    yield theory.named("exp3p").formula(5, 1000, 0.05, True)
    for id, evidence in _EVIDENCE.items():
        yield id, theory.named(id).evaluate(evidence).value


_EVIDENCE: dict[str, dict[str, object]] = {
    "centroid": {"dimension": 3, "relative_margin": 0.1},
    "ellipsoid": {"dimension": 3, "relative_margin": 0.1},
    "hedge": {"experts": 5, "rounds": 100, "eta": 0.1},
    "weighted-majority": {"experts": 5, "beta": 0.3, "best_mistakes": 7},
    "progressive-mixture": {"rounds": 400, "mistakes": 31, "delta": 0.05},
    "clopper-pearson": {"rows": 40, "errors": 3, "delta": 0.05},
}


def _of_receipts() -> Iterator[object]:
    """What users ask of runs."""
    import novikoff as nv

    rng = np.random.default_rng(0)
    X, losses = rng.standard_normal((300, 3)), rng.random((100, 4))
    y = np.where(X[:, 0] > 0, 1, -1)
    y[:5] *= -1
    rounds = nv.stream(X[:200], y[:200])
    perceptron, blend = nv.play(nv.Perceptron(), rounds), nv.play(nv.Blend(), rounds)
    kernel = nv.play(nv.KernelPerceptron(nv.rbf(1.0)), nv.stream(X[:40], y[:40]))
    yield "error bound", [nv.error_bound(perceptron, delta=delta) for delta in _DELTAS]
    alarm = nv.error_alarm(perceptron, window=20)
    yield "alarm", alarm.alarms, alarm.allowed, alarm.surprise
    test = nv.test(blend, nv.stream(X[200:], y[200:]))
    yield "interval", test.error_bound, test.interval, test.loss, test
    for learner in (nv.Hedge(4), nv.Exp3(4)):
        simulation = nv.simulate(learner, losses, seeds=3)
        yield type(learner).__name__, simulation, simulation.bound
    regression = nv.play(nv.ForwardRegression(), nv.stream(X, X[:, 1] - X[:, 2]))
    for run in (perceptron, blend, kernel, regression, nv.play(nv.Hedge(4), losses)):
        yield [(bound.theorem, bound.value, bound.least) for bound in nv.bounds(run)]
    for run in (perceptron, blend, regression):
        yield nv.certify(run).content
    yield nv.margin(X[5:], y[5:]).interval
    with TemporaryDirectory() as folder:
        nv.report(perceptron, page := Path(folder) / "page.html")
        yield "report", page.read_text("utf-8")


@contextmanager
def _surrounded(name: str) -> Iterator[None]:
    for field, value in _DEFAULT.get(name, {}).items():
        if field == "traps":
            decimal.DefaultContext.traps.update(dict.fromkeys(value, True))
        else:
            setattr(decimal.DefaultContext, field, value)
    context = _CALLER.get(name) or decimal.Context()
    with decimal.localcontext(context):
        yield


if __name__ == "__main__":
    with _surrounded(sys.argv[1]):
        results = [repr(one) for one in (*_of_functions(), *_of_receipts())]
    print(json.dumps([results, [repr(one) for one in _of_functions()]]))
