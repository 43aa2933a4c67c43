"""Mixtures of frozen models: the program, its theorem, its certificates, and forged ones."""

import copy
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import novikoff as nv
from novikoff import verifier
from novikoff.errors import HypothesisError
from novikoff.receipts.certificates import sealed
from program_page import program_page


def rows(count: int = 240, features: int = 4, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, features)).round(2) * 10.0 ** rng.integers(-2, 3, features)
    X *= rng.random(X.shape) < 0.8
    y = np.where(X @ rng.standard_normal(features) + rng.standard_normal(count) >= 0, 1, -1)
    return X, y


def shards(X: Any, y: Any, count: int = 3, **options: Any) -> list[nv.Run]:
    cut = np.array_split(np.arange(len(y)), count)
    return [nv.play(nv.Blend(**options), nv.stream(X[part], y[part])) for part in cut]


def mixture(count: int = 3, seed: int = 0, **options: Any) -> tuple[nv.Run, nv.Stream]:
    X, y = rows(seed=seed)
    models = [run.hypothesis() for run in shards(X[:200], y[:200], count, **options)]
    held = nv.stream(X[200:], y[200:])
    return nv.play(nv.FrozenMixture(models), held), held


@pytest.mark.parametrize("count", [1, 2, 5])
def test_it_is_the_program_of_the_page(count: int) -> None:
    X, y = rows(seed=count)
    page = program_page()
    cut = np.array_split(np.arange(180), count)
    twins = []
    for part in cut:
        twin = page.Blend()
        for t in part:
            twin.learn(dict(enumerate(X[t].tolist())) | {-1: 1.0}, int(y[t]))
        twins.append(twin)
    twin = page.FrozenMixture(twins)
    models = [nv.play(nv.Blend(), nv.stream(X[p], y[p])).hypothesis() for p in cut]
    run = nv.play(nv.FrozenMixture(models), nv.stream(X[180:], y[180:]))
    said = [
        twin.learn(dict(enumerate(x)) | {-1: 1.0}, s)
        for x, s in zip(X[180:].tolist(), y[180:].tolist(), strict=True)
    ]
    wrong = [t for t, (p, s) in enumerate(zip(said, y[180:], strict=True), 1) if p != s]
    assert run.ledger.mistake_rounds.tolist() == wrong
    assert run.ledger.loss == twin.loss + twin.loss_rest
    assert [*run.learner.losses.values()] == twin.losses
    assert [*run.learner.weights.values()] == twin.weights


def test_blocks_and_single_rounds_agree_and_a_refused_row_changes_nothing() -> None:
    run, held = mixture()
    X, y = held.block.values, held.labels  # type: ignore[attr-defined]
    other = nv.Run(nv.FrozenMixture(run.learner.hypotheses))
    with pytest.raises(nv.InputError):
        other.play(nv.stream(np.vstack([X[:5], [np.nan] * 4]), [*y[:5], 1]))
    assert other.ledger.rounds == 5
    for x, label in zip(X[5:], y[5:], strict=True):
        other.learn(x, int(label))
    assert other.ledger.loss == run.ledger.loss
    for name, array in run.learner.state().items():
        assert np.array_equal(other.learner.state()[name], array), name


def test_its_loss_is_at_most_that_of_the_best_member_and_ln_k() -> None:
    for count in (1, 2, 7):
        run, _ = mixture(count, seed=count)
        best = min(run.learner.losses.values())
        assert run.ledger.loss <= best + math.log(count) + 1e-9
        (bound,) = nv.bounds(run)
        assert bound.value == pytest.approx(best + math.log(count), abs=1e-9)


def test_a_saved_mixture_goes_on_as_if_it_had_not_been_saved(tmp_path: Path) -> None:
    run, held = mixture()
    run.save(tmp_path / "it.model")
    again = nv.Run.load(tmp_path / "it.model")
    X = held.block.values  # type: ignore[attr-defined]
    assert again.probability(X[0]) == run.probability(X[0])
    assert np.array_equal(again.hypothesis().probabilities(X), run.hypothesis().probabilities(X))  # type: ignore[attr-defined]
    run.hypothesis().save(tmp_path / "frozen.model")
    frozen: Any = nv.Hypothesis.load(tmp_path / "frozen.model")
    assert np.array_equal(frozen.probabilities(X), run.hypothesis().probabilities(X))  # type: ignore[attr-defined]
    run.play(held)
    again.play(held)
    assert again.ledger.loss == run.ledger.loss
    assert again.learner.fresh().rounds == 0


@pytest.mark.parametrize("options", [{}, {"bias": None}], ids=["constant", "no constant"])
def test_a_certificate_verifies_with_any_model_that_has_the_members(
    options: Any, tmp_path: Path
) -> None:
    run, held = mixture(3, **options)
    certificate = nv.certify(run)
    assert certificate.theorem == "mixture"
    assert nv.verify(certificate, held, start=run).verified
    run.save(tmp_path / "end.model")
    nv.Run(run.learner.fresh()).save(tmp_path / "begin.model")
    loaded = nv.certify(nv.Run.load(tmp_path / "end.model"), held)
    assert loaded.content == certificate.content
    certificate.save(tmp_path / "it.json")
    X, y = held.block.values, held.labels  # type: ignore[attr-defined]
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x) if v)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    (tmp_path / "held.svm").write_text("\n".join(lines) + "\n")
    for model in ("begin.model", "end.model"):
        command = [sys.executable, "-I", verifier.__file__, str(tmp_path / "it.json"),
                   str(tmp_path / "held.svm"), f"start={tmp_path / model}"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["verified"], done.stdout


def test_its_members_are_named_as_their_own_certificates_end() -> None:
    """So a chain of certificates leads from the rows of every shard to the mixture."""
    X, y = rows()
    parts = shards(X[:150], y[:150], 2)
    run = nv.play(
        nv.FrozenMixture([part.hypothesis() for part in parts]), nv.stream(X[150:], y[150:])
    )
    ends = [nv.certify(part).content["states"][-1][1] for part in parts]
    assert nv.certify(run).content["learner"]["parameters"]["hypotheses"] == ends


def changed(content: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    found = copy.deepcopy(content)
    place = found
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = to
    return found


def test_forged_certificates_are_refused() -> None:
    run, held = mixture()
    true = nv.certify(run).content
    hashes = true["learner"]["parameters"]["hypotheses"]
    loss, start = true["evidence"]["loss"], true["start"]
    members = ("learner", "parameters", "hypotheses")
    lies = {
        "a smaller loss": changed(true, "evidence", "loss", to=math.nextafter(loss, 0)),
        "a smaller bound": changed(true, "bound", to=math.nextafter(true["bound"], 0)),
        "a larger bound": changed(true, "bound", to=math.nextafter(true["bound"], math.inf)),
        "a member less": changed(true, *members, to=hashes[:2]),
        "a member twice": changed(true, *members, to=[*hashes, hashes[0]]),
        "another order": changed(true, *members, to=hashes[::-1]),
        "another member": changed(true, *members, to=["0" * 64, *hashes[1:]]),
        "no member": changed(true, *members, to=[]),
        "no hash": changed(true, *members, to=[*hashes[:2], "x" * 64]),
        "another start": changed(true, "start", "state", to="0" * 64),
        "no start": changed(true, "start", to=None),
        "another end": changed(true, "states", to=[[40, start["state"]]]),
        "a mistake less": changed(true, "mistakes", "count", to=true["mistakes"]["count"] - 1),
        "another program": changed(true, "program", to="blend/1"),
        "another constant": changed(true, "learner", "parameters", "bias", to=2.0),
        "hashed": changed(true, "learner", "parameters", "hashing", to={"bits": 1, "signed": True}),
        "two passes": changed(true, "data", "passes", to=2),
        "another theorem": changed(true, "theorem", to="fixed-share-resumed"),
        "the learner of a shard": changed(true, "learner", "name", to="Blend"),
    }
    assert nv.verify(sealed(true), held, start=run).verified
    for name, lie in lies.items():
        assert not nv.verify(sealed(lie), held, start=run).verified, name


def test_a_model_with_other_members_is_refused(tmp_path: Path) -> None:
    run, held = mixture()
    certificate = nv.certify(run)
    other, _ = mixture(seed=9)
    assert "another" in nv.verify(certificate, held, start=other).reason
    assert not nv.verify(certificate, held, start=nv.play(nv.Blend(), held)).verified
    certificate.save(tmp_path / "it.json")
    run.save(tmp_path / "it.model")
    arrays = load_file(tmp_path / "it.model")
    held_rows = tmp_path / "held.svm"
    X, y = held.block.values, held.labels  # type: ignore[attr-defined]
    held_rows.write_text("".join(
        f"{s} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x) if v) + "\n"
        for x, s in zip(X.tolist(), y.tolist(), strict=True)
    ))  # fmt: skip
    for name in sorted(arrays):
        if not name.startswith("member1.") or not arrays[name].size:
            continue
        bad = dict(arrays)
        bad[name] = arrays[name].copy()
        bad[name].reshape(-1)[bad[name].size // 2] += 1  # the last lanes of a matrix are not used
        save_file(bad, tmp_path / "bad.model")
        text = (tmp_path / "it.json").read_bytes()
        rows_of = verifier.reader(text, str(held_rows), [])
        try:
            verdict = verifier.verify(
                text, rows_of, None, verifier.read_model(str(tmp_path / "bad.model"))
            )
        except verifier.BadData:
            continue
        assert not verdict.verified, name
    del arrays["member2.cells"]
    save_file(arrays, tmp_path / "bad.model")
    with pytest.raises(verifier.BadData):
        verifier.verify(text, rows_of, None, verifier.read_model(str(tmp_path / "bad.model")))


def test_what_cannot_be_replayed_has_bounds_and_no_certificate() -> None:
    X, y = rows()
    named = [{f"f{j}": v for j, v in enumerate(x)} for x in X.tolist()]
    models = [nv.play(nv.Blend(), nv.stream(named[:100], y[:100])).hypothesis()]
    run = nv.play(nv.FrozenMixture(models), nv.stream(named[100:], y[100:]))
    with pytest.raises(HypothesisError, match="numbered or hashed"):
        nv.certify(run)
    hashing = nv.Hashing(bits=10)
    models = [nv.play(nv.Blend(hashing=hashing), nv.stream(named[:100], y[:100])).hypothesis()]
    run = nv.play(nv.FrozenMixture(models), nv.stream(named[100:], y[100:]))
    assert nv.verify(nv.certify(run), nv.stream(named[100:], y[100:]), start=run).verified


def test_what_is_no_member_is_refused_by_name() -> None:
    X, y = rows(40)
    for members in (
        [],
        None,
        [nv.Blend()],
        [nv.play(nv.Perceptron(), nv.stream(X, y)).hypothesis()],
    ):
        with pytest.raises(nv.ParameterError, match="members"):
            nv.FrozenMixture(members)  # type: ignore[arg-type]
