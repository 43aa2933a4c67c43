"""A model per shard, mixed over rows held out: the same bits in any way, in a folder or a file."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import cluster
from novikoff.cli import main
from novikoff.errors import HypothesisError, InputError


def rows(count: int = 400, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, 3)).round(2)
    return X, np.where(X @ [1.0, -2.0, 0.5] + rng.standard_normal(count) > 0, 1, -1)


def written(path: Path, X: Any, y: Any) -> Path:
    lines = (
        f"{s} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x))
        for x, s in zip(X.tolist(), y.tolist(), strict=True)
    )
    path.write_text("\n".join(lines) + "\n")
    return path


def test_each_member_is_what_its_shard_gives_alone() -> None:
    X, y = rows()
    run = cluster.play(nv.Blend(), nv.stream(X, y), shards=3, held_out=0.1)
    assert run.ledger.rounds == 40
    for k, member in enumerate(run.learner.hypotheses):
        alone: Any = nv.play(
            nv.Blend(), nv.stream(X[k * 120 : k * 120 + 120], y[k * 120 : k * 120 + 120])
        )
        assert np.array_equal(member.probabilities(X), alone.hypothesis().probabilities(X))
    assert nv.verify(nv.certify(run), nv.stream(X[360:], y[360:]), start=run).verified


def test_arrays_files_and_folders_give_the_same_bits(tmp_path: Path) -> None:
    X, y = rows()
    data = written(tmp_path / "all.svm", X, y)
    held = written(tmp_path / "held.svm", X[360:], y[360:])
    for k in range(4):
        written(tmp_path / f"part-{k}.svm", X[k * 90 : k * 90 + 90], y[k * 90 : k * 90 + 90])
    found = [
        cluster.play(nv.Blend(), nv.stream(X, y), shards=4, held_out=40),
        cluster.play(nv.Blend(), str(data), shards=4, held_out=0.1),
        cluster.play(nv.Blend(), str(tmp_path / "part-*.svm"), shards=4, held_out=str(held)),
        cluster.play(nv.Blend(), str(data), shards=4, held_out=0.1, folder=tmp_path / "kept"),
    ]
    (tmp_path / "kept" / "shard-00002.model").unlink()
    again = cluster.play(nv.Blend(), str(data), shards=4, held_out=0.1, folder=tmp_path / "kept")
    for run in [*found, again]:
        assert run.ledger.loss == found[0].ledger.loss
        assert run.learner.losses == found[0].learner.losses


def test_shards_that_see_one_label_only_know_the_other() -> None:
    X, y = rows(60)
    y[:20] = 1
    labels = np.where(y > 0, "yes", "no")
    run = cluster.play(nv.Blend(), nv.stream(X, labels), shards=2, held_out=20)
    assert set(run.predict(X)) <= {"yes", "no"}
    assert run.probability(X[0]) > 0.5


def test_named_features_need_no_common_dictionary() -> None:
    X, y = rows(200)
    named = [{f"f{j}" if t % 2 else f"g{j}": v for j, v in enumerate(x)} for t, x in enumerate(X)]
    run = cluster.play(nv.Blend(), nv.stream(named, y), shards=3, held_out=0.2)
    assert run.ledger.rounds == 40
    assert 0 < run.probability({"f0": 1.0, "new": 2.0}) < 1


def many(count: int = 400, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, 3)).round(2)
    scores = X @ rng.standard_normal((3, 4)) + rng.standard_normal((count, 4))
    return X, np.array(["ant", "bee", "cat", "dog"])[scores.argmax(axis=1)]


def test_more_than_two_labels_are_mixed_in_any_form_with_the_same_bits(tmp_path: Path) -> None:
    X, y = many()
    lines = [",".join([*map(repr, x), s]) for x, s in zip(X.tolist(), y.tolist(), strict=True)]
    (tmp_path / "all.csv").write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    file = nv.read(tmp_path / "all.csv", label="y")
    found = [
        cluster.play(nv.Blend(), nv.stream(X, y), shards=3, held_out=0.1),
        cluster.play(nv.Blend(), file, shards=3, held_out=0.1, folder=tmp_path / "kept"),
        cluster.play(nv.Blend(), file, shards=3, held_out=0.1, folder=tmp_path / "kept"),
    ]
    for run in found:
        assert run.ledger.loss == found[0].ledger.loss
        assert run.learner.losses == found[0].learner.losses
    best = min(found[0].learner.losses.values())
    assert found[0].ledger.loss <= best + np.log(3) + 1e-9
    labels = tuple(found[0].labels.known)
    alone: Any = nv.play(nv.Blend(), nv.stream(X[:120], y[:120]), labels=labels)
    member: Any = found[0].learner.hypotheses[0]
    assert np.array_equal(member.probabilities(X), alone.hypothesis().probabilities(X))


def test_a_label_that_only_one_shard_has_is_known_to_all() -> None:
    X, y = many()
    y[y == "dog"] = "ant"
    y[130:140] = "dog"
    run = cluster.play(nv.Blend(), nv.stream(X, y), shards=3, held_out=0.1)
    chances: Any = run.probability(X[0])
    assert {*chances} == {"ant", "bee", "cat", "dog"}
    held = nv.stream(X[360:], y[360:])
    assert nv.verify(nv.certify(run), held, start=run).verified


def test_labels_that_the_first_rows_do_not_show_are_found(tmp_path: Path) -> None:
    """−1 and +1 need no declaration, so nobody looks further before the shards are played."""
    X, y = rows(120)
    other = y.copy()
    other[7::10] = 3
    files = [written(tmp_path / "a.svm", X[:60], y[:60]),
             written(tmp_path / "b.svm", X[60:], other[60:])]  # fmt: skip
    held = str(written(tmp_path / "held.svm", X[:30], other[:30]))
    asked: dict[str, Any] = {"shards": 2, "held_out": held, "folder": tmp_path / "kept"}
    run = cluster.play(nv.Blend(), [*map(str, files)], **asked)
    assert tuple(run.labels.known) == (-1, 1, 3)
    assert nv.verify(nv.certify(run), nv.read(held), start=run).verified
    (tmp_path / "kept" / "labelled-shard-00001.model").unlink()
    again = cluster.play(nv.Blend(), [*map(str, files)], **asked)
    assert again.ledger.loss == run.ledger.loss
    declared = nv.read([*map(str, files)], labels=[-1, 1, 3])
    assert cluster.play(nv.Blend(), declared, shards=2, held_out=held).ledger.loss == (
        run.ledger.loss
    )


def test_shards_with_signs_of_other_kinds_have_three_labels(tmp_path: Path) -> None:
    X, y = rows(80)
    files = [str(written(tmp_path / "a.svm", X[:40], y[:40])),
             str(written(tmp_path / "b.svm", X[40:], np.maximum(y[40:], 0)))]  # fmt: skip
    run = cluster.play(nv.Blend(), files, shards=2, held_out=files[1])
    assert tuple(run.labels.known) == (-1, 0, 1)


def test_rows_held_out_that_are_none_are_refused_before_anything_is_learned(
    tmp_path: Path,
) -> None:
    X, y = rows(40)
    written(tmp_path / "a.svm", X, y)
    (tmp_path / "none.svm").write_text("# nothing\n")
    with pytest.raises(InputError, match="held_out: expected rows"):
        cluster.play(nv.Blend(), str(tmp_path / "a.svm"), shards=2,
                     held_out=str(tmp_path / "none.svm"), folder=tmp_path / "kept")  # fmt: skip
    assert not (tmp_path / "kept").exists()


def test_the_command_line_mixes_many_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = many()
    codes = np.unique(y, return_inverse=True)[1]
    written(Path("data.svm"), X[:360], codes[:360])
    written(Path("held.svm"), X[360:], codes[360:])
    shards = ["--cluster", "none", "--shards", "3", "--held-out", "held.svm"]
    kept = ["--save", "m.model", "--certify", "m.json", "--json"]
    assert main(["learn", "data.svm", *shards, *kept]) == 0
    assert json.loads(capsys.readouterr().out)["bounds"][0]["theorem"] == "mixture"
    assert main(["verify", "m.json", "held.svm", "--start", "m.model"]) == 0
    assert main(["certify", "m.model", "held.svm", "--output", "again.json"]) == 0
    assert Path("again.json").read_bytes() == Path("m.json").read_bytes()
    capsys.readouterr()
    assert main(["predict", "m.model", "held.svm", "--probabilities"]) == 0
    assert capsys.readouterr().out.startswith("prediction,0,1,2,3\n")


def test_what_cannot_be_mixed_is_refused_by_name(tmp_path: Path) -> None:
    X, y = rows(60)
    stream = nv.stream(X, y)
    with pytest.raises(HypothesisError, match="got Perceptron"):
        cluster.play(nv.Perceptron(), stream, shards=2, held_out=0.1)
    with pytest.raises(HypothesisError, match="keep rows back with held_out"):
        cluster.play(nv.Blend(), stream, shards=2)
    with pytest.raises(HypothesisError, match="got MulticlassPerceptron"):
        cluster.play(nv.MulticlassPerceptron(), stream, shards=2, held_out=0.1)
    for bad in (0.0, 1.0, 60, -1, 0.001):
        with pytest.raises(InputError, match="held_out"):
            cluster.play(nv.Blend(), stream, shards=2, held_out=bad)
    cluster.play(nv.Blend(), stream, shards=2, held_out=0.1, folder=tmp_path)
    with pytest.raises(InputError, match="Name another folder"):
        cluster.play(nv.Blend(), stream, shards=3, held_out=0.1, folder=tmp_path)
    used = nv.Blend()
    used.update([1.0], 1)
    with pytest.raises(nv.ParameterError, match="learned nothing"):
        cluster.play(used, stream, shards=2, held_out=0.1)


def test_the_command_line_mixes_certifies_and_predicts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = rows()
    written(Path("data.svm"), X[:360], y[:360])
    written(Path("held.svm"), X[360:], y[360:])
    shards = ["--cluster", "none", "--shards", "3"]
    assert main(["learn", "data.svm", *shards, "--held-out", "held.svm", "--save", "m.model",
                 "--certify", "m.json", "--resume", "models", "--json"]) == 0  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert found["rounds"] == 40
    assert found["bounds"][0]["theorem"] == "mixture"
    assert "Shard" in found["remarks"][0] or any("Shard" in one for one in found["remarks"])
    assert main(["verify", "m.json", "held.svm", "--start", "m.model"]) == 0
    assert main(["certify", "m.model", "held.svm", "--output", "again.json"]) == 0
    assert Path("again.json").read_bytes() == Path("m.json").read_bytes()
    capsys.readouterr()
    assert main(["predict", "m.model", "held.svm", "--probabilities"]) == 0
    assert capsys.readouterr().out.startswith("prediction,-1,1\n")
    assert main(["learn", "data.svm", *shards, "--held-out", "last:10%", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rounds"] == 36
    for wrong in (["--held-out", "last:10%", "--certify", "x.json"], ["--held-out", "nobody.svm"],
                  ["--held-out", "held.svm", "--epochs", "2"]):  # fmt: skip
        assert main(["learn", "data.svm", *shards, *wrong]) == 2
