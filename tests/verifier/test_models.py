"""Models that somebody wrote: whatever their bytes are, the verifier says so and stays small."""

import json
import struct
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nv
from novikoff import verifier
from oracle import sealed_text, transcript
from oracle.limits import little_memory, little_time

LEARNERS = {"perceptron": nv.Perceptron, "gradient": nv.AdaptiveGradient, "blend": nv.Blend}
EACH = pytest.mark.parametrize("name", LEARNERS)
ROWS = [("1", 1, [(0, 1.0), (1, 0.5)]), ("2", -1, [(1, -2.0)]), ("3", 1, [(0, 3.0)])]
STREAM = nv.stream([[1.0, 0.5], [0.0, -2.0], [3.0, 0.0]], [1, -1, 1])
Arrays = dict[str, Any]


@pytest.fixture(autouse=True)
def _limits() -> Iterator[None]:
    with little_memory(), little_time():
        yield


def certified(name: str) -> tuple[nv.Certificate, Arrays]:
    """Return a certificate of the second of two plays, and the state between them."""
    run = nv.play(LEARNERS[name](), STREAM)
    state = run.learner.state()
    return nv.certify(run.continued().play(STREAM)), state


def packed(arrays: Arrays, **changes: Any) -> bytes:
    """Return a file with these arrays, and with changes in its header."""
    header: dict[str, Any] = {"__metadata__": {"format": "novikoff/1"}}
    body = b""
    for name, array in arrays.items():
        kind, data = {"f": "F64", "i": "I64"}[array.dtype.kind], array.tobytes()
        place = [len(body), len(body) + len(data)]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": place}
        body += data
    text = json.dumps(header | changes).encode()
    return struct.pack("<Q", len(text)) + text + body


def verdict(certificate: nv.Certificate, data: bytes, folder: Path) -> Any:
    (folder / "m").write_bytes(data)
    model = verifier.read_model(str(folder / "m"))
    return verifier.verify(certificate.text, lambda: iter(ROWS), begin=model)


@EACH
def test_the_arrays_alone_make_a_model(name: str, tmp_path: Path) -> None:
    certificate, state = certified(name)
    assert verdict(certificate, packed(state), tmp_path).verified


BAD: dict[str, bytes] = {
    "nothing": b"", "short": b"\1\0\0", "long header": struct.pack("<Q", 2**63) + b"{}",
    "no JSON": struct.pack("<Q", 3) + b"{a}", "a list": struct.pack("<Q", 2) + b"[]",
    "deep": struct.pack("<Q", 200_000) + b"[" * 200_000, "no arrays": struct.pack("<Q", 2) + b"{}",
    "NaN": struct.pack("<Q", 3) + b"NaN",
}  # fmt: skip


@EACH
@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_model_is_named(name: str, kind: str, tmp_path: Path) -> None:
    certificate, _ = certified(name)
    with pytest.raises(verifier.BadData, match="m: "):
        verdict(certificate, BAD[kind], tmp_path)


@EACH
def test_arrays_of_another_form_are_named(name: str, tmp_path: Path) -> None:
    """Places outside the file, other types, numbers that are not finite, wrong lengths."""
    certificate, state = certified(name)
    array = {"perceptron": "weights", "gradient": "cells", "blend": "weights"}[name]
    sound: dict[str, Any] = {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}
    odd: list[Any] = [
        None, [], "x", {}, sound | {"dtype": "F32"}, sound | {"data_offsets": [0, 2**60]},
        sound | {"data_offsets": [-8, 0]}, sound | {"data_offsets": [8, 0]},
        sound | {"data_offsets": [0, 7]}, sound | {"data_offsets": [0.0, 8.0]},
        sound | {"data_offsets": "08"}, sound | {"data_offsets": [True, 8]},
    ]  # fmt: skip
    for about in odd:
        with pytest.raises(verifier.BadData, match="m: "):
            verdict(certificate, packed(state, **{array: about}), tmp_path)
    for value in (np.inf, np.nan, -np.inf):
        changed = state | {array: np.append(state[array], value)}
        with pytest.raises(verifier.BadData, match="m: "):
            verdict(certificate, packed(changed), tmp_path)


STATES: list[tuple[str, dict[str, Any]]] = [
    ("perceptron", {"weights": np.zeros(7)}),
    ("perceptron", {"weights": np.ones(10)}),
    ("perceptron", {"remainder_slots": np.array([99]), "remainder_parts": np.array([1.0])}),
    ("perceptron", {"remainder_slots": np.array([-1]), "remainder_parts": np.array([1.0])}),
    ("perceptron", {"remainder_slots": np.array([8])}),
    ("gradient", {"cells": np.array([1.0, 2.0])}),
    ("gradient", {"cells": np.array([-1.0, 0.0, 0.0])}),
    ("gradient", {"cells": np.array([1.0, 0.0, -0.5])}),
    ("gradient", {"cells": np.array([1.0, 2.0**42, 0.5])}),
    ("gradient", {"cells": np.array([0.0, 1.0, 0.5])}),
    ("blend", {"counts": np.array([3, 3])}),
    ("blend", {"counts": np.array([3, 2**41, 0])}),
    ("blend", {"counts": np.array([3, 3, 1])}),
    ("blend", {"totals": np.zeros(4)}),
    ("blend", {"weights": np.full(11, 0.1)}),
    ("blend", {"weights": np.full(11, -0.1)}),
    ("blend", {"weights": np.full(10, 0.1)}),
    ("blend", {"weights": np.full(12, 0.08)}),
    ("blend", {"stack_matrix": np.zeros(100)}),
    ("blend", {"newton_features": np.array([0, 0, 1])}),
    ("blend", {"newton_first": np.zeros(3)}),
    ("blend", {"newton_matrix": np.zeros(2)}),
    ("blend", {"cells": np.ones(17)}),
    ("blend", {"cells": np.append(np.zeros(15), -1.0)}),
]


@pytest.mark.parametrize(("name", "changes"), STATES)
def test_states_that_no_run_leaves_are_named(
    name: str, changes: dict[str, Any], tmp_path: Path
) -> None:
    """Although somebody could state their hash: the theorems are about states of runs."""
    certificate, state = certified(name)
    with pytest.raises(verifier.BadData, match="m: expected "):
        verdict(certificate, packed(state | changes), tmp_path)


MEANS: list[tuple[Any, str]] = [
    (np.full(10, 0.1), "eleven numbers for 'mean_weights'"),
    (np.append(np.full(10, 0.1), np.nan), "finite floats for 'mean_weights'"),
    (np.append(np.full(10, 0.11), -0.1), "no number below 0.0 in 'mean_weights'"),
    (np.full(11, 0.1), "numbers that add up to 1 for 'mean_weights'"),
    (np.zeros(11), "numbers that add up to 1 for 'mean_weights'"),
    (np.append(np.zeros(10), 1 + 1e-12), "numbers that add up to 1 for 'mean_weights'"),
    (np.append(np.zeros(10), 1 - 1e-12), "numbers that add up to 1 for 'mean_weights'"),
]


@pytest.mark.parametrize(("mean", "expected"), MEANS)
def test_mean_weights_that_no_run_leaves_are_named(
    mean: Any, expected: str, tmp_path: Path
) -> None:
    certificate, state = certified("blend")
    with pytest.raises(verifier.BadData, match=f"m: expected {expected}, got others"):
        verdict(certificate, packed(state | {"mean_weights": mean}), tmp_path)


@pytest.mark.parametrize("features", [3, 200])
def test_the_mean_weights_of_a_long_run_add_up_to_1(features: int) -> None:
    """With 200 features OnlineNewton leaves; each round rounds the sum by less than 2⁻⁵⁰."""
    rng = np.random.default_rng(features)
    X = sp.random(20_000, features, 3 / features, "csr", rng=rng)
    y = np.where(X.sum(1).A1 - 1.5 + rng.standard_normal(20_000) > 0, 1, -1)
    state = nv.play(nv.Blend(), nv.stream(X, y)).learner.state()
    rounds, left = state["counts"].tolist()[1:]
    assert (rounds, left) == (20_000, features == 200)
    total = sum(map(Fraction, state["mean_weights"].tolist()), Fraction(0))
    assert total != 1
    assert abs(total - 1) < Fraction(rounds + 3, 2**50) / 100  # errors cancel, for the most part
    read = verifier.FloatData(lambda: iter(ROWS), {"positive": 1}, 1.0)
    arrays = {name: values.reshape(-1).tolist() for name, values in state.items()}
    twin = verifier.ResumedBlend(read)
    twin.begin(verifier.Model(arrays.__getitem__, "m"))
    assert twin.mixture.mean == arrays["mean_weights"]


@EACH
@settings(max_examples=40)
@given(data=st.data())
def test_no_state_refutes_a_theorem(name: str, data: st.DataObject) -> None:
    """A certificate from an invented state that passes is true: what was observed is allowed."""
    certificate, state = certified(name)
    array = data.draw(st.sampled_from(sorted(n for n in state if state[n].dtype.kind == "f")))
    values = st.sampled_from([0.0, 1.0, -1.0, 0.3, 1e-300, 1e300, 2.0**40, 5e-324, -7.0])
    changed = state[array].copy().reshape(-1)
    for at in data.draw(st.lists(st.integers(0, max(len(changed) - 1, 0)), max_size=3)):
        if len(changed):
            changed[at] = data.draw(values)
    arrays = {n: a.reshape(-1).tolist() for n, a in (state | {array: changed}).items()}
    model = verifier.Model(arrays.__getitem__, "m")
    content = json.loads(certificate.text)
    part = verifier.LEARNERS[content["learner"]["name"]]
    _, parameters = verifier.stated_learner(content)
    try:
        read = verifier.read(content, part, parameters, lambda: iter(ROWS))
        twin = verifier.replayed(content["learner"]["name"], read, parameters)
        twin.begin(model)
        content["start"]["state"] = twin.fingerprint()
        twin.take(content["evidence"])
        played = enumerate(twin.rounds(), 1)
        mistakes = [t for t, (y, x) in played if twin.mistaken(y, x)]
    except (verifier.BadData, verifier.Refused, ArithmeticError, ValueError):
        return  # floats that overflow
    content |= {"states": [], "mistakes": {"count": len(mistakes), "rounds": transcript(mistakes)}}
    if "loss" in content["evidence"]:
        content["evidence"]["loss"] = twin.observed
    found = verifier.verify(sealed_text(content), lambda: iter(ROWS), begin=model)
    fine = (
        "verified",
        "its bound is not",
        "the bound is beyond",
        "it is not made as a certificate",
    )
    assert found.reason.startswith(fine), found.reason
