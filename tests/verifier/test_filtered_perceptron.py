"""The perceptron in floats says what the one in whole numbers says, bit for bit."""

from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from families import FAMILIES
from novikoff import verifier
from novikoff.receipts.certificates import certificate_of
from novikoff.receipts.rereading import Rereading

THEOREMS = ("hinge-tight", "hinge", "freund-schapire", "run", "novikoff")
TIES = ("positive", "mistake")
SUMS = ("mistakes", "hinge", "hinge2", "mistake_hinge", "energy", "radius2", "least")


def exactly(learner: Any, units: int) -> dict[str, Any]:
    """Return what was measured, in units of 2^−units for what has the unit of a margin."""
    more = units - learner.data.grid - learner.fine
    finer = units - learner.data.grid
    two = {"hinge2": 2 * more, "energy": 2 * finer, "radius2": 2 * finer, "mistakes": 0}
    found = {name: getattr(learner, name) for name in SUMS}
    return {n: None if v is None else v << two.get(n, more) for n, v in found.items()}


def replayed(
    kind: Any, rows: list[Any], evidence: dict[str, Any], bias: float | None, ties: str
) -> tuple[Any, list[int]]:
    """Play one pass, and return the learner and its mistakes."""
    data = kind.reads(lambda: iter(rows), {"positive": 1}, bias)
    learner = kind(data, ties)
    learner.take(evidence)
    mistakes = []
    for t, (y, x) in enumerate(learner.rounds(), 1):
        wrong = learner.mistaken(y, x)
        mistakes += [t] if wrong else []
        learner.mistakes += wrong
        learner.measure(y, x, wrong, 3)
    return learner, mistakes


def assert_alike(
    rows: list[Any], w: list[list[float]], bias: float | None = None, ties: str = "positive"
) -> None:
    """Require the same mistakes, weights, sums and bounds of both."""
    evidence = {"w": w}
    one, two = (
        replayed(kind, rows, evidence, bias, ties)
        for kind in (verifier.FilteredPerceptron, verifier.ResumedPerceptron)
    )
    assert one[1] == two[1]
    units = max(learner.data.grid + learner.fine for learner, _ in (one, two))
    assert exactly(one[0], units) == exactly(two[0], units)
    assert one[0].fingerprint() == two[0].fingerprint()
    assert one[0].data.about == two[0].data.about
    for theorem in THEOREMS:
        assert bound_of(one[0], theorem) == bound_of(two[0], theorem)


def bound_of(learner: Any, theorem: str) -> Any:
    try:
        return learner.bound(theorem)
    except verifier.Refused as refusal:
        return str(refusal)


def rows_of(X: Any, labels: Any) -> list[Any]:
    return [
        ("", int(y), [(j, float(v)) for j, v in enumerate(x) if v])
        for x, y in zip(X, labels, strict=True)
    ]


@pytest.mark.parametrize("made", FAMILIES, ids=lambda made: made.__name__)
@pytest.mark.parametrize(("bias", "ties"), [(None, "positive"), (0.5, "mistake")])
def test_floats_and_whole_numbers_agree_near_ties(
    made: Callable[[np.random.Generator], Any], bias: float | None, ties: str
) -> None:
    """Huge, tiny, subnormal and mixed values; rows whose sums cancel; ties."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = made(rng)
        labels = rng.choice([-1, 1], len(X))
        if seed % 2:  # weights that separate: most margins are clear, some are 1 or nearly so
            labels = np.where(np.sign(X).sum(axis=1) >= 0, 1, -1)
        with np.errstate(all="ignore"):
            largest = np.abs(X).max()
            w = np.nan_to_num(np.sign(X[3]) / largest, posinf=1.0, neginf=-1.0)
        entries = [[-1, 0.25]] * (bias is not None) + [[j, float(v)] for j, v in enumerate(w) if v]
        assert_alike(rows_of(X, labels), entries, bias, ties)


VALUES = st.sampled_from(
    [
        0.1, -0.1, 0.2, 0.3, -0.3, 1.0, -1.0, 3.0, 1e-16, -1e-16, 1e16, 5e-324, 1e-308, 2e-308,
        1e308, -1e308, 1.7e308, 2.0**-537, 2.0**512, 2.0**53, 2.0**-53, 1 + 2.0**-52,
    ]
)  # fmt: skip
ROWS = st.lists(
    st.tuples(
        st.sampled_from([-1, 1]),
        st.dictionaries(st.sampled_from([0, 1, 2, 7, 8, 2**40]), VALUES, max_size=5),
    ),
    max_size=25,
)
WEIGHTS = st.dictionaries(st.sampled_from([0, 1, 2, 3, 8, 2**40]), VALUES, max_size=5)


@settings(max_examples=150, deadline=None)
@given(
    ROWS, WEIGHTS, st.sampled_from([None, 0.1, -1e308]), st.sampled_from(["positive", "mistake"])
)
def test_floats_and_whole_numbers_agree_on_values_that_hurt(
    drawn: Any, w: dict[int, float], bias: float | None, ties: str
) -> None:
    """Some features lie beyond those that have places of their own."""
    rows = [("", y, sorted(x.items())) for y, x in drawn]
    with patch.object(verifier, "DENSE", 8):
        assert_alike(rows, [[j, v] for j, v in w.items()], bias, ties)


EQUAL = st.lists(
    st.tuples(
        st.sampled_from([-1, 1]),
        st.sets(st.sampled_from([0, 1, 2, 3, 7, 8, 2**40]), max_size=7),
        VALUES,
    ),
    max_size=25,
)


@settings(max_examples=150, deadline=None)
@given(
    EQUAL, WEIGHTS, st.sampled_from([None, 0.1, -1e308]), st.sampled_from(["positive", "mistake"])
)
def test_rows_whose_values_are_one_number_agree_too(
    drawn: Any, w: dict[int, float], bias: float | None, ties: str
) -> None:
    """Ones, and one value that hurts: a single product stands for all of them."""
    rows = [("", y, [(j, value) for j in sorted(at)]) for y, at, value in drawn]
    with patch.object(verifier, "DENSE", 8):
        assert_alike(rows, [[j, v] for j, v in w.items()], bias, ties)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("value", [1e-300, 1e-308, 1.0])
def test_a_sum_that_overflows_decides_nothing(sign: int, value: float) -> None:
    """Of w, four parts of a huge sum come first, and five that bring it back to the other side."""
    w = [[j, sign * (5e307 if j < 4 else -5e307)] for j in range(9)]
    rows = [("", 1, [(0, sign * value)])] * 3  # clear ones, so that floats are asked
    rows += [("", y, [(j, value) for j in range(9)]) for y in (1, -1, 1, 1, -1)]
    assert_alike(rows, w)


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_sum_that_overflows_is_not_the_least_margin(sign: int) -> None:
    """A margin that is large, and −∞ in floats, hides no smaller one that comes after it."""
    w = [[j, -5e307 if j < 4 else 5e307] for j in range(9)]
    huge = ("", sign, [(j, sign * 1e-300) for j in range(9)])
    small = ("", sign, [(j, sign * 3e-308) for j in (7, 8)])
    assert_alike([huge, small, huge, small], w)


def test_it_is_exact_while_few_margins_are_clear_and_again_when_many_are() -> None:
    """Floats are asked or not: what is measured is the same."""
    rng = np.random.default_rng(1)
    blocks = [rng.standard_normal((300, 6)) * size for size in (5.0, 0.05, 5.0)]
    X = np.concatenate(blocks)
    labels = np.where(X[:, 0] > 0, 1, -1)
    assert_alike(rows_of(X, labels), [[0, 3.0], [1, 0.1]])


def test_floats_alone_decide_most_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the twins above would compare whole numbers with whole numbers."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 8))
    labels = np.where(X[:, 0] + 0.3 * rng.standard_normal(400) > 0, 1, -1)
    counted = 0
    exact = verifier.FilteredPerceptron.exact

    def counting(self: Any, x: Any) -> Any:
        nonlocal counted
        counted += not x[1]
        return exact(self, x)

    monkeypatch.setattr(verifier.FilteredPerceptron, "exact", counting)
    _, mistakes = replayed(
        verifier.FilteredPerceptron, rows_of(X, labels), {"w": [[0, 5.0]]}, None, "positive"
    )
    margins = 5 * X[:, 0] * labels
    assert counted <= len({*mistakes} | {*(np.flatnonzero(margins < 1) + 1)}) + 20 < 200


def test_one_pass_reads_once_and_every_other_pass_once_more() -> None:
    """The verifier plays the rounds that it hashes."""
    stream = nv.stream([[1.0, 0.5], [0.5, -1.0], [-2.0, 0.25], [1.0, 1.0]], [1, -1, -1, -1])
    for passes in (1, 2, 3):
        run = nv.play(nv.Perceptron(), stream, passes=passes)
        certificate = certificate_of(run, stream, "hinge", {"w": [[0, 1.0]]})
        readings = 0

        def rows() -> Iterator[Any]:
            nonlocal readings
            readings += 1
            yield from Rereading(stream)()

        assert verifier.verify(certificate.text, rows).verified
        assert readings == passes


def test_a_resumed_run_begins_with_weights_beyond_the_floats(tmp_path: Any) -> None:
    """No float is near such a weight, so whole numbers decide."""
    big = 1.7e308
    first = nv.stream([[big, 1.0]] * 3, [1, -1, 1])
    run = nv.play(nv.Perceptron(ties="mistake"), first)
    run.save(tmp_path / "a.model")
    more = nv.stream([[big, -1.0], [-big, 3.0], [big, 0.5]], [1, -1, -1])
    run.play(more)
    certificate = nv.certify(run, more, "progressive", start=tmp_path / "a.model")
    assert nv.verify(certificate, more, start=tmp_path / "a.model").verified
