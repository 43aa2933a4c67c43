"""``novikoff tag --learn --cluster``: chains in shards from files, with receipts."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import cluster
from novikoff.cli import main

TAGS = {"the": "D", "a": "D", "cat": "N", "dog": "N", "sees": "V", "runs": "V"}


def sentences(count: int, seed: int) -> list[tuple[list[str], list[str]]]:
    rng = np.random.default_rng(seed)
    words = [*TAGS, "saw", "can"]
    found = []
    for _ in range(count):
        x = [words[k] for k in rng.integers(0, len(words), rng.integers(1, 6))]
        found.append((x, [TAGS.get(w) or "NV"[int(rng.integers(0, 2))] for w in x]))
    return found


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    monkeypatch.chdir(tmp_path)
    pairs = []
    for k in range(4):
        part = sentences(15, seed=k)
        lines = ["".join(f"{w} {t}\n" for w, t in zip(*pair, strict=True)) for pair in part]
        Path(f"part-{k}.conll").write_text("\n".join(lines))
        pairs += part
    return pairs


LEARN = ["tag", "m.model", "part-*.conll", "--learn", "--templates", "w[0] w[-1]",
         "--cluster", "none", "--shards", "2"]  # fmt: skip


def test_it_learns_what_play_learns_certifies_tags_and_goes_on(
    files: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*LEARN, "--epochs", "3", "--certify", "m.json", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    learner = nv.StructuredPerceptron(nv.Chains("w[0] w[-1]", ["w"]))
    run = cluster.play(learner, nv.read("part-*.conll", "conll"), shards=2, epochs=3)
    assert (said["mistakes"], said["rounds"], said["passes"]) == (run.mistakes, 180, 3)
    frozen: Any = nv.Hypothesis.load("m.model")
    X = [x for x, _ in files]
    assert frozen.predict(X) == run.hypothesis().predict(X)
    assert json.loads(Path("m.json").read_text())["theorem"] == "parameter-mixing"
    assert main(["verify", "m.json", *sorted(map(str, Path().glob("part-*.conll")))]) == 0
    capsys.readouterr()
    assert main(["tag", "m.model", "part-0.conll"]) == 0
    assert capsys.readouterr().out.startswith(files[0][0][0])
    assert main([*LEARN, "--resume", "epochs"]) == 0
    assert main([*LEARN, "--resume", "epochs", "--epochs", "3", "--certify", "again.json"]) == 0
    assert Path("again.json").read_bytes() == Path("m.json").read_bytes()


def test_a_folder_of_other_files_is_refused(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LEARN, "--resume", "epochs"]) == 0
    Path("part-0.conll").write_text("cat N\n")
    assert main([*LEARN, "--resume", "epochs", "--epochs", "2"]) == 3
    assert "another folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (["--shards", "2"], "--shards"),
        (["--epochs", "2"], "--epochs"),
        (["--resume", "x"], "--resume"),
        (["--cluster", "none"], "--shards"),
        (["--cluster", "none", "--shards", "2", "--passes", "3"], "--passes"),
        (["--cluster", "none", "--shards", "2", "--held-out", "part-0.conll"], "--held-out"),
    ],
)
def test_what_shards_do_not_have_is_refused(
    wrong: list[str], named: str, files: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tag", "m.model", "part-*.conll", "--learn", *wrong]) == 2
    assert f"{named}: expected" in capsys.readouterr().err
    assert not Path("m.model").exists()


def test_a_model_that_tags_takes_no_cluster(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tag", "m.model", "part-0.conll", "--cluster", "none", "--shards", "2"]) == 2
    assert "--learn" in capsys.readouterr().err
