"""The verifier plays `gradient-descent/1` bit for bit, and refuses what is not true of it."""

import ast
import copy
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import verifier
from oracle import judge, sealed_text
from oracle.descent import weights_hash
from oracle.loss_samples import descents
from oracle.losses import programs
from oracle.mutations import paths, value_at
from oracle.sample import Sample
from verifier import build

SAMPLES = {sample.name: sample for sample in descents()}
PLAIN, HINGE = SAMPLES["gradient-descent-plain-3"], SAMPLES["gradient-descent-hinge-3"]
LOSSES = ("logistic", "hinge", "squared", "absolute")


def verdict_on(content: dict[str, Any], rows: list[Any]) -> verifier.Verdict:
    return verifier.verify(sealed_text(content), lambda: iter(rows))


@pytest.mark.parametrize("name", SAMPLES)
def test_what_the_oracle_finds_true_is_verified(name: str) -> None:
    found = verdict_on(SAMPLES[name].content, SAMPLES[name].rows)
    assert found.verified, found.reason


def test_nothing_that_rounds_in_its_own_way_is_used() -> None:
    """sum of floats and ** differ between versions and machines."""
    path = build.FOLDER / "families" / "descent.py"
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    assert not [node.lineno for node in nodes if isinstance(node, ast.Name) and node.id == "sum"]
    assert not [node for node in nodes if isinstance(node, ast.Pow)]
    taken = [n for n in nodes if isinstance(n, ast.ImportFrom) and n.module == "math"]
    assert {alias.name for node in taken for alias in node.names} == {"fsum", "ldexp"}


VALUES = st.sampled_from([0.0, 1.0, -1.0, 0.1, -2.5, 1e-300, -1e300, 5e-324, 1e308, 3e-9, 7e5])
ROWS = st.lists(st.tuples(st.booleans(), st.lists(VALUES, min_size=3, max_size=3)), max_size=12)


@given(
    rows=ROWS,
    rate=st.sampled_from([2.0**-20, 0.1, 1.0, 2.0**20]),
    loss=st.sampled_from(LOSSES),
    bias=st.sampled_from([None, 0.0, 1.0, -1e-5, 1e300]),
)
def test_every_round_gives_the_bits_of_the_page(
    rows: list[tuple[bool, list[float]]], rate: float, loss: str, bias: float | None
) -> None:
    given_rows = [("", 1 if y else -1, list(enumerate(x))) for y, x in rows]
    data = verifier.Data(lambda: given_rows, {"positive": 1}, bias)
    learner = verifier.GradientDescent(data, rate, loss)
    twin = programs()["GradientDescent"](rate, loss)
    for (y, values), (label, x) in zip(rows, learner.rounds(), strict=True):
        features = {j: v for j, v in enumerate(values) if v} | ({-1: bias} if bias else {})
        prediction = twin.learn(features, 1 if y else -1)
        assert learner.mistaken(label, x) == (prediction != label)
        assert learner.fingerprint() == weights_hash(twin)
    for name in ("loss", "loss_rest", "stability", "stability_rest"):
        assert getattr(learner, name).hex() == getattr(twin, name).hex()
        assert math.isfinite(getattr(learner, name))


REFUSALS: dict[str, tuple[Sample, tuple[Any, ...], Any]] = {
    "its program is not gradient-descent/1": (PLAIN, ("program",), "blend/1"),
    "its start is neither null nor the hash of a state": (PLAIN, ("start",), "0" * 64),
    "its state after round 3 is another": (PLAIN, ("states", 0, 1), "0" * 64),
    "its rate is not a float from 9.5367431640625e-07 to 1048576.0": (
        PLAIN,
        ("learner", "parameters", "rate"),
        2.0**21,
    ),
    'its loss is not "logistic" or "hinge" or "squared" or "absolute"': (
        PLAIN,
        ("learner", "parameters", "loss"),
        "log",
    ),
    "its theorem is not about this learner": (HINGE, ("theorem",), "ogd-logistic"),
    "its values or its steps are beyond 2^300": (
        SAMPLES["gradient-descent-steep-1"],
        ("learner", "parameters", "bias"),
        math.nextafter(2.0**300, math.inf),
    ),
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_the_reason_is_the_one_thing_that_is_wrong(reason: str) -> None:
    sample, path, value = REFUSALS[reason]
    content = copy.deepcopy(sample.content)
    value_at(content, path[:-1])[path[-1]] = value
    stated = verifier.THEOREMS[content["theorem"]]
    content |= {"statement": stated.statement, "assumptions": list(stated.assumptions)}
    if path[-1] == "bias":
        content |= {"states": [], "mistakes": _mistakes(content, sample)}
        twin = _played(content, sample)
        content["evidence"]["loss"] = twin.loss + twin.loss_rest
    assert verdict_on(content, sample.rows).reason == reason


def _played(content: dict[str, Any], sample: Sample) -> Any:
    parameters = content["learner"]["parameters"]
    twin = programs()["GradientDescent"](parameters["rate"], parameters["loss"])
    for _, y, items in sample.rows:
        twin.learn(dict(items) | {-1: parameters["bias"]}, y)
    return twin


def _mistakes(content: dict[str, Any], sample: Sample) -> Any:
    from oracle.writing import transcript

    parameters = content["learner"]["parameters"]
    twin = programs()["GradientDescent"](parameters["rate"], parameters["loss"])
    found = [
        t
        for t, (_, y, items) in enumerate(sample.rows, 1)
        if twin.learn(dict(items) | {-1: parameters["bias"]}, y) != y
    ]
    return {"count": len(found), "rounds": transcript(found)}


def _others(value: Any) -> list[Any]:
    if isinstance(value, bool) or value is None:
        return [0, "x", not value, [], 1.5]
    if isinstance(value, int):
        return [value + 1, value - 1, 10**30, float(value), None]
    if isinstance(value, float):
        up, down = math.nextafter(value, math.inf), math.nextafter(value, -math.inf)
        return [up, down, -value - 1, value * 2 + 1, 1e308, 5e-324, None]
    if isinstance(value, str):
        return [value + "x", "hinge", "", None, 3, [value]]
    if isinstance(value, list):
        return [[], value[:-1], [*value, *value[-1:]], [*value[::-1], 1], None, {}]
    return [{}, {**value, "extra": 1}, None, []]


@pytest.mark.parametrize("name", SAMPLES)
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
