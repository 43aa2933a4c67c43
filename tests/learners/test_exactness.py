"""Every exact learner, in every form of input, makes the mistakes that real arithmetic makes."""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import novikoff as nv
from cases import EXACT, Case, labels, twin_mistakes
from families import FAMILIES

FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "dense": nv.stream,
    "columns first": lambda X, y: nv.stream(np.asfortranarray(X), y),
    "every other row": lambda X, y: nv.stream(np.repeat(X, 2, axis=0)[::2], y),
    "csr int32": lambda X, y: nv.stream(sp.csr_array(X), y),
    "csr int64": lambda X, y: nv.stream(_csr64(X), y),
    "csr matrix": lambda X, y: nv.stream(sp.csr_matrix(X), y),
    "unsorted csr": lambda X, y: nv.stream(_unsorted(X), y),
    "csc": lambda X, y: nv.stream(sp.csc_array(X), y),
    "rows": lambda X, y: list(zip(X, y, strict=True)),
    "pairs": lambda X, y: [(_pair(x), label) for x, label in zip(X, y, strict=True)],
    "shuffled pairs": lambda X, y: [(_shuffled(x), label) for x, label in zip(X, y, strict=True)],
}
NAMED_FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "dicts": lambda X, y: [(_named(x), label) for x, label in zip(X, y, strict=True)],
    "shuffled dicts": lambda X, y: nv.stream([_named(x, shuffle=True) for x in X], y),
    "dicts as they come": lambda X, y: ((_named(x), label) for x, label in zip(X, y, strict=True)),
}


def _named(x: Any, shuffle: bool = False) -> dict[str, float]:
    rng = np.random.default_rng(len(x))
    order = rng.permutation(len(x)) if shuffle else np.arange(len(x))
    return {f"feature {j}": float(x[j]) for j in order}


def _csr64(X: Any) -> Any:
    matrix = sp.csr_array(X)
    matrix.indices = matrix.indices.astype(np.int64)
    matrix.indptr = matrix.indptr.astype(np.int64)
    return matrix


def _pair(x: Any) -> tuple[Any, Any]:
    found = np.flatnonzero(x)
    return found, x[found]


def _shuffled(x: Any) -> tuple[Any, Any]:
    found = np.random.default_rng(len(x)).permutation(np.flatnonzero(x))
    return found, x[found]


def _unsorted(X: Any) -> Any:
    pairs = [_shuffled(x) for x in X]
    starts = np.cumsum([0] + [len(indices) for indices, _ in pairs])
    indices = np.concatenate([indices for indices, _ in pairs])
    values = np.concatenate([values for _, values in pairs])
    return sp.csr_array((values, indices, starts), shape=X.shape)


def _data(case: Case, family: Any) -> tuple[Any, Any]:
    rng = np.random.default_rng(zlib.crc32(family.__name__.encode()))
    X = family(rng)[: 25 if case.slow else None]
    scaled = np.sign(X) * np.log1p(np.abs(X))  # finite whatever the family
    return X, labels(case, rng, scaled @ rng.standard_normal(X.shape[1]))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("case", EXACT, ids=lambda c: c.name)
def test_every_form_agrees_with_the_twin(case: Case, family: Any) -> None:
    X, y = _data(case, family)
    expected = twin_mistakes(case, X, y)
    forms = FORMS if case.random else FORMS | NAMED_FORMS
    if case.slow:
        forms = {form: forms[form] for form in ("dense", "unsorted csr", "shuffled dicts")}
    for form, make in forms.items():
        found = nv.play(case.make(), make(X, y)).ledger.mistake_rounds.tolist()
        assert found == expected, form


def test_the_families_reach_every_step_of_the_decision() -> None:
    """Second and exact steps are taken, so what is tested above is not the fast path alone."""
    for case in (EXACT[0], next(c for c in EXACT if c.multiclass)):
        ledgers = [nv.play(case.make(), nv.stream(*_data(case, f))).ledger for f in FAMILIES]
        assert sum(ledger.second_steps > ledger.exact_steps for ledger in ledgers) >= 3
        assert sum(ledger.exact_steps > 0 for ledger in ledgers) >= 3


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("case", EXACT, ids=lambda c: c.name)
def test_one_by_one_and_permuted_columns_agree_with_the_twin(case: Case, family: Any) -> None:
    X, y = _data(case, family)
    expected = twin_mistakes(case, X, y)
    order = np.random.default_rng(0).permutation(X.shape[1])
    if not case.random:
        permuted = nv.play(case.make(), nv.stream(X[:, order], y))
        assert permuted.ledger.mistake_rounds.tolist() == expected
        named = nv.Run(case.make())
        for x, label in zip(X, y, strict=True):
            named.learn(_named(x), label)
        assert named.ledger.mistake_rounds.tolist() == expected
    run = nv.Run(case.make())
    for x, label in zip(X, y, strict=True):
        run.learn(x, label)
    assert run.ledger.mistake_rounds.tolist() == expected
    learner = case.make()
    judged = []
    for t, (x, label) in enumerate(zip(X, y, strict=True), 1):
        allowed = {label, 0} if learner.batch else {label}  # 0 is an abstention there
        if learner.rounds and learner.predict(x) not in allowed:
            judged.append(t)
        learner.update(x, int(label))
    assert judged == [t for t in expected if t > 1]


@pytest.mark.parametrize("case", EXACT, ids=lambda c: c.name)
def test_float32_is_the_same_numbers_in_float64(case: Case) -> None:
    for family in FAMILIES:
        X, y = _data(case, family)
        with np.errstate(over="ignore"):
            narrow = X.astype(np.float32)
        narrow[~np.isfinite(narrow)] = 3.0
        expected = twin_mistakes(case, narrow.astype(np.float64), y)
        for X32 in (narrow, sp.csr_array(narrow), _csr64(narrow)):
            found = nv.play(case.make(), nv.stream(X32, y)).ledger.mistake_rounds.tolist()
            assert found == expected, family.__name__


@pytest.mark.parametrize(
    "case", [c for c in EXACT if c.bias is None and c.scale_free], ids=lambda c: c.name
)
def test_scaling_by_a_power_of_two_changes_no_mistake(case: Case) -> None:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((200, 6)) / 10
    y = labels(case, rng, X[:, 0])
    expected = nv.play(case.make(), nv.stream(X, y)).ledger.mistake_rounds.tolist()
    for power in (-900, -300, -1, 1, 300, 900):
        run = nv.play(case.make(), nv.stream(X * 2.0**power, y))
        assert run.ledger.mistake_rounds.tolist() == expected
        assert run.ledger.radius == pytest.approx(np.linalg.norm(X, axis=1).max() * 2.0**power)


finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
near = st.sampled_from([0.0, 0.1, 0.2, 0.3, -0.1, -0.3, 1.0, -1.0, 1 / 3, 3.0, 1e-17, 1e17])


@given(
    X=arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 9)), elements=near | finite),
    data=st.data(),
)
def test_any_finite_numbers_are_decided_exactly(X: Any, data: Any) -> None:
    _any_finite_numbers([case for case in EXACT if not case.slow], X, data)


@settings(max_examples=6)
@given(
    X=arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(1, 5)), elements=near | finite),
    data=st.data(),
)
def test_any_finite_numbers_in_a_kernel_are_decided_exactly(X: Any, data: Any) -> None:
    _any_finite_numbers([case for case in EXACT if case.slow], X, data)


def _any_finite_numbers(cases: list[Case], X: Any, data: Any) -> None:
    for case in cases:
        draw = st.integers(0, 2) if case.multiclass else st.sampled_from([-1, 1])
        raw = data.draw(st.lists(draw, min_size=len(X), max_size=len(X)))
        ids = {label: k for k, label in enumerate(dict.fromkeys(raw))}
        y = [ids[label] for label in raw] if case.multiclass else raw
        expected = twin_mistakes(case, X, y)
        assert nv.play(case.make(), nv.stream(X, y)).ledger.mistake_rounds.tolist() == expected
        sparse = nv.stream(sp.csr_array(X), y)
        assert nv.play(case.make(), sparse).ledger.mistake_rounds.tolist() == expected


def test_the_float_perceptron_would_err_differently() -> None:
    """The near-ties are there: plain float sums make other mistakes on the same rows."""
    differ = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(-9, 10, (300, 9)) / 10
        y = np.where(X[:, 0] + X[:, 1] > X[:, 2] + X[:, 3], 1, -1)
        w, floats = np.zeros(9), []
        for t, (x, label) in enumerate(zip(X, y, strict=True), 1):
            if (1 if float(np.add.reduce(w * x)) >= 0 else -1) != label:
                floats.append(t)
                w = w + label * x
        differ += nv.play(nv.Perceptron(), nv.stream(X, y)).ledger.mistake_rounds.tolist() != floats
    assert differ > 0
