"""Transforms: what a learner sees of a raw row, and that every way to play gives the same."""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
import transform_twins as steps
import twins
from families import FAMILIES
from novikoff import verifier

Steps = list[nv.Transform]
PAIRS: list[tuple[Steps, Callable[[], list[Any]]]] = [
    ([nv.Scale()], lambda: [steps.Scale()]),
    ([nv.Normalize()], lambda: [steps.Normalize()]),
    ([nv.Presence()], lambda: [steps.Presence()]),
    ([nv.Scale(), nv.Normalize()], lambda: [steps.Scale(), steps.Normalize()]),
    (
        [nv.Scale(), nv.Cross(range(7), range(7)), nv.Scale()],
        lambda: [steps.Scale(), steps.Cross({*range(7)}, {*range(7)}), steps.Scale()],
    ),
    (
        [nv.Normalize(), nv.Cross(0, [2, 5], range(3, 5)), nv.Cross([0, 1], 2), nv.Normalize()],
        lambda: [
            steps.Normalize(),
            steps.Cross({0}, {2, 5}, {3, 4}),
            steps.Cross({0, 1}, {2}),
            steps.Normalize(),
        ],
    ),
]
each_pair = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: str(pair[0]))


def _seen(given_steps: Steps, X: Any) -> list[dict[Any, float]]:
    """The rows as a learner sees them, by raw features and pairs of them."""
    rows = nv.Perceptron(transforms=given_steps).transformed(X)
    return [{_key(name): x for name, x in row.items()} for row in rows]


def _key(name: str | int) -> Any:
    first, *second = str(name).split("^")
    return (*sorted((int(first), int(second[0]))),) if second else int(first)


@each_pair
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_the_core_makes_what_the_definition_says(pair: Any, family: Any) -> None:
    X = family(np.random.default_rng(5))
    if any(isinstance(step, nv.Cross) for step in pair[0]) and np.abs(X).max() > 1e150:
        X = np.ldexp(X, -600)
    twin = steps.Transformed(twins.Perceptron(), *pair[1]())
    for x, seen in zip(X, _seen(pair[0], X), strict=True):
        assert seen == {i: float(v) for i, v in twin.made(twins.vector(x)).items()}


values = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 5e-324, 1.0, -2.0, 0.5, math.nextafter(1.0, 2.0), 1.7976931348623157e308]
)


@each_pair
@given(rows=st.lists(st.lists(values, min_size=7, max_size=7), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_the_core_and_the_verifier_agree_on_any_floats(pair: Any, rows: Any) -> None:
    stated = nv.Perceptron(transforms=pair[0]).transforms
    assert stated is not None
    written: Any = stated.stated(None)
    program = verifier.Transforms(written)
    X = np.array(rows)
    core = stated.fresh().core
    starts, indices, found = core.learned(_native(X))
    for t, x in enumerate(X):
        places = np.flatnonzero(x)
        try:
            made = program.made(places.tolist(), x[places].tolist())
        except verifier.Refused:  # a product overflows, and the core stops before it
            assert len(starts) - 1 == t
            return
        within = slice(starts[t], starts[t + 1])
        assert made == (indices[within].tolist(), found[within].tolist())


def _native(X: Any) -> Any:
    from novikoff.streams import as_block

    return as_block(X).native


def test_scaled_values_lie_within_one_and_a_new_largest_value_above_a_half() -> None:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((200, 4)) * 2.0 ** rng.integers(-900, 900, 4)
    seen = _seen([nv.Scale()], X)
    largest = np.zeros(4)
    for x, row in zip(X, seen, strict=True):
        for j, value in row.items():
            assert abs(value) <= 1
            assert Fraction(value) / Fraction(x[j]) == Fraction(2) ** round(
                math.log2(abs(Fraction(value) / Fraction(x[j])))
            )
            if abs(x[j]) >= largest[j]:
                assert abs(value) > 0.5
        largest = np.maximum(largest, np.abs(x))


def test_normalized_rows_have_norm_one_at_any_scale() -> None:
    X = np.array([[3.0, 4.0], [3e200, 4e200], [3e-300, 4e-300], [0.0, 0.0], [5e-324, 0.0]])
    seen = _seen([nv.Normalize()], X)
    assert seen[0] == {0: 0.6, 1: 0.8}
    assert seen[1] == pytest.approx(seen[0])
    assert seen[2] == pytest.approx(seen[0])
    assert seen[3:] == [{}, {0: 1.0}]


def test_a_group_is_a_feature_a_namespace_or_a_categorical_column() -> None:
    learner = nv.Perceptron(transforms=[nv.Cross("user", "ad")])
    row = {"user": "ann", "ad^tea": 2.0, "users": 5.0, "ad": 3.0, "add^x": 1.0}
    (seen,) = learner.transformed([row])
    crossed = {name: x for name, x in seen.items() if str(name).startswith("user=ann^")}
    assert crossed == {"user=ann^ad^tea": 2.0, "user=ann^ad": 3.0}
    assert len(seen) == 5 + 2


def test_hashed_pairs_add_up_in_their_places() -> None:
    learner = nv.Perceptron(transforms=[nv.Cross(range(6), range(6), bits=2)])
    (seen,) = learner.transformed([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    places = [x for name, x in seen.items() if str(name).startswith("cross ")]
    values = range(1, 7)
    assert len(places) == 4
    assert sum(places) == sum(a * b for a in values for b in values if a <= b)


LEARNERS: list[Callable[..., nv.Learner]] = [
    nv.Perceptron,
    nv.AveragedPerceptron,
    nv.VotedPerceptron,
    nv.MulticlassPerceptron,
    lambda **given: nv.Minnow(0.3, **given),
    lambda **given: nv.BalancedMinnow(0.3, **given),
    nv.AdaptiveGradient,
]
CROSSED: Steps = [nv.Scale(), nv.Cross(range(2), range(2, 6), bits=3), nv.Cross(0, 1)]
NAMED: Steps = [nv.Scale(), nv.Cross("a", "b"), nv.Normalize()]
each_learner = pytest.mark.parametrize("make", LEARNERS, ids=lambda m: m(bias=None).__class__)


def _data(rounds: int = 120) -> tuple[Any, Any]:
    rng = np.random.default_rng(4)
    X = rng.integers(-9, 10, (rounds, 6)) / 10 * [1, 1, 30, 0.5, 1e3, 2]
    X[rng.random(X.shape) < 0.3] = 0
    return X, np.where(X[:, 0] * X[:, 2] + X[:, 3] >= 0, 1, -1)


def _state(run: Any) -> dict[str, Any]:
    return {name: array.tolist() for name, array in run.learner.state().items()}


@each_learner
def test_every_form_of_rows_is_crossed_the_same(make: Any) -> None:
    X, y = _data()
    whole = nv.play(make(bias=1.0, transforms=CROSSED), nv.stream(X, y))
    forms: list[Any] = [sp.csr_array(X), np.asfortranarray(X)]
    for form in forms:
        run = nv.play(make(bias=1.0, transforms=CROSSED), nv.stream(form, y))
        run.learner.introduce(X[0])
        assert _state(run) == _state(whole)
    one = nv.Run(make(bias=1.0, transforms=CROSSED))
    for x, label in zip(X, y, strict=True):
        expected = one.predict_one(x) if one.ledger.rounds else None
        assert one.learn(x, label) == expected or expected is None
    assert _state(one) == _state(whole)
    assert one.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()


@each_learner
def test_float32_is_crossed_as_the_same_numbers_in_float64(make: Any) -> None:
    X, y = _data()
    narrow = X.astype(np.float32)
    one = nv.play(make(transforms=CROSSED), nv.stream(narrow, y))
    other = nv.play(make(transforms=CROSSED), nv.stream(narrow.astype(np.float64), y))
    assert _state(one) == _state(other)


def _dicts(X: Any, rng: np.random.Generator) -> list[dict[str, float]]:
    names = ["a^1", "a^2", "b^1", "b^2", "c", "d"]
    order = [rng.permutation(6) for _ in X]
    return [{names[j]: float(x[j]) for j in places} for x, places in zip(X, order, strict=True)]


@each_learner
def test_dicts_in_any_order_in_blocks_or_alone_are_crossed_the_same(make: Any) -> None:
    X, y = _data()
    labels = y.tolist()
    first, second = (_dicts(X, np.random.default_rng(seed)) for seed in (1, 2))
    whole = nv.play(make(transforms=NAMED), list(zip(first, labels, strict=True)))
    single = nv.Run(make(transforms=NAMED))
    for x, label in zip(second, labels, strict=True):
        single.learn(x, label)
    assert single.is_quick  # rounds went straight to the core
    assert _state(single) == _state(whole)
    h = whole.hypothesis()
    assert h.predict(first).tolist() == h.predict(second).tolist()
    assert h.scores(first).tolist() == h.scores(second).tolist()
    if whole.learner.direct:
        assert h.predict(first).tolist() == [single.predict_one(x) for x in second]


@each_learner
@pytest.mark.parametrize("named", [False, True])
def test_a_crossed_run_resumes_as_if_uninterrupted(make: Any, named: bool, tmp_path: Any) -> None:
    X, y = _data()
    rows: Any = _dicts(X, np.random.default_rng(1)) if named else X.tolist()
    rounds = list(zip(rows, y.tolist(), strict=True))
    chosen = NAMED if named else CROSSED
    whole = nv.play(make(transforms=chosen), rounds)
    half = nv.play(make(transforms=chosen), rounds[:50])
    half.save(tmp_path / "run")
    resumed = nv.Run.load(tmp_path / "run").play(rounds[50:])
    assert _state(resumed) == _state(whole)
    assert resumed.learner.parameters == whole.learner.parameters
    h = whole.hypothesis()
    h.save(tmp_path / "h")
    again = nv.Hypothesis.load(tmp_path / "h")
    assert again.scores(rows).tolist() == h.scores(rows).tolist()
    assert again.predict(rows).tolist() == h.predict(rows).tolist()


@each_learner
def test_a_hypothesis_takes_raw_rows_and_is_frozen(make: Any) -> None:
    X, y = _data()
    run = nv.play(make(transforms=CROSSED), nv.stream(X[:60], y[:60]))
    h, before = run.hypothesis(), None
    before = h.scores(X)
    run.play(nv.stream(100 * X[60:], y[60:]))
    assert h.scores(X).tolist() == before.tolist()
    assert h.scores(sp.csr_array(X)).tolist() == before.tolist()
    with pytest.raises(nv.InputError, match="expected 6 features, got 5"):
        h.predict(X[:, :5])


@each_learner
@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e300])
def test_a_refused_row_changes_no_transform(make: Any, bad: float) -> None:
    chosen: Steps = [nv.Cross(0, 1), nv.Scale()]
    rows = [((1.0, 2.0), 1), ((bad, bad), 1), ((4.0, 1.0), -1)]
    run = nv.play(make(transforms=chosen), rows[:1])
    before = _state(run)
    for attempt in (lambda: run.learn(*rows[1]), lambda: run.play(rows[1:])):
        with pytest.raises(nv.InputError, match="expected"):
            attempt()
        assert _state(run) == before
    named = nv.Run(make(transforms=[nv.Cross("a", "b"), nv.Scale()]))
    named.learn({"a": 1.0, "b": 2.0}, 1)
    before = _state(named)
    with pytest.raises(nv.InputError, match="expected"):
        named.learn({"a": bad, "b": bad, "new": 1.0}, 1)
    assert _state(named) == before


def test_names_of_a_refused_line_are_forgotten(tmp_path: Any) -> None:
    """The second line's product overflows; its names must not have taken numbers."""
    lines = ["1 |a x:1 |b y:1\n", "1 |a z:1e200 |b y:1e200\n", "-1 |a w:1 |b v:1\n"]
    (tmp_path / "bad.vw").write_text("".join(lines))
    (tmp_path / "rest.vw").write_text(lines[2])
    (tmp_path / "good.vw").write_text(lines[0] + lines[2])
    run = nv.Run(nv.Perceptron(transforms=[nv.Cross("a", "b")]))
    with pytest.raises(nv.InputError, match=r"bad\.vw:2"):
        run.play(nv.read(tmp_path / "bad.vw"))
    run.play(nv.read(tmp_path / "rest.vw"))
    good = nv.play(nv.Perceptron(transforms=[nv.Cross("a", "b")]), nv.read(tmp_path / "good.vw"))
    assert _state(run) == _state(good)


def test_weights_have_the_names_of_what_was_crossed() -> None:
    run = nv.play(
        nv.Perceptron(transforms=[nv.Cross("user", "ad")]),
        [({"ad": "tea", "user": "ann"}, -1)],
    )
    h: Any = run.hypothesis()
    assert h.weights() == {
        "ad=tea": -1.0,
        "user=ann": -1.0,
        "user=ann^ad=tea": -1.0,
    }


ODD: list[Any] = [1.5, nv.Scale(), ["scale"]]
REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: nv.Cross("a"), "two groups"),
    (lambda: nv.Cross("a", 1), "names alone or numbers alone"),
    (lambda: nv.Cross(-1, 2), "a number from 0"),
    (lambda: nv.Cross(ODD[0], 2), "a number from 0"),
    (lambda: nv.Cross("", "b"), "a name"),
    (lambda: nv.Cross([], [1]), "a range of numbers"),
    (lambda: nv.Cross(0, 1, bits=31), "from 1 to 30"),
    (lambda: nv.Perceptron(transforms=ODD[1]), r"\[nv\.Scale\(\)\]"),
    (lambda: nv.Perceptron(transforms=ODD[2]), r"nv\.Scale\(\)"),
    (
        lambda: nv.Perceptron(transforms=[nv.Cross("a", "b")], hashing=nv.Hashing()),
        "no cross of names with hashing",
    ),
    (
        lambda: nv.Perceptron(transforms=[nv.Cross("a", "b"), nv.Cross(0, 1)]),
        "names or of numbers",
    ),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[1])
def test_what_is_no_transform_is_refused(case: Any) -> None:
    make, reason = case
    with pytest.raises(nv.ParameterError, match=reason):
        make()


def test_a_cross_of_names_refuses_numbers_and_the_other_way_round() -> None:
    with pytest.raises(nv.InputError, match=r"expected named features for .*got numbered"):
        nv.play(nv.Perceptron(transforms=[nv.Cross("a", "b")]), [((1.0, 2.0), 1)])
    with pytest.raises(nv.InputError, match=r"expected numbered features for .*got named"):
        nv.play(nv.Perceptron(transforms=[nv.Cross(0, 1)]), [({"a": 1.0}, 1)])


def test_the_page_defines_what_the_core_makes() -> None:
    """The Python of docs/transforms.md is the definition."""
    text = (Path(__file__).parents[2] / "docs" / "transforms.md").read_text()
    (program,) = re.findall(r"^```python\n(from .*?)^```", text, re.MULTILINE | re.DOTALL)
    page: dict[str, Any] = {}
    exec(compile(program, "transforms.md", "exec"), page)
    X = np.random.default_rng(3).standard_normal((50, 7)) * 2.0 ** np.arange(-9, 12, 3)
    X[X > 5] = 0
    chosen: Steps = [nv.Scale(), nv.Cross(range(3), range(2, 7)), nv.Normalize(), nv.Presence()]
    written = [
        page["Scale"](),
        page["Cross"]({0, 1, 2}, {2, 3, 4, 5, 6}),
        page["Normalize"](),
        page["Presence"](),
    ]
    for count in range(1, 5):
        for step in written[:1]:
            step.__init__()
        for x, seen in zip(X, _seen(chosen[:count], X), strict=True):
            row = {j: float(v) for j, v in enumerate(x) if v}
            for step in written[:count]:
                row = step.made(row)
            assert seen == {i: v for i, v in row.items() if v}


def test_a_weight_that_refuses_a_row_changes_no_transform() -> None:
    run = nv.Run(nv.Perceptron(transforms=[nv.Scale()]))
    run.learn((1.0, 1e-300), 1)
    before = _state(run)
    with pytest.raises(nv.InputError, match="expected"):
        run.learn((5e-324, 8.0), -1, 1e-90)  # one value grows, the other gets too small
    assert _state(run) == before
    late = nv.Run(nv.Perceptron(transforms=[nv.Scale()]))
    late.learn((1.0, 0.0), 1)
    before = _state(late)
    with pytest.raises(nv.InputError, match="expected"):
        late.learn((5e-324, 8.0), -1, 1e-90)  # the second feature would be new
    assert _state(late) == before


def test_hashed_names_are_scaled() -> None:
    X, y = _data()
    rows, labels = _dicts(X, np.random.default_rng(1)), y.tolist()
    chosen: Steps = [nv.Scale(), nv.Normalize()]
    learner = nv.Perceptron(hashing=nv.Hashing(6), transforms=chosen)
    whole = nv.play(learner, list(zip(rows, labels, strict=True)))
    single = nv.Run(learner.fresh())
    for x, label in zip(rows, labels, strict=True):
        single.learn(x, label)
    assert _state(single) == _state(whole)
    assert whole.hypothesis().predict(rows).tolist() == [single.predict_one(x) for x in rows]
    certificate = nv.certify(whole)
    assert nv.verify(certificate, list(zip(rows, labels, strict=True))).verified


BROKEN: list[tuple[str, Any]] = [
    ("made_features", [5, 5]),
    ("made_features", [-1]),
    ("made_features", [(3 << 32) | 1]),
    ("raw_features", [-1]),
    ("raw_features", [2**40]),
    ("scale_exponents", [3000]),
    ("scale_exponents", []),
    ("scale_ends", [10**9]),
    ("scale_ends", []),
    ("group_places", [0, 0]),
    ("group_places", [9, 0, 1]),
    ("group_places", [0, 3, 2]),
]


@pytest.mark.parametrize("case", BROKEN, ids=str)
def test_a_broken_state_is_refused(case: Any) -> None:
    name, values = case
    run = nv.play(
        nv.Perceptron(transforms=[nv.Scale(), nv.Cross("a", "b")]), [({"a": 1.0, "b": 2.0}, -1)]
    )
    state = run.learner.state()
    state[name] = np.array(values, state[name].dtype)
    with pytest.raises((ValueError, nv.InputError)):
        run.learner.fresh().restore(state)


def test_the_lines_of_a_file_are_crossed_as_their_dicts(tmp_path: Any) -> None:
    rng = np.random.default_rng(6)
    lines = []
    for _ in range(300):
        a, b, age = rng.integers(0, 9), rng.integers(0, 30), rng.integers(1, 90)
        lines.append(f"{1 if (a * b) % 3 else -1} |user u{a} |ad é{b}:0.5 x |about age:{age}\n")
    (tmp_path / "clicks.vw").write_text("".join(lines))
    stream = nv.read(tmp_path / "clicks.vw")
    chosen: Steps = [nv.Scale(), nv.Cross("user", "ad"), nv.Cross("about", "user", bits=4)]
    whole = nv.play(nv.AdaptiveGradient(transforms=chosen), stream)
    single = nv.Run(nv.AdaptiveGradient(transforms=chosen))
    for rounds in stream.blocks():
        for t, label in enumerate(rounds.labels):
            single.learn(rounds.rows.row(t), label)
    assert _state(single) == _state(whole)
    h: Any = whole.hypothesis()
    for rounds in stream.blocks():
        chances = h.probabilities(rounds.rows.rows).tolist()
        assert chances == [single.probability(row) for row in rounds.rows.rows]


def test_a_verifier_does_not_make_every_pair_of_a_wide_row() -> None:
    """A forged cross could ask for more products in a row than memory holds."""
    from novikoff import verifier

    wide: dict[int | tuple[int, ...], float] = dict.fromkeys(range(1001), 1.0)
    cross = verifier.Cross([[(0, 1001)], [(0, 1001)]], None)
    with pytest.raises(verifier.TooLarge, match="in a row"):
        cross.pairs(wide)
