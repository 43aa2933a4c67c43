"""Float programs: the verifier replays them bit for bit, and believes no number about them."""

import ast
import copy
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from novikoff import verifier
from oracle import judge, sealed_text
from oracle.loss_samples import bets, blends, class_blends, losses
from oracle.losses import programs, state_hash
from oracle.mutations import paths, value_at
from oracle.reals import real
from oracle.sample import Sample
from verifier import build

SAMPLES = {sample.name: sample for sample in [*losses(), *blends(), *bets(), *class_blends()]}
PLAIN = SAMPLES["adaptive-gradient-plain-3"]


def verdict_on(content: dict[str, Any], rows: list[Any]) -> verifier.Verdict:
    return verifier.verify(sealed_text(content), lambda: rows)


def arguments() -> list[float]:
    """Arguments of every size, and those where exp and log1p change their branches."""
    rng = np.random.default_rng(5)
    edges = [k * math.log(2) / 2 for k in range(-2048, 2049)]
    near = [math.nextafter(x, way) for x in edges for way in (-math.inf, math.inf)]
    wide = (rng.choice([-1, 1], 20_000) * 2.0 ** rng.uniform(-1074, 12, 20_000)).tolist()
    plain = rng.normal(0, 30, 20_000).tolist()
    return [0.0, -0.0, 5e-324, 1.0, 708.0, -708.0, 709.0, -1e308, *edges, *near, *wide, *plain]


def test_the_functions_are_those_of_the_page() -> None:
    page = programs()
    for x in arguments():
        assert verifier.float_exp(x).hex() == page["exp"](x).hex()
        assert verifier.float_log1p(abs(x)).hex() == page["log1p"](abs(x)).hex()


@pytest.mark.parametrize("part", ["losses", "betting", "mixture", "blend"])
def test_nothing_that_rounds_in_its_own_way_is_used(part: str) -> None:
    """sum of floats, ** and the exp of the C library differ between versions and machines."""
    tree = ast.parse((build.FOLDER / "families" / f"{part}.py").read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    assert not [node.lineno for node in nodes if isinstance(node, ast.Name) and node.id == "sum"]
    assert not [node for node in nodes if isinstance(node, ast.Pow)]
    taken = [n for n in nodes if isinstance(n, ast.ImportFrom) and n.module == "math"]
    found = {alias.name for node in taken for alias in node.names}
    assert {"fsum", "sqrt"} <= found <= {"frexp", "fsum", "ldexp", "sqrt"}
    assert not [n for n in nodes if isinstance(n, ast.Import) and n.names[0].name == "math"]


VALUES = st.sampled_from(
    [0.0, 1.0, -1.0, 0.1, -2.5, 1e-300, -1e300, 5e-324, 1e308, 3e-9, 2.0**-1074 * 3, 7e5]
)
ROWS = st.lists(st.tuples(st.booleans(), st.lists(VALUES, min_size=3, max_size=3)), max_size=12)


@given(
    rows=ROWS,
    rate=st.sampled_from([2.0**-20, 0.1, 1.0, 2.0**20]),
    bias=st.sampled_from([None, 0.0, 1.0, -1e-5, 1e300]),
)
def test_every_round_gives_the_bits_of_the_page(
    rows: list[tuple[bool, list[float]]], rate: float, bias: float | None
) -> None:
    """Whatever the values, jumps of 600 orders of magnitude included, in state, loss and score."""
    given_rows = [("", 1 if y else -1, list(enumerate(x))) for y, x in rows]
    data = verifier.Data(lambda: given_rows, {"positive": 1}, bias)
    learner = verifier.AdaptiveGradient(data, rate)
    twin = programs()["AdaptiveGradient"](rate)
    for (y, values), (label, x) in zip(rows, learner.rounds(), strict=True):
        features = {j: v for j, v in enumerate(values) if v} | ({-1: bias} if bias else {})
        prediction = twin.learn(features, 1 if y else -1)
        assert learner.mistaken(label, x) == (prediction != label)
        assert learner.fingerprint() == state_hash(twin)
    for name in ("loss", "loss_rest", "stability", "stability_rest"):
        assert getattr(learner, name).hex() == getattr(twin, name).hex()
        assert math.isfinite(getattr(learner, name))


@given(st.lists(st.integers(-(2**70), 2**70) | st.integers(-(2**40), 2**40), max_size=150))
def test_the_loss_of_a_comparator_is_rounded_up_by_next_to_nothing(margins: list[int]) -> None:
    found = verifier.LogLoss(2**32)
    for z in margins:
        found.add(z)
    upper = found.total()
    with mp.workdps(60):
        exact = sum((mp.log1p(mp.exp(-real(z) / 2**32)) for z in margins), mp.mpf(0))
        assert exact <= real(upper) <= exact * (1 + mp.mpf(10) ** -26) + mp.mpf(10) ** -25


def test_a_fast_run_of_many_rounds_is_verified() -> None:
    """Some thousand rows of ones: the states every thousand rounds are those of the page."""
    rng = np.random.default_rng(2)
    rows = [
        (f"row {t}", int(rng.choice([-1, 1])), [(int(j), 1.0) for j in np.flatnonzero(x)])
        for t, x in enumerate(rng.random((3000, 40)) < 0.3)
    ]
    twin, mistakes = programs()["AdaptiveGradient"](0.25), []
    states: dict[int, str] = {}
    for t, (_, y, items) in enumerate(rows, 1):
        if twin.learn(dict(items), y) != y:
            mistakes.append(t)
        if t % 1000 == 0:
            states[t] = state_hash(twin)
    data = verifier.Data(lambda: rows, {"positive": 1}, None)
    learner = verifier.AdaptiveGradient(data, 0.25)
    evidence: dict[str, Any] = {"w": [[0, 0.5], [7, -0.25]], "loss": twin.loss + twin.loss_rest}
    learner.play(1, evidence, iter(mistakes), states)
    learner.confirm(evidence)
    assert evidence["loss"] <= learner.bound("ftrl-diag") < evidence["loss"] + 300


REFUSALS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "its program is not adaptive-gradient/1": (("program",), "blend/1"),
    "its start is neither null nor the hash of a state": (("start",), "0" * 64),
    "its states are no list of rounds, each with a hash": (("states",), {}),
    "its state after round 3 is another": (("states", 0, 1), "0" * 64),
    "its states go on after the last round": (("states", 4, 0), 16),
    "its rate is not a float from 9.5367431640625e-07 to 1048576.0": (
        ("learner", "parameters", "rate"),
        2.0**21,
    ),
    'its loss is not "logistic"': (("learner", "parameters", "loss"), "hinge"),
    "its w has a weight for feature 5, which never appears": (("evidence", "w", 0, 0), 5),
    "its loss is not 8.365568122752837": (("evidence", "loss"), 8.365568122752836),
    "its bound is not 29.389833519337582": (("bound",), 29.38983351933758),
    "its theorem is not about this learner": (("theorem",), "hinge"),
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_the_reason_is_the_one_thing_that_is_wrong(reason: str) -> None:
    path, value = REFUSALS[reason]
    content = copy.deepcopy(PLAIN.content)
    value_at(content, path[:-1])[path[-1]] = value
    stated = verifier.THEOREMS[content["theorem"]]
    content |= {"statement": stated.statement, "assumptions": list(stated.assumptions)}
    assert verdict_on(content, PLAIN.rows).reason == reason


def test_only_programs_and_learners_that_go_on_have_the_second_format() -> None:
    content = copy.deepcopy(PLAIN.content)
    content["learner"] = {"name": "MulticlassPerceptron"}
    content["learner"]["parameters"] = {"bias": None, "hashing": None}
    content |= {"theorem": "run", "statement": verifier.THEOREMS["run"].statement}
    content["evidence"] = {"w": []}
    said = "its learner takes a novikoff-certificate/1"
    assert verdict_on(content, PLAIN.rows).reason == said
    content["learner"] = {"name": "Perceptron"}
    content["learner"]["parameters"] = {"ties": "positive", "bias": None, "hashing": None}
    assert verdict_on(content, PLAIN.rows).reason == "its program is not None"
    first = {k: v for k, v in PLAIN.content.items() if k not in ("program", "start", "states")}
    said = "its learner takes a novikoff-certificate/2"
    assert verdict_on(first | {"format": verifier.FORMAT}, PLAIN.rows).reason == said


def _others(value: Any) -> list[Any]:
    if isinstance(value, bool) or value is None:
        return [0, "x", not value, [], 1.5]
    if isinstance(value, int):
        return [value + 1, value - 1, 10**30, float(value), str(value), None]
    if isinstance(value, float):
        up, down = math.nextafter(value, math.inf), math.nextafter(value, -math.inf)
        return [up, down, -value - 1, value * 2 + 1, 1e308, 5e-324, None, str(value)]
    if isinstance(value, str):
        return [value + "x", value[:-1], "", None, 3, [value]]
    if isinstance(value, list):
        return [[], value[:-1], [*value, *value[-1:]], [*value[::-1], 1], None, {}, "x"]
    return [{}, {**value, "extra": 1}, None, [], "x"]


LONGEST = {name.rpartition("-")[0]: name for name in SAMPLES}  # of those that differ in passes


@pytest.mark.parametrize("name", LONGEST.values())
def test_a_changed_field_is_refused_or_leaves_it_true(name: str) -> None:
    sample: Sample = SAMPLES[name]
    accepted = 0
    for path in list(paths(sample.content)):
        for other in _others(value_at(sample.content, path)):
            content = copy.deepcopy(sample.content)
            value_at(content, path[:-1])[path[-1]] = other
            text = sealed_text(content)
            if text == sealed_text(sample.content):
                continue
            try:
                verified = verdict_on(content, sample.rows).verified
            except verifier.TooLarge:
                assert path == ("data", "passes")
                continue
            if verified:
                accepted += 1
                assert judge(text, sample.rows).true, (path, other)
    assert accepted < 40


def test_floats_that_lose_subnormal_numbers_give_no_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    flushed = SimpleNamespace(mant_dig=53, min=0.0)
    monkeypatch.setattr(verifier.sys, "float_info", flushed)  # type: ignore[attr-defined]
    with pytest.raises(verifier.BadData, match="floats that keep subnormal numbers"):
        verdict_on(PLAIN.content, PLAIN.rows)


@pytest.mark.parametrize(
    ("least", "epsilon", "said"),
    [(0.0, 2.0**-52, "keep subnormal numbers"), (2.0**-1022, 2.0**-51, "rounded to nearest")],
)
def test_unfit_floats_are_noticed_before_the_data_are_read(
    monkeypatch: pytest.MonkeyPatch, least: float, epsilon: float, said: str
) -> None:
    """With ε twice as large, 1 + ε/2 is not 1, as if sums were rounded upward."""

    def unread() -> list[Any]:
        raise AssertionError("the rows were read")

    unfit = SimpleNamespace(mant_dig=53, min=least, epsilon=epsilon)
    monkeypatch.setattr(verifier.sys, "float_info", unfit)  # type: ignore[attr-defined]
    with pytest.raises(verifier.BadData, match=said):
        verifier.verify(sealed_text(PLAIN.content), unread)


def test_hashes_and_passes_take_work_that_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for rows in (PLAIN.rows, []):
        data = verifier.Data(lambda rows=rows: rows, {"positive": 1}, None)  # type: ignore[misc]
        learner = verifier.AdaptiveGradient(data, 0.5)
        with pytest.raises(verifier.TooLarge, match="1001 passes are more than 1000"):
            learner.play(1001, {"delta": 0.5}, iter([]))
    monkeypatch.setattr(verifier.Work, "most", 1000)
    with pytest.raises(verifier.TooLarge, match="a hash of so many states"):
        verdict_on(PLAIN.content, PLAIN.rows)
