"""The verifier replays `blend/1` bit for bit, and bounds the work that somebody can ask for."""

import copy
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import verifier
from oracle import sealed_text
from oracle.loss_samples import blends
from oracle.losses import blend_hash, programs
from oracle.mutations import value_at

SAMPLES = {sample.name: sample for sample in blends()}
PLAIN = SAMPLES["blend-plain-3"]
VALUES = st.sampled_from(
    [0.0, 1.0, -1.0, 0.1, -2.5, 1e-300, -1e300, 5e-324, 1e308, 3e-9, 2.0**-1074 * 3, 7e5, 2.0**21]
)
ROWS = st.lists(st.tuples(st.booleans(), st.lists(VALUES, min_size=3, max_size=3)), max_size=12)
Row = tuple[str, int, list[tuple[int, float]]]


def _same(rows: list[Row], bias: float | None) -> Any:
    """Play rows with both, compare every round, and return the verifier's learner."""
    learner = verifier.Blend(verifier.Data(lambda: rows, {"positive": 1}, bias))
    twin = programs()["Blend"]()
    for (_, y, items), (label, x) in zip(rows, learner.rounds(), strict=True):
        features = {j: v for j, v in items if v} | ({-1: bias} if bias else {})
        prediction = twin.learn(features, y)
        assert learner.mistaken(label, x) == (prediction != label)
        assert learner.fingerprint() == blend_hash(twin)
    assert [learner.loss.hex(), learner.loss_rest.hex()] == [twin.loss.hex(), twin.loss_rest.hex()]
    assert learner.stability == twin.stability
    assert learner.stability_rest == twin.stability_rest
    assert all(map(math.isfinite, [learner.loss, *learner.stability]))
    return learner


@settings(max_examples=50, deadline=None)
@given(rows=ROWS, bias=st.sampled_from([None, 0.0, 1.0, -1e-5, 1e300]))
def test_every_round_gives_the_bits_of_the_page(
    rows: list[tuple[bool, list[float]]], bias: float | None
) -> None:
    """Whatever the values, jumps of 600 orders of magnitude included."""
    _same([("", 1 if y else -1, list(enumerate(x))) for y, x in rows], bias)


def _sparse(rounds: int, features: int, seed: int) -> list[Row]:
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(features)
    found: list[Row] = []
    for t in range(rounds):
        chosen = np.flatnonzero(rng.random(features) < 8 / features)
        x = rng.standard_normal(len(chosen)) * 10.0 ** (chosen % 7 - 3)
        y = 1 if x @ (w[chosen] / 10.0 ** (chosen % 7 - 3)) > 0 else -1
        found.append((f"row {t}", y, list(zip(chosen.tolist(), x.tolist(), strict=True))))
    return found


def test_a_long_run_with_a_full_matrix_gives_the_bits_of_the_page() -> None:
    learner = _same(_sparse(150, 30, 1), 1.0)
    assert len(learner.newton.slots) == 31


@pytest.mark.parametrize(("features", "left"), [(128, False), (129, True)])
def test_newton_leaves_with_the_feature_too_many(features: int, left: bool) -> None:
    """128 features and the constant one have room, in whichever rounds they come."""
    items = [(j, 1.0 + j) for j in range(features)]
    rows: list[Row] = [("", 1, items[:100]), ("", -1, items[90:]), ("", 1, items[::7])]
    learner = _same(rows, 1.0)
    assert learner.newton.left == learner.mixture.left == left
    assert (learner.mixture.weights[9] == 0) == left


def test_a_row_of_very_many_features_makes_no_matrix() -> None:
    rows: list[Row] = [("", 1, [(j, 1.0) for j in range(20_000)])]
    learner = verifier.Blend(verifier.Data(lambda: rows, {"positive": 1}, None))
    learner.play(1, {"delta": 0.5}, iter([]))
    assert learner.newton.left
    assert learner.newton.P == []


FIELDS = "w, rate, loss, perhaps least"
REFUSALS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "its program is not blend/1": (("program",), "adaptive-gradient/1"),
    "its start is neither null nor the hash of a state": (("start",), "0" * 64),
    "its state after round 3 is another": (("states", 0, 1), "0" * 64),
    "its rate is not 0.25, 1.0 or 4.0": (("evidence", "rate"), 1),
    f"its evidence must have the fields {FIELDS}; this version knows no others": (
        ("evidence",),
        {"w": [], "loss": 1.0},
    ),
    "its w has a weight for feature 5, which never appears": (("evidence", "w", 0, 0), 5),
    "its parameters are not bias, hashing": (("learner", "parameters", "rate"), 1.0),
    "its theorem is not about this learner": (("theorem",), "ftrl-diag"),
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_the_reason_is_the_one_thing_that_is_wrong(reason: str) -> None:
    path, value = REFUSALS[reason]
    content = copy.deepcopy(PLAIN.content)
    value_at(content, path[:-1])[path[-1]] = value
    stated = verifier.THEOREMS[content["theorem"]]
    content |= {"statement": stated.statement, "assumptions": list(stated.assumptions)}
    assert verifier.verify(sealed_text(content), lambda: PLAIN.rows).reason == reason


@pytest.mark.parametrize("name", ["loss", "bound"])
def test_a_last_bit_is_noticed(name: str) -> None:
    content = copy.deepcopy(PLAIN.content)
    holder = content if name == "bound" else content["evidence"]
    holder[name] = math.nextafter(holder[name], 0.0)
    said = verifier.verify(sealed_text(content), lambda: PLAIN.rows)
    assert (said.verified, said.reason.split(" is not ")[0]) == (False, f"its {name}")


def test_hashes_take_work_that_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier.Work, "most", 10_000)
    with pytest.raises(verifier.TooLarge, match="a hash of so many states"):
        verifier.verify(sealed_text(PLAIN.content), lambda: PLAIN.rows)
