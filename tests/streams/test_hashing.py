"""Hashing: names without a dictionary, as scikit-learn hashes them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction import FeatureHasher
from sklearn.utils import murmurhash3_32

import novikoff as nv
from novikoff import _core
from problems import named_rounds

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(words)
def test_the_hash_is_scikit_learns(text: str) -> None:
    assert _core.murmur3(text.encode()) == murmurhash3_32(text.encode(), positive=True)


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("bits", [3, 18])
@given(st.dictionaries(words, st.integers(-99, 99) | words, max_size=12))
def test_hashed_rows_are_scikit_learns(bits: int, signed: bool, x: dict[str, Any]) -> None:
    learner = nv.Perceptron(hashing=nv.Hashing(bits, signed))
    hasher = FeatureHasher(n_features=2**bits, alternate_sign=signed)
    expected = hasher.transform([x]).toarray()
    block = nv.streams.NamedBlock([x]).numbered(learner.features, 0, 1, adopt=True)
    found = np.zeros((1, 2**bits))
    found[0, block.indices] = block.values
    assert np.array_equal(found, expected)


def test_hashed_learners_learn_as_on_hashed_arrays(tmp_path: Any) -> None:
    whole = [({name: round(10 * v) for name, v in x.items()}, y) for x, y in named_rounds(300)]
    rows = [(x | {"kind": f"k{len(x)}"}, y) for x, y in whole]
    X, y = [x for x, _ in rows], np.array([label for _, label in rows])
    hashed = FeatureHasher(n_features=2**4).transform(X)
    arrays = nv.play(nv.Perceptron(), nv.stream(hashed, y))
    run = nv.Run(nv.Perceptron(hashing=nv.Hashing(4)))
    for x, label in rows:
        run.learn(x, label)
    assert run.ledger.mistake_rounds.tolist() == arrays.ledger.mistake_rounds.tolist()
    assert run.learner.dimension == 16
    run.save(tmp_path / "run")
    resumed = nv.Run.load(tmp_path / "run")
    assert np.array_equal(resumed.predict(X), run.predict(X))
    assert np.array_equal(run.predict(X), arrays.predict(hashed))
    assert set(run.hypothesis().weights()) <= set(range(16))  # type: ignore[attr-defined]
    with pytest.raises(nv.InputError, match="expected names that UTF-8 can hold"):
        run.learn({"\udc80": 1.0}, 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nv.Hashing(0),
        lambda: nv.Hashing(31),
        lambda: nv.Hashing(3.0),  # type: ignore[arg-type]
        lambda: nv.Hashing(3, "yes"),  # type: ignore[arg-type]
        lambda: nv.Perceptron(hashing=20),  # type: ignore[arg-type]
        lambda: nv.Perceptron(hashing={"bit": 3}),  # type: ignore[arg-type]
    ],
)
def test_hashing_is_checked(make: Any) -> None:
    with pytest.raises(nv.ParameterError, match=r"expected .+, got"):
        make()
