"""Mixtures of frozen models of many classes: the program, its certificates, and forged ones."""

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

NAMES = ["ant", "bee", "cat", "dog", "elk"]


def rows(count: int = 170, classes: int = 3, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, 4)).round(2) * 10.0 ** rng.integers(-2, 3, 4)
    X *= rng.random(X.shape) < 0.8
    scores = X @ rng.standard_normal((4, classes)) + rng.standard_normal((count, classes))
    return X, np.array(NAMES)[scores.argmax(axis=1)]


def mixture(
    count: int = 3, seed: int = 0, classes: int = 3, **options: Any
) -> tuple[nv.Run, nv.Stream]:
    X, y = rows(seed=seed, classes=classes)
    models = [
        nv.play(
            nv.Blend(**options), nv.stream(X[part], y[part]), labels=NAMES[:classes]
        ).hypothesis()
        for part in np.array_split(np.arange(140), count)
    ]
    held = nv.stream(X[140:], y[140:])
    return nv.play(nv.FrozenClassMixture(models), held, labels=NAMES[:classes]), held


def arrays_of(held: Any) -> tuple[Any, Any]:
    return held.block.values, held.labels


@pytest.mark.parametrize(("count", "classes"), [(1, 3), (2, 5), (4, 3)])
def test_it_is_the_program_of_the_page(count: int, classes: int) -> None:
    X, y = rows(seed=count, classes=classes)
    codes = [NAMES.index(label) for label in y]
    page = program_page()
    parts = np.array_split(np.arange(140), count)
    twins = []
    for part in parts:
        twin = page.ClassBlend(classes)
        for t in part:
            twin.learn(dict(enumerate(X[t].tolist())) | {-1: 1.0}, codes[t])
        twins.append(twin)
    twin = page.FrozenClassMixture(twins)
    said = [
        twin.learn(dict(enumerate(x)) | {-1: 1.0}, k)
        for x, k in zip(X[140:].tolist(), codes[140:], strict=True)
    ]
    wrong = [t for t, (p, k) in enumerate(zip(said, codes[140:], strict=True), 1) if p != k]
    run, _ = mixture(count, seed=count, classes=classes)
    assert run.ledger.mistake_rounds.tolist() == wrong
    assert run.ledger.loss == twin.loss + twin.loss_rest
    assert [*run.learner.losses.values()] == twin.losses
    assert [*run.learner.weights.values()] == twin.weights


def test_blocks_single_rounds_and_small_pieces_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    run, held = mixture()
    X, y = arrays_of(held)
    other = nv.Run(nv.FrozenClassMixture(run.learner.hypotheses), labels=NAMES[:3])
    with pytest.raises(nv.InputError):
        other.play(nv.stream(np.vstack([X[:5], [np.nan] * 4]), [*y[:5], "ant"]))
    assert other.ledger.rounds == 5
    for x, label in zip(X[5:], y[5:], strict=True):
        other.learn(x, str(label))
    monkeypatch.setattr("novikoff.learners.losses.frozen_class_mixture._NUMBERS", 20)
    pieces = nv.play(nv.FrozenClassMixture(run.learner.hypotheses), held, labels=NAMES[:3])
    for again in (other, pieces):
        assert again.ledger.loss == run.ledger.loss
        for name, array in run.learner.state().items():
            assert np.array_equal(again.learner.state()[name], array), name
    plain = nv.FrozenClassMixture(run.learner.hypotheses)
    for x, label in zip(X, y, strict=True):
        plain.update(x, NAMES.index(label))
    assert plain.losses == run.learner.losses


def test_a_saved_mixture_goes_on_as_if_it_had_not_been_saved(tmp_path: Path) -> None:
    run, held = mixture()
    run.save(tmp_path / "it.model")
    again = nv.Run.load(tmp_path / "it.model")
    X, _ = arrays_of(held)
    assert again.probability(X[0]) == run.probability(X[0])
    chances: Any = run.probability(X[0])
    assert sum(chances.values()) == pytest.approx(1)
    h: Any = run.hypothesis()
    h.save(tmp_path / "frozen.model")
    frozen: Any = nv.Hypothesis.load(tmp_path / "frozen.model")
    assert np.array_equal(frozen.probabilities(X), h.probabilities(X))
    assert {*frozen.predict(X)} <= {*NAMES[:3]}
    run.play(held)
    again.play(held)
    assert again.ledger.loss == run.ledger.loss
    assert again.learner.fresh().rounds == 0


def written(path: Path, held: Any) -> Path:
    X, y = arrays_of(held)
    codes = {"ant": 0, "bee": 1, "cat": 2}
    path.write_text("".join(
        f"{codes[s]} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x) if v) + "\n"
        for x, s in zip(X.tolist(), y.tolist(), strict=True)
    ))  # fmt: skip
    return path


@pytest.mark.parametrize("options", [{}, {"bias": None}], ids=["constant", "no constant"])
def test_a_certificate_verifies_with_any_model_that_has_the_members(
    options: Any, tmp_path: Path
) -> None:
    X, y = rows()
    written(tmp_path / "held.svm", nv.stream(X[140:], y[140:]))
    halves = [written(tmp_path / f"{k}.svm", nv.stream(X[k:140:2], y[k:140:2])) for k in (0, 1)]
    models = [
        nv.play(nv.Blend(**options), nv.read(half), labels=[0, 1, 2]).hypothesis()
        for half in halves
    ]
    held = nv.read(tmp_path / "held.svm")
    run = nv.play(nv.FrozenClassMixture(models), held, labels=[0, 1, 2])
    certificate = nv.certify(run)
    assert certificate.theorem == "mixture"
    run.save(tmp_path / "end.model")
    nv.Run(run.learner.fresh(), labels=[0, 1, 2]).save(tmp_path / "begin.model")
    loaded = nv.certify(nv.Run.load(tmp_path / "end.model"), held)
    assert loaded.content == certificate.content
    certificate.save(tmp_path / "it.json")
    for model in ("begin.model", "end.model"):
        command = [sys.executable, "-I", verifier.__file__, str(tmp_path / "it.json"),
                   str(tmp_path / "held.svm"), f"start={tmp_path / model}"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["verified"], done.stdout


def test_its_members_are_named_as_their_own_certificates_end() -> None:
    X, y = rows(100)
    parts = [nv.play(nv.Blend(), nv.stream(X[k:80:2], y[k:80:2]), labels=NAMES[:3]) for k in (0, 1)]
    models = [part.hypothesis() for part in parts]
    run = nv.play(nv.FrozenClassMixture(models), nv.stream(X[80:], y[80:]), labels=NAMES[:3])
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
    names = ("data", "labels", "classes")
    lies = {
        "a smaller loss": changed(true, "evidence", "loss", to=math.nextafter(loss, 0)),
        "a smaller bound": changed(true, "bound", to=math.nextafter(true["bound"], 0)),
        "a larger bound": changed(true, "bound", to=math.nextafter(true["bound"], math.inf)),
        "a member less": changed(true, *members, to=hashes[:2]),
        "a member twice": changed(true, *members, to=[*hashes, hashes[0]]),
        "another order": changed(true, *members, to=hashes[::-1]),
        "another member": changed(true, *members, to=["0" * 64, *hashes[1:]]),
        "no member": changed(true, *members, to=[]),
        "another start": changed(true, "start", "state", to="0" * 64),
        "no start": changed(true, "start", to=None),
        "another end": changed(true, "states", to=[[30, start["state"]]]),
        "a mistake less": changed(true, "mistakes", "count", to=true["mistakes"]["count"] - 1),
        "another program": changed(true, "program", to="frozen-mixture/1"),
        "another constant": changed(true, "learner", "parameters", "bias", to=2.0),
        "two passes": changed(true, "data", "passes", to=2),
        "a class more": changed(true, *names, to=[*NAMES[:3], "fox"]),
        "classes in another order": changed(true, *names, to=["bee", "ant", "cat"]),
        "a class fewer": changed(true, *names, to=NAMES[:2]),
        "more classes": changed(true, "learner", "parameters", "classes", to=4),
        "another theorem": changed(true, "theorem", to="fixed-share-classes"),
        "the learner of two labels": changed(true, "learner", "name", to="FrozenMixture"),
        "the learner of a shard": changed(true, "learner", "name", to="ClassBlend"),
    }
    assert nv.verify(sealed(true), held, start=run).verified
    for name, lie in lies.items():
        assert not nv.verify(sealed(lie), held, start=run).verified, name


def test_a_model_with_other_members_is_refused(tmp_path: Path) -> None:
    run, held = mixture(2)
    certificate = nv.certify(run)
    other, _ = mixture(2, seed=9)
    assert "another" in nv.verify(certificate, held, start=other).reason
    certificate.save(tmp_path / "it.json")
    text = (tmp_path / "it.json").read_bytes()
    run.save(tmp_path / "it.model")
    arrays = load_file(tmp_path / "it.model")
    for name in sorted(arrays):
        if not name.startswith("member1.") or not arrays[name].size:
            continue
        for change in (1, -1):
            bad = dict(arrays)
            bad[name] = arrays[name].copy()
            bad[name].reshape(-1)[-1] += change
            save_file(bad, tmp_path / "bad.model")
            model = verifier.read_model(str(tmp_path / "bad.model"))
            assert refused(text, model, held), name


def refused(text: bytes, model: Any, held: nv.Stream) -> bool:
    from novikoff.receipts.family import reread

    content = json.loads(text)
    try:
        return not verifier.verify(text, reread(held, content["learner"]), None, model).verified
    except verifier.BadData:
        return True


def test_what_cannot_be_replayed_has_bounds_and_no_certificate() -> None:
    X, y = rows(90)
    named = [{f"f{j}": v for j, v in enumerate(x)} for x in X.tolist()]
    learned, held = nv.stream(named[:60], y[:60]), nv.stream(named[60:], y[60:])
    models = [nv.play(nv.Blend(), learned, labels=NAMES[:3]).hypothesis()]
    run = nv.play(nv.FrozenClassMixture(models), held, labels=NAMES[:3])
    assert nv.bounds(run)[0].value >= run.ledger.loss
    with pytest.raises(HypothesisError, match="numbered or hashed"):
        nv.certify(run)
    hashed = nv.Blend(hashing=nv.Hashing(bits=10))
    models = [nv.play(hashed, learned, labels=NAMES[:3]).hypothesis()]
    run = nv.play(nv.FrozenClassMixture(models), held, labels=NAMES[:3])
    assert nv.verify(nv.certify(run), held, start=run).verified


def test_what_is_no_member_is_refused_by_name() -> None:
    X, y = rows(40)
    two = nv.play(nv.Blend(), nv.stream(X, np.where(y == "ant", 1, -1))).hypothesis()
    three = nv.play(nv.Blend(), nv.stream(X, y), labels=NAMES[:3]).hypothesis()
    turned = nv.play(nv.Blend(), nv.stream(X, y), labels=NAMES[2::-1]).hypothesis()
    five = nv.play(nv.Blend(), nv.stream(X, y), labels=NAMES).hypothesis()
    for members in ([], None, [nv.Blend()], [two], [three, two], [three, five], [three, turned]):
        with pytest.raises(nv.ParameterError, match="members"):
            nv.FrozenClassMixture(members)  # type: ignore[arg-type]
    with pytest.raises(nv.InputError, match="class id from 0 to 2"):
        nv.FrozenClassMixture([three]).update(X[0], 3)
    with pytest.raises(nv.ParameterError, match="labels"):
        nv.play(nv.FrozenClassMixture([three]), nv.stream(X, y), labels=NAMES)
