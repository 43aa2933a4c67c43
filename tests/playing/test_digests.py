"""The digest of the data: SHA-256 that goes on after a run was saved."""

import hashlib
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from commands import Call, caller
from novikoff import _core
from novikoff.saving import storage

SAVED = Path(__file__).parent / "saved"


@pytest.mark.parametrize("native", [True, False])
@given(parts=st.lists(st.binary(max_size=200), max_size=6))
def test_it_is_sha_256_however_it_is_cut_and_saved(native: bool, parts: list[bytes]) -> None:
    whole = hashlib.sha256()
    digest = _core.Digest(native)
    for part in parts:
        before, then = digest.copy(), digest.hexdigest()
        digest.update(part)
        whole.update(part)
        assert digest.hexdigest() == whole.hexdigest()
        assert before.hexdigest() == then
        digest = _core.Digest.restored(digest.state())
    assert digest.hexdigest() == whole.hexdigest()


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("size", [55, 56, 63, 64, 65, 119, 120, 128, 100_003])
def test_it_is_sha_256_around_whole_blocks(native: bool, size: int) -> None:
    data = np.random.default_rng(size).bytes(size)
    digest = _core.Digest(native)
    digest.update(data)
    assert digest.hexdigest() == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("state", ["", "00", "zz" * 40, "0" * 79, "0" * 82, "AB" * 40, "é" * 40])
def test_a_state_that_no_digest_has_is_refused(state: str) -> None:
    with pytest.raises(ValueError, match="the state of a digest"):
        _core.Digest.restored(state)


def rows(seed: int, count: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, 3)) * (rng.random((count, 3)) < 0.6)
    return X, np.where(X @ [1.0, -1.0, 0.5] >= 0, 1, -1)


@pytest.mark.parametrize("make", [nv.Perceptron, nv.Blend, nv.MulticlassPerceptron])
@pytest.mark.parametrize("cut", [1, 7, 40])
def test_a_saved_run_goes_on_digesting(make: Any, cut: int, tmp_path: Path) -> None:
    X, y = rows(1, 60)
    labels = ["no", "yes"]
    names = [labels[int(v > 0)] for v in y]
    whole = nv.play(make(), nv.stream(X, names), digest=True, labels=labels).ledger.digest
    run = nv.Run(make(), labels=labels, digest=True).play(nv.stream(X[:cut], names[:cut]))
    run.save(tmp_path / "m")
    for again in (nv.Run.load(tmp_path / "m"), pickle.loads(pickle.dumps(run))):
        assert again.ledger.digest == run.ledger.digest
        again.play(nv.stream(X[cut:], names[cut:]))
        assert again.ledger.digest == whole
    one_by_one = nv.Run.load(tmp_path / "m")
    for x, label in zip(X[cut:], names[cut:], strict=True):
        one_by_one.learn(x, label)
        one_by_one.save(tmp_path / "n")
        one_by_one = nv.Run.load(tmp_path / "n")
    assert one_by_one.ledger.digest == whole


def test_runs_without_a_digest_and_earlier_ones_have_none(tmp_path: Path) -> None:
    shutil.copy(SAVED / "labelled.model", tmp_path / "old")
    old = nv.Run.load(tmp_path / "old")
    assert old.ledger.digest is not None
    old.learn({"new": 1.0}, "ham")
    assert old.ledger.digest is None
    run = nv.play(nv.Perceptron(), nv.stream(*rows(1, 5)))
    run.save(tmp_path / "m")
    assert "digesting" not in storage.read(tmp_path / "m", ("Run",))[1]
    assert nv.Run.load(tmp_path / "m").play(nv.stream(*rows(2, 5))).ledger.digest is None


def test_the_state_of_another_digest_is_refused(tmp_path: Path) -> None:
    run = nv.play(nv.Perceptron(), nv.stream(*rows(1, 5)), digest=True)
    run.save(tmp_path / "m")
    kind, about, arrays = storage.read(tmp_path / "m", ("Run",))
    for state in (_core.Digest().state(), "", 3, None):
        storage.write(tmp_path / "n", kind, {**about, "digesting": state}, arrays, lambda *_: None)
        with pytest.raises(nv.InputError, match="expected what save wrote"):
            nv.Run.load(tmp_path / "n")


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Call:
    monkeypatch.chdir(tmp_path)
    for day in (1, 2):
        X, y = rows(day, 30)
        lines = [" ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v) for x in X.tolist()]
        pairs = zip(y.tolist(), lines, strict=True)
        Path(f"{day}.svm").write_text("".join(f"{label} {line}\n" for label, line in pairs))
    return caller(capsys)


def test_resumed_files_have_the_digest_of_all(call: Call) -> None:
    whole = call("learn 1.svm 2.svm --digest --json").json["digest"]
    assert call("learn 1.svm --digest --save m").code == 0
    assert call("learn 2.svm --resume m --digest --json").json["digest"] == whole
    assert call("learn 1.svm --save plain").code == 0
    found = call("learn 2.svm --resume plain --digest")
    assert found.code == 2
    assert "--digest: expected a model that was learned with --digest" in found.err


def test_the_digest_covers_labels_as_the_learner_sees_them_and_no_weights() -> None:
    """What docs/decisions.md says of it."""
    X = [[1.0, 0.0], [0.0, 1.0]]

    def digest(learner: Any, y: Any, labels: Any = (), **more: Any) -> str | None:
        run = nv.Run(learner, labels=labels, digest=True)
        return run.play(nv.stream(X, y, **more)).ledger.digest

    assert digest(nv.ForwardRegression(), [0.5, 2.0]) != digest(nv.ForwardRegression(), [0.5, 2.5])
    three = digest(nv.Blend(), [2, 1], labels=[1, 2, 3])
    assert three == digest(nv.Blend(), [2, 1], labels=[1, 2, 4])
    assert three != digest(nv.Blend(), [2, 1], labels=[2, 1, 3])  # their numbers are others
    weighted = digest(nv.Perceptron(), [1, -1], weights=[2.0, 3.0])
    assert weighted == digest(nv.Perceptron(), [1, -1])
